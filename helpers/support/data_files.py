"""The data files of the course: where they lie, and what is said where one is missing or damaged.

They lie in data/ beside the helpers in a clone, inside the package once it is installed. Nothing is ever opened that could
hold code.
"""

import importlib.util
import io
import json
import math
import os
from pathlib import Path

import numpy as np

_INSTALLED = Path(__file__).parents[1] / "data"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "data"
AGAIN = "Restore it with git." if (FOLDER.parent / ".git").exists() else "Get the course once more."


def path(name):
    """Return the path of a data file, which may turn out to be missing when it is opened.

    Examples
    --------
    >>> path("questions.json").parent.name
    'data'
    """
    return FOLDER / name


def installed(package, libraries=()):
    """Return the folder of an installed package, or None where it, or a library that reads it, is missing.

    Examples
    --------
    >>> installed("no_such_package") is None
    True
    """
    if any(importlib.util.find_spec(name) is None for name in libraries):
        return None
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found and found.origin else None


def content_of(file, *, again=AGAIN):
    """Return the bytes of a file.

    Parameters
    ----------
    file : Path
    again : how to get it back, for the messages
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{_named(file)} must be there, but it is missing. {again}") from None
    except OSError as error:
        raise ValueError(f"{_named(file)} must be a file that can be read, but it cannot: {error.strerror}.") from None


def json_file(file):
    """Return what a JSON file of the course holds, or say that it is missing or damaged.

    Returns
    -------
    data : what JSON can hold, without NaN and infinity; whether it is a dict or something else is for the caller to see
    """
    content = content_of(file)
    try:
        return json.loads(content.decode("utf-8"), parse_float=_finite_float, parse_constant=_finite_float)
    except RecursionError:
        raise ValueError(f"{_named(file)} must hold JSON, but its brackets have no end. {AGAIN}") from None
    except ValueError as error:  # not JSON, or not even text
        raise ValueError(f"{_named(file)} must hold JSON, but it is damaged: {error}. {AGAIN}") from None


def arrays(file, *, again=AGAIN):
    """Return the arrays in an .npz file, without opening pickles.

    Parameters
    ----------
    file : Path
    again : how to get the file back, for the messages

    Returns
    -------
    arrays : dict name -> array of numbers or of text
    """
    content = content_of(file, again=again)
    try:
        if not content.startswith(b"PK"):  # as every zip file begins
            raise ValueError("it is no .npz file")
        with np.load(io.BytesIO(content), allow_pickle=False) as packed:
            return dict(packed)
    except Exception as error:  # damage makes zipfile, zlib and NumPy stumble in a dozen ways
        reason = str(error).split("\n")[0].rstrip(".") or type(error).__name__
        raise ValueError(f"{_named(file)} must hold arrays, but it is damaged: {reason}. {again}") from None


def _finite_float(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _named(file):
    return f"{file.parent.name}/{file.name}"


def refuse_pointer(path):
    """ValueError where a file is only the few lines that git-lfs puts in the place of a large one."""
    with open(path, "rb") as file:
        if file.read(27) == b"version https://git-lfs.git":
            name = os.path.basename(path)
            raise ValueError(
                f"{name} must be the file itself, but it is a pointer of Git LFS: run git lfs pull in its folder."
            )
