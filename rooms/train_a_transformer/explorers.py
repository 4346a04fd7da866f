"""A trained transformer that translates dates: step through its writing, see where it looks, switch parts of it off."""

import functools
import re

import ipywidgets as widgets
import numpy as np
from IPython.display import display

from helpers.learning.parameters import tree_leaves, tree_map
from helpers.support import inputs
from rooms.shared import date_model, dates, ribbons
from rooms.train_a_transformer.growing import explore_training, rows_of_letters  # noqa: F401
from workbench import Drawing, Rule, Touch, add_map, choose, explorer, matrices, slider, stops, text_field
from workbench.moving.living import replace_last
from workbench.moving.look import style
from workbench.moving.page import paragraph
from workbench.pictures.html import by_width, in_two_widths

HEADS = {"mean": 0, "0": 1, "1": 2, "2": 3, "3": 4}  # the mean comes first, so head k is map k + 1
WIDE, PHONE, HIGH, SOURCE, OUTPUT = 780, 340, 336, 42, 158  # pixels; where the two rows of letters stand
SWITCHES = {
    "nothing": {},
    "positions": {"positions": False},
    "padding mask": {"padding": False},
    **{
        f"{words} head {head}": {"head": (attention, head)}
        for attention, words in (("encoder", "encoder"), ("decoder", "decoder"), ("cross", "cross-attention"))
        for head in range(date_model.MODEL["num_heads"])
    },
}
PARTS = list(SWITCHES)
PER_STYLE = 10
DATES = {"a long one": "Saturday, November 21, 2026", "month in digits": "21/11/26", "no such day": "31 Feb 2026"}


def explore_decoding(parameters=None):
    """Type a date, click a letter of its translation, and see where the decoder looks while it writes that letter.

    Parameters
    ----------
    parameters : of the model that translates, such as `history.parameters`; None = those in data/date_model.npz

    Shown: numbers (10,), the tokens that the model writes; probability (), of the one at the chosen position; heads (5, 10, num_letters), the cross-attention of all heads on average, then of each
    """
    model = _model(parameters)
    return explorer(
        functools.partial(_step_through, model),
        lambda now: [_lines(now)],
        _describe_step,
        [Rule("all ten letters agree with the calendar", _calendar)],
        presets={name: {"text": text} for name, text in DATES.items()},
        touch={
            "output": Touch(lambda now, k: {"place": k}, lambda now, k: f"write the letter at position {k}"),
            "heads": Touch(lambda now, k: {"head": k}, lambda now, k: f"head {k - 1}" if k else "mean of all heads"),
        },
        folded=["place", "head"],
        text=text_field("a date as people write it", "21 Nov 2026"),
        place=slider("position that is written now", 0, 0, dates.TARGET_LENGTH - 1, 1),
        head=choose("head", HEADS, 0),
    )


def explore_ablation(parameters=None):
    """Switch off a part of a trained model, and count how many of 100 held-out dates it still gets right.

    Parameters
    ----------
    parameters : of the model, such as `history.parameters`; None = those in data/date_model.npz

    Shown: counts (15,), how many of 100 dates are right without each part; right (100,) Boolean; by_style (10,), how many of
    ten dates in each style; numbers (10,), the tokens that "21 nov 2026" becomes
    """
    return explorer(
        functools.partial(_switch_off, _model(parameters)),
        lambda now: [_towers(now), *([_styles(now)] if now.off != "nothing" else [])],
        lambda now: (
            f"With {'the ' if 'mask' in now.off else ''}{now.off} switched off, {now.right.sum()} of {len(now.right)} held-out "
            f"dates come out right in all ten letters; 21 nov 2026 becomes {dates.to_text(now.numbers) or 'nothing'}."
        ),
        [Rule("at least 95 of 100 held-out dates are right", lambda now: np.sum(~now.right), "{} of 100 held-out dates are wrong", 6)],
        touch={"parts": Touch(_switch, lambda now, k: f"click: switch {PARTS[k]} {'on' if now.off == PARTS[k] else 'off'}")},
        sums={"by_style": _dates_in_words},
        folded=["off"],
        off=stops("switched off", [(part, part) for part in PARTS], "nothing"),
    )  # fmt: skip


def _switch(now, k):
    return {"off": "nothing" if now.off == PARTS[k] else PARTS[k]}


class _Model:
    """Parameters in 64-bit floats: slower than 32, but every machine then shows the same decimals.

    Unlike a dict, it can be what a cache goes by.
    """

    def __init__(self, parameters):
        right = "parameters must be those of a model, such as history.parameters"
        if not isinstance(parameters, dict):
            raise TypeError(f"{right}, got {type(parameters).__name__}.")
        if any(not hasattr(array, "astype") for array in tree_leaves(parameters)):
            raise TypeError(f"{right}, got other things than arrays.")
        self.parameters = tree_map(lambda array: array.astype(np.float64), parameters)


_model_of_the_course = functools.cache(lambda: _Model(date_model.load_model()))


def _model(parameters):
    """A model once: what lesson 13 shows at its end is mostly the one that it showed at its start."""
    course = _model_of_the_course()
    model = course if parameters is None else _Model(parameters)
    mine, known = (tree_leaves(each.parameters) for each in (model, course))
    return course if len(mine) == len(known) and all(map(np.array_equal, mine, known)) else model


# --- one date --------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _translated(model, letters):
    row = dates.to_numbers(letters)
    return date_model.translate(model.parameters, row[None], [len(row)])


def _letters(text):
    return text.strip().lower()


def _step_through(model, text, place, head):
    translation = _translated(model, _letters(text))
    heads = translation.attention["cross"][0]
    return {
        "numbers": translation.numbers[0].copy(),
        "probability": translation.probabilities[0, place].max(),
        "heads": np.concatenate([heads.mean(axis=0)[None], heads]),
    }


def _source(now):
    return [letter if letter.strip() else "␣" for letter in _letters(now.text)]


def _written(now):
    return [dates.VOCABULARY[number] for number in now.numbers]


@in_two_widths((WIDE, 90, 36), (PHONE, 46, 29))
def _lines(now, width, left, step):
    """The source above, the output below, and from the letter that is written a line to each that it looks at."""
    phone = width == PHONE
    drawing = Drawing(width, HIGH + 136 * phone)
    source, row = _source(now), now.heads[now.head, now.place]
    spread = min(step, (width - left) / len(source))
    across = [left + (k + 0.5) * spread for k in range(len(source))]
    down = [left + step * (k + 0.5) for k in range(dates.TARGET_LENGTH)]
    foot = down[now.place], OUTPUT - 23
    ribbons.fan(drawing, (foot[0], foot[1] - ribbons.FOOT), [(x, SOURCE + 8) for x in across], row)
    ribbons.foot(drawing, *foot)
    drawing.words(0, SOURCE, "source", size=12, colour="muted", anchor="start")
    drawing.words(0, OUTPUT, "output", size=12, colour="muted", anchor="start")
    told = ribbons.with_room([(x, 0) for x in across], row, 0.1, wide=26)
    for k, letter in enumerate(source):
        drawing.words(across[k], SOURCE, letter, size=min(18, 1.5 * spread), colour="key", bold=row[k] >= 0.5)
        if k in told:
            drawing.words(min(across[k], width - 12), SOURCE - 24, f"{row[k]:.0%}", size=11, colour="muted")
    for k, word in enumerate(_written(now)):
        chosen = k == now.place
        box = {"x": down[k] - step / 2 + 2, "y": OUTPUT - 22, "width": step - 4, "height": 32, "rx": 5}
        drawing.add("rect", fill="none", stroke="query" if chosen else "line", stroke_width=2 if chosen else 1, **box)
        colour, size = "query" if chosen else "ink", 18 if len(word) == 1 else 10
        drawing.words(down[k], OUTPUT, word, size=size, colour=colour, bold=chosen)
        drawing.add("rect", fill="transparent", place=(now.places("output"), k), **box)
    _all_heads(now, drawing, *([(8, OUTPUT + 34), 3, 112] if phone else [(left + 4, OUTPUT + 34), 5, 126]))
    looks = ", ".join(f"{source[k]!r} {row[k]:.2f}" for k in np.argsort(-row, kind="stable") if row[k] >= 0.1)
    told = f"source: {'·'.join(source)}\noutput: {'·'.join(_written(now))}\nPosition {now.place} looks at {looks}."
    return drawing.html(told)


def _all_heads(now, drawing, corner, per_line, apart):
    """A small map of each head, one pixel for one number: a row for each letter written, a column for each read."""
    num_letters = now.heads.shape[-1]
    width, height = max(2, 92 // num_letters), 10
    for k, name in enumerate(HEADS):
        (line, column), chosen = divmod(k, per_line), now.head == k
        x, top = corner[0] + apart * column, corner[1] + 136 * line
        y = top + 12
        colour = "chosen" if chosen else "muted"
        label = f"head {name}" if k else "mean"
        drawing.words(x, top, label, size=12, colour=colour, anchor="start", bold=chosen)
        add_map(drawing, now.heads[k], x, y, cell=(width, height), limit=1.0)
        frame = {"x": x, "y": y, "width": num_letters * width, "height": dates.TARGET_LENGTH * height}
        drawing.add("rect", fill="none", stroke=colour if chosen else "line", stroke_width=2 if chosen else 1, **frame)
        middle = y + (now.place + 0.5) * height
        drawing.line((x - 6, middle), (x - 2, middle), "query", 3)
        drawing.add("rect", fill="transparent", place=(now.places("heads"), k), **frame)


def _describe_step(now):
    row, source = now.heads[now.head, now.place], _source(now)
    most = int(np.argmax(row))
    who = "the decoder gives" if now.head == 0 else f"head {now.head - 1} gives"
    told = (
        f"Position {now.place} gets {_written(now)[now.place]!r}, with a probability of {now.probability:.1%}. While writing it, {who} "
        f"most weight to {source[most]!r} at position {most}: {row[most]:.0%}."
    )
    if dates.read(now.text) is None:
        told += f" {_why_no_day(now.text)}; the model writes ten letters all the same."
    return told


def _why_no_day(text):
    """Another style, or one of the ten with numbers that no day has; with small numbers only the latter is read."""
    small = re.sub(r"\d+", lambda number: "2026" if len(number[0]) == 4 else "1".zfill(len(number[0])), text)
    if dates.read(small) is None:
        return "This text is in none of the ten styles"
    return f"The style is one of the ten, but this is no day from {dates.FIRST.year} to {dates.LAST.year}"


def _calendar(now):
    """The light for the whole date, where the rules of the calendar can read the text."""
    if (day := dates.read(now.text)) is None:
        return None
    wrong = sum(one != other for one, other in zip(_written(now), day.isoformat(), strict=True))
    return wrong == 0, f"{wrong} of ten letters {'is' if wrong == 1 else 'are'} wrong"


# --- parts switched off ----------------------------------------------------------------------------------------------


@functools.cache
def _held_out():
    """100 held-out dates, ten in each style, and the one of the sentence."""
    _, days = dates.split()
    days = days[: PER_STYLE * len(dates.FORMATS)]
    texts = [dates.write(day, style) for day, style in zip(days, list(dates.FORMATS) * PER_STYLE)]
    return dates.batch_of([*texts, "21 nov 2026"], [*days, dates.read("21 nov 2026")])


@functools.lru_cache(maxsize=64)
def _without(model, off):
    """(100,) Boolean, and the ten letters of the example."""
    how, parameters, held_out = dict(SWITCHES[off]), model.parameters, _held_out()
    if "head" in how:
        parameters = date_model.without_head(parameters, *how.pop("head"))
    numbers = date_model.translate(parameters, held_out.sources, held_out.lengths, **how).numbers
    return np.all(numbers == held_out.targets, axis=-1)[:-1], numbers[-1]


def _switch_off(model, off):
    right, numbers = _without(model, off)
    counts, by_style = [_without(model, part)[0].sum() for part in PARTS], right.reshape(PER_STYLE, -1).sum(axis=0)
    return {"counts": np.array(counts), "right": right.copy(), "by_style": by_style, "numbers": numbers.copy()}


def _styles(now):
    both = np.stack([now.by_style, np.full(len(dates.FORMATS), PER_STYLE)], axis=1)
    return matrices.matrix(
        both, f"off: {now.off}", rows=list(dates.FORMATS), columns=["right", "of"], corner="written like", decimals=0,
        places=now.places("by_style"),
    )  # fmt: skip


def _dates_in_words(now, i, j):
    style = list(dates.FORMATS)[i]
    return f"held-out dates written like {style}" + ("" if j else f" that come out right, off: {now.off}")


TOWERS = [  # from above: boxes that are left alone, parts that can be switched off, and rows of heads
    ["feed-forward", ("encoder", "encoder, self-attention"), ("padding mask",), ("positions",), "the date"],
    ["the next letter", "feed-forward", ("cross-attention", "cross-attention"), ("decoder", "decoder, self-attention"), ("positions",), "what is written"],
]  # fmt: skip
SQUARE, APART, BOX, LEVEL, HEADS_LEVEL = 44, 52, 32, 50, 104  # pixels


def _towers(now):
    """The plan of the model; a part is as red as dates are lost without it."""
    wide, phone = Drawing(WIDE, 448), Drawing(PHONE, 800)
    _headline(wide, now)
    _tower(wide, now, TOWERS[0], 190, 138)
    _tower(wide, now, TOWERS[1], 600, 12)
    wide.curve([(190, 138), (190, 116), (400, 116), (400, 142), (488, 142)], "key", 2)
    wide.add("polygon", points="498,142 488,137 488,147", fill="key")
    wide.words(295, 108, "memory", size=13, colour="muted")
    _headline(phone, now)
    _tower(phone, now, TOWERS[1], 170, 78)
    phone.words(170, 494, "▴ memory, to the cross-attention", size=13, colour="key", halo=True)
    _tower(phone, now, TOWERS[0], 170, 508)
    told = ", ".join(f"{part} {count}" for part, count in zip(PARTS, now.counts))
    text = f"Of 100 held-out dates come out right, with this part switched off: {told}."
    return by_width(wide.html(text), phone.html(text))


def _headline(drawing, now):
    off, colour = ("all parts on", "ink") if now.off == "nothing" else (f"{now.off} off", "wrong")
    drawing.words(0, 18, off, size=15, bold=True, anchor="start", colour=colour)
    drawing.words(0, 42, "21 nov 2026 →", size=15, anchor="start")
    for k, (token, right) in enumerate(zip(now.numbers, "2026-11-21")):
        letter = dates.VOCABULARY[token]
        how = {"bold": True} if letter == right else {"colour": "wrong"}
        drawing.words(124 + 12 * k, 42, letter if len(letter) == 1 else "∅", size=17, **how)
    drawing.words(0, 64, f"{now.right.sum()} of 100 dates are right", size=14, colour="muted", anchor="start")


def _tower(drawing, now, levels, x, top):
    """One tower, its road in the middle; what can be switched off answers the hand."""
    heights = [HEADS_LEVEL if isinstance(level, tuple) and len(level) == 2 else LEVEL for level in levels]
    drawing.line((x, top + BOX), (x, top + sum(heights) - LEVEL), "line", 2)
    for level, y in zip(levels, top + np.r_[0, np.cumsum(heights)[:-1]]):
        if isinstance(level, str):
            drawing.box(x - 70, y, 140, BOX, rx=6, fill="paper", stroke="line")
            drawing.words(x, y + 21, level, size=13, colour="muted")
        elif len(level) == 1:
            drawing.box(x - 84, y - 2, 176, BOX + 4, fill="paper")
            drawing.words(x - 44, y + 21, level[0], size=13, anchor="start")
            _part(drawing, now, PARTS.index(level[0]), x - 84, y, BOX)  # over its name, which answers the hand, too
        else:
            (attention, name), left = level, x - 2 * APART + 4
            drawing.box(left - 4, y - 14, 4 * APART, HEADS_LEVEL - 14, fill="paper")
            drawing.words(x, y, name, size=13)
            for head in range(4):
                _part(drawing, now, PARTS.index(f"{attention} head {head}"), left + APART * head, y + 8, SQUARE)


def _part(drawing, now, k, x, y, size):
    """A square, as red from above as dates are lost, and how many."""
    lost, off, head = now.counts[0] - now.counts[k], now.off == PARTS[k], size == SQUARE
    share = np.clip(lost / max(now.counts[0], 1), 0, 1)
    drawing.box(x, y, size, size, rx=4, fill="muted", fill_opacity=0.35)
    drawing.box(x, y, size, size * share, rx=4 if share > 0.9 else 2, fill="wrong", fill_opacity=0.85)
    if off:
        drawing.box(x - 2, y - 2, size + 4, size + 4, rx=6, fill="none", stroke="chosen", stroke_width=3)
    told = f"−{lost}" if lost > 0 else f"+{-lost}" if lost else "0"
    look = {"size": 13, "colour": "wrong" if lost > 25 else "muted", "bold": lost > 25}
    if head:
        drawing.words(x + size / 2, y + size / 2 + 4, PARTS[k].partition(" head ")[2], size=12, halo=True)
        drawing.words(x + size / 2, y + size + 17, told, **look)
    else:
        drawing.words(x + 176, y + 21, told, anchor="end", **look)
    box = {"x": x - 4, "y": y - 4, "width": APART if head else 184, "height": size + (24 if head else 8)}
    drawing.add("rect", fill="transparent", place=(now.places("parts"), k), **box)


# --- a training that is watched while it runs ------------------------------------------------------------------------

DATE = "21 nov 2026"


def watch_dates(every=30):
    """Show a training of the date model while it runs: a row of what one date becomes for each step that is kept.

    Parameters
    ----------
    every : steps from one row to the next, at least 1

    Returns
    -------
    function(losses, parameters), for `watch` of `date_model.train`
    """
    every = inputs.whole_number("every", every, minimum=1)
    view = widgets.HTML()
    view.add_class("explorer-view")
    box = widgets.VBox([widgets.HTML(f"<style>{style()}</style>", layout=widgets.Layout(display="none")), view])
    box.add_class("explorer")
    steps, rows = [], []

    def watch(losses, parameters):
        if len(losses) == 1:
            steps.clear(), rows.clear()
            replace_last(box)
            display(box)
        if len(losses) == 1 or len(losses) % every == 0:
            steps.append(len(losses))
            rows.append(_by_now(parameters))
            view.value = _rows_by_now(steps, rows, losses[-1])

    return watch


def _by_now(parameters):
    source = dates.to_numbers(DATE)
    return date_model.translate(parameters, source[None], [len(source)]).numbers[0]


def _rows_by_now(steps, rows, loss):
    """At most eleven rows, the last one among them."""
    kept = np.unique(np.linspace(0, len(steps) - 1, min(11, len(steps))).round().astype(int))
    steps, rows = ([each[k] for k in kept] for each in (steps, rows))
    picture = rows_of_letters(DATE, steps, rows, dates.batch_of([DATE], [dates.read(DATE)]).targets[0])
    done = f"{steps[-1]} step{'s' * (steps[-1] > 1)}"
    return picture.html + paragraph(f"After {done} the loss is {loss:.3f}; {DATE} becomes {dates.to_text(rows[-1])}.")
