"""However the course is installed, its lessons run: from a wheel, in any folder, and by the two lines that Binder runs."""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.notebooks import lessons

pytestmark = pytest.mark.everything

ROOT = Path(__file__).parents[1]
HOUSES = ("helpers", "rooms", "workbench")
SHIPPED = {  # beside the modules
    *(f"helpers/notebooks/{path.name}" for path in lessons()),
    "helpers/data/README.md",
    "workbench/README.md",
    "workbench/pictures/course.mplstyle",
    "workbench/recording/player.css",
    "workbench/recording/player.js",
    "helpers/data/attention_maps.npz",
    "helpers/data/broken_model.json",
    "helpers/data/chat_answers.json",
    "helpers/data/roundings.npz",
    "helpers/data/serving_readings.npz",
    "helpers/data/colour_model.npz",
    "helpers/data/colour_names.txt",
    "helpers/data/colour_training.txt",
    "helpers/data/copying_model.npz",
    "helpers/data/course_prose.npz",
    "helpers/data/date_model.npz",
    "helpers/data/date_training.npz",
    "helpers/data/depth_of_stacks.npz",
    "helpers/data/french_model.npz",
    "helpers/data/french_shared_model.npz",
    "helpers/data/head_counts.json",
    "helpers/data/language_model_readings.npz",
    "helpers/data/letter_model.npz",
    "helpers/data/model_configurations.json",
    "helpers/data/model_lines.json",
    "helpers/data/notes_to_lessons.json",
    "helpers/data/photograph.jpg",
    "helpers/data/porting_references.npz",
    "helpers/data/pronoun_rows.npz",
    "helpers/data/questions.json",
    "helpers/data/she_sentences.json",
    "helpers/data/small_trainings.npz",
    "helpers/data/token_cuts.json",
    "helpers/data/worked_examples.json",
}
OF_JUPYTERLAB = "share/jupyter/lab/settings/overrides.d/attention-lessons.json"
BUILD = "from hatchling import build; print(build.build_sdist('dist'), build.build_wheel('dist'))"
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
FROM_HERE = ["--no-deps", "--no-build-isolation", "--no-index"]  # what is needed is installed already: no network
USE_EVERYTHING = """
import sys
from pathlib import Path
from helpers import checks, explorers
from helpers.learning import date_model, dates
from helpers.models import attention_maps
from rooms.shared import examples, words
from helpers.support import data_files, inputs
assert Path(examples.__file__).parents[2] == Path(sys.argv[1]), f"{examples.__file__} is not what was installed"
makers = [getattr(explorers, name) for name in dir(explorers) if name.startswith("explore_")]
questions = data_files.json_file(data_files.path("questions.json"))
assert "git" not in data_files.AGAIN, "nobody has a clone here"
assert all([make().html for make in makers]) and len(makers) > 50
assert all([explorers.predict(name).controls for name in questions]) and len(questions) > 15
assert all([attention_maps.names(), words.she_sentences(), date_model.load_model(), examples.load()])
assert explorers.explore_similar_words().save("words.html").startswith("words.html, ")
assert "class Player" in Path("words.html").read_text(encoding="utf-8")
"""


def run(command, folder, **environment):
    """Run a command as if nothing were on Python's path but what is installed; fail with all that it said."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(command, cwd=folder, env=kept | environment, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the repository that may be built in."""
    folder = tmp_path_factory.mktemp("any where") / "a copy"
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "tests")
    shutil.copytree(ROOT, folder, ignore=unwanted)
    return folder


@pytest.fixture(scope="module")
def wheel(clone):
    """The wheel that is built from what an sdist carries."""
    run([sys.executable, "-c", BUILD], clone)
    (source,) = (clone / "dist").glob("*.tar.gz")
    run([sys.executable, "-m", "tarfile", "-e", source, clone.parent], clone)
    unpacked = clone.parent / source.name.removesuffix(".tar.gz")
    run([sys.executable, "-c", BUILD], unpacked)
    (first,), (second,) = (clone / "dist").glob("*.whl"), (unpacked / "dist").glob("*.whl")
    assert zipfile.ZipFile(first).namelist() == zipfile.ZipFile(second).namelist()
    return second


def test_wheel_makes_every_explorer_in_any_folder(wheel, tmp_path):
    target, elsewhere = tmp_path / "installed", tmp_path / "else where"
    elsewhere.mkdir()
    run([*PIP, "install", *FROM_HERE, "--target", target, wheel], elsewhere)
    run([sys.executable, "-c", USE_EVERYTHING, target], elsewhere, PYTHONPATH=str(target))


def test_wheel_brings_what_lessons_need_and_no_more(wheel):
    files = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in files.namelist() if name.endswith("METADATA"))
    required = email.message_from_bytes(files.read(metadata)).get_all("Requires-Dist")
    told = [line for line in required if "extra" not in line]  # what comes unasked
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    sides = [{tuple(sorted(re.findall(r"[\w.-]+|[<>]=?[\d.]+", line))) for line in lines} for lines in (told, listed)]
    assert sides[0] == sides[1]
    own = metadata.partition(".dist-info")[0]
    assert {name.partition("/")[0] for name in files.namelist()} == {*HOUSES, f"{own}.dist-info", f"{own}.data"}
    assert [name for name in files.namelist() if ".data/" in name] == [f"{own}.data/data/{OF_JUPYTERLAB}"]
    modules = {path.relative_to(ROOT).as_posix() for house in HOUSES for path in (ROOT / house).rglob("*.py")}
    assert modules - set(files.namelist()) == set()
    other = {name for name in files.namelist() if name.startswith(HOUSES) and not name.endswith(".py")}
    assert len(listed) == 7 and "the seven packages that they use" in (ROOT / "README.md").read_text(encoding="utf-8")
    size = round(wheel.stat().st_size / 1e6)
    assert f"the wheel carries lessons and data, {size} MB." in " ".join(
        (ROOT / "README.md").read_text(encoding="utf-8").split()
    )
    assert other == SHIPPED, "what only tests and README need stays out; what lessons need goes into SHIPPED"


def set_up(folder):
    """What README's first command does in a folder, once or again: the Python of its .venv, and the pip for it."""
    run([sys.executable, "-m", "venv", "--without-pip", ".venv"], folder)
    python = str(folder / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    of_the_tests = [place for place in sys.path if Path(place).name in {"site-packages", "dist-packages"}]
    (packages_of(python) / "of_the_tests.pth").write_text(
        "\n".join(of_the_tests)
    )  # what is needed, not installed again
    return python, [*PIP, "--python", python, "install", *FROM_HERE]


def packages_of(python):
    return Path(run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], ROOT).strip())


def test_binders_two_lines_leave_a_course_that_runs(clone, tmp_path):
    """repo2docker installs requirements.txt, whose `-e .` points here, and then a copy in its place."""
    python, pip = set_up(tmp_path)
    packages = packages_of(python)
    run([*pip, "-r", "requirements.txt"], clone)
    assert where_helpers_are(python, tmp_path) == clone / "helpers"
    assert (tmp_path / ".venv" / OF_JUPYTERLAB).is_file()
    run([*pip, "."], clone)
    assert where_helpers_are(python, tmp_path) == packages / "helpers"
    for lesson in ("02", "20", "22"):
        (path,) = (clone / "notebooks").glob(f"{lesson}_*.ipynb")
        run([python, "-c", "from nbclient.cli import main; main()", path.name], path.parent)


def where_helpers_are(python, folder):
    return Path(run([python, "-c", "import helpers; print(helpers.__path__[0])"], folder).strip())


def test_a_folder_that_was_renamed_says_what_readme_explains_and_is_mended_as_readme_says(tmp_path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (advice,) = re.findall(r"- A lesson says `(.+?)`: (.+?)\n- ", readme, re.S)[:1]
    assert "moved or renamed" in advice[1] and "Run the whole\n  command once more" in advice[1]
    before, after = tmp_path / "attention", tmp_path / "attention, moved"
    shutil.copytree(
        ROOT, before, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info", "tests", "web")
    )
    python, pip = set_up(before)
    with pytest.raises(AssertionError, match=re.escape(advice[0])):  # no Python that the course was installed for
        run([python, "-c", first_cell(before)], before / "notebooks")
    run([*pip, "-r", "requirements.txt"], before)
    run([python, "-c", first_cell(before)], before / "notebooks")
    before.rename(after)
    python = python.replace(str(before), str(after))
    with pytest.raises(AssertionError, match=re.escape(advice[0])):
        run([python, "-c", first_cell(after)], after / "notebooks")
    python, pip = set_up(after)
    run([*pip, "-r", "requirements.txt"], after)
    run([python, "-c", first_cell(after)], after / "notebooks")


def first_cell(folder):
    (path,) = (folder / "notebooks").glob("04_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
