"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np

from helpers.lessons.carry_a_state import recall
from helpers.lessons.carry_a_state.recall import phone_book, share_right
from helpers.variants import linear_attention


def trained_to_name(book, rounds=2000):
    """A state that names every digit, by the rule of the perceptron: where another is as large, both columns move by the key."""
    state = np.zeros((book.names.shape[1], recall.NUM_DIGITS))
    for _ in range(rounds):
        wrong = 0
        for name, digit in zip(book.names, book.digits):
            read = name @ state
            read[digit] -= 1e-6  # a tie is wrong
            if (said := read.argmax()) != digit:
                state[:, digit] += name
                state[:, said] -= name
                wrong += 1
        if not wrong:
            break
    return state


def test_a_state_of_16_rows_can_tell_32_names_apart_and_holds_16_exactly():
    for seed in range(4):
        book = phone_book(np.random.default_rng(seed), 32, 16)
        state = trained_to_name(book)
        assert ((book.names @ state).argmax(axis=1) == book.digits).all()
        assert share_right(book, "least squares") < 1
        values = np.random.default_rng(seed).normal(size=(17, 1))  # any numbers, not digits
        for count, exact in ((16, True), (17, False)):
            left = (
                book.names[:count] @ np.linalg.lstsq(book.names[:count], values[:count], rcond=None)[0] - values[:count]
            )
            assert (np.abs(left).max() < 1e-6) == exact


def test_softmax_does_not_blur_16_names_of_width_16_and_blurs_64_of_width_8():
    def right(names, width):
        return np.mean([share_right(phone_book(np.random.default_rng(k), names, width), "softmax") for k in range(20)])

    assert right(16, 16) == 1 and right(64, 8) < 0.9


def test_a_state_that_fades_shows_the_value_one_token_back_dimly():
    value = np.random.default_rng(21).normal(size=(6, 3))
    read = linear_attention(np.ones((6, 1)), np.ones((6, 1)), value, decay=0.1)
    back = (read - value)[1:] / 0.1
    assert 0 < np.abs(back - value[:-1]).max() < 0.5
