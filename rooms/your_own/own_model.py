"""What a learner has written so far, as a picture."""

from helpers import parts as course
from helpers.support import inputs
from rooms.shared.strip import named
from rooms.your_own.standing import model_at


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
