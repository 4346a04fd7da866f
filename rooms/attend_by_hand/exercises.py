"""Exercises with pencil and paper, and on words that look at each other by what they share."""

import numpy as np

from rooms.shared import edits
from rooms.shared.she import IDENTITY, SHE, X, she, titled
from workbench import Axes, Drawn, like, whole

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


OUTPUT_ROWS = edits.exercise(
    """
def output_rows():
    scores = X @ X.T / 2
    powers = 3.0**scores
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return (weights @ X)[1:]
""",
    names={"X": _FOUR},
    cases=[()],
    mistakes="""
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
powers / powers.sum(axis=-1, keepdims=True) => scores / scores.sum(axis=-1, keepdims=True) | The scores were divided by their sum; take powers of 3 of them first.
powers / powers.sum(axis=-1, keepdims=True) => powers | The powers were not divided by the sum of their row.
axis=-1 => axis=0 | The powers were divided by the sums of the columns; each row of the weights sums to 1.
=> weights[1:] | Those are weights; the outputs are the tokens mixed by them, four features each.
=> scores[1:] | Those are scaled scores; powers, weights and the mixture of the tokens follow.
powers / powers.sum(axis=-1, keepdims=True) => np.full((3, 3), 1 / 3) | Every token got the same share; use the weights of its own row.
=> X[1:] | Those are the tokens themselves; mix them by the weights.
""",
    praise="Right: what you did is all that attention does.",
    explain=_explain_rows,
    by_hand=True,
    tolerance=1.2e-3,  # three decimals on paper, twice rounded
)

# --- mix what is similar ---------------------------------------------------------------------------------------------

MIX_SIMILAR = edits.exercise(
    """
def mix_similar(X):
    scores = X @ X.T / math.sqrt(X.shape[-1])
    return softmax(scores) @ X
""",
    cases=[
        (np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),),
        (np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 0.5], [0.5, 1.5, 1.0], [0.2, 0.0, -1.0]]),),
        (np.array([[0.5, -1.0, 0.0, 1.0, 0.3], [1.5, 0.2, 1.0, 0.0, -0.4]]),),
        (np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 0.7], [-1.2, 0.1]]),),
        whole((np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),)),
        (np.array([[1.0], [0.5], [2.0]]),),
    ],
    mistakes="""
=> scores | These are the scores; softmax and the mixture of the tokens follow.
=> softmax(scores) | These are the weights; the outputs are the tokens mixed by them: weights @ X.
=> X | Those are the tokens themselves; each output mixes all of them, weights[i, j] times X[j].
softmax(scores) => softmax(scores, axis=0) | What mixes each output does not sum to 1: softmax ran down the columns (axis=0), the weights are turned (weights.T), or their sums lost the axis (keepdims=True).
softmax(scores) => (np.exp(scores) / np.exp(scores).sum()) | Softmax ran over the whole matrix: each token's row of weights must sum to 1.
softmax(scores) => (lambda p: p / p.sum())(np.exp(scores - scores.max(axis=-1, keepdims=True))) |
=> X.T @ softmax(scores) | Weights stand on the left: weights @ X, so that row i mixes the tokens by token i's weights.
X @ X.T => 2 * X @ X.T | Each score is twice the dot product: of the sum of two squares less the distance, take half.
/ math.sqrt(X.shape[-1]) => | The scores were not divided by √d, the root of the number of features.
/ math.sqrt(X.shape[-1]) => / X.shape[-1] | The scores were divided by the number of features; divide by its root.
math.sqrt(X.shape[-1]) => math.sqrt(len(X)) | The scores were divided by the root of the number of tokens; what counts is how many features a token has.
/ math.sqrt(X.shape[-1]) => / math.sqrt(2) | The scores were divided by √2, as in the lesson; divide by the root of however many features there are.
softmax(scores) => softmax(np.where(np.eye(len(X), dtype=bool), -np.inf, scores)) | A token may look at itself, too: x · x is one of the scores.
softmax(scores) => softmax(scores - np.diag(np.diag(scores))) | The score of each token with itself was left at 0: x · x is one of the scores.
=> softmax(scores @ X) | Softmax came last, over what was mixed; it makes weights of the scores, and the weights mix the tokens.
X @ X.T => X @ X.T / np.linalg.norm(X, axis=-1) / np.linalg.norm(X, axis=-1, keepdims=True) | The tokens were brought to length 1 first (cosine similarity); here the dot product counts as it is, divided by √d alone.
X @ X.T / math.sqrt(X.shape[-1]) => X @ X.T / np.linalg.norm(X, axis=-1) / np.linalg.norm(X, axis=-1, keepdims=True) |
X @ X.T => -((X[:, None] - X) ** 2).sum(axis=-1) | The tokens were compared by distance; here similarity is the dot product.
X @ X.T => -np.linalg.norm(X[:, None] - X, axis=-1) |
=> (softmax(scores) @ X).T | The output is transposed: a row for each token.
softmax(scores) => (lambda p: p / p.sum(axis=-1, keepdims=True))(np.exp(scores - scores.max(axis=1))) | The rows lost their axis where the largest score was subtracted: with keepdims=True each row keeps its own.
softmax(scores) @ X => softmax(X @ X.T) / math.sqrt(X.shape[-1]) @ X | The weights were divided by the root after softmax; divide the scores before it.
=> np.stack([X := np.vstack([X[:t], softmax(X @ X[t] / math.sqrt(X.shape[-1])) @ X, X[t + 1 :]]) for t in range(len(X))])[-1] | Later tokens look at outputs in place of tokens: put the outputs into an array of their own.
""",
    steps="softmax",
    praise="Right: every token looks at every token. If loops do it, put X @ X.T in their place and check again.",
    explain=lambda got, want, X: _outside(got, X),
    hint=lambda error, X: _hint(error),
)


def _outside(got, X):
    gap = np.maximum(got - X.max(axis=0), X.min(axis=0) - got)
    if gap.max() < 1e-6:
        return None
    i, j = np.unravel_index(np.argmax(gap), gap.shape)
    return f"A mixture stays between the tokens: feature {j} lies in {X[:, j].min():g} to {X[:, j].max():g}, yours has {got[i, j]:.3f} in row {i} (counted from 0)."


def _hint(error):
    text = str(error)
    if "matmul" in text or "not aligned" in text:
        return "X @ X.T gives one score for each pair of tokens; the weights then stand left of X."
    return None


# --- drawn with the answer ------------------------------------------------------------------------------------------

_CORNERS = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.6]])


def _shares_of(answer):
    """Of what tokens 2 and 3 are mixed: two points in the triangle of the three tokens."""
    rows = answer() if callable(answer) else answer
    return like(rows, (2, 4)) @ np.linalg.pinv(_FOUR)


def _triangle(made, caption, wrong):
    sketch = Axes(340, None, (-0.7, 2.7), (-0.4, 2.0)).sketch()
    sketch.area(_CORNERS)
    for k, corner in enumerate(_CORNERS):
        sketch.dot(corner, "key", f"token {k + 1}")
    told = []
    for k, (shares, off) in enumerate(zip(made, wrong)):
        name = f"y{k + 2}{' ✗' if off.any() else ''}"
        role = "wrong" if off.any() else "output"
        if not sketch.beyond(shares @ _CORNERS, name, role):
            sketch.diamond(shares @ _CORNERS, name, role)
        told.append(f"{name} is made of " + ", ".join(f"{share:.2f}" for share in shares))
    return titled(caption, wrong, sketch.html(f"{caption}: {'; '.join(told)} of tokens 1, 2 and 3."))


def _mixed(mix_similar):
    """How much of each word is in She, read off what the words say of themselves."""
    words = np.hstack([X, IDENTITY])
    return like(mix_similar(words), words.shape)[SHE, X.shape[1] :]


OUTPUT_ROWS_DRAWN = Drawn("output_rows", _shares_of, _triangle, "Two mixtures of three tokens")
MIX_SIMILAR_DRAWN = she("mix_similar", _mixed, "what is like her")
