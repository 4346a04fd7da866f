"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

import numpy as np

from rooms.read_a_model import configurations, model_lines
from tests.sentences import Claim

CLAIMS = {
    "explore_configurations": [
        Claim(
            "keys and values of all tokens|short vectors of all tokens", lambda now: keeps_all(now) and reads_all(now)
        ),
        Claim("of all ([\\d,]+) tokens that it can read", lambda now: keeps_all(now) and not reads_all(now)),
        Claim("those of its newest tokens", lambda now: kind(now) == "window"),
        Claim("a state that never grows", lambda now: kind(now) == "state"),
    ],
    "explore_model_lines": [
        Claim("every largest one still agrees", lambda now: without(now)[1] == len(model_lines.IDS)),
        Claim(r"by at most (\S+?)[.,]", lambda now: of_ten(now.said[1]) >= now.gap),
        Claim(
            "Without “(.*)” (?:the code|logits)",
            lambda now: now.open >= 0 and (not now.said or now.said[1] == added(now)[now.open].words),
        ),
        Claim("off by up to", lambda now: 0 < without(now)[0] < np.inf),
        Claim("the code stops", lambda now: np.isinf(without(now)[0])),
        Claim("no message says so", lambda now: now.added > 0 and 0 < without(now)[1] < len(model_lines.IDS)),
        Claim("It adds no line", lambda now: now.added == 0),
    ],
    "explore_own_configuration": [
        Claim("as they are", lambda now: now.added == 0),
        Claim(
            r"lines and (\d+) additions?\.",
            lambda now: now.added > 0 and (not now.said or int(now.said[1]) == now.added),
        ),
        Claim("1 addition\\.", lambda now: now.added == 1),
    ],
}


def of_ten(told):
    """A number that is told as a digit and a power of ten."""
    digit, power = told.split("·10")
    return float(f"{digit}e{power.translate(str.maketrans('⁰¹²³⁴⁵⁶⁷⁸⁹⁻', '0123456789-'))}")


def kind(now):
    kinds = configurations.layer_kinds(now.model)
    return kinds[min(now.layer, len(kinds)) - 1]


def keeps_all(now):
    return kind(now) in ("whole", "latent")


def reads_all(now):
    return now.tokens <= configurations.most_tokens(now.model)


def added(now):
    return model_lines.additions(model_lines.MODELS[now.model])


def without(now):
    return now.without[int(now.open)] if len(now.without) else (0.0, 0)
