"""How fast the lessons answer, as ratios measured side by side in one run: python -m tests.benchmarks [part ...]

Parts: attention (beside PyTorch, where it is installed), training, sliders (needs Chromium), notebooks, imports, model and
writing (need the weights, torch, transformers). Nothing is asserted: a machine is busy or it is not, ratios tell.
"""

import functools
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import nbformat
import numpy as np

from helpers import streaming
from helpers.attention import multi_head_attention
from helpers.learning import training
from helpers.streaming import streamed_attention
from helpers.support import threads
from rooms.shared import date_model, dates
from tests.browser.controls import explorers as find_explorers
from tests.browser.lab import Lab, browser, tab
from tests.notebooks import lessons

ROOT = Path(__file__).parents[1]
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
MATRICES_8_BY_8 = """
import numpy as np
from helpers import attention, explorers, matrices

tokens = np.random.default_rng(0).normal(size=(8, 8))

def compute(number):
    answer = attention.scaled_dot_product_attention(tokens, tokens, tokens, scale=number / 10)
    return {"scores": answer.scores, "weights": answer.weights}

explorers.explorer(
    compute,
    lambda now: (now.table("scores"), now.table("weights", row_sums=True)),
    lambda now: f"The largest weight is {now.weights.max():.3f}.",
    number=explorers.slider("number", 10, 0, 1000, 1),
)
"""
FIGURES = {  # cell, and the slider whose view is a figure
    "figure with a heatmap (encoding)": (
        "from helpers import explorers\nexplorers.explore_encoding()",
        "position",
    ),
    "figure beside a table (lookup)": (
        "from helpers import explorers\nexplorers.explore_lookup()",
        "direction of the query, in degrees",
    ),
}
EMPTY = "import ipywidgets\nimport matplotlib.pyplot as plt\nimport numpy as np\nprint(np.arange(3))"


def median_seconds(box, label=None, presses=15):
    """Median time from a key press on a slider to the painted view; ArrowRight and ArrowLeft take turns.

    Parameters
    ----------
    box : an explorer of an opened page, from `find_explorers`
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
        found.append(median_seconds(find_explorers(notebook)[0], presses=presses))
    return found


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


COMPUTE_ON_PURPOSE = ("13", "14", "16", "18")  # lessons that measure the machine, or train


def notebooks():
    """Rows for the nbval run of the lessons, beside as many notebooks that only import; those that compute on purpose apart."""
    apart = [path for path in lessons() if path.name.startswith(COMPUTE_ON_PURPOSE)]
    others = [path for path in lessons() if path not in apart]
    for what, paths in {"lessons": others, "that compute on purpose": apart}.items():
        with tempfile.TemporaryDirectory() as folder:
            imports_only = _nbval([_only_imports(Path(folder) / path.name) for path in paths])
        course = _nbval(paths)
        yield f"nbval, {len(paths)} notebooks that only import", imports_only, ""
        yield f"nbval, {len(paths)} {what}", course, f"{course / imports_only:.2f} × the same number that only import"


def _only_imports(path):
    output = nbformat.v4.new_output("stream", name="stdout", text="[0 1 2]\n")
    cell = nbformat.v4.new_code_cell(EMPTY, execution_count=1, outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return path


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


MODEL = """
import json, statistics, sys, time
import torch, transformers
from helpers.models import attention_maps, bert

transformers.logging.set_verbosity_error()
ours = bert.load_model()
theirs = transformers.BertModel.from_pretrained(str(bert.find_weights()), attn_implementation="eager").eval()
ids = ours.tokenizer.encode(attention_maps.load("She").text).ids
batch = torch.tensor([ids])

def by_reference():
    with torch.no_grad():
        return theirs(batch, output_attentions=True, output_hidden_states=True)

def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start

pairs = [(seconds(lambda: bert.forward(ours, ids)), seconds(by_reference)) for _ in range(40)][5:]
print(json.dumps([len(ids), *(statistics.median(column) for column in zip(*pairs))]))
"""


def model():
    """Rows for one text of 22 tokens through the real model, ours and the library's, one after the other."""
    done = subprocess.run([sys.executable, "-c", MODEL], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        yield "not measured", 0.0, done.stderr.strip().splitlines()[-1]
        return
    count, ours, theirs = json.loads(done.stdout.splitlines()[-1])
    yield f"{count} tokens, PyTorch on the CPU", theirs, ""
    yield f"{count} tokens, NumPy and the course's layers", ours, f"{ours / theirs:.2f} × PyTorch"


WRITING = """
import json, statistics, time
import numpy as np
from helpers import language_model
from helpers.support.products import linear

path = language_model.find()
start = time.perf_counter()
ours = language_model.load(path, progress=None)
opened = time.perf_counter() - start
import torch, transformers  # after the model is opened, which would find the file in the machine's memory

transformers.logging.set_verbosity_error()
how = {"gguf_file": path.name, "dtype": torch.float32}
theirs = transformers.AutoModelForCausalLM.from_pretrained(str(path.parent), **how).eval()
ids = ours.encode("When Mary and John went to the store, John gave a drink to")

def by_us(count=20):
    reading = ours.read(ids)
    start = time.perf_counter()
    for _ in range(count):
        reading = ours.read([int(reading.logits[-1].argmax())], cache=reading.cache)
    return (time.perf_counter() - start) / count

def by_them(count=20):
    with torch.inference_mode():
        said = theirs(torch.tensor([ids]), use_cache=True)
        start = time.perf_counter()
        for _ in range(count):
            token = torch.tensor([[int(said.logits[0, -1].argmax())]])
            said = theirs(token, past_key_values=said.past_key_values, use_cache=True)
        return (time.perf_counter() - start) / count

matrices = [matrix for W in ours._layers for matrix in W.values() if matrix.ndim == 2] + [ours._W_vocabulary]
tokens = {matrix.shape[1]: np.ones((1, matrix.shape[1]), np.float32) for matrix in matrices}

def products(count=20):
    start = time.perf_counter()
    for _ in range(count):
        for matrix in matrices:
            linear(tokens[matrix.shape[1]], matrix)
    return (time.perf_counter() - start) / count

times = [(by_us(), products(), by_them()) for _ in range(8)][1:]
print(json.dumps([opened, *(statistics.median(column) for column in zip(*times))]))
"""


def writing():
    """Rows for opening the language model, and for one token that it writes with its cache: ours, the products with its
    matrices alone, and the library's, in turns."""
    done = subprocess.run([sys.executable, "-c", WRITING], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        yield "not measured", 0.0, done.stderr.strip().splitlines()[-1]
        return
    opened, ours, products, theirs = json.loads(done.stdout.splitlines()[-1])
    yield "the language model opened", opened, ""
    yield "a token written, transformers and PyTorch", theirs, f"{1 / theirs:.0f} tokens a second"
    yield "the products of a token alone, NumPy", products, ""
    told = f"{1 / ours:.0f} tokens a second, {theirs / ours:.2f} × as fast, {ours / products:.2f} × its products alone"
    yield "a token written, the course in NumPy", ours, told


def attention(rounds=15):
    """Rows for streamed and multi-head attention, each beside PyTorch's, in turns in one run, and for the peak memory."""
    try:
        torch = importlib.import_module("torch")  # by name: no dependency of the course
    except ImportError:
        torch = None
        yield "PyTorch", 0.0, "is not installed here, so there is nothing to compare with"
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(4096, 64)).astype(np.float32) for _ in range(3))
    tokens = rng.normal(size=(8, 256, 256)).astype(np.float32)
    W = [(rng.normal(size=(256, 256)) / 16).astype(np.float32) for _ in range(4)]

    def streamed():
        return streamed_attention(query, key, value)

    def many_heads():
        return multi_head_attention(tokens, *W, num_heads=8).output

    def floor():
        return streaming_floor(query, key, value)

    seconds, least = _in_turns([streamed, floor], rounds)
    yield "NumPy's floor for the next line", least, "two products, one max, one subtraction, one exp for each block"
    yield "streamed_attention, N 4096, d 64", seconds, f"{seconds / least:.2f} × NumPy's floor"
    theirs = _torch_calls(torch, (query, key, value), tokens, W) if torch else [None] * 3
    heads = "multi_head_attention, 8 × 256 × 256, 8 heads"
    names = ["streamed_attention, N 4096, d 64", heads, f"{heads}; theirs returns the weights, too, as ours does"]
    for name, ours, other in zip(names, [streamed, many_heads, many_heads], theirs):
        if other is None:
            yield name, _in_turns([ours], rounds)[0], ""
            continue
        assert np.allclose(ours(), other().numpy(), atol=1e-5)
        seconds, others = _in_turns([ours, other], rounds)
        yield name, seconds, f"{seconds / others:.2f} × PyTorch ({1000 * others:.0f} ms)"
    tracemalloc.start()
    output = streamed()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    held = query.nbytes + key.nbytes + value.nbytes + output.nbytes
    yield "streamed_attention, memory", 0.0, f"peak {peak / 2**20:.1f} MiB, {peak / held:.2f} × inputs and output"


def streaming_floor(query, key, value, block_size=256):
    """The least that streamed attention could do in NumPy: its largest steps, with nothing between them, in our threads."""

    def attend(start):
        rows = query[start : start + streaming._QUERIES_AT_ONCE]
        scores = np.empty((len(rows), block_size), query.dtype)
        sums = np.empty((len(rows), value.shape[1]), value.dtype)
        for start in range(0, len(key), block_size):
            np.matmul(rows, key[start : start + block_size].T, out=scores)
            np.subtract(scores, np.max(scores, axis=-1, keepdims=True), out=scores)
            np.exp(scores, out=scores)
            np.matmul(scores, value[start : start + block_size], out=sums)

    threads.side_by_side(attend, range(0, len(query), streaming._QUERIES_AT_ONCE))


def _torch_calls(torch, arrays, tokens, W):
    """PyTorch's own, with the same numbers: scaled_dot_product_attention, and nn.MultiheadAttention without and with weights."""
    query, key, value = (torch.from_numpy(array)[None, None] for array in arrays)
    layer = torch.nn.MultiheadAttention(256, 8, bias=False, batch_first=True).eval()
    layer.in_proj_weight.data = torch.from_numpy(np.concatenate([matrix.T for matrix in W[:3]]))
    layer.out_proj.weight.data = torch.from_numpy(np.ascontiguousarray(W[3].T))
    tokens = torch.from_numpy(tokens)

    def streamed():
        return torch.nn.functional.scaled_dot_product_attention(query, key, value)[0, 0]

    def many_heads(need_weights=False):
        with torch.inference_mode():
            return layer(tokens, tokens, tokens, need_weights=need_weights, average_attn_weights=False)[0]

    return [streamed, many_heads, functools.partial(many_heads, need_weights=True)]


NUM_STEPS = 10  # as in a real training, memory is there and threads are awake


def learning(rounds=3):
    """A row for one of ten training steps of lesson 13's model."""
    model, batch = date_model.random_model(), dates.held_out(dates.BATCH_SIZE)
    how = {"num_steps": NUM_STEPS, "learning_rate": 1e-3, "max_norm": 1.0, "progress": None}
    train = functools.partial(training.train, model, date_model.loss_of, training.full_batch(*batch), **how)
    yield "training step, 64 dates, width 64", _in_turns([train], rounds)[0] / NUM_STEPS, ""


def _in_turns(calls, rounds):
    """The quickest seconds of each call, disturbed least. They take turns of three, so that a busy moment meets all of
    them, and the first of each turn, in which threads wake up, does not count."""
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, times):
            for turn in range(3):
                start = time.perf_counter()
                call()
                if turn:
                    taken.append(time.perf_counter() - start)
    return [min(taken) for taken in times]


PARTS = {
    "attention": attention,
    "imports": imports,
    "model": model,
    "writing": writing,
    "notebooks": notebooks,
    "sliders": sliders,
    "training": learning,
}


def main(names):
    if unknown := sorted(set(names) - set(PARTS)):
        sys.exit(f"Parts must be some of {', '.join(PARTS)}, got {', '.join(unknown)}.")
    for name in names or PARTS:
        print(f"{name}\n{'-' * len(name)}")
        for what, seconds, remark in PARTS[name]():
            print(f"{1000 * seconds:9.0f} ms  {what:42}  {remark}", flush=True)
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
