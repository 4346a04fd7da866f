"""data/README.md has a row for every file in its folder, with its size, and names scripts that are there; damage is named."""

import ast
import json
import re
from pathlib import Path

import pytest

from helpers.support import data_files
from rooms.let_it_write import colour_names
from rooms.shared import french, questions

DATA = Path(__file__).parents[1] / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")
COLUMNS = ["file", "what it is", "source", "licence", "size", "how it is made"]
SCRIPTS = sorted((DATA / "made_by").glob("*.py"))
CLOSE = 0.2  # of the size that a row tells


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table():
    """List of rows, dict column -> words; the first table is that of the files."""
    first, _, *lines = README[README.index("| file") :].partition("\n\n")[0].splitlines()
    assert cells(first) == COLUMNS
    return [dict(zip(COLUMNS, cells(line), strict=True)) for line in lines]


ROWS = {row["file"].strip("`"): row for row in table()}


def test_table_has_a_row_for_each_file_in_the_order_of_the_alphabet():
    files = sorted(path.name for path in DATA.iterdir() if path.is_file() and path.name != "README.md")
    assert list(ROWS) == files and len(table()) == len(files)


@pytest.mark.parametrize("name", ROWS)
def test_row_says_the_size_and_leaves_nothing_out(name):
    told = float(re.fullmatch(r"(\d+(?:\.\d)?) kB", ROWS[name]["size"])[1])
    size = (DATA / name).stat().st_size / 1000
    assert abs(size - told) <= CLOSE * told, f"{name} has {size:.1f} kB"
    assert all(ROWS[name].values())


@pytest.mark.parametrize("name", ROWS)
def test_scripts_that_a_row_names_are_there(name):
    scripts = re.findall(r"python (data/\S+\.py)", ROWS[name]["how it is made"])
    assert all((DATA.parent / script).is_file() for script in scripts)
    assert scripts or not name.endswith(".npz")


def test_every_script_makes_a_file_that_says_so():
    told = {
        script
        for row in ROWS.values()
        for script in re.findall(r"python data/made_by/(\S+\.py)", row["how it is made"])
    }
    assert told == {script.name for script in SCRIPTS}


COUNTED = {name: row for name, row in ROWS.items() if re.search(r"[\d,]+ numbers in", row["what it is"])}


@pytest.mark.parametrize("name", COUNTED)
def test_row_of_a_trained_model_counts_its_numbers_and_their_bits(name):
    told, bits = re.search(r"([\d,]+) numbers in (\d\d)-bit floats", COUNTED[name]["what it is"]).groups()
    arrays = data_files.arrays(DATA / name).values()
    assert f"{sum(array.size for array in arrays):,}" == told and {8 * array.itemsize for array in arrays} == {
        int(bits)
    }


def test_rows_of_texts_say_how_many_there_are():
    assert len(COUNTED) == 6
    for name in ("french_model.npz", "french_shared_model.npz"):
        assert f"{len(french.sentences()):,} sentences" in ROWS[name]["source"]
    lines = colour_names.lines()
    assert ROWS["colour_names.txt"]["what it is"].startswith(f"{len(lines)} names")
    assert f"more than {max(map(len, lines))} signs" in ROWS["colour_names.txt"]["what it is"]
    (told,) = re.findall(r"A line of `colour_names.txt` has (\d+) tokens", " ".join(README.split()))
    assert round(sum(len(line) + 1 for line in lines) / len(lines)) == int(told)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_ask_the_helpers_for_what_is_there(script):
    nodes = list(ast.walk(ast.parse(script.read_text(encoding="utf-8"))))
    taken = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module.partition(".")[0] == "helpers"]
    space = {}
    for each in taken:
        exec(ast.unparse(each), space)  # fails where a name is not there
    asked = [n for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in space]
    assert [f"{n.value.id}.{n.attr}" for n in asked if not hasattr(space[n.value.id], n.attr)] == []


# --- the questions, damaged --------------------------------------------------------------------------------------------

QUESTIONS = questions.PATH.read_text(encoding="utf-8")
FIRST = next(iter(json.loads(QUESTIONS)))  # the question that is damaged below


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("null", "must hold an object, but it holds NoneType"),
        ("7", "must hold an object, but it holds int"),
        (
            QUESTIONS.replace('"question"', '"puestion"', 1),
            f"must have question, replies and right for '{FIRST}'",
        ),
        (QUESTIONS.replace('"replies": {', '"replies": [], "x": {', 1), "must have question, replies and right"),
        ("[" * 200_000, "must hold JSON, but its brackets have no end"),
    ],
    ids=["null", "number", "another key", "no replies", "brackets"],
)
def test_damaged_questions_are_named_with_their_file(monkeypatch, tmp_path, text, message):
    path = tmp_path / "data" / "questions.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(questions, "PATH", path)
    with pytest.raises(ValueError, match=rf"^data/questions\.json {message}"):
        questions.predict(FIRST)
