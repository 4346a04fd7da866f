"""The explorers of the lessons, recorded for pages without Python.

python -m web.played notebooks/02_attend_by_hand.ipynb web/_build/played/02_attend_by_hand

runs the cells of one lesson and writes what they show into that folder: cells.json, cell number → HTML of what moves, and of pictures
that are drawn in two widths; modules.json, whose code that took; and the recordings that the HTML reads. `record_all` does so for all
lessons, each in a process of its own, and keeps what is up to date.
"""

import ast
import contextlib
import gzip
import hashlib
import importlib.metadata
import io
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from tests import walking

ROOT = Path(__file__).resolve().parents[1]
KILOBYTES = 96  # of all recordings of a lesson, compressed: what an early one spares, a later one may have
STATIC = "../_static/"  # seen from a lesson's page
PLACE = f"{STATIC}players/"  # of the recordings
MODELS = {"letters": ["writer.js", "letters.js", "writing.js"]}  # what an explorer says of itself: what computes it


def record_all(paths, folder):
    """Record the explorers of some lessons.

    Parameters
    ----------
    paths : of the notebooks
    folder : where the recordings are kept from one build to the next, one folder for each lesson

    Returns
    -------
    dict path -> dict cell number -> HTML

    Raises
    ------
    RuntimeError
        If a lesson cannot be run or recorded; the message names it and ends with what it said.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        told = pool.map(lambda path: record_lesson(path, folder / path.stem), paths)
        return dict(zip(paths, told))


def record_lesson(path, folder):
    """Record one lesson in a process of its own, unless that was done from the same code."""
    key = folder / "key.txt"
    if not key.exists() or key.read_text(encoding="utf-8") != fingerprint(path, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
        environment["MY_MODEL"] = str(folder.resolve() / "my_model.py")  # nobody's: the pages show what a beginner sees
        command = [sys.executable, "-m", "web.played", str(path.resolve()), str(folder.resolve())]
        done = subprocess.run(
            command, cwd=path.parent, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        if done.returncode:
            raise RuntimeError(f"{path.name} could not be recorded.\n{done.stderr.strip()[-2000:]}")
        key.write_text(fingerprint(path, folder), encoding="utf-8")
    cells = json.loads((folder / "cells.json").read_text(encoding="utf-8"))
    return {int(number): html for number, html in cells.items()}


def fingerprint(path, folder):
    """Of all that a recording was made from: the cells, the modules that they loaded, the data and the style of all figures."""
    modules = [ROOT / name for name in json.loads((folder / "modules.json").read_text(encoding="utf-8"))]
    data = [file for file in (ROOT / "data").iterdir() if file.suffix in {".jpg", ".json", ".npz"}]
    data += [*(ROOT / "workbench").rglob("*.mplstyle"), walking.file_of(path)]
    cells = nbformat.read(path, as_version=4).cells
    total = hashlib.sha256("\n".join(cell.source for cell in cells if cell.cell_type == "code").encode())
    for file in sorted([*modules, *data]):
        total.update(file.read_bytes() if file.exists() else b"")
    versions = [importlib.metadata.version(name) for name in ("numpy", "matplotlib", "ipywidgets", "pillow")]
    return f"{total.hexdigest()} {versions} {sys.version_info[:2]}"


# --- one lesson, in its own process ----------------------------------------------------------------------------------


def main(path, folder):
    from helpers import language_model
    from helpers.models import bert
    from rooms.shared import model_readings
    from workbench.pictures.html import in_both_widths
    from workbench.recording import record

    bert.find_weights = language_model.find = lambda: None  # a page shows what is stored, on every machine the same
    model_readings.reread = lambda name, off: None  # four more walls are 320 kB: the page says “with all heads on”
    shown, sources, cells, names = {}, {}, {}, {"__name__": "__main__"}
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                value = run(cell.source, names, f"cell {number} of {Path(path).name}")
            if record.is_playable(value):
                shown[number], sources[number] = value, cell.source
            elif 'class="only-narrow"' in getattr(value, "html", ""):
                cells[number] = f'<div class="drawn">{in_both_widths(value.html)}</div>'
    asked, left = asked_for(Path(path), shown, sources), KILOBYTES
    shares = {number: getattr(value, "share", 1) for number, value in shown.items()}
    for number, value in shown.items():
        kilobytes = left * shares[number] / sum(share for k, share in shares.items() if k >= number)
        kilobytes = max(kilobytes, getattr(value, "kilobytes", 0))
        computed = [STATIC + script for script in MODELS.get(getattr(value, "computed_by", None), ())]
        name = f"{Path(path).stem[:2]}-{number}"
        made = record.recorded(value, name, PLACE, kilobytes=kilobytes, computed=computed, asked=asked.get(number, ()))
        cells[number] = made.html
        for name, data in made.files.items():
            Path(folder, name).write_bytes(data)
            left -= len(gzip.compress(data, 6)) / 1000
    Path(folder, "cells.json").write_text(json.dumps(cells), encoding="utf-8")
    files = {Path(module.__file__) for module in list(sys.modules.values()) if getattr(module, "__file__", None)}
    ours = sorted(file.relative_to(ROOT).as_posix() for file in files if file.is_relative_to(ROOT))
    Path(folder, "modules.json").write_text(json.dumps(ours), encoding="utf-8")


def asked_for(path, shown, sources):
    """The states that the numbered questions of a lesson lead to, by the walk through it: dict cell number -> list of states."""
    from workbench.recording.states import Reach

    found, starts, at = {}, {}, -1
    for kind, rest in walking.lines(path):
        if kind == "explorer":
            at = next(number for number in shown if number > at and f"explorers.{rest}(" in sources[number])
            reach = Reach(shown[at])
            starts[at], found[at] = reach.state(), []
        elif kind in walking.MOVES:
            walking.move(shown[at], kind, rest)
            found[at].append(reach.state())
    for number, state in starts.items():
        Reach(shown[number]).place(state)
    return found


def run(source, names, place):
    """Run a cell as a notebook does; returns the value of its last line, if that has one."""
    body = ast.parse(source, place)
    last = ast.Expression(body.body.pop().value) if body.body and isinstance(body.body[-1], ast.Expr) else None
    exec(compile(body, place, "exec"), names)
    return eval(compile(last, place, "eval"), names) if last else None


if __name__ == "__main__":
    main(*sys.argv[1:])
