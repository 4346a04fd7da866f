"""Exercises in the notebooks: a blank, a check below it, a folded solution that is right, and nothing that needs it.

Lessons run here where no thread and no process can be started: a page without a server and a small container have none.
"""

import ast
import copy
import functools
import re

import matplotlib
import nbformat
import pytest

from helpers.checks import EXERCISES, _exercise
from tests.notebooks import lessons
from tests.refresh_notebooks import PAINTED_BY, cleaned, difference, execute, one_kernel

NOTEBOOKS = lessons()


@functools.cache
def read(path):
    """A lesson as committed; nobody may change it."""
    return nbformat.read(path, as_version=4)


def tagged(notebook, prefix):
    """dict name of the exercise -> places of the cells that carry its tag."""
    places = {}
    for place, cell in enumerate(notebook.cells):
        for tag in cell.metadata.get("tags", []):
            if tag.startswith(prefix):
                places.setdefault(tag.removeprefix(prefix), []).append(place)
    return places


def checked(cell):
    """Names that a code cell hands to checks.check, in order."""
    if cell.cell_type != "code":
        return []
    calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
    return [call.args[0].value for call in calls if ast.unparse(call.func) in {"checks.check", "check"}]


def solution(cell):
    """The one block of Python that a solution's cell folds away."""
    assert cell.cell_type == "markdown"
    assert re.match(r"\s*<details>\s*<summary>[^<]+</summary>\s*\n\s*\n", cell.source), (
        "a folded cell, then a blank line"
    )
    assert cell.source.rstrip().endswith("</details>")
    (block,) = re.findall(r"^```python\n(.*?)^```$", cell.source, re.S | re.M)
    return block


def names_of(source):
    """What the top level of a cell defines."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return names


def holds_blank(source):
    nodes = list(ast.walk(ast.parse(source)))
    in_an_index = {id(part) for node in nodes if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}
    return any(isinstance(n, ast.Constant) and n.value is ... and id(n) not in in_an_index for n in nodes)


PAIRS = [
    pytest.param(path, name, id=f"{path.stem}: {name}")
    for path in NOTEBOOKS
    for name in tagged(read(path), "exercise-")
]


def test_notebooks_ask_for_every_exercise_of_the_checker():
    asked = [name for path in NOTEBOOKS for cell in read(path).cells for name in checked(cell)]
    assert sorted(set(asked)) == sorted(EXERCISES)  # 26 checks one again, once it has grown a cache


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_has_blank_check_and_solution_for_each_exercise(path):
    notebook = read(path)
    blanks, solutions = tagged(notebook, "exercise-"), tagged(notebook, "solution-")
    asked = [(name, place) for place, cell in enumerate(notebook.cells) for name in checked(cell)]
    assert set(blanks) == set(solutions) == {name for name, _ in asked} <= set(EXERCISES)
    for name, place in asked:
        assert len(blanks[name]) == len(solutions[name]) == 1, name
        assert blanks[name][0] < place < solutions[name][0], f"{name}: blank, check, solution"


@pytest.mark.parametrize(("path", "name"), PAIRS)
def test_blank_is_blank_and_solution_fills_the_same_names(path, name):
    notebook = read(path)
    blank = notebook.cells[tagged(notebook, "exercise-")[name][0]]
    block = solution(notebook.cells[tagged(notebook, "solution-")[name][0]])
    assert blank.cell_type == "code" and holds_blank(blank.source) and not blank.get("outputs")
    assert not holds_blank(block)
    assert name in names_of(blank.source) == names_of(block)


def solved(notebook):
    """The notebook with its solutions pasted into its blanks."""
    solved = copy.deepcopy(notebook)
    for name, (place,) in tagged(notebook, "solution-").items():
        solved.cells[tagged(notebook, "exercise-")[name][0]].source = solution(notebook.cells[place])
    return solved


def told_by(kernel, source):
    """What a cell of this source prints in the kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    return "\n".join(lines(execute(notebook, NOTEBOOKS[0], kernel).cells[0]))


@pytest.fixture(scope="module")
def kernel():
    """One kernel for all lessons, without threads: starting it and importing take longer than most of them."""
    with one_kernel(NOTEBOOKS[0]) as kernel:
        told_by(kernel, "from zmq.utils.garbage import gc\ngc.start()")  # a thread of the kernel's, for large outputs
        told_by(kernel, "from tests import without_threads\nwithout_threads.refuse_both()")
        yield kernel


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def run(request, kernel):
    """(cells as committed, cells run with the solutions); nbval holds the first to what executing them gives.

    A matplotlib that sets letters in another way paints the first too.
    """
    notebook, path = read(request.param), request.param
    if not matplotlib.__version__.startswith(f"{PAINTED_BY}."):
        told_by(kernel, "%reset -f")
        notebook = cleaned(execute(copy.deepcopy(notebook), path, kernel))
    told_by(kernel, "%reset -f")
    return notebook.cells, cleaned(execute(solved(read(path)), path, kernel)).cells


def lines(cell):
    """What a cell printed; beside it nothing but a picture may have come out."""
    assert {output.output_type for output in cell.outputs} <= {"stream", "display_data"}
    return [line for output in cell.outputs if "text" in output for line in output.text.splitlines()]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_check_prints_a_circle_for_each_blank(path):
    for cell in read(path).cells:
        if asked := checked(cell):
            told = lines(cell)
            assert len(told) == len(asked) and all(line.startswith("○ ") for line in told), told


@pytest.mark.everything
def test_check_prints_right_for_each_solution(run):
    told = [line for cell in run[1] if checked(cell) for line in lines(cell)]
    assert len(told) == sum(len(checked(cell)) for cell in run[1])
    assert all(line.startswith("✓ ") for line in told), told


@pytest.mark.everything
def test_notebook_goes_on_with_solutions_as_committed_with_blanks(run):
    """Pictures by their pixels too, which nbval leaves out; a cell tagged after-… shows what the answer made."""
    compared = 0
    for committed, cell in zip(*run, strict=True):
        after = any(re.match("after-(?!guess)", tag) for tag in committed.metadata.get("tags", []))
        if after:
            assert difference(committed, cell) != "", committed.source
        elif committed.cell_type == "code" and not checked(committed):
            cell.execution_count = committed.execution_count
            assert difference(committed, cell) == "", committed.source
            compared += bool(cell.outputs)
    assert compared > 0


@pytest.mark.everything
def test_a_loop_that_the_reader_writes_trains_the_transformer_of_lesson_12(run):
    printed = [out.get("text", "") for cell in run[1] if cell.cell_type == "code" for out in cell.outputs]
    shares = re.findall(r"^(\d+)% of 100 dates that it has never seen are right", "".join(printed), re.M)
    assert all(int(share) >= 90 for share in shares)
    assert len(shares) == any("one_style" in cell.source for cell in run[0])


def without_its_modules(source):
    """A function's code in one form: without comments and docstrings, and without the modules that its names come from."""

    class Bare(ast.NodeTransformer):
        def visit_Attribute(self, node):
            node = self.generic_visit(node)
            is_module = isinstance(node.value, ast.Name) and node.value.id in {
                "attention",
                "layers",
                "positions",
                "yours",
            }
            return ast.Name(node.attr, node.ctx) if is_module else node

    return ast.unparse(Bare().visit(ast.parse(source)))


EDITED = [pair for pair in PAIRS if hasattr(_exercise(pair.values[1]).solve, "text")]  # of others, no edits are made


@pytest.mark.parametrize(
    ("path", "name"), [pair for pair in EDITED if pair.values[1] not in {"output_rows", "remember"}]
)
def test_folded_answer_is_the_solution_whose_edits_are_the_known_mistakes(path, name):
    """So the code that a reader unfolds is the code of which the check says what was changed."""
    (place,) = tagged(read(path), "solution-")[name]
    assert without_its_modules(solution(read(path).cells[place])) == without_its_modules(_exercise(name).solve.text)
