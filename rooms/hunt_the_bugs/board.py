"""The board of a hunt: what breaks, a row for each rule and a column for each suspect, and the mistakes as chips that move to a
column's head."""

from typing import NamedTuple

import numpy as np

from rooms.shared import verdicts
from workbench.pictures.svg import Drawing, text_width

HEAD, APART = 56, 6  # pixels above the cells, and between two chips
BESIDE = 270  # pixels of the chips where they stand beside the cells


class Layout(NamedTuple):
    """How a board is laid out, in pixels.

    left : where the cells begin; the words of the rules stand before them
    step, line : from cell to cell, across and down
    size : of the words
    chip : from a chip to the one below it
    beside : whether the chips stand beside the cells, not in two columns below them
    """

    left: int
    step: int
    line: int
    size: int = 13
    chip: int = 38
    beside: bool = False


class Board(NamedTuple):
    """What is hunted: what a suspect is called, the rules and the mistakes in words."""

    what: str
    rules: list
    mistakes: list

    def draw(self, now, layout):
        """The board as an Html; `now` has gaps (num_suspects, num_rules), right (num_suspects,), number and rule."""
        numbers, low = range(1, len(now.gaps) + 1), HEAD + layout.line * len(self.rules)
        right = layout.left + layout.step * len(numbers)
        across, top = (1, HEAD) if layout.beside else (2, low + 34)
        chips = -(-len(self.mistakes) // across) * layout.chip
        width = right + 2 + (BESIDE + 24 if layout.beside else 0)
        drawing = Drawing(width, max(low, top + chips) + 8)
        x, y = layout.left + layout.step * (now.number - 1), HEAD + layout.line * (now.rule - 1)
        drawing.box(x, 2, layout.step, low - 1, rx=6, fill="chosen", fill_opacity=0.08)
        drawing.words(layout.left - 10, 18, self.what, size=layout.size, anchor="end", colour="muted")
        drawing.words(layout.left - 10, 42, "verdict", size=layout.size, anchor="end", colour="muted")
        for k in numbers:
            self._head(drawing, now, layout, k)
        for i, words in enumerate(self.rules):
            self._rule(drawing, now, layout, i, words)
        for colour, wide in (("paper", 5), ("chosen", 2.5)):
            drawing.box(x, y, layout.step, layout.line, rx=5, fill="none", stroke=colour, stroke_width=wide)
        at = right + 24 if layout.beside else 2
        question = f"what is wrong with {self.what} {now.number}?"
        drawing.words(at, top - 14, question, size=layout.size, anchor="start", colour="muted")
        wide = (width - 2 - at - APART * (across - 1)) / across
        for i, words in enumerate(self.mistakes):
            place = at + (wide + APART) * (i % across), top + layout.chip * (i // across)
            self._chip(drawing, now, layout, i, words, *place, wide)
        return drawing.html(self._told(now))

    def _head(self, drawing, now, layout, k):
        """The number of a suspect, and below it its verdict: a letter, in a box that is filled where it is right."""
        middle, here = layout.left + layout.step * (k - 0.5), k == now.number
        drawing.words(middle, 18, str(k), size=14, colour="chosen" if here else "muted", bold=here)
        box = {"x": middle - layout.step / 2 + 2, "y": 26, "width": layout.step - 4, "height": 24, "rx": 6}
        if not self._named(now, k):
            drawing.add("rect", fill="none", stroke="muted", stroke_opacity=0.6, stroke_dasharray="3 3", **box)
            return
        good, wide = bool(now.right[k - 1]), layout.step > 30
        drawing.add("rect", fill="ink" if good else "paper", stroke="ink" if good else "wrong", stroke_width=1.5, **box)
        words = f"{self._named(now, k)}{' ' if wide else ''}{'✓' if good else '✗'}"
        colour = "paper" if good else "wrong"
        drawing.words(middle, 43, words, size=14 if wide else 11, colour=colour, bold=True)

    def _rule(self, drawing, now, layout, i, words):
        y, here = HEAD + layout.line * i, i == now.rule - 1
        _lines(drawing, f"{i + 1}", 16, y + layout.line / 2, layout, anchor="end", colour="chosen" if here else "muted")
        _lines(drawing, words, 22, y + layout.line / 2, layout, layout.left - 31, colour="chosen" if here else "ink")
        for j, gap in enumerate(now.gaps[:, i]):
            x = layout.left + layout.step * j
            cell = {"x": x + 1.5, "y": y + 1.5, "width": layout.step - 3, "height": layout.line - 3, "rx": 4}
            drawing.add("rect", fill="wrong" if gap else "ink", fill_opacity=None if gap else 0.05, **cell)
            if gap:
                drawing.words(x + layout.step / 2, y + layout.line / 2 + 6, "✗", size=17, colour="paper", bold=True)
            drawing.box(x, y, layout.step, layout.line, fill="transparent", place=(now.places("rules"), i, j))

    def _chip(self, drawing, now, layout, i, words, x, y, wide):
        """A mistake; ringed where it is the open suspect's verdict, pale where another one has been found by it."""
        blamed = [k for k in range(1, len(now.gaps) + 1) if now[verdicts.of(k)] == self.mistakes[i]]
        here = now.number in blamed
        box = {"x": x, "y": y + 1, "width": wide, "height": layout.chip - APART, "rx": 8}
        look = {"stroke": "chosen" if here else "line", "stroke_width": 2.5 if here else 1.2}
        drawing.add("rect", fill="chosen" if here else "ink", fill_opacity=0.12 if here else 0.03, **look, **box)
        middle = y + 1 + (layout.chip - APART) / 2
        found = any(now.right[k - 1] for k in blamed) and not here
        _lines(drawing, _letter(i), x + 9, middle, layout, colour="muted" if found else "chosen", bold=True)
        _lines(drawing, words, x + 26, middle, layout, wide - 38, colour="muted" if found else "ink")
        drawing.add("rect", fill="transparent", place=(now.places("verdicts"), i), **box)

    def _named(self, now, k):
        """The letter of the verdict on a suspect, "" for none."""
        named = now[verdicts.of(k)]
        return "" if named == verdicts.NO_VERDICT else _letter(self.mistakes.index(named))

    def _told(self, now):
        told = []
        for k, row in enumerate(now.gaps, 1):
            broken, named = " and ".join(f"rule {i + 1}" for i in np.flatnonzero(row)), self._named(now, k)
            told.append(f"{self.what} {k} breaks {broken}{f', your verdict {named}' if named else ''}")
        return f"{'; '.join(told)}.".capitalize()


def _letter(i):
    return "abcdefghijkl"[i]


def _lines(drawing, words, x, middle, layout, room=np.inf, anchor="start", **look):
    """Words that begin at x, in lines of at most so many pixels, their middle at `middle`."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, layout.size) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    for k, line in enumerate(lines):
        y = middle + 0.36 * layout.size + (k - (len(lines) - 1) / 2) * (layout.size + 1)
        drawing.words(x, y, line, size=layout.size, anchor=anchor, **look)
