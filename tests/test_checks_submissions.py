"""Answers of many hands: right ones are right, and of the wrong ones most are told their mistake, and nothing untrue."""

import math
import re

import pytest

from helpers.checks import EXERCISES, _exercise
from tests import answers, submissions
from workbench.judging.exercise import known_mistakes

CODE = [name for name in EXERCISES if name not in answers.BY_HAND]
MISSED = {  # answers that are not told their mistake, as measured; of other exercises three in ten
    "adam_step": 1, "attention_in_columns": 3, "causal_mask": 0, "count_operations": 3, "cross_attention": 4,
    "decoder_layer": 1, "delta_rule": 0, "distrusted_rows": 2, "divisor": 1, "encoder_layer": 6, "is_order_blind": 5, "is_right": 7,
    "layer_norm": 4, "looks_ahead": 10, "masked_softmax": 4, "merge_heads": 4, "mix_similar": 2,
    "numerical_gradient": 3, "patchify": 4, "previous_token_score": 0, "rotate": 1, "same_word_score": 7,
    "self_attention": 5, "sinusoidal_positional_encoding": 1, "soft_select": 1, "softmax": 0, "softmax_with_sink": 5,
    "split_heads": 2, "training_loop": 3, "write_one_token": 3, "next_token": 0, "merge_pairs": 2, "model_layer": 0,
    "swiglu": 0,
}  # fmt: skip

SLIPS = "stands inside the loop|in each round of the loop|never uses|nothing uses it"  # facts of the text

UNTRUE = [  # what readers found false: exercise, part of the answer, what it must not be told
    ("previous_token_score", "shifted = weights[1:, :-1]", "column 0"),
    ("numerical_gradient", "high, low = loss_of(plus.", "line 10"),
    ("encoder_layer", 'or "post-norm"', "brackets"),
    ("looks_ahead", "leaking.update", "line 7"),
    ("self_attention", "math.isqrt", "not divided"),
    ("sinusoidal_positional_encoding", "100.0**pair", "alone|right only"),
    ("softmax_with_sink", "empty = np.isneginf(scores).any(axis=-1)", "brackets"),
    ("split_heads", "return x[..., None, :, :]", "taken for the width"),
    ("training_loop", "slope = slope * (max_norm / length)", "lines 5 and 7"),
    ("is_order_blind", "after = [layer(tokens[i : i + 1])[0] for i in order]", "every layer"),
    ("write_one_token", "values = np.concatenate((new_value, values)", "Line 4"),
    ("mix_similar", "sim - sim.max(axis=1))", "down the columns"),
    ("is_right", "weights, want.weights):\n            return True\n        return False", "Line 12: the return"),
    ("write_one_token", "[x @ W_value, values]", "square root"),
    ("mix_similar", '"ti,tk->tk"', "axis=0"),
    ("masked_softmax", "scores / np.sqrt(scores.shape[-1]), -np.inf)", "mask is"),
    ("rotate", "pace = 1 / 10_000 ** (np.arange(d) / d)", "//|same angle"),
    ("write_one_token", "may_look = np.tril(np.ones(scores.shape", "scores is"),
    ("write_one_token", "output = output + part / sum(parts) * value", "line 7.*weights"),
    ("patchify", "blocks = np.swapaxes(blocks, 0, 2)", "image is"),
    ("mix_similar", "out[j] += w[i] * X[j]", "exchanged"),
    ("mix_similar", "squares[:, None] + squares[None, :] - distances", "by distance"),
    ("softmax", "s = np.asarray(scores).T\n    e = np.exp(s - s.max(axis=0))", "Line 3"),
    ("same_word_score", "weights[~same].mean() - weights[same].mean()", "must be \\+|too much"),
    ("adam_step", "bottom = np.sqrt(s) / (1 - 0.999**n)", "came back"),
    ("decoder_layer", "y2 = layers.layer_norm(x + mha(x", "is missing"),
]


def is_named(each, message):
    """Whether its own mistake is named, or its line; where it stopped does not yet say what is wrong there."""
    if each.message == "numbers":
        known = [re.escape(sentence) for sentence, _ in known_mistakes(_exercise(each.exercise))]
        return not re.match("|".join(known + ["Two mistakes at once"]), message) and not re.search(SLIPS, message)
    message = re.sub(r"That was in line \d+\.", "", message)
    return re.search(each.message, message, re.IGNORECASE) is not None


@pytest.mark.parametrize("exercise", CODE)
def test_right_answers_are_right(exercise):
    right = [each for each in submissions.read(exercise) if each.right]
    refused = [
        (each.text, said.message) for each in right if (said := EXERCISES[exercise](each.answer)).status != "right"
    ]
    assert len(right) >= 5, f"answers/{exercise}.txt in the room of its lesson must have five right answers"
    assert refused == []


@pytest.mark.parametrize(
    ("step", "most"), [pytest.param(5, 2, id="some"), pytest.param(1, math.inf, id="all", marks=pytest.mark.everything)]
)
@pytest.mark.parametrize("exercise", CODE)
def test_wrong_answers_are_told_their_mistake_and_nothing_untrue(exercise, step, most):
    """The first tier asks every fifth, which are of all sorts, as the files have no order; the second asks all.
    `most` : of those asked, that may not be told their mistake, as measured."""
    wrong = [each for each in submissions.read(exercise) if not each.right]
    assert len(wrong) >= 8, f"answers/{exercise}.txt in the room of its lesson must have eight wrong answers"
    may_miss, wrong = min(MISSED.get(exercise, 0.3 * len(wrong)), most), wrong[::step]
    said = [(each, EXERCISES[exercise](each.answer)) for each in wrong]
    assert [each.text for each, feedback in said if feedback.status != "wrong"] == []
    untrue = [
        (each.text, feedback.message)
        for each, feedback in said
        for name, part, words in UNTRUE
        if name == exercise and part in each.text and re.search(words, feedback.message, re.IGNORECASE)
    ]
    assert untrue == []
    missed = [
        f"{each.text}{feedback.message}, not {each.message}"
        for each, feedback in said
        if not is_named(each, feedback.message)
    ]
    assert len(missed) <= may_miss, "\n".join(missed)


def test_edit_of_an_answer_must_find_its_place():
    right = "=== right\ndef f(x):\n    return x @ x\n"
    (_, wrong) = submissions.parse("f", f"{right}--- wrong | L2|order\nx @ x => x⏎    @ x.T\n")
    assert wrong.text == "def f(x):\n    return x\n    @ x.T\n" and wrong.message == r"[Ll]ines? (\d+ and )?2\b|order"
    for edit in ("y => z", "x => z", "no arrow"):
        with pytest.raises(ValueError, match="stands once"):
            submissions.parse("f", f"{right}--- wrong | .\n{edit}\n")
    with pytest.raises(ValueError, match="must be `right`"):
        submissions.parse("f", "=== rihgt\ndef f(x):\n    return x\n")
