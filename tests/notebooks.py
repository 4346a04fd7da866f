"""Which notebooks are lessons, what stands in them, and under which name a helper is imported. Other notebooks are a learner's
own, and no tool touches them."""

import ast
import functools
import json
import math
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"


def lessons(folder=FOLDER):
    """Paths of the lessons of a folder, in order: NN_name.ipynb, and no copies of them."""
    return sorted(path for path in folder.glob("[0-9][0-9]_*.ipynb") if "-Copy" not in path.name)


def cells(lesson, kind):
    """The sources of the "markdown" or "code" cells of a lesson, by its name without the number."""
    return ["".join(cell["source"]) for cell in _all_cells(lesson) if cell["cell_type"] == kind]


def _all_cells(lesson):
    (path,) = [path for path in lessons() if path.stem[3:] == lesson]
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def prose(lesson):
    return "\n".join(cells(lesson, "markdown"))


def function_of(lesson, name):
    """A function as a lesson itself defines it, the last one of this name, with what it imports and defines beside it."""
    return _defined(lesson)[name]


@functools.cache
def _defined(lesson):
    kinds, space = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef), {"np": np, "math": math}
    for cell in _all_cells(lesson):
        if cell["cell_type"] == "code" and not any("exercise" in tag for tag in cell["metadata"].get("tags", [])):
            nodes = [node for node in ast.parse("".join(cell["source"])).body if isinstance(node, kinds)]
            exec(compile(ast.Module(nodes, []), lesson, "exec"), space)
    return space


def after_cell(lesson, *words, **names):
    """The names that are there once the code cells with these words have run, one cell for each of the words."""
    space = {"np": np, **names}
    for each in words:
        (cell,) = [cell for cell in cells(lesson, "code") if each in cell]
        exec(cell, space)
    return space


def rows_of(lesson, heading):
    """The cells of a table, row by row below its heading."""
    body = prose(lesson).partition(heading)[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()[2:]]


def dotted(helper):
    """The name by which a helper is imported, of a module's or a folder's own name: helpers.learning.training, of training."""
    if (ROOT / "helpers" / helper).is_dir():
        return f"helpers.{helper}"
    houses = [ROOT / each for each in ("helpers", "rooms", "workbench")]
    path, *_ = [path.relative_to(ROOT) for each in houses for path in each.rglob(f"{helper}.py")]
    return ".".join(path.with_suffix("").parts)
