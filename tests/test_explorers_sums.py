"""Numbers that are clicked for their sum: the sum is told, its own numbers give what stands there, and its control does the same."""

import contextlib
import inspect
import math
import re
import zlib

import numpy as np
import pytest

from helpers import explorers, matrices
from helpers.explorers import engine, sums
from tests import driving

PICKING = [  # none is made before its test runs; tests/test_explorers.py says that the list is whole
    name
    for name in explorers.__all__
    if name.startswith("explore_") and " picks=" in inspect.getsource(getattr(explorers, name))
]
KNOWN = {"e": math.e, "tanh": math.tanh, "__builtins__": {}}
ARITHMETIC = re.compile(r"(?:[\d.+\-*/() ]|\be\b|\btanh\b)+")


def shown_name(explorer, slug):
    return next(name for name in explorer._picks if matrices.slug(name) == slug)


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


def test_there_are_such_explorers():
    assert {"explore_wrong_turns", "explore_wrong_projections"} <= set(PICKING)


@pytest.mark.parametrize("name", PICKING)
def test_a_clicked_number_tells_its_sum_and_the_sum_is_right(name):
    explorer, rng = getattr(explorers, name)(), np.random.default_rng(zlib.crc32(name.encode()))
    checked = 0
    for k in range(6):
        if k:
            driving.move_all(explorer, rng)
        explorer.set(**{engine.PICKED: ()})
        before = explorer.text
        for (slug, index), title in driving.titles(explorer).items():
            matrix = shown_name(explorer, slug)
            driving.click(explorer, matrix, *index)
            assert explorer.controls[engine.PICKED].value == (matrix, *index)
            words = title.removesuffix(", chosen")
            assert explorer.text == f"{before} {words}."
            assert driving.titles(explorer)[slug, index] == f"{words}, chosen"
            made, last = sides(words)
            there = np.ravel(explorer.shown[matrix][index[0]])[index[1] if len(index) > 1 else 0]
            if np.isfinite(there) and re.fullmatch(r"-?[\d.]+", last):
                assert float(last) == pytest.approx(there, abs=6e-3), words
                for value in made:
                    assert value == pytest.approx(there, abs=1e-2, rel=5e-3), words
                    checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", PICKING)
def test_its_control_does_what_a_click_does_and_nothing_is_said_before(name):
    clicked, moved = getattr(explorers, name)(), getattr(explorers, name)()
    assert "number to explain" not in clicked._note
    (slug, index), *_ = driving.titles(clicked)
    matrix = shown_name(clicked, slug)
    driving.click(clicked, matrix, *index)
    moved.controls[engine.PICKED].value = (matrix, *index)
    assert clicked.html == moved.html and "number to explain" in clicked._note
    driving.buttons(clicked)["Reset"].click()
    assert clicked.text == getattr(explorers, name)().text


def test_a_number_that_a_smaller_matrix_no_longer_has_is_forgotten():
    explorer = explorers.explore_wrong_projections()
    explorer.set(picked=("output", 2, 2))
    assert "output [3, 3] = " in explorer.text
    explorer.set(example="identity")  # two columns
    assert "output [3, 3]" not in explorer.text


def test_number_that_is_nearly_nothing_has_no_sign():
    assert sums.decimals(-0.0001) == "0.000" and sums.number(-0.0001) == "0"
    explorer = explorers.explore_three_tokens()
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
    with driving.unpainted():
        for _ in range(3):
            driving.move_all(explorer, rng)
            assert not re.search(r"(?<=[\de)])[·^][-−]\d", explorer.text), explorer.text
