"""Exercises in the notebooks: a blank, a check below it, a folded solution that is right, and nothing that needs it."""

import ast
import copy
import re
import uuid

import nbformat
import pytest

from helpers.checks import EXERCISES
from tests.lessons import lessons
from tests.refresh_notebooks import cleaned, execute, steady

NOTEBOOKS = lessons()


def read(path):
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
    return any(isinstance(node, ast.Constant) and node.value is ... for node in ast.walk(ast.parse(source)))


PAIRS = [
    pytest.param(path, name, id=f"{path.stem}: {name}")
    for path in NOTEBOOKS
    for name in tagged(read(path), "exercise-")
]
WITH_EXERCISES = [path for path in NOTEBOOKS if tagged(read(path), "exercise-")]


def test_notebooks_ask_for_every_exercise_of_the_checker():
    asked = [name for path in NOTEBOOKS for cell in read(path).cells for name in checked(cell)]
    assert sorted(asked) == sorted(EXERCISES)


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


def twice(notebook):
    """The notebook with its blanks, then, all names forgotten, the notebook with its solutions: one kernel for both."""
    blank, solved = copy.deepcopy(notebook), copy.deepcopy(notebook)
    for name, (place,) in tagged(notebook, "solution-").items():
        solved.cells[tagged(notebook, "exercise-")[name][0]].source = solution(notebook.cells[place])
    both = copy.deepcopy(notebook)
    both.cells = [*blank.cells, nbformat.v4.new_code_cell("%reset -f"), *solved.cells]
    for cell in both.cells:
        cell.id = uuid.uuid4().hex[:8]
    return both


@pytest.fixture(scope="module", params=WITH_EXERCISES, ids=lambda path: path.stem)
def run(request):
    """(path, cells run with the blanks, cells run with the solutions)"""
    notebook = read(request.param)
    cells = cleaned(execute(twice(notebook), request.param)).cells
    return request.param, cells[: len(notebook.cells)], cells[len(notebook.cells) + 1 :]


def lines(cell):
    """What a cell printed, and nothing else may have come out of it."""
    assert {output.output_type for output in cell.outputs} <= {"stream"}
    return [line for output in cell.outputs for line in output.text.splitlines()]


def test_check_prints_a_circle_for_each_blank(run):
    _, blank, _ = run
    for cell in blank:
        if asked := checked(cell):
            told = lines(cell)
            assert len(told) == len(asked) and all(line.startswith("○ ") for line in told), told


def test_check_prints_right_for_each_solution(run):
    _, _, solved = run
    told = [line for cell in solved if checked(cell) for line in lines(cell)]
    assert len(told) == sum(len(checked(cell)) for cell in solved) > 0
    assert all(line.startswith("✓ ") for line in told), told


def comparable(cell):
    """Outputs without the number of the cell, and without what only one run measures."""
    return [{key: part for key, part in output.items() if key != "execution_count"} for output in steady(cell)]


def test_notebook_goes_on_the_same_with_blanks_and_with_solutions(run):
    _, blank, solved = run
    compared = 0
    for one, other in zip(blank, solved, strict=True):
        if one.cell_type == "code" and not checked(one):
            assert comparable(one) == comparable(other)
            compared += bool(one.outputs)
    assert compared > 0


def test_twice_pastes_the_solution_and_keeps_the_blank():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("def f(x):\n    ...", metadata={"tags": ["exercise-f"]}),
            nbformat.v4.new_code_cell('checks.check("f", f)'),
            nbformat.v4.new_markdown_cell(
                "<details><summary>Solution</summary>\n\n```python\ndef f(x):\n    return x\n```\n\n</details>",
                metadata={"tags": ["solution-f"]},
            ),
        ]
    )
    sources = [cell.source for cell in twice(notebook).cells]
    assert sources[0] == "def f(x):\n    ..." and sources[4] == "def f(x):\n    return x\n"
    assert checked(notebook.cells[1]) == ["f"] and checked(notebook.cells[2]) == []
    assert holds_blank(sources[0]) and not holds_blank(sources[4]) and names_of("a = b, c = f(x)\n") == {"a", "b", "c"}
