"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import numpy as np

from tests.sentences import Claim


def answers(now):
    """How many words see the one that comes next, which gets more of their weight than any other."""
    return int(np.diagonal(now.mask, 1).sum())


def blind(now):
    return [f"'{word}'" for word, row in zip(("I", "love", "dogs", "."), now.mask) if not row.any()]


ALSO = {"explore_mask": lambda now: [16, 3]}  # pairs, and words that have a next one
CLAIMS = {
    "explore_mask": [
        Claim(r"^(\d+) of 16 pairs", lambda now: int(now.said[1]) == now.mask.sum()),
        Claim(r"has (\d) of 3 next words right", lambda now: int(now.said[1]) == answers(now)),
        Claim("because it reads the answer", answers),
        Claim("has to guess", lambda now: not answers(now)),
        Claim(
            r"\. ('.*') may see nothing",
            lambda now: (
                bool(blind(now))
                and now.when == "before softmax"
                and (not now.said or now.said[1].replace(" and ", ", ").split(", ") == blind(now))
            ),
        ),
    ]
}
