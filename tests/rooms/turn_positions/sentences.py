"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim

CLAIMS = {
    "explore_rotation": [
        Claim("At the same position", lambda now: now.key_at == now.query_at),
        Claim("one turned", lambda now: abs(now.key_at - now.query_at) * now.step > 180),
    ],
    "explore_reach": [
        Claim("It never falls below ½", lambda now: now.scores.min() >= 0.5),
        Claim("It first falls below ½", lambda now: now.scores.min() < 0.5),
        Claim(r"below ½ at distance (\d+)", lambda now: int(now.said[1]) == (now.scores < 0.5).argmax(), always=False),
    ],
}
