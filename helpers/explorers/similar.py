"""Words that look at each other: by what they share, with nothing learned, and with a question of their own."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, slider, switch
from helpers.explorers.engine import explorer
from helpers.explorers.sums import listed
from helpers.explorers.touch import Sum, Touch
from helpers.matrices import fewest_decimals
from helpers.pictures.arcs import arcs
from helpers.sources import words

SHE = words.she_sentences()
ROWS = list(SHE.table)
FEMALE, NAME = SHE.features.index("female"), SHE.features.index("name")
LABELS = [(f"{k + 1} {token}", k) for k, token in enumerate(SHE.tokens)]


def explore_similar_words():
    """Click a word of two sentences to let it look at all words by the features that it shares with them; swap the names.

    Shown: X (20, 5), one row for each token, query (5,), scores and weights (20,), output (5,), the mixture of all tokens
    """
    return explorer(
        lambda asks, swapped: _look(np.eye(5), asks, swapped),
        lambda now: [_sentence(now), _table(now)],
        _describe,
        touch=CLICK,
        sums=SUMS,
        folded=["asks"],
        asks=choose("word that looks", LABELS, SHE.tokens.index("She")),
        swapped=switch("swap the names Sarah and Alex"),
    )


def explore_question():
    """Turn the question of female words into "a woman's name, please", as strongly as you like.

    Shown: X (20, 5), W_query (5, 5), query (5,), scores and weights (20,), output (5,)
    """
    return explorer(
        lambda strength, asks, swapped: _look(_asking(strength), asks, swapped),
        lambda now: [_sentence(now), _table(now)],
        _describe,
        touch=CLICK,
        sums=SUMS,
        folded=["asks"],
        strength=slider("strength of the question", 1.0, 0.0, 6.0, 0.5),
        swapped=switch("swap the names Sarah and Alex"),
        asks=choose("word that asks", LABELS, SHE.tokens.index("She")),
    )


def _asking(strength):
    """W_query: what is female asks for what is female and a name."""
    W_query = np.zeros((5, 5))
    W_query[FEMALE, [FEMALE, NAME]] = strength
    return W_query


def _tokens(swapped):
    names = {"Sarah": "Alex", "Alex": "Sarah"} if swapped else {}
    return [names.get(token, token) for token in SHE.tokens]


def _look(W_query, asks, swapped):
    X = words.rows(_tokens(swapped), SHE.table, len(SHE.features))
    query = X[asks] @ W_query
    answer = scaled_dot_product_attention(query[None, :], X, X, scale=1)
    return {
        "X": X,
        "W_query": W_query,
        "query": query,
        **{name: array[0] for name, array in answer._asdict().items()},
        "shared": np.array([[*row, row @ query] for row in SHE.table.values()]),
    }


def _sentence(now):
    return arcs(_tokens(now.swapped), now.weights, now.asks, name="Two sentences", places=now.places("words"))


def _table(now):
    asks = _tokens(now.swapped)[now.asks]
    shaded = np.column_stack([now.shared[:, :-1] * now.query, now.shared[:, -1]])
    return now.table(
        "shared", f"what “{asks}” asks for, found in each word; all other words have zeros", rows=ROWS, kind="scores",
        columns=[*SHE.features, "score"], decimals=fewest_decimals(now.shared, 1), shaded=shaded, limit=max(3.0, shaded.max()),
        chosen_row=ROWS.index(asks) if asks in ROWS else None, corner="key",
    )  # fmt: skip


def _describe(now):
    tokens = _tokens(now.swapped)
    asks, largest = tokens[now.asks], now.weights.max()
    if np.ptp(now.weights) < 1e-9:
        return f"“{asks}” asks for nothing, so every word gets the same {largest:.1%}."
    best = [tokens[k] for k in np.flatnonzero(now.weights > largest - 1e-9)]
    each = " each" if len(best) > 1 else ""
    return f"“{asks}” gives {largest:.0%} of its weight{each} to {listed([f'“{word}”' for word in best])}."


def _made(now, i, j):
    if j < len(SHE.features):
        return f"“{ROWS[i]}”, {SHE.features[j]}: {now.shared[i, j]:g}"
    parts = " + ".join(f"{a:g}·{b:g}" for a, b in zip(now.shared[i, :-1], now.query))
    return f"score of “{ROWS[i]}” = {parts} = {now.shared[i, j]:g}"


CLICK = {
    "words": Touch(
        lambda now, k: {"asks": k},
        lambda now, k: f"{now.weights[k]:.1%} of the weight; click: “{_tokens(now.swapped)[k]}” looks",
    )
}
SUMS = {"shared": Sum([], _made)}
