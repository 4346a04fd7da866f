"""What a model writes while it is trained: a row for each step that is shown, and in it the right letters are bold."""

import functools

from helpers.support import data_files
from rooms.shared import dates
from workbench import Drawing, Touch, by_width, explorer, slider, stops

PATH = data_files.path("date_training.npz")
STYLE, NUM_DATES, STEPS = "21 Nov 2026", 100, range(0, 301, 10)  # of the stored training
ROWS = range(0, 271, 30)  # the steps that are shown
ROW, TOP, PHONE, EDGE = 34, 62, 340, 8  # pixels; the last from a row's words to the frame of the hand
COUNTS = 18  # pixels, below the chosen row


def explore_training():
    """Look back at a training that has been stored: what a date that is not trained on becomes, step after step.

    Shown: written (10, 10), the tokens that the date becomes at ten steps; target (10,), those that are right; right (10,), how
    many of 100 such dates come out right then; letters (10,), how many of the 100 have each letter right, at the chosen step
    """
    return explorer(
        _look_back,
        lambda now: rows_of_letters(_stored()[2][now.date - 1], ROWS, now.written, now.target, now),
        _describe,
        touch={"rows": Touch(lambda now, k: {"step": ROWS[k]}, lambda now, k: f"click: step {ROWS[k]}")},
        folded=["step"],
        date=slider("another date", 6, 1, 20, 1),
        step=stops("step", [(str(step), step) for step in ROWS], 150),
    )


@functools.cache
def _stored():
    """(31, 100, 10) tokens, the batch of dates that they are made of, and how each is written."""
    days = dates.split()[1][:NUM_DATES]
    texts = [dates.write(day, STYLE).lower() for day in days]
    return data_files.arrays(PATH)["written"].astype(int), dates.batch_of(texts, days), texts


def _look_back(date, step):
    written, batch, _ = _stored()
    written = written[[STEPS.index(each) for each in ROWS]]
    same = written == batch.targets
    right, letters = same.all(axis=-1).sum(axis=-1), same[ROWS.index(step)].sum(axis=0)
    return {"written": written[:, date - 1], "target": batch.targets[date - 1], "right": right, "letters": letters}


def rows_of_letters(source, steps, written, target, now=None):
    """A date, and below it what a model makes of it, step after step; letters that are right are bold, others grey.

    Parameters
    ----------
    source : the date as it is read
    steps : (num_rows,) whole numbers
    written : (num_rows, 10) tokens
    target : (10,) tokens
    now : of `explore_training`, whose rows answer the hand and say how many of 100 dates come out right; or None
    """
    told = f"{source} should become {dates.to_text(target)}. " + " ".join(
        f"Step {step}: {dates.to_text(row) or 'nothing'}." for step, row in zip(steps, written)
    )
    how = source, steps, written, target, now
    return by_width(_drawn(620, 90, 36, *how).html(told), _drawn(PHONE, 56, 23, *how).html(told))


def _drawn(width, left, cell, source, steps, written, target, now):
    chosen, more = (ROWS.index(now.step), COUNTS) if now else (len(steps), 0)
    drawing, phone = Drawing(width, TOP + ROW * len(steps) + more + 4), width == PHONE
    drawing.words(left, 22, source, size=19, anchor="start", bold=True)
    drawing.words(EDGE, TOP - 14, "step", size=12, colour="muted", anchor="start")
    drawing.words(left, TOP - 14, "becomes", size=12, colour="muted", anchor="start")
    if now:
        counted = f"right, of {NUM_DATES}" if phone else f"all ten letters right, of {NUM_DATES} dates"
        drawing.words(width - EDGE, TOP - 14, counted, size=12, colour="muted", anchor="end")
    for k, (step, row) in enumerate(zip(steps, written, strict=True)):
        y = TOP + ROW * k + more * (k > chosen)
        if k == chosen:
            foot, look = y + ROW + 8, {"fill": "none", "stroke": "chosen", "stroke_width": 1.5}
            drawing.words(EDGE, foot, "right", size=12, colour="muted", anchor="start")
            for j, count in enumerate(now.letters):
                drawing.words(left + cell * (j + 0.5), foot, f"{count}", size=11 if phone else 12, colour="muted")
            drawing.box(left - 10, y, 10 * cell + 20, ROW - 4 + more, rx=6, **look)
        drawing.words(EDGE, y + 21, f"{step}", size=14, colour="muted", anchor="start")
        for j, (token, wanted) in enumerate(zip(row, target, strict=True)):
            look, letter = {"bold": True} if token == wanted else {"colour": "muted"}, dates.VOCABULARY[token]
            letter = {" ": "␣", "<pad>": "∅", "<s>": "∅"}.get(letter, letter)
            drawing.words(left + cell * (j + 0.5), y + 22, letter, size=20 if phone else 22, **look)
        if now:
            drawing.words(width - EDGE, y + 21, f"{now.right[k]}", size=15, anchor="end", bold=k == chosen)
            drawing.box(0, y, width, ROW - 4, fill="transparent", place=(now.places("rows"), k))
    return drawing


def _describe(now):
    k, source = ROWS.index(now.step), _stored()[2][now.date - 1]
    best, worst = now.letters.argmax(), now.letters.argmin()
    told = f"After {now.step} steps {source} becomes {dates.to_text(now.written[k]) or 'nothing'}."
    if now.letters.min() == now.letters.max():
        return f"{told} Each of the ten letters is right in {now.letters[0]} of {NUM_DATES} dates."
    return (
        f"{told} Of {NUM_DATES} dates that it doesn't train on, {now.right[k]} are right in all ten letters. Position {best} is right "
        f"in {now.letters[best]} of them, and position {worst} in {now.letters[worst]}."
    )
