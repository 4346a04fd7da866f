"""Pictures made of lines, boxes and words, as SVG that stands in the page: crisp at every zoom, its words selectable text."""

import unicodedata
from xml.etree import ElementTree

from workbench.pictures.colours import COLOURS, css
from workbench.pictures.html import Html, legible

BOLD = 1.18  # how much wider bold letters are
NARROW, WIDE = set("iljftrI.,:;'!|[]() "), set("mwMW@%&#…")


def text_width(words, size):
    """About how wide words are, in pixels, in the page's font of so many pixels."""
    return size * sum(map(_width, words))


def _width(letter):
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # accents, and what joins letters
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":  # Chinese, emoji
        return 1.05 if letter < "\U0001f000" else 1.35
    return 0.33 if letter in NARROW else 0.87 if letter in WIDE else 0.67 if letter.isupper() else 0.58


class Drawing:
    """A picture to which shapes are added, in pixels of the page; a narrower page shows it smaller.

    Parameters
    ----------
    width, height : numbers
    """

    def __init__(self, width, height):
        self.width, self.height = width, height
        look = "display:block;max-width:100%;height:auto;font-family:var(--jp-ui-font-family,system-ui,sans-serif);"
        self.root = ElementTree.Element("svg", {
            "xmlns": "http://www.w3.org/2000/svg", "class": "drawing", "role": "img", "aria-label": "",
            "width": _word(width), "height": _word(height), "viewBox": f"0 0 {_word(width)} {_word(height)}",
            "style": f"{look}background:{css('paper')};",
        })  # fmt: skip

    def add(self, tag, words=None, *, place=None, within=None, **attributes):
        """Add one shape.

        Parameters
        ----------
        tag : of SVG: line, path, circle, rect, text, …
        words : what it says, for a text
        place : (Places, *index), what it is called when it is touched, or None
        within : the shape that it is a part of, or None
        attributes : of SVG, with _ for -; None leaves one out; a colour may be the name of a role
        """
        named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
        shape = ElementTree.SubElement(
            self.root if within is None else within, tag, {key: _word(value) for key, value in named.items()}
        )
        shape.text = words
        if place and place[0]:
            parts = place[0].parts(*place[1:])
            shape.set("class", parts["class"])
            # events tell no class in SVG
            shape.set("id", parts["class"][parts["class"].index("at-") :].replace(" ", "."))
            ElementTree.SubElement(shape, "title").text = parts.get("title", "")
        return shape

    def words(self, x, y, words, *, size=14, colour="ink", anchor="middle", halo=False, bold=False, **attributes):
        """Write words, x in their middle, y on their line; with a halo, lines may run behind them."""
        halo = (
            {"stroke": "paper", "stroke_width": 4, "paint_order": "stroke", "stroke_linejoin": "round"} if halo else {}
        )
        look = {**halo, **attributes, **({"font_weight": 700} if bold else {})}
        return self.add("text", words, x=x, y=y, fill=colour, font_size=size, text_anchor=anchor, **look)

    def box(self, x, y, width, height, **attributes):
        """Draw a rectangle from its upper left corner."""
        return self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def line(self, start, end, colour="ink", width=1.5, **attributes):
        """Draw a line from (x, y) to (x, y)."""
        return self.add(
            "line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=colour, stroke_width=width, **attributes
        )

    def curve(self, points, colour="ink", width=2, **attributes):
        """Draw a line through many (x, y)."""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        look = {"fill": "none", "stroke": colour, "stroke_width": width, "stroke_linejoin": "round", **attributes}
        return self.add("polyline", points=points, **look)

    def html(self, text):
        """The picture as an Html; `text` says the same, for those who do not see it."""
        self.root.set("aria-label", text)
        return Html(legible(ElementTree.tostring(self.root, encoding="unicode")), text)


def _word(value):
    """A value as an attribute: colours by role, numbers with two decimals, so that two machines write the same."""
    if isinstance(value, str):
        return css(value) if value in COLOURS else value
    return f"{round(float(value), 2) + 0.0:.2f}".rstrip("0").rstrip(".")
