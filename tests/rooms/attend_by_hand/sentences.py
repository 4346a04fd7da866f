"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

SILENT = {"explore_three_tokens": {"cell": "no numbers are shown at first, and all cells of a row follow one output"}}
