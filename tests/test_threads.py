"""Our own threads beside those of BLAS, and the memory that is kept while they work."""

import threading

import numpy as np
import pytest
import threadpoolctl

from helpers import streaming
from helpers.attention import multi_head_attention, scaled_dot_product_attention
from helpers.support import threads


def blas_threads():
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]


def test_blas_gets_its_threads_back_after_an_error():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), threads.one_for_blas():
        _ = 1 / 0
    with pytest.raises(ValueError, match="must stay finite"):
        multi_head_attention(np.full((2, 2), 1e200), *[np.full((2, 2), 1e200)] * 4, num_heads=1)
    assert blas_threads() == before


@pytest.mark.parametrize("main_leaves_first", [True, False])
def test_blas_gets_its_threads_back_from_holders_that_overlap(main_leaves_first):
    before, both_in, first_out = blas_threads(), threading.Barrier(2), threading.Event()

    def second():
        with threads.one_for_blas():
            both_in.wait()
            if main_leaves_first:
                first_out.wait()

    other = threading.Thread(target=second)
    with threads.one_for_blas():
        other.start()
        both_in.wait()
        if not main_leaves_first:
            other.join()
        assert set(blas_threads()) == {1}
    first_out.set()
    other.join()
    assert blas_threads() == before


def long_tokens():
    return np.random.default_rng(0).normal(size=(2 * streaming._QUERIES_AT_ONCE + 7, 3))


def started(monkeypatch):
    """A list of the threads that are started from now on."""
    found, start = [], threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (found.append(self), start(self)))
    return found


@pytest.mark.parametrize("cores", [1, None])
def test_one_core_starts_no_thread(monkeypatch, cores):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    found, x = started(monkeypatch), long_tokens()
    output = streaming.streamed_attention(x, x, x)
    np.testing.assert_allclose(output, scaled_dot_product_attention(x, x, x).output, atol=1e-12)
    assert found == []


@pytest.mark.parametrize("at_most", [0, 1])
def test_threads_that_are_not_to_be_had_are_done_without(monkeypatch, at_most):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    found, start = [], threading.Thread.start

    def refused(self):
        if len(found) == at_most:
            raise RuntimeError("can't start new thread")
        found.append(self)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refused)
    before, x = blas_threads(), long_tokens()
    output = streaming.streamed_attention(x, x, x)
    np.testing.assert_allclose(output, scaled_dot_product_attention(x, x, x).output, atol=1e-12)
    assert blas_threads() == before
