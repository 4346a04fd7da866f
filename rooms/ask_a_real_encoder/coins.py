"""How often each of many heads is right, beside what coins would do; and single results, as dots or words on lanes."""

from textwrap import wrap

import numpy as np

from workbench import Drawing, in_two_widths, text_width

WIDE, PHONE, HIGH, LEFT, RIGHT = 760, 340, 116, 30, 48  # pixels
GAP, BOLD, LINE = 8, 9, 17  # between two groups of bars; of a letter of a title, and of its line
DOT = 5  # its radius
LANE, WORDS = 34, 15  # from one lane of dots to the next, and from one line of words to the next


def coin_range(most):
    """The lowest and the highest whole number within two standard deviations of half of `most`.

    Examples
    --------
    >>> coin_range(32)
    (11, 21)
    """
    spread = np.sqrt(most)  # two standard deviations of a coin that is thrown so often
    return int(np.ceil(most / 2 - spread)), int(np.floor(most / 2 + spread))


@in_two_widths((WIDE,), (PHONE,))
def coin_bars(counts, most, text, chosen, title, places, width):
    """Show how often of `most` times each head is right, as bars that start where a coin is expected.

    The band holds what 19 of 20 coins do, two standard deviations around the half.

    Parameters
    ----------
    counts : (num_groups, num_bars) whole numbers from 0 to `most`
    text : what the picture shows, one sentence
    chosen : (group, bar) that is marked
    title : what is counted
    places : Places, names for the bars, two indices each
    """
    groups, each = counts.shape
    gap = GAP if width == WIDE else GAP / 2
    step = (width - LEFT - RIGHT - gap * (groups - 1)) / counts.size
    lines = wrap(title, width // BOLD)
    top = 27 + LINE * len(lines)
    low = top + HIGH
    drawing = Drawing(width, low + 22)
    _name(drawing, lines)

    def height(count):
        return low - HIGH * count / most

    band = coin_range(most)
    drawing.box(LEFT, height(band[1] + 0.5), width - LEFT - RIGHT, height(band[0] - 0.5) - height(band[1] + 0.5),
                fill="key", fill_opacity=0.12)  # fmt: skip
    for count in (0, most // 2, most):
        drawing.words(LEFT - 6, height(count) + 4, str(count), size=11, colour="muted", anchor="end")
        drawing.line((LEFT, height(count)), (width - RIGHT, height(count)), "line", 1)
    for line, words in enumerate(("19 of 20", "coins")):
        drawing.words(width, height(most / 2) + 15 * line - 3, words, size=11, colour="key", anchor="end")
    for (group, bar), count in np.ndenumerate(counts):
        x = LEFT + step * (each * group + bar) + gap * group
        upper, lower = sorted((height(count), height(most / 2)))
        here = (group, bar) == tuple(chosen)
        look = {"fill": "chosen" if here else "ink", "fill_opacity": 1 if here else 0.6}
        drawing.box(x + 0.5, upper - 1, step - 1, lower - upper + 2, **look)
        if here:
            middle, words = x + step / 2, f"head {group}.{bar}: {count} of {most}"
            edge = 0.55 * text_width(words, 12) + 4  # bold letters are wider
            drawing.line((middle, top - 10), (middle, upper - 1), "chosen", 1.5)
            drawing.words(min(max(middle, edge), width - edge), top - 14, words, size=12, colour="chosen", bold=True)
        drawing.box(x, top, step, HIGH, fill="transparent", place=(places, group, bar))
    for group in range(groups):
        middle = LEFT + step * each * (group + 0.5) + gap * group
        drawing.words(middle, low + 17, f"layer {group}" if width == WIDE else f"{group}", size=11, colour="muted")
    return drawing.html(text)


def _name(drawing, lines):
    """A title in bold, with a halo where lines of the picture pass it."""
    for k, line in enumerate(lines):
        drawing.words(0, 13 + LINE * k, line, size=13, anchor="start", halo=k > 0, bold=True)


@in_two_widths((WIDE,), (PHONE,))
def dots_on_lanes(values, lanes, names, text, chosen, hollow, ends, legend, places, width):
    """Show single results as dots on lanes, one below the other, from −1 to 1.

    Parameters
    ----------
    values : (num_dots,) from −1 to 1
    lanes : (num_dots,) which lane each dot is on, counted from 0
    names : list of num_lanes str
    text : what the picture shows, one sentence
    chosen : index of the dot that is marked
    hollow : (num_dots,) Boolean, dots that are rings
    ends : what the left and the right half mean
    legend : what a dot and a ring mean
    places : Places, names for the dots, one index each
    """
    drawing = Drawing(width, 22 + 2 * LANE * len(names) + 4)
    middle, half = width / 2, width / 2 - 14
    drawing.words(0, 13, f"← {ends[0]}", size=12, colour="muted", anchor="start")
    right = [f"{ends[1]} →", f"({legend})"] if width == PHONE else [f"{ends[1]} ({legend}) →"]
    for k, line in enumerate(right):
        drawing.words(width, 13 + 16 * k, line, size=12, colour="muted", anchor="end")
    drawing.line((middle, 20), (middle, 22 + 2 * LANE * len(names)), "line", 1.5)
    for lane, name in enumerate(names):
        base = 22 + 2 * LANE * lane
        for k, line in enumerate(wrap(name, 15) if width == PHONE else [name]):  # left of the dots
            drawing.words(0, base + 14 + 16 * k, line, size=12, colour="ink", anchor="start")
        drawing.line((0, base + 2 * LANE - 4), (width, base + 2 * LANE - 4), "line", 1)
        inside = [k for k in np.argsort(values, kind="stable") if lanes[k] == lane]
        levels = _stacked([middle + half * values[k] for k in inside])
        rise = min(2 * DOT + 1, (2 * LANE - 22) / max(*levels, 1))  # a high stack is pressed together
        spots = [(middle + half * values[k], base + 2 * LANE - 11 - level * rise) for k, level in zip(inside, levels)]
        for k, (x, y) in zip(inside, spots):
            fill = "paper" if hollow[k] else "query"
            drawing.add("circle", cx=x, cy=y, r=DOT, fill=fill, stroke="query", stroke_width=1.5)
        if chosen in inside:
            x, y = spots[inside.index(chosen)]
            drawing.add("circle", cx=x, cy=y, r=DOT + 4, fill="none", stroke="chosen", stroke_width=2.5)
        # Above all dots, each within reach of a finger but not over another's middle.
        for k, (x, y) in zip(inside, spots):
            beside = min((np.hypot(x - a, y - b) for a, b in spots if (a, b) != (x, y)), default=99)
            drawing.add("circle", cx=x, cy=y, r=min(DOT + 3, 0.95 * beside), fill="transparent", place=(places, k))
    return drawing.html(text)


def _stacked(places):
    """On which level above the lane each dot stands, so that none covers another; places are sorted."""
    ends, levels = [], []
    for x in places:
        level = next((k for k, end in enumerate(ends) if x - end >= 2 * DOT + 1), len(ends))
        ends[level : level + 1] = [x]
        levels.append(level)
    return levels


@in_two_widths((WIDE,), (PHONE,))
def words_on_lanes(words, values, kinds, text, most, title, colours, width):
    """Show words where their number stands on a line from 0 to `most`, those of each kind on a lane of its own.

    Parameters
    ----------
    words : list of str
    values : (num_words,)
    kinds : list of num_words str, in the order of the lanes
    text : what the picture shows, one sentence
    most : the right end of the line
    title : what runs across
    colours : dict kind -> role of its words
    """
    left, right = 12, width - 14

    def at(value):
        return left + (right - left) * value / most

    lanes, top = [], 8 + LINE * len(wrap(title, width // BOLD))
    for kind in dict.fromkeys(kinds):
        inside = [k for k in np.argsort(values, kind="stable") if kinds[k] == kind]
        ends, placed = [], []
        for k in inside:
            x, room = at(values[k]), 8 + text_width(words[k], 12)
            before = x + room > width  # its word ends where its dot is
            start, end = (x - room, x + DOT) if before else (x - DOT, x + room)
            level = next((n for n, last in enumerate(ends) if start - last >= 7), len(ends))
            ends[level : level + 1] = [end]
            placed.append((x, words[k], before, level))
        lanes.append((kind, top, placed, float(np.mean(values[inside]))))
        top += 45 + WORDS * len(ends)
    drawing = Drawing(width, top + 22)
    for share in np.arange(0, most + 1e-9, 0.2):
        drawing.line((at(share), lanes[0][1]), (at(share), top), "line", 1)
        drawing.words(max(at(share), 14), top + 16, f"{share:.0%}", size=11, colour="muted")
    _name(drawing, wrap(title, width // BOLD))
    for kind, base, placed, mean in lanes:
        look = {"size": 13, "colour": colours[kind], "anchor": "start", "halo": True, "bold": True}
        drawing.words(0, base + 14, f"{kind}, mean {mean:.0%} ▾", **look)
        x, y = at(mean), base + 19
        drawing.add("polygon", points=f"{x:.1f},{y + 9} {x - 6:.1f},{y} {x + 6:.1f},{y}", fill=colours[kind])
        for x, word, before, level in placed:
            y, (aside, anchor) = base + 43 + WORDS * level, (-8, "end") if before else (8, "start")
            drawing.add("circle", cx=x, cy=y - 4, r=4, fill=colours[kind])
            drawing.words(x + aside, y, word, size=12, anchor=anchor, halo=True)
    return drawing.html(text)
