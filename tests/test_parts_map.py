"""The picture of a learner's model: every part is in it, in colour and with a tick where it is the learner's, as a link to its lesson."""

from xml.etree import ElementTree

import pytest

from helpers import explorers, parts
from rooms.shared.parts_map import MODEL, parts_map
from rooms.shared.strip import RUNS
from rooms.write_with_your_own import running
from tests.notebooks import FOLDER


def links(own):
    """(text, href, title) of each link, in the order of the page, and what the picture says in words."""
    shown = parts_map(
        [(name, lesson, "you" if name in own else "the course") for name, lesson in parts.LESSONS.items()]
    )
    found = ElementTree.fromstring(shown.html).iter("a")
    return [(link.text, link.get("href"), link.get("title")) for link in found], shown.text


@pytest.mark.parametrize("own", [[], ["softmax", "rms_norm", "read"], [*parts.LESSONS]])
def test_every_part_is_a_link_to_its_lesson_and_says_whose_it_is(own):
    found, words = links(own)
    assert {text.removeprefix("✓ ") for text, _, _ in found} == set(parts.LESSONS)
    for text, href, title in found:
        name = text.removeprefix("✓ ")
        assert href == f"{parts.LESSONS[name]}.ipynb" and (FOLDER / href).exists()
        assert text.startswith("✓ ") == (name in own) == title.endswith("written by you")
    is_or_are = "is" if len(own) == 1 else "are"
    assert words.startswith(
        f"{len(own)} of the {len(parts.LESSONS)} parts of your model {is_or_are} yours. softmax (01"
    )
    assert words.count(", yours)") == len(own)


def test_parts_stand_on_the_way_of_a_text_each_in_the_box_that_calls_it():
    def calls(pieces, around=()):
        for piece in pieces:
            if isinstance(piece, list):
                yield from calls(piece, around)
                continue
            name, _, rows = piece if isinstance(piece, tuple) else (piece.lstrip("&"), "", [])
            if name in RUNS:
                yield (*around, name)
            yield from calls(rows, (*around, name))

    drawn = list(calls(MODEL))
    assert set(drawn) == set(running.steps())
    assert [*dict.fromkeys(step[-1] for step in drawn)] == list(RUNS)


def test_where_nothing_is_kept_nothing_is_in_colour():
    assert repr(explorers.your_model()) == links([])[1]
    assert "✓" not in explorers.your_model().html and "<summary" in explorers.your_model().html


def test_what_a_lesson_adds_has_a_stronger_frame_below_a_fold():
    shown = explorers.your_model(["split_heads", "merge_heads"])
    assert ">0 of 17 parts are yours</summary>" in shown.html and shown.html.count("2px dashed") == 2
    assert explorers.your_model("06").html.count("2px dashed") == 2, "the number of the lesson says as much"
    with pytest.raises(ValueError, match="here must be the number of a lesson"):
        explorers.your_model("split")
    with pytest.raises(ValueError, match="each of adds must be one of"):
        explorers.your_model(["split"])
