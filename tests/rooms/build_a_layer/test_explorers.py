"""Known answers of the explorers of the layer, and what answers the hand."""

import numpy as np
import pytest

from helpers import explorers
from tests import driving, sentences


def test_bare_attention_makes_all_tokens_the_same_and_pre_norm_with_residual_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=False, depth=4)
    assert explorer.shown["top"][2] < 1e-9 and "✗ at the top words differ by only" in explorer.html
    explorer.set(residual=True, norm="pre", feed_forward=True, depth=48)
    assert explorer.shown["top"][2] > 0.1 and "✗" not in explorer.html


def test_without_residual_the_gradient_dies_and_without_norm_it_explodes():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 1e-10 and explorer.shown["top"][0] < 1e-10
    explorer.set(residual=True)
    assert explorer.shown["top"][1] > 1e6 and explorer.shown["top"][0] > 1e6
    assert "✗ at the bottom the gradient is 4·10¹⁰" in explorer.html


def test_post_norm_lets_the_gradient_fade_and_pre_norm_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=True, norm="post", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 0.05
    explorer.set(norm="pre")
    assert 5 < explorer.shown["top"][1] < 30
    sizes = explorer.shown["signal"][1]  # about as the root of the depth
    assert 0.7 < (sizes[48] / sizes[12]) / 2 < 1.3


def test_words_are_grey_by_the_second_layer_and_keep_their_colours_with_bypass_and_norm():
    explorer = explorers.explore_depth()
    apart = explorer.shown["words"] - explorer.shown["words"].mean(axis=1, keepdims=True)
    sizes = np.sqrt((explorer.shown["words"] ** 2).mean(axis=(1, 2)))
    shares = np.abs(apart).max(axis=(1, 2)) / sizes
    assert (shares[2:] < 0.03).all() and shares[0] > 1
    explorer.set(residual=True, norm="pre", depth=48)
    words = explorer.shown["words"]
    assert words.shape == (13, 8, 8) and (np.ptp(words[-1], axis=0) > 0.1 * np.abs(words[-1]).mean()).all()


def test_all_twenty_stacks_turn_grey():
    explorer = explorers.explore_depth()
    for drawn in range(1, 21):
        explorer.set(drawn=drawn)
        words = explorer.shown["words"]
        assert np.ptp(words[3], axis=0).max() < 0.05 * np.abs(words[3]).max()


WORDS = ["·", "Sarah", "walking", "her", "cat", "Alex", "She", "wearing", "gold", "watch"]
IS_SARAH, SARAHS = 5, 9


def test_the_watch_is_sarahs_only_if_layer_1_has_told_who_she_is():
    explorer = explorers.explore_two_layers()
    watch, she, her = (WORDS.index(word) for word in ("watch", "She", "her"))
    np.testing.assert_allclose(explorer.shown["after_1"][[she, her], IS_SARAH], 1, atol=0.02)
    assert (
        explorer.shown["after_2"][watch, SARAHS] == pytest.approx(0.93, abs=0.005) and "✓ Sarah's, 93%" in explorer.html
    )
    named = explorer.html.count(">is Sarah<")
    explorer.set(layer_1="off")
    weights = explorer.shown["weights_2"][watch]
    assert weights[she] == pytest.approx(weights[her]) and weights[she] > 0.45  # it finds them, and gets nothing
    assert explorer.shown["after_2"][watch, SARAHS] < 0.02 and "nobody's" in explorer.html
    assert named - explorer.html.count(">is Sarah<") == 3  # beside Sarah, and beside her and She whom layer 1 has told


def test_words_that_are_not_drawn_get_what_watch_gets_and_the_mark_stands_there_for_those_that_rest_on_it():
    explorer = explorers.explore_two_layers()
    for word in ("wearing", "gold"):
        assert f">{word}<" not in explorer.html
        assert explorer.shown["after_2"][WORDS.index(word), SARAHS] == pytest.approx(0.93, abs=0.005)
    assert ">·<" not in explorer.html
    explorer.set(word=WORDS.index("Alex"))
    assert ">·<" in explorer.html and explorer.shown["X"][0, :11].tolist() == [0] * 11  # it brings nothing


def test_she_who_asks_in_layer_1_alone_is_followed_to_sarah():
    explorer = explorers.explore_two_layers()
    explorer.set(word=WORDS.index("She"))
    assert explorer.shown["weights_1"][WORDS.index("She"), WORDS.index("Sarah")] == pytest.approx(0.98, abs=0.02)
    wide = 'stroke-width="23.81"'
    assert explorer.html.count(wide) == 2  # to Sarah, on a card and on a phone
    explorer.set(layer_1="off")
    assert wide not in explorer.html


def test_words_that_ask_for_nothing_rest_on_the_mark():
    explorer = explorers.explore_two_layers()
    e = np.exp(4)
    np.testing.assert_allclose(explorer.shown["weights_2"][WORDS.index("Alex"), 0], e / (e + 9))
    driving.click(explorer, "words", WORDS.index("Alex"))
    assert explorer.text.startswith("“Alex” asks for nothing in layer 2, so most of its weight, 86%")


NEURON = ["Sarah", "walking", "her", "cat", "Alex", "She", "wearing", "gold", "watch"]


def lit(explorer):
    return [word for word, light in zip(NEURON, explorer.shown["lights"]) if light > 0]


def test_a_neuron_with_a_bend_lights_up_for_sarah_alone():
    explorer = explorers.explore_neuron()
    np.testing.assert_allclose(explorer.shown["lights"], [2, 0, 1, 0, 1, 1, 0, 0, 0])
    explorer.set(bias=-1)
    np.testing.assert_allclose(explorer.shown["lights"], [1, -1, 0, -1, 0, 0, -1, -1, -1])
    assert lit(explorer) == ["Sarah"] and "✗" in explorer.html
    explorer.set(bend=True)
    np.testing.assert_allclose(explorer.shown["lights"], [1, 0, 0, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(explorer.shown["before"], [1, -1, 0, -1, 0, 0, -1, -1, -1])
    assert "✓ “a female name” lights up" in explorer.html


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
