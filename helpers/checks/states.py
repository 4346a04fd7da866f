"""The exercise on a state instead of a cache."""

import numpy as np

from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise, Symptom
from helpers.variants import linear_attention, state_after


def _solve(query, key, value, decay):
    return linear_attention(query, key, value, decay=decay)


def _run(write, read=lambda q, old, new: q @ new):
    """A loop over the tokens: `write(state, k, v, decay)` makes the new state, `read(q, old, new)` a row."""

    def answer(query, key, value, decay):
        state, rows = np.zeros((key.shape[1], value.shape[1])), []
        for q, k, v in zip(query, key, value):
            new = write(state, k, v, decay)
            rows.append(read(q, state, new))
            state = new
        return np.array(rows)

    return answer


def _fade(num_tokens, decay):
    i, j = np.indices((num_tokens, num_tokens))
    return np.where(j <= i, float(decay) ** np.maximum(i - j, 0), 0.0)


def _case(seed, num_tokens, d_k, d_v, decay):
    rng = np.random.default_rng(seed)
    return (*(rng.normal(size=(num_tokens, width)).round(1) for width in (d_k, d_k, d_v)), decay)


_X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


LINEAR = Exercise(
    name="linear_attention",
    stages={
        "products of key and value": lambda q, k, v, d: np.array([np.outer(*each) for each in zip(k, v)]),
        "states": lambda q, k, v, d: np.array([state_after(k[: t + 1], v[: t + 1], decay=d) for t in range(len(k))]),
    },
    solve=_solve,
    remakes=(linear_attention, state_after),
    cases=[
        (_X, _X.copy(), _X.copy(), 1.0),
        (_X, _X.copy(), _X.copy(), 0.5),
        _case(1, 4, 3, 2, 0.9),
        _case(2, 5, 2, 5, 1.0),
        _case(3, 1, 4, 3, 0.3),
        whole((_X, _X, _X * [3, 5], 0.5)),
        _case(5, 3, 1, 1, 0.5),
        _case(4, 7, 3, 3, 0.0),
    ],
    mistakes={
        "The token reads before it has written: write first, then read.": _run(
            lambda state, k, v, decay: decay * state + np.outer(k, v), lambda q, old, new: q @ old
        ),
        "Token 1 is written twice, before the loop and in it: let the state begin with zeros.": lambda q, k, v, d: (
            _solve(q, k, v, d) + np.array([d ** (t + 1) * (q[t] @ k[0]) * v[0] for t in range(len(q))])
        ),
        "The state does not fade: multiply the old one by decay before the new product is added.": lambda q, k, v, d: (
            _solve(q, k, v, 1.0)
        ),
        "The new product fades as well: decay multiplies the old state alone.": _run(
            lambda S, k, v, d: d * (S + np.outer(k, v))
        ),
        "The new product fades and the old state does not: it is the other way round.": _run(
            lambda S, k, v, d: S + d * np.outer(k, v)
        ),
        "This is a moving average: the new product must count in full, not only 1 − decay of it.": _run(
            lambda S, k, v, d: d * S + (1 - d) * np.outer(k, v)
        ),
        "The state is the last token's product alone: add it to what was there.": _run(
            lambda S, k, v, d: np.outer(k, v)
        ),
        Symptom("Every query reads from the last state: a token may not see what comes after it."): lambda q, k, v, d: (
            q @ state_after(k, v, decay=d)
        ),
        "Each state takes over the product of the token before it alone; the whole state before it fades and goes on.": lambda q, k, v, d: (
            ((_fade(len(q), d) * (np.subtract(*np.indices((len(q), len(q)))) < 2)) * (q @ k.T)) @ v
        ),
        "Query and key have changed places: the key writes, the query reads.": lambda q, k, v, d: _solve(k, q, v, d),
        "The causal mask is missing: a token hears from those after it.": [
            lambda q, k, v, d: q @ k.T @ v,
        ],
        "The scores are divided by √d_k here; nothing is divided without softmax.": lambda q, k, v, d: (
            _solve(q, k, v, d) / np.sqrt(k.shape[1])
        ),
        "This is the last state; the rows that the queries read from it are asked for.": lambda q, k, v, d: state_after(
            k, v, decay=d
        ),
        "Newer tokens fade here and older ones do not: the power of decay is how long ago a token was written.": lambda q, k, v, d: (
            (np.where(_fade(len(q), 1) > 0, float(d) ** np.arange(len(q)), 0) * (q @ k.T)) @ v
        ),
        "The fading is right and the mask is not: keys after the query count, too.": lambda q, k, v, d: (
            (float(d) ** np.abs(np.subtract(*np.indices((len(q), len(q))))) * (q @ k.T)) @ v
        ),
    },
    avoids=lambda query, key, value, decay: (len(query), len(query)),
    praise="Right, and no N × N matrix was made. If each key and value is read only once, a state of d_k × d_v numbers is all that the past leaves.",
    hint=lambda error, query, key, value, decay: (
        "The state has one row for each number of a key and one column for each of a value: np.zeros((key.shape[1], value.shape[1]))."
        if isinstance(error, ValueError)
        else None
    ),
)
