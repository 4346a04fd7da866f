"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

SILENT = {"explore_binding": {"strength": "the weights are as good as 0 and ½ before, and so they stay"}}
