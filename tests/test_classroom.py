"""A class handed in: every answer is told what a lesson tells."""

import copy
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import checks
from helpers.classroom import __main__ as command
from helpers.classroom import judging, notebooks, overview, worker
from tests.lessons import lessons

ROOT = Path(__file__).parents[1]
LESSONS = {path.name[:2]: path for path in lessons()}
RIGHT = """def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""
OVERFLOWS = """def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)
"""


def solutions():
    """List of (lesson, exercise, source of its cell): what the folded solutions say."""
    found = []
    for number, path in LESSONS.items():
        for cell in nbformat.read(path, as_version=4).cells:
            for tag in cell.metadata.get("tags", []):
                if tag.startswith("solution-"):
                    (block,) = re.findall(r"^```python\n(.*?)^```$", cell.source, re.S | re.M)
                    found.append((number, tag.removeprefix("solution-"), block))
    return found


def hand_in(path, lesson, answers):
    """Write a copy of a lesson with answers in the place of its blanks."""
    notebook = copy.deepcopy(nbformat.read(LESSONS[lesson], as_version=4))
    for cell in notebook.cells:
        for tag in cell.metadata.get("tags", []):
            if tag.removeprefix("exercise-") in answers:
                cell.source = answers[tag.removeprefix("exercise-")]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def judged(folder, **how):
    answers, unread = notebooks.read(folder)
    assert unread == []
    return judging.judge_all(answers, **how)


# --- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.everything
def test_every_solution_is_right_when_it_runs_alone(tmp_path):
    together = {}
    for number, exercise, source in solutions():
        together.setdefault(number, {})[exercise] = source
    for number, answers in together.items():
        hand_in(tmp_path / f"ada_{LESSONS[number].name}", number, answers)
    said = {one.answer.exercise: (one.status, one.message) for one in judged(tmp_path)}
    assert {name: words for name, words in said.items() if words[0] != "right"} == {}
    assert set(said) == set(checks.EXERCISES)


def answer(source, *others, name="softmax"):
    """An answer among other cells of its notebook; it stands last."""
    cells = ["import math\nimport numpy as np\nfrom helpers import attention, checks, explorers", *others, source]
    return notebooks.Answer("ada", "01 Is there a B in it?", name, cells, len(cells) - 1)


def travelled(record):
    file = io.BytesIO()
    np.savez(file, **record)
    return judging._unpacked(file.getvalue())


def collected(source, *others, name="softmax"):
    """What the worker says, here, for answers that do no harm."""
    _, _, _, cells, place = answer(source, *others, name=name)
    record = worker.collected(name, cells, place)
    return checks.judge(name, travelled(record))


@pytest.mark.parametrize(
    ("source", "others"),
    [
        (RIGHT, []),
        ("%timeit 1\n!ls\n" + RIGHT, ["%matplotlib inline"]),
        (RIGHT.replace("powers.sum(axis=-1, keepdims=True)", "total(powers)"), ["def total(p):\n    return rows(p)",
         "rows = lambda p: p.sum(axis=last, keepdims=True)", "if True:\n    last = -1", "this is no Python", "1 / 0"]),
        (RIGHT + "\nchecks.check('softmax', softmax)\nprint(softmax(np.zeros(3)))", []),
    ],
)  # fmt: skip
def test_answer_finds_what_it_needs_in_other_cells(source, others):
    assert collected(source, *others).status == "right"


def test_only_what_an_answer_needs_is_run():
    parts = list(worker.needed(answer(RIGHT, "x = explorers.explore_ask_for_b()").cells, 2))
    assert len(parts) == 1 and parts[0].co_names == ("numpy", "np")


@pytest.mark.parametrize(
    "source", [OVERFLOWS, "def softmax(scores):\n    ...", "def softmax(scores):\n    return scores"]
)
def test_answer_is_told_what_the_lesson_tells(source):
    space = {"np": __import__("numpy")}
    exec(source, space)
    told = checks.EXERCISES["softmax"](space["softmax"])
    assert collected(source).status == told.status
    assert told.status == "blank" or collected(source).message == told.message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def softmax(scores)\n    return 1", "Its cell stops with SyntaxError: .*line 1"),
        ("softmax = nobody", "Its cell stops with NameError: name 'nobody'"),
        ("def sofmax(scores):\n    return 1", "There is nothing called softmax in its cell"),
        ("raise SystemExit", "Its cell stops with SystemExit"),
        ("def softmax(scores):\n    raise KeyboardInterrupt", "softmax stopped with KeyboardInterrupt"),
    ],
)
def test_cell_that_stops_is_named(source, message):
    told = collected(source)
    assert told.status == "wrong" and re.match(message, told.message), told


# --- which cell, which learner ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "learner", "number"),
    [
        (["ada_01_ask_for_a_b.ipynb"], "ada", "01"),
        (["ada__01_ask_for_a_b-Copy1.ipynb"], "ada", "01"),
        (["Lovelace Ada_81523_assignsubmission_file_01_ask_for_a_b.ipynb"],
         "Lovelace Ada_81523_assignsubmission_file", "01"),
        (["ada", "01_ask_for_a_b.ipynb"], "ada", "01"),
        (["ada", "02", "01_ask_for_a_b.ipynb"], "ada", "01"),
        (["02_query", "ada", "01_ask_for_a_b.ipynb"], "ada", "01"),
        (["02", "ada_01_ask_for_a_b.ipynb"], "ada", "01"),
        (["01_ask_for_a_b.ipynb"], "", "01"),
        (["ada", "homework.ipynb"], "ada", ""),
        (["a\x1b[2Jda", "homework.ipynb"], "a·[2Jda", ""),
    ],
)  # fmt: skip
def test_names_are_read_from_folders_and_files(places, learner, number):
    assert notebooks._names(places) == (learner, number)


BLANK = "def softmax(scores):\n    ..."
CHECK = 'checks.check("softmax", softmax)'


@pytest.mark.parametrize(
    ("sources", "tagged", "place"),
    [
        ([RIGHT, BLANK, CHECK], 1, 1),  # the lesson shows one of its own first
        ([RIGHT, BLANK, OVERFLOWS, CHECK], 1, 2),  # written in a new cell
        ([BLANK, CHECK, RIGHT], 0, 0),  # below its check: it was never asked
        ([BLANK, CHECK, RIGHT, CHECK], 0, 2),  # and now it was
        ([OVERFLOWS, RIGHT, CHECK], None, 1),  # the tag is lost
        ([CHECK], None, None),  # the cell is gone
        (["x = 1", "sofmax = 2", CHECK], 1, 1),  # the name is
        (["softmax = lambda scores: 1", CHECK], 0, 0),
    ],
)  # fmt: skip
def test_the_answers_cell_is_found(sources, tagged, place, tmp_path):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    if tagged is not None:
        cells[tagged].metadata["tags"] = ["exercise-softmax"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "ada_01_ask.ipynb")
    ((found,), _) = notebooks.read(tmp_path)
    assert (found.exercise, found.place) == ("softmax", place)


def test_files_that_are_no_notebooks_are_named(tmp_path):
    texts = {"a": "", "b": "[]", "c": "[" * 100_000, "d": '{"cells": 3}', "e": '{"cells": [{"cell_type": "code"}]}'}
    texts |= {"f": '{"cells": [{"cell_type": "code", "source": 3}]}', "g": "\ud800", "h": "null"}
    for name, text in texts.items():
        (tmp_path / f"{name}_01_ask.ipynb").write_bytes(text.encode("utf-8", "surrogatepass"))
    (tmp_path / ".ipynb_checkpoints").mkdir()
    hand_in(tmp_path / ".ipynb_checkpoints" / "ada_01_ask.ipynb", "01", {})
    if os.name == "posix":
        outside = hand_in(tmp_path.parent / "outside.ipynb", "01", {})
        (tmp_path / "i_01_ask.ipynb").symlink_to(outside)
        os.mkfifo(tmp_path / "j_01_ask.ipynb")
    answers, unread = notebooks.read(tmp_path)
    assert answers == [] and len(unread) == len(texts) + 2 * (os.name == "posix")
    assert all(re.match("is (no notebook|a link)", file.reason) for file in unread)


# --- the overview ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    """Six learners: (folder, what the command prints, the page, the rows for a gradebook)."""
    folder = tmp_path_factory.mktemp("class")
    name = LESSONS["01"].name
    for learner, source in {
        "Ada": RIGHT, "Ben": OVERFLOWS, "Cem": OVERFLOWS, "Dora": BLANK, "=Eve<b>": "def softmax(scores):\n    return -scores",
    }.items():  # fmt: skip
        hand_in(folder / learner / name, "01", {"softmax": source})
    hand_in(folder / "Dora" / name.replace(".", "-Copy1."), "01", {"softmax": RIGHT})
    hand_in(folder / "Fay" / LESSONS["06"].name, "06", {})
    done = subprocess.run(
        [sys.executable, "-m", "helpers.classroom", folder, folder / "page.html", "--csv", folder / "grades.csv"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = (folder / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    return folder, done.stdout, (folder / "page.html").read_text(encoding="utf-8"), rows


def test_class_is_told_by_mistake(small_class):
    _, told, _, _ = small_class
    message = checks.EXERCISES["softmax"](overflowing).message
    section = told.partition("01 Is there a B in it?: softmax")[2].partition("\n\n")[0]
    assert re.search(r"✓ +2 right", section) and re.search(r"✗ +3 wrong", section)
    assert re.search(r"– +1 not handed in\s+Fay", section)
    assert " ".join(f"2 {message} Ben, Cem".split()) in " ".join(section.split())
    assert re.search(r"○ +1 not begun\s+Fay", told.partition("split_heads")[2])
    assert "6 learners, 14 answers" in told


def overflowing(scores):
    space = {"np": __import__("numpy")}
    exec(OVERFLOWS, space)
    return space["softmax"](scores)


def test_page_says_the_same_and_runs_nothing(small_class):
    _, _, page, _ = small_class
    assert "<script" not in page and "<b>" not in page and "=Eve&lt;b&gt;" in page
    assert page.count('<th scope="row">') == 6 and page.count("<h2>") == 5
    assert page.count("what they wrote") == 2 and "<p>Ben</p>" in page and "powers = np.exp(scores)" in page
    assert "default-src 'none'" in page


def test_gradebook_holds_the_best_copy_and_no_formulas(small_class):
    rows = small_class[3]
    assert rows[0] == "learner,lesson,exercise,status,message" and len(rows) == 1 + 5 * 2 + 2
    assert any(row.startswith("Dora,01 Is there a B in it?,softmax,right,") for row in rows)
    assert any(row.startswith("'=Eve<b>,") for row in rows)


def test_nobodys_name_and_half_letters_are_told_in_page_and_table(tmp_path):
    hand_in(tmp_path / LESSONS["01"].name, "01", {"softmax": OVERFLOWS})
    path = hand_in(tmp_path / "(no name)" / LESSONS["01"].name, "01", {"softmax": OVERFLOWS + "  # HALF"})
    path.write_text(path.read_text(encoding="utf-8").replace("HALF", "\\ud800"), encoding="utf-8")
    page, table = tmp_path / "page.html", tmp_path / "grades.csv"
    assert command.main([str(tmp_path), str(page), "--csv", str(table)]) == 0
    assert page.read_text(encoding="utf-8").count('<th scope="row">(no name)</th>') == 2
    assert page.read_text(encoding="utf-8").count("powers = np.exp(scores)") == 2
    assert len(table.read_text(encoding="utf-8-sig").splitlines()) == 1 + 2 * 2


def test_own_notebooks_say_what_comes_next(tmp_path, capsys):
    hand_in(tmp_path / LESSONS["01"].name, "01", {"softmax": RIGHT})
    hand_in(tmp_path / LESSONS["06"].name, "06", {"split_heads": "def split_heads(x, num_heads):\n    y = x\n    ..."})
    assert command.main([str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "✓ 01 Is there a B in it?: softmax" in told and "○ 06 Who gave, and who got?: merge_heads" in told
    assert "1 of 4 done.\nNext: 01 Is there a B in it?, soft_select. " in told


def test_folders_without_notebooks_are_named(tmp_path, capsys):
    assert command.main([str(tmp_path)]) == 1
    assert "no notebooks with exercises" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main([str(tmp_path / "nowhere")])
    assert "must be a folder of notebooks" in capsys.readouterr().err


def test_row_of_every_learner_comes_whatever_fails_here(tmp_path, monkeypatch, capsys):
    for name in ("ada", "ben", "cem"):
        hand_in(tmp_path / name / LESSONS["01"].name, "01", {"softmax": f"{RIGHT}# {name}"})
    run = judging._run

    def fails(job, *others):
        if "# ben" in job["cells"][job["place"]]:
            raise OSError(24, "Too many open files")
        return run(job, *others)

    monkeypatch.setattr(judging, "_run", fails)
    assert command.main([str(tmp_path)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "✓ 2 right" in told and "? 1 not judged 1 OSError: [Errno 24] Too many open files ben" in told


def test_another_course_and_a_page_that_cannot_be_written_are_told(tmp_path, capsys):
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")]), tmp_path / "ada_02_other.ipynb"
    )
    assert notebooks.read(tmp_path)[1] == [("ada", "ada_02_other.ipynb", "holds no cell of this course")]
    for place in (tmp_path, tmp_path / "gone" / "page.html"):
        with pytest.raises(SystemExit):
            command.main([str(tmp_path), str(place)])
        assert f"{place} cannot be written" in capsys.readouterr().err


def test_what_was_kept_is_told_as_it_is():
    def told(kept):
        return command.how_they_ran([judging.Judged(None, "right", "", kept)], 10, 2000)

    assert told(["network", "files", "time", "memory"]) == (
        "Each ran alone, for at most 10 s of computing and 2000 MB; the operating system kept it from files and network."
    )
    assert told(["time"]) == (
        "Each ran alone, for at most 10 s of computing, its memory without a limit; Python alone kept it from files and "
        "network, which stops accidents and no attacker."
    )


def test_groups_put_the_most_frequent_first():
    people = {name: judging.Judged(None, "wrong", message, []) for name, message in zip("abcd", ["x", "y", "y", "z"])}
    groups = overview._groups(people, list("abcde"))
    assert list(groups["wrong"].items()) == [("y", ["b", "c"]), ("x", ["a"]), ("z", ["d"])]
    assert groups["none"] == {"": ["e"]}
