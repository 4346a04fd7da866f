"""The explorers that are measured are there, with the sliders that are moved; how fast they are is measured elsewhere."""

import pytest

from helpers.explorers.engine import Explorer
from tests import benchmarks

CELLS = {"matrices": (benchmarks.MATRICES_8_BY_8, "number"), **benchmarks.FIGURES}


@pytest.mark.parametrize("what", CELLS)
def test_measured_cell_has_the_slider_that_is_moved(what):
    cell, label = CELLS[what]
    *lines, last = cell.strip().split("\nexplorers.")
    space = {}
    exec("\n".join(lines), space)
    explorer = eval(f"explorers.{last}", space)
    assert isinstance(explorer, Explorer)
    assert label in [control.description for control in explorer.controls.values()]
