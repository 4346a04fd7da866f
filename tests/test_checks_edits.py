"""Known mistakes as edits of a model solution."""

import pytest

from helpers.checks import EXERCISES, _exercise, edits
from helpers.checks.exercise import Symptom, gives, known_mistakes

DOUBLE = edits.solution("""
def double(x):
    y = shift + 2 * x
    return y
""", shift=1)  # fmt: skip


def test_rows_become_functions_that_go_wrong():
    made = edits.mistakes(
        DOUBLE,
        """
2 => 3 | Three times.
2 => 4 |
=> y - shift | ~ Shifted.
2 => 3 ;; y = => x = 0⏎    y = | Two edits.
""",
    )
    assert {said: [each(5) for each in functions] for said, functions in made.items()} == {
        "Three times.": [16, 21],
        "Shifted.": [10],
        "Two edits.": [1],
    }
    assert DOUBLE(5) == 11 and isinstance(list(made)[1], Symptom)


def test_edit_must_find_its_place():
    with pytest.raises(ValueError, match="does not stand in"):
        edits.mistakes(DOUBLE, "3 => 2 | No place.")


def test_stage_is_what_an_expression_is_in_the_end():
    assert {name: stage(5) for name, stage in edits.stages(DOUBLE, half_of_it="y / 2").items()} == {"half of it": 5.5}


@pytest.mark.parametrize("name", EXERCISES)
def test_every_mistake_can_be_made(name):
    exercise = _exercise(name)
    for sentence, wrong in known_mistakes(exercise):
        assert any(gives(exercise, wrong, k) is not None for k in range(len(exercise.cases))), sentence
