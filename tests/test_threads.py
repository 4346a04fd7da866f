"""Our own threads beside those of BLAS, and the memory that is kept while they work."""

import threading

import mygrad
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


# --- a large batch, entry by entry


@pytest.fixture
def from_seventy(monkeypatch):
    """An entry of 70 numbers counts as large; which entries are computed by themselves."""
    monkeypatch.setattr(threads, "LARGE", 70)
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 2)
    entries, side_by_side = [], threads.side_by_side
    monkeypatch.setattr(threads, "side_by_side", lambda call, each: entries.extend(each) or side_by_side(call, each))
    return entries


def arrays_of_heads(rng, batch=5, queries=7, keys=3, width=11, heads=2, d=13):
    tokens, context = rng.normal(size=(batch, queries, width)), rng.normal(size=(batch, keys, width))
    weights = [rng.normal(size=(width, heads * d)) for _ in range(3)] + [rng.normal(size=(heads * d, 17))]
    return tokens, context, weights


MASKS = {  # for 5 entries, 2 heads, 7 queries, 3 keys
    "none": None, "one for all": (7, 3), "an entry's own": (5, 7, 3), "padding": (5, 1, 3), "of one": (1, 7, 3),
    "of heads": (5, 2, 7, 3), "of heads, for all": (1, 2, 7, 3),
}  # fmt: skip


@pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("itself", [True, False])
def test_a_large_batch_is_what_its_entries_are(from_seventy, shape, itself):
    rng = np.random.default_rng(0)
    tokens, context, W = arrays_of_heads(rng)
    keys = 7 if itself else 3
    mask = None if shape is None else rng.random((*shape[:-1], keys)) < 0.6
    if mask is not None:
        mask[..., 0] = True
    options = {"num_heads": 2, "mask": mask, "b_value": 0.5} | ({} if itself else {"context": context})
    got = multi_head_attention(tokens, *W, **options)
    assert from_seventy == [0, 1, 2, 3, 4]
    want = multi_head_attention.__wrapped__(tokens, *W, **options)
    assert type(got) is type(want)
    for ours, whole in zip(got, want):
        assert ours.shape == whole.shape and ours.dtype == whole.dtype
        np.testing.assert_allclose(ours, whole, rtol=1e-12, atol=1e-14)


def test_an_error_in_a_large_batch_names_the_whole(from_seventy):
    tokens, _context, W = arrays_of_heads(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"\(5, 7, 11\)"):
        multi_head_attention(tokens, W[3], *W[1:], num_heads=2)
    tokens[3, 2, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        multi_head_attention(tokens, *W, num_heads=2)


def test_small_entries_and_derivatives_stay_in_one_piece(from_seventy):
    tokens, _context, W = arrays_of_heads(np.random.default_rng(0))
    multi_head_attention(np.tile(tokens[:, :6], (20, 1, 1)), *W, num_heads=2)  # 66 numbers in each
    multi_head_attention(tokens[0], *W, num_heads=2)
    multi_head_attention(mygrad.tensor(tokens), *W, num_heads=2)
    assert from_seventy == []


@pytest.mark.parametrize("batches", [(2, 2), (1, 2), (3, 1)])
def test_context_with_more_batches_than_the_tokens_is_not_cut(monkeypatch, batches):
    monkeypatch.setattr(threads, "LARGE", 10)
    rng = np.random.default_rng(7)
    tokens, W = rng.normal(size=(2, 5, 3)), [*rng.normal(size=(3, 3, 4)), rng.normal(size=(4, 7))]
    context = rng.normal(size=(*batches, 11, 3))
    answer = multi_head_attention(tokens, *W, num_heads=2, context=context)
    want = multi_head_attention.__wrapped__(tokens, *W, num_heads=2, context=context)
    for part, right in zip(answer, want, strict=True):
        np.testing.assert_allclose(part, right, rtol=1e-12)
