"""How long a slider takes, from the key press to the new pixels: what one presses, and two yardsticks to compare with.

    with Lab() as lab, browser() as chromium, tab(chromium, lab) as notebook:
        bare, figure_per_frame = yardsticks(notebook)
        labels_and_seconds = first_sliders(notebook, "notebooks/00_who_is_she.ipynb")

`python -m tools.latency [names ...]` prints the yardsticks and the first slider of every explorer.
"""

import statistics
import sys
from pathlib import Path

from tests.browser.controls import explorers
from tests.browser.lab import Lab, browser, tab
from tests.browser.screenshots import choose

# What any slider must cost: one message to the kernel, one line of text back.
BARE_ROUND_TRIP = """
import ipywidgets as widgets

slider = widgets.IntSlider(10, min=0, max=1000, description="number")
view = widgets.HTML().add_class("explorer-view")

def show(_=None):
    view.value = f"<p>{slider.value}</p>"

slider.observe(show, "value")
show()
widgets.VBox([slider, view]).add_class("explorer")
"""

# What most notebooks do: `interact` makes a new figure for each value; here two annotated 8 x 8 matrices.
FIGURE_PER_FRAME = """
import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np

scores = np.random.default_rng(0).normal(size=(8, 8))

def draw(number):
    scaled = scores * number / 10
    weights = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2))
    for axis, matrix, name in zip(axes, (scaled, weights), ("scores", "weights")):
        axis.imshow(matrix, cmap="Greens")
        axis.set_title(name)
        for (row, column), value in np.ndenumerate(matrix):
            axis.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7)
    plt.show()

live = widgets.interactive(draw, number=widgets.IntSlider(10, min=0, max=1000, description="number"))
live.children[-1].add_class("explorer-view")
live.add_class("explorer")
live
"""

# From the key press in the page until the first frame with new text or new pictures, decoded, has been painted: a task
# that is posted in a frame's callback runs after that frame. An emptied view, or one about to be, is not an answer:
# `interact` clears its output before it draws the next one.
WATCH_ONE_PRESS = """([box, seconds]) => {
  const view = box.querySelector('.explorer-view');
  const look = () => view.innerText + [...view.querySelectorAll('img')].map(img => img.src).join(), before = look();
  const handle = document.activeElement;
  window.__latency = new Promise((done, fail) => {
    let start = null;
    setTimeout(() => fail(new Error('the view did not change')), 1000 * seconds);
    handle.addEventListener('keydown', () => { start = performance.now(); }, {capture: true, once: true});
    const observer = new MutationObserver(async () => {
      const full = view.innerText.trim() || view.querySelector('img, canvas');
      if (start === null || look() === before || !full) return;
      observer.disconnect();
      await Promise.all([...view.querySelectorAll('img')].map(img => img.decode().catch(() => null)));
      requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => done(performance.now() - start);
        painted.port2.postMessage(null);
      });
    });
    observer.observe(view, {childList: true, subtree: true, characterData: true, attributes: true});
  });
}"""

IDLE = "() => window.__watch.waiting.size === 0"


def median_seconds(box, label=None, presses=15):
    """Median time from a key press on a slider to the painted view; ArrowRight and ArrowLeft take turns.

    Parameters
    ----------
    box : an explorer of an opened page, from `controls.explorers`
    label : of the slider; None = the first
    presses : number of measured presses; one more comes first and does not count

    Returns
    -------
    seconds : float
    """
    slider = next(c for c in box.controls() if c.kind == "slider" and c.usable and label in (None, c.label))
    times = [_one_press(box, slider, "ArrowLeft" if press % 2 else "ArrowRight") for press in range(presses + 1)]
    return statistics.median(times[1:])


def _one_press(box, slider, key):
    box.focus(slider)
    box.page.evaluate(WATCH_ONE_PRESS, [box.element, 20])
    box.page.keyboard.press(key)
    milliseconds = box.page.evaluate("() => window.__latency")
    box.page.wait_for_function(IDLE)
    return milliseconds / 1000


def yardsticks(notebook, presses=15):
    """Median seconds of a bare round trip, and of `interact` with a new figure for each value."""
    found = []
    for name, cell in (("bare", BARE_ROUND_TRIP), ("figure_per_frame", FIGURE_PER_FRAME)):
        notebook.open(notebook.lab.write_notebook(f"latency/{name}.ipynb", cell)).run_all()
        found.append(median_seconds(explorers(notebook)[0], presses=presses))
    return found


def first_sliders(notebook, path, presses=15):
    """Label and median seconds of the first slider of each explorer of a notebook."""
    notebook.open(path).run_all()
    found = []
    for box in explorers(notebook):
        sliders = [control.label for control in box.controls() if control.kind == "slider" and control.usable]
        found += [(label, median_seconds(box, label, presses)) for label in sliders[:1]]
    return found


def main(names):
    with Lab() as lab, browser() as chromium, tab(chromium, lab) as notebook:
        bare, figure_per_frame = yardsticks(notebook)
        print(f"{1000 * bare:6.0f} ms  bare round trip")
        print(f"{1000 * figure_per_frame:6.0f} ms  interact, a new figure each time")
        for path in choose(names):
            for label, seconds in first_sliders(notebook, path):
                print(f"{1000 * seconds:6.0f} ms  {Path(path).stem}: {label}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
