"""What an exercise says of an answer that is no known mistake: by its numbers, its error, its stages."""

import math
import re

import numpy as np
import pytest

from helpers import attention
from helpers.attention import multi_head_attention, scaled_dot_product_attention
from helpers.checks import EXERCISES
from rooms.check_the_notes.exercises import DISTRUSTED_ROWS
from rooms.hunt_the_bugs import specimens
from rooms.hunt_the_bugs.exercises import SHOWS
from rooms.shared import attention_maps
from tests import answers
from tests.answers import assert_plain


def test_is_order_blind_is_not_told_a_mistake_by_a_single_truth_value():
    def only_the_causal_layer_is_wrong(layer, tokens, order):
        return answers.right("is_order_blind")(layer, tokens, order) or "past" in layer.__name__

    message = EXERCISES["is_order_blind"](only_the_causal_layer_is_wrong).message
    assert message == "For attend_to_the_past the answer is False, yours is True."


@pytest.mark.parametrize("change", [lambda x: -x, lambda x: x[..., ::-1], lambda x: np.sort(x, axis=-1)])
def test_layer_norm_is_not_told_that_a_variance_of_1_must_be_1(change):
    def answer(x):
        return change((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5))

    assert "variance must be 1" not in EXERCISES["layer_norm"](answer).message


@pytest.mark.parametrize("size", [-1e30, -1e10, -1e6, -1000, -100])
def test_mask_of_added_numbers_is_known_whatever_its_size(size):
    feedback = EXERCISES["causal_mask"](lambda n: np.where(np.tri(n), 0, size))
    assert "numbers to be added to scores" in feedback.message


def test_errors_of_two_slips_have_hints():
    feedback = EXERCISES["soft_select"](lambda query, keys, values: 3.0 ^ (keys @ query))
    assert "To the power of is **" in feedback.message

    def loop(parameters, gradient_of, num_steps, learning_rate, max_norm):
        return parameters - learning_rate * gradient_of(parameters, 0)

    assert "call it, as in learning_rate(step)" in EXERCISES["training_loop"](loop).message


def test_self_attention_with_key_and_value_exchanged_is_told_so():
    def answer(X, W_query, W_key, W_value):
        return scaled_dot_product_attention(X @ W_query, X @ W_value, X @ W_key).output

    feedback = EXERCISES["self_attention"](answer)
    assert "W_key and W_value are exchanged" in feedback.message


def test_answer_is_told_on_which_cases_it_is_right():
    message = EXERCISES["divisor"](lambda d_k, spread: math.sqrt(d_k) * math.sin(spread) / math.sin(1.0)).message
    assert message.startswith("Right for entries that spread by 1, not for other spreads. ")


# --- what explains, and what hints: an answer in one line, and what is said of it --------------


def shares(powers):
    return powers / powers.sum(axis=-1, keepdims=True)


def shared_by_a_helper(attend):
    """A test of attention that calls the helper without its last matrix."""
    return multi_head_attention(specimens.X, *np.ones((3, 4, 4))) is attend


SAID = {
    "softmax": [
        (lambda s: np.exp(s) / np.exp(s).sum(axis=1, keepdims=True), r"AxisError.*axis=-1 is the last axis"),
        (lambda s: shares(3.0**s), r"Base 3 was the stand-in"),
        (
            lambda s: np.eye(s.size)[s.argmax()].reshape(s.shape) if s.ndim == 1 else 0 * s,
            r"must sum to 1, yours sum to 0\.000",
        ),
        (lambda s: [math.exp(x - max(s)) / sum(np.exp(s - max(s))) for x in s], r"Python's own max and sum"),
        (lambda s: (answers.right("softmax")(s), s), r"return the first one alone"),
        (lambda s: map(math.exp, s), r"generator or a map"),
        (lambda s: answers.right("softmax")(s) if s.ndim == 1 else None, r"every path through it must end with return"),
        (lambda s: s.__setitem__(..., 0), r"changes its input but returns nothing.*return"),
        (lambda s: print(s), r"prints something but returns nothing"),
        (lambda s: ["a", "b"], r"must be real numbers, got str\."),
    ],
    "sinusoidal_positional_encoding": [
        (lambda n, d: np.zeros((n, d))[:, 0::2] + np.zeros((n, d // 2 + 9)), r"stopped with ValueError"),
        (
            lambda n, d: (
                np.zeros((n, d)).__setitem__((slice(None), slice(1, None, 2)), np.zeros((n, (d + 1) // 2)))
                or np.zeros((n, d))
            ),
            r"dimension 0 is the first that is off|sine alone",
        ),
        (lambda n, d: np.arange(n * d).reshape(n, d), r"lie between -1 and 1, yours go up to"),
    ],
    "is_order_blind": [
        (lambda f, x, order: np.abs(f(x[order]) - f(x)[order]).sum(), r"the answer is .*not True or False"),
        (lambda f, x, order: np.allclose(f(x[order])[0], f(x)[order][0]), r"For hand_on the answer is False"),
    ],
    "attention_in_columns": [
        (lambda X, Q, K, V: np.round(answers.right("attention_in_columns")(X, Q, K, V), 3), r"close, but off by"),
        (
            lambda X, Q, K, V: answers.right("attention_in_columns")(X, Q, K, V).ravel(),
            r"must have shape \(2, 2\), got \(4,\)",
        ),
        (lambda X, Q, K, V: answers.right("attention_in_columns")(X, Q, K, V) + 9, r"leaves their range by"),
        (
            lambda X, *W: answers.right("attention_in_columns")(X, *W) if len(X) == 2 else X @ W[0],
            r"Tokens are columns: X \(3, 4\)",
        ),
    ],
    "split_heads": [
        (lambda x, h: x.reshape(len(x), h, x.shape[1] / h), r"divide by //"),
        (
            lambda x, h: x.reshape(x.shape[0], h, x.shape[1] // h).transpose(1, 0, 2),
            r"batch axis may stand in front: count the axes from the end",
        ),
    ],
    "merge_heads": [(lambda x: x.transpose(1, 0, 2).reshape(x.shape[1], -1), r"batch axis may stand in front")],
    "layer_norm": [
        (lambda x: x, r"mean must be 0, yours is"),
        (lambda x: np.sort(answers.right("layer_norm")(x)), r"layer_norm\("),
    ],
    "decoder_layer": [
        (lambda x, m, p, h: x + multi_head_attention(x, **p["self_attention"], num_heads=h), r"take \.output"),
        (
            lambda x, m, p, h: multi_head_attention(x, **p["attention"], num_heads=h),
            r"KeyError.*parameters holds self_attention",
        ),
        (lambda x, m, p, h: m, r"must have shape \(3, 4\), got \(4, 4\)"),
    ],
    "looks_ahead": [(lambda model, tokens: len(tokens), r"For 5 tokens causal looks 0 steps ahead; you say 5")],
    "masked_softmax": [
        (
            lambda s, m: [] if not m.any(axis=-1).all() else attention.softmax(np.where(m, s, -np.inf)),
            r"must stop with a Value",
        ),
        (lambda s, m: s if m.any(axis=-1).all() else 1 / 0, r"must sum to 1, yours sum to 5\.500"),
        (lambda s, m: {}[0] if m.any(axis=-1).all() else 1 / 0, r"^(?!.*0 is NaN).*stopped with KeyError"),
    ],
    "count_operations": [
        (lambda n, d: 4 * n * d * d + 2 * n * n * d, r"two are asked for"),
        (
            lambda n, d: (4 * n * d * d + 2 * n * n * d + 1, 7),
            r"you count 85\. Of the 84, 48 are in the four projections",
        ),
    ],
    "streamed_row": [(lambda q, K, V: (K @ q) @ V, r"streamed_row\(")],
    "previous_token_score": [
        (lambda w: np.diag(w, -1), r"one for each query; their mean is asked for"),
        (lambda w: w[1:].argmax(axis=1), r"must have shape \(\), got \(2,\)"),
        (
            lambda w: round(float(np.diag(w, -1).mean()), 2),
            r"is close, but off by up to 0\.005",
        ),
    ],
    "adam_step": [(lambda p, g, m, s, t: p, r"is called with 6 arguments")],
    "patchify": [
        (
            lambda image, size: np.array(answers.right("patchify")(image, size), int),
            r"patch 0 holds 0 at place 1, where 0.125",
        ),
        (lambda image, size: image.reshape(image.shape[0] / size, -1), r"//"),
        (
            lambda image, size: np.sort(answers.right("patchify")(image, size))[:, ::-1],
            r"patch 0 holds 5 at place 0, where 0",
        ),
    ],
    "is_right": [
        (
            lambda attend: np.allclose(specimens.ask(attend)[1].sum(axis=-1), 1),
            r"specimen 1, in which queries and keys are exchanged.*Its rows do sum to 1",
        ),
        (lambda attend: [True, False], r"got \(2,\); one number, or one True or False, is asked for"),
        (lambda attend: specimens.gaps(attend) == 0, r"got \(10,\); .*\.all\(\) joins them into one"),
        (lambda attend: specimens.gaps(attend).max(), r"must say True or False"),
        (lambda attend: [][0], r"stopped with IndexError.*attend takes X, W_query"),
        (lambda attend: exec("assert False"), r"AssertionError.*Return False where something is wrong"),
        (lambda attend: attend(specimens.X, *np.ones((3, 4, 4)), 2, np.tri(4)) is None, r"The mask is Boolean"),
        (
            lambda attend: attend(specimens.X, specimens.W_QUERY, specimens.W_KEY, specimens.W_VALUE) and True,
            r"read-only\. This specimen changes what it is given",
        ),
        (
            shared_by_a_helper,
            r"TypeError.*The helper is called as .*np\.eye\(d_model\), num_heads=2, mask=mask\).*\.weights",
        ),
    ],
    "rotate": [
        (
            lambda x, p: np.concatenate(np.split(x, 2, axis=1), axis=1) * 2,
            r"batch axis may stand in front|rotate\(|length",
        )
    ],
    "write_one_token": [
        (lambda *a: answers.right("write_one_token")(*a) + 9, r"outside by"),
        (lambda x, K, V, *W: K.append(x), r"puts a row below an array\."),
        (lambda x, K, V, *W: np.concatenate([K, x]), r"np.vstack puts x @ W_key below keys\. That was in line \d+\.$"),
    ],
    "softmax_with_sink": [(lambda s, z: attention.softmax(np.append(s, z, axis=-1)), r"wants a column")],
    "delta_rule": [(lambda q, k, v, b: 1.0, r"must have shape")],
    "route": [
        (lambda s, b, k: attention.softmax(np.where(answers.right("route")(s, b, k) > 0, s, -np.inf)), "as in gpt-oss")
    ],
}


@pytest.mark.parametrize("name", SAID)
def test_answer_is_explained(name):
    for answer, told in SAID[name]:
        feedback = EXERCISES[name](answer)
        assert_plain(feedback)
        assert feedback.status == "wrong" and re.search(told, feedback.message), (told, feedback.message)


# --- single exercises --------------------------------------------------------------------------------------------------


def three(base=3.0, powers=lambda scores: scores, share=lambda parts: parts / parts.sum()):
    return lambda query, keys, values: share(base ** powers(keys @ query)) @ values


def test_soft_select_is_told_its_mistake():
    assert EXERCISES["soft_select"](three()).status == "right"
    assert "powers of e" in EXERCISES["soft_select"](three(base=np.e)).message
    assert "best key got the smallest weight" in EXERCISES["soft_select"](three(powers=np.negative)).message
    assert EXERCISES["soft_select"](three(share=lambda parts: parts)).status == "wrong"
    assert "takes query, keys" in EXERCISES["soft_select"](lambda query, keys: query).message


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("float64", lambda n: np.tril(np.ones((n, n)))),
        ("int64", lambda n: np.tri(n, dtype=int)),
        ("float32", lambda n: np.tri(n, dtype=np.float32)),
        ("int64", lambda n: [[1] * (i + 1) + [0] * (n - i - 1) for i in range(n)]),
    ],
)
def test_causal_mask_of_numbers_is_told_its_dtype(kind, answer):
    feedback = EXERCISES["causal_mask"](answer)
    assert feedback.status == "wrong" and f"its dtype is {kind}" in feedback.message


def test_every_specimen_has_a_word_on_what_shows_it():
    assert list(SHOWS) == list(specimens.MISTAKES)


@pytest.mark.parametrize("number", range(1, 11))
def test_is_right_names_the_one_specimen_that_is_trusted(number):
    gaps = specimens.gaps(specimens.specimen(number))

    def blind_for_one(attend):
        return np.array_equal(specimens.gaps(attend), gaps) or answers.right("is_right")(attend)

    feedback = EXERCISES["is_right"](blind_for_one)
    assert feedback.status == "wrong"
    assert f"specimen {number}, in which {specimens.mistake_of(number)}." in feedback.message


def test_answer_is_judged_by_its_own_calls_and_not_by_those_of_another():
    assert EXERCISES["is_right"](answers.right("is_right")).status == "right"
    assert EXERCISES["is_right"](lambda attend: True).status == "wrong"  # one that calls nothing, in the same process
    assert EXERCISES["is_right"](answers.right("is_right")).status == "right"


@pytest.mark.parametrize(("weights", "decimals"), DISTRUSTED_ROWS.cases)
def test_no_case_stands_on_the_edge(weights, decimals):
    """What a float's last bit decides must not decide whether an answer is right."""
    allowed = 0.5 * 10.0**-decimals * weights.shape[-1]
    assert (np.abs(weights.sum(axis=-1) - 1 - allowed) > 1e-6).all()


def test_a_row_that_is_distrusted_without_need_is_told_with_its_numbers():
    message = EXERCISES["distrusted_rows"](lambda w, d: np.abs(w.sum(axis=-1) - 1) > 1e-3 * math.sqrt(d)).message
    assert "Row 2" in message or "Row 1" in message


def test_right_answer_is_told_which_head_it_finds():
    right = answers.right("previous_token_score")
    maps = attention_maps.load("one before").weights
    scores = {(i, k): right(head) for i, layer in enumerate(maps) for k, head in enumerate(layer)}
    (first, best), (second, next_best) = sorted(scores.items(), key=lambda pair: -pair[1])[:2]
    told = EXERCISES["previous_token_score"](right).message
    assert f"layer {first[0]}, head {first[1]}: {best:.3f}. Next comes layer {second[0]}, head {second[1]}" in told
    assert f"with {next_best:.3f}." in told and first == (0, 2) and best > 0.99


def test_another_function_is_not_called_needed_where_many_would_do():
    def same_word_score(weights, words):
        return max(
            weights[i, j] for i in range(len(words)) for j in range(len(words)) if words[i] == words[j] and i != j
        )

    told = EXERCISES["same_word_score"](same_word_score).message
    assert (
        "only the first repeated word looks at the same word elsewhere gets 1: the first must be higher" in told
        and "needed" not in told
    )
