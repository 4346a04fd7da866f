"""Seconds and bytes on the machine at hand, with a progress bar while they are taken."""

import time
import tracemalloc
from typing import NamedTuple

import numpy as np
from tqdm.auto import tqdm

from helpers import inputs
from helpers.attention import scaled_dot_product_attention, streamed_attention


class Measured(NamedTuple):
    """What attention took, plain and streamed.

    num_tokens : (num_sizes,)
    seconds, peak_bytes : dict "plain" or "streamed" -> (num_sizes,)
    """

    num_tokens: np.ndarray
    seconds: dict
    peak_bytes: dict


def seconds_and_peak_bytes(call, repeats=3):
    """Measure a call: its quickest time, and the most bytes that it holds at any moment beyond what was there before.

    Parameters
    ----------
    call : function without arguments
    repeats : how many times it is timed; memory is taken in a run of its own, because watching it takes time

    Returns
    -------
    seconds, peak_bytes
    """
    repeats = inputs.whole_number("repeats", repeats, minimum=1)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    call()
    peak = tracemalloc.get_traced_memory()[1] - before
    if not running:
        tracemalloc.stop()
    return min(times), peak


def measure_attention(sizes, width=64, repeats=3):
    """Run plain and streamed attention on random float32 tokens of several numbers, under a progress bar.

    Parameters
    ----------
    sizes : numbers of tokens
    width : d_k = d_v
    repeats : as in `seconds_and_peak_bytes`

    Returns
    -------
    Measured
    """
    sizes = [inputs.whole_number("each size", size, minimum=1) for size in sizes]
    recipes = {"plain": scaled_dot_product_attention, "streamed": streamed_attention}
    taken = {name: [] for name in recipes}
    runs = [(size, name) for size in sizes for name in recipes]
    for size, name in tqdm(runs, desc=f"{len(runs)} measurements", bar_format="{desc} {bar}"):
        rng = np.random.default_rng(size)
        tokens = [rng.normal(size=(size, width)).astype(np.float32) for _ in range(3)]
        taken[name].append(seconds_and_peak_bytes(lambda: recipes[name](*tokens), repeats))  # noqa: B023
    pairs = {name: np.array(rows).T for name, rows in taken.items()}
    return Measured(
        np.array(sizes),
        {name: pair[0] for name, pair in pairs.items()},
        {name: pair[1] for name, pair in pairs.items()},
    )
