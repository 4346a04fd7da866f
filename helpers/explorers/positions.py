"""Waves that mark positions, and what shuffling does with and without them."""

from types import SimpleNamespace

import numpy as np

from helpers import matrices, plots
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.explorers.shuffling import only_shuffled, shuffled, shuffled_order
from helpers.positions import sinusoidal_positional_encoding, wavelengths
from helpers.tokens import one_hot

BASES = [(f"{base:,}", float(base)) for base in (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)]
SENTENCE = ["the", "cat", "sat", "on", "the", "mat"]
ENCODINGS = ["none", "sinusoidal", "learned (here: drawn by lot)"]


def explore_encoding():
    """Look at the sinusoidal encoding of up to 512 positions and 512 dimensions.

    Returns
    -------
    Explorer
        shown: picked (2,), the two positions; encoding (num_positions, d_model), wave (num_positions,) of the chosen dimension, first and second
        (d_model,), the two positions' vectors, from_first and from_second (num_positions,), their dot products with
        every position, and dot_product ()
    """
    controls = {
        "num_positions": slider("number of positions", 100, 1, 512, 1),
        "d_model": slider("dimensions, d_model", 512, 2, 512, 1),
        "base": stops("base", BASES, 10_000.0),
        "dimension": slider("dimension to follow", 20, 0, 511, 1),
        "first": slider("first position", 10, 0, 99, 1),
        "second": slider("second position", 30, 0, 99, 1),
    }
    _end_at(controls["d_model"], [controls["dimension"]])
    _end_at(controls["num_positions"], [controls["first"], controls["second"]])
    waves = _Waves()
    return Explorer(
        controls,
        _encode,
        lambda shown, values: waves.draw(shown),
        _describe,
        presets={"small: 12 × 8": {"num_positions": 12, "d_model": 8, "dimension": 2, "first": 3, "second": 8}},
    )


def explore_shuffle():
    """Shuffle a sentence under self-attention, without and with positions added.

    Returns
    -------
    Explorer
        shown: weights and shuffled_weights (6, 6), output and shuffled_output (6, 5), order (6,), difference (6,), how
        far each shuffled word's output is from the same word's output before
    """
    return Explorer(
        {
            "positions": choose("positions added to the tokens", ENCODINGS, "none"),
            "shuffle": slider("shuffle (0 = as written)", 3, 0, 20, 1),
        },
        _shuffle,
        _draw_shuffle,
        lambda shown, values: (
            f"Read as '{' '.join(SENTENCE[i] for i in shown['order'])}', the same word's output moves by up to "
            f"{shown['difference'].max():.3f}."
        ),
        lights=lambda shown, values: [
            rows_sum_to_one(shown["shuffled_weights"]),
            only_shuffled("tokens").light(SimpleNamespace(difference=shown["difference"])),
        ],
    )


def _end_at(size, indices):
    """Keep index sliders below a size slider."""

    def follow(change):
        for index in indices:
            index.max = max(1, change["new"] - 1)  # a slider needs two ends; `_encode` stays within the size

    size.observe(follow, "value")


def _encode(num_positions, d_model, base, dimension, first, second):
    encoding = sinusoidal_positional_encoding(num_positions, d_model, base)
    first, second = min(first, num_positions - 1), min(second, num_positions - 1)
    return {
        "picked": np.array([first, second]),
        "encoding": encoding,
        "wave": encoding[:, min(dimension, d_model - 1)],
        "first": encoding[first],
        "second": encoding[second],
        "from_first": encoding @ encoding[first],
        "from_second": encoding @ encoding[second],
        "dot_product": encoding[first] @ encoding[second],
    }


def _describe(shown, values):
    d_model = len(shown["first"])
    length = wavelengths(d_model, values["base"])[values["dimension"]]
    return (
        f"Dimension {values['dimension']} repeats every {length:,.1f} positions. Positions {shown['picked'][0]} and "
        f"{shown['picked'][1]} have the dot product {shown['dot_product']:.2f}; a position with itself has about "
        f"{d_model / 2:.1f}, half the width."
    )


class _Waves:
    """The heatmap, the wave of one dimension, two positions' vectors, and dot products by distance."""

    def __init__(self):
        figure, (large, wave, pair, dots) = plots.new_figure(
            8.4, 5.4, "ab ac ad", width_ratios=[1.2, 1], height_ratios=[1.2, 0.6, 1.2]
        )
        same, blank = {"kind": "encoding", "x_title": "dimension"}, np.zeros((2, 2))
        self.heatmap = plots.heatmap(large, blank, y_title="position", bar="value of the encoding", **same)
        self.wave = plots.curves(wave, 1, x_title="position", title="the dimension to follow")
        self.pair = plots.heatmap(pair, blank, y_title="", **same)
        pair.set_title("the two positions' vectors", loc="left", fontsize=11)
        pair.set(yticks=[0, 1], yticklabels=["first", "second"])
        self.dots = plots.curves(
            dots, 2, x_title="distance", title="dot product ÷ (d_model / 2)", labels=["from first", "from second"]
        )
        self.live = plots.LiveFigure(figure, [self.heatmap, *self.wave, self.pair, *self.dots], self._update)

    def draw(self, shown):
        size = "{} positions by {} dimensions".format(*shown["encoding"].shape)
        return self.live.draw(
            shown,
            f"Heatmap of the sinusoidal encoding, {size}: quick stripes in the first dimensions, ever slower to the right. "
            "Beside it one dimension's wave, two positions' vectors, and dot products that depend on the distance alone.",
        )

    def _update(self, shown):
        num_positions, d_model = shown["encoding"].shape
        positions = np.arange(num_positions)
        plots.resize_heatmap(self.heatmap, shown["encoding"])
        plots.resize_heatmap(self.pair, np.stack([shown["first"], shown["second"]]))
        plots.move_curves(self.wave, positions, [shown["wave"]])
        for line, start, dots in zip(
            self.dots, shown["picked"], [shown["from_first"], shown["from_second"]], strict=True
        ):
            line.set_data(positions - start, dots / (d_model / 2))
        self.dots[0].axes.set_xlim(-num_positions, num_positions)


def _shuffle(positions, shuffle):
    tokens = one_hot(SENTENCE, list(dict.fromkeys(SENTENCE)))
    added = {
        "none": np.zeros(tokens.shape),
        "sinusoidal": sinusoidal_positional_encoding(*tokens.shape),
        ENCODINGS[2]: np.random.default_rng(8).normal(size=tokens.shape),
    }[positions]
    return shuffled(tokens, added, None, shuffled_order(len(tokens), shuffle))


def _draw_shuffle(shown, values):
    moved = [SENTENCE[i] for i in shown["order"]]
    same = {"kind": "weights", "corner": "query ↓ key →", "decimals": 2}
    return matrices.beside(
        matrices.matrix(shown["weights"], "weights, as written", rows=SENTENCE, columns=SENTENCE, **same),
        matrices.matrix(shown["shuffled_weights"], "weights, shuffled", rows=moved, columns=moved, **same),
        matrices.matrix(shown["difference"][:, None], "output moved by", rows=moved, columns=["largest"]),
    )


def explore_wrong_waves():
    """Leave the cosines out, or count instead of waving, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: encoding (8, 8) and dot_products (8, 8)
    """
    return Explorer(
        {"recipe": choose("positions marked by", list(_RECIPES), next(iter(_RECIPES)))},
        _mark,
        lambda shown, values: matrices.beside(
            matrices.matrix(
                shown["encoding"], "encoding", kind="scores", limit=1.0, decimals=2, corner="position", **_FROM_ZERO
            ),
            matrices.matrix(
                shown["dot_products"],
                "dot products",
                kind="scores",
                limit=4.0,
                decimals=2,
                corner="position",
                **_FROM_ZERO,
            ),
        ),
        lambda shown, values: (
            f"Neighbours have dot products from {np.diag(shown['dot_products'], 1).min():.2f} "
            f"to {np.diag(shown['dot_products'], 1).max():.2f}."
        ),
        lights=lambda shown, values: [_same_along_diagonals(shown["dot_products"])],
    )


_FROM_ZERO = {"rows": range(8), "columns": range(8)}
_RECIPES = {
    "sines and cosines": lambda: sinusoidal_positional_encoding(8, 8),
    "sines only": lambda: sinusoidal_positional_encoding(8, 16)[:, 0::2],
    "the position's number ÷ 8": lambda: np.repeat(np.arange(8)[:, None] / 8, 8, axis=1),
}


def _mark(recipe):
    encoding = _RECIPES[recipe]()
    return {"encoding": encoding, "dot_products": encoding @ encoding.T}


def _same_along_diagonals(dot_products):
    size = len(dot_products)
    gap = max(np.ptp(np.diag(dot_products, k)) for k in range(size))
    rule = "dot products depend on the distance alone"
    return Light(rule, bool(gap < 1e-9), f"one distance gives values {gap:.3f} apart")
