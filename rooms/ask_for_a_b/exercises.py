"""Exercises on looking up: hard and soft select, and softmax."""

import numpy as np

from helpers.attention import softmax
from rooms.shared import edits
from rooms.shared.she import IDENTITY, SHE, N, column, she
from workbench import like, whole

_POWERS_OF_E = (
    "These are powers of e; here each score of 1 triples the parts: 3.0 ** score. This exercise stays with base 3."
)
_AABA = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
_VALUES = np.array([10.0, 10, 20, 10])
SOFT_SELECT = edits.exercise(
    """
def soft_select(query, keys, values):
    parts = 3.0 ** (keys @ query)
    weights = parts / parts.sum()
    return weights @ values
""",
    cases=[
        (np.array([0.0, 1.0]), _AABA, _VALUES),
        (np.array([0.0, 2.0]), _AABA, _VALUES),
        (np.array([0.5, 0.0]), _AABA, _VALUES),
        (
            np.array([1.0, -0.5, 2.0]),
            np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.5, 2.0, 0.0], [0.0, -1.0, -1.0], [1.0, 1.0, 0.2]]),
            np.array([3.0, -1.0, 4.0, 7.0, -5.0]),
        ),
        (np.array([2.0, 1.0]), np.array([[0.0, 1.0], [1.0, 0.5], [-1.0, 0.4]]), np.array([6.0, 1.0, -8.0])),
        whole((np.array([0.0, 1.0]), _AABA, _VALUES)),
        (np.array([0.5]), np.array([[1.0], [0.0], [2.0]]), np.array([1.0, 5.0, 2.0])),
    ],
    mistakes=f"""
3.0 => np.e | {_POWERS_OF_E}
=> weights | These are the weights; mix the values by them: weights @ values.
/ parts.sum() => | The powers were not divided by their sum: weights must add up to 1.
parts.sum() => np.cumsum(parts) | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
parts.sum() => len(parts) | The powers were divided by the number of keys; divide by their sum.
parts.sum() => parts.max() | The powers were divided by the largest one; divide by their sum.
=> weights @ keys | The keys were mixed; it is the values that are handed over: weights @ values.
(keys @ => (-keys @ | The sign is turned: the best key got the smallest weight.
keys @ query => keys @ query / math.sqrt(len(query)) | The scores were divided by √d_k. That comes in lesson 02; here each score counts as it is.
=> weights * values | Each value was weighted; now add them up, into one number.
=> (weights * values).mean() | The weighted values were averaged; add them up, the weights share out already.
=> [weights @ values] | The number is right, but it stands in a list or an array: return the number alone.
=> values[np.argmax(keys @ query)] | This is the hard select: the value of the best key alone. The soft one gives every key a share.
=> values.mean() | This is the plain average of the values: the query has no say. Give each key a share by its score.
=> (keys @ query) @ values | The scores were taken as weights: first raise 3 to each score, then divide by the sum.
3.0 ** => | The scores, or 3 times the scores, were divided by their sum: raise 3 to the power of each score first, 3.0 ** score.
3.0 ** (keys @ query) => (keys @ query) ** 3 | The score was raised to the power 3; it is 3 that is raised to the score: 3.0 ** scores.
3.0 ** => 2.0 ** | These are powers of 2; each score of 1 triples the parts: powers of 3.
=> np.argmax(keys @ query) | This is the place of the best key; a soft mixture of the values is asked for.
=> keys @ query | These are the scores; powers, shares and the mixture follow.
3.0 ** (keys @ query) => 3.0 ** keys @ query | Powers come before products: 3.0 ** keys @ query raises 3 to the keys first. Brackets: 3.0 ** (keys @ query).
parts.sum() => 3.0 ** (keys @ query).sum() | The powers were divided by 3 to the sum of the scores; divide by the sum of the powers.
""",
    hint=lambda error, *arguments: "keys @ query gives one score for each key." if "matmul" in str(error) else None,
    praise="Right: every key has its say, and the better ones say more.",
    explain=lambda got, want, query, keys, values: (
        f"A mixture of the values cannot leave their range, {values.min():g} to {values.max():g}; yours is {got:.3f}."
        if not values.min() - 1e-6 <= got <= values.max() + 1e-6
        else None
    ),
)


# --- softmax ---------------------------------------------------------------------------------------------------------


def _explain_weights(got, want, *arguments):
    sums = got.sum(axis=-1)
    worst = sums.flat[np.argmax(np.abs(sums - 1))]
    if abs(worst - 1) > 1e-3:
        return f"The weights along the last axis must sum to 1, yours sum to {worst:.3f}."
    if got.min() < 0:
        return f"A weight is a share and cannot be negative, yours goes down to {got.min():.3f}."
    return None


SOFTMAX = edits.exercise(
    edits.part("softmax"),
    remakes=(softmax,),
    cases=[
        (np.array([0.0, 0.0, 1.0, 0.0]),), (np.array([[0.0, 1.0, 3.0], [2.0, 2.0, -1.0], [0.5, 0.0, 1.5]]),),
        (np.array([[1.0, 2.0, 4.0, 0.0, 1.0], [0.0, 3.0, 1.0, 1.0, -2.0]]),),
        (np.arange(30.0).reshape(2, 3, 5) % 7 / 2,), (np.array([1000.0, 1001.0, 998.0]),),
        (np.array([[1000.0, 1001.0], [0.0, 1.0]]),), (np.array([-1000.0, -1001.0]),),
        (np.array([0.0, 1000.0, -1000.0]),), (np.array([[3000.0, 0.0], [0.0, 1.0]]),),
        whole((np.array([0.0, 0.0, 1.0, 0.0]),)), (np.array([[[0.0, 2.0, 1.0]], [[1.0, 0.0, 1.0]]]),),
        (np.array([[[1000.0, 1001.0], [0.0, 1.0]], [[-1000.0, -999.0], [2.0, 0.0]]]),),
        (np.array([[0.0, 1.0, 1000.0], [1000.0, 1.0, 0.0]]),), (np.arange(24.0).reshape(2, 1, 4, 3) % 5,),
        (np.array([4097.0, 4098.0]),), (np.array([70_000.0, 69_999.0]),),
    ],
    mistakes="""
scores - scores.max => np.float16(scores) - np.float16(scores).max | 16 bits are too coarse: 4097 and 4098 are one number there, and 70000 is infinite. Compute with at least 32.
np.exp(scores - scores.max(axis=-1, keepdims=True)) => np.exp((lambda s: s - s.max(axis=-1, keepdims=True))(np.float16(scores).astype(float))) |
- scores.max(axis=-1, keepdims=True) => | Scores of 1000 overflow: e^1000 is larger than any float. Subtract the largest score first; the shares stay the same.
max(axis=-1, keepdims=True) => max() | The largest score was taken over the whole array: a row far below it becomes 0/0. Take the largest of each row: scores.max(axis=-1, keepdims=True).
scores.max(axis=-1, keepdims=True) => scores.max(axis=-1) | The rows were shifted by one another's largest scores: take scores.max(axis=-1, keepdims=True), so that each row keeps its own.
scores.max(axis=-1, keepdims=True) => scores.max(axis=0) | The largest scores were taken down the columns: each row needs its own, scores.max(axis=-1, keepdims=True).
scores.max => scores.min | The smallest score was subtracted: the largest then grows even larger and overflows. Subtract the largest.
scores.max(axis=-1, keepdims=True) => scores.min() |
scores.max => scores.mean | The mean was subtracted: a score far above it still overflows. Subtract the largest score.
axis=-1 => axis=0 | The sum ran down the columns: weights must sum to 1 along the last axis, axis=-1.
powers.sum(axis=-1 => powers.sum(axis=0 ;; - scores.max(axis=-1, keepdims=True) => |
powers.sum(axis=-1, keepdims=True) => powers.sum(axis=0) |
np.exp(scores - scores.max(axis=-1, keepdims=True)) => scores | The scores were divided by their sum without exp: softmax takes e to the power of each score.
=> scores / scores.sum() | The scores were divided by the sum of the whole array, without exp: softmax takes e to the power of each score and divides by the sum of the row.
=> np.exp(scores) / scores.sum(axis=-1, keepdims=True) | The powers were divided by the sum of the scores; divide by the sum of the powers.
powers.sum(axis=-1 => scores.sum(axis=-1 |
=> np.exp(scores) | These are powers that were not divided by their sum: they do not sum to 1.
=> powers |
=> np.exp(scores - scores.max()) |
np.exp( => 3.0 ** ( | Base 3 was the stand-in of the example; softmax takes powers of e = 2.718, np.exp.
np.exp( => 3.0 ** ( ;; - scores.max(axis=-1, keepdims=True) => |
np.exp( => 2.0 ** ( | These are powers of 2; softmax takes powers of e = 2.718, np.exp.
=> np.log(powers / powers.sum(axis=-1, keepdims=True)) | This is the logarithm of softmax: leave out the log.
=> scores - scores.max(axis=-1, keepdims=True) - np.log(powers.sum(axis=-1, keepdims=True)) |
=> 1 / (1 + np.exp(-scores)) | This is a sigmoid, one score at a time; softmax divides by the sum over all scores.
=> (scores == scores.max(axis=-1, keepdims=True)).astype(float) | This is a hard choice: all the weight on the largest score. Softmax leaves every score a share.
=> np.eye(scores.shape[-1])[scores.argmax(axis=-1)] |
=> np.exp(scores) / np.exp(scores).max(axis=-1, keepdims=True) | The powers were divided by the largest one; divide by their sum.
np.exp(scores - scores.max(axis=-1, keepdims=True)) => np.exp(scores) - np.exp(scores).max(axis=-1, keepdims=True) | The largest power was subtracted from the powers: subtract the largest score from the scores, before np.exp.
powers.sum(axis=-1, keepdims=True) => powers.sum(axis=-1) | The sums of the rows lost their axis, and divide the columns: sum(axis=-1, keepdims=True).
powers.sum(axis=-1, keepdims=True) => powers.sum() | The powers were divided by the sum of the whole array; each row needs its own: sum(axis=-1, keepdims=True).
=> powers / np.exp(scores).sum(axis=-1, keepdims=True) | The largest score was taken off above the line alone, or below it alone: take it off both, or add it back to the logarithm of the sum.
=> (powers.T / powers.T.sum(axis=0)) | What comes out stands the wrong way round: a .T on the way in needs one on the way out.
powers.sum(axis=-1, keepdims=True) => (1 + powers.sum(axis=-1, keepdims=True)) | 1 was added to the sum of the powers; divide by the sum alone, so that the weights sum to 1.
powers.sum(axis=-1, keepdims=True) => np.cumsum(powers, axis=-1) | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
=> np.exp(scores) / scores.shape[-1] | The powers were divided by the number of scores; divide by their sum.
powers.sum(axis=-1, keepdims=True) => scores.shape[-1] |
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, -50, 50) | Cutting large scores off makes different scores equal. Subtract the largest score instead.
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, None, 50) |
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, -709, 709) |
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, None, 709) |
scores - scores.max( => scores / scores.max( | The scores were divided by the largest one; subtract it: that leaves the shares as they are.
scores - scores.max( => scores / np.abs(scores).max( |
, keepdims=True => | The rows lost their axis: with keepdims=True the largest score and the sum of each row stay its own.
scores - scores.max(axis=-1, keepdims=True) => scores.max(axis=-1, keepdims=True) - scores | The sign of the scores is turned: the largest one got the smallest weight. Subtract the largest from the scores, not them from it.
scores - scores.max(axis=-1, keepdims=True) => scores / scores.sum(axis=-1, keepdims=True) | The scores were divided by their sum before exp; it is the powers that are divided by theirs.
""",
    hint=lambda error, scores: (
        "Python's own max and sum take the numbers of one row; a matrix has many rows, and each needs its own."
        if "truth value" in str(error) and scores.ndim > 1
        else "A single row has one axis, and what is taken of it, its largest score or its sum, has none: keepdims=True keeps an axis, however many there are."
        if isinstance(error, IndexError) and scores.ndim == 1
        else "Where all powers of a row are 0, more than its own largest score was taken off: each row needs its own."
        if isinstance(error, ZeroDivisionError)
        else None
    ),
    praise="Right, also for scores of 1000: rows sum to 1, and nothing overflows. In your model each of 270 heads will run it for every token.",
    explain=_explain_weights,
    sorts=(
        "a single row", *["a matrix or more axes"] * 3, *["scores of 1000"] * 5, "a single row",
        "a matrix or more axes", *["scores of 1000"] * 2, "a matrix or more axes", *["scores of 1000"] * 2,
    ),
)  # fmt: skip


# --- drawn with the answer ------------------------------------------------------------------------------------------

_FEMALE = 4.0 * column("female")  # the scores of She's question


def _selected(soft_select):
    """The weights, each as what a value of 1 at this word alone comes to."""
    return np.array([like(soft_select(np.array([2.0]), column("female")[:, None], value), ()) for value in IDENTITY])


SOFTMAX_DRAWN = she(
    "softmax", lambda softmax: like(softmax(_FEMALE * column("female")[:, None]), (N, N))[SHE], "what is female"
)
SOFT_SELECT_DRAWN = she("soft_select", _selected, "what is female")
