"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

from rooms.hunt_the_bugs import specimens

ALSO = {"explore_hiding_examples": lambda now: [(~(now.differences < specimens.SMALLEST_GAP)).sum()]}
SILENT = {
    "explore_hiding_examples": {"two_heads": "as many mistakes are caught", "thousands": "as many mistakes are caught"}
}
