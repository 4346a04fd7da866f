"""The phone book: what is drawn, what each rule remembers of it, and bad input."""

import functools
import math

import numpy as np
import pytest

from rooms.carry_a_state.recall import RULES, PhoneBook, answers, phone_book, share_right
from tests.refusals import says


def by_loops(book, rule, decay=0.95, strength=0.3):
    """One name, one entry, one digit at a time."""
    width, found = book.key.shape[1], []
    if rule == "softmax":
        for name in book.names:
            powers = [math.exp(math.sqrt(width) * (math.fsum(a * b for a, b in zip(name, k)) - 1)) for k in book.key]
            found.append([math.fsum(p * v[d] for p, v in zip(powers, book.value)) / sum(powers) for d in range(10)])
        return found
    state = [[0.0] * 10 for _ in range(width)]
    for k, v in zip(book.key, book.value):
        says = [sum(k[a] * state[a][d] for a in range(width)) for d in range(10)]
        for a in range(width):
            for d in range(10):
                if rule == "delta rule":
                    state[a][d] += strength * k[a] * (v[d] - says[d])
                else:
                    state[a][d] = (decay if rule == "decay" else 1) * state[a][d] + k[a] * v[d]
    return [[sum(n[a] * state[a][d] for a in range(width)) for d in range(10)] for n in book.names]


@pytest.mark.parametrize("rule", RULES[:-1])
@pytest.mark.parametrize("num_changed", [0, 3])
def test_answers_equal_loops(rule, num_changed):
    book = phone_book(np.random.default_rng(1), 11, 5, num_changed)
    expected = np.array(by_loops(book, rule))
    np.testing.assert_allclose(answers(book, rule), expected, atol=1e-12)
    best = np.sort(expected, axis=-1)
    clear = (expected.argmax(axis=-1) == book.digits) & (best[:, -1] - best[:, -2] > 1e-9)
    assert share_right(book, rule) == np.mean(clear)


def test_book_is_drawn_as_it_says():
    book = phone_book(np.random.default_rng(2), 200, 7, 50)
    np.testing.assert_allclose(np.linalg.norm(book.key, axis=-1), 1)
    np.testing.assert_array_equal(book.key[200:], book.names[:50])
    np.testing.assert_array_equal(book.key[:200], book.names)
    assert (book.value.sum(axis=-1) == 1).all() and set(book.digits) == set(range(10))
    newest = book.value.argmax(axis=-1)
    np.testing.assert_array_equal(newest[200:], book.digits[:50])
    np.testing.assert_array_equal(newest[50:200], book.digits[50:])
    assert (newest[:50] != book.digits[:50]).all()


@functools.cache
def many(num_names, d_k, num_changed=0, number=40):
    books = [phone_book(np.random.default_rng(seed), num_names, d_k, num_changed) for seed in range(number)]
    return PhoneBook(*map(np.stack, zip(*books)))


def mean_right(rule, num_names, d_k, num_changed=0, **how):
    return share_right(many(num_names, d_k, num_changed), rule, **how)


@pytest.mark.parametrize("rule", RULES)
def test_many_books_are_counted_as_each_by_itself(rule):
    books = many(11, 5, 3)
    alone = [share_right(PhoneBook(*book), rule) for book in zip(*books)]
    assert mean_right(rule, 11, 5, 3) == pytest.approx(np.mean(alone), abs=1e-12)


TABLE = {  # names, of them rewritten: share right by the sum, by the delta rule with beta 1 and 0.3, by the least-squares state
    (16, 0): (0.91, 0.78, 0.92, 1.00),
    (16, 8): (0.67, 0.75, 0.88, 1.00),
    (32, 16): (0.54, 0.51, 0.72, 0.90),
}


@pytest.mark.parametrize(("size", "shares"), TABLE.items())
def test_the_delta_rule_wins_with_small_corrections_and_loses_with_whole_ones(size, shares):
    names, changed = size
    how = {"sum": {}, "delta rule": {"strength": 1.0}, "the same": {"strength": 0.3}, "least squares": {}}
    for (rule, settings), share in zip(how.items(), shares):
        rule = "delta rule" if rule == "the same" else rule
        found = share_right(many(names, 16, changed, number=200), rule, **settings)
        assert found == pytest.approx(share, abs=0.02), rule


def test_a_state_forgets_where_softmax_does_not():
    assert mean_right("softmax", 64, 16) > 0.99
    assert mean_right("sum", 4, 16) > 0.95 > 0.6 > mean_right("sum", 64, 16)
    assert mean_right("sum", 64, 16) + 0.2 < mean_right("sum", 64, 64)


def test_keys_at_right_angles_are_all_remembered():
    rng = np.random.default_rng(3)
    digits = rng.integers(10, size=16)
    book = PhoneBook(np.eye(16), np.eye(10)[digits], np.eye(16), digits)
    assert all(share_right(book, rule) == 1 for rule in RULES)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: phone_book(0, 3, 3), TypeError, "rng must be a generator such as np.random.default_rng(0), got 0."),
        (lambda: phone_book(np.random.default_rng(0), 0, 3), ValueError, "num_names must be at least 1, got 0."),
        (lambda: phone_book(np.random.default_rng(0), 3, 3, 4), ValueError, "num_changed must be at most 3, got 4."),
        (lambda: answers(phone_book(np.random.default_rng(0), 3, 3), "sums"), ValueError, "rule must be one of softmax, sum, decay, delta rule, least squares, got 'sums'."),
    ],
)  # fmt: skip
def test_recall_refuses(call, error, message):
    says(call, error, message)
