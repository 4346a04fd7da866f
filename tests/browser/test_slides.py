"""The lessons of the lecture as slides, which README makes with nbconvert: each fits a wall of 1280 × 720 pixels."""

import contextlib
import re
import subprocess
import sys

import pytest

from tests.notebooks import FOLDER, lessons

pytestmark = pytest.mark.everything

WIDE, HIGH = 1280, 720
AS_ON_A_WALL = f"""
.reveal .slides > section > section {{ display: block; width: {WIDE}px; overflow: visible; break-after: page; }}
.reveal .notes {{ display: none; }}
"""


def of_the_lecture():
    """The lessons that README names for a lecture."""
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    (numbers,) = re.findall(r"^\| a lecture, [^|]*\| ([\d ·]+) \|", readme, re.M)
    return [path for path in lessons() if path.name[:2] in numbers.split(" · ")]


@pytest.mark.parametrize("path", of_the_lecture(), ids=lambda path: path.stem)
def test_every_slide_fits_and_shows_something(chromium, tmp_path, path):
    settings = FOLDER.parent / "web" / "slides.py"
    command = [sys.executable, "-m", "jupyter", "nbconvert", "--config", str(settings), "--to", "slides", str(path)]
    subprocess.run([*command, "--output-dir", str(tmp_path)], check=True, capture_output=True, timeout=120)
    with contextlib.closing(chromium.new_context(viewport={"width": WIDE, "height": HIGH})) as context:
        page = context.new_page()
        page.route(re.compile("^https?:"), lambda route: route.abort())  # what turns the pages comes from the network
        page.goto((tmp_path / f"{path.stem}.slides.html").as_uri())
        page.add_style_tag(content=AS_ON_A_WALL)
        slides = page.locator(".slides > section > section")
        sizes = slides.evaluate_all(
            "all => all.map(each => [each.scrollWidth, each.scrollHeight, each.innerText.length, each.querySelectorAll('img').length])"
        )
        first_pictures = page.locator(".slides img").evaluate_all("all => all.map(each => each.naturalWidth)")
        said = page.locator(".slides").inner_text()
    assert "Run this cell" not in said and "Exercise" not in said
    assert len(sizes) >= 4 and first_pictures and min(first_pictures) > 0
    for wide, high, letters, pictures in sizes:
        assert wide <= WIDE and high <= HIGH and (letters or pictures)
