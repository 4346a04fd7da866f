"""Pictures of lessons as a learner sees them.

python -m tests.browser.screenshots [names ...] [options]

A name is any part of a notebook's file name ("02", "query"); without names, all are taken. Each notebook is run once
and photographed in the light and the dark theme, in pieces of about one tall screen, into tests/browser/screenshots/.
"""

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

from .lab import FRAMES, Lab, browser, notebooks, tab

FOLDER = Path(__file__).parent / "screenshots"

# Height of the notebook's content and of all else in the page, and where cells and their parts begin.
MEASURE = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content.node;
  const scroller = notebook.querySelector('.jp-WindowedPanel-outer') ?? notebook;
  const inner = scroller.querySelector('.jp-WindowedPanel-viewport') ?? scroller;
  scroller.scrollTop = 0;
  const box = scroller.getBoundingClientRect(), bottom = inner.getBoundingClientRect().bottom;
  const parts = scroller.querySelectorAll('.jp-Cell, .jp-Cell-outputWrapper, .jp-OutputArea-child');
  return {left: box.left, top: box.top, width: box.width, around: window.innerHeight - box.height,
          height: Math.ceil(bottom - box.top), cuts: [...parts].map(part => part.getBoundingClientRect().top - box.top)};
}"""


def main(arguments=None):
    options = parse(arguments)
    chosen = choose(options.names)
    if not chosen:
        sys.exit(f"No notebook in {', '.join(notebooks()) or 'notebooks/'} matches {' '.join(options.names)}.")
    with Lab() as lab, browser() as chromium:
        with tab(chromium, lab, width=options.width) as notebook:
            for path in chosen:
                photograph_notebook(notebook, path, options)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of file names; none means all")
    parser.add_argument("--theme", choices=["light", "dark", "both"], default="both")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument(
        "--beside", action="store_true", help="with the file browser open, as JupyterLab opens at first"
    )
    parser.add_argument("--piece", type=int, default=1600, help="height of one picture; 0 for a single tall one")
    parser.add_argument("--out", type=Path, help="another folder")
    return parser.parse_args(arguments)


def choose(names):
    """Notebooks whose file name holds one of the names."""
    return [path for path in notebooks() if not names or any(Path(name).stem in Path(path).stem for name in names)]


def photograph_notebook(notebook, path, options):
    """Run a notebook once, write its pictures in the themes asked for, and print the files and what went wrong."""
    start = time.perf_counter()
    folder = options.out or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    themes = ["light", "dark"] if options.theme == "both" else [options.theme]
    notebook.open(path, theme=themes[0])
    notebook.show_side_bar(options.beside)
    notebook.run_all()
    for theme in themes:
        notebook.set_theme(theme)
        for file in write_pieces(notebook.page, folder, f"{Path(path).stem}.{theme}", options.piece):
            print(file)
    for trouble in [*notebook.cell_trouble, *notebook.problems]:
        print(f"! {path}: {trouble}")
    print(f"  {path}: {time.perf_counter() - start:.1f} s", flush=True)


def write_pieces(page, folder, stem, piece_height):
    """Grow the window until the whole notebook stands in it, then cut it between cells; returns the files."""
    for old in folder.glob(f"{stem}.*png"):
        old.unlink()
    size = grow_window(page)
    edges = cut(size["height"], size["cuts"], piece_height or size["height"])
    files = []
    for number, (top, bottom) in enumerate(pairwise(edges), start=1):
        files.append(folder / (f"{stem}.{number:02d}.png" if piece_height else f"{stem}.png"))
        clip = {"x": size["left"], "y": size["top"] + top, "width": size["width"], "height": bottom - top}
        page.screenshot(path=str(files[-1]), clip=clip)
    return files


def grow_window(page):
    """Make the window as tall as the notebook; pictures may change height with it, so measure again."""
    for _ in range(3):
        size = page.evaluate(MEASURE)
        wanted = {"width": page.viewport_size["width"], "height": int(size["height"] + size["around"]) + 1}
        if wanted == page.viewport_size:
            break
        page.set_viewport_size(wanted)
        page.evaluate(FRAMES)
    return size


def cut(height, cuts, piece_height):
    """Edges from 0 to height, at most piece_height apart, between cells where a cell begins in the last 60 %."""
    edges = [0]
    while height - edges[-1] > piece_height:
        low, high = edges[-1] + 0.4 * piece_height, edges[-1] + piece_height
        edges.append(max((c for c in cuts if low < c <= high), default=high))
    return [*edges, height]


if __name__ == "__main__":
    main()
