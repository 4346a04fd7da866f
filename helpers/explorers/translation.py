"""A trained transformer that translates dates: step through its writing, see where it looks, switch parts of it off."""

import functools

import numpy as np

from helpers import date_model, dates, matrices, plots
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.parameters import tree_map

ATTENTIONS = {
    "cross-attention: what is written asks the source": "cross",
    "encoder: the source asks itself": "encoder",
    "decoder: what is written asks itself": "decoder",
}
HEADS = {"mean of all": 0, "1": 1, "2": 2, "3": 3, "4": 4}
LIKELIEST = 5
SWITCHES = {
    "nothing": {},
    "positions": {"positions": False},
    "causal mask": {"causal": False},
    "padding mask": {"padding": False},
    **{
        f"{words} head {head + 1}": {"head": (attention, head)}
        for attention, words in (("encoder", "encoder"), ("decoder", "decoder"), ("cross", "cross-attention"))
        for head in range(date_model.MODEL["num_heads"])
    },
}
PER_STYLE = 10


def explore_decoding(parameters=None):
    """Type a date, and step through its translation, letter by letter.

    Parameters
    ----------
    parameters : of the model that translates, such as `history.parameters`; None = those in data/date_model.npz

    Returns
    -------
    Explorer
        shown: numbers (10,), the tokens that the model writes; likeliest (5,) tokens at the chosen place and their
        probabilities (5,); weights (num_queries, num_keys) of the chosen attention
    """
    heat, model = _Heat(), _model(parameters)
    return Explorer(
        {
            "text": text_field("a date as people write it", "21 Nov 2026"),
            "place": slider("letter that is written now", 6, 1, dates.TARGET_LENGTH, 1),
            "attention": choose("attention", ATTENTIONS, "cross"),
            "head": choose("head", HEADS, 0),
        },
        functools.partial(_step_through, model),
        lambda shown, values: _draw_step(heat, shown, values),
        _describe_step,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), *_calendar(shown, values["text"])],
        presets={
            "a long one": {"text": "Saturday, November 21, 2026"},
            "month in digits": {"text": "21/11/26"},
            "no such day": {"text": "31 Feb 2026"},
        },
    )


def explore_ablation(parameters=None):
    """Switch off a part of a trained model, and count how many of 100 held-out dates it still gets right.

    Parameters
    ----------
    parameters : of the model, such as `history.parameters`; None = those in data/date_model.npz

    Returns
    -------
    Explorer
        shown: right (100,) Boolean; by_style (10,), how many of ten dates in each style; numbers (10,), the tokens that
        "21 nov 2026" becomes
    """
    return Explorer(
        {"off": stops("switched off", [(words, words) for words in SWITCHES], "nothing")},
        functools.partial(_switch_off, _model(parameters)),
        lambda shown, values: matrices.matrix(
            np.stack([shown["by_style"], np.full(len(dates.FORMATS), PER_STYLE)], axis=1),
            f"off: {values['off']}",
            rows=list(dates.FORMATS),
            columns=["right", "of"],
            corner="written like",
            decimals=0,
        ),
        lambda shown, values: (
            f"With {values['off']} switched off, {shown['right'].sum()} of {len(shown['right'])} held-out dates come out "
            f"right in all ten letters; 21 nov 2026 becomes {dates.to_text(shown['numbers']) or 'nothing'}."
        ),
        lights=lambda shown, values: [_most_are_right(shown["right"])],
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
        self.parameters = tree_map(lambda array: array.astype(np.float64), parameters)


@functools.cache
def _model_of_the_course():
    return _Model(date_model.load_model())


def _model(parameters):
    return _model_of_the_course() if parameters is None else _Model(parameters)


# --- one date --------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _translated(model, letters):
    row = dates.to_numbers(letters)
    return date_model.translate(model.parameters, row[None], [len(row)])


def _letters(text):
    return text.strip().lower()


def _step_through(model, text, place, attention, head):
    translation = _translated(model, _letters(text))
    probabilities = translation.probabilities[0, place - 1]
    likeliest = np.argsort(-probabilities, kind="stable")[:LIKELIEST]
    weights = translation.attention[attention][0]
    return {
        "numbers": translation.numbers[0].copy(),
        "likeliest": likeliest,
        "probabilities": probabilities[likeliest],
        "weights": weights[head - 1].copy() if head else weights.mean(axis=0),
    }


def _sides(shown, values):
    """Labels of queries and keys: the source, or what the decoder reads, the start mark and what it has written."""
    written = [dates.VOCABULARY[number] for number in shown["numbers"]]
    source = [letter if letter.strip() else "␣" for letter in _letters(values["text"])]
    read = ["<s>", *written[:-1]]
    writing = [f"{before} → {after}" for before, after in zip(read, written)]
    return {"cross": (writing, source), "encoder": (source, source), "decoder": (writing, read)}[values["attention"]]


def _draw_step(heat, shown, values):
    asking, asked = _sides(shown, values)
    place, written = values["place"], dates.to_text(shown["numbers"])
    words = [dates.VOCABULARY[number] for number in shown["likeliest"]]
    chosen = place - 1 if values["attention"] != "encoder" else None
    if max(len(asking), len(asked)) <= matrices.LARGEST:
        picture = matrices.matrix(
            shown["weights"], "weights", kind="weights", rows=asking, columns=asked, corner="query ↓ key →", decimals=2,
            chosen_row=chosen,
        )  # fmt: skip
    else:
        picture = heat.draw(shown, asking, asked, values["attention"])
    return matrices.under(
        matrices.table(
            [["source", _letters(values["text"])], ["written so far", f"{written[: place - 1]}▁"], ["in the end", written]],
            "translation", ["letters"],
        ),
        matrices.matrix(
            shown["probabilities"], "probability of the next letter", kind="weights", rows=["probability"], columns=words
        ),
        picture,
    )  # fmt: skip


def _describe_step(shown, values):
    word, p = dates.VOCABULARY[shown["likeliest"][0]], shown["probabilities"][0]
    told = f"Letter {values['place']} is {word!r}, with a probability of {p:.1%}."
    if values["attention"] != "encoder":
        row = shown["weights"][values["place"] - 1]
        asked = _sides(shown, values)[1]
        most = int(np.argmax(row))
        told += (
            f" It is written by looking most at {asked[most]!r}, place {most + 1}, with a weight of {row[most]:.2f}."
        )
    if dates.read(values["text"]) is None:
        told += (
            f" This text is in none of the ten styles, or names no day from {dates.FIRST.year} to {dates.LAST.year}; "
            "the model writes a date all the same."
        )
    return told


def _calendar(shown, text):
    """The light for the whole date, where the rules of the calendar can read the text."""
    if (day := dates.read(text)) is None:
        return []
    written = [dates.VOCABULARY[number] for number in shown["numbers"]]
    wrong = sum(one != other for one, other in zip(written, day.isoformat(), strict=True))
    return [Light("all ten letters agree with the calendar", wrong == 0, f"{wrong} do not")]


class _Heat:
    """A map that is too large for a table."""

    def __init__(self):
        figure, self._ax = plots.new_figure(6.2, 4.4)
        self._image = plots.heatmap(
            self._ax, np.zeros((10, 29)), kind="weights", x_title="key (who is asked)", y_title="query (who asks)",
            bar="weight",
        )  # fmt: skip
        self._ax.set_yticks(range(10), ["<s> → 2"] * 10)  # the widest labels make the layout: nothing may be cut later
        figure.canvas.draw()
        figure.set_layout_engine("none")
        self._figure, self._live, self._labels = figure, None, None

    def draw(self, shown, asking, asked, name):
        if (asking, asked) != self._labels:  # other letters at the axes: a new ground
            self._ax.set_xticks(range(len(asked)), asked)
            self._ax.set_yticks(range(len(asking)), asking)
            self._live = plots.LiveFigure(self._figure, [self._image], self._update)
            self._labels = (asking, asked)
        row, column = np.unravel_index(np.argmax(shown["weights"]), shown["weights"].shape)
        return self._live.draw(
            shown,
            f"Heatmap of {name} weights, {len(asking)} queries by {len(asked)} keys; the largest is that of "
            f"{asking[row]!r}, place {row + 1}, for {asked[column]!r}, place {column + 1}.",
        )

    def _update(self, shown):
        plots.resize_heatmap(self._image, shown["weights"])


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
        "right": right.copy(),
        "by_style": right.reshape(PER_STYLE, -1).sum(axis=0),
        "numbers": numbers.copy(),
    }


def _most_are_right(right):
    wrong = int(np.sum(~right))
    return Light("at least 95 of 100 held-out dates are right", wrong <= 5, f"{wrong} are wrong")
