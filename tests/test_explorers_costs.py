"""What the explorers of cost must show, in plain loops; tests/test_explorers.py holds them beside it."""

import pytest

from helpers import explorers
from tests import driving
from tests.references import powers_over_sum


def cost(num_tokens, d_model, num_heads, feed_forward):
    n, d = num_tokens, d_model
    multiplications = [4 * n * d * d, 8 * n * d * d if feed_forward else 0, 2 * n * n * d]
    return {
        "multiplications": multiplications,
        "share": multiplications[2] / sum(multiplications),
        "crossing": 6 * d if feed_forward else 2 * d,
        "kept_bytes": [4 * (12 if feed_forward else 4) * d * d, 4 * 2 * n * d, 4 * num_heads * n * n],
    }


def scores_with(place):
    scores = [1.0, 0.0, 2.0, 1.0, 0.0, 2.0]
    scores[place - 1] = 3.0
    return scores


def stream(place, keys, recipe="shrink the old sums"):
    scores, values, state, seen, parts = scores_with(place), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [], [], []
    for k in range(keys):
        top, before = max(scores[: k + 1]), [*parts, 0.0]
        larger = k > 0 and top > max(scores[:k])
        if recipe == "shrink the old sums":
            parts = [3.0 ** (score - top) for score in scores[:k]]
        elif recipe == "drop the old sums" and larger:
            parts = [0.0] * k
        parts = [*parts, 3.0 ** (scores[k] - top)]
        l, u = sum(parts), sum(part * value for part, value in zip(parts, values, strict=False))  # noqa: E741
        state.append([top, l, u, u / l])
        weights = powers_over_sum(scores[: k + 1], 3.0)
        seen.append(sum(weight * value for weight, value in zip(weights, values, strict=False)))
    return {"scores": scores, "value": values, "parts": parts, "before": before, "state": state, "seen": seen}


REFERENCES = {
    "explore_cost": cost,
    "explore_stream": stream,
    "explore_wrong_stream": lambda recipe, place: stream(place, 6, recipe),
}
TABLES = dict.fromkeys(REFERENCES, lambda shown, values: {})


def stream_sentence(shown, values):
    m, total, mixed, output = shown["state"][-1]
    return [len(shown["state"]), m, total, mixed, output, shown["seen"][-1]]


SENTENCES = {
    "explore_cost": lambda shown, values: [
        values["num_tokens"], values["d_model"], shown["share"], 6 if values["feed_forward"] else 2, shown["crossing"],
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


def test_pairs_cost_as_much_as_projections_at_twice_the_width_and_with_the_network_at_six_times():
    explorer = explorers.explore_cost()
    explorer.set(num_tokens=1024, d_model=512)
    projections, network, pairs = explorer.shown["multiplications"]
    assert projections == pairs and network == 0 and explorer.shown["kept_bytes"][2] == 4 * 2**20
    explorer.set(num_tokens=768, d_model=128, feed_forward=True)
    *others, pairs = explorer.shown["multiplications"]
    assert sum(others) == pairs and explorer.shown["crossing"] == 768


@pytest.mark.parametrize("tokens", [640, 2048, 4096])
def test_explore_cost_lets_the_number_of_tokens_be_dragged(tokens):
    explorer = explorers.explore_cost()
    driving.point(explorer, "tokens", tokens + 11, 0.5, kind="mousemove")
    assert explorer.controls["num_tokens"].value == tokens


def test_areas_are_drawn_to_scale():
    explorer = explorers.explore_cost()
    for rectangle in ('width="128" height="128"', 'width="32" height="128"', 'width="32" height="32"'):
        assert rectangle in explorer.html


@pytest.mark.parametrize("name", ["explore_stream", "explore_wrong_stream"])
def test_the_large_score_is_put_where_one_clicks(name):
    explorer = getattr(explorers, name)()
    driving.click(explorer, "score", 1)
    assert explorer.shown["scores"].tolist() == [1, 3, 2, 1, 0, 2]


def test_keys_pass_by_with_a_click_and_a_larger_score_shrinks_what_was_there():
    explorer = explorers.explore_stream()
    assert explorer.shown["before"] * 9 == pytest.approx([3, 1, 9, 3, 0])
    assert explorer.shown["parts"] * 27 == pytest.approx([3, 1, 9, 3, 27])
    driving.click(explorer, "key", 1)
    assert explorer.controls["keys"].value == 2 and explorer.shown["state"][-1] == pytest.approx(
        [1, 4 / 3, 5 / 3, 5 / 4]
    )
    titles = driving.titles(explorer)
    assert titles["state", (1, 1)].startswith("l = 3^0·1 + 3^(-1) = 4/3")
    assert titles["state", (1, 3)].startswith("u / l = 5/3 / 4/3 = 5/4")


def test_sums_that_do_not_shrink_are_right_by_luck_only_where_the_largest_score_comes_first():
    explorer = explorers.explore_wrong_stream()
    assert "✗" in explorer.html
    for place in range(1, 7):
        explorer.set(place=place)
        assert ("✗" in explorer.html) == (place > 1)
