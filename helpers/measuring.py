"""Seconds and bytes on the machine at hand, with a progress bar while they are taken."""

import functools
import time
import tracemalloc
from typing import NamedTuple

import numpy as np
from tqdm.auto import tqdm

from helpers import inputs
from helpers.attention import scaled_dot_product_attention
from helpers.streaming import streamed_attention

RECIPES = {"plain": scaled_dot_product_attention, "streamed": streamed_attention}


class Measured(NamedTuple):
    """What attention took, plain and streamed.

    num_tokens : (num_sizes,)
    seconds, peak_bytes : dict "plain" or "streamed" -> (num_sizes,)
    """

    num_tokens: np.ndarray
    seconds: dict
    peak_bytes: dict


def quickest_seconds(call, repeats=3, at_least=0.0):
    """Time a call again and again, and keep the quickest time, which was disturbed least.

    Parameters
    ----------
    call : function without arguments
    repeats : how many times at least
    at_least : seconds; a quick call is timed until so many are used up

    Returns
    -------
    seconds
    """
    repeats = inputs.whole_number("repeats", repeats, minimum=1)
    at_least = inputs.finite_number("at_least", at_least)
    if at_least < 0:
        raise ValueError(f"at_least must be a time in seconds, 0 or more, got {at_least:g}.")
    times = []
    while len(times) < repeats or sum(times) < at_least:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_bytes(call):
    """Tell the most bytes that a call holds at any moment beyond what was there before; watching it takes time.

    Parameters
    ----------
    call : function without arguments

    Returns
    -------
    bytes
    """
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    call()
    peak = tracemalloc.get_traced_memory()[1] - before
    if not running:
        tracemalloc.stop()
    return peak


def measure_attention(sizes, width=64, rounds=8, at_least=0.025):
    """Run plain and streamed attention on random float32 tokens of several numbers, under a progress bar.

    They take turns, and each keeps its quickest time: what disturbs the machine for a moment disturbs one turn only.

    Parameters
    ----------
    sizes : numbers of tokens
    width : d_k = d_v
    rounds : how many turns each size gets
    at_least : seconds of each turn; small sizes run again until so many are used up

    Returns
    -------
    Measured
    """
    sizes = [inputs.whole_number("each size", size, minimum=1) for size in sizes]
    rounds = inputs.whole_number("rounds", rounds, minimum=1)
    calls = {}
    for size in sizes:
        rng = np.random.default_rng(size)
        tokens = [rng.normal(size=(size, width)).astype(np.float32) for _ in range(3)]
        for name, recipe in RECIPES.items():
            calls[name, size] = functools.partial(recipe, *tokens)
    seconds = dict.fromkeys(calls, np.inf)
    for run in tqdm(rounds * list(calls), desc=f"{len(calls)} measurements", bar_format="{desc} {bar}"):
        seconds[run] = min(seconds[run], quickest_seconds(calls[run], repeats=1, at_least=at_least))
    return Measured(
        np.array(sizes),
        {name: np.array([seconds[name, size] for size in sizes]) for name in RECIPES},
        {name: np.array([peak_bytes(calls[name, size]) for size in sizes]) for name in RECIPES},
    )
