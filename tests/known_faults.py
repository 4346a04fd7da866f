"""What lessons still have to mend. Each line makes a test expect the fault; a line that is no longer true fails: delete it."""

import pytest

LATE = dict.fromkeys(  # the first explorer stands behind the first third of the page
    ["18", "19"],
    "the first explorer comes late",
)
CONTRADICTS = {  # a cell that is run again after those below it says something else
}
TOO_WIDE = {  # an output that scrolls sideways on a laptop
    "18": "the maps of all heads, the running text",
}


def expected(faults, stem):
    """The mark of a test for the lesson of that file name: none, or that its fault is known."""
    why = faults.get(stem[:2])
    return [pytest.mark.xfail(strict=True, reason=f"{why} (tests/known_faults.py)")] if why else []
