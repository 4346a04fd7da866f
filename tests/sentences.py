"""Hold the words of explorers against what they show; the recorded states hold them to the letter.

What a lesson's explorers claim in words must hold where it is said: `CLAIMS` in `sentences.py` beside the tests of the lesson, dict
explorer -> list of Claim. And a control that changes what is shown must change the sentence, but for those in `SILENT`.
"""

import importlib
import importlib.util
import itertools
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from helpers import explorers
from tests import driving

SILENT = {  # why a control changes what is shown, and not the sentence
    ("explore_cache_bytes", "texts"): "how many texts fit does not depend on how many are drawn",
    ("explore_cost", "num_heads"): "heads change the bytes of the maps, which the picture tells, and no multiplication",
    ("explore_depth", "drawn"): "the sentence tells all three curves, whichever is drawn",
    ("explore_head_wall", "sort"): "the order of the wall changes, and none of what is said of one head",
    ("explore_hiding_examples", "two_heads"): "as many mistakes are caught",
    ("explore_hiding_examples", "thousands"): "as many mistakes are caught",
    ("explore_neuron", "goal"): "the light under the picture says it",
    ("explore_notes", "page"): "each page opens with the same question",
    ("explore_patch_shuffle", "positions"): "nothing is shuffled yet, so nothing moves with positions either",
    ("explore_patch_shuffle", "first"): "once all are shuffled, an exchange leaves as many elsewhere",
    ("explore_patch_shuffle", "second"): "once all are shuffled, an exchange leaves as many elsewhere",
    ("explore_question", "swapped"): "Sarah stands elsewhere, and gets what she got before",
    ("explore_question", "matrix"): "W_Q and the scores are written out, and nothing moves",
    ("explore_router", "groups"): "the word that is followed has its experts in the open groups anyway",
    ("explore_seats", "chosen"): "whose length it is does not count, only how long all are",
    ("explore_three_tokens", "cell"): "no numbers are shown at first, and all cells of a row follow one output",
    ("explore_towers", "hearing"): "the map is seen, and the sentence says what the model writes",
}


class Claim(NamedTuple):
    """Words that speak of a state.

    words : regular expression, what is said
    holds : function(now) -> whether it is so; `now` has what is shown and set, and `said`, the match
    always : whether it must be said wherever it holds, too; then there may be no match
    """

    words: str
    holds: Callable
    always: bool = True


class Guard:
    """Watches an explorer while it is led from state to state; what it finds is in `complaints`, list of str."""

    def __init__(self, name):
        self.name, self.complaints, self._first = name, [], None
        self._claims = getattr(_declared(name), "CLAIMS", {}).get(name, [])

    def look(self, state, explorer):
        text, shown, now = explorer.text, explorer.shown, _moment(explorer)
        for claim in self._claims:
            now.said = re.search(claim.words, text)
            if (now.said or claim.always) and bool(now.said) != bool(claim.holds(now)):
                said, so = ("said", "not so") if now.said else ("not said", "so")
                self._complain(state, f"{claim.words!r} is {said}, and is {so}", text)
        self._hears(state, text, shown)

    def _hears(self, state, text, shown):
        control, set_to, _ = state.partition(" = ")
        if self._first is None:
            self._first = text, shown
        elif (
            set_to and (self.name, control) not in SILENT and text == self._first[0] and _differs(shown, self._first[1])
        ):
            self._complain(state, "what is shown changed, and the sentence did not", text)

    def _complain(self, state, why, text):
        self.complaints.append(f"{self.name}, {state}: {why}: {text}")


def complaints_in_all_states(name, **values):
    """What the guard finds where an explorer is led through all combinations of what can be chosen: list of str.

    Parameters
    ----------
    name : of the explorer
    values : dict control -> its values, of those that are no choice and no switch; other ones stay as they are
    """
    guard, explorer = Guard(name), getattr(explorers, name)()
    for control, field in explorer._fields.items():
        if isinstance(field, widgets.Checkbox):
            values.setdefault(control, [False, True])
        elif hasattr(field, "options"):
            values.setdefault(control, driving.choices(field))
    for chosen in itertools.product(*values.values()):
        explorer.set(**dict(zip(values, chosen)))
        guard.look(", ".join(f"{control} {value}" for control, value in zip(values, chosen)), explorer)
    return guard.complaints


def _moment(explorer):
    shown = {re.sub(r"\W", "_", key): each for key, each in explorer.shown.items()}
    return SimpleNamespace(**{**explorer.values, **shown})


def _declared(name):
    room = explorers.MODULE_OF.get(name, "").removeprefix("rooms.").removesuffix(".explorers")
    module = f"tests.rooms.{room}.sentences"
    return importlib.import_module(module) if room.isidentifier() and importlib.util.find_spec(module) else None


def _differs(shown, first):
    return shown.keys() != first.keys() or any(
        np.shape(shown[key]) != np.shape(first[key])
        or not np.allclose(shown[key], first[key], rtol=1e-6, atol=1e-9, equal_nan=True)
        for key in first
    )
