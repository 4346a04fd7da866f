"""Whose is the watch? The words of She with two heads set by hand, one that finds out who *She* is, and one that asks her.

Both heads are in every layer. In the first they ask at the same moment, so *watch* finds a *She* who does not know yet.
"""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from rooms.shared import ribbons, words
from rooms.shared.she import titled
from workbench.pictures.svg import Drawing

FEATURES = [*words.she_sentences().features, "first", *words.IS, "Sarah's", "Alex's", "rest"]
FEMALE, NAME, WORN, FIRST, IS_SARAH, IS_ALEX, SARAHS, ALEXS, REST = (
    FEATURES.index(name)
    for name in ("female", "name", "worn", "first", "is Sarah", "is Alex", "Sarah's", "Alex's", "rest")
)
ASKED = {
    "a woman's name": [FEMALE, NAME],
    "a name at the start": [NAME, FIRST],
}  # by what female words find out who they are
STRENGTH, RESTING = 16.0, 12.0
SCALE = 1 / 2


def text(swapped=False):
    """The words of which something is known, after a mark where those rest that ask for nothing.

    Parameters
    ----------
    swapped : whether Sarah and Alex trade places

    Returns
    -------
    names : list of 10 words, "·" first
    X : (10, 13), their features
    """
    tokens, known = words.she_words(swapped)
    kept = [k for k, row in enumerate(known) if row.any()]
    num_features = len(words.she_sentences().features)
    X = np.zeros((len(kept) + 1, len(FEATURES)))
    X[0, REST] = X[1, FIRST] = 1  # the mark, and the word at the start
    X[1:, :num_features] = known[kept][:, :num_features]
    X[1:, FIRST + 1 : SARAHS] = known[kept][:, num_features:]
    return ["·", *(tokens[k] for k in kept)], X


def heads(asked=ASKED["a woman's name"], answer=(SARAHS, ALEXS)):
    """What the two heads ask for and pass on: list of (W_query, W_value), each (13, 13). Keys are the words themselves.

    Parameters
    ----------
    asked : features of the word for which female words without a name ask
    answer : features in which *watch* writes down who *She* is, one for Sarah and one for Alex
    """
    who, whose, tells, told = (np.zeros((len(FEATURES), len(FEATURES))) for _ in range(4))
    who[FEMALE, asked], who[NAME, asked] = STRENGTH, -STRENGTH  # who has a name need not ask
    tells[[IS_SARAH, IS_ALEX], [IS_SARAH, IS_ALEX]] = 1
    whose[WORN, [FEMALE, NAME]] = STRENGTH, -STRENGTH
    told[[IS_SARAH, IS_ALEX], answer] = 1
    return [(who, tells), (whose, told)]


def attend(x, heads):
    """What both heads pass on to each word, (10, 13), and the weights of each word in the head with which it asks, (10, 10)."""
    rest = RESTING * np.eye(len(FEATURES))[REST]  # b_Q: every word asks for the mark a little
    (who, tells), (whose, told) = heads
    first = scaled_dot_product_attention(x @ who + rest, x, x @ tells, scale=SCALE)
    second = scaled_dot_product_attention(x @ whose + rest, x, x @ told, scale=SCALE)
    return first.output + second.output, np.where(x[:, [WORN]] > 0, second.weights, first.weights)


def whose(row):
    """Whose a word is by its features, and how clearly: ("Sarah's", 0.94), or ("nobody's", …)."""
    shares = {"Sarah's": row[SARAHS], "Alex's": row[ALEXS]}
    best = max(shares, key=shares.get)
    return (best if shares[best] > 0.5 else "nobody's"), float(shares[best])


def draw(made, caption, wrong):
    """Draw below an answer who *She* is and whose the watch is; `made` (2, 2) has the shares of Sarah and of Alex."""
    drawing = Drawing(470, 104)
    for k, (told, names) in enumerate((("She is", ["Sarah", "Alex"]), ("the watch is", ["Sarah's", "Alex's"]))):
        y, known = 22 + 46 * k, made[k].max() > 0.8
        answer = f"{names[made[k].argmax()]}, {made[k].max():.0%}" if known else "nobody" + "'s" * k
        drawing.words(92, y + 13, told, size=14, anchor="end", colour="muted")
        ribbons.whole_bar(drawing, 100, y, names, made[k])
        drawing.words(316, y + 13, answer, size=15, anchor="start", bold=True, colour="output" if known else "wrong")
    told = f"She is Sarah {made[0, 0]:.2f}, the watch is Sarah's {made[1, 0]:.2f}"
    return titled(caption, wrong, drawing.html(f"{caption}: {told}."))
