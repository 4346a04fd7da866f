"""The lessons live: JupyterLite and Pyodide, one folder beside the pages, with nothing behind it but a file server.

The course's wheel and the few that Pyodide lacks are entered in Pyodide's own lock file, by what they import and need: then
`from helpers import ...` fetches them, and no lesson needs a line for it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

import nbformat

WEB = Path(__file__).resolve().parent
ROOT = WEB.parent
PYODIDE = "314.0.6"  # what jupyterlite-pyodide-kernel names
PACKED = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"  # SHA-256 of its npm package, which has all others
FILES = "https://cdn.jsdelivr.net/pyodide/v{}/full/"
CORE = ("pyodide.asm.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide.mjs", "pyodide.js", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
KERNEL = (
    "micropip",
    "piplite",
    "ipykernel",
    "comm",
    "pyodide-kernel",
    "jedi",
    "ipython",
)  # else it installs one by one
BRIDGE = ("piplite", "pyodide_kernel", "ipykernel")  # wheels of the kernel's extension
NEEDS = {  # of the wheels that are added, what Pyodide is to load with them
    "attention-lessons": ["ipyevents", "ipywidgets", "mygrad", "numpy", "pillow", "threadpoolctl", "tqdm"],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "ipyevents": ["ipywidgets"],
    "gguf": ["numpy", "tqdm"],
    "mygrad": ["numpy", "typing-extensions"],
    "pyodide-kernel": ["comm", "ipykernel", "ipython"],
}
IMPORTED = [
    "import piplite, IPython.core.shellapp, ipywidgets, jedi",
    "from helpers import checks, explorers, matrices, yours",
]
IMPORTED += ["explorers.explore_three_tokens()", "import pyodide_kernel"]  # by every lesson that is opened
WHEN_ASKED = ("matplotlib", "gguf")  # fetched by a cell that imports the first, and with a real model
ADDED = ("comm", "ipyevents", "ipywidgets", "mygrad", "tqdm", "typing_extensions")
APPS = ("notebooks", "tree")  # a lesson, and the list of all
HEAD = '<link rel="icon" href="../../_static/favicon.svg" /><script src="../live_page.js" async></script>'
SETTINGS = {
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},  # pictures stay as they are while one scrolls
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 10},  # seconds
}
STORAGE = ["asyncStorage", "localStorageWrapper", "memoryStorageDriver"]  # the first that the browser allows
CONFIG = {
    "appName": "Attention, by hand and in motion",
    "exposeAppInBrowser": True,
    "enableMemoryStorage": True,  # where the browser keeps nothing, the lesson opens all the same
    **dict.fromkeys(("contentsStorageDrivers", "settingsStorageDrivers", "workspacesStorageDrivers"), STORAGE),
    "litePluginSettings": {
        "@jupyterlite/pyodide-kernel-extension:kernel": {
            "disablePyPIFallback": True,
            "loadPyodideOptions": {
                "packages": ["attention-lessons", *KERNEL]
            },  # all at once, while Python itself comes
        }
    },
}
SAID = """> **This page runs in your browser**, Python and all. *Run > Run All Cells* wakes the pictures. A loop without an end is stopped by
> *Kernel > Restart Kernel…*, and not by ■. What you write is kept in this browser every ten seconds, also when a newer lesson comes
> out, until you clear its data; *File > Download* saves it as a file."""
ELSEWHERE = "For that, get the course: *Run it yourself*, on the site."
LIMITS = {  # what a lesson offers and a browser cannot do, or not soon
    "train_a_transformer": f"The cell that trains by your loop takes about two minutes here, instead of ten seconds. {ELSEWHERE}",
    "let_it_write": f"All 800 steps of training take several minutes here; stay with 20. {ELSEWHERE}",
    "grow_a_copying_head": f"All 800 steps of training take about five minutes here; stay with 20. {ELSEWHERE}",
    "ask_a_real_encoder": "For a text of your own *get the model*, under its picture, fetches it once (84 MB).",
    "open_a_language_model": "*Get the model*, under the first picture, fetches it once (93 MB); while it is open, its numbers take 0.54 GB of memory.",
    "write_with_your_own": "*Get the model*, under the picture with a text field, fetches it once (93 MB); while it is open, its numbers take 0.54 GB of "
    "memory, and your parts write with it, token by token. In place of a terminal, write "
    '`%run my_model.py "The capital of France is"` into a cell.',
    "read_a_model": "*Get the model*, above *Open the file*, fetches it once (93 MB), and your parts read it.",
}


def address(lesson):
    """Of a lesson, from the site's root. A new version of the course has a folder of its own: no old answer lies over a new lesson."""
    return f"live/notebooks/index.html?path={quote(f'{edition()}/{lesson}.ipynb')}"


def edition():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def build(lessons, pyodide, work, output):
    """Write the live lessons into the folder `output`, with the Pyodide in a folder, or the one that is published."""
    shutil.rmtree(work / "source", ignore_errors=True)
    place = work / "source/static/pyodide"
    place.mkdir(parents=True)
    folder = Path(pyodide) if pyodide else official(work / f"pyodide-{PYODIDE}")
    wheels = pure_wheels(environment(work / "environment"), work / "wheels")
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    wheels += [wheel for wheel in bridge(work / "environment") if entry(wheel)[0] not in lock["packages"]]
    lock["packages"] |= dict(entry(wheel) for wheel in wheels)
    loaded = needed(lock["packages"], ("attention-lessons", *WHEN_ASKED, *KERNEL))
    lock["packages"] = {name: lock["packages"][name] for name in loaded}
    for wheel in wheels:
        shutil.copy(wheel, place)
    for package in lock["packages"].values():
        if not (place / package["file_name"]).exists():
            shutil.copy(folder / package["file_name"], place)
    for name in CORE:
        if (folder / name).exists():
            shutil.copy(folder / name, place)
    write(place / LOCK, lock)
    slim(place, lock["packages"].values())
    write(place / LOCK, lock)
    write_lessons(lessons, work / "source/lessons" / edition())
    write(work / "source/overrides.json", SETTINGS)
    write(work / "source/jupyter-lite.json", {"jupyter-lite-schema-version": 0, "jupyter-config-data": CONFIG})
    command = [python_of(work / "environment"), "-m", "jupyterlite_core", "build", "--contents", "lessons"]
    command += [part for app in APPS for part in ("--apps", app)]
    run([*command, "--no-sourcemaps", "--output-dir", str(output)], cwd=work / "source")
    for app in APPS:
        page = output / app / "index.html"
        page.write_text(page.read_text(encoding="utf-8").replace("<head>", f"<head>{HEAD}", 1), encoding="utf-8")
    shutil.copy(WEB / "live_page.js", output)
    (output / "service-worker.js").rename(output / "jupyterlite-service-worker.js")
    shutil.copy(WEB / "service_worker.js", output / "service-worker.js")


def write_lessons(lessons, folder):
    for path in lessons:
        lesson = nbformat.read(path, as_version=4)
        limit = LIMITS.get(path.stem[3:], "")
        lesson.cells[0].source += f"\n\n{SAID} {limit}".rstrip()
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(lesson, ensure_ascii=False)  # nbformat writes lists of lines, which a page joins by commas
        (folder / path.name).write_text(text, encoding="utf-8")


def slim(place, packages):
    """What web/slim.py says, by the Pyodide in the folder; without node all stays as it is, and a lesson opens some seconds later."""
    if node := shutil.which("node"):
        run(
            [
                node,
                str(WEB / "slim.mjs"),
                str(place),
                str(WEB),
                json.dumps(["attention-lessons", *KERNEL]),
                json.dumps(IMPORTED),
            ]
        )
    else:
        print("node is missing, so the live lessons are not compiled: they take some seconds longer to open.")
    for package in packages:
        package["sha256"] = hashlib.sha256((place / package["file_name"]).read_bytes()).hexdigest()


# --- Pyodide, and what is added to it --------------------------------------------------------------------------------


def official(folder):
    """The Pyodide that is published: the core from its npm package, the packages from its own address; a wrong hash ends all."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = folder / f"pyodide-{PYODIDE}.tgz"
    if not packed.exists():
        run([shutil.which("npm") or "npm", "pack", "--silent", f"pyodide@{PYODIDE}"], cwd=folder)
    checked(packed.read_bytes(), PACKED, packed.name)
    with tarfile.open(packed) as archive:
        for name in (*CORE, LOCK):
            (folder / name).write_bytes(archive.extractfile(f"package/{name}").read())
    packages = json.loads((folder / LOCK).read_text(encoding="utf-8"))["packages"]
    roots = {name for names in NEEDS.values() for name in names} | {*WHEN_ASKED, *KERNEL}
    for name in needed(packages, roots):
        file = folder / packages[name]["file_name"]
        if not file.exists():
            with urllib.request.urlopen(FILES.format(PYODIDE) + quote(file.name), timeout=120) as answer:
                file.write_bytes(checked(answer.read(), packages[name]["sha256"], file.name))
    return folder


def checked(data, sha256, name):
    if hashlib.sha256(data).hexdigest() != sha256:
        raise SystemExit(f"{name} is not what Pyodide {PYODIDE} lists: its SHA-256 must be {sha256}.")
    return data


def needed(packages, roots):
    """Names of these packages and of all that they depend on, as far as they are there."""
    found, waiting = set(), list(roots)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in packages and name not in found:
            found.add(name)
            waiting += packages[name]["depends"]
    return sorted(found)


def pure_wheels(python, folder):
    """The course's own wheel, and those that Pyodide lacks, in the versions that are installed here."""
    shutil.rmtree(folder, ignore_errors=True)
    named = [f"{name}=={version(name)}" for name in ADDED]
    named += [
        line
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["model"]
        if line.startswith("gguf")
    ]
    run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT), *named])
    return sorted(folder.glob("*.whl"))


def bridge(environment):
    """The wheels by which JupyterLite's kernel speaks to Pyodide."""
    found = environment.glob("share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi/*.whl")
    return sorted(wheel for wheel in found if wheel.name.split("-")[0] in BRIDGE)


def entry(wheel):
    """What Pyodide's lock file says of a wheel: its name, and the rest."""
    name, number = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as packed:
        tops = {path.split("/")[0].removesuffix(".py") for path in packed.namelist() if path.endswith(".py")}
    name = name.replace("_", "-").lower()
    return name, {
        "name": name,
        "version": number,
        "file_name": wheel.name,
        "install_dir": "site",
        "package_type": "package",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "imports": sorted(top for top in tops if "." not in top),
        "depends": NEEDS.get(name, []),
        "unvendored_tests": False,
    }


# --- the environment that builds -------------------------------------------------------------------------------------


def environment(folder):
    """Python of the environment with JupyterLite; it is made once for each state of requirements-live.txt."""
    wanted, made = ROOT / "web" / "requirements-live.txt", folder / "made_from.txt"
    if not made.exists() or made.read_bytes() != wanted.read_bytes():
        venv.create(folder, with_pip=True, clear=True)
        run([python_of(folder), "-m", "pip", "install", "--quiet", "-r", str(wanted)])
        shutil.copy(wanted, made)
    return python_of(folder)


def python_of(folder):
    return str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")


def write(path, what):
    path.write_text(json.dumps(what), encoding="utf-8")
