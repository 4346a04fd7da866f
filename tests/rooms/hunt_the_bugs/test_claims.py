"""What the text of this lesson says in answers and hints, played."""

import numpy as np

from helpers import attention, explorers, serving
from rooms.hunt_the_bugs import model_specimens, specimens
from tests import driving, notebooks


def test_rule_4_tells_h_from_g():
    opens, fills = (specimens.gaps(specimens.attention_of(specimens.MISTAKES[mistake])) > 0 for mistake in (
        "the mask opens one step too many", "blocked scores are set to 0",
    ))  # fmt: skip
    assert (np.flatnonzero(opens != fills) + 1).tolist() == [4]


def test_rule_3_does_not_see_a_mask_that_opens_between_earlier_tokens():
    extra = np.arange(16).reshape(4, 4) == 6  # token 2 may look at token 3
    opens = specimens.RIGHT._replace(weigh=lambda scores, mask: specimens.RIGHT.weigh(scores, mask | extra))
    assert (np.flatnonzero(specimens.gaps(specimens.attention_of(opens))) + 1).tolist() == [2]


def test_rule_10_finds_dropout():
    rng = np.random.default_rng(0)
    drops = specimens.RIGHT._replace(
        weigh=lambda scores, mask: specimens.RIGHT.weigh(scores, mask) * (rng.random(scores.shape) > 0.1) / 0.9
    )
    assert specimens.gaps(specimens.attention_of(drops))[9] > 0


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


def test_five_bugs_cannot_show_on_a_text_that_is_read_alone():
    broken = [model_specimens.gaps(model_specimens.model_of(parts)) > 0 for parts in model_specimens.MISTAKES.values()]
    assert [words for words, row in zip(model_specimens.MISTAKES, broken) if not row[:7].any()] == [
        "softmax counts its axis from the front", "attention looks at padding", "padding is written into a state",
        "a page is shared before it is full", "texts in one row, boundaries forgotten",
    ]  # fmt: skip


def test_padding_of_zeros_leaves_no_trace_in_a_state():
    run, text = model_specimens.specimen(11), model_specimens.X
    assert model_specimens.mistake_of(11) == "padding is written into a state"
    padded = np.concatenate([np.zeros((2, 8)), text])[None]
    after = run(padded, [model_specimens.STATE], 0, None, np.arange(7)[None] >= 2)[0][0, 2:]
    np.testing.assert_allclose(after, run(text, [model_specimens.STATE])[0])


def test_a_page_before_it_is_full_is_shared_by_the_class_of_lesson_27_if_it_is_filled_up():
    cache, begin = serving.PagedCache(4), ("The", "capital", "of")
    assert cache.enter(begin) != cache.enter(begin)
    assert cache.enter((*begin, None)) == cache.enter((*begin, None))


def test_the_solution_lets_three_models_pass_which_rules_4_6_and_5_find():
    (code,) = [cell for cell in notebooks.cells("hunt_the_bugs", "markdown") if "def serves_right" in cell]
    space = {"np": np}
    exec(code.split("```python\n")[1].split("```")[0], space)

    def read_by(number):
        run = model_specimens.specimen(number)
        layers = [model_specimens.STATE, *model_specimens.LAYERS]
        return lambda X, caches=None, real=None, starts=None: run(X, layers, 0, caches, real, starts)

    assert [number for number in range(1, 12) if space["serves_right"](read_by(number))] == [1, 2, 5]
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
    assert "Found so far: 0 of 11" in explorer.text and "it would" not in explorer.text
