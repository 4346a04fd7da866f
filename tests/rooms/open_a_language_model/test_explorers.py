"""The language model's explorers: first states from the file, with and without the model; switches, scores, the sum on the road."""

import re

import numpy as np
import pytest

from helpers import decoder, explorers, language_model
from rooms.open_a_language_model import explorers as room
from rooms.open_a_language_model.strip import strip
from rooms.shared import model_readings
from tests import driving
from workbench.moving import living

PARIS = "The capital of France is"


@pytest.fixture
def without_model(monkeypatch):
    monkeypatch.setattr(language_model, "find", lambda: None)


@pytest.mark.parametrize("name", ["explore_next_token", "explore_head_wall", "explore_residual_stream"])
def test_first_state_needs_no_model(monkeypatch, name):
    monkeypatch.setattr(language_model, "load", None)  # it would be called
    with_it = getattr(explorers, name)()._repr_mimebundle_()["text/html"]
    monkeypatch.setattr(language_model, "find", lambda: None)
    assert getattr(explorers, name)()._repr_mimebundle_()["text/html"] == with_it


def test_stored_numbers_are_those_of_the_lesson():
    mary = model_readings.load("Mary")
    chance = {tuple(sorted(off)): dict(zip(*now[:2])).get(" Mary", 0) for off, now in mary.without.items()}
    assert np.exp(mary.logits[0]) == pytest.approx(0.923, abs=5e-4) and len(mary.without) >= 270
    assert chance[(1, 5), (23, 3), (29, 1)] == pytest.approx(0.16, abs=5e-3)
    twice = model_readings.load("random, twice")
    mean = {tuple(sorted(off)): now.losses[26:].mean() for off, now in twice.without.items()}
    assert twice.losses[1:25].mean() == pytest.approx(14.28, abs=5e-3)
    assert twice.losses[26:].mean() == pytest.approx(1.92, abs=5e-3)
    assert mean[(17, 3), (17, 4), (17, 5), (18, 6)] == pytest.approx(6.79, abs=5e-3)
    assert mean[(17, 0), (17, 1), (17, 2), (18, 1)] == pytest.approx(2.25, abs=5e-3)
    assert mean[(11, 1), (16, 0)] == pytest.approx(6.74, abs=5e-3)
    assert mean[((16, 0),)] == pytest.approx(6.37, abs=5e-3) and mean[((0, 5),)] == pytest.approx(8.27, abs=5e-3)
    copies = [[f"{score:.2f}" for score in scores.values()] for scores in twice.copying.values()]
    assert copies == [line.split() for line in ("0.80 0.88 0.80 0.94", "0.01 0.05 0.02 0.36", "0.23 0.30 0.39 0.52")]
    before = np.diagonal(twice.weights, -1, axis1=-2, axis2=-1).mean(axis=-1)
    assert np.unravel_index(before.argmax(), before.shape) == (16, 0)
    scores = decoder.induction_score(twice.weights[..., 1:, 1:], 25)
    np.testing.assert_allclose(
        [scores[head] for head in model_readings.COPIES], list(twice.copying[frozenset()].values()), atol=5e-3
    )
    assert np.unravel_index(scores.argmax(), scores.shape) == (18, 6) and scores.max() == pytest.approx(0.94, abs=5e-3)


def test_at_the_lowest_temperature_grammar_stays_and_truth_goes():
    explorer = explorers.explore_next_token()
    assert len(model_readings.names()) == 9 and explorer.controls["temperature"].min == 0.1
    explorer.set(text=PARIS, temperature=0.1, write=explorer.controls["write"].max)
    assert "The answer is: 2008" in explorer._repr_mimebundle_()["text/plain"]
    explorer.set(temperature=1.5)
    assert "lithaphocalypse" in explorer._repr_mimebundle_()["text/plain"]


def test_heads_with_a_strong_first_column_stand_where_its_value_is_short():
    mary = model_readings.load("Mary")
    strong = mary.weights[..., 1:, 0].mean(axis=-1) > 0.5
    short = mary.value_lengths[:, 0] < mary.value_lengths[:, 1:].mean(axis=1) / 2
    assert (strong.sum(), strong[short].sum()) == (166, 165)


def test_16_0_is_the_clearest_head_for_the_word_before_in_the_text_of_the_task_and_in_seven_others():
    for name in model_readings.names():
        before = np.diagonal(model_readings.load(name).weights, -1, axis1=-2, axis2=-1).mean(axis=-1)
        assert (np.unravel_index(before.argmax(), before.shape) == (16, 0)) == (name != "code")


def test_the_map_of_0_5_is_nearly_even():
    weights = model_readings.load("random, twice").weights
    spread = -np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=-1)[..., 1:]
    evenness = (spread / np.log(np.arange(2, weights.shape[-1] + 1))).mean(axis=-1)  # 1 where a row is even
    assert evenness[0, 5] > 0.94 and (evenness > evenness[0, 5]).sum() == 3


def test_layer_23_adds_most_to_the_lead_of_mary():
    shown = explorers.explore_residual_stream().shown
    added = shown["attention"] + shown["feed_forward"]
    assert added.argmax() == 23 and added[23] > 2 * np.delete(added, 23).max()
    heads, networks, start = shown["attention"], shown["feed_forward"], shown["start"]
    through = [start + added[: layer + 1].sum() for layer in (22, 23)]
    assert through[0] < -3 and through[1] > 1.5 and heads[23] > 10 * networks[23] and networks[24:].sum() > 4.5
    assert 1 + added.size + model_readings.load("Mary").weights[:, :, 0, 0].size == 301  # pieces of the stream


def test_a_logit_is_taken_apart_as_on_paper():
    pieces = np.array([[1, 1], [3, 0], [0, 3]])  # the start and two heads
    divisor = np.sqrt(np.mean(pieces.sum(axis=0) ** 2))
    assert divisor == 4 and (pieces / divisor @ [4, 0]).tolist() == [1, 3, 0]
    assert (pieces / divisor @ [0, 4]).tolist() == [1, 0, 3]


def test_three_heads_carry_most_of_the_lead_of_mary():
    def lead(now):
        chances = dict(zip(now.likeliest, np.log(now.probabilities)))
        return chances[" Mary"] - chances.get(" John", np.log(now.probabilities[-1]))

    single = {off: lead(now) for off, now in model_readings.load("Mary").without.items() if len(off) == 1}
    assert sorted(single, key=single.get)[:3] == [frozenset({head}) for head in [(23, 3), (1, 5), (29, 1)]]


def test_head_3_of_layer_23_does_not_follow_the_giver():
    for name, seen, adds in [("Mary gives", " Mary", (-3.45, -0.31)), ("John gets", " John", (-0.13, -3.11))]:
        stored = model_readings.load(name)
        assert stored.tokens[stored.weights[23, 3, -1].argmax()] == seen
        assert [heads[23, 3] for heads, *_ in stored.shares.values()] == pytest.approx(adds, abs=5e-3)
    assert model_readings.load("John gets").likeliest[0] == " Mary"


def test_heads_do_what_the_lesson_says_of_them():
    mary = model_readings.load("Mary")
    words = [room.visible(token) for token in mary.tokens]
    looks = {pair: words[int(mary.weights[pair][-1].argmax())] for pair in [(23, 0), (23, 1), (23, 3), (24, 4)]}
    assert looks == {(23, 0): "Mary", (23, 1): "Mary", (23, 3): "John", (24, 4): "Mary"}
    to_mary, to_john = (heads for heads, *_ in mary.shares.values())
    assert to_mary[23, 0] > 1 < to_mary[23, 1] and to_mary[24, 4] < 0
    assert (to_mary[23, 3], to_john[23, 3]) == pytest.approx((-0.08, -2.94), abs=5e-3)
    most = [now.likeliest[0] for off, now in mary.without.items() if sorted(off) == [(1, 5), (23, 3), (29, 1)]]
    assert most == [" John"] and mary.weights[23, 3, -1].max() == pytest.approx(0.74, abs=5e-3)


@pytest.mark.parametrize("name", model_readings.names())
def test_stored_reading_is_whole(name):
    stored = model_readings.load(name)
    n = len(stored.tokens)
    assert stored.weights.shape == (30, 9, n, n) and len(stored.ids) == n and len(stored.losses) == n - 1
    np.testing.assert_allclose(stored.weights.sum(axis=-1), 1)
    assert not stored.weights[..., *np.triu_indices(n, 1)].any()
    assert all(0 < model_readings.at_temperature(stored, T).sum() < 1 + 1e-9 for T in model_readings.TEMPERATURES)
    assert all(len(steps) == model_readings.WRITTEN + 1 for steps in stored.written.values())
    assert model_readings.PATH.stat().st_size < 1e6


def test_temperature_reshapes_and_writing_goes_on_without_the_model(without_model):
    explorer = explorers.explore_next_token()
    assert explorer.shown["probabilities"][0] == pytest.approx(0.923, abs=5e-4)
    explorer.set(text=PARIS)
    assert explorer.shown["probabilities"][0] == pytest.approx(0.773, abs=5e-4)
    explorer.set(temperature=0.1, write=3)
    assert " Paris.\n" in explorer._repr_mimebundle_()["text/plain"]
    explorer.set(temperature=0.2)
    assert "Only the stored texts" in explorer._view.value and "README.md" in explorer._view.value


def test_a_click_on_a_word_appends_it_as_the_stored_text_goes_on_or_as_the_model_reads_it(without_model, monkeypatch):
    explorer = explorers.explore_next_token()
    explorer.set(text=PARIS)
    parts = driving.titles(explorer)
    assert parts == {("probabilities", (0,)): "click: append “Paris”"}  # what was drawn is stored, and nothing else
    assert explorer.html.count("at-probabilities r0") == 4  # in the strip and below it, wide and narrow
    driving.click(explorer, "probabilities", 0)
    assert explorer.values["write"] == 1 and explorer._picture_text.startswith("The capital of France is →  Paris")
    explorer.set(write=0)
    explorer.controls["text"].value = "A text that nobody stored"
    assert "Only the stored texts" in explorer._view.value
    driving.click(explorer, "probabilities", 0)  # of the picture that stays
    assert (explorer.values["text"], explorer.values["write"]) == ("The capital of France is", 1)
    explorer.set(write=0)
    monkeypatch.setattr(language_model, "find", lambda: "a file")
    append = explorer._touch["probabilities"].set
    assert append(explorer._now, 0) == {"text": "The capital of France is", "write": 1}
    assert append(explorer._now, 2) == {"text": "The capital of France is London", "write": 0}
    explorer.set(write=1)
    best = room.model_readings.load("Paris").written[1.0][1].likeliest[7]
    assert append(explorer._now, 7) == {"text": "The capital of France is Paris" + best, "write": 0}
    explorer.set(write=model_readings.WRITTEN)
    assert append(explorer._now, 0)["write"] == 0


@pytest.mark.parametrize("shares", [[0.5, 0.25, 0.005], [1.0, 0.0, 0.0], [0.3, 0.2, 0.1]])
def test_the_strip_gives_each_word_its_share_and_the_others_theirs(shares):
    drawn = strip(["one", "two", "three"], shares, "it", width=400, title="next", places=[None] * 3).html
    boxes = re.findall(r'<rect x="([\d.]+)" y="24" width="([\d.]+)" height="48" fill="var\(--ink', drawn)
    assert [float(x) for x, _ in boxes] == pytest.approx([0, 400 * shares[0], 400 * sum(shares[:2])])
    assert [float(wide) for _, wide in boxes] == pytest.approx([max(400 * share - 1, 0.5) for share in shares])
    rest = re.search(r'<line x1="([\d.]+)" y1="48" x2="400"', drawn)
    assert float(rest[1]) == pytest.approx(400 * sum(shares)) and f">{1 - sum(shares):.1%}<" in drawn
    assert all(f">{word}<" in drawn for word in ("one", "two", "three", "all others"))


def test_a_press_switches_a_head_off_and_the_numbers_follow(without_model):
    explorer = explorers.explore_head_wall()
    assert explorer.shown["probabilities"][0] == pytest.approx(0.923, abs=5e-4)
    plane = explorer._planes["wall"]
    explorer.set(**plane.set(explorer._now, *room.WALL.place((1, 5))))
    assert explorer.values["off"] == "1.5" and explorer.shown["probabilities"][0] == pytest.approx(0.654, abs=5e-4)
    explorer.set(**plane.set(explorer._now, *room.WALL.place((1, 5))))
    assert explorer.values["off"] == "none"
    explorer.set(off="31.2")
    assert "Layers go from 0 to 29 and heads from 0 to 8, got 31.2" in explorer._view.value
    explorer.set(off="head 3")
    assert "Heads are named as layer.head" in explorer._view.value


@pytest.mark.parametrize(
    ("text", "off", "head", "looks"),
    [
        ("Mary", "23.3", (24, 4), "“Mary”, 61%, then at “John”, 29%, and adds −1.04 to the logit of Mary, −0.61 to John's."),
        ("Mary", "23.3 1.5 29.1", (23, 3), "“John”, 63%, then at “When”, 15%, and adds nothing, because it is off."),
        ("random, twice", "16.0", (17, 3), "“<|endoftext|>”, 100%, then at “fractions”, 0%."),
        ("random, twice", "17.3 17.4 17.5 18.6", (20, 5), "“<|endoftext|>”, 26%, then at “fractions”, 20%."),
        ("random, twice", "17.0 17.1 17.2 18.1", (20, 5), "“<|endoftext|>”, 77%, then at “fractions”, 8%."),
    ],
)  # fmt: skip
def test_maps_scores_and_sentence_are_those_of_the_reading_with_heads_off(without_model, text, off, head, looks):
    explorer = explorers.explore_head_wall(
        {"copies": lambda weights: decoder.induction_score(weights[..., 1:, 1:], 25)}
    )
    copies = "copies" if text == "random, twice" else room.BY_LAYER
    explorer.set(text=model_readings.load(text).text, off=off, layer=head[0], head=head[1], sort=copies)
    assert f"Layer {head[0]}, head {head[1]} looks most at {looks}" in explorer.text
    intact, read = model_readings.load(text).weights, model_readings.reread(text, model_readings.heads(off)).weights
    np.testing.assert_array_equal(explorer.shown["maps"], read)
    first = min(layer for layer, _ in model_readings.heads(off))
    np.testing.assert_array_equal(read[: first + 1], intact[: first + 1])  # what lies below hears nothing of it
    assert (np.abs(read - intact).max(axis=(1, 2, 3))[first + 1 :] > 0.02).all()
    if off == "16.0":  # as the lesson prints it
        copied = [explorer.shown["scores"][pair] for pair in model_readings.COPIES]
        assert [f"{score:.2f}" for score in copied] == ["0.01", "0.05", "0.02", "0.36"]


def test_a_score_that_is_no_number_for_a_short_text_is_refused(without_model):
    explorer = explorers.explore_head_wall(
        {"copies": lambda weights: np.diagonal(weights, -24, axis1=-2, axis2=-1).mean(axis=-1)}
    )
    before = explorer.shown["maps"].shape
    explorer.set(sort="copies")
    told = (
        "The score “copies” must be a number for every head, got nan: the text may be too short for it, with 14 tokens."
    )
    assert told in explorer._view.value and explorer.shown["maps"].shape == before
    explorer.set(text=model_readings.load("random, twice").text)
    assert np.isfinite(explorer.shown["scores"]).all()


def test_where_nothing_is_stored_the_wall_says_that_all_heads_are_on(without_model):
    explorer = explorers.explore_head_wall()
    explorer.set(off="0.5")
    assert explorer.text.startswith("With all heads on, layer 23, head 3 looks most at “John”, 74%")
    assert "Without 0.5 the text costs" in explorer.text and explorer.shown["without"] == 0
    plain = explorer._repr_mimebundle_()["text/plain"]
    assert "All 270 heads, with all heads on, by layer" in plain and "Layer 23, head 3, with all heads on:" in plain


def test_the_heads_are_sorted_by_a_score_of_the_readers_own(without_model):
    copies = {"copies": lambda weights: decoder.induction_score(weights[..., 1:, 1:], 25)}
    explorer = explorers.explore_head_wall(copies)
    explorer.set(text=model_readings.load("random, twice").text, sort="copies")
    assert set(room._order(explorer._now)[:4]) == {(18, 6), (17, 4), (17, 5), (17, 3)}
    assert explorer._planes["wall"].set(explorer._now, 0, 0)["off"] == "18.6"


@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_own_text_is_read_by_the_model_which_goes_when_the_explorer_is_closed():
    explorer = explorers.explore_head_wall()
    explorer.set(text="The opposite of hot is", off="3.3")
    source = explorer._listeners[-1]
    assert (
        explorer.shown["weights"].shape == (5, 5) and source._model is not None and source.bar.layout.display == "none"
    )
    explorer.set(text="", off="none")
    assert "must have 2 to 52 tokens" in explorer._view.value
    explorer.set(text="one two " * 50)
    assert "must have 2 to 52 tokens to be shown here, got 101" in explorer._view.value
    explorer.set(text="Then John saw Mary. He gave a drink to", layer=23, head=3)
    assert "looks most at “Mary”" in explorer.text  # whom the sentence is not about
    explorer.set(text=model_readings.load("Mary").text, off="0.5")
    assert "With all heads on" not in explorer.text and explorer.shown["without"] == 1
    for name, off in [("Mary", "23.3 1.5 29.1"), ("random, twice", "16.0")]:
        text, heads = model_readings.load(name), model_readings.heads(off)
        live, kept = source.model().read(text.ids, without=heads).weights, model_readings.reread(name, heads)
        np.testing.assert_allclose(kept.weights, live, atol=1 / 255)  # in bytes
        if name == "Mary":
            stream = source.model().stream(text.ids, without=heads)
            for word, (added, *_) in kept.shares.items():
                of_heads = source.model().shares(stream, source.model().encode(word)[0])[1]
                np.testing.assert_allclose(added, of_heads, atol=1e-3)
                assert not added[23, 3] and not added[1, 5] and added[24, 4] != text.shares[word][0][24, 4]
    stored = model_readings.load("Mary")
    live = model_readings.kept(source.model(), stored.ids, source.model().read(stored.ids).logits)
    assert live["likeliest"][:5].tolist() == stored.likeliest[:5]
    np.testing.assert_allclose(live["logits"][:5], stored.logits[:5], atol=1e-3)
    living.close(explorer)
    assert source._model is None
