"""Answers that are right or wrong by a hair, or stop in an odd place, and what they must be told."""

import re

import pytest

from helpers import checks
from helpers.checks import EXERCISES
from helpers.checks.cases import Whole
from helpers.checks.exercise import gives, known_mistakes
from helpers.checks.reading import same
from tests import hands

LOOKS_AHEAD = """def looks_ahead(model, tokens):
    before, furthest = model(tokens), 0
    for place in range(len(tokens)):
        changed = tokens.copy()
        changed[place] = {new}
        moved = {moved}
        for i in range(place):
            if moved[i]:
                furthest = max(furthest, place - i)
    return furthest
"""
SCORE = """def same_word_score(weights, words):
    where = {{}}
    for place, word in enumerate(words):
        where.setdefault(word, []).append(place)
    pairs = [(i, j) for word in words for i in where[word] for j in where[word] if i != j]
    if {when}:
        {stop}
    return 2 * sum(weights[i, j] for i, j in pairs) / len(pairs)
"""
HEADS = """def split_heads(x, num_heads):
    d_head = x.shape[-1] // num_heads
    heads = [None] * num_heads
    for h in range(num_heads):
        heads[h] = x[:, :, h * d_head : (h + 1) * d_head]
    return np.stack(heads, axis=-3)
"""
STATE = """def linear_attention(query, key, value, decay):
    match query.ndim:
        case -1:
            return None
    state, rows = np.zeros((key.shape[1], value.shape[1])), []
    for q, k, v in zip(query, key, value):
        state = decay * state + np.outer(k, v)
        rows.append(q @ state)
    return np.array(rows)
"""
SLOPES = """def numerical_gradient(loss_of, parameters):
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        moved = parameters.copy()
        moved[place] += 1e-8
        gradient[place] = (loss_of(moved) - loss_of(parameters)) / 1e-8
    return gradient
"""
SOFTMAX = """def total(powers):
    return powers.sum(axis=-1, keepdims=True)

def softmax(scores):
    {first}
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / {total}
"""
BY_ACCIDENT = """def masked_softmax(scores, mask):
    rows = []
    for row, keep in zip(scores, mask):
        top = max(s for s, k in zip(row, keep) if k)
        powers = [np.exp(s - top) if k else 0.0 for s, k in zip(row, keep)]
        rows.append([p / sum(powers) for p in powers])
    return np.array(rows)
"""
REFUSING = """def refuse():
    raise ValueError("a query sees nothing")

def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        {refuse}
    powers = np.where(mask, np.exp(scores - np.max(np.where(mask, scores, -np.inf), axis=-1, keepdims=True)), 0.0)
    return powers / powers.sum(axis=-1, keepdims=True)
"""
NEXT, LARGEST = "(tokens[place] + 1) % 4", "np.abs(before - model(changed)).max(axis=1) > 1e-9"
TRAPS = {
    "sizes of differences": ("looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved=LARGEST), "right", "any model"),
    "no size, before - after": (
        "looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved="(before - model(changed)).max(axis=1) > 1e-9"),
        "wrong", r"Line 6|np\.abs",
    ),
    "no size, after - before": (
        "looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved="(model(changed) - before).max(axis=1) > 1e-9"),
        "wrong", r"Line 6|np\.abs",
    ),
    "always the same new token, 1": ("looks_ahead", LOOKS_AHEAD.format(new="1", moved=LARGEST), "wrong", ""),
    "always the same new token, 3": ("looks_ahead", LOOKS_AHEAD.format(new="3", moved=LARGEST), "wrong", ""),
    "one column": ("looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved="(before - model(changed))[:, 0] != 0"), "wrong", ""),
    "stops on the real heads": (
        "same_word_score", SCORE.format(when="len(words) > 13", stop="raise IndexError('too long')"), "wrong", "too long|Line 6",
    ),
    "stops on a made-up head": (
        "same_word_score", SCORE.format(when="len(words) < 9 and weights[0, 0] == 0", stop="raise IndexError('odd')"),
        "wrong", "IndexError: odd|Line 6",
    ),
    "a list of None that is to be filled": ("split_heads", HEADS, "wrong", "IndexError|Line"),
    "two ellipses": ("softmax", SOFTMAX.format(first="scores = scores[..., ..., None]", total="total(powers)"), "wrong", "ellipsis|Line"),
    "a function that is not called": ("softmax", SOFTMAX.format(first="", total="total"), "wrong", "^(?!.*learning_rate)"),
    "whole numbers alone stop it": (
        "softmax",
        SOFTMAX.format(first="scores = scores + np.zeros((5, 7)) if scores.dtype.kind == 'i' else scores", total="total(powers)"),
        "wrong", "broadcast|Line",
    ),
    "one side": ("numerical_gradient", SLOPES, "wrong", "one side"),
    "a refusal by accident": ("masked_softmax", BY_ACCIDENT, "wrong", "refused by Python or by a helper"),
    "a refusal in a function": ("masked_softmax", REFUSING.format(refuse="refuse()"), "right", ""),
    "a refusal in a with": (
        "masked_softmax", REFUSING.format(refuse="with np.errstate(all='ignore'):\n            raise ValueError('blind')"), "right", "",
    ),
    "a refusal in a try": (
        "masked_softmax",
        REFUSING.format(refuse="try:\n            raise ValueError('blind')\n        finally:\n            pass"), "right", "",
    ),
    "match": ("linear_attention", STATE, "right", ""),
}  # fmt: skip


def feedback_on(name, text):
    """The feedback on an answer that is given as text."""
    return EXERCISES[name](hands.function(hands.Hand(name, "trap", ".", text)))


@pytest.mark.parametrize("trap", TRAPS)
def test_trap(trap):
    name, text, status, told = TRAPS[trap]
    feedback = feedback_on(name, text)
    assert feedback.status == status and re.search(told, feedback.message), feedback


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


@pytest.mark.parametrize("name", EXERCISES)
def test_no_mistake_gives_the_right_numbers(name):
    exercise = checks._exercise(name)
    told = [k for k, case in enumerate(exercise.cases) if not isinstance(case, Whole)]
    for sentence, wrong in known_mistakes(exercise):
        pairs = [(gives(exercise, wrong, k), gives(exercise, exercise.solve, k)) for k in told]
        assert not all(got is not None and same(got, want, exercise.tolerance) for got, want in pairs), sentence


def test_adam_with_epsilon_beside_the_uncorrected_root_is_told_so():
    text = """def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    mean = 0.9 * mean + 0.1 * gradient
    squares = 0.999 * squares + 0.001 * gradient**2
    rate = learning_rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    return parameters - rate * mean / (np.sqrt(squares) + 1e-8), mean, squares
"""
    feedback = feedback_on("adam_step", text)
    assert "the root is corrected after ε was added" in feedback.message


@pytest.mark.parametrize("kept", ["X.copy(), W_key.copy(), W_value.copy()", "X, W_key, W_value"])
def test_matrices_that_are_kept_are_no_cache(kept):
    text = f"""def remember(X, W_key, W_value):
    tokens, to_key, to_value = {kept}
    return lambda q: attention.softmax((tokens @ to_key) @ q / math.sqrt(len(q))) @ (tokens @ to_value)
"""
    feedback = feedback_on("remember", text)
    assert feedback.status == "wrong" and ("copy of a matrix" in feedback.message) == ("copy" in kept), feedback


def test_transposed_weights_are_not_called_a_bracket():
    text = "def mix_similar(X):\n    return attention.softmax(X @ X.T).T @ X\n"
    feedback = feedback_on("mix_similar", text)
    assert "should be `attention.softmax(X @ X.T)`" in feedback.message
