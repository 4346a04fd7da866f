"""The process that runs one answer: imports the course, shuts itself in, runs the answer, writes down what came of it."""

import ast
import builtins
import json
import linecache
import os
import re
import sys

import numpy as np

from helpers import checks
from helpers.classroom import confinement
from helpers.support import threads

RECORD = "record.npz"
MAGIC = re.compile(r"^([ \t]*)[%!?].*$", re.M)  # what IPython takes and Python does not


def main():
    """Read the job from standard input; leave the record in the folder that it names."""
    job = json.load(sys.stdin)
    with threads.one_for_blas():
        pass  # it looks for NumPy's BLAS among files that are out of reach later
    checks.EXERCISES[job["exercise"]]  # imported before anything of the learner's runs
    kept = confinement.shut_in(job["folder"], job["seconds"], job["megabytes"])
    os.write(1, json.dumps(kept).encode())  # before the answer runs, which then finds this way shut
    os.dup2(2, 1)
    record = collected(job["exercise"], job["cells"], job["place"])
    np.savez(os.path.join(job["folder"], RECORD), **record)


def collected(exercise, cells, place):
    """What comes of the answer that stands in a cell, as `checks.collect` returns it."""
    space = {"__name__": "__main__", "__builtins__": builtins}
    try:
        for part in needed(cells, place):
            try:
                exec(part, space)
            except Exception:
                continue  # a cell that stops somewhere above; if the answer needs it, it will say so
        exec(_compiled(cells[place]), space)
    except BaseException as error:  # SystemExit, too
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        return {"status": "wrong", "message": f"Its cell stops with {text[:150]}{where}."}
    if exercise not in space:
        return {"status": "wrong", "message": f"There is nothing called {exercise} in its cell."}
    try:
        return checks.collect(exercise, space[exercise])
    except KeyboardInterrupt:
        return {"status": "wrong", "message": f"{exercise} stopped with KeyboardInterrupt."}


def _compiled(source):
    """Code of the answer's cell; its lines can be looked up by its name, as those of a cell in Jupyter."""
    source = _without_magic(source)
    linecache.cache["<answer>"] = (len(source), None, source.splitlines(keepends=True), "<answer>")
    return compile(source, "<answer>", "exec")


def _without_magic(source):
    try:
        ast.parse(source)
    except SyntaxError:
        return MAGIC.sub(r"\1pass", source)
    return source


def needed(cells, place):
    """The statements of other cells that bind the names which the answer uses, and the names which those use, in order.

    A lesson's pictures, sliders and checks are left out in this way.
    """
    statements = []
    for number, source in enumerate(cells):
        if number != place:
            try:
                statements += ast.parse(_without_magic(source)).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
    wanted, chosen = _used(ast.parse(_without_magic(cells[place]))) - set(vars(builtins)), set()
    while True:
        more = {k for k, statement in enumerate(statements) if k not in chosen and _bound(statement) & wanted}
        if not more:
            break
        chosen |= more
        wanted |= set().union(*(_used(statements[k]) for k in more))
    for k in sorted(chosen):
        part = _only(statements[k], wanted)
        yield compile(ast.Module([part], type_ignores=[]), "<another cell>", "exec")


def _used(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)}


def _bound(statement):
    """Names that a statement at the top of a cell binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {_name(alias) for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def _name(alias):
    return alias.asname or alias.name.partition(".")[0]


def _only(statement, wanted):
    """An import of several names, cut down to those that are wanted."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        statement.names = [alias for alias in statement.names if _name(alias) in wanted] or statement.names
    return statement


if __name__ == "__main__":
    main()
