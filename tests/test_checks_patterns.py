"""In which way wrong results differ from the right ones, and what an answer computes on its way."""

import numpy as np
import pytest

from helpers.checks import EXERCISES, patterns, source, steps

RNG = np.random.default_rng(3)
ROWS = [RNG.normal(size=(n, d)) for n, d in [(3, 3), (4, 5), (2, 3)]]
EVERYWHERE = {
    "transposed": lambda w: w.T,
    "twice what is right": lambda w: 2 * w,
    "2/3 times what is right": lambda w: w * 2 / 3,
    "0.25 too large": lambda w: w + 0.25,
    "signs are turned": lambda w: -w,
    "reverse order": lambda w: w[::-1],
    "columns stand in reverse order": lambda w: w[:, ::-1],
    "one place too late": lambda w: np.roll(w, 1, axis=0),
    "also holds the ones before it": lambda w: w.cumsum(axis=0),
    "1 divided by the right one": lambda w: 1 / w,
    "a factor of its own": lambda w: w / np.abs(w).sum(axis=-1, keepdims=True),
    "differs from case to case: ": lambda w: w * w.sum(),
    "The last one is missing": lambda w: w[:-1],
    "last row alone": lambda w: w[-1],
    "laid in one row": np.ravel,
    "one axis too many": lambda w: w[None],
    "mean of the right rows": lambda w: w.mean(axis=0),
    "√the width of x times": lambda w: w * np.sqrt(w.shape[1] + len(w)),
}  # fmt: skip


@pytest.mark.parametrize("told", EVERYWHERE)
def test_what_all_wrong_numbers_have_in_common_is_said(told):
    cases = [np.zeros((len(w), w.shape[1] + len(w))) for w in ROWS]
    pairs = [(EVERYWHERE[told](w), w) for w in ROWS]
    assert told in patterns.everywhere(pairs, [(case,) for case in cases], ["x"])
    assert patterns.everywhere([*pairs, (ROWS[0] + np.sin(ROWS[0]), ROWS[0])]) == ""


PLACES = {
    "Right except in the last row.": np.s_[-1],
    "Right except in the first column.": np.s_[:, 0],
    "Right only in the first row.": np.s_[1:],
    "Right except in columns 1, 3, 5, ….": np.s_[:, 1::2],
    "Right except in rows 1, 3, 5, ….": np.s_[1::2],
}


@pytest.mark.parametrize("told", PLACES)
def test_place_that_is_wrong_in_all_cases_is_named(told):
    pairs = [(w.copy(), w) for w in (RNG.normal(size=(5, 6)), RNG.normal(size=(4, 7)))]
    for got, _ in pairs:
        got[PLACES[told]] += np.pi
    assert patterns.place(pairs) == told
    assert patterns.place([*pairs, (ROWS[0] + 1, ROWS[0])]) == ""


@pytest.mark.parametrize(
    ("told", "region"), [("on", np.eye), ("below", lambda n: np.tri(n, k=-1)), ("above", lambda n: 1 - np.tri(n))]
)
def test_diagonal_is_a_place(told, region):
    pairs = [(np.tri(n) + region(n), np.tri(n)) for n in (4, 5)]
    assert patterns.place(pairs) == f"Right except {told} the diagonal."


def test_place_in_a_single_row_of_numbers_is_named():
    assert patterns.place([(np.array([0.0, 2, 3, 4, 5]), np.arange(1.0, 6))]) == "Right except at the first place."
    assert patterns.place([(np.array([1.0, 2]), np.array([1.0, 3]))]) == ""  # too little to say it of


def test_single_truth_values_have_nothing_in_common():
    assert patterns.everywhere([(True, False), (False, True), (True, False), (True, False)]) == ""


def test_power_of_what_was_given_is_found():
    given = [(n, s) for n, s in [(4, 2.0), (9, 3.0), (2, 5.0), (3, 0.5)]]
    wants = [s * s * np.sqrt(n) for n, s in given]
    for told, power in {
        "n": lambda n, s: n,
        "1 / s²": lambda n, s: s**-2,
        "√n": lambda n, s: n**0.5,
        "s · n": lambda n, s: n * s,
    }.items():
        pairs = [(w * power(*each), w) for w, each in zip(wants, given)]
        assert patterns.everywhere(pairs, given, ["n", "s"]) in {
            f"Everything is {told} times what is right.",
            f"Everything is {' · '.join(told.split(' · ')[::-1])} times what is right.",
        }


def test_parts_of_a_result_are_told_apart():
    pairs = [(np.stack([w + np.sin(w), w, w]), np.stack([w, w, w])) for w in ROWS]
    assert patterns.everywhere(pairs, parts=("sum", "mean", "root")) == "Right: mean and root. Wrong: sum."
    pairs = [(np.stack([2 * w, w, w]), np.stack([w, w, w])) for w in ROWS]
    assert "In the sum: everything is twice what is right." in patterns.everywhere(pairs, parts=("sum", "mean", "root"))


def row_by_row(X):
    total = 0
    out = []
    for a in X:
        row = [a @ b for b in X]
        total += sum(row)
        out.append(row)
    return out


def test_steps_are_known_by_the_values_that_they_had_in_a_loop():
    tracing, X = steps.Steps(source.source_of(row_by_row)), np.random.default_rng(0).normal(size=(3, 2))
    tracing.run(lambda function: function(X))
    ways = {tracing.steps[k].name or "": how for k, how in tracing.holders(X @ X.T, 1e-6).items()}
    assert ways["row"] == ", row by row"
    one_by_one = [tracing.steps[k].node for k, how in tracing.holders(X @ X.T, 1e-6).items() if how == ", one by one"]
    assert [node.lineno - row_by_row.__code__.co_firstlineno for node in one_by_one] == [4]
    assert tracing.holders(X @ X.T + 1, 1e-6) == {}


def fades_too_much(query, key, value, decay):
    state, rows = np.zeros((key.shape[1], value.shape[1])), []
    for q, k, v in zip(query, key, value):
        fresh = np.outer(k, v)
        state = np.sin(decay) * np.cos(decay) * state + fresh**2 / 3
        rows.append(np.sin(q @ state) - decay)
    return np.array(rows)


def test_answer_that_loops_is_told_its_last_right_step():
    assert EXERCISES["linear_attention"](fades_too_much).message.endswith(
        "`fresh` gives the right products of key and value, row by row; in some cases none of your steps gives the right states."
    )
