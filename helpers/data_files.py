"""Where the data files of the course lie: in data/ beside the helpers in a clone, inside the package once it is installed."""

from pathlib import Path

_INSTALLED = Path(__file__).with_name("data")
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[1] / "data"


def path(name):
    """Return the path of a data file, which may turn out to be missing when it is opened.

    Examples
    --------
    >>> path("questions.json").parent.name
    'data'
    """
    return FOLDER / name
