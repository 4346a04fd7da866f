"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

from tests.sentences import Claim

ALSO = {
    "explore_cost": lambda now: [6 if now.feed_forward else 2],  # with four projections, and with a network of 8 N D²
    "explore_novel": lambda now: [
        *(now.seconds * per for per in (1e3, 1, 1 / 60, 1 / 3600, 1 / 86_400, 1 / 3.15576e7)),
        *(now.euros * 100, 0.1),  # cents, and what is too little to tell
        *(32, 500),  # layers, and tokens of an answer
    ],
}
CLAIMS = {
    "explore_cost": [
        Claim("At N = 6D", lambda now: now.feed_forward),
        Claim("At N = 2D", lambda now: not now.feed_forward),
    ]
}
SILENT = {
    "explore_cost": {"num_heads": "heads change the bytes of the maps, which the picture tells, and no multiplication"}
}
