"""Reads answers of many hands from tests/rooms/<a lesson>/answers/<exercise>.txt, as functions that have a source.

A file holds blocks, each of which begins with a line of its own:

    === right                       a right answer, whole
    === wrong | pattern             a wrong answer, whole, and what it must be told
    --- wrong | pattern             the whole answer above it with edits, a line `old => new` for each; or --- right

A pattern `numbers` stands for an answer whose mistake nobody names: what is said of it are its numbers, and no mistake.
In an edit ⏎ ends a line; `old` must stand exactly once in that answer. In a pattern L3 means that line 3 is named.
Three files of answers to many exercises stand beside the rooms: tests/fresh_answers.txt, which were written by other hands and
before a look at the rows of mistakes, tests/odd_parts.txt, right ones in styles of their own, and tests/trap_answers.txt, which are
right or wrong by a hair.
The answers are of 4,000 that were written by hand: those that readers found told something false, and others drawn evenly;
and those that were written for rows whose sentence had been said of none or of one, before a look at what they are told.
"""

import hashlib
import linecache
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers import attention, layers, parts, positions, variants, yours
from helpers.since_2017 import experts
from rooms.port_and_prove.ports import TOLERANCES

FOLDER = Path(__file__).parent / "rooms"


class Submission(NamedTuple):
    """exercise : its name; right : whether it is; message : pattern of what it must be told; text : its source"""

    exercise: str
    right: bool
    message: str
    text: str

    @property
    def answer(self):
        return function(self.exercise, self.text)


def read(exercise=None):
    """All answers, or those to one exercise, in the order of their files."""
    files = sorted(FOLDER.glob(f"*/answers/{exercise or '*'}.txt"), key=lambda file: file.name)
    return [each for file in files for each in parse(file.stem, file.read_text(encoding="utf-8"))]


def read_together(file):
    """All answers of a file to many exercises, each of which begins with a line `# exercise`."""
    found = re.findall(r"^# (\w+)\n((?:(?!# \w+\n).*\n)*)", (FOLDER.parent / file).read_text(encoding="utf-8"), re.M)
    return [each for name, text in found for each in parse(name, text)]


def parse(exercise, text):
    """The answers of a file."""
    found, whole = [], ""
    for sign, head, body in re.findall(r"^(===|---) (.*)\n((?:(?!===|---).*\n)*)", text, re.M):
        kind, _, message = head.partition(" | ")
        if kind not in {"right", "wrong"} or (kind == "wrong") != bool(message):
            raise ValueError(f"{head!r} must be `right`, or `wrong | pattern`")
        message = re.sub(r"\bL(\d+)\b", r"[Ll]ines? (\\d+ and )?\1\\b", message)
        whole = body if sign == "===" else whole
        found.append(Submission(exercise, kind == "right", message, body if sign == "===" else edited(whole, body)))
    return found


def edited(text, edits):
    """A text after edits, each of whose left sides stands in it exactly once."""
    for edit in edits.splitlines():
        old, arrow, new = f"{edit} ".partition(" => ")
        old, new = old.replace("⏎", "\n"), new[:-1].replace("⏎", "\n")
        if not arrow or text.count(old) != 1:
            raise ValueError(f"{edit!r} needs a left side that stands once in\n{text}")
        text = text.replace(old, new)
    return text


def function(exercise, text):
    """The function of that name that a text defines, with a source that Python's own tools find."""
    file = f"<{exercise} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"np": np, "math": math, "attention": attention, "layers": layers, "positions": positions}
    space |= {"variants": variants, "experts": experts, "yours": yours, "TOLERANCE": TOLERANCES, "__name__": "__main__"}
    space |= {name: getattr(parts, name) for name in parts.LESSONS if name != exercise}
    exec(compile(text, file, "exec"), space)
    return space[exercise]
