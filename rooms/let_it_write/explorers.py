"""A model that writes: what it draws next, and where its heads look meanwhile."""

import functools
import re

import numpy as np

from helpers import decoder
from helpers.learning import small_models
from rooms.let_it_write.names import explore_colour_of_a_name  # noqa: F401
from rooms.shared import ribbons
from workbench import Drawing, Touch, add_map, by_width, choose, explorer, in_two_widths, slider, stops, text_field

NUM_LETTERS = 72  # that it writes
# On a card, and on a phone: letters in a line, and pixels: of a letter, a line, its type.
LINES = (33, 24, 52, 34), (21, 16, 38, 23)
WIDTH, NARROW = (per_line * cell + 8 for per_line, cell, _, _ in LINES)
MONO = "var(--jp-code-font-family,monospace)"
LONGEST = 120  # letters of a beginning
BARS, LONG = 5, 220  # and pixels
CELL = 7.6  # pixels of a strip for a letter
STRIPS = (9, 3), (17, 4)  # pixels: how high a strip is, and from one to the next, on a card and on a phone
NUM_TRIES = 20
HEADS = {"all": "all"} | {f"{layer}.{head}": (layer, head) for layer in range(2) for head in range(4)}
TEMPERATURES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0]


def explore_writing(parameters=None, *, temperature=0.6):
    """Type a beginning, and a model goes on; click a letter to see where its heads looked before it was drawn.

    Parameters
    ----------
    parameters : of a model of letters, as `small_models.train` makes them; None = the stored one
    temperature : at the start, one of TEMPERATURES

    Shown: probabilities (32,), of the letter at the clicked place; plain_probabilities (32,), the same at temperature 1 with
    top_p 1; weights (2, 4, num_letters), how much each head looks at each letter that is read there; tokens (n,), the numbers of
    all letters; start (), how many of them were typed
    """
    model = _Writer(small_models.load_model("letters") if parameters is None else parameters)
    made = explorer(
        model.look,
        lambda now: [_in_lines(now), _bars_and_heads(now)],
        _describe,
        touch={
            "text": Touch(lambda now, k: {"place": k + 1}, lambda now, k: "click: how it was drawn, and where the heads looked"),
            "again": Touch(lambda now, k: {"draw": now.draw % NUM_TRIES + 1}, lambda now, k: "click: another try"),
            "heads": Touch(_turn_to, lambda now, i, j: "click: all heads" if now.head == (i, j) else f"click: head {i}.{j} above"),
        },
        folded=["place", "head", "draw"],
        beginning=text_field("beginning", "attention is "),
        temperature=stops("temperature", [(f"{each:g}", each) for each in TEMPERATURES], temperature),
        top_p=slider("top-p", 1.0, 0.1, 1.0, 0.05),
        head=choose("head", HEADS, "all"),
        draw=slider("another try", 13, 1, NUM_TRIES, 1),
        place=slider("letter", 1, 1, NUM_LETTERS, 1),
    )  # fmt: skip
    if parameters is None:
        made.computed_by = "letters"  # web/writer.js is the same model
    return made


def _turn_to(now, i, j):
    return {"head": "all" if now.head == (i, j) else (i, j)}


class _Writer:
    """Texts and logits of one model, kept while the controls move around them."""

    def __init__(self, parameters):
        self._parameters = parameters
        self.write = functools.lru_cache(64)(self.write)
        self.read = functools.lru_cache(64)(self.read)

    def write(self, beginning, temperature, top_p, draw):
        rng = np.random.default_rng(draw)
        how = {"temperature": temperature, "top_p": top_p, "rng": rng}
        return small_models.go_on(self._parameters, beginning, NUM_LETTERS, **how)

    def read(self, text):
        """Logits of the next letter, and what its place attends to, (layers, heads, num_letters)."""
        decoded = decoder.decode(small_models.to_numbers(text, small_models.LETTERS), self._parameters, num_heads=4)
        return decoded.logits[-1], np.stack([each.weights[:, -1] for each in decoded.attention])

    def look(self, beginning, temperature, top_p, head, draw, place):
        beginning = small_models.plain(beginning)[-LONGEST:]
        if not beginning:
            raise ValueError("beginning must hold at least one letter: the model goes on, it does not start.")
        written = self.write(beginning, temperature, top_p, draw)
        context = (beginning + written[: place - 1])[-small_models.CONTEXT :]
        logits, weights = self.read(context)
        return {
            "tokens": np.array(small_models.to_numbers(beginning + written, small_models.LETTERS)),
            "start": np.array(len(beginning)),
            "weights": weights,
            "probabilities": decoder.probabilities(logits, temperature=temperature, top_p=top_p),
            "plain_probabilities": decoder.probabilities(logits),
        }


def _words(now):
    return small_models.to_text(now.tokens, small_models.LETTERS)


def _wrapped(text, per_line):
    """(column, row) of every letter: a word that does not fit begins the next line."""
    places, column, row = [], 0, 0
    for word in re.findall(r"\S* ?", text):
        if column and column + len(word) > per_line:
            column, row = 0, row + 1
        for _ in word:
            places.append((column % per_line, row + column // per_line))
            column += 1
    return places


@in_two_widths(*LINES)
def _in_lines(now, per_line, cell, line, size):
    """The text, its beginning muted; where a head is chosen, the shade behind a letter is as strong as its weight."""
    text, start, places = _words(now), int(now.start), _wrapped(_words(now), per_line)
    chosen, foot = start + now.place - 1, (places[-1][1] + 1) * line + 2
    drawing = Drawing(per_line * cell + 8, foot + 34)
    first, weights = chosen - now.weights.shape[-1], _row(now)
    for k, (letter, (column, row)) in enumerate(zip(text, places)):
        x, y = 4 + column * cell, 2 + row * line
        box = {"x": x, "y": y, "width": cell, "height": line - 6}
        if now.head != "all" and first <= k < chosen:
            drawing.box(**box, fill="ink", fill_opacity=ribbons.shade(weights[k - first]))
        if k == chosen:
            drawing.add("rect", fill="none", stroke="chosen", stroke_width=2, rx=3, **box)
        colour = "query" if k == chosen - 1 else "muted" if k < start else "ink"
        drawing.words(x + cell / 2, y + size, letter, colour=colour, size=size, font_family=MONO)
        if k >= start:
            drawing.add("rect", fill="transparent", place=(now.places("text"), k - start), **box)
    button = {"x": 4, "y": foot, "width": 84, "height": 30}
    drawing.box(rx=6, fill="chosen", **button)
    drawing.words(46, foot + 20, "again", colour="paper", bold=True)
    drawing.add("rect", fill="transparent", place=(now.places("again"), 0), **button)
    return drawing.html(f"{text[:start]}| {text[start:]}")


def _row(now):
    """(num_letters,), the weights of the chosen head, or of all on average."""
    return now.weights.mean(axis=(0, 1)) if now.head == "all" else now.weights[now.head]


def _bars_and_heads(now):
    """Left the likeliest letters, right where each head looked; on a phone below them."""
    below, (card, hand) = 22 + 19 * BARS + 8, (46 + 8 * sum(each) for each in STRIPS)
    wide, phone = Drawing(WIDTH, max(below, card)), Drawing(NARROW, below + hand)
    end = min(60 + CELL * now.weights.shape[-1], NARROW - 8)
    for drawing, right, top, strip in ((wide, WIDTH - 8, 0, STRIPS[0]), (phone, end, below, STRIPS[1])):
        told = _bars(now, drawing)
        _heads(now, drawing, right, top, *strip)
    text = f"The next letter, by probability: {told}. Thin lines: at temperature 1."
    return by_width(wide.html(text), phone.html(text))


def _bars(now, drawing, left=98):
    """How likely the likeliest letters are now, and at temperature 1; the drawn one is marked."""
    order = np.argsort(-now.plain_probabilities, kind="stable")[:BARS]
    drawn = _words(now)[int(now.start) + now.place - 1]
    if (token := small_models.LETTERS.index(drawn)) not in order:
        order[-1] = token
    longest = max(0.3, now.probabilities.max(), now.plain_probabilities.max())
    drawing.words(left, 14, "next letter (thin lines: at temperature 1)", size=12, colour="muted", anchor="start")
    for row, k in enumerate(order):
        y, share, letter = 22 + 19 * row, now.probabilities[k], small_models.LETTERS[k]
        colour, bold = ("chosen", 700) if letter == drawn else ("ink", None)
        drawing.words(left - 50, y + 13, _named(letter), colour=colour, anchor="end", font_weight=bold)
        words, look = (f"{share:.0%}", colour) if share else ("never", "muted")
        drawing.words(left - 8, y + 13, words, size=12, colour=look, anchor="end", font_weight=bold)
        length, plain = (LONG * each[k] / longest for each in (now.probabilities, now.plain_probabilities))
        drawing.box(left, y + 2, max(length, 0.5), 13, rx=2, fill=colour, fill_opacity=0.75)
        drawing.line((left + plain, y), (left + plain, y + 17), "muted", 1.5)
        if plain < length:
            drawing.line((left + plain, y + 2), (left + plain, y + 15), "paper", 2)
    return ", ".join(f"{_named(small_models.LETTERS[k])} {now.probabilities[k]:.2f}" for k in order)


def _heads(now, drawing, right, top, height, gap):
    """A strip for each head: how dark a letter is says how much it was looked at. Where not all letters fit, the last ones are shown."""
    text, weights, cell = _words(now), now.weights[..., -int((right - 40) / CELL) :], CELL
    count = weights.shape[-1]
    at, left = int(now.start) + now.place - 1, right - count * cell
    anchored = {"anchor": "start" if top else "end"}
    told = "where each head looked" + (f", last {count} letters" if count < now.weights.shape[-1] else "")
    drawing.words(left if top else right, top + 14, told, size=12, colour="muted", **anchored)
    for k, letter in enumerate(text[at - count : at]):
        colour = "query" if k == count - 1 else "ink"
        drawing.words(left + (k + 0.5) * cell, top + 36, letter, size=12, colour=colour, font_family=MONO)
    for row, (i, j) in enumerate(np.ndindex(weights.shape[:2])):
        y, chosen = top + 42 + row * (height + gap), now.head == (i, j)
        add_map(drawing, weights[i, j][None], left, y, limit=1.0, cell=(cell, height))
        frame = {"x": left, "y": y, "width": count * cell, "height": height}
        stroke, thick, colour = ("chosen", 2, "chosen") if chosen else ("line", 0.7, "muted")
        drawing.add("rect", fill="none", stroke=stroke, stroke_width=thick, **frame)
        drawing.words(left - 8, y + height / 2 + 4.5, f"{i}.{j}", size=12, colour=colour, anchor="end")
        wide = frame | {"x": left - 32, "width": count * cell + 32}
        drawing.add("rect", fill="transparent", place=(now.places("heads"), i, j), **wide)


def _named(letter):
    return "space" if letter == " " else letter


def _describe(now):
    text, at, weights = _words(now), int(now.start) + now.place - 1, _row(now)
    chance = now.probabilities[small_models.LETTERS.index(text[at])]
    asked = int(np.argmax(weights))
    back = len(weights) - asked
    head = "On average its eight heads looked" if now.head == "all" else f"Head {now.head[0]}.{now.head[1]} looked"
    seen = f"most at {_quoted(text[at - back])}, {'right before it' if back == 1 else f'{back} letters back'}"
    return f"After “…{text[max(at - 12, 0) : at]}” it drew {_quoted(text[at])}, which had a probability of {chance:.0%}. {head} {seen}."


def _quoted(letter):
    return "the space" if letter == " " else f"“{letter}”"
