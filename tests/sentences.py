"""Hold the words of explorers against what they show; the recorded states hold them to the letter.

Each number in a sentence must be one that is shown or set, or follows from it in one step, but for the explorers in
`OTHER`. What a lesson's explorers claim in words must hold where it is said: `CLAIMS` in `sentences.py` beside the
tests of the lesson, dict explorer -> list of Claim. And a control that changes what is shown must change the sentence,
but for those in `SILENT`.
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

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
UNITS = {"billion": 1e9, "million": 1e6, "GB": 1e9, "MB": 1e6, "kB": 1e3}
NUMBER = re.compile(
    r"(?<![\w.,'’])(?P<sign>[-−+]?)(?P<digits>\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:e(?P<e>[+-]?\d+)|·10(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?"
    r"(?P<percent> ?%)?(?: (?P<unit>billion|million|GB|MB|kB)\b)?"
)
MOST = 64  # numbers of an array that are looked at one by one; of a larger one those that controls choose, and its extremes
# explorers whose sentences say numbers that take more than one step from what is shown: claims and walks hold them
OTHER = """
    ablation cache_bytes configurations copying cost decoding depth encoding growing_heads guesses head_wall
    hiding_examples learning luck model_lines next_token novel optimizers patches port reach residual_stream resting
    rotation seats sink training twins two_answers where_it_stops window_reach writing your_code
""".split()
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


class Said(NamedTuple):
    """A number in a sentence: as it is written, what it says, and half a unit of its last digit."""

    word: str
    value: float
    room: float

    def is_one_of(self, values):
        """Whether one of the values, an array, would be written like this; without its sign where none is written."""
        return bool(np.any(np.abs(np.abs(values) - abs(self.value)) <= self.room + 1e-9 * np.abs(values)))


def numbers(text):
    """The numbers of a sentence: list of Said."""
    found = []
    for match in NUMBER.finditer(text):
        digits = match["digits"].replace(",", "")
        scale = UNITS.get(match["unit"], 1.0) * (0.01 if match["percent"] else 1.0)
        scale *= 10.0 ** int(match["e"] or (match["power"] or "0").translate(SUPERSCRIPTS))
        sign = -1 if match["sign"] in ("-", "−") and match["sign"] else 1
        unit = scale * 10.0 ** -len(digits.partition(".")[2])
        if match["unit"] in ("GB", "MB", "kB") and len(digits.replace(".", "")) >= 3:  # three digits are told
            unit = scale * 10.0 ** (len(digits.partition(".")[0]) - 3)
        found.append(Said(match[0].strip(), sign * scale * float(digits), 0.5000001 * unit))
    return found


def derivable(shown, values):
    """All numbers that a sentence may say of a state: what is shown and set, and what follows from it in one step.

    Parameters
    ----------
    shown : dict name -> array, of an explorer
    values : dict control -> value

    Returns
    -------
    numbers : (num,)
    """
    chosen = [int(each) for each in _numbers_in(values.values()) if float(each).is_integer() and abs(each) < 1000]
    chosen += [
        int(each) for array in shown.values() if np.size(array) == 1 and (each := np.ravel(array)[0]) == each // 1
    ]
    pool = [np.array(_numbers_in(values.values()) or [0.0])]
    for array in map(np.asarray, shown.values()):
        numbers = array.astype(float)
        pool.append(np.array(numbers.shape or (1,), float))
        pool += _derived(numbers, sorted(set(chosen)))
    found = np.concatenate([each.ravel() for each in pool])
    return np.unique(found[np.isfinite(found)])


def _numbers_in(values):
    """Numbers among the controls' values: of texts those that are written there, and how many letters and words it has."""
    found = []
    for value in values:
        if isinstance(value, (bool, np.bool_)):
            continue
        if isinstance(value, (int, float, np.number)):
            found += [float(value), float(value) + 1, float(value) - 1]
        elif isinstance(value, str):
            found += [float(digits) for digits in re.findall(r"\d+(?:\.\d+)?", value)]
            found += [len(value.strip()), len(value.split())]
        elif isinstance(value, (tuple, list)):
            found += _numbers_in(value)
        elif isinstance(value, np.ndarray):
            found += [*value.ravel().astype(float), *map(float, value.shape), float(value.sum())]
    return found


def _derived(array, chosen):
    """Of one array: its numbers, sums, means, extremes and their places, counts; of a large one those of the chosen rows."""
    if array.size == 0:
        return []
    if array.size > MOST:
        rows = [array[k] for k in {*chosen, *(k - 1 for k in chosen), len(array) - 1} if -len(array) <= k < len(array)]
        return [*_summary(array), *(part for row in rows for part in _derived(np.atleast_1d(row), chosen))]
    return [
        array,
        *_summary(array),
        *(each for axis in range(array.ndim) if array.ndim > 1 for each in _summary(array, axis)),
    ]


def _summary(array, axis=None):
    array = np.nan_to_num(array, nan=0.0, posinf=0.0, neginf=0.0)
    filled = array != 0
    places = [array.argmax(axis), array.argmin(axis), np.abs(array).argmax(axis)]
    return [
        array.sum(axis),
        array.mean(axis),
        array.max(axis),
        array.min(axis),
        filled.sum(axis),
        (~filled).sum(axis),
        *places,
        *(place + 1 for place in places),
    ]


def unexplained(text, allowed):
    """The numbers of a sentence that are none of the allowed ones: list of Said."""
    return [said for said in numbers(text) if not said.is_one_of(allowed)]


# --- the guard -------------------------------------------------------------------------------------------------------


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
        for said in (
            [] if self.name.removeprefix("explore_") in OTHER else unexplained(text, derivable(shown, explorer.values))
        ):
            self._complain(state, f"{said.word!r} follows from nothing that is shown or set", text)
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
