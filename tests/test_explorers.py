"""Explorers show what they should: every array beside an independent computation, every number as it is displayed."""

import ast
import contextlib
import functools
import importlib
import inspect
import itertools
import json
import math
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import ipywidgets as widgets
import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import (
    Light,
    NumberGrid,
    Rule,
    choose,
    engine,
    lookup,
    predict,
    slider,
    stops,
    switch,
    text_field,
)
from helpers.pictures import plots
from tests import driving, record, references, test_explorers_sums

TOPICS = [  # a topic may bring tables of its own, which are tried below
    importlib.import_module(f"tests.{path.stem}") for path in sorted(Path(__file__).parent.glob("test_explorers_*.py"))
]
REFERENCES, TABLES, SENTENCES, LIGHTS = (
    {name: compute for file in TOPICS for name, compute in getattr(file, table, {}).items()}
    for table in ("REFERENCES", "TABLES", "SENTENCES", "LIGHTS")
)
NAMES = sorted(name for name in dir(explorers) if name.startswith("explore_"))
RECORDED = sorted(path.stem for path in record.PLACE.glob("*.txt"))
REFERENCED = sorted(set(REFERENCES) - {"explore_next_token"})  # with the model, hours of writing
NAN_ON_PURPOSE = set().union(*(getattr(topic, "NAN_ON_PURPOSE", ()) for topic in TOPICS))
OTHER_SUMS_ON_PURPOSE = set().union(*(getattr(topic, "OTHER_SUMS_ON_PURPOSE", ()) for topic in TOPICS))
NUM_STATES = 200  # finds what shows in 2.3 % of all states 99 times of 100
NUM_PICTURES = 30  # of the states; the others go through the computation alone
NUM_PAINTED = 4  # of the pictures, with their figures; of the others, tables, sentences and lights are compared

# --- beside the references -------------------------------------------------------------------------------------------


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


def assert_displayed(name, explorer, want, values):
    """Every number of the tables, the sentence and the lights, against the reference."""
    cells = TABLES[name](want, values)
    found = {table.caption: list(table.rows.values()) for table in driving.tables(explorer.html)}
    assert set(found) == set(cells)
    for caption, rows in cells.items():
        assert [len(row) for row in found[caption]] == [len(row) for row in rows], caption
        for words, row in zip(found[caption], rows, strict=True):
            for word, value in zip(words, row, strict=True):
                vector = isinstance(value, (list, tuple))
                pairs = zip(driving.parts(word), value, strict=True) if vector else [(word, value)]
                assert all(driving.says(*pair) for pair in pairs), (caption, words, row)
    words, said = driving.numbers(explorer.text), SENTENCES[name](want, values)
    assert len(words) == len(said) and all(map(driving.says, words, said)), (explorer.text, said)
    lit = driving.lights(explorer.html)
    assert len(lit) == len(LIGHTS[name](want, values))
    for (holds, text), (rule, gap) in zip(lit, LIGHTS[name](want, values), strict=True):
        assert text.startswith(rule)
        assert holds == (gap == 0), (text, gap)
        sizes = [word for word in driving.numbers(text.removeprefix(rule)) if word != "NaN"]
        assert len(sizes) == bool(gap) and all(driving.says(word, gap) for word in sizes), (text, gap)


@driving.unpainted()
def test_explore_lookup_names_the_word_with_the_largest_weight():
    explorer, rng = make("explore_lookup"), generator("word")
    for _ in range(40):
        driving.move_all(explorer, rng)
        best = ["cat", "horse", "car"][explorer.shown["weights"].argmax()]
        if explorer.controls["length"].value > 0:
            assert f" {best} " in explorer.text


def test_explore_lookup_draws_query_and_keys_to_one_scale():
    explorer = make("explore_lookup")
    for angle, length in ((0, 0.5), (20, 1.0), (90, 2.0), (45, explorer.controls["length"].max)):
        explorer.set(angle=angle, length=length)
        drawing = ElementTree.fromstring(re.search(r"<svg.*?</svg>", explorer.html)[0])
        want = length * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
        assert "[{:.2f}, {:.2f}]".format(*want) in drawing.get("aria-label") and f"{length:.1f} long" in drawing.get(
            "aria-label"
        )
        dashed = [line for line in drawing.iter() if line.get("stroke-dasharray")]
        for line, key in zip(dashed, lookup.KEYS, strict=True):  # from the tip, at a right angle, to the score
            ends = [lookup.AXES.to_data([float(line.get(f"x{k}")), float(line.get(f"y{k}"))]) for k in (1, 2)]
            np.testing.assert_allclose(ends, [want, key * (key @ want)], atol=1e-3)
        scores, weights = lookup.KEYS @ want, explorer.shown["weights"]
        for score, weight in zip(scores, weights, strict=True):  # in words, and as a bar
            assert (
                f"= {score:.2f}, weight {weight:.2f}" in explorer.html
                and f'width="{120 * weight:.2f}'.rstrip("0") in explorer.html
            )
    (low, high), up = lookup.AXES.limits
    assert (low, high) == up and high >= explorer.controls["length"].max and lookup.AXES.size[0] == lookup.AXES.size[1]


@pytest.mark.parametrize(
    ("x", "y", "angle", "length"),
    [(0, 2, 90, 2), (-1.5, 2, 127, 2.5), (3.1, 3.1, 45, 3), (2, -2.2, -45, 3), (0, 0, 45, 0)],
)
def test_the_query_of_explore_lookup_is_dragged_by_its_tip(x, y, angle, length):
    explorer = make("explore_lookup")
    driving.point(explorer, "query", 1, 1)
    driving.point(explorer, "query", x, y, kind="mousemove")
    assert explorer.controls["angle"].value == angle and explorer.controls["length"].value == pytest.approx(length)


@driving.unpainted()
def test_explore_lookup_gives_the_car_90_percent_only_where_the_query_turns_away_from_fur():
    explorer = make("explore_lookup")
    reached = []
    for angle in range(-45, 136):
        explorer.set(angle=angle, length=3.0)
        reached += [(angle, explorer.shown["weights"][2])]
    assert dict(reached)[90] == pytest.approx(0.74, abs=0.005)  # straight at the car, as long as can be
    assert min(angle for angle, weight in reached if weight >= 0.9) == 125
    explorer.set(angle=90, length=2.0)
    assert f"{explorer.shown['output'][0]:.2f}" == "2.52"
    explorer.set(length=0.0)
    np.testing.assert_allclose(explorer.shown["weights"], 1 / 3)


def test_explore_lookup_moves_the_picture_with_every_step_of_the_length():
    explorer = make("explore_lookup")
    length = explorer.controls["length"]
    pictures = set()
    for value in np.linspace(length.min, length.max, 26):
        length.value = value
        pictures.add(re.search(r"<svg.*?</svg>", explorer.html)[0])
    assert len(pictures) == 26


def test_explorers_are_recorded_or_have_an_independent_computation_and_need_no_arguments():
    assert sorted([*RECORDED, *REFERENCES]) == NAMES, "python -m tests.record NAME records one"
    assert set(REFERENCES) == set(TABLES) == set(SENTENCES) == set(LIGHTS)
    arguments = [each for name in NAMES for each in inspect.signature(getattr(explorers, name)).parameters.values()]
    assert all(each.default is not each.empty for each in arguments)


@pytest.mark.parametrize("name", RECORDED)
def test_explorer_shows_what_was_recorded(name):
    assert record.record(name) == (record.PLACE / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.everything
@pytest.mark.parametrize("name", RECORDED)
def test_weights_are_shares_in_random_states(name):
    explorer, rng = make(name), generator(name)
    for _ in range(NUM_PICTURES):
        driving.scatter(explorer, rng)
        if shown := driving.computed(explorer):
            assert_shares_and_finite(name, shown)


@pytest.mark.everything
@pytest.mark.parametrize("name", REFERENCED)
def test_explorer_shows_the_reference_in_random_states(name):
    explorer, rng = make(name), generator(name)
    every = NUM_STATES // NUM_PICTURES
    accepted = drawn = 0
    computed, displayed = set(), set()
    while accepted < NUM_STATES:
        before, draw = explorer.shown, accepted // every >= drawn
        driving.scatter(explorer, rng)
        values = driving.state(explorer)
        if repr(values) in (displayed if draw else computed) and drawn >= NUM_PAINTED:  # few choices are soon all seen
            accepted, drawn = accepted + 1, drawn + draw
            continue
        with driving.unpainted() if drawn >= NUM_PAINTED else contextlib.nullcontext():
            shown = (driving.drawn if draw else driving.computed)(explorer)
        want = REFERENCES[name](**values)
        if want is None:  # refused: it counts for nothing
            assert shown is None and explorer.shown is before, values
            continue
        accepted += 1
        computed.add(repr(values))
        assert_arrays(shown, want)
        assert_shares_and_finite(name, shown)
        if draw:
            drawn += 1
            displayed.add(repr(values))
            assert_displayed(name, explorer, want, values)
            assert html_text(explorer.text) in explorer._view.value
    assert drawn >= NUM_PICTURES


def assert_shares_and_finite(name, shown):
    """Weights sum to one, and numbers are numbers."""
    for key, array in shown.items():
        numbers = np.isfinite(array) | (np.isneginf(array) if "scores" in key else False)  # -inf: masked
        assert name in NAN_ON_PURPOSE or numbers.all(), key
        if "weights" in key and not name.startswith("explore_wrong_") and name not in OTHER_SUMS_ON_PURPOSE:
            np.testing.assert_allclose(np.sum(array, axis=-1), 1, err_msg=key)
            assert np.min(array) >= 0


def html_text(text):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("'", "&#x27;").replace('"', "&quot;")


@pytest.mark.everything
@pytest.mark.parametrize("name", REFERENCED)
@driving.unpainted()
def test_explorer_shows_the_reference_at_every_choice_and_both_ends(name):
    explorer = make(name)
    for control in driving.computing(explorer).values():
        if isinstance(control, widgets.Text):
            continue
        start = control.value
        ends = [control.min, control.max] if hasattr(control, "min") else []
        for value in ends or ([True, False] if isinstance(start, bool) else driving.choices(control)):
            control.value = value
            values = driving.state(explorer)
            want = REFERENCES[name](**values)
            if want is None:  # refused: the learner is told, and the last good picture stays
                assert explorer._view.value != explorer.html and explorer._view.value.startswith(explorer.html)
                continue
            assert_arrays(explorer.shown, want)
            assert_displayed(name, explorer, want, values)
        driving.buttons(explorer)["Reset"].click()


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


@pytest.mark.parametrize("name", REFERENCED)
@driving.unpainted()
def test_buttons_lead_to_a_picture_that_is_right(name):
    explorer, rng = make(name), generator(name)
    for text, button in driving.buttons(explorer).items():
        for _ in range(2):
            while REFERENCES[name](**driving.state(explorer)) is None or driving.move_all(explorer, rng) is None:
                driving.move_all(explorer, rng)
            button.click()
            values = driving.state(explorer)
            want = REFERENCES[name](**values)
            assert explorer._view.value == explorer.html, text
            assert_arrays(explorer.shown, want)
            assert_displayed(name, explorer, want, values)


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_every_control_changes_the_picture(name):
    explorer = make(name)
    view = explorer._view.value
    for key, control in explorer.controls.items():
        start, changed = control.value, []
        assert driving.nudges(control), f"{key} cannot be moved"
        choice = isinstance(control, (widgets.ToggleButtons, widgets.SelectionSlider, widgets.Dropdown))
        for value in driving.nudges(control):
            control.value = value
            changed.append(explorer._view.value != view)
            control.value = start
            assert explorer._view.value == view, f"{key} back at {start} leaves a trace"
            if choice and any(changed) and len(changed) >= NUM_CHOICES:
                break
        assert any(changed) if choice else all(changed), f"{key} changes nothing that is seen"


NUM_CHOICES = 3  # that are chosen and left again; `…_at_every_choice_…` tries all of them


@functools.cache
def labels(name):
    """dict control -> (its kind, its label)."""
    with driving.unpainted():
        return {key: (type(control), control.description) for key, control in make(name).controls.items()}


def letter_fields(name):
    """Names of the controls of an explorer that take letters A and B."""
    texts = {key: label for key, (kind, label) in labels(name).items() if issubclass(kind, widgets.Text)}
    return [key for key, label in texts.items() if label not in driving.OTHER_TEXTS]


@pytest.mark.parametrize("name", NAMES)
@driving.unpainted()
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


MARKUP = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<b>A</b>", "&lt;b&gt;"]


@pytest.mark.parametrize("name", NAMES)
@driving.unpainted()
def test_text_is_escaped_wherever_it_appears(name):
    explorer = make(name) if letter_fields(name) else None
    for key, typed in itertools.product(letter_fields(name), MARKUP):
        explorer.controls[key].value = typed
        for markup in (explorer._view.value, explorer._repr_mimebundle_()["text/html"]):
            assert typed not in markup and "<script" not in markup


def test_many_explorers_take_letters():
    assert sum(map(bool, map(letter_fields, NAMES))) >= 3


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
    with driving.unpainted():
        assert_arrays(make(name).shown, shown)


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
@driving.unpainted()
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
    assert html_text(explorer.text) in markup and explorer.text in plain
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


def test_sums_are_tried_in_every_explorer_whose_numbers_are_clicked_for_them():
    assert test_explorers_sums.PICKING == [name for name in NAMES if engine.PICKED in labels(name)]


# --- known answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@driving.unpainted()
def test_values_of_presets_are_values_that_their_controls_can_have(name):
    explorer = make(name)
    for text, button in driving.buttons(explorer).items():
        button.click()
        for key, control in explorer.controls.items():
            if isinstance(control, (widgets.FloatSlider, widgets.IntSlider)):
                steps = (control.value - control.min) / control.step
                assert abs(steps - round(steps)) < 1e-6, f"{text}: {key} = {control.value} lies between two steps"


def shades(markup, label):
    """The background colours of a row of a table, its sum left out."""
    row = re.search(rf"<tr><th[^>]*>{label}</th>(.*?)</tr>", markup)[1]
    return [(re.findall(r"background-color:(#\w+)", cell) or ["none"])[0] for cell in re.findall(r"<td([^>]*)>", row)][
        :-1
    ]


def test_explore_three_tokens_starts_with_the_outputs_of_the_notes():
    explorer = explorers.explore_three_tokens()
    np.testing.assert_allclose(explorer.shown["outputs"], [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]], atol=5e-4)
    driving.buttons(explorer)["twins"].click()
    np.testing.assert_array_equal(explorer.shown["outputs"][0], explorer.shown["outputs"][1])


def test_every_sentence_of_explore_three_tokens_is_a_true_equation():
    explorer = explorers.explore_three_tokens()
    for scale in driving.choices(explorer.controls["scale"]):
        for base in driving.choices(explorer.controls["base"]):
            explorer.set(scale=scale, base=base)
            for cell in driving.choices(explorer.controls["cell"]):
                explorer.controls["cell"].value = cell
                sides = [side for side in explorer.text.split(" = ")[1:] if "token" not in side]
                results = [eval(side.replace("·", "*").replace("^", "**"), {"e": math.e}) for side in sides]
                assert len(results) == 2 and abs(results[0] - results[1]) < 2e-3, explorer.text


STRICT = ["explore_wrong_turns", "explore_wrong_waves"]  # one right recipe, the first


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("explore_wrong_")])
def test_wrong_recipes_break_a_light_and_the_right_one_breaks_none(name):
    explorer = make(name)
    recipe = next(control for control in explorer.controls.values() if isinstance(control, widgets.ToggleButtons))
    for control in explorer.controls.values():
        if isinstance(control, widgets.IntSlider) and name in STRICT:
            control.value = control.max
    whole = []
    for choice in driving.choices(recipe):
        recipe.value = choice
        whole.append(all(holds for holds, _ in driving.lights(explorer._view.value)))
    assert whole[0] and not all(whole)
    assert name not in STRICT or not any(whole[1:])


# --- what a learner builds -------------------------------------------------------------------------------------------


def squares(**changes):
    """An explorer as a learner would build it: x and what is done with it."""
    calls = []

    def compute(x, half, word, power):
        if word == "bad":
            raise ValueError("The <word> must be good.")
        return {"y": np.array([x, x**power / (2 if half else 1)])}

    def show(now):
        calls.append(now.control_values)
        return [now.table("y")]

    return explorers.explorer(
        compute,
        show,
        lambda now: f"{now.word} y = {now.y[1]:.2f}",
        [Rule("y < 50", lambda now: Light("y < 50", bool(now.y[1] < 50), f"y = {now.y[1]:.1f} & more"))],
        presets={"eight, halved": {"x": 8, "half": True}},
        x=slider("x", 3, 0, 10, 1),
        half=switch("half of it"),
        word=text_field("word", "good"),
        power=stops("power", [("two", 2), ("three", 3)], 2),
        **changes,
    ), calls


def test_explorer_of_a_learner_moves_and_shows():
    explorer, _ = squares()
    assert explorer.controls.keys() == {"x", "half", "word", "power"}
    assert explorer.shown["y"].tolist() == [3, 9] and explorer.text == "good y = 9.00"
    explorer.controls["half"].value = True
    explorer.controls["power"].value = 3
    assert explorer.shown["y"].tolist() == [3, 13.5] and "13.500" in explorer._view.value
    driving.buttons(explorer)["eight, halved"].click()
    assert explorer.shown["y"].tolist() == [8, 256] and explorer.controls["power"].value == 3
    assert driving.lights(explorer._view.value) == [(False, "y &lt; 50: y = 256.0 &amp; more")]


def test_explorer_of_contributing_runs_as_it_stands():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "explorers.explorer(" in block]
    *setup, last = ast.parse(block).body
    names = {}
    exec(compile(ast.Module(setup, []), "CONTRIBUTING.md", "exec"), names)
    explorer = eval(compile(ast.Expression(last.value), "CONTRIBUTING.md", "eval"), names)
    rng = generator("CONTRIBUTING.md")
    for _ in range(50):
        driving.move_all(explorer, rng)
        (weights,) = explorer.shown.values()
        want = references.powers_over_sum([score / explorer.controls["temperature"].value for score in (1.0, 2.0, 4.0)])
        np.testing.assert_allclose(np.ravel(weights), want)
        ((words,),) = [table.rows.values() for table in driving.tables(explorer._view.value)]
        assert all(map(driving.says, words, want))


def test_set_draws_once_for_many_controls():
    explorer, calls = squares()
    before = len(calls)
    explorer.set(x=4, half=True, word="fine", power=3)
    assert len(calls) == before + 1 and explorer.values == {"x": 4, "half": True, "word": "fine", "power": 3}


def test_set_that_fails_leaves_an_explorer_that_still_moves():
    explorer, _ = squares()
    with pytest.raises(Exception, match="x"):
        explorer.set(x="many")
    with pytest.raises(KeyError):
        explorer.set(no_such_control=1)
    explorer.controls["x"].value = 5
    assert explorer.shown["y"].tolist() == [5, 25]


def test_explorer_escapes_the_words_of_the_learner():
    explorer, _ = squares()
    explorer.controls["word"].value = "<img src=x onerror=alert(1)>"
    assert "<img" not in explorer._view.value and "&lt;img" in explorer._view.value
    assert "<img" not in explorer._repr_mimebundle_()["text/html"]


def test_explorer_tells_a_bad_value_and_keeps_the_last_good_picture():
    explorer, _ = squares()
    picture, shown = explorer._view.value, explorer.shown
    explorer.controls["word"].value = "bad"
    assert "The &lt;word&gt; must be good. The last good picture stays." in explorer._view.value
    assert explorer._view.value.startswith(picture) and explorer.shown is shown
    explorer.controls["x"].value = 7
    assert explorer.shown is shown
    explorer.controls["word"].value = "good"
    assert explorer.shown["y"].tolist() == [7, 49] and "last good picture" not in explorer._view.value


def test_explorer_whose_first_values_are_bad_raises_to_its_author():
    with pytest.raises(ValueError, match="never"):
        explorers.explorer(refuse, lambda now: None, lambda now: "", x=slider("x", 1, 0, 2, 1))


def refuse(x):
    raise ValueError("never")


def test_number_grid_is_an_array_with_a_field_for_each_entry():
    grid = NumberGrid("X", [[1, 2, 3], [4, 5, 6]])
    assert list(grid.controls) == ["X[1, 1]", "X[1, 2]", "X[1, 3]", "X[2, 1]", "X[2, 2]", "X[2, 3]"]
    np.testing.assert_array_equal(grid.value, [[1, 2, 3], [4, 5, 6]])
    grid.controls["X[2, 1]"].value = -7.5
    np.testing.assert_array_equal(grid.value, [[1, 2, 3], [-7.5, 5, 6]])
    grid.value = [[0, 0, 0], [1, 1, 1]]
    np.testing.assert_array_equal(grid.value, [[0, 0, 0], [1, 1, 1]])


def test_number_grid_keeps_its_entries_within_its_bounds():
    grid = NumberGrid("X", [[1, 2]], minimum=-3, maximum=3)
    grid.controls["X[1, 1]"].value = 99
    grid.controls["X[1, 2]"].value = -99
    np.testing.assert_array_equal(grid.value, [[3, -3]])


def test_number_grid_refuses_an_array_of_another_size_or_with_nan():
    grid = NumberGrid("X", [[1, 2]])
    with pytest.raises(ValueError):
        grid.value = [[1, 2, 3]]
    with pytest.raises(ValueError):
        grid.value = [[1]]


def test_number_grid_gives_a_copy():
    grid = NumberGrid("X", [[1, 2]])
    grid.value[...] = 9
    np.testing.assert_array_equal(grid.value, [[1, 2]])


@pytest.mark.parametrize(
    ("control", "kind"),
    [
        (slider("n", 1, 0, 5, 1), widgets.IntSlider),
        (slider("x", 1.0, 0, 5, 1), widgets.FloatSlider),
        (choose("c", ["a", "b"], "a"), widgets.ToggleButtons),
        (choose("c", {"one": 1.0}, 1.0), widgets.ToggleButtons),
        (stops("s", [("one", 1)], 1), widgets.SelectionSlider),
        (switch("b"), widgets.Checkbox),
        (text_field("t", "x"), widgets.Text),
    ],
)
def test_controls_are_ipywidgets_with_their_label(control, kind):
    assert isinstance(control, kind) and len(control.description) == 1


# --- questions -------------------------------------------------------------------------------------------------------

QUESTIONS = json.loads(explorers.questions.PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", QUESTIONS)
def test_predict_replies_to_every_answer_and_one_is_right(name):
    asked, question = predict(name), QUESTIONS[name]
    answer = asked.controls["answer"]
    assert answer.value is None and not asked.shown["answer"].any()
    signs = {}
    for k, (text, reply) in enumerate(question["replies"].items()):
        answer.value = text
        assert asked.shown["answer"].tolist() == [i == k for i in range(len(question["replies"]))]
        assert asked.text.endswith(reply) and html_text(reply) in asked._view.value
        signs[text] = asked.text[0]
    assert [text for text, sign in signs.items() if sign == "✓"] == [question["right"]]
    assert set(signs.values()) == {"✓", "✗"}


@pytest.mark.parametrize("name", QUESTIONS)
def test_predict_on_a_static_page_folds_every_reply_away(name):
    bundle, question = predict(name)._repr_mimebundle_(), QUESTIONS[name]
    assert bundle["text/html"].count("<details>") == len(question["replies"])
    assert bundle["text/html"].count("✓") == 1
    assert html_text(question["question"]) in bundle["text/html"] and question["question"] in bundle["text/plain"]
    assert not any(reply in bundle["text/plain"] for reply in question["replies"].values())
    assert predict(name)._repr_mimebundle_()["text/html"] == bundle["text/html"]


def test_predict_of_an_unknown_question_names_close_ones():
    known = next(iter(QUESTIONS))
    with pytest.raises(ValueError, match=re.escape(known)):
        predict(known[:-1])


def test_predict_refuses_a_right_answer_that_is_none_of_the_answers():
    with pytest.raises(ValueError, match="right must be one of the answers"):
        explorers.questions.Predict("?", {"a": "b"}, "c")


def test_predict_escapes_question_answers_and_replies():
    asked = explorers.questions.Predict("1 < 2 & <b>?", {"<i>": "a < b", "&": "<u>"}, "&")
    assert not re.search(r"<[ibu]>", asked._repr_mimebundle_()["text/html"])
    asked.controls["answer"].value = "&"
    assert "<u>" not in asked._view.value and "&lt;u&gt;" in asked._view.value


@pytest.mark.parametrize(("weights", "told"), [([[0.5, 0.25]], "0.250"), ([[1e40, 1e40]], "2.0e+40")])
def test_light_of_row_sums_says_by_how_much_in_few_letters(weights, told):
    assert explorers.rows_sum_to_one(weights) == Light("every row sums to 1", False, f"a row is off by {told}")


def test_type_error_of_a_computation_is_told_and_the_last_picture_stays():
    def compute(number):
        if number > 1:
            raise TypeError("mask must be Boolean, got float64.")
        return {"x": np.array([number])}

    number = slider("number", 1.0, 0.0, 2.0)
    moving = explorers.explorer(compute, lambda now: [now.table("x")], lambda now: "One number.", number=number)
    number.value = 2.0
    assert "mask must be Boolean, got float64. The last good picture stays." in moving._view.value
    assert moving.shown["x"].tolist() == [1.0]


def test_wrong_letters_are_named_with_their_field():
    explorer = explorers.explore_cross()
    explorer.controls["source"].value = "AZCA"
    assert "The second string is made of A and B only; “Z” is neither." in explorer._view.value


# --- figures ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def figures(monkeypatch):
    """All figures of the explorers that are made in a test."""
    made, start = [], plots.LiveFigure.__init__

    def noted(live, *given, **named):
        start(live, *given, **named)
        made.append(live.figure)

    monkeypatch.setattr(plots.LiveFigure, "__init__", noted)
    return made


def overhang(figure):
    """How many pixels of its texts and axes stand outside of a figure: left, below, right, above."""
    box = figure.get_tightbbox()
    left, below, right, above = (figure.dpi * side for side in box.extents)
    return -left, -below, right - figure.bbox.x1, above - figure.bbox.y1


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_no_word_of_a_figure_is_cut(name, figures):
    explorer, rng = make(name), np.random.default_rng(5)
    presses = [button.click for button in driving.buttons(explorer).values()]
    moves = [lambda: None, *presses, *3 * [lambda: driving.move_all(explorer, rng)]]
    for move in moves if figures else ():
        move()
        assert max(max(overhang(figure)) for figure in figures) < 0.5, driving.state(explorer)


def test_cut_words_of_a_figure_are_found(figures):
    figure, axes = plots.new_figure(3, 2)
    (line,) = plots.curves(axes, 1, x_title="", title="")
    plots.LiveFigure(figure, [line], lambda values: axes.set_ylim(0, max(values))).draw([1], "")
    assert max(overhang(figure)) < 0.5
    axes.set_ylim(0, 10_000_000)
    assert max(overhang(figure)) > 2


def test_the_arrow_waits_at_the_nearer_end_of_its_range():
    explorer = explorers.explore_lookup()
    for place, angle in (((-2, 0.2), 135), ((-2, -0.2), 135), ((0.2, -2), -45), ((2, 2), 45), ((-0.2, -2), -45)):
        driving.point(explorer, "query", *place)
        assert explorer.controls["angle"].value == angle
