"""A page of numbers to judge: click the one that you distrust, or call the page sound. What two explorers share."""

import numpy as np

from helpers.explorers.controls import choose, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Touch

NONE = "none yet"
ASK = "Click the number that you distrust. Or is nothing here off?"


def judge_pages(compute, show, say, page, shape, **more):
    """Make the explorer: `shown` must hold "printed". A verdict belongs to its page.

    Parameters
    ----------
    compute, show, say : as in `Explorer`; the controls are page, number, sound and `more`
    page : the control that chooses a page
    shape : (num_rows, num_columns), of the largest page
    more : further controls of the verdict
    """
    places = [(f"row {i + 1}, column {j + 1}", (i, j)) for i, j in np.ndindex(*shape)]
    verdict = {
        "number": stops("the number you distrust", [(NONE, NONE), *places], NONE),
        "sound": choose("is the page sound?", {"not judged": False, "nothing here is off": True}, False),
        **more,
    }
    made = explorer(
        compute,
        show,
        say,
        touch={"printed": Touch(lambda now, i, j: {"number": (i, j), "sound": False}, lambda now, i, j: "distrust it")},
        folded=["number"],
        page=page,
        **verdict,
    )
    blank = {name: control.value for name, control in verdict.items()}
    page.observe(lambda _change: made.set(**blank), "value")
    return made


def found(number, sound, printed, off):
    """1 = judged rightly, -1 wrongly, 0 not yet; `off` is True where a number cannot be right."""
    if sound:
        return np.array(-1 if off.any() else 1)
    return np.array(0 if not _on_page(number, printed) else 1 if off[number] else -1)


def marks(now, off):
    """What is outlined: the number that is distrusted, and once the page is judged rightly all that are off."""
    if now.found == 1:
        return {(int(i), int(j)): "factor" for i, j in np.argwhere(off)}
    return {now.number: "result"} if _on_page(now.number, now.printed) and not now.sound else {}


def _on_page(number, printed):
    """Whether a number is chosen that stands there: pages differ in size."""
    return number != NONE and number[0] < printed.shape[0] and number[1] < printed.shape[1]
