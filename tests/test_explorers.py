"""All explorers: they show what was recorded, move and come back, refuse what they cannot read, and stand on a static page."""

import functools
import html
import inspect
import itertools
import re
import zlib
from xml.etree import ElementTree

import ipywidgets as widgets
import numpy as np
import pytest

from helpers import explorers, language_model
from helpers.models import bert
from tests import driving, record, sentences
from workbench.pictures.svg import Drawing, text_width

NAMES = sorted(name for name in dir(explorers) if name.startswith("explore_"))
NAN_ON_PURPOSE = {
    "explore_mask",
    "explore_hiding_examples",
    "explore_broken_model",
}  # a row with nothing to see; what overflow leaves
INFINITE = {("explore_model_lines", "without"): np.inf}  # a gap where the code stops
OTHER_SUMS_ON_PURPOSE = {"explore_mask", "explore_hunt"}  # masked after softmax; planted bugs
NUM_STATES = 30  # at random
NEAR = 1.5  # pixels by which words may meet, or leave their drawing: their widths are estimates


@pytest.fixture(autouse=True)
def no_real_model(monkeypatch):
    """What is installed makes no difference here, and nothing waits for a model that writes."""
    monkeypatch.setattr(language_model, "find", lambda: None)
    monkeypatch.setattr(bert, "find_weights", lambda: None)


def make(name):
    return getattr(explorers, name)()


@functools.cache
def first(name):
    """(view, arrays, static page) of an explorer that nobody has moved."""
    explorer = make(name)
    return explorer._view.value, explorer.shown, explorer._repr_mimebundle_()


def generator(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def assert_arrays(shown, want):
    assert set(shown) == set(want)
    for name, array in want.items():
        assert isinstance(shown[name], (np.ndarray, np.generic)), f"{name} must be an array"
        np.testing.assert_allclose(shown[name], array, rtol=1e-9, atol=1e-9, err_msg=name)


def test_explorers_are_recorded_and_need_no_arguments():
    recorded = sorted(record.TESTS.rglob("recorded/*.txt"))
    assert recorded == sorted(map(record.place, NAMES)), "python -m tests.record NAME records one"
    arguments = [each for name in NAMES for each in inspect.signature(getattr(explorers, name)).parameters.values()]
    assert all(each.default is not each.empty for each in arguments)


@functools.cache
def led_through(name):
    """What an explorer shows from state to state, what the guard of its sentences says, and words in wrong places: dict state -> words."""
    guard, found = sentences.Guard(name), {}

    def look(state, explorer):
        guard.look(state, explorer)
        anywhere = state == "at random" or "[" in state  # where numbers of a matrix may put many points at one place
        found.update({state: words} if (words := misplaced(explorer.html, anywhere)) else {})

    return record.record(name, watch=look), guard.complaints, found


@pytest.mark.parametrize("name", NAMES)
def test_explorer_shows_what_was_recorded(name):
    assert led_through(name)[0] == record.place(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_sentence_follows_what_is_shown(name):
    assert led_through(name)[1] == []


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_weights_are_shares_in_random_states(name):
    explorer, rng = make(name), generator(name)
    for _ in range(NUM_STATES):
        driving.scatter(explorer, rng)
        if shown := driving.computed(explorer):
            assert_shares_and_finite(name, shown)


def assert_shares_and_finite(name, shown):
    """Weights sum to one, and numbers are numbers."""
    for key, array in shown.items():
        infinite = INFINITE.get((name, key), -np.inf if "scores" in key else 0)  # -inf: masked
        numbers = np.isfinite(array) | (array == infinite)
        assert name in NAN_ON_PURPOSE or numbers.all(), key
        if "weights" in key and not name.startswith("explore_wrong_") and name not in OTHER_SUMS_ON_PURPOSE:
            np.testing.assert_allclose(np.sum(array, axis=-1), 1, err_msg=key)
            assert np.min(array) >= 0


# --- reset, presets, nudges, notices ---------------------------------------------------------------------------------


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_reset_brings_back_the_first_picture(name):
    explorer, rng = make(name), generator(name)
    start = driving.state(explorer)
    for _ in range(2):
        driving.move_all(explorer, rng)
        driving.buttons(explorer)["Reset"].click()
        assert driving.state(explorer) == start
        assert explorer._view.value == first(name)[0]


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_every_control_changes_the_picture(name):
    explorer = make(name)
    silent = [key for key in explorer.controls if not changes(explorer, key)]
    if name in BROUGHT_BY:  # a grid that is seen once a switch brings it
        explorer.controls[BROUGHT_BY[name]].value = True
        silent = [key for key in silent if not changes(explorer, key)]
    assert silent == []


BROUGHT_BY = {"explore_question": "matrix"}


def changes(explorer, key):
    """Whether a control changes what is seen, and leaves no trace when it is put back."""
    control, view, changed = explorer.controls[key], explorer._view.value, []
    start = control.value
    assert driving.nudges(control), f"{key} cannot be moved"
    choice = isinstance(control, (widgets.ToggleButtons, widgets.SelectionSlider, widgets.Dropdown))
    for value in driving.nudges(control):
        control.value = value
        changed.append(explorer._view.value != view)
        control.value = start
        assert explorer._view.value == view, f"{key} back at {start} leaves a trace"
        if choice and any(changed) and len(changed) >= NUM_CHOICES:
            break
    return any(changed) if choice else all(changed)


NUM_CHOICES = 3  # that are chosen and left again


@pytest.mark.parametrize("name", NAMES)
def test_no_word_leaves_its_drawing_or_lies_on_another_one(name):
    assert led_through(name)[2] == {}


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_no_word_leaves_its_drawing_or_lies_on_another_one_whatever_is_chosen(name):
    explorer = make(name)
    for control in explorer.controls.values():
        for index in range(len(getattr(control, "options", ()))):
            control.index = index
            assert misplaced(explorer.html) == [], explorer.values
        driving.buttons(explorer)["Reset"].click()


def misplaced(markup, anywhere=False):
    """The words that leave their drawing or, but for points that may be `anywhere`, lie on each other, as far as one can estimate it."""
    found = []
    for drawing in map(ElementTree.fromstring, re.findall(r"<svg [^>]*viewBox.*?</svg>", markup, re.S)):
        width, height = map(float, drawing.get("viewBox").split()[2:])
        placed = sorted(places(drawing))
        for k, (left, top, right, bottom, said) in enumerate(placed):
            if left < -NEAR or top < -NEAR or right > width + NEAR or bottom > height + NEAR:
                found.append(said)
            for other in [] if anywhere else placed[k + 1 :]:
                below = min(bottom, other[3]) - max(top, other[1])
                if other[0] < right - NEAR and below > NEAR and len(said + other[4]) > 2:  # not letters of a word
                    found.append((said, other[4]))
    return found


def places(drawing):
    """(left, top, right, bottom, words) of all that is written straight on."""
    for text in drawing.iter("{http://www.w3.org/2000/svg}text"):
        said = "".join(text.itertext()).strip()
        if said and "transform" not in text.attrib:
            size, x, y = (float(text.get(name)) for name in ("font-size", "x", "y"))
            bold = 1.1 if text.get("font-weight") in ("600", "700") else 1
            wide = float(text.get("textLength") or bold * text_width(said, size))
            left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
            yield left, y - 0.72 * size, left + wide, y, said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([(2, 15, "one"), (40, 15, "two")], []),
        ([(2, 15, "one"), (12, 17, "two")], [("one", "two")]),
        ([(80, 15, "gone")], ["gone"]),
        ([(2, 5, "high")], ["high"]),
    ],
)
def test_words_that_lie_on_each_other_or_leave_are_noticed(words, expected):
    drawing = Drawing(99, 20)
    for x, y, said in words:
        drawing.words(x, y, said, size=13, anchor="start")
    assert misplaced(drawing.html("words").html) == expected


@functools.cache
def labels(name):
    """dict control -> (its kind, its label)."""
    return {key: (type(control), control.description) for key, control in make(name).controls.items()}


def letter_fields(name):
    """Names of the controls of an explorer that take letters A and B."""
    texts = {key: label for key, (kind, label) in labels(name).items() if issubclass(kind, widgets.Text)}
    return [key for key, label in texts.items() if label not in driving.OTHER_TEXTS]


@pytest.mark.parametrize("name", NAMES)
def test_text_that_is_no_string_of_letters_keeps_the_last_good_picture(name):
    note = "\nRun this cell to move: "
    explorer = make(name) if letter_fields(name) else None
    for key, bad in itertools.product(letter_fields(name), driving.BAD_LETTERS):
        control = explorer.controls[key]
        good, shown, picture = control.value, explorer.shown, explorer.html
        plain = explorer._repr_mimebundle_()["text/plain"].split(note)[0]
        control.value = bad
        assert explorer._view.value.startswith(picture) and "The last good picture stays." in explorer._view.value
        assert explorer.shown is shown and explorer.html == picture
        assert explorer._repr_mimebundle_()["text/plain"].split(note)[0] == plain
        notice = explorer._view.value.removeprefix(picture)
        assert re.fullmatch(r'<p style="[^"]*">[^<>]+</p>', notice), notice
        control.value = good
        assert explorer._view.value == picture


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_shown_may_be_spoiled_by_the_learner_without_harm(name):
    view, shown, _ = first(name)
    explorer = make(name)
    for array in [*explorer.shown.values(), *explorer.values.values()]:
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = 77
    driving.buttons(explorer)["Reset"].click()
    assert explorer._view.value == view
    assert_arrays(explorer.shown, shown)
    assert_arrays(make(name).shown, shown)


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_two_explorers_of_a_kind_do_not_share_anything(name):
    one, other = make(name), make(name)
    view = other._view.value
    driving.move_all(one, generator(name))
    assert other._view.value == view and other.shown is not one.shown


# --- without a kernel ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_static_page_has_picture_table_sentence_says_what_moves_and_is_the_same_every_time(name):
    explorer = make(name)
    bundle = explorer._repr_mimebundle_()
    view = "application/vnd.jupyter.widget-view+json"
    again = first(name)[2]
    assert {key: bundle[key] for key in bundle if key != view} == {key: again[key] for key in again if key != view}
    assert bundle[view].keys() == again[view].keys()
    markup, plain = bundle["text/html"], bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "<table" in markup or "<img" in markup
    images = re.findall(r"<img[^>]*>", markup)
    assert all(len(re.search(r'alt="([^"]*)"', image)[1]) > 20 for image in images)
    assert markup.count("<img") == len(images)
    assert not re.search(r"<(svg|script|style)|role=", markup), "JupyterLab strips these before a notebook is trusted"
    assert html.escape(explorer.text) in markup and explorer.text in plain
    assert "Run this cell to move: " in markup and plain.splitlines()[-1].startswith("Run this cell to move: ")
    assert " = None" not in plain
    for table in driving.tables(markup):
        assert table.caption in plain
        for cells in table.rows.values():
            assert all(cell in plain for cell in cells)


@pytest.mark.parametrize("name", NAMES)
def test_labels_name_every_control(name):
    for key, (_, label) in labels(name).items():
        assert label.strip(), f"{key} has no label"


# --- presets and recipes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_values_of_presets_are_values_that_their_controls_can_have(name):
    explorer = make(name)
    for text, button in driving.buttons(explorer).items():
        button.click()
        for key, control in explorer.controls.items():
            if isinstance(control, (widgets.FloatSlider, widgets.IntSlider)):
                steps = (control.value - control.min) / control.step
                assert abs(steps - round(steps)) < 1e-6, f"{text}: {key} = {control.value} lies between two steps"


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("explore_wrong_")])
def test_wrong_recipes_break_a_light_and_the_right_one_breaks_none(name):
    explorer = make(name)
    recipe = next(
        control
        for control in explorer.controls.values()
        if isinstance(control, (widgets.ToggleButtons, widgets.Dropdown))
    )
    whole = []
    for choice in driving.choices(recipe):
        recipe.value = choice
        whole.append(all(holds for holds, _ in driving.lights(explorer._view.value)))
    assert whole[0] and not all(whole)
    assert name != "explore_wrong_turns" or not any(whole[1:])
