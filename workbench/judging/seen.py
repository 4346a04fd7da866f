"""A mistake that can be seen: the smallest case in which an answer is wrong, as tables, folded."""

import math

import numpy as np

from workbench import matrices
from workbench.pictures.html import Html

MOST = 4  # matrices of one array that are drawn
EQUAL = 1e-6


def seen(verdict, name, exercise):
    """Draw what there is to see of a verdict.

    Parameters
    ----------
    verdict : Verdict
    name : of the exercise
    exercise : Exercise

    Returns
    -------
    Html, or None where there is nothing
    """
    return None if verdict.case is None else _fold("Show me where", _drawn(verdict.case, name, exercise.parts))


def _fold(summary, shown):
    look = "margin:2px 0;cursor:pointer;"
    return Html(
        f'<details><summary style="{look}">{summary}</summary>{shown.html}</details>', f"{summary}:\n\n{shown.text}"
    )


def _drawn(case, name, parts_of=()):
    given = [part for each, value in case.inputs.items() for part in _pictures(each, value)]
    plain = [f"{each} = {_short(value)}" for each, value in case.inputs.items() if not _is_drawn(value)]
    parts = [matrices.beside(*given)] if given else []
    parts += [matrices.sentence(f"{'and ' if given else ''}{', '.join(plain)}")] if plain else []
    if case.got is None:
        parts.append(matrices.sentence(f"With these {name} stops." if case.inputs else f"{name} stops."))
    if case.wanted is None:
        parts.append(matrices.sentence("A ValueError is right."))
    named = case.wanted if isinstance(case.wanted, dict) else {"": case.wanted}
    for part, wanted in named.items():
        found = case.got.get(part) if isinstance(case.got, dict) else case.got
        label = f" {part}" if part else ""
        if _is_drawn(found) and _is_drawn(wanted) and found.shape == wanted.shape and _is_large(wanted):
            found, wanted, where = _first_wrong_row(found, wanted)
            label += where
        got = [] if found is None else _pictures(f"{name} gives{label}", found, wanted, parts_of)
        right = (
            [] if wanted is None else _pictures(f"right{label}" if part else f"right{label} is", wanted, parts=parts_of)
        )
        parts += [matrices.beside(*got, *right)] if got + right else []
    return matrices.under(*parts)


def _is_drawn(value):
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


def _short(value):
    if isinstance(value, dict):
        return f"a dict of {', '.join(map(str, value))}"
    return getattr(value, "__name__", None) or repr(value)[:60]


def _pictures(name, value, wanted=None, parts=()):
    """The tables of an array, or a sentence where it is too large; where the right one has this shape, what differs is marked.
    `parts` name what stands along its first axis."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return [matrices.sentence(f"{name}: {' · '.join(value)}")]
    if not _is_drawn(value):
        return []
    same = wanted is not None and wanted.shape == value.shape
    wrong = ~np.isclose(value, wanted, rtol=EQUAL, atol=EQUAL, equal_nan=True) if same else np.zeros(value.shape, bool)
    rows = value.reshape(-1, *value.shape[-2:]) if value.ndim > 2 else np.atleast_2d(value)[None]
    wrong = wrong.reshape(rows.shape)
    if value.size == 0 or _is_large(value):
        return [matrices.sentence(f"{name}: an array of shape {value.shape}.")]
    of_shares = value.dtype.kind == "f" and value.ndim > 1 and _sums_to_one(value if wanted is None else wanted)
    decimals = matrices.fewest_decimals(value[np.isfinite(value)], most=3)
    parts = parts if parts and value.ndim and len(value) == len(parts) else ()
    labels = {("columns", "rows")[value.ndim - 1]: list(parts)} if parts and value.ndim < 3 else {}
    named = parts if value.ndim == 3 and parts else range(len(rows))
    return [
        matrices.matrix(
            each,
            f"{name}{f' [{named[k]}]' if len(rows) > 1 else ''}",
            **labels,
            decimals=decimals,
            row_sums=bool(of_shares),
            marks={(int(i), int(j)): "wrong" for i, j in np.argwhere(wrong[k])},
        )
        for k, each in enumerate(rows)
    ]


def _is_large(value):
    """Whether an array has more rows, columns or matrices than are drawn."""
    return max(value.shape[-2:], default=0) > matrices.LARGEST or math.prod(value.shape[:-2]) > MOST


def _first_wrong_row(found, wanted):
    """Of two large arrays the first row in which they differ, and which one that is, counted from 0."""
    places = np.argwhere(~np.isclose(found, wanted, rtol=EQUAL, atol=EQUAL, equal_nan=True))
    row = tuple(int(k) for k in places[0][:-1]) if len(places) else ()
    return found[row], wanted[row], f" [{', '.join(map(str, row))}]" if row else ""


def _sums_to_one(value):
    return value.dtype.kind == "f" and value.size > 0 and np.allclose(value.sum(axis=-1), 1) and (value >= 0).all()
