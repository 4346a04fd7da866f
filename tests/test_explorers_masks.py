"""What the explorers of masks must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.references import dot, mix, powers_over_sum

X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
CAUSAL = [[j <= i for j in range(4)] for i in range(4)]
NAN_ON_PURPOSE = {  # a row with nothing to see; and 0/0 where a hidden score took everything
    "explore_mask", "explore_wrong_mask",
}  # fmt: skip


def shares(scores, may, base):
    """Weights of one query: only what it may see counts."""
    seen = [j for j, allowed in enumerate(may) if allowed]
    if not seen:
        return [math.nan] * len(scores)
    weights = dict(zip(seen, powers_over_sum([scores[j] for j in seen], base), strict=True))
    return [weights.get(j, 0.0) for j in range(len(scores))]


def weigh(scores, may, way, base):
    if way == "before softmax":
        return shares(scores, may, base)
    late = [w if allowed else 0.0 for w, allowed in zip(powers_over_sum(scores, base), may, strict=True)]
    if way == "after softmax":
        return late
    if way == "after softmax, rows divided again":  # what a hidden 1000 leaves is smaller than any number of a computer
        return [w / sum(late) if sum(late) else math.nan for w in late]
    return powers_over_sum([s if allowed else 0.0 for s, allowed in zip(scores, may, strict=True)], base)


def attend(tokens, mask, way, base, score=0):
    scores = [[dot(asks, asked) for asked in tokens] for asks in tokens]
    scores[0][1] += score
    weights = [weigh(line, may, way, base) for line, may in zip(scores, mask, strict=True)]
    return scores, weights, [mix(line, tokens) for line in weights]


def largest(numbers):
    """NaN if one of them is NaN; `max` goes by where it stands."""
    numbers = list(numbers)
    return math.nan if any(x != x for x in numbers) else max(numbers)


def through(mask, way, base, score=0):
    scores, weights, output = attend(X, mask, way, base, score)
    moved = [[0.0] * 4 for _ in X]
    for j in range(4):
        changed = [[x + 0.3, y + 0.7] if k == j else [x, y] for k, (x, y) in enumerate(X)]
        for i, row in enumerate(attend(changed, mask, way, base, score)[2]):
            moved[i][j] = largest(abs(a - b) for a, b in zip(row, output[i], strict=True))
    return {"X": X, "mask": mask, "scores": scores, "weights": weights, "output": output, "moved": moved}


def mask(when, base, **entries):
    painted = [[entries[f"mask[{i}, {j}]"] for j in (1, 2, 3, 4)] for i in (1, 2, 3, 4)]
    return through(painted, when, base)


def wrong_mask(recipe, score):
    shown = through(CAUSAL, recipe, 3.0, score)
    return {name: shown[name] for name in ("scores", "weights", "output", "moved")}


REFERENCES = {
    "explore_mask": mask,
    "explore_wrong_mask": wrong_mask,
}


def with_sums(rows):
    return [[*row, sum(row)] for row in rows]


def common_tables(shown, values):
    return {
        "weights": with_sums(shown["weights"]),
        "output": shown["output"],
        "how far each output moves with each word": shown["moved"],
    }


def mask_tables(shown, values):
    early = values["when"] == "before softmax"
    scores = [
        [score if allowed or not early else "blocked" for score, allowed in zip(*pair, strict=True)]
        for pair in zip(shown["scores"], shown["mask"], strict=True)
    ]
    mask = [[int(may) for may in row] for row in shown["mask"]]
    return {"paint here: 1 = may look": mask, "scores": scores, **common_tables(shown, values)}


TABLES = {
    "explore_mask": mask_tables,
    "explore_wrong_mask": lambda shown, values: {"scores": shown["scores"], **common_tables(shown, values)},
}


def from_the_future(moved):
    later = [moved[i][j] for i in range(4) for j in range(i + 1, 4)]
    return max(x if x == x else 0 for x in later)


def robbed(shown):
    """Whether a row holds NaN: hidden words took its whole weight."""
    return any(weight != weight for row in shown["weights"] for weight in row)


SENTENCES = {
    "explore_mask": lambda shown, values: [
        sum(map(sum, shown["mask"])),
        16,
        from_the_future(shown["moved"]),
        *(["NaN"] if any(row[0] != row[0] for row in shown["weights"]) else []),
    ],
    "explore_wrong_mask": lambda shown, values: [
        *([0] if values["recipe"].endswith("of 0") else []),
        *([0, 0, math.nan] if robbed(shown) else [sum(shown["weights"][1]), from_the_future(shown["moved"])]),
    ],
}


def off_one(weights):
    gaps = [abs(sum(row) - 1) for row in weights]
    gap = None if any(gap != gap for gap in gaps) else max(gaps)
    return ("every row sums to 1", gap if gap is None or gap > 1e-6 else 0)


def leak(moved):
    gap = from_the_future(moved)
    return ("no output hears from a later word", gap if gap > 1e-9 else 0)


def blocked(weights):
    seen = [weights[i][j] for i in range(4) for j in range(i + 1, 4)]
    gap = max(weight for weight in seen if weight == weight)
    return ("weights of blocked words are 0", gap if gap > 1e-9 else 0)


LIGHTS = {
    "explore_mask": lambda shown, values: [off_one(shown["weights"]), leak(shown["moved"])],
    "explore_wrong_mask": lambda shown, values: [
        off_one(shown["weights"]),
        ("weights of blocked words are 0", None) if robbed(shown) else blocked(shown["weights"]),
        ("no output hears from a later word", None) if robbed(shown) else leak(shown["moved"]),
    ],
}
OTHER_SUMS_ON_PURPOSE = {"explore_mask"}  # masking after softmax; rows with nothing to see

# --- known answers ---------------------------------------------------------------------------------------------------


def test_explore_mask_starts_with_the_rows_of_the_notes():
    weights = explorers.explore_mask().shown["weights"]
    np.testing.assert_allclose(weights[:3, :3] * [[1], [4], [5]], [[1, 0, 0], [1, 3, 0], [1, 1, 3]], rtol=1e-12)


def test_explore_mask_is_painted_and_ticked_the_same():
    painted, ticked = explorers.explore_mask(), explorers.explore_mask()
    assert "to let 'I' see 'love'" in driving.titles(painted)["mask", (0, 1)]
    driving.stroke(painted, "mask", (0, 1), (0, 2), (1, 3))  # 'I' may not see 'love': the stroke allows
    for i, j in ((1, 2), (1, 3), (2, 4)):
        ticked.controls[f"mask[{i}, {j}]"].value = True
    assert painted.html == ticked.html and painted.shown["mask"].sum() == 13
    assert "to keep 'I' from seeing 'love'" in driving.titles(painted)["mask", (0, 1)]
    driving.stroke(painted, "mask", (3, 0), (3, 1), (3, 2), (3, 3))  # nothing left to see: shown, and painted on
    assert np.isnan(painted.shown["weights"][3]).all() and "'.' may see nothing" in painted.text
    driving.stroke(painted, "mask", (3, 3))
    assert painted.shown["mask"][3].tolist() == [False] * 3 + [True] and np.isfinite(painted.shown["weights"]).all()


@pytest.mark.parametrize(("when", "left"), [("before softmax", math.nan), ("after softmax", 0.0)])
def test_explore_mask_shows_what_a_row_with_nothing_to_see_becomes(when, left):
    explorer = explorers.explore_mask()
    explorer.set(when=when)
    for j in (1, 2):
        explorer.controls[f"mask[2, {j}]"].value = False
    np.testing.assert_array_equal(explorer.shown["weights"][1], [left] * 4)
    assert explorer.text.startswith("8 of 16 pairs may attend") and "✗ every row sums to 1" in explorer.html
    assert ("'love' may see nothing" in explorer.text) == (left != 0)


@pytest.mark.parametrize(
    ("count", "listed"),
    [(1, "'I'"), (2, "'I' and 'love'"), (3, "'I', 'love' and 'dogs'"), (4, "'I', 'love', 'dogs' and '.'")],
)
def test_explore_mask_lists_who_may_see_nothing(count, listed):
    explorer = explorers.explore_mask()
    explorer.set(mask=np.arange(4)[:, None] >= np.full(4, count))
    assert explorer.text.endswith(f" {listed} may see nothing, so there is nothing to share out: NaN.")


def test_explore_mask_tells_how_each_weight_is_made():
    explorer = explorers.explore_mask()
    assert driving.titles(explorer)["weights", (1, 1)] == "'love' looks at 'love': 3^1 / (3^0 + 3^1 + 0 + 0) = 0.75"
    explorer.set(when="after softmax")
    said = driving.titles(explorer)["weights", (0, 2)]
    assert said == "'I' looks at 'dogs': 3^1 / (3^1 + 3^0 + 3^1 + 3^0), then set to 0 = 0"


def test_dividing_again_is_as_good_as_blocking_until_a_hidden_score_takes_everything():
    explorer = explorers.explore_wrong_mask()
    explorer.set(recipe="before softmax")
    right = explorer.shown["weights"]
    explorer.set(recipe="after softmax, rows divided again")
    np.testing.assert_allclose(explorer.shown["weights"], right)
    driving.buttons(explorer)["a hidden score of 1000"].click()
    assert np.isnan(explorer.shown["weights"][0]).all() and "a row holds NaN" in explorer.html
    explorer.set(recipe="before softmax", score=1000)
    np.testing.assert_allclose(explorer.shown["weights"], right)
    assert "✗" not in explorer.html


@pytest.mark.parametrize(("when", "leaks"), [("before softmax", False), ("after softmax", True)])
def test_explore_mask_after_softmax_leaks_the_future(when, leaks):
    explorer = explorers.explore_mask()
    explorer.set(when=when)
    assert ("✗ no output hears from a later word" in explorer.html) == leaks
    assert ("✗ every row sums to 1" in explorer.html) == leaks


def test_a_row_of_nan_breaks_the_other_rules_too():
    explorer = explorers.explore_wrong_mask()
    explorer.set(recipe="after softmax, rows divided again", score=700)
    assert explorer.html.count("✗") == 3 and "took the whole weight of 'I'" in explorer.text
