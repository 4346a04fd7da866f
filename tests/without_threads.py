"""Run the lessons where no thread and no process can be started, as in a page without a server (Pyodide) or a small container.

python -m tests.without_threads                 every lesson
python -m tests.without_threads 14 17           these

Prints one JSON object, lesson -> list of faults: cells that fail or warn. How long each took goes to stderr.
"""

import _thread
import argparse
import contextlib
import io
import json
import os
import sys
import threading
import time

PROCESSES = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}


def refuse_processes(event, _):
    if event in PROCESSES:
        raise OSError("processes are not supported")


def refuse_threads(*_, **__):
    raise RuntimeError("can't start new thread")


def refuse_both():
    """From here on Python starts no thread (BLAS has its own) and no process, and there is one core."""
    for module in (_thread, threading):
        for name in ("start_new_thread", "start_joinable_thread", "_start_new_thread", "_start_joinable_thread"):
            if hasattr(module, name):
                setattr(module, name, refuse_threads)
    sys.addaudithook(refuse_processes)
    os.cpu_count = lambda: 1


def new_shell():
    """What runs the cells: IPython without its history, which a thread of its own writes."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    return InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))


def faults(shell, path):
    """What goes wrong in one lesson, run from the top among names of its own."""
    shell.reset(new_session=True)
    for name in [name for name in sys.modules if name.partition(".")[0] in {"helpers", "tqdm"}]:
        del sys.modules[name]  # each lesson imports its helpers anew, so that every one would be warned
    found = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] != "code":
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            result = shell.run_cell("".join(cell["source"]))
        error = result.error_before_exec or result.error_in_exec
        if error and "raises-exception" not in cell["metadata"].get("tags", []):
            found.append(f"cell {number}: {type(error).__name__}: {error}")
        if "Warning" in said.getvalue():  # a progress bar without widgets writes there, too
            found.append(f"cell {number} warns: {said.getvalue()}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", metavar="NN")
    numbers = parser.parse_args().numbers

    import matplotlib

    from tests.lessons import FOLDER, lessons

    matplotlib.use("agg")
    os.chdir(FOLDER)
    shell = new_shell()
    refuse_both()
    found = {}
    for path in lessons():
        if not numbers or path.name[:2] in numbers:
            start = time.perf_counter()
            found[path.stem] = faults(shell, path)
            print(f"{path.stem}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
