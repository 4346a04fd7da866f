"""A sentence climbs a trained translator: what each column would say at every height, and what is lost without each box."""

import functools

import numpy as np

from rooms.shared import french
from rooms.stack_a_transformer import translator
from rooms.stack_a_transformer.hearing import add_hearing
from rooms.stack_a_transformer.translator import ASK, DECODER, END, LOOK_BACK, MASK, READ, RETHINK, START, THINK
from rooms.stack_a_transformer.wrong_decoder import explore_wrong_decoder  # noqa: F401
from workbench import Drawing, Touch, by_width, choose, explorer, switch

NOTHING = "nothing"
PARTS = [LOOK_BACK, ASK, RETHINK, READ, THINK, MASK]  # that can be switched off in the picture
SENTENCES = [
    french.sentence(noun, "", colour, verb)
    for noun, colour, verb in (("car", "red", "turns"), ("car", "red", "falls"), ("cat", "black", "sleeps"))
]
MOST = 5  # columns that are shown of a text that doesn't come to an end, and for which there is room at full size
FOLLOWED = 1  # the column that comes in as the first word
ALL = 8  # start, and the words of the longest sentence


def explore_towers():
    """Follow a sentence up through encoder and decoder, read each column in words, and switch one part off.

    Shown: says (3, num_columns), the number of the word that each column would say after each box of the decoder, and shares, its
    probability; right (432,), which of all unseen sentences come out right; moves (n + m, n + m), who hears whom, once that is shown
    """
    return explorer(
        _climb,
        lambda now: [by_width(_draw(now, WIDE if now.hearing else LOW), _draw(now, PHONE))],
        _tell,
        touch={"part": Touch(_switch, lambda now, k: f"click: switch the {PARTS[k]} {'on' if now.off == PARTS[k] else 'off'}")},
        sums={"says": _say_column, "moves": _say_move},
        folded=["off"],
        sentence=choose("sentence", {" ".join(_english(k)): k for k in range(len(SENTENCES))}, 0),
        words=choose("columns", {**{str(k): k for k in range(1, MOST)}, "all": ALL}, ALL),
        hearing=switch("who hears whom"),
        off=choose("switched off", [NOTHING, *PARTS], NOTHING),
    )  # fmt: skip


# --- what is computed ------------------------------------------------------------------------------------------------


def _english(k):
    return SENTENCES[k].english


@functools.cache
def _written(sentence, off):
    """What it writes, with START before it, and END behind it if it comes to an end."""
    (words,) = translator.write([_english(sentence)], _off(off))
    return [START, *words, *([END] if len(words) <= french.LONGEST["french"] else [])]


def _off(off):
    return () if off == NOTHING else (off,)


def _columns(sentence, off, words):
    """What the decoder reads, once it has so many columns; of a text without an end, MOST at most."""
    written = _written(sentence, off)
    return [word for word in written if word != END][: words if written[-1] == END else min(words, MOST)]


def _climb(sentence, words, hearing, off):
    english, reads = _english(sentence), _columns(sentence, off, words)
    _, says = translator.read([english], [reads], _off(off))
    says, right = says[1:, 0], translator.which_right(*_off(off)).copy()
    moves = translator.hears(english, reads, _off(off)) if hearing else np.zeros((0, 0))
    return {"says": says.argmax(-1), "shares": says.max(-1), "right": right, "moves": moves}


def _switch(now, k):
    return {"off": NOTHING if now.off == PARTS[k] else PARTS[k]}


def _reads(now):
    return _columns(now.sentence, now.off, now.words)


def _goals(now):
    """The right next word of each column, None behind the end."""
    goals = [*SENTENCES[now.sentence].french, END]
    return (goals + [None] * ALL)[: now.says.shape[1]]


# --- in words --------------------------------------------------------------------------------------------------------

_GLOSSES = {"le": "the", "la": "the", "ne": "does", "pas": "not"}
_GLOSSES |= {noun: word for word, (noun, _) in french.NOUNS.items()}
_GLOSSES |= {acts: word for word, (_, acts) in french.VERBS.items()}
_GLOSSES |= {form: word for table in (french.SIZES, french.COLOURS) for word, forms in table.items() for form in forms}
_SPECIAL = {START: "start", END: "end"}


def _tell(now):
    written = _written(now.sentence, now.off)
    done = written[1 : len(_reads(now)) + 1]
    words = [word for word in done if word != END]
    more = "" if done[-1] == END else " …"
    literally = " ".join(_GLOSSES[word] for word in words)
    said = f"It writes {' '.join(words)}{more} (word by word: {literally}{more})."
    said = said if words else "It writes nothing: its first word is end."
    lost = {
        NOTHING: "Every column comes in as one word, and leaves as the next.",
        ASK: "The way from the memory is cut.",
        MASK: "The mask is lifted, so each column also sees the words after it.",
    }
    what = lost.get(now.off, f"{now.off[0].upper()}{now.off[1:]}: off.")
    return f"{what} {said} Of {len(now.right)} sentences that it has never read, {now.right.sum()} come out right."


def _say_column(now, height, k):
    word, column = french.VOCABULARY[now.says[height, k]], _reads(now)[k]
    told = f"“{_SPECIAL.get(word, word)}”" + (f" ({_GLOSSES[word]})" if word in _GLOSSES else "")
    return f"after the {DECODER[height]} the column of “{_SPECIAL.get(column, column)}” would say {told}: {now.shares[height, k]:.0%}"


def _say_move(now, i, j):
    words = [_SPECIAL.get(word, word) for word in (*_english(now.sentence), *_reads(now))]
    return f"another word in the place of “{words[j]}”: the output at “{words[i]}” moves by {now.moves[i, j]:.2f}"


# --- the picture -----------------------------------------------------------------------------------------------------

BAR, GAP = 28, 64  # pixels: height of a box, and room for the words between two


class WIDE:
    width, height = 800, 444
    left, wide, low = 262, 416, 374  # the decoder: its left edge and width, and the line of its words
    encoder, apart, foot = 24, 46, 374  # the encoder: its left edge, room for a word, and the line of its words
    memory = 92  # where the line of the memory begins, from the encoder's left edge
    title, map, cell = (24, 14), (74, 82), 12
    size, small, note = 15, 13, 13
    count = "{} of {} new sentences come out right"
    tower = "reads: the encoder, once", "writes: the decoder, word after word"
    legend = 438  # the line of the colours, below everything


class LOW(WIDE):  # there is no map above the encoder
    height, low, foot, legend = 366, 300, 300, 360


class PHONE:
    width, height = 340, 600
    left, wide, low = 22, 316, 344
    encoder, apart, foot = 6, 39, 562
    memory = 0
    title, map, cell = (160, 388), (202, 456), 10.5
    size, small, note = 14, 11, 12
    count = "{} of {} right"
    tower = "reads: the encoder", ""
    legend = None


def _draw(now, to):
    english, reads, drawing = _english(now.sentence), _reads(now), Drawing(to.width, to.height)
    step = to.wide / max(MOST, len(reads))
    columns = [to.left + step * (k + 0.5) for k in range(len(reads))]
    tops = [to.low - 22 - BAR - k * (BAR + GAP) for k in range(3)]
    _draw_encoder(drawing, now, to, english)
    ends = to.low - 16, tops[2] - 18
    _draw_tower(drawing, now, dict(zip(DECODER, tops)), (to.left, to.wide), columns, ends, FOLLOWED)
    _draw_mask(drawing, now, to.left + 6, tops[0] + 4)
    _draw_memory(drawing, now, to, tops[1] + BAR / 2)
    for x, word in zip(columns, reads):
        _draw_word(drawing, x, to.low, word, _size(now, to), "ink", bold=_size(now, to) > 11)
    for height, top in enumerate(tops):
        for k, x in enumerate(columns):
            _draw_said(drawing, now, to, x, top - 16, height, k, step)
    _draw_notes(drawing, now, to, tops)
    if now.hearing:
        words = [_SPECIAL.get(word, word) for word in (*english, *reads)]
        add_hearing(drawing, now.moves, words, len(english), to, now.off, now.places("moves"))
    return drawing.html(_tell(now))


def _size(now, to):
    """Of the words of the columns, which give way where there are many."""
    return to.size if len(_reads(now)) <= MOST else to.small


def _draw_encoder(drawing, now, to, english):
    tops = [to.foot - 22 - BAR, to.foot - 38 - 2 * BAR]
    columns = [to.encoder + to.apart * (k + 0.5) for k in range(len(english))]
    edges, ends = (to.encoder, len(english) * to.apart), (to.foot - 16, tops[1] - 12)
    _draw_tower(drawing, now, dict(zip((READ, THINK), tops)), edges, columns, ends)
    for x, word in zip(columns, english):
        drawing.words(x, to.foot, word, size=min(to.size, to.apart // 3), colour="key", bold=True, halo=True)


def _draw_tower(drawing, now, boxes, edges, columns, ends, followed=None):
    """Columns that go through boxes, part -> its upper edge, and the plus with which each box adds to each column."""
    left, wide = edges
    for part, top in boxes.items():
        look = {"stroke": "wrong", "stroke_dasharray": "5 4"} if now.off == part else {"stroke": "ink"}
        drawing.box(left, top, wide, BAR, rx=7, fill="paper", stroke_width=1.4, **look)
    for k, x in enumerate(columns):
        thick, opacity = (7, 0.6) if k == followed else (3, 0.3)
        drawing.line((x, ends[0]), (x, ends[1]), "output", thick, stroke_opacity=opacity)
    for part, top in boxes.items():
        off = now.off == part
        name, colour = part.partition(" of ")[0] + (": off" if off else ""), "wrong" if off else "ink"
        drawing.words(left + wide / 2, top + BAR / 2 + 8, name, size=14, colour=colour, halo=True)
        for x in [] if off else columns:
            _draw_plus(drawing, x, top)
        drawing.box(left, top, wide, BAR, rx=7, fill="transparent", place=(now.places("part"), PARTS.index(part)))


def _draw_plus(drawing, x, y):
    drawing.add("circle", cx=x, cy=y, r=6, fill="paper", stroke="ink", stroke_width=1.2)
    drawing.line((x - 3.5, y), (x + 3.5, y), "ink", 1.2)
    drawing.line((x, y - 3.5), (x, y + 3.5), "ink", 1.2)


def _draw_mask(drawing, now, x, y):
    lifted = now.off == MASK
    for i, j in np.ndindex(3, 3):
        fill = "ink" if j <= i else "wrong" if lifted else "paper"
        drawing.box(x + 7 * j, y + 7 * i, 6, 6, fill=fill, stroke="muted", stroke_width=0.6)
    drawing.box(x - 5, y - 3, 31, 26, fill="transparent", place=(now.places("part"), PARTS.index(MASK)))


def _draw_memory(drawing, now, to, y):
    """Keys and values, from the top of the encoder to the box that asks for them."""
    cut, top = now.off == ASK, to.foot - 60 - 2 * BAR
    look = {"stroke_dasharray": "2 6"} if cut else {}
    start, wide = to.encoder + to.memory, to is not PHONE
    for k, role in enumerate(("key", "value")):
        if wide:
            path = f"M {start} {y - 4 + 8 * k} H {to.left}"
        else:
            path = f"M {start + 24} {top - 4} H {to.left - 7 - 7 * k} V {y - 3 + 7 * k} H {to.left}"
        drawing.add("path", d=path, fill="none", stroke=role, stroke_width=2.4, **look)
    for role, beside in (("key", -11), ("value", 19)) if wide else (("key", 26), ("value", 26)):
        x = to.left - 12 if wide else to.left - (4 if role == "key" else 19)
        drawing.words(x, y + beside if wide else top + 14, role[0], size=13, colour=role, bold=True)
    x, line = (start - 34, y + 4) if wide else (start + 58, top)
    drawing.words(x, line, "memory", size=13, bold=True, halo=True)
    if cut or now.off == NOTHING:
        at = ((start + to.left) / 2, y + 9) if wide else (to.left - 10, 0.3 * y + 0.7 * top)
        drawing.words(*at, "✂", size=26, colour="wrong" if cut else "muted", halo=True)
    if wide and now.off == NOTHING:
        drawing.words((start + to.left) / 2, y - 14, "and without it?", size=to.note, colour="muted")
    box = (start, y - 14, to.left - start, 28) if wide else (0, y + 16, 22, top - y - 16)
    drawing.box(*box, fill="transparent", place=(now.places("part"), PARTS.index(ASK)))


def _draw_said(drawing, now, to, x, y, height, k, step):
    word, last, good = *(french.VOCABULARY[now.says[at, k]] for at in (height, 2)), _goals(now)[k]
    if height == 2:
        _draw_word(drawing, x, y, word, _size(now, to), "output" if word == good else "wrong", bold=_size(now, to) > 11)
    else:
        colour = "muted" if word == _reads(now)[k] else "output" if word == last == good else "ink"
        _draw_word(drawing, x, y, word, min(14, _size(now, to)), colour)
    place = {"x": x - step / 2, "y": y - 16, "width": step, "height": 22}
    drawing.add("rect", fill="transparent", place=(now.places("says"), height, k), **place)


def _draw_word(drawing, x, y, word, size, colour, bold=False):
    look = {"font_style": "italic"} if word in _SPECIAL else {}
    drawing.words(x, y, _SPECIAL.get(word, word), size=size, colour=colour, bold=bold, halo=True, **look)


_KEY = [  # the colours of the words between the boxes
    ("output", "the right next word"), ("ink", "another word on the way"), ("muted", "still the word that came in"),
    ("wrong", "leaves with a wrong word"),
]  # fmt: skip


def _draw_notes(drawing, now, to, tops):
    """What the words between the boxes are, and how many sentences still come out right with something off."""
    right, total, key = now.right.sum(), len(now.right), _KEY if now.off != NOTHING else _KEY[:-1]
    if now.off != NOTHING:
        look = {"colour": "ink" if right == total else "wrong", "bold": True, "anchor": "end"}
        drawing.words(to.width - 6, 18, to.count.format(right, total), size=to.note, **look)
    if to.legend:
        for x, (colour, words) in zip((24, 180, 376, 580), key):
            drawing.words(x, to.legend, words, size=to.note, colour=colour, anchor="start")
        drawing.words(690, to.low, "read upward ↑", size=to.note, colour="ink", anchor="start")
        _draw_plus(drawing, 697, tops[1])
        drawing.words(709, tops[1] + 5, "the box adds", size=to.note, colour="ink", anchor="start")
    else:
        drawing.words(to.left, 18, "read upward ↑", size=to.note, colour="ink", anchor="start")
        for k, (colour, words) in enumerate(key):
            x, y = to.left + 166 * (k % 2), 40 + 18 * (k // 2)
            drawing.words(x, y, words, size=to.note, colour=colour, anchor="start")
    for x, y, words in ((to.encoder, to.foot, to.tower[0]), (to.left, to.low, to.tower[1])):
        drawing.words(x, y + 24, words, size=to.note, colour="muted", anchor="start")
