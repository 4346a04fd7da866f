"""The colour of a name, and what of the name a model of 41 signs cannot read."""

import base64
import html

import numpy as np

from helpers.learning.parameters import as_floats, named_arrays, tree_map
from rooms.let_it_write import colour_names
from workbench import Drawing, Html, by_width, css, explorer, text_field

NUMBERS = 41_904  # of the model
LONGEST = 16  # letters of a name, since a line of the model has 22 signs


def explore_colour_of_a_name(parameters=None):
    """Type a name, and the small GPT of lesson let_it_write gives it a colour.

    Parameters
    ----------
    parameters : of a model that the lesson has trained; None = the stored one

    Shown: colour (3,), red, green and blue, each from 0 to 15; letters (num_letters,), those that the model reads, as numbers in Unicode;
    unread (num_unread,), those that it cannot read
    """
    if parameters is not None:
        _refuse_another_model(parameters)
    mine = not colour_names.is_stored(parameters)
    return explorer(
        lambda name: _coloured(name, parameters),
        lambda now: _to_be_saved(now, "that I trained" if mine else f"of {NUMBERS:,} numbers"),
        _describe,
        name=text_field("your name", "Sarah"),
    )


def _refuse_another_model(parameters):
    """ValueError where these are not the arrays of a model of the lesson."""
    models = colour_names.model(), as_floats(parameters)
    wanted, got = (named_arrays(tree_map(np.shape, each)) for each in models)
    wrong = [name for name in wanted.keys() | got.keys() if wanted.get(name) != got.get(name)]
    if wrong:
        right = f"in which {min(wrong)} has shape {wanted.get(min(wrong))}, got {got.get(min(wrong))}"
        raise ValueError(f"parameters must be those of a model that this lesson has trained, {right}.")


def _coloured(name, parameters):
    known, unread = colour_names.readable(name)
    read = " ".join(known[:LONGEST].split())
    colour = colour_names.colour_of(read, parameters) if read else np.zeros(0, dtype=int)
    letters, unread = (np.array([*map(ord, each)], dtype=int) for each in (read, unread))
    return {"letters": letters, "unread": unread, "colour": colour}


def _to_be_saved(now, which):
    """The card, and below it a link that saves it as a picture."""
    made = f"made by a GPT {which} in NumPy"
    wide, name = _card(now, 440, made), now.control_values["name"].strip()
    card, link = by_width(wide, _card(now, 340, made)), _link(name, wide.html) if _code(now) else ""
    return Html(f'<div style="max-width:440px;">{card.html}{link}</div>', card.text)


def _link(name, drawn):
    file, drawn = f"the colour of {name}.svg", base64.b64encode(drawn.encode()).decode()
    look = f'style="color:{css("chosen")};" download="{html.escape(file, quote=True)}"'
    return f'<p><a {look} href="data:image/svg+xml;base64,{drawn}">Save this card</a></p>'


def _card(now, width, made):
    drawing, wide = Drawing(width, 176), min(width - 16, 420)
    name, code = now.control_values["name"].strip() or "…", _code(now)
    look = {"fill": code} if code else {"fill": "none", "stroke_dasharray": "5 5"}
    drawing.box(8, 6, wide, 108, rx=6, stroke="line", **look)
    size = min(20, 20 * 20 / max(20, len(name)))
    drawing.words(8, 142, name[:40], size=size, anchor="start", bold=True)
    drawing.words(8 + wide, 142, code or "no colour", size=15, colour="muted", anchor="end")
    drawing.words(8, 164, made, size=13, colour="muted", anchor="start")
    return drawing.html(f"The colour of {name}: {code or 'none'}, {made}.")


def _code(now):
    return "#" + "".join(colour_names.DIGITS[int(digit)] for digit in now.colour) if len(now.colour) else ""


def _describe(now):
    name, unread = "".join(map(chr, now.letters)), ", ".join(map(chr, now.unread))
    told = f" It has never seen {unread}, and can't read that." if unread else ""
    if not name:
        return f"There is nothing that it can read, so there is no colour.{told}"
    typed = now.control_values["name"].strip().lower()
    as_read = "" if typed == name else f", which it reads as “{name}”"
    return f"For your name{as_read}, it chooses a colour that is close to “{colour_names.nearest(now.colour)}”.{told}"
