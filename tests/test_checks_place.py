"""The place of a mistake: another value in one line makes the rest of the answer right, or nothing is said."""

import re

import numpy as np
import pytest

from helpers.checks import EXERCISES, _exercise
from tests import submissions
from workbench.judging import edits, engine, place
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


# --- what is said of numbers -----------------------------------------------------------------------------------------

SQUARES = Exercise(
    name="f",
    solve=lambda x: x + 1,
    cases=[(np.ones((2, 2)),), (np.ones((2, 3)),), (np.zeros((3, 3)),), (np.ones((4, 1)),)],
    mistakes={},
)


def said(exercise, answer):
    return engine.judge(exercise, answer).message


def test_right_for_square_arrays_is_said_of_these_alone():
    told = "right for arrays that are square and not for others"
    assert told in said(SQUARES, lambda x: x + (x.shape[0] == x.shape[1]))
    assert told not in said(SQUARES, lambda x: x + (x.shape[0] != x.shape[1]))
    assert told not in said(SQUARES, lambda x: x + (x.shape != (2, 3)))


def test_numbers_come_first_and_then_what_stopped_it():
    def answer(x):
        if x.shape == (3, 3):
            raise RuntimeError("no more")
        return x

    told = said(SQUARES, answer)
    assert re.match(r"f\(.* is right\. And f\(.*\) stopped with RuntimeError: no more\.", told), told


def test_input_that_is_overwritten_is_told_before_the_numbers():
    def answer(x):
        x[0] = 7
        return x * 1

    assert said(SQUARES, answer).startswith("f overwrites x; work on a copy, x.copy(). f(")


def test_what_an_error_says_is_not_cut_for_what_stands_around_it():
    why = (
        "the first number says why, the second one how it can be mended, and a third one is not needed for that at all"
    )

    def answer(x, y, z):
        raise TypeError(why)

    many = tuple(np.arange(k, k + 5.0) + 0.125 for k in range(3))
    exercise = Exercise(
        name="f", solve=lambda x, y, z: x, cases=[many], mistakes={}, hint=lambda *given: "Do this, and do that, too."
    )
    told = said(exercise, answer)
    assert f"stopped with TypeError: {why}. Do this, and do that, too. That was in line" in told


def test_logits_that_overflow_are_told_so_and_right_ones_are_not():
    text = """def next_token(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    p = np.exp(logits / temperature)
    p = p / p.sum()
    order = np.argsort(-p)
    order = order[np.cumsum(p[order]) - p[order] < top_p]
    return rng.choice(order, p=p[order] / p[order].sum())
"""
    cut = text.replace("np.exp(logits / temperature)", "np.exp(np.minimum(logits / temperature, 50))")
    told = EXERCISES["next_token"](submissions.function("next_token", cut))
    assert told.status == "wrong" and "larger give other tokens" in told.message, told
    safe = text.replace("np.exp(logits / temperature)", "np.exp((logits - logits.max()) / temperature)")
    assert EXERCISES["next_token"](submissions.function("next_token", safe)).status == "right"
