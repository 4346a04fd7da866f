"""Many queries as dots: how far the weights of each move at a nudge, at several widths."""

import math

import numpy as np

from helpers.attention import softmax
from workbench import Drawing, by_width

LOWEST, HIGHEST, FELT = -6.6, 1.2, 0.01  # powers of ten at the ends of the axis; what is less than FELT is hardly felt
NAMES = ("undivided", "÷ √d_k", "÷ d_k")
MARKS = {1e-6: "0.000001", 1e-4: "0.0001", 0.01: "0.01", 1: "1"}
WIDE = {"size": (806, 410), "lefts": (74, 322, 570), "tops": (66, 66, 66), "panel": (230, 250), "across": True}
PHONE = {"size": (340, 728), "lefts": (74, 74, 74), "tops": (58, 278, 512), "panel": (258, 132), "across": False}


def response(query, keys, divisor, nudge=1e-6):
    """How strongly the weights answer when the numbers of a query are nudged in turn: the root of the sum of all squared slopes.

    Parameters
    ----------
    query, keys : (d_k,) and (num_keys, d_k)
    divisor : of every score
    """
    weights = softmax(keys @ query / divisor)
    nudged = query + nudge * np.eye(len(query))  # in row i, number i is nudged
    slopes = (softmax(nudged @ keys.T / divisor) - weights) / nudge
    return np.sqrt((slopes**2).sum())


def responses(widths, num_queries=500, num_keys=16):
    """The response of many random queries: (3, num_widths, num_queries), undivided, ÷ √d_k and ÷ d_k."""
    rng, found = np.random.default_rng(7), np.zeros((3, len(widths), num_queries))
    for column, d_k in enumerate(widths):
        for draw in range(num_queries):
            query, keys = rng.normal(size=d_k), rng.normal(size=(num_keys, d_k))
            found[:, column, draw] = [response(query, keys, by) for by in (1, math.sqrt(d_k), d_k)]
    return found


def within(responses):
    """Which queries respond as those of the first width do: half to twice as strongly as the middle one of them.

    Parameters
    ----------
    responses : (num_widths, num_queries)

    Returns
    -------
    (num_widths, num_queries) of True and False
    """
    usual = np.median(responses[0])
    return (responses > usual / 2) & (responses < usual * 2)


def nudged(widths, responses):
    """Draw a dot for each query, red where it does not respond as at the first width.

    Parameters
    ----------
    widths : (num_widths,)
    responses : (3, num_widths, num_queries), undivided, ÷ √d_k and ÷ d_k
    """
    alike = [within(each).mean(axis=1) for each in responses]
    told = "; ".join(f"{name} {', '.join(map(_percent, shares))}" for name, shares in zip(NAMES, alike))
    text = f"Queries that respond as at width {widths[0]}, at widths {', '.join(map(str, widths))}: {told}."
    return by_width(*(_dots(widths, responses, text, **page) for page in (WIDE, PHONE)))


def _percent(share):
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"  # 100% is everybody


def _dots(widths, responses, text, *, size, lefts, tops, panel, across):
    drawing, shaken = Drawing(*size), np.random.default_rng(0).uniform(-0.3, 0.3, responses.shape[2])
    column, foot, small = panel[0] / len(widths), size[1] - 8, {"size": 12, "colour": "muted", "anchor": "start"}
    drawing.words(4, 16, "↑ how far the weights move for a small nudge", size=13, anchor="start")
    for name, values, left, top in zip(NAMES, responses, lefts, tops):
        right, bottom, alike = left + panel[0], top + panel[1], within(values)

        def height(value, top=top, bottom=bottom):
            power = np.clip(np.log10(np.maximum(value, 1e-12)), LOWEST, HIGHEST)
            return bottom - (bottom - top) * (power - LOWEST) / (HIGHEST - LOWEST)

        usual = np.median(values[0])
        drawing.words(left, top - 14, name, size=16, anchor="start", bold=True)
        band = height(2 * usual), height(usual / 2)
        drawing.box(left, band[0], panel[0], band[1] - band[0], fill="chosen", fill_opacity=0.16)
        drawing.words(right, top - 14, f"band: as at width {widths[0]}", size=12, colour="muted", anchor="end")
        drawing.line((left, height(FELT)), (right, height(FELT)), "muted", 1, stroke_dasharray="4 4")
        for value, mark in MARKS.items() if left == lefts[0] else ():
            drawing.words(left - 8, height(value) + 4, mark, size=12, colour="muted", anchor="end")
        for right_ones, colour in ((True, "ink"), (False, "wrong")):
            spots = [
                f"M{2 * (left + column * (k + 0.5 + shift)):.0f} {2 * y:.0f}h0"
                for k in range(len(widths))
                for shift, y, same in zip(shaken, height(values[k]), alike[k])
                if same == right_ones
            ]
            look = {"stroke_width": 4.4, "stroke_linecap": "round", "stroke_opacity": 0.7}
            drawing.add("path", d="".join(spots), stroke=colour, fill="none", transform="scale(.5)", **look)
        drawing.line((left, bottom + 4), (right, bottom + 4), "line", 1.2)
        for k, (width, share) in enumerate(zip(widths, alike.mean(axis=1))):
            x = left + column * (k + 0.5)
            drawing.words(x, bottom + 20, f"{width}", size=13, colour="muted")
            colour = "ink" if share > 0.9 else "wrong"
            drawing.words(x, bottom + 40, _percent(share), size=14, colour=colour, bold=True)
        if (alike.mean(axis=1) > 0.995).all():
            drawing.words(left + panel[0] / 2, bottom + 58, "nearly everybody stays", size=13, bold=True)
        if left == lefts[0]:
            drawing.words(left - 8, bottom + 20, "d_k", size=13, colour="muted", anchor="end")
            drawing.words(left - 8, bottom + 40, "alike", size=13, colour="muted", anchor="end")
        if name == NAMES[1 if across else 2]:
            drawing.words(left + 4, height(FELT) + 18, "below: hardly felt", halo=True, **small)
    named = f"blue band: half to twice the median at width {widths[0]}"
    named += "; alike: the share of the 500 queries inside it" if across else ""
    drawing.words(lefts[0] if across else 4, foot, named, **small)
    return drawing.html(text)
