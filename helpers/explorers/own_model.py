"""What a learner has written so far, as a picture."""

from helpers import yours
from helpers.pictures.parts_map import parts_map


def your_model():
    """Show the parts of a language model; those that you have written are in colour, and each leads to its lesson."""
    return parts_map(yours.parts())
