"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim

CLAIMS = {
    "explore_cache": [
        Claim("computed with a cache", lambda now: now.cached),
        Claim("computed without a cache", lambda now: not now.cached),
        Claim("; without it|; with it", lambda now: now.computed.any()),
    ]
}
