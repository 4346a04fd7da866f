"""Names that people gave to colours: 928 short lines, which a small GPT learns to write within a minute."""

import numpy as np

from helpers.learning.parameters import load, tree_map
from helpers.support import data_files

NAMES_PATH = data_files.path("colour_names.txt")
MODEL_PATH = data_files.path("colour_model.npz")


def lines():
    """Read the names, each with its colour as #rgb, three digits from 0 to f for red, green and blue.

    Returns
    -------
    lines : list of str

    Examples
    --------
    >>> lines()[:3]
    ['cloudy blue #abd', 'dark pastel green #5a5', 'dust #a96']
    """
    return data_files.content_of(NAMES_PATH).decode("utf-8").splitlines()


def load_model(like):
    """Read the model that lesson let_it_write trains on these lines.

    Parameters
    ----------
    like : parameters of the same names and shapes, as that lesson draws them

    Returns
    -------
    parameters : nested as `like`, in 32-bit floats

    Raises
    ------
    ValueError
        If the file is damaged, or `like` is of another model.
    """
    return tree_map(np.float32, load(MODEL_PATH, tree_map(np.float16, like)))
