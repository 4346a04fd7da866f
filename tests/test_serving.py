"""A cache in pages: who has which page, what is shared, and what becomes free."""

import numpy as np
import pytest

from helpers.serving import PagedCache

BEGINNING = "You are a helpful and polite clerk. User:".split()
A, B = [*BEGINNING, *"Where is my hat ?".split()], [*BEGINNING, *"Who is she ?".split()]


def test_equal_beginnings_share_full_pages_alone():
    cache = PagedCache(4)
    assert cache.enter(A) == [0, 1, 2, 3] and cache.enter(B) == [0, 1, 4]
    assert cache.enter(["Hello", *B[1:]]) == [5, 6, 7]  # all that stands before counts, not the page's own tokens
    assert cache.enter(A[:3]) == [8] and cache.enter(A[:3]) == [9]  # a page that is not full is nobody else's
    assert cache.enter(A[:4]) == [0] and cache.enter([]) == []


def test_a_page_is_free_when_its_last_text_has_left_and_is_no_longer_known():
    cache = PagedCache(4)
    a, b = cache.enter(A), cache.enter(B)
    cache.leave(a)
    assert sorted(cache.free) == [2, 3] and cache.users[0] == 1
    cache.leave(b)
    assert sorted(cache.free) == [0, 1, 2, 3, 4] and cache.known == {}
    assert not set(cache.enter(B)) & set(cache.enter(["Hello", *B[1:]])) and len(cache.users) == 6


@pytest.mark.parametrize("seed", range(5))
def test_texts_that_come_and_go_always_find_their_own_tokens(seed):
    """As attention does, by the table; and no page is lost."""
    rng, size = np.random.default_rng(seed), int(np.random.default_rng(seed).integers(1, 6))
    cache, keys, there = PagedCache(size), np.full((200, size), -1), {}
    for k in range(60):
        if there and rng.random() < 0.4:
            cache.leave(there.pop(list(there)[rng.integers(len(there))])[1])
        ids = rng.integers(0, 2, rng.integers(1, 12)).tolist()
        table = cache.enter(ids)
        for place in range(len(ids)):
            keys[table[place // size], place % size] = hash(tuple(ids[: place + 1]))  # a key knows all before it
        there[k] = ids, table
        for ids, table in there.values():
            found = keys[table].reshape(-1)[: len(ids)]
            assert found.tolist() == [hash(tuple(ids[: place + 1])) for place in range(len(ids))]
    for _, table in there.values():
        cache.leave(table)
    assert cache.known == {} and sorted(cache.free) == list(range(len(cache.users)))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: PagedCache(0), "page_size must be at least 1, got 0"),
        (lambda: PagedCache(2.5), "page_size must be a whole number, got 2.5"),
        (lambda: PagedCache(4).enter(7), "ids must be a list of numbers or words, got 7"),
        (lambda: PagedCache(4).enter([[1]]), r"ids must be a list of numbers or words, got \[\[1\]\]"),
        (lambda: PagedCache(4).leave([0]), r"table must be that of a text that has not left yet, got \[0\]"),
        (lambda: PagedCache(4).leave(None), "table must be a list of numbers or words, got None"),
    ],
)
def test_what_is_no_text_and_no_table_is_refused_by_its_name(call, told):
    with pytest.raises((TypeError, ValueError), match=told):
        call()


def test_a_table_that_is_given_back_twice_is_refused_and_nothing_changes():
    cache = PagedCache(2)
    table = cache.enter([1, 2, 3])
    with pytest.raises(ValueError, match="has not left yet"):
        cache.leave(table * 2)
    assert cache.users == {0: 1, 1: 1}
    cache.leave(table)
    with pytest.raises(ValueError, match="has not left yet"):
        cache.leave(table)
