"""Recorded explorers in a page, with nothing behind it but a file server."""

import contextlib
import functools

import pytest

from helpers import explorers
from workbench.recording import record

from .playing import play_every_control, players, served

pytestmark = pytest.mark.everything

SHOWN = {  # a plane, a grid to paint, words to drag, letters to turn, fields to type into, buttons that go on, a long text, a chart, bars
    "lookup": (explorers.explore_lookup, 40),
    "mask": (explorers.explore_mask, 60),
    "shuffle": (explorers.explore_shuffle, 60),
    "translation": (explorers.explore_translation, 40),
    "steer": (explorers.explore_steer, 60),
    "drill": (functools.partial(explorers.drill, "one query"), 60),
    "patches": (explorers.explore_patch_shuffle, 8),
    "own_text": (explorers.explore_own_text, 6),
    "reach": (explorers.explore_reach, 40),
    "ablation": (explorers.explore_ablation, 15),
}
WINDOWS = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A page of recorded explorers."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "players").mkdir()
    blocks = [record.recorded(make(), name, most=most) for name, (make, most) in SHOWN.items()]
    for name, data in (item for block in blocks for item in block.files.items()):
        (folder / "players" / name).write_bytes(data)
    (folder / "player.css").write_text(record.player_css(), encoding="utf-8")
    (folder / "player.js").write_bytes(record.PLAYER_FILES[0].read_bytes())
    head = '<link rel="stylesheet" href="player.css"><script src="player.js" defer></script>'
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>page</title>{head}<body>'
    (folder / "index.html").write_text(page + "".join(block.html for block in blocks), encoding="utf-8")
    return folder


@contextlib.contextmanager
def opened(chromium, folder, window, **options):
    """The page in a window: (page, what went wrong on it, addresses that it asked for)."""
    with served(folder) as address, contextlib.closing(chromium.new_context(viewport=window, **options)) as context:
        page, troubles, asked = context.new_page(), [], []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}index.html")
        yield page, troubles, asked
        assert all(url.startswith((address, "data:")) for url in asked), "the page calls out"


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_everything_moves_and_shows_what_was_recorded(chromium, folder, window):
    with opened(chromium, folder, window) as (page, troubles, _):
        assert play_every_control(page) == []
        assert [trouble for trouble in troubles if "favicon" not in trouble and "404" not in trouble] == []


def test_a_finger_drags_paints_and_swaps(chromium, folder):
    with opened(chromium, folder, WINDOWS["phone"], has_touch=True) as (page, *_):
        lookup, mask = players(page)[:2]
        sheet = next(part for part in lookup.box.query_selector_all(".explorer-sheet > div") if part.is_visible())
        sheet.scroll_into_view_if_needed()
        box = sheet.bounding_box()
        for x, y in ((0.2, 0.2), (0.9, 0.4)):
            page.touchscreen.tap(box["x"] + x * box["width"], box["y"] + y * box["height"])
            assert lookup.box.evaluate("box => box.player.now") != 0
        cell = next(part for part in mask.box.query_selector_all("[data-paint]") if part.is_visible())
        cell.scroll_into_view_if_needed()
        cell.tap()
        assert mask.box.evaluate("box => box.player.now") != 0


def test_page_reads_without_scripts(chromium, folder):
    with opened(chromium, folder, WINDOWS["desk"], java_script_enabled=False) as (page, *_):
        text = page.inner_text("body")
        assert "cells are open" in text and "Reset" not in text


def test_picture_that_is_not_the_recorded_one_is_noticed(chromium, folder, tmp_path):
    """The mover can fail: a player that forgets to draw, and one that draws another state."""
    for name in ("index.html", "player.css"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "players").symlink_to(folder / "players")
    script = (folder / "player.js").read_text(encoding="utf-8")
    for right, wrong in (
        ("this.now = target; this.draw();", "this.now = target; this.settle();"),
        ("this.html(k)", "this.html(0)"),
        ("if (square === before[i]) return;", "if (i % 2) return;"),
        ("field.set(this.state[field.k], named", "field.set(0, named"),
        ("colours.slice(at + 2 * c,", "colours.slice(at,"),
    ):
        assert right in script
        (tmp_path / "player.js").write_text(script.replace(right, wrong), encoding="utf-8")
        with opened(chromium, tmp_path, WINDOWS["desk"]) as (page, *_):
            shown = dict(zip(SHOWN, players(page), strict=True))
            name = "patches" if "square" in right else "own_text" if "colours" in right else "lookup"
            assert shown[name].play(pixels=2) != [], wrong
