"""What the explorers of positions must show, in plain loops; tests/test_explorers.py holds them beside it."""

import functools
import math

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import positions
from tests import driving
from tests.references import dot, off_one, self_attention, spread_by_distance, waves
from web import tiles

WRITTEN = ["the", "cat", "sat", "on", "the", "mat"]
REFUSED = ["", "the cat", "the cat sat on the hat", "the cat sat on the mat mat", "the cat sat on the matB"]
driving.OTHER_TEXTS["read as"] = [
    " ".join(WRITTEN), "the mat sat on the cat", "mat the on sat cat the", "  on the the  cat mat sat ", *REFUSED,
]  # fmt: skip


def speed(dimension, d_model, base):
    return 1 / base ** (2 * (dimension // 2) / d_model)


def encoding(num_positions, d_model, base, dimension, position, back):
    rows = waves(num_positions, d_model, base)
    position = min(position, num_positions - 1)
    query = []
    for j in range(d_model):
        alone = j == d_model - 1 and d_model % 2
        place = position if alone else position - back
        query.append((math.sin, math.cos)[j % 2](place * speed(j, d_model, base)))
    table = np.array(rows)
    return {
        "picked": [position, dimension],
        "encoding": rows,
        "wave": [row[dimension] for row in rows],
        "query": query,
        "from_position": table @ rows[position],
        "scores": table @ query,
    }


def reading(read):
    words, free = read.split(), list(range(6))
    if sorted(words) != sorted(WRITTEN):
        return None
    order = [place if WRITTEN[place] == word else None for place, word in enumerate(words)]  # who stays where it was
    free = [i for i in free if i not in order]
    for place, word in enumerate(words):
        if order[place] is None:
            (first, *_) = [i for i in free if WRITTEN[i] == word]
            free.remove(first)
            order[place] = first
    return order


@functools.cache
def shuffle(positions, read, asks):
    order = reading(read)
    if order is None:
        return None
    kinds = ["the", "cat", "sat", "on", "mat"]
    tokens = [[1.0 if kind == word else 0.0 for kind in kinds] for word in WRITTEN]
    added = {"none": [[0.0] * 5 for _ in range(6)], "sinusoidal": waves(6, 5)}.get(positions)
    added = added or np.random.default_rng(8).normal(size=(6, 5)).tolist()

    def attend(order):
        rows = [[t + a for t, a in zip(tokens[i], line, strict=True)] for i, line in zip(order, added, strict=True)]
        return self_attention(rows, 1 / math.sqrt(5))

    scores, weights, output = attend(range(6))

    def moved(order):
        pairs = [(line, output[word]) for line, word in zip(attend(order)[-1], order, strict=True)]
        return [max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in pairs]

    shuffled_scores, shuffled_weights, shuffled_output = attend(order)
    return {
        "order": order,
        "scores": scores,
        "weights": weights,
        "output": output,
        "shuffled_scores": shuffled_scores,
        "shuffled_weights": shuffled_weights,
        "shuffled_output": shuffled_output,
        "difference": moved(order),
        "backwards": max(moved([5, 4, 3, 2, 1, 0])),
    }


@functools.cache
def wrong_waves(recipe):
    rows = {
        "sines and cosines": waves(8, 8),
        "sines only": [[math.sin(p / 10_000 ** (j / 8)) for j in range(8)] for p in range(8)],
        "an odd width, 3, with base 10": waves(8, 3, 10),
        "the position's number ÷ 8": [[p / 8] * 8 for p in range(8)],
    }[recipe]
    return {"encoding": rows, "dot_products": [[dot(a, b) for b in rows] for a in rows]}


REFERENCES = {"explore_encoding": encoding, "explore_shuffle": shuffle, "explore_wrong_waves": wrong_waves}
TABLES = {
    "explore_encoding": lambda shown, values: {},
    "explore_shuffle": lambda shown, values: {
        "weights, as written": shown["weights"],
        "weights, as read": shown["shuffled_weights"],
        "output moved by": [shown["difference"]],
    },
    "explore_wrong_waves": lambda shown, values: {
        "encoding": shown["encoding"],
        "dot products": shown["dot_products"],
    },
}


def encoding_sentence(shown, values):
    position, dimension = shown["picked"]
    length = 2 * math.pi / speed(dimension, values["d_model"], values["base"])
    back = [values["back"]] if values["back"] else []
    return [dimension, length, position, *back, max(shown["scores"]), int(np.argmax(shown["scores"]))]


def neighbours(shown, values):
    products = [shown["dot_products"][i][i + 1] for i in range(7)]
    return [min(products), max(products)]


SENTENCES = {
    "explore_encoding": encoding_sentence,
    "explore_shuffle": lambda shown, values: [max(shown["difference"])],
    "explore_wrong_waves": neighbours,
}


def half(shown, values):
    d_model = values["d_model"]
    gap = max(abs(dot(row, row) - d_model / 2) for row in shown["encoding"])
    return [(f"each position with itself gives d_model / 2 = {d_model / 2:g}", gap if gap > 1e-9 else 0)]


LIGHTS = {
    "explore_encoding": half,
    "explore_shuffle": lambda shown, values: [
        off_one(shown["shuffled_weights"]),
        ("word order changes the outputs", 0 if shown["backwards"] > 1e-9 else None),
    ],
    "explore_wrong_waves": lambda shown, values: [spread_by_distance(shown["dot_products"])],
}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_explore_shuffle_moves_nothing_without_positions_and_something_with_them():
    explorer = explorers.explore_shuffle()
    assert explorer.shown["difference"].max() < 1e-12 and "✗ word order changes the outputs" in explorer.html
    for kind in driving.choices(explorer.controls["positions"])[1:]:
        explorer.set(positions=kind)
        assert explorer.shown["difference"].max() > 0.1 and "✗" not in explorer.html
    explorer.set(read=" ".join(WRITTEN))
    assert explorer.shown["difference"].max() == 0 and "✗" not in explorer.html


def test_words_of_explore_shuffle_are_dragged_onto_one_another_and_clicked():
    explorer = explorers.explore_shuffle()
    driving.stroke(explorer, "words", (1,), (5,))
    assert explorer.values["read"] == " ".join(WRITTEN) and explorer.values["asks"] == 5
    driving.click(explorer, "words", 2)
    assert explorer.values["asks"] == 2 and "&#x27;sat&#x27; looks" in explorer.html
    explorer.set(read="the cat")
    assert "The last good picture stays" in explorer._view.value
    driving.stroke(explorer, "words", (0,), (1,))  # what is seen is dragged
    assert explorer.values["read"] == "cat the sat on the mat" and explorer._view.value == explorer.html


@pytest.mark.parametrize(("d_model", "base"), [(128, 10_000.0), (8, 10.0), (62, 300.0)])
@pytest.mark.parametrize("back", [0, 1, 7])
def test_a_position_turned_back_by_k_looks_at_the_one_k_before(d_model, base, back):
    explorer = explorers.explore_encoding()
    explorer.set(d_model=d_model, base=base, position=30, back=back)
    assert explorer.shown["scores"].argmax() == 30 - back
    np.testing.assert_allclose(explorer.shown["query"], explorer.shown["encoding"][30 - back], atol=1e-12)


def test_figure_of_explore_encoding_is_clicked_and_dragged():
    explorer = explorers.explore_encoding()
    driving.point(explorer, "encoding", 77.2, 12.4)
    assert (explorer.values["dimension"], explorer.values["position"]) == (77, 12)
    driving.point(explorer, "wave", 40.4, 0.0)
    driving.point(explorer, "wave", 44.4, 0.0, kind="mousemove")
    assert explorer.values["position"] == 44 and explorer.values["dimension"] == 77
    driving.point(explorer, "scores", 38.7, 0.0)
    assert explorer.values["back"] == 5 and explorer.shown["scores"].argmax() == 39
    driving.point(explorer, "scores", 90.0, 0.0)  # ahead: k ends at 0
    assert explorer.values["back"] == 0


@driving.unpainted()
def test_odd_widths_put_the_light_of_explore_encoding_out():
    explorer = explorers.explore_encoding()
    assert "✓ each position with itself gives d_model / 2 = 64" in explorer.html
    explorer.set(d_model=127)
    assert "✗ each position with itself gives d_model / 2 = 63.5" in explorer.html


def test_heatmap_has_colours_of_its_bar_only():
    explorer = explorers.explore_encoding()
    for d_model, num_positions in ((128, 100), (512, 512)):
        explorer.set(d_model=d_model, num_positions=num_positions, position=0, dimension=0)  # the cross: at the edge
        axes = explorer._surface.plane("encoding").axes
        figure, box = axes.figure, axes.get_window_extent()
        with tiles.unpacked() as kept:
            explorer._refresh()
        pixels = next(iter(kept.values()))[..., :3].astype(int)
        top, bottom = (round(figure.bbox.height - y) for y in (box.y1, box.y0))
        inside = pixels[top + 5 : bottom - 3, round(box.x0) + 5 : round(box.x1) - 3].reshape(-1, 3)
        bar = (axes.images[0].cmap(np.linspace(0, 1, 256))[:, :3] * 255).round().astype(int)
        inside = inside[np.random.default_rng(0).integers(len(inside), size=4000)]
        far = np.abs(inside[:, None] - bar[None]).sum(axis=-1).min(axis=1)
        assert (far > 12).mean() < 0.02, (d_model, (far > 12).mean())


def test_a_word_that_stands_twice_is_followed_where_it_stays():
    explorer = explorers.explore_shuffle()
    explorer.set(positions="sinusoidal", read="mat cat sat on the the")
    assert explorer.shown["order"].tolist() == [5, 1, 2, 3, 4, 0]


def test_legend_stands_beside_the_title_and_not_on_the_curves():
    figure = positions._Waves().live.figure
    figure.canvas.draw()
    axes = figure.axes[[ax.get_title(loc="left")[:3] for ax in figure.axes].index("dot")]
    legend, title = axes.get_legend().get_window_extent(), axes._left_title.get_window_extent()
    assert legend.y0 > axes.get_window_extent().y1 - 2 and legend.x0 > title.x1
    assert legend.x1 < figure.bbox.x1
