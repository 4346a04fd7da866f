"""Two layers whose heads are set by hand: the second one uses what the first one brought."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Touch
from helpers.pictures import columns
from helpers.pictures.html import by_width
from helpers.pictures.svg import Drawing
from helpers.sources import words

WIDE, NARROW = 800, 340  # pixels of the picture, on a card and on a phone
TOKENS, KNOWN = words.she_words()
KEPT = [k for k, row in enumerate(KNOWN) if row.any()]  # of the other words nothing is known, and no word asks for them
NAMES = ["·", *(TOKENS[k] for k in KEPT)]  # a mark in front: there rests what asks for nothing
FEATURES = [*words.she_sentences().features, *words.IS, "Sarah's", "Alex's"]
FEMALE, NAME, WORN, IS_SARAH, IS_ALEX, SARAHS, ALEXS = (
    FEATURES.index(name) for name in ("female", "name", "worn", "is Sarah", "is Alex", "Sarah's", "Alex's")
)
MARK = len(FEATURES)  # the feature that the mark alone has, and that every word asks for a little
STRENGTH, REST = 12.0, 8.0
LEVELS = ["words", "after layer 1", "after layer 2"]
ON_A_PHONE = [k for k, name in enumerate(NAMES) if name not in ("walking", "cat", "gold")]
SIDE = 8  # of a cell, in pixels


def explore_two_layers():
    """Follow a word through two layers whose heads are set by hand, and switch the first one off.

    Shown: X, after_1 and after_2 (10, 12), the mark and nine words before and after the layers; weights_1 and weights_2 (10, 10)
    """
    return explorer(
        _two_layers,
        lambda now: by_width(_levels(now, WIDE, range(len(NAMES))), _levels(now, NARROW, sorted({*ON_A_PHONE, now.word}))),
        _say_whose,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"click: follow {NAMES[k]}")},
        folded=["word"],
        layer_1=choose("layer 1", ["on", "off"], "off"),
        word=stops("word to follow", [(name, k) for k, name in enumerate(NAMES)], NAMES.index("watch")),
    )  # fmt: skip


def _two_layers(layer_1, word):
    """Layer 1: what is female asks for a female name, and gets who that is. Layer 2: what is worn asks for what is female and
    no name, and gets whose it is. The answers are added to what was there."""
    X = np.zeros((len(NAMES), MARK + 1))
    X[0, MARK], X[1:, : KNOWN.shape[1]] = 1, KNOWN[KEPT]
    asks_1, asks_2, gives_1, gives_2 = (np.zeros((MARK + 1, MARK + 1)) for _ in range(4))
    asks_1[FEMALE, [FEMALE, NAME]] = STRENGTH
    asks_2[WORN, [FEMALE, NAME]] = STRENGTH, -STRENGTH
    gives_1[[IS_SARAH, IS_ALEX], [IS_SARAH, IS_ALEX]] = layer_1 == "on"
    gives_2[[IS_SARAH, IS_ALEX], [SARAHS, ALEXS]] = 1
    rest = REST * np.eye(MARK + 1)[MARK]  # b_Q: every word asks for the mark a little
    first = scaled_dot_product_attention(X @ asks_1 + rest, X, X @ gives_1, scale=1 / 2)
    after_1 = X + first.output
    second = scaled_dot_product_attention(after_1 @ asks_2 + rest, after_1, after_1 @ gives_2, scale=1 / 2)
    return {
        **{"X": X, "after_1": after_1, "after_2": after_1 + second.output},
        **{"weights_1": first.weights, "weights_2": second.weights},
    }


def _levels(now, width, shown):
    """Three floors of columns, the words at the foot; lines as thick as the weights of those that ask and of what they reach."""
    step, floor = (width - (96 if width == WIDE else 8)) / len(shown), SIDE + 1
    tall = len(FEATURES) * floor
    tops = {0: 2 * (tall + 62) + 56, 1: tall + 62 + 56, 2: 56}
    drawing = Drawing(width, tops[0] + tall + 30)
    left = 96 if width == WIDE else 8
    middles = {word: left + step * (k + 0.5) for k, word in enumerate(shown)}
    followed = {2: {now.word}}
    for level in (2, 1):
        weights = now[f"weights_{level}"]
        followed[level - 1] = set()
        for asking in followed[level]:
            for asked in shown:
                if weights[asking, asked] > 0.02 and (level == 2 or now.layer_1 == "on"):
                    followed[level - 1].add(asked)
                    start, end = (middles[asking], tops[level] + tall + 4), (middles[asked], tops[level - 1] - 20)
                    drawing.line(start, end, "ink", 1 + 8 * weights[asking, asked], stroke_opacity=0.55)
        for word in followed[level]:
            start, end = (middles[word], tops[level] + tall + 4), (middles[word], tops[level - 1] - 20)
            drawing.line(start, end, "muted", 1.5, stroke_dasharray="3 4")
    for level, name in enumerate(("X", "after_1", "after_2")):
        if width == WIDE:
            drawing.words(8, tops[level] + tall / 2, LEVELS[level], size=13, colour="muted", anchor="start")
        for word in shown:
            new = level and ~np.isclose(now[name][word], now[("X", "after_1")[level - 1]][word], atol=0.02)
            for k, value in enumerate(now[name][word][:MARK]):
                role = "output" if level and new[k] else "ink"
                columns.cells(
                    drawing,
                    middles[word] - SIDE / 2,
                    tops[level] + k * floor,
                    [value],
                    width=SIDE,
                    height=SIDE,
                    role=role,
                )
            if width == WIDE and level and word in followed[level]:
                last, written = word == shown[-1], np.flatnonzero(new & (now[name][word] > 0.5))
                for k in written:
                    x = middles[word] - SIDE if last else middles[word] + SIDE
                    look = {"size": 12, "colour": "output", "anchor": "end" if last else "start", "halo": True}
                    drawing.words(x, tops[level] + k * floor + 8, FEATURES[k], **look)
            chosen = word in followed.get(level, ())
            look = {"bold": word == now.word, "colour": "query" if word == now.word else "ink" if chosen else "muted"}
            drawing.words(middles[word], tops[level] - 7, NAMES[word], size=15 if width == WIDE else 11, **look)
            touched = {"x": middles[word] - step / 2 + 1, "y": tops[level] - 22, "width": step - 2, "height": tall + 24}
            drawing.add("rect", fill="transparent", place=(now.places("words"), word), **touched)
    whose, share = _whose(now)
    told = f"✓ {whose}, {share:.0%}" if whose else "nobody's"
    drawing.words(8, 18, f"Whose is “{NAMES[now.word]}”? {told}", size=15, colour="output", anchor="start", bold=True)
    return drawing.html(_told_of_levels(now))


def _whose(now):
    """Whose a word is after both layers, and how clearly; or ("", …)."""
    shares = dict(zip(("Sarah's", "Alex's"), now.after_2[now.word][[SARAHS, ALEXS]]))
    best = max(shares, key=shares.get)
    return (best if shares[best] > 0.5 else ""), shares[best]


def _told_of_levels(now):
    parts = []
    for level in (1, 2):
        row = now[f"weights_{level}"][now.word]
        parts.append(f"in layer {level} " + " and ".join(f"{NAMES[k]} {row[k]:.2f}" for k in np.argsort(-row)[:2]))
    return f"Ten columns on three floors. {NAMES[now.word]} looks at: {'; '.join(parts)}."


def _say_whose(now):
    word = NAMES[now.word]
    if not now.X[now.word, WORN]:
        return f"“{word}” asks for nothing in layer 2, so most of its weight, {now.weights_2[now.word, 0]:.0%}, rests on the mark in front."
    row = now.weights_2[now.word]
    first, second = np.argsort(-row, kind="stable")[:2]
    whose, share = _whose(now)
    got = (
        f"it is {whose}, {share:.0%}" if whose else "it learns nothing, because layer 1 has not told them who they are"
    )
    return f"In layer 2 “{word}” gives {row[first]:.0%} to “{NAMES[first]}” and {row[second]:.0%} to “{NAMES[second]}”; {got}."
