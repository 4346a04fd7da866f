"""What every explorer must show, computed apart from the helpers: from the values of its controls, by loops and `math`.

REFERENCES : the arrays of `.shown`; None where the learner is told a mistake
TABLES : caption -> rows of cells; a row may end with a sum, "" is an empty cell
SENTENCES : the numbers of the sentence, in order
LIGHTS : (rule, by how much it fails), 0 = holds, None = fails without a number

The last three are functions of the reference's arrays and of the values. A topic may bring a file of its own,
tests/test_explorers_….py, with the same four tables.
"""

import functools
import math
import operator

# --- plain loops -----------------------------------------------------------------------------------------------------


def dot(first, second):
    assert len(first) == len(second)
    return sum(map(operator.mul, first, second))


def powers_over_sum(scores, base=math.e):
    top = max(scores)
    powers = [base ** (score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def mix(weights, rows):
    return [sum(weight * row[k] for weight, row in zip(weights, rows, strict=True)) for k in range(len(rows[0]))]


def self_attention(rows, scale, base=math.e):
    scores = [[scale * dot(asks, asked) for asked in rows] for asks in rows]
    weights = [powers_over_sum(line, base) for line in scores]
    return scores, weights, [mix(line, rows) for line in weights]


def exp_or_infinity(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def waves(num_positions, d_model, base=10_000.0):
    functions = [(math.sin, math.cos)[j % 2] for j in range(d_model)]
    lengths = [base ** (2 * (j // 2) / d_model) for j in range(d_model)]
    return [[f(p / length) for f, length in zip(functions, lengths, strict=True)] for p in range(num_positions)]


# --- references: the arrays, from the values of the controls alone; None where the learner is told a mistake ---------


def lookup(angle, length):
    words = [(1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (0.0, 1.0, 4.0)]  # alive, carries you, wheels
    query = [length * math.cos(math.pi * angle / 180), length * math.sin(math.pi * angle / 180)]
    scores = [dot(query, word[:2]) for word in words]
    weights = powers_over_sum(scores)
    weighted = [weight * word[2] for weight, word in zip(weights, words, strict=True)]
    return {
        "query": query,
        "scores": scores,
        "weights": weights,
        "weighted_values": weighted,
        "output": [sum(weighted)],
    }


@functools.cache
def three_tokens(scale, base, cell, **entries):
    X = [[entries[f"X[{i}, {j}]"] for j in (1, 2)] for i in (1, 2, 3)]
    scores, weights, outputs = self_attention(X, scale, base)
    shown = {"X": X, "dot products": [[dot(a, b) for b in X] for a in X], "scaled scores": scores}
    shown |= {"weights": weights, "outputs": outputs}
    stage, i, j = cell
    return {**shown, "cell": [i, j, shown[stage][i][j]]}


@functools.cache
def wrong_turns(recipe):
    X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    scores, weights, _ = self_attention(X, 1 / math.sqrt(2))
    if recipe == "softmax down each column":
        weights = [list(line) for line in zip(*weights)]  # the scores are symmetric
    elif recipe == "powers, not divided by their sum":
        weights = [[math.exp(score) for score in line] for line in scores]
    elif recipe == "no softmax at all":
        weights = scores
    return {"weights": weights, "outputs": [mix(line, X) for line in weights]}


REFERENCES = {  # cached where there are few states
    "explore_lookup": lookup,
    "explore_three_tokens": three_tokens,
    "explore_wrong_turns": wrong_turns,
}

# --- what the tables must say: caption -> rows of cells; a row may end with a sum; None = every cell was looked at ---


def with_sums(rows):
    return [[*row, sum(row)] for row in rows]


def three_tokens_tables(shown, values):
    divided = "÷ √2" if values["scale"] < 1 else "÷ 1"
    named = {"X": "X", "dot products": "dot products", divided: "scaled scores", "weights": "weights", "Y": "outputs"}
    return {caption: shown[name] for caption, name in named.items()}


TABLES = {
    "explore_lookup": lambda shown, values: {},
    "explore_three_tokens": three_tokens_tables,
    "explore_wrong_turns": lambda shown, values: {
        "weights": with_sums(shown["weights"]),
        "outputs": shown["outputs"],
    },
}

# --- the numbers of the sentence, in order ---------------------------------------------------------------------------


def share_in_percent(share):
    """A share that is all or nothing is told in words; one that would round to that, as a bound."""
    if min(share, 1 - share) <= 1e-12:
        return []
    return ["0.01%"] if share < 5e-5 else ["99.99%"] if 1 - share < 5e-5 else [f"{100 * share:.2f}%"]


def three_tokens_sentence(shown, values):
    stage, i, j = values["cell"]
    value, X = shown[stage][i][j], shown["X"]
    if stage == "dot products":
        factors = [x for pair in zip(X[i], X[j], strict=True) for x in pair]
        return [i + 1, j + 1, i + 1, j + 1, *factors, value]
    if stage == "scaled scores":
        divisor = math.sqrt(2) if values["scale"] < 1 else 1
        return [i + 1, j + 1, shown["dot products"][i][j], divisor, value]
    if stage == "weights":
        base = [3] if values["base"] == 3 else []
        scores = shown["scaled scores"][i]
        return [i + 1, j + 1, *base, scores[j], *[x for score in scores for x in (*base, score)], value]
    return [i + 1, j + 1, *[x for k in range(3) for x in (shown["weights"][i][k], X[k][j])], value]


SENTENCES = {
    "explore_lookup": lambda shown, values: [max(shown["weights"]), shown["output"][0]],
    "explore_three_tokens": three_tokens_sentence,
    "explore_wrong_turns": lambda shown, values: [max(map(max, shown["outputs"])), 1],
}

# --- the lights: (rule, by how much it fails; 0 = holds, None = fails without a number) ------------------------------


def off_one(rows):
    gaps = [abs(sum(row) - 1) for row in rows]
    gap = None if any(gap != gap for gap in gaps) else max(gaps)
    return ("every row sums to 1", gap if gap is None or gap > 1e-6 else 0)


def outside(outputs, X):
    columns = list(zip(*X))
    gaps = [max(x - max(column), min(column) - x) for row in outputs for x, column in zip(row, columns, strict=True)]
    return ("every output lies between the smallest and the largest feature", max(0, *gaps) if max(gaps) > 1e-9 else 0)


def not_numbers(weights):
    strange = sum(not math.isfinite(weight) for weight in weights)
    return ("every weight is a finite number", strange)


def spread_by_distance(products):
    size = len(products)
    diagonals = [[products[i][i + k] for i in range(size - k)] for k in range(size)]
    gap = max(max(diagonal) - min(diagonal) for diagonal in diagonals)
    return ("dot products depend on the distance alone", gap if gap > 1e-9 else 0)


UNIT = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
LIGHTS = {
    "explore_lookup": lambda shown, values: [off_one([shown["weights"]])],
    "explore_three_tokens": lambda shown, values: [off_one(shown["weights"]), outside(shown["outputs"], shown["X"])],
    "explore_wrong_turns": lambda shown, values: [off_one(shown["weights"]), outside(shown["outputs"], UNIT)],
}
