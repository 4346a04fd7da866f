"""Exercises on mixing tokens by similarity."""

import numpy as np

from helpers.checks import edits
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise

_SOLVE = edits.solution(
    """
def mix_similar(X):
    scores = X @ X.T
    return attention.softmax(scores) @ X
""",
)
MIX_SIMILAR = Exercise(
    name="mix_similar",
    stages=edits.stages(_SOLVE, scores="scores", weights="attention.softmax(scores)"),
    solve=_SOLVE,
    cases=[
        (np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),),
        (np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 0.5], [0.5, 1.5, 1.0], [0.2, 0.0, -1.0]]),),
        (np.array([[0.5, -1.0, 0.0, 1.0, 0.3], [1.5, 0.2, 1.0, 0.0, -0.4]]),),
        (np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 0.7], [-1.2, 0.1]]),),
        whole((np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),)),
        (np.array([[1.0], [0.5], [2.0]]),),
    ],
    mistakes=edits.mistakes(
        _SOLVE,
        """
=> scores | These are the scores; softmax and the mixture of the tokens follow.
=> attention.softmax(scores) | These are the weights; the outputs are the tokens mixed by them: weights @ X.
softmax(scores) => softmax(scores, axis=0) | ~ What mixes each output does not sum to 1: take one row of the weights for each token that looks, softmax along axis=-1.
X @ X.T => (X[:, None] * X > 0).sum(axis=-1) | This counts the features in which two tokens agree; a dot product adds up their products, large and small ones.
X @ X.T => (X[:, None] == X).sum(axis=-1) |
attention.softmax(scores) => scores | The scores were used as weights: softmax comes between them.
attention.softmax(scores) => (scores / scores.sum(axis=-1, keepdims=True)) | The scores were divided by their sum: softmax takes e to the power of each score first.
X @ X.T => X @ X.T / math.sqrt(X.shape[1]) | The scores were divided by √d. Here the dot products count as they are.
softmax(scores) => softmax(scores, base=3) | Base 3 was the stand-in of lesson 01; take softmax with e.
softmax(scores) => softmax(np.where(np.eye(len(X), dtype=bool), -np.inf, scores)) | A token may look at itself, too: x · x is one of the scores.
softmax(scores) => softmax(scores - np.diag(np.diag(scores))) | ~ The score of each token with itself was left at 0: x · x is one of the scores.
=> X | ~ Those are the tokens themselves; mix them by the weights.
X @ X.T => X @ X.T / np.linalg.norm(X, axis=-1) / np.linalg.norm(X, axis=-1, keepdims=True) | The tokens were brought to length 1 first (cosine similarity); here the dot product counts as it is.
X @ X.T => -((X[:, None] - X) ** 2).sum(axis=-1) | The tokens were compared by distance; here similarity is the dot product.
""",
    ),
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
