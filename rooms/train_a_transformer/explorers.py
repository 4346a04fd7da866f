"""A trained transformer that translates dates: step through its writing, see where it looks, switch parts of it off."""

import functools
import re

import ipywidgets as widgets
import numpy as np
from IPython.display import display

from helpers.learning.parameters import named_arrays, tree_leaves, tree_map
from helpers.support import inputs
from rooms.shared import date_model, dates, ribbons
from workbench import matrices
from workbench.moving.controls import choose, slider, stops, text_field
from workbench.moving.engine import Rule, explorer
from workbench.moving.living import replace_last
from workbench.moving.look import STYLE
from workbench.moving.page import lay_out, paragraph
from workbench.moving.touch import Touch
from workbench.pictures.bars import bars
from workbench.pictures.chart import Chart
from workbench.pictures.html import by_width
from workbench.pictures.maps import add_map
from workbench.pictures.svg import Drawing

HEADS = {"mean": 0, "1": 1, "2": 2, "3": 3, "4": 4}
LIKELIEST = 5
WIDE, PHONE, HIGH, SOURCE, OUTPUT = 780, 340, 320, 42, 158  # pixels; where the two rows of letters stand
SWITCHES = {
    "nothing": {},
    "positions": {"positions": False},
    "padding mask": {"padding": False},
    **{
        f"{words} head {head + 1}": {"head": (attention, head)}
        for attention, words in (("encoder", "encoder"), ("decoder", "decoder"), ("cross", "cross-attention"))
        for head in range(date_model.MODEL["num_heads"])
    },
}
PARTS = list(SWITCHES)
PER_STYLE = 10


def explore_decoding(parameters=None):
    """Type a date, click a letter of its translation, and see where the decoder looks while it writes that letter.

    Parameters
    ----------
    parameters : of the model that translates, such as `history.parameters`; None = those in data/date_model.npz

    Shown: numbers (10,), the tokens that the model writes; likeliest (5,) tokens at the chosen place and their probabilities
    (5,); heads (5, 10, num_letters), the cross-attention of all heads on average, then of each
    """
    model = _model(parameters)
    return explorer(
        functools.partial(_step_through, model),
        lambda now: [_letters_and_lines(now)],
        _describe_step,
        [Rule("all ten letters agree with the calendar", _calendar)],
        presets={
            "a long one": {"text": "Saturday, November 21, 2026"},
            "month in digits": {"text": "21/11/26"},
            "no such day": {"text": "31 Feb 2026"},
        },
        touch={
            "output": Touch(lambda now, k: {"place": k + 1}, lambda now, k: f"write letter {k + 1}"),
            "heads": Touch(lambda now, k: {"head": k}, lambda now, k: f"head {k}" if k else "mean of all heads"),
        },
        folded=["place", "head"],
        text=text_field("a date as people write it", "21 Nov 2026"),
        place=slider("letter that is written now", 1, 1, dates.TARGET_LENGTH, 1),
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
        lambda now: (_bars(now), _styles(now)),
        lambda now: (
            f"With {'the ' if 'mask' in now.off else ''}{now.off} switched off, {now.right.sum()} of {len(now.right)} held-out "
            f"dates come out right in all ten letters; 21 nov 2026 becomes {dates.to_text(now.numbers) or 'nothing'}."
        ),
        [
            Rule(
                "at least 95 of 100 held-out dates are right",
                lambda now: np.sum(~now.right),
                "{} of 100 held-out dates are wrong",
                6,
            )
        ],
        touch={"parts": Touch(lambda now, k: {"off": PARTS[k]}, lambda now, k: f"click: switch off {PARTS[k]}")},
        sums={"by_style": _dates_in_words},
        folded=["off"],
        off=stops("switched off", [(part, part) for part in PARTS], "nothing"),
    )


class _Model:
    """Parameters in 64-bit floats: slower than 32, but every machine then shows the same decimals.

    Unlike a dict, it can be what a cache goes by.
    """

    def __init__(self, parameters):
        if not isinstance(parameters, dict):
            raise TypeError(
                f"parameters must be those of a model, such as history.parameters, got {type(parameters).__name__}."
            )
        if any(not hasattr(array, "astype") for array in tree_leaves(parameters)):
            raise TypeError(
                "parameters must be those of a model, such as history.parameters, got other things than arrays."
            )
        self.parameters = tree_map(lambda array: array.astype(np.float64), parameters)


@functools.cache
def _model_of_the_course():
    return _Model(date_model.load_model())


def _model(parameters):
    """A model once: what lesson 13 shows at its end is mostly the one that it showed at its start."""
    course = _model_of_the_course()
    model = course if parameters is None else _Model(parameters)
    mine, known = (dict(named_arrays(each.parameters, "model")) for each in (model, course))
    same = mine.keys() == known.keys() and all(np.array_equal(mine[name], known[name]) for name in mine)
    return course if same else model


# --- one date --------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _translated(model, letters):
    row = dates.to_numbers(letters)
    return date_model.translate(model.parameters, row[None], [len(row)])


def _letters(text):
    return text.strip().lower()


def _step_through(model, text, place, head):
    translation = _translated(model, _letters(text))
    probabilities = translation.probabilities[0, place - 1]
    likeliest = np.argsort(-probabilities, kind="stable")[:LIKELIEST]
    heads = translation.attention["cross"][0]
    return {
        "numbers": translation.numbers[0].copy(),
        "likeliest": likeliest,
        "probabilities": probabilities[likeliest],
        "heads": np.concatenate([heads.mean(axis=0)[None], heads]),
    }


def _source(now):
    return [letter if letter.strip() else "␣" for letter in _letters(now.text)]


def _written(now):
    return [dates.VOCABULARY[number] for number in now.numbers]


def _letters_and_lines(now):
    """The source above, the output below, and from the letter that is written a line to each that it looks at."""
    return by_width(_lines(now, WIDE, 90, 36), _lines(now, PHONE, 46, 29))


def _lines(now, width, left, step):
    phone = width == PHONE
    drawing = Drawing(width, HIGH + 272 * phone)
    source, row = _source(now), now.heads[now.head, now.place - 1]
    spread = min(step, (width - left) / len(source))
    across = [left + (k + 0.5) * spread for k in range(len(source))]
    down = [left + step * (k + 0.5) for k in range(dates.TARGET_LENGTH)]
    foot = down[now.place - 1], OUTPUT - 23
    ribbons.fan(drawing, (foot[0], foot[1] - ribbons.FOOT), [(x, SOURCE + 8) for x in across], row)
    ribbons.foot(drawing, *foot)
    drawing.words(0, SOURCE, "source", size=12, colour="muted", anchor="start")
    drawing.words(0, OUTPUT, "output", size=12, colour="muted", anchor="start")
    for k, letter in enumerate(source):
        drawing.words(across[k], SOURCE, letter, size=min(18, 1.5 * spread), colour="key", bold=row[k] >= 0.5)
        if row[k] >= 0.1:
            drawing.words(across[k], SOURCE - 24, f"{row[k]:.0%}", size=11, colour="muted")
    for k, word in enumerate(_written(now)):
        chosen, box = (
            k + 1 == now.place,
            {"x": down[k] - step / 2 + 2, "y": OUTPUT - 22, "width": step - 4, "height": 32, "rx": 5},
        )
        drawing.add("rect", fill="none", stroke="query" if chosen else "line", stroke_width=2 if chosen else 1, **box)
        colour, size = "query" if chosen else "ink", 18 if len(word) == 1 else 10
        drawing.words(down[k], OUTPUT, word, size=size, colour=colour, bold=chosen)
        drawing.add("rect", fill="transparent", place=(now.places("output"), k), **box)
    _bars_of_next(now, drawing, left=0 if phone else left)
    _all_heads(now, drawing, *([(4, OUTPUT + 188), 3, 112] if phone else []))
    looks = ", ".join(f"{source[k]!r} {row[k]:.2f}" for k in np.argsort(-row, kind="stable") if row[k] >= 0.1)
    return drawing.html(
        f"source: {'·'.join(source)}\noutput: {'·'.join(_written(now))}\nLetter {now.place} looks at {looks}."
    )


def _bars_of_next(now, drawing, left, top=OUTPUT + 34):
    """The likeliest letters at the place that is written."""
    drawing.words(left, top, "the next letter", size=12, colour="muted", anchor="start")
    for k, (token, share) in enumerate(zip(now.likeliest, now.probabilities)):
        y = top + 10 + 22 * k
        drawing.words(
            left + 20, y + 13, dates.VOCABULARY[token], colour="ink", anchor="end", size=14 if token > 1 else 10
        )
        drawing.box(left + 28, y + 2, max(110 * share, 0.5), 13, rx=2, fill="ink", fill_opacity=0.75)
        drawing.words(left + 34 + 110 * share, y + 13, f"{share:.0%}", size=12, colour="muted", anchor="start")


def _all_heads(now, drawing, corner=(290, OUTPUT + 34), per_line=5, apart=100):
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
        middle = y + (now.place - 0.5) * height
        drawing.line((x - 6, middle), (x - 2, middle), "query", 3)
        drawing.add("rect", fill="transparent", place=(now.places("heads"), k), **frame)


def _describe_step(now):
    word, p = dates.VOCABULARY[now.likeliest[0]], now.probabilities[0]
    row = now.heads[now.head, now.place - 1]
    most = int(np.argmax(row))
    who = f"head {now.head} gives" if now.head else "the decoder gives"
    told = (
        f"Letter {now.place} is {word!r}, with a probability of {p:.1%}. While writing it, {who} most weight to "
        f"{_source(now)[most]!r}, place {most + 1}: {row[most]:.2f}."
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
    return {
        "counts": np.array([_without(model, part)[0].sum() for part in PARTS]),
        "right": right.copy(),
        "by_style": right.reshape(PER_STYLE, -1).sum(axis=0),
        "numbers": numbers.copy(),
    }


def _styles(now):
    return matrices.matrix(
        np.stack([now.by_style, np.full(len(dates.FORMATS), PER_STYLE)], axis=1),
        f"off: {now.off}",
        rows=list(dates.FORMATS),
        columns=["right", "of"],
        corner="written like",
        decimals=0,
        places=now.places("by_style"),
    )


def _dates_in_words(now, i, j):
    style = list(dates.FORMATS)[i]
    return f"held-out dates written like {style}" + ("" if j else f" that come out right, off: {now.off}")


def _bars(now):
    """How many dates are right without each part, one bar under the other."""
    told = ", ".join(f"{part} {count}" for part, count in zip(PARTS, now.counts))
    how = {
        "told": [str(count) for count in now.counts], "title": "held-out dates of 100 that come out right", "longest": 22,
        "chosen": PARTS.index(now.off), "places": now.places("parts"),
    }  # fmt: skip
    text = f"Of 100 held-out dates come out right, with this part switched off: {told}."
    return by_width(*(bars(PARTS, now.counts / 100, text, width=width, **how) for width in (440, 340)))


# --- a training that is watched while it runs ------------------------------------------------------------------------

DATE = "21 nov 2026"


def watch_dates(every=25):
    """Show a training of the date model while it runs: its loss, what one date becomes by now, and where the decoder looks.

    Parameters
    ----------
    every : steps from one picture to the next, at least 1

    Returns
    -------
    function(losses, parameters), for `watch` of `date_model.train`
    """
    every = inputs.whole_number("every", every, minimum=1)
    view = widgets.HTML()
    view.add_class("explorer-view")
    box = widgets.VBox([widgets.HTML(f"<style>{STYLE}</style>", layout=widgets.Layout(display="none")), view])
    box.add_class("explorer")

    def watch(losses, parameters):
        if len(losses) == 1:
            replace_last(box)
            display(box)
        if len(losses) % every == 0:
            view.value = _by_now(losses, parameters)

    return watch


def _by_now(losses, parameters):
    source = dates.to_numbers(DATE)
    translation = date_model.translate(parameters, source[None], [len(source)])
    written = [dates.VOCABULARY[number] for number in translation.numbers[0]]
    weights = translation.attention["cross"][0].mean(axis=0)
    looks = matrices.matrix(
        weights, "cross-attention, mean of all heads", kind="weights", rows=written, decimals=2,
        columns=["␣" if letter == " " else letter for letter in DATE], corner="written ↓ source →",
    )  # fmt: skip
    steps = f"{len(losses)} step{'s' * (len(losses) > 1)}"
    said = f"After {steps} the loss is {losses[-1]:.3f}; {DATE} becomes {dates.to_text(translation.numbers[0])}."
    return lay_out([_loss(losses), looks]).html + paragraph(said)


def _loss(losses):
    """The loss of each batch on a logarithmic axis, which grows by hundreds of steps."""
    last = 100 * (len(losses) // 100 + 1)
    chart = Chart(
        (0, last), (1e-4, 10), ticks=range(0, last + 1, last // 4), up_ticks=(1e-4, 1e-2, 1), logarithmic=True,
        title="loss of each batch", x_title="step", size=(600, 220),
    )  # fmt: skip
    return chart.draw(np.arange(1, len(losses) + 1), losses)
