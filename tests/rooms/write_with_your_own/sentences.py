"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from helpers import broken
from tests.sentences import Claim

CLAIMS = {
    "explore_your_code": [Claim("none of them yours", lambda now: now.everything and not len(now.yours))],
    "explore_broken_model": [
        Claim("no number any more", lambda now: np.isnan(now.surprise[list(broken.WAYS).index(now.way)])),
        Claim("are still those of the whole model", lambda now: now.way != "whole" and now.same > 1),
    ],
}
