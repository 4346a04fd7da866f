"""Two decoder-only models that are trained in the page within a minute: one writes the course's prose, one copies.

Both have the same sizes and differ in what they read. Trained ones lie in data/; `data/made_by/make_small_models.py` trains them.
"""

import json
import re
from pathlib import Path

import numpy as np

from helpers import decoder
from helpers.learning import optimizers, training
from helpers.learning.parameters import load, tree_map
from helpers.support import data_files, inputs
from helpers.support.documented import documented

NUM_HEADS = 4
SIZES = {"d_model": 64, "num_heads": NUM_HEADS, "d_ff": 128, "num_layers": 2}
LETTERS = " ',.:?abcdefghijklmnopqrstuvwxyz"  # the vocabulary of the model that writes
CONTEXT = 48  # letters that it reads at once
HELD_OUT = 8000  # letters of the prose that it never reads in training
SYMBOLS = "ABCDEFGHIJKLMNOPQRST"  # the vocabulary of the model that copies
LENGTH = 24  # of the strings that it is trained on
PERIODS = range(5, 13)  # after how many symbols they repeat
VOCABULARIES = {"letters": LETTERS, "symbols": SYMBOLS}
NUM_STEPS = {"letters": 1500, "symbols": 800}
PEAK = {"letters": 8e-3, "symbols": 3e-3}  # of the learning rate
PATHS = {"letters": data_files.path("letter_model.npz"), "symbols": data_files.path("copying_model.npz")}
PROSE_PATH = data_files.path("course_prose.npz")
TRAININGS_PATH = data_files.path("small_trainings.npz")


@documented
def random_model(kind, seed=0):
    """Draw the parameters of a model, as training starts, in 32-bit floats.

    Parameters
    ----------
    kind : "letters" or "symbols"
    seed : whole number, at least 0

    Returns
    -------
    parameters : dict, as in `decoder.random_decoder`
    """
    rng = np.random.default_rng(seed)
    drawn = decoder.random_decoder(rng, vocabulary_size=len(VOCABULARIES[kind]), **SIZES)
    return tree_map(np.float32, drawn)


@documented
def load_model(kind):
    """Read a trained model.

    Parameters
    ----------
    kind : "letters" or "symbols"

    Returns
    -------
    parameters : dict, as in `decoder.random_decoder`, in 64-bit floats
    """
    like = tree_map(np.float16, random_model(kind))
    return tree_map(np.float64, load(PATHS[kind], like))


def loss_of(parameters, tokens):
    """The surprise at each next token, when all tokens before it are shown.

    Parameters
    ----------
    parameters : of a model
    tokens : (batch, num_tokens) whole numbers

    Returns
    -------
    loss : one number, the mean over all tokens but the first
    """
    tokens = inputs.whole_numbers("tokens", tokens, axes=2)
    logits = decoder.decode(tokens[:, :-1], parameters, num_heads=NUM_HEADS).logits
    return training.cross_entropy(logits, tokens[:, 1:])


def train(kind, *, num_steps, seed=0, keep_every=None, progress="training", watch=None):
    """Train a model from zero: Adam with warm-up, decay and clipping.

    Parameters
    ----------
    kind : "letters" or "symbols"
    num_steps : at most 100,000; NUM_STEPS[kind] trained the stored one, in less than a minute on one quiet core
    seed : of the parameters and of the batches
    keep_every, progress, watch : as in `training.train`

    Returns
    -------
    training.History
    """
    parameters = random_model(kind, seed)
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=1, maximum=10**5)
    rng = np.random.default_rng(seed + 1)
    batches = letter_batches(rng, prose()[:-HELD_OUT]) if kind == "letters" else symbol_batches(rng)
    return training.train(
        parameters,
        loss_of,
        batches,
        num_steps=num_steps,
        learning_rate=optimizers.warm_up_and_decay(PEAK[kind], num_steps, min(100, num_steps // 10)),
        max_norm=1.0,
        keep_every=keep_every,
        progress=progress,
        watch=watch,
    )


def load_trainings():
    """Read what the training of the stored model that copies went through.

    Returns
    -------
    dict of arrays: symbol_losses (800,), symbol_steps (m,), accuracy (m,), and induction and previous (m, 2, 4), scores of each head
    """
    return data_files.arrays(TRAININGS_PATH)


# --- letters ---------------------------------------------------------------------------------------------------------

_NO_PROSE = r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|\|[^\n]*\||<[^>]+>|\([^)]*\.ipynb[^)]*\)|[`*#\[\]]"


def read_prose(folder):
    """The prose of all notebooks of a folder in the letters of the model: no code, formulas, tables or capitals.

    Parameters
    ----------
    folder : path of notebooks

    Returns
    -------
    text : str
    """
    paths = sorted(Path(inputs.file_path("folder", folder)).glob("*.ipynb"))
    if not paths:
        raise ValueError(f"folder must hold notebooks, got {str(folder)!r:.60}, which holds none.")
    cells = [cell for path in paths for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    text = " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return plain(re.sub(_NO_PROSE, "", text, flags=re.DOTALL))


def plain(text):
    """A text in the letters of the model: lower case, and a space for what it does not know.

    Examples
    --------
    >>> plain("Who is she? N² of them!")
    'who is she? n of them '
    """
    text = re.sub(r"[^a-z ,.:?']", " ", inputs.text("text", text).lower())
    return re.sub(r" +", " ", text)


def prose():
    """The prose that the stored model was trained on, that of the lessons of November 2026.

    Returns
    -------
    text : str
    """
    return to_text(data_files.arrays(PROSE_PATH)["letters"], LETTERS)


@documented
def go_on(parameters, beginning, num_letters, *, temperature=1.0, top_p=1.0, rng=None):
    """Write on from a beginning, letter by letter.

    Parameters
    ----------
    parameters : of the model of letters
    beginning : text, read as `plain` makes it; the model sees the last CONTEXT letters
    num_letters : whole number, at least 0, at most 10,000
    temperature, top_p, rng : as in `decoder.write`

    Returns
    -------
    written : str, without the beginning
    """

    def logits_of(tokens):
        return decoder.decode(tokens[-CONTEXT:], parameters, num_heads=NUM_HEADS).logits

    prompt = to_numbers(plain(beginning), LETTERS)
    if not prompt:
        raise ValueError("beginning must hold at least one letter to go on from, got none.")
    how = {"num_tokens": num_letters, "temperature": temperature, "top_p": top_p, "rng": rng}
    written = decoder.write(logits_of, prompt, **how)
    return to_text(written, LETTERS) if written else ""


@documented
def letter_batches(rng, text, size=32):
    """Draw pieces of a text at random, again and again.

    Parameters
    ----------
    rng : numpy.random.Generator
    text : text in the letters of the model, longer than CONTEXT + 1
    size : whole number, at least 1, at most 10,000, of pieces in a batch

    Yields
    ------
    batch : tuple with tokens (size, CONTEXT + 1)
    """
    numbers = np.array(to_numbers(text, LETTERS))
    if len(numbers) <= CONTEXT + 1:
        raise ValueError(f"text must be longer than {CONTEXT + 1} letters, got {len(numbers)}.")
    return _pieces(rng, numbers, size)


def _pieces(rng, numbers, size):
    while True:
        starts = rng.integers(len(numbers) - CONTEXT - 1, size=size)
        yield (numbers[starts[:, None] + np.arange(CONTEXT + 1)],)


def to_numbers(text, vocabulary):
    """A list with the number of each letter.

    Examples
    --------
    >>> to_numbers("abba", "ab")
    [0, 1, 1, 0]
    """
    number = {letter: k for k, letter in enumerate(inputs.text("vocabulary", vocabulary))}
    for letter in inputs.text("text", text):
        if letter not in number:
            raise ValueError(f"text must be written in the letters of the vocabulary {vocabulary!r}, got {letter!r}.")
    return [number[letter] for letter in text]


def to_text(numbers, vocabulary):
    """The letters of a list of numbers.

    Examples
    --------
    >>> to_text([0, 1, 1, 0], "ab")
    'abba'
    """
    letters = np.array(list(inputs.text("vocabulary", vocabulary)))
    numbers = inputs.whole_numbers("numbers", numbers, axes=1)
    if numbers.min() < 0 or numbers.max() >= len(letters):
        raise ValueError(
            f"numbers must be those of a vocabulary of {len(letters)} letters, got {numbers.min()} to {numbers.max()}."
        )
    return "".join(letters[numbers])


# --- symbols ---------------------------------------------------------------------------------------------------------


@documented
def repeating(rng, period, length=LENGTH):
    """A string of random symbols that repeats itself.

    Parameters
    ----------
    rng : numpy.random.Generator
    period : whole number, at least 1, at most 10,000: after so many symbols it starts again
    length : whole number, at least 1, at most 10,000, of symbols

    Returns
    -------
    tokens : (length,) whole numbers
    """
    return np.resize(rng.integers(len(SYMBOLS), size=period), length)


@documented
def symbol_batches(rng, size=64):
    """Draw repeating strings of random periods, again and again.

    Parameters
    ----------
    rng : numpy.random.Generator
    size : whole number, at least 1, at most 10,000, of strings in a batch

    Yields
    ------
    batch : tuple with tokens (size, LENGTH)
    """
    return (
        (np.stack([repeating(rng, int(rng.integers(PERIODS[0], PERIODS[-1] + 1))) for _ in range(size)]),)
        for _ in iter(int, 1)
    )


@documented
def fresh_runs(count=200, period=11, seed=100):
    """Strings for a test: a run of symbols, no two of them alike, written twice.

    Parameters
    ----------
    count : whole number, at least 1, at most 10,000
    period : whole number, at least 1, at most 20, of symbols
    seed : whole number, at least 0

    Returns
    -------
    tokens : (count, 2 * period)
    """
    rng = np.random.default_rng(seed)
    return np.array([np.tile(rng.permutation(len(SYMBOLS))[:period], 2) for _ in range(count)])


@documented
def share_copied(parameters, tokens):
    """How much of the second half a model copies: the share of its symbols that it finds likeliest.

    Parameters
    ----------
    parameters : of the model of symbols
    tokens : (count, 2 * period) whole numbers, a run written twice

    Returns
    -------
    share : a number from 0 to 1
    """
    half = tokens.shape[1] // 2
    logits = decoder.decode(tokens[:, :-1], parameters, num_heads=NUM_HEADS).logits
    return float((np.asarray(logits)[:, half - 1 :].argmax(axis=-1) == tokens[:, half:]).mean())
