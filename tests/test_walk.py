"""The walk: the numbered questions of every lesson in the page's own order, with no reset that the page does not ask for.

tests/rooms/<room>/walk.txt holds one step a line:

explorer NAME       the next cell of the page that calls explorers.NAME(…) runs
1. FIRST WORDS      the next numbered question of the page
set a=1 b="x"       what a learner sets
press TEXT          a button
click NAME 1 2      a part of the picture, by its name and place
point NAME x y      a press in a figure, at a place of its data; `drag NAME x y` goes on from there and lets go
says TEXT           stands in the picture or in the sentence below it
holds EXPRESSION    Python over what is shown, with np, and lights, whether each of the rules holds
answer TEXT         stands in the page below the question: what was to be seen
"""

import contextlib
import html
import io
import re

import nbformat
import numpy as np
import pytest

from helpers import explorers
from tests import driving, walking
from tests.notebooks import lessons
from web import played

ITEM = re.compile(r"^(\d+\. .*)$", re.M)
FOLD = re.compile(r"<details>.*?</details>", re.S)


class Page:
    """A lesson's cells, its numbered questions, and where in the page the walk is."""

    def __init__(self, path):
        cells, self.at, self.names = nbformat.read(path, 4).cells, -1, {"explorers": explorers, "__name__": "__main__"}
        self.code = [(k, cell.source) for k, cell in enumerate(cells) if cell.cell_type == "code"]
        self.prose = [cell.source if cell.cell_type == "markdown" else "" for cell in cells]
        self.questions = [(k, each) for k, text in enumerate(self.prose) for each in ITEM.findall(FOLD.sub("", text))]

    def explorer(self, name):
        """What the next cell shows that calls it; the cells before run only where it needs a name of theirs."""
        self.at, source = next(each for each in self.code if each[0] > self.at and f"explorers.{name}(" in each[1])
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                return played.run(source, dict(self.names), name)
            except NameError:
                for before in (code for k, code in self.code if k < self.at):
                    played.run(before, self.names, name)
                return played.run(source, self.names, name)

    def below(self, number):
        """The page from a question on, as far as its answer may stand: its cell and the two after it."""
        k, words = self.questions[number]
        return "\n".join([self.prose[k].partition(words)[2], *self.prose[k + 1 : k + 3]])


def step(page, shown, number, kind, rest):
    """One step of the walk; what is otherwise is an AssertionError."""
    if kind in walking.MOVES:
        walking.move(shown, kind, rest)
    elif kind == "says":
        words = html.unescape(re.sub("<title>[^<]*|<[^>]*>", " ", shown.html)).split()
        assert rest in " ".join(words), f"the explorer says “{shown.text}”"
    elif kind == "holds":
        lights = [holds for holds, _ in driving.lights(shown.html)]
        assert eval(rest, {**shown.values, **shown.shown, "np": np, "lights": lights}), (
            f"the explorer says “{shown.text}”"
        )
    else:
        assert kind == "answer" and rest in page.below(number), "the page does not say so"


def walk(path, left_out=None):
    """Go through a page; what it says otherwise, and a question that nobody asks, is an AssertionError."""
    page, shown, number, done = Page(path), None, -1, {"answer", "holds"}
    for kind, rest in [*walking.lines(path), (f"{len(page.questions)}.", "the end")]:
        line = f"{kind} {rest}"
        if line == left_out:
            continue
        place = f"lesson {path.stem[:2]}, “{page.questions[number][1][:60] if number >= 0 else 'at its start'}”, {line}"
        if kind == "explorer":
            shown = page.explorer(rest)
        elif kind.rstrip(".").isdigit():
            assert "answer" in done and done & {"says", "holds"}, f"{place}: nobody has looked for the answer before"
            number, done = number + 1, set()
            asked = page.questions[number][1] if number < len(page.questions) else line
            assert asked.startswith(line), f"{place}: the page asks “{asked}”"
        else:
            try:
                step(page, shown, number, kind, rest)
            except Exception as error:
                raise AssertionError(f"{place}: {error}") from error
            done.add(kind)
    assert number == len(page.questions), f"{path.stem}: the walk is longer than its page"


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem[:2])
def test_each_question_of_a_page_has_its_answer_when_they_are_asked_one_after_the_other(path):
    walk(path)


@pytest.mark.parametrize("left_out", ["set swapped=False", "2. Press **the same matrix twice**, tick"])
def test_a_question_in_another_state_and_one_that_is_not_asked_are_noticed(left_out):
    (path,) = [path for path in lessons() if path.stem[:2] == "03"]
    with pytest.raises(AssertionError, match=r"^lesson 03, “"):
        walk(path, left_out)
