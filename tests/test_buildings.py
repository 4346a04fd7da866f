"""Three buildings: imports run down the arrows, mathematics alone draws nothing, and the workbench knows no course."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import rooms

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {  # building: what it may import besides itself, NumPy and the standard library
    "helpers": {"mygrad", "tqdm", "threadpoolctl", "gguf", "tokenizers", "js", "pyodide", "pyodide_js"},
    "workbench": {"helpers.support", "ipywidgets", "ipyevents", "traitlets", "IPython", "PIL", "matplotlib"},
    "rooms": {"helpers", "workbench", "ipywidgets", "IPython", "mygrad", "tqdm"},
}
DOORS = {
    "helpers/explorers.py",
    "helpers/checks.py",
    "helpers/matrices.py",
}  # for readers: they hand on what lies elsewhere
LAZY = {("workbench.moving.engine", "workbench.recording.save")}  # few save a picture, and it loads all that records
NETWORK = {"urllib", "http", "socket", "ssl", "ftplib", "smtplib", "webbrowser"}
FREE = {"numpy"} | sys.stdlib_module_names - NETWORK
FILES = [path for house in MAY_IMPORT for path in sorted((ROOT / house).rglob("*.py"))]


def imported(path, lazily=True):
    tree, found = ast.parse(path.read_text(encoding="utf-8")), set()
    for node in ast.walk(tree) if lazily else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def place(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=place)
def test_imports_run_along_the_arrows(path):
    house = path.relative_to(ROOT).parts[0]
    allowed = MAY_IMPORT[house] | FREE | {house}
    wrong = [name for name in imported(path) if not any(f"{name}.".startswith(f"{each}.") for each in allowed)]
    assert wrong == [] or place(path) in DOORS


@pytest.mark.parametrize("path", [path for path in FILES if place(path).startswith("rooms/")], ids=place)
def test_a_room_imports_no_other(path):
    others = {name.split(".")[1] for name in imported(path) if name.startswith("rooms.")} & set(rooms.ROOMS)
    assert others <= {path.relative_to(ROOT).parts[1]}


@pytest.mark.parametrize("lazily", [False, True])
def test_files_import_each_other_in_no_circle(lazily):
    modules = {place(path.with_suffix("")).replace("/", ".").removesuffix(".__init__"): path for path in FILES}
    graph = {}
    for module, path in modules.items():
        names = imported(path, lazily) if place(path) not in DOORS else set()
        names = {name if name in modules else name.rpartition(".")[0] for name in names}
        graph[module] = (names & modules.keys()) - {module}
        graph[module] -= {other for one, other in LAZY if one == module}
    TopologicalSorter(graph).prepare()


HIDE = """
import importlib.abc, sys
class Hide(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("helpers.", "rooms")) and not name.startswith(("helpers.support", "helpers.moved")):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hide())
"""


def test_a_pendulum_needs_no_attention():
    code = HIDE + "from tests import pendulum; print(pendulum.explore_pendulum().text)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "is back after" in done.stdout, done.stderr
