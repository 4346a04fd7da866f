"""The exercise on rows that sum to less than 1."""

import numpy as np

from helpers.attention import softmax
from helpers.checks import patterns
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise, Symptom
from helpers.since_2017.softmax_variants import softmax_with_sink


def _powers(scores, largest=None):
    return np.exp(scores - (scores.max(axis=-1, keepdims=True) if largest is None else largest))


def _sums(powers):
    return powers.sum(axis=-1, keepdims=True)


def _beside(scores, sink, times=1):
    return np.concatenate([scores, np.full((*scores.shape[:-1], times), float(sink))], axis=-1)


def _below_both(scores, sink):
    """Powers after the largest of row and sink is taken off."""
    return np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), sink))


def _explain(got, want, scores, sink):
    sums = got.sum(axis=-1)
    if np.abs(sums - 1).max() < 1e-3 and np.abs(want.sum(axis=-1) - 1).max() > 1e-3:
        return f"Every row of yours sums to 1; with a sink of {sink:g}, one of them must sum to {want.sum(axis=-1).min():.3f}."
    if got.min() < -1e-9:
        return f"A weight cannot be negative, one of yours is {got.min():.3f}."
    if sums.max() > 1 + 1e-3:
        return f"A row can sum to 1 at most, since the sink takes its share; one of yours sums to {sums.max():.3f}."
    return None


_S = np.array([[0.0, 0.0, 1.0, 0.0], [2.0, -1.0, 0.5, 0.0]])


def _as_they_come(scores, sink):
    """Powers of each score minus the largest so far, added up as they come; the sink comes first."""
    largest = np.maximum(np.maximum.accumulate(scores, axis=-1), sink)
    return np.exp(scores - largest[..., -1:]) / (1 + _sums(np.exp(scores - largest)))


_INF = np.inf

SINK = Exercise(
    name="softmax_with_sink",
    stages={"powers after the largest of row and sink is taken off": _below_both},
    solve=softmax_with_sink,
    cases=[
        (_S, 1.0),
        (_S, 0.0),
        (np.array([[3.0, 1.0, 2.0], [-2.0, -2.0, -2.0], [0.5, 0.0, 4.0]]), -1.5),
        (np.array([[0.0, -_INF, 1.0], [1.0, 2.0, -_INF]]), 0.5),
        (np.array([[1000.0, 999.0], [-1000.0, -1001.0]]), 1.0),
        (np.array([[0.0, 1.0], [3.0, 2.0]]), 1000.0),
        (np.array([[-_INF, -_INF, -_INF], [0.0, 1.0, 2.0]]), 0.0),
        (np.array([[-_INF, -_INF]]), 2.0),
        whole((np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 0.0]]), 1)),
        (np.array([[1.0], [0.0]]), 0.5),
        (np.array([[0.0, 1.0], [3.0, 2.0]]), -1000.0),
        (np.array([[-1000.0, -1001.0]]), -1000.0),
    ],
    mistakes={
        "This is softmax without the sink: its power belongs in the sum below the line. Added to the scores it does nothing.": lambda s, z: (
            _powers(s) / _sums(_powers(s))
        ),
        "The sink's score itself was added to the sum; its power belongs there, with the same taken off as off the scores.": [
            lambda s, z: np.exp(s) / (_sums(np.exp(s)) + z),
            lambda s, z: _powers(s) / (_sums(_powers(s)) + z),
            lambda s, z: _below_both(s, z) / (_sums(_below_both(s, z)) + z),
        ],
        "The scores had their largest taken off and the sink had not: take the same number off both, exp(sink − largest).": [
            lambda s, z: _powers(s) / (_sums(_powers(s)) + np.exp(z)),
            lambda s, z: _powers(s) / (_sums(_powers(s)) + 1),
        ],
        "Scores of 1000 overflow: take off the largest first, from the scores and from the sink.": lambda s, z: (
            np.exp(s) / (_sums(np.exp(s)) + np.exp(z))
        ),
        "A large sink overflows, and a row of −∞ gives NaN: the largest must be that of the row and the sink, np.maximum(scores.max(axis=-1, keepdims=True), sink).": lambda s, z: (
            _powers(s) / (_sums(_powers(s)) + np.exp(z - s.max(axis=-1, keepdims=True)))
        ),
        "One number taken off for the whole matrix lets small rows vanish: take off the largest of each row.": lambda s, z: (
            (lambda top: _powers(s, top) / (_sums(_powers(s, top)) + np.exp(z - top)))(max(s.max(), z))
        ),
        "The sink was given its weight as a column of its own; the weights have the shape of the scores: [..., :-1].": (
            lambda s, z: softmax(_beside(s, z))
        ),
        "The first column was left out instead of the sink's: the sink stands last.": lambda s, z: softmax(
            _beside(s, z)
        )[..., 1:],
        Symptom(
            "The sink's power is missing from the sum that the rows are divided by, which gives it no share: add it there."
        ): lambda s, z: (lambda w: w / _sums(w))(softmax(_beside(s, z))[..., :-1]),
        patterns.SO_FAR: lambda s, z: (lambda powers, own: powers / (own + np.cumsum(powers, axis=-1)))(
            _below_both(s, z), np.exp(z - np.maximum(s.max(axis=-1, keepdims=True), z))
        ),
        "The sink's score stands in the place of the first key's; it is one score more, beside all of them.": (
            lambda s, z: (lambda w: np.where(np.arange(s.shape[-1]) > 0, w, 0))(
                softmax(np.concatenate([np.full_like(s[..., :1], z), s[..., 1:]], axis=-1))
            )
        ),
        "The sink takes the same share of every row, 1 / (1 + e^−sink); how much it gets depends on the row's scores: its power belongs in their sum.": [
            lambda s, z: softmax(s) / (1 + np.exp(z)),
            lambda s, z: softmax_with_sink(s, -1e6) / (1 + np.exp(z)),
        ],
        patterns.LARGER: _as_they_come,
        "The sum runs down the columns; each query's row shares with the sink.": lambda s, z: (
            np.exp(s) / (np.exp(s).sum(axis=0, keepdims=True) + np.exp(z))
        ),
        "Cutting large scores off makes different scores equal. Subtract the largest of row and sink instead.": lambda s, z: (
            softmax(np.clip(_beside(s, z), -50, 50))[..., :-1]
        ),
        "The sink counts once for each key; it is one score more, not as many as there are keys.": [
            lambda s, z: np.exp(s) / (_sums(np.exp(s)) + s.shape[-1] * np.exp(z)),
            lambda s, z: softmax(_beside(s, z, s.shape[-1]))[..., : s.shape[-1]],
        ],
    },
    praise="Right: rows fall short of 1 by the sink's share, and a query with nothing to see has an answer, all 0.",
    explain=_explain,
    hint=lambda error, scores, sink: (
        "A row of −∞ is no error here: with a sink beside it there is something to share."
        if np.isneginf(scores).all(axis=-1).any()
        else "np.append wants a column for a whole matrix: np.full((len(scores), 1), sink), joined along axis=-1."
        if isinstance(error, ValueError) and scores.ndim > 1
        else None
    ),
)
