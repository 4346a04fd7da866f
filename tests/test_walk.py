"""The walk: the numbered questions of every lesson in the page's own order, with no reset that the page does not ask for.

tests/rooms/<room>/walk.txt holds one step a line:

explorer NAME       the cell of the page in which explorers.NAME(…) is called, further down than the one before; it runs here
1. FIRST WORDS      the next numbered question of the page, by its first words
set a=1 b="x"       what the learner sets, as in explorer.set
press TEXT          a button
click NAME 1 2      a part of the picture, by its name and place
point NAME x y      a press in a figure at a place of its data; `drag NAME x y` goes on from there
says TEXT           stands in the sentence below the picture, or in the picture's own words
holds EXPRESSION    Python over what is shown, with np, and lights, whether each of the rules holds
answer TEXT         stands in the page below the question: that is what was to be seen
"""

import contextlib
import html
import io
import re
import shlex

import nbformat
import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.notebooks import ROOT, lessons
from web import played

ITEM = re.compile(r"^(\d+\. .*)$", re.M)
FOLD = re.compile(r"<details>.*?</details>", re.S)
SETTING = re.compile(r"\s+(?=\w+=)")
WALKS = ROOT / "tests" / "rooms"


class Page:
    """A lesson's cells, and where in them the walk is."""

    def __init__(self, path):
        self.cells, self.at, self.space = (
            nbformat.read(path, 4).cells,
            -1,
            {"explorers": explorers, "__name__": "__main__"},
        )
        prose = [(k, cell.source) for k, cell in enumerate(self.cells) if cell.cell_type == "markdown"]
        self.questions = [(k, words) for k, text in prose for words in ITEM.findall(FOLD.sub("", text))]
        self.prose = {k: text for k, text in prose}

    def explorer(self, name):
        """What the next cell shows that calls it; the cells before it run only where it needs a name of theirs."""
        self.at = next(
            k
            for k, cell in enumerate(self.cells)
            if k > self.at and f"explorers.{name}(" in cell.source and k not in self.prose
        )
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                return played.run(self.cells[self.at].source, dict(self.space), name)
            except NameError:
                for k in range(self.at):
                    if k not in self.prose:
                        played.run(self.cells[k].source, self.space, name)
                return played.run(self.cells[self.at].source, self.space, name)

    def below(self, number):
        """The text from a question on to the end of its cell and the two after it, where its answer may stand."""
        k, words = self.questions[number]
        own = self.prose[k]
        return "\n".join([own[own.index(words) + len(words) :], *(self.prose.get(k + step, "") for step in (1, 2))])


def plain(markup):
    """Words of a view or of a page, in one line."""
    text = re.sub(r"<(?:style|title).*?</(?:style|title)>", " ", markup, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def step(page, shown, number, kind, rest):
    """One step of the walk; what it finds otherwise is an AssertionError."""
    name, *where = shlex.split(rest) if kind in ("click", "point", "drag") else (rest,)
    if kind == "set":
        shown.set(**eval(f"dict({','.join(SETTING.split(rest))})"))
    elif kind == "press":
        driving.buttons(shown)[rest].click()
    elif kind == "click":
        driving.click(shown, name, *map(int, where))
    elif kind in ("point", "drag"):
        for event in ("mousedown",) if kind == "point" else ("mousemove", "mouseup"):
            driving.point(shown, name, *map(float, where), kind=event)
    elif kind == "says":
        assert rest in plain(shown.html), f"expected “{rest}”, the explorer says “{shown.text}”"
    elif kind == "holds":
        values = {**shown.values, **shown.shown, "np": np}
        values["lights"] = [holds for holds, _ in driving.lights(shown.html)]
        assert eval(rest, values), f"expected {rest}, the explorer says “{shown.text}”"
    elif kind == "answer":
        assert rest in page.below(number), f"the page does not answer “{rest}”"
    else:
        raise ValueError(f"{kind} must be a step of a walk")


def walk(path, lines):
    """Go through a page; what it says otherwise, and what nobody has walked to, is an AssertionError."""
    page, shown, number, done = Page(path), None, -1, {"answer", "holds"}
    for line in filter(str.strip, [*lines, f"{len(page.questions)}. the end"]):
        kind, _, rest = line.partition(" ")
        place = (
            f"lesson {path.stem[:2]}, “{page.questions[number][1][:60]}”" if number >= 0 else f"lesson {path.stem[:2]}"
        )
        if kind == "explorer":
            shown = page.explorer(rest)
        elif kind.rstrip(".").isdigit():
            assert "answer" in done and done & {"says", "holds"}, f"{place}: nobody has looked for its answer"
            number, done = number + 1, set()
            asked = page.questions[number][1] if number < len(page.questions) else line
            assert asked.startswith(line), f"{place}: the page goes on with “{asked}”, the walk with “{line}”"
        else:
            try:
                step(page, shown, number, kind, rest)
            except Exception as error:
                raise AssertionError(f"{place}, {line}: {error}") from error
            done.add(kind)
    assert number == len(page.questions), f"{place}: the page is shorter than its walk"


def lines_of(path):
    file = WALKS / path.stem[3:] / "walk.txt"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem[:2])
def test_each_question_of_a_page_has_its_answer_when_they_are_asked_one_after_the_other(path):
    walk(path, lines_of(path))


@pytest.mark.parametrize("left_out", ["set swapped=False", "2. Press **the same", "answer None. When"])
def test_a_question_that_is_answered_in_another_state_or_not_at_all_is_noticed(left_out):
    (path,) = [path for path in lessons() if path.stem == "03_ask_with_queries_keys_values"]
    with pytest.raises(AssertionError, match=r"^lesson 03, “[1-3]\. "):
        walk(path, [line for line in lines_of(path) if not line.startswith(left_out)])
