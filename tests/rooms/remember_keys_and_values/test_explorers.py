"""Known answers of the explorers of the cache, and what answers the hand."""

import pytest

from helpers import explorers
from tests import driving


def test_explore_cache_counts_6_keys_with_a_cache_and_21_without():
    explorer = explorers.explore_cache()
    assert explorer.shown["computed"].sum() == 6
    explorer.set(cached=False)
    assert explorer.shown["computed"].sum() == 21
    driving.click(explorer, "steps", 2)
    assert explorer.controls["written"].value == 3
    assert explorer.shown["weights"][2] * 5 == pytest.approx([1, 1, 3])


def test_explore_cache_bytes_weighs_what_the_lesson_says():
    explorer = explorers.explore_cache_bytes()
    assert explorer.shown["gigabytes"].tolist() == [52.4288, 13.1072, 1.6384, 3.6864]
    assert explorer.shown["fit"].tolist() == [1, 4, 39, 17]
    explorer.set(size=1)
    assert explorer.shown["fit"].tolist() == [2, 9, 78, 34]
    explorer.set(texts=4, size=2)
    assert (16 + explorer.shown["gigabytes"] > 80).tolist() == [True, False, False, False]
