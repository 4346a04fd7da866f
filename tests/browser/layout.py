"""Does a page fit, on a laptop, beside the file browser or without it: no output may be wider than its place, no explorer taller
than a screen."""

from .access import OUTPUTS
from .controls import FOLD
from .lab import FRAMES

PAGES = [(1280, True), (1280, False), (1024, True), (1024, False)]  # width, file browser open; README opens the first
SLACK = 1  # pixels that rounding may take
TALLEST = 640  # pixels of an explorer: what a window of 1280 × 800 leaves of the page

# Outputs that are wider than their place, or hold something that scrolls sideways; named by the innermost part that sticks out.
# A chain of matrices, which the keyboard reaches, may scroll where the window is narrower than 1280 pixels.
TOO_WIDE = """([outputs, slack, narrow]) => [...window.jupyterapp.shell.currentWidget.content.widgets].flatMap((cell, i) =>
  [...cell.node.querySelectorAll(outputs)].flatMap(output => {
    const scrolls = part => part === output || ['auto', 'scroll'].includes(getComputedStyle(part).overflowX);
    const place = [output, ...output.querySelectorAll('*')].findLast(part => part.checkVisibility() &&
      !(narrow && part.matches('[tabindex]')) &&
      part.clientWidth && part.scrollWidth > part.clientWidth + slack && scrolls(part));
    if (!place) return [];
    const edge = place.getBoundingClientRect().left + place.clientWidth + slack;
    const part = [...place.querySelectorAll('*')].findLast(part => part.getBoundingClientRect().right > edge) ?? place;
    const words = part.innerText.trim().replaceAll(/\\s+/g, ' ').slice(0, 40);
    return [`cell ${i}: ${place.scrollWidth} pixels in a place of ${place.clientWidth}: ${part.localName} '${words}'`];
  }))"""


def too_wide(notebook):
    """What does not fit, on each page; afterwards the page is as it was."""
    found = []
    for width, beside in PAGES:
        notebook.page.set_viewport_size({**notebook.window, "width": width})
        notebook.show_side_bar(beside)
        notebook.page.evaluate(FRAMES)
        place = f"{width} pixels, file browser {'open' if beside else 'closed'}"
        found += [f"{place}: {wide}" for wide in notebook.page.evaluate(TOO_WIDE, [OUTPUTS, SLACK, width < 1280])]
    notebook.page.set_viewport_size(notebook.window)
    notebook.show_side_bar(True)
    return found


CUT = """slack => [...document.querySelectorAll('.explorer .widget-readout, .explorer .widget-label')]
  .filter(part => part.checkVisibility() && part.clientWidth > 1 && part.scrollWidth > part.clientWidth + slack)
  .map(part => `'${part.textContent.trim()}' is cut`)"""


def cut_words(notebook):
    """Names and values of controls that do not fit their place, in what is folded away, too."""
    opened = notebook.page.evaluate(FOLD, True)
    notebook.page.evaluate(FRAMES)
    found = notebook.page.evaluate(CUT, SLACK)
    if opened:
        notebook.page.evaluate(FOLD, False)
    return found


HEIGHTS = "() => [...document.querySelectorAll('.explorer')].map(box => Math.round(box.getBoundingClientRect().height))"


def heights(notebook):
    """How tall each explorer is, in pixels, beside the file browser in the narrower window, with its folds closed."""
    were_open = notebook.page.evaluate(FOLD, False)
    notebook.page.set_viewport_size({**notebook.window, "width": 1280})
    notebook.show_side_bar(True)
    notebook.page.evaluate(FRAMES)
    found = notebook.page.evaluate(HEIGHTS)
    notebook.page.set_viewport_size(notebook.window)
    if were_open:
        notebook.page.evaluate(FOLD, True)
    return found


def too_tall(notebook, tallest=TALLEST):
    """Explorers of which a part is always out of sight."""
    return [
        f"explorer {k} is {height} pixels tall, one screen holds {tallest}"
        for k, height in enumerate(heights(notebook), start=1)
        if height > tallest
    ]
