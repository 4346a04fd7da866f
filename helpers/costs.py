"""What attention costs: multiplications, additions and bytes, by formula. Nothing here is measured."""

from typing import NamedTuple

from helpers.support.documented import documented


class Operations(NamedTuple):
    """How many multiplications and additions a computation takes."""

    multiplications: int
    additions: int


@documented
def count_product(num_rows, width, num_columns):
    r"""Count the steps of a matrix product, (num_rows, width) times (width, num_columns).

    .. math:: n \cdot k \cdot m \text{ multiplications}, \qquad n \cdot (k - 1) \cdot m \text{ additions}

    Each of the n times m numbers of the result is a dot product: k products, joined by k - 1 additions.

    Parameters
    ----------
    num_rows, width, num_columns : whole numbers, at least 1: n, k and m

    Returns
    -------
    Operations

    Examples
    --------
    >>> count_product(3, 2, 3)
    Operations(multiplications=18, additions=9)
    """
    n, k, m = num_rows, width, num_columns
    return Operations(n * k * m, n * (k - 1) * m)


@documented
def count_attention(num_tokens, d_model, num_heads=1):
    r"""Count the steps of self-attention, matrix product by matrix product.

    Four projections (query, key, value, output) and two products in which tokens meet (scores, mixing). With N tokens
    of width D, however many heads share it:

    .. math:: 4 N D^2 + 2 N^2 D \text{ multiplications}

    Scaling, softmax and biases are left out: a few steps for each number, where each product takes one for each number
    and each column.

    Parameters
    ----------
    num_tokens : whole number, at least 1: N
    d_model : whole number, at least 1: D, the width of the tokens, and of queries, keys and values of all heads together
    num_heads : whole number, at least 1, that divides d_model

    Returns
    -------
    steps : dict name -> Operations, in the order of the computation

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), table 1.

    Examples
    --------
    >>> steps = count_attention(num_tokens=3, d_model=2)
    >>> steps["scores"], sum(step.multiplications for step in steps.values())
    (Operations(multiplications=18, additions=9), 84)
    """
    d_head = d_model // num_heads
    projection = count_product(num_tokens, d_model, d_model)
    return {
        "query": projection,
        "key": projection,
        "value": projection,
        "scores": _times(num_heads, count_product(num_tokens, d_head, num_tokens)),
        "mixing": _times(num_heads, count_product(num_tokens, num_tokens, d_head)),
        "output": projection,
    }


@documented
def weights_bytes(num_tokens, num_heads=1, bytes_per_number=4):
    """Tell how many bytes the weights of self-attention take, one map of N times N numbers for each head.

    Parameters
    ----------
    num_tokens : whole number, at least 1: N
    num_heads : whole number, at least 1, of maps
    bytes_per_number : whole number, at least 1: 4 for float32, 8 for float64

    Returns
    -------
    bytes : int

    Examples
    --------
    >>> weights_bytes(1024) / 2**20  # in MiB
    4.0
    """
    return num_heads * num_tokens**2 * bytes_per_number


def _times(count, operations):
    return Operations(count * operations.multiplications, count * operations.additions)
