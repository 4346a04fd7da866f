"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests import driving
from tests.sentences import Claim

UNITS = {
    **{"ms": 1e-3, "seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "years": 365.25 * 86_400},
    **{"cents": 0.01, "€": 1},
}
BYTES = {"GB": 1e9, "TB": 1e12}


def is_so_much(quantity, number, unit):
    """Whether a quantity is written so, in its unit."""
    return driving.says(number, quantity / (UNITS | BYTES)[unit])


CLAIMS = {
    "explore_novel": [
        Claim(r"fetches (\S+) ([GT]B)\.", lambda now: is_so_much(now.fetched, *now.said.groups())),
        Claim(r"takes (\S+) (\w+) and costs", lambda now: is_so_much(now.seconds, *now.said.groups())),
        Claim(
            r"costs (\S+) (cents)",
            lambda now: 0.0005 <= now.euros < 1 and (not now.said or is_so_much(now.euros, *now.said.groups())),
        ),
        Claim(
            r"costs (€) (\S+)\.$",
            lambda now: now.euros >= 1 and (not now.said or is_so_much(now.euros, *now.said.groups()[::-1])),
        ),
        Claim("under 0.1 cents", lambda now: now.euros < 0.0005),
        Claim(r"To read a (\w+), ", lambda now: now.task == "read it" and (not now.said or now.said[1] == now.text)),
        Claim(
            r"about a (\w+) and to read all anew",
            lambda now: "anew" in now.task and (not now.said or now.said[1] == now.text),
        ),
        Claim(
            r"a (\w+) once and .* from a cache",
            lambda now: "cache" in now.task and (not now.said or now.said[1] == now.text),
        ),
    ],
}
