"""What is measured is what was run: memory of known arrays, and both kinds of attention under a progress bar."""

import tracemalloc

import numpy as np
import pytest

from helpers.measuring import measure_attention, seconds_and_peak_bytes


def test_peak_bytes_are_those_of_the_largest_array_held():
    seconds, peak = seconds_and_peak_bytes(lambda: np.zeros(10**6))
    assert 8 * 10**6 <= peak < 8.1 * 10**6 and 0 < seconds < 5


def test_peak_bytes_leave_out_what_was_there_before():
    kept = np.ones(10**6)
    _, peak = seconds_and_peak_bytes(lambda: kept.sum(), repeats=1)
    assert peak < 10**5


def test_memory_that_is_watched_already_stays_watched():
    tracemalloc.start()
    try:
        _, peak = seconds_and_peak_bytes(lambda: np.zeros(10**5), repeats=1)
        assert 8 * 10**5 <= peak < 9 * 10**5 and tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_call_runs_once_more_than_it_is_timed():
    calls = []
    seconds_and_peak_bytes(lambda: calls.append(1), repeats=4)
    assert len(calls) == 5


def test_measure_attention_sees_two_maps_in_plain_attention_and_none_in_streamed(capsys):
    measured = measure_attention([300, 1200], width=8, repeats=1)
    assert measured.num_tokens.tolist() == [300, 1200]
    assert all((seconds > 0).all() and len(seconds) == 2 for seconds in measured.seconds.values())
    map_bytes = 4 * 1200**2
    assert 2 * map_bytes <= measured.peak_bytes["plain"][1] < 3 * map_bytes
    assert measured.peak_bytes["streamed"][1] < 0.75 * map_bytes  # a strip of 256 keys, and sums
    assert "4 measurements" in capsys.readouterr().err


@pytest.mark.parametrize("repeats", [0, -1])
def test_a_measurement_needs_a_run(repeats):
    with pytest.raises(ValueError, match="repeats must be at least 1"):
        seconds_and_peak_bytes(int, repeats=repeats)
