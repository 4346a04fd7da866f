"""What the width of queries and keys does to scores, weights and what reaches the query, and which division mends it."""

import functools
import math

import numpy as np

from helpers import matrices, plots
from helpers.attention import softmax, softmax_jacobian
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import Rule, explorer, wrong_turns
from helpers.explorers.touch import Plane

WIDEST, MOST_KEYS, NUM_QUERIES = 256, 16, 100
WIDTHS = 2 ** np.arange(9)
DIVISORS = {"÷ 1": lambda d_k: 1.0, "÷ √d_k": math.sqrt, "÷ d_k": float}
QUARTERS = (0.25, 0.5, 0.75)
MEASURES = ["spread of scores", "peak weight", "entropy, bits", "median ‖∂w/∂q‖"]
REACH = 4  # spreads on each side of 0, as far as the histogram goes
ENTRIES = {
    "normal, spread 1": lambda rng, shape: rng.normal(size=shape),
    "+1 or -1": lambda rng, shape: 2.0 * rng.integers(2, size=shape) - 1,
}
NORMAL, SIGNS = ENTRIES


def explore_scale():
    """Drag the width of random queries and keys, and watch three scalings.

    Shown: dot_products (100, num_keys), 100 queries with keys of their own; edges (num_bins + 1,) and histogram
    (num_bins,), the share of dot products in each bin, with outside (), the share beyond; for the three scalings scores
    and weights (3, 100, num_keys), spread, peak and entropy (3,), and gradient (3, 3), the quartiles and in the middle
    the median of ‖∂w/∂q‖; widths (num_widths,) with peak_by_width (3, num_widths) and gradient_by_width
    (3, 3, num_widths)
    """
    curves = _Curves()
    drag = {"set": "d_k", "title": "drag the line to another width"}
    return explorer(
        _measure,
        lambda now: [curves.draw(now), _table(now)],
        _describe,
        presets={
            "narrow: d_k 2": {"d_k": 2, "booster": 1},
            "wide: d_k 256": {"d_k": 256, "booster": 1},
            "two keys": {"num_keys": 2, "booster": 1},
        },
        planes={"peak": Plane(curves.peak, **drag), "gradient": Plane(curves.gradient, **drag)},
        sums={"averages": _average_in_words},
        d_k=slider("d_k, width of queries and keys", 64, 1, WIDEST, 1),
        num_keys=stops("number of keys", [(str(n), n) for n in (2, 4, 8, MOST_KEYS)], MOST_KEYS),
        booster=stops("booster on the keys", [(str(n), n) for n in (1, 2, 5, 10)], 1),
        entries=choose("entries of queries and keys", list(ENTRIES), NORMAL),
        sample=slider("random draw", 1, 1, 8, 1),
    )


def explore_wrong_scale():
    """Divide by something else than √d_k, and see what then depends on the width.

    Shown: widths (4,), measures (4, 4): spread, peak weight, entropy and median ‖∂w/∂q‖ for each width
    """
    return wrong_turns(
        "scores divided by",
        _WRONG,
        _measure_wrong,
        lambda now: [
            now.table(
                "measures",
                f"scores divided by {now.recipe}",
                rows=[f"d_k = {width}" for width in now.widths],
                columns=MEASURES,
            )
        ],
        lambda now: (
            f"From d_k = 4 to d_k = 256 the spread goes from {now.measures[0, 0]:.2f} to {now.measures[-1, 0]:.2f}, the median "
            f"of ‖∂w/∂q‖ from {now.measures[0, 3]:.4f} to {now.measures[-1, 3]:.4f}."
        ),
        [
            Rule("scores spread by about 1 at every width", _spread_is_one),
            Rule("the median of ‖∂w/∂q‖ is the same at every width, give or take a fifth", _gradient_stays),
        ],
        sums={"measures": _measure_in_words},
    )


@functools.lru_cache(maxsize=4)
def _draw(entries, sample):
    """Keys (100, 16, 256), and the dot products (100, 16, 256) of their first 1, 2, … 256 entries with those of 100 queries."""
    rng = np.random.default_rng(sample)
    query = ENTRIES[entries](rng, (NUM_QUERIES, 1, WIDEST))
    key = ENTRIES[entries](rng, (NUM_QUERIES, MOST_KEYS, WIDEST))
    products = np.cumsum(query * key, axis=-1)
    for array in (key, products):
        array.flags.writeable = False  # the next call gets the same array
    return key, products


def _gradients(weights, key, divisor):
    """The size of ∂w/∂q = J K / divisor, (num_queries,): how fast all weights move with the query."""
    return np.linalg.norm(softmax_jacobian(weights) @ key / divisor, axis=(-2, -1))


def _one_width(dot_products, key, divisor):
    """Scores and weights (num_queries, num_keys), spread, peak and entropy in bits, and the quartiles of ‖∂w/∂q‖."""
    scores = dot_products / divisor
    weights = softmax(scores)
    entropy = np.maximum(0, -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=-1))
    gradient = np.quantile(_gradients(weights, key, divisor), QUARTERS)
    return scores, weights, scores.std(), weights.max(axis=-1).mean(), entropy.mean(), gradient


def _three_scalings(d_k, num_keys, booster, entries, sample):
    """dict of what `_one_width` gives, stacked over the three divisors, and the dot products."""
    key, products = _draw(entries, sample)
    key, products = booster * key[:, :num_keys, :d_k], booster * products[:, :num_keys, d_k - 1]
    names = ("scores", "weights", "spread", "peak", "entropy", "gradient")
    columns = zip(*(_one_width(products, key, divisor(d_k)) for divisor in DIVISORS.values()), strict=True)
    return {"dot_products": products, **{name: np.stack(column) for name, column in zip(names, columns, strict=True)}}


@functools.cache  # small, and slow to make
def _by_width(num_keys, booster, entries, sample):
    found = [_three_scalings(width, num_keys, booster, entries, sample) for width in WIDTHS]
    return tuple(np.stack([each[name] for each in found], axis=-1) for name in ("peak", "gradient"))


def _measure(d_k, num_keys, booster, entries, sample):
    found = _three_scalings(d_k, num_keys, booster, entries, sample)
    peak, gradient = (curve.copy() for curve in _by_width(num_keys, booster, entries, sample))
    edges = _bins(found["spread"][0], d_k, 2 * booster if entries == SIGNS else 0)
    histogram = np.histogram(found["dot_products"], edges)[0] / found["dot_products"].size
    bins = {"edges": edges, "histogram": histogram, "outside": 1 - histogram.sum()}
    return {**found, **bins, "widths": WIDTHS.copy(), "peak_by_width": peak, "gradient_by_width": gradient}


def _bins(spread, d_k, step):
    """The edges of bins about half a spread wide, alike on both sides of 0, and never on a value where dot products lie `step`
    apart: around 0 for even widths, beside it for odd ones."""
    width, around_0 = spread / 2, True
    if step:
        steps, around_0 = max(1, round(spread / 2 / step)), d_k % 2 == 0
        width = step * (steps + 1 - steps % 2 if around_0 else steps)
    count = math.ceil(REACH * spread / width + around_0 / 2)
    edges = np.arange(0, count) + 0.5 if around_0 else np.arange(1, count + 1)
    middle = [] if around_0 else [0.0]
    return width * np.concatenate([-edges[::-1], middle, edges])


def _table(now):
    averages = np.column_stack([now.spread, now.peak, now.entropy, now.gradient])
    columns = ["spread", "peak weight", "bits", "‖∂w/∂q‖ 25%", "50%", "75%"]
    return matrices.matrix(
        averages, f"{NUM_QUERIES} queries", rows=list(DIVISORS), columns=columns, places=now.places("averages")
    )


_MEASURED = ["standard deviation of all scores", "mean of the largest weights", "mean of −Σ w·log₂ w"]


def _average_in_words(now, i, j):
    quartile = f"{('lower quartile', 'median', 'upper quartile')[j - 3]} of ‖∂w/∂q‖"
    return f"scores {list(DIVISORS)[i]}: {quartile if j > 2 else _MEASURED[j]}, {NUM_QUERIES} queries"


def _describe(now):
    peaks, gradients = ", ".join(f"{x:.2f}" for x in now.peak), ", ".join(f"{x:.3f}" for x in now.gradient[:, 1])
    return (
        f"At d_k = {now.d_k} the largest of {now.num_keys} weights is {peaks} on average, and the median of ‖∂w/∂q‖ {gradients}: "
        "divided by one, by the root of d_k, by d_k."
    )


class _Curves:
    """One histogram with three rulers below it, and two measures against the width, for three scalings."""

    def __init__(self):
        figure, axes = plots.new_figure(5.6, 4.2, "aa bb cd", height_ratios=[1.2, 1, 2])
        shape, ruler, self.peak, self.gradient = axes
        self.lines = plots.curves(self.peak, 3, x_title="d_k", title="peak weight, mean", y_limits=(-0.03, 1.05))
        self.medians = plots.curves(
            self.gradient, 3, x_title="d_k", title="‖∂w/∂q‖, median, quartiles", y_limits=(1e-3, 40)
        )
        colours = [line.get_color() for line in self.lines]
        for lines in (self.lines, self.medians):
            lines[2].set_linestyle(":")
        self.quarters = [
            self.gradient.plot([], [], color=colour, linewidth=0.8, alpha=0.7)[0]
            for colour in colours
            for _ in range(2)
        ]
        self.gradient.set_yscale("log")
        for ax in (self.peak, self.gradient):
            ax.set_xscale("log", base=2)
            ax.set_xticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
            ax.set_xlim(1, 256)
        self._rulers(shape, ruler, colours)
        self.here = [ax.plot([], [], color="#777777", linewidth=1)[0] for ax in (self.peak, self.gradient)]
        curves = [*self.here, *self.lines, *self.quarters, *self.medians, self.outline, *self.bars]
        self.live = plots.LiveFigure(figure, [*curves, *self.numbers], self._update)

    @plots.in_style
    def _rulers(self, shape, ruler, colours):
        """The histogram in multiples of its own spread; below it, the same places in scores of each scaling."""
        (self.outline,) = shape.plot([], [], color="#777777", drawstyle="steps-post")
        shape.set(xlim=(-REACH, REACH), ylim=(0, 0.55), xticks=[], yticks=[])
        shape.set_title("the dot products, on three rulers; each bar is 1 long")
        ruler.set(xlim=(-REACH, REACH), ylim=(2.8, -0.6), xticks=[], yticks=range(3), yticklabels=list(DIVISORS))
        ruler.spines[:].set_visible(False)
        ruler.tick_params(length=0)
        self.numbers = [
            ruler.text(x, row, "", ha="center", va="center", fontsize=9) for row in range(3) for x in (-2, 2)
        ]
        self.bars = [ruler.plot([], [], color=colour, linewidth=3, solid_capstyle="butt")[0] for colour in colours]

    def draw(self, now):
        ends = zip(DIVISORS, now.peak_by_width[:, [0, -1]], now.gradient_by_width[:, 1][:, [0, -1]], strict=True)
        told = "; ".join(f"{name} from {a:.2f} to {b:.2f}, and {c:.4f} to {d:.4f}" for name, (a, b), (c, d) in ends)
        beyond = f", {now.outside:.1%} of them further out" if now.outside > 1e-9 else ""
        return self.live.draw(
            now,
            f"Histogram of the scores within {REACH} spreads{beyond}; one spread is "
            f"{', '.join(f'{spread:.3g} ({name})' for name, spread in zip(DIVISORS, now.spread, strict=True))}. Below, peak weight "
            f"and median of ‖∂w/∂q‖ against d_k, from {WIDTHS[0]} to {WIDTHS[-1]}: {told}.",
        )

    def _update(self, now):
        width = np.diff(now.edges)
        heights = now.histogram / width * now.spread[0]  # for a spread of 1
        self.outline.set_data(now.edges / now.spread[0], [*heights, 0])
        for text in self.numbers:
            x, row = text.get_position()
            text.set_text(f"{x * now.spread[row]:.3g}")
        for row, spread in enumerate(now.spread):
            self.bars[row].set_data([-0.5 / spread, 0.5 / spread], [row + 0.45] * 2)
        plots.move_curves(self.lines, now.widths, now.peak_by_width)
        plots.move_curves(self.medians, now.widths, now.gradient_by_width[:, 1])
        for line, curve in zip(self.quarters, now.gradient_by_width[:, ::2].reshape(6, -1), strict=True):
            line.set_data(now.widths, curve)
        for line in self.here:
            line.set_data([now.d_k] * 2, line.axes.get_ylim())


# --- wrong divisors --------------------------------------------------------------------------------------------------

_FOUR = np.array([4, 16, 64, 256])
_WRONG = {
    "√d_k": math.sqrt,
    "1": lambda d_k: 1.0,
    "d_k": float,
    "√(number of keys)": lambda d_k: math.sqrt(MOST_KEYS),
}


def _measure_wrong(divisor):
    key, products = _draw(NORMAL, 1)
    rows = [_one_width(products[..., width - 1], key[..., :width], divisor(width)) for width in _FOUR]
    measures = [[spread, peak, entropy, gradient[1]] for _, _, spread, peak, entropy, gradient in rows]
    return {"widths": _FOUR.copy(), "measures": np.array(measures)}


def _measure_in_words(now, i, j):
    measured = [*_MEASURED, "median of ‖∂w/∂q‖"][j]
    return f"d_k {now.widths[i]}, scores divided by {now.recipe}: {measured}, {NUM_QUERIES} queries"


def _spread_is_one(now):
    gap = np.abs(now.measures[:, 0] - 1).max()
    return gap < 0.1, f"one spread is off by {gap:.2f}"


def _gradient_stays(now):
    share = now.measures[:, 3].max() / now.measures[:, 3].min()
    return share < 1.2, f"one is {share:.1f} times another"
