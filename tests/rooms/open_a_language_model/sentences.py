"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from rooms.shared import model_readings
from tests import driving
from tests.sentences import Claim


def stored(now):
    return model_readings.find(now.text)


def off(now):
    return model_readings.heads(now.off.replace("none", ""))


def read(now):
    """What the heads did while those were off, or with all heads on where it is not stored."""
    text = stored(now)
    return text if not off(now) else model_readings.reread(text.name, off(now)) or text


def is_of_this_reading(now):
    """Whether maps, row and scores are those of a reading with just these heads off."""
    same = np.array_equal(now.maps, read(now).weights) and np.array_equal(now.weights, now.maps[now.layer, now.head])
    return same and (not off(now) or read(now) is not stored(now))


def named(now):
    return now.said[1] == f"{len(off(now))} heads" or model_readings.heads(now.said[1]) == off(now)


def is_so_far_ahead(now):
    return driving.says(now.said[1], abs(now.start + now.attention.sum() + now.feed_forward.sum()))


CLAIMS = {
    "explore_head_wall": [
        Claim("^Layer", is_of_this_reading),
        Claim("^With all heads on, layer", lambda now: off(now) and np.array_equal(now.maps, stored(now).weights)),
        Claim(
            "adds nothing, because it is off", lambda now: (now.layer, now.head) in off(now) and is_of_this_reading(now)
        ),
        Claim(", with all heads [\\d.]+\\.$", lambda now: off(now)),
        Claim(r"Without (.+?) (?:the text|the second)", named, always=False),
    ],
    "explore_residual_stream": [
        Claim("Mary is ahead", lambda now: now.start + now.attention.sum() + now.feed_forward.sum() > 0),
        Claim("John is ahead", lambda now: now.start + now.attention.sum() + now.feed_forward.sum() < 0),
        Claim(r"ahead by (\d+\.\d+)", is_so_far_ahead, always=False),
    ],
}
