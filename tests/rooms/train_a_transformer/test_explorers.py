"""Known answers of the explorers of the translator, what answers the hand, and what lesson 13 says."""

import re
from html import escape as html_words

import numpy as np
import pytest

from helpers import explorers
from rooms.shared import date_model, dates
from rooms.train_a_transformer import explorers as room
from tests import driving


def test_explore_decoding_says_a_friendly_word_about_nonsense():
    explorer = explorers.explore_decoding()
    for typed, told in {
        "tomorrow": "digits", "21 xyz 2026": "'x'", "1/1": "too short", "21st of November in the year 2026": "longest",
    }.items():  # fmt: skip
        explorer.controls["text"].value = typed
        assert told in explorer._view.value.replace("&#x27;", "'") and "last good picture" in explorer._view.value


def test_explore_decoding_says_when_a_text_names_no_day_in_the_ten_styles():
    explorer = explorers.explore_decoding()
    no_day = (
        " The style is one of the ten, but this is no day from 1969 to 2068; the model writes ten letters all the same."
    )
    no_style = " This text is in none of the ten styles; the model writes ten letters all the same."
    days = ["31 feb 2026", "21 Nov 1950", "December 1, 2100", "11/21/2026", "12/31/26", "Sunday, February 30, 2025"]
    styles = ["21st november 2026", "2026/11/21", "21 nov 26"]
    for typed, told in [*((day, no_day) for day in days), *((style, no_style) for style in styles)]:
        explorer.controls["text"].value = typed
        assert explorer.text.endswith(told) and "calendar" not in explorer.html, explorer.text
    explorer.controls["text"].value = "21 nov 2026"
    assert "all the same" not in explorer.text


def test_explore_decoding_says_that_one_letter_does_not_agree():
    explorer = explorers.explore_decoding()
    explorer.controls["text"].value = "Friday, June 5, 2020"
    assert dates.to_text(explorer.shown["numbers"]) == "2000-06-05"
    assert "✗ 1 of ten letters is wrong" in explorer._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize("explore", [explorers.explore_decoding, explorers.explore_ablation])
def test_an_explorer_shows_the_model_that_it_is_given(explore):
    mine, shipped = explore(date_model.random_model(seed=3)), explore()
    assert dates.to_text(shipped.shown["numbers"]) == "2026-11-21" != dates.to_text(mine.shown["numbers"])
    if "right" in mine.shown:
        assert not mine.shown["counts"].any() and shipped.shown["right"].sum() >= 95
    else:
        row = dates.to_numbers("21 nov 2026")
        read = date_model.translate(mine._compute.args[0].parameters, row[None], [len(row)])
        np.testing.assert_allclose(mine.shown["heads"][1:], read.attention["cross"][0])


def test_explorers_of_a_model_that_writes_nothing_say_so():
    model = date_model.random_model()
    model["b_vocabulary"][dates.PAD] = 1000
    explorer = explorers.explore_decoding(model)
    assert not explorer.shown["numbers"].any()
    assert "✗ 10 of ten letters are wrong" in explorer._repr_mimebundle_()["text/plain"]
    assert explorers.explore_ablation(model).text.endswith("21 nov 2026 becomes nothing.")


@pytest.mark.parametrize("explore", [explorers.explore_decoding, explorers.explore_ablation])
def test_explorers_of_a_model_refuse_what_is_none(explore):
    history = date_model.train(date_model.random_model(), num_steps=1, progress=None)
    with pytest.raises(
        TypeError, match=r"parameters must be those of a model, such as history\.parameters, got History\."
    ):
        explore(history)


def test_a_part_is_clicked_and_off_and_another_click_switches_it_on():
    explorer = explorers.explore_ablation()
    for k, part in enumerate(room.PARTS[1:], start=1):
        driving.click(explorer, "parts", k)
        assert explorer.controls["off"].value == part
        assert explorer.shown["counts"][k] == explorer.shown["right"].sum()
    driving.click(explorer, "parts", k)
    assert explorer.controls["off"].value == "nothing"


def test_each_part_shows_how_many_dates_are_lost_without_it():
    explorer = explorers.explore_ablation()
    lost = explorer.shown["counts"][0] - explorer.shown["counts"][1:]
    drawn = re.findall(r"<text[^>]*>(−\d+)</text>", explorer._view.value)
    assert sorted(drawn) == sorted(
        2 * [f"−{each}" for each in [*lost, lost[0]]]
    )  # wide and narrow, positions in both towers


def test_right_letters_are_bold_and_a_row_is_clicked():
    explorer = explorers.explore_training()
    driving.click(explorer, "rows", 9)
    assert explorer.controls["step"].value == 270
    wide = explorer._view.value.split("only-narrow")[0]
    letters = re.findall(r'<text [^>]*font-size="22"[^>]*>', wide)
    right = explorer.shown["written"] == explorer.shown["target"]
    assert ["font-weight" in each for each in letters] == right.ravel().tolist()


def test_ten_counts_are_below_the_chosen_row():
    explorer = explorers.explore_training()
    for drawing in explorer.html.split('class="only-narrow"')[:2]:  # on a card and on a phone
        y = float(re.search(r'y="([\d.]+)"[^>]*>right</text>', drawing)[1])
        counts = re.findall(rf'<text [^>]*y="{y:g}"[^>]*>(\d+)</text>', drawing)
        assert [int(count) for count in counts] == explorer.shown["letters"].tolist()


# --- what lesson 13 says ---------------------------------------------------------------------------------------------


def test_every_head_finds_the_field_and_heads_1_and_3_differ_inside_it():
    _, days = dates.split()
    texts = [dates.write(day, "21 Nov 2026").lower() for day in days[:200]]
    batch = dates.batch_of(texts, days[:200])
    attentions = date_model.translate(date_model.load_model(), batch.sources, batch.lengths).attention
    for head in range(4):
        found = {"year": [], "month": [], "day": []}
        for text, weights in zip(texts, attentions["cross"][:, head]):
            month, year = text.index(" ") + 1, text.rindex(" ") + 1
            found["year"].append(weights[:4, year : year + 4].sum(axis=-1).mean())
            found["month"].append(weights[5:7, month : year - 1].sum(axis=-1).mean())
            found["day"].append(weights[8:, : month - 1].sum(axis=-1).mean())
        means = [round(float(np.mean(each)), 2) for each in found.values()]
        assert 0.83 <= min(means) and max(means) <= 0.99, (head, means)
    first = attentions["cross"][:, :, 0].argmax(axis=-1) - np.array([[text.rindex(" ") + 1] for text in texts])
    assert (first[:, 1] == 1).mean() > 0.95 and (first[:, 3] == 0).mean() > 0.95


def test_lesson_names_the_heads_that_copying_needs():
    model = room._model_of_the_course()
    right = {part: room._without(model, part)[0] for part in room.PARTS if "head" in part}
    copied = {part: sum(each[9::10]) for part, each in right.items()}
    needed = {part for part, count in copied.items() if count <= 4}
    assert needed == {
        *("encoder head 0", "encoder head 1", "encoder head 3"),
        *("decoder head 0", "decoder head 3", "cross-attention head 3"),
    }
    cross = {part: sum(each) for part, each in right.items() if part.startswith("cross")}
    assert max(cross.values()) == cross["cross-attention head 1"]


# --- a training that is watched --------------------------------------------------------------------------------------


def test_a_training_is_watched_while_it_runs(monkeypatch):
    displayed, said = [], []
    monkeypatch.setattr(room, "display", displayed.append)
    watch = explorers.watch_dates(every=2)
    assert not displayed  # nothing is shown before there is something to show

    def look(losses, parameters):
        watch(losses, parameters)
        if len(losses) == 1:
            displayed[0].children[-1].observe(lambda change: said.append(change["new"]), "value")

    history = date_model.train(date_model.load_model(), num_steps=5, peak=1e-4, progress=None, watch=look, seed=3)
    told = [re.search(r"After .*", html)[0].removesuffix("</p>") for html in said]
    assert told == [
        f"After {n} steps the loss is {history.losses[n - 1]:.3f}; 21 nov 2026 becomes 2026-11-21." for n in (2, 4)
    ]


def test_what_is_watched_is_the_model_of_that_step(monkeypatch):
    displayed = []
    monkeypatch.setattr(room, "display", displayed.append)
    parameters = date_model.random_model(seed=5)
    explorers.watch_dates(every=1)([3.25], parameters)
    row = dates.to_numbers("21 nov 2026")
    translation = date_model.translate(parameters, row[None], [len(row)])
    html = displayed[0].children[-1].value
    written = dates.to_text(translation.numbers[0])
    assert f"After 1 step the loss is 3.250; 21 nov 2026 becomes {html_words(written)}." in html


def test_of_a_long_training_eleven_rows_are_shown_with_the_last(monkeypatch):
    displayed = []
    monkeypatch.setattr(room, "display", displayed.append)
    watch, parameters = explorers.watch_dates(every=1), date_model.random_model(d_model=8)
    for n in range(1, 15):
        watch([3.0] * n, parameters)
    alt = re.search(r'aria-label="([^"]*)"', displayed[0].children[-1].value)[1]
    assert re.findall(r"Step (\d+):", alt) == ["1", "2", "4", "5", "6", "7", "9", "10", "11", "13", "14"]
