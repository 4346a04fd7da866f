"""What a learner has written so far, as a picture."""

from helpers import yours
from helpers.pictures.parts_map import parts_map
from helpers.support import inputs


def your_model(*adds):
    """Show the parts of a language model; those that you have written are in colour, and each leads to its lesson.

    Parameters
    ----------
    adds : names of parts that a lesson adds; the picture is then folded
    """
    parts = yours.parts()
    for name in adds:
        inputs.one_of("each name", name, {part.name: part for part in parts})
    return parts_map(parts, adds)
