"""What a lesson is and how its file is laid out; a learner's own notebooks are left alone by all tools."""

import ast
import json
import re
import sys
from pathlib import Path

import nbformat
import pytest

from tests import refresh_notebooks
from tests.notebooks import FOLDER, lessons, prose
from tests.test_architecture import NETWORK, imported_names, unit

LONGEST_LINE = 106  # letters: 107 fit the editor of JupyterLab in a window of 1280 pixels, beside the file browser


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_lesson_is_laid_out_as_refreshing_lays_it_out(path):
    """No timestamps, no widget state, sorted keys: what a commit changes is what its author changed."""
    refreshed = refresh_notebooks.as_text(refresh_notebooks.cleaned(refresh_notebooks.read(path)))
    assert refreshed == path.read_text(encoding="utf-8"), f"Run python -m tests.refresh_notebooks notebooks/{path.name}"


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_first_explorer_stands_within_the_first_third_of_the_cells(path):
    cells = refresh_notebooks.read(path).cells
    sources = [cell.source if cell.cell_type == "code" else "" for cell in cells]
    first = next(
        place for place, source in enumerate(sources) if re.search(r"\bexplorers\.(explore_|Explorer)", source)
    )
    assert first <= len(cells) / 3, f"It stands in cell {first} of {len(cells)}, counted from 0."


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_lines_of_code_end_before_the_edge_of_their_cell(path):
    """Cells and solutions; `ruff format` knows no other length for notebooks than that of the project's files."""
    cells = refresh_notebooks.read(path).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    code += [part for cell in cells if cell.cell_type == "markdown" for part in cell.source.split("```")[1::2]]
    assert [line for part in code for line in part.splitlines() if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_is_printed_are_numbers_and_words_and_no_verdict_of_a_test(path):
    outputs = [
        output for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] for output in cell.get("outputs", [])
    ]
    printed = "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
    assert re.findall(r"^.*\b(?:True|False)\b.*$", printed, re.M) == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_a_guess_covers_the_cell_that_is_tagged_for_it(path):
    cells = refresh_notebooks.read(path).cells
    asking = [k for k, cell in enumerate(cells) if cell.cell_type == "code" and "covers=True" in cell.source]
    covered = [k for k, cell in enumerate(cells) if "after-guess" in cell.metadata.get("tags", [])]
    assert [k + 1 for k in asking] == covered and all(cells[k].outputs for k in covered)


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_stands_below_a_guess_does_not_give_it_away(path):
    """Not the right answer, and no number of three digits or more that is covered, stands in the first prose that is not."""
    questions = json.loads((FOLDER.parent / "data" / "questions.json").read_text(encoding="utf-8"))
    cells = refresh_notebooks.read(path).cells
    for k, cell in enumerate(cells):
        asked = re.search(r'predict\("([^"]+)"(, covers=True)?', cell.source) if cell.cell_type == "code" else None
        if asked:
            prose_below = next(each.source for each in cells[k + 1 :] if each.cell_type == "markdown")
            below = next(part for part in prose_below.split("\n\n") if not part.startswith("#"))
            assert not re.search(rf"(?<!\w){re.escape(questions[asked[1]]['right'])}(?!\w)", below), asked[1]
            outputs = cells[k + 1].outputs if asked[2] else []
            shown = "".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)
            told = {number.lstrip("0") for number in NUMBER.findall(below)}
            covered = {number.lstrip("0") for number in NUMBER.findall(shown)}
            assert sorted(number for number in told & covered if len(number.replace(".", "")) > 2) == [], asked[1]


NUMBER = re.compile(r"\d*\.?\d+")


def test_nothing_is_left_to_say():
    root = FOLDER.parent
    places = [root / "README.md", root / "data" / "questions.json", *lessons(), *root.glob("helpers/**/*.py")]
    places += [*root.glob("tests/rooms/*/*.py"), *root.glob("tests/rooms/*/*/*.txt")]
    left = [
        f"{path.relative_to(root).as_posix()}:{number}: {line.strip()[:80]}"
        for path in places
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\bTO" + r"DO\b", line)
    ]
    assert not left, "\n" + "\n".join(left)


def test_readme_tells_the_minutes_of_each_route_and_of_all():
    minutes, reading = {}, []
    for path in lessons():
        text = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
        (told,) = re.findall(r"<summary>(\d+) minutes(?:, and (\d+) for the exercises?)? · ", text)
        minutes[path.name[:2]] = sum(int(part or 0) for part in told)
        reading.append(int(told[0]))
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    pattern = re.compile(r"^\| [^|]+ \| (\d\d(?: · \d\d)+|00 to \d\d, in order) \| (\d+) \|$", re.M)
    routes = pattern.findall(readme)
    assert len(routes) == 4
    for route, told in routes:
        named = [each for each in minutes if each <= route[6:8]] if "to" in route else route.split(" · ")
        assert sum(minutes[number] for number in named) == int(told), route
    hours = HOURS[round(sum(minutes.values()) / 60)]
    told = f"All {len(minutes)} lessons take about {hours} hours with their exercises, each {min(reading)} to {max(reading)} minutes to read."
    assert told in " ".join(readme.split())
    assert f"{min(minutes.values())} to {max(minutes.values())} minutes with its exercises" in prose("who_is_she")


HOURS = {
    15: "fifteen",
    16: "sixteen",
    17: "seventeen",
    18: "eighteen",
    19: "nineteen",
    20: "twenty",
    21: "twenty-one",
    22: "twenty-two",
}


# --- house style -----------------------------------------------------------------------------------------------------

MAX_LINES, MAX_BYTES = 15, 700_000
ONLY_SHOWS = re.compile(r"(?:explorers\.(?:explore_|predict|your_)|checks\.check\()[^\n]*\Z")
IGNORES_OUTPUT = re.compile(r"nbval[-_](ignore[-_]output|skip)|PYTEST_VALIDATE_IGNORE_OUTPUT", re.I)
MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|Users|tmp|private|opt|mnt|srv|work|workspaces?)/|\b[A-Z]:\\+\w")
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
IMAGE = re.compile(r"<img\b[^>]*>", re.I)
ALTERNATIVE = re.compile(r"""\balt=("[^"]*\w[^"]*"|'[^']*\w[^']*')""")
REMOTE_IMAGE = re.compile(r"""!\[[^]]*\]\(\s*https?:|<img\b[^>]*\bsrc=["']?https?:""", re.I)
EMPTY_ALTERNATIVE = re.compile(r"!\[\s*\]\(")
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "name": "python", "nbconvert_exporter": "python"},
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
        if MACHINE_PATH.search(shown) or str(FOLDER.parent) in shown:
            yield "shows a path of the machine that ran it"
        if ADDRESS.search(shown):
            yield "shows a memory address, which changes in every run"


IMPORTED = {"numpy", "matplotlib", "gguf"}  # the last one where lesson 24 finds an installed model


def code_faults(cell):
    if len(cell.source.splitlines()) > MAX_LINES:
        yield f"has {len(cell.source.splitlines())} lines, at most {MAX_LINES} fit a screen"
    if ONLY_SHOWS.match(cell.source) and not cell.metadata.get("jupyter", {}).get("source_hidden"):
        yield "is only a picture, a guess or a check, and must be closed"
    if re.search(r"# (?:noqa|fmt:)", cell.source):
        yield "speaks to a tool rather than to its reader"
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
        elif (
            not name.startswith(("helpers.", "rooms.", "workbench."))
            and unit(name) not in IMPORTED | sys.stdlib_module_names
        ):
            yield f"imports {name}: notebooks import the course, numpy and matplotlib"
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


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_notebook_keeps_the_house_style(path):
    faults = notebook_faults(nbformat.read(path, as_version=4))
    size = path.stat().st_size
    if size > MAX_BYTES:
        faults.append(f"file: has {size:,} bytes, at most {MAX_BYTES:,} load quickly")
    if not re.fullmatch(r"\d\d_[a-z0-9]+(_[a-z0-9]+)*\.ipynb", path.name):
        faults.append("file: must be named NN_verb_phrase.ipynb")
    assert not faults, "\n".join(f"{path.name} {fault}" for fault in faults)
