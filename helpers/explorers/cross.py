"""One sequence asks another: cross-attention, what can be kept, and what must not be mixed up."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import SHARES, Rule, between, explorer, wrong_turns
from helpers.explorers.strings import read_letters
from helpers.explorers.sums import dot_product, mixture, number, share
from helpers.explorers.touch import Touch, turn_letter
from helpers.tokens import one_hot

ASKING, SOURCE = "BA", "AABA"
SIDES = ["the first asks the second", "the second asks the first"]
WIDTHS = [(str(width), width) for width in (2, 64, 128, 256, 512, 1024)]


def explore_cross():
    """Let one string of A's and B's ask another, of another length: click who asks, turn the letters, turn the roles round.

    Returns
    -------
    Explorer
        shown: query (M, 2), key (N, 2), value (N, 1), scores and weights (M, N), output (M, 1), and chosen (), the place of
        the letter that is followed
    """
    asks = Touch(lambda now, i, *j: {"asks": i + 1}, lambda now, i, *j: f"click: follow letter {i + 1}")
    return explorer(
        _ask_across,
        _show_across,
        _describe_across,
        [
            SHARES,
            between(
                lambda now: now.output, lambda now: now.value, "every output lies between the values that were asked"
            ),
        ],
        presets={
            "roles reversed": {"side": SIDES[1]},
            "queries twice as long": {"asking": ASKING, "source": SOURCE, "side": SIDES[0], "length": 2.0},
        },
        touch={
            "who asks": asks,
            "scores": asks,
            "weights": asks,
            "who is asked": turn_letter(lambda now: "source" if now.side == SIDES[0] else "asking"),
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


def _show_across(now):
    asks, asked = _sides(now.asking, now.source, now.side)
    row = int(now.chosen)
    across = {"rows": asks, "columns": asked, "chosen_row": row}
    return [
        [
            matrices.running(
                asks, now.output[:, 0], "who asks: click a letter (below: its output)", kind="plain", chosen=row,
                places=now.places("who asks"),
            ),
            matrices.running(
                asked, now.weights[row], f"where {asks[row]}, letter {row + 1}, looks", places=now.places("who is asked")
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
    return (
        f"{num_queries} ask {num_keys}: {num_queries} × {num_keys} weights, and {num_queries} outputs, "
        f"from {now.output.min():.3f} to {now.output.max():.3f}."
    )


# --- what can be kept -------------------------------------------------------------------------------------------------


def explore_reuse():
    """Count what it costs to make K and V of the source anew at every step, or once for each layer.

    Returns
    -------
    Explorer
        shown: anew and kept (num_steps,), multiplications for K and V of the source after each step
    """
    return explorer(
        _count_both_ways,
        _show_counts,
        _describe_counts,
        num_keys=slider("tokens in the source", 4, 1, 64, 1),
        num_steps=slider("tokens written, one step each", 5, 1, 64, 1),
        num_layers=slider("layers of the decoder", 6, 1, 12, 1),
        d_model=stops("width, d_model", WIDTHS, 512),
    )


def _count_both_ways(num_keys, num_steps, num_layers, d_model):
    one_product = num_keys * d_model * d_model  # source (num_keys, d_model) times W (d_model, d_model)
    anew, kept, layers_done = [], [], set()
    total_anew = total_kept = 0
    for _ in range(num_steps):
        for layer in range(num_layers):
            total_anew += 2 * one_product  # K and V
            if layer not in layers_done:
                total_kept += 2 * one_product
                layers_done.add(layer)
        anew.append(total_anew)
        kept.append(total_kept)
    return {"anew": np.array(anew), "kept": np.array(kept)}


def _show_counts(now):
    last = len(now.kept)
    chosen = range(1, last + 1) if last <= 6 else sorted({1, 2, 3, last // 2, last})
    lines = [
        [words, *(_in_few_letters(now[way][step - 1]) for step in chosen)]
        for words, way in (("made anew", "anew"), ("kept", "kept"))
    ]
    heads = [f"step {step}" for step in chosen]
    return matrices.table(lines, "multiplications for K and V of the source, added up", heads, corner="after")


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

    Returns
    -------
    Explorer
        shown: weights (4, 4), output (4, 1), shuffled (4, 1), the output after the source is shuffled, and other (4, 1),
        the output for a source of B's alone
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
    )


def _gap(other, now):
    return np.abs(now.output - other).max()


_FIRST, _SECOND, _SHUFFLED = "BABB", "AABA", "ABAA"
_SOURCES = {  # who hands over keys, who hands over values
    "the source: keys and values": ("source", "source"),
    "the source: keys; who asks: values": ("source", "asking"),
    "who asks: keys; the source: values": ("asking", "source"),
    "who asks: keys and values": ("asking", "asking"),
}


def _show_sources(now):
    columns = _SECOND if _SOURCES[now.recipe][0] == "source" else _FIRST
    titles = {"output": "output", "shuffled": "source shuffled", "other": "source BBBB"}
    return [
        [
            now.table("weights", rows=_FIRST, columns=columns),
            *(now.table(name, title, rows=_FIRST, columns=["number"], decimals=2) for name, title in titles.items()),
        ]
    ]


def _take(sources):
    of_key, of_value = sources
    found = {}
    for name, second in (("output", _SECOND), ("shuffled", _SHUFFLED), ("other", "BBBB")):
        tokens = {"asking": one_hot(_FIRST, "AB"), "source": one_hot(second, "AB")}
        value = tokens[of_value] @ np.array([[10.0], [20.0]])
        answer = scaled_dot_product_attention(tokens["asking"], tokens[of_key], value, scale=1, base=3)
        found[name] = answer.output
        if name == "output":
            found["weights"] = answer.weights
    return found
