"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import re

import numpy as np

from rooms.shared import words
from tests.sentences import Claim

NAMES = list(words.she_sentences().table)


def named(now, sign):
    """Whether the words that are named, each with its number, are all that the neuron lights up for, or takes from."""
    told = {name: float(number.replace("−", "-")) for name, number in re.findall(r"(\w+) \(([^)]+)\)", now.said[1])}
    return told == {name: light for name, light in zip(NAMES, now.lights) if sign * light > 0}


ALSO = {
    "explore_depth": lambda now: [20],  # stacks that are drawn
}
SILENT = {
    "explore_depth": {"drawn": "the sentence tells all three curves, whichever is drawn"},
    "explore_neuron": {"goal": "the light under the picture says it"},
}
CLAIMS = {
    "explore_neuron": [
        Claim("lights up for (.*?)(?:;|, and leaves|\\.$)", lambda now: named(now, 1)),
        Claim("lights up for no word", lambda now: (now.lights <= 0).all()),
        Claim(
            "takes something away from (.*)\\.$",
            lambda now: (now.lights < 0).any() and (not now.said or named(now, -1)),
        ),
        Claim("leaves the others alone", lambda now: (now.lights > 0).any() and np.min(now.lights) == 0),
    ]
}
