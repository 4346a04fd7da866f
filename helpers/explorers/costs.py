"""What attention costs: stacked areas by formula, and softmax while the keys pass by in blocks."""

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention
from helpers.costs import count_attention, count_product, weights_bytes
from helpers.explorers.controls import choose, slider, stops, switch
from helpers.explorers.engine import Rule, explorer, wrong_turns
from helpers.explorers.sums import bracketed, number
from helpers.explorers.touch import Plane, Touch
from helpers.pictures import plots

LONGEST = 4096
GRID = np.arange(0, LONGEST + 1, 64)
WIDTHS = [(str(width), width) for width in (64, 128, 256, 512, 1024)]
HEADS = [(str(heads), heads) for heads in (1, 2, 4, 8, 16)]
MILLION, MIB = 1e6, 2**20
SCORES = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 2.0])  # before the large one is put among them
VALUES = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
LARGE = 4.0


def explore_cost():
    """See which part of attention costs more, for any number of tokens, width and number of heads.

    Shown: grid (65,), the numbers of tokens across the figure; projections, network and pairs (65,), multiplications there;
    crossing (), from where on token pairs cost more than all else; multiplications and additions (2,) of what grows with N
    and of token pairs at the chosen N; share () of the pairs in the multiplications; map_bytes (), all maps of weights in
    float32
    """
    areas = _Areas()
    return explorer(
        _count,
        lambda now: [areas.draw(now), _cost_table(now)],
        lambda now: (
            f"With N = {now.num_tokens} and D = {now.d_model}, {now.share:.0%} of the multiplications are made for token pairs; "
            f"half of them at N = {6 if now.feed_forward else 2}D = {now.crossing}. "
            f"{'The map of weights takes' if now.num_heads == 1 else 'All maps of weights take'} {now.map_bytes / MIB:.2f} MiB."
        ),
        presets={
            "short sentence": {"num_tokens": 64},
            "long document": {"num_tokens": LONGEST},
        },
        planes={"tokens": Plane(areas.axes, "num_tokens", "drag: the number of tokens, N")},
        sums={"steps": _steps_in_words},
        num_tokens=slider("number of tokens, N", 1024, 64, LONGEST, 64),
        d_model=stops("width, D", WIDTHS, 256),
        num_heads=stops("number of heads", HEADS, 1),
        feed_forward=switch("with the feed-forward network of a layer"),
    )


def _count(num_tokens, d_model, num_heads, feed_forward):
    chosen = count_attention(num_tokens, d_model, num_heads)
    steps = [chosen[name] for name in ("query", "key", "value", "output")]
    if feed_forward:
        steps += [count_product(num_tokens, d_model, 4 * d_model), count_product(num_tokens, 4 * d_model, d_model)]
    pairs = [chosen[name] for name in ("scores", "mixing")]
    multiplications, additions = (
        np.array([sum(step[k] for step in steps), sum(step[k] for step in pairs)]) for k in (0, 1)
    )
    return {
        "grid": GRID.copy(),
        "projections": 4 * GRID * d_model**2,
        "network": (8 if feed_forward else 0) * GRID * d_model**2,
        "pairs": 2 * GRID**2 * d_model,
        "crossing": np.array((6 if feed_forward else 2) * d_model),
        "multiplications": multiplications,
        "additions": additions,
        "share": multiplications[1] / multiplications.sum(),
        "map_bytes": np.array(weights_bytes(num_tokens, num_heads)),
    }


def _cost_table(now):
    counts = np.stack([now.multiplications, now.additions], axis=1) / MILLION
    each = "projections and network" if now.feed_forward else "4 projections"
    return matrices.matrix(
        np.vstack([counts, counts.sum(axis=0)]),
        "steps, in millions",
        rows=[each, "scores, mixing", "together"],
        columns=["multiplications", "additions"],
        corner="at the chosen N",
        places=now.places("steps"),
    )


def _steps_in_words(now, i, j):
    """A sum of n products has n − 1 additions."""
    count = (now.multiplications, now.additions)[j]
    if i == 2:
        return f"{count[0] / MILLION:.3f} + {count[1] / MILLION:.3f} = {count.sum() / MILLION:.3f}"
    N, D, heads = now.num_tokens, now.d_model, now.num_heads
    if i == 0:
        parts = [f"4·{N}·{D}·{D - j}"]
        if now.feed_forward:
            parts += [f"{N}·{4 * D}·{D - j}", f"{N}·{D}·{4 * D - j}"]
    else:
        parts = [f"{heads}·{N}·{N}·{D // heads - j}", f"{N}·{D}·{N - j}"]
    return f"({' + '.join(parts)}) / 10^6 = {count[i] / MILLION:.3f}"


class _Areas:
    """Multiplications against the number of tokens: what each token costs on its own, and on top of it token pairs."""

    def __init__(self):
        figure, self.axes = plots.new_figure(5.6, 3.3)
        self.areas = plots.areas(
            self.axes,
            ["projections, 4 N D²", "network, 8 N D²", "token pairs, 2 N² D"],
            x_title="number of tokens, N",
            y_title="billion multiplications",
        )
        self.crossing = plots.marker_line(self.axes, "half and half", dashed=True)
        self.chosen = plots.marker_line(self.axes, "chosen N")
        plots.legend_above(self.axes, 3)
        self.axes.set(xlim=(0, LONGEST + 30), ylim=(0, 20))  # 17.5 is as wide as the numbers get
        figure.canvas.draw()
        figure.set_layout_engine("none")  # laid out around these: nothing is cut at another width
        self.live = plots.LiveFigure(figure, [*self.areas, self.crossing, self.chosen], self._update)

    def draw(self, now):
        network = ", with a feed-forward network on top" if now.feed_forward else ""
        return self.live.draw(
            now,
            f"Stacked areas of multiplications up to {LONGEST} tokens at width {now.d_model}: the projections{network} grow along "
            f"a straight line, token pairs along a parabola; both cost the same at {now.crossing} tokens.",
        )

    def _update(self, now):
        plots.stack_areas(self.areas, now.grid, [part / 1e9 for part in (now.projections, now.network, now.pairs)])
        self.axes.set_xlim(0, LONGEST + 30)
        self.crossing.set_xdata([now.crossing] * 2)
        self.chosen.set_xdata([now.num_tokens] * 2)


def explore_stream():
    """Let six keys pass by in blocks, and watch the three numbers that softmax needs to remember.

    Shown: scores and weights (6,), value (6,), state (num_blocks, 4): after each block the largest score m, the sum of powers
    l, the sum of powers times values u, and u / l; seen (num_blocks,), attention over the keys so far
    """
    return explorer(
        lambda block_size, place: _stream(_shrink_old_sums, place, block_size),
        _show_stream,
        _say_what_is_left,
        [_RIGHT_SO_FAR],
        touch=_MOVE_THE_4,
        sums={"blocks": _block_in_words},
        folded=["place"],
        block_size=choose("keys in a block", [1, 2, 3, 6], 2),
        place=slider("the score of 4 stands at key", 5, 1, 6, 1),
    )


def explore_wrong_stream():
    """Forget what a larger score does to the sums before it, and see which rule breaks.

    Shown: as in `explore_stream`, with blocks of two keys
    """
    return wrong_turns(
        "when a larger score arrives",
        _RECIPES,
        _stream,
        _show_stream,
        _say_what_is_left,
        [_RIGHT_SO_FAR],
        touch=_MOVE_THE_4,
        sums={"blocks": _block_in_words},
        folded=["place"],
        place=slider("the score of 4 stands at key", 5, 1, 6, 1),
    )


_MOVE_THE_4 = {"key": Touch(lambda now, k: {"place": k + 1}, lambda now, k: f"put the score of 4 at key {k + 1}")}
_RIGHT_SO_FAR = Rule(
    "u / l is the attention over the keys so far",
    lambda now: np.abs(now.state[:, 3] - now.seen).max(),
    "it is off by up to {:.3f}",
)


def _shrink_old_sums(sums, block_sums, old, new):
    return np.exp(old - new) * sums + block_sums


_RECIPES = {
    "shrink the old sums": _shrink_old_sums,
    "leave the old sums": lambda sums, block_sums, old, new: sums + block_sums,
    "drop the old sums": lambda sums, block_sums, old, new: block_sums if new > old else sums + block_sums,
}


def _stream(join, place, block_size=2):
    scores = SCORES.copy()
    scores[place - 1] = LARGE
    largest, sums, state, seen = -np.inf, np.zeros(2), [], []
    for start in range(0, len(scores), block_size):
        end = start + block_size
        new_largest = max(largest, scores[start:end].max())
        powers = np.exp(scores[start:end] - new_largest)
        block_sums = np.array([powers.sum(), powers @ VALUES[start:end]])
        sums, largest = join(sums, block_sums, largest, new_largest), new_largest
        state.append([largest, *sums, sums[1] / sums[0]])
        seen.append(_attend(scores[:end]).output[0, 0])
    weights = _attend(scores).weights[0]
    return {
        "scores": scores,
        "value": VALUES.copy(),
        "weights": weights,
        "state": np.array(state),
        "seen": np.array(seen),
    }


def _attend(scores):
    return scaled_dot_product_attention([[1.0]], scores[:, None], VALUES[: len(scores), None], scale=1.0)


def _show_stream(now):
    stages = [
        matrices.Row("score", now.scores, "scores"),
        matrices.Row("weight, all keys known", now.weights, "weights", now.weights.sum()),
        matrices.Row("value", now.value, "plain", now.seen[-1]),
    ]
    num_blocks, num_keys = len(now.state), len(now.scores)
    ends = [num_keys // num_blocks * (k + 1) for k in range(num_blocks)]
    keys = [f"key {k + 1}" for k in range(num_keys)]
    return [
        matrices.strip(keys, stages, "all at once: click a key", limit=LARGE, places=now.places("key")),
        matrices.matrix(
            np.column_stack([now.state, now.seen]),
            "block by block",
            rows=[_first_keys(end) for end in ends],
            columns=["m", "l", "u", "u / l", "all at once"],
            corner="seen so far",
            places=now.places("blocks"),
        ),
    ]


def _first_keys(end):
    return "key 1" if end == 1 else f"keys 1 to {end}"


def _block_in_words(now, i, j):
    """By the way in which a block is joined to the sums before it."""
    size = len(now.scores) // len(now.state)
    scores, values = now.scores[i * size : (i + 1) * size], now.value[i * size : (i + 1) * size]
    largest, total, mixed, output = now.state[i]
    if j == 0:
        return f"m, the largest of {', '.join(map(number, now.scores[: (i + 1) * size]))} = {number(largest)}"
    if j == 3:
        return f"u / l = {mixed:.3f} / {total:.3f} = {output:.3f}"
    if j == 4:
        return f"attention over {_first_keys((i + 1) * size)}, all at once = {now.seen[i]:.3f}"
    powers = [f"e^{bracketed(number(score - largest))}" for score in scores]
    parts = powers if j == 1 else [f"{power}·{number(value)}" for power, value in zip(powers, values)]
    if i:
        before, old = now.state[i - 1, j], now.state[i - 1, 0]
        way = vars(now).get("recipe", "shrink the old sums")
        kept = {
            "shrink the old sums": f"e^{bracketed(number(old - largest))}·{before:.3f}",
            "leave the old sums": f"{before:.3f}",
        }
        kept["drop the old sums"] = "0" if largest > old else kept["leave the old sums"]
        parts = [kept[way], *parts]
    return f"{'lu'[j - 1]} = {' + '.join(parts)} = {now.state[i, j]:.3f}"


def _say_what_is_left(now):
    m, total, mixed, output = now.state[-1]
    return (
        f"After the last block the largest score is {m:.0f}, the powers add up to {total:.3f}, and u / l = "
        f"{mixed:.3f} / {total:.3f} = {output:.3f}; softmax over all keys at once gives {now.seen[-1]:.3f}."
    )
