"""What can be drawn, and what to say of what cannot."""

import functools

import numpy as np

from helpers.support import inputs

LARGEST = 1e200  # beyond, the sums that place a picture overflow

inches = functools.partial(inputs.number_from, smallest=0.1, below=40)
count = functools.partial(inputs.whole_number, minimum=1, maximum=100)


def having(method, words):
    """The check that something has a method, and so is what `words` say: matplotlib need not be there for it."""

    def check(name, value):
        if isinstance(value, type) or not hasattr(value, method):
            raise TypeError(f"{name} must be {words}, got {type(value).__name__}.")

    return check


axes = having("set_xlabel", "axes of plots.new_figure")
figure = having("savefig", "a figure of plots.new_figure")
image_artist = having("set_extent", "an image, as plots.heatmap returns it")


def one_each(name, values, count, what):
    if len(values) != count:
        raise ValueError(f"{name} must be one for each of {count} {what}, got {len(values)}.")


def artists(name, artists):
    for artist in inputs.listed(name, artists, what="artists"):
        having("set_data", "a list of artists")(name, artist)
    if not len(artists):
        raise ValueError(f"{name} must hold an artist at least, got none.")


def panels(name, panels):
    rows = inputs.text(name, panels).split(" ")
    if len({len(row) for row in rows}) != 1 or not panels.replace(" ", "").isalpha():
        raise ValueError(
            f"{name} must be one letter for each axes, rows of one length apart by spaces, got {panels!r:.60}."
        )


def ratios(name, ratios):
    for each, numbers in ratios.items():
        if each not in ("width_ratios", "height_ratios"):
            raise TypeError(f"ratios must be width_ratios or height_ratios, got {each}.")
        if not (vector(each, numbers) > 0).all():
            raise ValueError(f"{each} must be above 0, got {numbers}.")


def above_0(name, value):
    if not 0 < inputs.finite_number(name, value) <= LARGEST:
        raise ValueError(f"{name} must be above 0, and at most {LARGEST:g}, got {value:g}.")


def shaped(name, values, axes, words):
    values = inputs.floats(name, values)
    if np.ndim(values) != axes or 0 in np.shape(values):
        raise ValueError(f"{name} must be {words}, got shape {np.shape(values)}.")
    return values


def grid(name, values):
    shaped(name, values, 2, "a matrix")


def vector(name, values):
    return shaped(name, inputs.finite(name, values), 1, "a vector")


def perhaps_none(name, values):
    if inputs.rectangle(name, values).shape != (0,):
        vector(name, values)


def vectors(name, values):
    for value in inputs.listed(name, values, what="vectors"):
        vector(f"each of {name}", value)


def pair(name, values):
    if vector(name, values).shape != (2,):
        raise ValueError(f"{name} must be two numbers, got {np.size(values)}.")


def limits(name, values):
    pair(name, values)
    if not values[0] < values[1]:
        raise ValueError(f"{name} must be two numbers, the smaller one first, got {values!r:.60}.")


def pairs(name, values):
    if shaped(name, inputs.finite(name, values), 2, "(n, 2)").shape[1] != 2:
        raise ValueError(f"{name} must be (n, 2), got shape {np.shape(values)}.")


def growing(name, values):
    values = vector(name, values)
    if values[0] <= 0 or (np.diff(values) <= 0).any():
        raise ValueError(f"{name} must be above 0, and grow, got {values.tolist()!r:.60}.")


def curves_of(name, values):
    for key, value in inputs.mapping(name, values).items():
        vector(f"{key!r} of {name}", value)


def pixels(name, image):
    if shaped(name, image, 3, "(height, width, 3 or 4)").shape[2] not in (3, 4):
        raise ValueError(f"{name} must be (height, width, 3 or 4), got shape {np.shape(image)}.")


def colour(name, value):
    from matplotlib.colors import is_color_like

    if not isinstance(value, str) or not is_color_like(value):
        raise ValueError(f"{name} must be a colour such as '#1d4ed8', got {value!r:.60}.")
