"""Pictures that answer the hand, feedback on code, pages without Python: for any course. Nothing here knows what is taught.

`from workbench import explorer, slider, check`; a module is imported when something of it is first used.
"""

import importlib

PLACES = {  # module: what it offers
    "moving.engine": ["Explorer", "Light", "Moment", "Rule", "between", "equals", "explorer", "wrong_turns"],
    "moving.controls": [
        "NumberGrid",
        "SwitchGrid",
        "choose",
        "number_field",
        "slider",
        "stops",
        "switch",
        "text_field",
    ],
    "moving.questions": ["Predict"],
    "moving.touch": ["Paint", "Plane", "Sum", "Swap", "Touch"],
    "pictures.plane": ["Axes"],
    "pictures.chart": ["Chart"],
    "pictures.svg": ["Drawing"],
    "judging": ["check"],
    "judging.exercise": ["Exercise"],
    "judging.edits": ["mistakes", "solution"],
}
MODULE_OF = {name: f"{__name__}.{module}" for module, names in PLACES.items() for name in names}
__all__ = sorted(MODULE_OF)


def __getattr__(name):
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.")
    found = globals()[name] = getattr(importlib.import_module(MODULE_OF[name]), name)
    return found
