"""A figure of matplotlib as SVG in the page: crisp at every zoom, in the colours of its theme, its words selectable text."""

import io
import re

from workbench.pictures.colours import COLOURS, css
from workbench.pictures.html import Html
from workbench.pictures.svg import Drawing

POINTS = 72  # to an inch: the unit of matplotlib's SVG
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "course"}  # words stay words; the same figure is the same text
LEFT_OUT = re.compile(r"<!--.*?-->|(?<=<g) id=\"[^\"]*\"| ?font-family: [^;\"]*;?|</svg>\s*$", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
DECIMALS = re.compile(r"(\.\d\d)\d+")


def picture(figure, text):
    """Turn a figure into something that a cell displays, with the text that says the same.

    Parameters
    ----------
    figure : of matplotlib; the style sheet of the course, `plt.style.use("workbench.pictures.course")`, gives it colours that
        follow the theme of the page
    text : one sentence with the picture's message, read aloud where the picture cannot be seen

    Returns
    -------
    Html
    """
    from matplotlib import cbook, pyplot, rc_context
    from matplotlib.backends.backend_svg import RendererSVG

    pyplot.close(figure)  # else it is shown a second time
    width, height = figure.get_size_inches()
    file, drawing = io.StringIO(), Drawing(round(width * figure.dpi), round(height * figure.dpi))
    with rc_context(SETTINGS), cbook._setattr_cm(figure, dpi=POINTS):
        renderer = RendererSVG(width * POINTS, height * POINTS, file, metadata=dict.fromkeys(["Date", "Creator"]))
        figure.draw(renderer)
        renderer.finalize()
    drawing.root.set("viewBox", f"0 0 {width * POINTS:.1f} {height * POINTS:.1f}")
    drawing.add("g", fill="ink", stroke_linejoin="round")
    frame, end = drawing.html(text).html.rsplit(" /></svg>", 1)
    return Html(f"{frame}>{_tidy(file.getvalue())}</g></svg>{end}", text)


def _tidy(svg):
    """Without what a page has no use for: names of groups, matplotlib's font, more than two decimals, line breaks."""
    themed = {colour.light: css(name) for name, colour in COLOURS.items()} | {
        "#000000": css("ink"),
        "#cccccc": css("line"),
    }
    light = re.compile("|".join(themed))
    svg = LEFT_OUT.sub("", svg.partition("</defs>")[2]).replace("xlink:href", "href").replace("base64,\n", "base64,")
    svg = re.sub(r"\s*\n\s*", "", re.sub(r"(?<=\d) *\n(?=[A-Zz])", " ", svg))
    return TAG.sub(lambda tag: DECIMALS.sub(r"\1", light.sub(lambda found: themed[found[0]], tag[0])), svg)
