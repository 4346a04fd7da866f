"""One scale for weights: the same weight is equally wide in every picture that draws one, and twice the weight twice as wide."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from helpers import explorers, language_model
from rooms.shared import arcs, ribbons
from workbench.pictures.svg import Drawing

ROOT = Path(__file__).parents[1]
WEIGHTS = {  # explorers that draw weights by width -> the arrays that hold what they draw
    "explore_she": ["weights"],
    "explore_real_head": ["weights"],
    "explore_ask_for_b": ["weights"],
    "explore_three_tokens": ["weights"],
    "explore_similar_words": ["weights"],
    "explore_question": ["weights", "output"],
    "explore_projections": ["weights"],
    "explore_places": ["weights"],
    "explore_shuffle": ["shuffled_weights"],
    "explore_binding": ["weights"],
    "explore_steer": ["weights"],
    "explore_two_layers": ["weights"],
    "explore_translation": ["weights"],
    "explore_decoding": ["heads"],
    "explore_two_heads": ["back", "weights"],
    "explore_copying": ["weights"],
    "explore_learning": ["weights", "before"],
    "explore_attention": ["weights"],
    "explore_own_text": ["weights"],
    "explore_two_answers": ["weights"],
    "explore_router": ["shares"],
}


@pytest.fixture(autouse=True)
def no_real_model(monkeypatch):
    monkeypatch.setattr(language_model, "find", lambda: None)


def widths(markup):
    """Pixels of all ribbons."""
    drawn = re.findall(r'<(?:path|line) [^>]*class="ribbon"[^>]*>', markup)
    return np.array([float(re.search(r'stroke-width="([\d.]+)"', each)[1]) for each in drawn])


def pages(markup):
    """What a wide page shows, and a narrow one."""
    return [
        re.sub(rf'<div class="only-{other}">.*?</div>', "", markup, flags=re.DOTALL) for other in ("narrow", "wide")
    ]


@pytest.mark.parametrize("name", WEIGHTS)
def test_the_same_weight_is_as_wide_in_every_picture(name):
    explorer = getattr(explorers, name)()
    known = np.concatenate([np.abs(np.ravel(explorer.shown[each])) for each in WEIGHTS[name]])
    for page in pages(explorer._view.value):
        drawn = widths(page)
        assert len(drawn), "it draws no ribbon"
        for wide in drawn[drawn > 0]:
            assert np.abs(known * ribbons.WHOLE - wide).min() < 0.006, f"{wide} pixels are no weight of {name}"


def test_what_is_drawn_as_a_ribbon_stands_in_the_list():
    calls = re.compile(r"\bribbons\.(arches|fan|line|look|over)\(|\barcs\(|\btwo_texts\(|columns\.flows\(")
    rooms = {path.parent.name for path in (ROOT / "rooms").rglob("*.py") if calls.search(path.read_text("utf-8"))}
    listed = {explorers.MODULE_OF[name].split(".")[1] for name in WEIGHTS}
    assert rooms - {"shared"} == listed


def test_no_picture_has_a_width_of_its_own_for_weights():
    for path in (ROOT / "rooms").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = [each for each in getattr(node, "keywords", []) if each.arg in ("stroke_width", "width")]
            for each in named if path.name != "ribbons.py" else ():
                inside = {part.id for part in ast.walk(each.value) if isinstance(part, ast.Name)}
                assert not inside & {"weight", "weights"}, (
                    f"{path.name}:{node.lineno}: rooms/shared/ribbons.py has the scale"
                )


def test_twice_the_weight_is_twice_as_wide_and_the_ink_of_a_row_never_changes():
    words, rows = list("abcdefghijklmnopqrst"), [np.full(20, 0.05), np.eye(20)[3], np.r_[0.5, 0.25, 0.25, np.zeros(17)]]
    for row in rows:
        for page in pages(arcs.arcs(words, row, 10).html):
            drawn = re.findall(r'<path [^>]*class="ribbon"[^>]*>', page)
            total = sum(float(re.search(r'stroke-width="([\d.]+)"', each)[1]) for each in drawn)
            assert total == pytest.approx(ribbons.WHOLE, abs=0.05)
    assert ribbons.width(0.4) == 2 * ribbons.width(0.2) and ribbons.width(0.01) == 0
    assert ribbons.shade(0.4) == 2 * ribbons.shade(0.2) and ribbons.shade(1.0) == ribbons.DEEPEST


@pytest.mark.parametrize("chosen", [0, 7, 19])
def test_ribbons_leave_the_foot_side_by_side_the_farther_ones_inside(chosen):
    drawing, row = Drawing(800, 200), np.random.default_rng(0).dirichlet(np.ones(20))
    ribbons.arches(drawing, [40 * k for k in range(20)], row, chosen, 150, lambda apart: apart / 3)
    starts = {}
    for path in drawing.root:
        numbers = [float(each) for each in re.findall(r"-?[\d.]+", path.get("d"))]
        if " A " in path.get("d"):
            starts[round(numbers[-2] / 40)] = numbers[0]
            assert numbers[2] <= abs(numbers[-2] - numbers[0]) / 2 + 1e-9, "an arch that is too wide leans at its ends"
    left, right = ([starts[k] for k in side if k in starts] for side in (range(chosen), range(chosen + 1, 20)))
    assert left == sorted(left, reverse=True) and right == sorted(right, reverse=True), "nearest at the edge"
    assert max(left, default=-1e9) <= min(right, default=1e9)
    assert all(abs(start - 40 * chosen) <= ribbons.WHOLE / 2 for start in starts.values()), "beyond the foot"


@pytest.mark.parametrize(
    ("row", "told"), [([1, 1, 1, 0.31], "331%"), ([0.05, 0, 0.02, 0], "7%"), ([0.5, 0.3, 0.2, 0], "")]
)
def test_weights_that_are_no_shares_end_in_a_bar_beside_100_percent(row, told):
    picture = arcs.arcs(["She", "is", "here", "now"], np.array(row, dtype=float), 0).html
    assert ("100%</text>" in picture) and (not told or f">{told}</text>" in picture)
    assert ("var(--wrong" in picture) == bool(told)
