"""After Sphinx: what no reader needs is taken out of the pages, and what a link to them shows is put in."""

import html
import importlib.util
import os
import re
import shutil
from pathlib import Path

from fontTools import subset

DESCRIPTION = "Free lessons on attention in plain NumPy: pictures that respond to your hand, numbers by pencil, code that is checked, models that you train."
PICTURE = "_static/shared.png"
UNUSED = re.compile(  # an icon font for ten icons (style.css draws them), and the search index outside of the search page
    r'\s*(?:<!-- So that users can add custom icons -->\s*)?<script[^>]*src="[^"]*fontawesome\.js[^"]*"[^>]*></script>'
)
SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>')
NAMES_OF_ICONS = re.compile(r'\.fa-[\w-]+(?:,\.fa-[\w-]+)*\{--fa:"[^}]*\}')
FONT = re.compile(r"@font-face\{[^}]*fontawesome[^}]*\}")


def finish(folder):
    """Make all pages of a folder lean."""
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if "<title>" in text and "pydata-sphinx-theme.css" in text:  # not one that another tool made
            page.write_text(lean(text, page.name == "search.html"), encoding="utf-8")
    write_font(folder)
    sheet = folder / "_static/styles/pydata-sphinx-theme.css"
    sheet.write_text(FONT.sub("", NAMES_OF_ICONS.sub("", sheet.read_text(encoding="utf-8"))), encoding="utf-8")
    for path in (folder / "_static/scripts").glob("fontawesome.*"):
        path.unlink()
    shutil.rmtree(folder / "_static/vendor/fontawesome", ignore_errors=True)


def write_font(folder):
    """The font of the formulas, with the signs that stand on the pages: upright, and italic as browsers set one letter."""
    texts = (page.read_text(encoding="utf-8") for page in folder.rglob("*.html"))
    formulas = "".join(formula for text in texts for formula in re.findall("<math.*?</math>", text, re.S))
    signs = set(html.unescape(re.sub("<[^>]*>", "", formulas))) | set("√ℎ")  # a root is drawn by the browser
    italic = {
        chr(where)
        for letter in re.findall("<mi>(.)</mi>", html.unescape(formulas))
        for where in [italic_of(letter)]
        if where
    }
    options = subset.Options(flavor="woff", layout_features=[], hinting=False, name_IDs=["*"])
    stix = Path(importlib.util.find_spec("ziamath").origin).parent / "fonts/STIXTwoMath-Regular.ttf"
    font = subset.load_font(stix, options)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=map(ord, signs | italic))
    cut.subset(font)
    subset.save_font(font, folder / "_static/formulas.woff", options)


def italic_of(letter):
    """The sign with which a browser sets a letter that stands alone in a formula; 0 = as it is."""
    for first, last, italic in (("a", "z", 0x1D44E), ("A", "Z", 0x1D434), ("α", "ω", 0x1D6FC)):
        if first <= letter <= last:
            return italic + ord(letter) - ord(first)
    return 0


def lean(page, searches):
    """A page without what nobody needs, with one title and with what a link to it shows."""
    page = UNUSED.sub("", page)
    page = page if searches else SEARCH.sub("", page)
    page = re.sub(r"<title>(.*?) &#8212; \1</title>", r"<title>\1</title>", page)
    title = html.unescape(re.search(r"<title>(.*?)</title>", page, re.S)[1])
    return page.replace("</title>", f"</title>\n    {shared(title, described(page))}", 1)


def described(page):
    """The first paragraph of the text of a lesson, cut to 200 letters."""
    found = re.search(r'<article class="bd-article".*?</h1>\s*<p>(.*?)</p>', page, re.S)
    text = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", "", found[1]))) if found else ""
    if not 40 < len(text):
        return DESCRIPTION
    return text if len(text) <= 200 else text[:200].rpartition(" ")[0] + " …"


def shared(title, description):
    said = {"og:title": title, "og:description": description, "og:type": "website", "og:image": address() + PICTURE}
    tags = [("name", "description", description), ("name", "twitter:card", "summary_large_image")]
    tags += [("property", name, text) for name, text in said.items()]
    return "\n    ".join(f'<meta {kind}="{name}" content="{html.escape(text)}" />' for kind, name, text in tags)


def address():
    """Of the site, where GitHub Pages publishes it; a picture for links needs a whole address."""
    owner, _, name = os.environ.get("COURSE_REPOSITORY", "").removeprefix("https://github.com/").partition("/")
    return f"https://{owner.lower()}.github.io/{name}/" if name else "/"
