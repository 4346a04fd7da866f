"""Two tiers: `python -m pytest` runs what everybody needs, `--everything` all, `--rest` what the first leaves out.

After nbval has run a lesson, its cells run once more, the last one first: what a reader runs again must say the same.
A name that a later cell gives to something else, or a blank that takes the name of a helper, would contradict the page.

Tests and kernels compute with one thread of BLAS: with a browser beside them, a second one waits more than it works.
"""

import os
import sys
from pathlib import Path

import pytest

if sys.flags.optimize:
    pytest.exit("Tests assert, and PYTHONOPTIMIZE or -O takes assertions out: run them without.", returncode=4)

collect_ignore_glob = [
    "*-Copy*.ipynb",
    "*Untitled*.ipynb",
    "*/lesson_template/*.ipynb",
]  # a learner's own work, by File > Duplicate and File > New; what lessons are copied from

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(threads, "1")  # read when NumPy is first imported
os.environ["MY_MODEL"] = ""  # no test reads or writes what somebody keeps in my_model.py


def pytest_addoption(parser):
    group = parser.getgroup("tiers of this course")
    group.addoption("--everything", action="store_true", help="all tests, also those marked `everything`")
    group.addoption("--rest", action="store_true", help="only those marked `everything`")


def pytest_configure(config):
    """What pytest would look for from the folder in which it is called lies beside this file."""
    if config.option.nbval_sanitize_with is None:
        config.option.nbval_sanitize_with = str(Path(__file__).with_name("tests") / "nbval_sanitize.cfg")
    if config.pluginmanager.hasplugin("pytest_cov"):  # a kernel has run nothing of the course when it is first asked
        config.addinivalue_line("filterwarnings", "default::coverage.exceptions.CoverageWarning")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Whoever asks for processes by -n keeps each file in one of them: the cells of a lesson follow each other."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "loadfile"


def pytest_report_header(config):
    if not (config.option.everything or config.option.rest):
        return "first tier: tests marked `everything` wait for --everything"


@pytest.hookimpl(tryfirst=True)  # before -k chooses
def pytest_collection_modifyitems(config, items):
    add_again(items)
    if not config.option.everything:
        marked = [bool(item.get_closest_marker("everything")) for item in items]
        left_out = [item for item, mark in zip(items, marked) if mark != config.option.rest]
        items[:] = [item for item, mark in zip(items, marked) if mark == config.option.rest]
        config.hook.pytest_deselected(items=left_out)


def add_again(items):
    cells = {}
    for item in items:
        if type(item).__name__ == "IPyNbCell":
            cells.setdefault(item.parent, []).append(item)
    for notebook, run in cells.items():
        if len(run) == sum(cell.cell_type == "code" for cell in notebook.nb.cells):  # not only some, by their names
            items.insert(items.index(run[-1]) + 1, Again.from_parent(notebook, name="Again", cells=run))


class Again(pytest.Item):
    """The cells of a notebook that show something, each after those below it."""

    def __init__(self, *, cells, **known):
        super().__init__(**known)
        self.cells = cells
        self.add_marker("everything")

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}: again"

    def runtest(self):
        for cell in self.cells:
            if cell.test_outputs is None:  # chosen by -k, which left out the cells themselves
                cell.runtest()
        told = [words for cell in reversed(self.cells) if cell.cell.outputs and (words := self._contradiction(cell))]
        if told:
            pytest.fail(
                "Run once more after the cells below it, a cell says something else.\n" + "\n".join(told), False
            )

    def _contradiction(self, cell):
        try:
            cell.runtest()
        except Exception as error:
            return cell.repr_failure(pytest.ExceptionInfo.from_exception(error))
        return ""
