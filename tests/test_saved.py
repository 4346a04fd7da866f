"""An explorer in one file: what stands in it, and what is said where there can be none."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from helpers import attention, explorers
from workbench.recording import record, save


def small():
    """An explorer that a learner might build."""

    def compute(temperature):
        return {"weights": attention.softmax([score / temperature for score in (1.0, 2.0, 4.0)])}

    return explorers.explorer(
        compute,
        show=lambda now: [now.table("weights")],
        say=lambda now: f"The highest score gets {now.weights[-1]:.0%} of the weight.",
        temperature=explorers.slider("temperature", 1.0, 0.5, 2.5, 0.5),
    )


def test_a_page_of_which_every_setting_is_worth_seeing_is_saved_too(tmp_path):
    """The first try of a recording is whole then, and so is the second, with as many states."""
    made = small()
    made.worth_seeing = [{"temperature": None}]
    assert "all 5 settings are in it" in made.save(tmp_path / "mine.html")


def test_a_page_holds_every_setting_its_player_and_asks_for_nothing(tmp_path):
    made = small()
    made.controls["temperature"].value = 2.0
    before = made.html
    said = made.save(tmp_path / "mine.html")
    text = (tmp_path / "mine.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="recording">(.*?)</script>', text, re.S)[1])
    assert said.endswith("kB: it moves in a browser, without Python; all 5 settings are in it.")
    assert sorted(data["values"][0]) == [0.5, 1.0, 1.5, 2.0, 2.5] and data["values"][0][data["states"][0][0]] == 2.0
    assert made.html == before and "class Player" in text and "--query" in text and "<title>mine</title>" in text
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"|url\((?!"?data:)', text) == []
    assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_a_drawing_is_saved_as_it_is_shown_now_in_plain_colours(tmp_path):
    made = explorers.explore_three_tokens()
    made.save(tmp_path / "first.svg")
    made.set(**next(iter(made._states.values())))
    made.save(tmp_path / "second.svg")
    first, second = ((tmp_path / name).read_text(encoding="utf-8") for name in ("first.svg", "second.svg"))
    assert first != second and "var(" not in first and "class=" not in first
    root = ElementTree.fromstring(first)
    assert root.tag.endswith("svg") and float(root.get("width")) > 200 and root.find("{*}title").text


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("picture.png", r"path must end in .html, a page that moves, or .svg, the picture, got '.*picture.png'\."),
        ("nowhere/mine.html", r"path must be a file in a folder that is there, got '.*', which is in a folder that does not exist\."),
        ("folder.html", r"got '.*folder.html', which is a folder\."),
        ("mine.svg", r"The picture must hold a drawing to be saved as .svg; this one is made of tables: save it as .html\."),
    ],
)  # fmt: skip
def test_a_bad_path_is_told_in_one_sentence(tmp_path, path, told):
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(ValueError, match=told) as caught:
        small().save(tmp_path / path)
    assert str(caught.value).count(". ") == 0 and list(tmp_path.glob("*.*")) == [tmp_path / "folder.html"]


def test_what_is_no_path_is_refused():
    with pytest.raises(TypeError, match="path must be the path of a file, got 3"):
        small().save(3)


def test_an_explorer_of_too_much_is_refused_and_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(save, "MOST", 0.1)
    made = small()
    with pytest.raises(
        ValueError, match=r"must fit 0.1 kB to be saved as a page, got \d+ kB for 5 settings: save its picture"
    ):
        made.save(tmp_path / "large.html")
    assert not (tmp_path / "large.html").exists() and made.controls["temperature"].value == 1.0


def test_of_many_settings_those_are_kept_that_a_hand_reaches_first(tmp_path):
    made = explorers.explorer(
        lambda a, b: {"sum": [[a + b]]},
        show=lambda now: [now.table("sum")],
        say=lambda now: f"The sum is {now.a + now.b}.",
        a=explorers.slider("a", 0, 0, 200, 1),
        b=explorers.slider("b", 0, 0, 200, 1),
    )
    said = made.save(tmp_path / "sum.html")
    kept = int(
        re.search(r"([\d,]+) settings are in it; any other shows the nearest of them\.$", said)[1].replace(",", "")
    )
    assert 50 < kept <= record.MOST and Path(tmp_path, "sum.html").stat().st_size < 700_000


def test_the_page_hears_nothing_while_an_explorer_is_written_down(tmp_path, monkeypatch):
    made, sent = small(), []
    for widget in save.everything_in(made):
        monkeypatch.setattr(type(widget), "send_state", lambda self, key=None: sent.append((self, key)))
    made.save(tmp_path / "mine.html")
    views = [key for widget, key in sent if widget is made._view]
    assert len(views) <= 1 and sent
