"""Known answers of the explorers of the state, and what answers the hand."""

import itertools
import re
from xml.etree import ElementTree

from helpers import explorers
from workbench.pictures.svg import text_width


def test_the_best_state_recites_as_many_names_as_it_has_rows():
    explorer = explorers.explore_recall()
    assert explorer.shown["curves"][3, 3:].round(2).tolist() == [1, 0.91, 0.58]  # 16, 32 and 64 names in 16 dimensions
    assert explorer.shown["curves"][0].tolist() == [1] * 6  # softmax keeps all keys
    explorer.set(width=32)
    assert explorer.shown["curves"][3, 3:].round(2).tolist() == [1, 1, 0.91]


def test_the_frame_of_a_token_cuts_no_word_and_no_box():
    explorer = explorers.explore_state()
    explorer.set(passing=2, decay=0.35)
    drawings = re.findall(r"<svg\b.*?</svg>", explorer._view.value, re.DOTALL)
    assert len(drawings) == 2, "on a card and on a phone"
    for drawing in drawings:
        shapes, parts, frames = list(ElementTree.fromstring(drawing).iter())[1:], [], []
        for each in shapes:
            at = {key: float(each.get(key, 0)) for key in ("x", "y", "width", "height", "font-size")}
            if each.text and at["font-size"]:
                wide = text_width(each.text, at["font-size"])
                left = at["x"] - wide * {"start": 0, "middle": 0.5, "end": 1}[each.get("text-anchor", "middle")]
                parts.append((left, at["y"] - 0.7 * at["font-size"], left + wide, at["y"] + 2))
            elif at["width"] and at["height"]:
                where = frames if each.get("fill") == "transparent" else parts
                where.append((at["x"], at["y"], at["x"] + at["width"], at["y"] + at["height"]))
        assert len(frames) == 3
        for (left, top, right, bottom), (x1, y1, x2, y2) in itertools.product(parts, frames):
            inside = x1 + 2 < left and right < x2 - 2 and y1 + 2 < top and bottom < y2 - 2
            assert inside or right < x1 or x2 < left or bottom < y1 or y2 < top, (left, top, right, bottom)
