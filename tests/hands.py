"""Reads answers of many hands: source text, each with what it must be told, as functions that have a source."""

import linecache
import math
import re
from typing import NamedTuple

import numpy as np

from helpers import attention, layers, positions


class Hand(NamedTuple):
    """exercise : its name; right : whether the answer is; told : pattern of what it must be told; text : its source"""

    exercise: str
    right: bool
    told: str
    text: str


def read(answers):
    """The answers of a text, in which each begins with ### exercise | right, or ### exercise | wrong | pattern."""
    found = []
    for block in re.split(r"^### ", answers, flags=re.M)[1:]:
        head, text = block.split("\n", 1)
        exercise, kind, *told = head.split(" | ", 2)
        pattern = re.sub(r"\bL(\d+)\b", r"[Ll]ines? (\\d+ and )?\1\\b", told[0]) if told else ""
        found.append(Hand(exercise, kind.strip() == "right", pattern, text))
    return found


def function(hand, name="answer"):
    """The answer as a function, with a source that Python's own tools find."""
    file = f"<{hand.exercise} {abs(hash(hand.text))}>"
    linecache.cache[file] = len(hand.text), None, hand.text.splitlines(keepends=True), file
    space = {"np": np, "math": math, "attention": attention, "layers": layers, "positions": positions}
    space["__name__"] = "__main__"
    exec(compile(hand.text, file, "exec"), space)
    return space[hand.exercise]
