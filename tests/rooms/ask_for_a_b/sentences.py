"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import math

ALSO = {
    "explore_ask_for_b": lambda now: [1 / math.log(now.counts)] if now.counts > 1 else []
}  # the temperature of a base
