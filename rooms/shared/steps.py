"""Mistakes that belong to a step, and not to an exercise: written once, made wherever a solution takes that step.

A step is a pattern in the text of a solution and rows as in workbench.judging.edits; what the pattern has found stands for {names}
in them. An exercise says which steps it takes; its own rows come first, and so does their word.
"""

import re

TERM = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))"  # balanced to two brackets
SOFTMAX = r"(?P<all>(?:attention\.)?softmax\()"
MIX = r"return (?P<w>.+) @ (?P<v>\w+(?:\[\w+\])?)\n"
STEPS = {
    "softmax": (
        SOFTMAX,
        """
{all} => ( | The scores were used as weights: softmax comes between them.
{all} => np.exp( | The powers were not divided by their sum: the weights of a query must sum to 1.
{all} => (lambda s: s / s.sum(axis=-1, keepdims=True))( | The scores were divided by their sum: softmax takes e to the power of each score first.
{all} => (lambda s: np.exp(s) / np.exp(s).max(axis=-1, keepdims=True))( | The largest weight is 1: the powers are still to be divided by their sum.
{all} => (lambda s: np.exp(s) / np.cumsum(np.exp(s), axis=-1))( | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
{all} => (lambda s: np.exp(s) / (1 + np.exp(s).sum(axis=-1, keepdims=True)))( | 1 was added to the sum of the powers; divide by the sum alone, so that the weights sum to 1.
{all} => (lambda s: (lambda p: p / (1 + p.sum(axis=-1, keepdims=True)))(np.exp(s - s.max(axis=-1, keepdims=True))))( |
{all} => (lambda s: attention.softmax(s, base=3))( | Base 3 was for fractions; softmax takes base e.
{all} => (lambda s: attention.softmax(s, base=2))( | Base 2 was taken; softmax takes base e.
{all} => (lambda s: attention.softmax(-s))( | The sign of the scores is turned: the key that answers best got the smallest weight.
{all} => (lambda s: attention.softmax(attention.softmax(s)))( | Softmax was taken twice: what the first one gives are the weights.
""",
    ),
    "rows": (  # of a matrix of scores
        SOFTMAX,
        """
{all} => (lambda s: attention.softmax(s, axis=-2))( | Softmax ran down the columns: each query's row of weights must sum to 1, so use axis=-1.
{all} => (lambda s: np.exp(s) / np.exp(s).sum())( | Softmax ran over the whole matrix: each query's row must sum to 1.
{all} => (lambda s: np.exp(s) / np.exp(s).sum(axis=-1))( | The sums of the rows lost their axis, and divide the columns: sum(axis=-1, keepdims=True).
""",
    ),
    "scale": (  # by the root of d_k
        rf"(?P<all>/ (?:(?:math|np)\.sqrt\((?P<d>{TERM}+)\)|(?P<d_>[\w.\[\]-]+) \*\* 0\.5))",
        """
{all} => | The scores were not divided by √d_k, the square root of the width of queries and keys.
{all} => / ({d}) | The scores were divided by d_k, or twice by √d_k; divide once by its square root.
{all} => * ({d}) ** 0.5 | The scores were multiplied by √d_k; divide by it.
{all} => / ({d}) / 2 | d_k ** 1/2 is half of d_k ** 1, since powers come first; the root is d_k ** (1/2), or np.sqrt(d_k).
""",
    ),
    "norm": (  # by the root of a mean, with ε under it
        r"(?P<all>np\.sqrt\((?P<x>\w+) \+ 1e-5\))",
        """
{all} => np.sqrt({x}) | Where the {said} is 0 it gives 0/0: add ε = 0.00001 to it, before the root.
{all} => ({x} + 1e-5) | Divided by the {said}; divide by its square root, √({said} + ε).
/ {all} => * {all} | Multiplied by the root of the {said}; divide by it.
axis=-1 => axis=0 | The mean ran down the columns, over the tokens; each token needs its own: axis=-1, keepdims=True.
axis=-1 => axis=max(-2, -x.ndim) | The mean ran over the axis before the last, over the tokens; each token needs its own: axis=-1, keepdims=True.
axis=-1, keepdims=True => | The mean was taken over the whole array; each token needs its own: axis=-1, keepdims=True.
, keepdims=True => | Rows were given other rows' means: without keepdims=True these are laid along the columns.
1e-5 => 1.0 | ε is 0.00001; here it is larger.
1e-5 => 0.1 |
1e-5 => 0.01 |
1e-5 => 0.001 |
""",
    ),
    "positions": (  # that turn by position / base^(2i/d)
        r"(?P<all>/ (?P<base>base|10_000) \*\* \((?P<x>.+) / (?P<d>d_model|d)\))",
        """
{all} => / {base} ** ({x} // {d}) | Every pair turns by the same angle: the exponent 2i/{d} is missing, or // cuts it to a whole number.
{all} => * {base} ** ({x} / {d}) | The position was multiplied by {base}^(2i/{d}); divide by it, so that later pairs turn more slowly.
{all} => / {base} ** ({x} / {d} / 2) | The exponent is 2i/{d} with i counting pairs; here the 2 is missing, or the base is its root.
{all} => / {base} ** ({x} / {d} * 2) | The exponent is 2i/{d} with i = 0, 1, 2, … counting pairs; here i = 0, 2, 4, …, so each step is twice as large.
""",
    ),
    "mask": (  # before softmax, where True = may attend
        r"(?P<all>np\.where\(mask, (?P<x>\w+), -np\.inf\))",
        """
{all} => {x} | The mask has no say: where it is False, the score becomes -inf.
{all} => np.where(~mask, {x}, -np.inf) | The mask is read upside down: True means may attend, so block where it is False.
{all} => np.where(mask, {x}, 0.0) | Blocked scores were set to 0, and 0 still gets a share: set them to -inf.
""",
    ),
    "project": (  # by a matrix of its own
        r"(?P<all>(?P<x>\w+) @ (?P<W>W_(?:query|key)))\b",
        """
{all} => {x} @ {other} | {other} was taken where {W} belongs: queries and keys are made by a matrix of their own each.
{all} => {x} | {W} is left out: {x} is multiplied by it.
""",
    ),
    "mix": (  # of values by weights, in the end
        MIX,
        """
=> {w} | These are the weights; the output mixes the values by them: weights @ values.
=> {v} | Those are the values as they are; mix them by the weights: weights @ values.
""",
    ),
    "mix rows": (
        MIX,
        """
=> np.swapaxes({w}, -1, -2) @ {v} | The weights were transposed before they mixed the values: row i of weights @ values belongs to token i.
=> {v} @ {w} | Weights stand on the left: weights @ values, so that row i mixes the values by token i's weights.
""",
    ),
    "mix one": (  # where a loop may add up the output of a single query
        MIX,
        """
=> ({w})[-1] * {v}[-1] | Each round of the loop overwrites the sum of the ones before: add to it, +=.
=> ({w})[0] * {v}[0] | Only the first value is mixed in: the return stands inside the loop.
""",
    ),
}


def inherited(text, taken):
    """The rows of these steps, "softmax, scale", as a solution takes them."""
    rows = []
    for step in taken.split(", "):
        pattern, templates = STEPS[step]
        for found in re.finditer(pattern, text):
            parts = {name: part for name, part in found.groupdict().items() if part}
            parts["said"] = parts.get("x", "").replace("_", " ")
            parts["d"] = parts.get("d", parts.get("d_", ""))
            others = dict.fromkeys(re.findall(r"W_\w+", text)) if "W" in parts else {}
            for row in templates.strip().splitlines():  # one for each other matrix
                each = [other for other in others if other != parts["W"]] if "{other}" in row else [""]
                rows += [row.format(other=other, **parts) for other in each]
    return "\n".join(rows)
