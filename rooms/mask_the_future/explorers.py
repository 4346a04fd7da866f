"""Masks: who may look at whom."""

import numpy as np

from helpers.attention import causal_mask, softmax
from workbench import SHARES, Drawing, Paint, Rule, SwitchGrid, choose, explorer, in_two_widths, listed, text_width

WORDS = ["I", "love", "dogs", "."]
LOOKS_AHEAD = np.eye(4) + 4 * np.eye(4, k=1)  # what a model learns that sees everything: look one word ahead
NUDGE = 0.3
CAUSAL, EVERYTHING = causal_mask(len(WORDS)), np.ones((4, 4), bool)
WIDE, NARROW, CELL = 780, 340, 52
HONEST, CHEATS, HEARS, BLIND = "has to guess", "it cheats", "hears ahead", "nothing to read"


def _from_the_future(now):
    return np.nan_to_num(np.triu(now.moved, 1)).max()


def explore_mask():
    """Paint who may look at whom in "I love dogs .", and watch a model that has learned to look one word ahead.

    Shown: mask (4, 4), scores and weights (4, 4), output (4, 4), how much of each word a row has read, and moved (4, 4), how
    far the output of each word (down) moves when one word (across) is changed a little
    """
    return explorer(
        _painted,
        _grid_and_bars,
        _say_what_is_practised,
        [SHARES, Rule("no later word moves an output", _from_the_future, "a later word moves an output by {:.3f}")],
        presets={
            name: {"mask": mask, "when": "before softmax"}
            for name, mask in (("causal", CAUSAL), ("everything", EVERYTHING))
        },
        touch={"mask": Paint("mask", _what_painting_does)},
        folded=["mask"],
        mask=SwitchGrid("mask", EVERYTHING, rows=[f"'{word}' sees" for word in WORDS], columns=WORDS),
        when=choose("mask applied", list(_WAYS), "before softmax"),
    )


def _shares(scores, mask):
    """Softmax over what may be seen; a row with nothing to see is 0/0, NaN."""
    scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):  # -inf minus -inf: the NaN is the point
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)


_WAYS = {"before softmax": _shares, "after softmax": lambda scores, mask: np.where(mask, softmax(scores), 0)}


def _painted(mask, when):
    def attend(X):
        scores = X @ LOOKS_AHEAD @ X.T
        weights = _WAYS[when](scores, mask)
        return scores, weights, weights @ X

    words = np.eye(len(WORDS))  # each word is its own feature
    scores, weights, output = attend(words)
    moved = [np.abs(attend(words + NUDGE * word[:, None])[-1] - output).max(axis=1) for word in np.eye(4)]
    return {"mask": mask, "scores": scores, "weights": weights, "output": output, "moved": np.transpose(moved)}


def _exercises(now):
    """Of each word that has a next one, what its exercise is worth: one of HONEST, CHEATS, HEARS, BLIND."""
    late = np.nan_to_num(np.triu(now.moved, 1)).max(axis=1) > 1e-9
    return [
        CHEATS if row.argmax() == k + 1 else HEARS if late[k] else HONEST if now.mask[k].any() else BLIND
        for k, row in enumerate(np.nan_to_num(now.output[:-1]))
    ]


def _say_what_is_practised(now):
    worth = _exercises(now)
    told = f"{now.mask.sum()} of 16 cells are open, and "
    if worth.count(CHEATS) == 3:
        told += "in all 3 exercises the model reads the answer."
    else:
        told += f"{worth.count(HONEST)} of 3 exercises are honest."
        told += f" In {worth.count(CHEATS)} of them the model reads the answer." if CHEATS in worth else ""
    if HEARS in worth:
        told += f" In {worth.count(HEARS)} of them the answer is hidden, but a later word still gets through."
    blind = [f"'{word}'" for word, row in zip(WORDS, now.weights, strict=True) if np.isnan(row).any()]
    return told + (f" {listed(blind)} may see nothing, so there is nothing to share out: 0/0." if blind else "")


def _what_painting_does(now, i, j):
    does = "keep '{}' from seeing '{}'" if now.mask[i, j] else "let '{}' see '{}'"
    share = "0/0" if np.isnan(now.weights[i, j]) else f"{now.weights[i, j]:.0%}"
    return f"{share}; click, or press and draw, to {does.format(WORDS[i], WORDS[j])}"


@in_two_widths((WIDE,), (NARROW,))
def _grid_and_bars(now, width):
    """The pairs as a grid to paint on; beside each row, or below them, what it has read, and the exercise that it is."""
    wide = width == WIDE
    left, top = 64, 44
    drawing = Drawing(width, 278 if wide else 672)
    drawing.words(left + 2 * CELL, 14, "may look at", size=13, colour="muted")
    for k, word in enumerate(WORDS):
        drawing.words(left + CELL * (k + 0.5), top - 8, word, size=16)
        drawing.words(left - 10, top + CELL * (k + 0.5) + 6, word, size=16, anchor="end")
    for i, j in np.ndindex(4, 4):
        _draw_pair(drawing, now, i, j, left + CELL * j, top + CELL * i)
    if _from_the_future(now) > 1e-9:
        drawing.words(left, top + 4 * CELL + 20, "red: from a later word", size=12, colour="wrong", anchor="start")
    x, y, step, bar = (296, top, CELL, 200) if wide else (64, top + 4 * CELL + 66, 46, 250)
    when, untouched = now.control_values["when"], now.mask.all()
    read = f"{'nothing' if untouched else 'read,'} masked {when}"
    read = "what each word reads" if untouched and when == "before softmax" else read
    drawing.words(x, y - 12, read, size=13, colour="muted", anchor="start")
    for k, word in enumerate(WORDS):
        _draw_reading(drawing, now, k, x, y + step * k + 10, bar)
        if not wide:
            drawing.words(x - 10, y + step * k + 31, word, size=15, anchor="end")
    x, y = (x + bar + 14, y) if wide else (20, y + 4 * step + 36)
    drawing.words(x, y - 12, "one sentence, three exercises", size=13, colour="muted", anchor="start")
    for k, worth in enumerate(_exercises(now)):
        _draw_exercise(drawing, now, k, worth, x, y + (step if wide else 44) * k + 10, 266 if wide else 300)
    return drawing.html(_told(now))


def _draw_pair(drawing, now, i, j, x, y):
    weight, leaks = now.weights[i, j], j > i and np.nan_to_num(now.moved[i, j]) > 1e-9
    strength = 0 if np.isnan(weight) else weight
    drawing.box(x + 2, y + 2, CELL - 4, CELL - 4, rx=5, fill="ink", fill_opacity=strength, stroke="line")
    if not now.mask[i, j]:
        drawing.line((x + 8, y + CELL - 8), (x + CELL - 8, y + 8), "muted", 1.5)
        drawing.line((x + 8, y + 8), (x + CELL - 8, y + CELL - 8), "muted", 1.5)
    if leaks:
        drawing.box(x + 3, y + 3, CELL - 6, CELL - 6, rx=5, fill="none", stroke="wrong", stroke_width=3)
    drawing.box(x + 2, y + 2, CELL - 4, CELL - 4, fill="transparent", place=(now.places("mask"), i, j))


def _draw_reading(drawing, now, k, x, y, width):
    """A bar of the words that a row has read, each as wide as its share, a hole where shares are missing."""
    at = x
    for j, share in enumerate(np.nan_to_num(now.weights[k])):
        role = "wrong" if j > k else "ink"
        drawing.box(at, y, width * share, 32, fill=role, fill_opacity=0.1 if j > k else 0.16, stroke="paper", rx=3)
        if share * width > 34:
            size = min(14, 14 * (width * share - 8) / text_width(WORDS[j], 14))
            drawing.words(at + width * share / 2, y + 21, WORDS[j], size=size, colour=role)
        at += width * share
    missing = 1 - np.nan_to_num(now.weights[k]).sum()
    if missing > 0.005:
        hole = width * missing
        drawing.box(at + 1, y + 1, hole - 2, 30, fill="none", stroke="wrong", stroke_dasharray="4 3", rx=3)
        if hole > 60:
            what = "0/0" if np.isnan(now.weights[k]).any() else "missing"
            drawing.words(at + hole / 2, y + 21, what, size=13, colour="wrong")


def _draw_exercise(drawing, now, k, worth, x, y, width):
    """What is read, an arrow and what is to be guessed; lit where it is honest."""
    if worth == HONEST:
        drawing.box(x, y, width, 32, rx=6, fill="chosen", fill_opacity=0.14, stroke="chosen", stroke_width=1.6)
    at, colour = x + 10, "wrong" if worth in (CHEATS, HEARS) else "chosen" if worth == HONEST else "muted"
    for j in range(k + 1):
        drawing.words(at, y + 21, WORDS[j], size=15, colour="ink" if now.mask[k, j] else "muted", anchor="start")
        at += text_width(WORDS[j], 15) + 5
    said = f"{WORDS[k + 1]} — {worth}" if worth == CHEATS else f"? — {worth}"
    drawing.words(at, y + 21, "→", size=15, colour="muted", anchor="start")
    drawing.words(at + 21, y + 21, said, size=15, colour=colour, anchor="start", bold=True)


def _told(now):
    read = [
        ", ".join(f"{word} {share:.2f}" for word, share in zip(WORDS, row) if share > 0.005)
        for row in np.nan_to_num(now.weights)
    ]
    rows = [f"{word} reads {each or 'nothing'}" for word, each in zip(WORDS, read, strict=True)]
    missing = [f"{1 - row.sum():.0%} of '{word}'" for word, row in zip(WORDS, now.weights) if 1 - row.sum() > 0.005]
    holes = f" Missing: {listed(missing)}." if missing else ""
    lines = [f"{' '.join(WORDS[: k + 1])} → {worth}" for k, worth in enumerate(_exercises(now))]
    return f"A grid of four words, {now.mask.sum()} of 16 cells open. {'; '.join(rows)}.{holes} Exercises: {'; '.join(lines)}."
