"""Seconds and bytes on the machine at hand, with a progress bar while they are taken."""

import functools
import math
import threading
import time
import tracemalloc
from typing import NamedTuple

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.streaming import streamed_attention
from helpers.support import inputs

RECIPES = {"plain": scaled_dot_product_attention, "streamed": streamed_attention}


class Measured(NamedTuple):
    """What attention took, in each of several ways.

    num_tokens : (num_sizes,)
    seconds, peak_bytes : dict name of the way -> (num_sizes,)
    """

    num_tokens: np.ndarray
    seconds: dict
    peak_bytes: dict


def _check_call(call, name="call", arguments="without arguments"):
    if not callable(call):
        raise TypeError(f"{name} must be a function {arguments}, got {call!r:.60}.")


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
    _check_call(call)
    repeats = inputs.whole_number("repeats", repeats, minimum=1, maximum=10**6)
    at_least = inputs.number_from("at_least", at_least, 0, 3600)
    quickest, count, total = math.inf, 0, 0.0
    while count < repeats or total < at_least:
        start = time.perf_counter()
        call()
        seconds = time.perf_counter() - start
        quickest, count, total = min(quickest, seconds), count + 1, total + seconds
    return quickest


def peak_bytes(call):
    """Tell the most bytes that a call holds at any moment beyond what was there before; watching it takes time.

    Parameters
    ----------
    call : function without arguments

    Returns
    -------
    bytes
    """
    _check_call(call)
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()  # once more does no harm
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:  # also after an error or an interrupt: whatever is computed while it runs is slow
        if not was_tracing:
            tracemalloc.stop()


def measure_attention(sizes, recipes=None, width=64, rounds=8, at_least=0.025):
    """Run attention in several ways on random float32 tokens of several numbers, under a progress bar.

    They take turns, and each keeps its quickest time: what disturbs the machine for a moment disturbs one turn only.

    Parameters
    ----------
    sizes : numbers of tokens
    recipes : dict name -> function(query, key, value); None = plain and streamed attention of the helpers
    width : d_k = d_v
    rounds : how many turns each size gets
    at_least : seconds of each turn; small sizes run again until so many are used up

    Returns
    -------
    Measured
    """
    sizes = [inputs.whole_number("each of sizes", size, minimum=1) for size in inputs.listed("sizes", sizes)]
    width = inputs.whole_number("width", width, minimum=1)
    inputs.affordable(4, sizes=max(sizes, default=1), width=max([width, *sizes]))  # the scores are the largest
    rounds = inputs.whole_number("rounds", rounds, minimum=1, maximum=10_000)
    at_least = inputs.number_from("at_least", at_least, 0, 3600)
    recipes = RECIPES if recipes is None else dict(recipes)
    for recipe in recipes.values():
        _check_call(recipe, "each of recipes", "of query, key and value")
    calls = {}
    for size in sizes:
        rng = np.random.default_rng(size)
        tokens = [rng.normal(size=(size, width)).astype(np.float32) for _ in range(3)]
        for name, recipe in recipes.items():
            calls[name, size] = functools.partial(recipe, *tokens)
    seconds = dict.fromkeys(calls, np.inf)
    from tqdm.auto import tqdm  # here, since in a notebook it brings widgets along

    tqdm.monitor_interval = 0  # no thread that watches the bar
    tqdm.set_lock(threading.RLock())  # nor a lock that other processes know
    for run in tqdm(rounds * list(calls), desc=f"{len(calls)} measurements", bar_format="{desc} {bar}"):
        seconds[run] = min(seconds[run], quickest_seconds(calls[run], repeats=1, at_least=at_least))
    return Measured(
        np.array(sizes),
        {name: np.array([seconds[name, size] for size in sizes]) for name in recipes},
        {name: np.array([peak_bytes(calls[name, size]) for size in sizes]) for name in recipes},
    )
