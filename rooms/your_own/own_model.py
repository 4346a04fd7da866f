"""What a learner has written so far, as a picture."""

from helpers import yours
from helpers.support import inputs
from rooms.shared.parts_map import parts_map


def your_model(adds=()):
    """Show the parts of a language model, folded; those that you have written are in colour, and each leads to its lesson.

    Parameters
    ----------
    adds : list of the parts that a lesson adds, or the name of the only one; the line above the picture names them
    """
    parts = yours.parts()
    adds = [adds] if isinstance(adds, str) else inputs.listed("adds", adds, str, "names of parts")
    for name in adds:
        inputs.one_of("each of adds", name, {part.name: part for part in parts})
    return parts_map(parts, adds, folded=True)
