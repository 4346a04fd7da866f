"""Towers of boxes say what stands in them, which one is open and what is cut, in the picture and in words."""

import re

from helpers.matrices import Places
from helpers.pictures.diagrams import Part, tower

PARTS = [Part("top <b>", "(2, 3)"), Part("look", box=1, arrow=0), Part("think", "each alone", box=0, arrow=4, cut=True)]


def test_a_tower_is_told_from_the_bottom_and_says_what_is_cut():
    shown = tower(PARTS, "a layer")
    assert shown.text == "a layer, from the bottom: think each alone (cut) → look → top <b> (2, 3)"
    assert shown.html.count("↑") == 2 and shown.html.count("→ +") == 1 and shown.html.count("✂") == 1


def test_a_tower_escapes_its_words_and_promises_nothing_by_itself():
    shown = tower(PARTS, "<i>").html
    assert "<b>&lt;i&gt;</b>" in shown and "top &lt;b&gt;" in shown and "class=" not in shown


def test_boxes_and_arrows_answer_by_their_numbers():
    boxes, arrows = Places("box", "touch", lambda k: f"open {k}"), Places("arrow", "touch", lambda k: f"cut {k}")
    shown = tower(PARTS, "a layer", boxes=boxes, arrows=arrows, chosen=1).html
    assert re.findall(r'class="touch at-(\w+) r(\d)" title="([^"]*)"', shown) == [
        ("box", "1", "open 1"), ("arrow", "0", "cut 0"), ("box", "0", "open 0"), ("arrow", "4", "cut 4"),
    ]  # fmt: skip
    assert shown.count("2px solid var(--a,#2563eb)") == 1
