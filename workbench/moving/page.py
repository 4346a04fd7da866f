"""Pieces of the page that an explorer is put together from: lines of pictures, sentences, lights, the switch that opens."""

import html

import ipywidgets as widgets

from workbench import matrices
from workbench.moving.controls import NumberGrid


def lay_out(picture):
    """An Html from lines: each line an Html, or a list of Html side by side; a tuple is one such line."""
    if isinstance(picture, matrices.Html):
        return picture
    lines = [picture] if isinstance(picture, tuple) else picture
    lines = [line if isinstance(line, matrices.Html) else matrices.beside(*line) for line in lines]
    return lines[0] if len(lines) == 1 else matrices.under(*lines)


def fold(fields):
    """A switch that opens the controls which a touch makes superfluous to the eye; keyboards reach them there."""
    opener = widgets.ToggleButton(False, description="Choose by keyboard", layout=widgets.Layout(width="auto"))
    opener.add_class("explorer-fold")
    box = widgets.VBox(fields, layout=widgets.Layout(display="none"))
    box.add_class("explorer-folded")

    def turn(change):
        box.layout.display = "" if change["new"] else "none"

    opener.observe(turn, "value")
    return opener, box


def row(*children):
    row = widgets.Box(children)
    row.add_class("explorer-row")
    return row


def paragraph(text):
    return f'<p style="margin:6px 0;line-height:1.4;">{html.escape(text)}</p>'


def notice(text):
    return (
        f'<p style="{matrices.shade("low", 0.4)}padding:6px 10px;line-height:1.4;">'
        f"{html.escape(text)} The last good picture stays.</p>"
    )


def light_words(light):
    """The rule where it holds; where it is broken, the fact, and not the rule and its denial."""
    return f"✓ {light.rule}" if light.holds else f"✗ {light.detail or light.rule}"


def row_of_lights(lights):
    return f"<div style='margin-top:4px;'>{''.join(map(_light, lights))}</div>" if lights else ""


def _light(light):
    colour = matrices.MUTED if light.holds else matrices.shade("wrong", 0.4)
    style = f"{colour}padding:1px 8px 1px {0 if light.holds else 8}px;margin:0 8px 4px 0;display:inline-block;font-size:13px;"
    return f'<span style="{style}">{html.escape(light_words(light))}</span>'


def set_to(name, field):
    if isinstance(field, NumberGrid):
        return name
    shown = getattr(field, "label", None) or field.value
    return f"{field.description or name} = {shown}"


def with_static(bundle, static):
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    return {**data, **static}
