"""What the explorers of Sarah's sentences must show, in plain loops; tests/test_explorers.py holds them beside it."""

import pytest

from helpers import explorers
from tests import driving
from tests.references import dot, mix, powers_over_sum

TOKENS = "Sarah was walking in the park with her cat , Alex . She was wearing a beautiful gold watch .".split()
FEATURES = {  # living, person, female, name, worn
    "Sarah": [1, 1, 1, 1, 0], "walking": [1, 0, 0, 0, 0], "her": [1, 1, 1, 0, 0], "cat": [1, 0, 0, 0, 0],
    "Alex": [1, 1, 0, 1, 0], "She": [1, 1, 1, 0, 0], "wearing": [0, 1, 0, 0, 1], "gold": [0, 0, 0, 0, 1],
    "watch": [0, 0, 0, 0, 1],
}  # fmt: skip


def tokens_of(swapped):
    names = {"Sarah": "Alex", "Alex": "Sarah"} if swapped else {}
    return [names.get(token, token) for token in TOKENS]


def look(X, query):
    scores = [dot(row, query) for row in X]
    weights = powers_over_sum(scores)
    shared = [[*row, dot(row, query)] for row in FEATURES.values()]
    return {"X": X, "query": query, "scores": scores, "weights": weights, "output": mix(weights, X), "shared": shared}


def rows(swapped):
    return [FEATURES.get(token, [0] * 5) for token in tokens_of(swapped)]


def similar_words(asks, swapped):
    X = rows(swapped)
    return {**look(X, X[asks]), "W_query": [[float(i == j) for j in range(5)] for i in range(5)]}


def question(strength, asks, swapped):
    X = rows(swapped)
    query = [0, 0, strength * X[asks][2], strength * X[asks][2], 0]
    W = [[strength if (i, j) in {(2, 2), (2, 3)} else 0 for j in range(5)] for i in range(5)]
    return {**look(X, query), "W_query": W}


def sentence(shown, values):
    largest = max(shown["weights"])
    return [f"{largest:.1%}" if largest - min(shown["weights"]) < 1e-9 else f"{largest:.0%}"]


def tables(shown, values):
    asks = tokens_of(values["swapped"])[values["asks"]]
    return {f"what “{asks}” asks for, found in each word; all other words have zeros": shown["shared"]}


NAMES = ("explore_similar_words", "explore_question")
REFERENCES = {"explore_similar_words": similar_words, "explore_question": question}
TABLES = dict.fromkeys(NAMES, tables)
SENTENCES = dict.fromkeys(NAMES, sentence)
LIGHTS = dict.fromkeys(NAMES, lambda shown, values: [])

# --- known answers ---------------------------------------------------------------------------------------------------


def test_similarity_cannot_tell_sarah_from_her_and_she():
    explorer = explorers.explore_similar_words()
    weights = explorer.shown["weights"]
    assert [f"{weights[TOKENS.index(word)]:.3f}" for word in ("Sarah", "her", "She", "Alex", "cat")] == [
        "0.226", "0.226", "0.226", "0.083", "0.031",
    ]  # fmt: skip
    assert explorer.text == "“She” gives 23% of its weight each to “Sarah”, “her” and “She”."
    explorer.set(swapped=True)
    assert explorer.text.endswith("each to “her”, “Sarah” and “She”.")


@pytest.mark.parametrize(("strength", "share"), [(0, 0.05), (1.5, 0.406), (2, 0.59), (4, 0.943)])
def test_a_question_of_its_own_finds_sarah(strength, share):
    explorer = explorers.explore_question()
    explorer.set(strength=strength)
    assert explorer.shown["weights"][0] == pytest.approx(share, abs=0.006)


def test_a_word_is_clicked_and_looks():
    clicked, moved = explorers.explore_similar_words(), explorers.explore_similar_words()
    driving.click(clicked, "words", TOKENS.index("gold"))
    moved.controls["asks"].value = TOKENS.index("gold")
    assert clicked.html == moved.html and "“gold” gives" in clicked.text
