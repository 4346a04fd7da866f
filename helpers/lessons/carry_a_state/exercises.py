"""The exercise on a state instead of a cache."""

import numpy as np

from helpers.checks import edits
from helpers.checks.cases import Watched, whole
from helpers.checks.exercise import Exercise
from helpers.variants import linear_attention, state_after


def _case(seed, num_tokens, d_k, d_v, decay):
    rng = np.random.default_rng(seed)
    return (*(rng.normal(size=(num_tokens, width)).round(1) for width in (d_k, d_k, d_v)), decay)


_X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


_SOLVE = edits.solution(
    """
def linear_attention(query, key, value, decay):
    state, rows = np.zeros((key.shape[1], value.shape[1])), []
    for q, k, v in zip(query, key, value):
        state = decay * state + np.outer(k, v)
        rows.append(q @ state)
    return np.array(rows)
""",
)
_MANY = _case(4, 7, 3, 3, 0.0)


def _makes_a_matrix(names):
    """A sentence on an N × N matrix that was made on the way, or None."""
    shape = (len(_MANY[0]),) * 2
    line = Watched.made.get(shape)
    return (
        line and f"The numbers are right, but line {line} makes a matrix of shape {shape}, which is to be done without."
    )


LINEAR = Exercise(
    name="linear_attention",
    solve=_SOLVE,
    remakes=(linear_attention, state_after),
    cases=[
        (_X, _X.copy(), _X.copy(), 1.0),
        (_X, _X.copy(), _X.copy(), 0.5),
        _case(1, 4, 3, 2, 0.9),
        _case(2, 5, 2, 5, 1.0),
        _case(3, 1, 4, 3, 0.3),
        whole((_X, _X, _X * [3, 5], 0.5)),
        _case(5, 3, 1, 1, 0.5),
        (*(part.view(Watched) for part in _MANY[:3]), _MANY[3]),
    ],
    mistakes=edits.mistakes(
        _SOLVE,
        """
state = decay * state + np.outer(k, v)⏎        rows.append(q @ state) => rows.append(q @ state)⏎        state = decay * state + np.outer(k, v) | The token reads before it has written: write first, then read.
np.zeros((key.shape[1], value.shape[1])) => np.outer(key[0], value[0]) | Token 1 is written twice, before the loop and in it: let the state begin with zeros.
decay * state => state | The state does not fade: multiply the old one by decay before the new product is added.
decay * state + np.outer(k, v) => decay * (state + np.outer(k, v)) | The new product fades as well: decay multiplies the old state alone.
decay * state + np.outer => state + decay * np.outer | The new product fades and the old state does not: it is the other way round.
+ np.outer => + (1 - decay) * np.outer | This is a moving average: the new product must count in full, not only 1 − decay of it.
decay * state + => | The state is the last token's product alone: add it to what was there.
=> query @ state | ~ Every query reads from the last state: a token may not see what comes after it.
state = decay * state + np.outer(k, v)⏎        rows.append(q @ state) => rows.append(q @ (decay * state + np.outer(k, v)))⏎        state = np.outer(k, v) | Each state takes over the product of the token before it alone; the whole state before it fades and goes on.
zip(query, key, value) => zip(key, query, value) | Query and key have changed places: the key writes, the query reads.
=> query @ key.T @ value | The causal mask is missing: a token hears from those after it.
=> np.array(rows) / np.sqrt(key.shape[1]) | The scores are divided by √d_k here; nothing is divided without softmax.
=> state | This is the last state; the rows that the queries read from it are asked for.
decay * state + => state + decay ** len(rows) * | Newer tokens fade here and older ones do not: the power of decay is how long ago a token was written.
=> decay ** np.abs(np.subtract(*np.indices((len(query), len(query))))) * (query @ key.T) @ value | The fading is right and the mask is not: keys after the query count, too.
""",
    ),
    unearned=_makes_a_matrix,
    praise="Right, and no N × N matrix was made. If each key and value is read only once, a state of d_k × d_v numbers is all that the past leaves.",
    hint=lambda error, query, key, value, decay: (
        "The state has one row for each number of a key and one column for each of a value: np.zeros((key.shape[1], value.shape[1]))."
        if isinstance(error, ValueError)
        else None
    ),
)
