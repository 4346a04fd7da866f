"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

ALSO = {
    "explore_resting": lambda now: [1 / len(now.row)],  # equal shares
    "explore_sink": lambda now: [
        1 - now.sum,
        now.output.item() / now.sum,
    ],  # what the sink takes, and the output without it
}
