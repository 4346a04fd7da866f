"""The moves of a walk through a lesson, tests/rooms/<room>/walk.txt: what a learner does for its numbered questions."""

import re
import shlex
from pathlib import Path

ROOMS = Path(__file__).parent / "rooms"
SETTING = re.compile(r"\s+(?=\w+=)")
MOVES = ("set", "press", "click", "point", "drag")


def file_of(path):
    return ROOMS / path.stem[3:] / "walk.txt"


def lines(path):
    """The walk through a notebook: list of (kind, the rest of the line)."""
    file = file_of(path)
    found = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line.partition(" ")[::2] for line in found]


def move(shown, kind, rest):
    """Do one of MOVES to an explorer."""
    from tests import driving

    if kind == "set":
        shown.set(**eval(f"dict({','.join(SETTING.split(rest))})"))
    elif kind == "press":
        driving.buttons(shown)[rest].click()
    else:
        name, *place = shlex.split(rest)
        if kind == "click":
            driving.click(shown, name, *map(int, place))
            return
        for event in ("mousedown",) if kind == "point" else ("mousemove", "mouseup"):
            driving.point(shown, name, *map(float, place), kind=event)
