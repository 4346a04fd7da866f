"""What is measured is what was run: memory of known arrays, and both kinds of attention under a progress bar."""

import tracemalloc

import numpy as np
import pytest

from rooms.count_the_cost import measuring
from rooms.count_the_cost.measuring import measure_attention, peak_bytes, quickest_seconds


def test_peak_bytes_are_those_of_the_largest_array_held():
    assert 8 * 10**6 <= peak_bytes(lambda: np.zeros(10**6)) < 8.1 * 10**6


def test_peak_bytes_leave_out_what_was_there_before():
    kept = np.ones(10**6)
    assert peak_bytes(lambda: kept.sum()) < 10**5


class Clock:
    """A clock that only a call moves on, by what the call takes."""

    def __init__(self, *seconds):
        self.now, self.seconds, self.calls = 0.0, seconds, 0

    def perf_counter(self):
        return self.now

    def call(self):
        self.now += self.seconds[min(self.calls, len(self.seconds) - 1)]
        self.calls += 1


@pytest.mark.parametrize(
    ("seconds", "repeats", "at_least", "calls"),
    [((0.25,), 1, 1.0, 4), ((0.25,), 3, 0.5, 3), ((0.25,), 3, 0.0, 3), ((2.0, 0.25), 1, 2.5, 3), ((8.0,), 1, 1.0, 1)],
)
def test_a_call_is_timed_as_often_as_asked_and_until_the_time_is_used_up(
    monkeypatch, seconds, repeats, at_least, calls
):
    clock = Clock(*seconds)
    monkeypatch.setattr(measuring, "time", clock)
    assert quickest_seconds(clock.call, repeats, at_least) == min(seconds) and clock.calls == calls


def test_measure_attention_sees_two_maps_in_plain_attention_and_none_in_streamed(capsys):
    measured = measure_attention([300, 1200], width=8, rounds=1, at_least=0.0)
    assert measured.num_tokens.tolist() == [300, 1200]
    assert all((seconds > 0).all() and len(seconds) == 2 for seconds in measured.seconds.values())
    map_bytes = 4 * 1200**2
    assert 2 * map_bytes <= measured.peak_bytes["plain"][1] < 3 * map_bytes
    assert measured.peak_bytes["streamed"][1] < 0.75 * map_bytes  # a strip of 256 keys, and sums
    assert "4 measurements" in capsys.readouterr().err


def test_measure_attention_takes_ways_of_the_readers_own():
    measured = measure_attention([3, 5], {"mine": lambda query, key, value: query}, width=2, rounds=1, at_least=0.0)
    assert list(measured.seconds) == ["mine"] == list(measured.peak_bytes) and len(measured.seconds["mine"]) == 2
    with pytest.raises(TypeError, match="each of recipes must be a function of query, key and value, got 3"):
        measure_attention([3], {"mine": 3})


def test_measure_attention_takes_turns_and_keeps_the_quickest_time(monkeypatch):
    sizes, times = [], iter([5.0, 3.0, 4.0, 6.0, 1.0, 7.0, 9.0, 2.0])

    def timed(call, repeats, at_least):
        sizes.append(len(call.args[0]))
        return next(times)

    monkeypatch.setattr(measuring, "quickest_seconds", timed)
    seconds = measure_attention([2, 5], rounds=2).seconds
    assert sizes == [2, 2, 5, 5, 2, 2, 5, 5]
    assert {name: list(values) for name, values in seconds.items()} == {"plain": [1, 4], "streamed": [3, 2]}


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_peak_bytes_leaves_nothing_running_after_an_error(error):
    def fails():
        raise error

    with pytest.raises(error):
        measuring.peak_bytes(fails)
    assert not tracemalloc.is_tracing()


def test_peak_bytes_leaves_running_what_ran_before():
    tracemalloc.start()
    try:
        assert measuring.peak_bytes(lambda: bytearray(10**6)) >= 10**6
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
