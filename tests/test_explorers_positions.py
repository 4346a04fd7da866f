"""What the explorers of positions must show, in plain loops; tests/test_explorers.py holds them beside it."""

import base64
import functools
import io
import math
import re

import numpy as np
import pytest
from PIL import Image

from helpers import explorers
from tests import driving
from tests.references import dot, off_one, self_attention, spread_by_distance, waves

WRITTEN = ["the", "cat", "sat", "on", "the", "mat"]
REFUSED = ["", "the cat", "the cat sat on the hat", "the cat sat on the mat mat", "the cat sat on the matB"]
driving.OTHER_TEXTS["read as"] = [
    " ".join(WRITTEN), "the mat sat on the cat", "mat the on sat cat the", "  on the the  cat mat sat ", *REFUSED,
]  # fmt: skip


def speed(dimension, d_model, base):
    return 1 / base ** (2 * (dimension // 2) / d_model)


def encoding(d_model, base, back, dimension, position):
    rows, dimension = waves(60, d_model, base), min(dimension, d_model - 1)
    query = []
    for j in range(d_model):
        query.append((math.sin, math.cos)[j % 2]((position - back) * speed(j, d_model, base)))
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
    "explore_shuffle": lambda shown, values: {},
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
    assert explorer.values["asks"] == 2 and "'sat' looks" in explorer._picture_text
    explorer.set(read="the cat")
    assert "The last good picture stays" in explorer._view.value
    driving.stroke(explorer, "words", (0,), (1,))  # what is seen is dragged
    assert explorer.values["read"] == "cat the sat on the mat" and explorer._view.value == explorer.html


@pytest.mark.parametrize(("d_model", "base"), [(128, 10_000.0), (8, 10.0), (32, 100.0)])
@pytest.mark.parametrize("back", [0, 1, 7])
def test_a_position_turned_back_by_k_looks_at_the_one_k_before(d_model, base, back):
    explorer = explorers.explore_encoding()
    explorer.set(d_model=d_model, base=base, position=30, back=back)
    assert explorer.shown["scores"].argmax() == 30 - back
    np.testing.assert_allclose(explorer.shown["query"], explorer.shown["encoding"][30 - back], atol=1e-12)


def test_map_of_the_encoding_is_clicked_in_each_width():
    explorer = explorers.explore_encoding()
    driving.point(explorer, "encoding", 77.2, 12.4)
    assert (explorer.values["dimension"], explorer.values["position"]) == (77, 12)
    driving.point(explorer, "scores", 8.7, 0.0)
    assert explorer.values["back"] == 3 and explorer.shown["scores"].argmax() == 9
    driving.point(explorer, "scores", 58.0, 0.0)  # ahead: k ends at 0
    assert explorer.values["back"] == 0
    explorer.set(d_model=8)  # each dimension is 96 pixels wide
    driving.point(explorer, "encoding", 127.0, 5.0)
    assert explorer.values["dimension"] == 7
    explorer.set(d_model=512, dimension=511)
    assert "dimensions 384 to 511 of 512" in explorer._picture_text
    driving.point(explorer, "encoding", 0.0, 5.0)
    assert explorer.values["dimension"] == 384


def test_map_has_one_pixel_for_one_number_and_is_enlarged_by_whole_numbers():
    explorer = explorers.explore_encoding()
    for d_model, columns in ((8, 8), (128, 128), (512, 128)):
        explorer.set(d_model=d_model)
        (found, *_) = re.findall(
            r'<image [^>]*href="data:image/png;base64,([^"]+)"[^>]*width="(\d+)" height="(\d+)"', explorer.html
        )
        size = Image.open(io.BytesIO(base64.b64decode(found[0]))).size
        assert size == (columns, 60) and int(found[1]) % columns == 0 and int(found[2]) % 60 == 0


def test_a_word_that_stands_twice_is_followed_where_it_stays():
    explorer = explorers.explore_shuffle()
    explorer.set(positions="sinusoidal", read="mat cat sat on the the")
    assert explorer.shown["order"].tolist() == [5, 1, 2, 3, 4, 0]
