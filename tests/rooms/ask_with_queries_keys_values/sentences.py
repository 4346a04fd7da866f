"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

SILENT = {
    "explore_question": {
        "swapped": "Sarah stands elsewhere, and gets what she got before",
        "matrix": "W_Q and the scores are written out, and nothing moves",
    }
}
