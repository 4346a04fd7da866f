"""Products with large matrices, where NumPy has BLAS, the library that multiplies matrices, and where it has none, as in a browser."""

import numpy as np

FEW = 16  # rows: tokens that are guessed, or of as many texts
_NEAR = 2**16  # numbers of a matrix that stay in a core's own memory while token after token is multiplied with them


def has_blas(built_with):
    """Whether NumPy was built with BLAS, by what `np.show_config` says. Without it `@` is a plain loop."""
    return bool(built_with.get("Build Dependencies", {}).get("blas", {}).get("found"))


def by_blas(x, W):
    """In the order that is faster: for 2 to 16 rows W xᵀ was measured to take 0.7 to 0.9 of the time of x Wᵀ, on one core with the
    matrices of a language model's layers."""
    return np.ascontiguousarray((W @ x.T).T) if 1 < len(x) <= FEW else x @ W.T


def by_einsum(x, W):
    """Along the rows of both, which the compiler makes several multiplications at a time of: 2 to 30 times as fast as `@` without BLAS."""
    rows = max(1, _NEAR // W.shape[1]) if len(x) > 1 else len(W)
    return np.concatenate([np.einsum("ij,kj->ik", x, W[k : k + rows]) for k in range(0, len(W), rows)], axis=1)


_chosen = by_blas if has_blas(np.show_config(mode="dicts")) else by_einsum


def linear(x, W):
    """Multiply tokens by a large matrix that stands as model files have it, a row for each output: x Wᵀ.

    Parameters
    ----------
    x : (num_tokens, num_inputs)
    W : (num_outputs, num_inputs), of the dtype of `x`: else all of its numbers are converted at every call

    Returns
    -------
    product : (num_tokens, num_outputs)

    Examples
    --------
    >>> linear(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    array([[1., 2., 3.]])
    """
    return _chosen(x, W)
