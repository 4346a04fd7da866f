"""What explorers show where their buttons lead, at the ends of their controls, and in two places at random, as text.

No real model is asked, whether one is installed or not.

python -m tests.record explore_mask   writes explore_mask.txt anew, in tests/rooms/<its lesson>/recorded/; read what changed
before you keep it
"""

import sys
import zlib
from pathlib import Path
from unittest import mock

import ipywidgets as widgets
import numpy as np

from helpers import explorers, language_model
from tests import driving
from workbench import matrices
from workbench.moving.controls import NumberGrid

TESTS = Path(__file__).parent
NUM_RANDOM = 2
LONG = 16  # numbers of an array; of more, one sum over all stands for them


def place(name):
    """The file of what an explorer shows: beside the tests of its lesson, or of no lesson."""
    _, room, module = explorers.MODULE_OF[name].split(".")
    return TESTS.joinpath(*(["rooms", room] if module == "explorers" else []), "recorded", f"{name}.txt")


def record(name, watch=lambda state, explorer: None):
    """The first state in full, and what answers the hand; of the others the sentence, the lights and the arrays that changed."""
    with mock.patch.object(language_model, "find", lambda: None):
        explorer = getattr(explorers, name)()
        lines, first = [explorer._picture_text], {}
        for state in states(explorer, name):
            arrays = {
                key: f"{key} {'×'.join(map(str, array.shape))}: {digest(array)}"
                for key, array in explorer.shown.items()
            }
            lights = [words for holds, words in driving.lights(explorer.html) if not holds]
            changed = [line for key, line in arrays.items() if line != first.get(key)]
            lines += [
                f"# {state}",
                explorer.text,
                *(f"✗ {words}" for words in lights),
                *(["; ".join(changed)] if changed else []),
            ]
            watch(state, explorer)
            if not first:
                first = arrays
                lines += hand(explorer)
    return "\n".join(lines) + "\n"


def states(explorer, name):
    """Lead an explorer from state to state; yields their names."""
    buttons, rng = driving.buttons(explorer), np.random.default_rng(zlib.crc32(name.encode()))
    yield "first"
    for label, button in buttons.items():
        if label != "Reset":
            button.click()
            yield label
            buttons["Reset"].click()
    for key, control in ends(explorer).items():
        for value in control:
            explorer.controls[key].value = value
            yield f"{key} = {value}"
        buttons["Reset"].click()
    for _ in range(NUM_RANDOM):
        for control in explorer.controls.values():
            if not isinstance(control, widgets.Text):
                driving.move(control, rng)
        yield "at random"


def ends(explorer):
    """dict control -> its two ends, or all that can be chosen, or of many the ends and the middle; of a grid its first number
    alone, of texts nothing."""
    found = {}
    for key, control in explorer.controls.items():
        if isinstance(control, widgets.Text) or key not in heads(explorer):
            continue
        both = [control.min, control.max] if hasattr(control, "min") else None
        values = both or ([True, False] if isinstance(control.value, bool) else driving.choices(control))
        values = values if len(values) < 8 else [values[0], values[len(values) // 2], values[-1]]
        found[key] = [value for value in values if value != control.value]
    return found


def heads(explorer):
    return [next(iter(f.controls)) if isinstance(f, NumberGrid) else n for n, f in explorer._fields.items()]


def hand(explorer):
    """What the first and the last part of each kind say, and what a touch of them sets; and two places of each plane."""
    now, titles = explorer._now, driving.titles(explorer)
    names = {matrices.slug(name): name for name in [*explorer._sums, *explorer._touch]}
    for kind in dict.fromkeys(kind for kind, _ in titles):
        parts = [index for place, index in titles if place == kind]
        touch = explorer._touch.get(names.get(kind))
        for index in dict.fromkeys([parts[0], parts[-1]]):
            sets = f" → {said(touch.set(now, *index))}" if hasattr(touch, "set") else ""
            yield f"{kind} {index}: {titles[kind, index]}{sets}"
    for name, plane in explorer._planes.items():
        for share in (0.3, 0.7):
            x, y = (low + share * (high - low) for low, high in plane.axes.limits)
            sets = (
                {plane.set: x}
                if isinstance(plane.set, str)
                else plane.leads(now, x, y)
                if plane.grab
                else plane.set(now, x, y)
            )
            yield f"{name} at {x:.4g}, {y:.4g}: {plane.title} → {said(sets)}"


def said(values):
    """What is set, in words."""
    numbers = (np.ndarray, float, np.floating)
    return ", ".join(f"{name} = {digest(each) if isinstance(each, numbers) else each}" for name, each in values.items())


def digest(array):
    numbers = np.ravel(array).astype(float)
    if numbers.size > LONG:
        numbers = [np.sum(np.where(np.isfinite(numbers), numbers, 7) * np.cos(np.arange(numbers.size)))]
    return " ".join(f"{round(number * (1 + 1e-9), 5) + 0:g}" for number in numbers)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        place(name).parent.mkdir(exist_ok=True)
        place(name).write_text(record(name), encoding="utf-8")
