"""Names that people gave to colours: 928 short lines, which a small GPT learns to write within a minute."""

import functools
import os

import numpy as np

from helpers import parts, yours
from helpers.learning.parameters import load, save, to_vector, tree_map
from helpers.support import data_files, inputs
from rooms.let_it_write import latin

NAMES_PATH = data_files.path("colour_names.txt")
MODEL_PATH = data_files.path("colour_model.npz")
TRAINING_PATH = data_files.path("colour_training.txt")
ENOUGH = 300  # steps, after which a model of a reader's own spells


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


def recorded_training():
    """What the lesson's cells printed while they trained the stored model, and how that one goes on after "fo".

    Returns
    -------
    text : str, a line for every 50 steps

    Examples
    --------
    >>> recorded_training().splitlines()[9]
    'step 450, loss 1.1: forest #151'
    """
    return data_files.content_of(TRAINING_PATH).decode("utf-8").rstrip()


def kept_at():
    """Where a model that a reader has trained is kept, beside my_model.py; None where nothing is kept, as `yours.path` has it."""
    return None if os.environ.get("MY_MODEL") == "" else yours.path().with_name("my_colours.npz")


def kept(like):
    """What `keep` has kept, to be trained further, or `like` where there is nothing."""
    path = kept_at()
    return tree_map(np.float32, load(path, like)) if path and path.is_file() else like


def keep(trained, num_steps):
    """Keep a model that was trained for ENOUGH steps. One that was not gives way to what was kept earlier, else to the stored one.

    Parameters
    ----------
    trained : parameters, as lesson let_it_write draws them
    num_steps : for which they were trained

    Returns
    -------
    parameters : of the model that is to write; a printed sentence says whose it is
    """
    path = kept_at()
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=0)
    if num_steps >= ENOUGH:
        told = f"These are from the model that you have trained for {num_steps} steps."
        if path:
            save(path, trained)
            told += f" It is kept in {path.name}."
    elif path and path.is_file():
        trained, told = kept(trained), f"These are from the model that you have trained before, in {path.name}."
    else:
        told = "These are from the stored model, which these cells have made in 800 steps."
        trained = load_model(trained)
    print(told)
    return trained


def is_stored(W):
    """Whether these are the parameters of the stored model."""
    return W is None or np.array_equal(to_vector(W), to_vector(model()))


SIGNS = sorted(set("\n".join(lines())))
LONGEST = max(map(len, lines()))
NUM_HEADS, DIGITS = 4, "0123456789abcdef"
UNKIND = "barf bile booger diarrhea dirty nasty poo puke sick snot ugly vomit".split()  # not what a name is told


@functools.cache
def model():
    """The stored model, as a dict: sign, place, logits, and layers."""
    d, squares = 48, dict.fromkeys(["query", "key", "value", "output"], (48, 48))
    shapes = squares | {"up": (d, 2 * d), "down": (2 * d, d)}
    layers = [{name: np.zeros(shape) for name, shape in shapes.items()} for _ in range(2)]
    like = {"sign": np.zeros((len(SIGNS), d)), "place": np.zeros((LONGEST + 1, d))}
    return load_model(like | {"logits": np.zeros((d, len(SIGNS))), "layers": layers})


def goes_on(beginning, temperature=0.0, rng=None, top_p=0.9):
    """How the stored model goes on with a line, to its end.

    Parameters
    ----------
    beginning : str of SIGNS, "ghost #" to ask for a colour
    temperature, top_p, rng : as `next_token` takes them

    Returns
    -------
    line : str

    Examples
    --------
    >>> goes_on("dark red #")
    'dark red #800'
    """
    W, end = model(), SIGNS.index("\n")
    tokens = [end, *(SIGNS.index(sign) for sign in beginning)]
    while len(tokens) <= LONGEST and tokens[1:][-1:] != [end]:
        tokens.append(parts.next_token(_logits(np.array(tokens), W), temperature, top_p, rng))
    return "".join(SIGNS[k] for k in tokens).strip()


def _logits(tokens, W):
    """Of the sign that comes after the last one."""
    x = W["sign"][tokens] + W["place"][: len(tokens)]
    for layer in W["layers"]:
        a = parts.rms_norm(x)
        query, key, value = (parts.split_heads(a @ layer[name], NUM_HEADS) for name in ("query", "key", "value"))
        scores = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
        weights = parts.softmax(np.where(parts.causal_mask(len(tokens)), scores, -1e9))
        x = x + parts.merge_heads(weights @ value) @ layer["output"]
        x = x + np.maximum(parts.rms_norm(x) @ layer["up"], 0) @ layer["down"]
    return (parts.rms_norm(x) @ W["logits"])[-1]


def readable(name):
    """A name as the model can read it, in small letters from a to z, and the letters that it can't read.

    Examples
    --------
    >>> readable("Zoë 李")
    ('zoe ', '李')
    """
    letters = latin.in_latin(inputs.text("name", name).strip())
    known = "".join(letter for letter in letters if letter in SIGNS and letter not in "\n#")
    return known, "".join(dict.fromkeys(letter for letter in letters if letter not in known and not letter.isspace()))


def colour_of(name, W=None):
    """The colour that the model gives to a name: three digits, each the likeliest of the sixteen, so that there is always one.

    Parameters
    ----------
    name : str of SIGNS
    W : parameters of another model of the same shapes; None = the stored one

    Returns
    -------
    digits : (3,) numbers from 0 to 15

    Examples
    --------
    >>> colour_of("dark red").tolist()
    [8, 0, 0]
    """
    tokens = [SIGNS.index(sign) for sign in f"\n{name} #"]
    digits = [SIGNS.index(sign) for sign in DIGITS]
    for _ in range(3):
        tokens.append(digits[int(np.argmax(_logits(np.array(tokens), W or model())[digits]))])
    return np.array([DIGITS.index(SIGNS[token]) for token in tokens[-3:]])


def nearest(colour):
    """The name whose colour is nearest to three digits, of those that the model has read, and that nobody minds beside their own.

    Examples
    --------
    >>> nearest(np.array([10, 11, 4]))
    'light olive green'
    """
    kind = [line for line in lines() if not any(word in line for word in UNKIND)]
    known = np.array([[DIGITS.index(digit) for digit in line[-3:]] for line in kind])
    colour = inputs.plain_array("colour", colour)
    return kind[int(np.argmin(((known - colour) ** 2).sum(axis=1)))].rpartition(" ")[0]
