"""Whose is the watch? One layer finds *She* before she knows who she is; a second one asks her again."""

import numpy as np

from rooms.shared import columns, ribbons, watch
from workbench import Drawing, Touch, choose, explorer, in_two_widths, stops, switch, text_width

WIDE, NARROW = 800, 340  # pixels of the picture, on a card and on a phone
NAMES, _ = watch.text()
FLOORS = ["words", "after one layer", "after two layers"]
DRAWN = [NAMES.index(name) for name in ("Sarah", "her", "Alex", "She", "watch")]  # and the word that is followed
ROWS = ["female", "name", "first", "worn", "is Sarah", "is Alex", "Sarah's", "Alex's"]  # what a head asks for or writes
CRUMB = 0.1  # less of an answer is none
SIDE, ROW = 12, 14  # of a cell and from one to the next, in pixels
APART, TOP = 104, 58  # between two floors, and where the highest column starts


def explore_two_layers():
    """Ask whose the watch is with one layer and with two, swap the names, and choose by what *She* finds out who she is.

    Shown: floors (2 or 3, 10, 13), the mark and nine words before and after each layer; weights (1 or 2, 10, 10)
    """
    return explorer(
        _two_layers,
        _levels,
        _say_whose,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"click: follow {_names(now)[k]}")},
        folded=["word"],
        layers=choose("layers", [("1", 1), ("2", 2)], 1),
        swapped=switch("swap Sarah and Alex"),
        asked=choose("She finds out by", list(watch.ASKED), "a woman's name"),
        word=stops("word to follow", [(name, k) for k, name in enumerate(NAMES)], NAMES.index("watch")),
    )  # fmt: skip


def _two_layers(layers, swapped, asked, word):
    """Every layer has the same two heads, and adds what they pass on to what was there."""
    _, x = watch.text(swapped)
    heads, floors, weights = watch.heads(watch.ASKED[asked]), [x], []
    for _ in range(layers):
        found, looked = watch.attend(floors[-1], heads)
        floors.append(floors[-1] + found)
        weights.append(looked)
    return {"floors": np.array(floors), "weights": np.array(weights)}


def _names(now):
    return watch.text(now.swapped)[0]


@in_two_widths((WIDE,), (NARROW,))
def _levels(now, width):
    """Floors of columns, the words at the foot; ribbons as thick as the weights, in the colour of an output where they carry the answer."""
    wide, rests = width == WIDE, now.weights[-1, now.word, 0] > 0.5
    shown = sorted({*DRAWN, now.word, *([0] if rests else [])})
    rows = [row for row in ROWS if row != "first" or now.asked == "a name at the start"]
    left, tall = 100 if wide else 62, ROW * len(rows)
    spared = 0.5 * (0 in shown)  # the mark needs half as much room as a word
    step = (width - left) / (len(shown) - spared)
    middles = {word: left + step * max(k + 0.5 - spared, 0.25) for k, word in enumerate(shown)}
    tops = [TOP + (now.layers - floor) * (tall + APART) for floor in range(now.layers + 1)]
    drawing = Drawing(width, tops[0] + tall + 6)
    written = _written(now)
    for layer, asking in _askers(now, shown):
        foot, top = tops[layer + 1] + tall + 3, tops[layer] - 22
        carries = [asked in written[layer] and asking in written[layer + 1] for asked in shown]
        roles, ends = ["output" if each else "ink" for each in carries], [(middles[asked], top) for asked in shown]
        weights = now.weights[layer, asking, shown]
        ribbons.fan(drawing, (middles[asking], foot + ribbons.FOOT), ends, weights, colours=roles)
        ribbons.foot(drawing, middles[asking], foot, upwards=False)
        for asked, weight in zip(shown, weights):
            row = written[layer + 1].get(asked)  # what it will be told, but is not yet
            if weight > CRUMB and row and asked not in written[layer]:
                _draw_empty(drawing, middles[asked], tops[layer], rows.index(row), wide, step)
    feet = set(_askers(now, shown))
    for floor, top in enumerate(tops):
        for word in shown if floor else ():
            below = ribbons.FOOT * ((floor - 1, word) in feet)  # it starts below a foot, not behind its letters
            way = (middles[word], top + tall + 3 + below), (middles[word], tops[floor - 1] - 22)
            drawing.line(*way, "muted", 1.5, stroke_dasharray="3 4")
        label = FLOORS[floor] if wide else FLOORS[floor].removeprefix("after ")
        drawing.words(8 if wide else 2, top - 7, label, size=13 if wide else 11, colour="muted", anchor="start")
        lit = set(written[floor].values())
        for k, row in enumerate(rows):
            look = {"colour": "output", "bold": True} if row in lit else {"colour": "muted"}
            drawing.words(left - 8, top + k * ROW + 10, row, size=12 if wide else 11, anchor="end", **look)
        for word in shown:
            new = floor > 0 and word not in written[floor - 1]
            _draw_word(drawing, now, floor, word, middles[word], top, rows, written[floor].get(word), new, wide)
            touched = {"x": middles[word] - step / 2 + 1, "y": top - 22, "width": step - 2, "height": tall + 24}
            drawing.add("rect", fill="transparent", place=(now.places("words"), word), **touched)
    told, colour = _answer(now)
    if colour == "wrong":
        _draw_nothing(drawing, middles[now.word], tops[now.layers] + rows.index("Sarah's") * ROW + 10, wide, step)
    drawing.words(8, 18, told, size=15, colour=colour, anchor="start", bold=True)
    if any(written):
        at = (width - 4, 18) if wide else (8, 34)
        legend = "violet: the answer on its way, in a ring where it is new"
        drawing.words(*at, legend, size=12 if wide else 11, colour="output", anchor="end" if wide else "start")
    for k, words in enumerate(["read upward ↑"] if wide else ["read", "upward ↑"]):
        at = (8 if wide else 2), tops[0] - 64 + 14 * k
        drawing.words(*at, words, size=13 if wide else 11, anchor="start")
    return drawing.html(_told_of_levels(now))


def _draw_empty(drawing, middle, top, row, wide, step):
    """From the end of a ribbon past the word to the cell that it finds empty."""
    aside, y = middle - (26 if wide else 20), top + row * ROW + SIDE / 2
    end = middle - SIDE / 2 - 5
    path = f"M {middle:.1f} {top - 22} Q {aside:.1f} {top - 22} {aside:.1f} {top - 8} V {y} H {end:.1f} m -4 -4 l 4 4 l -4 4"
    drawing.add("path", d=path, fill="none", stroke="muted", stroke_width=2)
    said, size = ("asked here: empty", 12) if wide else ("empty", 10)
    said = said if text_width(said, size) < step - SIDE - 12 else "empty" if wide else ""
    drawing.words(middle + SIDE / 2 + 5, y + 4, said, size=size, colour="muted", anchor="start")


def _draw_nothing(drawing, middle, y, wide, step):
    """Beside the cell that stays empty; on a phone in two lines, and where there is no room for them a ✗ alone."""
    if wide:
        drawing.words(middle - SIDE / 2 - 5, y, "got nothing ✗", size=12, colour="wrong", anchor="end")
        return
    drawing.words(middle + SIDE / 2 + 4, y, "✗", size=14, colour="wrong", anchor="start", bold=True)
    for k, words in enumerate(("got", "nothing") if step > 50 else ()):
        squeezed = {"textLength": 35, "lengthAdjust": "spacingAndGlyphs"} if k else {}
        drawing.words(middle - SIDE / 2 - 3, y + ROW * k, words, size=10, colour="wrong", anchor="end", **squeezed)


def _draw_word(drawing, now, floor, word, middle, top, rows, answer, new, wide):
    """A word above its column of cells; the cell that holds the answer has its name beside it, and a ring where it is new."""
    for k, row in enumerate(rows):
        value = now.floors[floor, word, watch.FEATURES.index(row)]
        corner = middle - SIDE / 2, top + k * ROW
        role = "output" if row == answer else "ink"
        columns.cells(drawing, *corner, [value if value > CRUMB else 0], width=SIDE, height=SIDE, role=role)
        if new and row == answer:
            ring = corner[0] - 4, corner[1] - 4, SIDE + 8, SIDE + 8
            drawing.box(*ring, rx=6, fill="none", stroke="output", stroke_width=1.5)
        if wide and row == answer:
            drawing.words(corner[0] + SIDE + 7, corner[1] + 10, row, size=12, colour="output", anchor="start")
    look = {"bold": word == now.word, "colour": "query" if word == now.word else "ink"}
    drawing.words(middle, top - 7, _names(now)[word], size=15 if wide else 11, **look)


def _askers(now, shown):
    """(layer, asking) of the word that is followed, and in the first layer of those that it asks, too."""
    asked = {k for k in shown if now.weights[:, now.word, k].max() > 0.02 and now.weights[0, k, 0] < 0.5}
    for layer in range(now.layers):
        yield from ((layer, k) for k in ([now.word] if layer else sorted({now.word, *asked})))


def _written(now):
    """On each floor the words that hold a part of the answer, and the feature in which each has it: [{word: feature}]."""
    names = _names(now)
    asks = not now.floors[0, now.word, watch.WORN]
    tellers = [now.word] if asks else [k for k in range(1, len(NAMES)) if now.weights[-1, now.word, k] > CRUMB]
    who = {names.index(name): f"is {name}" for name in ("Sarah", "Alex")}
    found = {place: feature for place, feature in who.items() if any(now.weights[0, k, place] > 0.5 for k in tellers)}
    told = {k: feature for k in tellers for feature in found.values()}
    whose, _ = watch.whose(now.floors[-1, now.word])
    floors = [found, told] if now.layers == 1 or asks else [found, told, {now.word: whose}]
    return floors + [told] * (now.layers + 1 - len(floors))


def _answer(now):
    """The question of the word that is followed, what has become of it, and in which colour that is said."""
    word, row = _names(now)[now.word], now.floors[-1, now.word]
    if not now.floors[0, now.word, watch.WORN]:
        found = [f"✓ {feature.removeprefix('is ')}" for feature in _written(now)[0].values()]
        return (f"Who is “{word}”? {found[0]}", "output") if found else (f"“{word}” asks for nothing", "muted")
    whose, share = watch.whose(row)
    question = f"Whose is {'the watch' if word == 'watch' else f'“{word}”'}?"
    if whose == "nobody's":
        return f"{question} ✗ {whose}", "wrong"
    return f"{question} ✓ {whose}, {share:.0%}", "output"


def _told_of_levels(now):
    rows = now.weights[:, now.word]
    looks = (" and ".join(f"{_names(now)[k]} {row[k]:.2f}" for k in np.argsort(-row)[:2]) for row in rows)
    parts = [f"in layer {layer} {each}" for layer, each in enumerate(looks)]
    return f"{'Two' if now.layers == 1 else 'Three'} floors of columns. {_names(now)[now.word]} looks at: {'; '.join(parts)}."


def _say_whose(now):
    names, row = _names(now), now.weights[-1, now.word]
    story, word = f"{names[1]} walks, and She asks for {now.asked}.", f"“{names[now.word]}”"
    first, second = np.argsort(-row, kind="stable")[:2]
    if first == 0:
        return f"{story} {word} asks for nothing, so most of its weight, {row[0]:.0%}, rests on the special token at the start."
    if not now.floors[0, now.word, watch.WORN]:
        return f"{story} {word} gives {row[first]:.0%} to “{names[first]}”, and finds out who it is."
    whose, share = watch.whose(now.floors[-1, now.word])
    got = f"; it is {whose}, {share:.0%}" if whose != "nobody's" else ", but they don't know yet who they are"
    return f"{story} {word} gives {row[first]:.0%} to “{names[first]}” and {row[second]:.0%} to “{names[second]}”{got}."
