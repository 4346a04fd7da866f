"""A figure of matplotlib as SVG in the page: crisp at every zoom, in the colours of its theme, its words selectable text."""

import io
import re

from helpers.pictures.colours import COLOURS, css
from helpers.pictures.html import Html
from helpers.pictures.svg import Drawing

POINTS = 72  # to an inch: the unit of matplotlib's SVG
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "course"}  # words stay words; the same figure is the same text
THEMED = {colour.light: css(name) for name, colour in COLOURS.items()} | {"#000000": css("ink"), "#cccccc": css("line")}
LEFT_OUT = re.compile(r"<!--.*?-->|(?<=<g) id=\"[^\"]*\"| ?font-family: [^;\"]*;?|</svg>\s*$", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
DECIMALS = re.compile(r"(\.\d\d)\d+")
COLOUR = re.compile("|".join(THEMED))


def markup(figure, artists=None):
    """The SVG of a figure, or of some of its artists, without the frame around it."""
    from matplotlib import cbook, rc_context
    from matplotlib.backends.backend_svg import RendererSVG

    file = io.StringIO()
    with rc_context(SETTINGS), cbook._setattr_cm(figure, dpi=POINTS):
        renderer = RendererSVG(*figure.get_size_inches() * POINTS, file, metadata=dict.fromkeys(["Date", "Creator"]))
        for artist in [figure] if artists is None else artists:
            artist.draw(renderer)
        renderer.finalize()
    return _tidy(file.getvalue())


def drawn(figure, parts, text):
    """The parts of a figure, each from `markup`, as an Html; `text` says the same."""
    width, height = figure.get_size_inches()
    drawing = Drawing(round(width * figure.dpi), round(height * figure.dpi))
    drawing.root.set("viewBox", f"0 0 {width * POINTS:.1f} {height * POINTS:.1f}")
    drawing.add("g", fill="ink", stroke_linejoin="round")
    frame, end = drawing.html(text).html.rsplit(" /></svg>", 1)
    return Html(f"{frame}>{''.join(parts)}</g></svg>{end}", text)


def _tidy(svg):
    """Without what a page has no use for: names of groups, matplotlib's font, more than two decimals, line breaks."""
    svg = LEFT_OUT.sub("", svg.partition("</defs>")[2]).replace("xlink:href", "href").replace("base64,\n", "base64,")
    svg = re.sub(r"\s*\n\s*", "", re.sub(r"(?<=\d) *\n(?=[A-Zz])", " ", svg))
    return TAG.sub(lambda tag: DECIMALS.sub(r"\1", COLOUR.sub(lambda found: THEMED[found[0]], tag[0])), svg)
