"""What the sentences of this lesson's explorers may say, and what they claim: see tests/sentences.py."""

from helpers.models import configurations
from tests.sentences import Claim

CLAIMS = {
    "explore_configurations": [
        Claim(
            "keys and values of all tokens|short vectors of all tokens", lambda now: keeps_all(now) and reads_all(now)
        ),
        Claim("of all ([\\d,]+) tokens that it can read", lambda now: keeps_all(now) and not reads_all(now)),
        Claim("those of its newest tokens", lambda now: kind(now) == "window"),
        Claim("a state that never grows", lambda now: kind(now) == "state"),
        Claim(", up to ([\\d,]+) tokens", lambda now: now.tokens >= configurations.most_tokens(now.model)),
    ]
}


def kind(now):
    kinds = configurations.layer_kinds(now.model)
    return kinds[min(now.layer, len(kinds)) - 1]


def keeps_all(now):
    return kind(now) in ("whole", "latent")


def reads_all(now):
    return now.tokens <= configurations.most_tokens(now.model)


def counts(now):
    """How many layers of each kind there are, how many numbers a token meets, how long a text the model reads, and what the
    chosen layer keeps."""
    kinds = configurations.layer_kinds(now.model)
    most = configurations.most_tokens(now.model)
    row = configurations.names().index(now.model)
    kept = now.kept[row, min(now.layer, len(kinds)) - 1]
    return [*map(kinds.count, set(kinds)), configurations.count_met(now.model), most, kept]


ALSO = {"explore_configurations": counts}
