"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from helpers import broken
from tests.sentences import Claim

WAYS = list(broken.WAYS)


def cost(now):
    return now.surprise[WAYS.index(now.way)]


CLAIMS = {
    "explore_your_code": [
        Claim("none of them yours", lambda now: now.everything and not len(now.yours)),
        Claim("functions together have", lambda now: now.everything),
    ],
    "explore_broken_model": [
        Claim("no number any more", lambda now: np.isnan(cost(now))),
        Claim("Nothing is broken", lambda now: now.way == "whole"),
        Claim(" is out\\.", lambda now: now.way.startswith("without")),
        Claim(" has a slip\\.", lambda now: now.way.startswith("wrong")),
        Claim("are still those of the whole model", lambda now: now.way != "whole" and now.same > 1),
    ],
}
