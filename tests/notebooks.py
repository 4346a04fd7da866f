"""Which notebooks are lessons, and under which name a helper is imported. Other notebooks are a learner's own, and no tool touches them."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"


def lessons(folder=FOLDER):
    """Paths of the lessons of a folder, in order: NN_name.ipynb, and no copies of them."""
    return sorted(path for path in folder.glob("[0-9][0-9]_*.ipynb") if "-Copy" not in path.name)


def dotted(helper):
    """The name by which a helper is imported, of a module's or a folder's own name: helpers.learning.training, of training."""
    if (ROOT / "helpers" / helper).is_dir():
        return f"helpers.{helper}"
    found = (path.relative_to(ROOT) for path in (ROOT / "helpers").rglob(f"{helper}.py"))
    (path,) = [path for path in found if path.parts[1] not in ("explorers", "checks", "classroom", "lessons")]
    return ".".join(path.with_suffix("").parts)
