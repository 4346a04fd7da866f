"""Pictures that answer the hand, feedback on code, pages without Python: for any course. README.md shows it at work.

`from workbench import explorer, slider, check`; a module is imported when something of it is first used.
"""

import importlib

PLACES = {  # module: what it offers
    "moving.engine": "Explorer Light Moment Rule SHARES between equals explorer rows_sum_to_one wrong_turns",
    "moving.controls": "NumberGrid SwitchGrid choose number_field slider stops switch text_field",
    "moving.questions": "Predict",
    "moving.touch": "Paint Plane Sum Swap Touch leads_on turn_letter",
    "moving.sums": "bracketed cell cells decimals dot_product exact listed mixture number product quotient scientific terms with_minus",
    "matrices": "fewest_decimals fraction matrix",
    "pictures.bars": "bars bars_up visible",
    "pictures.chart": "Chart",
    "pictures.colours": "COLOURS Colour css",
    "pictures.html": "Html by_width in_two_widths",
    "pictures.maps": "add_map",
    "pictures.plane": "Axes together",
    "pictures.svg": "BOLD Drawing text_width",
    "judging": "check",
    "judging.cases": "Equal Fine Watched Whole whole",
    "judging.drawn": "Drawn labelled like",
    "judging.edits": "mistakes solution",
    "judging.exercise": "Exercise Verdict",
    "judging.run": "Stop",
}
MODULE_OF = {name: f"{__name__}.{module}" for module, names in PLACES.items() for name in names.split()}
__all__ = sorted(MODULE_OF)


def __getattr__(name):
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.")
    found = globals()[name] = getattr(importlib.import_module(MODULE_OF[name]), name)
    return found
