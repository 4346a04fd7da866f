"""Parameters: arrays in dicts and lists, nested as one likes, and the files that hold them."""

from pathlib import Path

import numpy as np


def tree_map(function, nested):
    """Apply a function to every array in nested dicts and lists.

    Examples
    --------
    >>> tree_map(np.shape, {"W": np.eye(2), "layers": [np.ones(3)]})
    {'W': (2, 2), 'layers': [(3,)]}
    """
    if isinstance(nested, dict):
        return {name: tree_map(function, part) for name, part in nested.items()}
    if isinstance(nested, list):
        return [tree_map(function, part) for part in nested]
    return function(nested)


def tree_leaves(nested):
    """All arrays of nested dicts and lists, in one list."""
    return list(named_arrays(nested).values())


def named_arrays(nested, name=""):
    """All arrays of nested dicts and lists in one dict; a name says the way to its array.

    Examples
    --------
    >>> list(named_arrays({"layers": [{"W": np.eye(2)}], "b": np.ones(2)}))
    ['layers.0.W', 'b']
    """
    if not isinstance(nested, (dict, list)):
        return {name: nested}
    parts = nested.items() if isinstance(nested, dict) else enumerate(nested)
    found = {}
    for key, part in parts:
        found |= named_arrays(part, f"{name}.{key}" if name else str(key))
    return found


def save(path, parameters):
    """Write parameters to an .npz file, which holds plain numbers only.

    Parameters
    ----------
    path : of the file
    parameters : arrays in nested dicts and lists

    Raises
    ------
    TypeError, ValueError
        If one of them is no array of numbers, or has a name that the file cannot hold.
    """
    named = named_arrays(parameters)
    for name, array in named.items():
        if np.asarray(array).dtype.kind not in "fiub":  # NumPy would write a pickle, which `load` does not open
            got = f"holds {array.dtype}" if isinstance(array, np.ndarray) else f"is {type(array).__name__}"
            raise TypeError(f"parameters must be arrays of numbers, but {name} {got}.")
        if name in {"file", "allow_pickle"}:
            raise ValueError(f"parameters must not be called {name}, a word that NumPy needs itself.")
    np.savez(path, **named)


def load(path, like):
    """Read parameters that `save` has written.

    Parameters
    ----------
    path : of the file
    like : parameters of the model that shall use them, random ones for instance: names, shapes and dtypes must be theirs

    Returns
    -------
    parameters : nested as `like`

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, damaged or cut off, or does not hold what the model needs; the message says which file.
    """
    path = Path(path)
    name = f"{path.parent.name}/{path.name}"
    again = "Restore it with git, or make it again as data/README.md says."
    try:
        with path.open("rb") as file:  # np.load leaves a damaged file open
            found = _arrays_of(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"{name} must be there, but it is missing. {again}") from None
    except Exception as error:  # damage makes zipfile, zlib and NumPy stumble in a dozen ways
        reason = str(error).split("\n")[0] or type(error).__name__
        raise ValueError(f"{name} must be a file of arrays, but it is damaged: {reason.rstrip('.')}. {again}") from None
    wanted = named_arrays(like)
    for what, names in {"lacks": wanted.keys() - found, "holds an unknown": found.keys() - wanted}.items():
        if names:
            raise ValueError(f"{name} must hold the arrays of this model, but it {what} {min(names)}. {again}")
    for key, array in wanted.items():
        if found[key].shape != array.shape or found[key].dtype != array.dtype:
            raise ValueError(
                f"{name} must hold {key} as {array.dtype} {array.shape}, got {found[key].dtype} {found[key].shape}. {again}"
            )
        if not np.isfinite(found[key]).all():
            raise ValueError(f"{name} must hold finite numbers, but {key} has NaN or infinity. {again}")
    return _filled(like, iter(wanted), found)


def _arrays_of(file):
    if file.read(4) not in {b"PK\x03\x04", b"PK\x05\x06"}:  # as every zip file begins; NumPy would speak of pickles
        raise ValueError("it is no .npz file")
    file.seek(0)
    loaded = np.load(file, allow_pickle=False)
    found = {name: _array_of(loaded, name) for name in loaded.files}
    if strangers := [name for name, array in found.items() if not isinstance(array, np.ndarray)]:
        raise ValueError(f"{strangers[0]} in it is no array")
    return found


def _array_of(loaded, name):
    try:
        return loaded[name]
    except ValueError as error:
        if "pickle" in str(error):
            raise ValueError(f"{name} in it is a pickle, which may hold code, and is not opened") from None
        raise


def _filled(like, names, found):
    """`like`, with the arrays that were found in place of its own; the names come in the same order."""
    return tree_map(lambda _: found[next(names)], like)
