"""A drill asks for numbers that are right in plain fractions, and knows the slips that it names."""

import re
from fractions import Fraction

import numpy as np
import pytest

from helpers import explorers
from rooms.shared.drills import PRACTICES, judge
from tests import driving

NAMES = list(PRACTICES)
INPUTS = {"one query": ("query", "keys", "values"), "similar tokens": "XXX", "three tokens": "XXX",
          "queries, keys and values": "QKV"}  # fmt: skip


def dots(left, right):
    return [[sum(a * b for a, b in zip(x, y, strict=True)) for y in right] for x in left]


def columns(matrix):
    return list(zip(*matrix, strict=True))


def whole(matrix):
    assert np.array_equal(matrix, np.rint(matrix))
    return [[int(x) for x in row] for row in matrix]


def by_fractions(name, shown):
    """Every matrix that may be asked for, from those that are given, in whole numbers and fractions."""
    given = {key: whole(shown[key]) for key in shown if key not in PRACTICES[name].stages and key != "answer"}
    found = {}
    if "W_Q" in given:
        found = {key: dots(given["X"], columns(given[f"W_{key}"])) for key in "QKV"}
    query, key, value = ({**given, **found}[each] for each in INPUTS[name])
    scores = dots(query, key)
    if name == "three tokens":
        found["dot products"] = scores
        scores = [[Fraction(x, 2) for x in row] for row in scores]  # the root of 4 features
        found["scaled scores"] = scores
    elif name == "queries, keys and values":
        found["scores"] = scores = [[Fraction(x, 2) for x in row] for row in scores]  # the root of d_k = 4
    else:
        found["scores"] = scores
    powers = [[Fraction(3) ** int(x) for x in row] for row in scores]
    found["weights"] = [[power / sum(row) for power in row] for row in powers]
    found["outputs" if name == "three tokens" else "output"] = dots(found["weights"], columns(value))
    return found


def tasks(name, count):
    drill = explorers.drill(name)
    for task in range(1, count + 1):
        yield drill, task
        drill.go_on()


def ask(drill, cell):
    drill.set(cell=cell, typed="", told=False)


def answer(drill, typed):
    drill.set(typed=typed)
    return drill.text


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_drill_takes_the_exact_fraction_and_three_decimals_of_every_number(name):
    for drill, task in tasks(name, 7):
        right = by_fractions(name, drill.shown)
        assert right.keys() == PRACTICES[name].stages.keys()
        for stage, rows in right.items():
            np.testing.assert_allclose(drill.shown[stage], np.array(rows, float), atol=1e-12)
            for (i, j), value in np.ndenumerate(np.array(rows, object)):
                ask(drill, (stage, i, j))
                assert drill.shown["answer"] == pytest.approx(float(value))
                assert drill.text.startswith(f"Task {task}: {stage} [{i + 1}, {j + 1}] is missing.")
                for typed in (str(value), f"{float(value):.3f}", f" {float(value):.2f} ".replace("-", "−")):
                    assert answer(drill, typed).startswith("✓"), (typed, drill.text)
                assert str(value) in drill.text
                assert answer(drill, str(value + 11)).startswith("✗")


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_for_the_pencil_and_no_two_neighbours_are_alike(name):
    seen = []
    for drill, task in tasks(name, 40):
        numbers = [x for key, array in drill.shown.items() for x in np.ravel(array) if key not in ("outputs", "output")]
        assert (
            max(Fraction(x).limit_denominator(99).denominator for x in numbers) <= 81 and max(map(abs, numbers)) <= 12
        )
        assert drill.values["task"] == task
        seen.append(b"".join(np.asarray(array).tobytes() for array in drill.shown.values()))
        assert len(seen) < 2 or seen[-1] != seen[-2]
    assert len(set(seen)) > 30


@pytest.mark.parametrize("name", NAMES)
def test_number_is_out_of_sight_until_it_is_found_or_told(name):
    for drill, _ in tasks(name, 7):
        stage, i, j = drill.values["cell"]
        hidden = {table.caption: table for table in driving.tables(drill.html)}
        assert "?" in [cell for table in hidden.values() for cells in table.rows.values() for cell in cells]
        titles = re.findall(r'title="([^"]*)"', drill.html)
        assert set(titles) <= {"ask for this one", "ask for this one, chosen"}
        (asked,) = (table for caption, table in hidden.items() if caption.startswith(f"{stage} ="))
        row = list(asked.rows.values())[i]
        assert row[j] == "?" and set(row) <= {"?", "·", ""}
        drill.set(told=True)
        (asked,) = (table for table in driving.tables(drill.html) if table.caption.startswith(f"{stage} ="))
        assert driving.says(str(Fraction(list(asked.rows.values())[i][j])), str(fraction(drill.shown["answer"])))
        assert str(fraction(drill.shown["answer"])) in drill.text


def fraction(x):
    return Fraction(float(x)).limit_denominator(999)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_a_slip_is_true(name):
    """Every slip that is named leads to the number that was typed."""
    for drill, _ in tasks(name, 8):
        stage, i, j = drill.values["cell"]
        for value, words in list(drill._slips(drill._now, stage, i, j)):
            if not np.isfinite(value) or abs(value) > 999 or abs(float(fraction(value)) - value) > 1e-9:
                continue
            ask(drill, (stage, i, j))
            said = answer(drill, str(fraction(value)))
            if said.startswith("✗"):
                same = {other for number, other in drill._slips(drill._now, stage, i, j) if abs(number - value) < 1e-9}
                assert any(f"comes out when {other}." in said for other in same), (words, said)


@pytest.mark.parametrize(
    ("typed", "value", "right"),
    [("3/7", 3 / 7, True), ("6/14", 3 / 7, True), ("0.43", 3 / 7, True), (".429", 3 / 7, True), ("0,429", 3 / 7, True),
     ("0.428", 3 / 7, False), ("0.4", 3 / 7, False), ("0", 0.004, False), ("0.00", 0.004, True), ("−1", -1, True),
     ("- 1/13", -1 / 13, True), ("+2", 2, True), ("2.0", 2, True), ("1", -1, False), ("0.5", 0.5, True)],
)  # fmt: skip
def test_judge_takes_what_is_exact_or_rounded_to_two_decimals_or_more(typed, value, right):
    assert judge(typed, value).right is right


@pytest.mark.parametrize("typed", ["three", "1e9", "3/7/2", "1 000 000 000", "/", ".", "3/", "--1", "<b>1</b>", "٣"])
def test_judge_says_what_is_no_number(typed):
    assert "cannot be read as a number" in judge(typed, 1).words
    assert "Nothing can be divided by 0." in judge("3/0", 1).words
    drill = explorers.drill("three tokens")
    answer(drill, typed)
    assert "cannot be read as a number" in drill.text and "<b>1" not in drill.html


def test_judge_asks_for_more_decimals_where_one_is_near():
    assert judge("0.4", 3 / 7).words.startswith("Close: give a fraction, or two decimals.")
    assert judge("0.6", 9 / 14).words.startswith("Close") and judge("0.64", 9 / 14).right
    assert judge("0.3", 3 / 7).words.startswith("✗")


@pytest.mark.parametrize("name", NAMES)
def test_click_asks_for_another_number_as_its_control_does(name):
    one, other = explorers.drill(name), explorers.drill(name)
    stage = one.values["cell"][0]
    rows, width = one.shown[stage].shape
    for i, j in np.ndindex(rows, width):
        answer(one, "1/3")
        driving.click(one, stage, i, j)
        other.controls["cell"].value = (stage, i, j)
        assert one.html == other.html and one.values["typed"] == ""


def test_enter_goes_on_once_the_number_is_right():
    drill = explorers.drill("three tokens")
    drill._entered(None, {"event": "submit"}, [])
    answer(drill, "99")
    drill._entered(None, {"event": "submit"}, [])
    assert drill.values["task"] == 1
    answer(drill, str(fraction(drill.shown["answer"])))
    drill._entered(None, {"event": "submit"}, [])
    assert drill.values["task"] == 2 and drill.values["typed"] == "" and "is missing" in drill.text


def test_one_kind_of_number_can_be_practised():
    drill = explorers.drill("queries, keys and values")
    drill.controls["practise"].value = "weights"
    for _ in range(5):
        assert drill.values["cell"][0] == "weights" and f"Task {drill.values['task']}: " in drill.text
        assert drill.text.endswith(" You practise weights.")
        driving.buttons(drill)["next"].click()
    drill.controls["practise"].value = "all"
    drill.controls["task"].value = 999
    driving.buttons(drill)["next"].click()
    assert drill.values["task"] == 1


def test_a_whole_number_and_a_fraction_are_one_number():
    for typed, right in (("3 5/11", True), ("3  5 / 11", True), ("38/11", True), ("35/11", False), ("+ 38 / 11", True)):
        assert judge(typed, 38 / 11).right is right
        assert judge(f"-{typed}".replace("-+", "−"), -38 / 11).right is right
        assert not judge(f"-{typed}".replace("-+", "−"), 38 / 11).right
    assert "cannot be read as a number" in judge("3 5", 35).words
    assert judge("0.14285714285714288", 1 / 7).right and judge("0.142857142857", 1 / 7).right
