"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

from tests.sentences import Claim

ALSO = {
    "explore_cost": lambda now: [6 if now.feed_forward else 2]
}  # with four projections, and with a network of 8 N D²
CLAIMS = {
    "explore_cost": [
        Claim("At N = 6D", lambda now: now.feed_forward),
        Claim("At N = 2D", lambda now: not now.feed_forward),
    ]
}
SILENT = {
    "explore_cost": {"num_heads": "heads change the bytes of the maps, which the picture tells, and no multiplication"}
}
