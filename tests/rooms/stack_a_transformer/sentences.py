"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import numpy as np

from tests.sentences import Claim

BOTH, DECODER = "encoder and decoder", "decoder alone"


def later(now):
    """How far outputs move with tokens that come after what is written."""
    n = len(now.moves)
    rows, columns = np.indices(now.moves.shape)
    return np.where((columns > rows) & (rows >= (0 if now.kind == DECODER else 4)), now.moves, 0).max() if n else 0


def heard(claim):
    """A claim of the map: the sentence of the rows says nothing of it."""
    return lambda now: heard_now(now) and claim(now)


def heard_now(now):
    return now.beside == "who hears whom"


CLAIMS = {
    "explore_architecture": [
        Claim(
            "asks what the encoder remembers", heard(lambda now: now.kind == BOTH and now.moves[4:, :4].min() > 1e-9)
        ),
        Claim("hears nothing of the source", heard(lambda now: now.kind == BOTH and now.moves[4:, :4].max() < 1e-9)),
        Claim(
            "the way from it is cut",
            heard(lambda now: now.kind == BOTH and now.moves[4:, :4].max() < 1e-9 and "cross" in now.opened),
        ),
        Claim("one triangle", heard(lambda now: now.kind == DECODER and later(now) < 1e-9)),
        Claim("a full square", heard(lambda now: now.kind == DECODER and later(now) > 1e-9)),
        Claim("without its mask", heard(lambda now: now.kind == BOTH and later(now) > 1e-9)),
        Claim(
            "and the mask hides",
            heard(
                lambda now: (
                    now.opened == "decoder: self-attention" and now.kind in (BOTH, DECODER) and later(now) < 1e-9
                )
            ),
        ),
        Claim(
            "Every token hears every other", heard(lambda now: now.kind == "encoder alone" and now.moves.min() > 1e-9)
        ),
        Claim("The memory is cut off", lambda now: not heard_now(now) and now.kind == BOTH and not now.memory),
        Claim("No mask", lambda now: not heard_now(now) and now.kind != "encoder alone" and not now.causal),
    ]
}
