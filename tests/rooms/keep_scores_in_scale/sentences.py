"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

SILENT = {"explore_scale": {"query": "the sentence gives means over all queries, and this is the one that is drawn"}}
