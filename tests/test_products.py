"""Products with large matrices, with BLAS and without."""

import numpy as np
import pytest

from helpers.support import products


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("num_tokens", [1, 3, 16, 17])
@pytest.mark.parametrize("num_outputs", [1, 5, 23])
def test_both_ways_multiply_tokens_with_the_rows_of_a_matrix(monkeypatch, num_tokens, num_outputs, dtype):
    monkeypatch.setattr(products, "_NEAR", 7 * 5)  # five rows at a time, which do not divide 23
    rng = np.random.default_rng(0)
    x, W = (rng.normal(size=shape).astype(dtype) for shape in [(num_tokens, 7), (num_outputs, 7)])
    by_loops = [[sum(a * b for a, b in zip(token, row)) for row in W] for token in x]
    for product in (products.by_blas(x, W), products.by_einsum(x, W), products.linear(x, W)):
        assert product.dtype == dtype and product.flags.c_contiguous
        np.testing.assert_allclose(product, by_loops, atol=1e-5)


@pytest.mark.parametrize(
    ("blas", "found"),
    [
        ({"name": "scipy-openblas", "found": True, "version": "0.3.31"}, True),
        ({"name": "accelerate", "found": True}, True),
        ({"name": "auto"}, False),  # as Pyodide's
        ({"name": "none", "found": False}, False),
        (None, False),
    ],
)
def test_blas_is_what_numpy_was_built_with(blas, found):
    assert products.has_blas({"Build Dependencies": {"blas": blas} if blas else {}}) is found


def test_without_blas_no_large_product_is_a_plain_loop():
    has_blas = products.has_blas(np.show_config(mode="dicts"))
    assert products._chosen is (products.by_blas if has_blas else products.by_einsum)
