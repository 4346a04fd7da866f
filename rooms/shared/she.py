"""Below every tick and cross: the sentence about She and the watch, computed by the learner's own function."""

import numpy as np

from rooms.shared import words
from rooms.shared.arcs import arcs
from workbench import Drawing, Drawn, Html, css, like, matrices

SENTENCE = words.she_sentences()
TOKENS, X = words.she_words()
N, SHE = len(TOKENS), TOKENS.index("She")
IDENTITY = np.eye(N)  # values that say which word they are of: what is mixed of them are the weights
NAMED = [k for k, row in enumerate(X) if row.any()]  # of the others nothing is known


def column(*features):
    """Which words have these features, added up (num_tokens,)."""
    return X[:, [SENTENCE.features.index(feature) for feature in features]].sum(axis=1)


def asking(strength, *features):
    """W_Q and W_K by which what is female asks for these features, as in lesson 03: (9, 4) each."""
    W_query, asked = np.zeros((X.shape[1], 4)), SENTENCE.features[1:]
    W_query[SENTENCE.features.index("female"), [asked.index(feature) for feature in features]] = strength
    return W_query, np.eye(X.shape[1])[:, 1:5]


def scores(strength=8.0, *features):
    """What every word scores with every word, divided by √4: She asks for a woman's name, or for these features."""
    W_query, W_key = asking(strength, *(features or ("female", "name")))
    return X @ W_query @ (X @ W_key).T / 2


def she(name, make, asks, heads=("",)):
    """The example of an exercise: She asks, and her attention is computed by the learner's function.

    Parameters
    ----------
    name : of the exercise
    make : function(answer) -> her weights (num_tokens,), or (num_heads, num_tokens)
    asks : what she asks for, in words
    heads : what each head is called, at most two; each has its colour
    """

    def draw(made, caption, wrong):
        shown = []
        for row, head, colour in zip(np.atleast_2d(made), heads, ("first", "second") if len(heads) > 1 else ("ink",)):
            picture = arcs(TOKENS, row, SHE, name=f"{caption} {head}".strip(), highest=60, bar=True, colour=colour)
            shown += [matrices.sentence(head), picture] if head else [picture]
        return titled(caption, wrong, *shown)

    return Drawn(name, make, draw, f"{TOKENS[SHE]} asks for {asks}")


def sizes(name):
    """The example of a norm: how large every word's row is after it, with She a hundred times as loud before."""

    def draw(made, caption, wrong):
        step, unit, floor = 68, 44, 112
        drawing = Drawing(len(NAMED) * step, floor + 24)
        drawing.line((0, floor - unit), (drawing.width, floor - unit), "line", 1, stroke_dasharray="4 4")
        for k, (word, size, off) in enumerate(zip(NAMED, made, wrong)):
            high, x = min(unit * size, floor - 16), step * (k + 0.5)
            role = "wrong" if off else "ink"
            drawing.box(x - 20, floor - high, 40, max(high, 1), rx=2, fill=role, fill_opacity=0.75)
            told, mine = f"{size:.2f}" if size < 100 else f"{size:.0e}", word == SHE
            drawing.words(x, floor - high - 4, told, size=12, colour=role, halo=True)
            drawing.words(x, floor + 17, TOKENS[word], size=14, colour="query" if mine else "ink", bold=mine)
        told = ", ".join(f"{TOKENS[k]} {size:.2f}" for k, size in zip(NAMED, made))
        return titled(caption, wrong, drawing.html(f"{caption}: {told}."))

    def loud(norm):
        tokens = X[NAMED] + 0.0
        tokens[NAMED.index(SHE)] *= 100
        return np.sqrt((like(norm(tokens), tokens.shape) ** 2).mean(axis=-1))

    return Drawn(name, loud, draw, "She speaks a hundred times as loud, and how large each word is behind the norm")


def titled(caption, wrong, *shown):
    """Pictures below what made them, with a ✗ where they are not the right ones."""
    off, right = bool(np.any(wrong)), caption == "right"
    sign, role = ("✗ ", "wrong") if off else ("✓ ", "value") if right else ("", "ink")
    head = f'<p style="margin:2px 0;font-weight:600;color:{css(role)}">{sign}{caption}</p>'
    text = f"{caption}{' ✗' if off else ''}\n" + "\n".join(each.text for each in shown)
    return Html(head + matrices.under(*shown).html, text)
