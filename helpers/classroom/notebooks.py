"""Read handed-in notebooks. They are data here: nothing in them is run, parsed or followed."""

import json
import re
from pathlib import Path
from typing import NamedTuple

from helpers import checks

LARGEST = 50_000_000  # bytes; a lesson with all its pictures has less than a million
NAME = re.compile(r"(?P<learner>.*)(?<!\d)(?P<number>\d\d)_[a-z]", re.S)
CHECK = re.compile(r"checks\.(?:check|require)\(\s*['\"](\w+)['\"]")
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Answer(NamedTuple):
    """One exercise in one notebook.

    learner : a name, or "" where neither folder nor file carries one
    lesson : its number and title, "02 Query an A/B string"
    exercise : name of the function, or of the numbers
    cells : sources of all code cells
    place : which of them holds the answer, or None where it is gone
    """

    learner: str
    lesson: str
    exercise: str
    cells: list
    place: int | None


class Unread(NamedTuple):
    """A file that is no notebook, or none of this course."""

    learner: str
    name: str
    reason: str


def read(folder):
    """Return all answers below a folder, and the files that could not be read.

    Learners are told apart by the beginning of the file's name, `ada_01_ask_for_a_b.ipynb`, or else by the first
    folder that is not named after a lesson, `ada/01_ask_for_a_b.ipynb`.

    Returns
    -------
    answers : list of Answer
    unread : list of Unread

    Raises
    ------
    NotADirectoryError
        If there is no such folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise NotADirectoryError(f"folder must be a folder of notebooks, got {plain(str(folder))}.")
    answers, unread = [], []
    for path in sorted(folder.rglob("*.ipynb")):
        places = path.relative_to(folder).parts
        if any(place.startswith(".") for place in places):
            continue  # what JupyterLab saves on the way
        learner, number = _names(places)
        try:
            cells = _cells(path)
        except ValueError as error:
            unread.append(Unread(learner, plain("/".join(places)), str(error)))
        else:
            found = _answers(learner, number, cells)
            if not found and not any("helpers" in source for kind, _, source in cells if kind == "code"):
                unread.append(Unread(learner, plain("/".join(places)), "holds no cell of this course"))
            answers += found
    return answers, unread


def plain(text):
    """Text without what could move a terminal's cursor or turn its writing round."""
    return UNPRINTABLE.sub("·", text)


def _names(places):
    """(learner, number of the lesson) as the folders and the name of a file tell."""
    found = NAME.match(places[-1])
    learner = found["learner"].strip(" _-.") if found else ""
    people = [place for place in places[:-1] if not re.match(r"\d\d(_|$)", place)]
    return plain(learner or (people[0] if people else "")), found["number"] if found else ""


def _cells(path):
    """List of (type, tags, source); ValueError says why there is none."""
    if path.is_symlink() or not path.is_file():
        raise ValueError("is a link or no ordinary file, and was not opened")
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"has more than {LARGEST // 1_000_000} MB, and was not opened")
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [(cell["cell_type"], _tags(cell), "".join(cell["source"])) for cell in cells]
    except OSError as error:
        raise ValueError(f"cannot be opened: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        told = str(error) if type(error) is ValueError and "MB" in str(error) else "is no notebook, or a damaged one"
        raise ValueError(told) from None


def _tags(cell):
    tags = cell.get("metadata", {}).get("tags", [])
    return [tag for tag in tags if isinstance(tag, str)]


def _answers(learner, number, cells):
    heading = next((re.search(r"^# +(.+)", text, re.M) for kind, _, text in cells if kind == "markdown"), None)
    lesson = plain(f"{number} {heading[1].strip() if heading else ''}").strip()
    code = [(tags, source) for kind, tags, source in cells if kind == "code"]
    sources = [source for _, source in code]
    tagged = {
        tag.removeprefix("exercise-"): k for k, (tags, _) in enumerate(code) for tag in tags if "exercise-" in tag
    }
    checked = {name: k for k, source in enumerate(sources) for name in CHECK.findall(source)}
    names = [name for name in {**tagged, **checked} if name in checks.EXERCISES]
    return [
        Answer(learner, lesson, name, sources, _place(name, sources, tagged.get(name), checked.get(name)))
        for name in names
    ]


def _place(name, sources, tagged, checked):
    """The cell that holds the answer: the last one up to its check that defines the name, from its own cell on."""
    last = len(sources) if checked is None else checked + 1
    defines = re.compile(rf"^(?:async +def +{name}\b|def +{name}\b|{name} *[:=])", re.M)
    found = [k for k in range(tagged or 0, last) if defines.search(sources[k])]
    written = [k for k in found if not re.search(r"^ *\.\.\. *$", sources[k], re.M)]
    return (written or found or [tagged])[-1]
