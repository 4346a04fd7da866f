"""A sentence, and what a trained head looks at from each of its words."""

import numpy as np

from helpers.explorers.controls import choose, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Touch
from helpers.models import attention_maps
from helpers.pictures.arcs import arcs

LAYER, HEAD = 3, 1  # counted from 0
TEXTS = {"Sarah walks, Alex is the cat": "She", "Alex walks, Sarah is the cat": "names swapped"}
MARKS = ("[CLS]", "[SEP]")  # that the model puts before and behind a text


def explore_she():
    """Click a word of two sentences and see what one head of a trained model looks at from there; swap the names.

    Shown: weights (num_tokens,), the row of the clicked word
    """
    tokens = attention_maps.load("She").tokens
    return explorer(
        _look,
        lambda now: arcs(
            _as_written(now.names), now.weights, now.word, name="One head", places=now.places("words"),
            marks=[k for k, token in enumerate(tokens) if token in MARKS],
        ),
        _describe,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"{now.weights[k]:.1%} of the attention; click: ask from here")},
        folded=["word"],
        names=choose("names", TEXTS, "She"),
        word=stops("word that asks", [(f"{k + 1} {token}", k) for k, token in enumerate(tokens)], tokens.index("she")),
    )  # fmt: skip


def _look(names, word):
    return {"weights": attention_maps.load(names).weights[LAYER, HEAD, word]}


def _as_written(name):
    """The tokens with the capitals of the text."""
    found = attention_maps.load(name)
    words, rest = [], found.text
    for token in found.tokens:
        at = rest.lower().find(token)
        words.append(token if at < 0 or token in MARKS else rest[at : at + len(token)])
        rest = rest if at < 0 else rest[at + len(token) :]
    return words


def _describe(now):
    words = _as_written(now.names)
    order = np.argsort(-now.weights, kind="stable")
    first, second = order[:2]
    return (
        f"“{words[now.word]}” gives {now.weights[first]:.0%} of its attention to “{words[first]}”, "
        f"and {now.weights[second]:.0%} to “{words[second]}”."
    )
