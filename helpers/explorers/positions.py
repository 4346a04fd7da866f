"""Waves that mark positions, how to look some positions back, and what another order does with and without them."""

import numpy as np

from helpers import matrices, plots
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import Rule, explorer, rows_sum_to_one, wrong_turns
from helpers.explorers.shuffling import shuffled
from helpers.explorers.sums import farthest, number, share
from helpers.explorers.touch import Plane, Sum, Swap
from helpers.positions import sinusoidal_positional_encoding, turn, wavelengths
from helpers.tokens import one_hot

BASES = [(f"{base:,}", float(base)) for base in (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)]
SENTENCE = ["the", "cat", "sat", "on", "the", "mat"]
ENCODINGS = ["none", "sinusoidal", "learned (here: drawn at random)"]

# --- the encoding -----------------------------------------------------------------------------------------------------


def explore_encoding():
    """Point into the sinusoidal encoding of up to 512 positions and 512 dimensions, and let a position look k back.

    Shown: picked (2,), the position and the dimension; encoding (num_positions, d_model), wave (num_positions,) of the
    dimension, query (d_model,), the position's vector turned back, from_position and scores (num_positions,), the dot
    products of all positions with the position's own vector and with the query
    """
    controls = {
        "num_positions": slider("number of positions", 100, 1, 512, 1),
        "d_model": slider("dimensions, d_model", 128, 2, 512, 1),
        "base": stops("base", BASES, 10_000.0),
        "dimension": slider("dimension to follow", 20, 0, 127, 1),
        "position": slider("position", 30, 0, 99, 1),
        "back": slider("look back by k positions", 10, 0, 50, 1),
    }
    _end_at(controls["d_model"], controls["dimension"])
    _end_at(controls["num_positions"], controls["position"])
    waves = _Waves()
    return explorer(
        _encode,
        waves.draw,
        _describe,
        [Rule(lambda now: f"each position with itself gives d_model / 2 = {now.d_model / 2:g}", _off_half)],
        presets={
            "512 dimensions": {"num_positions": 512, "d_model": 512},
            "8 dimensions": {"num_positions": 512, "d_model": 8, "dimension": 2, "position": 0, "back": 0},
        },
        planes={
            "encoding": Plane(
                waves.heatmap.axes,
                lambda now, x, y: {"dimension": x, "position": y},
                "click: the column is a dimension, the row a position",
            ),
            "wave": Plane(waves.wave.axes, "position", "click or drag: another position"),
            "scores": Plane(
                waves.scores[0].axes, lambda now, x, y: {"back": now.picked[0] - x}, "click or drag: look there"
            ),
        },
        **controls,
    )


def _end_at(size, index):
    """Keep an index slider below a size slider."""

    def follow(change):
        index.max = max(1, change["new"] - 1)  # a slider needs two ends; `_encode` stays within the size

    size.observe(follow, "value")


def _encode(num_positions, d_model, base, dimension, position, back):
    encoding = sinusoidal_positional_encoding(num_positions, d_model, base)
    position, dimension = min(position, num_positions - 1), min(dimension, d_model - 1)
    query = _turned(encoding[position], back, base)
    return {
        "picked": np.array([position, dimension]),
        "encoding": encoding,
        "wave": encoding[:, dimension],
        "query": query,
        "from_position": encoding @ encoding[position],
        "scores": encoding @ query,
    }


def _turned(row, back, base):
    """PE(pos) R: every pair of sine and cosine turned back by `back` positions; a lone sine stays."""
    paired = len(row) // 2 * 2
    speeds = 2 * np.pi / wavelengths(len(row), base)[:paired:2]
    return np.concatenate([turn(row[None, :paired], back * speeds[None])[0], row[paired:]])


def _off_half(now):
    return np.abs((now.encoding**2).sum(axis=1) - now.d_model / 2).max()


def _describe(now):
    position, dimension = now.picked
    length = wavelengths(now.d_model, now.base)[dimension]
    turned = f", turned back by {now.back}," if now.back else ""
    return (
        f"Dimension {dimension} repeats every {length:,.1f} positions. Position {position}{turned} has its largest dot "
        f"product, {now.scores.max():.2f}, with position {now.scores.argmax()}."
    )


class _Waves:
    """The heatmap, the wave of one dimension with its clock, and the dot products with all positions."""

    def __init__(self):
        figure, (large, wave, clock, scores) = plots.new_figure(
            5.5, 4.9, "aa bc dd", width_ratios=[1.9, 1], height_ratios=[1.9, 1.2, 1.1]
        )
        blank, cross = np.zeros((2, 2)), {"color": "#111111", "linewidth": 1}
        self.heatmap = plots.heatmap(
            large, blank, kind="encoding", x_title="dimension", y_title="position", bar="value"
        )
        self.heatmap.set_interpolation_stage(
            "data"
        )  # where columns are too narrow their mean is shown, not a mixed colour
        self.cross = [large.axvline(0, **cross), large.axhline(0, **cross)]
        (self.wave,) = plots.curves(wave, 1, x_title="position", title="the dimension's wave")
        (self.here,) = wave.plot([0], [0], "o", color="#c2410c", markersize=6)
        plots.clock_hands(clock, [], [])
        clock.set_axis_off()
        clock.set_xlim(-1.1, 1.1)
        clock.set_ylim(-1.1, 1.1)
        clock.set_title("its clock", fontsize=11)
        self.hands = [
            clock.plot([], [], linewidth=2, color=color, linestyle=style)[0]
            for color, style in (("#1d4ed8", "-"), ("#c2410c", "--"))
        ]
        self.scores = plots.curves(scores, 2, x_title="position", title="dot product ÷ (d_model / 2)")
        beside = {"loc": "lower right", "bbox_to_anchor": (1.15, 1), "ncols": 2, "borderpad": 0, "frameon": False}
        legend = scores.legend(self.scores, ["turned back", "as it is"], **beside)
        legend.set_in_layout(False)  # beside the title, as the curves fill the axes
        self.target = plots.marker_line(scores, None, dashed=True)
        moving = [self.heatmap, *self.cross, self.wave, self.here, *self.hands, *self.scores, self.target]
        self.live = plots.LiveFigure(figure, moving, self._update)

    def draw(self, now):
        num_positions, d_model = now.encoding.shape
        return self.live.draw(
            now,
            f"Heatmap of the sinusoidal encoding, {num_positions} positions by {d_model} dimensions: quick stripes in the "
            "first dimensions, ever slower to the right. Below it one dimension's wave and its clock hands, and the dot "
            "products of one position with all others, as it is and turned back.",
        )

    def _update(self, now):
        num_positions, d_model = now.encoding.shape
        position, dimension = now.picked
        positions = np.arange(num_positions)
        plots.resize_heatmap(self.heatmap, now.encoding)
        self.cross[0].set_xdata([dimension, dimension])
        self.cross[1].set_ydata([position, position])
        plots.move_curves([self.wave], positions, [now.wave])
        self.here.set_data([position], [now.wave[position]])
        speed = 2 * np.pi / wavelengths(d_model, now.base)[dimension]
        for hand, place in zip(self.hands, (position, position - now.back), strict=True):
            hand.set_data([0, np.cos(speed * place)], [0, np.sin(speed * place)])
        plots.move_curves(self.scores, positions, [now.scores / (d_model / 2), now.from_position / (d_model / 2)])
        self.target.set_xdata([position - now.back] * 2)


# --- another order ----------------------------------------------------------------------------------------------------


def explore_shuffle():
    """Drag the words of a sentence into another order, without and with positions added.

    Shown: scores, weights, shuffled_scores and shuffled_weights (6, 6), output and shuffled_output (6, 5), order
    (6,), difference (6,), how far each word's output is from the same word's output as written, and backwards (), how far
    one is at most when the sentence is read backwards
    """
    return explorer(
        _reorder,
        _show_order,
        lambda now: (
            f"Read as '{' '.join(_words(now.order))}', the same word's output moves by up to {now.difference.max():.3f}."
        ),
        [Rule("every row sums to 1", lambda now: rows_sum_to_one(now.shuffled_weights)), _ORDER_COUNTS],
        presets={"as written": {"read": " ".join(SENTENCE)}, "mixed up": {"read": "sat mat the cat on the"}},
        touch={
            "words": Swap(
                _exchange,
                lambda now, k: {"asks": k},
                lambda now, k: f"click: '{_words(now.order)[k]}' looks; or drag it onto another word",
            )
        },
        sums={
            "weights": share("weights", "scores", written=number).words,
            "shuffled_weights": share("shuffled_weights", "shuffled_scores", written=number).words,
            "difference": _how_far,
        },
        folded=["read", "asks"],
        positions=choose("positions added to the tokens", ENCODINGS, "none"),
        read=text_field("read as", "the mat sat on the cat"),
        asks=slider("which word looks", 5, 0, 5, 1),
    )


def _words(order):
    return [SENTENCE[i] for i in order]


def _order(read):
    """Which word of the sentence stands at each place of a text; of two equal words each stays at its place, if it can."""
    words, left = read.split(), list(range(len(SENTENCE)))
    if sorted(words) != sorted(SENTENCE):
        raise ValueError(f"read as must hold the words of '{' '.join(SENTENCE)}' in any order, got {read!r:.60}.")
    stay = {place for place, word in enumerate(words) if SENTENCE[place] == word}
    left = [place for place in left if place not in stay]
    order = []
    for place, word in enumerate(words):
        order.append(place if place in stay else next(i for i in left if SENTENCE[i] == word))
        left = [i for i in left if i != order[-1]]
    return np.array(order)


def _exchange(now, start, end):
    words = _words(now.order)
    (i,), (j,) = start, end
    words[i], words[j] = words[j], words[i]
    return {"read": " ".join(words), "asks": j}


def _reorder(positions, read, asks):
    tokens = one_hot(SENTENCE, list(dict.fromkeys(SENTENCE)))
    added = {
        "none": np.zeros(tokens.shape),
        "sinusoidal": sinusoidal_positional_encoding(*tokens.shape),
        ENCODINGS[2]: np.random.default_rng(8).normal(size=tokens.shape),
    }[positions]
    backwards = shuffled(tokens, added, None, np.arange(len(SENTENCE))[::-1])["difference"].max()
    return {**shuffled(tokens, added, None, _order(read)), "backwards": backwards}


def _how_far(now, i, j):
    word = now.order[j]
    return f"'{SENTENCE[word]}' as read and as written, {farthest(now.shuffled_output[j], now.output[word], number)}"


_ORDER_COUNTS = Rule(
    "word order changes the outputs",
    lambda now: (now.backwards > 1e-9, "even read backwards, no output moves"),
)


def _show_order(now):
    moved, asks = _words(now.order), now.asks
    same = {"corner": "query ↓ key →", "decimals": 2, "row_sums": False}
    read = matrices.running(
        moved, now.shuffled_weights[asks], f"drag a word onto another; '{moved[asks]}' looks", chosen=asks,
        places=now.places("words"),
    )  # fmt: skip
    return [
        [read, now.table("difference", "output moved by", rows=["largest"], columns=moved)],
        [
            now.table("weights", "weights, as written", rows=SENTENCE, columns=SENTENCE, **same),
            now.table(
                "shuffled_weights",
                "weights, as read",
                rows=moved,
                columns=moved,
                kind="weights",
                chosen_row=asks,
                **same,
            ),
        ],
    ]


# --- wrong waves ------------------------------------------------------------------------------------------------------


def explore_wrong_waves():
    """Leave the cosines out, leave one alone, or count instead of waving, and see which rule breaks.

    Shown: encoding (8, width) and dot_products (8, 8)
    """
    places, shaded = range(8), {"kind": "scores", "decimals": 2, "corner": "position"}
    return wrong_turns(
        "positions marked by",
        _RECIPES,
        lambda make: {"encoding": make(), "dot_products": make() @ make().T},
        lambda now: (
            now.table("encoding", limit=1.0, rows=places, columns=range(now.encoding.shape[1]), **shaded),
            now.table("dot_products", "dot products", limit=4.0, rows=places, columns=places, **shaded),
        ),
        lambda now: (
            f"Neighbours have dot products from {np.diag(now.dot_products, 1).min():.2f} "
            f"to {np.diag(now.dot_products, 1).max():.2f}."
        ),
        [Rule("dot products depend on the distance alone", _spread, "one distance gives values {:.3f} apart")],
        sums={
            "encoding": _wave_in_words,
            "dot_products": Sum([("encoding", "i:"), ("encoding", "j:")], _apart),
        },
    )


def _wave_in_words(now, i, j):
    made = {
        "sines and cosines": f"{('sin', 'cos')[j % 2]}({i} / 10000^({j - j % 2}/8))",
        "sines only": f"sin({i} / 10000^({j}/8))",
        "an odd width, 3, with base 10": f"{('sin', 'cos')[j % 2]}({i} / 10^({j - j % 2}/3))",
    }.get(now.recipe, f"{i} / 8")
    return f"{made} = {number(now.encoding[i, j])}"


def _apart(now, i, j):
    return f"Position {i} · position {j}, {abs(i - j)} apart: {now.dot_products[i, j]:.2f}"


_RECIPES = {
    "sines and cosines": lambda: sinusoidal_positional_encoding(8, 8),
    "sines only": lambda: sinusoidal_positional_encoding(8, 16)[:, 0::2],
    "an odd width, 3, with base 10": lambda: sinusoidal_positional_encoding(8, 3, 10.0),
    "the position's number ÷ 8": lambda: np.repeat(np.arange(8)[:, None] / 8, 8, axis=1),
}


def _spread(now):
    return max(np.ptp(np.diag(now.dot_products, k)) for k in range(8))
