"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim

CLAIMS = {
    "explore_window_reach": [
        Claim("windows alone", lambda now: not 1 <= now.whole <= now.layers),
        Claim("one layer without a window", lambda now: 1 <= now.whole <= now.layers),
    ]
}
