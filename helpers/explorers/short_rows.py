"""Rows that sum to less than 1, and scores that stay in bounds."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers import attention_maps, matrices
from helpers.attention import softmax
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import Rule, explorer, wrong_turns
from helpers.explorers.sums import bracketed, number
from helpers.explorers.touch import Sum, Touch
from helpers.softmax_variants import differential_softmax, soft_cap, softmax_with_sink, unit_length

LETTERS = list("AABA")
SCORES = np.array([0.0, 0.0, 1.0, 0.0])
VALUES = np.array([10.0, 10.0, 20.0, 10.0])
SHORT = "no row sums to more than 1"
OFF = "every row sums to 1"
MASKED = "a masked letter has weight 0"
QUIET = "where all scores are low, the row sums to less"


def explore_sink():
    """Put a sink beside the scores of AABA, and lower all scores together.

    Shown: scores (4,), plain (4,) without and with_sink (4,) beside the sink, weighted_values (4,), output (1,), and sum (),
    what the letters keep
    """
    return explorer(
        _sink,
        _beside_a_sink,
        lambda now: (
            f"The letters keep {now.sum:.3f} of the weight, the sink takes {1 - now.sum:.3f}: the output is "
            f"{now.output[0]:.2f} instead of {now.plain @ VALUES:.2f}."
        ),
        [
            Rule(OFF, lambda now: abs(now.with_sink.sum() - 1), "it falls short by {:.3f}, on purpose"),
            Rule(SHORT, lambda now: max(0.0, now.with_sink.sum() - 1)),
        ],
        presets={
            "the ninths from above": {"base": 3.0, "shift": 0.0, "sink": 1.0, "letter": 2},
            "all scores low": {"shift": -5.0},
        },
        touch={"with_sink": Touch(lambda now, i: {"letter": i}, lambda now, i: f"raise the score of letter {i + 1}")},
        folded=["letter"],
        sink=slider("score of the sink", 1.0, -5.0, 5.0, 0.5),
        shift=slider("added to all scores", 0.0, -6.0, 3.0, 0.5),
        letter=stops("letter whose score is 1 higher", [(f"{c}, letter {k + 1}", k) for k, c in enumerate(LETTERS)], 2),
        base=choose("base", {"3": 3.0, "e": np.e}, 3.0),
    )


def explore_resting():
    """Where the heads of a real model rest: the share that each gives to [CLS].

    Shown: rest (6, 12), mean weight on the chosen token, by layer and head; row (22,), how much each token of the text gives
    to it in the chosen head
    """
    return explorer(
        _rest,
        _heads_and_row,
        lambda now: (
            f"Layer {now.head[0] + 1}, head {now.head[1] + 1} gives {now.on} {now.rest[now.head]:.0%} of its weight. "
            f"The mean of all 72 heads is {now.rest.mean():.0%}; at equal shares it would be {1 / len(now.row):.0%}."
        ),
        touch={"rest": Touch(lambda now, i, j: {"head": (i, j)}, lambda now, i, j: f"layer {i + 1}, head {j + 1}")},
        folded=["head"],
        on=choose("weight on", ["[CLS]", "[SEP]", "sarah"], "[CLS]"),
        head=stops("head", [(f"layer {i + 1}, head {j + 1}", (i, j)) for i in range(6) for j in range(12)], (4, 5)),
    )


def explore_bounds():
    """Make a query longer and longer, and bound its scores.

    Shown: scores (3,) as they enter softmax, plain (3,) before, weights (3,); of_one, of_ten (3,), the weights for the query
    as it is and ten times as long
    """
    return explorer(
        _bound,
        lambda now: (
            now.table("keys", decimals=0, corner="key"),
            now.table("plain", "query · key", column="", decimals=2),
            now.table("scores", "score", column="", decimals=2, kind="plain", corner="key"),
            now.table("weights", "weight", column="", row_sums=False, corner="key"),
        ),
        lambda now: (
            f"The query is {5 * now.longer:g} long. Its scores reach from {now.scores.min():.2f} to {now.scores.max():.2f}, "
            f"and the largest weight is {now.weights.max():.4f}."
        ),
        [
            Rule(
                "the weights do not depend on how long the query is", lambda now: np.abs(now.of_ten - now.of_one).max()
            ),
            Rule(OFF, lambda now: abs(now.weights.sum() - 1)),
        ],
        sums={
            "plain": Sum([("keys", "i:")], _product),
            "scores": Sum([("plain", "ij")], _bounded),
            "weights": Sum([("scores", ":j")], _shared),
        },
        picks=dict.fromkeys(["plain", "scores", "weights"], (3, 1)),
        longer=stops("query [3, 4], times", [(str(n), n) for n in (1, 2, 5, 10, 100)], 1),
        how=choose("scores", ["as they are", "soft cap", "query and key of length 1"], "soft cap"),
        cap=slider("cap, or factor on the cosines", 10.0, 1.0, 50.0, 1.0),
    )


def explore_wrong_short():
    """Let the row fall short in ways that nobody wants.

    Shown: weights (4,) of AABA, of which the last A is masked, and output (1,)
    """
    return wrong_turns(
        "the weights",
        _RECIPES,
        _shorten,
        _strip,
        lambda now: f"The weights sum to {now.weights.sum() + 0.0:.3f}, and the output is {now.output[0] + 0.0:.2f}.",
        [
            Rule(SHORT, lambda now: max(0.0, now.weights.sum() - 1)),
            Rule(MASKED, lambda now: abs(now.weights[3])),
            Rule(QUIET, lambda now: (now.low < now.weights.sum() - 1e-9, "it sums to as much as before")),
        ],
        sums={"weights": _weight_in_words},
        picks={"weights": (4,)},
    )


# --- a sink ----------------------------------------------------------------------------------------------------------


def _sink(sink, shift, letter, base):
    scores = np.eye(4)[letter] + shift
    weights = softmax_with_sink(scores, sink, base=base)
    return {
        "scores": scores,
        "plain": softmax(scores, base=base),
        "with_sink": weights,
        "weighted_values": weights * VALUES,
        "output": np.array([weights @ VALUES]),
        "sum": np.array(weights.sum()),
    }


def _beside_a_sink(now):
    stages = [
        matrices.Row("score", now.scores, "scores"),
        matrices.Row("weight, no sink", now.plain, "weights", now.plain.sum()),
        matrices.Row("weight beside the sink", now.with_sink, "weights", now.with_sink.sum()),
        matrices.Row("value", VALUES),
        matrices.Row("weight × value", now.weighted_values, "plain", now.output[0]),
    ]
    places = now.places("with_sink")
    return matrices.strip(LETTERS, stages, "AABA", query=f"sink {now.sink:g}", limit=6, places=places)


def _strip(now):
    stages = [
        matrices.Row("weight", now.weights, "weights", now.weights.sum()),
        matrices.Row("value", VALUES),
        matrices.Row("weight × value", now.weights * VALUES, "plain", now.output[0]),
    ]
    return matrices.strip(LETTERS, stages, "AABA, the last A is masked", places=now.places("weights"))


# --- a real model ----------------------------------------------------------------------------------------------------


def _rest(on, head):
    she = attention_maps.load("She")
    to_one = she.weights[..., she.tokens.index(on)]  # (layers, heads, queries)
    return {"rest": to_one.mean(axis=-1), "row": to_one[head]}


def _heads_and_row(now):
    tokens = attention_maps.load("She").tokens
    strips = []
    for first, last in ((1, 8), (9, 15), (16, 22)):  # three lines fit a narrow page
        said = [
            f"layer {now.head[0] + 1}, head {now.head[1] + 1}: {token} gives to {now.on}"
            for token in tokens[first - 1 : last]
        ]
        gives = matrices.Row(f"gives {now.on}", now.row[first - 1 : last], "weights", made=said.__getitem__)
        name = f"tokens {first} to {last}"
        strips.append(matrices.strip(tokens[first - 1 : last], [gives], name, total="", decimals=2))
    how = {"kind": "weights", "decimals": 2, "marks": {now.head: "result"}, "corner": "layer"}
    return [now.table("rest", f"mean weight on {now.on}", **how), *strips]


# --- bounds ----------------------------------------------------------------------------------------------------------

QUERY = np.array([3.0, 4.0])
KEYS = np.array([[4.0, 3.0], [3.0, 4.0], [0.0, 5.0]])


def _bound(longer, how, cap):
    shown = {"keys": KEYS, "plain": KEYS @ (longer * QUERY)}
    scores, of_one, of_ten = (_scores(factor * QUERY, how, cap) for factor in (longer, 1, 10))
    return {**shown, "scores": scores, "weights": softmax(scores), "of_one": softmax(of_one), "of_ten": softmax(of_ten)}


def _product(now, i, j):
    query = now.longer * QUERY
    return f"query · key {i + 1} = {query[0]:g}·{KEYS[i, 0]:g} + {query[1]:g}·{KEYS[i, 1]:g} = {now.plain[i]:g}"


def _bounded(now, i, j):
    made = {
        "as they are": "the dot product",
        "soft cap": f"{now.cap:g} · tanh({now.plain[i]:g} / {now.cap:g})",
        "query and key of length 1": f"{now.cap:g} · {now.plain[i]:g} / ({5 * now.longer:g} · 5)",
    }
    return f"score {i + 1} = {made[now.how]} = {now.scores[i]:.3f}"


def _shared(now, i, j):
    powers = [f"e^{bracketed(f'{score:.2f}')}" for score in now.scores]
    return f"weight {i + 1} = {powers[i]} / ({' + '.join(powers)}) = {now.weights[i]:.4f}"


def _scores(query, how, cap):
    if how == "query and key of length 1":
        return cap * (unit_length(KEYS) @ unit_length(query))
    return soft_cap(KEYS @ query, cap) if how == "soft cap" else KEYS @ query


# --- wrong turns -----------------------------------------------------------------------------------------------------

SEEN = np.array([True, True, True, False])


def _masked(scores):
    return np.where(SEEN, scores, -np.inf)


def _beside_0(scores):
    return softmax_with_sink(scores, 0, base=3)


def _powers(scores):
    return ["0" if np.isneginf(score) else f"3^{bracketed(number(score))}" for score in scores]


def _shared_out(scores, k, among="({})"):
    return f"{_powers(scores)[k]} / {among.format(' + '.join(_powers(scores)))}"


def _shared_with_a_sink(scores, k):
    return _shared_out(scores, k, "(({}) + 3^0)")


class Recipe(NamedTuple):
    """prepare : function(scores) -> what is weighed; weigh : function(that) -> weights; made : function(that, k) -> how weight k is
    made, in numbers."""

    prepare: Callable
    weigh: Callable
    made: Callable


_ZEROS = _masked(np.zeros(4))
_RECIPES = {
    "beside a sink of score 0": Recipe(_masked, _beside_0, _shared_with_a_sink),
    "softmax alone": Recipe(_masked, lambda s: softmax(s, base=3), _shared_out),
    "beside a sink, then divided by their sum": Recipe(
        lambda s: _beside_0(_masked(s)),
        lambda w: w / w.sum(),
        lambda w, k: f"{w[k]:.3f} / ({' + '.join(f'{weight:.3f}' for weight in w)})",
    ),
    "softmax of scores − sink": Recipe(lambda s: _masked(s - 1), lambda s: softmax(s, base=3), _shared_out),
    "masked, then capped at 2, beside a sink": Recipe(
        lambda s: 2 * np.tanh(_masked(s) / 2), _beside_0, _shared_with_a_sink
    ),
    "the difference of two maps, λ = 1": Recipe(
        _masked,
        lambda s: differential_softmax(s, _ZEROS, 1, base=3),
        lambda s, k: f"{_shared_out(s, k)} − {_shared_out(_ZEROS, k)}",
    ),
    "powers over the sink's power alone": Recipe(
        _masked, lambda s: 3.0**s / 3.0**0, lambda s, k: f"{_powers(s)[k]} / 3^0"
    ),
}


def _shorten(recipe):
    weights, low = (recipe.weigh(recipe.prepare(scores)) for scores in (SCORES, SCORES - 5))
    return {"weights": weights, "output": np.array([weights @ VALUES]), "low": np.array(low.sum())}


def _weight_in_words(now, k):
    recipe = _RECIPES[now.recipe]
    return f"weight {k + 1} = {recipe.made(recipe.prepare(SCORES), k)} = {now.weights[k] + 0.0:.3f}"
