"""Known mistakes, as edits of a model solution: each can be made, gives wrong numbers, and is told by its own sentence."""

import numpy as np
import pytest

from helpers.checks import EXERCISES, _exercise
from rooms.shared import edits, steps
from workbench.judging.cases import Whole
from workbench.judging.exercise import known_mistakes, result_of, same

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
=> y - shift | Shifted.
2 => 3 ;; y = => x = 0⏎    y = | Two edits.
""",
    )
    assert {said: [each(5) for each in functions] for said, functions in made.items()} == {
        "Three times.": [16, 21],
        "Shifted.": [10],
        "Two edits.": [1],
    }
    assert DOUBLE(5) == 11


def test_edit_must_find_its_place():
    with pytest.raises(ValueError, match="does not stand in"):
        edits.mistakes(DOUBLE, "3 => 2 | No place.")


def test_mistakes_of_a_step_are_made_wherever_a_solution_takes_it():
    look = edits.solution("""
def look(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))
    return attention.softmax(scores) @ values
""")
    made = edits.mistakes(look, "=> scores | My own word.", "scale, mix, mix one")
    query, keys, values = np.array([4.0, 0.0]), np.eye(2), np.array([1.0, 3.0])
    assert next(iter(made)) == "My own word."
    multiplied = made["The scores were multiplied by √d_k; divide by it."][0]
    assert multiplied(query, keys, values) == pytest.approx(look(query, 2 * keys, values))
    first = made["Only the first value is mixed in: the return stands inside the loop."][0]
    assert first(query, keys, values) == pytest.approx(1 / (1 + np.exp(-4 / np.sqrt(2))))
    assert steps.inherited("def f(x):\n    return x\n", "softmax, rows, scale, mix") == ""


@pytest.mark.parametrize("name", EXERCISES)
def test_known_mistakes_can_be_made_and_give_wrong_numbers(name):
    exercise = _exercise(name)
    places = [k for k, case in enumerate(exercise.cases) if not isinstance(case, Whole)]
    for sentence, wrong in known_mistakes(exercise):
        pairs = [(result_of(exercise, wrong, k), result_of(exercise, exercise.solve, k)) for k in places]
        assert any(got is not None for got, _ in pairs), sentence
        assert not all(got is not None and same(got, want, exercise.tolerance) for got, want in pairs), sentence


def making(mistake):
    """An answer that makes a mistake, and whose errors are its own."""

    def answer(*given):
        try:
            return mistake(*given)
        except ValueError as error:
            raise ValueError(str(error)) from None

    return answer


@pytest.mark.parametrize("name", [name for name in EXERCISES if not _exercise(name).by_hand])
def test_known_mistakes_are_told_by_their_sentence(name):
    """None of them hides another one. What stops has no numbers."""
    exercise = _exercise(name)
    for sentence, mistake in known_mistakes(exercise):
        if any(result_of(exercise, mistake, k) is None for k in range(len(exercise.cases))):
            continue
        feedback = EXERCISES[name](making(mistake))
        assert feedback.status == "wrong" and feedback.message.startswith(sentence), feedback.message
