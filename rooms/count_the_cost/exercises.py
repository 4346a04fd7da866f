"""Exercises on what attention costs."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.costs import count_attention
from helpers.streaming import streamed_attention
from rooms.shared import edits
from workbench import Watched

_PROJECTIONS = ("query", "key", "value", "output")


def _explain(got, want, num_tokens, d_model):
    names = ["multiplications", "additions"]
    wrong = [name for name, a, b in zip(names, got, want) if a != b]
    k = names.index(wrong[0])
    right = "" if len(wrong) == 2 else f"; the {names[1 - k]} are right"
    steps = count_attention(num_tokens, d_model)
    parts = [sum(steps[name][k] for name in names) for names in (_PROJECTIONS, ["scores"], ["mixing"])]
    return f"For N = {num_tokens} and D = {d_model} there are {want[k]:.0f} {wrong[0]}, you count {got[k]:.0f}{right}. Of the {want[k]:.0f}, {parts[0]} are in the four projections, {parts[1]} in the scores and {parts[2]} in the mixing."


OPERATIONS = edits.exercise(
    """
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + N * N * D + N * N * D
    additions = 4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
""",
    parts=("multiplications", "additions"),
    remakes=(count_attention,),
    cases=[(3, 2), (4, 2), (5, 3), (2, 7), (11, 1), (1, 1), (1, 5), (16, 8)],
    mistakes="""
4 * => 3 * | You left out W_O: the exercise counts four projections, Q, K, V and the one at the end, N D² each.
4 * => 0 * | The projections are missing: four products of (N, D) with (D, D), W_O included.
4 * => 1 * | Only one projection is counted: there are four, for Q, K and V, and W_O at the end.
D + N * N * D + N * N * D => D + N * N * D ;; + N * N * (D - 1) => | The scores are missing: Q Kᵀ takes N·N dot products of width D.
D + N * N * D + N * N * D => D + N * N * D ;; + N * D * (N - 1) => | The mixing is missing: weights times V takes N·D dot products of width N.
+ N * N * D + N * N * D => ;; + N * N * (D - 1) + N * D * (N - 1) => | Scores and mixing are missing: this counts the projections alone.
=> 2 * multiplications, multiplications | Each multiplication is counted twice, as is usual for a product with its addition; count the two apart, and k products are joined by k − 1 additions.
=> 2 * multiplications, 2 * additions |
=> multiplications, multiplications - 1 | k products are joined by k − 1 additions in each dot product: that is one less for every number of every result, not one less in all.
=> multiplications, multiplications | You count as many additions as multiplications; k products are joined by k − 1 additions.
N * D * (N - 1) => N * N * (D - 1) | In the mixing there are N · D dot products, and they run over the N tokens: each takes N − 1 additions, not D − 1.
N * N * (D - 1) => N * D * (N - 1) | In the scores the dot products run over the width D, so each takes D − 1 additions, not N − 1.
N * N * (D - 1) => N * N * (N - 1) |
=> additions, multiplications | Multiplications come first, additions second; here they are swapped.
D + N * N * D + N * N * D => D + N * D * D + N * N * D ;; N * N * (D - 1) => N * D * (D - 1) | The scores were counted as N D²; each of N tokens meets N keys of width D, that is N² D.
D + N * N * D + N * N * D => D + N * N * D + N * D ;; N * D * (N - 1) => D * (N - 1) | The mixing was counted for one token only, N D; all N tokens mix N values of width D, that is N² D.
=> N * D * D + N * N * D, N * D * (D - 1) + N * N * (D - 1) | The constants are missing: here every step counts, four projections of N D² and two products of N² D.
=> N * D * D + N * N * D, N * D * D + N * N * D |
=> multiplications | This is one number; two are asked for: return multiplications, additions.
=> multiplications + additions | This is the sum of both; two numbers are asked for: return multiplications, additions.
=> 2 * multiplications, additions | Each multiplication is counted twice, as is usual for a product with its addition; here the two are counted apart.
4 * N * D * D => (4 * N * D) ** 2 | 4 N D was squared; a projection takes N D², and there are four.
4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1) => 4 * (N * D - D) + (N * D - N) + (N * N - D) | Brackets are missing: each number of a result takes one addition less, rows * (inner - 1) * columns.
D + N * N * D + N * N * D => D + N * N * D + N * D * D ;; N * D * (N - 1) => N * D * (D - 1) | The mixing was counted as N D²; each of N tokens mixes N values of width D, that is N² D.
D + N * N * D + N * N * D => D + N * N * D + N * D * D | In the mixing N tokens mix N values of width D, which is N² D multiplications, not N D².
""",
    praise="Right, multiplications and additions: four projections, scores, mixing.",
    explain=_explain,
)


# --- one pass over the keys ------------------------------------------------------------------------------------------


def _rows(seed, num_keys, d_k=2, d_v=3, rising=0, size=1.0):
    """A query, keys whose scores rise or fall, and values."""
    rng = np.random.default_rng(seed)
    query, keys, values = rng.normal(size=d_k), rng.normal(size=(num_keys, d_k)), rng.normal(size=(num_keys, d_v))
    if rising:
        keys = keys[np.argsort(rising * (keys @ query))]
    return size * query, keys, values


def _low():
    """Scores far below 0, the largest in the middle."""
    keys, values = [[-3001.0, 0.0], [-3000.0, 0.0], [-3000.5, 1.0]], [[10.0, 1.0], [20.0, 0.0], [30.0, 5.0]]
    return np.array([1.0, 0.0]), np.array(keys), np.array(values)


_MANY = _rows(6, 7, d_k=4)


def _are_numbers(value, count):
    return isinstance(value, (list, tuple)) and len(value) == count and all(np.ndim(each) == 0 for each in value)


def _keeps_a_row(names):
    """A sentence on a row of scores or weights that was kept, or on a second pass over the keys, or None."""
    num_keys, d_k = _MANY[1].shape
    if line := Watched.made.get((num_keys,)):
        return (
            f"The numbers are right, but line {line} makes a row of shape ({num_keys},), which is to be done without."
        )
    for name, value in names.items():
        if np.shape(value) == (num_keys,) if isinstance(value, np.ndarray) else _are_numbers(value, num_keys):
            return f"The numbers are right, but `{name}` keeps a number for each key, which is to be done without."
    read = Watched.rows.get((d_k,), [])
    if len(read) > num_keys + 1 and read != sorted(read):
        return "The numbers are right, but the keys are gone through twice, and one pass is asked for."
    return None


STREAMED_ROW = edits.exercise(
    """
def streamed_row(query, keys, values):
    m, l, u = -np.inf, 0.0, 0.0
    for key, value in zip(keys, values):
        score = query @ key / np.sqrt(len(query))
        m_new = max(m, score)
        shrink, power = np.exp(m - m_new), np.exp(score - m_new)
        l = l * shrink + power
        u = u * shrink + power * value
        m = m_new
    return u / l
""",
    remakes=(scaled_dot_product_attention, streamed_attention),
    cases=[
        (np.array([1.0]), np.array([[0.0], [1.0], [0.0]]), np.array([[10.0], [20.0], [30.0]])), _rows(1, 4, rising=1),
        _rows(2, 5), _rows(3, 1), _rows(4, 4, rising=-1), _low(), _rows(5, 5, rising=1, size=2000.0),
        tuple(part.view(Watched) for part in _MANY),
    ],
    sorts=("pencil numbers", "rising scores", "mixed scores", "one key", "falling scores", "very low scores", "very large scores", "mixed scores"),
    mistakes="""
* shrink => | The old sums are not shrunk when a larger score arrives. Multiply l and u by e^(m − m_new), with the old m, before you add.
u * shrink => u | u is not shrunk when a larger score arrives. The factor e^(m − m_new) belongs to l and to u.
l * shrink => l | l is not shrunk when a larger score arrives. The factor e^(m − m_new) belongs to l and to u.
np.exp(m - m_new) => float(m == m_new) | The old sums are dropped when a larger score arrives. They count for less, and not for nothing: multiply them by e^(m − m_new).
np.exp(m - m_new) => (np.exp(m_new - m) if np.isfinite(m) else 0.0) | The old sums grow when a larger score arrives. Turn the factor round: e^(m − m_new), which is below 1.
=> u | This is u, the sum of powers times values. Divide it by l at the end.
/ np.sqrt(len(query)) => | The scores are not divided. Divide each by √d_k, the root of len(query).
np.sqrt(len(query)) => len(query) | The scores are divided by d_k. Divide each by its root.
-np.inf => query @ keys[0] / np.sqrt(len(query)) ;; zip(keys, values) => zip(keys[1:], values[1:]) ;; 0.0, 0.0 => 0.0, np.zeros(values.shape[1]) | The first key is left out of l and u: it only sets m.
-np.inf, 0.0, 0.0 => query @ keys[0] / np.sqrt(len(query)), 1.0, values[0] | The first key counts twice, before the loop and in it.
-np.inf => 0.0 | m begins with 0, and so the powers of very low scores vanish. Let it begin with -np.inf, or with the first score.
=> np.exp(keys @ query / np.sqrt(len(query))) @ values / np.exp(keys @ query / np.sqrt(len(query))).sum() | The powers of very large scores overflow. Take the largest score so far off each score before the power.
zip(keys, values) => zip(keys[:-1] if len(keys) > 1 else keys, values) | The last key is left out.
zip(keys, values) => zip(keys[:-1], values) ;; 0.0, 0.0 => 0.0, np.zeros(values.shape[1]) |
=> values[-1] | Only the last key counts: the sums so far are shrunk and added to, and m becomes m_new at the end of each step.
=> values[np.argmax(keys @ query)] | This is the value of the key with the largest score. All values count, each by its power.
=> values.mean(axis=0) | This is the mean of the values. Each counts by the power of its score.
""",
    unearned=_keeps_a_row,
    praise="Right, and with m, l and u one pass is enough. Take blocks of keys and many queries at once, and you have FlashAttention.",
)  # fmt: skip
