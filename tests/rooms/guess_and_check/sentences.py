"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from rooms.guess_and_check.passes import SHOWN, passes
from tests.sentences import Claim


def looked_into(now):
    found = passes(SHOWN[now.text], now.k)
    number = min(now.number, len(found) - 1)
    return number, found[number]


CLAIMS = {"explore_guesses": [Claim("guesses nothing", lambda now: not looked_into(now)[1].draft)]}
