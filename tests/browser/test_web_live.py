"""The lessons live, with nothing behind them but a file server: cells, controls, answers, loops, and work that stays.

The Pyodide is the one of tests/pyodide.txt, 0.27.7 with matplotlib 3.8; the one that is published is newer.
"""

import json
import os
import shutil

import nbformat
import pytest

from tests import website
from tests.browser import controls
from tests.browser.live import LivePage
from tests.browser.playing import served
from tests.notebooks import lessons
from web import live

pytestmark = pytest.mark.everything

FIRST = "02_attend_by_hand"
LONG = ("11", "12", "13", "14", "16", "27")  # these train or measure; the job that publishes the site runs them, too
LEFT_OUT = (FIRST[:2], *(() if os.environ.get("LIVE_LESSONS") == "all" else LONG))
TESTED = [path.stem for path in lessons() if path.stem[:2] not in LEFT_OUT]
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext"
STATUS = f"() => {KERNEL}.kernelDisplayStatus"
STOP = "() => { window.jupyterapp.commands.execute('notebook:interrupt-kernel'); }"
RESTART = f"() => {KERNEL}.session.kernel.restart().then(() => null)"
OF_OLD_MATPLOTLIB = ("has no attribute 'set_data'", "stack must be a list of artists, got PolyCollection")  # 3.8


@pytest.fixture(scope="module")
def window(chromium):
    """A browser window that keeps what a learner's browser would keep."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    yield context
    context.close()


@pytest.fixture(scope="module")
def site():
    with served(website.live()) as address:
        yield address


@pytest.fixture
def page(window, site):
    page = LivePage(window.new_page(), site)
    yield page
    page.page.close()


def first_slider_moves(page):
    """Whether the first slider changes its picture by keyboard, and every control that is folded away can be used."""
    boxes = [box for box in controls.explorers(page) if any(each.kind == "slider" for each in box.controls())]
    for box in boxes[:1]:
        slider = next(each for each in box.controls() if each.kind == "slider" and each.usable)
        box.mark()
        return controls.move(box, slider) and box.changed()
    return True


def check(page, name):
    """Every cell runs and prints what is committed, and a slider moves."""
    committed = nbformat.read(live.ROOT / f"notebooks/{name}.ipynb", as_version=4).cells
    page.wait_for_kernel().run_each()
    assert [trouble for trouble in page.cell_trouble if not any(known in trouble for known in OF_OLD_MATPLOTLIB)] == []
    assert printed(page.cells()) == printed(committed)
    assert first_slider_moves(page)
    assert page.problems == []


def test_the_link_of_a_page_opens_its_lesson(page):
    page.page.goto(f"{page.address}/notebooks/{FIRST}.html")
    with page.page.expect_popup() as opened:
        page.page.get_by_text("open this lesson live").click()
    lesson = LivePage(opened.value, page.address).wait_for_text(FIRST)
    assert "Kernel > Restart" in lesson.cells()[0]["source"] and "File > Download" in lesson.cells()[0]["source"]
    check(lesson, FIRST)
    opened.value.close()


@pytest.mark.parametrize("name", TESTED)
def test_every_cell_runs_and_prints_what_is_committed_and_a_slider_moves(name, page):
    check(page.read(live.address(name)), name)


def printed(cells):
    """What each cell prints on standard output."""
    outputs = [[out for out in cell.get("outputs", []) if out.get("name") == "stdout"] for cell in cells]
    return ["".join("".join(out["text"]) for out in cell) for cell in outputs]


RIGHT = """
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)"""
ANSWERS = {  # what is written, and what is said about it
    "...": "",
    "return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)": "✗ Scores of 1000 overflow",
    "return np.exp(score)": "name 'score' is not defined",
    "return softmax(scores)": "It calls itself without end",
    "while True: pass": "still running after 200,000 lines",
    RIGHT: "✓ Right, also for scores of 1000: rows sum to 1, and nothing overflows.\nKept in my_model.py: 1 of the 17",
}


def test_answers_are_judged_and_a_loop_is_ended_by_a_restart_alone(page):
    cells = page.open(live.address("01_ask_for_a_b")).cells()
    blank = next(k for k, cell in enumerate(cells) if "exercise-softmax" in cell["metadata"].get("tags", []))
    imports = next(k for k, cell in enumerate(cells) if cell["cell_type"] == "code")
    page.run(imports)
    for answer, told in ANSWERS.items():
        page.write(blank, f"def softmax(scores):\n    {answer}")
        page.run(blank)
        assert told in page.run(blank + 1), answer
    page.write(blank, "while True:\n    pass")
    assert page.run(blank, seconds=1) is None
    page.page.evaluate(STOP)
    page.page.wait_for_timeout(2000)
    assert page.page.evaluate(STATUS) == "busy"  # what the page says of the stop button is true
    page.wait_for(RESTART, 120, "a restart")
    page.write(blank, "print(2 + 2)")
    assert page.run(imports, 240) is not None and page.run(blank) == "4\n"


SAVE = "() => window.jupyterapp.commands.execute('docmanager:save').then(() => null)"
DOWNLOAD = "() => { window.jupyterapp.commands.execute('docmanager:download'); }"


def test_work_stays_is_downloaded_and_lies_over_no_newer_lesson(window, tmp_path):
    """Saved, closed, opened again; then the site changes a lesson, and puts a new version beside it."""
    shutil.copytree(website.live() / "live", tmp_path / "live", copy_function=os.symlink)
    with served(tmp_path) as site:
        page, mine = LivePage(window.new_page(), site), "mine = 'my own words'"
        page.read(live.address(FIRST))
        index = next(k for k, cell in enumerate(page.cells()) if cell["cell_type"] == "code")
        page.write(index, mine)
        page.wait_for(SAVE, 60, "the file to be saved")
        with page.page.expect_download() as download:
            page.page.evaluate(DOWNLOAD)
        assert mine in download.value.path().read_text(encoding="utf-8")
        page.page.close()
        edition, files = live.edition(), tmp_path / "live/files"
        newer = json.loads((files / edition / f"{FIRST}.ipynb").read_text(encoding="utf-8"))
        newer["cells"][index]["source"] = "newer = True"
        for version in (edition, "next"):
            target = files / version / f"{FIRST}.ipynb"
            target.parent.mkdir(exist_ok=True)
            target.unlink(missing_ok=True)
            target.write_text(json.dumps(newer), encoding="utf-8")
        listed = tmp_path / "live/api/contents"
        (listed / "next").mkdir()
        (listed / "next/all.json").write_text((listed / edition / "all.json").read_text().replace(edition, "next"))
        page = LivePage(window.new_page(), site)
        assert page.read(live.address(FIRST)).cells()[index]["source"] == mine
        address = live.address(FIRST).replace(edition, "next")
        assert page.read(address).cells()[index]["source"] == "newer = True"
        page.page.close()
