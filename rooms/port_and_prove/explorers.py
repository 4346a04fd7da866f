"""A port beside the library, tensor by tensor from the top, until the first that differs; and each part of a model in PyTorch."""

import html
import inspect
import itertools

import numpy as np

from helpers import parts
from rooms.port_and_prove import ports, twins
from rooms.shared import verdicts
from workbench import Drawing, Html, Touch, choose, explorer, in_two_widths, matrices, scientific, slider, stops
from workbench.pictures.html import hanging

NUMBERS, BUGS = list(ports.KINDS), list(ports.BUGS)
REFERENCES = {number: ports.reference(number) for number in NUMBERS}
TENSORS = {number: list(made) for number, made in REFERENCES.items()}
MOST = max(map(len, TENSORS.values()))
CELLS = 8  # numbers of a row that are shown


def explore_port():
    """Go down two columns of tensors to the first that differs, look inside, and name the bug; a port whose bug is named is mended.

    Shown: gaps (num_tensors,), the largest difference of each tensor as a part of its largest number; first (), the index of the
    first that differs, num_tensors if none does; rows (3, up to 8), of the open tensor: the library's, the port's, the difference;
    agree (2,), tokens whose largest logit agrees, and all; divergence (), the largest of any token; right (9,), whose bug is named
    """
    yours = verdicts.controls("port", NUMBERS, BUGS)
    return explorer(
        _compare,
        lambda now: [_picture(now), _numbers(now)],
        _describe,
        touch={
            "tensors": Touch(lambda now, i: {"tensor": i + 1}, lambda now, i: f"{_spoken(now, i)}: {_told(now.gaps[i])}; click to look inside"),
            "bugs": Touch(lambda now, i: verdicts.name(now, BUGS[i]), lambda now, i: f"port {now.number} has this bug"),
        },
        sums={"rows": _sum},
        folded=["tensor", *yours],
        number=slider("port", 3, 1, NUMBERS[-1], 1),
        tolerance=choose("tolerance of", list(ports.TOLERANCES), "float32"),
        tensor=slider("tensor", 3, 1, MOST, 1),
        **yours,
    )  # fmt: skip


def _compare(number, tolerance, tensor, **yours):
    named = [yours[verdicts.of(k)] == ports.bug_of(k) for k in NUMBERS]
    theirs = REFERENCES[number]
    ours = ports.port(number, ports.NONE if named[number - 1] else ports.bug_of(number))
    gaps = np.array([ports.gap(ours[name], theirs[name]) for name in theirs])
    differ = np.flatnonzero(gaps > ports.TOLERANCES[tolerance])
    name = TENSORS[number][min(tensor, len(gaps)) - 1]
    pair = _row(theirs[name], ours[name])
    agree = ours["logits"].argmax(axis=-1) == theirs["logits"].argmax(axis=-1)
    return {
        **{"gaps": gaps, "first": np.array(differ[0] if differ.size else len(gaps))},
        **{"rows": np.stack([*pair, pair[1] - pair[0]]), "agree": np.array([agree.sum(), agree.size])},
        **{"divergence": ports.divergence(ours["logits"], theirs["logits"]).max(), "right": np.array(named)},
    }


def _row(theirs, ours):
    """The first numbers of the row in which two tensors differ most."""
    flat = np.abs(ours - theirs).reshape(-1, theirs.shape[-1])
    row = flat.max(axis=-1).argmax() if flat.max() > 1e-6 else len(flat) - 1
    return [each.reshape(flat.shape)[row, :CELLS].astype(float) for each in (theirs, ours)]


ROW, TOP, LINE = 16, 36, 23


@in_two_widths((150, 16, 380), (108, 8, 100))
def _picture(now, left, cell, bars):
    """For each tensor a row of the library's, the same of the port, and a bar; below, the bugs, with the ports they were blamed for."""
    theirs = REFERENCES[now.number]
    ours = ports.port(now.number, ports.NONE if now.right[now.number - 1] else ports.bug_of(now.number))
    strip = CELLS * cell
    first, second = left + 10, left + 24 + strip
    start = second + strip + 14
    low, across = TOP + ROW * len(theirs) + 12, 2 if left > 120 else 1
    drawing = Drawing(start + bars + 12, low + 18 + LINE * -(-len(BUGS) // across))
    for x, words in ((first, "library"), (second, "port"), (start, "difference")):
        drawing.words(x, 16, words, size=13, anchor="start", colour="muted")
    for power, words in ((-12, "10⁻¹²"), (-6, "10⁻⁶"), (0, "1")):
        drawing.words(start + bars * _along(10.0**power), TOP - 5, words, size=11, colour="muted")
    limit = start + bars * _along(ports.TOLERANCES[now.tolerance])
    for i, name in enumerate(theirs):
        y, here = TOP + ROW * i, i == min(now.tensor, len(theirs)) - 1
        good, is_first = now.gaps[i] <= ports.TOLERANCES[now.tolerance], i == now.first
        if here:
            drawing.box(0, y - 2, start + bars + 10, ROW, rx=4, fill="chosen", fill_opacity=0.12)
        size, colour = 13 if left > 120 else 12, "wrong" if is_first else "ink"
        drawing.words(left, y + 12, name.replace("_", " "), size=size, anchor="end", bold=is_first, colour=colour)
        pair = _row(theirs[name], ours[name])
        full = max(np.abs(pair[0]).max(), 1e-9)
        for x, row in zip((first, second), pair):
            for k, number in enumerate(row):
                look = {"fill": "high" if number > 0 else "low", "fill_opacity": min(abs(number) / full, 1)}
                drawing.box(x + k * cell, y + 1, cell - 1, ROW - 4, **look)
        drawing.box(start, y + 3, max(bars * _along(now.gaps[i]), 2), ROW - 8, rx=2, fill="value" if good else "wrong")
        drawing.box(0, y - 2, start + bars + 10, ROW, fill="transparent", place=(now.places("tensors"), i))
    drawing.line((limit, TOP - 12), (limit, low - 12), "ink", 1.5, stroke_dasharray="5 4")
    drawing.words(8, low + 6, "Which bug is it?", size=13, anchor="start", colour="muted")
    wide = (drawing.width - 8) // across
    for i, words in enumerate(BUGS):
        x, y = 8 + wide * (i % across), low + 28 + LINE * (i // across)
        blamed = [k for k in NUMBERS if now[verdicts.of(k)] == BUGS[i]]
        size, step = (13, 34) if across == 2 else (12, 28)  # of the words; from mark to mark
        fill, opacity, stroke = ("chosen", 0.12, "chosen") if now.number in blamed else ("ink", 0.03, "line")
        drawing.box(x - 7, y - 15, wide - 4, LINE - 3, rx=6, fill=fill, fill_opacity=opacity, stroke=stroke)
        drawing.words(x, y, "abcdefghi"[i], size=size, anchor="start", colour="chosen", bold=True)
        drawing.words(x + 15, y, words, size=size, anchor="start", colour=fill)
        for place, k in enumerate(blamed):
            mark, colour = ("✓", "ink") if now.right[k - 1] else ("✗", "wrong")
            drawing.words(x + wide - 30 - step * place, y, f"{k} {mark}", size=size, colour=colour, bold=True)
        drawing.box(x - 8, y - 16, wide - 2, LINE - 1, fill="transparent", place=(now.places("bugs"), i))
    told = "; ".join(f"{_spoken(now, i)} {_told(gap)}" for i, gap in enumerate(now.gaps))
    return drawing.html(f"{ports.KINDS[now.number]}, port beside library, from the top: {told}.")


def _along(gap):
    """Where a difference lies between 1e-13 and 10, as a part of the bar."""
    return float(np.clip((np.log10(max(gap, 1e-13)) + 13) / 14, 0, 1))


def _spoken(now, i):
    return TENSORS[now.number][i].replace("_", " ")


def _told(gap):
    return f"differs by {gap:.2g}" if gap > 1e-6 else "differs by less than a millionth"


def _times(gap):
    return f"{gap:.2g} times" if gap > 1e-4 else f"{scientific(gap, 1)} times"


def _numbers(now):
    name = TENSORS[now.number][min(now.tensor, len(now.gaps)) - 1].replace("_", " ")
    return now.table("rows", f"{name}, the row that differs most", rows=["library", "port", "difference"], decimals=3,
                     columns=[str(k + 1) for k in range(now.rows.shape[1])], corner="")  # fmt: skip


def _sum(now, i, j):
    library, port, difference = now.rows[:, j]
    if i == 2:
        return f"{port:.3f} − {library:.3f} = {difference:.3f}"
    return f"{('library', 'port')[i]}, number {j + 1} of the row"


def _describe(now):
    largest = f"The largest logit agrees at {now.agree[0]} of {now.agree[1]} tokens"
    end = f"{largest}, KL at most {max(now.divergence, 0):.3f}."
    found = f"Found so far: {now.right.sum()} of {len(now.right)}."
    head = f"Port {now.number}, {ports.KINDS[now.number]}: "
    if now.first == len(now.gaps):
        head += f"no tensor differs by more than {now.tolerance} allows."
    else:
        head += f"the first tensor that differs is “{_spoken(now, int(now.first))}”, by {_times(now.gaps[now.first])} its largest number."
    place = min(now.tensor, len(now.gaps)) - 1
    inside = "" if place == now.first else f" Inside “{_spoken(now, place)}”: it {_told(now.gaps[place])}."
    return f"{head}{inside} {end} {_reply(now)} {found}"


def _reply(now):
    """What is said of the verdict on the open port."""
    verdict = now[verdicts.of(now.number)]
    if verdict == verdicts.NO_VERDICT:
        return "Which bug is it?"
    if now.right[now.number - 1]:
        if verdict.startswith("nothing"):
            return "Yes: nothing was wrong, and now it is laid out as the library's."
        return f"Yes, and now it is mended: {verdict}."
    shows, names = ports.BUGS[verdict].first, TENSORS[now.number]
    here = ports.BUGS[ports.bug_of(now.number)].first
    if shows not in names:
        return "Not that one: this layer has no place for it."
    if shows != here:
        return f"Not that one: it would show first in “{shows.replace('_', ' ')}”."
    return "Not that one, though it shows in the same tensor: look which of its numbers agree."


def explore_twins():
    """Choose a part of your model: NumPy on the left, PyTorch on the right.

    Shown: part (), its index in the order of the lessons
    """
    names = list(twins.TWINS)
    return explorer(
        lambda chosen: {"part": np.array(names.index(chosen))},
        lambda now: _beside(names[int(now.part)]),
        lambda now: twins.TWINS[names[int(now.part)]].remark,
        chosen=stops("part", [(name, name) for name in names], "self_attention"),
    )  # fmt: skip


def _beside(name):
    """Line by line, NumPy and PyTorch."""
    sources = inspect.getsource(getattr(parts, name)), twins.TWINS[name].code
    sides = [source.strip().split("\n") for source in sources]
    lines = itertools.zip_longest(*sides, fillvalue="")
    return matrices.table([[str(k), *map(_code, pair)] for k, pair in enumerate(lines, 1)], name, ["NumPy", "PyTorch"])


def _code(line):
    look = f"{hanging(line)}white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;"
    return Html(f'<code style="{look}">{html.escape(line)}</code>', line)
