"""What the width of queries and keys does to scores, weights and what reaches the query, and which division mends it."""

import functools
import math

import numpy as np

from helpers import matrices
from helpers.attention import softmax, softmax_jacobian
from helpers.explorers.controls import slider, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Plane
from helpers.pictures import plots

WIDEST, NUM_KEYS, NUM_QUERIES = 256, 16, 100
WIDTHS = 2 ** np.arange(9)
DIVISORS = {"÷ 1": lambda d_k: 1.0, "÷ √d_k": math.sqrt, "÷ d_k": float}
QUARTERS = (0.25, 0.5, 0.75)
REACH = 4  # spreads on each side of 0, as far as the histogram goes
MEASURED = ["standard deviation of all scores", "mean of the largest weights", *(
    f"{part} of ‖∂w/∂q‖" for part in ("lower quartile", "median", "upper quartile")
)]  # fmt: skip


def explore_scale():
    """Drag the width of random queries and keys, and watch three scalings.

    Shown, of 100 queries with 16 keys each: histogram (16,), the share of dot products in each bin of half a standard deviation;
    for the three scalings spread and peak (3,), gradient (3, 3), the quartiles of ‖∂w/∂q‖; and for every width peak_by_width
    (3, num_widths) and gradient_by_width (3, 3, num_widths)
    """
    curves = _Curves()
    drag = {"set": "d_k", "title": "drag the line to another width"}
    return explorer(
        _measure,
        lambda now: [curves.draw(now), _table(now)],
        _describe,
        presets={"narrow: 2": {"d_k": 2}, "wide: 256": {"d_k": 256}},
        planes={"peak": Plane(curves.peak, **drag), "gradient": Plane(curves.gradient, **drag)},
        sums={"averages": lambda now, i, j: f"scores {list(DIVISORS)[i]}: {MEASURED[j]}, {NUM_QUERIES} queries"},
        d_k=slider("width of queries and keys, d_k", 64, 1, WIDEST, 1),
        booster=stops("booster on the keys", [(str(n), n) for n in (1, 2, 5, 10)], 1),
        sample=slider("random draw", 1, 1, 8, 1),
    )


@functools.lru_cache(maxsize=4)
def _draw(sample):
    """Keys (100, 16, 256), and the dot products (100, 16, 256) of their first 1, 2, … 256 entries with those of 100 queries."""
    rng = np.random.default_rng(sample)
    query = rng.normal(size=(NUM_QUERIES, 1, WIDEST))
    key = rng.normal(size=(NUM_QUERIES, NUM_KEYS, WIDEST))
    products = np.cumsum(query * key, axis=-1)
    for array in (key, products):
        array.flags.writeable = False  # the next call gets the same array
    return key, products


def _gradients(weights, key, divisor):
    """The size of ∂w/∂q = J K / divisor, (num_queries,): how fast all weights move with the query."""
    return np.linalg.norm(softmax_jacobian(weights) @ key / divisor, axis=(-2, -1))


def _three_scalings(d_k, booster, sample):
    """The dot products (100, 16), and (3,) spread and peak and (3, 3) quartiles of ‖∂w/∂q‖."""
    key, products = _draw(sample)
    key, products = booster * key[..., :d_k], booster * products[..., d_k - 1]
    spread, peak, gradient = [], [], []
    for divisor in DIVISORS.values():
        weights = softmax(products / divisor(d_k))
        spread.append(products.std() / divisor(d_k))
        peak.append(weights.max(axis=-1).mean())
        gradient.append(np.quantile(_gradients(weights, key, divisor(d_k)), QUARTERS))
    return products, np.array(spread), np.array(peak), np.array(gradient)


@functools.cache  # small, and slow to make
def _by_width(booster, sample):
    found = [_three_scalings(width, booster, sample) for width in WIDTHS]
    return tuple(np.stack([each[part] for each in found], axis=-1) for part in (2, 3))


def _measure(d_k, booster, sample):
    products, spread, peak, gradient = _three_scalings(d_k, booster, sample)
    peaks, gradients = (curve.copy() for curve in _by_width(booster, sample))
    bins = np.linspace(-REACH, REACH, 4 * REACH + 1)
    histogram = np.histogram(products / spread[0], bins)[0] / products.size
    measured = {"spread": spread, "peak": peak, "gradient": gradient, "histogram": histogram}
    return {**measured, "peak_by_width": peaks, "gradient_by_width": gradients}


def _table(now):
    averages = np.column_stack([now.spread, now.peak, now.gradient])
    columns = ["spread of scores", "peak weight", "‖∂w/∂q‖ 25%", "50%", "75%"]
    return matrices.matrix(
        averages, f"{NUM_QUERIES} queries, {NUM_KEYS} keys each", rows=list(DIVISORS), columns=columns, decimals=2,
        places=now.places("averages"),
    )  # fmt: skip


def _describe(now):
    plain, root, flat = (f"{peak:.0%}" for peak in now.peak)
    return (
        f"At d_k = {now.d_k} the best of {NUM_KEYS} keys takes {plain} of the weight if nothing is divided, {root} if scores are "
        f"divided by √d_k, and {flat} if they are divided by d_k."
    )


class _Curves:
    """One histogram with three rulers below it, and two measures against the width, for three scalings."""

    def __init__(self):
        figure, axes = plots.new_figure(7.2, 3.5, "aa bb cd", height_ratios=[1.2, 1, 2])
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
        self.here = [ax.plot([], [], color=plots.MUTED, linewidth=1)[0] for ax in (self.peak, self.gradient)]
        curves = [*self.here, *self.lines, *self.quarters, *self.medians, self.outline, *self.bars]
        self.live = plots.LiveFigure(figure, [*curves, *self.numbers], self._update)

    @plots.in_style
    def _rulers(self, shape, ruler, colours):
        """The histogram in multiples of its own spread; below it, the same places in scores of each scaling."""
        (self.outline,) = shape.plot([], [], color=plots.MUTED, drawstyle="steps-post")
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
        spreads = ", ".join(f"{spread:.3g} ({name})" for name, spread in zip(DIVISORS, now.spread, strict=True))
        return self.live.draw(
            now,
            f"Histogram of the scores; their standard deviation is {spreads}. Below, peak weight and median of ‖∂w/∂q‖ "
            f"against d_k, from {WIDTHS[0]} to {WIDTHS[-1]}: {told}.",
        )

    def _update(self, now):
        self.outline.set_data(np.linspace(-REACH, REACH, 4 * REACH + 1), [*2 * now.histogram, 0])  # bins are 1/2 wide
        for text in self.numbers:
            x, row = text.get_position()
            text.set_text(f"{x * now.spread[row]:.3g}")
        for row, spread in enumerate(now.spread):
            self.bars[row].set_data([-0.5 / spread, 0.5 / spread], [row + 0.45] * 2)
        plots.move_curves(self.lines, WIDTHS, now.peak_by_width)
        plots.move_curves(self.medians, WIDTHS, now.gradient_by_width[:, 1])
        for line, curve in zip(self.quarters, now.gradient_by_width[:, ::2].reshape(6, -1), strict=True):
            line.set_data(WIDTHS, curve)
        for line in self.here:
            line.set_data([now.d_k] * 2, line.axes.get_ylim())
