"""Boxes and arrows as HTML: how parts connect. Names go in, a picture comes out; nothing here computes."""

import functools
import html
from typing import NamedTuple

from helpers.matrices import ACCENT, INK, MUTED, NAMED, PAGE, SOURCE, Html, Places
from helpers.support import inputs

FRAME = f"1px solid #999;border-color:color-mix(in srgb,{INK} 35%,{PAGE})"


class Part(NamedTuple):
    """One box of a tower, and the arrow from it to the line that runs past it.

    words : what stands in the box
    note : smaller words below, such as a shape; "" for none
    box : number of the box for `boxes`, or None where it answers nothing
    arrow : number of the arrow for `arrows`, or None where there is none to cut
    cut : whether the arrow is cut
    """

    words: str
    note: str = ""
    box: int | None = None
    arrow: int | None = None
    cut: bool = False


_PLACES = inputs.an(Places, "matrices.Places")


def _parts(name, parts):
    inputs.listed(name, parts, Part, "diagrams.Part")


@inputs.checked(
    name=inputs.text,
    parts=_parts,
    boxes=_PLACES,
    arrows=_PLACES,
    width=functools.partial(inputs.whole_number, minimum=1, maximum=2000),
    chosen=functools.partial(inputs.whole_number, minimum=-1),
)
def tower(parts, name, *, boxes=None, arrows=None, chosen=None, width=150):
    """Show boxes one on top of the other, with arrows that run upwards.

    Parameters
    ----------
    parts : list of Part, the topmost first
    name : the caption
    boxes, arrows : Places, names for the boxes and for the arrows that can be cut; None = they answer nothing
    chosen : number of the box that is open, or None
    width : of the boxes, in pixels

    Returns
    -------
    Html
    """
    rows, text = [], []
    for part in parts:
        frame = f"2px solid {ACCENT}" if part.box is not None and part.box == chosen else FRAME
        look = f"border:{frame};border-radius:6px;padding:3px 6px;width:{width}px;text-align:center;font-size:13px;"
        note = f'<div style="font-size:11px;{MUTED}">{html.escape(part.note)}</div>' if part.note else ""
        place = boxes.attributes(part.box) if boxes and part.box is not None else ""
        dead = "opacity:0.55;" if part.cut else ""
        box = f'<div{place} style="{look}{dead}box-sizing:border-box;">{html.escape(part.words)}{note}</div>'
        rows.append(f'<div style="display:flex;align-items:center;gap:4px;">{box}{_arrow(part, arrows)}</div>')
        text.append(f"{part.words}{f' {part.note}' if part.note else ''}{' (cut)' if part.cut else ''}")
    up = f'<div style="width:{width}px;text-align:center;line-height:1.1;{MUTED}">↑</div>'
    caption = f'<div style="font-size:13px;{MUTED}"><b>{html.escape(name)}</b></div>'
    return Html(
        f'<div style="{NAMED}">{caption}{up.join(rows)}</div>', f"{name}, from the bottom: {' → '.join(reversed(text))}"
    )


def _arrow(part, arrows):
    if part.arrow is None:
        return ""
    place = arrows.attributes(part.arrow) if arrows else ""
    style = f"font-size:15px;padding:0 4px;color:{SOURCE};" if part.cut else f"font-size:15px;padding:0 4px;{MUTED}"
    return f'<div{place} style="{style}">{"✂" if part.cut else "→ +"}</div>'
