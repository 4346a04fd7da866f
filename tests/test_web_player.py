"""What a page without Python plays is what the explorers show: recordings, read again, state by state."""

import re

import nbformat
import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.browser.playing import on_white
from tests.notebooks import lessons
from workbench.recording import record, tiles
from workbench.recording.frames import Recording
from workbench.recording.states import Reach

pytestmark = pytest.mark.everything

CALL = re.compile(r"explorers\.(explore_\w+|drill)\((|\"[\w ,]+\")\)")


def calls():
    """Every explorer that a lesson shows: the text of its call."""
    cells = [cell for path in lessons() for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    return [line for cell in cells if CALL.fullmatch(line := cell.source.strip().splitlines()[-1])]


def made(call):
    name, argument = CALL.fullmatch(call).groups()
    return getattr(explorers, name)(*[argument.strip('"')] * bool(argument))


def seen(explorer, state):
    """Put an explorer where a state has it: its view in the words of a recording, and its figures."""
    with tiles.unpacked() as kept:
        Reach(explorer).place(state)
        found = tiles.IMAGE.findall(explorer.html)
        figures = [(look, tiles.pixels_of(source, kept)) for look, *_, source in found]
        markup = tiles.IMAGE.sub(
            r'<canvas class="\1" role="img" aria-label="\2" width="\3" height="\4">', explorer.html
        )
    return markup, figures


def assert_plays(explorer, recording, states):
    for k in states:
        markup, figures = seen(explorer, recording.positions(k))
        played = re.sub(r' data-image="\d+"></canvas>', ">", recording.html(k))
        assert played == markup, f"state {k} shows something else"
        for (look, wanted), (kind, pixels) in zip(figures, recording.figures(k), strict=True):
            gap = np.abs(on_white(wanted) - on_white(pixels))
            assert look == kind
            assert gap.max() == 0 if look == "figure" else gap.mean() < 4, f"the figure of state {k}"


@pytest.mark.parametrize(
    ("call", "most"),
    [
        ("explorers.explore_lookup()", 20),  # a figure with a plane
        ("explorers.explore_mask()", 40),  # a grid to paint
        ("explorers.explore_three_tokens()", 60),
        ("explorers.explore_shuffle()", 40),  # words to drag
        ('explorers.drill("one query")', 40),
        ("explorers.explore_patch_shuffle()", 8),  # a photograph
    ],
)
def test_every_recorded_state_is_what_the_explorer_shows(call, most):
    explorer = made(call)
    before = explorer.html
    data = record.recording(explorer, most)
    assert explorer.html == before, "the explorer must be back at its start"
    assert 5 <= len(data["states"]) <= most
    assert len({tuple(state) for state in data["states"]}) == len(data["states"])
    assert_plays(explorer, Recording(data), range(len(data["states"])))


@pytest.mark.parametrize("call", sorted(set(calls())))
def test_each_explorer_of_the_lessons_can_be_recorded(call):
    explorer = made(call)
    data = record.recording(explorer, 3)
    recording = Recording(data)
    assert recording.positions(0) == Reach(explorer).state(), "the first state is the start"
    assert_plays(explorer, recording, range(len(data["states"])))
    for k, (column, labels) in enumerate(zip(data["values"], data["controls"])):
        assert labels is None or len(labels) == len(column), f"control {k} has a value without words"


# --- where it leads ----------------------------------------------------------------------------------------------------


def led(data, steps):
    """dict control -> position, of a recorded assignment."""
    return {k: data["values"][k][i] for k, i in zip(steps[::2], steps[1::2])}


def sets_of(data, state, name, *index):
    markup = Recording(data).marked(state)
    classes = " ".join([f"at-{name}", *(f"{letter}{k}" for letter, k in zip("rc", index))])
    return data["sets"][int(re.search(rf'{classes}" data-set="(\d+)"', markup)[1])]


@pytest.mark.parametrize(
    ("call", "name", "index"),
    [
        ("explorers.explore_three_tokens()", "weights", (1, 2)),
        ("explorers.explore_three_tokens()", "outputs", (2, 1)),
        ("explorers.explore_mask()", "mask", (0, 3)),
        ("explorers.explore_ask_for_b()", "letters", (1,)),
        ('explorers.drill("one query")', "scores", (0, 2)),
    ],
)
def test_touch_leads_where_a_click_leads(call, name, index):
    explorer = made(call)
    if "numbers" in explorer.controls:
        explorer.set(numbers=True)  # they are not shown at first
    data = record.recording(explorer, 80)
    reach = Reach(explorer)
    before, found = reach.state(), led(data, sets_of(data, 0, name, *index))
    driving.click(explorer, name, *index)
    after = reach.state()
    assert after != before
    assert {k: position for k, position in enumerate(after) if position != before[k]}.items() <= found.items()
    assert all(after[k] == position for k, position in found.items())
    assert list(after) in [[v[i] for v, i in zip(data["values"], state)] for state in data["states"]]


@pytest.mark.parametrize(
    ("call", "plane", "place"),
    [
        ("explorers.explore_lookup()", "query", (2.0, 1.0)),
        ("explorers.explore_three_tokens()", "plane", (0.9, 0.8)),
    ],
)
def test_press_in_a_figure_leads_near_where_it_leads_in_the_notebook(call, plane, place):
    explorer = made(call)
    data = record.recording(explorer, 30)
    reach = Reach(explorer)
    axes = explorer._surface.plane(plane).axes
    left, top, width, height = axes.shares
    across, down = ((np.array(axes.to_pixels(place)) / axes.size) - (left, top)) / (width, height)
    drag, press, _ = data["drags"][0][data["planes"].index(plane)]

    def cell(table):
        columns, cells = data["tables"][table]
        return data["sets"][cells[int(down * len(cells) / columns) * columns + int(across * columns)]]

    steps = (cell(press) if press >= 0 else []) or cell(drag)
    driving.point(explorer, plane, *place)
    for k, position in led(data, steps).items():
        recorded = data["values"][k]
        nearest, cell_width = (
            min(abs(value - reach.state()[k]) for value in recorded),
            0.06 * (recorded[-1] - recorded[0]),
        )
        assert abs(reach.state()[k] - position) <= nearest + cell_width, reach.names[k]


def test_a_control_takes_along_what_it_takes_along_in_the_notebook():
    """A new page of numbers forgets what was distrusted on the last one."""
    explorer = made("explorers.explore_notes()")
    data = record.recording(explorer, 60)
    reach = Reach(explorer)
    page, number = reach.index["page"], reach.index["number"]
    also = {(k, place): led(data, steps) for k, place, steps in data["also"]}
    explorer.set(number=explorer._fields["number"]._options_full[3][1])
    explorer.controls["page"].value = explorer.controls["page"].options[1][1]
    assert also[page, 1][number] == reach.state()[number] == data["values"][number][0]


def test_drill_tells_right_answers_and_slips_on_a_page():
    """Each number that has words of its own in the notebook was recorded with them, for one task after the other."""
    explorer = made('explorers.drill("three tokens")')
    data = record.recording(explorer, 120)
    recording, reach = Recording(data), Reach(explorer)
    typed, task = reach.index["typed"], reach.index["task"]
    states = [recording.positions(k) for k in range(len(data["states"]))]
    first = [recording.html(k) for k, state in enumerate(states) if state[task] == 1 and state[typed]]
    assert sum("✓ Right." in page for page in first) >= 1 and sum("✗" in page for page in first) >= 3
    solved = {state[task] for k, state in enumerate(states) if state[typed] and "✓ Right." in recording.html(k)}
    assert {1, 2, 3} <= solved
    on = data["others"].index("next")
    assert led(data, data["sets"][data["presses"][0][on]])[task] == 2


# --- the block ---------------------------------------------------------------------------------------------------------


def test_block_reads_without_a_script():
    block = record.recorded(made("explorers.explore_three_tokens()"), "04-three_tokens", most=5)
    assert "y1 is made of 40% of token 1" in block.html and "Run this cell" not in block.html
    assert list(block.files) == ["04-three_tokens.js"] and 'data-src="players/04-three_tokens.js"' in block.html
    everything = block.html + block.files["04-three_tokens.js"].decode()
    assert set(re.findall(r"https?://[\w./]+", everything)) <= {"http://www.w3.org/2000/svg"}  # a name, not an address


@pytest.mark.parametrize(
    ("call", "scripts", "is_said"),
    [
        ("explorers.explore_decoding()", (), True),  # any other date
        ("explorers.explore_own_text()", (), True),
        ("explorers.explore_writing()", ("writer.js",), False),  # it is answered in the page
        ('explorers.drill("one query")', (), False),  # any answer is told
        ("explorers.explore_three_tokens()", (), False),
    ],
)
def test_a_card_says_where_a_text_of_ones_own_is_typed(call, scripts, is_said):
    block = record.recorded(made(call), "card", most=2, computed=scripts).html
    assert (record.CHOSEN + record.MORE in block) == is_said
    assert ("<select disabled></select></label>" in block) == is_said


def test_where_a_page_computes_the_start_is_recorded_and_every_stop():
    data = record.start(made("explorers.explore_writing()"), ["model.js"])
    assert len(data["states"]) == 1 and data["computed"] == ["model.js"]
    assert [len(column) for column in data["values"]] == [1, 9, 19, 9, 20, 72]
    assert data["values"][2][:3] == [0.1, 0.15, 0.2] and data["values"][2][-1] == 1.0
    assert Recording(data).positions(0) == ("attention is ", 3, 1.0, 0, 13, 1)


def test_question_opens_its_replies_without_a_script():
    block = record.recorded(explorers.predict("uniform"), "q") if "uniform" in questions() else None
    block = block or record.recorded(explorers.predict(questions()[0]), "q")
    assert block.files == {} and block.html.count("<details") >= 2 and block.html.count("✓") == 1


def questions():
    from helpers.support import data_files

    return list(data_files.json_file(data_files.path("questions.json")))


def test_player_asks_nothing_of_the_network():
    for path in record.PLAYER_FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?:|\beval\b|\bFunction\(|fetch\(|XMLHttp|WebSocket|@import", text), path.name
