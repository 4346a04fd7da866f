"""What the explorers of masks must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math
import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.references import dot, mix, powers_over_sum

X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
CAUSAL = [[j <= i for j in range(4)] for i in range(4)]
NAN_ON_PURPOSE = {  # a row with nothing to see; and 0/0 where a hidden score took everything
    "explore_mask", "explore_wrong_mask", "explore_padding", "explore_wrong_meaning",
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


def padding(num_padding, side, mask):
    length, first = 4 + num_padding, num_padding if side == "at the start" else 0
    real = [first <= j < first + 4 for j in range(length)]

    def may(i, j):
        seen = ("causal" not in mask or j <= i) and ("padding" not in mask or real[j])
        return seen or (mask.endswith("itself") and i == j)

    tokens = [X[j - first] if word else [0.0, 0.0] for j, word in enumerate(real)]
    allowed = [[may(i, j) for j in range(length)] for i in range(length)]
    scores, weights, output = attend(tokens, allowed, "before softmax", 3.0)
    alone = attend(X, CAUSAL if "causal" in mask else [[True] * 4] * 4, "before softmax", 3.0)[2]
    words = [row for row, word in zip(output, real, strict=True) if word]
    return {
        "X": tokens,
        "real": real,
        "scores": [
            [s if ok else -math.inf for s, ok in zip(*pair, strict=True)] for pair in zip(scores, allowed, strict=True)
        ],
        "weights": weights,
        "output": output,
        "difference": [max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in zip(words, alone, strict=True)],
    }


def wrong_meaning(library, handed):
    given = [[allowed == (handed == "mask") for allowed in row] for row in CAUSAL]
    blocks = library == "torch nn.MultiheadAttention"
    may = [[true != blocks for true in row] for row in given]
    scores = [
        [dot(x, y) if sees else -math.inf for y, sees in zip(X, row, strict=True)]
        for x, row in zip(X, may, strict=True)
    ]
    return {"mask": given, "scores": scores, "weights": attend(X, may, "before softmax", 3.0)[1]}


REFERENCES = {
    "explore_mask": mask,
    "explore_wrong_mask": wrong_mask,
    "explore_padding": padding,
    "explore_wrong_meaning": wrong_meaning,
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
    return {"X = Q = K = V": X, "scores: paint the mask here": scores, **common_tables(shown, values)}


TABLES = {
    "explore_mask": mask_tables,
    "explore_wrong_mask": lambda shown, values: {"scores": shown["scores"], **common_tables(shown, values)},
    "explore_padding": lambda shown, values: {
        "weights": with_sums(shown["weights"]),
        "output": shown["output"],
        "moved by padding": [[x] for x in shown["difference"]],
    },
    "explore_wrong_meaning": lambda shown, values: {
        "what is handed over, True = 1": [[int(true) for true in row] for row in shown["mask"]],
        "weights that come back": with_sums(shown["weights"]),
    },
}


def from_the_future(moved):
    later = [moved[i][j] for i in range(4) for j in range(i + 1, 4)]
    return max(x if x == x else 0 for x in later)


def by_word(shown):
    """dict word -> its row of weights."""
    rows = [row for row, word in zip(shown["weights"], shown["real"], strict=True) if word]
    return dict(zip(["I", "love", "dogs", "."], rows, strict=True))


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
    "explore_padding": lambda shown, values: [
        sum(w for w, word in zip(by_word(shown)["."], shown["real"], strict=True) if not word),
        max(shown["difference"]),
    ],
    "explore_wrong_meaning": lambda shown, values: [sum(shown["weights"][0][1:])],
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


def harmless(difference):
    gap = max(difference)
    return ("padding moves no output of a real word", gap if gap > 1e-9 else 0)


LIGHTS = {
    "explore_mask": lambda shown, values: [off_one(shown["weights"]), leak(shown["moved"])],
    "explore_wrong_mask": lambda shown, values: [
        off_one(shown["weights"]),
        ("weights of blocked words are 0", None) if robbed(shown) else blocked(shown["weights"]),
        ("no output hears from a later word", None) if robbed(shown) else leak(shown["moved"]),
    ],
    "explore_padding": lambda shown, values: [off_one(shown["weights"]), harmless(shown["difference"])],
    "explore_wrong_meaning": lambda shown, values: [off_one(shown["weights"]), blocked(shown["weights"])],
}
OTHER_SUMS_ON_PURPOSE = {"explore_mask", "explore_padding"}  # masking after softmax; rows with nothing to see

# --- known answers ---------------------------------------------------------------------------------------------------


def test_explore_mask_starts_with_the_rows_of_the_notes():
    weights = explorers.explore_mask().shown["weights"]
    np.testing.assert_allclose(weights[:3, :3] * [[1], [4], [5]], [[1, 0, 0], [1, 3, 0], [1, 1, 3]], rtol=1e-12)


def test_explore_mask_is_painted_on_its_scores_and_ticked_the_same():
    painted, ticked = explorers.explore_mask(), explorers.explore_mask()
    assert "to let 'I' see 'love'" in driving.titles(painted)["scores", (0, 1)]
    driving.stroke(painted, "scores", (0, 1), (0, 2), (1, 3))  # 'I' may not see 'love': the stroke allows
    for i, j in ((1, 2), (1, 3), (2, 4)):
        ticked.controls[f"mask[{i}, {j}]"].value = True
    assert painted.html == ticked.html and painted.shown["mask"].sum() == 13
    assert "to keep 'I' from seeing 'love'" in driving.titles(painted)["scores", (0, 1)]
    driving.stroke(painted, "scores", (3, 0), (3, 1), (3, 2), (3, 3))  # nothing left to see: shown, and painted on
    assert np.isnan(painted.shown["weights"][3]).all() and "'.' may see nothing" in painted.text
    driving.stroke(painted, "scores", (3, 3))
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
    right = explorer.shown["weights"]
    explorer.set(recipe="after softmax, rows divided again")
    np.testing.assert_allclose(explorer.shown["weights"], right)
    driving.buttons(explorer)["a hidden score of 1000"].click()
    assert np.isnan(explorer.shown["weights"][0]).all() and "a row holds NaN" in explorer.html
    explorer.set(recipe="before softmax", score=1000)
    np.testing.assert_allclose(explorer.shown["weights"], right)
    assert "✗" not in explorer.html


def test_explore_mask_columns_of_scores_are_as_wide_for_a_number_as_for_the_word_blocked():
    explorer = explorers.explore_mask()
    heads = re.findall(r"<b>scores: paint the mask here</b>.*?</thead>", explorer.html)[0]
    assert heads.count("min-width:4.2em;") == 4
    driving.buttons(explorer)["everything"].click()
    assert re.findall(r"<b>scores: paint the mask here</b>.*?</thead>", explorer.html) == [heads]


@pytest.mark.parametrize(("when", "leaks"), [("before softmax", False), ("after softmax", True)])
def test_explore_mask_after_softmax_leaks_the_future(when, leaks):
    explorer = explorers.explore_mask()
    explorer.set(when=when)
    assert ("✗ no output hears from a later word" in explorer.html) == leaks
    assert ("✗ every row sums to 1" in explorer.html) == leaks


def test_explore_padding_at_the_end_is_mended_by_any_mask_and_at_the_start_not_by_the_causal_one():
    explorer, rows = explorers.explore_padding(), "a row holds NaN"
    assert "✗ padding moves no output of a real word" in explorer.html
    for kind in explorer.controls["mask"].options[1:]:
        explorer.set(mask=kind, num_padding=4, side="at the end")
        assert "✗" not in explorer.html
        explorer.set(side="at the start")
        assert ("✗ padding moves no output" in explorer.html) == (kind == "causal")
        assert (rows in explorer.html) == (kind == "causal and padding")


def test_nan_of_padding_reaches_every_word_in_the_next_layer_although_its_weight_is_zero():
    explorer = explorers.explore_padding()
    explorer.set(side="at the start", mask="causal and padding")
    weights, output = explorer.shown["weights"][2:], explorer.shown["output"]
    assert (weights[:, :2] == 0).all() and np.isnan(output[:2]).all() and np.isfinite(output[2:]).all()
    assert np.isnan(weights @ output).all()


def test_explore_wrong_meaning_turns_the_mask_round_by_a_click():
    explorer = explorers.explore_wrong_meaning()
    driving.click(explorer, "mask", 1, 2)
    assert explorer.values["handed"] == "~mask"
    driving.click(explorer, "mask", 0, 0)
    assert explorer.values["handed"] == "mask"


def test_explore_wrong_meaning_needs_the_opposite_mask_in_one_library_alone():
    explorer, right = explorers.explore_wrong_meaning(), []
    for library in explorer.controls["library"].options:
        for handed in ("mask", "~mask"):
            explorer.set(library=library, handed=handed)
            right += [(library, handed)] if "✗" not in explorer.html else []
    assert ("torch nn.MultiheadAttention", "~mask") in right and len(right) == 4
    assert {handed for library, handed in right if "Multihead" not in library} == {"mask"}


def test_a_row_of_nan_breaks_the_other_rules_too():
    explorer = explorers.explore_wrong_mask()
    explorer.set(recipe="after softmax, rows divided again", score=700)
    assert explorer.html.count("✗") == 3 and "took the whole weight of 'I'" in explorer.text
