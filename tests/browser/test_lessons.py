"""Every lesson in a real JupyterLab: run it, read it, move one control and one picture; with --everything all of them, in all lessons."""

import pytest

from .access import findings, tab_order_trouble, unnamed_sliders, untold
from .controls import boxes, dead_controls, explorers, move_any, questions, silent_options, strays
from .layout import TALLEST, cut_words, too_tall, too_wide
from .presets import differing_presets
from .touching import complaints, dead_parts, untitled


def none(troubles):
    """Nothing may be on the list; the failure shows it line by line."""
    assert not troubles, "\n" + "\n".join(troubles)


def test_lesson_runs_without_an_error_anywhere(lesson):
    none(lesson.cell_trouble)
    none(lesson.problems)


def test_lesson_leaves_no_control_outside_an_explorer_or_a_question(lesson):
    none(strays(lesson))


def test_lesson_tells_in_words_what_its_pictures_and_tables_show(lesson):
    none(untold(lesson))
    none(unnamed_sliders(lesson))


def test_every_output_fits_the_page(lesson):
    none(too_wide(lesson))


def test_names_and_values_of_controls_are_not_cut(lesson):
    none(cut_words(lesson))


def test_every_explorer_fits_one_screen(lesson):
    none(too_tall(lesson, TALLEST))


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.everything)])
def test_lesson_has_no_serious_accessibility_finding(lesson, theme):
    none(findings(lesson, theme))


def test_each_explorer_answers_a_control_and_a_click(lesson):
    none([f"{box.name} answers no control" for box in explorers(lesson) if not move_any(box)])
    none([silent for box in explorers(lesson) for silent in dead_parts(box, most=2)])
    none(lesson.problems)


@pytest.mark.everything
def test_tab_reaches_every_control_in_order(lesson):
    none([trouble for box in boxes(lesson) for trouble in tab_order_trouble(box)])


@pytest.mark.everything
def test_every_control_changes_its_own_view(lesson):
    none([complaint for box in explorers(lesson) for complaint in dead_controls(box)])
    none(lesson.problems)


@pytest.mark.everything
def test_every_part_of_a_picture_that_answers_the_hand_does(lesson):
    none(complaints(lesson))
    none(untitled(lesson))
    none(lesson.problems)


@pytest.mark.everything
def test_every_preset_shows_what_python_shows(lesson):
    none(differing_presets(lesson))
    none(lesson.problems)


@pytest.mark.everything
def test_every_answer_gets_a_reply_of_its_own(lesson):
    none([complaint for box in questions(lesson) for complaint in silent_options(box)])
    none(lesson.problems)
