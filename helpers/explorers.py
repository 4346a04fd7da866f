"""What a learner moves. `Explorer` is the mechanism; each `explore_…()` returns one, `predict` asks a question, `drill` for numbers.

Every explorer has `.controls` (dict name -> ipywidget) and `.shown` (dict name -> array that it displays now). Those of a lesson
stand in its room, rooms/<its name>/explorers.py, and are called from here: `explorers.explore_mask()`.
"""

import difflib
import importlib

import rooms

PLACES = {  # module: what it offers; a module is imported when something of it is first used
    "workbench.moving.controls": ["NumberGrid", "SwitchGrid", "choose", "slider", "stops", "switch", "text_field"],
    "rooms.shared.drills": ["drill"],
    "workbench.moving.engine": [
        "SHARES",
        "Explorer",
        "Light",
        "Moment",
        "Rule",
        "between",
        "explorer",
        "rows_sum_to_one",
        "wrong_turns",
    ],
    "rooms.your_own.own_maps": ["explore_attention"],
    "rooms.your_own.own_model": ["your_model"],
    "rooms.shared.questions": ["Predict", "predict"],
    "workbench.moving.touch": ["Paint", "Plane", "Sum", "Swap", "Touch"],
}
MODULE_OF = {name: module for module, names in PLACES.items() for name in names}
MODULE_OF |= rooms.offered("explorers")
__all__ = sorted(MODULE_OF)


def __getattr__(name):
    if module := next((each for each in PLACES if each.endswith(f".{name}")), None):
        return importlib.import_module(module)
    if name not in MODULE_OF:
        near = "".join(f" Did you mean {each}?" for each in difflib.get_close_matches(name, MODULE_OF, 1))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{near}")
    found = globals()[name] = getattr(importlib.import_module(MODULE_OF[name]), name)
    return found


def __dir__():
    return __all__
