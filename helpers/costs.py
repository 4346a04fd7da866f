"""What attention costs: multiplications, additions and bytes, by formula. Nothing here is measured."""

from typing import NamedTuple

from helpers.support import inputs


class Operations(NamedTuple):
    """How many multiplications and additions a computation takes."""

    multiplications: int
    additions: int


def count_product(num_rows, width, num_columns):
    r"""Count the steps of a matrix product, (num_rows, width) times (width, num_columns).

    .. math:: n \cdot k \cdot m \text{ multiplications}, \qquad n \cdot (k - 1) \cdot m \text{ additions}

    Each of the n times m numbers of the result is a dot product: k products, joined by k - 1 additions.

    Parameters
    ----------
    num_rows, width, num_columns : n, k and m, at least 1

    Returns
    -------
    Operations

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number of at least 1.

    Examples
    --------
    >>> count_product(3, 2, 3)
    Operations(multiplications=18, additions=9)
    """
    n = inputs.whole_number("num_rows", num_rows, minimum=1)
    k = inputs.whole_number("width", width, minimum=1)
    m = inputs.whole_number("num_columns", num_columns, minimum=1)
    return Operations(n * k * m, n * (k - 1) * m)


def count_attention(num_tokens, d_model, num_heads=1):
    r"""Count the steps of self-attention, matrix product by matrix product.

    Four projections (query, key, value, output) and two products in which tokens meet (scores, mixing). With N tokens
    of width D, however many heads share it:

    .. math:: 4 N D^2 + 2 N^2 D \text{ multiplications}

    Scaling, softmax and biases are left out: a few steps for each number, where each product takes one for each number
    and each column.

    Parameters
    ----------
    num_tokens : N
    d_model : D, the width of the tokens, and of queries, keys and values of all heads together
    num_heads : a number that divides `d_model`

    Returns
    -------
    steps : dict name -> Operations, in the order of the computation

    Raises
    ------
    TypeError, ValueError
        If a count is no whole number of at least 1, or `num_heads` does not divide `d_model`.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), table 1.

    Examples
    --------
    >>> steps = count_attention(num_tokens=3, d_model=2)
    >>> steps["scores"], sum(step.multiplications for step in steps.values())
    (Operations(multiplications=18, additions=9), 84)
    """
    num_tokens = inputs.whole_number("num_tokens", num_tokens, minimum=1)
    d_model = inputs.whole_number("d_model", d_model, minimum=1)
    num_heads = inputs.whole_number("num_heads", num_heads, minimum=1)
    if d_model % num_heads:
        raise ValueError(f"num_heads must divide d_model, got {num_heads} heads and d_model {d_model}.")
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


def weights_bytes(num_tokens, num_heads=1, bytes_per_number=4):
    """Tell how many bytes the weights of self-attention take, one map of N times N numbers for each head.

    Parameters
    ----------
    num_tokens : N
    num_heads : how many maps
    bytes_per_number : 4 for float32, 8 for float64

    Returns
    -------
    bytes : int

    Examples
    --------
    >>> weights_bytes(1024) / 2**20  # in MiB
    4.0
    """
    num_tokens = inputs.whole_number("num_tokens", num_tokens, minimum=1)
    num_heads = inputs.whole_number("num_heads", num_heads, minimum=1)
    return num_heads * num_tokens**2 * inputs.whole_number("bytes_per_number", bytes_per_number, minimum=1)


def _times(count, operations):
    return Operations(count * operations.multiplications, count * operations.additions)
