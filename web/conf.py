"""Sphinx reads this: pages from web/_build/source, no address but the site's own."""

import os
import re

from docutils import nodes
from latex2mathml.converter import convert

project = "Attention, by hand and in motion"
author = "The attention lessons authors"
project_copyright = author
html_title = project
language = "en"

extensions = ["myst_nb", "sphinx_copybutton"]
html_math_renderer = "mathml"  # browsers set it themselves: no script, no fonts
nb_execution_mode = "off"  # the committed outputs, and the recordings that web/build.py puts in their place
nb_ipywidgets_js = {}  # they would come from elsewhere, and no page holds a widget
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"
myst_update_mathjax = False

html_theme = "sphinx_book_theme"
html_static_path = ["_build/static"]
html_css_files = ["player.css", "style.css"]
html_js_files = [("player.js", {"defer": "defer"})]
html_favicon = "favicon.svg"
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_navbar_depth": 1,
    "home_page_in_toc": True,
}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's machine says
if repository := os.environ.get("COURSE_REPOSITORY"):  # set where the site is published
    html_theme_options |= {"repository_url": repository, "use_repository_button": True}


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(math, None), block_renderers=(block_of_math, None))


def math(translator, node):
    translator.body.append(f'<span class="math">{mathml(node)}</span>')
    raise nodes.SkipNode


def block_of_math(translator, node):
    translator.body.append(f'<div class="math">{mathml(node, display="block")}</div>')
    raise nodes.SkipNode


def mathml(node, **how):
    text = re.sub(r"\\big\b|(?<=\\operatorname)\*", "", node.astext())  # neither of them is set well
    return convert(text.replace(r"\Big(", r"\left(").replace(r"\Big)", r"\right)"), **how)
