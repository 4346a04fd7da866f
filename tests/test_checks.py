"""How answers are judged: right in any form, wrong, in need of a helper that they are to make; printed, graded."""

import contextlib
import functools
import io
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from helpers import attention, checks, costs, layers, patches, positions
from helpers.attention import causal_mask
from helpers.checks import EXERCISES, _exercise, check
from helpers.learning import training
from tests import answers, submissions
from tests.answers import BY_HAND, assert_plain, printed
from workbench.judging.exercise import known_mistakes

CODE = [name for name in EXERCISES if name not in BY_HAND]
UNLIKE = ["softmax", "masked_softmax", "is_right", "next_token", "count_operations", "decoder_layer"]
SOFTMAX = answers.right("softmax")


def test_exercises_are_called_often_enough():
    exercises = [checks._exercise(name) for name in CODE]
    assert {each.name: len(each.cases) for each in exercises if len(each.cases) < 3} == {}


@pytest.mark.parametrize("name", BY_HAND)
def test_numbers_by_hand_are_right_or_told_what_is_wrong(name):
    right, wrong = BY_HAND[name]
    assert [EXERCISES[name](numbers).status for numbers in right] == ["right"] * len(right)
    for numbers, told in wrong:
        feedback = EXERCISES[name](numbers)
        assert_plain(feedback)
        assert feedback.status == "wrong" and re.search(told, feedback.message), feedback.message


def test_feedback_on_numbers_by_hand_never_tells_the_answer():
    numbers = [r"\b0\.8\b", r"\b0\.6\b", r"0\.714", r"0\.857", r"0\.429", r"5 / 7", r"6 / 7"]
    for wrong, _ in BY_HAND["output_rows"][1]:
        message = EXERCISES["output_rows"](wrong).message
        assert not any(re.search(number, message) for number in numbers), message


@pytest.mark.parametrize("name", EXERCISES)
def test_check_tells_right_wrong_and_blank_apart_by_a_sign(name):
    assert printed(name, answers.right(name)).startswith("✓ ")
    assert printed(name, answers.wrong(name)).startswith("✗ ")
    assert printed(name, ...).startswith("○ Not attempted yet")


def listed(result):
    return [listed(part) for part in result] if np.ndim(result) else float(result)


FORMS = {
    "nested lists": lambda right: lambda scores: listed(right(scores)),
    "tuples": lambda right: lambda scores: tuple(map(tuple, right(scores))) if scores.ndim == 2 else right(scores),
    "fractions": lambda right: (
        lambda scores: [Fraction(x) for x in listed(right(scores))] if scores.ndim == 1 else right(scores)
    ),
    "float32": lambda right: lambda scores: right(scores.astype(np.float32)),
    "float16": lambda right: lambda scores: right(scores).astype(np.float16),
    "longdouble": lambda right: lambda scores: right(scores.astype(np.longdouble)),
    "np.matrix": lambda right: lambda scores: np.matrix(right(scores)) if scores.ndim == 2 else right(scores),
    "a default argument more": lambda right: lambda x, axis=-1: right(x),
    "a callable object": lambda right: type("Softmax", (), {"__call__": lambda self, scores: right(scores)})(),
    "a part of a function": lambda right: functools.partial(lambda axis, scores: right(scores), -1),
}


@pytest.mark.parametrize("form", FORMS)
def test_right_numbers_are_right_in_any_form(form):
    assert EXERCISES["softmax"](FORMS[form](SOFTMAX)).status == "right"


TRUTHS = {"causal_mask", "distrusted_rows", "is_order_blind", "is_right", "looks_ahead", "next_token"}
NO_NUMBERS = {name for name in CODE if checks._exercise(name).use}  # symbols, or several arrays


@pytest.mark.parametrize("name", sorted({*CODE} - TRUTHS - NO_NUMBERS))
def test_single_precision_and_nested_lists_are_right_everywhere(name):
    right = answers.right(name)
    assert EXERCISES[name](lambda *given: np.asarray(right(*given), dtype=np.float32)).status == "right"
    assert EXERCISES[name](lambda *given: np.asarray(right(*given)).tolist()).status == "right"


@pytest.mark.parametrize("name", UNLIKE)
def test_check_shows_what_the_answer_prints_before_its_verdict(name):
    right = answers.right(name)

    def talkative(*arguments):
        print("looking at", len(arguments), "arguments")
        return right(*arguments)

    lines = printed(name, talkative).splitlines()
    assert lines[0].startswith("looking at ") and lines[-1].startswith("✓")
    assert len(lines) <= 12


def test_check_cuts_a_flood_of_output():
    def floods(scores):
        for _ in range(5000):
            print("x" * 3000)
        return np.exp(scores) / np.exp(scores).sum()

    told = printed("softmax", floods)
    assert len(told) < 4000 and "your output goes on" in told
    assert told.splitlines()[-1].startswith("✗ ")


def test_check_ends_the_last_line_of_the_output():
    def without_end(scores):
        print("a", end="")
        return scores

    assert printed("softmax", without_end).splitlines()[0] == "a" * len(_exercise("softmax").cases)


NO_ARRAYS = {
    "right_minus_wrong",
    "causal_mask",
    "sinusoidal_positional_encoding",
    "count_operations",
    "divisor",
    "write",
    "same",
} | NO_NUMBERS


@pytest.mark.parametrize("name", sorted({*CODE} - NO_ARRAYS))
def test_check_refuses_an_answer_that_overwrites_its_input(name):
    right = answers.right(name)

    def spoiling(*arguments):
        result = np.array(right(*[each.copy() if isinstance(each, np.ndarray) else each for each in arguments]))
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                argument[...] = 0 if argument.dtype == bool else 7
        return result

    feedback = EXERCISES[name](spoiling)
    assert feedback.status == "wrong" and "What comes out is right, but" in feedback.message
    assert "is overwritten" in feedback.message
    assert EXERCISES[name](right).status == "right"  # the next call gets fresh arguments


def test_check_sees_an_input_changed_inside_a_dict():
    def spoiling(x, memory, parameters, num_heads):
        result = answers.right("decoder_layer")(x, memory, parameters, num_heads)
        parameters["feed_forward"]["W_in"] += 1
        return result

    assert "parameters is overwritten" in EXERCISES["decoder_layer"](spoiling).message


# --- what an answer is to make itself --------------------------------------------------------------------------------

REMADE = {
    "encoder_layer": lambda x, parameters, num_heads, norm: layers.encoder_layer(
        x, parameters, num_heads=num_heads, norm=norm
    ),
    "softmax": lambda scores: attention.softmax(scores),
    "sinusoidal_positional_encoding": lambda n, d: positions.sinusoidal_positional_encoding(n, d),
    "split_heads": lambda x, num_heads: attention.split_heads(x, num_heads),
    "merge_heads": lambda x: attention.merge_heads(x),
    "causal_mask": lambda n: attention.causal_mask(n),
    "self_attention": lambda X, A, B, C: (
        attention.multi_head_attention(X, A, B, C, np.eye(C.shape[1]), num_heads=1).output
    ),
    "cross_attention": lambda Y, X, A, B, C: (
        attention.multi_head_attention(Y, A, B, C, np.eye(C.shape[1]), num_heads=1, context=X).output
    ),
    "layer_norm": lambda x: layers.layer_norm(x),
    "decoder_layer": lambda x, memory, parameters, num_heads: layers.decoder_layer(
        x, memory, parameters, num_heads=num_heads, mask=causal_mask(len(x))
    ),
    "count_operations": lambda n, d: np.array(list(costs.count_attention(n, d).values())).sum(axis=0),
    "patchify": lambda image, size: patches.patchify(image, size),
    "numerical_gradient": lambda loss_of, x: training.numerical_gradient(loss_of, x),
}


@pytest.mark.parametrize("name", REMADE)
def test_answer_that_calls_what_it_is_to_make_is_told_so(name):
    feedback = EXERCISES[name](REMADE[name])
    assert feedback.status == "wrong"
    assert "that is what you are to write yourself" in feedback.message


def test_the_helper_itself_is_no_answer():
    assert "your answer calls attention.softmax" in EXERCISES["softmax"](attention.softmax).message


def test_helpers_that_call_one_another_are_no_calls_of_the_answer():
    def answer(X, W_query, W_key, W_value):  # multi_head_attention is not asked for here, and calls softmax itself
        scores = X @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[1])
        return attention.softmax(scores) @ (X @ W_value)

    assert EXERCISES["self_attention"](answer).status == "right"


# --- grading ---------------------------------------------------------------------------------------------------------


def test_require_raises_what_check_prints():
    assert checks.require("softmax", SOFTMAX) is None
    with pytest.raises(AssertionError, match="divided by their sum"):
        checks.require("softmax", np.exp)
    with pytest.raises(AssertionError, match="Not attempted"):
        checks.require("softmax", ...)


OTHER_AXIS = """def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-2 if scores.ndim > 1 else -1, keepdims=True)
"""


def test_verdict_brings_the_reason_and_the_case():
    right, blank = checks.verdict("softmax", SOFTMAX), checks.verdict("softmax", ...)
    assert right == ("right", EXERCISES["softmax"](SOFTMAX).message, None) and (blank.status, blank.case) == (
        "blank",
        None,
    )
    judged = checks.verdict("softmax", submissions.function("softmax", OTHER_AXIS))
    assert judged.status == "wrong" and "should be" not in judged.message
    scores = np.array([[0.0, 1.0, 3.0], [2.0, 2.0, -1.0], [0.5, 0.0, 1.5]])
    assert list(judged.case.inputs) == ["scores"] and np.array_equal(judged.case.inputs["scores"], scores)
    assert judged.case.wanted == pytest.approx(SOFTMAX(scores)) and judged.case.got != pytest.approx(SOFTMAX(scores))
    with pytest.raises(KeyError, match="name must be that of an exercise"):
        checks.verdict("soft", SOFTMAX)


def test_case_of_an_answer_that_stops_or_does_not_refuse_says_so():
    stops = checks.verdict("softmax", lambda scores: 1 / 0)
    assert stops.case.got is None and stops.case.wanted == pytest.approx(SOFTMAX(stops.case.inputs["scores"]))
    sees = checks.verdict("masked_softmax", lambda scores, mask: attention.softmax(np.where(mask, scores, -1e30)))
    assert sees.case.wanted is None and not sees.case.inputs["mask"].any(axis=-1).all()
    assert checks.verdict("same_word_score", lambda weights, words: 0.0).case is None  # where many answers are right


@pytest.mark.everything
@pytest.mark.parametrize("name", sorted({*CODE} - {"same_word_score", "next_token"}))
def test_check_is_not_confused_by_an_answer_that_is_wrong_once(name):
    """Right everywhere but in one call: no mistake was made that could be named, so the numbers must speak."""
    right, calls = answers.right(name), []

    def slips(*arguments):
        calls.append(arguments)
        result = np.array(right(*arguments), dtype=float)
        return result + 0.5 if len(calls) == 3 else result

    feedback = EXERCISES[name](slips)
    assert feedback.status == "wrong"
    assert_plain(feedback)
    assert not any(feedback.message.startswith(sentence) for sentence, _ in known_mistakes(checks._exercise(name)))


def test_check_prints_on_a_terminal_without_signs():
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding="ascii")
    with contextlib.redirect_stdout(terminal):
        check("softmax", ...)
    terminal.flush()
    assert raw.getvalue().startswith(b"? Not attempted yet")
    assert raw.getvalue().count(b"\n") == 1


def test_check_leaves_the_settings_of_numpy_and_the_warnings_alone():
    import warnings

    def meddles(scores):
        np.seterr(all="raise")
        warnings.simplefilter("ignore")
        return scores

    before, filters = np.geterr(), list(warnings.filters)
    check_quietly = printed("softmax", meddles)
    assert check_quietly.startswith("✗")
    assert np.geterr() == before and list(warnings.filters) == filters
