"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from helpers.learning import small_models
from tests.sentences import Claim


def in_words(head):
    return float(f"{head[0]}.{head[1]}")


def asking(now):
    """The letters after the start token, which of them asks, and its row."""
    tokens = "•" + now.string.strip().upper()
    place = min(now.place, len(tokens) - 1)
    return tokens, place, now.weights[place]


def finds(now):
    """Whether the second head sees more of what came after its letter than of anything else."""
    tokens, place, row = asking(now)
    after = np.array([k > 0 and tokens[k - 1] == tokens[place] for k in range(place + 1)])
    return after.any() and not after.all() and row[: place + 1][after].min() > row[: place + 1][~after].max() + 1e-9


def averages(now):
    place, row = asking(now)[1:]
    return np.ptp(row[: place + 1]) < 1e-9


def ties(now):
    brought = np.sort(now.output[asking(now)[1], 1:])
    return finds(now) and brought[-1] - brought[-2] < 1e-6


def copied(now):
    """The positions of the longest round that are copied in most strings."""
    return np.flatnonzero(now.right > 0.5)


CLAIMS = {
    "explore_where_it_stops": [
        Claim(
            r"these are positions (\d+) to (\d+)",
            lambda now: copied(now).tolist() == [*range(int(now.said[1]), int(now.said[2]) + 1)],
        )
    ],
    "explore_two_heads": [
        Claim("There the second one finds", lambda now: finds(now) and not ties(now)),
        Claim("averages", averages),
        Claim("as much . as .", ties),
        Claim(
            "has not come before", lambda now: asking(now)[0][asking(now)[1]] not in asking(now)[0][: asking(now)[1]]
        ),
    ],
    "explore_copying": [
        Claim(r"Head [\d.]+ is switched off", lambda now: not now.on[now.head]),
        Claim("With all heads", lambda now: now.on.all()),
        Claim("looks most at", lambda now: now.on[now.head]),
        Claim(
            r"looks most at (.) at position (\d+)",
            lambda now: small_models.SYMBOLS[now.tokens[seen(now)]] == now.said[1] and seen(now) == int(now.said[2]),
            always=False,
        ),
    ],
    "explore_growing_heads": [
        Claim("copies most", lambda now: now.score == "induction"),
        Claim(r"Head ([\d.]+) (?:copies|looks)", lambda now: float(now.said[1]) == best(now), always=False),
    ],
}


def seen(now):
    """The position to which the chosen head gives most."""
    return now.weights[(*now.head, now.place)].argmax()


def best(now):
    scores = now.scores[list(now.steps).index(now.step)]
    return in_words(np.unravel_index(scores.argmax(), scores.shape))
