"""What a language model that was trained on conversations makes of a text, with the marks of a conversation and without."""

from helpers import language_model
from helpers.support import data_files, inputs

PATH = data_files.path("chat_answers.json")
MOST = 60  # tokens
END = ("<|im_end|>", "<|endoftext|>")


def marked(question):
    """Put the marks of a conversation around a question, as SmolLM2 was trained with them.

    Examples
    --------
    >>> marked("Who is she?")
    '<|im_start|>user\\nWho is she?<|im_end|>\\n<|im_start|>assistant\\n'
    """
    return f"<|im_start|>user\n{inputs.text('question', question)}<|im_end|>\n<|im_start|>assistant\n"


def goes_on(text):
    """How SmolLM2-135M-Instruct goes on with a text, always with the likeliest token, until it ends or has written 60.

    Parameters
    ----------
    text : str; two questions, with marks and without, are stored, and for others the model must be installed

    Returns
    -------
    written : str

    Raises
    ------
    FileNotFoundError
        If the text is not stored and the model is not installed.
    """
    stored = data_files.json_file(PATH)
    return stored[text] if inputs.text("text", text) in stored else written(language_model.load(progress=None), text)


def written(model, text):
    """The same by a model that is open."""
    ends, logits_of, ids = [model.encode(end) for end in END], model.logits_of(), model.encode(text)
    out = []
    while len(out) < MOST and [token := int(logits_of(ids + out)[-1].argmax())] not in ends:
        out.append(token)
    return model.decode(out)
