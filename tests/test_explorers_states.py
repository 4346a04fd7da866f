"""What the explorers of the state must show, in plain loops; tests/test_explorers.py holds them beside it."""

import functools
import math
import re

import numpy as np
import pytest

from helpers import explorers, recall, variants
from helpers.explorers import states
from tests.references import dot, mix, powers_over_sum

X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def outer(k, v):
    return [[a * b for b in v] for a in k]


def add(S, T, decay=1.0):
    return [[decay * s + t for s, t in zip(*pair, strict=True)] for pair in zip(S, T, strict=True)]


def states_of(x, decay):
    """The states before the first token and after each."""
    found = [[[0.0, 0.0], [0.0, 0.0]]]
    for row in x:
        found.append(add(found[-1], outer(row, row), decay))
    return found


def by_mask(x, decay):
    faded = [[dot(x[i], x[j]) * (decay ** (i - j) if j <= i else 0.0) for j in range(3)] for i in range(3)]
    return faded, [mix(line, x) for line in faded]


def state(passing, decay, **entries):
    x = [[entries[f"X[{i}, {j}]"] for j in (1, 2)] for i in (1, 2, 3)]
    products, output = by_mask(x, decay)
    passed = states_of(x, decay)
    return {
        "X": x,
        "products": products,
        "by_mask": output,
        "before": passed[passing - 1],
        "added": outer(x[passing - 1], x[passing - 1]),
        "state": passed[passing],
        "by_state": [mix(q, S) for q, S in zip(x, passed[1:], strict=True)],
    }


def wrong_state(recipe):
    products, _ = by_mask(X, 0.5)
    read = (passed := states_of(X, 0.5))[1:]
    if recipe.startswith("softmax"):
        rows = [powers_over_sum([dot(X[i], X[j]) for j in range(i + 1)], math.e) for i in range(3)]
        products = [[p * 0.5 ** (i - j) for j, p in enumerate(row)] + [0.0] * (2 - i) for i, row in enumerate(rows)]
    elif recipe.startswith("each row"):
        products = [[p / sum(line) for p in line] for line in products]
    elif recipe.startswith("the state is read"):
        read = passed[:-1]
    elif recipe.startswith("all tokens"):
        read = [passed[3]] * 3
    elif recipe.startswith("the mask"):
        products = [[dot(q, k) for k in X] for q in X]
    elif recipe.startswith("what is written"):
        read = [[[x / 2 for x in row] for row in S] for S in read]
    carried = [mix(q, S) for q, S in zip(X, read, strict=True)]
    return {"products": products, "states": read, "by_mask": [mix(p, X) for p in products], "by_state": carried}


@functools.cache
def shares(names, width, changed, factor):
    right, scale = np.zeros(4), {"1/√width": 1 / width**0.5, "2": 2, "50": 50}[factor]
    for seed in range(20):
        book = recall.phone_book(np.random.default_rng(seed), names, width, int(changed * names))
        n = len(book.key)
        powers = np.exp(scale * (book.names @ book.key.T) - scale)
        ago = 0.95 ** np.arange(n)[::-1]
        delta = np.zeros((width, 10))
        for k, v in zip(book.key, book.value, strict=True):
            delta = (np.eye(width) - np.outer(k, k)) @ delta + np.outer(k, v)
        products = book.names @ book.key.T
        named = [powers / powers.sum(axis=1, keepdims=True) @ book.value, products @ book.value]
        named += [products * ago @ book.value, book.names @ delta]
        for rule, rows in enumerate(named):
            for row, digit in zip(rows, book.digits, strict=True):
                others = max(x for d, x in enumerate(row) if d != digit)
                right[rule] += row[digit] > others + 1e-9
    return right / (20 * names)


def ask_everybody(names, width, changed, factor):
    curves = np.array([shares(count, width, changed, factor) for count in (2, 4, 8, 16, 32, 64)]).T
    right = shares(names, width, changed, factor)
    return {"right": right[:, None], "curves": curves, "entries": names + int(changed * names)}


REFERENCES = {"explore_state": state, "explore_wrong_state": wrong_state, "explore_recall": ask_everybody}
TABLES = {
    "explore_state": lambda shown, values: {
        "X = Q = K = V": shown["X"],
        "masked and faded": shown["products"],
        "output, by the mask": shown["by_mask"],
        "state before": shown["before"],
        "added: keyᵀ value": shown["added"],
        f"state after token {values['passing']}": shown["state"],
        "output, by the state": shown["by_state"],
    },
    "explore_wrong_state": lambda shown, values: {
        "what multiplies X": shown["products"],
        "output, by the mask": shown["by_mask"],
        "output, by the state": shown["by_state"],
    },
    "explore_recall": lambda shown, values: {"right": shown["right"]},
}


def percent(x):
    return f"{100 * float(x):.0f}%"


SENTENCES = {
    "explore_state": lambda shown, values: [
        values["passing"], *shown["X"][values["passing"] - 1], *shown["by_state"][values["passing"] - 1],
    ],
    "explore_wrong_state": lambda shown, values: [3, *shown["by_mask"][2], *shown["by_state"][2]],
    "explore_recall": lambda shown, values: [
        values["names"], values["width"], shown["entries"], *re.findall(r"\d+", values["factor"]), *(percent(x) for x in shown["right"][:, 0]),
    ],
}  # fmt: skip


def apart(shown):
    gap = max(abs(a - b) for pair in zip(shown["by_mask"], shown["by_state"], strict=True) for a, b in zip(*pair))
    return [(states.BOTH, gap if gap > 1e-9 else 0)]


LIGHTS = {
    "explore_state": lambda shown, values: apart(shown),
    "explore_wrong_state": lambda shown, values: apart(shown),
    "explore_recall": lambda shown, values: [],
}

# --- known answers and the hand --------------------------------------------------------------------------------------


def test_explore_state_starts_with_the_state_of_the_lesson():
    explorer = explorers.explore_state()
    assert explorer.shown["state"].tolist() == [[2, 1], [1, 2]]
    assert explorer.shown["by_mask"][2].tolist() == explorer.shown["by_state"][2].tolist() == [3, 3]
    explorer.set(decay=0.5)
    np.testing.assert_allclose(explorer.shown["by_state"][2], [2.25, 2.5])


def test_a_click_lets_a_token_pass_and_a_cell_says_its_sum():
    explorer = explorers.explore_state()
    explorer._touched({"type": "click", "target": {"className": "touch at-X r1 c0"}})
    assert explorer.controls["passing"].value == 2 and explorer.shown["state"].tolist() == [[1, 0], [0, 1]]
    explorer.set(decay=0.5, passing=3)
    assert 'title="state [1, 1] = 0.5·0.5 + 1 = 1.250"' in explorer.html


@pytest.mark.parametrize("recipe", list(states._RECIPES)[1:])
def test_every_wrong_state_lets_the_two_ways_part(recipe):
    explorer = explorers.explore_wrong_state()
    explorer.set(recipe=recipe)
    assert f"✗ {states.BOTH}" in explorer.html


def test_explore_recall_a_state_forgets_where_softmax_does_not():
    explorer = explorers.explore_recall()
    explorer.set(names=64)
    softmax, plain_sum, _, _ = explorer.shown["right"][:, 0]
    assert softmax > 0.99 and plain_sum < 0.6
    explorer.set(width=64)
    assert explorer.shown["right"][1, 0] > plain_sum + 0.2
    explorer.set(changed=0.5, names=8)
    assert explorer.shown["right"][0, 0] == 0.5 and explorer.shown["right"][3, 0] > 0.95
    explorer.set(width=16, changed=0.5, names=16)
    assert 0.5 < explorer.shown["right"][0, 0] < 0.52
    explorer.set(width=8)
    assert explorer.shown["right"][0, 0] > 0.54
    assert states._nearest_count(explorer._now, 4.4, 0.3) == {"names": 16}


def test_lesson_24_softmax_recalls_because_its_scores_are_sharp():
    key, value = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), [10.0, 20.0, 30.0]
    read = [sum(share * v for share, v in zip(powers_over_sum(f * (key @ key[0])), value)) for f in (20, 0.5**0.5)]
    assert np.round(read, 1).tolist() == [10.0, 18.9]
    books = [recall.phone_book(np.random.default_rng(seed), 16, 16) for seed in range(20)]
    right = [np.mean([recall.share_right(book, "softmax", scale=scale) for book in books]) for scale in (50, 1 / 4)]
    assert right[0] == 1 and right[1] == pytest.approx(1 / 3, abs=0.03)
    explorer = explorers.explore_recall()
    explorer.set(factor="1/√width")
    assert explorer.shown["right"][0, 0] == pytest.approx(right[1]) and explorer.shown["right"][1, 0] > 0.9


def test_delta_rule_reads_the_newest_value_rightly_at_strength_1_with_keys_of_length_1():
    key, value = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([[10.0], [30.0]])
    assert key[1] @ variants.state_after(key, value, strength=1.0) == pytest.approx(30)
    assert key[1] @ variants.state_after(key, value, strength=0.5) != pytest.approx(30)
    with pytest.raises(ValueError, match="length 1"):
        variants.state_after(np.array([[1.0, 1.0]]), value[1:], strength=1.0)


def test_the_sum_of_a_row_fits_into_a_second_state_that_fades_in_the_same_way():
    X, decay = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), 0.5
    products = np.tril(X @ X.T) * decay ** np.abs(np.subtract.outer(range(3), range(3)))
    faded = np.zeros(2)
    for t, token in enumerate(X):
        faded = decay * faded + token
        assert token @ faded == pytest.approx(products[t].sum())


def test_marker_at_the_fewest_names_stands_inside_the_figure():
    explorer = explorers.explore_recall()
    explorer.set(names=2)
    left, right = explorer._planes["names"].axes.get_xlim()
    assert left < np.log2(2) < np.log2(64) < right


@pytest.mark.parametrize("D", [2, 3, 7, 64])
def test_lesson_24_a_state_costs_as_much_as_all_keys_at_n_d_and_as_the_keys_up_to_itself_at_n_2d_minus_1(D):
    def of_softmax(num_tokens, causal):
        keys = [place + 1 if causal else num_tokens for place in range(num_tokens)]
        return sum(count * (D + D) for count in keys)  # a score and a share of the mixture with each key

    def of_a_state(num_tokens):
        return sum(D * D + D * D for _ in range(num_tokens))

    for num_tokens in range(1, 3 * D):
        assert (of_softmax(num_tokens, causal=False) == of_a_state(num_tokens)) == (num_tokens == D)
        assert (of_softmax(num_tokens, causal=True) == of_a_state(num_tokens)) == (num_tokens == 2 * D - 1)
        assert of_softmax(num_tokens, causal=True) == num_tokens * (num_tokens + 1) * D
