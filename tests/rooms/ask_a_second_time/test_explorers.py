"""Known answers of the two layers and of the neuron, and what answers the hand."""

import numpy as np
import pytest

from helpers import attention, explorers
from rooms.shared import watch
from tests import driving, sentences

WORDS = ["·", "Sarah", "walking", "her", "cat", "Alex", "She", "wearing", "gold", "watch"]
HER, SHE, WATCH = (WORDS.index(word) for word in ("her", "She", "watch"))


def test_the_watch_is_nobodys_with_one_layer_because_she_finds_out_at_the_same_moment():
    explorer = explorers.explore_two_layers()
    words, after = explorer.shown["floors"]
    assert words[[SHE, HER], watch.IS_SARAH].tolist() == [0, 0]
    np.testing.assert_allclose(after[[SHE, HER], watch.IS_SARAH], 1, atol=0.02)  # they know by now, too late for watch
    looked = explorer.shown["weights"][0, WATCH]
    assert looked[SHE] == pytest.approx(looked[HER]) and looked[SHE] > 0.45
    assert after[WATCH, [watch.SARAHS, watch.ALEXS]].max() < 0.01
    assert "Whose is the watch? ✗ nobody's" in explorer.html and ">after two layers<" not in explorer.html


def test_the_cells_that_watch_asks_in_the_first_layer_are_empty_and_the_answer_is_new_above_them():
    explorer = explorers.explore_two_layers()
    for layers, new in ((1, 2), (2, 3)):  # her and She, and then watch
        explorer.set(layers=layers)
        assert explorer.shown["floors"][0, [HER, SHE], watch.IS_SARAH].max() == 0
        wide, phone = explorer.html.split('<div class="only-narrow">')
        assert [wide.count(">asked here: empty<"), phone.count(">empty<")] == [2, 2]
        assert all(page.count('width="20" height="20"') == new for page in (wide, phone))
        assert [">got nothing ✗<" in wide, ">nothing<" in phone] == [layers == 1] * 2


@pytest.mark.parametrize(
    ("swapped", "asked", "whose"),
    [
        (False, "a woman's name", "Sarah's"),
        (False, "a name at the start", "Sarah's"),
        (True, "a woman's name", "Sarah's"),  # wrong: Sarah is the cat
        (True, "a name at the start", "Alex's"),
    ],
)
def test_watch_asks_she_however_she_finds_out_who_she_is(swapped, asked, whose):
    explorer = explorers.explore_two_layers()
    questions = []
    for layers, answer in ((1, "✗ nobody's"), (2, f"✓ {whose}, 94%")):
        explorer.set(swapped=swapped, asked=asked, layers=layers)
        assert f"Whose is the watch? {answer}" in explorer.html
        questions.append(watch.heads(watch.ASKED[asked])[1][0])
    np.testing.assert_array_equal(*questions)  # the question of watch is the same


def test_no_question_of_the_watch_itself_finds_out_by_a_name_who_walks():
    for swapped in (False, True):
        names, X = watch.text(swapped)
        query = watch.STRENGTH * np.isin(np.arange(len(watch.FEATURES)), watch.ASKED["a woman's name"])
        weights = attention.softmax((watch.RESTING * X[:, watch.REST] + X @ query) * watch.SCALE)
        assert names[weights.argmax()] == "Sarah" and weights.max() > 0.99


def test_words_that_are_not_drawn_get_what_watch_gets_and_the_mark_is_drawn_for_those_that_rest_on_it():
    explorer = explorers.explore_two_layers()
    explorer.set(layers=2)
    for word in ("wearing", "gold"):
        assert f">{word}<" not in explorer.html
        assert explorer.shown["floors"][2, WORDS.index(word), watch.SARAHS] > 0.93
    assert ">·<" not in explorer.html
    driving.click(explorer, "words", WORDS.index("Alex"))
    assert ">·<" in explorer.html and explorer.shown["floors"][0, 0, : watch.REST].tolist() == [0] * watch.REST
    assert "“Alex” asks for nothing, so most of its weight, 99%" in explorer.text


def test_she_is_followed_to_sarah():
    explorer = explorers.explore_two_layers()
    explorer.set(word=SHE)
    assert "Who is “She”? ✓ Sarah" in explorer.html
    assert explorer.shown["weights"][0, SHE, WORDS.index("Sarah")] > 0.98


NEURON = ["Sarah", "walking", "her", "cat", "Alex", "She", "wearing", "gold", "watch"]


def lit(explorer):
    return [word for word, light in zip(NEURON, explorer.shown["lights"]) if light > 0]


def test_the_other_goals_are_met_by_a_weight_below_zero():
    explorer = explorers.explore_neuron()
    for goal, weights, words in (
        ("female, no name", [0, 0, 1, -1, 0], ["her", "She"]),
        ("a name, not female", [0, 0, -1, 1, 0], ["Alex"]),
    ):
        explorer.set(goal=goal, weight=[weights], bias=0, bend=True)
        assert lit(explorer) == words and "✓" in explorer.html
        explorer.set(bend=False)
        assert "✗" in explorer.html


def test_without_a_bend_no_weights_and_no_bias_meet_a_goal():
    explorer = explorers.explore_neuron()
    rows = np.hstack([explorer.shown["X"], np.ones((9, 1))])  # the bias is a feature that all words have
    for names in (["Sarah"], ["her", "She"], ["Alex"]):
        wanted = np.array([float(word in names) for word in NEURON])
        best, *_ = np.linalg.lstsq(rows, wanted)
        assert np.abs(rows @ best - wanted).max() > 0.2


def test_a_click_turns_a_weight_from_0_to_1_to_minus_1():
    explorer = explorers.explore_neuron()
    for weight in (1, -1, 0):
        driving.click(explorer, "weight", 4)
        assert explorer.shown["W_in"][4] == weight


def test_words_that_light_up_are_named_in_every_kind_of_state():
    rng = np.random.default_rng(3)
    weights = [[row] for row in [[0.0] * 5, [0, 0, 1, 1, 0], *(rng.integers(-4, 5, size=(8, 5)) / 2).tolist()]]
    assert sentences.complaints_in_all_states("explore_neuron", weight=weights, bias=[-3, -1, 0, 0.5, 3]) == []


WISHED = {"a female name": ["Sarah"], "female, no name": ["her", "She"], "a name, not female": ["Alex"]}


@pytest.mark.parametrize("goal", WISHED)
def test_the_light_of_a_goal_is_on_where_its_words_alone_light_up(goal):
    explorer, rng = explorers.explore_neuron(), np.random.default_rng(5)
    met = []
    for row in [[0, 0, 1, 1, 0], [0, 0, 1, -1, 0], [0, 0, -1, 1, 0], *rng.integers(-1, 2, size=(20, 5)).tolist()]:
        explorer.set(goal=goal, bend=True, bias=-float(sum(row) > 1), weight=[row])
        met.append(lit(explorer) == WISHED[goal])
        assert [holds for holds, _ in driving.lights(explorer.html)] == [met[-1]]
    assert any(met) and not all(met)
