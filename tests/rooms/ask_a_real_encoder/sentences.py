"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim


def _count(now):
    return now.counts[now.layer, now.head] - len(now.differences) / 2


def _spread(now):
    return len(now.differences) ** 0.5  # two standard deviations of a coin


CLAIMS = {
    "explore_two_answers": [
        Claim("Both heads agree", lambda now: len(set(now.weights.argmax(axis=1))) == 1),
        Claim("The two heads disagree", lambda now: len(set(now.weights.argmax(axis=1))) == 2),
    ],
    "explore_many_sentences": [
        Claim("as a coin might", lambda now: abs(_count(now)) <= _spread(now)),
        Claim("more often than a coin would", lambda now: _count(now) > _spread(now)),
        Claim("less often than a coin would", lambda now: _count(now) < -_spread(now)),
    ],
}
