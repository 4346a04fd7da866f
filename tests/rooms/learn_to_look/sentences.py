"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests import driving
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
    ],
    "explore_one_b": [
        Claim(r"gives it ([\d.]+%) of its weight", lambda now: driving.says(now.said[1], now.weights[-1])),
        Claim(r"at least ([\d.]+), the average ([\d.]+)\.", lambda now: are_those_of_the_curves(now)),
    ],
}


def named(now):
    return NAMES.index(now.said[1])


def are_those_of_the_curves(now):
    return all(driving.says(said, chance) for said, chance in zip(now.said.groups(), now.chances[:, now.length - 2]))
