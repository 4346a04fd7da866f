"""How a number of attention is made, in numbers: the sum that is told where the pointer rests, and what goes into it."""

from helpers.explorers.touch import Sum


def number(x):
    """A number in few letters: 1 for 1.000, else three decimals."""
    return f"{x + 0.0:.3f}".rstrip("0").rstrip(".") if f"{x:.3f}" != "-0.000" else "0"


def dot_product(name, left, right, words=("query", "key"), scale=None):
    """The Sum of a matrix of dot products, row i of `left` by row j of `right`.

    Parameters
    ----------
    name, left, right : of the matrices as they are shown
    words : what a row of each is called
    scale : function(now) -> the divisor in words, such as "1.414"; None = not divided
    """

    def say(now, i, j):
        products = " + ".join(f"{number(a)}·{number(b)}" for a, b in zip(now[left][i], now[right][j]))
        divided = f"({products}) / {scale(now)}" if scale else products
        return (
            f"{name} [{i + 1}, {j + 1}] = {words[0]} {i + 1} · {words[1]} {j + 1} = {divided} = {now[name][i, j]:.3f}"
        )

    return Sum([(left, "i:"), (right, "j:")], say)


def quotient(name, source, divisor):
    """The Sum of a matrix whose numbers are those of another one, divided by the same.

    Parameters
    ----------
    name, source : of the matrices
    divisor : function(now) -> in words
    """

    def say(now, i, j):
        return f"{name} [{i + 1}, {j + 1}] = {now[source][i, j]:.3f} / {divisor(now)} = {now[name][i, j]:.3f}"

    return Sum([(source, "ij")], say)


def share(name, scores, base=lambda now: "e"):
    """The Sum of softmax along each row: a power over the sum of the powers.

    Parameters
    ----------
    name, scores : of the matrices
    base : function(now) -> in words
    """

    def say(now, i, j):
        powers = [f"{base(now)}^{score:.3f}" if score > -1e300 else "0" for score in now[scores][i]]
        return f"{name} [{i + 1}, {j + 1}] = {powers[j]} / ({' + '.join(powers)}) = {now[name][i, j]:.3f}"

    return Sum([(scores, "ij"), (scores, "i:")], say)


def mixture(name, weights, values):
    """The Sum of outputs: each weight of the row times the number of the column that belongs to it."""

    def say(now, i, j):
        products = " + ".join(f"{w:.3f}·{number(v)}" for w, v in zip(now[weights][i], now[values][:, j]))
        return f"{name} [{i + 1}, {j + 1}] = {products} = {now[name][i, j]:.3f}"

    return Sum([(weights, "i:"), (values, ":j")], say)
