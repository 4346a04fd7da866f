"""Two layers whose heads are set by hand: the second one uses what the first one brought."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from rooms.shared import columns, ribbons, words
from workbench import Drawing, Touch, by_width, choose, explorer, stops

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
DRAWN = [NAMES.index(name) for name in ("Sarah", "her", "Alex", "She", "watch")]  # and the word that is followed
ROWS = [FEMALE, NAME, WORN, IS_SARAH, IS_ALEX, SARAHS, ALEXS]  # what a head asks for or writes
SIDE, FLOOR = 12, 14  # of a cell and from one to the next, in pixels
TALL, APART, TOP = FLOOR * len(ROWS), 104, 58  # of a column, between two floors, and where the highest column starts


def explore_two_layers():
    """Follow a word through two layers whose heads are set by hand, and switch the first one off.

    Shown: X, after_1 and after_2 (10, 12), the mark and nine words before and after the layers; weights_1 and weights_2 (10, 10)
    """
    return explorer(
        _two_layers,
        lambda now: by_width(_levels(now, WIDE), _levels(now, NARROW)),
        _say_whose,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"click: follow {NAMES[k]}")},
        folded=["word"],
        layer_1=choose("layer 1", ["on", "off"], "on"),
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


def _levels(now, width):
    """Three floors of columns, the words at the foot; ribbons as wide as the weights of those that ask and of what they reach, in
    the colour of an output where they carry the answer."""
    wide, rests = width == WIDE, now.weights_2[now.word, 0] > 0.5
    shown = sorted({*DRAWN, now.word, *([0] if rests else [])})
    left = 100 if wide else 58
    spared = 0.5 * (0 in shown)  # the mark needs half as much room as a word
    step = (width - left) / (len(shown) - spared)
    middles = {word: left + step * max(k + 0.5 - spared, 0.25) for k, word in enumerate(shown)}
    tops = [TOP + (2 - level) * (TALL + APART) for level in range(3)]
    drawing = Drawing(width, tops[0] + TALL + 6)
    written = _written(now)
    for level, asking, weights in _rows(now, shown):
        foot, floor = tops[level] + TALL + 3, tops[level - 1] - 22
        carries = [asked in written[level - 1] and asking in written[level] for asked in weights]
        roles, ends = ["output" if each else "ink" for each in carries], [(middles[asked], floor) for asked in weights]
        ribbons.fan(drawing, (middles[asking], foot + ribbons.FOOT), ends, [*weights.values()], colours=roles)
        ribbons.foot(drawing, middles[asking], foot, upwards=False)
    for level, name in enumerate(("X", "after_1", "after_2")):
        for word in {now.word, *written[level]} if level else ():
            drawing.line(
                (middles[word], tops[level] + TALL + 3),
                (middles[word], tops[level - 1] - 22),
                "muted",
                1.5,
                stroke_dasharray="3 4",
            )
        drawing.words(
            8 if wide else 2,
            tops[level] - 7,
            LEVELS[level] if wide else LEVELS[level].removeprefix("after "),
            size=13 if wide else 11,
            colour="muted",
            anchor="start",
        )
        lit = set(written[level].values())
        for k, feature in enumerate(ROWS):
            look = {"colour": "output", "bold": True} if feature in lit else {"colour": "muted"}
            drawing.words(
                left - 8, tops[level] + k * FLOOR + 10, FEATURES[feature], size=12 if wide else 11, anchor="end", **look
            )
        for word in shown:
            for k, feature in enumerate(ROWS):
                role = "output" if written[level].get(word) == feature else "ink"
                corner = middles[word] - SIDE / 2, tops[level] + k * FLOOR
                columns.cells(drawing, *corner, [now[name][word, feature]], width=SIDE, height=SIDE, role=role)
                if wide and role == "output":
                    drawing.words(
                        corner[0] + SIDE + 5,
                        corner[1] + 10,
                        FEATURES[feature],
                        size=12,
                        colour="output",
                        anchor="start",
                    )
            look = {"bold": word == now.word, "colour": "query" if word == now.word else "ink"}
            drawing.words(middles[word], tops[level] - 7, NAMES[word], size=15 if wide else 11, **look)
            touched = {"x": middles[word] - step / 2 + 1, "y": tops[level] - 22, "width": step - 2, "height": TALL + 24}
            drawing.add("rect", fill="transparent", place=(now.places("words"), word), **touched)
    whose, share = _whose(now)
    told = f"✓ {whose}, {share:.0%}" if whose else "nobody's"
    drawing.words(8, 18, f"Whose is “{NAMES[now.word]}”? {told}", size=15, colour="output", anchor="start", bold=True)
    return drawing.html(_told_of_levels(now))


def _rows(now, shown):
    """(level, asking, {asked: weight}) of the word that is followed, and in layer 1 of the words that it reaches in layer 2, too."""
    askers = {now.word}
    for level in (2, 1):
        weights, reached = now[f"weights_{level}"], set()
        for asking in sorted(askers):
            yield level, asking, {asked: weights[asking, asked] for asked in shown}
            reached |= {asked for asked in shown if weights[asking, asked] > 0.02}
        askers = (reached - {0}) | {now.word} if now.layer_1 == "on" else ()


def _written(now):
    """On each floor the words that hand the answer on, and the feature in which each has it: {word: feature}."""
    whose, _ = _whose(now)
    if not whose:
        return {}, {}, {}
    feature = {"Sarah's": IS_SARAH, "Alex's": IS_ALEX}[whose]
    tellers = [k for k in range(len(NAMES)) if now.weights_2[now.word, k] > 0.1 and now.after_1[k, feature] > 0.5]
    first = [k for k in range(len(NAMES)) if now.X[k, feature] and (now.weights_1[tellers, k] > 0.1).any()]
    return dict.fromkeys(first, feature), dict.fromkeys(tellers, feature), {now.word: FEATURES.index(whose)}


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
    return f"Three floors of columns. {NAMES[now.word]} looks at: {'; '.join(parts)}."


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
