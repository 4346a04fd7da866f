"""Execute notebooks in place and keep of their outputs what belongs in git.

python -m tests.refresh_notebooks [notebooks/01_ask_for_a_b.ipynb ...]
python -m tests.refresh_notebooks --check [...]

Without paths, every lesson in notebooks/. A notebook that ends in an error is reported and left as it was. --check
writes nothing; it names each cell whose committed outputs differ from what executing it gives, and then exits with 1.
Pictures are compared by their pixels, so another font renderer passes and another picture does not.
"""

import argparse
import base64
import contextlib
import copy
import io
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from tests.notebooks import lessons

ROOT = Path(__file__).resolve().parents[1]
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "name": "python",
        "nbconvert_exporter": "python",
    },  # for nbconvert --to script
}
CELL_METADATA_TO_DROP = ("execution", "ExecuteTime", "collapsed", "scrolled", "trusted")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # names a model that exists in one kernel only
PICTURE = re.compile(r"data:image/(?:png|webp);base64,([A-Za-z0-9+/=]+)")
ANY_PICTURE = re.compile(r"data:image/[a-z+]+;base64,[A-Za-z0-9+/=]+")
SIZE_TOLERANCE = 0.05  # a figure cut to its contents grows by a few pixels with another font
RMS_TOLERANCE = 6.0  # of 255, after shrinking to THUMBNAIL: other letters give 1 to 3, another curve 10 and more
THUMBNAIL = (200, 150)
PAINTED_BY = "3.11"  # the matplotlib of the committed pictures: with the letters of 3.10 the axes stand elsewhere


class NotebookError(Exception):
    """A cell failed that was not tagged `raises-exception`; the message names notebook and cell."""


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.refresh_notebooks", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where outputs are out of date")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; none means all lessons")
    options = parser.parse_args(arguments)
    paths = options.paths or lessons()
    complaints = [complaint for path in paths for complaint in treat(path, options.check)]
    print("\n".join(complaints) or f"{len(paths)} notebooks {'are up to date' if options.check else 'refreshed'}.")
    return 1 if complaints else 0


def treat(path, check):
    """Refresh or check one notebook; returns the complaints, each with notebook and cell."""
    start = time.perf_counter()
    try:
        complaints = differences(path) if check else write(path)
    except NotebookError as error:
        complaints = [str(error)]
    print(f"{path.name}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    return complaints


def write(path):
    """Execute a notebook and write it back, but only if that changes something."""
    text = as_text(cleaned(execute(read(path), path)))
    if text != path.read_text(encoding="utf-8"):
        path.write_text(text, encoding="utf-8", newline="\n")
    return []


def differences(path):
    """What executing a notebook would change, one line for each cell."""
    committed = read(path)
    found = []
    if as_text(cleaned(committed)) != path.read_text(encoding="utf-8"):
        found.append(f"{path.name}: holds timestamps, widget state or a layout that refreshing would remove.")
    fresh = cleaned(execute(copy.deepcopy(committed), path))
    for number, (old, new) in enumerate(zip(cleaned(committed).cells, fresh.cells, strict=True)):
        if reason := difference(old, new):
            found.append(f"{path.name}, cell {number} ({old.get('id')}, {first_line(old)!r}): {reason}")
    return found


def read(path):
    import nbformat

    return nbformat.read(path, as_version=4)


def as_text(notebook):
    """A notebook as it stands in git: keys sorted, one space of indentation, a newline at the end."""
    import nbformat

    return nbformat.writes(notebook).rstrip("\n") + "\n"


def execute(notebook, path, kernel=None):
    """Run all cells in the notebook's folder, in a kernel of its own or in one that `one_kernel` keeps."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    with contextlib.nullcontext(kernel) if kernel else one_kernel(path) as kernel:
        kernel.nb = notebook
        try:
            kernel.execute(cleanup_kc=False)
        except (CellTimeoutError, DeadKernelError) as error:
            raise NotebookError(f"{path.name}: {str(error).strip().splitlines()[0]}") from None
    refuse_errors(notebook, path)
    return notebook


@contextlib.contextmanager
def one_kernel(path):
    """A kernel in the notebook's folder, the helpers of the repository importable, no personal start-up files."""
    import nbformat
    from nbclient import NotebookClient

    client = NotebookClient(
        nbformat.v4.new_notebook(), timeout=180, kernel_name="python3", record_timing=False, allow_errors=True,
        coalesce_streams=True, extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.resolve().parent)}},
    )  # fmt: skip
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with client.setup_kernel(env=environment(path, folder)):
            yield client


def environment(path, folder):
    """Environment of the kernel: the notebook's own repository first on the path, inline figures."""
    kept = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    places = [str(path.resolve().parents[1]), str(ROOT), kept.get("PYTHONPATH", "")]
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "IPYTHONDIR": folder}


def refuse_errors(notebook, path):
    for number, cell in enumerate(notebook.cells):
        errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        if errors and "raises-exception" not in cell.metadata.get("tags", []):
            error = errors[0]
            raise NotebookError(
                f"{path.name}, cell {number} ({cell.get('id')}, {first_line(cell)!r}): {error.ename}: {error.evalue}"
            )


def first_line(cell):
    return (cell.source.strip().splitlines() or [""])[0][:60]


def cleaned(notebook):
    """A copy without what changes from run to run: sources, ids, tags and outputs stay."""
    import nbformat

    notebook = copy.deepcopy(notebook)
    lesson = {"lesson": notebook.metadata["lesson"]} if "lesson" in notebook.metadata else {}  # which rows it teaches
    notebook.metadata = nbformat.from_dict({**METADATA, **lesson})
    for cell in notebook.cells:
        for name in CELL_METADATA_TO_DROP:
            cell.metadata.pop(name, None)
        for output in cell.get("outputs", []):
            clean_output(output)
    return notebook


def clean_output(output):
    output.get("data", {}).pop(WIDGET_VIEW, None)
    output.get("metadata", {}).pop(WIDGET_VIEW, None)
    if output.output_type == "error":
        output.traceback = [without_local_folders(line) for line in output.traceback]
    if output.output_type == "stream":
        output.text = without_local_folders(output.text)


def without_local_folders(text):
    """Paths of installed packages and of this repository, which differ between machines, shortened."""
    text = re.sub(r"[^\s'\"()<>]*site-packages[/\\]", "site-packages/", text)
    text = re.sub(r"ipykernel_\d+[/\\]\d+", "ipykernel", text)
    home = os.path.expanduser("~")
    for folder in {str(ROOT), str(ROOT).replace(home, "~", 1)}:
        text = text.replace(folder + os.sep, "")
    return text


def difference(old, new):
    """Why the outputs of two runs of one cell differ, or an empty string."""
    if old.cell_type != "code":
        return ""
    if old.execution_count != new.execution_count:
        return f"execution count is {old.execution_count}, executing in order gives {new.execution_count}"
    if len(old.outputs) != len(new.outputs):
        return f"has {len(old.outputs)} outputs, executing gives {len(new.outputs)}"
    reasons = (output_difference(*outputs) for outputs in zip(steady(old), steady(new)))
    return next(filter(None, reasons), "")


def steady(cell):
    """Outputs without the pictures that no two runs share: a cell tagged `measured` draws what this machine took."""
    outputs = copy.deepcopy(cell.outputs)
    for output in outputs:
        if "measured" in cell.metadata.get("tags", []) and "text/html" in output.get("data", {}):
            output.data["text/html"] = ANY_PICTURE.sub("PICTURE", "".join(output.data["text/html"]))
    return outputs


def output_difference(old, new):
    """Why two outputs differ: pictures by pixels, all else exactly."""
    if old.output_type != new.output_type:
        return f"output is {old.output_type}, executing gives {new.output_type}"
    old_parts, new_parts = parts(old), parts(new)
    if old_parts.keys() != new_parts.keys():
        return f"output has {sorted(old_parts)}, executing gives {sorted(new_parts)}"
    reasons = (part_difference(name, old_parts[name], new_parts[name]) for name in old_parts)
    return next(filter(None, reasons), "")


def parts(output):
    """The contents of an output by name; of an error only its kind and message, since frames show others' files."""
    if output.output_type == "stream":
        return {output.name: output.text}
    if output.output_type == "error":
        return {"error": f"{output.ename}: {output.evalue}"}
    return dict(output.data)


def part_difference(name, old, new):
    if name == "image/png":
        return picture_difference(old, new)
    old, new = str(old), str(new)
    if PICTURE.sub("", old) != PICTURE.sub("", new):
        return f"{name} {around_first_difference(PICTURE.sub('…', old), PICTURE.sub('…', new))}"
    pairs = zip(PICTURE.findall(old), PICTURE.findall(new))
    return next(filter(None, (picture_difference(*pair) for pair in pairs)), "")


def around_first_difference(old, new, width=40):
    pairs = enumerate(zip(old, new, strict=False))
    start = next((i for i, (a, b) in pairs if a != b), min(len(old), len(new)))
    was, becomes = (text[max(0, start - 15) : start + width] for text in (old, new))
    return f"has {was!r}, executing gives {becomes!r}"


def picture_difference(old, new):
    """Why two base64 PNGs show different pictures, or an empty string."""
    import numpy as np

    old_picture, new_picture = decoded(old), decoded(new)
    sides = zip(old_picture.size, new_picture.size, strict=True)
    if any(abs(a - b) > SIZE_TOLERANCE * max(a, b) for a, b in sides):
        return f"picture measures {old_picture.size}, executing gives {new_picture.size}"
    common = (0, 0, *map(min, old_picture.size, new_picture.size))
    first, second = (
        np.asarray(whole.crop(common).resize(THUMBNAIL), dtype=float) for whole in (old_picture, new_picture)
    )
    rms = float(np.sqrt(np.mean((first - second) ** 2)))
    return f"picture changed (RMS {rms:.1f} of 255, {RMS_TOLERANCE:.0f} allowed)" if rms > RMS_TOLERANCE else ""


def decoded(text):
    """A base64 PNG as a picture on white, as a page shows it."""
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(text))).convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")


if __name__ == "__main__":
    sys.exit(main())
