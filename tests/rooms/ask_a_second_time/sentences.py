"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import re

import numpy as np

from rooms.shared import watch, words
from tests.sentences import Claim

NAMES = list(words.she_sentences().table)


def named(now, sign):
    """Whether the words that are named, each with its number, are all that the neuron lights up for, or takes from."""
    told = {name: float(number.replace("−", "-")) for name, number in re.findall(r"(\w+) \(([^)]+)\)", now.said[1])}
    return told == {name: light for name, light in zip(NAMES, now.lights) if sign * light > 0}


def she_is(name, now):
    """Whether a thing is followed that is worn, by way of two layers, and She has found this name in the first."""
    known = now.floors[1, watch.text()[0].index("She"), watch.FEATURES.index(f"is {name}")] > 0.9
    return worn(now) and len(now.floors) == 3 and known


def worn(now):
    return now.floors[0, now.word, watch.WORN] == 1


CLAIMS = {
    "explore_neuron": [
        Claim("lights up for (.*?)(?:;|, and leaves|\\.$)", lambda now: named(now, 1)),
        Claim("lights up for no word", lambda now: (now.lights <= 0).all()),
        Claim(
            "takes something away from (.*)\\.$",
            lambda now: (now.lights < 0).any() and (not now.said or named(now, -1)),
        ),
        Claim("leaves the others alone", lambda now: (now.lights > 0).any() and np.min(now.lights) == 0),
    ],
    "explore_two_layers": [
        Claim("don't know yet who they are", lambda now: worn(now) and len(now.floors) == 2),
        Claim("it is Sarah's", lambda now: she_is("Sarah", now)),
        Claim("it is Alex's", lambda now: she_is("Alex", now)),
        Claim("finds out who it is", lambda now: watch.text()[0][now.word] in ("her", "She")),
        Claim("asks for nothing", lambda now: now.weights[-1, now.word, 0] > 0.9),
        Claim("Alex walks", lambda now: now.floors[0, 1, watch.IS_ALEX] == 1),
    ],
}
