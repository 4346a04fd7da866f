"""How a real tokenizer cuts a few texts: that of SmolLM2-135M-Instruct, with 48,900 merges."""

from helpers import language_model
from helpers.support import data_files, inputs

PATH = data_files.path("token_cuts.json")
TEXTS = (
    "I ate a strawberry", "strawberry", "Strawberry", "STRAWBERRY", "1234567 + 8", "The cat sat on the mat.",
    "Die Katze saß auf der Matte.", "Кошка сидела на коврике.", "猫坐在垫子上。",
)  # fmt: skip


def cut(text):
    """The tokens of a text.

    Parameters
    ----------
    text : str; those of TEXTS are stored, and for others the model must be installed

    Returns
    -------
    tokens : list of (its number, its letters); a part of a letter is written as �

    Raises
    ------
    FileNotFoundError
        If the text is not stored and the model is not installed.

    Examples
    --------
    >>> [piece for _, piece in cut("strawberry")]
    ['st', 'raw', 'berry']
    """
    stored = data_files.json_file(PATH)
    if inputs.text("text", text) in stored:
        return [(number, piece) for number, piece in stored[text]]
    return cut_by(language_model.load(progress=None), text)


def cut_by(model, text):
    """The same by a model that is open."""
    return [(int(number), model.decode([int(number)])) for number in model.encode(text)]
