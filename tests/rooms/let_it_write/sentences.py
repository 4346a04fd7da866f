"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

ALSO = {
    "explore_writing": lambda now: (
        [] if now.head is None or now.head == "all" else [float(f"{now.head[0]}.{now.head[1]}")]
    ),
}
