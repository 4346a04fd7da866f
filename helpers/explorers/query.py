"""One query asks a string of A's and B's."""

import math

import numpy as np

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import number_field, slider, stops, text_field
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.strings import LONGEST, read_letters
from helpers.explorers.touch import Plane, turn_letter
from helpers.tokens import one_hot

LONG = 9  # letters; a long string is shown with fewer decimals, so that it fits the page
HUGE = 1e4  # weights from here on are shown by their power of ten
BASES = [("2", 2.0), ("e = 2.718", math.e), *((str(b), float(b)) for b in range(3, 11))]
SIXTHS = 1 / math.log(3)  # the temperature at which base e gives what base 3 gives at 1
TEMPERATURES = [
    (f"{t:.2f} = 1 / ln 3" if t == SIXTHS else f"{t:g}", t)
    for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, SIXTHS, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0)
]
LENGTHS = np.arange(1, LONGEST + 1)


def explore_query():
    """Ask a string of A's and B's with one query, and watch score, weight and output; click a letter to turn it.

    Shown: key (n, 2), dot_products (n,), scores (n,) as they enter softmax, weights (n,), value (n, 2), weighted_values
    (n, 2), output (2,), and on_b (12,), the weight on the B's if the string had 1 to 12 letters and the same B's
    """
    figure, plane, curve = _figure()
    return explorer(
        _ask,
        lambda now: [figure.draw(now), _strip(now)],
        _describe,
        [SHARES],
        presets={
            "base e": {"base": math.e, "temperature": 1.0, "booster": 1},
            "base e, temperature 1 / ln 3": {"base": math.e, "temperature": SIXTHS, "booster": 1},
            "booster 10": {"base": math.e, "temperature": 1.0, "booster": 10},
        },
        touch={"letters": turn_letter(lambda now: "string")},
        planes={
            "query": Plane(plane, lambda now, x, y: {"query_a": x, "query_b": y}, "drag the query"),
            "length": Plane(curve, _to_length, "drag to make the string longer or shorter"),
        },
        folded=["string", "query_a", "query_b"],
        string=text_field("string of A and B", "AABA"),
        query_a=number_field("query, part for A", 0.0, -2.0, 2.0),
        query_b=number_field("query, part for B", 1.0, -2.0, 2.0),
        base=stops("base of softmax", BASES, 3.0),
        temperature=stops("temperature", TEMPERATURES, 1.0),
        booster=slider("booster on the keys", 1, 1, 20, 1),
    )


def explore_wrong_softmax():
    """Replace softmax by something that looks like it, and see which rule breaks.

    Shown: scores (4,), weights (4,)
    """
    return wrong_turns(
        "how weights are made",
        _RECIPES,
        _weigh,
        _weight_strip,
        lambda now: f"With {now.recipe}, the weights add up to {_total(now.weights)}.",
        [SHARES, Rule("every weight is a finite number", _all_finite)],
        sums={"weights": _made},
        picks={"weights": (4,)},
        booster=slider("booster on the keys", 1, 1, 1000, 1),
    )


def _ask(string, query_a, query_b, base, temperature, booster):
    letters = read_letters(string)
    tokens, query = one_hot(letters, "AB"), np.array([[query_a, query_b]])
    key, bs = booster * tokens, letters.count("B")
    answer = scaled_dot_product_attention(query, key, tokens, scale=1 / temperature, base=base)
    return {
        "key": key,
        "dot_products": key @ query[0],
        "scores": answer.scores[0],
        "weights": answer.weights[0],
        "value": tokens,
        "weighted_values": answer.weights[0][:, None] * tokens,
        "output": answer.output[0],
        "on_b": _on_b(bs, booster * query[0] / temperature, base),
    }


def _on_b(num_bs, scores, base):
    """The weight on the B's of strings with 1 to 12 letters; scores: of an A, of a B."""
    shares = []
    for length in LENGTHS:
        is_b = np.arange(length) < num_bs
        shares.append(softmax(scores[is_b.astype(int)], base=base)[is_b].sum())
    return np.array(shares)


# --- what the hand does ----------------------------------------------------------------------------------------------


def _to_length(now, x, y):
    """A string of another length, with the same B's as long as there is room for them."""
    letters, length = read_letters(now.string), min(max(round(x), 1), LONGEST)
    while len(letters) > length:
        k = letters.rfind("A")
        letters = letters[:k] + letters[k + 1 :] if k >= 0 else letters[:-1]
    return {"string": letters + "A" * (length - len(letters))}


# --- what is seen ----------------------------------------------------------------------------------------------------


def _strip(now):
    stages = [
        matrices.Row("key", [[f"{x:.0f}" for x in key] for key in now.key]),
        matrices.Row("score = key · query", now.dot_products, "scores"),
        matrices.Row("score ÷ temperature", now.scores, "scores"),
        matrices.Row("weight", now.weights, "weights", now.weights.sum()),
        matrices.Row("value: A, B", [[f"{x:.0f}" for x in value] for value in now.value]),
        matrices.Row("weight × value: A", now.weighted_values[:, 0], "plain", now.output[0]),
        matrices.Row("weight × value: B", now.weighted_values[:, 1], "plain", now.output[1]),
    ]
    letters = read_letters(now.string)
    how = {
        "decimals": 4 if len(letters) < LONG else 2,
        "limit": max(2.0, 2.0 * now.booster),
        "places": now.places("letters"),
    }
    return matrices.strip(
        letters, stages, "who asks, who is asked", query=f"query [{now.query_a:.1f} {now.query_b:.1f}]", **how
    )


def _describe(now):
    on_a, on_b = now.output
    said = (
        f"{_percent(on_b)} of the weight sits on B and {_percent(on_a)} on A; the largest single weight is "
        f"{now.weights.max():.4f}, and the output is [{on_a:.4f}, {on_b:.4f}]."
    )
    return said[0].upper() + said[1:]


def _percent(share):
    """Two decimals; only none is called none, only all is called all."""
    if share <= 1e-12 or share >= 1 - 1e-12:
        return "none" if share < 0.5 else "all"
    return "less than 0.01%" if share < 5e-5 else "more than 99.99%" if share > 1 - 5e-5 else f"{share:.2%}"


def _figure():
    """The query among the two letters, and the weight on the B's against the length of the string."""
    figure, (plane, curve) = plots.new_figure(6.8, 2.0, "ab", width_ratios=[1, 1.7])
    plots.arrows(plane, np.eye(2), ["", ""], limit=2.2)
    plane.set(xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), xticks=range(-2, 3), yticks=range(-2, 3))
    plane.set(xlabel="part for A →", ylabel="part for B →")
    for name, place in (("A", (1.3, -0.3)), ("B", (-0.3, 1.3))):
        plane.text(*place, name, color="#1d4ed8", ha="center", va="center")
    query = plots.arrow(plane, [0, 1], color="#c2410c")
    word = plane.text(0, 0, "query", color="#c2410c", va="center")
    curve.axhline(0.5, color="#999999", linewidth=1, linestyle="--")
    curve.set(xlim=(0.5, LONGEST + 0.5), ylim=(-0.05, 1.05), xticks=LENGTHS, yticks=[0, 0.5, 1])
    curve.set(xlabel="letters in the string")
    curve.set_title("weight on the B's", fontsize=11, loc="left")
    (line,) = curve.plot([], [], ".-", color="#1d4ed8", linewidth=1.2)
    (dot,) = curve.plot([], [], "o", color="#c2410c", markersize=9)

    def update(now):
        plots.point_arrow(query, (now.query_a, now.query_b))
        left = now.query_a > 0.8  # the word stays in the picture
        word.set(position=(now.query_a + (-0.2 if left else 0.2), now.query_b), ha="right" if left else "left")
        line.set_data(LENGTHS, now.on_b)
        dot.set_data([len(now.weights)], [now.on_b[len(now.weights) - 1]])

    def tell(now):
        length = len(now.weights)
        return (
            f"Left, the query as an arrow to [{now.query_a:.1f}, {now.query_b:.1f}] beside the letters A and B. Right, the weight "
            f"on the B's against the length of the string, from {now.on_b[0]:.2f} at 1 letter to {now.on_b[-1]:.2f} at 12; the dot "
            f"stands at {length}, {now.on_b[length - 1]:.2f}."
        )

    return plots.LiveFigure(figure, [query, word, line, dot], update, tell), plane, curve


# --- wrong ways ------------------------------------------------------------------------------------------------------


def _softmax_that_overflows(scores):
    with np.errstate(over="ignore", invalid="ignore"):  # the overflow is the point; its NaN lights the rule
        powers = np.exp(scores)
        return powers / powers.sum()


_RECIPES = {
    "softmax": softmax,
    "powers divided by the number of tokens": lambda scores: np.exp(scores) / len(scores),
    "softmax without subtracting the maximum": _softmax_that_overflows,
}


def _weigh(recipe, booster):
    scores = booster * one_hot("AABA", "AB") @ np.array([0.0, 1.0])
    with np.errstate(over="ignore"):
        return {"scores": scores, "weights": recipe(scores)}


def _weight_strip(now):
    weights, total = now.weights, _total(now.weights)
    huge = matrices.Row("weight", [_short(weight) for weight in weights], "plain", total)  # no share, so no shade
    stages = [
        matrices.Row("score", now.scores, "scores"),
        huge if (weights >= HUGE).any() else matrices.Row("weight", weights, "weights", total),
    ]
    return matrices.strip(
        "AABA", stages, "query [0 1]", limit=float(now.booster), decimals=4, places=now.places("weights")
    )


def _made(now, k):
    powers = [f"e^{score:.0f}" for score in now.scores]
    below = "4" if "number of tokens" in now.recipe else f"({' + '.join(powers)})"
    overflows = np.isnan(now.weights).any() or np.isinf(now.weights[k])
    overflown = ", where e^710 and more are infinite" if overflows else ""
    return f"Weight {k + 1} = {powers[k]} / {below} = {_short(now.weights[k])}{overflown}"


def _short(weight):
    if not np.isfinite(weight):
        return "NaN" if np.isnan(weight) else "∞"
    return f"{weight:.4f}" if weight < HUGE else f"{weight:.1e}"


def _all_finite(now):
    strange, what = np.sum(~np.isfinite(now.weights)), "NaN" if np.isnan(now.weights).any() else "infinite"
    return strange == 0, f"{strange} {'is' if strange == 1 else 'are'} {what}"


def _total(weights):
    return _short(weights.sum())
