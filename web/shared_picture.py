"""The picture that a link to the site shows, 1200 × 630 pixels.

python -m web.shared_picture
"""

import io
from pathlib import Path

from PIL import Image

from rooms.shared import attention_maps
from tests.browser.lab import browser
from workbench.pictures.colours import COLOURS
from workbench.pictures.svg import Drawing, text_width

PATH = Path(__file__).parents[1] / "data/readme_shared.png"
WIDTH, HEIGHT, LEFT, TITLE, WORDS, THICKEST, GAP = 1200, 630, 72, 64, 48, 14, 22
BREAKS = {"with": 462, "wearing": 574}  # the words that begin a line, and where it stands
FIRST, PUNCTUATION, NAMES, HEAD = 322, ".,", ("sarah", "alex", "she"), (3, 1)


def main():
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_content(f'<body style="margin:0">{drawn()}')
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(64).save(PATH, optimize=True)
    print(PATH.name, shot.size, PATH.stat().st_size)


def drawn():
    """The title, and a text in which *She* looks at *Sarah*, in one head of a trained model."""
    stored = attention_maps.load("She")
    asks, words = stored.tokens.index("she"), [word.capitalize() if word in NAMES else word for word in stored.tokens]
    weights = stored.weights[HEAD][asks]
    drawing, ink = Drawing(WIDTH, HEIGHT), COLOURS["ink"].light
    drawing.box(0, 0, WIDTH, HEIGHT, fill="#ffffff")
    for line, y in (("Attention,", 96), ("by hand and in motion", 176)):
        drawing.words(LEFT, y, line, size=TITLE, anchor="start", font_weight=700)
    places, x, y = {}, LEFT, FIRST
    for k, word in enumerate(words):
        if word.startswith("["):
            continue
        x, y = (LEFT, BREAKS[word]) if word in BREAKS else (x - GAP if word in PUNCTUATION else x, y)
        wide = text_width(word, WORDS)
        places[k] = (x + wide / 2, y)
        if k != asks and word not in PUNCTUATION:
            shade = 0.34 * weights[k] / weights.max()
            drawing.box(x - 5, y - 44, wide + 10, 60, rx=8, fill=ink, fill_opacity=shade)
        colour, bold = ("query", 700) if k == asks else ("ink", None)
        drawing.words(x + wide / 2, y, word, size=WORDS, colour=colour, font_weight=bold)
        x += wide + GAP
    start_x, start_y = places[asks]
    for k in sorted(places, key=lambda k: weights[k]):
        x, y = places[k]
        if k == asks or weights[k] < 0.05:
            continue
        share = weights[k] / weights.max()
        top = (start_y - 50, y - 50) if y == start_y else (start_y - 50, y + 20)
        bend = top[0] - 60 if y == start_y else (top[0] + top[1]) / 2
        path = f"M {start_x:.0f} {top[0]} C {start_x:.0f} {bend:.0f} {x:.0f} {bend:.0f} {x:.0f} {top[1]}"
        look = {"stroke_width": 2 + (THICKEST - 2) * share, "stroke_opacity": 0.2 + 0.6 * share}
        drawing.add("path", d=path, fill="none", stroke=ink, stroke_linecap="round", **look)
    return drawing.html("").html


if __name__ == "__main__":
    main()
