"""Lights: the rule where it holds; where it is broken, the fact alone, and not the rule and its denial."""

import re

import pytest

from helpers import explorers, language_model
from helpers.models import bert
from tests import record
from workbench.moving.engine import Light
from workbench.moving.page import light_words

NAMES = sorted(name for name in dir(explorers) if name.startswith("explore_"))


def test_a_broken_light_says_the_fact_alone():
    assert light_words(Light("the two differ", False, "both are the same")) == "✗ both are the same"
    assert light_words(Light("the two differ", True, "both are the same")) == "✓ the two differ"


@pytest.mark.parametrize("name", NAMES)
def test_what_breaks_a_rule_is_a_sentence_of_its_own(name, monkeypatch):
    monkeypatch.setattr(language_model, "find", lambda: None)
    monkeypatch.setattr(bert, "find_weights", lambda: None)
    explorer = getattr(explorers, name)()
    for rule in explorer._rules:
        gap = rule.gap(explorer._now)
        if not isinstance(gap, tuple | Light | None):
            assert rule.told, f"{rule.words} says no fact where it is broken"
            assert "{" in rule.told and not re.match(r"one |it |they ", rule.told), rule.told


@pytest.mark.parametrize("path", sorted(record.TESTS.rglob("recorded/*.txt")), ids=lambda path: path.stem)
def test_no_recorded_light_says_its_rule_and_denies_it(path):
    told = {line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("✗ ")}
    for words in told:
        assert not re.search(r": (one|it|they|\d+) (is|are|do|does|have|moves|gives|differ)\b", words), words
