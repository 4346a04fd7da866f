"""What the sentences of this lesson's explorers claim: see tests/sentences.py."""

from tests.sentences import Claim

CLAIMS = {
    "explore_pages": [
        Claim("no page is in two tables", lambda now: not both(now)),
        Claim(
            r"(\d) pages? (?:is|are) in both tables",
            lambda now: both(now) and (not now.said or int(now.said[1]) == both(now)),
        ),
    ],
}


def both(now):
    return 0 if now.left else len({*now.table_A.tolist()} & {*now.table_B.tolist()})
