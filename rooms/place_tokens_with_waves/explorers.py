"""Waves that mark positions, how to look some positions back, and what another order does with and without them."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.positions import sinusoidal_positional_encoding, turn, wavelengths
from helpers.tokens import one_hot
from rooms.shared import columns, ribbons, words
from rooms.shared.arcs import Under, arcs
from rooms.shared.shuffling import shuffled
from workbench.moving.controls import choose, slider, stops, switch, text_field
from workbench.moving.engine import Rule, explorer, rows_sum_to_one
from workbench.moving.touch import Plane, Swap
from workbench.pictures.html import by_width
from workbench.pictures.maps import add_map
from workbench.pictures.plane import Axes
from workbench.pictures.svg import Drawing, text_width

BASES = [(f"{base:,}", float(base)) for base in (10, 100, 1_000, 10_000, 100_000)]
WIDTHS = [(str(width), width) for width in (8, 32, 128, 512)]
SENTENCE = ["the", "cat", "sat", "on", "the", "mat"]
ENCODINGS = ["none", "sinusoidal", "learned (here: drawn at random)"]
ROWS, SEEN = 60, 128  # positions; dimensions that are shown at once
CELL, LINE = 6, 5  # pixels of one number, across and down
WIDE, TOP, HIGH = SEEN * CELL, 38, ROWS * LINE
FOOT, RADIUS = 172, 24  # below the map; of a clock
PHONE, LOWER = 2.6 * SEEN, 178  # on a phone the clocks stand so far below the curve

MAP = Axes(
    WIDE, TOP + HIGH + FOOT, (-0.5, SEEN - 0.5), (ROWS - 0.5, -0.5), margin=(0, TOP, 0, FOOT),
    narrow=Axes(PHONE, TOP + HIGH + FOOT + LOWER, (-0.5, SEEN - 0.5), (ROWS - 0.5, -0.5), margin=(0, TOP, 0, FOOT + LOWER)),
)  # fmt: skip
CURVE = Axes(
    WIDE, TOP + HIGH + FOOT, (0, ROWS - 1), (-0.6, 1.1), margin=(30, TOP + HIGH + 40, 260, 30),
    narrow=Axes(PHONE, TOP + HIGH + FOOT + LOWER, (0, ROWS - 1), (-0.6, 1.1), margin=(30, TOP + HIGH + 58, 4, 30 + LOWER)),
)  # fmt: skip

# --- who stands where ---------------------------------------------------------------------------------------------------

SHE = words.she_sentences()
TEXTS = {swapped: words.she_words(swapped) for swapped in (False, True)}
FEATURES, WHO, ASKING = SHE.features, SHE.who, SHE.tokens.index("She")
CELLS, GAP = 17, 1
PLACES = sinusoidal_positional_encoding(len(SHE.tokens), 8)
SEARCHES = ["a woman's name", "a name at the very start"]


def explore_places():
    """Swap Sarah and Alex, and let She ask for a woman's name, or for a name and a place.

    Shown: X (20, 9), places (20, 8), query (12,), scores and weights (20,), output (9,) and after (9,)
    """
    return explorer(
        _ask_for_a_place,
        _who_stands_where,
        lambda now: (
            f"{_told_name(now)} The arc goes to place {now.weights.argmax() + 1}, with {now.weights.max():.0%}."
        ),
        swapped=switch("swap Sarah and Alex"),
        asks_for=choose("She asks for", SEARCHES, SEARCHES[0]),
    )


def _ask_for_a_place(swapped, asks_for):
    """Keys are the features person, female, name and worn, and the place; a query asks for some of them."""
    X = TEXTS[swapped][1]
    keys, query = np.hstack([X[:, 1:5], PLACES]), np.zeros(12)
    if asks_for == SEARCHES[0]:
        query[[1, 2]] = 8 * np.sqrt(3)
    else:
        query[2], query[4:] = 4 * np.sqrt(12), PLACES[0] * np.sqrt(12)
    who = np.hstack([np.zeros((len(X), len(FEATURES))), X[:, len(FEATURES) :]])
    output, weights, scores = (part[0] for part in scaled_dot_product_attention(query[None], keys, who))
    return {
        **{"X": X, "places": PLACES, "query": query, "scores": scores, "weights": weights},
        **{"output": output, "after": X[ASKING] + output},
    }


def _found(now):
    """Who She is after all, and how clearly."""
    shares = now.output[len(FEATURES) :]
    return WHO[int(shares.argmax())], shares.max()


def _told_name(now):
    name, share = _found(now)
    right = "Alex" if now.swapped else "Sarah"
    return f"She is {name}: {share:.0%}." + ("" if name == right else f" But now {right} walks, and {name} is the cat.")


def _who_stands_where(now):
    tall = 9 * (CELLS + GAP)
    under = Under(
        118 + 82 + tall, tall + 66,
        lambda drawing, middles, top, narrow: _column_of_she(drawing, middles, top, now),
    )  # fmt: skip
    return arcs(TEXTS[now.swapped][0], now.weights, ASKING, name="Two sentences", highest=88, under=under)


def _column_of_she(drawing, middles, top, now):
    """Under each word what it is and the waves of its place; below, the column of She, the answer, and what she asks for."""
    if middles is not None:
        columns.under_words(drawing, middles, top - 6, now.X)
        for middle, waves in zip(middles, now.places):
            _waves(drawing, middle - 4, top + 84, waves)
        top += 172
    left = 102 if middles is not None else 94
    name, share = _found(now)
    good = name == ("Alex" if now.swapped else "Sarah")
    size = {"width": CELLS, "height": CELLS, "gap": GAP}
    first = len(FEATURES)
    columns.cells(drawing, left + 8, top + 22, now.X[ASKING][:first], **size)
    columns.cells(drawing, left + 8, top + 22 + first * (CELLS + GAP), now.output[first:], role="output", **size)
    columns.labels(drawing, left, top + 22, [*FEATURES, *words.IS], height=CELLS, gap=GAP)
    drawing.words(left + 18, top + 14, "She", size=14, bold=True)
    drawing.words(left + 44, top + 40, "Who wears the watch?", size=15, anchor="start")
    told, colour = (f"✓ {name}, {share:.0%}", "output") if good else (f"✗ {name}, {share:.0%}", "wrong")
    drawing.words(left + 44, top + 64, told, size=16, colour=colour, anchor="start", bold=True)
    x, y = (430, top + 22) if middles is not None else (left + 44, top + 96)
    drawing.words(x, y - 6, "She asks for", size=14, colour="query", anchor="start", bold=True)
    for k, feature in enumerate(("female", "name")):
        part = now.query[1 + k]
        columns.cells(drawing, x, y + 4 + k * (CELLS + GAP), [part], role="query", full=12, **size)
        drawing.words(
            x + CELLS + 8,
            y + 18 + k * (CELLS + GAP),
            feature,
            size=13,
            colour="query" if part else "muted",
            anchor="start",
        )
    if now.query[4:].any():
        _waves(drawing, x + 5, y + 52, now.places[0])
        drawing.words(x + CELLS + 8, y + 64, "place 1", size=13, colour="query", anchor="start")


def _waves(drawing, x, y, waves):
    """A place's vector as a small column, in the colours of the map below."""
    for k, value in enumerate(waves):
        look = {"fill": "high" if value > 0 else "low", "fill_opacity": abs(value), "rx": 1.5}
        drawing.box(x, y + 9 * k, 8, 8, stroke="muted", stroke_opacity=0.4, **look)


# --- the encoding -----------------------------------------------------------------------------------------------------


def explore_encoding():
    """Point into the sinusoidal encoding, one pixel for one number, and let a position look k back.

    Shown: picked (2,), the position and the dimension; encoding (60, d_model), wave (60,) of the dimension, query (d_model,),
    the position's vector turned back, from_position and scores (60,), the dot products of all positions with the position's own
    vector and with the query
    """
    return explorer(
        _encode,
        _draw,
        _describe,
        [
            Rule(
                lambda now: f"each position with itself gives d_model / 2 = {now.d_model / 2:g}",
                _off_half,
                "a position with itself is off d_model / 2 by {:.3f}",
            )
        ],
        planes={
            "encoding": Plane(MAP, _pick, "click: the column is a dimension, the row a position"),
            "scores": Plane(CURVE, lambda now, x, y: {"back": now.picked[0] - x}, "click or drag: look there"),
        },
        folded=["dimension", "position", "base"],
        d_model=stops("dimensions, d_model", WIDTHS, SEEN),
        base=stops("base", BASES, 10_000.0),
        back=slider("look back by k positions", 0, 0, 50, 1),
        dimension=slider("dimension to follow", 20, 0, 511, 1),
        position=slider("position", 30, 0, ROWS - 1, 1),
    )


def _encode(d_model, base, back, dimension, position):
    encoding = sinusoidal_positional_encoding(ROWS, d_model, base)
    dimension = min(dimension, d_model - 1)
    paired = wavelengths(d_model, base)[::2]
    query = turn(encoding[position][None], back * 2 * np.pi / paired[None])[0]  # PE(pos) R: every pair turned back
    return {
        "picked": np.array([position, dimension]),
        "encoding": encoding,
        "wave": encoding[:, dimension],
        "query": query,
        "from_position": encoding @ encoding[position],
        "scores": encoding @ query,
    }


def _window(now):
    """The first dimension that is shown, and how wide each is in pixels."""
    return now.picked[1] // SEEN * SEEN, WIDE // min(now.d_model, SEEN)


def _pick(now, x, y):
    first, wide = _window(now)
    return {"dimension": first + int((x + 0.5) * CELL) // wide, "position": y}


def _off_half(now):
    return np.abs((now.encoding**2).sum(axis=1) - now.d_model / 2).max()


def _describe(now):
    position, dimension = now.picked
    length = wavelengths(now.d_model, now.base)[dimension]
    turned = f", turned back by {now.back}," if now.back else ""
    return (
        f"Dimension {dimension} repeats every {length:,.1f} positions. Position {position}{turned} has its largest dot "
        f"product, {now.scores.max():.2f}, with position {now.scores.argmax()}."
    )


def _draw(now):
    """The map, whole or its window of 128 dimensions; below it the dot products with all positions, and the clocks."""
    return by_width(_map_and_curve(now, MAP, CURVE), _map_and_curve(now, MAP.narrow, CURVE.narrow))


def _map_and_curve(now, axes, curve):
    (position, dimension), (first, wide) = now.picked, _window(now)
    drawing, right = Drawing(*axes.size), axes.size[0]
    wide *= right / WIDE
    shown = now.encoding[:, first : first + SEEN]
    add_map(drawing, shown, 0, TOP, kind="scores", limit=1.0, cell=(wide, LINE))
    last = first + shown.shape[1] - 1
    step = (20 if right == WIDE else 40) * shown.shape[1] // SEEN
    for tick in range(first + -first % step, last + 1, step):
        x = (tick - first + 0.5) * wide
        drawing.line((x, TOP - 4), (x, TOP), "muted", 1)
        drawing.words(max(x, 4), TOP - 7, f"{tick}", size=12, colour="muted")
    drawing.words(0, 14, "position ↓  dimension →", size=12, colour="muted", anchor="start")
    x, y = (dimension - first + 0.5) * wide, TOP + (position + 0.5) * LINE
    drawing.box(x - wide / 2, TOP, wide, HIGH, fill="none", stroke="chosen", stroke_width=1.5)
    drawing.box(0, y - LINE / 2, right, LINE, fill="none", stroke="chosen", stroke_width=1.5)
    _colour_key(drawing, right)
    bottom, phone = curve.bottom, right < WIDE
    drawing.words(
        0, curve.top - (30 if phone else 12), "which position fits best?", size=13, colour="muted", anchor="start"
    )
    for value, label in ((0, "0"), (1, f"{now.d_model / 2:g}")):
        start = curve.to_pixels((0, value))
        drawing.line(start, curve.to_pixels((ROWS - 1, value)), "line", 1)
        drawing.words(start[0] - 6, start[1] + 4, label, size=12, colour="muted", anchor="end")
    for tick in range(0, ROWS, 10):
        drawing.words(curve.to_pixels((tick, 0))[0], bottom + 16, f"{tick}", size=12, colour="muted")
    drawing.words(curve.right, bottom + (30 if phone else 27), "position →", size=12, colour="muted", anchor="end")
    curves = [(now.from_position, "muted", 1.5), (now.scores, "query", 2.5)]
    for values, colour, width in curves if now.back else curves[:1]:
        places = (curve.to_pixels(pair) for pair in enumerate(values / (now.d_model / 2)))
        drawing.add("polyline", points=" ".join("{:.1f},{:.1f}".format(*place) for place in places), fill="none",
                    stroke=colour, stroke_width=width)  # fmt: skip
    target = curve.to_pixels((position - now.back, 0))[0]
    if target >= curve.left:
        drawing.line((target, curve.top), (target, bottom), "query" if now.back else "muted", 1, stroke_dasharray="4 4")
    if now.back:
        turned, start = f"turned {now.back} back", 30 if phone else 190
        drawing.words(start, curve.top - 12, turned, size=13, colour="query", anchor="start")
        drawing.words(start + 120, curve.top - 12, "as it is", size=13, colour="muted", anchor="start")
    left, low, step = (0, TOP + HIGH + FOOT, right / 4) if phone else (WIDE - 244, TOP + HIGH, 61)
    _clocks(drawing, left, low, step, now)
    return drawing.html(
        f"Map of the sinusoidal encoding, {ROWS} positions by dimensions {first} to {last} of {now.d_model}, one pixel for one "
        "number: quick stripes in the first dimensions, ever slower to the right. Below it the dot products of one position with "
        f"all others, as it is{' and turned back' if now.back else ''}, and the clocks of {len(_shown_pairs(now))} pairs of dimensions."
    )


def _colour_key(drawing, right):
    """Which colour is which number, above the map."""
    count, left, end = (21, right - 170, 22) if right == WIDE else (10, right - 106, 24)  # a phone has room for fewer
    add_map(drawing, np.linspace(-1, 1, count)[None], left, 3, kind="scores", limit=1.0, cell=(6, 12))
    for x, label in ((left - 6, "−1"), (right - end, "+1")):
        drawing.words(x, 14, label, size=12, colour="muted", anchor="end" if label == "−1" else "middle")


def _shown_pairs(now):
    """Eight pairs from the quickest to the slowest, the one that is followed among them in place of its neighbour."""
    count, followed = now.d_model // 2, now.picked[1] // 2
    pairs = np.linspace(0, count - 1, min(count, 8)).round().astype(int)
    if followed not in pairs:
        pairs[1 + np.abs(pairs[1:-1] - followed).argmin()] = followed
    return pairs


def _clocks(drawing, left, top, step, now):
    """In two rows, each with its hand at the position, and dashed where that hand is turned back."""
    position, dimension = now.picked
    told = f"clocks at position {position}"
    drawing.words(left, top + 20, told, size=13, colour="muted", anchor="start")
    if now.back:
        drawing.words(
            left + text_width(told, 13) + 8, top + 20, f"{now.back} back", size=13, colour="query", anchor="start"
        )
    for k, pair in enumerate(_shown_pairs(now)):
        speed = 2 * np.pi / wavelengths(now.d_model, now.base)[2 * pair]
        x, y = left + step * (k % 4 + 0.5), top + 56 + 74 * (k // 4)
        followed = pair == dimension // 2
        drawing.add(
            "circle",
            cx=x,
            cy=y,
            r=RADIUS,
            fill="none",
            stroke="chosen" if followed else "line",
            stroke_width=2 if followed else 1,
        )
        for place, colour, dashes in ((position - now.back, "query", "4 3"), (position, "ink", None))[not now.back :]:
            tip = x + RADIUS * np.cos(speed * place), y - RADIUS * np.sin(speed * place)
            drawing.line((x, y), tip, colour, 3, stroke_dasharray=dashes, stroke_linecap="round")
        drawing.words(
            x, y + RADIUS + 14, f"{2 * pair}, {2 * pair + 1}", size=12, colour="chosen" if followed else "muted"
        )


# --- another order ----------------------------------------------------------------------------------------------------


def explore_shuffle():
    """Drag the words of a sentence into another order, without and with positions added.

    Shown: scores, weights, shuffled_scores and shuffled_weights (6, 6), output and shuffled_output (6, 5), order
    (6,), difference (6,), how far each word's output is from the same word's output as written, and backwards (), how far
    one is at most when the sentence is read backwards
    """
    return explorer(
        _reorder,
        _show_order,
        lambda now: (
            f"Read as '{' '.join(_words(now.order))}', the same word's output moves by up to {now.difference.max():.3f}."
        ),
        [Rule("every row sums to 1", lambda now: rows_sum_to_one(now.shuffled_weights)), _ORDER_COUNTS],
        presets={"as written": {"read": " ".join(SENTENCE)}, "mixed up": {"read": "sat mat the cat on the"}},
        touch={
            "words": Swap(
                _exchange,
                lambda now, k: {"asks": k},
                lambda now, k: f"click: '{_words(now.order)[k]}' looks; or drag it onto another word",
            )
        },
        folded=["read", "asks"],
        positions=choose("positions added to the tokens", ENCODINGS, "none"),
        read=text_field("read as", "the mat sat on the cat"),
        asks=slider("which word looks", 5, 0, 5, 1),
    )


def _words(order):
    return [SENTENCE[i] for i in order]


def _order(read):
    """Which word of the sentence stands at each place of a text; of two equal words each stays at its place, if it can."""
    typed, left = read.split(), list(range(len(SENTENCE)))
    if sorted(typed) != sorted(SENTENCE):
        raise ValueError(f"read as must hold the words of '{' '.join(SENTENCE)}' in any order, got {read!r:.60}.")
    stay = {place for place, word in enumerate(typed) if SENTENCE[place] == word}
    left = [place for place in left if place not in stay]
    order = []
    for place, word in enumerate(typed):
        order.append(place if place in stay else next(i for i in left if SENTENCE[i] == word))
        left = [i for i in left if i != order[-1]]
    return np.array(order)


def _exchange(now, start, end):
    order = _words(now.order)
    (i,), (j,) = start, end
    order[i], order[j] = order[j], order[i]
    return {"read": " ".join(order), "asks": j}


def _reorder(positions, read, asks):
    tokens = one_hot(SENTENCE, list(dict.fromkeys(SENTENCE)))
    added = {
        "none": np.zeros(tokens.shape),
        "sinusoidal": sinusoidal_positional_encoding(*tokens.shape),
        ENCODINGS[2]: np.random.default_rng(8).normal(size=tokens.shape),
    }[positions]
    backwards = shuffled(tokens, added, None, np.arange(len(SENTENCE))[::-1])["difference"].max()
    return {**shuffled(tokens, added, None, _order(read)), "backwards": backwards}


_ORDER_COUNTS = Rule(
    "word order changes the outputs",
    lambda now: (now.backwards > 1e-9, "read backwards, every word gets the same output"),
)


def _show_order(now):
    """Words as tiles, ribbons from the one that looks, and under each word its output as bars; where they stood as written, lines."""
    return by_width(_tiles(now, 118), _tiles(now, 56))


def _tiles(now, step):
    read, asks, half = _words(now.order), now.asks, 0.37 * step  # of a tile
    bar = 0.135 * step
    drawing, weights = Drawing(6 * step, 330), now.shuffled_weights[asks]
    middles = [step * (k + 0.5) for k in range(len(read))]
    ribbons.arches(drawing, middles, weights, asks, 121 - ribbons.FOOT, lambda apart: min(24 + 0.14 * apart, 90))
    ribbons.foot(drawing, middles[asks], 121)
    for k in range(len(read)):
        if k != asks:
            drawing.line((middles[k], 121 - ribbons.FOOT), (middles[k], 121), **ribbons.line(weights[k]))
    for k, word in enumerate(read):
        x = step * (k + 0.5)
        place = (now.places("words"), k)
        drawing.box(x - half, 122, 2 * half, 34, rx=6, fill="paper", stroke="query" if k == asks else "line", stroke_width=2 if k == asks else 1)  # fmt: skip
        drawing.words(x, 145, word, size=17 if step > 60 else 15, colour="query" if k == asks else "ink")
        low = min(0.0, now.shuffled_output.min(), now.output.min())
        high = max(1e-9, now.shuffled_output.max(), now.output.max())
        size = 110 / (high - low)
        zero = 200 + high * size
        drawing.line((x - 2.5 * bar, zero), (x + 2.5 * bar, zero), "line", 1)
        for f, (value, written) in enumerate(zip(now.shuffled_output[k], now.output[now.order[k]])):
            left = x + bar * (f - 2.5)
            drawing.box(
                left + bar / 8, zero - max(value, 0) * size, 0.75 * bar, max(abs(value) * size, 0.5), fill="output"
            )
            drawing.line((left, zero - written * size), (left + bar, zero - written * size), "ink", 2)
        drawing.box(x - half, 122, 2 * half, 34, fill="transparent", place=place)
    names = ", ".join(dict.fromkeys(SENTENCE))
    told = f"outputs, a bar each for {names}; lines: as written"
    if step < 60:
        told = "outputs, a bar a word; lines: as written"
    drawing.words(8, 186, told, size=12, colour="muted", anchor="start")
    return drawing.html(
        f"The words {' '.join(read)} as tiles; '{read[asks]}' looks, with ribbons as wide as its weights. Under each word its "
        f"output as five bars, and as lines what it was as written; the largest difference is {now.difference.max():.3f}."
    )
