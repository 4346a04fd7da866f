"""One sequence asks another: cross-attention, what can be kept, and what must not be mixed up."""

import functools
import math

import numpy as np
from matplotlib.collections import LineCollection

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import SHARES, Rule, between, explorer, wrong_turns
from helpers.explorers.strings import LONGEST, read_letters
from helpers.explorers.sums import dot_product, mixture, number, share, share_of_3
from helpers.explorers.touch import Plane, Touch, turn_letter
from helpers.matrices import ACCENT
from helpers.tokens import one_hot

ASKING, SOURCE = "BA", "AABA"
SIDES = ["the first asks the second", "the second asks the first"]
DARK, FAINT = "#15803d", "#c8d6cd"  # lines of the letter that is followed, and of the others
WIDTHS = [(str(width), width) for width in (2, 64, 128, 256, 512, 1024)]


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
            "weights": share("weights", "scores", lambda now: "3" if now.base == 3 else "e", number),
            "output": mixture("output", "weights", "value"),
        },
        folded=["asks"],
        asking=text_field("first string", ASKING),
        source=text_field("second string", SOURCE),
        side=choose("who asks", SIDES, SIDES[0]),
        asks=slider("letter to follow", 1, 1, 12, 1),
        length=slider("length of the queries", 1.0, 0.0, 5.0, 0.5),
        base=choose("base of softmax", {"3": 3.0, "e": math.e}, 3.0),
        value_of_a=slider("value of an A", 10, 0, 30, 1),
        value_of_b=slider("value of a B", 20, 0, 30, 1),
    )


def _sides(asking, source, side):
    strings = read_letters(asking, "first string"), read_letters(source, "second string")
    return strings if side == SIDES[0] else strings[::-1]


def _ask_across(asking, source, side, asks, length, base, value_of_a, value_of_b):
    asker, asked = _sides(asking, source, side)
    query, key = length * one_hot(asker, "AB"), one_hot(asked, "AB")
    value = key @ np.array([[value_of_a], [value_of_b]], dtype=float)
    answer = scaled_dot_product_attention(query, key, value, scale=1, base=base)
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
                letter.set_color(ACCENT if row is letters[0] and k == now.chosen else "black")

    def tell(now):
        asks, asked = _sides(now.asking, now.source, now.side)
        return (
            f"The letters {asked} above the letters {asks}, a line from each letter below to each above, as thick as its weight; "
            f"those of letter {now.chosen + 1}, {asks[int(now.chosen)]}, are dark."
        )

    return plots.LiveFigure(figure, [lines, *letters[0], *letters[1]], update, tell), axes


# --- what can be kept -------------------------------------------------------------------------------------------------


def explore_reuse():
    """Count what it costs to make K and V of the source anew at every step, or once for each layer.

    Shown: anew and kept (num_steps,), multiplications for K and V of the source after each step
    """
    return explorer(
        _count_both_ways,
        _show_counts,
        _describe_counts,
        touch={"counts": Touch(lambda now, i, j: {"num_steps": _steps_told(now)[j]}, _count_in_words)},
        num_keys=slider("tokens in the source", 4, 1, 64, 1),
        num_steps=slider("tokens written, one step each", 5, 1, 64, 1),
        num_layers=slider("layers of the decoder", 6, 1, 12, 1),
        d_model=stops("width, d_model", WIDTHS, 512),
    )


def _count_both_ways(num_keys, num_steps, num_layers, d_model):
    # K and V of every layer: the source (num_keys, d_model) times W (d_model, d_model)
    once = 2 * num_layers * num_keys * d_model * d_model
    return {"anew": once * np.arange(1, num_steps + 1), "kept": np.full(num_steps, once)}


def _steps_told(now):
    last = len(now.kept)
    return list(range(1, last + 1)) if last <= 6 else sorted({1, 2, 3, last // 2, last})


def _count_in_words(now, i, j):
    step, way = _steps_told(now)[j], ("anew", "kept")[i]
    times = f"{step} steps · " if way == "anew" and step > 1 else ""
    size = f"2 · {now.num_layers} layer{'s' * (now.num_layers > 1)} · {now.num_keys} · {now.d_model} · {now.d_model}"
    return f"{times}{size} = {now[way][step - 1]:,}; click: stop after step {step}"


def _show_counts(now):
    chosen = _steps_told(now)
    lines = [
        [words, *(_in_few_letters(now[way][step - 1]) for step in chosen)]
        for words, way in (("made anew", "anew"), ("kept", "kept"))
    ]
    heads = [f"step {step}" for step in chosen]
    return matrices.table(
        lines, "multiplications for K and V of the source, added up", heads, corner="after", places=now.places("counts")
    )


def _in_few_letters(count):
    """A count in millions or billions where it is so large."""
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if count >= size:
            return f"{count / size:.1f} {word}"
    return f"{count:,}"


def _describe_counts(now):
    kept, anew, steps = now.kept[-1], now.anew[-1], len(now.kept)
    more = f"that is {steps} times as many" if steps > 1 else "the same: there is nothing to save yet"
    return f"Kept, K and V take {kept:,.0f} multiplications in all; made anew at every step, {anew:,.0f}, {more}."


# --- keys or values from the wrong side -------------------------------------------------------------------------------


def explore_wrong_source():
    """Take keys or values from the wrong side, with two strings of one length, so that no shape complains.

    Shown: scores and weights (4, 4), output (4, 1), shuffled (4, 1), the output after the source is shuffled, and other
    (4, 1), the output for a source of B's alone
    """
    return wrong_turns(
        "who hands over",
        _SOURCES,
        _take,
        _show_sources,
        lambda now: (
            f"The first B's output is {now.output[0, 0]:.2f}; with the source shuffled {now.shuffled[0, 0]:.2f}, with another "
            f"source {now.other[0, 0]:.2f}."
        ),
        [
            SHARES,
            Rule("shuffling the source moves no output", lambda now: _gap(now.shuffled, now), "one moves by {:.3f}"),
            Rule("another source gives other outputs", lambda now: (_gap(now.other, now) > 1e-9, "none has moved")),
        ],
        sums={
            "weights": share_of_3(),
            "output": mixture("output", "weights", lambda now: _values(_SOURCES[now.recipe][1])),
            **{name: functools.partial(_output_again, name) for name in ("shuffled", "other")},
        },
        picks={"weights": (4, 4), **dict.fromkeys(["output", "shuffled", "other"], (4, 1))},
    )


def _gap(other, now):
    return np.abs(now.output - other).max()


_FIRST, _SECOND = "BABB", "AABA"
_OTHERS = {"shuffled": "ABAA", "other": "BBBB"}
_SOURCES = {  # who hands over keys, who hands over values
    "the source: keys and values": ("source", "source"),
    "the source: keys; who asks: values": ("source", "asking"),
    "who asks: keys; the source: values": ("asking", "source"),
    "who asks: keys and values": ("asking", "asking"),
}


def _show_sources(now):
    columns = _SECOND if _SOURCES[now.recipe][0] == "source" else _FIRST
    titles = {"output": "output", "shuffled": "source shuffled", "other": "source BBBB"}
    return (
        now.table("weights", rows=_FIRST, columns=columns),
        *(now.table(name, title, rows=_FIRST, columns=["number"], decimals=2) for name, title in titles.items()),
    )


def _output_again(name, now, i, j):
    return f"output of {_FIRST[i]}, letter {i + 1}, when the source is {_OTHERS[name]} = {now[name][i, j]:.2f}"


def _values(side, source=_SECOND):
    return one_hot(_FIRST if side == "asking" else source, "AB") @ np.array([[10.0], [20.0]])


def _take(sources):
    of_key, of_value = sources
    found = {}
    for name, second in (("output", _SECOND), *_OTHERS.items()):
        tokens = {"asking": one_hot(_FIRST, "AB"), "source": one_hot(second, "AB")}
        value = _values(of_value, second)
        answer = scaled_dot_product_attention(tokens["asking"], tokens[of_key], value, scale=1, base=3)
        found[name] = answer.output
        if name == "output":
            found |= {"scores": answer.scores, "weights": answer.weights}
    return found
