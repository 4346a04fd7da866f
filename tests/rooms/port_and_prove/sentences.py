"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

ALSO = {"explore_port": lambda now: [3.1]}  # Llama 3.1
