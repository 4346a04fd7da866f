"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

SILENT = {"explore_router": {"groups": "the word that is followed has its experts in the open groups anyway"}}
