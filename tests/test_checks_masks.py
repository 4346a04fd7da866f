"""Answers to the exercises on masks, right and wrong; tests/test_checks.py tries them all."""

import numpy as np
import pytest

from helpers import checks
from helpers.attention import softmax
from helpers.checks import EXERCISES

INF = np.inf

# --- masked_softmax --------------------------------------------------------------------------------------------------


def refuse(mask):
    if not np.all(np.any(mask, axis=-1)):
        raise ValueError("a query has nothing to see")


def powers(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def shares(powers):
    return powers / powers.sum(axis=-1, keepdims=True)


def by_filling(scores, mask, fill=-INF):
    return shares(powers(np.where(mask, scores, fill)))


def by_loops(scores, mask):
    rows = []
    for line, may in zip(scores, mask, strict=True):
        seen = [score for score, allowed in zip(line, may, strict=True) if allowed]
        if not seen:
            raise ValueError("nothing to see")
        parts = [float(np.exp(score - max(seen))) if allowed else 0.0 for score, allowed in zip(line, may)]
        rows.append([part / sum(parts) for part in parts])
    return rows


def in_place(scores, mask):
    refuse(mask)
    scores[~mask] = -INF
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def checks_the_result(scores, mask):
    weights = by_filling(scores, mask)
    if np.isnan(weights).any():
        raise ValueError("NaN: a query has nothing to see")
    return weights


def after_softmax_and_divided(scores, mask):  # survives scores of 5000, as the blocked ones leave the maximum first
    refuse(mask)
    allowed = np.where(mask, scores, scores.min() - 1)
    return shares(powers(allowed) * mask)


def then_refuse(answer):
    def refusing(scores, mask):
        refuse(mask)
        return answer(scores, mask)

    return refusing


def asserting(scores, mask):
    assert mask.any(axis=-1).all()
    return by_filling(scores, mask)


def returns_nothing(scores, mask):
    if mask.any(axis=-1).all():
        return by_filling(scores, mask)


def refuses_unseen_keys(scores, mask):
    if not mask.any(axis=0).all():
        raise ValueError("a key is not seen")
    return checks_the_result(scores, mask)


def always_refuses(scores, mask):
    raise ValueError("no")


RIGHT = {
    "causal_mask": {
        "np.tri": lambda n: np.tri(n, dtype=bool),
        "comparison": lambda n: np.arange(n) <= np.arange(n)[:, None],
        "nested lists of bools": lambda n: [[j <= i for j in range(n)] for i in range(n)],
        "not the upper triangle": lambda n: ~np.triu(np.ones((n, n), bool), 1),
        "an additive mask, compared": lambda n: np.triu(np.full((n, n), -INF), 1) == 0,
        "greater_equal.outer": lambda n: np.greater_equal.outer(range(n), range(n)),
    },
    "masked_softmax": {
        "refuse, fill, softmax": then_refuse(lambda scores, mask: softmax(np.where(mask, scores, -INF))),
        "loops": by_loops,
        "NaN is noticed": checks_the_result,
        "after softmax, divided": after_softmax_and_divided,
        "a large negative number": then_refuse(lambda scores, mask: by_filling(scores, mask, -1e9)),
        "float32": then_refuse(lambda scores, mask: by_filling(scores.astype(np.float32), mask)),
        "added": then_refuse(lambda scores, mask: softmax(scores + np.where(mask, 0, -INF))),
    },
}

WRONG = {
    "causal_mask": {
        "upside down": (lambda n: np.triu(np.ones((n, n), bool), 1), r"^True and False are exchanged"),
        "upside down, of numbers": (lambda n: 1 - np.tri(n), r"^True and False are exchanged"),
        "transposed": (lambda n: np.triu(np.ones((n, n), bool)), r"Transposed"),
        "strict": (lambda n: np.tril(np.ones((n, n)), -1), r"diagonal is missing"),
        "range without itself": (lambda n: [[j < i for j in range(n)] for i in range(n)], r"diagonal is missing"),
        "one step ahead": (lambda n: np.tri(n, k=1), r"one step into the future"),
        "additive": (lambda n: np.triu(np.full((n, n), -INF), 1), r"to be added to scores.*Boolean"),
        "additive, -1e9": (lambda n: np.where(np.tri(n, dtype=bool), 0, -1e9), r"to be added to scores.*Boolean"),
        "additive, smallest float32": (
            lambda n: np.where(np.tri(n, dtype=bool), np.float32(0), np.finfo(np.float32).min),
            r"to be added to scores",
        ),
        "additive, upside down": (lambda n: np.where(np.tri(n, dtype=bool), -INF, 0), r"the wrong way round as well"),
        "-inf in the mask": (lambda n: np.where(np.tri(n, dtype=bool), 1, -INF), r"become -inf later"),
        "everything": (lambda n: np.ones((n, n), bool), r"Nothing is blocked"),
        "itself only": (lambda n: np.eye(n), r"sees itself alone; it may see those before"),
        "rows reversed": (lambda n: np.flipud(np.tri(n)), r"rows are in reverse order"),
        "weights": (lambda n: np.tri(n) / np.arange(1, n + 1)[:, None], r"These are weights"),
        "one row": (lambda n: np.arange(n) < n, r"must have shape \(3, 3\), got \(3,\)"),
        "one too large": (lambda n: np.tri(n + 1), r"`np.tri\(n\)`. And then: The right triangle, but of numbers"),
        "fixed size": (lambda n: np.tri(4), r"should be `np.tri\(n\)`"),
        "first column shut": (
            lambda n: np.tri(n) * (np.arange(n) > 0),
            r"`np.tri\(n\)`. And then: The right triangle, but of numbers",
        ),
        "a window": (
            lambda n: np.tri(n) - np.tri(n, k=-2),
            r"should be `np.tri\(n\)`",
        ),
        "places": (lambda n: np.tril_indices(n), r"must have shape \(3, 3\), got \(2, 6\)"),
        "words": (lambda n: [["yes"] * n] * n, r"must be real numbers, got str"),
    },
    "masked_softmax": {
        "the helper refuses": (
            lambda scores, mask: softmax(np.where(mask, scores, -INF)),
            r"refused by Python or by a helper, not by you",
        ),
        "in place": (in_place, r"The numbers are right, but scores is overwritten"),
        "NaN": (by_filling, r"became NaN.*Raise a ValueError"),
        "uniform": (lambda s, m: by_filling(s, m, -1e9), r"same share of every key.*Raise a ValueError"),
        "uniform, smallest float": (
            lambda s, m: by_filling(s, m, float(np.finfo(np.float32).min)),
            r"same share of every key",
        ),
        "unmasked": (lambda s, m: shares(powers(s + np.where(m, 0, -1e9))), r"the mask is gone"),
        "zeros": (lambda s, m: np.nan_to_num(by_filling(s, m)), r"weights of 0, which are no shares"),
        "after softmax": (lambda s, m: softmax(s) * m, r"after softmax"),
        "after softmax, and refused": (then_refuse(lambda s, m: softmax(s) * m), r"after softmax"),
        "scores of 0": (lambda s, m: softmax(s * m), r"set to 0, and 0 still gets a share"),
        "scores of 0, and refused": (then_refuse(lambda s, m: softmax(s * m)), r"0 still gets a share"),
        "upside down": (lambda s, m: by_filling(s, ~m), r"upside down"),
        "upside down, to the helper that refuses": (
            lambda s, m: softmax(np.where(m, -INF, s)),
            r"^The mask is read upside down: True means may attend",
        ),
        "upside down, and refused": (then_refuse(lambda s, m: by_filling(s, ~m)), r"upside down"),
        "no mask": (lambda s, m: softmax(s), r"as if there were no mask"),
        "no mask, but refused": (then_refuse(lambda s, m: softmax(s)), r"as if there were no mask"),
        "blocked scores rule the maximum": (lambda s, m: shares(powers(s) * m), r"block first, then take the largest"),
        "blocked scores rule, and refused": (
            then_refuse(lambda s, m: shares(powers(s) * m)),
            r"block first, then take the largest",
        ),
        "overflow": (lambda s, m: shares(np.exp(np.where(m, s, -INF))), r"overflow: subtract"),
        "columns": (lambda s, m: softmax(np.where(m, s, -1e30), axis=0), r"down the columns"),
        "scores": (lambda s, m: np.where(m, s, -INF), r"masked scores; softmax is still to come"),
        "not divided": (then_refuse(lambda s, m: powers(np.where(m, s, -INF))), r"not divided by their sum"),
        "asserts": (asserting, r"stopped with AssertionError.*raise ValueError"),
        "returns nothing": (returns_nothing, r"returned nothing: every path"),
        "refuses a key that nobody sees": (refuses_unseen_keys, r"runs along the wrong axis: it must be axis=-1"),
        "always refuses": (always_refuses, r"stopped with ValueError: no\. Here every query has a key to see"),
        "only if all are blind": (
            lambda s, m: by_filling(s, m, -1e9) if m.any() else always_refuses(s, m),
            r"`m.any\(\)` asks all rows at once",
        ),
        "an empty array": (
            lambda s, m: [] if not m.any(axis=-1).all() else by_filling(s, m),
            r"must stop with a Value",
        ),
    },
}


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
    record = checks.collect("causal_mask", answer) | {"status": np.array("right")}
    assert checks.judge("causal_mask", record).status == "wrong"


def test_masked_softmax_takes_any_value_error_for_a_refusal():
    class Own(ValueError):
        pass

    def raises_its_own(scores, mask):
        if not mask.any(axis=-1).all():
            raise Own
        return by_filling(scores, mask)

    assert EXERCISES["masked_softmax"](raises_its_own).status == "right"
