"""Which notebooks are lessons. All others are a learner's own, and no tool touches them."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "notebooks"


def lessons(folder=FOLDER):
    """Paths of the lessons of a folder, in order: NN_name.ipynb, and no copies of them."""
    return sorted(path for path in folder.glob("[0-9][0-9]_*.ipynb") if "-Copy" not in path.name)
