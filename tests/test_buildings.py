"""Three buildings: imports run down the arrows, mathematics alone draws nothing, and the workbench knows no course."""

import ast
import json
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import rooms

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {  # building: what it may import besides itself, NumPy and the standard library
    "helpers": {"mygrad", "tqdm", "threadpoolctl", "gguf", "tokenizers", "js", "pyodide", "pyodide_js"},
    "workbench": {"helpers.support.inputs", "ipywidgets", "ipyevents", "traitlets", "IPython", "PIL", "matplotlib"},
    "rooms": {"helpers", "workbench", "ipywidgets", "IPython", "mygrad", "tqdm", "PIL"},
}
DOORS = {
    f"helpers/{name}.py" for name in ("explorers", "checks", "matrices", "classroom", "worksheet")
}  # for readers: they hand on what lies elsewhere
LAZY = {("workbench.moving.engine", "workbench.recording.save")}  # few save a picture, and it loads all that records
TAUGHT = re.compile(
    r"(?<![a-z])(attentions?|tokens?|quer(y|ies)|softmax|transformers?|lessons?)(?![a-z])", re.IGNORECASE
)
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


def test_the_workbench_does_not_say_what_is_taught():
    told = {}
    for path in (ROOT / "workbench").rglob("*.*"):
        if path.suffix in (".py", ".js", ".css", ".md", ".mplstyle"):
            told[place(path)] = [line for line in path.read_text(encoding="utf-8").splitlines() if TAUGHT.search(line)]
    assert {where: lines for where, lines in told.items() if lines} == {}


HIDE = """
import importlib.abc, sys
class Hide(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("helpers.", "rooms")) and name not in ("helpers.support", "helpers.support.inputs", "helpers.moved"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hide())
"""
PENDULUM = """
from workbench import check
from tests.pendulum import NEXT_MOMENT, explore_pendulum
explorer = explore_pendulum()
explorer.set(degrees=200, speed="old")
print(explorer.html)
print(explorer.save(sys.argv[1]))
right = lambda angle, speed, dt: NEXT_MOMENT.solve(angle, speed, dt)
check(NEXT_MOMENT, lambda angle, speed, dt: (angle + speed * dt, right(angle, speed, dt)[1]))
print(check(NEXT_MOMENT, lambda angle, speed, dt: right(angle, speed, dt)[::-1]).status)
check(NEXT_MOMENT, right)
"""
README = ROOT / "workbench" / "README.md"


def alone(code, *arguments):
    """What a program prints that may import neither the course's mathematics nor its rooms."""
    command = [sys.executable, "-c", HIDE + code, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_pendulum_needs_no_attention(tmp_path):
    told = alone(PENDULUM, tmp_path / "pendulum.html")
    assert "From 150° a bob" in told and "it drifts by 247%" in told, "a slider waits at its end; a share is told"
    assert "✗ The bob moves with the speed that it has after the pull, not with the old one." in told
    assert "✗ Right, but in another order: return angle, speed; yours returns speed, angle.\nwrong" in told
    assert "your answer calls next_moment, or lets" in told
    page = (tmp_path / "pendulum.html").read_text(encoding="utf-8")
    assert len(json.loads(re.search(r'id="recording">(.*?)</script>', page, re.S)[1])["states"]) > 50


def test_the_example_of_the_workbench_runs_as_it_stands_there(tmp_path):
    (example,) = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.S | re.M)
    told = alone(f"import os; os.chdir({str(tmp_path)!r})\n{example}")
    assert "✗ That is the swing of small angles" in told and (tmp_path / "pendulum.html").stat().st_size > 50_000
