"""What explorers show where their buttons lead, at the ends of their controls, and in two places at random, as text.

No real model is asked, whether one is installed or not.

python -m tests.record explore_mask   writes tests/recorded/explore_mask.txt anew; read what changed before you keep it
"""

import sys
import zlib
from pathlib import Path
from unittest import mock

import ipywidgets as widgets
import numpy as np

from helpers import explorers, language_model
from helpers.explorers.controls import NumberGrid
from tests import driving

PLACE = Path(__file__).parent / "recorded"
NUM_RANDOM = 2
LONG = 16  # numbers of an array; of more, one sum over all stands for them


def record(name):
    """The first state in full; of the others the sentence, the lights and the arrays that are no longer the same."""
    with driving.unpainted(), mock.patch.object(language_model, "find", lambda: None):
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
            first = first or arrays
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
        for control in driving.computing(explorer).values():
            if not isinstance(control, widgets.Text):
                driving.move(control, rng)
        yield "at random"


def ends(explorer):
    """dict control -> its two ends, or all that can be chosen; of a grid its first number alone, of texts nothing."""
    found = {}
    for key, control in explorer.controls.items():
        if isinstance(control, widgets.Text) or key not in heads(explorer):
            continue
        both = [control.min, control.max] if hasattr(control, "min") else None
        values = both or ([True, False] if isinstance(control.value, bool) else driving.choices(control))
        found[key] = [
            value for value in (values if len(values) < 8 else [values[0], values[-1]]) if value != control.value
        ]
    return found


def heads(explorer):
    return [next(iter(f.controls)) if isinstance(f, NumberGrid) else n for n, f in explorer._fields.items()]


def digest(array):
    numbers = np.ravel(array).astype(float)
    if numbers.size > LONG:
        numbers = [np.sum(np.where(np.isfinite(numbers), numbers, 7) * np.cos(np.arange(numbers.size)))]
    return " ".join(f"{round(number * (1 + 1e-9), 5) + 0:g}" for number in numbers)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        (PLACE / f"{name}.txt").write_text(record(name), encoding="utf-8")
