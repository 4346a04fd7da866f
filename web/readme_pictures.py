"""The pictures of the README, taken from real lessons as JupyterLab shows them.

python -m web.readme_pictures
"""

import io
from pathlib import Path

from PIL import Image

from tests.browser.lab import FRAMES, Lab, browser, tab

FOLDER = Path(__file__).parents[1] / "data"
CARDS = {  # file name: lesson, which of its explorers, width in pixels
    "readme_she": ("00_who_is_she", 0, 820),
    "readme_triangle": ("02_attend_by_hand", 0, 400),
    "readme_asks": ("03_ask_with_queries_keys_values", 0, 400),
    "readme_clocks": ("05_place_tokens_with_waves", 0, 400),
    "readme_mask": ("07_mask_the_future", 0, 400),
    "readme_grey": ("09_build_a_layer", 0, 400),
    "readme_heads": ("25_open_a_language_model", 1, 400),
}
TALLEST = 620  # of a card, in pixels of the page: what lies below is cut off


def main():
    with Lab() as lab, browser() as chromium, tab(chromium, lab, width=1280) as notebook:
        for name, (lesson, number, width) in CARDS.items():
            notebook.open(f"notebooks/{lesson}.ipynb").run_all()
            notebook.show_side_bar(False)
            card = notebook.page.locator(".jp-NotebookPanel .explorer").element_handles()[number]
            notebook.page.evaluate("element => element.scrollIntoView({block: 'start'})", card)
            notebook.page.evaluate(FRAMES)
            place = card.bounding_box()
            clip = {"x": place["x"], "y": place["y"], "width": place["width"], "height": min(place["height"], TALLEST)}
            shot = Image.open(io.BytesIO(notebook.page.screenshot(clip=clip))).convert("RGB")
            small = shot.resize((width, round(shot.height * width / shot.width)), Image.Resampling.LANCZOS)
            path = FOLDER / f"{name}.png"
            small.quantize(255).save(path, optimize=True)
            print(path.name, small.size, path.stat().st_size)


if __name__ == "__main__":
    main()
