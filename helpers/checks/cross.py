"""Exercises on one sequence that asks another."""

import functools

import numpy as np

from helpers.attention import multi_head_attention
from helpers.checks import edits
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise
from helpers.checks.reading import Stop


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


_CROSS_ATTENTION = edits.solution(
    """
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
""",
)
CROSS = Exercise(
    name="cross_attention",
    stages=edits.stages(
        _CROSS_ATTENTION,
        values="value",
        queries="query",
        keys="key",
        scores="query @ key.T / math.sqrt(W_query.shape[1])",
        weights="weights",
    ),
    solve=_CROSS_ATTENTION,
    remakes=(multi_head_attention,),
    cases=_cases(),
    mistakes=edits.mistakes(
        _CROSS_ATTENTION,
        """
Y @ W_query, X @ W_key, X @ W_value => X @ W_query, Y @ W_key, Y @ W_value | The roles are exchanged: here X asks and Y answers. Queries come from Y, keys and values from X.
Y @ W_query, X @ W_key, X @ W_value => X @ W_key, Y @ W_query, Y @ W_value | The queries are made of X by W_key, the keys of Y by W_query, and the values of Y, too: X is asked, so keys and values come from X.
X @ W_key, X @ W_value => X @ W_value, X @ W_key | W_key and W_value are exchanged: keys are X @ W_key, values X @ W_value.
/ math.sqrt(W_query.shape[1]) => | The scores are not scaled: divide them by √d_k.
W_query.shape => Y.shape | The scores are divided by the root of the width of Y; d_k is the width of queries and keys.
W_query.shape => X.shape | The scores are divided by the root of the width of X; d_k is the width of queries and keys.
W_query.shape => W_value.shape | The scores are divided by √d_v, the width of the values; d_k is the width of queries and keys.
W_query.shape[1] => len(X) | The scores are divided by the root of the number of keys; divide by √d_k, the width of a key.
W_query.shape[1] => len(Y) | The scores are divided by the root of the number of queries; divide by √d_k, the width of a query.
attention.softmax => | Softmax is missing: the scores were used as weights.
attention.softmax( => (lambda s: np.exp(s) / np.cumsum(np.exp(s), axis=-1))( | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
X @ W_value => X | The values are X itself; multiply it by W_value.
Y @ W_query, X @ W_key, X @ W_value => Y, X, X ;; W_query.shape => Y.shape | No matrix was used: queries are Y @ W_query, keys X @ W_key, values X @ W_value.
=> weights | Those are the weights; the output is the weights times the values.
attention.softmax => ;; => weights | Those are the scores; softmax and the mixture of the values follow.
attention.softmax( => (lambda s: softmax(np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)))( | A causal mask was used; the source lies there whole, and every query may see all of it.
shape[1])) => shape[1]), base=3) | Base 3 kept the fractions of the example; softmax takes base e.
""",
    ),
    praise="Right, for any two lengths: as many outputs as there are tokens that ask.",
    explain=_explain,
    hint=_hint,
)

# --- keys and values, made once ----------------------------------------------------------------------------------------


def _queries(W_key):
    return np.random.default_rng(5).integers(-3, 4, size=(3, W_key.shape[1])) / 2


def _asked(ask, X, W_key, W_value):
    """What three queries are answered, after the tokens and the matrices are gone."""
    if not callable(ask):
        raise Stop(f"remember must return a function that answers a query, got {type(ask).__name__}.")
    queries, made, matrices = _queries(W_key), (X @ W_key, X @ W_value), (W_key.copy(), W_value.copy())
    for array in (X, W_key, W_value):
        array[...] = 0
        array.flags.writeable = False
    if any(_is_one_of(each, matrices) and not _is_one_of(each, made) for each in _held(ask)):
        raise Stop(
            "The function that remember returns holds a copy of a matrix: make keys and values once, and keep those."
        )
    outputs = [ask(query) for query in queries]
    if not np.array_equal(queries, _queries(W_key)):
        raise Stop("The function that remember returns overwrites the query that it is handed: make a new array of it.")
    if any(output is None for output in outputs):
        raise Stop("The function that remember returns gives back nothing: end the inner one with return, too.")
    return outputs


def _held(ask):
    """The arrays that a function, or whatever else is called, has kept of the one that made it."""
    found, seen, waiting = [], set(), [ask]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or len(seen) > 1_000:
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            found.append(each)
        elif isinstance(each, (list, tuple, set)):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, functools.partial):
            waiting += [each.func, each.args, each.keywords]
        else:
            waiting += [cell.cell_contents for cell in getattr(each, "__closure__", None) or ()]
            waiting += [getattr(each, name, None) for name in ("__defaults__", "__dict__", "__self__")]
    return found


def _is_one_of(array, matrices):
    return any(np.array_equal(array, turned) and each.any() for each in matrices for turned in (each, each.T))


_REMEMBER = edits.solution(
    """
def remembered(X, W_key, W_value):
    scores = queries(W_key) @ (X @ W_key).T / math.sqrt(W_key.shape[1])
    weights, values = softmax(scores), X @ W_value
    return weights @ values
""",
    queries=_queries,
)
REMEMBER = Exercise(
    name="remember",
    solve=_REMEMBER,
    cases=[case[1:2] + case[3:] for case in _cases()],
    use=_asked,
    stages=edits.stages(_REMEMBER, values="values", keys="X @ W_key", scores="scores", weights="weights"),
    mistakes=edits.mistakes(
        _REMEMBER,
        """
=> np.zeros((3, W_value.shape[1])) | When a query comes, X and both matrices hold nothing but zeros, and so does what is made from them: make keys and values once, before the inner function, and use only those.
softmax(scores) => np.full(scores.shape, 1 / scores.shape[-1]) |
=> np.repeat((weights @ values)[:1], 3, axis=0) | Every query is answered as the first one was: keep keys and values alone, and make weights and output anew for each.
/ math.sqrt(W_key.shape[1]) => | The scores were not divided by √d_k.
math.sqrt(W_key.shape[1]) => W_key.shape[1] | The scores were divided by d_k, or twice by √d_k; divide once by its root.
softmax(scores) => scores | The scores were used as weights: softmax comes between them.
=> weights[..., None] * values | Each value was weighted; now add them up.
""",
    ),
    hint=lambda error, *arguments: (
        "X and the matrices are not to be written to." if "read-only" in str(error) else None
    ),
    explain=lambda got, want, *arguments: (
        "The first query is answered right, the next ones are not: asking must leave keys and values as they were."
        if np.allclose(got[0], want[0], atol=1e-5)
        else None
    ),
    praise="Right: what a query needs outlives X and its matrices. Where keys and values themselves are kept, and not made anew for each query, this is the cache that makes writing token by token quick.",
)
