"""What a learner builds: an explorer of one's own, its controls, what it says of bad values; and questions."""

import ast
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from helpers import explorers
from rooms.shared.questions import predict
from tests import driving, references
from workbench.moving.controls import NumberGrid, SwitchGrid, slider, stops, switch, text_field
from workbench.moving.engine import Light, Rule


def squares(**changes):
    """An explorer as a learner would build it: x and what is done with it."""
    calls = []

    def compute(x, half, word, power):
        if word == "bad":
            raise ValueError("The <word> must be good.")
        return {"y": np.array([x, x**power / (2 if half else 1)])}

    def show(now):
        calls.append(now.control_values)
        return [now.table("y")]

    return explorers.explorer(
        compute,
        show,
        lambda now: f"{now.word} y = {now.y[1]:.2f}",
        [Rule("y < 50", lambda now: Light("y < 50", bool(now.y[1] < 50), f"y = {now.y[1]:.1f} & more"))],
        presets={"eight, halved": {"x": 8, "half": True}},
        x=slider("x", 3, 0, 10, 1),
        half=switch("half of it"),
        word=text_field("word", "good"),
        power=stops("power", [("two", 2), ("three", 3)], 2),
        **changes,
    ), calls


def test_explorer_of_a_learner_moves_and_shows():
    explorer, _ = squares()
    assert explorer.controls.keys() == {"x", "half", "word", "power"}
    assert explorer.shown["y"].tolist() == [3, 9] and explorer.text == "good y = 9.00"
    explorer.controls["half"].value = True
    explorer.controls["power"].value = 3
    assert explorer.shown["y"].tolist() == [3, 13.5] and "13.500" in explorer._view.value
    driving.buttons(explorer)["eight, halved"].click()
    assert explorer.shown["y"].tolist() == [8, 256] and explorer.controls["power"].value == 3
    assert driving.lights(explorer._view.value) == [(False, "y = 256.0 &amp; more")]


def test_explorer_of_contributing_runs_as_it_stands():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "explorers.explorer(" in block]
    *setup, last = ast.parse(block).body
    names = {}
    exec(compile(ast.Module(setup, []), "CONTRIBUTING.md", "exec"), names)
    explorer = eval(compile(ast.Expression(last.value), "CONTRIBUTING.md", "eval"), names)
    rng = np.random.default_rng(7)
    for _ in range(50):
        driving.move_all(explorer, rng)
        (weights,) = explorer.shown.values()
        want = references.powers_over_sum([score / explorer.controls["temperature"].value for score in (1.0, 2.0, 4.0)])
        np.testing.assert_allclose(np.ravel(weights), want)
        ((words,),) = [table.rows.values() for table in driving.tables(explorer._view.value)]
        assert all(map(driving.says, words, want))


def test_set_draws_once_for_many_controls():
    explorer, calls = squares()
    before = len(calls)
    explorer.set(x=4, half=True, word="fine", power=3)
    assert len(calls) == before + 1 and explorer.values == {"x": 4, "half": True, "word": "fine", "power": 3}


def test_set_that_fails_leaves_an_explorer_that_still_moves():
    explorer, _ = squares()
    with pytest.raises(Exception, match="x"):
        explorer.set(x="many")
    with pytest.raises(KeyError):
        explorer.set(no_such_control=1)
    explorer.controls["x"].value = 5
    assert explorer.shown["y"].tolist() == [5, 25]


def test_explorer_escapes_the_words_of_the_learner():
    explorer, _ = squares()
    explorer.controls["word"].value = "<img src=x onerror=alert(1)>"
    assert "<img" not in explorer._view.value and "&lt;img" in explorer._view.value
    assert "<img" not in explorer._repr_mimebundle_()["text/html"]


def test_explorer_tells_a_bad_value_and_keeps_the_last_good_picture():
    explorer, _ = squares()
    picture, shown = explorer._view.value, explorer.shown
    explorer.controls["word"].value = "bad"
    assert "The &lt;word&gt; must be good. The last good picture stays." in explorer._view.value
    assert explorer._view.value.startswith(picture) and explorer.shown is shown
    explorer.controls["x"].value = 7
    assert explorer.shown is shown
    explorer.controls["word"].value = "good"
    assert explorer.shown["y"].tolist() == [7, 49] and "last good picture" not in explorer._view.value


def test_explorer_whose_first_values_are_bad_raises_to_its_author():
    with pytest.raises(ValueError, match="never"):
        explorers.explorer(refuse, lambda now: None, lambda now: "", x=slider("x", 1, 0, 2, 1))


def refuse(x):
    raise ValueError("never")


def test_number_grid_is_an_array_with_a_field_for_each_entry():
    grid = NumberGrid("X", [[1, 2, 3], [4, 5, 6]])
    assert list(grid.controls) == ["X[1, 1]", "X[1, 2]", "X[1, 3]", "X[2, 1]", "X[2, 2]", "X[2, 3]"]
    np.testing.assert_array_equal(grid.value, [[1, 2, 3], [4, 5, 6]])
    grid.controls["X[2, 1]"].value = -7.5
    np.testing.assert_array_equal(grid.value, [[1, 2, 3], [-7.5, 5, 6]])
    grid.value = [[0, 0, 0], [1, 1, 1]]
    np.testing.assert_array_equal(grid.value, [[0, 0, 0], [1, 1, 1]])


@pytest.mark.parametrize(
    "grid",
    [
        NumberGrid("weight", [[0, 0, 1, 1, 0]], compact=True, columns=["living", "person", "female", "name", "worn"]),
        SwitchGrid("W_Q", [[True, False, True]], rows=["worn"], columns=["person", "female", "name"]),
    ],
    ids=["numbers", "switches"],
)
def test_a_word_has_room_over_its_field_or_beside_its_box(grid):
    for field in grid.controls.values():
        word = field.description.split()[-1]
        assert int(field.layout.width.removesuffix("px")) >= 8 * len(word), word


def test_number_grid_keeps_its_entries_within_its_bounds():
    grid = NumberGrid("X", [[1, 2]], minimum=-3, maximum=3)
    grid.controls["X[1, 1]"].value = 99
    grid.controls["X[1, 2]"].value = -99
    np.testing.assert_array_equal(grid.value, [[3, -3]])


def test_number_grid_refuses_an_array_of_another_size_or_with_nan():
    grid = NumberGrid("X", [[1, 2]])
    with pytest.raises(ValueError):
        grid.value = [[1, 2, 3]]
    with pytest.raises(ValueError):
        grid.value = [[1]]


# --- questions -------------------------------------------------------------------------------------------------------

QUESTIONS = json.loads(explorers.questions.PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", QUESTIONS)
def test_predict_replies_to_every_answer_and_one_is_right(name):
    asked, question = predict(name), QUESTIONS[name]
    answer = asked.controls["answer"]
    assert answer.value is None and not asked.shown["answer"].any()
    signs = {}
    for k, (text, reply) in enumerate(question["replies"].items()):
        answer.value = text
        assert asked.shown["answer"].tolist() == [i == k for i in range(len(question["replies"]))]
        assert asked.text.endswith(reply) and html.escape(reply) in asked._view.value
        signs[text] = asked.text[0]
    assert [text for text, sign in signs.items() if sign == "✓"] == [question["right"]]
    assert set(signs.values()) == {"✓", "✗"}


@pytest.mark.parametrize("name", QUESTIONS)
def test_predict_on_a_static_page_folds_every_reply_away(name):
    bundle, question = predict(name)._repr_mimebundle_(), QUESTIONS[name]
    assert bundle["text/html"].count("<details>") == len(question["replies"])
    assert bundle["text/html"].count("✓") == 1
    assert html.escape(question["question"]) in bundle["text/html"] and question["question"] in bundle["text/plain"]
    assert not any(reply in bundle["text/plain"] for reply in question["replies"].values())
    assert predict(name)._repr_mimebundle_()["text/html"] == bundle["text/html"]


def test_predict_of_an_unknown_question_names_close_ones():
    known = next(iter(QUESTIONS))
    with pytest.raises(ValueError, match=re.escape(known)):
        predict(known[:-1])


def test_predict_refuses_a_right_answer_that_is_none_of_the_answers():
    with pytest.raises(ValueError, match="right must be one of the answers"):
        explorers.questions.Predict("?", {"a": "b"}, "c")


def test_predict_escapes_question_answers_and_replies():
    asked = explorers.questions.Predict("1 < 2 & <b>?", {"<i>": "a < b", "&": "<u>"}, "&")
    assert not re.search(r"<[ibu]>", asked._repr_mimebundle_()["text/html"])
    asked.controls["answer"].value = "&"
    assert "<u>" not in asked._view.value and "&lt;u&gt;" in asked._view.value


@pytest.mark.parametrize(
    ("weights", "told"), [([[0.5, 0.25]], "0.750"), ([[1e40, 1e40]], "2.0e+40"), ([[0.5, 0.50001]], "1.0000100")]
)
def test_light_of_row_sums_says_the_sum_in_few_letters(weights, told):
    assert explorers.rows_sum_to_one(weights) == Light("every row sums to 1", False, f"a row sums to {told}")


def test_type_error_of_a_computation_is_told_and_the_last_picture_stays():
    def compute(number):
        if number > 1:
            raise TypeError("mask must be Boolean, got float64.")
        return {"x": np.array([number])}

    number = slider("number", 1.0, 0.0, 2.0)
    moving = explorers.explorer(compute, lambda now: [now.table("x")], lambda now: "One number.", number=number)
    number.value = 2.0
    assert "mask must be Boolean, got float64. The last good picture stays." in moving._view.value
    assert moving.shown["x"].tolist() == [1.0]


def test_wrong_letters_are_named():
    explorer = explorers.explore_learning()
    explorer.controls["string"].value = "AZCA"
    assert "The string is made of A and B only; “Z” is neither." in explorer._view.value


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (["one head", "average of the layer", "average of all 72", "none of these"], "ToggleButtons"),  # few
        ([f"{layer}.{head}" for layer in range(3) for head in range(4)], "ToggleButtons"),  # short
        (["She", "names swapped", "one before", "resting", "repeated"], "Dropdown"),
        ({f"an answer with the number {k}": k for k in range(5)}, "Dropdown"),
        ([(f"an answer with the number {k}", k) for k in range(5)], "Dropdown"),
    ],
)
def test_many_long_options_open_as_a_list_and_all_others_are_seen(options, kind):
    values = (
        list(options.values()) if isinstance(options, dict) else [o[1] if isinstance(o, tuple) else o for o in options]
    )
    control = explorers.choose("answer", options, values[1])
    assert type(control).__name__ == kind and control.value == values[1]
