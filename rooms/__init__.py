"""One room per lesson, which bears the name of its notebook without the number.

A room lists what it offers: `EXPLORERS`, which stand in its explorers.py, and `EXERCISES`, which stand in its exercises.py.
`helpers.explorers` and `helpers.checks` read these lists, and import a room's files when something of them is first used.
What shows or draws something returns it as an Html.
"""

import importlib
import pkgutil

from workbench import Colour, matrices
from workbench.pictures import colours

BESIDES = {"shared", "your_own", "commands"}  # several rooms, a reader's own data and model, attention-lessons
colours.add(
    {
        "query": Colour("#cf4307", "#ffa94d"),
        "key": Colour("#1971c2", "#74c0fc"),
        "value": Colour("#29833b", "#8ce99a"),
        "output": Colour("#7048e8", "#b197fc"),
    }
)
matrices.ROLES |= {
    "weights": {"kind": "weights", "corner": "query ↓ key →", "row_sums": True},
    "scores": {"kind": "scores", "corner": "query ↓ key →"},
}
ROOMS = sorted(room.name for room in pkgutil.iter_modules(__path__) if room.name not in BESIDES)


def offered(kind):
    """dict name -> the module in which it stands, for all "explorers" or all "exercises" of the lessons."""
    rooms = {name: importlib.import_module(f"{__name__}.{name}") for name in ROOMS}
    return {each: f"{__name__}.{name}.{kind}" for name, room in rooms.items() for each in getattr(room, kind.upper())}
