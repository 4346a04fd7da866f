"""A class handed in: what the notebooks say is told, of everybody; nothing in them runs, and no file is lost or followed."""

import csv
import json
import os
import re
import sys
import time
import unicodedata
from pathlib import Path

import nbformat
import pytest

from helpers import checks
from rooms.commands.classroom import command, notebooks, overview
from tests.notebooks import lessons

LESSONS = {path.name[:2]: path for path in lessons()}
RIGHT = "✓ That is right."
MISTAKE = "✗ The scores must be divided by their sum."
OPEN = "○ Not attempted yet: replace the ... with your own lines."
needs_links = pytest.mark.skipif(os.name != "posix", reason="links and named pipes need rights on Windows")


def check_cell(name, *lines, **more):
    outputs = (
        [nbformat.v4.new_output("stream", name="stdout", text="".join(f"{line}\n" for line in lines))] if lines else []
    )
    return nbformat.v4.new_code_cell(f'checks.check("{name}", {name})', outputs=outputs, **more)


def hand_in(path, *cells, title="# Is there a B in it?"):
    """Write a small notebook of the course."""
    cells = [nbformat.v4.new_markdown_cell(title), nbformat.v4.new_code_cell("from helpers import checks"), *cells]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def softmax(path, *lines):
    answer = nbformat.v4.new_code_cell(
        "def softmax(scores):\n    return scores < 3", metadata={"tags": ["exercise-softmax"]}
    )
    return hand_in(path, answer, check_cell("softmax", *lines))


def reasons(folder, **options):
    return {file.path: file.reason for file in notebooks.read(folder, **options)}


def exercises(path):
    (file,) = notebooks.read(path.parent)
    return file.exercises


# --- what a notebook says --------------------------------------------------------------------------------------------


def test_every_lesson_says_of_each_of_its_exercises_that_it_is_open():
    files = notebooks.read(LESSONS["01"].parent)
    said = [(one.name, one.state, one.message) for file in files for one in file.exercises]
    assert {name for name, _, _ in said} == set(checks.EXERCISES) and len(said) == len(checks.EXERCISES)
    assert {words[1:] for words in said} == {("blank", OPEN[2:])}
    assert all("..." in one.source for file in files for one in file.exercises)


@pytest.mark.parametrize(
    ("lines", "state", "message"),
    [
        ([RIGHT], "right", RIGHT[2:]),
        ([MISTAKE], "wrong", MISTAKE[2:]),
        ([OPEN], "blank", OPEN[2:]),
        (["✓ printed by the answer", "[1, 2]", MISTAKE], "wrong", MISTAKE[2:]),
        ([f"{MISTAKE[:9]}\x1b[2J\u202e{MISTAKE[9:]}"], "wrong", f"{MISTAKE[2:9]}[2J{MISTAKE[9:]}"),
        ([f"✗ {'long ' * 10_000}"], "wrong", f"{('long ' * 100)[:499]}…"),
        (["✓"], "unrun", "Its check was not run, or its output was cleared."),
        ([], "unrun", "Its check was not run, or its output was cleared."),
    ],
)  # fmt: skip
def test_the_line_below_the_check_is_what_counts(lines, state, message, tmp_path):
    assert exercises(softmax(tmp_path / "ada_01_ask.ipynb", *lines)) == (
        ("softmax", state, message, "def softmax(scores):\n    return scores < 3"),
    )


def test_a_check_that_stopped_is_wrong_and_says_with_what(tmp_path):
    error = nbformat.v4.new_output("error", ename="NameError", evalue="name 'softmax' is not defined", traceback=[])
    cell = check_cell("softmax")
    cell.outputs = [error]
    ((_, state, message, source),) = exercises(hand_in(tmp_path / "ada_01_ask.ipynb", cell))
    assert (state, source) == ("wrong", "")
    assert message == "Its cell stopped with NameError: name 'softmax' is not defined"


def test_several_checks_of_one_cell_and_of_one_exercise(tmp_path):
    two = check_cell("softmax", MISTAKE, RIGHT)
    two.source = '# checks.check("rotate", rotate)\nchecks.check("softmax", softmax)\nif True: checks.check( \'self_attention\', f)'
    again, other = check_cell("softmax", RIGHT), check_cell("a_name_that_no_lesson_has", RIGHT)
    path = hand_in(tmp_path / "ada_01_ask.ipynb", two, again, check_cell("softmax", OPEN), other)
    assert [one[:2] for one in exercises(path)] == [("softmax", "right"), ("self_attention", "right")]


def test_a_check_that_was_deleted_is_missed(tmp_path):
    answer = nbformat.v4.new_code_cell("def softmax(scores): ...", metadata={"tags": ["exercise-softmax"]})
    assert [one.state for one in exercises(hand_in(tmp_path / "ada_01_ask.ipynb", answer))] == ["gone"]


def test_nothing_in_a_notebook_runs(tmp_path):
    touch = f"open({str(tmp_path / 'touched')!r}, 'w')\ndef softmax(scores): raise SystemExit"
    path = hand_in(tmp_path / "in" / "ada_01_ask.ipynb", nbformat.v4.new_code_cell(touch), check_cell("softmax", RIGHT))
    assert command.main([str(path.parent), str(tmp_path / "page.html")]) == 0
    assert not (tmp_path / "touched").exists()


# --- whose it is -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "learner", "number"),
    [
        ("ada_01_ask_for_a_b.ipynb", "ada", "01"),
        ("ada__01_ask_for_a_b-Copy1.IPYNB", "ada", "01"),
        ("group_12_ada_01_ask_for_a_b.ipynb", "group_12_ada", "01"),
        ("Lovelace Ada_81523_assignsubmission_file_01_ask.ipynb", "Lovelace Ada_81523_assignsubmission_file", "01"),
        ("ada/01_ask_for_a_b.ipynb", "ada", "01"),
        ("ada/02/01_ask_for_a_b.ipynb", "ada", "01"),
        ("02_query/ada/01_ask_for_a_b.ipynb", "ada", "01"),
        ("02/ada_01_ask_for_a_b.ipynb", "ada", "01"),
        ("01_ask_for_a_b.ipynb", "", "01"),
        ("ada/homework.ipynb", "ada", ""),
        ("homework.ipynb", "", ""),
    ],
)  # fmt: skip
def test_names_are_read_from_folders_and_files(path, learner, number, tmp_path):
    softmax(tmp_path / path, RIGHT)
    (file,) = notebooks.read(tmp_path)
    assert (file.learner, file.path, file.lesson) == (learner, path, f"{number} Is there a B in it?".strip())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (unicodedata.normalize("NFD", "José"), "José"),
        ("A\u200bda\ufeff", "Ada"),
        ("\u202eadA\u202c", "adA"),
        ("A\u2066da\u3164\u115f", "Ada"),
        ("Ada\xa0\u2003 L.\ufe0f", "Ada L."),
        ("a\x1b[2Jda", "a[2Jda"),
        ("\ud800Ada", "Ada"),
        ("n" * 300, "n" * 199 + "…"),
    ],
)  # fmt: skip
def test_one_name_is_spelled_in_one_way(written, read):
    assert notebooks.plain(written) == read


def test_jose_of_a_mac_and_of_windows_is_one_learner(tmp_path):
    softmax(tmp_path / "José" / "01_ask.ipynb", MISTAKE)
    softmax(tmp_path / unicodedata.normalize("NFD", "José") / "01_ask-Copy1.ipynb", RIGHT)
    files = notebooks.read(tmp_path)
    assert overview.everybody(files) == ["José"]
    assert overview.by_exercise(files)["01 Is there a B in it?", "softmax"]["José"].state == "right"


def test_two_without_a_name_are_two(tmp_path):
    softmax(tmp_path / "homework.ipynb", MISTAKE)
    softmax(tmp_path / "mine.ipynb", RIGHT)
    assert overview.everybody(notebooks.read(tmp_path)) == ["(homework.ipynb)", "(mine.ipynb)"]


# --- each file has its row -------------------------------------------------------------------------------------------


def test_files_that_cannot_be_read_are_told_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(notebooks, "LARGEST", 500_000)
    damaged = {"a": "", "b": "[]", "c": "[" * 100_000, "d": '{"cells": 3}', "e": '{"cells": [{"cell_type": "code"}]}'}
    damaged |= {
        "f": '{"cells": [{"cell_type": "code", "source": 3, "metadata": {}}]}',
        "g": "\ud800",
        "h": "null",
        "i": "{}",
    }
    damaged["j"] = '{"cells": [{"cell_type": "code", "source": "", "metadata": {"tags": 3}}]}'
    source = '"source": "checks.check(\'softmax\', softmax)", "metadata": {}'
    damaged["k"] = (
        f'{{"cells": [{{"cell_type": "code", {source}, "outputs": [{{"output_type": "stream", "text": 3}}]}}]}}'
    )
    damaged["l"] = f'{{"cells": [{{"cell_type": "code", {source}, "outputs": 7}}]}}'
    damaged["m"] = '{"nbformat": ' + "9" * 5000 + "}"
    for name, text in damaged.items():
        (tmp_path / f"{name}.ipynb").write_bytes(text.encode("utf-8", "surrogatepass"))
    expected = {f"{name}.ipynb": "is no notebook, or a damaged one" for name in damaged}
    (tmp_path / "old.ipynb").write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": []}]}), encoding="utf-8")
    expected["old.ipynb"] = "is in the old format 3: open it in JupyterLab, and save it"
    (tmp_path / "huge.ipynb").write_text(" " * 500_001, encoding="utf-8")
    expected["huge.ipynb"] = "has more than 0 MB, and was not read"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")]), tmp_path / "other.ipynb")
    expected["other.ipynb"] = "is no lesson of this course"
    hand_in(tmp_path / "00_who.ipynb")
    expected["00_who.ipynb"] = "has no exercise"
    for name in ("ada_01_ask.ipynb.txt", "all.zip"):
        (tmp_path / name).write_text("", encoding="utf-8")
        expected[name] = "is no notebook: its name does not end in .ipynb"
    softmax(tmp_path / ".ben_01_ask.ipynb", RIGHT)
    expected[".ben_01_ask.ipynb"] = "is a hidden file, and was not opened"
    softmax(tmp_path / ".cem" / "01_ask.ipynb", RIGHT)
    expected[".cem"] = "is a hidden folder, and was not opened"
    softmax(tmp_path / "DORA_01_ASK.IPYNB", RIGHT)
    expected["DORA_01_ASK.IPYNB"] = ""  # a notebook like others
    softmax(tmp_path / "out.ipynb", RIGHT)
    assert reasons(tmp_path, leave=[tmp_path / "out.ipynb"]) == expected


def test_copies_that_jupyterlab_saves_are_passed_over_and_no_others(tmp_path):
    softmax(tmp_path / "ada" / "01_ask.ipynb", RIGHT)
    softmax(tmp_path / "ada" / ".ipynb_checkpoints" / "01_ask-checkpoint.ipynb", MISTAKE)
    softmax(tmp_path / "ben" / ".ipynb_checkpoints" / "01_ask-checkpoint.ipynb", MISTAKE)
    assert reasons(tmp_path) == {
        "ada/01_ask.ipynb": "", "ben/.ipynb_checkpoints": "is a hidden folder, and was not opened",
    }  # fmt: skip


@needs_links
def test_links_and_pipes_are_not_followed(tmp_path):
    outside = softmax(tmp_path / "outside" / "01_ask.ipynb", RIGHT)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "ada_01_ask.ipynb").symlink_to(outside)
    (folder / "ben").symlink_to(outside.parent)
    (folder / "around").symlink_to(folder)
    (folder / "nowhere.ipynb").symlink_to("gone")
    os.mkfifo(folder / "pipe.ipynb")
    link = "is a link, and was not followed"
    assert reasons(folder) == {
        "ada_01_ask.ipynb": link, "ben": link, "around": link, "nowhere.ipynb": link,
        "pipe.ipynb": "is no ordinary file, and was not opened",
    }  # fmt: skip


@needs_links
def test_what_may_not_be_opened_is_told_with_its_learner(tmp_path, monkeypatch):
    """root may open everything, so that the system's refusal is played here."""
    softmax(tmp_path / "ada" / "01_ask.ipynb", RIGHT)
    softmax(tmp_path / "ben" / "01_ask.ipynb", RIGHT)
    list_folder, open_file = os.scandir, os.open

    def refuses(path, *others):
        if "ben" in str(path) or "ada/01" in os.fspath(path):
            raise PermissionError(13, "Permission denied")
        return (open_file if others else list_folder)(path, *others)

    monkeypatch.setattr(os, "scandir", refuses)
    monkeypatch.setattr(os, "open", refuses)
    reason = "cannot be opened: Permission denied"
    assert [(file.learner, file.path, file.reason) for file in notebooks.read(tmp_path)] == [
        ("ada", "ada/01_ask.ipynb", reason), ("ben", "ben/", reason),
    ]  # fmt: skip


def test_folders_without_end_are_not_entered(tmp_path):
    deep = tmp_path.joinpath(*"d" * 30)
    deep.mkdir(parents=True)
    ((path, reason),) = reasons(tmp_path).items()
    assert path == "/".join("d" * 21) and reason == "lies more than 20 folders deep, and was not opened"


def test_a_thousand_notebooks_take_seconds(tmp_path):
    """A tenth of them here, each as large as a lesson with its pictures; a hundred take 0.05 s of computing."""
    text = LESSONS["02"].read_text(encoding="utf-8")
    for k in range(100):
        (tmp_path / f"learner{k}_02_attend_by_hand.ipynb").write_text(text, encoding="utf-8")
    start = time.process_time()
    files = notebooks.read(tmp_path)
    overview.as_page(files)
    assert time.process_time() - start < 1
    assert len(overview.everybody(files)) == 100


# --- the overview ----------------------------------------------------------------------------------------------------


@pytest.fixture
def small_class(tmp_path, capsys):
    """Six learners: (what the command prints, the page, the rows for a gradebook)."""
    folder = tmp_path / "in"
    for learner, line in {"Ada": RIGHT, "Ben": MISTAKE, "Cem": MISTAKE, "Dora": OPEN, "=Eve<b>": "✗ <script>"}.items():
        softmax(folder / re.sub(r"[<>]", "&", learner) / "01_ask.ipynb", line)
    softmax(folder / "Dora" / "01_ask-Copy1.ipynb", RIGHT)
    hand_in(folder / "Fay" / "06_split.ipynb", check_cell("split_heads", OPEN), title="# Who gave?" + " <i>" * 50)
    (folder / "Gil_01_ask.ipynb").write_text("", encoding="utf-8")
    assert command.main([str(folder), str(folder / "page.html"), "--csv", str(folder / "grades.csv")]) == 0
    with (folder / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    return capsys.readouterr().out, (folder / "page.html").read_text(encoding="utf-8"), rows


def test_class_is_told_by_mistake(small_class):
    told, page, _ = small_class
    section = page.partition("<h2>01 Is there a B in it?: <code>softmax</code></h2>")[2].partition("<h2>")[0]
    rows = [re.sub(r"(?s)<details>.*?</details>|<[^>]*>", " ", row).split() for row in section.split("<tr>")[2:]]
    assert rows[0] == ["2", *MISTAKE.split(), "Ben,", "Cem"]
    assert rows[1] == ["1", "✗", "&lt;script&gt;", "=Eve&amp;b&amp;"]
    assert rows[2:] == [["2", "–", "not", "handed", "in", "Fay,", "Gil"], ["2", "✓", "right", "Ada,", "Dora"]]
    assert told.startswith("Learners: 7. Files: 8, with an answer: 7.\n")
    assert "<li>Gil_01_ask.ipynb is no notebook, or a damaged one.</li>" in page


def test_page_is_escaped_and_runs_nothing(small_class):
    page = small_class[1]
    assert "<script" not in page and "<b>" not in page and "<i>" not in page and "default-src 'none'" in page
    assert "return scores &lt; 3" in page and page.count("what they wrote") == 2
    assert page.count('<th scope="row">') == 7 and "<h2>06 Who gave? &lt;i&gt;" in page
    assert max(map(len, re.findall(r"<h2>(.*?):", page))) < 80 * len("&lt;")


def test_page_and_command_say_that_a_tick_can_be_typed(small_class, capsys):
    assert overview.html.escape(overview.TRUST) in small_class[1] and "checks.require" in overview.TRUST
    with pytest.raises(SystemExit):
        command.main(["--help"])
    assert "a ✓ can be typed into the file" in " ".join(capsys.readouterr().out.split())


def test_gradebook_holds_the_best_copy_everybody_and_no_formulas(small_class):
    head, *rows = small_class[2]
    assert head == ["learner", "lesson", "exercise", "status", "message"] and len(rows) == 7
    assert ["Dora", "01 Is there a B in it?", "softmax", "right", RIGHT[2:]] in rows
    assert ["'=Eve&b&", "01 Is there a B in it?", "softmax", "wrong", "<script>"] in rows
    assert ["Gil", "", "", "no answer", "Gil_01_ask.ipynb is no notebook, or a damaged one."] in rows


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "＝"])
def test_cells_that_a_spreadsheet_would_compute_are_quoted(begin):
    file = notebooks.File(f"{begin}1+1", "x", f"{begin}2", (notebooks.Exercise("softmax", "wrong", f"{begin}3", ""),))
    assert overview.as_table([file])[1] == [f"'{begin}1+1", f"'{begin}2", "softmax", "wrong", f"'{begin}3"]


def test_own_notebooks_say_what_comes_next(tmp_path, capsys):
    softmax(tmp_path / "01_ask-Copy1.ipynb", RIGHT)
    softmax(tmp_path / "01_ask.ipynb", OPEN)
    hand_in(
        tmp_path / "06_split.ipynb", check_cell("split_heads", MISTAKE), check_cell("merge_heads"), title="# Who gave?"
    )
    (tmp_path / "plot.png").write_text("")
    assert command.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "✓ 01 Is there a B in it?: softmax\n✗ 06 Who gave?: split_heads\n○ 06 Who gave?: merge_heads\n\n1 of 3 done.\n"
        f"Next: 06 Who gave?, split_heads. {MISTAKE[2:]}\n"
    )


def test_a_class_without_a_page_is_told_to_name_one(tmp_path, capsys):
    softmax(tmp_path / "ada_01_ask.ipynb", RIGHT)
    assert command.main([str(tmp_path)]) == 0
    assert "name a page" in capsys.readouterr().out


def test_folders_without_notebooks_are_named(tmp_path, capsys):
    assert command.main([str(tmp_path)]) == 1
    assert "no notebooks with exercises" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main([str(tmp_path / "nowhere")])
    assert "must be a folder of notebooks" in capsys.readouterr().err


# --- writing ---------------------------------------------------------------------------------------------------------


def refused(capsys, *arguments):
    with pytest.raises(SystemExit):
        command.main([*map(str, arguments)])
    return capsys.readouterr().err


@needs_links
def test_nothing_is_written_through_a_link(tmp_path, capsys):
    folder = softmax(tmp_path / "in" / "ada_01_ask.ipynb", RIGHT).parent
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    for name, aim in {"page.html": victim, "grades.csv": victim, "new.html": tmp_path / "new.txt"}.items():
        (folder / name).symlink_to(aim)
        assert "must not lead through a link" in refused(capsys, folder, folder / name)
    (folder / "sub").symlink_to(tmp_path)
    assert "must not lead through a link" in refused(capsys, folder, folder / "sub" / "page.html")
    assert "must not lead through a link" in refused(capsys, folder, "--csv", folder / "grades.csv")
    os.link(victim, folder / "hard.html")
    assert "another file is there" in refused(capsys, folder, folder / "hard.html")
    assert (
        victim.read_text() == "mine" and not (tmp_path / "new.txt").exists() and not (tmp_path / "page.html").exists()
    )


@needs_links
def test_an_older_overview_is_replaced_and_not_written_over(tmp_path):
    folder = softmax(tmp_path / "in" / "ada_01_ask.ipynb", RIGHT).parent
    page, table = folder / "page.html", folder / "grades.csv"
    for _ in range(2):
        assert command.main([str(folder), str(page), "--csv", str(table)]) == 0
    os.link(page, tmp_path / "kept.html")  # a planted name of a file elsewhere
    before = page.read_text(encoding="utf-8")
    softmax(folder / "ben_01_ask.ipynb", RIGHT)
    assert command.main([str(folder), str(page)]) == 0
    assert (tmp_path / "kept.html").read_text(encoding="utf-8") == before != page.read_text(encoding="utf-8")


def test_no_other_file_is_lost(tmp_path, capsys):
    path = softmax(tmp_path / "in" / "ada_01_ask.ipynb", RIGHT)
    before = path.read_bytes()
    assert "another file is there" in refused(capsys, path.parent, path)
    assert "another file is there" in refused(capsys, path.parent, "--csv", path)
    assert "another file is there" in refused(capsys, path.parent, tmp_path)
    assert "gone" in refused(capsys, path.parent, tmp_path / "gone" / "page.html")
    assert path.read_bytes() == before


@pytest.mark.everything
@pytest.mark.parametrize("words", [["rooms.commands.course", "class"], ["helpers.classroom"]])
def test_command_runs_as_readme_says_and_by_its_earlier_name(tmp_path, words):
    import subprocess

    softmax(tmp_path / "ada_01_ask.ipynb", RIGHT)
    done = subprocess.run(
        [sys.executable, "-m", *words, tmp_path, tmp_path / "overview.html"],
        cwd=Path(__file__).parents[1], env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0 and b"Learners: 1." in done.stdout
    assert (b"attention-lessons class now" in done.stderr) == (words == ["helpers.classroom"])
