"""How fast the lessons answer, as ratios measured side by side in one run: python -m tests.benchmarks [part ...]

Parts: sliders (needs Chromium), notebooks, imports. Nothing is asserted: a machine is busy or it is not, ratios tell.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from .browser.controls import explorers as find_explorers
from .browser.lab import Lab, browser, tab
from .browser.latency import median_seconds, yardsticks

ROOT = Path(__file__).parents[1]
MATRICES_8_BY_8 = """
import numpy as np
from helpers import attention, explorers, matrices

tokens = np.random.default_rng(0).normal(size=(8, 8))

def compute(number):
    answer = attention.scaled_dot_product_attention(tokens, tokens, tokens, scale=number / 10)
    return {"scores": answer.scores, "weights": answer.weights}

def draw(shown, values):
    return matrices.beside(
        matrices.matrix(shown["scores"], "scores", kind="scores"),
        matrices.matrix(shown["weights"], "weights", kind="weights", row_sums=True),
    )

explorers.Explorer(
    {"number": explorers.slider("number", 10, 0, 1000, 1)},
    compute, draw, lambda shown, values: f"The largest weight is {shown['weights'].max():.3f}.",
    lights=lambda shown, values: [explorers.rows_sum_to_one(shown["weights"])],
)
"""
FIGURES = {  # cell, and the slider whose view is a figure
    "figure with a heatmap (encoding)": (
        "from helpers import explorers\nexplorers.explore_encoding()",
        "first position",
    ),
    "figure beside a table (lookup)": (
        "from helpers import explorers\nexplorers.explore_lookup()",
        "length of the query",
    ),
}
EMPTY = "import ipywidgets\nimport matplotlib.pyplot as plt\nimport numpy as np\nprint(np.arange(3))"


def sliders(presses=30):
    """Rows of (what, milliseconds, how it compares), from key press to painted view in JupyterLab."""
    with Lab() as lab, browser() as chromium, tab(chromium, lab) as notebook:
        bare, redrawn = yardsticks(notebook, presses)
        yield "bare round trip", bare, ""
        yield "interact, a new figure for each value", redrawn, ""
        for what, (cell, label) in {"matrices, 8 × 8, two": (MATRICES_8_BY_8, "number"), **FIGURES}.items():
            notebook.open(lab.write_notebook(f"latency/{label.replace(' ', '_')}.ipynb", cell)).run_all()
            seconds = median_seconds(find_explorers(notebook)[0], label, presses)
            yield what, seconds, f"{seconds / bare:.2f} × bare, {redrawn / seconds:.1f} × faster than interact"


def notebooks():
    """Rows for the nbval run of all lessons, beside as many notebooks that only import."""
    lessons = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder)
        cell = nbformat.v4.new_code_cell(
            EMPTY, execution_count=1, outputs=[nbformat.v4.new_output("stream", name="stdout", text="[0 1 2]\n")]
        )
        for lesson in lessons:
            nbformat.write(nbformat.v4.new_notebook(cells=[cell]), empty / lesson.name)
        imports_only, course = _nbval(sorted(empty.glob("*.ipynb"))), _nbval(lessons)
    yield f"nbval, {len(lessons)} notebooks that only import", imports_only, ""
    yield f"nbval, {len(lessons)} lessons", course, f"{course / imports_only:.2f} × the same number that only import"


def _nbval(paths):
    start = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "-p", "no:cacheprovider", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout[-2000:])
    return time.perf_counter() - start


def imports():
    """Rows for `import helpers.attention`, and whether it stays with NumPy."""
    code = "import helpers.attention, sys; print('matplotlib' in sys.modules, 'ipywidgets' in sys.modules)"
    times = {}
    for what, line in {"import numpy": "import numpy", "import helpers.attention": code}.items():
        times[what] = statistics.median(_python(line)[0] for _ in range(7))
        yield what, times[what], ""
    yield "brings matplotlib, ipywidgets", 0.0, _python(code)[1].strip()


def _python(line):
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout


PARTS = {"imports": imports, "notebooks": notebooks, "sliders": sliders}


def main(names):
    for name in names or PARTS:
        print(f"{name}\n{'-' * len(name)}")
        for what, seconds, remark in PARTS[name]():
            print(f"{1000 * seconds:9.0f} ms  {what:42}  {remark}", flush=True)
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
