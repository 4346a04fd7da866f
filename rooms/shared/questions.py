"""The questions of the lessons. They stand in data/questions.json, so that no cell gives them away."""

import difflib

from helpers.support import data_files
from workbench.moving.questions import Predict

PATH = data_files.path("questions.json")


def predict(name, *, covers=False):
    """Ask before the answer is shown.

    Parameters
    ----------
    name : of a question in data/questions.json
    covers : whether what the next cell shows stays covered until an answer is chosen; that cell is tagged `after-guess`

    Returns
    -------
    Predict, a widget with `.controls["answer"]` and `.shown["answer"]` (num_answers,), True at the chosen one
    """
    questions = data_files.json_file(PATH)
    if not isinstance(questions, dict):
        raise ValueError(f"data/questions.json must hold an object, but it holds {type(questions).__name__}.")
    if not isinstance(name, str) or name not in questions:
        near = difflib.get_close_matches(str(name), questions, n=3, cutoff=0.3)
        raise ValueError(f"name must be that of a question in data/questions.json, got {name!r}. Close: {near}.")
    parts = questions[name] if isinstance(questions[name], dict) else {}
    if not (isinstance(parts.get("replies"), dict) and {"question", "right"} <= set(parts)):
        raise ValueError(f"data/questions.json must have question, replies and right for {name!r}. {data_files.AGAIN}")
    return Predict(parts["question"], parts["replies"], parts["right"], covers)
