"""Model solutions as text, and known mistakes as edits of them.

A row of mistakes is `old => new | what is said of it`. The edit is made wherever `old` stands; ;; parts several edits, and
⏎ ends a line. Without `old`, `new` is what the solution returns in the end. Where nothing is said, the row is another form
of the mistake above.
"""

import contextlib
import functools
import math
import re

import numpy as np

SPACE = {  # what solutions may name; a course adds its own
    "np": np,
    "math": math,
    "__name__": __name__,
}


def solution(text, **names):
    """The function that a text defines, with further names that it may use."""
    text, space = text.strip() + "\n", SPACE | names
    exec(compile(text, "<solution>", "exec"), space)
    function = space[re.match(r"def (\w+)", text)[1]]
    function.text, function.names = text, names
    return function


class Edited:
    """A solution after edits, which is compiled when it is first called."""

    def __init__(self, solve, edits):
        self.text, self.names, self.edits = edited(solve.text, edits), solve.names, edits

    def __call__(self, *arguments):
        return self.function(*arguments)

    @functools.cached_property
    def function(self):
        return solution(self.text, **self.names)


def edited(text, edits):
    """A text after edits."""
    for edit in edits.split(" ;; "):
        old, _, new = (part.strip().replace("⏎", "\n") for part in edit.partition("=>"))
        start = text.rindex("return ")
        if old and old not in text:
            raise ValueError(f"{old!r} does not stand in\n{text}")
        text = text.replace(old, new) if old else f"{text[:start]}return {new}\n"
    return text


@functools.cache
def both(one, other):
    """The solution with two mistakes, each an Edited, or None where one of them touches what the other has put in."""
    with contextlib.suppress(ValueError):
        made = Edited(one, other.edits)
        if made.text == edited(other.text, one.edits) not in (one.text, other.text):
            return made
    return None


def mistakes(solve, rows):
    """dict sentence -> list of functions that make this mistake."""
    found = {}
    rows = rows.strip().splitlines()
    for number, row in enumerate(rows, 1):
        edits, said = (part.strip() for part in row.rsplit(" |", 1))
        if said:
            functions = found.setdefault(said, [])
        try:
            functions.append(Edited(solve, edits))
        except ValueError as error:
            raise ValueError(f"Row {number} of {len(rows)} mistakes cannot be made: {error}") from None
    return found


def judged(use, solve, mistakes, shown=None):
    """A solution and its known mistakes, where an exercise judges the row of numbers that `use` makes of a result.

    `shown` makes of a result the arrays that a reader sees, by their names.

    Returns the arguments of Exercise.
    """

    def used(result, *given):
        is_used = isinstance(result, np.ndarray) and result.ndim == 1 and result.dtype.kind in "biuf"  # no words
        return result if is_used else use(result, *given)

    def made_of(function):
        return lambda *given: used(function(*given), *given)

    right = made_of(solve)
    right.text, right.names, right.returned = solve.text, solve.names, solve
    wrong = {said: [made_of(each) for each in functions] for said, functions in mistakes.items()}
    return {"solve": right, "mistakes": wrong, "use": used, "shown": shown}
