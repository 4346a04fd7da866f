"""How a number of a matrix is made, in numbers: the sum that is told where the pointer rests, and what goes into it."""

import numpy as np

from workbench.matrices import fraction
from workbench.moving.touch import Sum
from workbench.pictures.chart import power_of_ten


def number(x):
    """A number in few letters: 1 for 1.000, else three decimals."""
    if np.isnan(x):
        return "NaN"
    return f"{x + 0.0:.3f}".rstrip("0").rstrip(".") if f"{x:.3f}" != "-0.000" else "0"


def exact(x):
    """A number as it is, such as 3/7, if it is a small fraction; else as `number` writes it."""
    near = fraction(x)
    return str(near) if abs(float(near) - x) < 1e-9 else number(x)


def decimals(x):
    """A number with three decimals, as the tables write it."""
    return f"{round(float(x), 3) + 0.0:.3f}"  # + 0.0 turns -0.0 into 0.0


def scientific(x, decimals=0):
    """A very large or very small number as a digit, decimals, and a power of ten: 5.3·10¹⁵."""
    digits, power = f"{x:.{decimals}e}".split("e")
    return f"{digits}·{power_of_ten(int(power))}"


def with_minus(x, form="g"):
    """A number in a format of Python's, with the sign of minus and not a hyphen: −0.28."""
    return f"{x:{form}}".replace("-", "−")


def listed(words):
    """Words as a sentence names them: a; a and b; a, b and c."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def dot_product(name, left, right, words=("row", "row"), scale=None, written=decimals):
    """The Sum of a matrix of dot products, row i of `left` by row j of `right`.

    Parameters
    ----------
    name, left, right : of the matrices as they are shown
    words : what a row of each is called
    scale : function(now) -> the divisor in words, such as "1.414", or None; None = not divided
    written : function(number) -> in words
    """

    def say(now, i, j):
        products = terms(now[left][i], now[right][j])
        divisor = scale(now) if scale else None
        divided = f"({products}) / {divisor}" if divisor else products
        return f"{cell(name, i, j)} = {words[0]} {i + 1} · {words[1]} {j + 1} = {divided} = {written(now[name][i, j])}"

    return Sum([(left, "i:"), (right, "j:")], say)


def product(name, left, right):
    """The Sum of a product of matrices: row i of `left` by column j of `right`."""

    def say(now, i, j):
        return f"{cell(name, i, j)} = {terms(now[left][i], now[right][:, j])} = {exact(now[name][i, j])}"

    return Sum([(left, "i:"), (right, ":j")], say)


def quotient(name, source, divisor, written=decimals):
    """The Sum of a matrix whose numbers are those of another one, divided by the same.

    Parameters
    ----------
    name, source : of the matrices
    divisor : function(now) -> in words
    written : function(number) -> in words
    """

    def say(now, i, j):
        return f"{cell(name, i, j)} = {written(now[source][i, j])} / {divisor(now)} = {written(now[name][i, j])}"

    return Sum([(source, "ij")], say)


def mixture(name, weights, values, written=decimals):
    """The Sum of outputs: each weight of the row times the number of the column that belongs to it.

    Parameters
    ----------
    name, weights, values : of the matrices; values that are not shown come as a function(now) -> (num_rows, num_columns)
    written : function(number) -> in words
    """

    def say(now, i, j):
        given = now[values] if isinstance(values, str) else values(now)
        products = terms(now[weights][i], given[:, j], written)
        return f"{cell(name, i, j)} = {products} = {written(now[name][i, j])}"

    return Sum([(weights, "i:"), *([(values, ":j")] if isinstance(values, str) else [])], say)


def cell(name, *index):
    """A number in words, by its matrix and its place."""
    return f"{name.replace('_', ' ')} [{', '.join(str(k + 1) for k in index)}]"


def cells(shapes):
    """Every number of some matrices, dict name -> shape, as a control offers it: (words, (name, i, j))."""
    return [(cell(name, *index), (name, *index)) for name, shape in shapes.items() for index in np.ndindex(*shape)]


def bracketed(word):
    return f"({word})" if word.startswith("-") or "/" in word else word


def terms(left, right, written=number):
    """A dot product in words: each number of one vector times its partner."""
    return " + ".join(f"{written(a)}·{bracketed(number(b))}" for a, b in zip(left, right, strict=True))
