"""What lessons still have to mend. Each line makes a test expect the fault; a line that is no longer true fails: delete it."""

import pytest

LATE = {  # the first explorer stands behind the first third of the page
}
CONTRADICTS = {  # a cell that is run again after those below it says something else
}
TOO_WIDE = {  # an output that scrolls sideways on a laptop
}


def expected(faults, stem):
    """The mark of a test for the lesson of that file name: none, or that its fault is known."""
    why = faults.get(stem[:2])
    return [pytest.mark.xfail(strict=True, reason=f"{why} (tests/known_faults.py)")] if why else []
