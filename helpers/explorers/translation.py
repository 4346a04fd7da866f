"""A trained transformer that translates dates: step through its writing, see where it looks, switch parts of it off."""

import functools
import re

import numpy as np

from helpers import matrices
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import SHARES, Rule, explorer
from helpers.explorers.sums import shared
from helpers.explorers.touch import Plane, Touch
from helpers.learning import date_model, dates
from helpers.learning.parameters import named_arrays, tree_leaves, tree_map
from helpers.pictures import plots

ATTENTIONS = {
    "cross: output asks source": "cross",
    "encoder: source asks itself": "encoder",
    "decoder: output asks itself": "decoder",
}
HEADS = {"mean": 0, "1": 1, "2": 2, "3": 3, "4": 4}
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
PARTS = list(SWITCHES)
PER_STYLE = 10


def explore_decoding(parameters=None):
    """Type a date, click a letter of its translation, and see where the decoder looks while it writes that letter.

    Parameters
    ----------
    parameters : of the model that translates, such as `history.parameters`; None = those in data/date_model.npz

    Shown: numbers (10,), the tokens that the model writes; likeliest (5,) tokens at the chosen place and their probabilities
    (5,); weights (num_queries, num_keys) of the chosen attention
    """
    heat, model = _Heat(), _model(parameters)
    return explorer(
        functools.partial(_step_through, model),
        lambda now: _show_step(heat, now),
        _describe_step,
        [SHARES, Rule("all ten letters agree with the calendar", _calendar)],
        presets={
            "a long one": {"text": "Saturday, November 21, 2026"},
            "month in digits": {"text": "21/11/26"},
            "no such day": {"text": "31 Feb 2026"},
        },
        touch={
            "output": Touch(lambda now, k: _write(now, max(k, 1)), lambda now, k: f"write letter {max(k, 1)}"),
            "weights": Touch(lambda now, i, j: _write(now, i + 1), lambda now, i, j: f"write letter {i + 1}"),
            "attention": Touch(
                lambda now, k: {"attention": list(ATTENTIONS.values())[k]}, lambda now, k: list(ATTENTIONS)[k]
            ),
            "heads": Touch(lambda now, k: {"head": k}, lambda now, k: f"head {k}" if k else "mean of all heads"),
        },
        sums={"weights": _look_in_words},
        folded=["place", "attention", "head"],
        text=text_field("a date as people write it", "21 Nov 2026"),
        place=slider("letter that is written now", 6, 1, dates.TARGET_LENGTH, 1),
        attention=choose("attention", ATTENTIONS, "cross"),
        head=choose("head", HEADS, 0),
    )


def explore_ablation(parameters=None):
    """Switch off a part of a trained model, and count how many of 100 held-out dates it still gets right.

    Parameters
    ----------
    parameters : of the model, such as `history.parameters`; None = those in data/date_model.npz

    Shown: counts (16,), how many of 100 dates are right without each part; right (100,) Boolean; by_style (10,), how many of
    ten dates in each style; numbers (10,), the tokens that "21 nov 2026" becomes
    """
    (bars, axes), model = _bars(), _model(parameters)
    return explorer(
        functools.partial(_switch_off, model),
        lambda now: (bars.draw(now), _styles(now)),
        lambda now: (
            f"With {'the ' if 'mask' in now.off else ''}{now.off} switched off, {now.right.sum()} of {len(now.right)} held-out "
            f"dates come out right in all ten letters; 21 nov 2026 becomes {dates.to_text(now.numbers) or 'nothing'}."
        ),
        [Rule("at least 95 of 100 held-out dates are right", lambda now: np.sum(~now.right), "{} are wrong", 6)],
        planes={
            "parts": Plane(
                axes, lambda now, x, y: {"off": _part_at(y)}, "press a bar: switch this part off", drag=False
            )
        },
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


def _write(now, place):
    """A letter of the output is chosen: it asks the source, or what was written before it."""
    return {"place": place, "attention": "decoder" if now.attention == "decoder" else "cross"}


def _source(now):
    return [letter if letter.strip() else "␣" for letter in _letters(now.text)]


def _written(now):
    return [dates.VOCABULARY[number] for number in now.numbers]


def _sides(now):
    """Labels of queries and keys: the source, or what the decoder reads, the start mark and what it has written."""
    read = ["<s>", *_written(now)[:-1]]
    writing = [f"{before} → {after}" for before, after in zip(read, _written(now))]
    source = _source(now)
    return {"cross": (writing, source), "encoder": (source, source), "decoder": (writing, read)}[now.attention]


def _show_step(heat, now):
    words = [dates.VOCABULARY[number] for number in now.likeliest]
    likeliest = matrices.running(words, now.probabilities, "the next letter, and its probability")
    kinds = list(ATTENTIONS.values())
    return [
        [_source_text(now), likeliest],
        [
            _output_text(now),
            _choice("attention", kinds, kinds.index(now.attention), now.places("attention")),
            _choice("head", HEADS, now.head, now.places("heads")),
        ],
        _whole_map(heat, now),
    ]


def _choice(name, words, chosen, places):
    return matrices.running(words, np.zeros(len(words)), name, numbers=None, chosen=chosen, places=places)


def _source_text(now):
    """The source in running text: what the letter that is written gives to each letter; else what each gets on average."""
    source = _source(now)
    numbers = 2 if len(source) <= matrices.LARGEST else None
    if now.attention == "decoder":
        return matrices.running(source, np.zeros(len(source)), "source", numbers=None)
    if now.attention == "encoder":
        return matrices.running(
            source, now.weights.mean(axis=0), "source, what each letter gets on average", numbers=numbers
        )
    name = f"source, weights while letter {now.place} is written"
    return matrices.running(source, now.weights[now.place - 1], name, numbers=numbers)


def _output_text(now):
    weights = np.zeros(dates.TARGET_LENGTH + 1)
    if now.attention == "decoder":
        weights[:-1] = now.weights[now.place - 1]  # the last letter is never read
    words, looks = ["<s>", *_written(now)], {"numbers": None, "chosen": now.place, "places": now.places("output")}
    return matrices.running(words, weights, "output: click a letter", **looks)


def _whole_map(heat, now):
    asking, asked = _sides(now)
    chosen = now.place - 1 if now.attention != "encoder" else None
    if max(len(asking), len(asked)) > matrices.LARGEST:
        return heat.draw(now, asking, asked, chosen)
    looks = {"rows": asking, "columns": asked, "decimals": 2, "chosen_row": chosen, "row_sums": False}
    if chosen is None:  # the letters of the source are not written: a click does nothing
        looks["places"] = now.places("weights")._replace(answers="", title=functools.partial(_look_in_words, now))
    return now.table("weights", **looks)


def _look_in_words(now, i, j):
    asking, asked = _sides(now)
    who = f"head {now.head}" if now.head else "mean of all heads"
    return f"{who}: {asking[i]} looks at {asked[j]}, {shared(now.attention == 'decoder' and j > i)}"


def _describe_step(now):
    word, p = dates.VOCABULARY[now.likeliest[0]], now.probabilities[0]
    told = f"Letter {now.place} is {word!r}, with a probability of {p:.1%}."
    if now.attention != "encoder":
        row, asked = now.weights[now.place - 1], _sides(now)[1]
        most = int(np.argmax(row))
        told += (
            f" While writing it, the decoder gives most weight to {asked[most]!r}, place {most + 1}: {row[most]:.2f}."
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
    return wrong == 0, f"{wrong} do{'es' * (wrong == 1)} not"


class _Heat:
    """A map that is too large for a table."""

    def __init__(self):
        self._labels = None  # short dates never need the figure

    def _make(self):
        figure, self._ax = plots.new_figure(6.8, 2.9)
        self._image = plots.heatmap(
            self._ax, np.zeros((10, 29)), kind="weights", x_title="key: darkest where the weight is largest",
            y_title="query",
        )  # fmt: skip
        self._chosen = plots.frame(self._ax)
        self._ax.set_yticks(range(10), ["<s> → 2"] * 10)  # the widest labels make the layout: nothing may be cut later
        self._ax.tick_params(axis="y", labelsize=7)
        figure.canvas.draw()
        figure.set_layout_engine("none")
        self._figure = figure

    def draw(self, now, asking, asked, chosen):
        if self._labels is None:
            self._make()
        if (asking, asked) != self._labels:  # other letters at the axes: a new ground
            self._ax.set_xticks(range(len(asked)), asked)
            self._ax.set_yticks(range(len(asking)), asking)
            self._live = plots.LiveFigure(self._figure, [self._image, self._chosen], self._update)
            self._labels = (asking, asked)
        row, column = np.unravel_index(np.argmax(now.weights), now.weights.shape)
        return self._live.draw(
            now,
            f"Heatmap of {now.attention} weights, {len(asking)} queries by {len(asked)} keys; the largest, "
            f"{now.weights.max():.2f}, is that of {asking[row]!r}, place {row + 1}, for {asked[column]!r}, place {column + 1}.",
        )

    def _update(self, now):
        plots.resize_heatmap(self._image, now.weights)
        self._image.set_clim(0, now.weights.max())
        self._chosen.set_visible(now.attention != "encoder")
        self._chosen.set(xy=(-0.5, now.place - 1.5), width=now.weights.shape[1], height=1)


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


def _part_at(y):
    return PARTS[min(max(round(y), 0), len(PARTS) - 1)]


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


def _bars():
    """How many dates are right without each part, one bar under the other."""
    figure, axes = plots.new_figure(4.6, 4.4)
    bars = plots.Bars(axes, PARTS, x_title="held-out dates that come out right", largest=100)

    def tell(now):
        told = ", ".join(f"{part} {count}" for part, count in zip(PARTS, now.counts))
        return f"Of 100 held-out dates come out right, with this part switched off: {told}."

    return plots.LiveFigure(figure, bars.moving, lambda now: bars.move(now.counts, PARTS.index(now.off)), tell), axes
