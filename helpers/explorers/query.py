"""One query asks a string of A's and B's."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.tokens import one_hot

LONGEST, LONG = 12, 9  # letters; a long string is shown with fewer decimals, so that it fits the page
HUGE = 1e4  # weights from here on are shown by their power of ten
BASES = [("2", 2.0), ("e = 2.718", math.e), *((str(b), float(b)) for b in range(3, 11))]


def explore_query():
    """Ask a string of A's and B's with one query, and watch score, weight and output.

    Returns
    -------
    Explorer
        shown: key (n, 2), dot_products (n,), scores (n,) as they enter softmax, weights (n,), value (n, 2),
        weighted_values (n, 2), output (2,)
    """
    return Explorer(
        {
            "string": text_field("string of A and B", "AABA"),
            "query_a": slider("query, part for A", 0.0, -2.0, 2.0),
            "query_b": slider("query, part for B", 1.0, -2.0, 2.0),
            "base": stops("base of softmax", BASES, 3.0),
            "temperature": slider("temperature", 1.0, 0.1, 5.0, 0.01),
            "booster": slider("booster on the keys", 1, 1, 20, 1),
        },
        _ask,
        _strip,
        _describe,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"])],
        presets={
            "base e": {"base": math.e, "temperature": 1.0, "booster": 1},
            "base e, temperature 1 / ln 3": {"base": math.e, "temperature": 1 / math.log(3), "booster": 1},
            "booster 10": {"base": math.e, "temperature": 1.0, "booster": 10},
        },
    )


def explore_wrong_softmax():
    """Replace softmax by something that looks like it, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: scores (4,), weights (4,)
    """
    return Explorer(
        {
            "recipe": choose("how weights are made", list(_RECIPES), "softmax"),
            "booster": slider("booster on the keys", 1, 1, 1000, 1),
        },
        _weigh,
        _weight_strip,
        lambda shown, values: f"With {values['recipe']}, the weights add up to {_total(shown['weights'])}.",
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _all_finite(shown["weights"])],
    )


def _ask(string, query_a, query_b, base, temperature, booster):
    tokens = one_hot(read_letters(string), "AB")
    key, query = booster * tokens, np.array([[query_a, query_b]])
    answer = scaled_dot_product_attention(query, key, tokens, scale=1 / temperature, base=base)
    return {
        "key": key,
        "dot_products": key @ query[0],
        "scores": answer.scores[0],
        "weights": answer.weights[0],
        "value": tokens,
        "weighted_values": answer.weights[0][:, None] * tokens,
        "output": answer.output[0],
    }


def read_letters(string, what="string", longest=LONGEST):
    """The letters of a typed string of A and B, 1 to `longest` of them; `what` is its name in messages."""
    letters = string.strip().upper()
    if not 1 <= len(letters) <= longest:
        raise ValueError(f"The {what} takes 1 to {longest} letters, and this one has {len(letters)}.")
    stranger = next((letter for letter in letters if letter not in "AB"), "")
    if stranger:
        named = "a space" if stranger.isspace() else f"“{stranger}”"
        raise ValueError(f"The {what} is made of A and B only; {named} is neither.")
    return letters


def _strip(shown, values):
    stages = [
        matrices.Row("key", [[f"{x:.0f}" for x in key] for key in shown["key"]]),
        matrices.Row("score = key · query", shown["dot_products"], "scores"),
        matrices.Row("score ÷ temperature", shown["scores"], "scores"),
        matrices.Row("weight", shown["weights"], "weights", shown["weights"].sum()),
        matrices.Row("value: A, B", [[f"{x:.0f}" for x in value] for value in shown["value"]]),
        matrices.Row("weight × value: A", shown["weighted_values"][:, 0], "plain", shown["output"][0]),
        matrices.Row("weight × value: B", shown["weighted_values"][:, 1], "plain", shown["output"][1]),
    ]
    query = f"query [{values['query_a']:.1f} {values['query_b']:.1f}]"
    limit = max(2.0, 2.0 * values["booster"])
    letters = read_letters(values["string"])
    decimals = 4 if len(letters) < LONG else 2
    return matrices.strip(letters, stages, "who asks, who is asked", query=query, decimals=decimals, limit=limit)


def _describe(shown, values):
    on_a, on_b = shown["output"]
    return (
        f"{on_b:.1%} of the weight sits on B and {on_a:.1%} on A; the largest single weight is "
        f"{shown['weights'].max():.4f}, and the output is [{on_a:.4f}, {on_b:.4f}]."
    )


def _shares_without_softmax(scores):
    return np.exp(scores) / len(scores)


def _softmax_that_overflows(scores):
    with np.errstate(over="ignore", invalid="ignore"):  # the overflow is the point; its NaN lights the rule
        powers = np.exp(scores)
        return powers / powers.sum()


_RECIPES = {
    "softmax": softmax,
    "powers divided by the number of tokens": _shares_without_softmax,
    "softmax without subtracting the maximum": _softmax_that_overflows,
}


def _weigh(recipe, booster):
    scores = booster * one_hot("AABA", "AB") @ np.array([0.0, 1.0])
    with np.errstate(over="ignore"):
        return {"scores": scores, "weights": _RECIPES[recipe](scores)}


def _weight_strip(shown, values):
    weights, total = shown["weights"], _total(shown["weights"])
    huge = matrices.Row("weight", [_short(weight) for weight in weights], "plain", total)  # no share, so no shade
    stages = [
        matrices.Row("score", shown["scores"], "scores"),
        huge if (weights >= HUGE).any() else matrices.Row("weight", weights, "weights", total),
    ]
    return matrices.strip("AABA", stages, "query [0 1]", limit=float(values["booster"]), decimals=4)


def _short(weight):
    return "NaN" if np.isnan(weight) else f"{weight:.4f}" if weight < HUGE else f"{weight:.1e}"


def _total(weights):
    return _short(weights.sum())


def _all_finite(weights):
    return Light(
        "every weight is a number", bool(np.isfinite(weights).all()), f"{np.sum(~np.isfinite(weights))} are not"
    )
