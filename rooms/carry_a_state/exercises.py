"""The exercise on a state that is corrected."""

import numpy as np

from helpers.variants import linear_attention, state_after
from rooms.shared import edits
from workbench import whole


def _case(seed, num_tokens, d_k, d_v, strength):
    """Keys are 1 long, as the delta rule wants them."""
    rng = np.random.default_rng(seed)
    query, key, value = (rng.normal(size=(num_tokens, width)).round(1) for width in (d_k, d_k, d_v))
    return query, key / np.linalg.norm(key, axis=1, keepdims=True), value, strength


_BOOK = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])  # A, B, and A again
_NUMBERS = np.array([[10.0], [20.0], [30.0]])


DELTA = edits.exercise(
    """
def delta_rule(query, key, value, strength):
    state, rows = np.zeros((key.shape[1], value.shape[1])), []
    for q, k, v in zip(query, key, value):
        state = state + strength * np.outer(k, v - k @ state)
        rows.append(q @ state)
    return np.array(rows)
""",
    remakes=(linear_attention, state_after),
    cases=[
        (_BOOK, _BOOK.copy(), _NUMBERS, 1.0), (_BOOK, _BOOK.copy(), _NUMBERS, 0.5), _case(1, 4, 3, 2, 0.9),
        _case(2, 5, 2, 5, 1.0), _case(3, 1, 4, 3, 0.3), whole((_BOOK, _BOOK, _NUMBERS * [1, 3], 0.5)),
        _case(5, 3, 1, 1, 0.5), _case(4, 7, 3, 3, 0.6),
    ],
    mistakes="""
v - k @ state => v | This is the plain sum: let the key read from the state first, and add only what is missing.
state = state + strength * np.outer(k, v - k @ state)⏎        rows.append(q @ state) => rows.append(q @ state)⏎        state = state + strength * np.outer(k, v - k @ state) | The token reads before it has written: correct the state first, then read.
strength * np.outer => np.outer | The whole error is corrected here: multiply the correction by strength.
v - k @ state => v - q @ state | The query reads what is corrected here: the key must read it, v - k @ state.
v - k @ state => k @ state - v | The error has the wrong sign: it is the value less what the state says.
v - k @ state => v + k @ state | What the state says is added to the value here: subtract it, since only what is missing is written.
strength * np.outer(k, v - k @ state) => np.outer(k, v - strength * (k @ state)) | Strength multiplies what the state says alone: multiply the whole error by it.
strength * np.outer(k, v - k @ state) => np.outer(k, strength * v - k @ state) | Strength multiplies the value alone: multiply the whole error by it.
state + strength * np.outer(k, v - k @ state) => (1 - strength) * state + strength * np.outer(k, v) | All of the state fades by 1 − strength here: only what the key of this token reads is to be corrected.
state + strength * np.outer => strength * np.outer | The state is the last correction alone: add it to what was there.
np.zeros((key.shape[1], value.shape[1])) => np.outer(key[0], value[0]) | The state begins with the product of token 1: let it begin with zeros.
=> query @ state | Every query reads from the last state: a token may not see what comes after it.
rows.append(q @ state) => rows.append(k @ state) | The key reads the output here: the key corrects, the query reads.
np.outer(k, v - k @ state) => np.outer(q, v - k @ state) | The query writes here: the correction is the key as a column times the error as a row.
zip(query, key, value) => zip(key, query, value) | Query and key have changed places: the key corrects, the query reads.
=> np.array(rows) / np.sqrt(key.shape[1]) | The outputs are divided by √d_k here; nothing is divided without softmax.
=> state | This is the last state; the rows that the queries read from it are asked for.
""",
    praise="Right. Each key reads what the state says and writes only what is missing, one step of gradient descent.",
    hint=lambda error, query, key, value, strength: (
        "The state has one row for each number of a key and one column for each of a value: np.zeros((key.shape[1], value.shape[1]))."
        if isinstance(error, ValueError)
        else None
    ),
)  # fmt: skip
