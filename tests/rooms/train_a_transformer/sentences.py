"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

import re

from rooms.shared import dates
from tests.sentences import Claim

ALSO = {
    "explore_ablation": lambda now: digits("21 nov 2026", dates.to_text(now.numbers)),  # a date, and what becomes of it
    "explore_decoding": lambda now: [dates.FIRST.year, dates.LAST.year],
}
CLAIMS = {
    "explore_ablation": [
        Claim("With nothing switched off", lambda now: now.off == "nothing"),
        Claim(r"becomes (\d+-\d+-\d+)", lambda now: now.said[1] == dates.to_text(now.numbers), always=False),
    ],
    "explore_decoding": [
        Claim("is in none of the ten styles|this is no day", lambda now: dates.read(now.text) is None),
        Claim(
            r"Letter \d+ is '(.)'", lambda now: now.said[1] == dates.to_text(now.numbers)[now.place - 1], always=False
        ),
    ],
}


def digits(*texts):
    return [int(each) for text in texts for each in re.findall(r"\d+", text)]
