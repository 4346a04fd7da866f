"""How the cells of a matrix look: its colours, mixed with those of the page, and its frames."""

import numpy as np

from workbench.pictures.colours import COLOURS, css

# Colours are mixed with the page's own, so that they suit a light and a dark theme; a plain colour comes first for pages
# that strip mixtures. Text keeps the theme's colour: no mixture goes so far that its contrast falls below 4.5. Each table
# names the page's colours once, so that its cells stay small.
PAGE, INK, MIXED = "var(--p,#fff)", "var(--i,#000)", "color-mix(in srgb,var(--i,#000) {}%,var(--p,#fff))"
NAMED = (
    "--p:var(--jp-layout-color0,#fff);--i:var(--jp-content-font-color0,#000);"
    f"--m:{MIXED.format(68)};--h:{MIXED.format(14)};--w:{css('ink')};--g:{css('high')};--l:{css('low')};--x:{css('wrong')};"
    f"--a:{css('chosen')};--o:{css('muted')};"
)
# colour: its short name there
SHADES = {"ink": "w", "high": "g", "low": "l", "wrong": "x", "chosen": "a", "muted": "o"}
WRITTEN = f"color:#000;color:{INK};"
MUTED = "color:#757575;color:var(--m,#555);"
BLOCKED = (
    f"{WRITTEN}background-color:#ddd;background:repeating-linear-gradient(45deg,var(--h,#ddd) 0 4px,transparent 0 8px);"
)
HEADER = f"{MUTED}padding:2px 7px;font-weight:500;"
CELL = "padding:3px 6px;"
# what is chosen; what goes in
ACCENT, SOURCE = (f"var(--{SHADES[name]},{COLOURS[name].light})" for name in ("chosen", "muted"))
OUTLINED = f"outline:2px solid {SOURCE};padding:0 2px;margin:0 2px;"
MARKS = {
    "factor": f"outline:2px solid {SOURCE};outline-offset:-2px;",
    "second factor": f"outline:2px dashed {SOURCE};outline-offset:-2px;",
    "result": f"outline:3px solid {ACCENT};outline-offset:-2px;",
    "wrong": f"outline:2px solid {css('wrong')};outline-offset:-2px;",
    "chosen": f"border-top:2px solid {ACCENT};border-bottom:2px solid {ACCENT};",
    "chosen column": f"border-left:2px solid {ACCENT};border-right:2px solid {ACCENT};",
}
DEEPEST = {"ink": 45, "high": 50, "low": 50, "wrong": 45}  # percent, at most: text stays readable on it in both themes
PLAIN = ""


def shade(colour, share):
    """The background for a share from 0 to 1 of a colour, mixed with the page's own; the plain mixture with white first.

    Parameters
    ----------
    colour : name of a colour of workbench.pictures.colours
    share : number; below 0 counts as 0, above 1 as 1
    """
    percent = round(DEEPEST[colour] * min(max(round(float(share), 6), 0.0), 1.0))  # rounded: machines differ by a hair
    if not percent:
        return ""
    parts = bytes.fromhex(COLOURS[colour].light[1:])
    mixed = "".join(f"{round(255 + (part - 255) * percent / 100):02x}" for part in parts)
    return f"background-color:#{mixed};background-color:color-mix(in srgb,var(--{SHADES[colour]},{COLOURS[colour].light}) {percent}%,{PAGE});{WRITTEN}"


def shades(values, kind, limit):
    """The style of each cell: plain, scores around 0, or weights from 0 to 1."""
    values = np.asarray(values, dtype=float)
    finite, values = values[np.isfinite(values)], np.nan_to_num(values)
    if kind == "plain":
        return [[PLAIN] * values.shape[1] for _ in values]
    if kind == "weights":
        return [
            [shade("ink", x / (limit or 1.0)) if -1e-9 <= x <= 1 + 1e-9 else shade("wrong", 1) for x in row]
            for row in values
        ]
    if kind != "scores":
        raise ValueError(f'kind must be "plain", "scores" or "weights", got {kind!r}.')
    if limit is not None and not limit > 0:
        raise ValueError(f"limit must be above 0, got {limit!r}.")
    limit = limit or np.abs(finite).max(initial=0) or 1.0
    with np.errstate(over="ignore"):
        return [[shade("high" if x > 0 else "low", abs(x) / limit) for x in row] for row in values]
