"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import numpy as np

ALSO = {
    "explore_depth": lambda now: [20],  # stacks that are drawn
    "explore_layer_norm": lambda now: [np.sqrt(now.variance + now.epsilon), now.output.std()],
}
SILENT = {"explore_depth": {"drawn": "the sentence tells all three curves, whichever is drawn"}}
