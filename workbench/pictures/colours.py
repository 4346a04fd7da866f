"""Colours by role, the same in every picture, in prose and in formulas, each for a light and for a dark page.

A page gets them as CSS variables: `style="color:var(--first)"`. A course adds roles of its own by `add`: they are worn in prose, too,
as a class, and in formulas, where `\\textcolor{#cf4307}{Q}` says the light colour, which VS Code and GitHub know; in JupyterLab and on
the site it follows the theme.
"""

from typing import NamedTuple


class Colour(NamedTuple):
    """One role's colour on a light and on a dark page."""

    light: str
    dark: str


COLOURS = {
    "ink": Colour("#1f2933", "#e6e9ee"),  # weights, by opacity; words
    "muted": Colour("#5f6b7a", "#a3adba"),  # what is said beside
    "line": Colour("#c3cad3", "#46505c"),  # axes and frames
    "low": Colour("#996b00", "#e0b13a"),  # scores below 0
    "high": Colour("#0b7285", "#3bc9db"),  # scores above 0
    "first": Colour("#3b5bdb", "#91a7ff"),  # curves, in their order; the next ones are high, low and ink
    "second": Colour("#c2255c", "#faa2c1"),
    "wrong": Colour("#c92a2a", "#ff8787"),
    "chosen": Colour("#2563eb", "#6d9bff"),
    "paper": Colour("#ffffff", "#111111"),
}
WORN = []  # roles that words and formulas wear: those that a course adds
DARK_PAGES = 'body[data-jp-theme-light="false"], html[data-theme="dark"]'


def add(roles):
    """Give a course's own roles their colours; roles is a dict name -> Colour."""
    COLOURS.update(roles)
    WORN.extend(role for role in roles if role not in WORN)


def css(name):
    """The colour for HTML and SVG: the page's own, or the light one where a page knows no variables."""
    return f"var(--{name},{COLOURS[name].light})"


def _declared(theme):
    return "".join(f"--{name}:{getattr(colour, theme)};" for name, colour in COLOURS.items())


def _forced(theme):
    """Where the reader's own colours replace the page's, drawings follow those, whatever theme the page has."""
    pages = f":root, {DARK_PAGES}"
    return f"@media (forced-colors: active) and (prefers-color-scheme: {theme}) {{ {pages} {{ {_declared(theme)}--paper:Canvas; }} }}"


def _worn(name):
    """What takes the colour of a role: a word of its class, and a part of a formula that says its light colour."""
    light = COLOURS[name].light
    red, green, blue = (int(light[k : k + 2], 16) for k in (1, 3, 5))
    mathjax = f'mjx-mstyle[style*="rgb({red}, {green}, {blue})"]'
    return f'.{name}, [mathcolor="{light}"], {mathjax} {{ color: var(--{name}) !important; }}'


def variables():
    """The rules of style that give a page these colours: those which are known when it is asked for."""
    themes = [f":root {{ {_declared('light')} }}", f"{DARK_PAGES} {{ {_declared('dark')} }}"]
    return "\n".join([*themes, *map(_forced, Colour._fields), *map(_worn, WORN)])
