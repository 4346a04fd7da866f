"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from tests.sentences import Claim


def answers(now):
    """How many words see the one that comes next, which gets more of their weight than any other."""
    return int(np.diagonal(now.mask, 1).sum())


def late(now):
    """Of each of the first three words, whether a later one changes its output: it is seen, or hidden in the sum of others."""
    after = now.when == "after softmax"
    return [bool(now.mask[k, k + 1 :].any() or (after and now.mask[k].any())) for k in range(3)]


def honest(now):
    return sum(not heard and bool(now.mask[k].any()) for k, heard in enumerate(late(now)))


def blind(now):
    return [f"'{word}'" for word, row in zip(("I", "love", "dogs", "."), now.mask) if not row.any()]


CLAIMS = {
    "explore_mask": [
        Claim(r"^(\d+) of 16 cells", lambda now: int(now.said[1]) == now.mask.sum()),
        Claim(
            r"(\d) of 3 exercises are honest",
            lambda now: answers(now) < 3 and (not now.said or int(now.said[1]) == honest(now)),
        ),
        Claim(r"in all 3 exercises the model reads the answer", lambda now: answers(now) == 3),
        Claim(
            r"In (\d) of them the model reads the answer",
            lambda now: 0 < answers(now) < 3 and (not now.said or int(now.said[1]) == answers(now)),
        ),
        Claim(
            r"In (\d) of them the answer is hidden, but a later word still gets through",
            lambda now: (
                sum(late(now)) > answers(now) and (not now.said or int(now.said[1]) == sum(late(now)) - answers(now))
            ),
        ),
        Claim(
            r"\. ('.*') may see nothing, so there is nothing to share out: 0/0",
            lambda now: (
                bool(blind(now))
                and now.when == "before softmax"
                and (not now.said or now.said[1].replace(" and ", ", ").split(", ") == blind(now))
            ),
        ),
    ]
}
