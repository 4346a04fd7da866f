"""Lay out a new lesson: notebook, explorers, question, exercise, their tests, and what the explorers show, recorded.

python -m tests.new_lesson 80 turn_the_temperature
python -m tests.new_lesson 80 turn_the_temperature --topic heat --exercise weigh

What it writes works: a small example whose numbers fit on paper, with explorers, a check, and tests that pass. Replace it
piece by piece. What is still to be said is marked TODO, and tests/test_lessons.py lists each one until it is gone.
"""

import argparse
import json
import keyword
import re
import subprocess
import sys
from pathlib import Path

from helpers import checks, explorers

ROOT = Path(__file__).parents[1]
TEMPLATE = Path(__file__).parent / "lesson_template"
FILES = {  # of the template: where it goes
    "room.py": "rooms/{name}/__init__.py",
    "explorers.py": "rooms/{name}/explorers.py",
    "exercises.py": "rooms/{name}/exercises.py",
    "explorer_tests.py": "tests/rooms/{name}/test_explorers.py",
    "answers.txt": "tests/rooms/{name}/answers/{exercise}.txt",
}


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m tests.new_lesson", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", help="of the lesson, two digits")
    parser.add_argument("name", help="a verb phrase: turn_the_temperature")
    parser.add_argument("--topic", help="names the explorers; the lesson's name if not given")
    parser.add_argument("--exercise", help="the function that the learner writes; the topic if not given")
    options = parser.parse_args(arguments)
    topic = options.topic or options.name
    words = {"topic": topic, "exercise": options.exercise or topic, "number": options.number, "name": options.name}
    if trouble := refusal(words):
        parser.error(trouble)
    made = lay_out(words)
    print("\n".join(["", *(f"  {path}" for path in made), "", *NEXT]).format(**words))


NEXT = [
    "Replace the example, then run",
    "  python -m tests.refresh_notebooks notebooks/{number}_{name}.ipynb",
    "  python -m pytest notebooks/{number}_{name}.ipynb tests/rooms/{name}",
    "  python -m pytest tests/test_lessons.py tests/test_exercises.py tests/test_architecture.py",
    "  python -m pytest --everything tests/test_explorers.py tests/test_checks*.py -k '{topic} or {exercise} or question'",
    "and, before it is done, python -m pytest.",
]


def refusal(words):
    """Why there can be no lesson of that name, or an empty string."""
    if not re.fullmatch(r"\d\d", words["number"]):
        return f"the number must have two digits, got {words['number']}"
    for name in (words["name"], words["topic"], words["exercise"]):
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
            return f"names must be words in lower case with _ between them, got {name}"
    names = [*explorers_of(words), words["exercise"]]
    for name, module in (explorers.MODULE_OF | checks.MODULE_OF).items():
        if name in names:
            return f"{name} is there already, in {module.replace('.', '/')}.py"
    taken = [path for path in (ROOT / "notebooks").glob(f"{words['number']}_*.ipynb") if "-Copy" not in path.name]
    room = ROOT / "rooms" / words["name"]
    taken += [room] if room.exists() else []
    return f"{taken[0].relative_to(ROOT)} is there already" if taken else ""


def explorers_of(words):
    return [f"explore_{words['topic']}", f"explore_wrong_{words['topic']}"]


def lay_out(words):
    """Write the files of a lesson and enter it where lessons are listed; returns what was written or changed."""
    made = {place.format(**words): filled(source, words) for source, place in FILES.items()}
    made |= {
        "tests/rooms/{name}/__init__.py".format(**words): "",
        "data/questions.json": with_question(words),
        "README.md": with_row(words),
    }
    for path, text in made.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8", newline="\n")
    code = [path for path in made if path.endswith(".py")]
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select=I,RUF022", "--fix", *code], cwd=ROOT, check=True)
    subprocess.run([*ruff, "format", "--quiet", *code], cwd=ROOT, check=True)
    notebook = ROOT / "notebooks" / "{number}_{name}.ipynb".format(**words)
    names = explorers_of(words)
    subprocess.run([sys.executable, "-m", "tests.record", *names], cwd=ROOT, check=True)
    write_notebook(notebook, words)
    write_row_of_the_map(ROOT / "notebooks" / "00_who_is_she.ipynb", words)
    texts = ["tests/rooms/{}/recorded/{}.txt".format(words["name"], name) for name in names]
    return [*made, *texts, notebook.relative_to(ROOT).as_posix(), "notebooks/00_who_is_she.ipynb"]


def title(words):
    return words["name"].replace("_", " ").capitalize()


def filled(source, words):
    """A file of the template with the names of the lesson."""
    text = (TEMPLATE / source).read_text(encoding="utf-8").replace("EXERCISE_", words["exercise"].upper())
    places = {"TOPIC": words["topic"], "EXERCISE": words["exercise"], "NUMBER": str(int(words["number"]))}
    places["NAME"] = words["name"]
    places |= {"TITLE": title(words), "QUESTION": question(words)}
    return re.sub(r"(?<!\w)[A-Z]+\b|(?<=_)TOPIC\b", lambda found: places.get(found[0], found[0]), text)


def question(words):
    return f"{words['topic'].replace('_', ' ')}: first question"


def with_question(words):
    questions = json.loads((ROOT / "data/questions.json").read_text(encoding="utf-8"))
    asked = json.loads((TEMPLATE / "question.json").read_text(encoding="utf-8"))
    questions[question(words)] = {"lesson": int(words["number"]), **asked}
    return json.dumps(questions, ensure_ascii=False, indent=1) + "\n"


def with_row(words):
    """README with one more row in its table of lessons, behind the last one of a smaller number."""
    return inserted((ROOT / "README.md").read_text(encoding="utf-8"), words)


def inserted(text, words):
    lines = text.split("\n")
    rows = [
        k for k, line in enumerate(lines) if (found := re.match(r"\| *\[(\d\d) ", line)) and found[1] < words["number"]
    ]
    link = f"[{words['number']} {title(words)}](notebooks/{words['number']}_{words['name']}.ipynb)"
    lines.insert(rows[-1] + 1, f"| {link} | TODO the one idea | TODO what you write |")
    return "\n".join(lines)


def write_notebook(path, words):
    """The notebook of the template, executed."""
    import nbformat.v4 as v4

    from tests.refresh_notebooks import METADATA, as_text
    from tests.refresh_notebooks import main as refresh

    cells = []
    for part in re.split(r"^--- ", filled("lesson.txt", words), flags=re.M)[1:]:
        head, _, source = part.partition("\n")
        kind, *tags = head.split()
        make = v4.new_code_cell if kind == "code" else v4.new_markdown_cell
        metadata = {"jupyter": {"source_hidden": True}} if tags == ["hidden"] else {"tags": tags} if tags else {}
        name = f"lesson{words['number']}-{len(cells) + 1:02d}"
        cells.append(make(source.strip("\n"), id=name, metadata=metadata))
    notebook = v4.new_notebook(cells=cells, metadata={**METADATA, "lesson": {"covers": []}})
    path.write_text(as_text(notebook), encoding="utf-8", newline="\n")
    if refresh([str(path)]):
        raise SystemExit(1)


def write_row_of_the_map(path, words):
    from tests.refresh_notebooks import as_text, read

    notebook = read(path)
    for cell in notebook.cells:
        if "## The map\n" in cell.source:
            link = f" · [{words['number']}]({words['number']}_{words['name']}.ipynb) |"
            *_, last = re.finditer(r"(?<=\.ipynb\)) \|$", cell.source, re.M)
            cell.source = cell.source[: last.start()] + link + cell.source[last.end() :]
    path.write_text(as_text(notebook), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
