"""The notebooks keep the house style."""

import ast
import re
import sys
from pathlib import Path

import nbformat
import pytest

from tests.lessons import lessons
from tests.test_architecture import NETWORK, imported_names, unit

ROOT = Path(__file__).parents[1]
NOTEBOOKS = lessons()
MAX_LINES, MAX_BYTES = 15, 700_000
IGNORES_OUTPUT = re.compile(r"nbval[-_](ignore[-_]output|skip)|PYTEST_VALIDATE_IGNORE_OUTPUT", re.I)
MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|Users|tmp|private|opt|mnt|srv|work|workspaces?)/|\b[A-Z]:\\+\w")
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
IMAGE = re.compile(r"<img\b[^>]*>", re.I)
ALTERNATIVE = re.compile(r"""\balt=("[^"]*\w[^"]*"|'[^']*\w[^']*')""")
REMOTE_IMAGE = re.compile(r"""!\[[^]]*\]\(\s*https?:|<img\b[^>]*\bsrc=["']?https?:""", re.I)
EMPTY_ALTERNATIVE = re.compile(r"!\[\s*\]\(")
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def output_faults(cell):
    tags = cell.metadata.get("tags", [])
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "stream" and output.name == "stderr":
            yield "writes to stderr"
        if output.output_type == "error" and "raises-exception" not in tags:
            yield f"ends in {output.ename} without the tag raises-exception"
        if any("widget-view" in kind or "widget-state" in kind for kind in data):
            yield "stores a widget's id, which changes in every run"
        html = "".join(data.get("text/html", ""))
        if "image/png" in data and not html:
            yield "shows a picture without a text alternative"
        if any(not ALTERNATIVE.search(image) for image in IMAGE.findall(html)):
            yield "has an <img> without alt text"
        shown = "".join(data.get("text/plain", "")) + html + "".join(output.get("text", ""))
        if MACHINE_PATH.search(shown) or str(ROOT) in shown:
            yield "shows a path of the machine that ran it"
        if ADDRESS.search(shown):
            yield "shows a memory address, which changes in every run"


IMPORTED = {"numpy", "matplotlib", "gguf"}  # the last one where lesson 24 finds an installed model


def code_faults(cell):
    if len(cell.source.splitlines()) > MAX_LINES:
        yield f"has {len(cell.source.splitlines())} lines, at most {MAX_LINES} fit a screen"
    tags = " ".join(cell.metadata.get("tags", []))
    if IGNORES_OUTPUT.search(cell.source) or IGNORES_OUTPUT.search(tags):
        yield "hides its output from the tests"
    try:
        names = imported_names(ast.parse(cell.source))
    except SyntaxError:
        yield "is not plain Python (a magic or a shell line?)"
        names = set()
    for name in sorted(names):
        if unit(name) in NETWORK:
            yield f"imports {name}: lessons need no network"
        elif not name.startswith("helpers.") and unit(name) not in IMPORTED | sys.stdlib_module_names:
            yield f"imports {name}: notebooks import helpers, numpy and matplotlib"
    yield from output_faults(cell)


def prose_faults(cells):
    """Faults of the prose: (cell number, sentence) for each."""
    run = []
    for number, cell in enumerate(cells, start=1):
        run = [*run, cell] if cell.cell_type == "markdown" else []
        folded = any("<details" in each.source for each in run)
        if len(run) == (4 if folded else 3):
            yield number, f"is prose cell {len(run)} in a row"
        if cell.cell_type == "markdown":
            if REMOTE_IMAGE.search(cell.source):
                yield number, "loads a remote picture"
            images = IMAGE.findall(cell.source)
            if EMPTY_ALTERNATIVE.search(cell.source) or any(not ALTERNATIVE.search(image) for image in images):
                yield number, "shows a picture without alt text"


def notebook_faults(notebook):
    """Every way in which a notebook leaves the house style, as `cell 7 ("rng = …"): has 18 lines …`."""
    cells = notebook.cells
    code = [(number, cell) for number, cell in enumerate(cells, start=1) if cell.cell_type == "code"]
    found = [(number, fault) for number, cell in code for fault in code_faults(cell)]
    found += prose_faults(cells)
    for count, (number, cell) in enumerate((pair for pair in code if pair[1].source.strip()), start=1):
        if cell.execution_count != count:
            found.append((number, f"has execution count {cell.execution_count}, in one run from the top it is {count}"))
            break
    named = []
    for number, fault in sorted(found):
        first_line = (cells[number - 1].source.strip() or "empty").splitlines()[0][:40]
        named.append(f'cell {number} ("{first_line}"): {fault}')
    metadata = {name: value for name, value in notebook.metadata.items() if name != "lesson"}  # which rows it teaches
    if metadata != METADATA:
        named.append(f"metadata: must be {METADATA}, got {metadata}")
    return named


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook_keeps_the_house_style(path):
    faults = notebook_faults(nbformat.read(path, as_version=4))
    size = path.stat().st_size
    if size > MAX_BYTES:
        faults.append(f"file: has {size:,} bytes, at most {MAX_BYTES:,} load quickly")
    if not re.fullmatch(r"\d\d_[a-z0-9]+(_[a-z0-9]+)*\.ipynb", path.name):
        faults.append("file: must be named NN_verb_phrase.ipynb")
    assert not faults, "\n".join(f"{path.name} {fault}" for fault in faults)
