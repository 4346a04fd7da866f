"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from rooms.shared import dates
from rooms.train_a_transformer import growing
from tests.sentences import Claim

CLAIMS = {
    "explore_ablation": [
        Claim("With nothing switched off", lambda now: now.off == "nothing"),
        Claim(r"becomes (\d+-\d+-\d+)", lambda now: now.said[1] == dates.to_text(now.numbers), always=False),
    ],
    "explore_training": [
        Claim(
            r"(\d+) are right in all",
            lambda now: int(now.said[1]) == now.right[growing.ROWS.index(now.step)],
            always=False,
        ),
        Claim(
            r"Position (\d) is right in (\d+)",
            lambda now: int(now.said[2]) == now.letters[int(now.said[1])],
            always=False,
        ),
        Claim("Each of the ten letters", lambda now: now.letters.min() == now.letters.max()),
    ],
    "explore_decoding": [
        Claim("is in none of the ten styles|this is no day", lambda now: dates.read(now.text) is None),
        Claim(
            r"Position \d+ gets '(.)'", lambda now: now.said[1] == dates.to_text(now.numbers)[now.place], always=False
        ),
    ],
}
