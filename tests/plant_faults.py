"""Plant faults, one at a time, in a copy of the course, and print which tests see each: what lives needs a test.

python -m tests.plant_faults --number 60 --seed 3 [--only workbench] [--map FILE]

A fault is an operator, a comparison, a number or a `not` in a line that some test runs. Which tests run which line is measured
once, which takes as long as the first tier with coverage; --map keeps it in a file, or reads it from there. What lives through
these tests is looked for on the pages, which the second tier holds against what is committed, pictures included.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOUSES = ("helpers", "workbench", "rooms")
COPIED = (*HOUSES, "tests", "notebooks", "data", "web", "hub", ".ci", ".github")
PYTEST = ("pytest", "-q", "-x", "-p", "no:cacheprovider")
FEW = 60  # tests that are asked first; what lives through them is asked by all that run the line
OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Mod: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.MatMult: ast.Add, ast.Pow: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.plant_faults", description=__doc__.split("\n")[0])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=HOUSES, help="one building")
    parser.add_argument("--map", type=Path, help="a file for which tests run which line")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "course"
        laid_out(copy)
        reached = read_map(options.map, copy)
        places = [place for place in sorted(reached) if place.startswith(options.only or "")]
        chance, found = random.Random(options.seed), {True: [], False: []}
        while sum(map(len, found.values())) < options.number:
            path, line = chance.choice(places).rsplit(":", 1)
            fault = planted((copy / path).read_text(encoding="utf-8"), int(line), chance)
            if fault:
                died = tried(copy, path, fault[0], reached[f"{path}:{line}"])
                found[bool(died)].append(path)
                print(f"{'died ' if died else 'LIVES'}  {path}:{line}  {fault[1]}  {died or ''}", flush=True)
    print(f"{len(found[True])} died, {len(found[False])} live.")
    return 0


def laid_out(copy):
    """Copy what the tests need."""
    copy.mkdir()
    for name in COPIED:
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "_build", ".ipynb_checkpoints")
        )
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copyfile(path, copy / path.name)


def run(copy, module, *arguments):
    """Call a module in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, encoding="utf-8")


def read_map(file, copy):
    """dict "path:line" -> list of the tests that run it."""
    if file and file.is_file():
        return json.loads(file.read_text(encoding="utf-8"))
    from coverage import CoverageData

    houses = [f"--cov={house}" for house in HOUSES]
    shared = ["-n", str((os.cpu_count() or 1) + 1), "--dist", "loadfile"]  # said here, so that pytest-cov knows of them
    asked = ["--maxfail=100", "--ignore=tests/browser", "--cov-context=test", "--cov-report="]
    run(copy, *PYTEST, "tests", *shared, *asked, *houses)
    data, reached = CoverageData(str(copy / ".coverage")), {}
    data.read()
    for path in data.measured_files():
        for line, contexts in data.contexts_by_lineno(path).items():
            tests = sorted({each.partition("|")[0] for each in contexts if each})
            if tests:
                reached[f"{Path(path).relative_to(copy).as_posix()}:{line}"] = tests
    if not reached:
        sys.exit("No test told which lines it ran: does the first tier run, with pytest-cov?")
    if file:
        file.write_text(json.dumps(reached), encoding="utf-8")
    return reached


def planted(source, line, chance):
    """The source with one fault in a line, and the fault in words; None where the line has nothing to be changed."""
    tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if getattr(node, "lineno", 0) == line == getattr(node, "end_lineno", 0)]
    ways = [way for node in nodes for way in ways_of(node)]
    if not ways:
        return None
    node, old, new = chance.choice(ways)
    lines = source.splitlines(keepends=True)
    text = lines[line - 1].encode()
    before, after = text[: node.col_offset], text[node.end_col_offset :]
    lines[line - 1] = (before + f"({new})".encode() + after).decode()
    changed = "".join(lines)
    try:
        compile(changed, "<fault>", "exec")
    except SyntaxError:  # in a place that takes no brackets
        return None
    return changed, f"{old} => {new}"


def ways_of(node):
    """(node, its text, another text) for each way to spoil a node."""
    old = ast.unparse(node)
    if isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in OTHER:
        yield node, old, ast.unparse(swapped(node, "op", OTHER[type(node.op)]()))
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield node, old, ast.unparse(swapped(node, "ops", [OTHER[type(node.ops[0])](), *node.ops[1:]]))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node, old, ast.unparse(node.operand)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node, old, repr(node.value + 1)


def swapped(node, field, value):
    return type(node)(**{**{name: getattr(node, name) for name in node._fields}, field: value})


def tried(copy, path, changed, tests):
    """The first test or page that sees a fault, or "" if it lives."""
    file = copy / path
    whole = file.read_text(encoding="utf-8")
    file.write_text(changed, encoding="utf-8")
    try:
        for some in (tests[:FEW], tests[FEW:]):
            done = run(copy, *PYTEST, "-n", "0", *some) if some else None
            if done and done.returncode:
                failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
                return failed[0][:140] if failed else "at import"
        own = [str(page) for page in copy.glob(f"notebooks/*_{Path(path).parts[1]}.ipynb")]  # of a room; else all
        done = run(copy, "tests.refresh_notebooks", "--check", *own)
        return f"PAGE {done.stdout[:140]}" if done.returncode else ""
    finally:
        file.write_text(whole, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
