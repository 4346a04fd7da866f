"""An example that the page shows, with what the learner wrote, right or wrong: an answer can be seen at work, and so can its mistake."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench import matrices
from workbench.judging import run

LARGEST = 10_000  # numbers of a result that is looked at
SEEN = 2e-3  # a smaller difference shows in no picture


class Unlike(Exception):
    """What an answer gives is not what can be drawn; the sentence says why."""


class Drawn(NamedTuple):
    """How an example of the page is drawn with an answer.

    name : of the exercise
    make : function(answer) -> what the page shows: an array, or text
    draw : function(made, caption, wrong) -> Html; wrong marks where an array is not the right one
    about : what is drawn, in words
    """

    name: str
    make: Callable
    draw: Callable
    about: str


def labelled(rows, columns, kind="plain", *, decimals=2):
    """Make a `draw` for a matrix with these labels; what differs gets a ✗."""

    def draw(made, caption, wrong):
        marks = {(int(i), int(j)): "wrong" for i, j in np.argwhere(wrong)}
        look = {"kind": kind, "rows": rows, "columns": columns, "decimals": decimals}
        return matrices.matrix(made, caption, marks=marks, **look)

    return draw


def drawn(example, solve, answer):
    """Draw an example with an answer, and beside it with the right one where the two differ.

    Parameters
    ----------
    example : Drawn
    solve : the right answer
    answer : the learner's

    Returns
    -------
    Html; where the right one is text, that of the answer alone; where the answer stops or gives what cannot be drawn, one sentence says so
    """
    right, mine = example.make(solve), f"with your {example.name}"
    made, why = _made(example, answer, right)
    about = matrices.sentence(f"{example.about}, {mine}: {why}" if why else f"{example.about}:")
    if why:
        return matrices.under(about, example.draw(right, "right", _nowhere(right)))
    if isinstance(right, str):  # another right answer may draw other letters
        return matrices.under(about, example.draw(made, mine, None))
    wrong = ~np.isclose(made, right, rtol=SEEN, atol=SEEN)
    shown = [example.draw(made, mine, wrong)]
    if wrong.any():
        shown.append(example.draw(right, "right", _nowhere(right)))
    return matrices.under(about, matrices.beside(*shown))


def _nowhere(right):
    return None if isinstance(right, str) else np.zeros(np.shape(right), bool)


def _made(example, answer, right):
    """What the answer gives, and why it gives nothing; nothing that it does stops the page."""
    watch = run.Watch(modules=run.shared())
    try:
        with run.guarded():
            made = watch.run(example.make, (answer,))
        if isinstance(right, str):
            return made, "" if isinstance(made, str) else "it gives no text."
        return like(made, np.shape(right)), ""
    except KeyboardInterrupt:
        raise
    except Unlike as error:
        return None, str(error)
    except run.StillRunning:
        return None, f"it was stopped, since it was still {watch.why}"
    except BaseException as error:  # as the check does: whatever an answer does, the page goes on
        return None, f"it stops with {run.name_error(error)}."


def like(made, shape):
    """What an answer gives as an array of numbers of the shape that is right; Unlike where it is none."""
    want = f"an array of shape {shape} is right." if shape else "a number is right."
    if made is None:
        raise Unlike("it gives None.")
    try:
        found = np.shape(made)
        numbers = np.asarray(made, dtype=float) if math.prod(found) <= LARGEST else None
    except Exception:
        raise Unlike(f"it gives {type(made).__name__}, and {want}") from None
    if found != shape:
        raise Unlike(
            f"it gives an array of shape {found}, and {want}" if found else f"it gives a single number, and {want}"
        )
    if not np.isfinite(numbers).all():
        raise Unlike("it gives numbers that are not finite.")
    return numbers
