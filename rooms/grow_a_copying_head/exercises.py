"""The exercise on heads that copy: a score that finds them."""

import numpy as np

from helpers import decoder
from helpers.attention import softmax
from helpers.learning import small_models
from rooms.shared import edits
from workbench import Drawn, labelled


def _map(num_tokens, seed):
    scores = np.random.default_rng(seed).normal(size=(num_tokens, num_tokens))
    return softmax(np.where(np.tri(num_tokens, dtype=bool), scores, -np.inf))


def _copies(period, repeats=2):
    """A head that copies, and looks at the first token where there is nothing to copy."""
    n = repeats * period
    return np.eye(n)[[max(i - period + 1, 0) if i >= period else 0 for i in range(n)]]


INDUCTION_SCORE = edits.exercise(
    """
def induction_score(weights, period):
    queries = np.arange(period, len(weights))
    return weights[queries, queries - period + 1].mean()
""",
    cases=[(_copies(3), 3), (_map(7, 1), 3), (_map(9, 2), 4), (_map(6, 3), 2), (_copies(4, 3), 4), (_map(5, 4), 1)],
    sorts=("a head that copies", "other heads", "other heads", "other heads", "a head that copies", "period 1"),
    mistakes="""
period + 1] => period] | That is the same token one period ago. The one to copy came right after it: weights[i, i - period + 1].
period + 1] => period - 1] | That is the token before the one that repeats. The one to copy came after it: weights[i, i - period + 1].
=> np.diagonal(weights, 1 - period).mean() | The query at period - 1 is counted, too. What it looks at is the first token, before anything repeats; start at i = period.
.mean() => .sum() | This is the sum. Take the mean, or a longer text scores higher.
.mean() => .sum() / len(weights) | The sum is divided by all tokens. Only the n - period queries from i = period on count.
[queries, queries - period + 1] => [queries - period + 1, queries] | Rows are queries. This reads weights[i - period + 1, i], which is the future, and always 0 here.
period + 1] => 1] | This looks at the token right before. The one to copy is at i - period + 1.
queries - period + 1] => queries] | This is what each token gives to itself. The one to copy is at i - period + 1.
.mean() => | These are the weights of the single queries. Return their mean, one number.
=> np.mean(weights[period:].argmax(axis=1) == queries - period + 1) | This is the share of queries that look there most. Take the mean of the weights.
.mean() => .max() | This is the largest of these weights. One lucky query is not a habit; take the mean.
""",
    praise="Right. In a moment it goes through all the heads of the model.",
)


# --- drawn with the answer ------------------------------------------------------------------------------------------

_TWICE = 11  # symbols, and then the same again


def _score(induction_score):
    """The scores of the eight heads of the trained model, (2, 4), on one text."""
    tokens = small_models.fresh_runs(1, _TWICE)[0]
    attention = decoder.decode(tokens, small_models.load_model("symbols"), num_heads=small_models.NUM_HEADS).attention
    return [[float(induction_score(head, _TWICE)) for head in layer.weights] for layer in attention]


INDUCTION_SCORE_DRAWN = Drawn(
    "induction_score",
    _score,
    labelled(["layer 0", "layer 1"], [f"head {k}" for k in range(small_models.NUM_HEADS)], "weights"),
    "The eight heads of the trained model on a text that repeats",
)
