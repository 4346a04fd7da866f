"""What the width of queries and keys does to scores, weights and gradients, and which division mends it."""

import functools
import math

import numpy as np

from helpers import matrices, plots
from helpers.attention import softmax, softmax_jacobian
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer

WIDEST, MOST_KEYS, NUM_QUERIES = 256, 16, 100
WIDTHS = 2 ** np.arange(9)
DIVISORS = {"÷ 1": lambda d_k: 1.0, "÷ √d_k": math.sqrt, "÷ d_k": float}
MEASURES = ["spread of scores", "peak weight", "entropy, bits", "gradient"]
BINS = np.arange(-33, 34, 2)  # the edges; even dot products fall in the middle of a bin


def explore_scale():
    """Draw queries and keys by lot, and watch three scalings against their width.

    Returns
    -------
    Explorer
        shown: dot_products (100, num_keys), 100 queries with keys of their own; for the three scalings scores and weights
        (3, 100, num_keys), spread, peak, entropy and gradient (3,), and histogram (3, num_bins), the share of scores in
        each bin, those beyond the ends included in the last; widths (num_widths,) with peak_by_width,
        entropy_by_width and gradient_by_width (3, num_widths)
    """
    curves = _Curves()
    return Explorer(
        {
            "d_k": slider("d_k, width of queries and keys", 64, 1, WIDEST, 1),
            "num_keys": stops("number of keys", [(str(n), n) for n in (2, 4, 8, MOST_KEYS)], MOST_KEYS),
            "booster": stops("booster on the keys", [(str(n), n) for n in (1, 2, 5, 10)], 1),
            "entries": choose("entries of queries and keys", list(_ENTRIES), "+1 or -1"),
            "sample": slider("draw number", 1, 1, 8, 1),
        },
        _measure,
        lambda shown, values: matrices.under(
            matrices.matrix(
                np.stack([shown[name] for name in ("spread", "peak", "entropy", "gradient")], axis=1),
                "averages over 100 queries",
                rows=list(DIVISORS),
                columns=MEASURES,
            ),
            curves.draw(shown, values),
        ),
        _describe,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"])],
        presets={
            "narrow: d_k 2": {"d_k": 2, "booster": 1},
            "wide: d_k 256": {"d_k": 256, "booster": 1},
            "two keys": {"num_keys": 2, "booster": 1},
        },
    )


def explore_wrong_scale():
    """Divide by something else than √d_k, and see what then depends on the width.

    Returns
    -------
    Explorer
        shown: widths (4,), measures (4, 4): spread, peak weight, entropy and gradient for each width
    """
    return Explorer(
        {"divisor": choose("scores divided by", list(_WRONG), next(iter(_WRONG)))},
        _measure_wrong,
        lambda shown, values: matrices.matrix(
            shown["measures"],
            f"scores divided by {values['divisor']}",
            rows=[f"d_k = {width}" for width in shown["widths"]],
            columns=MEASURES,
        ),
        lambda shown, values: (
            f"From d_k = 4 to d_k = 256 the spread goes from {shown['measures'][0, 0]:.2f} to "
            f"{shown['measures'][-1, 0]:.2f}, the gradient from {shown['measures'][0, 3]:.3f} to "
            f"{shown['measures'][-1, 3]:.3f}."
        ),
        lights=lambda shown, values: [_spread_is_one(shown["measures"]), _gradient_stays(shown["measures"])],
    )


_ENTRIES = {
    "+1 or -1": lambda rng, shape: 2.0 * rng.integers(2, size=shape) - 1,
    "normal, spread 1": lambda rng, shape: rng.normal(size=shape),
}


@functools.lru_cache(maxsize=4)
def _dot_products(entries, sample):
    """Dot products (100, 16, 256) of the first 1, 2, … 256 entries of 100 queries with 16 keys each."""
    rng = np.random.default_rng(sample)
    query = _ENTRIES[entries](rng, (NUM_QUERIES, 1, WIDEST))
    key = _ENTRIES[entries](rng, (NUM_QUERIES, MOST_KEYS, WIDEST))
    products = np.cumsum(query * key, axis=-1)
    products.flags.writeable = False  # the next call gets the same array
    return products


def _scores(dot_products, widths, booster):
    """The three scalings (3, 100, num_keys, num_widths) of dot products (100, num_keys, num_widths)."""
    divisors = np.array([[divisor(width) for width in widths] for divisor in DIVISORS.values()])
    return booster * dot_products / divisors[:, None, None, :]


def _averages(weights):
    """Peak weight, entropy in bits and largest entry of the Jacobian of weights (..., num_queries, num_keys)."""
    logarithms = np.log2(np.where(weights > 0, weights, 1))
    gradient = softmax_jacobian(weights).max(axis=(-2, -1))
    entropy = np.maximum(0, -(weights * logarithms).sum(axis=-1))
    return weights.max(axis=-1).mean(axis=-1), entropy.mean(axis=-1), gradient.mean(axis=-1)


@functools.cache  # small, and slow to make
def _by_width(num_keys, entries, sample, booster):
    products = _dot_products(entries, sample)[:, :num_keys, WIDTHS - 1]
    weights = np.moveaxis(softmax(_scores(products, WIDTHS, booster), axis=2), 3, 1)  # (3, num_widths, 100, num_keys)
    return _averages(weights)


def _measure(d_k, num_keys, booster, entries, sample):
    dot_products = booster * _dot_products(entries, sample)[:, :num_keys, d_k - 1]
    scores = _scores(dot_products[..., None], [d_k], 1)[..., 0]
    weights = softmax(scores)
    peak, entropy, gradient = _averages(weights)
    peaks, entropies, gradients = (curve.copy() for curve in _by_width(num_keys, entries, sample, booster))
    inside = np.clip(scores, BINS[0], BINS[-1] - 1)
    return {
        "dot_products": dot_products,
        "scores": scores,
        "weights": weights,
        "spread": scores.std(axis=(1, 2)),
        "peak": peak,
        "entropy": entropy,
        "gradient": gradient,
        "histogram": np.stack([np.histogram(part, BINS)[0] / part.size for part in inside]),
        "widths": WIDTHS.copy(),
        "peak_by_width": peaks,
        "entropy_by_width": entropies,
        "gradient_by_width": gradients,
    }


def _describe(shown, values):
    (plain, root, _), (peak, root_peak, flat_peak) = shown["spread"], shown["peak"]
    return (
        f"At d_k = {values['d_k']}, scores spread by {plain:.2f} unscaled, and the largest of {values['num_keys']} weights "
        f"is {peak:.2f} on average; divided by √d_k, {root:.2f} and {root_peak:.2f}; divided by d_k, the largest weight is "
        f"{flat_peak:.2f}, where equal shares are {1 / values['num_keys']:.2f}."
    )


class _Curves:
    """The histogram of the scores, and three measures against the width, for three scalings."""

    def __init__(self):
        figure, axes = plots.new_figure(8.4, 5.0, "ab cd")
        names = list(DIVISORS)
        scores = plots.curves(axes[0], 3, x_title="score", title="share of the scores", y_limits=(-0.03, 1.05))
        for line, name in zip(scores, names, strict=True):
            line.set(drawstyle="steps-mid", label=name)
        self.lines = [scores]
        for ax, title, top in zip(axes[1:], MEASURES[1:], (1, math.log2(MOST_KEYS), 0.25), strict=True):
            limits = (-0.03 * top, 1.05 * top)
            self.lines.append(plots.curves(ax, 3, x_title="d_k", title=title, y_limits=limits))
            ax.set_xscale("log", base=2)
            ax.set_xticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
        for lines in self.lines:
            lines[2].set_linestyle(":")
        axes[0].legend(scores, names, loc="upper right", frameon=False, fontsize=9)
        self.here = [ax.plot([], [], color="#777777", linewidth=1)[0] for ax in axes[1:]]
        moving = [*self.here, *(line for lines in self.lines for line in lines)]
        self.live = plots.LiveFigure(figure, moving, self._update)

    def draw(self, shown, values):
        return self.live.draw(
            {**shown, "d_k": values["d_k"]},
            f"Histogram of the scores at d_k = {values['d_k']}, and peak weight, entropy and gradient against d_k. "
            f"From d_k = {WIDTHS[0]} to {WIDTHS[-1]} the peak weight goes {_ends(shown['peak_by_width'], 2)}; "
            f"the gradient {_ends(shown['gradient_by_width'], 3)}.",
        )

    def _update(self, shown):
        plots.move_curves(self.lines[0], (BINS[:-1] + BINS[1:]) / 2, shown["histogram"])
        for lines, name in zip(self.lines[1:], ("peak", "entropy", "gradient"), strict=True):
            plots.move_curves(lines, shown["widths"], shown[f"{name}_by_width"])
        for line in self.here:
            line.set_data([shown["d_k"]] * 2, line.axes.get_ylim())


def _ends(curves, decimals):
    """Where the curves (3, num_widths) of the three scalings start and end, in words."""
    names = ["unscaled", "divided by √d_k", "divided by d_k"]
    pairs = zip(names, curves[:, 0], curves[:, -1], strict=True)
    return ", ".join(f"{name} from {first:.{decimals}f} to {last:.{decimals}f}" for name, first, last in pairs)


# --- wrong divisors --------------------------------------------------------------------------------------------------

_FOUR = np.array([4, 16, 64, 256])
_WRONG = {
    "√d_k": np.sqrt,
    "1": np.ones_like,
    "d_k": np.asarray,
    "√(number of keys)": lambda widths: np.full(len(widths), math.sqrt(MOST_KEYS)),
}


def _measure_wrong(divisor):
    products = _dot_products("+1 or -1", 1)[..., _FOUR - 1]
    scores = np.moveaxis(products / _WRONG[divisor](_FOUR), 2, 0)  # (4, 100, num_keys)
    measures = np.stack([scores.std(axis=(1, 2)), *_averages(softmax(scores))], axis=1)
    return {"widths": _FOUR.copy(), "measures": measures}


def _spread_is_one(measures):
    gap = np.abs(measures[:, 0] - 1).max()
    return Light("scores spread by about 1 at every width", bool(gap < 0.1), f"one spread is off by {gap:.2f}")


def _gradient_stays(measures):
    share = measures[-1, 3] / measures[0, 3]
    rule = "the gradient is the same at every width, give or take a tenth"
    return Light(rule, bool(abs(share - 1) < 0.1), f"from first to last it changes by a factor of {share:.2f}")
