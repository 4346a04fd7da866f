"""A translation as it is written, and where each of its words looks in the text that is read."""

import functools

import numpy as np

from rooms.shared import french
from rooms.shared.two_texts import two_texts
from workbench import SHARES, Touch, by_width, choose, explorer, slider, switch

NOUNS = ["car", "cat", "flower"]
SIZES = {"–": "", "little": "little"}
COLOURS = {"–": "", "red": "red", "green": "green"}
HEADS = {"head 0": 0, "head 1": 1, "both, averaged": 2}


def explore_translation():
    """Let a trained model translate a sentence, and follow each French word back into the English text.

    Shown: weights (num_french, num_english), the cross-attention of one head, or the mean of both; heads (2, num_french,
    num_english), of each; chosen (), the place of the word that is followed
    """
    return explorer(
        _follow,
        lambda now: [_picture(now)],
        _describe,
        [SHARES],
        presets={"another gender": {"noun": "cat"}, "two words for not": {"negated": True, "word": 4, "head": 1}},
        touch={"writes": Touch(lambda now, k: {"word": k + 1}, lambda now, k: f"click: follow {_french(now)[k]}")},
        folded=["word"],
        noun=choose("noun", NOUNS, "car"),
        size=choose("size", SIZES, ""),
        colour=choose("colour", COLOURS, "red"),
        negated=switch("does not"),
        head=choose("who looks", HEADS, 0),
        word=slider("word that is followed", 3, 1, 7, 1),
    )


@functools.cache
def _model():
    return french.load_model()


@functools.cache
def _translated(noun, size, colour, negated):
    """The English words, and what the model makes of them."""
    english = french.sentence(noun, size, colour, "falls", negated).english
    return english, french.translate(_model(), english)


def _french(now):
    return _translated(now.noun, now.size, now.colour, now.negated)[1].words


def _follow(noun, size, colour, negated, head, word):
    _, (words, heads) = _translated(noun, size, colour, negated)
    weights = heads.astype(float)
    weights = weights / weights.sum(axis=-1, keepdims=True)  # 32-bit rows sum to 1 within 1e-7
    return {
        "weights": weights.mean(axis=0) if head == 2 else weights[head],
        "heads": weights,
        "chosen": np.array(min(word, len(words)) - 1),
    }


def _picture(now):
    english, (words, _) = _translated(now.noun, now.size, now.colour, now.negated)
    how = {"name": "French below, English above", "asking_places": now.places("writes")}
    return by_width(
        *(two_texts(words, english, now.weights, int(now.chosen), phone=phone, **how) for phone in (False, True))
    )


def _describe(now):
    english, (words, _) = _translated(now.noun, now.size, now.colour, now.negated)
    row = now.weights[now.chosen]
    most = int(row.argmax())
    looks = "both heads, averaged, look" if now.head == 2 else f"head {now.head} looks"
    unseen = (now.noun, now.colour) in french.UNSEEN
    told = f" The model never read {now.colour} {now.noun} in its training." if unseen else ""
    return f"To write {words[now.chosen]}, {looks} most at {english[most]}, with {row[most]:.1%}.{told}"
