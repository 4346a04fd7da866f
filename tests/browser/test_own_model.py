"""The whole way of a learner: every part is typed into its lesson in JupyterLab, my_model.py grows, and at the end it says Paris."""

import os
import subprocess
import sys

import pytest

from helpers import language_model

from .lab import Lab, tab
from .learner import type_every_part

pytestmark = pytest.mark.everything


@pytest.fixture(scope="module")
def learner(chromium):
    """A tab in a JupyterLab in which answers are kept, as in a clone of the course."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MY_MODEL", raising=False)
        with Lab() as lab:
            (lab.work / "pyproject.toml").write_text("")  # by which a clone is known
            with tab(chromium, lab) as notebook:
                yield notebook


def test_every_part_is_typed_and_the_file_that_grows_says_paris(learner):
    file = learner.lab.work / "my_model.py"
    type_every_part(
        learner, lambda lesson: learner.open(f"notebooks/{lesson}.ipynb"), lambda: file.read_text(encoding="utf-8")
    )
    said = written(learner.lab.work, "The capital of France is", "--tokens", "2")
    assert "\n13 functions of yours, " in said
    assert said.startswith("The capital of France is Paris.\n") or language_model.find() is None


def written(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if name != "MY_MODEL"}
    done = subprocess.run(
        [sys.executable, "my_model.py", *arguments],
        cwd=folder, env=environment | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
