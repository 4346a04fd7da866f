"""Where a lesson stands on the way from words to the next word, and below it, folded, what a learner has written so far."""

from helpers import parts as course
from helpers import yours
from rooms.shared.parts_map import parts_map
from rooms.shared.strip import WRITES, strip, writing
from workbench.pictures.html import Html


def model_at(lesson, adds=()):
    """Show the line of a lesson, by its name, and the parts below it; None = the parts alone.

    Returns
    -------
    Html
    """
    parts = yours.parts()
    own = [part.name for part in parts if part.by == "you"]
    adds = adds or [name for name, where in course.LESSONS.items() if where.partition("_")[2] == lesson]
    below = parts_map(parts, adds, fold=f"{len(own)} of {len(parts)} parts are yours")
    if lesson is None:
        return below
    line = writing(own) if lesson == WRITES else strip(lesson, own)
    return Html(f'<div style="max-width:806px">{line.html}{below.html}</div>', f"{line.text}\n{below.text}")
