"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import numpy as np

ALSO = {  # how long the wave of the chosen dimension is
    "explore_encoding": lambda now: [2 * np.pi * now.base ** (2 * (int(now.picked[1]) // 2) / now.d_model)]
}
