"""The exercise on heads that copy: a score that finds them."""

import numpy as np

from helpers import decoder
from helpers.attention import softmax
from helpers.checks.exercise import Exercise


def _map(num_tokens, seed):
    scores = np.random.default_rng(seed).normal(size=(num_tokens, num_tokens))
    return softmax(np.where(np.tri(num_tokens, dtype=bool), scores, -np.inf))


def _copies(period, repeats=2):
    """A head that copies, and looks at the first token where there is nothing to copy."""
    n = repeats * period
    return np.eye(n)[[max(i - period + 1, 0) if i >= period else 0 for i in range(n)]]


def _looks(weights, period, back):
    """The weights on the token `back` places before, of all queries from the period on."""
    return np.array([weights[i, i - back] for i in range(period, len(weights))])


INDUCTION_SCORE = Exercise(
    name="induction_score",
    solve=decoder.induction_score,
    cases=[(_copies(3), 3), (_map(7, 1), 3), (_map(9, 2), 4), (_map(6, 3), 2), (_copies(4, 3), 4), (_map(5, 4), 1)],
    sorts=("a head that copies", "other heads", "other heads", "other heads", "a head that copies", "period 1"),
    mistakes={
        "That is the same token one period ago. The one to copy came right after it: weights[i, i - period + 1].": lambda w, P: (
            _looks(w, P, P).mean()
        ),
        "That is the token before the one that repeats. The one to copy came after it: weights[i, i - period + 1].": lambda w, P: (
            _looks(w, P, P + 1).mean()
        ),
        "The query at period - 1 is counted, too. What it looks at is the first token, before anything repeats; start at i = period.": lambda w, P: (
            np.diagonal(w, 1 - P).mean()
        ),
        "This is the sum. Take the mean, or a longer text scores higher.": lambda w, P: _looks(w, P, P - 1).sum(),
        "The sum is divided by all tokens. Only the n - period queries from i = period on count.": lambda w, P: (
            _looks(w, P, P - 1).sum() / len(w)
        ),
        "Rows are queries. This reads weights[i - period + 1, i], which is the future, and always 0 here.": lambda w, P: (
            _looks(w.T, P, P - 1).mean()
        ),
        "This looks at the token right before. The one to copy is at i - period + 1.": lambda w, P: _looks(
            w, P, 1
        ).mean(),
        "This is what each token gives to itself. The one to copy is at i - period + 1.": lambda w, P: _looks(
            w, P, 0
        ).mean(),
        "These are the weights of the single queries. Return their mean, one number.": lambda w, P: _looks(w, P, P - 1),
        "This is the share of queries that look there most. Take the mean of the weights.": lambda w, P: np.mean(
            w[P:].argmax(axis=1) == np.arange(P, len(w)) - P + 1
        ),
        "This is the largest of these weights. One lucky query is not a habit; take the mean.": lambda w, P: _looks(
            w, P, P - 1
        ).max(),
    },
    praise="Right. In a moment it goes through all the heads of the model, and in lesson 22 through 270 of them.",
)
