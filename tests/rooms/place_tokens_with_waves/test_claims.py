"""What the text of this lesson says in numbers, computed on its own."""

import math

import numpy as np
import pytest

from helpers import explorers
from helpers.positions import sinusoidal_positional_encoding, wavelengths
from rooms.shared.words import she_sentences
from tests.notebooks import function_of
from tests.references import waves


@pytest.mark.parametrize("shape", [(3, 4), (11, 6), (50, 128)])
def test_lesson_writes_the_encoding_of_the_helpers(shape):
    np.testing.assert_allclose(function_of("place_tokens_with_waves", "waves")(*shape), waves(*shape), atol=1e-12)


def test_own_encoding_is_wrong_for_an_odd_width_and_at_width_3_says_nothing():
    encoding = function_of("place_tokens_with_waves", "waves")
    quiet = encoding(3, 3)
    assert quiet.shape == (3, 3) and np.array_equal(quiet[:, 0], quiet[:, 2])
    for width in (5, 7):
        with pytest.raises(ValueError, match="broadcast"):
            encoding(3, width)


def test_longest_wave():
    assert f"{wavelengths(512).max():,.0f}" == "60,611"


def test_only_a_turn_tells_left_from_right():
    encoding = sinusoidal_positional_encoding(40, 32)
    scores = encoding @ encoding.T
    np.testing.assert_allclose(scores[20, 20:1:-1], scores[20, 20:39])
    explorer = explorers.explore_encoding()
    explorer.set(back=1)
    for position in (5, 50, 59):
        explorer.set(position=position)
        assert explorer.shown["scores"].argmax() == position - 1


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
    np.testing.assert_allclose(output[0], output[4])  # "the" at places 1 and 5
    assert weights[1, [0, 4]].round(3).tolist() == [0.152, 0.152] and output[1, 0] > output[1, 1]
    places = sinusoidal_positional_encoding(6, 5)
    assert np.abs(attend(CAT[ORDER] + places)[1][5] - attend(CAT + places)[1][1]).max() > 0.1
    hidden = np.tri(6)
    moved = np.abs(attend(CAT[ORDER], hidden)[1] - attend(CAT, hidden)[1][ORDER]).max()
    assert f"{moved:.2f}" == "0.37"  # told in lesson 07


def test_a_query_turned_back_fits_the_position_before_best():
    positions = np.arange(5)[:, None] / [1, 100]
    keys, turned = (np.exp(1j * angles) for angles in (positions, positions - [1, 1 / 100]))
    scores = (turned @ keys.conj().T).real
    assert scores.argmax(axis=1).tolist() == [0, 0, 1, 2, 3]
    straight = (keys @ keys.conj().T).real[0]
    assert straight[3] < straight[4] < straight[0]  # the quick hand comes round again


def test_she_finds_the_name_in_front():
    words = she_sentences()
    near = [sum(math.cos(k / 10**pair) for pair in range(4)) for k in range(len(words.tokens))]
    parts = [math.exp(4 * (token in ("Sarah", "Alex")) + score) for token, score in zip(words.tokens, near)]
    assert words.tokens[0] == "Sarah" and words.tokens[10] == "Alex"
    assert f"{parts[0] / sum(parts):.0%}" == "84%" and parts[10] / sum(parts) < 0.1


def test_a_number_that_grows_drowns_the_word():
    cat, sat = np.eye(5)[1], np.eye(5)[2]

    def alike(place):
        a, b = cat + place, sat + place
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    assert f"{alike(500):.6f}" == "0.999999" and alike(0) == 0 and 1 - alike(500) < 1e-6 < 1 - alike(50)


def test_without_cosines_one_step_counts_more_here_and_less_there():
    encoding = np.array(waves(5, 8))
    for part, equal in ((encoding, True), (encoding[:, 0::2], False)):
        scores = part @ part.T
        assert all(np.ptp(np.diagonal(scores, k)) < 1e-12 for k in range(4)) == equal
        assert equal or all(np.ptp(np.diagonal(scores, k)) > 0.1 for k in range(4))


def test_places_fit_alike_to_both_sides_and_the_one_chosen_best():
    explorer = explorers.explore_encoding()
    assert explorer.values["back"] == 0 and "turned" not in explorer.html
    for position in (5, 30, 50):
        explorer.set(position=position)
        scores, reach = explorer.shown["scores"], min(position, 59 - position)
        assert scores.argmax() == position
        np.testing.assert_allclose(
            scores[position - reach : position][::-1], scores[position + 1 : position + reach + 1]
        )


def test_for_the_hands_of_place_1_place_7_comes_next_as_the_quick_hand_has_come_round():
    explorer = explorers.explore_places()
    explorer.set(asks_for="a name at the very start")
    places = explorer.shown["places"]
    fits = places @ places[0]
    assert (fits.argsort()[::-1][:2] + 1).tolist() == [1, 7] and np.isclose(fits[0], 4)
    assert places[6, :2] @ places[0, :2] > 0.95 > 0.6 > places[1, :2] @ places[0, :2]  # the quick clock alone
