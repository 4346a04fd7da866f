"""Names of colours, each below its colour."""

import html
import re

from workbench.pictures.colours import css
from workbench.pictures.html import Html

LINE = re.compile(r"(.*) (#[0-9a-f]{3})")


def swatches(lines, known=()):
    """Show colours with their names; what is not known is bold, and a line without a colour gets an empty box.

    Parameters
    ----------
    lines : list of str, "dark blue #006"
    known : lines whose names are known

    Returns
    -------
    Html
    """
    old, boxes, told = {line.rpartition(" ")[0] for line in known}, [], []
    for line in lines:
        found = LINE.fullmatch(line)
        name, colour = found.groups() if found else (line, None)
        fill = f"background:{colour};" if colour else "border-style:dashed;"
        weight = 400 if name in old else 700
        boxes.append(
            f'<div style="width:112px;font-size:13px;line-height:1.25;overflow-wrap:anywhere;font-weight:{weight};">'
            f'<div style="box-sizing:border-box;height:44px;border:1px solid {css("line")};border-radius:4px;{fill}"></div>'
            f"{html.escape(name)}</div>"
        )
        told.append(f"{name} ({colour or 'no colour'}{'' if name in old or not old else ', new'})")
    look = "display:flex;flex-wrap:wrap;gap:10px 12px;margin:6px 0;"
    return Html(f'<div style="{look}">{"".join(boxes)}</div>', ", ".join(told) + ".")
