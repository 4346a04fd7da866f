"""Parameters: arrays in dicts and lists, nested as one likes, and the files that hold them."""

import numpy as np

from helpers.support import data_files, inputs


def tree_map(function, nested):
    """Apply a function to every array in nested dicts and lists.

    Examples
    --------
    >>> tree_map(np.shape, {"W": np.eye(2), "layers": [np.ones(3)]})
    {'W': (2, 2), 'layers': [(3,)]}
    """
    if not callable(function):
        raise TypeError(f"function must be one of an array, got {function!r:.60}.")
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
    inputs.text("name", name)
    parts = nested.items() if isinstance(nested, dict) else enumerate(nested)
    found = {}
    for key, part in parts:
        more = named_arrays(part, f"{name}.{key}" if name else str(key))
        if twice := sorted(more.keys() & found):
            raise ValueError(f"names must lead to one array each, but {twice[0]} leads to two.")
        found |= more
    return found


def as_floats(nested, name="parameters"):
    """Every array of nested dicts and lists as finite floats to learn with: float32 and float64 stay, all else becomes float64.

    In whole numbers a small step would round to none, and in float16 a slope would.

    Examples
    --------
    >>> as_floats({"W": np.array([1, 3]), "b": 2})
    {'W': array([1., 3.]), 'b': array(2.)}
    """
    if isinstance(nested, dict):
        return {key: as_floats(part, f"{name}[{key!r}]") for key, part in nested.items()}
    if isinstance(nested, list):
        return [as_floats(part, f"{name}[{place}]") for place, part in enumerate(nested)]
    array = inputs.finite(name, nested)
    return array if array.dtype in (np.float32, np.float64) else np.asarray(array).astype(np.float64)


def to_vector(nested):
    """All numbers of nested dicts and lists in one long row.

    Examples
    --------
    >>> to_vector({"W": np.eye(2), "b": np.array([3.0])}).tolist()
    [1.0, 0.0, 0.0, 1.0, 3.0]
    """
    return _vector("nested", nested)


def _vector(name, nested):
    arrays = tree_leaves(as_floats(nested, name))
    if not arrays:
        raise ValueError(f"{name} must hold at least one array, got none.")
    return np.concatenate([np.ravel(array) for array in arrays])


def from_vector(vector, like):
    """The numbers of a long row, nested and shaped like other parameters.

    Examples
    --------
    >>> from_vector(np.arange(5.0), {"W": np.eye(2), "b": np.array([3.0])})
    {'W': array([[0., 1.],
           [2., 3.]]), 'b': array([4.])}
    """
    like, vector = as_floats(like, "like"), inputs.floats("vector", vector, min_axes=1)
    length = len(_vector("like", like))
    if vector.shape != (length,):
        raise ValueError(f"vector must be one row of as many numbers as like, {length}, got shape {vector.shape}.")
    ends = iter(np.cumsum([0, *(np.size(array) for array in tree_leaves(like))]).tolist())
    start = [next(ends)]

    def cut(array):
        begin, start[0] = start[0], next(ends)
        return vector[begin : start[0]].reshape(np.shape(array))

    return tree_map(cut, like)


def save(path, parameters):
    """Write parameters to an .npz file, which holds plain numbers only.

    Parameters
    ----------
    path : of the file
    parameters : arrays in nested dicts and lists
    """
    named = {}
    for name, array in named_arrays(parameters).items():
        named[name] = inputs.rectangle(name, array)
        if named[name].dtype.kind not in "fiub":  # NumPy would write a pickle, which `load` does not open
            got = f"holds {array.dtype}" if isinstance(array, np.ndarray) else f"is {type(array).__name__}"
            raise TypeError(f"parameters must be arrays of numbers, but {name} {got}.")
        if name in {"file", "allow_pickle"}:
            raise ValueError(f"parameters must not be called {name}, a word that NumPy needs itself.")
    with open(path, "wb") as file:  # given a path, NumPy may add .npz to it, and `load` would not find it
        np.savez(file, **named)


def load(path, like):
    """Read parameters that `save` has written.

    Parameters
    ----------
    path : of the file
    like : parameters of the model that will use them, random ones for instance: names, shapes and dtypes must be theirs

    Returns
    -------
    parameters : nested as `like`
    """
    path = inputs.file_path("path", path)
    if not isinstance(like, (dict, list)) or not tree_leaves(like):
        raise TypeError(f"like must be arrays in a dict or a list, got {like!r:.60}.")
    wanted = {name: inputs.plain_array("like", array) for name, array in named_arrays(like).items()}
    name = f"{path.parent.name}/{path.name}"
    again = f"{data_files.AGAIN[:-1]}, or make it again as data/README.md says."
    found = data_files.arrays(path, again=again)
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
    if not any(array.any() for array in found.values()):
        raise ValueError(f"{name} must hold what was learned, but all its numbers are 0. {again}")
    names = iter(wanted)
    return tree_map(lambda _: found[next(names)], like)  # the names come in the same order
