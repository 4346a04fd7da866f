"""What a language model that was trained on conversations makes of a text, with the special tokens of a conversation and without."""

from helpers.support import data_files, inputs

PATH = data_files.path("chat_answers.json")
MOST = 60  # tokens
END = ("<|im_end|>", "<|endoftext|>")


def marked(question):
    """Put the special tokens of a conversation around a question, as SmolLM2 was trained with them.

    Examples
    --------
    >>> marked("Who is she?")
    '<|im_start|>user\\nWho is she?<|im_end|>\\n<|im_start|>assistant\\n'
    """
    return f"<|im_start|>user\n{inputs.text('question', question)}<|im_end|>\n<|im_start|>assistant\n"


def written(model, text):
    """How an open model goes on with a text, always with the likeliest token, until it ends or has written 60."""
    ends, logits_of, ids = [model.encode(end) for end in END], model.logits_of(), model.encode(text)
    out = []
    while len(out) < MOST and [token := int(logits_of(ids + out)[-1].argmax())] not in ends:
        out.append(token)
    return model.decode(out)
