"""What the explorers of the state must show, in plain loops; tests/test_explorers.py holds them beside it."""

import functools

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import states
from helpers.since_2017 import recall
from tests.references import dot, mix

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
    passed = states_of(x, decay)[1:]
    return {
        "X": x,
        "products": products,
        "by_mask": output,
        "added": [outer(row, row) for row in x],
        "states": passed,
        "by_state": [mix(q, S) for q, S in zip(x, passed, strict=True)],
    }


@functools.cache
def shares(names, width, strength, changed):
    right = np.zeros(4)
    for seed in range(20):
        book = recall.phone_book(np.random.default_rng(seed), names, width, int(changed * names))
        powers = np.exp(50 * (book.names @ book.key.T) - 50)
        delta = np.zeros((width, 10))
        for k, v in zip(book.key, book.value, strict=True):
            delta = (np.eye(width) - strength * np.outer(k, k)) @ delta + strength * np.outer(k, v)
        best = np.linalg.lstsq(book.names, np.eye(10)[book.digits], rcond=None)[0]
        named = [powers / powers.sum(axis=1, keepdims=True) @ book.value, book.names @ book.key.T @ book.value]
        for rule, rows in enumerate([*named, book.names @ delta, book.names @ best]):
            for row, digit in zip(rows, book.digits, strict=True):
                others = max(x for d, x in enumerate(row) if d != digit)
                right[rule] += row[digit] > others + 1e-9
    return right / (20 * names)


def ask_everybody(names, width, strength, changed):
    curves = np.array([shares(count, width, strength, changed) for count in (2, 4, 8, 16, 32, 64)]).T
    return {"right": shares(names, width, strength, changed)[:, None], "curves": curves}


REFERENCES = {"explore_state": state, "explore_recall": ask_everybody}
TABLES = {
    "explore_state": lambda shown, values: {
        "the same by a mask": shown["products"],
        "output, by the mask": shown["by_mask"],
    },
    "explore_recall": lambda shown, values: {"right": shown["right"]},
}


def percent(x):
    return f"{100 * float(x):.0f}%"


SENTENCES = {
    "explore_state": lambda shown, values: [
        values["passing"], *shown["X"][values["passing"] - 1], *shown["by_state"][values["passing"] - 1],
    ],
    "explore_recall": lambda shown, values: [
        values["names"], values["width"], percent(shown["right"][1, 0]), percent(shown["right"][2, 0]), values["strength"], percent(shown["right"][3, 0]),
    ],
}  # fmt: skip


def apart(shown):
    gap = max(abs(a - b) for pair in zip(shown["by_mask"], shown["by_state"], strict=True) for a, b in zip(*pair))
    return [(states.BOTH, gap if gap > 1e-9 else 0)]


LIGHTS = {
    "explore_state": lambda shown, values: apart(shown),
    "explore_recall": lambda shown, values: [],
}

# --- known answers and the hand --------------------------------------------------------------------------------------


def test_explore_state_starts_with_the_state_of_the_lesson_and_a_click_lets_a_token_pass():
    explorer = explorers.explore_state()
    assert explorer.shown["states"][2].tolist() == [[2, 1], [1, 2]]
    assert explorer.shown["by_mask"][2].tolist() == explorer.shown["by_state"][2].tolist() == [3, 3]
    explorer.set(decay=0.5)
    np.testing.assert_allclose(explorer.shown["by_state"][2], [2.25, 2.5])
    explorer._touched({"type": "click", "target": {"className": "touch at-token r1"}})
    assert explorer.controls["passing"].value == 2


def test_explore_recall_beta_decides_whether_the_delta_rule_wins():
    explorer = explorers.explore_recall()
    assert explorer.shown["right"][:, 0].round(2).tolist() == [1, 0.92, 0.93, 1]
    explorer.set(strength=1.0)
    assert explorer.shown["right"][2, 0].round(2) == 0.77
    explorer.set(strength=0.3, changed=0.5)
    assert explorer.shown["right"][:, 0].round(2).tolist() == [0.51, 0.68, 0.89, 1]
    explorer.set(names=64, changed=0.0)
    assert explorer.shown["right"][3, 0] < 0.6  # more names than directions: no state can hold them
    assert states._nearest_count(explorer._now, 4.4, 0.3) == {"names": 16}


def test_lesson_24_softmax_recalls_because_its_scores_are_sharp():
    books = [recall.phone_book(np.random.default_rng(seed), 16, 16) for seed in range(20)]
    right = [np.mean([recall.share_right(book, "softmax", scale=scale) for book in books]) for scale in (50, 1 / 4)]
    assert right[0] == 1 and right[1] == pytest.approx(1 / 3, abs=0.03)
