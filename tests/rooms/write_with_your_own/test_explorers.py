"""The explorers of a model that writes: stored where there is no model, by the learner's parts where there is one, in the order in which they run."""

import html
import re

import numpy as np
import pytest

from helpers import broken, explorers, language_model, parts, your_program, yours
from rooms.shared.strip import RUNS
from rooms.write_with_your_own import explorers as room
from rooms.write_with_your_own import running
from tests.test_your_program import OPENED, file  # noqa: F401, the fixture: a file of one's own, and a small model


def test_first_states_need_no_model(monkeypatch):
    monkeypatch.setattr(your_program, "open_model", None)  # it would be called
    for name in ("explore_your_writing", "explore_broken_model", "explore_your_code"):
        assert getattr(explorers, name)().html


def test_a_text_of_ones_own_is_written_by_the_model_or_it_is_said_what_is_missing(file, monkeypatch):  # noqa: F811
    monkeypatch.setattr(your_program, "kept_open", lambda: OPENED)
    explorer = explorers.explore_your_writing()
    explorer.set(text="abcd", written=16)
    written = "".join(your_program.written_by(OPENED, "abcd"))
    assert f"abcd →{written}" in explorer._picture_text and explorer.text.startswith(
        "The course's 13 functions wrote 16"
    )
    assert (explorer.shown["shares"][:, 0] >= explorer.shown["shares"][:, 1]).all(), "always the likeliest"
    explorer.set(text=" ")
    assert "must hold a word" in explorer._view.value
    monkeypatch.setattr(your_program, "kept_open", lambda: None)
    explorer.set(text="another")
    assert "Only the stored beginnings go on without the model" in explorer._view.value


def test_a_click_on_a_line_breaks_that_part_and_its_station_goes_dark():
    explorer = explorers.explore_broken_model()
    touch = explorer._touch["surprise"]
    for k, way in enumerate(broken.WAYS):
        explorer.set(**touch.set(explorer._now, k))
        assert explorer.values["way"] == way and way in touch.title(explorer._now, k)
        dark = running.dark(way)
        assert (f"Broken: {', '.join(dark)}." if dark else "All are the course's.\n") in explorer._picture_text


def test_babble_is_cut_so_that_the_rows_stay_below_the_finger_that_clicked():
    explorer = explorers.explore_broken_model()
    for way in ("without rms_norm", "without rotate"):
        explorer.set(way=way)
        shown = explorer._picture_text.split("\n")[1].partition("→")[2]
        written = "".join(room._stored()["written"][explorer.values["beginning"]][way])
        assert shown == (written if len(written) <= room.BABBLED else f"{written[: room.BABBLED - 1]}…")
    assert "min-height:217px" in explorer.html


def test_what_only_a_part_that_is_out_has_called_goes_dark_with_it():
    assert running.dark("whole") == [] and running.dark("without swiglu") == ["swiglu"]
    assert running.dark("wrong shared_attention") == ["shared_attention"]
    assert {*running.dark("without shared_attention")} == {"shared_attention", "softmax"}
    assert {*running.dark("without model_layer")} == {*RUNS[3:12]} - {"rms_norm"}, (
        "which is called once more at the end"
    )
    assert list(dict.fromkeys(step[-1] for step in running.steps())) == list(RUNS)


def test_a_found_table_is_drawn_in_place_of_the_stored_one_and_saved_as_a_page(file, monkeypatch, capsys, tmp_path):  # noqa: F811
    monkeypatch.setattr(your_program, "kept_open", lambda *given: OPENED)
    yours.keep(
        "softmax",
        "def softmax(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)",
    )
    monkeypatch.setattr(your_program, "PATIENCE", np.inf)
    found = your_program.break_all("abcd")
    assert found.by == "you" and list(found.written) == list(broken.WAYS) == list(found.surprise)
    assert [line[:24].strip() for line in capsys.readouterr().out.splitlines()[1:]] == list(broken.WAYS)
    explorer = explorers.explore_broken_model(found)
    explorer.set(way="whole")
    assert "your own parts write" in explorer.text and "Yours: softmax" in explorer._picture_text
    np.testing.assert_allclose(explorer.shown["surprise"][0], found.surprise["whole"])
    assert explorer.save(tmp_path / "broken.html").endswith("all 19 settings are in it.")
    monkeypatch.setattr(your_program, "PATIENCE", 0)
    your_program.break_all("abcd")
    slow = capsys.readouterr().out.splitlines()[2]
    assert slow.startswith("One after the other, all take about ") and "Interrupt" in slow and len(slow) < 106


def test_steps_are_those_of_the_courses_lines_and_a_learners_way_is_followed(file):  # noqa: F811
    names = [step[-1] for step in running.steps()]
    layer = "rms_norm split_heads split_heads split_heads rotate rotate causal_mask shared_attention softmax merge_heads rms_norm swiglu"
    assert names == ["merge_pairs", "write", "read", "model_layer", *layer.split(), "rms_norm", "next_token"]
    assert running.calls("rms_norm", running.steps()) == 61 and running.calls("split_heads", running.steps()) == 90
    yours.keep("shared_attention", "def shared_attention(query, key, value, mask):\n    return query")
    assert "softmax" not in [step[-1] for step in running.steps()]
    assert running.steps()[-1] == ("write", "next_token")


def test_each_function_is_shown_with_its_lines_and_says_whose_they_are_and_saved_so(file, tmp_path):  # noqa: F811
    yours.keep(
        "rms_norm", "def rms_norm(x):\n    size = np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)\n    return x / size"
    )
    explorer = explorers.explore_your_code()
    explorer.set(everything=True)
    assert "All 13 functions together have" in explorer.text and "3 of them yours" in explorer.text
    assert "Yours: rms_norm." in explorer._picture_text and explorer.html.count(" open=") == 13
    assert "size = np.sqrt" in explorer.html and "✓ rms_norm" in explorer.html
    assert explorer.save(tmp_path / "my_code.html").endswith(f"all {2 * len(running.steps())} settings are in it.")
    assert "size = np.sqrt" in (tmp_path / "my_code.html").read_text("utf-8")
    explorer.set(everything=False)
    assert explorer.shown["lines"].sum() == sum(
        len([x for x in your_program.source(n).splitlines() if x.strip()]) for n in your_program.RUNS
    )
    for step in range(1, explorer.controls["step"].max + 1):
        explorer.set(step=step)
        name = explorer.text.split(": ")[1].split()[0]
        shut = name in ("swiglu", "model_layer", "read", "write")  # the course's, which are solutions of this lesson
        assert explorer.html.count("<details") == 13 and explorer.html.count(" open=") == 1 - shut
        assert (f"def {name}" in explorer._picture_text) == (not shut)
        assert ("Its lines are yours." in explorer.text) == (name == "rms_norm")


def test_a_solution_is_shown_once_it_is_the_readers(file):  # noqa: F811
    yours.keep("swiglu", parts_source := "def swiglu(x, W_gate, W_up, W_down):\n    return x")
    explorer = explorers.explore_your_code()
    at = [step[-1] for step in running.steps()].index("swiglu")
    explorer.set(step=at + 1)
    assert parts_source in explorer._picture_text and explorer.html.count(" open=") == 1


def test_on_a_phone_each_row_has_the_first_word():
    explorer = explorers.explore_broken_model()
    drawn = re.findall(r'font-family="monospace"[^>]*>([^<]*)<', explorer.html)
    drawn = [html.unescape(each) for each in drawn]
    assert len(drawn) == 2 * len(broken.WAYS) and max(map(len, drawn[len(broken.WAYS) :])) <= room.FEW
    assert drawn[len(broken.WAYS)] == "Paris."


def test_where_the_surprise_is_no_number_there_is_no_bar():
    explorer = explorers.explore_broken_model()
    bars = [
        float(re.search(r'width="([\d.]+)"', each)[1])
        for each in re.findall(r'<rect[^>]*height="10"[^>]*>', explorer.html)
    ]
    assert bars.count(0) == explorer.html.count(">no number<") == 2 * np.isnan(explorer.shown["surprise"]).sum() > 0


@pytest.mark.everything
@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_what_is_stored_is_what_the_courses_parts_write(monkeypatch):
    monkeypatch.setenv("MY_MODEL", "")
    opened, stored = your_program.kept_open(), room._stored()
    for text, written in stored["written"].items():
        assert your_program.written_by(opened, text, of=yours.of_the_course()) == written["whole"]
    for way in ("whole", "without causal_mask", "without rotate", "wrong merge_heads"):
        _, cost = your_program.written_broken(opened, way, [], yours.of_the_course())
        assert cost == pytest.approx(stored["surprise"][way], abs=0.02)


def test_a_slip_in_the_reshape_changes_nothing_for_a_single_token():
    x = np.random.default_rng(0).normal(size=(4, 1, 3))
    np.testing.assert_array_equal(broken.laid_end_to_end(x), parts.merge_heads(x))
