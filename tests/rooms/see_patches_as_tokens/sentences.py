"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim

CLAIMS = {
    "explore_patches": [Claim("get the same", lambda now: now.sharpness == 0)],
    "explore_patch_shuffle": [
        Claim("none has moved", lambda now: now.difference.max() < 1e-9),
        Claim("they have moved by up to", lambda now: now.difference.max() > 1e-9),
    ],
}
