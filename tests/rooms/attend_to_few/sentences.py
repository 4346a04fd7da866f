"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

from tests.sentences import Claim

ALSO = {"explore_window_reach": lambda now: [16 * now.layers]}  # tokens of the picture, in every layer
CLAIMS = {
    "explore_window_reach": [
        Claim("windows alone", lambda now: not 1 <= now.whole <= now.layers),
        Claim("one layer without a window", lambda now: 1 <= now.whole <= now.layers),
    ]
}
