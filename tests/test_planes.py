"""In a plane of vectors a step up is as long as a step across, on a wide page and on a phone: angles and lengths are true."""

import pytest

from helpers import explorers, language_model
from workbench.pictures import plane

SKETCHED = {
    "explore_lookup",
    "explore_three_tokens",
    "explore_wrong_turns",
    "explore_projections",
    "explore_steer",
    "explore_learning",
}
CLOCKS = {"explore_rotation"}  # hands that are drawn in axes, without a grid


@pytest.fixture
def sketched(monkeypatch):
    """The axes of all planes that are drawn, by the explorer that draws them."""
    found, sketch = [], plane.Axes.sketch
    monkeypatch.setattr(plane.Axes, "sketch", lambda axes, *room: found.append(axes) or sketch(axes, *room))
    monkeypatch.setattr(language_model, "find", lambda: None)
    return found


@pytest.mark.parametrize("name", sorted(SKETCHED))
def test_every_plane_of_vectors_has_one_unit(name, sketched):
    getattr(explorers, name)()
    assert sketched
    for axes in sketched:
        across, up = axes.units
        assert up == pytest.approx(across, rel=1e-9), f"a step across is {across:.1f} pixels, one up {up:.1f}"


def test_no_other_explorer_draws_a_plane(sketched):
    names = {name for name in dir(explorers) if name.startswith("explore_")}
    rooms = {explorers.MODULE_OF[name] for name in SKETCHED}
    for name in sorted(names - SKETCHED):
        if explorers.MODULE_OF[name] in rooms:
            getattr(explorers, name)()
            assert not sketched, f"{name} belongs into the list"


@pytest.mark.parametrize("name", sorted(CLOCKS))
def test_clocks_are_round(name):
    for each in getattr(explorers, name)()._planes.values():
        for axes in filter(None, (each.axes, each.axes.narrow)):
            assert axes.units[0] == pytest.approx(axes.units[1])


def test_the_plane_of_lesson_02_grows_when_a_token_is_pulled_out(sketched):
    explorer = explorers.explore_three_tokens()
    plane_of = explorer._planes["plane"]
    first = {axes.x for axes in sketched}
    for _ in range(20):  # a hand that pulls token 1 to the right and waits there
        explorer.set(**plane_of.set(explorer._now, 1.436, -0.1, 0))
    assert explorer._now.X[0].tolist() == [3, 0] and "token 1 [" not in explorer._view.value, (
        "a point, not a label at the edge"
    )
    for axes in sketched[-2:]:
        assert axes.x[0] < 3 < axes.x[1] and axes.units[0] == pytest.approx(axes.units[1])
    X = explorer._now.X.copy()
    X[0] = 1, 0
    explorer.set(X=X)
    assert {axes.x for axes in sketched[-2:]} == first, "and comes back"
