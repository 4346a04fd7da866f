"""Build the course as a static site.

python -m web.build [--still] [--live [FOLDER]]

The pages are written to web/_build/html; any file server shows them. --still leaves every explorer in its first state,
which is done in seconds. --live adds the lessons with a kernel in the browser, and links to them: with the Pyodide in a
folder, or the one that is published, which is fetched.
"""

import argparse
import hashlib
import re
import shutil
import sys
import time
import zipfile
from pathlib import Path

import nbformat

from web import front, lean, live, pages, played
from workbench.pictures.html import alive
from workbench.recording import record

WEB = Path(__file__).resolve().parent
ROOT = WEB.parent
BUILD = WEB / "_build"
SOURCE, STATIC, PLAYED, HTML, STAMP = (
    BUILD / name for name in ("source", "static", "played", "html", "built_from.txt")
)
LESSON = "[0-9][0-9]_*.ipynb"
DOCUMENTS = ("CITATION.cff", "CONTRIBUTING.md", "LICENSE", "data/README.md", "hub/README.md")
PICTURES = "data/readme_*.*"
NOT_PART = {"_build", "__pycache__", ".ipynb_checkpoints", "screenshots"}
NOTE_OF_STATIC = re.compile(r"<p [^>]*>Run this cell to move: [^<]*</p>")
LINK = re.compile(r'(href="\d\d_\w+)\.ipynb"')


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m web.build", description=__doc__.split("\n")[0])
    parser.add_argument("--still", action="store_true", help="leave every explorer in its first state")
    parser.add_argument("--live", nargs="?", const="", metavar="FOLDER", help="add the lessons with a kernel")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    for folder in (SOURCE, STATIC, HTML):
        shutil.rmtree(folder, ignore_errors=True)
    STAMP.unlink(missing_ok=True)
    write_source(options.still, options.live is not None)
    if status := sphinx():
        return status
    lean.finish(HTML)
    forward(HTML / "notebooks")
    write(HTML / "404.html", pages.not_found(lean.address()))
    if options.live is not None:
        live.build(lessons(), options.live, BUILD / "live", HTML / "live")
    STAMP.write_text(digest(options.still), encoding="utf-8")
    print(f"{HTML}: built in {time.perf_counter() - start:.0f} s")
    return 0


def sphinx():
    """Run Sphinx; a warning is a failure."""
    from sphinx.cmd.build import main

    return main(
        [
            "-b",
            "html",
            "-q",
            "-W",
            "--keep-going",
            "-c",
            str(WEB),
            "-d",
            str(BUILD / "doctrees"),
            str(SOURCE),
            str(HTML),
        ]
    )


# --- what Sphinx reads -----------------------------------------------------------------------------------------------


def write_source(still, is_live):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    write(SOURCE / "run_it_yourself.md", pages.how_to_run(readme))
    for name in (*DOCUMENTS, *(path.relative_to(ROOT) for path in ROOT.glob(PICTURES))):
        copy(ROOT / name, SOURCE / name)
    copy(record.HERE / "player.js", STATIC / "player.js")
    for name in ("style.css", "favicon.svg", "writer.js", "writing.js"):
        copy(WEB / name, STATIC / name)
    copy(ROOT / "data/readme_shared.png", STATIC / Path(lean.PICTURE).name)
    write_zip(SOURCE / "course.zip")
    write(STATIC / "player.css", record.player_css())
    write(STATIC / "letters.js", front.letters())
    moving = {} if still else recordings()
    for path in lessons():
        lesson = page(
            nbformat.read(path, as_version=4), moving.get(path, {}), live.address(path.stem) if is_live else ""
        )
        write(SOURCE / "notebooks" / path.name, nbformat.writes(lesson))
        if path.name.startswith("00"):
            write(SOURCE / "index.md", pages.front_page(readme, front.opening(first_picture(lesson)), is_live))


def recordings():
    """The explorers of each lesson as they stand on the site, with their files in place."""
    moving = played.record_all(lessons(), PLAYED)
    for path in (file for lesson in lessons() for file in (PLAYED / lesson.stem).glob("*.js")):
        copy(path, STATIC / "players" / path.name)
    return moving


def page(notebook, moving, live_at=""):
    """A lesson as it stands on the site; `moving` holds the HTML of its explorers and of what is drawn in two widths, by the number of
    the cell, `live_at` is the address of the lesson live, or "" where there is none."""
    first = notebook.cells[0]
    first.source += "\n\n" + pages.lesson_note(live_at)
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r'\1.html"', pages.told_on_a_page(cell.source))
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_progress(output)]
            if cell.source.startswith("checks."):
                cell.metadata["tags"] = [*cell.metadata.get("tags", []), "verdict"]
            if cell.metadata.get("jupyter", {}).get("source_hidden"):
                cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-input"]
            moves = "player" in moving.get(number, "")
            if "after-guess" in cell.metadata.get("tags", []) and not moves:  # it opens by a click
                cell.metadata["tags"] = [*cell.metadata["tags"], "hide-output"]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if number in moving and output.output_type == "execute_result":
                html = LINK.sub(r'\1.html"', moving[number])
                data["text/html"] = html.replace(record.MORE, pages.how_to_get(live_at))
            elif "text/html" in data:
                data["text/html"] = alive(LINK.sub(r'\1.html"', NOTE_OF_STATIC.sub("", data["text/html"])))
    return notebook


MOVED = (  # pages that had another address before; what follows the number is the lesson's name
    "07_mask_and_cross 08_build_a_layer 09_ask_another_text 09_stack_a_transformer 10_count_the_cost 10_stack_a_transformer "
    "11_learn_to_look 11_see_patches_as_tokens 12_learn_to_look 12_train_a_transformer 13_let_it_write 13_train_a_transformer "
    "14_grow_a_copying_head 14_let_it_write 15_ask_a_real_encoder 15_grow_a_copying_head 16_ask_a_real_encoder "
    "16_count_the_cost 17_turn_positions 18_remember_keys_and_values 19_attend_to_few 20_let_a_head_stay_silent "
    "21_carry_a_state 22_choose_experts 22_open_a_language_model 23_hunt_the_bugs 23_open_a_language_model 24_read_a_model "
    "25_choose_experts 25_hunt_the_bugs 26_port_and_prove 27_see_patches_as_tokens"
).split()
NOW = {"mask_and_cross": "mask_the_future"}  # a lesson that got another name


def moved():
    """dict address of before -> address of now, of the lessons that have another one."""
    address = {path.stem[3:]: path.stem for path in lessons()}
    now = {old: address[NOW.get(old[3:], old[3:])] for old in MOVED}
    return {old: new for old, new in now.items() if old != new}


def forward(folder):
    """Leave at each old address of a lesson a page that leads to its new one."""
    for old, new in moved().items():
        text = f'<!doctype html><title>Moved</title><meta http-equiv="refresh" content="0; url={new}.html">'
        write(folder / f"{old}.html", f'{text}<p>This lesson has moved to <a href="{new}.html">{new}</a>.</p>\n')


def first_picture(lesson):
    """The HTML of the first picture of a lesson."""
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    return next(output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {}))


def is_progress(output):
    """Whether an output is a progress bar, which stands still on a page."""
    return output.output_type == "display_data" and set(output.data) == {"text/plain"}


def lessons():
    return sorted(path for path in (ROOT / "notebooks").glob(LESSON) if "-Copy" not in path.name)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


# --- the whole course, to take home ----------------------------------------------------------------------------------


def course_files():
    """Every file of the course, without what was made from it."""
    folders = (".ci", ".github", "helpers", "workbench", "rooms", "notebooks", "data", "hub", "web", "tests")
    found = [path for path in ROOT.iterdir() if path.suffix in {".md", ".txt", ".toml", ".py"}]
    found += [ROOT / "LICENSE", ROOT / ".gitignore"]
    found += [path for name in folders for path in (ROOT / name).rglob("*")]
    own = set((ROOT / "notebooks").glob("*.ipynb")) - set(lessons())  # a learner's copies
    return sorted(
        path
        for path in found
        if path.is_file() and path not in own and not NOT_PART & set(path.relative_to(ROOT).parts)
    )


def write_zip(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in course_files():
            archive.write(file, Path("attention-lessons") / file.relative_to(ROOT))


def digest(still):
    """What a site was built from, in one line."""
    total = hashlib.sha256(str(still).encode())
    for path in course_files():
        if "tests" not in path.relative_to(ROOT).parts:
            total.update(f"{path.relative_to(ROOT).as_posix()}\n".encode() + path.read_bytes())
    return total.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
