"""Reads answers of many hands from tests/handwritten/<exercise>.txt, as functions that have a source.

A file holds blocks, each of which begins with a line of its own:

    === right                       a right answer, whole
    === fresh | pattern             a wrong answer, whole: the corpus it belongs to, and what it must be told
    --- fresh | pattern             the whole answer above it with edits, a line `old => new` for each

In an edit ⏎ ends a line; `old` must stand exactly once in that answer. In a pattern L3 means that line 3 is named.
Five corpora: `tuned` and `aside` are of the first round (looked at while the checks were tuned, or set aside), `fresh`
of the second, `blind` of the third, written from the exercises' texts alone, as are `pairs`, in each of which two slips
stand. Of 4,000 such answers these are the ones that readers found told something false, and others drawn evenly.
"""

import hashlib
import linecache
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers import attention, layers, positions, variants
from helpers.since_2017 import experts

FOLDER = Path(__file__).parent / "handwritten"


class Hand(NamedTuple):
    """exercise : its name; corpus : "right", or where a wrong answer belongs; told : pattern of what it must be told;
    text : its source"""

    exercise: str
    corpus: str
    told: str
    text: str

    @property
    def right(self):
        return self.corpus == "right"


def read(exercise=None):
    """All answers, or those to one exercise, in the order of their files."""
    files = sorted(FOLDER.glob(f"{exercise or '*'}.txt"))
    return [hand for file in files for hand in parse(file.stem, file.read_text(encoding="utf-8"))]


def parse(exercise, text):
    """The answers of a file."""
    found, whole = [], ""
    for sign, head, body in re.findall(r"^(===|---) (.*)\n((?:(?!===|---).*\n)*)", text, re.M):
        marks, _, told = head.partition(" | ")
        told = re.sub(r"\bL(\d+)\b", r"[Ll]ines? (\\d+ and )?\1\\b", told)
        whole = body if sign == "===" else whole
        text = body if sign == "===" else edited(whole, body)
        found.append(Hand(exercise, marks, told, text))
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


def function(hand):
    """The answer as a function, with a source that Python's own tools find."""
    file = f"<{hand.exercise} {hashlib.sha256(hand.text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = len(hand.text), None, hand.text.splitlines(keepends=True), file
    space = {"np": np, "math": math, "attention": attention, "layers": layers, "positions": positions}
    space |= {"variants": variants, "experts": experts}
    space["__name__"] = "__main__"
    exec(compile(hand.text, file, "exec"), space)
    return space[hand.exercise]
