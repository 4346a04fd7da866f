"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from rooms.shared import french
from rooms.stack_a_transformer.explorers import SENTENCES
from tests.sentences import Claim


def goals(now):
    return [*SENTENCES[now.sentence].french, "</s>"][: now.words]


def leaves_as_the_next(now):
    return [french.VOCABULARY[k] for k in now.says[-1]] == goals(now) and now.right.all()


def block(now, part):
    """How far something of one part of the map moves; None where no map is shown."""
    m = now.says.shape[1]
    n = len(now.moves) - m
    if n <= 0:
        return None
    later = np.triu(np.ones((m, m), bool), 1)
    return {"rectangle": now.moves[n:, :n].max(), "later": np.where(later, now.moves[n:, n:], 0).max()}[part]


CLAIMS = {
    "explore_towers": [
        Claim("Every column comes in", lambda now: leaves_as_the_next(now) and now.off == "nothing"),
        Claim(
            "The way from the memory is cut", lambda now: now.off == "cross-attention" and not block(now, "rectangle")
        ),
        Claim(
            "The mask is lifted", lambda now: now.off == "causal mask" and (now.words == 1 or block(now, "later") != 0)
        ),
        Claim("la petite souris rouge ne tombe pas", lambda now: now.off == "cross-attention" and now.words > 7),
        Claim(", 0 come out right", lambda now: not now.right.any()),
    ]
}
