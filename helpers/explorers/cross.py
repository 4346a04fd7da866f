"""One sequence asks another: cross-attention, what can be kept, and what must not be mixed up."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.explorers.query import read_letters
from helpers.tokens import one_hot

ASKING, SOURCE = "BA", "AABA"
SIDES = ["the first asks the second", "the second asks the first"]
WIDTHS = [(str(width), width) for width in (2, 64, 128, 256, 512, 1024)]


def explore_cross():
    """Let one string of A's and B's ask another, of another length; then turn the roles round.

    Returns
    -------
    Explorer
        shown: query (M, 2), key (N, 2), value (N, 1), scores and weights (M, N), output (M, 1)
    """
    return Explorer(
        {
            "asking": text_field("first string", ASKING),
            "source": text_field("second string", SOURCE),
            "side": choose("who asks", SIDES, SIDES[0]),
            "length": slider("length of the queries", 1.0, 0.0, 5.0, 0.5),
            "base": choose("base of softmax", {"3": 3.0, "e": math.e}, 3.0),
            "value_of_a": slider("value of an A", 10, 0, 30, 1),
            "value_of_b": slider("value of a B", 20, 0, 30, 1),
        },
        _ask_across,
        _draw_across,
        _describe_across,
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            _between_values(shown["output"], shown["value"]),
        ],
        presets={
            "roles reversed": {"side": SIDES[1]},
            "queries twice as long": {"asking": ASKING, "source": SOURCE, "side": SIDES[0], "length": 2.0},
        },
    )


def _sides(values):
    strings = read_letters(values["asking"], "first string"), read_letters(values["source"], "second string")
    return strings if values["side"] == SIDES[0] else strings[::-1]


def _ask_across(asking, source, side, length, base, value_of_a, value_of_b):
    asks, asked = _sides({"asking": asking, "source": source, "side": side})
    query, key = length * one_hot(asks, "AB"), one_hot(asked, "AB")
    value = key @ np.array([[value_of_a], [value_of_b]], dtype=float)
    answer = scaled_dot_product_attention(query, key, value, scale=1, base=base)
    return {"query": query, "key": key, "value": value, **answer._asdict()}


def _draw_across(shown, values):
    asks, asked = _sides(values)
    across = {"rows": asks, "columns": asked, "corner": "query ↓ key →"}
    return matrices.under(
        matrices.beside(
            matrices.matrix(shown["query"], "queries", rows=asks, columns="AB", decimals=1),
            matrices.matrix(shown["key"], "keys", rows=asked, columns="AB", decimals=0),
            matrices.matrix(shown["value"], "values", rows=asked, columns=["number"], decimals=0),
        ),
        matrices.beside(
            matrices.matrix(shown["scores"], "scores", kind="scores", limit=5.0, decimals=1, **across),
            matrices.matrix(shown["weights"], "weights", kind="weights", row_sums=True, **across),
            matrices.matrix(shown["output"], "output", rows=asks, columns=["number"]),
        ),
    )


def _describe_across(shown, values):
    num_queries, num_keys = shown["weights"].shape
    return (
        f"{num_queries} ask {num_keys}: {num_queries} × {num_keys} weights, and {num_queries} outputs, "
        f"from {shown['output'].min():.3f} to {shown['output'].max():.3f}."
    )


def _between_values(output, value):
    gap = max((output - value.max(axis=0)).max(), (value.min(axis=0) - output).max())
    rule = "every output lies between the values that were asked"
    return Light(rule, bool(gap < 1e-9), f"one is outside by {gap:.3f}")


def explore_reuse():
    """Count what it costs to make K and V of the source anew at every step, or once for each layer.

    Returns
    -------
    Explorer
        shown: anew and kept (num_steps,), multiplications for K and V of the source after each step
    """
    return Explorer(
        {
            "num_keys": slider("tokens in the source", 4, 1, 64, 1),
            "num_steps": slider("tokens written, one step each", 5, 1, 64, 1),
            "num_layers": slider("layers of the decoder", 6, 1, 12, 1),
            "d_model": stops("width, d_model", WIDTHS, 512),
        },
        _count_both_ways,
        _draw_counts,
        lambda shown, values: (
            f"Kept, K and V take {shown['kept'][-1]:,.0f} multiplications in all; made anew at every step, "
            f"{shown['anew'][-1]:,.0f}, that is {shown['anew'][-1] / shown['kept'][-1]:.0f} times as many."
        ),
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


def _draw_counts(shown, values):
    last = len(shown["kept"])
    chosen = range(1, last + 1) if last <= 6 else sorted({1, 2, 3, last // 2, last})
    lines = [
        [name, *(f"{shown[way][step - 1]:,}" for step in chosen)]
        for name, way in (("made anew at every step", "anew"), ("made once for each layer, and kept", "kept"))
    ]
    heads = [f"step {step}" for step in chosen]
    return matrices.table(lines, "multiplications for K and V of the source, added up", heads, corner="after")


def explore_wrong_source():
    """Take keys or values from the wrong side, with two strings of one length, so that no shape complains.

    Returns
    -------
    Explorer
        shown: weights (4, 4), output (4, 1), shuffled (4, 1), the output after the source is shuffled, and other (4, 1),
        the output for a source of B's alone
    """
    return Explorer(
        {"sources": choose("who hands over", list(_SOURCES), next(iter(_SOURCES)))},
        _take,
        lambda shown, values: matrices.beside(
            matrices.matrix(
                shown["weights"], "weights", kind="weights", rows=_FIRST, columns=_columns(values), row_sums=True,
                corner="query ↓ key →",
            ),
            *(
                matrices.matrix(shown[name], title, rows=_FIRST, columns=["number"], decimals=2)
                for name, title in [
                    ("output", "output"), ("shuffled", "source shuffled"), ("other", "source BBBB"),
                ]
            ),
        ),
        lambda shown, values: (
            f"The first B takes home {shown['output'][0, 0]:.2f}; with the source shuffled {shown['shuffled'][0, 0]:.2f}, "
            f"with another source {shown['other'][0, 0]:.2f}."
        ),
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            _does_not_move(shown["output"], shown["shuffled"]),
            _moves(shown["output"], shown["other"]),
        ],
    )  # fmt: skip


_FIRST, _SECOND, _SHUFFLED = "BABB", "AABA", "ABAA"
_SOURCES = {  # who hands over keys, who hands over values
    "the source: keys and values": ("source", "source"),
    "the source: keys; who asks: values": ("source", "asking"),
    "who asks: keys; the source: values": ("asking", "source"),
    "who asks: keys and values": ("asking", "asking"),
}


def _columns(values):
    return _SECOND if _SOURCES[values["sources"]][0] == "source" else _FIRST


def _take(sources):
    of_key, of_value = _SOURCES[sources]
    found = {}
    for name, second in (("output", _SECOND), ("shuffled", _SHUFFLED), ("other", "BBBB")):
        tokens = {"asking": one_hot(_FIRST, "AB"), "source": one_hot(second, "AB")}
        value = tokens[of_value] @ np.array([[10.0], [20.0]])
        answer = scaled_dot_product_attention(tokens["asking"], tokens[of_key], value, scale=1, base=3)
        found[name] = answer.output
        if name == "output":
            found["weights"] = answer.weights
    return found


def _does_not_move(output, shuffled):
    gap = np.abs(output - shuffled).max()
    return Light("shuffling the source moves no output", bool(gap < 1e-9), f"one moves by {gap:.3f}")


def _moves(output, other):
    gap = np.abs(output - other).max()
    return Light("another source gives other outputs", bool(gap > 1e-9), "none has moved")
