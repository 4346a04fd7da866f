"""Pictures answer the hand: what a touch does, a control does; places, strokes, planes and sums, without a browser."""

import functools
import gc
import re
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import explorers
from tests import driving, test_explorers_sums
from workbench import matrices
from workbench.moving import engine, hand, living, touch
from workbench.moving.controls import SwitchGrid, number_field, slider, stops
from workbench.moving.touch import Paint, Plane, Sum, Swap, Touch
from workbench.pictures.plane import Axes

EXPLORERS = sorted(name for name in dir(explorers) if name.startswith("explore_"))


def table(**options):
    """Two numbers by three, and the one that is chosen."""
    places = [(f"{i}, {j}", (i, j)) for i in range(2) for j in range(3)]
    return explorers.explorer(
        lambda at: {"X": np.arange(6.0).reshape(2, 3), "chosen number": np.arange(6.0).reshape(2, 3)[at]},
        lambda now: [[now.table("X")]],
        lambda now: f"{now['chosen number']:.0f}",
        touch={"X": Touch(lambda now, i, j: {"at": (i, j)}, lambda now, i, j: f"choose {now.X[i, j]:.0f}")},
        at=stops("at", places, (0, 0)),
        **options,
    )


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [(0, 2), (1, 0), (1, 2)])
def test_a_click_on_a_cell_does_what_its_control_does(index):
    clicked, moved = table(), table()
    driving.click(clicked, "X", *index)
    moved.controls["at"].value = index
    assert clicked.controls["at"].value == index
    assert clicked.html == moved.html and clicked.text == f"{3 * index[0] + index[1]}"


def test_each_cell_says_what_it_does_and_the_chosen_one_that_it_is_chosen():
    explorer = table()
    said = driving.titles(explorer)
    assert said["X", (1, 2)] == "choose 5" and said["X", (0, 0)] == "choose 0, chosen"
    driving.click(explorer, "X", 1, 2)
    assert driving.titles(explorer)["X", (1, 2)] == "choose 5, chosen"


def test_a_click_beside_the_cells_does_nothing():
    explorer = table()
    before = explorer._view.value
    for classes in ("", None, "explorer-view", "at-nothing r0 c0", "touch"):
        explorer._touched({"type": "click", "target": {"className": classes}})
    explorer._touched({"type": "click"})
    assert explorer._view.value == before


def test_static_page_promises_nothing():
    explorer = table()
    static = explorer._repr_mimebundle_()["text/html"]
    assert "touch" in explorer.html and "title=" in explorer.html
    assert not re.search(r"class=|title=|touch|drag", static)
    assert matrices.without_places(explorer.html) in static


# --- strokes ---------------------------------------------------------------------------------------------------------


def painted():
    return explorers.explorer(
        lambda mask: {"mask": mask},
        lambda now: [[now.table("mask", decimals=0)]],
        lambda now: f"{now.mask.sum()}",
        touch={"mask": Paint("mask", lambda now, i, j: "turn it")},
        mask=SwitchGrid("mask", np.tri(3, dtype=bool), rows="abc", columns="xyz"),
    )


def test_painting_gives_all_cells_of_a_stroke_the_value_of_the_first():
    explorer = painted()
    driving.stroke(explorer, "mask", (0, 1), (0, 2), (0, 0), (1, 2))
    np.testing.assert_array_equal(explorer.shown["mask"], [[True] * 3, [True] * 3, [True] * 3])
    driving.stroke(explorer, "mask", (0, 0), (1, 1), (2, 2))
    np.testing.assert_array_equal(explorer.shown["mask"], [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    driving.stroke(explorer, "mask", (0, 0))
    assert explorer.shown["mask"][0, 0]


def test_one_part_is_dropped_on_another_and_a_click_is_no_drop():
    explorer = explorers.explorer(
        lambda first, second: {"order": np.array([first, second, 7])},
        lambda now: [[matrices.running("abc", now.order / 9, "order", places=now.places("order"))]],
        lambda now: " ".join(map(str, now.order)),
        touch={
            "order": Swap(
                lambda now, start, end: {"first": start[0], "second": end[0]},
                lambda now, k: {"first": k},
                lambda now, k: "drag",
            )
        },
        first=slider("first", 0, 0, 9, 1),
        second=slider("second", 0, 0, 9, 1),
    )
    driving.stroke(explorer, "order", (0,), (1,), (2,))
    assert explorer.text == "0 2 7"
    driving.click(explorer, "order", 1)
    assert explorer.text == "1 2 7"


# --- figures ---------------------------------------------------------------------------------------------------------


def plane(x=(-2, 2), **options):
    axes = Axes(300, 200, x, (0, 10), margin=(41, 13, 17, 29), **options)

    def sketch(now):
        drawing = axes.sketch()
        drawing.dot((now.x, now.y), "ink")
        return drawing.html("a dot")

    return explorers.explorer(
        lambda x, y: {"at": np.array([x, y])},
        sketch,
        lambda now: f"{now.x:.1f} {now.y:.1f}",
        planes={"dot": Plane(axes, lambda now, x, y: {"x": x, "y": y}, "drag the dot")},
        x=slider("x", 0.0, -2.0, 2.0, 0.1),
        y=slider("y", 5.0, 0.0, 10.0, 0.5),
    )


@pytest.mark.parametrize("width", [None, 1000, 211, 97])
@pytest.mark.parametrize("kind", ["mousedown", "mousemove", "touchstart"])
def test_pixels_become_data_however_wide_the_page_is(width, kind):
    explorer = plane()
    for x, y in ((-1.5, 9.0), (0.3, 0.5), (2.0, 10.0)):
        driving.point(explorer, "dot", x, y, kind=kind, width=width)
        assert explorer.shown["at"] == pytest.approx([x, y])


def test_a_place_outside_the_axes_stays_at_their_edge():
    explorer = plane((-1, 1))
    driving.point(explorer, "dot", 1.4, -3)
    assert explorer.shown["at"] == pytest.approx([1.0, 0.0])


def test_a_press_on_a_thing_does_its_own_and_a_drag_from_there_does_nothing():
    explorer = plane()
    mine = explorer._planes["dot"]._replace(press=lambda now, x, y: {"y": 9.0} if x > 1 else None)
    explorer._surface._planes["dot"] = mine
    driving.point(explorer, "dot", 1.5, 2.0)
    driving.point(explorer, "dot", -1.0, 2.0, kind="mousemove")
    assert explorer.shown["at"] == pytest.approx([0.0, 9.0])
    driving.point(explorer, "dot", 0.5, 2.0)
    driving.point(explorer, "dot", 1.5, 3.0, kind="mousemove")
    assert explorer.shown["at"] == pytest.approx([1.5, 3.0])


def resting(**options):
    explorer = plane(**options)
    mine = explorer._planes["dot"]._replace(peek=lambda now, x, y: {"x": round(x, 1)})
    explorer._planes["dot"] = explorer._surface._planes["dot"] = mine
    return explorer


def rest(explorer, x, time=1.0):
    driving.point(explorer, "dot", x, 5.0, kind="mousemove", buttons=0, time=time)


def test_what_the_pointer_rests_on_is_shown_and_not_set_until_it_leaves():
    explorer = resting()
    before = explorer._view.value
    rest(explorer, 1.5)
    assert explorer.text == "1.5 5.0" and explorer._now.peeked and explorer.controls["x"].value == 0.0
    rest(explorer, 0.0)  # chosen already
    assert explorer._view.value == before and not explorer._now.peeked
    rest(explorer, 1.5)
    explorer._pointed({"type": "mouseleave", "timeStamp": 2.0})
    assert explorer._view.value == before and not explorer._now.peeked
    rest(explorer, -1.0, time=1.9)  # a step that was sent behind it
    assert explorer._view.value == before
    rest(explorer, -1.0, time=2.1)
    assert explorer.text == "-1.0 5.0"


def test_a_press_keeps_what_the_pointer_rests_on_and_any_control_ends_the_peek():
    explorer = resting()
    rest(explorer, 1.5)
    driving.point(explorer, "dot", 1.5, 5.0)
    assert explorer.controls["x"].value == 1.5 and not explorer._now.peeked and explorer.text == "1.5 5.0"
    rest(explorer, -1.5)
    explorer.controls["y"].value = 2.0
    assert explorer.text == "1.5 2.0" and not explorer._now.peeked


def test_what_is_drawn_the_same_is_not_drawn_again_while_the_pointer_moves(monkeypatch):
    explorer, drawn = resting(), []
    monkeypatch.setattr(explorer, "_render", lambda: drawn.append(1))
    for x in (1.5, 1.52, 1.48, 1.5):
        rest(explorer, x)
    assert len(drawn) == 1


def test_steps_of_a_drag_that_have_waited_are_left_out_and_the_last_press_never(monkeypatch):
    clock = iter([1.0, 1.01, 1.5, 1.6]).__next__
    monkeypatch.setattr(touch.time, "monotonic", clock)
    pace = touch.Pace()
    assert [pace.too_late({"timeStamp": t}) for t in (0, 10, 20, 30)] == [False, False, True, True]


def test_what_is_let_go_stands_there_though_its_last_steps_came_too_late(monkeypatch):
    explorer = plane()
    late = iter([False, True, True]).__next__
    monkeypatch.setattr(explorer._pace, "too_late", lambda event: late())
    driving.point(explorer, "dot", 0.0, 5.0)
    for x in (0.5, 1.0, 1.5):
        driving.point(explorer, "dot", x, 5.0, kind="mousemove")
    assert explorer.shown["at"] == pytest.approx([0.5, 5.0])
    driving.point(explorer, "dot", 1.6, 5.0, kind="mouseup", buttons=0)
    assert explorer.shown["at"] == pytest.approx([1.6, 5.0])
    driving.point(explorer, "dot", -1.6, 5.0, kind="mouseup", buttons=0)  # nothing is held any more
    assert explorer.shown["at"] == pytest.approx([1.6, 5.0])


def test_the_sheet_lies_on_the_axes():
    explorer = plane()
    left, top, width, height = (
        float(x) / 100 for x in re.findall(r"(?:left|top|width|height):([\d.]+)%", explorer._surface.html)
    )
    assert (left, top, width, height) == pytest.approx((41 / 300, 13 / 200, 242 / 300, 158 / 200), abs=1e-4)
    assert "drag the dot" in explorer._surface.html and 'class="touch drag at-dot"' in explorer._surface.html


def test_a_picture_that_is_laid_out_anew_on_a_phone_is_touched_where_it_stands_there():
    narrow = Axes(170, 230, (-2, 2), (0, 10), margin=(11, 19, 5, 31))
    explorer = plane(narrow=narrow)
    wide_sheet, narrow_sheet = re.findall(
        r'<div class="only-\w+"><div class="explorer-sheet" style="([^"]*)">', explorer._surface.html
    )
    assert wide_sheet == "width:300px;aspect-ratio:300/200;" and narrow_sheet == "width:170px;aspect-ratio:170/230;"
    for page in (400, 170, 85):  # narrower than the picture: it shrinks
        scale = min(page, 170) / 170
        across, down = narrow.to_pixels((1.3, 7.0))
        explorer._pointed({
            "type": "mousedown", "buttons": 1, "timeStamp": 0.0, "boundingRectWidth": page, "relativeX": across * scale,
            "relativeY": down * scale, "target": {"className": "narrow touch drag at-dot"},
        })  # fmt: skip
        assert explorer.shown["at"] == pytest.approx([1.3, 7.0])
        driving.point(explorer, "dot", -1.0, 2.0)
        assert explorer.shown["at"] == pytest.approx([-1.0, 2.0])


# --- sums ------------------------------------------------------------------------------------------------------------


def test_any_number_of_three_tokens_is_followed_by_a_click():
    explorer = explorers.explore_three_tokens()
    explorer.set(numbers=True)
    for (name, index), title in driving.titles(explorer).items():
        if name == "X":
            continue
        stage = name.replace("_", " ")
        driving.click(explorer, stage, *index)
        assert explorer.controls["cell"].value == (stage, *index)
        assert explorer.text == title.removesuffix(", chosen")
        assert driving.titles(explorer)[name, index] == f"{explorer.text}, chosen"


def test_click_on_a_number_of_the_three_tokens_changes_it_as_its_field_does():
    one, other = explorers.explore_three_tokens(), explorers.explore_three_tokens()
    for explorer in (one, other):
        explorer.set(numbers=True)
    for start in (0.0, 1.0, 2.0, -1.0, 7.5):
        for i, j in np.ndindex(3, 2):
            for explorer in (one, other):
                explorer.controls[f"X[{i + 1}, {j + 1}]"].value = start
            following = {0.0: 1, 1.0: 2, 2.0: -1, -1.0: 0, 7.5: 0}[start]
            assert driving.titles(one)["X", (i, j)] == f"X [{i + 1}, {j + 1}], a click makes it {following}"
            driving.click(one, "X", i, j)
            other.controls[f"X[{i + 1}, {j + 1}]"].value = following
            assert one.html == other.html and one.shown["X"][i, j] == following


SOURCES = {  # of one number of lesson 02: what goes in, by the definition
    ("dot products", 1, 2): {("X", 1, 0), ("X", 1, 1), ("X", 2, 0), ("X", 2, 1)},
    ("scaled scores", 1, 2): {("dot products", 1, 2)},
    ("weights", 1, 2): {("scaled scores", 1, 0), ("scaled scores", 1, 1), ("scaled scores", 1, 2)},
    ("outputs", 1, 0): {("weights", 1, 0), ("weights", 1, 1), ("weights", 1, 2), ("X", 0, 0), ("X", 1, 0), ("X", 2, 0)},
}


@pytest.mark.parametrize(("name", "i", "j"), SOURCES)
def test_what_goes_into_a_number_is_marked_and_lit(name, i, j):
    explorer = explorers.explore_three_tokens()
    explorer.set(numbers=True)
    driving.click(explorer, name, i, j)
    marks = explorer._now.marks
    assert marks[name][i, j] == "result"
    assert {
        (each, *cell) for each, cells in marks.items() for cell, kind in cells.items() if kind != "result"
    } == SOURCES[name, i, j]
    style = explorer.children[0].value
    for source, row, column in SOURCES[name, i, j]:
        hovered = rf"\.at-{matrices.slug(name)}\.(?:r{i}|c{j}|r{i}\.c{j}):hover\) \.at-{matrices.slug(source)}\.(?:r{row}|c{column}|r{row}\.c{column})[,{{]"
        assert re.search(hovered, style), (source, row, column)


NOT_COMPUTED = {  # explorer -> captions, or rows, whose numbers say nothing, as they are given: nobody made them
    "explore_wrong_reshape": {"x, a shade for each token"},
}
SUMMING = {"explore_state"}


@functools.cache
def pointed_at(name):
    """Every number that an explorer shows, as it starts and in three random states."""
    explorer, rng, found = getattr(explorers, name)(), np.random.default_rng(5), []
    for k in range(4):
        if k:
            driving.move_all(explorer, rng)
        found += driving.number_cells(explorer.html)
    return found


@pytest.mark.everything
@pytest.mark.parametrize("name", EXPLORERS)
def test_each_number_of_a_computed_matrix_says_how_it_was_made(name):
    given = NOT_COMPUTED.get(name, set())
    silent = [cell for cell in pointed_at(name) if not cell.title and not {cell.caption, cell.row} & given]
    assert not silent, silent[:3]
    assert given <= {word for cell in pointed_at(name) if not cell.title for word in (cell.caption, cell.row)}


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_sum_that_a_number_says_gives_it(name):
    """The sum says rounded numbers, so that what it gives may be off by a few units of the last place but one."""
    checked = 0
    for cell in pointed_at(name):
        words = re.match(r"(?:.*: )??(.* = -?[\d.]+)(?=$|, )", cell.title)
        if words and re.fullmatch(r"-?[\d.]+", cell.word):
            made, last = test_explorers_sums.sides(words[1] if words[1].count(" = ") > 1 else f"it = {words[1]}")
            decimals = min(
                len(word.partition(".")[2]) for word in (cell.word, last) if "." in word or word is cell.word
            )
            assert abs(float(cell.word) - float(last)) <= 10**-decimals, cell
            assert made == [pytest.approx(float(last), abs=0.01, rel=0.005)] * len(made), cell
            checked += len(made)
    assert checked > 10 or name not in SUMMING


# --- letters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "k", "turned"), [("AABA", 2, "AAAA"), (" ab ", 0, "BB"), ("B", 0, "A")])
def test_a_click_turns_one_letter_of_a_typed_string(typed, k, turned):
    explorer = explorers.explorer(
        lambda string: {"length": np.array(len(string))},
        lambda now: matrices.running(
            now.string.strip(), np.zeros(len(now.string.strip())), "s", places=now.places("letters")
        ),
        lambda now: now.string,
        touch={"letters": touch.turn_letter(lambda now: "string")},
        string=explorers.text_field("string", typed),
    )
    assert driving.titles(explorer)["letters", (k,)] == f"click: make it {turned[k]}"
    driving.click(explorer, "letters", k)
    assert explorer.text == turned


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "light"),
    [
        (0.0, (True, "it is off by 0.00")),
        (0.25, (False, "it is off by 0.25")),
        (np.nan, (False, "it is off by nan")),
        ((np.True_, "never told"), (True, "never told")),
        ((False, "it is not"), (False, "it is not")),
    ],
)
def test_a_rule_says_by_how_much_it_is_broken_or_whether_it_holds(said, light):
    for words in ("it holds", lambda now: "it holds"):
        assert engine.Rule(words, lambda now: said, "it is off by {:.2f}").light(None) == ("it holds", *light)
    assert engine.Rule("it holds", lambda now: None).light(None) is None


# --- lighting ----------------------------------------------------------------------------------------------------


def test_a_word_carries_further_indices_by_which_a_row_lights_up():
    places = matrices.Places("weights", "touch", lambda k: "look", lambda k: (5 - k,))
    assert 'class="touch at-weights r2 c3" title="look"' in matrices.running("abc", [0, 0, 1], "w", places=places).html
    (rule,) = touch.lighting({"weights": Sum([("features", "j:")], None)}, {"weights": (1, 1)}).split("{")[:1]
    assert rule == ".explorer:has(.at-weights.c0:hover) .at-features.r0"


# --- a cell that is run again ----------------------------------------------------------------------------------------


def test_a_cell_that_runs_again_closes_what_it_made_and_leaves_other_cells_alone(monkeypatch):
    runs = iter([("a", 1), ("a", 1), ("b", 2), ("a", 3)])
    monkeypatch.setattr(living, "_cell_and_run", lambda: next(runs))
    monkeypatch.setattr(living, "_LIVING", {})
    first, beside, other = table(), table(), table()
    inside = [first._view, *first._listeners, *first.controls.values()]
    assert all(widget.comm is not None for widget in [first, beside, other, *inside])
    again = table()
    assert all(widget.comm is None for widget in [first, beside, *inside])
    assert other.comm is not None and again.comm is not None


def test_cell_without_a_name_is_known_by_its_text_and_lets_go_of_what_it_showed(monkeypatch):
    run = iter(range(9))

    def asked():
        return {"metadata": {}, "content": {"code": "table()"}, "header": {"msg_id": next(run)}}

    monkeypatch.setattr("builtins.get_ipython", lambda: SimpleNamespace(get_parent=asked), raising=False)
    monkeypatch.setattr(living, "_LIVING", {})
    kept_by_jupyter = table()
    array = weakref.ref(next(iter(kept_by_jupyter.shown.values())))
    assert array() is not None
    table()
    gc.collect()
    assert kept_by_jupyter.comm is None and array() is None


def test_kernel_that_ends_puts_its_pictures_to_sleep(monkeypatch):
    monkeypatch.setattr(living, "_LIVING", {"cell": (1, [table()])})
    living.fall_asleep()
    ((_, (shown,)),) = living._LIVING.values()
    assert "asleep" in shown._dom_classes


def test_number_field_says_when_it_was_asked_for_too_much():
    shown = explorers.explorer(
        lambda x: {"y": np.array([x])},
        lambda now: now.table("y"),
        lambda now: f"y is {now.x:g}.",
        x=number_field("part for A", 1.0, -2.0, 2.0),
    )
    told = []
    for value in (99999999.0, 500.0, -15.0, 0.5):
        shown.controls["x"].set_state({"value": value})
        told.append(shown.text)
    assert told == [
        "y is 2. The largest number for “part for A” is 2.",
        "y is 2. The largest number for “part for A” is 2.",
        "y is -2. The smallest number for “part for A” is -2.",
        "y is 0.5.",
    ]
    assert not {"min", "max"} & shown.controls["x"].get_state().keys(), "the page would clamp before Python hears of it"


def test_values_of_presets_lie_on_the_grid_of_their_controls():
    assert hand.on_grid(slider("x", 0.0, -1.0, 1.0, 0.1), 0.44999) == 0.4
    assert hand.on_grid(slider("x", 0, 0, 5, 1), 7.3) == 5
    assert hand.on_grid(stops("x", [("a", 1)], 1), "anything") == "anything"
