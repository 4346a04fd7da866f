"""One sequence asks another: cross-attention."""

import numpy as np
from matplotlib.collections import LineCollection

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, slider, text_field
from helpers.explorers.engine import SHARES, between, explorer
from helpers.explorers.strings import LONGEST, read_letters
from helpers.explorers.sums import dot_product, mixture, number, share_of_3
from helpers.explorers.touch import Plane, Touch, turn_letter
from helpers.pictures.colours import COLOURS
from helpers.tokens import one_hot

ASKING, SOURCE = "BA", "AABA"
SIDES = ["the first asks the second", "the second asks the first"]
DARK, FAINT = "#15803d", "#c8d6cd"  # lines of the letter that is followed, and of the others
NUMBERS = np.array([[10.0], [20.0]])  # the values of an A and a B


def explore_cross():
    """Let one string of A's and B's ask another, of another length: click who asks, turn the letters, turn the roles round.

    Shown: query (M, 2), key (N, 2), value (N, 1), scores and weights (M, N), output (M, 1), and chosen (), the place of the
    letter that is followed
    """
    asks = Touch(lambda now, i, *j: {"asks": i + 1}, lambda now, i, *j: f"click: follow letter {i + 1}")
    turn, (lines, axes) = turn_letter(lambda now: "source" if now.side == SIDES[0] else "asking"), _lines()
    return explorer(
        _ask_across,
        lambda now: _show_across(lines, now),
        _describe_across,
        [
            SHARES,
            between(lambda now: now.output, lambda now: now.value, "every output lies between the values"),
        ],
        presets={
            "roles reversed": {"side": SIDES[1]},
            "queries twice as long": {"asking": ASKING, "source": SOURCE, "side": SIDES[0], "length": 2.0},
        },
        touch={
            "who asks": asks,
            "scores": asks,
            "weights": asks,
            "who is asked": turn,
        },
        planes={
            "lines": Plane(
                axes,
                lambda now, x, y: _press(turn, now, x, y),
                "press a letter: below, it asks; above, it turns",
                drag=False,
            )
        },
        sums={
            "scores": dot_product("scores", "query", "key", written=number),
            "weights": share_of_3(),
            "output": mixture("output", "weights", "value"),
        },
        folded=["asks"],
        asking=text_field("first string", ASKING),
        source=text_field("second string", SOURCE),
        side=choose("who asks", SIDES, SIDES[0]),
        asks=slider("letter to follow", 1, 1, 12, 1),
        length=slider("length of the queries", 1.0, 0.0, 5.0, 0.5),
    )


def _sides(asking, source, side):
    strings = read_letters(asking, "first string"), read_letters(source, "second string")
    return strings if side == SIDES[0] else strings[::-1]


def _ask_across(asking, source, side, asks, length):
    asker, asked = _sides(asking, source, side)
    query, key = length * one_hot(asker, "AB"), one_hot(asked, "AB")
    value = key @ NUMBERS
    answer = scaled_dot_product_attention(query, key, value, scale=1, base=3)
    return {
        "query": query,
        "key": key,
        "value": value,
        **answer._asdict(),
        "chosen": np.array(min(asks, len(asker)) - 1),
    }


def _press(turn, now, x, y):
    """A letter of the lower string asks, one of the upper string is turned."""
    num_queries, num_keys = now.weights.shape
    if y > 0.5:
        return turn.set(now, _nearest(x, num_keys))
    return {"asks": _nearest(x, num_queries) + 1}


def _places(count):
    """Where the letters of a string stand, between 0 and 1."""
    return (np.arange(count) + 1) / (count + 1)


def _nearest(x, count):
    return int(np.abs(_places(count) - x).argmin())


def _show_across(lines, now):
    asks, asked = _sides(now.asking, now.source, now.side)
    row = int(now.chosen)
    across = {"rows": asks, "columns": asked, "chosen_row": row}
    return [
        [
            lines.draw(now),
            matrices.under(
                matrices.running(
                    asked, now.weights[row], f"where {asks[row]}, letter {row + 1}, looks", places=now.places("who is asked")
                ),
                matrices.running(
                    asks, now.output[:, 0], "who asks, and its output", kind="plain", chosen=row,
                    places=now.places("who asks"),
                ),
            ),
        ],
        [
            now.table("scores", limit=5.0, decimals=1, **across),
            now.table("weights", **across),
            now.table("output", rows=asks, columns=["number"], chosen_row=row),
        ],
        [
            now.table("query", "queries", rows=asks, columns="AB", decimals=1, chosen_row=row),
            now.table("key", "keys", rows=asked, columns="AB", decimals=0),
            now.table("value", "values", rows=asked, columns=["number"], decimals=0),
        ],
    ]  # fmt: skip


def _describe_across(now):
    num_queries, num_keys = now.weights.shape
    one, low, high = num_queries == 1, now.output.min(), now.output.max()
    return (
        f"{num_queries} ask{'s' * one} {num_keys}: {num_queries} × {num_keys} weight{'s' * (now.weights.size > 1)}, and "
        f"{num_queries} output{'s' * (not one)}, {f'{low:.3f}' if one else f'from {low:.3f} to {high:.3f}'}."
    )


def _lines():
    """Who is asked above who asks, and a line between any two letters, as thick as the weight is large."""
    figure, axes = plots.new_figure(2.7, 1.35)
    axes.set(xlim=(0, 1), ylim=(-0.25, 1.25), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    lines = axes.add_collection(LineCollection([], capstyle="round"))
    letters = [[axes.text(0, y, "", ha="center", va="center") for _ in range(LONGEST)] for y in (0.0, 1.0)]

    def update(now):
        sides = _sides(now.asking, now.source, now.side)
        below, above = (_places(len(string)) for string in sides)
        lines.set_segments([[(x, 0.14), (z, 0.86)] for x in below for z in above])
        lines.set_linewidths(9 * now.weights.ravel())
        dark = np.repeat(np.arange(len(below)) == now.chosen, len(above))
        lines.set_colors([DARK if chosen else FAINT for chosen in dark])
        for row, string, places in zip(letters, sides, (below, above), strict=True):
            for k, letter in enumerate(row):
                letter.set_text(string[k] if k < len(string) else "")
                letter.set_x(places[k] if k < len(string) else 0)
                letter.set_color(COLOURS["chosen"].light if row is letters[0] and k == now.chosen else "black")

    def tell(now):
        asks, asked = _sides(now.asking, now.source, now.side)
        return (
            f"The letters {asked} above the letters {asks}, a line from each letter below to each above, as thick as its weight; "
            f"those of letter {now.chosen + 1}, {asks[int(now.chosen)]}, are dark."
        )

    return plots.LiveFigure(figure, [lines, *letters[0], *letters[1]], update, tell), axes
