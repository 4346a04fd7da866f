"""Read what notebooks say of their exercises: the line ✓, ✗ or ○ that each check has left below its cell."""

import json
import os
import re
import stat
import unicodedata
from typing import NamedTuple

from helpers import checks

LARGEST = 20_000_000  # bytes of a notebook; a lesson with all its pictures has less than 200,000
DEEPEST = 20  # folders inside one another
NAME = re.compile(r"(?P<learner>.*)(?<!\d)(?P<number>\d\d)_[a-z]", re.S)
CHECK = re.compile(r"^[^#\n]*?\bcheck\(\s*['\"](\w+)['\"]", re.M)
SIGNS = {"✓": "right", "✗": "wrong", "○": "blank"}
STATES = ["gone", "unrun", "blank", "wrong", "right"]  # of two copies the later state counts
NO_EXERCISE = "has no exercise"
SELECTORS = [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
UNSEEN = dict.fromkeys([0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *SELECTORS])  # not of category C


class Exercise(NamedTuple):
    """What one notebook says of one exercise: its name, one of STATES, the check's sentence, the cell with the answer."""

    name: str
    state: str
    message: str
    source: str


class File(NamedTuple):
    """One file, or a folder that was not entered; `reason` says why it was not read, or has no exercise, else it is ""."""

    learner: str
    path: str
    lesson: str = ""
    exercises: tuple = ()
    reason: str = ""


class NotRead(ValueError):
    """A reason."""


def plain(text, longest=200):
    """Text in one line and one spelling (NFC), without letters that nobody sees or that turn the writing round."""
    text = unicodedata.normalize("NFC", text[: 9 * longest]).translate(UNSEEN)
    seen = (" " if letter.isspace() else "" if unicodedata.category(letter)[0] == "C" else letter for letter in text)
    line = unicodedata.normalize("NFC", " ".join("".join(seen).split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def read(folder, leave=()):
    """Return a File for each file below a folder, without following a link; files whose paths are in `leave` are left out.

    A learner's name is the beginning of the file's, `ada_01_ask_for_a_b.ipynb`, or else the first folder that is not
    named after a lesson, `ada/01_ask_for_a_b.ipynb`.

    Raises
    ------
    NotADirectoryError
        If there is no such folder.
    """
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"folder must be a folder of notebooks, got {plain(str(folder))}.")
    files, folders, leave = [], [(str(folder), ())], {os.path.abspath(path) for path in leave}
    while folders:
        place, above = folders.pop()
        try:
            entries = list(os.scandir(place))
        except OSError as error:
            files.append(_file((*above, ""), f"cannot be opened: {error.strerror}"))
            continue
        for entry in entries:
            parts = (*above, entry.name)
            if os.path.abspath(entry.path) in leave or _is_saved_copy(entry, entries):
                continue
            try:
                if _is_open(entry, len(parts)):
                    folders.append((entry.path, parts))
                else:
                    files.append(_file(parts, "", _cells(entry)))
            except NotRead as error:
                files.append(_file(parts, str(error)))
            except OSError as error:
                files.append(_file(parts, f"cannot be opened: {error.strerror}"))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError):
                files.append(_file(parts, "is no notebook, or a damaged one"))
    return sorted(files, key=lambda file: file.path)


def _is_saved_copy(entry, entries):
    """Whether a folder holds nothing but what JupyterLab copied from the files beside it."""
    if entry.name != ".ipynb_checkpoints" or entry.is_symlink():
        return False
    try:
        return {name.replace("-checkpoint.", ".") for name in os.listdir(entry)} <= {other.name for other in entries}
    except OSError:
        return False


def _is_open(entry, depth):
    """Whether this is a folder to enter, and no file; NotRead where it is neither."""
    folder = entry.is_dir(follow_symlinks=False)
    if entry.is_symlink() or getattr(entry, "is_junction", bool)():
        raise NotRead("is a link, and was not followed")
    if entry.name.startswith("."):
        raise NotRead(f"is a hidden {'folder' if folder else 'file'}, and was not opened")
    if folder and depth > DEEPEST:
        raise NotRead(f"lies more than {DEEPEST} folders deep, and was not opened")
    if not folder and not entry.name.lower().endswith(".ipynb"):
        raise NotRead("is no notebook: its name does not end in .ipynb")
    return folder


def _cells(path):
    """List of (type, tags, source, outputs)."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda path, _: os.open(path, flags)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotRead("is no ordinary file, and was not opened")
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise NotRead(f"has more than {LARGEST // 1_000_000} MB, and was not read")
    notebook = json.loads(text)
    if "cells" not in notebook and int(notebook["nbformat"]) < 4:
        raise NotRead(f"is in the old format {int(notebook['nbformat'])}: open it in JupyterLab, and save it")
    return [
        (cell["cell_type"], [*map(str, cell["metadata"].get("tags", []))], "".join(cell["source"]), cell.get("outputs", []))
        for cell in notebook["cells"]
    ]  # fmt: skip


def _file(parts, reason, cells=()):
    named = NAME.match(parts[-1])
    people = [part for part in parts[:-1] if not re.match(r"\d\d(_|$)", part)]
    learner = plain(named["learner"], 80).strip(" _-.") if named else ""
    learner = learner or plain(people[0] if people else "", 80)
    heading = next((re.search(r"^# +(.+)", text, re.M) for kind, _, text, _ in cells if kind == "markdown"), None)
    lesson = plain(f"{named['number'] if named else ''} {heading[1] if heading else ''}", 80)
    exercises = _exercises([cell for cell in cells if cell[0] == "code"])
    if not reason and not exercises:
        ours = any(re.search(r"^(from|import) helpers\b", text, re.M) for _, _, text, _ in cells)
        reason = NO_EXERCISE if ours else "is no lesson of this course"
    return File(learner, plain("/".join(parts)), lesson, exercises, reason)


def _exercises(code):
    """Tuple of Exercise, in the order of the page; of two checks of one exercise the better one counts."""
    found, first = {}, {}
    for k, (_, tags, source, outputs) in enumerate(code):
        for name in [tag.removeprefix("exercise-") for tag in tags if tag.startswith("exercise-")]:
            first[name], found[name] = k, found.get(name, ("gone", "Its check is not there.", k))
        names = CHECK.findall(source)
        for name, (state, message) in zip(names, _said(outputs, len(names))):
            if name not in found or STATES.index(state) >= STATES.index(found[name][0]):
                found[name] = state, message, k
    known, sources = set(checks.EXERCISES), [source for _, _, source, _ in code]
    return tuple(
        Exercise(name, state, message, _answer(name, sources[first.get(name, 0) : last + 1]))
        for name, (state, message, last) in found.items()
        if name in known
    )


def _said(outputs, count):
    """List of (state, message) of the checks of a cell: its last lines that begin with a sign, or its error."""
    rest, printed = ("unrun", "Its check was not run, or its output was cleared."), ""
    for output in outputs:
        if output["output_type"] == "stream":
            printed += "".join(output["text"])
        elif output["output_type"] == "error":
            rest = "wrong", plain(f"Its cell stopped with {output['ename']}: {output['evalue']}", 500)
    lines = [line for line in printed.split("\n") if line[:1] in SIGNS and line[1:2] == " "][-count:]
    return [(SIGNS[line[0]], plain(line[2:], 500)) for line in lines] + [rest] * (count - len(lines))


def _answer(name, sources):
    """The last cell that defines a name, "" where none does."""
    defines = re.compile(rf"^(async +)?def +{name}\b|^{name} *[:=]", re.M)
    return next((source for source in reversed(sources) if defines.search(source)), "")
