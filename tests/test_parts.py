"""The parts of a model: they give what the helpers give, and the lessons ask for them in their order."""

import ast
import inspect
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import attention, layers, parts, positions, variants, your_program
from helpers.checks import EXERCISES
from helpers.since_2017 import experts
from tests import submissions
from tests.notebooks import prose
from tests.test_language_model import SIZES, TEXT, random_tensors, small

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.mark.parametrize(("part", "lesson"), parts.LESSONS.items())
def test_each_part_is_asked_for_in_its_lesson(part, lesson):
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    assert f"exercise-{part}" in [tag for cell in cells for tag in cell.metadata.get("tags", [])]


@pytest.mark.parametrize("lesson", sorted({*parts.LESSONS.values()}))
def test_each_lesson_shows_what_it_adds_to_the_learners_model(lesson):
    adds = [part for part in parts.LESSONS if parts.LESSONS[part] == lesson]
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    (call,) = [cell.source for cell in cells if cell.source.startswith("explorers.your_model(")]
    said = ast.literal_eval(call.removeprefix("explorers.your_model").replace("here=", ""))
    assert said in (adds, adds[0], lesson[:2])  # the number of the lesson says as much as its parts


def test_parts_stand_in_the_order_of_the_lessons():
    assert list(parts.LESSONS.values()) == sorted(parts.LESSONS.values())


def test_readme_counts_the_parts_and_the_lessons_those_that_write():
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    assert len(parts.LESSONS) == 17 and "Seventeen exercises ask for a part of a language model" in readme
    calls = {}
    for lesson in {*parts.LESSONS.values()}:
        for cell in nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells:
            for tag in cell.metadata.get("tags", []):
                calls[tag.removeprefix("solution-")] = set(re.findall(r"\byours\.(\w+)\(", cell.source))
    needed = {"write"}
    while more := {call for part in needed for call in calls[part]} - needed:
        needed |= more
    assert len(needed) == 12 and "from a file and twelve functions, each yours" in prose("read_a_model")
    assert {*your_program.RUNS} == needed | {"merge_pairs"}  # which cuts the text before
    assert len(your_program.RUNS) == 13 and "from a file and thirteen functions" in prose("write_with_your_own")


def test_next_token_is_a_right_answer_to_its_exercise():  # which has a solution of its own; the others take the part
    answer = submissions.function("next_token", inspect.getsource(parts.next_token))
    assert EXERCISES["next_token"](answer).status == "right"


def heads(*shape):
    return np.random.default_rng(5).normal(size=shape)


MASK = np.tri(3, dtype=bool)
SAME = {  # part: what it gives, and what the helper gives
    "softmax": lambda x: (parts.softmax(x), attention.softmax(x)),
    "rms_norm": lambda x: (parts.rms_norm(x), layers.rms_norm(x)),
    "swiglu": lambda x: (parts.swiglu(x, x.T, 2 * x.T, x), experts.swiglu(x, x.T, 2 * x.T, x)),
    "shared_attention": lambda x: (
        parts.shared_attention(heads(4, 3, 6), heads(2, 3, 6), heads(2, 3, 5), MASK),
        variants.grouped_query_attention(heads(4, 3, 6), heads(2, 3, 6), heads(2, 3, 5), mask=MASK).output,
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_a_part_gives_what_the_helper_gives(name):
    found, want = SAME[name](heads(3, 6))
    np.testing.assert_allclose(found, want, rtol=1e-12)


def test_what_the_parts_read_in_a_file_is_what_the_language_model_reads():
    file = {name.removesuffix(".weight"): array for name, array in random_tensors(5).items()}
    np.testing.assert_allclose(parts.read(TEXT, file, SIZES)[0], small(5).read(TEXT).logits, rtol=1e-3, atol=1e-4)


def test_the_gradient_by_trying_is_the_true_one():
    weights = heads(3, 2)
    found = parts.numerical_gradient(lambda w: (np.sin(w) ** 2).sum(), weights)
    np.testing.assert_allclose(found, np.sin(2 * weights), atol=1e-9)


def test_rotate_turns_as_the_helper_whatever_the_base():
    x, places = np.random.default_rng(11).normal(size=(2, 5, 6)), np.array([3, 0, 7, 11, 2])
    np.testing.assert_allclose(parts.rotate(x, places, 100.0), positions.rotate(x, places, base=100.0), rtol=1e-12)
    np.testing.assert_allclose(parts.rotate(x, places), positions.rotate(x, places), rtol=1e-12)
