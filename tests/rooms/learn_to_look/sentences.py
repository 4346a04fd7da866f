"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim

NAMES = ["gradient descent", "SGD", "momentum", "RMSProp", "Adam"]
CLAIMS = {
    "explore_optimizers": [
        Claim(
            r"steps? at learning rate .+, (.+) is lowest",
            lambda now: named(now) == now.losses[:, now.step].argmin(),
            always=False,
        ),
        Claim(r" and (.+) highest with", lambda now: named(now) == now.losses[:, now.step].argmax(), always=False),
        Claim("Before the first step", lambda now: now.step == 0),
    ]
}


def named(now):
    return NAMES.index(now.said[1])
