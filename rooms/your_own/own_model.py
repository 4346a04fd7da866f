"""What a learner has written so far, as a picture."""

from helpers import parts as course
from helpers import yours
from helpers.support import inputs
from rooms.shared.parts_map import parts_map
from rooms.shared.strip import WRITES, named, strip, writing
from workbench.pictures.html import Html


def your_model(here="", adds=()):
    """Show where a lesson stands on the way from words to the next word, and which parts of a language model you have written.

    The parts are folded; those that are yours are in colour, and each leads to its lesson. Without a lesson, they stand alone.

    Parameters
    ----------
    here : the number of the lesson, as "04"
    adds : list of the parts that a lesson adds, or the name of the only one; `here` knows them
    """
    if not isinstance(here, str) or here in course.LESSONS:  # as lessons called it that said no number
        here, adds = "", here
    adds = [adds] if isinstance(adds, str) else inputs.listed("adds", adds, str, "names of parts")
    for name in adds:
        inputs.one_of("each of adds", name, dict.fromkeys(course.LESSONS))
    if here and not (here.isdecimal() and len(here) == 2):
        raise ValueError(f'here must be the number of a lesson, as "04", got {here!r:.40}.')
    return model_at(named(here) if here else None, adds)


def model_at(lesson, adds=()):
    """The same for the name of a lesson, or None.

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
