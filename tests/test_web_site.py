"""The course as a site: every page is there, every link leads somewhere, nothing comes from elsewhere, all of it is small."""

import functools
import gzip
import json
import re
import zipfile
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from fontTools import ttLib
from PIL import Image

from tests import website
from tests.browser import playing
from tests.notebooks import lessons
from web import build, lean, live, pages, played
from workbench.pictures import svg
from workbench.recording import record

pytestmark = pytest.mark.everything

README = (build.ROOT / "README.md").read_text(encoding="utf-8")
LOADS = {
    "img": "src",
    "script": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}
LARGEST = 400_000  # bytes of all that a lesson loads, packed as a server sends it
PACKED = {".png", ".webp", ".woff"}  # already


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that a link can name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids, self.players = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif given.get(LOADS.get(tag)) and given.get("rel") not in {"index", "search", "next", "prev"}:
            self.loads.append(given[LOADS[tag]])
        if given.get("data-src"):
            self.players.append(given["data-src"])


@functools.cache
def read(path):
    return Page(path.read_text(encoding="utf-8"))


def own(pattern):
    """The site's own, without those of JupyterLite."""
    return sorted(path for path in website.site().rglob(pattern) if path.relative_to(website.site()).parts[0] != "live")


def all_pages():
    """The pages that are read; those that only lead to another one are not."""
    leads = {"404.html", *(f"{old}.html" for old in build.moved())}
    return [path for path in own("*.html") if "_static" not in path.parts and path.name not in leads]


def target(page, address):
    """The file that an address on a page names, and the place in it."""
    parts = urlsplit(address)
    return (page.parent / unquote(parts.path)).resolve() if parts.path else page, parts.fragment


def is_elsewhere(address):
    return bool(urlsplit(address).netloc) or address.startswith("//")


# --- with the site ---------------------------------------------------------------------------------------------------


def test_every_lesson_has_a_page_and_the_front_page_leads_to_it():
    front = website.site() / "index.html"
    linked = {target(front, link)[0] for link in read(front).links if not is_elsewhere(link)}
    assert [path.stem for path in lessons() if (website.site() / f"notebooks/{path.stem}.html") not in linked] == []


def test_what_answers_a_question_is_folded_until_it_is_asked_for():
    found = 0
    for path in lessons():
        cells = [cell for cell in nbformat.read(path, 4).cells if "after-guess" in cell.metadata.get("tags", [])]
        covered = [cell for cell in cells if "explorers." not in cell.source]  # a picture that moves stays open
        text = (website.site() / f"notebooks/{path.stem}.html").read_text(encoding="utf-8")
        assert text.count("Show code cell output") + text.count("Show code cell content") >= len(covered), path.name
        found += len(covered)
    assert found > 5


def test_every_link_leads_to_a_page_and_to_a_place_in_it():
    broken = []
    for page in all_pages():
        for link in read(page).links:
            if is_elsewhere(link) or link.startswith(("mailto:", "data:", "#pst", "javascript:")):
                continue
            file, place = target(page, link)
            if not file.is_file() or (place and file.suffix == ".html" and unquote(place) not in read(file).ids):
                broken.append(f"{page.relative_to(website.site())}: {link}")
    assert broken == []


def test_old_addresses_lead_to_the_lessons_where_they_are_now():
    numbers = {path.stem for path in lessons()}
    assert {"09_stack_a_transformer", "24_read_a_model"} <= build.moved().keys() <= set(build.MOVED) - numbers
    for old, new in build.moved().items():
        text = (website.site() / f"notebooks/{old}.html").read_text(encoding="utf-8")
        assert f"url={new}.html" in text and (website.site() / f"notebooks/{new}.html").is_file()


def test_no_page_loads_anything_from_elsewhere():
    wanted = [f"{page.name}: {load}" for page in all_pages() for load in read(page).loads if is_elsewhere(load)]
    style = re.compile(r"url\(\s*[\"']?(?:https?:)?//|@import\s+(?:url\()?[\"']?(?:https?:)?//")
    sheets = [path for path in own("*.css") if style.search(path.read_text(encoding="utf-8"))]
    assert wanted == [] and sheets == []


def test_everything_that_a_page_loads_is_there():
    wanted = [(page, load) for page in all_pages() for load in read(page).loads if not load.startswith("data:")]
    assert [f"{page.name}: {load}" for page, load in wanted if not target(page, load)[0].is_file()] == []


@pytest.mark.parametrize("name", ["index.html", *website.lesson_pages()])
def test_a_page_is_small_enough_for_a_phone(name):
    page = website.site() / name
    loads = [load for load in read(page).loads if not load.startswith("data:")]
    files = {
        page,
        website.site() / "_static/formulas.woff",
        *(target(page, load)[0] for load in [*loads, *read(page).players]),
    }
    packed = sum(
        len(file.read_bytes() if file.suffix in PACKED else gzip.compress(file.read_bytes(), 6)) for file in files
    )
    assert packed < LARGEST, f"{packed / 1000:.0f} kB in {len(files)} files"


def test_every_button_of_every_recorded_picture_leads_somewhere():
    dead = {}
    for path in own("players/*.js"):
        recording = playing.read(path.read_text(encoding="utf-8"))
        if "computed" not in recording.data:  # else a script leads there
            dead[path.stem] = recording.dead_buttons()
    assert len(dead) > 60 and {name: buttons for name, buttons in dead.items() if buttons} == {}


def test_no_page_loads_a_font_of_icons_and_each_icon_is_drawn():
    drawn = set(re.findall(r"\.fa-([\w-]+) { --icon", (build.WEB / "style.css").read_text(encoding="utf-8")))
    for page in all_pages():
        text = page.read_text(encoding="utf-8")
        asked = set(re.findall(r'class="[^"]*?\bfa-(?:solid|brands) fa-([\w-]+)', text))
        assert "fontawesome" not in text and asked <= drawn, page.name
    assert not own("*fontawesome*")


def test_every_sign_of_a_formula_is_in_the_font_that_the_pages_load():
    font = ttLib.TTFont(website.site() / "_static/formulas.woff")
    signs = set()
    for page in all_pages():
        for formula in re.findall("<math.*?</math>", page.read_text(encoding="utf-8"), re.S):
            signs |= set(unescape(re.sub(r"<[^>]*>|\s", "", formula)))
    known = font.getBestCmap()
    assert "√" in map(chr, known) and "MATH" in font and len(signs) > 60
    assert sorted(sign for sign in signs if ord(sign) not in known) == []


def test_a_link_to_a_page_shows_its_title_what_it_says_and_a_picture():
    for page in all_pages():
        text = page.read_text(encoding="utf-8").partition("</head>")[0]
        (title,) = re.findall(r"<title>(.*?)</title>", text, re.S)
        assert title.count("Attention, by hand and in motion") == 1
        (said,), (picture,) = (
            re.findall(rf'="{name}" content="([^"]+)"', text) for name in ("description", "og:image")
        )
        assert 40 < len(said) <= 210 and (website.site() / picture.lstrip("/")).is_file(), page.name
        assert "Click any word" not in said, "a link is not a page to click on"
    with Image.open(website.site() / picture.lstrip("/")) as shown:
        assert shown.size == (1200, 630), "as wide and as high as those who show it cut it"


def test_contributing_says_how_much_a_lesson_may_weigh():
    told = " ".join((build.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert f"keeps to its share of {played.KILOBYTES} kB a lesson" in told
    assert f"a page with all that it loads stays below {LARGEST // 1000} kB" in told


def test_an_address_without_a_page_leads_to_the_lessons():
    text = pages.not_found("https://owner.github.io/course/")
    assert re.findall(r'href="([^"]*)"', text) == [
        "https://owner.github.io/course/",
        "https://owner.github.io/course/search.html",
    ]
    assert (website.site() / "404.html").read_text(encoding="utf-8") == pages.not_found(lean.address())


@pytest.mark.parametrize("name", website.lesson_pages())
def test_no_page_asks_to_run_a_cell_for_what_moves_here(name):
    text = (website.site() / name).read_text(encoding="utf-8")
    assert "Run this cell to move" not in text and "run_it_yourself.html" in text


def test_the_course_can_be_taken_home():
    (archive,) = website.site().glob("_downloads/*/course.zip")
    with zipfile.ZipFile(archive) as course:
        names = {name.removeprefix("attention-lessons/") for name in course.namelist()}
    needed = {"README.md", "LICENSE", "pyproject.toml", "requirements.txt", "helpers/attention.py", ".ci/run"}
    assert needed | {f"notebooks/{path.name}" for path in lessons()} <= names
    assert not [name for name in names if re.search(r"(^|/)(_build|__pycache__|\.git)/|-Copy", name)]


# --- without it ------------------------------------------------------------------------------------------------------


def test_pages_are_cut_from_readme():
    front, run = pages.front_page(README, "HERE TO TOUCH"), pages.how_to_run(README)
    assert front.startswith("# Attention, by hand and in motion\n\nHERE TO TOUCH\n") and "readme_she.png" not in front
    assert (
        "[02](notebooks/02_attend_by_hand.ipynb) ·" in front
        and "07 No peeking ahead <notebooks/07_mask_the_future>" in front
    )
    assert len(pages.titles(README)) == len(lessons())
    assert "[the course](course.zip)" in run and "python3 -m venv" in run and ".[model]" in run
    assert "web.build" not in run and "### " not in run


def test_a_page_asks_for_no_key_of_jupyterlab():
    said = [nbformat.read(path, as_version=4).cells for path in lessons()]
    text = "\n".join(cell.source for cells in said for cell in cells if cell.cell_type == "markdown")
    assert [text.count(words) for words in pages.ON_A_PAGE] == [1] * len(pages.ON_A_PAGE)
    here = pages.told_on_a_page(text)
    here = re.sub(r"<details><summary>How to work in JupyterLab.*?</details>", "", here, flags=re.S)
    assert "<kbd>Enter</kbd>" not in here.replace("press <kbd>Enter</kbd>", "") and "**Take it by its tip" in here


@pytest.fixture
def small_lesson(tmp_path):
    """A function that writes a notebook of these cells, and returns its path."""

    def write(*cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbformat.write(notebook, tmp_path / "99_small.ipynb")
        return tmp_path / "99_small.ipynb"

    return write


def test_what_cells_show_is_recorded_once_and_again_when_a_cell_changed(small_lesson, tmp_path):
    question = 'print("aloud")\nexplorers.predict("score of horse")'
    path, folder = small_lesson("from helpers import explorers", question, "2 + 2"), tmp_path / "kept"
    first = played.record_lesson(path, folder)
    made = (folder / "cells.json").stat().st_mtime_ns
    assert list(first) == [1] and "0.8" in first[1] and "aloud" not in first[1]
    assert "workbench/moving/questions.py" in (folder / "modules.json").read_text(encoding="utf-8")
    assert played.record_lesson(path, folder) == first and (folder / "cells.json").stat().st_mtime_ns == made
    small_lesson("from helpers import explorers", "2 + 2", question)
    assert list(played.record_lesson(path, folder)) == [2]


def test_a_picture_that_is_drawn_in_two_widths_has_both_on_its_page(small_lesson, tmp_path):
    path = small_lesson("from helpers import explorers", 'explorers.your_model("03")')
    cells = played.record_lesson(path, tmp_path / "kept")
    assert list(cells) == [1] and cells[1].count("<svg") == 2 and 'class="only-narrow"' in cells[1]
    assert "--legible" in cells[1] and "0 of 17 parts are yours" in cells[1]
    output = nbformat.v4.new_output("execute_result", {"text/html": "wide"}, execution_count=1)
    waits = nbformat.v4.new_code_cell("x", outputs=[output], metadata={"tags": ["after-guess"]})
    made = build.page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), waits]), cells)
    shown = made.cells[1].outputs[0]["data"]["text/html"]
    assert 'href="06_split_into_heads.html"' in shown and ".ipynb" not in shown
    assert "hide-output" in made.cells[1].metadata["tags"]


def test_a_link_in_html_leads_to_a_page():
    cell = nbformat.v4.new_markdown_cell('<summary>after <a href="00_who_is_she.ipynb">lesson 00</a></summary>')
    page = build.page(nbformat.v4.new_notebook(cells=[cell]), {})
    assert '<a href="00_who_is_she.html">' in page.cells[0].source


def test_a_cell_that_only_calls_a_picture_hides_its_code_and_a_drawing_takes_the_colours_of_the_page():
    drawn = svg.Drawing(2, 2).html("a square")._repr_mimebundle_()
    output = nbformat.v4.new_output("execute_result", drawn, execution_count=1)
    hidden = nbformat.v4.new_code_cell("show()", outputs=[output], metadata={"jupyter": {"source_hidden": True}})
    page = build.page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), hidden]), {})
    assert page.cells[1].metadata["tags"] == ["remove-input"]
    assert "<svg" in page.cells[1].outputs[0]["data"]["text/html"]


def test_a_page_links_to_its_lesson_live_where_there_is_one():
    note = pages.lesson_note(live.address("02_attend_by_hand"))
    assert f'href="../live/notebooks/index.html?path={live.edition()}/02_attend_by_hand.ipynb"' in note
    assert "live" not in pages.lesson_note() and "get the course" in note
    assert set(live.LIMITS) <= {path.stem[3:] for path in lessons()}


def test_what_a_cell_prints_is_one_text_in_a_live_lesson(tmp_path):
    """Of a list of lines, a page shows the commas between them."""
    said = nbformat.v4.new_output("stream", text="one\ntwo\n")
    cells = nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("print()", outputs=[said])
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "01_title.ipynb")
    live.write_lessons([tmp_path / "01_title.ipynb"], tmp_path / "live")
    written = json.loads((tmp_path / "live/01_title.ipynb").read_text("utf-8"))
    assert written["cells"][1]["outputs"][0]["text"] == "one\ntwo\n" and live.SAID in written["cells"][0]["source"]


def test_what_only_python_does_is_linked_from_the_card():
    cell = nbformat.v4.new_code_cell(
        "shown", outputs=[nbformat.v4.new_output("execute_result", {"text/html": ""}, execution_count=1)]
    )
    made = {1: f"<p>{record.CHOSEN}{record.MORE}.</p>"}
    page = build.page(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), cell]), made, "live/x.html"
    )
    said = page.cells[1].outputs[0]["data"]["text/html"]
    assert f'{record.CHOSEN}: <a href="../live/x.html"' in said and 'or <a href="../run_it_yourself.html">' in said


def test_a_file_that_is_not_the_listed_one_is_refused_and_only_what_is_needed_is_taken():
    with pytest.raises(SystemExit, match="is not what Pyodide"):
        live.checked(b"another", "0" * 64, "numpy.whl")
    packages = {"a": {"depends": ["B_b", "gone"]}, "b-b": {"depends": []}, "c": {"depends": ["a"]}}
    assert live.needed(packages, ["a"]) == ["a", "b-b"]
