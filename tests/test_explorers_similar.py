"""Known answers of the explorers of Sarah's sentences, and what answers the hand."""

import pytest

from helpers import explorers

TOKENS = "Sarah was walking in the park with her cat , Alex . She was wearing a beautiful gold watch .".split()


def test_similarity_cannot_tell_sarah_from_her_and_she():
    explorer = explorers.explore_similar_words()
    weights = explorer.shown["weights"]
    assert [f"{weights[TOKENS.index(word)]:.3f}" for word in ("Sarah", "her", "She", "Alex", "cat")] == [
        "0.226", "0.226", "0.226", "0.083", "0.031",
    ]  # fmt: skip
    assert explorer.text == "“She” gives 23% of its weight each to “Sarah”, “her” and “She”."
    explorer.set(swapped=True)
    assert explorer.text.endswith("each to “her”, “Sarah” and “She”.")


@pytest.mark.parametrize(("strength", "share"), [(0, 0.05), (1.5, 0.406), (2, 0.59), (4, 0.943)])
def test_a_question_of_its_own_finds_sarah(strength, share):
    explorer = explorers.explore_question()
    explorer.set(strength=strength)
    assert explorer.shown["weights"][0] == pytest.approx(share, abs=0.006)
