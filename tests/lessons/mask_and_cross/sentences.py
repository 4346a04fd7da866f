"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

SILENT = {"explore_cross": {"asks": "another letter is followed in the tables; how many weights there are stays"}}
