"""Questions before the answers: predict, then read on."""

import html

import ipywidgets as widgets
import numpy as np

from helpers.support import inputs
from workbench.moving.page import paragraph, with_static


class Predict(widgets.VBox):
    """A question with a few answers; each has its reply.

    Parameters
    ----------
    question : str
    replies : dict answer -> one sentence: why it is right, or what led there
    right : the right answer
    covers : whether what the next cell shows is covered until then; a button shows it without a guess
    """

    def __init__(self, question, replies, right, covers=False):
        inputs.text("question", question)
        for answer in inputs.mapping("replies", replies, str, "sentences"):
            inputs.text("each answer of replies", answer)
        if not isinstance(right, str) or right not in replies:
            raise ValueError(f"right must be one of the answers in replies, {list(replies)}, got {right!r}.")
        self._question, self._replies, self._right = question, replies, right
        choice = widgets.ToggleButtons(options=list(replies), value=None, style={"button_width": "auto"})
        choice.observe(self._answer, "value")
        self.controls = {"answer": choice}
        self._view = widgets.HTML(paragraph("Choose an answer before you read on."))
        self._view.add_class("explorer-view")
        skip = widgets.Button(description="Show it without a guess", layout=widgets.Layout(width="auto"))
        skip.add_class("predict-skip")
        skip.on_click(lambda _: self._uncover())
        self._answer()
        super().__init__([widgets.HTML(paragraph(question)), choice, self._view, *([skip] if covers else [])])
        self.add_class("predict")
        if covers:
            self.add_class("guess-waits")

    def _uncover(self):
        self.remove_class("guess-waits")
        self.children = self.children[:3]

    def _answer(self, _change=None):
        chosen = self.controls["answer"].value
        self.shown = {"answer": np.array([answer == chosen for answer in self._replies])}
        if chosen is None:
            self.text = "Choose an answer before you read on."
        else:
            self.text = f"{'✓ Yes.' if chosen == self._right else '✗ Not quite.'} {self._replies[chosen]}"
            self._uncover()
        self._view.value = paragraph(self.text)

    def _repr_mimebundle_(self, **kwargs):
        """Where no kernel runs, each answer opens to its reply."""
        folded = "".join(
            f"<details><summary>{html.escape(answer)}</summary>"
            f"{'✓' if answer == self._right else '✗'} {html.escape(reply)}</details>"
            for answer, reply in self._replies.items()
        )
        static = {
            "text/html": paragraph(self._question) + folded,
            "text/plain": f"{self._question} ({' / '.join(self._replies)})",
        }
        return with_static(super()._repr_mimebundle_(**kwargs), static)
