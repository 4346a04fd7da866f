"""What the text of this lesson says in numbers, computed on its own."""

import math

import numpy as np

from helpers import explorers
from helpers.positions import sinusoidal_positional_encoding, wavelengths
from rooms.shared.words import she_sentences


def test_longest_wave():
    assert f"{wavelengths(512).max():,.0f}" == "60,611"


def attend(tokens, mask=True):
    """Attention of one-hot words with themselves, on its own."""
    powers = np.exp(tokens @ tokens.T / math.sqrt(tokens.shape[1])) * mask
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights, weights @ tokens


CAT = np.eye(5)[[0, 1, 2, 3, 0, 4]]  # the cat sat on the mat
ORDER = [0, 5, 2, 3, 4, 1]  # the mat sat on the cat


def test_outputs_know_no_order_until_positions_are_added_or_the_future_is_hidden():
    weights, output = attend(CAT)
    np.testing.assert_allclose(attend(CAT[ORDER])[1], output[ORDER])
    np.testing.assert_allclose(output[0], output[4])  # "the" at positions 0 and 4
    assert weights[1, [0, 4]].round(3).tolist() == [0.152, 0.152] and output[1, 0] > output[1, 1]
    places = sinusoidal_positional_encoding(6, 5)
    assert np.abs(attend(CAT[ORDER] + places)[1][5] - attend(CAT + places)[1][1]).max() > 0.1
    hidden = np.tri(6)
    moved = np.abs(attend(CAT[ORDER], hidden)[1] - attend(CAT, hidden)[1][ORDER]).max()
    assert f"{moved:.2f}" == "0.37"  # told in lesson 07


def test_she_finds_the_name_that_comes_first_and_the_clocks_of_the_other_one_take_away():
    words = she_sentences()
    near = [sum(math.cos(k / 10 ** (clock / 2)) for clock in range(4)) for k in range(len(words.tokens))]
    parts = [math.exp(4 * (token in ("Sarah", "Alex")) + score) for token, score in zip(words.tokens, near)]
    assert words.tokens[0] == "Sarah" and words.tokens[10] == "Alex"
    assert f"{parts[0] / sum(parts):.0%}" == "95%" and f"{near[10]:.2f}" == "-0.35"
    assert [math.cos(10 / 10 ** (clock / 2)) < 0 for clock in range(4)] == [True, True, False, False]
    assert max(near[1:]) < 4 == near[0]


def test_a_number_that_grows_drowns_the_word():
    cat, sat = np.eye(5)[1], np.eye(5)[2]

    def alike(place):
        a, b = cat + place, sat + place
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    assert f"{alike(500):.6f}" == "0.999999" and alike(0) == 0 and 1 - alike(500) < 1e-6 < 1 - alike(50)


def test_what_was_added_is_read_apart_again_where_directions_differ():
    for word, position in ((2, 5), (2, -1), (7, 5)):
        added = np.array([word, 0]) + np.array([0, position])
        assert added @ [1, 0] == word and added @ [0, 1] == position  # a column of W_V, and one of W_K


def test_the_top_clock_goes_round_three_times_and_the_bottom_one_makes_a_tenth():
    assert [round(19 / (2 * math.pi * 10 ** (clock / 2)), 1) for clock in (0, 3)] == [3.0, 0.1]


def test_the_four_clocks_of_the_picture_are_every_other_one_of_the_first_eight_at_width_32():
    rounds = [2 * math.pi * 10 ** (clock / 2) for clock in range(4)]
    assert [round(each) for each in rounds] == [6, 20, 63, 199]
    np.testing.assert_allclose(wavelengths(32)[:16:4], rounds)  # two cells to a clock
    np.testing.assert_allclose(
        explorers.explore_places().shown["places"][:, ::2], sinusoidal_positional_encoding(20, 32)[:, :16:4]
    )
    assert [round(each) for each in wavelengths(8)[::2]] == [6, 63, 628, 6283]
    assert 9000 < wavelengths(512)[-1] / wavelengths(512)[0] < 10_000
