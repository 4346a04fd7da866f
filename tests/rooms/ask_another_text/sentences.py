"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from rooms.shared import french
from tests.sentences import Claim

READ = french.sentences()  # in its training


def told(now):
    """The sentence in both languages, as the grammar has it."""
    return french.sentence(now.noun, "little" if now.little else "", now.colour, "falls", now.negated)


def looks(now):
    """Whether it is the word that is written next, and whether the head that is chosen looks most there."""
    row = now.heads[now.head][now.chosen]
    return now.said[1] == told(now).french[now.chosen] and now.said[2] == told(now).english[row.argmax()]


def never_read(now):
    """No sentence that the model is trained on has both words, and where that is said they are these two."""
    pair = now.colour or "the", now.noun
    return not any(set(pair) <= set(each.english) for each in READ) and (not now.said or now.said.groups() == pair)


CLAIMS = {
    "explore_translation": [
        Claim(r"Before the model writes (\w+), head \d looks most at (\w+), with", looks),
        Claim("head 0 looks", lambda now: now.head == 0),
        Claim("head 1 looks", lambda now: now.head == 1),
        Claim(r"never met a (\w+) (\w+)", never_read),
    ]
}
