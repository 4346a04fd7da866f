"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import numpy as np

from tests.sentences import Claim

ALSO = {"explore_patches": lambda now: rows_and_columns(now)}


def rows_and_columns(now):
    """Of the patch that asks, and of the one that gets most of the others; and how much that gets."""
    side, chosen = int(np.sqrt(len(now.weights))), int(now.chosen)
    best = int(np.delete(now.weights, chosen).argmax())
    best += best >= chosen
    return [*divmod(chosen, side), best, *divmod(best, side), now.weights[best]]


CLAIMS = {
    "explore_patches": [Claim("get the same", lambda now: now.sharpness == 0)],
    "explore_patch_shuffle": [
        Claim("none has moved", lambda now: now.difference.max() < 1e-9),
        Claim("they have moved by up to", lambda now: now.difference.max() > 1e-9),
    ],
}
EXCHANGED = "where all are shuffled, two that change places change neither how many are elsewhere nor the outlined one"
STILL = "nothing is shuffled yet, so nothing moves with positions either"
SILENT = {"explore_patch_shuffle": {"positions": STILL, "first": EXCHANGED, "second": EXCHANGED}}
