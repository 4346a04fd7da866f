"""Small matrices as HTML tables: scores, shares, whatever has rows and columns.

Numbers stay numbers: they can be copied, compared, read aloud, and read without any colour. Nothing here computes.
"""

import html
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from helpers.support import inputs
from workbench.pictures.html import Html, Places, slug, without_places  # noqa: F401  (also for those who lay matrices out)
from workbench.pictures.shades import ACCENT, BLOCKED, CELL, HEADER, MARKS, MUTED, NAMED, OUTLINED, PLAIN, shade, shades  # noqa: F401  # fmt: skip

ROLES = {}  # name of an array: how it is shown unless a picture says otherwise; a course adds its own
LARGEST = 16  # rows or columns; beyond that a heatmap says more


@inputs.checked(
    name=inputs.text,
    kind=inputs.text,
    limit=inputs.finite_number,
    rows=inputs.labels,
    columns=inputs.labels,
    blocked=inputs.booleans,
)
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
    shaded=None,
    blocked=None,
    marks=None,
    chosen_row=None,
    chosen_column=None,
    row_sums=False,
    column_sums=False,
    fractions=False,
    instead=None,
    places=None,
):
    """Show a matrix as a table with its name and shape.

    Parameters
    ----------
    values : (num_rows, num_columns), at most 16 × 16; a vector is one row
    name : what the matrix is called; it becomes the caption, with the shape
    kind : "plain"; "scores", shaded from gold through the page's own at 0 to teal; "weights", shaded from 0 to 1 in ink,
        and red where it is no share
    rows, columns : the labels; None counts from 1
    corner : what stands over the row labels, such as "from ↓ to →"
    decimals : how many are shown
    limit : the size at which the shade of scores is full; None = the largest in this matrix
    shaded : (num_rows, num_columns), the numbers that shade the cells; None = those that are shown
    blocked : (num_rows, num_columns) Boolean, True = hatched, the mask forbids it
    marks : dict (row, column) -> "factor", "second factor", "result" or "wrong", cells to outline; wrong ones get a ✗
    chosen_row : the row that is followed through all matrices, outlined and marked ▸
    chosen_column : the same for a column, marked ▾
    row_sums, column_sums : add a column with the sum of each row, a row with the sum of each column
    fractions : show 1/6 instead of 0.167 where a number is such a fraction
    instead : dict (row, column) -> word that stands there instead of the number, without shade; a row or column with a
        word in the place of a number shows no sum
    places : Places, names for the cells; None = they answer nothing

    Returns
    -------
    Html
    """
    values = _matrix(values, name)
    rows, columns = _labels(name, "rows", rows, values.shape[0]), _labels(name, "columns", columns, values.shape[1])
    blocked = np.zeros(values.shape, bool) if blocked is None else np.atleast_2d(blocked)
    if blocked.shape != values.shape:
        raise ValueError(f"blocked must have the shape of {name}, {values.shape}, got {blocked.shape}.")
    shaded = values if shaded is None else np.atleast_2d(_real(shaded, "shaded"))
    if shaded.shape != values.shape:
        raise ValueError(f"shaded must have the shape of {name}, {values.shape}, got {shaded.shape}.")
    styles = shades(shaded, kind, limit)
    words = [
        ["blocked" if hatched and kind == "scores" else _number(x, decimals, fractions) for x, hatched in zip(*pair)]
        for pair in zip(values, blocked)
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        sums = [[_number(row.sum(), decimals, fractions)] if row_sums else [] for row in values]
    hidden = {*(instead or {}), *(zip(*np.nonzero(blocked)) if kind == "scores" else ())}  # numbers that are not shown
    for i, j in hidden:
        if not (0 <= i < values.shape[0] and 0 <= j < values.shape[1]):
            raise ValueError(f"instead must name cells of {name}, which is {values.shape}, got {(i, j)}.")
        sums[i] = [""] * row_sums
    for (i, j), word in (instead or {}).items():
        words[i][j], styles[i][j] = word, PLAIN
    for (i, j), mark in (marks or {}).items():
        words[i][j] += " ✗" * (mark == "wrong")
    rows = [("▸ " if i == chosen_row else "") + label for i, label in enumerate(rows)]
    columns = [("▾ " if j == chosen_column else "") + label for j, label in enumerate(columns)]
    marks, across = marks or {}, MARKS["chosen column"]
    lines = []
    for i, label in enumerate(rows):
        chosen = MARKS["chosen"] if i == chosen_row else ""
        cells = [
            _cell(
                word,
                (BLOCKED if blocked[i, j] else styles[i][j])
                + MARKS.get(marks.get((i, j)), chosen + (across if j == chosen_column else "")),
                attributes=places.attributes(i, j) if places else "",
            )
            for j, word in enumerate(words[i])
        ]
        cells += [_cell(word, PLAIN + chosen) for word in sums[i]]
        lines.append(f'<tr><th scope="row" style="{HEADER}">{html.escape(label)}</th>{"".join(cells)}</tr>')
    if column_sums:
        with np.errstate(over="ignore", invalid="ignore"):
            totals = [_number(column.sum(), decimals, fractions) for column in values.T]
        totals = ["" if any(j == place for _, place in hidden) else total for j, total in enumerate(totals)]
        rows, words, sums = [*rows, "Σ"], [*words, totals], [*sums, [""] if row_sums else []]
        cells = [_cell(word, PLAIN + (across if j == chosen_column else "")) for j, word in enumerate(totals)]
        cells += [_cell("", PLAIN)] if row_sums else []
        lines.append(f'<tr><th scope="row" style="{HEADER}">Σ</th>{"".join(cells)}</tr>')
    shape = f"{values.shape[0]}×{values.shape[1]}"
    heads = [*columns, "Σ"] if row_sums else columns
    return Html(
        _table(f"<b>{html.escape(name)}</b> {shape}", corner, heads, lines),
        _plain_table(f"{name} {shape}", rows, heads, [line + total for line, total in zip(words, sums)]),
    )


class Product(NamedTuple):
    """One line of a ribbon of shapes: what is done, what goes in, what comes out.

    name : str, such as "scores"
    factors : list of (symbol, shape), one or two; they are multiplied in this order
    result : (symbol, shape), or None where the inner sizes do not meet
    note : what happens between, where it is no plain product: "each row over its sum"
    """

    name: str
    factors: list
    result: tuple | None
    note: str = ""


def ribbon(products, name):
    """Show formulas with the shapes beside them: inner sizes must meet, and vanish; the outer ones stay.

    Parameters
    ----------
    products : list of Product
    name : the caption

    Returns
    -------
    Html
    """
    lines = []
    for product in products:
        if product.result is None:
            (_, (_, one)), (_, (other, _)) = product.factors
            result = f"✗ {one} and {other} do not meet"
        else:
            result = _symbol(*product.result)
        lines.append([product.name, *_factors(product), result])
    return table(lines, name, ["take", "times", "get"], corner="inner sizes meet")


def _factors(product):
    """The two factors of a line of a ribbon, or the one and what is done to it."""
    if len(product.factors) == 1:
        return _symbol(*product.factors[0]), product.note
    return _symbol(*product.factors[0], inner=1), _symbol(*product.factors[1], inner=0)


def table(lines, name, columns, *, corner="", marks=None, places=None):
    """Show words in rows and columns.

    Parameters
    ----------
    lines : list of lists of text or Html; the first entry heads its row; a line break starts a new line in the cell
    name : the caption
    columns : what heads the other columns
    corner : what stands over the row heads
    marks : as in `matrix`; the columns of the entries count from 0
    places : Places, names for the entries; None = they answer nothing

    Returns
    -------
    Html
    """
    columns, marks = [str(column) for column in columns], marks or {}
    left = "text-align:left;vertical-align:top;"
    rows, words = [], []
    for i, line in enumerate(lines):
        if len(line) != len(columns) + 1:
            raise ValueError(f"a line of {name} must have {len(columns) + 1} entries, got {len(line)}: {line[0]}.")
        label, *entries = [part if isinstance(part, Html) else _text(part) for part in line]
        cells = "".join(
            f'<td{places.attributes(i, j) if places else ""} style="{CELL}{PLAIN}{left}{MARKS.get(marks.get((i, j)), "")}">'
            f"{part.html}</td>"
            for j, part in enumerate(entries)
        )
        rows.append(f'<tr><th scope="row" style="{HEADER}{left}white-space:nowrap;">{label.html}</th>{cells}</tr>')
        words.append(" | ".join(part.text.replace("\n", " ") for part in (label, *entries)))
    return Html(
        _table(f"<b>{html.escape(name)}</b>", corner, columns, rows, left),
        "\n".join([name, " | ".join([corner, *columns]), *words]),
    )


@inputs.checked(marked=inputs.booleans)
def compact(values, *, decimals=4, marked=None):
    """Show a matrix in few letters, row under row, for a cell of a `table`. Whole numbers and fractions stay exact.

    Parameters
    ----------
    values : number, vector, matrix, or a stack of matrices
    decimals : how many are shown at most
    marked : Boolean of the same shape, True = outlined

    Returns
    -------
    Html
    """
    values = _real(values, "values")
    marked = np.zeros(values.shape, bool) if marked is None else np.asarray(marked)
    if marked.shape != values.shape:
        raise ValueError(f"marked must have the shape of the values, {values.shape}, got {marked.shape}.")
    fractions = exact_fractions(values)
    words = [_short(x, decimals, fractions) for x in values.flat]
    cells = [
        f'<b style="{OUTLINED}">{html.escape(word)}</b>' if mark else html.escape(word)
        for word, mark in zip(words, marked.flat)
    ]
    apart = "white-space:nowrap;line-height:1.6;"  # outlines in lines one below the other must not meet
    markup = f'<span style="{apart}">{_brackets(cells, values.shape, "<br>")}</span>'
    return Html(markup, _brackets(words, values.shape, "\n"))


def running(words, weights, name, *, numbers=2, chosen=None, limit=None, places=None):
    """Show words as running text that wraps, each shaded by its number, which stands small below it.

    Parameters
    ----------
    words : list of str
    weights : (num_words,)
    name : the caption
    numbers : decimals of the numbers below the words; None = no numbers
    chosen : index of the word that asks, underlined in the accent colour; None = no word
    limit : as in `matrix`
    places : Places, names for the words, one index each; None = they answer nothing

    Returns
    -------
    Html
    """
    words, weights = [str(word) for word in words], _real(weights, "weights")
    if weights.shape != (len(words),):
        raise ValueError(f"weights must be one number for each of {len(words)} words, got {weights.shape}.")
    pieces, text = [], []
    for k, (word, style, weight) in enumerate(zip(words, shades(weights[None], "weights", limit)[0], weights)):
        accent = f"border-bottom:3px solid {ACCENT};" if k == chosen else "border-bottom:3px solid transparent;"
        said = [] if numbers is None else [_number(weight, numbers, False)]
        below = "".join(f'<span style="display:block;font-size:11px;{MUTED}">{line}</span>' for line in said)
        pieces.append(
            f'<span{places.attributes(k) if places else ""} style="display:inline-block;text-align:center;margin:0 3px 6px 0;'
            f'font-variant-numeric:tabular-nums;"><span style="display:block;padding:1px 5px;{accent}{style}">'
            f"{html.escape(word)}</span>{below}</span>"
        )
        text.append(f"{'▸ ' if k == chosen else ''}{' '.join([word, *said])}")
    caption = f'<span style="display:block;font-size:13px;{MUTED}"><b>{html.escape(name)}</b></span>'
    return Html(
        f'<div style="{NAMED}max-width:52em;line-height:1.4;">{caption}{" ".join(pieces)}</div>',
        f"{name}: {' · '.join(text)}",
    )


def exact_fractions(values):
    """Whether fractions say more than decimals: all are small ones, and one of them has no end as a decimal."""
    values = _real(values, "values")
    if not np.isfinite(values).all():
        return False
    fractions = [fraction(x) for x in values.flat]
    exact = all(abs(float(near) - x) < 1e-9 for near, x in zip(fractions, values.flat))
    return exact and any(abs(round(float(x), 3) - x) > 1e-9 for x in values.flat)


def fraction(x):
    """The fraction nearest to a number, its denominator at most 99."""
    return Fraction(float(x)).limit_denominator(99)


def fewest_decimals(values, most=4):
    """How many decimals are enough to show the values as they are, at most `most`."""
    values = _real(values, "values")
    return next((k for k in range(most) if np.allclose(values.round(k), values, rtol=0, atol=1e-9)), most)


def beside(*parts, bottom=False):
    """Lay pictures side by side, their upper or lower ends in line; they wrap where the page is narrow."""
    cells = "".join(f'<div style="margin:0 18px 10px 0;">{part.html}</div>' for part in parts)
    return Html(
        f'<div style="display:flex;flex-wrap:wrap;align-items:flex-{"end" if bottom else "start"};">{cells}</div>',
        "\n\n".join(part.text for part in parts),
    )


def chain(*parts):
    """Lay the stages of one computation side by side with arrows between them; they never wrap, but scroll where the page is
    narrow."""
    arrow = f'<div style="align-self:center;padding:18px 1px 0;{MUTED}">→</div>'
    cells = arrow.join(f"<div>{part.html}</div>" for part in parts)
    return Html(
        f'<div tabindex="0" style="display:flex;flex-wrap:nowrap;overflow-x:auto;gap:4px;margin-bottom:6px;">{cells}</div>',
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


def _matrix(values, name):
    if values is None:
        raise TypeError(
            f"{name} must hold numbers to be shown, got None. Does the function that made it end with return?"
        )
    values = np.atleast_2d(_real(values, name))
    if values.ndim != 2 or not 1 <= min(values.shape) <= max(values.shape) <= LARGEST:
        raise ValueError(f"{name} must be a matrix of at most {LARGEST} × {LARGEST} to be shown, got {values.shape}.")
    return values


def _real(values, name):
    """Real numbers, as 64-bit floats: a picture must not show what a mask hides or drop what is imaginary."""
    if not isinstance(name, str):
        raise TypeError(f"name must be text, got {type(name).__name__}.")
    if np.ma.isMaskedArray(values):
        raise TypeError(f"{name} must be a plain array to be shown, got a masked array; fill it with .filled(…) first.")
    plain = inputs.rectangle(name, values)
    if plain.dtype.kind not in "fiubO":  # O: fractions, for instance
        raise TypeError(f"{name} must hold real numbers to be shown, got {plain.dtype}.")
    if plain.dtype.kind == "O" and any(x is None for x in plain.flat):  # NumPy would make NaN of it
        raise TypeError(f"{name} must hold real numbers to be shown, got None.")
    try:
        return plain.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must hold real numbers to be shown, got other objects.") from None


def _labels(name, what, labels, size):
    labels = [str(i + 1) for i in range(size)] if labels is None else [str(label) for label in labels]
    if len(labels) != size:
        raise ValueError(f"{what} of {name} must be {size} labels, got {len(labels)}.")
    return labels


def _number(x, decimals, fractions):
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "∞" if x > 0 else "-∞"
    if fractions:
        near = fraction(x)
        if abs(near - Fraction(float(x))) < 1e-9:
            return str(near)
    commas = "" if decimals else ","  # 38,416, as in a sentence
    return f"{round(float(x), decimals) + 0.0:{commas}.{decimals}f}"  # + 0.0 turns -0.0 into 0.0


def _text(words):
    return Html(html.escape(str(words)).replace("\n", "<br>"), str(words))


def _symbol(name, shape, inner=None):
    """A symbol and its shape; the size that meets another one is outlined."""
    sizes = [str(size) for size in shape]
    text = f"{name} {'×'.join(sizes)}"
    if inner is not None:
        sizes[inner] = f'<b style="{OUTLINED}">{sizes[inner]}</b>'
    return Html(f"{html.escape(name)} {'×'.join(sizes)}", text)


def _short(x, decimals, fractions):
    word = _number(x, decimals, fractions).replace(",", "")  # a line of numbers is one of code
    short = word.rstrip("0").rstrip(".") if "." in word else word
    return word if short == "0" and abs(x) > 1e-9 else short  # 0.0000 is small, 0 is nothing


def _brackets(words, shape, line_break):
    if not shape:
        return words[0]
    if not words:
        return "[]"
    width = shape[-1]
    rows = ["[" + " ".join(words[k : k + width]) + "]" for k in range(0, len(words), width)]
    height = shape[-2] if len(shape) > 1 else 1
    blocks = [line_break.join(rows[k : k + height]) for k in range(0, len(rows), height)]
    return (2 * line_break).join(blocks)


def _cell(word, style, attributes=""):
    return f'<td{attributes} style="{CELL}{style}">{html.escape(word)}</td>'


def _table(caption, corner, heads, lines, style=""):
    head = "".join(f'<th scope="col" style="{HEADER}{style}">{html.escape(label)}</th>' for label in heads)
    return (
        f'<table style="{NAMED}border-collapse:separate;border-spacing:1px;font-variant-numeric:tabular-nums;width:auto;margin:0;'
        'font-size:13px;line-height:1.4;text-align:right;">'
        f'<caption style="text-align:left;{"" if style else "white-space:nowrap;"}padding:2px 0;{MUTED}">{caption}</caption>'
        f'<thead><tr><td style="{HEADER}{style}font-size:11px;white-space:nowrap;">{html.escape(corner)}</td>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _plain_table(caption, rows, columns, words):
    table = [["", *columns], *([label, *line] for label, line in zip(rows, words, strict=True))]
    widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
    lines = ["  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True)) for line in table]
    return "\n".join([caption, *lines])
