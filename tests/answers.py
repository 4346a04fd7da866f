"""Answers to all exercises: those that are code stand in tests/rooms/<a lesson>/answers/, those that are worked out on paper in
tests/rooms/<a lesson>/by_hand.py.
"""

import contextlib
import importlib
import io
import re

from helpers.checks import Feedback, _exercise, check
from tests import submissions
from workbench.judging.exercise import known_mistakes

FOUND = [
    importlib.import_module(f"tests.rooms.{path.parent.name}.by_hand")
    for path in sorted(submissions.FOLDER.glob("*/by_hand.py"))
]
BY_HAND = {name: answers for module in FOUND for name, answers in module.BY_HAND.items()}


def right(name):
    """A right answer."""
    return (
        BY_HAND[name][0][0] if name in BY_HAND else next(each.answer for each in submissions.read(name) if each.right)
    )


def wrong(name):
    """A wrong answer: the likeliest mistake, or no numbers."""
    if name in BY_HAND:
        return BY_HAND[name][1][0][0]
    return next((mistake for _, mistake in known_mistakes(_exercise(name))), lambda *given: "words")


def assert_plain(feedback):
    """One short line of plain words, and no memory address in it."""
    assert isinstance(feedback, Feedback)
    assert feedback.status in {"blank", "right", "wrong"}
    assert feedback.message == feedback.message.strip() != ""
    assert len(feedback.message.splitlines()) == 1
    assert len(feedback.message) < 260
    assert not re.search(r"0x[0-9a-fA-F]{4}", feedback.message)
    assert "could not be checked" not in feedback.message


def printed(name, answer):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert check(name, answer) is None
    return out.getvalue()
