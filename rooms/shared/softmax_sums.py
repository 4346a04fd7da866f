"""Sums that are told where the pointer rests, in the words of softmax."""

from workbench import Sum, bracketed, cell, decimals


def share(name, scores, base=lambda now: "e", written=decimals):
    """The Sum of softmax along each row: a power over the sum of the powers.

    Parameters
    ----------
    name, scores : of the matrices
    base : function(now) -> in words
    written : function(number) -> in words
    """

    def say(now, i, j):
        return f"{cell(name, i, j)} = {power_share(now[scores][i], j, base(now), written)} = {written(now[name][i, j])}"

    return Sum([(scores, "ij"), (scores, "i:")], say)


def power_share(scores, k, base="e", written=decimals):
    """Softmax in words: the power of score k over the sum of the powers of all."""
    powers = [f"{base}^{bracketed(written(score))}" if score > -1e300 else "0" for score in scores]
    return f"{powers[k]} / ({' + '.join(powers)})"
