"""Exercises on scores, weights and outputs."""

import numpy as np

from helpers.attention import softmax
from helpers.checks import edits
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise


def _explain_weights(got, want, *arguments):
    sums = got.sum(axis=-1)
    worst = sums.flat[np.argmax(np.abs(sums - 1))]
    if abs(worst - 1) > 1e-3:
        return f"The weights along the last axis must sum to 1, yours sum to {worst:.3f}."
    if got.min() < 0:
        return f"A weight is a share and cannot be negative, yours goes down to {got.min():.3f}."
    return None


_SOFTMAX = edits.solution(
    """
def softmax(scores):
    scores = np.asarray(scores, dtype=float)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
""",
)
SOFTMAX = Exercise(
    name="softmax",
    stages=edits.stages(_SOFTMAX, powers_after_the_largest_score_is_taken_off="powers"),
    solve=_SOFTMAX,
    remakes=(softmax,),
    cases=[
        (np.array([0.0, 0.0, 1.0, 0.0]),),
        (np.array([[0.0, 1.0, 3.0], [2.0, 2.0, -1.0], [0.5, 0.0, 1.5]]),),
        (np.array([[1.0, 2.0, 4.0, 0.0, 1.0], [0.0, 3.0, 1.0, 1.0, -2.0]]),),
        (np.arange(30.0).reshape(2, 3, 5) % 7 / 2,),
        (np.array([1000.0, 1001.0, 998.0]),),
        (np.array([[1000.0, 1001.0], [0.0, 1.0]]),),
        (np.array([-1000.0, -1001.0]),),
        (np.array([0.0, 1000.0, -1000.0]),),
        (np.array([[3000.0, 0.0], [0.0, 1.0]]),),
        whole((np.array([0.0, 0.0, 1.0, 0.0]),)),
        (np.array([[[0.0, 2.0, 1.0]], [[1.0, 0.0, 1.0]]]),),
        (np.array([[[1000.0, 1001.0], [0.0, 1.0]], [[-1000.0, -999.0], [2.0, 0.0]]]),),
        (np.array([[0.0, 1.0, 1000.0], [1000.0, 1.0, 0.0]]),),
        (np.arange(24.0).reshape(2, 1, 4, 3) % 5,),
    ],
    mistakes=edits.mistakes(
        _SOFTMAX,
        """
- scores.max(axis=-1, keepdims=True) => | Scores of 1000 overflow: e^1000 is larger than any float. Subtract the largest score first; the shares stay the same.
max(axis=-1, keepdims=True) => max() | The largest score was taken over the whole array: a row far below it becomes 0/0. Take the largest of each row: scores.max(axis=-1, keepdims=True).
scores.max(axis=-1, keepdims=True) => scores.max(axis=-1) | The rows were shifted by one another's largest scores: take scores.max(axis=-1, keepdims=True), so that each row keeps its own.
scores.max(axis=-1, keepdims=True) => scores.max(axis=0) | The largest scores were taken down the columns: each row needs its own, scores.max(axis=-1, keepdims=True).
scores.max => scores.min | The smallest score was subtracted: the largest then grows even larger and overflows. Subtract the largest.
scores.max(axis=-1, keepdims=True) => scores.min() |
scores.max => scores.mean | The mean was subtracted: a score far above it still overflows. Subtract the largest score.
scores.max => np.abs(scores).max | The largest absolute value was subtracted: where all scores are -1000, every power is then 0. Subtract the largest score itself.
axis=-1 => axis=0 | The sum ran down the columns: weights must sum to 1 along the last axis, axis=-1.
powers.sum(axis=-1 => powers.sum(axis=0 ;; - scores.max(axis=-1, keepdims=True) => |
np.exp(scores - scores.max(axis=-1, keepdims=True)) => scores | The scores were divided by their sum without exp: softmax takes e to the power of each score.
=> scores / scores.sum() | The scores were divided by the sum of the whole array, without exp: softmax takes e to the power of each score and divides by the sum of the row.
=> np.exp(scores) / scores.sum(axis=-1, keepdims=True) | The powers were divided by the sum of the scores; divide by the sum of the powers.
=> np.exp(scores) | These are powers that were not divided by their sum: they do not sum to 1.
=> powers |
=> np.exp(scores - scores.max()) |
np.exp( => 3.0 ** ( | Base 3 was the stand-in of the example; softmax takes powers of e = 2.718, np.exp.
np.exp( => 2.0 ** ( | These are powers of 2; softmax takes powers of e = 2.718, np.exp.
np.exp( => 10.0 ** ( | These are powers of 10; softmax takes powers of e = 2.718, np.exp.
=> np.log(powers / powers.sum(axis=-1, keepdims=True)) | This is the logarithm of softmax: leave out the log.
=> 1 / (1 + np.exp(-scores)) | This is a sigmoid, one score at a time; softmax divides by the sum over all scores.
=> (scores == scores.max(axis=-1, keepdims=True)).astype(float) | This is a hard choice: all the weight on the largest score. Softmax leaves every score a share.
=> np.eye(scores.shape[-1])[scores.argmax(axis=-1)] |
=> np.exp(scores) / np.exp(scores).max(axis=-1, keepdims=True) | The powers were divided by the largest one; divide by their sum.
np.exp(scores - scores.max(axis=-1, keepdims=True)) => np.exp(scores) - np.exp(scores).max(axis=-1, keepdims=True) | The largest power was subtracted from the powers: subtract the largest score from the scores, before np.exp.
powers.sum(axis=-1, keepdims=True) => np.cumsum(powers, axis=-1) | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
=> np.exp(scores) / scores.shape[-1] | The powers were divided by the number of scores; divide by their sum.
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, -50, 50) | Cutting large scores off makes different scores equal. Subtract the largest score instead.
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, None, 50) |
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, -709, 709) |
scores - scores.max(axis=-1, keepdims=True) => np.clip(scores, None, 709) |
scores - scores.max( => scores / scores.max( | The scores were divided by the largest one; subtract it: that leaves the shares as they are.
scores - scores.max( => scores / np.abs(scores).max( |
""",
    ),
    hint=lambda error, scores: (
        "Python's own max and sum take the numbers of one row; a matrix has many rows, and each needs its own."
        if "truth value" in str(error) and scores.ndim > 1
        else "A single row has one axis, and what is taken of it, its largest score or its sum, has none: keepdims=True keeps an axis, however many there are."
        if isinstance(error, IndexError) and scores.ndim == 1
        else None
    ),
    praise="Right, also for scores of 1000: rows sum to 1, and nothing overflows.",
    explain=_explain_weights,
    sorts=(
        "a single row",
        *["a matrix or more axes"] * 3,
        *["scores of 1000"] * 5,
        "a single row",
        "a matrix or more axes",
        *["scores of 1000"] * 2,
        "a matrix or more axes",
    ),
)


_FOUR = np.array([[2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])


def _explain_rows(got, want):
    off = np.argwhere(np.abs(got - want) > 1.2e-3) + 1
    row, feature = (int(i) for i in off[0])
    if len(off) == 1:
        return f"All numbers are right but one: feature {feature} of token {row + 1}."
    if abs(got[row - 1].sum() - want[row - 1].sum()) < 3e-3:
        return f"Token {row + 1}: the sum of the row is right, and {np.sum(off[:, 0] == row)} numbers are not; feature {feature} is the first."
    shares = got[row - 1] @ np.linalg.pinv(_FOUR)
    if np.allclose(shares @ _FOUR, got[row - 1], atol=5e-3) and abs(shares.sum() - 1) > 0.01:
        return f"Token {row + 1}: these numbers mix the tokens by weights that sum to {shares.sum():.3f}; they must sum to 1."
    return f"Feature {feature} of token {row + 1} is the first that is off. Check its scores, then its powers of 3 and their sum."


_OUTPUT_ROWS = edits.solution(
    """
def output_rows():
    scores = X @ X.T / 2
    powers = 3.0**scores
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return (weights @ X)[1:]
""",
    X=_FOUR,
)
OUTPUT_ROWS = Exercise(
    name="output_rows",
    solve=_OUTPUT_ROWS,
    cases=[()],
    mistakes=edits.mistakes(
        _OUTPUT_ROWS,
        """
[1:] => | Those are all three rows; only tokens 2 and 3 are asked for.
[1:] => [:2] | Those are tokens 1 and 2; tokens 2 and 3 are asked for, counted from 1.
[1:] => [:0:-1] | The rows are in the wrong order: token 2 first, then token 3.
[1:] => [1:].T | Rows and columns are exchanged: one row for each token, one column for each feature.
/ 2 => | The scores were not divided by √d_k.
/ 2 => / 4 | The scores were divided by d_k; divide by its root.
/ 2 => / 3**0.5 | The scores were divided by √3, and 3 counts tokens; d_k counts features.
/ 2 => / 2**0.5 | The scores were divided by √2, as in the lesson; here a token has four features.
/ 2 => / 0.5 | The scores were multiplied by √d_k; divide by it.
3.0** => np.e** | Those are the values in base e; take powers of 3.
powers / powers.sum(axis=-1, keepdims=True) => scores | The scores were used as weights: their powers, divided by the sum of the row, come between.
powers / powers.sum(axis=-1, keepdims=True) => powers | The powers were not divided by the sum of their row.
axis=-1 => axis=0 | The powers were divided by the sums of the columns; each row of the weights sums to 1.
=> weights[1:] | Those are weights; the outputs are the tokens mixed by them, four features each.
=> scores[1:] | Those are scaled scores; powers, weights and the mixture of the tokens follow.
powers / powers.sum(axis=-1, keepdims=True) => np.full((3, 3), 1 / 3) | Every token got the same share; use the weights of its own row.
=> X[1:] | Those are the tokens themselves; mix them by the weights.
""",
    ),
    praise="Right, to the last digit: what you did is all that attention does.",
    explain=_explain_rows,
    by_hand=True,
    tolerance=1.2e-3,  # three decimals on paper, twice rounded
)

_WEIGHTS, _OUTPUT = np.array([9.0, 3.0, 1.0]) / 13, np.array([21 / 13, 1.0, 1.0, 0.0])


def _fault_of_tokens(results):
    """What token 1 makes of two tokens that somebody chose, if that is not what was asked, else None."""
    chosen = results[0].astype(float)
    if chosen.shape != (2, 4):
        return f"two_tokens must have shape (2, 4), two tokens of four features, got {chosen.shape}."
    if not np.isfinite(chosen).all():
        return "two_tokens must be finite numbers."
    tokens = np.vstack([_FOUR[0], chosen])
    scores = tokens @ _FOUR[0] / 2
    weights = softmax(scores, base=3)
    if not np.allclose(weights, _WEIGHTS, atol=1.2e-3):
        if np.allclose(weights[[0, 2, 1]], _WEIGHTS, atol=1.2e-3):
            return "Tokens 2 and 3 stand in each other's place."
        said = [np.array2string(part, precision=3, separator=", ") for part in (scores, weights)]
        return f"Token 1 scores the three tokens {said[0]}, which makes the weights {said[1]}; 9/13, 3/13, 1/13 are asked for."
    output = weights @ tokens
    feature = int(np.argmax(np.abs(output - _OUTPUT)))
    if abs(output[feature] - _OUTPUT[feature]) < 3e-3:
        return None
    return f"The weights are right. Feature {feature + 1} of the output is {output[feature]:.3f}; {_OUTPUT[feature]:g} is asked for."


TWO_TOKENS = Exercise(
    name="two_tokens",
    solve=lambda: np.array([[1.0, 4.0, 4.0, 0.0], [0.0, 1.0, 1.0, 0.0]]),
    cases=[()],
    mistakes={},
    accepts=_fault_of_tokens,
    praise=lambda results: "Right: one feature of each token was for being found, the others are what it hands over.",
    by_hand=True,
)
