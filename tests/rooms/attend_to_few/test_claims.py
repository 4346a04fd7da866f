"""What the text of this lesson says, computed on its own."""

import numpy as np

from helpers import explorers


def test_each_layer_adds_the_window_less_one_and_one_whole_layer_reaches_all_wherever_it_is():
    explorer = explorers.explore_window_reach()
    for window in (2, 3):
        reach = []
        for layers in (1, 2, 3):
            explorer.set(window=window, layers=layers)
            reach.append(int(explorer.shown["reach"]))
        assert np.diff(reach).tolist() == [window - 1] * 2
    explorer.set(window=3, layers=5)
    for whole in range(1, 6):
        explorer.set(whole=whole)
        assert explorer.shown["reach"] == 16
