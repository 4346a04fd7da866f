"""Exercises on what attention costs."""

from helpers.checks.exercise import Exercise
from helpers.costs import count_attention, count_product

_PROJECTIONS = ("query", "key", "value", "output")
_STEPS = ("query", "key", "value", "scores", "mixing", "output")


def _count(num_tokens, d_model, leave_out=(), **instead):
    """Multiplications and additions, with some steps left out or counted otherwise."""
    steps = count_attention(num_tokens, d_model) | instead
    kept = [steps[name] for name in _STEPS if name not in leave_out]
    return sum(step[0] for step in kept), sum(step[1] for step in kept)


def _without(*names):
    return lambda n, d: _count(n, d, leave_out=names)


def _explain(got, want, num_tokens, d_model):
    names = ["multiplications", "additions"]
    wrong = [name for name, a, b in zip(names, got, want) if a != b]
    k = names.index(wrong[0])
    right = "" if len(wrong) == 2 else f"; the {names[1 - k]} are right"
    steps = count_attention(num_tokens, d_model)
    parts = [sum(steps[name][k] for name in names) for names in (_PROJECTIONS, ["scores"], ["mixing"])]
    return f"For N = {num_tokens} and D = {d_model} there are {want[k]:.0f} {wrong[0]}, you count {got[k]:.0f}{right}. Of the {want[k]:.0f}, {parts[0]} are in the four projections, {parts[1]} in the scores and {parts[2]} in the mixing."


OPERATIONS = Exercise(
    name="count_operations",
    parts=("multiplications", "additions"),
    solve=_count,
    remakes=(count_attention,),
    cases=[(3, 2), (4, 2), (5, 3), (2, 7), (11, 1), (1, 1), (1, 5), (16, 8)],
    mistakes={
        "You left out W_O: the exercise counts four projections, Q, K, V and the one at the end, N D² each.": _without(
            "output"
        ),
        "The projections are missing: four products of (N, D) with (D, D), W_O included.": _without(
            "query", "key", "value", "output"
        ),
        "Only one projection is counted: there are four, for Q, K and V, and W_O at the end.": _without(
            "key", "value", "output"
        ),
        "The scores are missing: Q Kᵀ takes N·N dot products of width D.": _without("scores"),
        "The mixing is missing: weights times V takes N·D dot products of width N.": _without("mixing"),
        "Scores and mixing are missing: this counts the projections alone.": _without("scores", "mixing"),
        "Scores and mixing are missing, and W_O as well: this counts Q, K and V alone.": _without(
            "scores", "mixing", "output"
        ),
        "You count as many additions as multiplications; k products are joined by k − 1 additions.": lambda n, d: (
            (_count(n, d)[0],) * 2
        ),
        "You left out W_O, and count as many additions as multiplications; k products need k − 1 additions.": lambda n, d: (
            (_count(n, d, ("output",))[0],) * 2
        ),
        "In the mixing there are N · D dot products, and they run over the N tokens: each takes N − 1 additions, not D − 1.": lambda n, d: (
            _count(n, d, mixing=(n * n * d, n * n * (d - 1)))
        ),
        "In the scores the dot products run over the width D, so each takes D − 1 additions, not N − 1.": lambda n, d: (
            _count(n, d, scores=(n * n * d, n * d * (n - 1)))
        ),
        "Multiplications come first, additions second; here they are swapped.": lambda n, d: _count(n, d)[::-1],
        "The scores were counted as N D²; each of N tokens meets N keys of width D, that is N² D.": lambda n, d: _count(
            n, d, scores=count_product(n, d, d)
        ),
        "The mixing was counted for one token only, N D; all N tokens mix N values of width D, that is N² D.": lambda n, d: (
            _count(n, d, mixing=count_product(1, n, d))
        ),
        "The constants are missing: here every step counts, four projections of N D² and two products of N² D.": [
            lambda n, d: (n * d * d + n * n * d, n * d * (d - 1) + n * n * (d - 1)),
            lambda n, d: (n * d * d + n * n * d,) * 2,
        ],
        "The sums inside softmax were counted; the exercise counts the six matrix products only.": lambda n, d: (
            _count(n, d)[0],
            _count(n, d)[1] + n * (n - 1),
        ),
        "Each dot product, not each matrix product, has one addition fewer than multiplications.": lambda n, d: (
            _count(n, d)[0],
            _count(n, d)[0] - 6,
        ),
        "Each number of the projections takes D − 1 additions, one fewer than multiplications; D would be with a bias.": lambda n, d: (
            _count(n, d)[0],
            _count(n, d)[1] + 4 * n * d,
        ),
        "Each of the N · D numbers of a projection takes D − 1 additions; one was taken off for each token alone.": lambda n, d: (
            _count(n, d)[0],
            _count(n, d)[1] + 4 * n * (d - 1),
        ),
        "A token meets itself, too: there are N · N scores, not N · (N − 1).": [
            lambda n, d: _count(n, d, scores=(n * (n - 1) * d, n * (n - 1) * (d - 1))),
            lambda n, d: _count(
                n, d, scores=(n * (n - 1) * d, n * (n - 1) * (d - 1)), mixing=(n * (n - 1) * d, n * (n - 1) * d - n * d)
            ),
        ],
        "This is one number; two are asked for: return multiplications, additions.": lambda n, d: _count(n, d)[0],
        "This is the sum of both; two numbers are asked for: return multiplications, additions.": lambda n, d: sum(
            _count(n, d)
        ),
        "This counts one token, and there are N of them.": lambda n, d: tuple(count // n for count in _count(n, d)),
    },
    praise="Right, multiplications and additions: four projections, scores, mixing.",
    explain=_explain,
)
