"""The data files of the course: where they lie, and whether they are whole.

They lie in data/ beside the helpers in a clone, inside the package once it is installed. A file there is compared with its
checksum in checksums.json, so that not even one flipped digit passes. Nothing is ever opened that could hold code, and
no more is read than a file may hold.
"""

import hashlib
import importlib.util
import io
import json
import math
import zipfile
from pathlib import Path

import numpy as np

_INSTALLED = Path(__file__).parents[1] / "data"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "data"
CHECKSUMS = "checksums.json"
MOST_BYTES = 2**24  # far more than any file of the course has
AGAIN = "Restore it with git." if (FOLDER.parent / ".git").exists() else "Get the course once more."


def path(name):
    """Return the path of a data file, which may turn out to be missing when it is opened.

    Examples
    --------
    >>> path("questions.json").parent.name
    'data'
    """
    return FOLDER / name


def checksum(name, content):
    """Return the SHA-256 of the bytes of a file; in text, lines may end as Windows ends them."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n") if name.endswith(".json") else content).hexdigest()


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


def content_of(file, *, most=MOST_BYTES, again=AGAIN):
    """Return the bytes of a file.

    Parameters
    ----------
    file : Path
    most : how many bytes it may have
    again : how to get it back, for the messages
    """
    try:
        if file.stat().st_size > most:
            raise ValueError(f"{_named(file)} must have at most {most:,} bytes, got {file.stat().st_size:,}. {again}")
        content = file.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{_named(file)} must be there, but it is missing. {again}") from None
    except OSError as error:
        raise ValueError(f"{_named(file)} must be a file that can be read, but it cannot: {error.strerror}.") from None
    table = file.with_name(CHECKSUMS)
    if (
        file != table
        and table.is_file()
        and json_file(table).get(file.name, "") not in ("", checksum(file.name, content))
    ):
        raise ValueError(
            f"{_named(file)} must be as the course brought it, but it was changed or damaged. {again} "
            "After a change on purpose, run python data/make_checksums.py."
        )
    return content


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


def arrays(file, *, most=MOST_BYTES, again=AGAIN):
    """Return the arrays in an .npz file, without opening pickles, and without reading more than is allowed.

    Parameters
    ----------
    file : Path
    most : how many bytes all arrays together may have once they are unpacked; their headers tell
    again : how to get the file back, for the messages

    Returns
    -------
    arrays : dict name -> array of numbers or of text
    """
    content = content_of(file, most=most + 2**16, again=again)
    try:
        return _unpacked(content, most)
    except Exception as error:  # damage makes zipfile, zlib and NumPy stumble in a dozen ways
        reason = str(error).split("\n")[0].rstrip(".") or type(error).__name__
        raise ValueError(f"{_named(file)} must hold arrays, but it is damaged: {reason}. {again}") from None


def _unpacked(content, most):
    if not content.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # as every zip file begins
        raise ValueError("it is no .npz file")
    found = {}
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for member in packed.infolist():
            if not member.filename.endswith(".npy"):
                raise ValueError(f"{member.filename} in it is no array")
            name = member.filename.removesuffix(".npy")
            with packed.open(member) as stream:
                found[name] = _array(stream, name, most - sum(array.nbytes for array in found.values()))
    return found


def _array(stream, name, most):
    """Read one array after its header has said what it is."""
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(np.lib.format.read_magic(stream))
    if read_header is None:
        raise ValueError(f"{name} in it is of an unknown version")
    shape, by_columns, dtype = read_header(stream)
    if dtype.hasobject:
        raise ValueError(f"{name} in it is a pickle, which may hold code, and is not opened")
    size = math.prod(shape) * dtype.itemsize
    if any(length < 0 for length in shape):
        raise ValueError(f"{name} in it has a shape of negative length")
    if size > most:
        raise ValueError(f"{name} in it would take {size:,} bytes, more than such a file may hold")
    content = stream.read(size)
    if len(content) < size or stream.read(1):  # the end, where zipfile compares its own checksum
        raise ValueError(f"{name} in it is not as long as it says")
    return np.frombuffer(bytearray(content), dtype).reshape(shape, order="F" if by_columns else "C")


def _finite_float(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _named(file):
    return f"{file.parent.name}/{file.name}"
