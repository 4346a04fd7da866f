"""What a sum says, taken apart; no number of it is -0, and negative factors stand in brackets."""

import contextlib
import math
import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from workbench.moving import sums

KNOWN = {"e": math.e, "tanh": math.tanh, "__builtins__": {}}
ARITHMETIC = re.compile(r"(?:[\d.+\-*/() ]|\be\b|\btanh\b)+")


def sides(words):
    """What a sum says: the arithmetic of its middle parts, evaluated, and the number at its end."""
    _, *middle, last = re.split(r" = ", words)
    found = []
    for part in middle:
        for said, meant in (("·", "*"), ("−", "-"), ("^", "**")):
            part = part.replace(said, meant)
        if ARITHMETIC.fullmatch(part):
            with contextlib.suppress(OverflowError):  # a power that no float holds
                found.append(eval(part, KNOWN))
    return found, last


def test_number_that_is_nearly_nothing_has_no_sign():
    assert sums.decimals(-0.0001) == "0.000" and sums.number(-0.0001) == "0"
    explorer = explorers.explore_three_tokens()
    explorer.set(numbers=True)
    for i, row in enumerate([[-2, 0], [3, 0], [-1.5, -2]], 1):
        for j, x in enumerate(row, 1):
            explorer.controls[f"X[{i}, {j}]"].value = x
    for cell in [value for _, value in explorer.controls["cell"].options]:
        explorer.set(cell=cell)
        assert "-0.000" not in explorer.text, explorer.text


@pytest.mark.everything
@pytest.mark.parametrize("name", sorted(name for name in dir(explorers) if name.startswith("explore_")))
def test_negative_factors_stand_in_brackets(name):
    explorer, rng = getattr(explorers, name)(), np.random.default_rng(3)
    for _ in range(3):
        driving.move_all(explorer, rng)
        assert not re.search(r"(?<=[\de)])[·^][-−]\d", explorer.text), explorer.text
