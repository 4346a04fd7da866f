"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np
import pytest

from helpers import attention
from tests.notebooks import function_of


@pytest.mark.parametrize(("num_tokens", "d_model", "d_k", "d_v"), [(4, 2, 2, 1), (5, 7, 3, 2)])
def test_loops_do_what_the_matrices_do(num_tokens, d_model, d_k, d_v):
    rng = np.random.default_rng(d_model)
    X, *W = (rng.normal(size=size) for size in ((num_tokens, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)))
    answer = attention.scaled_dot_product_attention(*(X @ each for each in W))
    np.testing.assert_allclose(
        function_of("ask_with_queries_keys_values", "self_attention_by_loops")(X, *W), answer.output
    )
