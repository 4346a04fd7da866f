"""What the text of this lesson says in numbers, computed on its own."""

import re

import numpy as np
import pytest

from helpers import explorers
from helpers.attention import scaled_dot_product_attention
from helpers.variants import linear_attention
from rooms.carry_a_state import recall
from rooms.carry_a_state.recall import phone_book, share_right
from tests import notebooks


def test_a_state_gives_back_16_values_of_16_rows_exactly_and_not_17():
    for seed in range(4):
        names = phone_book(np.random.default_rng(seed), 32, 16).names
        values = np.random.default_rng(seed).normal(size=(17, 1))  # any numbers, not digits
        for count, exact in ((16, True), (17, False)):
            state = np.linalg.lstsq(names[:count], values[:count], rcond=None)[0]
            assert (np.abs(names[:count] @ state - values[:count]).max() < 1e-6) == exact


def test_a_rule_that_reads_once_finds_the_least_squares_state_with_a_second_state_unless_a_name_is_written_twice():
    for names, width in ((7, 16), (32, 16)):
        for changed in (0, 3):
            book = phone_book(np.random.default_rng(5), names, width, changed)
            state, second = np.zeros((width, 10)), np.zeros((width, width))
            for k, v in zip(book.key, book.value):
                state, second = state + np.outer(k, v), second + np.outer(k, k)
            got = book.names @ np.linalg.pinv(second, rcond=1e-10, hermitian=True) @ state
            assert np.allclose(got, recall.answers(book, "least squares"), atol=1e-6) == (changed == 0)


def test_what_the_least_squares_state_of_the_picture_recites():
    explorer, right = explorers.explore_recall(), []
    for names, width in ((16, 16), (32, 16), (64, 16), (64, 32)):
        explorer.set(names=names, width=width)
        books = [phone_book(np.random.default_rng(seed), names, width) for seed in range(20)]
        states = [np.linalg.lstsq(book.names, np.eye(10)[book.digits], rcond=None)[0] for book in books]
        found = [(book.names @ state).argmax(axis=1) == book.digits for book, state in zip(books, states)]
        assert explorer.shown["right"][3, 0] == pytest.approx(np.mean(found))
        right.append(f"{np.mean(found):.0%}")
    assert right[0] == "100%"
    told = r"recites all of 16 names.* Of 32 it still gets (\d+%).* Of 64 it gets (\d+%), and at twice the width (\d+%)"
    assert list(re.search(told, notebooks.prose("carry_a_state")).groups()) == right[1:]


def test_scores_are_4_times_the_cosine_as_with_keys_of_the_usual_length():
    book = phone_book(np.random.default_rng(0), 7, 16)
    np.testing.assert_allclose(recall.answers(book, "softmax"), recall.answers(book, "softmax", scale=4))
    longer = scaled_dot_product_attention(4 * book.names, 4 * book.key, book.value)  # divided by the root of 16
    np.testing.assert_allclose(recall.answers(book, "softmax"), longer.output)


def test_a_short_convolution_takes_half_of_each_token_and_half_of_the_one_before():
    assert np.convolve([2, 4, 6], [0.5, 0.5])[:3].tolist() == [1, 3, 5]


def test_softmax_does_not_blur_16_names_of_width_16_and_blurs_64_of_width_8():
    def right(names, width):
        return np.mean([share_right(phone_book(np.random.default_rng(k), names, width), "softmax") for k in range(20)])

    assert right(16, 16) == 1 and right(64, 8) < 0.9


def test_a_state_that_fades_shows_the_value_one_token_back_dimly():
    value = np.random.default_rng(21).normal(size=(6, 3))
    read = linear_attention(np.ones((6, 1)), np.ones((6, 1)), value, decay=0.1)
    back = (read - value)[1:] / 0.1
    assert 0 < np.abs(back - value[:-1]).max() < 0.5


def test_the_states_of_qwen_next_weigh_as_much_as_3072_tokens_of_its_cache():
    states, per_token = 36 * 32 * 128 * 128 * 4, 12 * 2 * 2 * 256 * 2
    assert states / per_token == 3072


def test_blocks_of_any_size_correct_as_the_loop_does():
    lesson = notebooks.after_cell("carry_a_state", "def delta_rule_in_blocks")
    query, key, value = lesson["query"], lesson["key"], lesson["value"]
    want = linear_attention(query, key, value, strength=0.5)
    for size in (1, 7, 32, 64, 100):
        np.testing.assert_allclose(lesson["delta_rule_in_blocks"](query, key, value, 0.5, size), want, atol=1e-12)
