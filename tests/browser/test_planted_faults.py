"""Tests of the tests: faults planted in notebooks are caught, each with its name, and a good notebook passes."""

import re

import pytest

from . import planted
from .access import findings, tab_order_trouble, unnamed_sliders, untold
from .controls import dead_controls, explorers, other_ending, questions, silent_options, strays
from .lab import find_chromium
from .layout import cut_words, too_wide
from .presets import differing_presets
from .touching import dead_parts, untitled

pytestmark = pytest.mark.everything


@pytest.fixture(scope="module")
def run_planted(notebook_tab):
    """Write cells as a notebook beside the lessons, open it and run it."""

    def run(name, *cells):
        return notebook_tab.open(notebook_tab.lab.write_notebook(f"planted/{name}.ipynb", *cells)).run_all()

    return run


def test_good_notebook_raises_no_complaint(run_planted):
    page = run_planted("good", *planted.GOOD)
    assert page.cell_trouble == page.problems == strays(page) == untold(page) == unnamed_sliders(page) == []
    assert findings(page, "light") == findings(page, "dark") == []
    assert [trouble for box in explorers(page) for trouble in tab_order_trouble(box) + dead_controls(box)] == []
    assert [complaint for box in questions(page) for complaint in silent_options(box)] == []
    assert page.problems == []


def test_dead_controls_are_named_and_live_ones_are_not(run_planted):
    page = run_planted("dead", planted.EXPLORER, *planted.DEAD.values())
    found = [[complaint.split(": ", 1)[1] for complaint in dead_controls(box)] for box in explorers(page)]
    names = [*planted.DEAD, "its own"]
    assert dict(zip(names, found, strict=True)) == {
        "dead slider": ["slider 'asleep' changes nothing that is seen"],
        "dead at the end": ["slider 'asleep' changes nothing that is seen"],
        "dead button": ["button 'Nothing' changes nothing that is seen"],
        "dead text": ["text 'asleep' changes nothing that is seen"],
        "stuck": ["slider 'stuck' does not move by keyboard"],
        "never usable": ["slider 'greyed' can never be used"],
        "no reset": ["has no Reset button"],
        "half a reset": ["Reset leaves slider 'alive' where it was", "Reset does not bring back the first view"],
        "only the neighbour": [],
        "its own": ["slider 'asleep' changes nothing that is seen"],
    }


def test_parts_that_promise_to_answer_and_do_not_are_named(run_planted):
    page = run_planted("touches", planted.EXPLORER, planted.TOUCHES)
    (box,) = explorers(page)
    dead, nameless, silent = dead_parts(box)
    assert "“dead” changes nothing" in dead and "at-x r2" in nameless and "has no title" in nameless
    assert "at-x r2" in silent and untitled(page) == ["drag at-x r2"]


def test_faults_that_show_only_while_moving_are_heard(run_planted):
    page = run_planted("late", planted.EXPLORER, *planted.LATE.values())
    assert page.problems == []
    for box in explorers(page):
        dead_controls(box)
    heard = "\n".join(page.problems)
    assert "ValueError: planted exception" in heard
    assert "UserWarning: planted warning" in heard
    assert "request that leaves this machine: http://203.0.113.7/x.png" in heard


def test_pictures_tables_and_colours_that_shut_someone_out_are_found(run_planted):
    page = run_planted("untold", planted.EXPLORER, planted.UNTOLD)
    assert [line[:48] for line in untold(page)] == [
        "img: its text alternative is no sentence: ''",
        "img: its text alternative is no sentence: 'weigh",
        "table 'head1' has no caption",
        "table 'head1' has headers without scope",
    ]
    assert unnamed_sliders(page) == ["a slider shows no name"]
    light, dark = (" ".join(findings(page, theme)) for theme in ("light", "dark"))
    assert "pale" in light and "pale" in dark
    assert "dark on dark" in light and "dark on dark" not in dark
    assert "light on light" in dark and "light on light" not in light
    assert "image-alt" in light


def test_preset_that_a_slider_rounds_is_found(run_planted):
    page = run_planted("presets", planted.OFF_THE_STEPS)
    assert differing_presets(page) == [
        "explorer 1 of 1: 'between two steps' leaves no slider on the page at 0.9102: is it between two steps?"
    ]


def test_output_that_is_wider_than_the_page_is_found(run_planted):
    found = too_wide(run_planted("wide", planted.WIDE))
    assert [line.partition(":")[0] for line in found] == [
        "1280 pixels, file browser open",
        "1280 pixels, file browser closed",
        "1024 pixels, file browser open",
        "1024 pixels, file browser closed",
    ]
    assert all("td 'x'" in line for line in found)


def test_value_that_does_not_fit_its_place_is_found(run_planted):
    page = run_planted("cut", planted.EXPLORER, planted.CUT)
    assert cut_words(page) == ["'a value of more words than there is room for' is cut"]


def test_silent_answers_unreachable_and_stray_controls_are_named(run_planted):
    cells = planted.SILENT, planted.UNREACHABLE, planted.UNREACHABLE_FIRST, planted.STRAY
    page = run_planted("silent", planted.EXPLORER, *cells)
    assert [re.sub(".*option", "option", line) for box in questions(page) for line in silent_options(box)] == [
        "option 2 of '' gives no new reply"
    ]
    assert [trouble for box in explorers(page) for trouble in tab_order_trouble(box)] == [
        "explorer 1 of 2: Tab does not reach checkbox 'skipped'",
        "explorer 2 of 2: Tab does not reach checkbox 'first'",
    ]
    assert strays(page) == ["slider 'lonely'"]


def test_errors_of_cells_and_scripts_and_calls_to_other_machines_are_reported(run_planted):
    page = run_planted("errors", planted.SCRIPT, planted.NETWORK, "print('never reached')")
    assert any("planted console error" in problem for problem in page.problems)
    assert any("planted page error" in problem for problem in page.problems)
    assert "asked for 203.0.113.7" in page.cell_trouble[0]
    assert page.cell_trouble[1:] == ["cell 2 did not run"]


def test_a_problem_of_one_notebook_is_not_blamed_on_the_next(run_planted):
    assert run_planted("errors", planted.SCRIPT).problems != []
    assert run_planted("clean", "print('fine')").problems == []


def test_other_ending_keeps_to_the_letters_of_the_text():
    assert [other_ending(text) for text in ("AABA", "AAA", "", "B", "the cat")] == ["B", "B", "A", "A", "h"]


def test_find_chromium_believes_the_environment_first(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    assert find_chromium() is None
