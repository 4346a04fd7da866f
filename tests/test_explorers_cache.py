"""Known answers of the explorers of the cache, and what answers the hand."""

import pytest

from helpers import explorers


def test_explore_cache_counts_6_keys_with_a_cache_and_21_without():
    explorer = explorers.explore_cache()
    assert explorer.shown["computed"].sum() == 6
    explorer.set(cached=False)
    assert explorer.shown["computed"].sum() == 21
    explorer._touched({"type": "click", "target": {"className": "touch at-steps r2"}})
    assert explorer.controls["written"].value == 3
    assert explorer.shown["weights"][2] * 5 == pytest.approx([1, 1, 3])


def test_explore_cache_bytes_weighs_what_the_lesson_says():
    explorer = explorers.explore_cache_bytes()
    assert explorer.shown["gib"].tolist() == [64, 16, 2, 4.5]
    assert (80 // explorer.shown["gib"]).tolist() == [1, 5, 40, 17]
    explorer.set(tokens=4096)
    assert explorer.shown["gib"].tolist() == [2, 0.5, 0.0625, 0.140625]
    assert explorer.shown["tokens_fit"].tolist() == [163_840, 655_360, 5_242_880, 2_330_168]
