"""What the text of this lesson says in answers and hints, played."""

import numpy as np

from helpers import attention, explorers
from rooms.hunt_the_bugs import model_specimens, specimens
from tests import driving, notebooks


def test_answers_to_the_first_hunt():
    broken = explorers.explore_hunt().shown["gaps"] > 0
    assert [k for k, row in enumerate(broken, 1) if row.sum() == 1] == [1, 5, 7, 8, 9]
    assert (np.flatnonzero(broken[1] != broken[2]) + 1).tolist() == [6] and broken[1, 2]
    assert len({tuple(row) for row in broken}) == 10
    _, weights = specimens.ask(specimens.specimen(2), mask=specimens.CAUSAL)
    assert not weights[:, ~specimens.CAUSAL].any()
    _, weights = specimens.ask(specimens.specimen(3), mask=specimens.CAUSAL)
    np.testing.assert_allclose(weights.sum(axis=-2), 1)


def test_rule_4_tells_h_from_g():
    opens, fills = (specimens.gaps(specimens.attention_of(specimens.MISTAKES[mistake])) > 0 for mistake in (
        "the mask opens one step too many", "blocked scores are set to 0",
    ))  # fmt: skip
    assert (np.flatnonzero(opens != fills) + 1).tolist() == [4]


def caught(**values):
    explorer = explorers.explore_hiding_examples()
    explorer.set(**values)
    return {mistake for mistake, gap in zip(specimens.MISTAKES, explorer.shown["differences"]) if not gap < 1e-9}


def test_the_mask_helps_most_and_large_tokens_catch_one_and_lose_one():
    counts = {name: len(caught(**{name: True})) for name in ("causal", "two_heads", "thousands", "again")}
    assert len(caught()) == 2 and counts["causal"] == 5 > max(counts[name] for name in counts if name != "causal")
    assert caught(thousands=True) - caught() == {"the largest score is not subtracted"}
    assert caught() - caught(thousands=True) == {"the scores are not divided by √d_k"}
    assert len(caught(example="four tokens, whole numbers", causal=True, two_heads=True, again=True)) == 9


def test_rules_1_and_7_tell_the_three_bugs_of_rule_2_apart():
    broken = {
        words: model_specimens.gaps(model_specimens.model_of(parts)) > 0
        for words, parts in model_specimens.MISTAKES.items()
    }
    found = {words: (bool(row[0]), bool(row[6])) for words, row in broken.items() if row[1]}
    assert found == {
        "the mask opens one step too many": (True, False), "with a cache, the mask starts top-left": (False, True),
        "new tokens count their positions from 0": (False, False),
    }  # fmt: skip
    shown = explorers.explore_model_hunt().shown["gaps"]
    assert (np.flatnonzero(shown[:, 1]) + 1).tolist() == [3, 6]


def test_the_solution_lets_three_models_pass_which_rules_4_6_and_5_find():
    (code,) = [cell for cell in notebooks.cells("hunt_the_bugs", "markdown") if "def serves_right" in cell]
    space = {"np": np}
    exec(code.split("```python\n")[1].split("```")[0], space)

    def read_by(number):
        run = model_specimens.specimen(number)
        return lambda X, caches=None, real=None: run(X, model_specimens.LAYERS, 0, caches, real)

    assert [number for number in range(1, 9) if space["serves_right"](read_by(number))] == [1, 2, 5]
    gaps = explorers.explore_model_hunt().shown["gaps"]
    assert [(np.flatnonzero(gaps[number - 1]) + 1).tolist() for number in (1, 2, 5)] == [[4], [6], [5]]


def test_rule_6_by_hand():
    def weights(query, key, exchanged=False):
        first, second = (key, query) if exchanged else (query, key)
        return attention.softmax(np.outer(first, second), base=3).tolist()

    key, half, three = [1, 0], [0.5, 0.5], [0.75, 0.25]
    np.testing.assert_allclose(weights([1, 0], key), [three, half])
    np.testing.assert_allclose(weights([1, 1], key), [three, three])
    np.testing.assert_allclose(weights([1, 0], key, exchanged=True)[0], three)
    np.testing.assert_allclose(weights([1, 1], key, exchanged=True)[0], half)


def test_a_wrong_verdict_is_shown_a_rule_and_reset_takes_all_back():
    explorer = explorers.explore_model_hunt()
    driving.click(explorer, "verdicts", 0)
    assert "it would" in explorer.text and not explorer.shown["right"].any()
    driving.buttons(explorer)["Reset"].click()
    assert "Found so far: 0 of 8" in explorer.text and "it would" not in explorer.text
