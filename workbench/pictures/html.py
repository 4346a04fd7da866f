"""What a cell displays: markup, the text that says the same, and names for the parts that answer the hand."""

import base64
import functools
import html
import re
from collections.abc import Callable
from typing import NamedTuple


class Html:
    """Something to look at, and the text that says the same. The last line of a cell displays it."""

    def __init__(self, markup, text):
        self.html, self.text = markup, text

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": still(self.html), "text/plain": self.text}


class Places(NamedTuple):
    """Names for the parts of a picture, so that they can be pointed at, clicked or dragged.

    name : of the picture; cell (1, 2) of "weights" gets the classes "at-weights r1 c2"
    answers : "touch", "drag", "touch drag" or "", what such a part does
    title : function(*index) -> what is said where the pointer rests, "" for nothing
    more : function(*index) -> further indices, by which other parts of a page can belong to this one
    """

    name: str
    answers: str = ""
    title: Callable = lambda *index: ""
    more: Callable = lambda *index: ()

    def parts(self, *index):
        """dict of the attributes of one part, `index` counted from 0."""
        numbered = " ".join(f"{letter}{k}" for letter, k in zip("rc", (*index, *self.more(*index))))
        title = self.title(*index)
        return {"class": f"{self.answers} at-{slug(self.name)} {numbered}".strip()} | (
            {"title": title} if title else {}
        )

    def attributes(self, *index):
        """The same as markup."""
        return "".join(f' {key}="{html.escape(value, quote=True)}"' for key, value in self.parts(*index).items())


def slug(name):
    """A name as it stands in a class: "dot products" becomes "dot_products"."""
    return re.sub(r"\W", "_", name)


_NARROW = re.compile(r'<div class="only-wide">(.*?)</div><div class="only-narrow">.*?</div>', re.DOTALL)
_UNTOUCHED = re.compile(r' (?:class|title)="[^"]*"| id="at-[^"]*"')
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_COLOUR = re.compile(r"var\(--[\w-]+,([^()]*)\)")
_IMAGE = re.compile(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]*)">')
_SIZE, _WIDTH = re.compile(r'font-size(?:="|: ?)([\d.]+)'), re.compile(r' width="([\d.]+)"')
_UNITS = re.compile(r' viewBox="0 0 ([\d.]+) ')
SMALLEST = 10  # pixels: a word on a phone
_LIVE = re.compile(
    r'--legible:\d+px;|<image class="only-dark"[^>]*/>|<image [^>]*class="only-dark"[^>]*/>|<title>[^<]*</title>|<title\s*/>'
)


def by_width(wide, narrow):
    """One drawing for a card with room, another one for a phone; a page that runs nothing shows the first."""
    both = f'<div class="only-wide">{wide.html}</div><div class="only-narrow">{narrow.html}</div>'
    return Html(both, wide.text)


def in_two_widths(wide, narrow):
    """Make of a function(*state, *size) that draws one of the state alone: it draws with the first size for a card, and with
    the second for a phone."""

    def drawn_twice(draw):
        return functools.wraps(draw)(lambda *state: by_width(draw(*state, *wide), draw(*state, *narrow)))

    return drawn_twice


def hanging(line):
    """The style of a line of code that may be longer than its place: what doesn't fit goes on further in than it begins."""
    inwards = len(line) - len(line.lstrip()) + 4
    return f"display:block;padding-left:{inwards}ch;text-indent:-{inwards}ch;"


def without_places(markup):
    """The same picture for a page where nothing answers: no class and no title promises what it cannot do."""
    return _UNTOUCHED.sub("", still(markup))


def still(markup):
    """The same picture for a page that runs nothing and strips <svg>: each drawing becomes an image, in its light colours."""
    return _SVG.sub(_as_image, _NARROW.sub(r"\1", markup))


def alive(markup):
    """The drawings of `still` back in the page, for one that trusts itself: they take its colours."""
    return _IMAGE.sub(lambda found: legible(base64.b64decode(found[1]).decode()), markup)


def in_both_widths(markup):
    """A picture that nobody moves, for a page that knows how wide it is: both its drawings, if it has two."""
    return alive(_SVG.sub(_as_image, markup))


def legible(drawing):
    """The same drawing with how wide it must stay, so that its smallest word is as high as one may be on a phone: a page
    that is narrower than that scrolls it, instead of making it smaller still (workbench/recording/player.css).
    """
    sizes = [float(size) for size in _SIZE.findall(drawing)]
    if not sizes or "--legible" in drawing:
        return drawing
    width, units = (float(found.search(drawing)[1]) for found in (_WIDTH, _UNITS))
    least = min(width, SMALLEST / min(sizes) * units)
    return drawing.replace(' style="', f' style="--legible:{least:.0f}px;', 1)


def plain_drawings(markup):
    """The drawings in a picture, each as an SVG that any program reads, in its light colours."""
    return [_COLOUR.sub(r"\1", _plain(drawing)) for drawing in _SVG.findall(_NARROW.sub(r"\1", markup))]


def _plain(drawing):
    return _UNTOUCHED.sub("", _LIVE.sub("", drawing))


def _as_image(found):
    drawing = found[0]
    alt, width = (re.search(rf' {name}="([^"]*)"', drawing)[1] for name in ("aria-label", "width"))
    source = base64.b64encode(_plain(drawing).encode()).decode("ascii")
    kind = 'class="photo" ' if "data:image/webp" in drawing else ""
    return f'<img {kind}alt="{alt}" width="{width}" style="max-width:100%;height:auto;" src="data:image/svg+xml;base64,{source}">'
