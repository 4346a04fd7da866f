"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

ALSO = {}
