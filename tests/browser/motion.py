"""The moving picture of the README, taken from real lessons that a real pointer moves.

python -m tests.browser.motion
"""

import io
import math

from PIL import Image, ImageDraw

from .lab import FRAMES, REPOSITORY, Lab, browser, tab

PICTURE = REPOSITORY / "data" / "readme_motion.gif"
MOST_BYTES = 2_000_000
SIZE = (880, 500)
MILLISECONDS = 140  # between two frames


def film(notebook, path, number, places, hold=6):
    """Frames of one explorer while the pointer goes from place to place; a place is (x, y, pressed), in shares of a part.

    Parameters
    ----------
    path, number : the notebook, and which of its explorers
    places : function(explorer) -> list of (x, y, pressed) in pixels of the page
    hold : frames that the last picture stays
    """
    notebook.open(path).run_all()
    notebook.show_side_bar(False)
    page = notebook.page
    explorer = page.locator(".jp-NotebookPanel .explorer").element_handles()[number]
    page.evaluate("element => element.scrollIntoView({block: 'start'})", explorer)
    page.evaluate(FRAMES)
    frames, down = [], False
    for x, y, pressed in places(explorer):
        page.mouse.move(x, y)
        if pressed != down:
            (page.mouse.down if pressed else page.mouse.up)()
            down = pressed
        page.wait_for_timeout(120)
        frames.append(_frame(page, explorer, x, y))
    if down:
        page.mouse.up()
    return frames + hold * frames[-1:]


def _frame(page, explorer, x, y):
    place = explorer.bounding_box()
    clip = {
        "x": place["x"],
        "y": place["y"],
        "width": min(SIZE[0], place["width"]),
        "height": min(SIZE[1], place["height"]),
    }
    shot = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
    frame = Image.new("RGB", SIZE, "white")
    frame.paste(shot, (0, 0))
    at = (x - place["x"], y - place["y"])
    ImageDraw.Draw(frame).polygon(
        [(at[0] + a, at[1] + b) for a, b in ((0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12))],
        fill="black", outline="white",
    )  # fmt: skip
    return frame


def drag(selector, way):
    """Places of a drag: `way` is a list of (x, y) in shares of the first part that the selector finds."""

    def places(explorer):
        part = explorer.query_selector(selector).bounding_box()
        at = [(part["x"] + x * part["width"], part["y"] + y * part["height"]) for x, y in way]
        return [(*at[0], False), *((*place, True) for place in at)]

    return places


def click(selectors):
    """Places of clicks on one part after the other."""

    def places(explorer):
        found = []
        for selector in selectors:
            part = explorer.query_selector(selector).bounding_box()
            middle = (part["x"] + part["width"] / 2, part["y"] + part["height"] / 2)
            found += [(*middle, False), (*middle, True), (*middle, False), (*middle, False), (*middle, False)]
        return found

    return places


def main():
    arc = [(0.5 + 0.3 * math.cos(t / 12), 0.62 - 0.42 * math.sin(t / 12)) for t in range(0, 24)]
    words = [f".explorer-view .at-weights.r{k}" for k in (8, 18, 12)]
    across = [(0.92 - 0.045 * k, 0.15 + 0.035 * k) for k in range(18)]
    with Lab() as lab, browser() as chromium, tab(chromium, lab, width=1180, height=900) as notebook:
        frames = [
            *film(notebook, "notebooks/00_who_is_she.ipynb", 1, drag(".explorer-surface .drag", arc)),
            *film(notebook, "notebooks/02_attend_by_hand.ipynb", 0, click(words)),
            *film(notebook, "notebooks/11_see_patches_as_tokens.ipynb", 0, drag(".explorer-surface .drag", across)),
        ]
    colours = [frame.quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE) for frame in frames]
    colours[0].save(PICTURE, save_all=True, append_images=colours[1:], duration=MILLISECONDS, loop=0, optimize=True)
    print(f"{PICTURE.name}: {len(frames)} frames, {PICTURE.stat().st_size / 1e6:.2f} MB")
    if PICTURE.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{PICTURE.name} must stay below {MOST_BYTES / 1e6:.0f} MB.")


if __name__ == "__main__":
    main()
