"""Every right answer to a part of the model works wherever the course uses that part later: in later exercises, cells and my_model.py.

What the course gives a part is written down while the lessons' own cells and solutions run; each answer is then given the same.
"""

import ast
import collections
import contextlib
import copy
import functools
import io
import itertools
import re

import nbformat
import numpy as np
import pytest

from helpers import language_model, parts, variants, yours
from helpers.since_2017 import experts
from rooms.write_with_your_own.exercises import _OTHER, _SMALL
from tests import submissions
from tests.cells import Notebook
from tests.notebooks import lessons

MOST = 4  # calls of a part that are written down for each cell
LONG = 300  # calls of all parts, after which a cell has trained enough
NOT_KEPT = (
    "as a part of the model it is called with|it writes into ROOM|a score of −∞ gives NaN|rounds to 16 bits|be kept"
)


def answers():
    """(part, text of a right answer) : all that stand in the tests."""
    together = map(submissions.read_together, ("fresh_answers.txt", "odd_parts.txt"))
    given = [*submissions.read(), *itertools.chain(*together)]
    return [(each.exercise, each.text) for each in given if each.right and each.exercise in parts.LESSONS]


class _Enough(BaseException):
    """A cell has called parts for long enough."""


def plain(source):
    """A cell without its pictures, checks and blanks."""

    def is_plain(node):
        shows = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & {"explorers", "check", "checks"}
        blank = any(isinstance(each, ast.Constant) and each.value is ... for each in ast.walk(node))
        return not shows and not (blank and isinstance(node, ast.FunctionDef))

    return "\n".join(ast.unparse(node) for node in ast.parse(source).body if is_plain(node))


@functools.cache
def later_calls():
    """dict part -> list of (who calls, arguments), as the course itself calls it."""
    calls, where, count = {name: [] for name in parts.LESSONS}, [""], collections.Counter()

    def noting(name, function):
        def noted(*given, **named):
            count[where[0]] += 1
            if count[where[0]] > LONG:
                raise _Enough
            if sum(caller == where[0] for caller, *_ in calls[name]) < MOST:
                calls[name].append((where[0], copy.deepcopy((given, named))))
            return function(*given, **named)

        return noted

    model = yours.of_the_course()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yours, "model", lambda: model)
        patch.setattr(language_model, "find", lambda: None)  # its 135 million numbers are not written down
        with yours.replaced({name: noting(name, model.space[name]) for name in parts.LESSONS}):
            for path in lessons():
                cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
                last = max((k for k, cell in enumerate(cells) if "yours." in cell.source), default=-1)
                notebook = Notebook()
                for k, cell in enumerate(cells[: last + 1]):
                    where[0] = f"{path.stem}, cell {k}"
                    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception, _Enough):
                        notebook.run(plain(cell.source))
            for number, (small, sizes) in enumerate((_SMALL, _OTHER)):
                for new in range(1, 4):  # a cache that is new, one that grows, and a draw by chance
                    where[0] = f"my_model.py, model {number}, {new} tokens"
                    draws = {"temperature": 0.8, "top_p": 0.9, "rng": np.random.default_rng(0)} if new == 3 else {}
                    model.space["write"]([1, 2, 3][:new], small, sizes, new, **draws)
    return calls


def solved():
    """(part, its folded solution) of the parts that call others."""
    for path in lessons():
        for cell in nbformat.read(path, as_version=4).cells:
            for tag in cell.metadata.get("tags", []):
                if tag.startswith("solution-") and "yours." in cell.source:
                    yield tag[9:], re.search(r"^```python\n(.*?)^```$", cell.source, re.S | re.M)[1]


def same(one, other):
    if isinstance(one, str):
        return one == other
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    one, other = (np.asarray(getattr(each, "data", each), dtype=float) for each in (one, other))
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True)


def is_random(name, given):
    """Whether chance has a say: in the token that is drawn, or in the lines that a gradient is taken of."""
    return name == "training_loop" or (name == "next_token" and given[1] > 0)


def stumbles(name, text, file):
    """What goes wrong where the course uses a part that was just kept, as sentences."""
    notebook = Notebook()
    notebook.space |= {"variants": variants, "experts": experts}
    notebook.space |= {each: getattr(parts, each) for each in parts.LESSONS if each != name}
    said = notebook.run(text).check(name)
    if not said[0].startswith("✓"):
        return said
    if "Kept in" not in said[-1]:  # and it is said why not
        return [] if re.search(NOT_KEPT, said[-1]) else said
    found = []
    for caller, (given, named) in later_calls()[name]:
        given = (*given[:2], 2, *given[3:]) if name == "training_loop" else given  # two steps tell
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            got = getattr(yours, name)(*copy.deepcopy(given), **copy.deepcopy(named))
        want = yours.of_the_course().space[name](*copy.deepcopy(given), **copy.deepcopy(named))
        told = [line for line in printed.getvalue().splitlines() if "stopped with" in line and yours.CUTS not in line]
        fits = np.shape(got) == np.shape(want) if is_random(name, given) else same(got, want)
        found += [f"{caller}: {told[0]}"] if told else [] if fits else [f"{caller}: {got!r}, not {want!r}"]
    for later, solution in solved():
        if f"yours.{name}(" in solution:
            verdict = Notebook().run(solution).check(later)[0]
            found += [] if verdict.startswith("✓") else [f"the solution of {later}: {verdict}"]
    return found


def test_every_part_is_called_by_what_comes_later():
    calls = later_calls()
    alone = {"self_attention", "encoder_layer", "numerical_gradient"}  # of a lesson that goes on without them
    assert {name for name, found in calls.items() if not found} <= alone
    assert len(answers()) > 140


@pytest.mark.parametrize("step", [pytest.param(7, id="some"), pytest.param(1, id="all", marks=pytest.mark.everything)])
def test_a_right_answer_works_wherever_its_part_is_used(file, step):
    found = {}
    for name, text in answers()[::step]:
        file.unlink(missing_ok=True)
        if stumbling := stumbles(name, text, file):
            found[text] = stumbling
    assert found == {}


def test_the_part_at_fault_is_named_where_a_later_answer_is_right_without_it(file):
    yours.keep("softmax", "def softmax(scores):\n    return np.exp(scores) / np.exp(scores).sum()\n")
    (solution,) = [text for name, text in solved() if name == "shared_attention"]
    wrong, fault = Notebook().run(solution).check("shared_attention")
    assert wrong.startswith("✗") and fault == (
        "With the course's softmax in place of yours, shared_attention is right: go back to your softmax, lesson 01."
    )
    (wrong,) = Notebook().run(solution.replace("-np.inf", "0")).check("shared_attention")
    assert wrong.startswith("✗")


def test_a_softmax_that_a_mask_breaks_is_right_and_not_kept_and_it_is_said_why(file):
    text = "def softmax(s):\n    return 1 / np.exp(s[..., None, :] - s[..., :, None]).sum(axis=-1)\n"
    right, said = Notebook().run(text).check("softmax")
    assert right.startswith("✓") and not file.exists() and "a score of −∞ gives NaN, and a mask gives" in said


def test_a_part_that_writes_all_results_into_one_array_is_right_and_not_kept_and_it_is_said_why(file):
    text = "ROOM = np.empty(1000)\ndef softmax(s):\n    e = np.exp(s - s.max(axis=-1, keepdims=True))\n    room = ROOM[: s.size].reshape(s.shape)\n    room[...] = e / e.sum(axis=-1, keepdims=True)\n    return room\n"
    right, said = Notebook().run(text).check("softmax")
    assert (
        right.startswith("✓")
        and not file.exists()
        and "it writes into ROOM, where the next result overwrites it" in said
    )


def test_heads_in_a_list_are_an_array_for_the_parts_after_them(file):
    yours.keep("split_heads", "def split_heads(x, n):\n    return np.split(x, n, axis=-1)\n")
    assert yours.split_heads(np.ones((3, 4)), 2).shape == (2, 3, 2)
