"""The place of a mistake: another value in one line makes the rest of the answer right, or nothing is said."""

import numpy as np
import pytest

from helpers.checks import EXERCISES, _exercise
from tests import submissions
from workbench.judging import edits, place
from workbench.judging.exercise import Exercise

SAID = "With another value in line {}, the rest of your answer comes out right."
SELF_ATTENTION = """def self_attention(X, W_query, W_key, W_value):
    {projected}
    scores = {scores}
    weights = {weights}
    return weights @ v
"""
ONCE = {
    "projected": "q, k, v = X @ W_query, X @ W_key, X @ W_value",
    "scores": "q @ k.T / np.sqrt(k.shape[1])",
    "weights": "attention.softmax(scores)",
}
IN_PLACE = "np.array(q @ k.T)\n    scores /= k.shape[1] ** 0.5 + 2\n    scores = scores.copy()"
PLACES = {
    "in the middle": ({"scores": "q @ k.T / (1 + np.sqrt(k.shape[1]))"}, 3),
    "one of several names": ({"projected": "q, k, v = X @ W_query, X @ W_key, X @ W_value + 1"}, 2),
    "a name that is changed in place": ({"scores": IN_PLACE}, 4),
    "allocated, then filled": (
        {"scores": "np.zeros((len(X), len(X)))\n    for i in range(len(X)):\n        scores[i] = q[i] @ k.T / 3"},
        5,
    ),
    "before it, powers that are right": ({"scores": "np.exp(q @ k.T / k.shape[1] ** 0.5)", "weights": "scores / 7"}, 4),
}


@pytest.mark.parametrize("name", PLACES)
def test_line_is_named_in_which_another_value_is_needed(name):
    edit, line = PLACES[name]
    text = SELF_ATTENTION.format(**ONCE | edit)
    message = EXERCISES["self_attention"](submissions.function("self_attention", text)).message
    assert message.endswith(SAID.format(line)), message


FEW = np.array([1.0, 4.0, -2.0])
SUMS = Exercise(
    name="f",
    solve=edits.solution("""
def f(x):
    more, less = x + 1, x - 1
    return more * 2 + less * 2
"""),
    cases=[(FEW,), (FEW[::2],), (2 * FEW,)],
    mistakes={},
)
RUNNING = Exercise(
    name="f",
    solve=edits.solution("""
def f(x):
    double = 2 * x
    return np.cumsum(double)
"""),
    cases=SUMS.cases,
    mistakes={},
)


def line(exercise, text):
    answer = submissions.function("f", text)
    results = [np.asarray(answer(*case)) for case in exercise.cases]
    return place.place(exercise, answer, exercise.wrong(results))


@pytest.mark.parametrize(
    ("exercise", "body", "named"),
    [
        (SUMS, "    more, less = x + 1, x - 3\n    return more * 2 + less * 2", 2),
        (SUMS, "    return 3 * x", None),  # a single line says nothing
        (SUMS, "    all_of_it = 3 * x\n    return all_of_it", 2),  # what is right in the end, and nothing comes before it
        (SUMS, "    a = x + 1\n    b = x + 1\n    return a * 2 + b * 2", None),  # either may be another one
        (SUMS, "    a = x - 1\n    b = x / 3\n    c = 2 * x + b\n    return a + c + 7", None),  # more than one value is wrong
        (RUNNING, "    total, sums = 0, []\n    for each in x:\n        own = 3 * each\n        total = total + own\n        sums.append(total)\n    return sums", 4),
        (RUNNING, "    double = 2 * x\n    def sums(y):\n        y = 5 * y\n        return y\n    return sums(double)", 4),
    ],
)  # fmt: skip
def test_silent_where_no_value_or_several_would_do(exercise, body, named):
    assert line(exercise, f"def f(x):\n{body}\n") == named


def test_functions_of_the_same_cell_are_looked_into():
    text = "def half(x):\n    y = x - 2\n    return y * 2\n\n\ndef f(x):\n    return (x + 1) * 2 + half(x)\n"
    assert line(SUMS, text) == 2


def test_answer_that_stops_prints_or_goes_on_for_ever_is_left_alone(capsys):
    stops = "def f(x):\n    y = x + 2\n    if y[0] == 2.0:\n        raise RuntimeError\n    print(y)\n    return (y + x - 1) * 2\n"
    assert line(SUMS, stops) is None
    assert (
        line(SUMS, stops.replace("print(y)", "while y[0] == 2.0:\n        pass")) is None
    )  # as soon as another is put in
    assert place.place(SUMS, np.sum, [0]) is None  # no source


def test_learners_names_and_arrays_stay_as_they_are():
    answer = submissions.function("f", "seen = []\ndef f(x):\n    y = x + 2\n    x[0] = 9\n    return y\n")
    before = dict(answer.__globals__)
    place.place(SUMS, answer, [0, 1])
    assert answer.__globals__ == before and FEW[0] == 1.0


def test_a_single_truth_is_no_sign_of_the_place():
    text = "def is_order_blind(layer, tokens, order):\n    gap = (layer(tokens[order]) - layer(tokens)[order]).mean()\n    return bool(gap > 1e-9)\n"
    exercise, answer = _exercise("is_order_blind"), submissions.function("is_order_blind", text)
    assert place.place(exercise, answer, [0, 1, 2]) is None
