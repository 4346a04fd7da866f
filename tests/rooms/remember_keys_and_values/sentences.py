"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

from tests.sentences import Claim

ALSO = {"explore_cache_bytes": lambda now: [80e9, 8]}  # the card, and the shared heads of one of the four ways
CLAIMS = {
    "explore_cache": [
        Claim("computed with a cache", lambda now: now.cached),
        Claim("computed without a cache", lambda now: not now.cached),
        Claim("; without it|; with it", lambda now: now.computed.any()),
    ]
}
SILENT = {"explore_cache_bytes": {"texts": "how many texts fit does not depend on how many are drawn"}}
