"""How pieces of words are found: a wall of letters, in which the commonest pair of neighbours is glued, again and again."""

import itertools
import re
from collections import Counter

import numpy as np

from workbench import Drawing, Touch, by_width, choose, explorer, slider, text_field

TEXT = "the tokens that a token attends to attend to the token"
LONGEST, MOST = 60, 12  # signs of a text, letters and blanks, and merges
ORDERS = {"the commonest pair": max, "the rarest pair": min}
WIDE, PHONE = 800, 340  # pixels
ROW, BRICK = 31, 24  # pixels from row to row of the wall, and the height of a brick
MONO = "var(--jp-code-font-family,monospace)"


def explore_merges():
    """Glue the commonest pair of neighbours into one piece, and then again; or the rarest.

    Shown: starts (merges + 1, num_letters), whether a piece begins at each letter, after so many merges; pieces (merges + 1,), how many there are;
    counts (merges,), how often each pair was there; letters (num_letters,), their numbers in Unicode
    """
    return explorer(
        _wall,
        lambda now: by_width(_wide(now), _narrow(now)),
        _describe,
        touch={
            "row": Touch(
                lambda now, k: {"merges": k},
                lambda now, k: f"click: {['no merge', 'one merge'][k] if k < 2 else f'{k} merges'}",
            ),
            "next": Touch(lambda now: {"merges": len(now.counts) + 1}, lambda now: "click: the next merge"),
        },
        merges=slider("merges", 5, 0, MOST, 1),
        order=choose("glue", list(ORDERS), "the commonest pair"),
        text=text_field("text", TEXT),
    )


def words_of(text):
    """The words of a text, each with the blank before it."""
    return re.findall(r" ?\S+", " ".join(text.split()))


def glued(pieces, pair):
    """The pieces of a word after one merge, wherever the pair is, from left to right."""
    made = []
    for piece in pieces:
        if made and (made[-1], piece) == pair:
            made[-1] += piece
        else:
            made.append(piece)
    return made


def learned(text, num_merges, choose=max):
    """Merges that are found in a text one after the other; of pairs that are equally common the first in the text is taken.

    Parameters
    ----------
    text : str
    num_merges : how many, fewer if no pair is left
    choose : max = always the commonest pair, min = the rarest

    Returns
    -------
    merges : list of (left, right)
    counts : list, how often each was there
    cuts : list of the pieces of all words, at first letters, and after each merge
    """
    words, merges, counts = [list(word) for word in words_of(text)], [], []
    cuts = [[piece for word in words for piece in word]]
    for _ in range(num_merges):
        found = Counter(pair for word in words for pair in itertools.pairwise(word))
        if not found:
            break
        merges.append(choose(found, key=found.get))
        counts.append(found[merges[-1]])
        words = [glued(word, merges[-1]) for word in words]
        cuts.append([piece for word in words for piece in word])
    return merges, counts, cuts


def _wall(merges, order, text):
    text = " ".join(text.split())
    if not 1 <= len(text) <= LONGEST:
        raise ValueError(f"text must have 1 to {LONGEST} signs, got {len(text)}.")
    _, counts, cuts = learned(text, merges, ORDERS[order])
    starts = np.zeros((len(cuts), len(text)), bool)
    for row, cut in zip(starts, cuts):
        row[np.cumsum([0, *map(len, cut[:-1])])] = True
    letters, counts = np.array([*map(ord, text)]), np.array(counts, dtype=int)
    return {"letters": letters, "starts": starts, "pieces": starts.sum(axis=1), "counts": counts}


def _text(now):
    return "".join(map(chr, now.letters))


def _bricks(now, k):
    """The pieces after k merges: (first letter, piece, whether this merge has made it)."""
    text, first = _text(now), [*map(int, np.flatnonzero(now.starts[k]))]
    for start, end in zip(first, [*first[1:], len(text)]):
        yield start, text[start:end], bool(k and (now.starts[k - 1, start + 1 : end]).any())


def _pair(now, k):
    """The two pieces that merge k, counted from 1, has glued."""
    start, piece, _ = next(brick for brick in _bricks(now, k) if brick[2])
    cut = start + 1 + int(np.argmax(now.starts[k - 1, start + 1 : start + len(piece)]))
    return _seen(_text(now)[start:cut]), _seen(_text(now)[cut : start + len(piece)])


def _seen(words):
    return words.replace(" ", "␣")


# --- the picture -----------------------------------------------------------------------------------------------------


def _wide(now):
    last, left = len(now.counts), 140
    cell = min(13, (WIDE - left - 46) / len(now.letters))
    more = _goes_on(now)
    drawing = Drawing(WIDE, 62 + ROW * (last + 1 + more))
    _heading(drawing, now, left)
    for k in range(last + 1):
        y = 54 + ROW * k
        for start, piece, new in _bricks(now, k):
            _brick(drawing, left + cell * start, y, cell, piece, new)
        if k:
            look = {"size": 13, "colour": "output", "anchor": "end", "font_family": MONO}
            drawing.words(left - 48, y + 17, "+".join(_pair(now, k)), **look)
        told = f"{now.counts[k - 1]}×" if k else "signs"
        drawing.words(left - 12, y + 17, told, size=13, colour="muted", anchor="end")
        end, look = left + cell * len(now.letters) + 10, {"bold": True} if k == last else {"colour": "muted"}
        drawing.words(end, y + 17, f"{now.pieces[k]}", size=13, anchor="start", **look)
        drawing.box(0, y - 3, WIDE, ROW, fill="transparent", place=(now.places("row"), k))
    if more:
        _next(drawing, now, left, 54 + ROW * (last + 1), cell * len(now.letters))
    return drawing.html(_told(now))


def _narrow(now):
    """The last row alone, in lines that end with a word, and above it what was glued."""
    last, cell, per_line = len(now.counts), 10.4, 31
    places, column, row, text = [], 0, 0, _text(now)
    for start, piece, new in _bricks(now, last):
        word = re.match(" [^ ]*", text[start:])  # begins here
        if column and column + len(word.group() if word else piece) > per_line:
            column, row = 0, row + 1
        places.append((column, row, piece, new))
        column += len(piece)
    more, lines = _goes_on(now), -(-last // 3)
    top = 54 + 22 * lines
    drawing = Drawing(PHONE, top + ROW * (row + 1 + more) + 8)
    _heading(drawing, now, 8)
    for k in range(1, last + 1):
        x, y = 8 + 110 * ((k - 1) % 3), 62 + 22 * ((k - 1) // 3)
        words = f"{'+'.join(_pair(now, k))} {now.counts[k - 1]}×"
        look = {"colour": "output", "bold": True} if k == last else {"colour": "muted"}
        drawing.words(x, y, words, size=12, anchor="start", font_family=MONO, **look)
    for column, row, piece, new in places:
        _brick(drawing, 8 + cell * column, top + ROW * row, cell, piece, new)
    if more:
        _next(drawing, now, 8, top + ROW * (row + 1), PHONE - 16)
    return drawing.html(_told(now))


def _heading(drawing, now, x):
    drawing.words(x, 34, f"{now.pieces[0]} signs → {now.pieces[-1]} pieces", size=24, anchor="start", bold=True)


def _brick(drawing, x, y, cell, piece, new):
    """A piece; a letter alone has no fill, and what the last merge has made is in colour."""
    look = {"fill": "paper", "stroke": "line"}
    if new:
        look = {"fill": "output", "fill_opacity": 0.1, "stroke": "output", "stroke_width": 1.6}
    elif len(piece) > 1:
        look = {"fill": "line", "fill_opacity": 0.55, "stroke": "muted"}
    drawing.box(x + 0.8, y, cell * len(piece) - 1.6, BRICK, rx=3, **look)
    for k, letter in enumerate(_seen(piece)):
        colour = "output" if new else "ink"
        drawing.words(x + cell * (k + 0.5), y + 16, letter, size=13, colour=colour, font_family=MONO)


def _next(drawing, now, x, y, width):
    box = {"x": x, "y": y, "width": width, "height": BRICK + 2}
    drawing.box(**box, rx=4, fill="none", stroke="chosen", stroke_width=1.5, stroke_dasharray="4 4")
    drawing.words(x + width / 2, y + 17, "click here for the next merge", size=13, colour="chosen")
    drawing.box(**box, fill="transparent", place=(now.places("next"),))


def _goes_on(now):
    """Whether a pair is left, and the slider may go on."""
    return len(now.counts) < MOST and any(len(word) > 1 for word in _left(now))


def _left(now):
    """The pieces of each word."""
    words = [[]]
    for start, piece, _ in _bricks(now, len(now.counts)):
        if start and piece.startswith(" "):
            words.append([])
        words[-1].append(piece)
    return words


# --- in words --------------------------------------------------------------------------------------------------------


def _told(now):
    cut = " ".join(_seen(piece) for _, piece, _ in _bricks(now, len(now.counts)))
    glued = ", ".join(f"{'+'.join(_pair(now, k))} {count}×" for k, count in enumerate(now.counts, start=1))
    return f"{now.pieces[0]} signs, {now.pieces[-1]} pieces: {cut}. Glued: {glued or 'nothing'}."


def _describe(now):
    if not len(now.counts):
        return f"Nothing is glued yet, so the text has {now.pieces[0]} pieces, its letters and its blanks."
    left, right = _pair(now, len(now.counts))
    before, after = now.pieces[-2:]
    times = now.counts[-1]
    how = "once" if times == 1 else f"{times} times"
    ends = "" if _goes_on(now) or len(now.counts) == MOST else " No pair is left."
    return f"The last merge glued {left} and {right}, which were neighbours {how}. It took the text from {before} to {after} pieces.{ends}"
