"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

ALSO = {
    "explore_depth": lambda now: [20],  # stacks that are drawn
}
SILENT = {
    "explore_depth": {"drawn": "the sentence tells all three curves, whichever is drawn"},
}
CLAIMS = {}
