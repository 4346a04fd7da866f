"""A translation as it is written, and where each of its words looks in the text that is read."""

import functools
from types import SimpleNamespace

import numpy as np

from rooms.shared import french
from rooms.shared.two_texts import share, two_texts
from workbench import SHARES, Touch, by_width, choose, explorer, switch

NOUNS = ["car", "cat", "flower"]
COLOURS = {"–": "", "red": "red", "green": "green"}
HEADS = {"head 0": 0, "head 1": 1}
ROLES = ["le or la", "size", "noun", "colour", "ne", "verb", "pas"]  # of the French words, in their order


def explore_translation():
    """Let a trained model translate a sentence, and see where it looks in the English text before it writes a French word.

    Shown: weights (num_french, num_english), the cross-attention of one head; heads (2, num_french, num_english), of both;
    chosen (), the place of the word that is written next
    """
    return explorer(
        _follow,
        _picture,
        _describe,
        [SHARES],
        touch={
            "writes": Touch(
                lambda now, k: {"word": _roles(now)[k]}, lambda now, k: f"click: write {_made(now)[1].words[k]}"
            )
        },
        folded=["word"],
        noun=choose("noun", NOUNS, "car"),
        colour=choose("colour", COLOURS, "red"),
        little=switch("little"),
        negated=switch("does not"),
        head=choose("who looks", HEADS, 0),
        word=choose("word that is written next", ROLES, "colour"),
    )


@functools.cache
def _translated(noun, little, colour, negated):
    """The English words, and what the model makes of them."""
    english = french.sentence(noun, "little" if little else "", colour, "falls", negated).english
    return english, french.translate(_model(), english)


_model = functools.cache(french.load_model)


def _made(now):
    return _translated(now.noun, now.little, now.colour, now.negated)


def _roles(now):
    """What each French word is for."""
    missing = {"size": not now.little, "colour": not now.colour, "ne": not now.negated, "pas": not now.negated}
    return [role for role in ROLES if not missing.get(role)]


def _follow(noun, colour, little, negated, head, word):
    weights = _translated(noun, little, colour, negated)[1].weights.astype(float)
    weights = weights / weights.sum(axis=-1, keepdims=True)  # 32-bit rows sum to 1 within 1e-7
    roles = _roles(SimpleNamespace(little=little, colour=colour, negated=negated))
    chosen = roles.index(word if word in roles else "noun")  # a word that is taken out gives way to the noun
    return {"weights": weights[head], "heads": weights, "chosen": np.array(chosen)}


def _picture(now):
    english, (words, _) = _made(now)
    how = {"name": "French below, English above", "asking_places": now.places("writes"), "cursor": True}
    what = words, english, now.weights, int(now.chosen)
    return by_width(*(two_texts(*what, phone=phone, **how) for phone in (False, True)))


def _describe(now):
    english, (words, _) = _made(now)
    row = now.weights[now.chosen]
    most = int(row.argmax())
    unseen = (now.noun, now.colour) in french.UNSEEN
    told = f" In its training it never met a {now.colour} {now.noun}." if unseen else ""
    looks = f"head {now.head} looks most at {english[most]}, with {share(row[most])}"
    return f"Before the model writes {words[now.chosen]}, {looks}.{told}"
