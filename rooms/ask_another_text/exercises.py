"""The exercise on one text that asks another."""

import functools

import numpy as np

from helpers import layers, transformer
from helpers.attention import causal_mask, multi_head_attention
from rooms.shared import edits, french
from rooms.shared.she import titled
from rooms.shared.two_texts import two_texts
from workbench import Drawn, whole


def _explain(got, want, Y, X, *matrices):
    return f"For {len(Y)} tokens that ask and {len(X)} that are asked, row 1 of the output is {_row(got)}, where {_row(want)} is right."


def _row(output):
    return "[" + ", ".join(f"{x:.3f}" for x in output[0]) + "]"


def _hint(error, Y, X, *matrices):
    if not isinstance(error, (ValueError, TypeError, IndexError)):
        return None
    return f"Here Y is {Y.shape}, X is {X.shape}: queries come from Y, keys and values from X, and the scores are {len(Y)} × {len(X)}."


def _cases():
    rng = np.random.default_rng(11)

    def case(num_queries, num_keys, of_y, of_x, d_k, d_v):
        shapes = (num_queries, of_y), (num_keys, of_x), (of_y, d_k), (of_x, d_k), (of_x, d_v)
        return tuple(rng.integers(-3, 4, size=shape) / 2 for shape in shapes)

    B_A, A_A_B_A = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    W_query, W_key, W_value = (
        np.array(W) for W in ([[1.0, 2.0], [0.0, 1.0]], [[0.0, 1.0], [2.0, 1.0]], [[1.0, 3.0], [4.0, 2.0]])
    )
    return [
        case(3, 3, 3, 3, 3, 3),  # of one length, so that mixed-up sides give numbers and not an error
        (B_A, A_A_B_A, W_query, W_key, W_value),
        case(5, 3, 4, 4, 4, 4),
        case(2, 5, 4, 3, 7, 6),
        case(5, 2, 3, 7, 2, 3),
        case(1, 4, 2, 3, 4, 1),
        whole((B_A, A_A_B_A, W_query, W_key, W_value)),
        case(2, 1, 2, 3, 2, 2),
    ]


CROSS = edits.exercise(
    """
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
""",
    remakes=(multi_head_attention,),
    cases=_cases(),
    mistakes="""
Y @ W_query, X @ W_key, X @ W_value => X @ W_query, Y @ W_key, Y @ W_value | The roles are exchanged: here X asks and Y answers. Queries come from Y, keys and values from X.
X @ W_key, X @ W_value => X @ W_value, X @ W_key | W_key and W_value are exchanged: keys are X @ W_key, values X @ W_value.
W_query.shape => Y.shape | The scores are divided by the root of the width of Y; d_k is the width of queries and keys.
W_query.shape => X.shape | The scores are divided by the root of the width of X; d_k is the width of queries and keys.
W_query.shape => W_value.shape | The scores are divided by √d_v, the width of the values; d_k is the width of queries and keys.
W_query.shape[1] => len(X) | The scores are divided by the root of the number of keys; divide by √d_k, the width of a key.
W_query.shape[1] => len(Y) | The scores are divided by the root of the number of queries; divide by √d_k, the width of a query.
X @ W_value => X | The values are X itself; multiply it by W_value.
X @ W_value => Y @ W_value | The values are made of Y: what is fetched comes from the text that is read, so they are X @ W_value.
key.T => key | The keys are not transposed: a score is a query times a key, so the scores are query @ key.T.
Y @ W_query, X @ W_key, X @ W_value => Y, X, X ;; W_query.shape => Y.shape | No matrix was used: queries are Y @ W_query, keys X @ W_key, values X @ W_value.
attention.softmax => ;; => weights | Those are the scores; softmax and the mixture of the values follow.
attention.softmax( => (lambda s: softmax(np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)))( | A causal mask was used; the source lies there whole, and every query may see all of it.
X @ W_key, X @ W_value => X @ W_key, X @ W_key | W_key made the values, too: they are X @ W_value.
X @ W_key => Y @ W_key | The keys are made of Y: it is X that is asked, so keys are X @ W_key.
""",
    steps="softmax, rows, scale, mix, mix rows, project",
    praise="Right, for any two lengths: as many outputs as there are tokens that ask.",
    explain=_explain,
    hint=_hint,
)


# --- drawn with the answer ------------------------------------------------------------------------------------------

_FRENCH = french.sentence("car", colour="red", verb="turns")


@functools.cache
def _head():
    """What head 0 of the trained translator is given while it writes: (Y, X, W_query, W_key), a 1 behind each row for the bias."""
    parameters, (sources, _, targets) = french.load_model(), french.batch_of([_FRENCH])
    memory = transformer.encode(sources[0, : len(_FRENCH.english)], parameters, **french.MODEL)
    shown = np.append(french.START, targets[0, : len(_FRENCH.french) - 1])
    layer, x = parameters["decoder"][0], transformer.embed(shown, parameters["embedding"])
    asks = layers.layer_norm(x, **layer["self_attention_norm"])
    x = x + multi_head_attention(asks, **layer["self_attention"], num_heads=2, mask=causal_mask(len(x))).output
    part = layer["cross_attention"]
    x, half = layers.layer_norm(x, **layer["cross_attention_norm"]), part["W_query"].shape[1] // 2
    W_query, W_key = (np.vstack([part[f"W_{name}"], part[f"b_{name}"]])[:, :half] for name in ("query", "key"))
    return np.insert(x, x.shape[1], 1, axis=1), np.insert(memory, memory.shape[1], 1, axis=1), W_query, W_key


def _looked(cross_attention):
    """The weights of that head, since each value says which English word it is of."""
    Y, X, W_query, W_key = _head()
    rest = np.eye(len(X))
    W_key = np.vstack([W_key, np.zeros((len(X), W_key.shape[1]))])
    return cross_attention(Y, np.hstack([X, rest]), W_query, W_key, np.vstack([np.zeros((X.shape[1], len(X))), rest]))


def _ribbons(made, caption, wrong):
    asks = _FRENCH.french.index("rouge")
    return titled(caption, wrong, two_texts(_FRENCH.french, _FRENCH.english, made, asks, name=caption, cursor=True))


CROSS_ATTENTION_DRAWN = Drawn(
    "cross_attention", _looked, _ribbons, "Before it writes “rouge”, a head of the translator looks at"
)
