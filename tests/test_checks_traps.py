"""Answers that are right or wrong by a hair, or stop in an odd place, and what they must be told."""

import re

import pytest

from helpers.checks import EXERCISES
from tests import submissions

TRAPS = submissions.read_together("trap_answers.txt")


def feedback_on(name, text):
    """The feedback on an answer that is given as text."""
    return EXERCISES[name](submissions.function(name, text))


def judged(name, lines, arguments="scores"):
    return feedback_on(name, f"def {name}({arguments}):\n{lines}\n")


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.exercise)
def test_trap(trap):
    """By a hair right or wrong; right on ordinary numbers alone; right in an unusual way; made by somebody else's function."""
    feedback = EXERCISES[trap.exercise](trap.answer)
    assert feedback.status == ("right" if trap.right else "wrong"), feedback
    assert re.search(trap.message, feedback.message), feedback


def test_what_a_stopped_test_asked_is_not_held_for_what_the_next_one_asks():
    stops = "def is_right(attend):\n    attend(np.eye(4), 2 * np.eye(4), np.eye(4), np.eye(4))\n    raise RuntimeError('no')\n"
    same_matrices = (
        "def is_right(attend):\n    W = np.arange(16.0).reshape(4, 4) / 9\n    outcome = attend(np.eye(4), W, W, W)\n"
        "    return np.allclose(outcome[1].sum(axis=-1), 1)\n"
    )
    told = []
    for texts in ([same_matrices], [stops, same_matrices]):
        for text in texts:
            feedback = feedback_on("is_right", text)
        told.append(feedback.message)
    assert told[0] == told[1]


BEGUN = {
    "self_attention": ("X, W_query, W_key, W_value", ["X @ W_query", "X = X @ W_query"]),
    "soft_select": ("query, keys, values", ["keys @ query"]),
    "count_operations": ("num_tokens, d_model", ["num_tokens * d_model"]),
    "looks_ahead": ("model, tokens", ["model(tokens)"]),
    "cross_attention": ("Y, X, W_query, W_key, W_value", ["Y @ W_query @ (X @ W_key)"]),
}


@pytest.mark.parametrize("name", BEGUN)
def test_code_that_was_begun_is_not_called_blank(name):
    arguments, bodies = BEGUN[name]
    for body in bodies:
        assert judged(name, f"    {body}", arguments).status == "wrong", body
    assert judged(name, "    ...", arguments).status == "blank"
    assert judged(name, '    """What it does."""\n    raise NotImplementedError', arguments).status == "blank"
    assert judged(name, "    return None", arguments).status == "blank"


def test_lines_that_end_in_not_implemented_are_told_so():
    told = judged("softmax", "    e = np.exp(scores)\n    raise NotImplementedError")
    assert told.message == "Not finished yet: there is still a raise NotImplementedError."


def test_begun_objects_are_not_called_blank():
    for text in (
        "import functools\n@functools.cache\ndef causal_mask(num_tokens):\n    mask = np.tri(num_tokens, dtype=bool)\n",
        "class Mask:\n    def __call__(self, num_tokens):\n        self.mask = np.tri(num_tokens)\ncausal_mask = Mask()\n",
        "def causal_mask(num_tokens):\n    mask = []\n",
    ):
        assert feedback_on("causal_mask", text).status == "wrong"
