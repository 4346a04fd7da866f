"""What the explorers of cost must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

from helpers import explorers
from tests.references import powers_over_sum


def product(n, k, m):
    return [n * m * k, n * m * (k - 1)]


def added(*pairs):
    return [sum(counts) for counts in zip(*pairs, strict=True)]


def cost(num_tokens, d_model, num_heads):
    n, d, head = num_tokens, d_model, d_model // num_heads
    projections = added(*[product(n, d, d)] * 4)
    meetings = added(*[product(n, head, n)] * num_heads, *[product(n, n, head)] * num_heads)
    grid = [64 * k for k in range(65)]
    return {
        "grid": grid,
        "projections": [4 * x * d * d for x in grid],
        "meetings": [2 * x * x * d for x in grid],
        "crossing": 2 * d,
        "multiplications": [projections[0], meetings[0]],
        "additions": [projections[1], meetings[1]],
        "share": n / (n + 2 * d),
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
        "all at once": [
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
        values["num_tokens"], values["d_model"], shown["share"], 2, shown["crossing"], shown["map_bytes"] / 2**20,
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


def test_explore_cost_draws_what_it_shows():
    areas = explorers.costs._Areas()
    shown = cost(640, 128, 2)
    shown = {name: explorers.costs.np.array(array) for name, array in shown.items()}
    areas.draw(shown, {"num_tokens": 640, "d_model": 128})
    low, high = (area.get_paths()[0].vertices for area in areas.areas)
    assert math.isclose(low[:, 1].max(), 4 * 4096 * 128**2 / 1e9)
    assert math.isclose(high[:, 1].max(), (4 * 4096 * 128**2 + 2 * 4096**2 * 128) / 1e9)
    assert areas.crossing.get_xdata() == [256, 256] and areas.chosen.get_xdata() == [640, 640]


def test_explore_cost_keeps_its_titles_and_numbers_in_the_picture_at_every_width():
    areas = explorers.costs._Areas()
    for d_model in (256, 64, 128, 512, 1024):  # the picture is laid out once, before the first of them
        shown = {name: explorers.costs.np.array(array) for name, array in cost(1024, d_model, 1).items()}
        areas.draw(shown, {"num_tokens": 1024, "d_model": d_model})
        figure = areas.live.figure
        box = figure.axes[0].get_tightbbox()
        assert 0 <= box.x0 and box.x1 <= figure.bbox.x1 and 0 <= box.y0 and box.y1 <= figure.bbox.y1, (d_model, box)


def test_explore_wrong_stream_is_right_by_luck_where_the_largest_score_comes_first():
    explorer = explorers.explore_wrong_stream()
    explorer.set(recipe="leave the old sums", place=1)
    assert "✓" in explorer.html and "✗" not in explorer.html
    explorer.set(place=5)
    assert "✗" in explorer.html
