"""What the explorers of cost must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.references import powers_over_sum


def product(n, k, m):
    return [n * m * k, n * m * (k - 1)]


def added(*pairs):
    return [sum(counts) for counts in zip(*pairs, strict=True)]


def cost(num_tokens, d_model, num_heads, feed_forward=False):
    n, d, head = num_tokens, d_model, d_model // num_heads
    network = [product(n, d, 4 * d), product(n, 4 * d, d)] if feed_forward else []
    alone = added(*[product(n, d, d)] * 4, *network)
    pairs = added(*[product(n, head, n)] * num_heads, *[product(n, n, head)] * num_heads)
    grid = [64 * k for k in range(65)]
    return {
        "grid": grid,
        "projections": [4 * x * d * d for x in grid],
        "network": [8 * x * d * d if feed_forward else 0 for x in grid],
        "pairs": [2 * x * x * d for x in grid],
        "crossing": 6 * d if feed_forward else 2 * d,
        "multiplications": [alone[0], pairs[0]],
        "additions": [alone[1], pairs[1]],
        "share": n / (n + (6 if feed_forward else 2) * d),
        "map_bytes": 4 * n * n * num_heads,
    }


def scores_with(place):
    scores = [1.0, 0.0, 2.0, 1.0, 0.0, 2.0]
    scores[place - 1] = 4.0
    return scores


def sums(scores, values, reference):
    powers = [math.exp(score - reference) for score in scores]
    return [sum(powers), sum(power * value for power, value in zip(powers, values, strict=True))]


def stream(block_size, place, recipe="shrink the old sums"):
    scores, values = scores_with(place), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    state, seen, held = [], [], []  # held: (scores, values, the reference that their powers were taken with)
    for end in range(block_size, 7, block_size):
        top, before = max(scores[:end]), max(scores[: end - block_size], default=-math.inf)
        if recipe == "drop the old sums" and top > before:
            held = []
        held.append((scores[end - block_size : end], values[end - block_size : end], top))
        total, mixed = added(*(sums(s, v, top if recipe == "shrink the old sums" else m) for s, v, m in held))
        state.append([top, total, mixed, mixed / total])
        weights = powers_over_sum(scores[:end])
        seen.append(sum(weight * value for weight, value in zip(weights, values)))
    return {"scores": scores, "value": values, "weights": powers_over_sum(scores), "state": state, "seen": seen}


REFERENCES = {
    "explore_cost": cost,
    "explore_stream": stream,
    "explore_wrong_stream": lambda recipe, place: stream(2, place, recipe),
}


def cost_tables(shown, values):
    counts = [[m / 1e6, a / 1e6] for m, a in zip(shown["multiplications"], shown["additions"], strict=True)]
    return {"steps, in millions": [*counts, added(*counts)]}


def stream_tables(shown, values):
    return {
        "all at once: click a key": [
            [*shown["scores"], ""],
            [*shown["weights"], 1.0],
            [*shown["value"], shown["seen"][-1]],
        ],
        "block by block": [[*row, whole] for row, whole in zip(shown["state"], shown["seen"], strict=True)],
    }


TABLES = {
    "explore_cost": cost_tables,
    "explore_stream": stream_tables,
    "explore_wrong_stream": stream_tables,
}


def stream_sentence(shown, values):
    m, total, mixed, output = shown["state"][-1]
    return [m, total, mixed, total, output, shown["seen"][-1]]


SENTENCES = {
    "explore_cost": lambda shown, values: [
        values["num_tokens"], values["d_model"], shown["share"], 6 if values["feed_forward"] else 2, shown["crossing"], shown["map_bytes"] / 2**20,
    ],
    "explore_stream": stream_sentence,
    "explore_wrong_stream": stream_sentence,
}  # fmt: skip


def stream_lights(shown, values):
    gap = max(abs(row[3] - whole) for row, whole in zip(shown["state"], shown["seen"], strict=True))
    return [("u / l is the attention over the keys so far", gap if gap > 1e-9 else 0)]


LIGHTS = {
    "explore_cost": lambda shown, values: [],
    "explore_stream": stream_lights,
    "explore_wrong_stream": stream_lights,
}


def test_explore_cost_starts_with_a_map_of_4_mib_and_both_parts_cost_the_same_at_twice_the_width():
    explorer = explorers.explore_cost()
    assert explorer.controls["num_tokens"].value == 1024
    explorer.set(d_model=512)
    projections, meetings = explorer.shown["multiplications"]
    assert projections == meetings and explorer.shown["map_bytes"] == 4 * 2**20


def test_explore_cost_speaks_of_one_map_where_there_is_one():
    explorer = explorers.explore_cost()
    assert explorer.text.endswith("The map of weights takes 4.00 MiB.")
    explorer.set(num_heads=2)
    assert explorer.text.endswith("All maps of weights take 8.00 MiB.")


def test_explore_stream_calls_one_key_by_its_number():
    explorer = explorers.explore_stream()
    explorer.set(block_size=1)
    rows = {table.caption: list(table.rows) for table in driving.tables(explorer.html)}["block by block"]
    assert rows == ["key 1", *(f"keys 1 to {end}" for end in range(2, 7))]
    titles = driving.titles(explorer)
    assert titles["blocks", (0, 4)].startswith("attention over key 1, all")
    assert titles["blocks", (1, 4)].startswith("attention over keys 1 to 2, all")


def moment(num_tokens, d_model, num_heads, feed_forward):
    values = {"num_tokens": num_tokens, "d_model": d_model, "feed_forward": feed_forward}
    shown = {name: np.array(array) for name, array in cost(num_tokens, d_model, num_heads, feed_forward).items()}
    return SimpleNamespace(**values, **shown)


@pytest.mark.parametrize("tokens", [640, 2048, 4096])
def test_explore_cost_lets_the_number_of_tokens_be_dragged(tokens):
    explorer = explorers.explore_cost()
    driving.point(explorer, "tokens", tokens + 11, 1.0, kind="mousemove")
    assert explorer.controls["num_tokens"].value == tokens


@pytest.mark.parametrize("name", ["explore_stream", "explore_wrong_stream"])
def test_explore_stream_puts_the_large_score_where_one_clicks(name):
    explorer = getattr(explorers, name)()
    driving.click(explorer, "key", 1)
    assert explorer.controls["place"].value == 2 and explorer.shown["scores"].tolist() == [1, 4, 2, 1, 0, 2]


def test_with_the_network_of_a_layer_token_pairs_overtake_at_six_times_the_width():
    explorer = explorers.explore_cost()
    explorer.set(d_model=128, feed_forward=True, num_tokens=768)
    alone, pairs = explorer.shown["multiplications"]
    assert alone == pairs and explorer.shown["crossing"] == 768


def test_explore_cost_draws_what_it_shows():
    areas = explorers.costs._Areas()
    for feed_forward, parts in ((False, 4), (True, 12)):
        areas.draw(moment(640, 128, 2, feed_forward))
        low, middle, high = (area.get_paths()[0].vertices[:, 1].max() for area in areas.areas)
        assert math.isclose(low, 4 * 4096 * 128**2 / 1e9) and math.isclose(middle, parts * 4096 * 128**2 / 1e9)
        assert math.isclose(high, (parts * 4096 * 128**2 + 2 * 4096**2 * 128) / 1e9)
        assert areas.crossing.get_xdata() == [parts * 64] * 2 and areas.chosen.get_xdata() == [640, 640]


def test_explore_cost_keeps_its_titles_and_numbers_in_the_picture_at_every_width():
    areas = explorers.costs._Areas()
    for d_model in (256, 64, 128, 512, 1024):  # the picture is laid out once, before the first of them
        areas.draw(moment(1024, d_model, 1, True))
        figure = areas.live.figure
        box = figure.axes[0].get_tightbbox()
        assert 0 <= box.x0 and box.x1 <= figure.bbox.x1 and 0 <= box.y0 and box.y1 <= figure.bbox.y1, (d_model, box)


def test_explore_wrong_stream_is_right_by_luck_where_the_largest_score_comes_first():
    explorer = explorers.explore_wrong_stream()
    explorer.set(recipe="leave the old sums", place=1)
    assert "✓" in explorer.html and "✗" not in explorer.html
    explorer.set(place=5)
    assert "✗" in explorer.html
