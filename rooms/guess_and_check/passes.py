"""The passes in which a text is written when guesses are checked, from what the model said at every place: served.Written."""

import functools
from typing import NamedTuple

import numpy as np

from rooms.shared import served

SHOWN = ["a copied text", "code", "an answer"]  # in the picture, and below an answer


class Pass(NamedTuple):
    """begin : how many new tokens there were before; source : the place in the whole text from which the guess is copied, or None;
    draft : the tokens guessed; says : what the model says after 0, 1, 2 … of them; kept : what is written, the model's own token
    last where the text goes on so far"""

    begin: int
    source: int | None
    draft: list
    says: list
    kept: list

    @property
    def right(self):
        """How many of the guesses are kept."""
        return sum(guess == token for guess, token in zip(self.draft, self.kept))


def right_beginning(draft, says):
    """The guesses up to the first wrong one, and the model's own token there.

    Examples
    --------
    >>> right_beginning(["cat", "sat", "on"], ["cat", "sat", "by", "a"])
    ['cat', 'sat', 'by']
    """
    right = next((k for k, guess in enumerate(draft) if guess != says[k]), len(draft))
    return [*draft[:right], says[right]]


@functools.cache
def passes(text, k):
    """All passes of one of the texts where k tokens are guessed, and none beyond its end: list of Pass."""
    written, found, begin = served.load(text), [], 0
    while left := len(written.says) - begin:
        draft, says = guessed(written, begin, min(k, left))
        kept = right_beginning(draft, says)[:left]
        source = served.seen_before(written.ids[: written.begin + begin])
        found.append(Pass(begin, source, draft, says, kept))
        begin += len(kept)
    return found


def guessed(written, begin, k):
    """What is guessed after so many new tokens, and what the model says to it."""
    draft = served.look_up(written.ids[: written.begin + begin], k)
    return draft, written.says[begin, : len(draft) + 1].tolist()


def speed_up(text, k, seconds):
    """How many times as fast the text is written.

    Parameters
    ----------
    seconds : function(tokens in a pass, a number or an array of them) -> how long each pass takes, as many
    """
    rows = np.array([len(each.draft) + 1 for each in passes(text, k)])
    return len(served.load(text).says) * seconds(1) / seconds(rows).sum()


def write(text, k, keep):
    """Write one of the texts with somebody's `keep`: one sentence on how many passes it takes, and where the text becomes another."""
    written, begin, count = served.load(text), 0, 0
    wanted, names = written.ids[written.begin :], sorted({*written.ids, *written.says.ravel().tolist()} - {-1})
    number = {token: k for k, token in enumerate(names)}
    while begin < len(wanted):
        draft, says = guessed(written, begin, k)
        logits = np.eye(len(names))[[number[token] for token in says]]
        kept = [names[int(token)] for token in keep([number[token] for token in draft], logits)]
        count += 1
        if not kept:
            return f"{text}: it stands still after {begin} tokens, for a pass writes nothing"
        right = next((k for k, (one, other) in enumerate(zip(kept, wanted[begin:])) if one != other), None)
        if right is not None:
            return f"{text}: token {begin + right} is another one, {said(kept[right])} and not {said(wanted[begin + right])}"
        begin += len(kept)
    return f"{text}: {len(wanted)} tokens in {count} passes, {len(wanted) / count:.1f} a pass"


def said(token):
    """One token in quotation marks, its line breaks visible."""
    return f"“{served.spoken([token])[0]}”".replace("\n", "⏎")
