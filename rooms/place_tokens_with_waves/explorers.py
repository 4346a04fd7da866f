"""Clocks that mark positions, and a question for who comes first."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.positions import sinusoidal_positional_encoding, wavelengths
from rooms.place_tokens_with_waves.shuffle import explore_shuffle  # noqa: F401
from rooms.shared import ribbons, words
from workbench import Axes, Drawing, Plane, Rule, add_map, choose, explorer, slider, stops, switch, text_width
from workbench.pictures.html import in_two_widths

BASES = [(f"{base:,}", float(base)) for base in (10, 100, 1_000, 10_000, 100_000)]
WIDTHS = [(str(width), width) for width in (8, 32, 128, 512)]

# --- who comes first ----------------------------------------------------------------------------------------------------

SHE = words.she_sentences()
TEXTS = {swapped: words.she_words(swapped) for swapped in (False, True)}
FEATURES, WHO, ASKING = SHE.features, SHE.who, SHE.tokens.index("She")
FEMALE, NAME = FEATURES.index("female"), FEATURES.index("name")
CLOCKS = 4  # of the eight of a width of 16; the four slower ones hardly move in twenty words
PLACES = sinusoidal_positional_encoding(len(SHE.tokens), 16)[:, : 2 * CLOCKS]
ROUNDS = wavelengths(16)[: 2 * CLOCKS : 2]
SEARCHES = ["a name at the very start", "a woman's name"]
MOST = 8  # the largest score


def explore_places():
    """Swap Sarah and Alex, and let She ask for a name at the very start, or for a woman's name; see the clocks of every word.

    Shown: X (20, 9), places (20, 8), query (11,), parts (20, 2), what the name and the rest of the question add to a score, scores
    and weights (20,), output (4,), who She is after it
    """
    return explorer(
        _ask_who_comes_first,
        lambda now: (_sentence_with_clocks if now.every else _two_names)(now),
        lambda now: f"{_told_name(now)} Position {now.weights.argmax()} gets {now.weights.max():.0%} of her weight.",
        swapped=switch("swap Sarah and Alex"),
        asks_for=choose("She asks for", SEARCHES, SEARCHES[0]),
        every=switch("show every clock"),
    )


def _ask_who_comes_first(swapped, asks_for, every):
    """A key says whether a word is female and a name, and where it is; a query asks for some of it."""
    X = TEXTS[swapped][1]
    keys, query = np.hstack([X[:, [NAME, FEMALE]], PLACES]), np.zeros(2 + 2 * CLOCKS)
    query[0] = 4
    if asks_for == SEARCHES[0]:
        query[2:] = PLACES[0]
    else:
        query[1] = 4
    found = scaled_dot_product_attention(query[None], keys, X[:, len(FEATURES) :], scale=1.0)
    name = keys[:, 0] * query[0]
    return {
        **{"X": X, "places": PLACES, "query": query, "parts": np.column_stack([name, keys[:, 1:] @ query[1:]])},
        **{"scores": found.scores[0], "weights": found.weights[0], "output": found.output[0]},
    }


def _found(now):
    """Who She is after all, how clearly, and whether it is the one who walks."""
    name = WHO[int(now.output.argmax())]
    return name, now.output.max(), name == ("Alex" if now.swapped else "Sarah")


def _told_name(now):
    name, share, right = _found(now)
    walks = "Alex" if now.swapped else "Sarah"
    return f"She is {name}: {share:.0%}." + ("" if right else f" But now {walks} walks, and {name} is the cat.")


def _in_lines(tokens, size, left, width, least):
    """Words as running text: (middle, line) for each, and how many lines there are."""
    line, x, middles = 0, left, []
    for token in tokens:
        column = max(text_width(token, size) + 7, least)
        if x + column > width:
            line, x = line + 1, left
        middles.append((x + column / 2, line))
        x += column
    return middles, line + 1


def _arches(drawing, now, middles, y):
    across = [middle for middle, _ in middles]
    ribbons.over(drawing, across, now.weights, ASKING, y, lambda apart: min(20 + 0.16 * apart, 90))


def _word(drawing, now, k, middle, top, size):
    """A word on the shade of its weight."""
    token, asks = TEXTS[now.swapped][0][k], k == ASKING
    wide, opacity = text_width(token, size) + 8, 0 if asks else ribbons.shade(now.weights[k])
    drawing.box(middle - wide / 2, top + 1, wide, 24, rx=4, fill="ink", fill_opacity=opacity)
    drawing.words(middle, top + 19, token, size=size, colour="query" if asks else "ink", bold=asks)


def _stub(drawing, now, k, middle, top):
    """Below a word on a phone, where no ribbon comes down to it."""
    if ribbons.width(now.weights[k]):
        drawing.line((middle, top + 23), (middle, top + 28), **ribbons.line(now.weights[k]))


@in_two_widths((860,), (340,))
def _two_names(now, width):
    """The sentences, and the clocks of the two names alone, beside those that She asks for."""
    wide, tokens, size = width > 400, TEXTS[now.swapped][0], 14
    left, radius, step, meant = 112 if wide else 4, 14, 34, now.query[2:].any()
    middles, lines = _in_lines(tokens, size, left, width, 26 if wide else 13)
    above, pitch = 112 if wide else 4, 46  # of the lines of words
    top = above + pitch * (lines - 1)  # of the last one
    drawing = Drawing(width, top + 116 + step * CLOCKS + (26 if wide else 110))
    if wide:
        _arches(drawing, now, middles, above)
    for k, (middle, line) in enumerate(middles):
        _word(drawing, now, k, middle, above + pitch * line, size)
        if not wide:
            _stub(drawing, now, k, middle, above + pitch * line)
    names = [k for k, token in enumerate(tokens) if token in ("Sarah", "Alex")]
    for k, (middle, line) in enumerate(middles):  # how the first clock turns from word to word
        if not wide or k not in names:
            where = (middle, top + 92, 8) if wide else (middle, above + pitch * line + 36, 6)
            _clock(drawing, *where, *now.places[k, :2], "muted", pale=True)
    heads = [54, *(middles[k][0] for k in names)] if wide else [52, 172, 290]
    y = top + (46 if wide else 78)
    drawing.words(heads[0], y - 14 * meant, "She asks for", size=13, colour="query", bold=True)
    for line, asked in enumerate(("a name, and", "clocks at 12") if meant else ("a name, female",)):
        drawing.words(heads[0], y + 20 - 16 * meant + 17 * line, asked, size=12, colour="query")
    for k, x in zip(names, heads[1:]):
        if not wide:
            drawing.words(x, y, tokens[k], size=15, bold=True)
        where = (x - radius, y, "start") if wide else (x, y + 20, "middle")
        drawing.words(*where[:2], f"position {k}", size=13, colour="muted", anchor=where[2])
        _column(drawing, now.places[k], x, y + 46, step, radius, _colour(now, k))
        _told_score(drawing, now, k, (x + radius + 16, y + 78) if wide else (x, y + 48 + step * CLOCKS), wide)
    if meant:
        _column(drawing, now.query[2:], heads[0], y + 46, step, radius, "query")
    shown = f"The sentences, under every word its first clock, and under the two names all {CLOCKS}."
    return _told_answer(drawing, now, shown)


def _told_score(drawing, now, k, at, wide):
    """What makes the score of a name, in three lines."""
    (x, y), (name, rest), best = at, now.parts[k], k == now.weights.argmax()
    meant, anchor = now.query[2:].any(), "start" if wide else "middle"
    kind, colour = (f"{abs(rest):.2f} clocks", "high") if meant else (f"{abs(rest):.0f} female", "muted")
    drawing.words(x, y, f"{name:.0f} name", size=14, anchor=anchor)
    drawing.words(x, y + 22, f"{'+' if rest >= 0 else '−'} {kind}", size=14, colour=colour, anchor=anchor)
    drawing.words(x, y + 44, f"= {now.scores[k]:.2f}", size=14, anchor=anchor, bold=best)


def _told_answer(drawing, now, shown):
    """At the foot who She is; in words what is shown."""
    name, share, right = _found(now)
    told, colour = (f"✓ {name}, {share:.0%}", "output") if right else (f"✗ {name}, {share:.0%}", "wrong")
    y, who = drawing.height - 10, "Who wears the watch?"
    drawing.words(4, y, who, size=16, anchor="start")
    drawing.words(text_width(who, 16) + 26, y, told, size=17, colour=colour, anchor="start", bold=True)
    tokens = TEXTS[now.swapped][0]
    best = ", ".join(f"{tokens[k]} {now.weights[k]:.2f}" for k in np.argsort(-now.weights, kind="stable")[:3])
    return drawing.html(
        f"{shown} She asks for {now.asks_for} and attends to {best}. "
        f"She is {name}, {share:.0%}, which is {'right' if right else 'wrong'}."
    )


@in_two_widths((860,), (340,))
def _sentence_with_clocks(now, width):
    """Each word over the clocks of its position, and below them what it scores; on a phone in lines, without arches."""
    wide, tokens = width > 400, TEXTS[now.swapped][0]
    size, step, radius, left, unit = (14, 26, 10.5, 112, 9) if wide else (14, 21, 8.5, 26, 6)
    middles, lines = _in_lines(tokens, size, left, width, 2 * radius + 5)
    above, tall = 112 if wide else 4, 96 + CLOCKS * step + unit * MOST
    drawing = Drawing(width, above + lines * tall + 34)
    if wide:
        _arches(drawing, now, middles, above)
    for line in range(lines):
        _question(drawing, now, left, above + tall * line, step, radius, wide)
    for k, (middle, line) in enumerate(middles):
        top = above + tall * line
        _word_and_clocks(drawing, now, k, middle, top, (size, step, radius, unit))
        if not wide:
            _stub(drawing, now, k, middle, top)
    return _told_answer(drawing, now, f"The sentences, each word over the {CLOCKS} clocks of its position.")


def _question(drawing, now, left, top, step, radius, wide):
    """Left of the words: what She asks for, and what the rows are."""
    x, y, foot, meant = left - radius - 6, top + 54 + step / 2, top + 54 + CLOCKS * step, now.query[2:].any()
    if meant:
        _column(drawing, now.query[2:], x, y, step, radius, "query")
    if wide:
        for k in range(CLOCKS):
            told = f"{'' if k else 'a round '}in {ROUNDS[k]:.0f}"
            drawing.words(x - radius - 8, y + 4 + step * k, told, size=12, colour="muted", anchor="end")
        drawing.words(left - 6, top + 19, "She asks for", size=13, colour="query", anchor="end", bold=True)
        drawing.words(left - 6, top + 44, "position", size=12, colour="muted", anchor="end")
        told, colour = ("4 for the clocks", "high") if meant else ("4 for female", "muted")
        drawing.words(left - 6, foot + 26, "4 for a name", size=12, anchor="end", bold=True)
        drawing.words(left - 6, foot + 42, told, size=12, colour=colour, anchor="end", bold=True)


def _word_and_clocks(drawing, now, k, middle, top, sizes):
    """A word, its position, its clocks, and its score as a bar of two parts."""
    size, step, radius, unit = sizes
    best = k == now.weights.argmax()
    _word(drawing, now, k, middle, top, size)
    drawing.words(middle, top + 44, f"{k}", size=12, colour="muted")
    _column(drawing, now.places[k], middle, top + 54 + step / 2, step, radius, _colour(now, k))
    zero = top + 54 + CLOCKS * step + unit * MOST + 18
    drawing.line((middle - radius - 4, zero), (middle + radius + 4, zero), "line", 1)
    name, rest = now.parts[k]
    for score, base, fill in ((name, 0, "ink"), (rest, name, "high" if now.query[2:].any() else "muted")):
        low, high = (unit * end for end in sorted((base, base + score)))
        drawing.box(middle - radius + 1, zero - high, 2 * radius - 2, high - low, fill=fill, fill_opacity=0.75)
    if best or name:
        drawing.words(middle, zero - unit * max(now.scores[k], name) - 4, f"{now.scores[k]:.1f}", size=12, bold=best)
    if now.weights[k] >= 0.05:
        drawing.words(middle, zero + 18, f"{now.weights[k]:.0%}", size=12, colour="muted", bold=best)


def _colour(now, k):
    """Of the clocks of a word, which are muted where she does not ask for any."""
    return "muted" if not now.query[2:].any() else "query" if k == now.weights.argmax() else "ink"


def _column(drawing, tips, x, y, step, radius, colour):
    """Clocks one below the other; y is that of the first one."""
    for k, tip in enumerate(tips.reshape(-1, 2)):
        _clock(drawing, x, y + step * k, radius, *tip, colour)


def _clock(drawing, x, y, radius, right, up, colour, pale=False):
    """A face, and a hand whose tip is so far to the right and up: 12 at position 0, and then clockwise."""
    edge = "query" if colour == "query" else "line" if pale else "muted"
    drawing.add("circle", cx=x, cy=y, r=radius, fill="none", stroke=edge, stroke_width=1.2)
    tip = x + 0.86 * radius * right, y - 0.86 * radius * up
    drawing.line((x, y), tip, colour, max(2, radius / 6), stroke_linecap="round")


# --- the encoding -----------------------------------------------------------------------------------------------------

ROWS, SEEN = 60, 64  # positions; clocks that are shown at once
LINE, TOP = 5, 56  # pixels of a position; above the map
HIGH, FOOT, RADIUS = ROWS * LINE, 158, 19  # of the map; below it; of a clock
SHARE = 0.975  # of its half that the map of the sines takes, and that of the cosines
WIDE, PHONE, LOWER = 768, 340, 178  # on a phone the clocks are so far below the curve
ACROSS, DOWN = (0, 2), (ROWS - 0.5, -0.5)  # sines from 0 to 1, and cosines from 1 to 2

MAP = Axes(
    WIDE, TOP + HIGH + FOOT, ACROSS, DOWN, margin=(0, TOP, 0, FOOT),
    narrow=Axes(PHONE, TOP + HIGH + FOOT + LOWER, ACROSS, DOWN, margin=(0, TOP, 0, FOOT + LOWER)),
)  # fmt: skip
CURVE = Axes(
    WIDE, TOP + HIGH + FOOT, (0, ROWS - 1), (-0.6, 1.1), margin=(30, TOP + HIGH + 40, 260, 32),
    narrow=Axes(PHONE, TOP + HIGH + FOOT + LOWER, (0, ROWS - 1), (-0.6, 1.1), margin=(30, TOP + HIGH + 40, 4, 32 + LOWER)),
)  # fmt: skip


def explore_encoding():
    """Point into the sinusoidal encoding, sines left and cosines right, and see which positions fit the one that is chosen.

    Shown: picked (2,), the position and the dimension; encoding (60, d_model), wave (60,) of the dimension, scores (60,), the dot
    products of all positions with the one that is chosen
    """
    return explorer(
        _encode,
        _map_and_curve,
        lambda now: (
            f"Dimension {now.picked[1]} repeats every {wavelengths(now.d_model, now.base)[now.picked[1]]:,.1f} positions. "
            f"Position {now.picked[0]} has its largest dot product, {now.scores.max():.2f}, with position {now.scores.argmax()}."
        ),
        [
            Rule(
                lambda now: f"each position with itself gives d_model / 2 = {now.d_model / 2:g}",
                lambda now: np.abs((now.encoding**2).sum(axis=1) - now.d_model / 2).max(),
                "a position with itself is off d_model / 2 by {:.3f}",
            )
        ],
        planes={"encoding": Plane(MAP, _pick, "click: across are the clocks, down are the positions")},
        folded=["dimension", "position", "base"],
        d_model=stops("dimensions, d_model", WIDTHS, 32),
        base=stops("base", BASES, 10_000.0),
        dimension=slider("dimension to follow", 8, 0, 511, 1),
        position=slider("position", 30, 0, ROWS - 1, 1),
    )


def _encode(d_model, base, dimension, position):
    encoding = sinusoidal_positional_encoding(ROWS, d_model, base)
    dimension = min(dimension, d_model - 1)
    shown = {"picked": np.array([position, dimension]), "encoding": encoding, "wave": encoding[:, dimension]}
    return {**shown, "scores": encoding @ encoding[position]}


def _window(now):
    """The first clock that is shown, and how many are."""
    return now.picked[1] // 2 // SEEN * SEEN, min(now.d_model // 2, SEEN)


def _pick(now, x, y):
    first, count = _window(now)
    cosine = int(x >= 1)
    clock = np.clip(int((x - cosine * (2 - SHARE)) / SHARE * count), 0, count - 1)
    return {"dimension": 2 * (first + int(clock)) + cosine, "position": y}


@in_two_widths((MAP, CURVE), (MAP.narrow, CURVE.narrow))
def _map_and_curve(now, axes, curve):
    """The map of the sines and that of the cosines; below them the dot products with all positions, and the clocks."""
    (position, dimension), (first, count), right = now.picked, _window(now), axes.size[0]
    drawing, cell = Drawing(*axes.size), SHARE * right / 2 / count
    starts = (0, (2 - SHARE) * right / 2)
    y = TOP + (position + 0.5) * LINE
    for side, (start, told) in enumerate(zip(starts, ("sines: how far right", "cosines: how far up"))):
        shown = now.encoding[:, 2 * first + side : 2 * (first + count) : 2]
        add_map(drawing, shown, start, TOP, kind="scores", limit=1.0, cell=(cell, LINE))
        drawing.words(start, 34, told, size=13, anchor="start", bold=True)
        step = max(1, count // (8 if right == WIDE else 4))
        for clock in range(0, count, step):
            x = start + (clock + 0.5) * cell
            drawing.words(max(x, start + 4), TOP - 6, f"{2 * (first + clock) + side}", size=12, colour="muted")
        for colour, wide in (("paper", 4), ("chosen", 1.5)):  # the first sets the second off from the map
            drawing.box(start, y - LINE / 2, SHARE * right / 2, LINE, fill="none", stroke=colour, stroke_width=wide)
        if side == dimension % 2:
            x = start + (dimension // 2 - first) * cell
            drawing.box(x, TOP, cell, HIGH, fill="none", stroke="chosen", stroke_width=1.5)
    drawing.words(0, 13, "position ↓  dimension →", size=12, colour="muted", anchor="start")
    _colour_key(drawing, right)
    _curve(drawing, now, curve)
    phone = right < WIDE
    left, low, step = (0, TOP + HIGH + FOOT, right / 4) if phone else (WIDE - 244, TOP + HIGH, 61)
    _clocks(drawing, left, low, step, now)
    return drawing.html(
        f"Map of the sinusoidal encoding, {ROWS} positions by dimensions {2 * first} to {2 * (first + count) - 1} of {now.d_model}, "
        "sines left and cosines right: quick stripes in the first dimensions, ever slower to the right. Below it the dot products "
        f"of one position with all others, and {len(_shown_pairs(now))} clocks."
    )


def _colour_key(drawing, right):
    """Which colour is which number, above the map."""
    left, count = right - 96, 10
    add_map(drawing, np.linspace(-1, 1, count)[None], left, 3, kind="scores", limit=1.0, cell=(6, 12))
    drawing.words(left - 6, 14, "−1", size=12, colour="muted", anchor="end")
    drawing.words(left + 6 * count + 6, 14, "+1", size=12, colour="muted", anchor="start")


def _curve(drawing, now, curve):
    """How well each position fits the one that is chosen."""
    drawing.words(0, curve.top - 10, "which position fits best?", size=13, colour="muted", anchor="start")
    for value, label in ((0, "0"), (1, f"{now.d_model / 2:g}")):
        start = curve.to_pixels((0, value))
        drawing.line(start, curve.to_pixels((ROWS - 1, value)), "line", 1)
        drawing.words(start[0] - 6, start[1] + 4, label, size=12, colour="muted", anchor="end")
    for tick in range(0, ROWS, 10):
        drawing.words(curve.to_pixels((tick, 0))[0], curve.bottom + 14, f"{tick}", size=12, colour="muted")
    drawing.words(curve.right, curve.bottom + 28, "position →", size=12, colour="muted", anchor="end")
    drawing.curve([curve.to_pixels(pair) for pair in enumerate(now.scores / (now.d_model / 2))], "query", 2.5)
    there = curve.to_pixels((now.picked[0], 0))[0]
    drawing.line((there, curve.top), (there, curve.bottom), "muted", 1, stroke_dasharray="4 4")


def _shown_pairs(now):
    """Eight pairs from the quickest to the slowest, the one that is followed among them instead of its neighbour."""
    count, followed = now.d_model // 2, now.picked[1] // 2
    pairs = np.linspace(0, count - 1, min(count, 8)).round().astype(int)
    if followed not in pairs:
        pairs[1 + np.abs(pairs[1:-1] - followed).argmin()] = followed
    return pairs


def _clocks(drawing, left, top, step, now):
    """In two rows, each with its hand at the position: a sine is how far right its tip is, a cosine how far up."""
    position, dimension = now.picked
    drawing.words(left, top + 22, f"clocks at position {position}", size=13, colour="muted", anchor="start")
    for k, pair in enumerate(_shown_pairs(now)):
        x, y = left + step * (k % 4 + 0.5), top + 56 + 66 * (k // 4)
        followed = pair == dimension // 2
        tip = now.encoding[position, 2 * pair : 2 * pair + 2]
        _clock(drawing, x, y, RADIUS, *tip, "ink")
        if followed:
            drawing.add("circle", cx=x, cy=y, r=RADIUS, fill="none", stroke="chosen", stroke_width=2)
        told, colour = f"{2 * pair}, {2 * pair + 1}", "chosen" if followed else "muted"
        drawing.words(x, y + RADIUS + 14, told, size=12, colour=colour)
