"""What the text of this lesson says in numbers, and whose the watch is by the layer that a reader writes."""

import re
from fractions import Fraction

import numpy as np
import pytest

from helpers import attention, explorers, layers
from rooms.ask_a_second_time.exercises import ADD_AND_THINK, ADD_AND_THINK_DRAWN
from rooms.shared import watch, words
from tests.notebooks import function_of, prose


def test_the_same_question_gets_nothing_and_then_an_answer():
    is_sarah, rest = np.array([1, 0, 0]) * Fraction(1), Fraction(0)  # Sarah, She, watch; and the special token
    weights = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]) * Fraction(1, 2)  # She asks Sarah, and watch asks She
    found = []
    for _ in range(2):
        answers = weights @ is_sarah + (1 - weights.sum(axis=1)) * rest
        is_sarah = is_sarah + answers
        found.append((answers[2], is_sarah[1], is_sarah[2]))
    assert found == [(0, Fraction(1, 2), 0), (Fraction(1, 4), 1, Fraction(1, 4))]
    assert "*She* is 1/2 Sarah, and half of that is 1/4" in prose("ask_a_second_time")
    explorer = explorers.explore_two_layers()
    explorer.set(layers=2)
    weights = [f"{weight:.0%}" for weight in sorted(explorer.shown["weights"][-1, -1])[-2:]]
    assert weights == ["47%", "47%"] and "47% + 47% = 94%" in prose("ask_a_second_time")
    assert "it is Sarah's, 94%" in explorer.text
    assert f"{explorer.shown['weights'][-1, -1, 0]:.0%}" == "6%"


def test_a_word_that_is_replaced_forgets_what_it_asks_and_by_what_it_is_found():
    names, x = watch.text()
    found, _ = watch.attend(x, watch.heads())
    she, thing = found[names.index("She")], found[names.index("watch")]
    assert she[watch.IS_SARAH] > 0.99 and abs(she[watch.FEMALE]) < 0.01 and np.abs(thing).max() < 0.02
    again, weights = watch.attend(found, watch.heads())
    np.testing.assert_allclose(weights, 1 / len(names), atol=1e-6)  # nobody asks, so all get the same
    assert watch.whose(again[names.index("watch")])[0] == "nobody's"
    np.testing.assert_allclose(again[:, watch.SARAHS], 0.2, atol=5e-3)  # of every word the same


def test_four_words_light_up_at_first():
    assert (explorers.explore_neuron().shown["lights"] > 0).sum() == 4
    assert "At the moment four words light up" in prose("ask_a_second_time")


def test_no_neuron_without_a_bend_is_an_and():
    cases = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])  # female, name, and the bias
    zero = np.linalg.solve(cases[:3], np.zeros(3))
    assert (zero == 0).all() and cases[3] @ zero == 0
    assert "You want 0, 0, 0 and 1" in prose("ask_a_second_time")


def test_she_is_told_again_in_the_second_layer():
    names, x = watch.text()
    she, told = names.index("She"), []
    for _ in range(2):
        x = x + watch.attend(x, watch.heads())[0]
        told.append(round(x[she, watch.IS_SARAH], 2))
    assert told == [1, 2] and "reach 2.00" in prose("ask_a_second_time")


def test_without_a_bend_sarahs_sum_is_made_of_five_other_words():
    known = {
        word: np.array([*row, 1]) for word, row in words.she_sentences().table.items()
    }  # the bias is a feature of all
    made = known["her"] + known["Alex"] - known["cat"] - known["wearing"] + known["watch"]
    np.testing.assert_array_equal(made, known["Sarah"])


@pytest.mark.parametrize("d_model", [64, 768])
def test_two_thirds_of_a_wide_layer_sit_in_its_network(d_model):
    attention_weights, network = 4 * d_model**2, 2 * d_model * 4 * d_model
    assert network / (attention_weights + network) == pytest.approx(2 / 3)


def test_three_tokens_on_a_line_stay_on_it_when_mixed_and_fill_a_plane_when_bent():
    line = np.array([[-1.0, -2.0], [0.5, 1.0], [2.0, 4.0]])
    mixed = attention.scaled_dot_product_attention(line, line, line).output
    bent = layers.feed_forward(mixed, np.array([[1.0, -1.0], [0.0, 0.0]]), 0, np.eye(2), 0)
    assert [np.linalg.matrix_rank(rows, tol=1e-9) for rows in (line, mixed, bent)] == [1, 1, 2]


def test_the_watch_is_sarahs_by_a_right_layer_and_nobodys_where_a_step_is_not_added():
    def told(layer):
        return re.findall(
            r"(Sarah's|nobody's)(?:, \d+%)?</text>", ADD_AND_THINK_DRAWN.draw(make(layer), "", None).html
        )[-1]

    make, think = ADD_AND_THINK_DRAWN.make, function_of("ask_a_second_time", "feed_forward")
    wrong = [
        lambda x, attend, *network: attend(x),
        lambda x, attend, *network: attend(x) + think(attend(x), *network),
        lambda x, attend, *network: x + attend(x),
        lambda x, attend, *network: x + think(x, *network),
        lambda x, attend, *network: think(x + attend(x), *network),
    ]
    assert told(ADD_AND_THINK.solve) == "Sarah's" and 0.9 < make(ADD_AND_THINK.solve)[1, 0] < 1
    assert [told(layer) for layer in wrong] == ["nobody's"] * len(wrong)


def test_a_shortcut_by_name_finds_the_cat_when_names_are_swapped_and_one_by_place_is_right_both_times():
    assert re.search("finds the cat", prose("ask_a_second_time"))
    for swapped, found, at_the_start in ((False, "Sarah", "Sarah"), (True, "Sarah", "Alex")):
        names, X = watch.text(swapped)
        scores = [X[:, asked].sum(axis=1) for asked in watch.ASKED.values()]  # a woman's name, and one at the start
        assert [names[each.argmax()] for each in scores] == [found, at_the_start]
        assert (names.index("Alex") < names.index("Sarah")) == swapped
