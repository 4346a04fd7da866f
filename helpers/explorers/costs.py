"""What attention costs: stacked areas by formula, and softmax while the keys pass by in blocks."""

import numpy as np

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.costs import count_attention, weights_bytes
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import Light
from helpers.explorers.legacy import Explorer

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

    Returns
    -------
    Explorer
        shown: grid (65,), the numbers of tokens across the figure; projections and meetings (65,), multiplications there;
        crossing (), where both cost the same; multiplications and additions (2,) of projections and meetings at the
        chosen N; share () of the meetings in the multiplications; map_bytes (), all maps of weights in float32
    """
    areas = _Areas()
    return Explorer(
        {
            "num_tokens": slider("number of tokens, N", 1024, 64, LONGEST, 64),
            "d_model": stops("width, D", WIDTHS, 256),
            "num_heads": stops("number of heads", HEADS, 1),
        },
        _count,
        lambda shown, values: matrices.under(areas.draw(shown, values), _cost_table(shown)),
        lambda shown, values: (
            f"With N = {values['num_tokens']} and D = {values['d_model']}, {shown['share']:.0%} of the multiplications are "
            f"made where tokens meet; half of them at N = 2D = {shown['crossing']}. The maps of weights take "
            f"{shown['map_bytes'] / MIB:.2f} MiB."
        ),
        presets={
            "short sentence": {"num_tokens": 64},
            "long document": {"num_tokens": LONGEST},
        },
    )


def _count(num_tokens, d_model, num_heads):
    chosen = count_attention(num_tokens, d_model, num_heads)
    projections = [chosen[name] for name in ("query", "key", "value", "output")]
    meetings = [chosen[name] for name in ("scores", "mixing")]
    multiplications, additions = (
        np.array([sum(step[k] for step in projections), sum(step[k] for step in meetings)]) for k in (0, 1)
    )
    return {
        "grid": GRID.copy(),
        "projections": 4 * GRID * d_model**2,
        "meetings": 2 * GRID**2 * d_model,
        "crossing": np.array(2 * d_model),
        "multiplications": multiplications,
        "additions": additions,
        "share": multiplications[1] / multiplications.sum(),
        "map_bytes": np.array(weights_bytes(num_tokens, num_heads)),
    }


def _cost_table(shown):
    counts = np.stack([shown["multiplications"], shown["additions"]], axis=1) / MILLION
    return matrices.matrix(
        np.vstack([counts, counts.sum(axis=0)]),
        "steps, in millions",
        rows=["4 projections", "scores, mixing", "together"],
        columns=["multiplications", "additions"],
        corner="at the chosen N",
    )


class _Areas:
    """Multiplications against the number of tokens: projections, and on top of them what tokens do to each other."""

    def __init__(self):
        figure, ax = plots.new_figure(7.0, 3.8)
        self.areas = plots.areas(
            ax,
            ["4 projections, 4 N D²", "scores and mixing, 2 N² D"],
            x_title="number of tokens, N",
            y_title="billion multiplications",
        )
        self.crossing = plots.marker_line(ax, "equal: N = 2D", dashed=True)
        self.chosen = plots.marker_line(ax, "chosen N")
        plots.legend_above(ax, 2)
        ax.set(xlim=(0, LONGEST), ylim=(0, 20))  # 17.5 is as wide as the numbers get
        figure.canvas.draw()
        figure.set_layout_engine("none")  # laid out around these: nothing is cut at another width
        self.live = plots.LiveFigure(figure, [*self.areas, self.crossing, self.chosen], self._update)

    def draw(self, shown, values):
        self._num_tokens = values["num_tokens"]
        return self.live.draw(
            shown,
            f"Stacked areas of multiplications up to {LONGEST} tokens at width {values['d_model']}: the projections grow along "
            f"a straight line, scores and mixing along a parabola; both cost the same at {shown['crossing']} tokens.",
        )

    def _update(self, shown):
        plots.stack_areas(self.areas, shown["grid"], [shown["projections"] / 1e9, shown["meetings"] / 1e9])
        self.crossing.set_xdata([shown["crossing"]] * 2)
        self.chosen.set_xdata([self._num_tokens] * 2)


def explore_stream():
    """Let six keys pass by in blocks, and watch the three numbers that softmax needs to remember.

    Returns
    -------
    Explorer
        shown: scores and weights (6,), value (6,), state (num_blocks, 4): after each block the largest score m, the sum
        of powers l, the sum of powers times values u, and u / l; seen (num_blocks,), attention over the keys so far
    """
    return Explorer(
        {
            "block_size": choose("keys in a block", [1, 2, 3, 6], 2),
            "place": slider("the score of 4 stands at key", 5, 1, 6, 1),
        },
        lambda block_size, place: _stream(block_size, place, _RECIPES[next(iter(_RECIPES))]),
        _draw_stream,
        _describe_stream,
        lights=lambda shown, values: [_right_so_far(shown)],
    )


def explore_wrong_stream():
    """Forget what a larger score does to the sums before it, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: as in `explore_stream`, with blocks of two keys
    """
    return Explorer(
        {
            "recipe": choose("when a larger score arrives", list(_RECIPES), next(iter(_RECIPES))),
            "place": slider("the score of 4 stands at key", 5, 1, 6, 1),
        },
        lambda recipe, place: _stream(2, place, _RECIPES[recipe]),
        _draw_stream,
        _describe_stream,
        lights=lambda shown, values: [_right_so_far(shown)],
    )


def _shrink_old_sums(sums, block_sums, old, new):
    return np.exp(old - new) * sums + block_sums


def _leave_old_sums(sums, block_sums, old, new):
    return sums + block_sums


def _start_again(sums, block_sums, old, new):
    return block_sums if new > old else sums + block_sums


_RECIPES = {
    "shrink the old sums": _shrink_old_sums,
    "leave the old sums": _leave_old_sums,
    "drop the old sums": _start_again,
}


def _stream(block_size, place, join):
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


def _draw_stream(shown, values):
    stages = [
        matrices.Row("score", shown["scores"], "scores"),
        matrices.Row("weight, all keys known", shown["weights"], "weights", shown["weights"].sum()),
        matrices.Row("value", shown["value"], "plain", shown["seen"][-1]),
    ]
    num_blocks, num_keys = len(shown["state"]), len(shown["scores"])
    ends = [num_keys // num_blocks * (k + 1) for k in range(num_blocks)]
    return matrices.under(
        matrices.strip([f"key {k + 1}" for k in range(num_keys)], stages, "all at once", limit=LARGE),
        matrices.matrix(
            np.column_stack([shown["state"], shown["seen"]]),
            "block by block",
            rows=[f"keys 1 to {end}" for end in ends],
            columns=["m", "l", "u", "u / l", "all at once"],
            corner="seen so far",
        ),
    )


def _describe_stream(shown, values):
    m, total, mixed, output = shown["state"][-1]
    return (
        f"After the last block the largest score is {m:.0f}, the powers add up to {total:.3f}, and u / l = "
        f"{mixed:.3f} / {total:.3f} = {output:.3f}; softmax over all keys at once gives {shown['seen'][-1]:.3f}."
    )


def _right_so_far(shown):
    gap = np.abs(shown["state"][:, 3] - shown["seen"]).max()
    return Light("u / l is the attention over the keys so far", bool(gap < 1e-9), f"it is off by up to {gap:.3f}")
