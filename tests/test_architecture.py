"""Imports run along the arrows, and README says what is there."""

import ast
import functools
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

import rooms
from helpers import checks, explorers
from tests import notebooks
from tests.notebooks import dotted
from workbench.judging.exercise import Exercise

ROOT = Path(__file__).parents[1]
HELPERS = ROOT / "helpers"
NOTEBOOKS = notebooks.lessons()
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

# --- imports ---------------------------------------------------------------------------------------------------------

MATHEMATICS = {
    "tokens", "bytes_pairs", "attention", "streaming", "positions", "layers", "transformer", "decoder", "softmax_variants",
    "variants", "sparse", "gates", "experts", "yarn", "patches", "parameters", "optimizers",
    "training", "serving", "letters", "dates", "date_model", "french", "small_models", "colour_names", "recall", "costs", "depth",
    "specimens", "model_specimens", "ports", "twins", "parts",
}  # fmt: skip
NETWORK = {"urllib", "http", "socket", "ssl", "ftplib", "smtplib", "webbrowser", "requests", "httpx", "aiohttp"}
BROUGHT_BY = {
    "coverage": "pytest-cov",
    "IPython": "ipywidgets",
    "xdist": "pytest-xdist",
    "traitlets": "ipywidgets",
    "PIL": "matplotlib",
    "jupyter_client": "jupyterlab",
    "jupyter_server": "jupyterlab",
    "tornado": "jupyterlab",
    "yaml": "jupyterlab",
    "nbconvert": "jupyterlab",
    "docutils": "sphinx",
    "fontTools": "matplotlib",
}  # import: who brings it
OF_A_BROWSER = {"js", "pyodide", "pyodide_js"}  # the page, for the Python in it


def imported_names(tree, package=()):
    """Dotted names that the code imports; `package` is where relative imports start from."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += [node.module] if node.module else []
            names |= {".".join([*base, alias.name]) for alias in node.names}
    return names


def unit(name):
    return name.partition(".")[0]


@functools.cache
def imports_of(path):
    package = path.relative_to(ROOT).parent.parts
    return imported_names(ast.parse(path.read_text(encoding="utf-8")), package)


def test_files_of_a_room_are_read_in_one_go():
    rooms = [*(ROOT / "rooms").rglob("*.py"), *(ROOT / "tests" / "rooms").rglob("*.py")]
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in rooms}
    assert {path: count for path, count in lines.items() if count > 450} == {}


def test_each_lesson_has_a_room_of_its_name():
    assert set(rooms.ROOMS) == {path.stem[3:] for path in NOTEBOOKS}
    of_tests = {path.name for path in (ROOT / "tests" / "rooms").iterdir() if (path / "__init__.py").exists()}
    assert of_tests == set(rooms.ROOMS)


# --- the mathematics is what one sees --------------------------------------------------------------------------------

LINES = dict.fromkeys(MATHEMATICS, 420) | {"attention": 380}  # a few screens; half of it is docstrings


@pytest.mark.parametrize("owner", sorted(LINES))
def test_mathematics_fits_a_few_screens(owner):
    path = ROOT / Path(*dotted(owner).split(".")).with_suffix(".py")
    count = len(path.read_text(encoding="utf-8").splitlines())
    assert count < LINES[owner], f"{path} has {count} lines"


def body(function):
    """The code of a function of helpers/attention.py, without its docstring."""
    tree = ast.parse((HELPERS / "attention.py").read_text(encoding="utf-8"))
    (found,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    return found.body[1:]


def steps(function):
    """What a function does in its own body, in order: `@` and the names that it calls."""
    found = []
    for node in (node for line in body(function) for node in ast.walk(line)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            found.append((node.lineno, node.end_col_offset, "@"))
        elif isinstance(node, ast.Call):
            found.append((node.lineno, node.end_col_offset, ast.unparse(node.func)))
    return [name for _, _, name in sorted(found)]


def test_equation_1_reads_from_top_to_bottom_in_one_place():
    done = [step for step in steps("scaled_dot_product_attention") if step in {"@", "np.where", "softmax"}]
    assert done == ["@", "np.where", "softmax", "@"]
    assert len(body("scaled_dot_product_attention")) <= 5


def test_softmax_reads_from_top_to_bottom_in_one_place():
    done = [step for step in steps("softmax") if step in {"np.max", "np.exp", "np.sum", "np.divide"}]
    assert done == ["np.max", "np.exp", "np.sum", "np.divide"]


def test_mathematics_loads_no_drawing():
    helpers = ", ".join(sorted(dotted(name) for name in MATHEMATICS | {"inputs"}))
    assert {"matplotlib", "ipywidgets", "IPython", "mygrad", "tqdm"} & modules_after(f"import {helpers}") == set()


def modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


OFFERED = explorers.MODULE_OF | checks.MODULE_OF  # name: the module in which it stands


def test_what_no_cell_used_is_not_loaded():
    loaded = modules_after(
        "from helpers import attention, checks, explorers, layers, matrices; from helpers.learning import training; from rooms.shared import examples"
    )
    assert {name.partition(".")[0] for name in loaded} & {"matplotlib", "PIL", "ipywidgets", "mygrad", "tqdm"} == set()
    assert set(OFFERED.values()) & loaded == set()


def test_no_explorer_loads_matplotlib_and_few_load_mygrad():
    """Half of what a kernel held was matplotlib's; it is the learner's own, for figures in a cell."""
    names = [name for name in explorers.__all__ if name.startswith("explore_") and name != "explore_attention"]
    code = "from helpers import explorers; made = [getattr(explorers, name)() for name in {}]"
    loaded = modules_after(code.format(names))
    assert len(names) > 50 and "workbench.moving.engine" in loaded and "matplotlib" not in loaded
    few = ("mask_the_future", "attend_by_hand", "remember_keys_and_values", "let_a_head_stay_silent", "hunt_the_bugs")
    used = [name for name in names if explorers.MODULE_OF[name].split(".")[1] in few]
    assert len(used) > 8 and "mygrad" not in modules_after(code.format(used))


def test_every_public_name_of_explorers_is_found_where_the_table_says():
    for name in explorers.__all__:
        assert getattr(explorers, name) is vars(sys.modules[explorers.MODULE_OF[name]])[name]
    assert dir(explorers) == explorers.__all__ == sorted(explorers.MODULE_OF)
    with pytest.raises(AttributeError, match=r"no attribute 'explore_lookop'. Did you mean explore_lookup\?"):
        explorers.explore_lookop  # noqa: B018


@pytest.mark.parametrize("room", rooms.ROOMS)
def test_a_room_offers_all_that_it_makes(room):
    offers, made = importlib.import_module(f"rooms.{room}"), {"EXPLORERS": [], "EXERCISES": []}
    for path in (ROOT / "rooms" / room).glob("*.py"):
        module = importlib.import_module(f"rooms.{room}.{path.stem}")
        own = {name: each for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
        made["EXPLORERS"] += [name for name in own if name.startswith("explore_")]
        made["EXERCISES"] += [each.name for each in vars(module).values() if isinstance(each, Exercise)]
    listed = f"rooms/{room}/__init__.py must list what the room offers"
    assert set(made["EXPLORERS"]) - set(offers.EXPLORERS) == set(), listed
    assert sorted(made["EXERCISES"]) == sorted(offers.EXERCISES), listed


@pytest.mark.parametrize("room", rooms.ROOMS)
def test_a_lesson_shows_what_its_room_offers(room):
    offers, code = importlib.import_module(f"rooms.{room}"), "\n".join(notebooks.cells(room, "code"))
    wanted = [f"explorers.{name}(" for name in offers.EXPLORERS] + [
        f'checks.check("{name}"' for name in offers.EXERCISES
    ]
    assert [call for call in wanted if call not in code] == []


def test_no_name_is_offered_twice():
    found = [importlib.import_module(f"rooms.{room}") for room in rooms.ROOMS]
    for kind in ("EXPLORERS", "EXERCISES"):
        names = [name for room in found for name in getattr(room, kind)]
        assert sorted(set(names)) == sorted(names)
        assert set(names) <= set(OFFERED)


# --- requirements ----------------------------------------------------------------------------------------------------

PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
EXTRAS = tomllib.loads(PROJECT)["project"]["optional-dependencies"]


def _with_reasons(listed):
    """Lines of pyproject.toml as those of requirements.txt: the package, and behind it why."""
    own = [line for line in listed if not line.startswith("attention-lessons[")]
    return [f"{line} {PROJECT.partition(line)[2].splitlines()[0].removeprefix(chr(34)).strip(' ,')}" for line in own]


COURSE = _with_reasons(tomllib.loads(PROJECT)["project"]["dependencies"])  # what comes with it, however it is installed
TESTER, MODEL, SITE = (_with_reasons(EXTRAS[name]) for name in ("test", "model", "web"))
LEARNER = [
    line for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]
REQUIREMENTS = COURSE + LEARNER + TESTER + MODEL + SITE


def packages(lines):
    """Names of the packages in lines of requirements."""
    return {re.split(r"[>\s]", line)[0] for line in lines if line[0] != "-"}


def packages_imported_in(*folders):
    code = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if "_build" not in path.parts]
    used = {
        unit(name)
        for path in code
        for name in imports_of(path)
        if not name.startswith(("helpers", "workbench", "rooms", "tests", "web"))
    }
    used = {BROUGHT_BY.get(name, name) for name in used - sys.stdlib_module_names - OF_A_BROWSER}
    return {name.replace("_", "-") for name in used}


@pytest.mark.parametrize("line", REQUIREMENTS)
def test_requirement_is_bounded_and_has_its_reason(line):
    assert re.fullmatch(r"(-e \.|[a-z][a-z0-9-]*>=\d[\d.]*,<\d[\d.]*) +# \S.*", line)


@pytest.mark.everything
def test_every_imported_package_is_required():
    assert packages_imported_in("helpers", "workbench", "rooms", "tests", "web") - packages(REQUIREMENTS) == set()
    assert packages_imported_in("helpers", "workbench", "rooms") - packages(COURSE) <= packages(MODEL)


def test_a_learner_installs_nothing_that_only_tests_need():
    only_tests = packages_imported_in("tests") - packages_imported_in("helpers", "workbench", "rooms") | {
        "ruff",
        "playwright",
    }
    only_tests -= {"jupyterlab"}  # the lessons open in it
    assert packages(COURSE + LEARNER) & (only_tests | packages(TESTER)) == set()


# --- README ----------------------------------------------------------------------------------------------------------

LINK = re.compile(r"!?\[(?P<words>[^]]*)\]\((?P<target>[^)\s]+)\)")


def test_readme_table_lists_exactly_the_lessons():
    rows = [line for line in README.splitlines() if re.match(r"\| *\[\d\d ", line)]
    listed = [LINK.search(row)["target"] for row in rows]
    assert listed == [f"notebooks/{path.name}" for path in NOTEBOOKS], "README.md: its table must list the lessons"


def test_map_of_the_first_lesson_lists_all_others():
    first, *others = NOTEBOOKS
    prose = [cell.source for cell in nbformat.read(first, as_version=4).cells if cell.cell_type == "markdown"]
    (the_map,) = [text for text in prose if "\n## The map\n" in f"\n{text}"]
    listed = re.findall(r"\[(\d\d)\]\((\1_\w+\.ipynb)\)", the_map)
    assert [file for _, file in listed] == [path.name for path in others], "its map must list the other lessons"


def test_readme_lessons_have_the_numbers_of_their_files():
    for link in LINK.finditer(README):
        if link["target"].endswith(".ipynb"):
            assert Path(link["target"]).stem[:3].replace("_", " ") == link["words"][:3]


def test_readme_links_lead_to_files():
    targets = [link["target"] for link in LINK.finditer(README) if not re.match(r"https?:|#", link["target"])]
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_contributing_names_what_is_there():
    named = re.findall(r"`([\w.]+/[\w./]+\.\w+)`", CONTRIBUTING)
    assert len(named) > 5
    assert [path for path in named if "heat" not in path and not (ROOT / path).exists()] == []


def test_readme_pictures_have_alt_text_and_are_here():
    pictures = re.findall(r"!\[([^]]*)\]\(([^)]+)\)", README)
    assert pictures and all(len(words) > 20 and not target.startswith("http") for words, target in pictures)


def test_readme_says_the_oldest_python():
    oldest = re.search(r'requires-python = ">=([\d.]+),', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1]
    assert f"Python {oldest}" in README


@pytest.mark.parametrize("shell", ["sh", "powershell"])
def test_readme_says_the_test_command_that_ci_runs(shell):
    command = subprocess.run([sys.executable, ROOT / ".ci" / "test_command.py", shell], capture_output=True, text=True)
    assert '-e ".[test]"' in command.stdout and command.stdout.strip() in README, command.stderr
