"""The exercise on rows that sum to less than 1."""

import numpy as np

from helpers.since_2017.softmax_variants import softmax_with_sink
from rooms.shared import edits
from workbench import whole


def _explain(got, want, scores, sink):
    sums = got.sum(axis=-1)
    if (
        np.abs(sums - 1).max() < 1e-3 < np.abs(want.sum(axis=-1) - 1).max() and abs(sink) < 100
    ):  # where it might be rounding
        return f"Every row of yours sums to 1; with a sink of {sink:g}, one of them must sum to {want.sum(axis=-1).min():.3f}."
    if got.min() < -1e-9:
        return f"A weight cannot be negative, one of yours is {got.min():.3f}."
    if sums.max() > 1 + 1e-3:
        return f"A row can sum to 1 at most, since the sink takes its share; one of yours sums to {sums.max():.3f}."
    return None


_S = np.array([[0.0, 0.0, 1.0, 0.0], [2.0, -1.0, 0.5, 0.0]])


_INF = np.inf

SINK = edits.exercise(
    """
def softmax_with_sink(scores, sink):
    largest = np.maximum(scores.max(axis=-1, keepdims=True), sink)
    powers = np.exp(scores - largest)
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(sink - largest))
""",
    names={"helper": softmax_with_sink},
    remakes=(softmax_with_sink,),
    cases=[
        (_S, 1.0), (_S, 0.0), (np.array([[3.0, 1.0, 2.0], [-2.0, -2.0, -2.0], [0.5, 0.0, 4.0]]), -1.5),
        (np.array([[0.0, -_INF, 1.0], [1.0, 2.0, -_INF]]), 0.5),
        (np.array([[1000.0, 999.0], [-1000.0, -1001.0]]), 1.0), (np.array([[0.0, 1.0], [3.0, 2.0]]), 1000.0),
        (np.array([[-_INF, -_INF, -_INF], [0.0, 1.0, 2.0]]), 0.0), (np.array([[-_INF, -_INF]]), 2.0),
        whole((np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 0.0]]), 1)), (np.array([[1.0], [0.0]]), 0.5),
        (np.array([[0.0, 1.0], [3.0, 2.0]]), -1000.0), (np.array([[-1000.0, -1001.0]]), -1000.0),
    ],
    mistakes="""
np.maximum(scores.max(axis=-1, keepdims=True), sink) => scores.max(axis=-1, keepdims=True) ;; + np.exp(sink - largest) => | This is softmax without the sink: its power belongs in the sum below the line. Added to the scores it does nothing.
- largest => ;; np.exp(sink ) => sink | The sink's score itself was added to the sum; its power belongs there, with the same taken off as off the scores.
np.maximum(scores.max(axis=-1, keepdims=True), sink) => scores.max(axis=-1, keepdims=True) ;; np.exp(sink - largest) => sink |
np.exp(sink - largest) => sink |
sink - largest => sink | The scores had their largest taken off and the sink had not: take the same number off both, exp(sink − largest).
np.maximum(scores.max(axis=-1, keepdims=True), sink) => scores.max(axis=-1, keepdims=True) ;; sink - largest => sink | The scores had their largest taken off and the sink had not: take the same number off both, exp(sink − largest).
np.maximum(scores.max(axis=-1, keepdims=True), sink) => scores.max(axis=-1, keepdims=True) ;; np.exp(sink - largest) => 1 | The sink has no say: its power, exp(sink − largest), belongs where the 1 was added.
np.exp(sink - largest) => 1 | The sink has no say: its power, exp(sink − largest), belongs where the 1 was added.
- largest => ;; np.exp(sink ) => 1 | The sink has no say: its power belongs where the 1 was added.
- largest => | Scores of 1000 overflow: take off the largest first, from the scores and from the sink.
np.maximum(scores.max(axis=-1, keepdims=True), sink) => scores.max(axis=-1, keepdims=True) | A large sink overflows, and a row of −∞ gives NaN: the largest must be that of the row and the sink, np.maximum(scores.max(axis=-1, keepdims=True), sink).
np.maximum(scores.max(axis=-1, keepdims=True), sink) => max(scores.max(), sink) | One number taken off for the whole matrix lets small rows vanish: take off the largest of each row.
=> softmax(np.concatenate([scores, np.full_like(scores[..., :1], sink, dtype=float)], axis=-1)) | The sink was given its weight as a column of its own; the weights have the shape of the scores: [..., :-1].
=> softmax(np.concatenate([scores, np.full_like(scores[..., :1], sink, dtype=float)], axis=-1))[..., 1:] | The first column was left out instead of the sink's: the sink stands last.
=> powers / powers.sum(axis=-1, keepdims=True) | Each row was divided by the sum of its own powers, so that it sums to 1: the sink's power belongs in that sum. Where softmax has counted it, only leave its column out, and divide no more.
=> powers / powers.sum(axis=-1, keepdims=True) + np.exp(sink - largest) | Brackets are missing: the sink's power is added to the sum below the line, not to the weights.
=> softmax(np.concatenate([np.full_like(scores[..., :1], sink, dtype=float), scores], axis=-1))[..., :-1] | The last key's column was left out instead of the sink's, which stands first here: [..., 1:].
=> softmax(np.concatenate([scores, np.full_like(scores[..., :1], -sink, dtype=float)], axis=-1))[..., :-1] | The sign of the sink is turned: its score stands beside the others as it is.
=> softmax(np.concatenate([scores, np.zeros_like(scores[..., :1])], axis=-1))[..., :-1] | The sink's score has no say: it was taken as 0.
powers.sum(axis=-1, keepdims=True) => np.cumsum(powers, axis=-1) | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
- largest => ;; axis=-1, keepdims=True) + => axis=0, keepdims=True) + | The sum runs down the columns; each query's row shares with the sink.
powers.sum(axis=-1 => powers.sum(axis=0 |
- largest => ;; np.exp(sink ) => scores.shape[-1] * np.exp(sink) | The sink counts once for each key; it is one score more, not as many as there are keys.
np.exp(sink - largest) => scores.shape[-1] * np.exp(sink - largest) |
=> np.where(np.isneginf(scores).any(axis=-1, keepdims=True), 0, powers / (powers.sum(axis=-1, keepdims=True) + np.exp(sink - largest))) | One −∞ empties the whole row; only a row of nothing but −∞ has no weights: .all, not .any.
np.exp(sink - largest) => np.exp(largest - sink) | The sink's power is upside down: exp(sink − largest).
=> (powers + np.exp(sink - largest)) / (powers.sum(axis=-1, keepdims=True) + np.exp(sink - largest)) | The sink's power was added above the line, too; it belongs in the sum below alone.
""",
    praise="Right: rows fall short of 1 by the sink's share, and a query with nothing to see has an answer, all 0.",
    explain=_explain,
    hint=lambda error, scores, sink: (
        "A row of −∞ is no error here: with a sink beside it there is something to share."
        if np.isneginf(scores).all(axis=-1).any()
        else "np.append wants a column for a whole matrix: np.full((len(scores), 1), sink), joined along axis=-1."
        if isinstance(error, ValueError) and scores.ndim > 1
        else None
    ),
)  # fmt: skip
