"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import numpy as np


def _of_winners(now):
    """For each half in how many of the 20 draws one word has more than half, and what the first word gets on average."""
    winners = np.array([now.undivided.max(axis=1), now.divided.max(axis=1)])
    return [20, 1 / 20, *(winners > 0.5).sum(axis=1), *winners.mean(axis=1)]


ALSO = {"explore_luck": _of_winners}
