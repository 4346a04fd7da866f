"""Small matrices as HTML tables, the one way in which the lessons show scores, weights, Q, K, V and outputs.

Numbers stay numbers: they can be copied, compared, read aloud, and read without any colour. Nothing here computes.
"""

import html
from fractions import Fraction
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from helpers import inputs

LARGEST = 16  # rows or columns; beyond that a heatmap says more
BLOCKED = (
    "background-color:#d9d9d9;color:#000;background-image:repeating-linear-gradient(45deg,#d9d9d9 0 4px,#eee 0 8px);"
)
HEADER = "background-color:#eceff1;color:#000;padding:3px 7px;font-weight:600;"
CELL = "padding:3px 6px;"
MARKS = {
    "factor": "outline:3px solid #c2410c;outline-offset:-3px;",
    "second factor": "outline:3px dashed #c2410c;outline-offset:-3px;",
    "result": "outline:3px solid #1d4ed8;outline-offset:-3px;",
    "chosen": "border-top:2px solid #1d4ed8;border-bottom:2px solid #1d4ed8;",
}


class Html:
    """Something to look at, and the text that says the same. The last line of a cell displays it."""

    def __init__(self, markup, text):
        self.html, self.text = markup, text

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "text/plain": self.text}


class Row(NamedTuple):
    """One stage of a strip: a number or a vector under every token, and what they add up to, if that is shown.

    name : str
    values : (num_tokens,) or (num_tokens, width)
    kind : "plain", "scores" or "weights"
    total : number, vector or None
    """

    name: str
    values: np.ndarray
    kind: str = "plain"
    total: object = None


def matrix(
    values,
    name,
    *,
    kind="plain",
    rows=None,
    columns=None,
    corner="",
    decimals=3,
    limit=None,
    blocked=None,
    marks=None,
    chosen_row=None,
    row_sums=False,
    fractions=False,
):
    """Show a matrix as a table with its name and shape.

    Parameters
    ----------
    values : (num_rows, num_columns), at most 16 × 16; a vector is one row
    name : what the matrix is called; it becomes the caption, with the shape
    kind : "plain"; "scores", shaded from orange through white at 0 to purple; "weights", shaded from 0 to 1 in green
    rows, columns : the labels, tokens for instance; None counts from 1
    corner : what stands over the row labels, such as "query ↓ key →"
    decimals : how many are shown
    limit : the size at which the shade of scores is full; None = the largest in this matrix
    blocked : (num_rows, num_columns) Boolean, True = hatched, the mask forbids it
    marks : dict (row, column) -> "factor", "second factor" or "result", cells to outline
    chosen_row : the row that is followed through all matrices, outlined and marked ▸
    row_sums : add a column with the sum of each row
    fractions : show 1/6 instead of 0.167 where a number is such a fraction

    Returns
    -------
    Html

    Raises
    ------
    ValueError
        If the values are no matrix of at most 16 × 16, or labels or `blocked` do not fit them.
    """
    values = _matrix(values, name)
    rows, columns = _labels(name, "rows", rows, values.shape[0]), _labels(name, "columns", columns, values.shape[1])
    blocked = np.zeros(values.shape, bool) if blocked is None else np.asarray(blocked)
    if blocked.shape != values.shape:
        raise ValueError(f"blocked must have the shape of {name}, {values.shape}, got {blocked.shape}.")
    styles = _shades(values, kind, limit)
    words = [
        ["blocked" if hatched and kind == "scores" else _number(x, decimals, fractions) for x, hatched in zip(*pair)]
        for pair in zip(values, blocked)
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        sums = [[_number(row.sum(), decimals, fractions)] if row_sums else [] for row in values]
    rows = [("▸ " if i == chosen_row else "") + label for i, label in enumerate(rows)]
    marks = marks or {}
    lines = []
    for i, label in enumerate(rows):
        chosen = MARKS["chosen"] if i == chosen_row else ""
        cells = [
            _cell(word, (BLOCKED if blocked[i, j] else styles[i][j]) + MARKS.get(marks.get((i, j)), chosen))
            for j, word in enumerate(words[i])
        ]
        cells += [_cell(word, _PLAIN + chosen) for word in sums[i]]
        lines.append(f'<tr><th scope="row" style="{HEADER}">{html.escape(label)}</th>{"".join(cells)}</tr>')
    shape = f"{values.shape[0]}×{values.shape[1]}"
    heads = [*columns, "Σ"] if row_sums else columns
    return Html(
        _table(f"<b>{html.escape(name)}</b> {shape}", corner, heads, lines),
        _plain_table(f"{name} {shape}", rows, heads, [line + total for line, total in zip(words, sums)]),
    )


def strip(tokens, stages, name, *, query=None, decimals=3, limit=None, fractions=False):
    """Show one query's way through attention: tokens across, one stage under the other.

    Parameters
    ----------
    tokens : (num_tokens,) the tokens that are asked
    stages : list of Row, from keys down to weighted values
    name : the caption
    query : what stands in the corner, the query as text
    decimals, limit, fractions : as in `matrix`

    Returns
    -------
    Html
    """
    tokens = [str(token) for token in tokens]
    lines, text = [], []
    for stage in stages:
        values = np.asarray(stage.values)
        if len(values) != len(tokens):
            raise ValueError(f"{stage.name} must have one entry for each of {len(tokens)} tokens, got {len(values)}.")
        words = [_entry(x, decimals, fractions) for x in values]
        styles = _shades(values[None, :], stage.kind, limit)[0] if values.ndim == 1 else [_PLAIN] * len(tokens)
        bars = [_bar(x) if stage.kind == "weights" else "" for x in values]
        cells = [_cell(word, style, bar) for word, style, bar in zip(words, styles, bars, strict=True)]
        total = "" if stage.total is None else _entry(stage.total, decimals, fractions)
        cells.append(_cell(total, _PLAIN + "font-weight:600;"))
        lines.append(
            f'<tr><th scope="row" style="{HEADER}text-align:left;">{html.escape(stage.name)}</th>{"".join(cells)}</tr>'
        )
        text.append([*words, total])
    heads = [*tokens, "Σ"]
    return Html(
        _table(f"<b>{html.escape(name)}</b>", query or "", heads, lines),
        _plain_table(f"{name}, {query}" if query else name, [stage.name for stage in stages], heads, text),
    )


def beside(*parts):
    """Lay pictures side by side; they wrap where the page is narrow."""
    cells = "".join(f'<div style="margin:0 18px 10px 0;">{part.html}</div>' for part in parts)
    return Html(
        f'<div style="display:flex;flex-wrap:wrap;align-items:flex-start;">{cells}</div>',
        "\n\n".join(part.text for part in parts),
    )


def under(*parts):
    """Lay pictures one under the other."""
    return Html(
        "".join(f'<div style="margin-bottom:10px;">{part.html}</div>' for part in parts),
        "\n\n".join(part.text for part in parts),
    )


def sentence(text):
    """Show one sentence as a paragraph."""
    return Html(f'<p style="margin:4px 0;">{html.escape(text)}</p>', text)


_PLAIN = "background-color:#fff;color:#000;"


def _contrast_styles(name):
    colours = matplotlib.colormaps[name](np.linspace(0, 1, 256))[:, :3]
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    light = linear @ [0.2126, 0.7152, 0.0722] > 0.179  # black on it has the larger contrast, at least 4.5
    return [
        f"background-color:{to_hex(c)};color:{'#000' if on else '#fff'};" for c, on in zip(colours, light, strict=True)
    ]


_STYLES = {"scores": _contrast_styles("PuOr"), "weights": _contrast_styles("Greens")}


def _shades(values, kind, limit):
    if kind == "plain":
        return [[_PLAIN] * values.shape[1] for _ in values]
    if kind not in _STYLES:
        raise ValueError(f'kind must be "plain", "scores" or "weights", got {kind!r}.')
    if kind == "scores":
        finite = np.where(np.isfinite(values), values, 0)
        limit = limit or np.abs(finite).max() or 1.0
        values = 0.5 + np.clip(np.nan_to_num(values), -limit, limit) / limit / 2
    share = np.round(np.nan_to_num(values), 6)  # a hair's difference between machines must not change a colour
    index = np.clip(np.rint(255 * share), 0, 255).astype(int)
    return [[_STYLES[kind][k] for k in row] for row in index]


def _matrix(values, name):
    plain = inputs.rectangle(name, values)
    if plain.dtype.kind not in "fiubO":  # O: fractions, for instance
        raise TypeError(f"{name} must hold real numbers to be shown, got {plain.dtype}.")
    values = np.atleast_2d(plain.astype(float))
    if values.ndim != 2 or not 1 <= min(values.shape) <= max(values.shape) <= LARGEST:
        raise ValueError(f"{name} must be a matrix of at most {LARGEST} × {LARGEST} to be shown, got {values.shape}.")
    return values


def _labels(name, what, labels, size):
    labels = [str(i + 1) for i in range(size)] if labels is None else [str(label) for label in labels]
    if len(labels) != size:
        raise ValueError(f"{what} of {name} must be {size} labels, got {len(labels)}.")
    return labels


def _number(x, decimals, fractions):
    if isinstance(x, str):
        return x
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "∞" if x > 0 else "-∞"
    if fractions:
        near = Fraction(float(x)).limit_denominator(99)
        if abs(near - Fraction(float(x))) < 1e-9:
            return str(near)
    return f"{round(float(x), decimals) + 0.0:.{decimals}f}"  # + 0.0 turns -0.0 into 0.0


def _entry(x, decimals, fractions):
    if np.ndim(x) == 0:
        return _number(x, decimals, fractions)
    return "[" + " ".join(_number(part, decimals, fractions) for part in x) + "]"


def _bar(weight):
    percent = np.clip(np.nan_to_num(100 * weight), 0, 100)
    return f'<div style="background-color:#111;height:4px;width:{percent:.0f}%;outline:1px solid #fff;"></div>'


def _cell(word, style, extra=""):
    return f'<td style="{CELL}{style}">{html.escape(word)}{extra}</td>'


def _table(caption, corner, heads, lines):
    head = "".join(f'<th scope="col" style="{HEADER}">{html.escape(label)}</th>' for label in heads)
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;width:auto;margin:0;'
        'font-size:13px;line-height:1.4;text-align:right;">'
        f'<caption style="text-align:left;white-space:nowrap;padding:2px 0;color:inherit;">{caption}</caption>'
        f'<thead><tr><td style="{HEADER}font-size:11px;white-space:nowrap;">{html.escape(corner)}</td>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _plain_table(caption, rows, columns, words):
    table = [["", *columns], *([label, *line] for label, line in zip(rows, words, strict=True))]
    widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
    lines = ["  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True)) for line in table]
    return "\n".join([caption, *lines])
