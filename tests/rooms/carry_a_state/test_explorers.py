"""Known answers of the explorers of the state, and what answers the hand."""

from helpers import explorers


def test_the_best_state_recites_as_many_names_as_it_has_rows():
    explorer = explorers.explore_recall()
    assert explorer.shown["curves"][3, 3:].round(2).tolist() == [1, 0.91, 0.58]  # 16, 32 and 64 names in 16 dimensions
    assert explorer.shown["curves"][0].tolist() == [1] * 6  # softmax keeps all keys
    explorer.set(width=32)
    assert explorer.shown["curves"][3, 3:].round(2).tolist() == [1, 1, 0.91]
