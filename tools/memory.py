"""Measure what a kernel holds after each lesson, beside what Python's libraries take alone. Linux only.

python -m tools.memory            every lesson
python -m tools.memory 02 17      these

Memory is PSS, which shares out what several processes have in common, while one other kernel runs; "peak" is the most
that was ever resident. "first" is the time of the first cell, mostly imports.
"""

import argparse
import contextlib
import json
import os
import re
import sys
import time
from pathlib import Path

from jupyter_client.manager import start_new_kernel

from tests.notebooks import FOLDER, lessons

ALONE = {
    "a kernel alone": "",
    "numpy": "import numpy",
    "numpy, ipywidgets": "import numpy, ipywidgets",
    "numpy, ipywidgets, matplotlib.pyplot": "import numpy, ipywidgets, matplotlib.pyplot",
    "helpers.attention": "from helpers import attention",
    "helpers.checks": "from helpers import checks",
    "helpers.explorers": "from helpers import explorers",
}
TIMEOUT = 300


def kernel():
    """Manager and client of a new kernel beside the lessons, the helpers of this repository on its path."""
    places = filter(None, [str(FOLDER.parent), os.environ.get("PYTHONPATH")])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    return start_new_kernel(cwd=str(FOLDER), env=environment, extra_arguments=["--log-level=ERROR"])


def sizes(pid):
    """PSS now and the peak of what was resident, in MB."""
    now = Path(f"/proc/{pid}/smaps_rollup").read_text()
    ever = Path(f"/proc/{pid}/status").read_text()
    return [
        int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M)[1]) / 1024 for name, text in (("Pss", now), ("VmHWM", ever))
    ]


def run(cells):
    """What running cells in a new kernel takes: MB, MB at its peak, seconds of the first cell, seconds in all."""
    manager, client = kernel()
    try:
        times = []
        for source in cells:
            start = time.perf_counter()
            client.execute_interactive(source, timeout=TIMEOUT, output_hook=lambda message: None, allow_stdin=False)
            times.append(time.perf_counter() - start)
        return *sizes(manager.provisioner.process.pid), times[0], sum(times)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def code(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", metavar="NN")
    numbers = parser.parse_args().numbers
    if sys.platform != "linux":
        raise SystemExit("tools.memory reads /proc, which Linux alone has.")
    other, client = kernel()
    with contextlib.ExitStack() as stack:
        stack.callback(other.shutdown_kernel, now=True)
        stack.callback(client.stop_channels)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n\n{'':38}     MB  peak  first s  all s")
        for name, source in ALONE.items():
            tell(name, run([source]))
        print()
        for path in lessons():
            if not numbers or path.name[:2] in numbers:
                tell(path.stem, run(code(path)))


def tell(name, taken):
    now, peak, first, whole = taken
    print(f"{name:38} {now:6.0f} {peak:5.0f} {first:8.2f} {whole:6.1f}", flush=True)


if __name__ == "__main__":
    main()
