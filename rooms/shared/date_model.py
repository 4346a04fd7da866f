"""The model that translates dates: the encoder and decoder of `transformer`, one layer each, and its training."""

from typing import NamedTuple

import numpy as np

from helpers import transformer
from helpers.attention import padding_mask, softmax
from helpers.learning import optimizers, training, translation
from helpers.learning.parameters import load
from helpers.support import data_files, inputs, shapes
from rooms.shared import dates

PATH = data_files.path("date_model.npz")
MODEL = {"num_heads": 4, "norm": "pre"}  # what every call of the model is given
SIZES = {"vocabulary_size": len(dates.VOCABULARY), "d_model": 64, "d_ff": 128, "num_layers": 1}
NUM_STEPS = 1000


def random_model(seed=dates.SEED, **sizes):
    """Draw the parameters of an encoder and decoder at random: one layer each, pre-norm, in 32-bit floats.

    Parameters
    ----------
    seed : whole number
    sizes : other than SIZES, such as d_model=32

    Returns
    -------
    parameters : as in `transformer.random_transformer`
    """
    unknown = sorted(set(sizes) - {*SIZES, "vocabulary_size"})
    if unknown:
        raise ValueError(f"sizes must be some of {', '.join(SIZES)}, got {', '.join(unknown)}.")
    return translation.random_model(seed, **(SIZES | sizes), **MODEL)


def loss_of(parameters, sources, lengths, targets):
    """The surprise of the model at the right letters, when it is shown all letters before each.

    Parameters
    ----------
    parameters : of the model
    sources, lengths, targets : as in `dates.Dates`

    Returns
    -------
    loss : one number, the mean over all letters
    """
    sources, lengths = checked_sources(sources, lengths)
    targets = inputs.whole_numbers("targets", targets, axes=2)
    if targets.shape != (len(sources), dates.TARGET_LENGTH):
        raise ValueError(f"targets must have shape {(len(sources), dates.TARGET_LENGTH)}, got {targets.shape}.")
    if targets.min() < 0 or targets.max() >= len(dates.VOCABULARY):
        raise ValueError(f"targets must be tokens from 0 to {len(dates.VOCABULARY) - 1}, got {targets.max()}.")
    return translation.loss_of(parameters, sources, lengths, targets, start=dates.START, **MODEL)


def checked_sources(sources, lengths):
    """Return sources and lengths as arrays of whole numbers, or say why the model cannot read them."""
    sources = inputs.whole_numbers("sources", sources, axes=2)
    if sources.min() < 0 or sources.max() >= len(dates.VOCABULARY):
        raise ValueError(f"sources must be tokens from 0 to {len(dates.VOCABULARY) - 1}, got {sources.max()}.")
    lengths = inputs.whole_numbers("lengths", lengths, axes=1)
    if len(lengths) != len(sources):
        raise ValueError(f"lengths must be as many as sources has rows, got {len(lengths)} for {len(sources)}.")
    return sources, lengths


def train(parameters, *, num_steps=NUM_STEPS, seed=dates.SEED, peak=3e-3, warm_up=100, progress="training", watch=None):
    """Train on random days: Adam with warm-up, decay and clipping.

    Parameters
    ----------
    parameters : of the model, random ones to begin with
    num_steps, peak, warm_up : as in `optimizers.warm_up_and_decay`
    seed : of the batches; the held-out days are those of `dates.split()`
    progress, watch : as in `training.train`

    Returns
    -------
    training.History
    """
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=1, maximum=10**6)
    warm_up = inputs.whole_number("warm_up", warm_up, minimum=0)
    rate = optimizers.warm_up_and_decay(peak, num_steps, min(warm_up, num_steps // 10))
    how = {"num_steps": num_steps, "learning_rate": rate, "max_norm": 1.0, "progress": progress, "watch": watch}
    return training.train(parameters, loss_of, _batches(inputs.seeded("seed", seed)), **how)


def _batches(rng):
    """The days are drawn when the first batch is asked for: within the training, where an interrupt is waited for."""
    training_days, _ = dates.split()
    yield from dates.random_batches(rng, training_days)


def load_model(path=PATH):
    """Read the trained model.

    Returns
    -------
    parameters : as in `random_model`

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, damaged, or made for another model.
    """
    return load(path, random_model())


class Translation(NamedTuple):
    """What the model wrote, and where it looked.

    numbers : (num_dates, 10) token numbers
    probabilities : (num_dates, 10, vocabulary_size), of every letter at every place
    attention : dict "encoder", "decoder" or "cross" -> weights (num_dates, num_heads, num_queries, num_keys)
    """

    numbers: np.ndarray
    probabilities: np.ndarray
    attention: dict


def translate(parameters, sources, lengths, *, positions=True, padding=True):
    """Write greedily: at each place the likeliest letter, which is then read along for the next.

    What is not written yet the causal mask would hide, so it is not computed.

    Parameters
    ----------
    parameters : of the model
    sources, lengths : as in `dates.Dates`
    positions, padding : False takes the positions or the padding mask away

    Returns
    -------
    Translation
    """
    sources, lengths = checked_sources(sources, lengths)
    for name, switch in {"positions": positions, "padding": padding}.items():
        inputs.yes_or_no(name, switch)
    some = [slice(start, start + _DATES_AT_ONCE) for start in range(0, len(sources), _DATES_AT_ONCE)]
    parts = [_translate_some(parameters, sources[each], lengths[each], positions, padding) for each in some]
    attention = {name: np.concatenate([part.attention[name] for part in parts]) for name in ATTENTIONS}
    return Translation(*(np.concatenate(arrays) for arrays in zip(*(part[:2] for part in parts))), attention)


_DATES_AT_ONCE = 100  # a thousand would take ten times the memory, and more time


def _translate_some(parameters, sources, lengths, positions, padding):
    seen = padding_mask(lengths, sources.shape[-1]) if padding else None
    how = MODEL | {"positions": positions, "with_attention": True}
    memory, encoder = transformer.encode(sources, parameters, **how, mask=seen)
    written = np.full((len(sources), dates.TARGET_LENGTH + 1), dates.PAD)
    written[:, 0] = dates.START
    rows = []
    for place in range(dates.TARGET_LENGTH):
        read = written[:, : place + 1]
        scores, decoder = transformer.decode(read, memory, parameters, **how, memory_mask=seen)
        rows.append(scores[:, place])
        written[:, place + 1] = np.argmax(scores[:, place], axis=-1)
    found = {"encoder": encoder, "decoder": decoder}
    attention = {name: found[stack][-1][part].weights for name, (stack, part) in ATTENTIONS.items()}
    return Translation(written[:, 1:], softmax(np.stack(rows, axis=1)), attention)


def accuracy(parameters, batch, **how):
    """How many of the dates come out right in all ten letters, as a share from 0 to 1.

    Parameters
    ----------
    parameters : of the model
    batch : dates.Dates
    how : as in `translate`
    """
    if not isinstance(batch, dates.Dates):
        raise TypeError(f"batch must be dates.Dates, as batch_of makes them, got {type(batch).__name__}.")
    sources, lengths = checked_sources(batch.sources, batch.lengths)
    right = 0
    for start in range(0, len(sources), _DATES_AT_ONCE):  # what attention did with all of them would take much memory
        some = slice(start, start + _DATES_AT_ONCE)
        written = translate(parameters, sources[some], lengths[some], **how).numbers
        right += np.all(written == batch.targets[some], axis=-1).sum()
    return float(right / len(sources))


ATTENTIONS = {
    "encoder": ("encoder", "self_attention"),
    "decoder": ("decoder", "self_attention"),
    "cross": ("decoder", "cross_attention"),
}


def without_head(parameters, attention, head):
    """Switch one head off: what it brings is multiplied by 0.

    Parameters
    ----------
    parameters : of the model; they are not changed
    attention : "encoder", "decoder" or "cross"
    head : its number, from 0

    Returns
    -------
    parameters

    Raises
    ------
    TypeError, ValueError
        If there is no such attention or head.
    """
    stack, part = inputs.one_of("attention", attention, ATTENTIONS)
    num_heads = MODEL["num_heads"]
    if inputs.whole_number("head", head, minimum=0) >= num_heads:
        raise ValueError(
            f"head must be at most {num_heads - 1}, since each attention has {num_heads} heads, counted from 0, got {head}."
        )
    shapes.stacks(parameters)
    layer = parameters[stack][-1]
    W_output = layer[part]["W_output"].copy()
    d_head = len(W_output) // num_heads
    W_output[head * d_head : (head + 1) * d_head] = 0
    changed = layer | {part: layer[part] | {"W_output": W_output}}
    return parameters | {stack: [*parameters[stack][:-1], changed]}
