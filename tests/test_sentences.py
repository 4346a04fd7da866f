"""The guard of the sentences of explorers: it finds numbers that follow from nothing, and words that the state does not bear out."""

import functools
import re

import numpy as np
import pytest

from helpers import explorers, language_model
from rooms.grow_a_copying_head import explorers as copying
from rooms.open_a_language_model import explorers as wall
from rooms.read_a_model import explorers as sizes
from rooms.shared import model_readings
from rooms.stack_a_transformer import explorers as towers
from tests import record, sentences
from workbench.moving import living


@pytest.fixture(autouse=True)
def no_real_model(monkeypatch):
    monkeypatch.setattr(language_model, "find", lambda: None)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12% of 1,234 get −0.5, and 2.203e+04", [0.12, 1234, -0.5, 22030]),
        ("Size 2·10⁻⁴, 36.6 billion numbers: 6.29 MB.", [2e-4, 36.6e9, 6.29e6]),
        ("Layer 16.0 of A4, d_k and 3 to 5", [16.0, 3, 5]),
        ("[0.857 0.571] at 100.0%; ½", [0.857, 0.571, 1.0]),
    ],
)
def test_numbers_of_a_sentence_are_read(text, values):
    assert [said.value for said in sentences.numbers(text)] == pytest.approx(values)


def test_a_number_must_be_right_to_its_last_digit():
    shown = {"weights": np.array([[0.2501, 0.7499]]), "kept": np.array(6_291_456)}
    allowed = sentences.derivable(shown, {"place": 3})
    for text in ("0.25 and 75%", "0.750 at place 3", "6.29 MB", "2 keys sum to 1.00", "place 4"):
        assert not sentences.unexplained(text, allowed), text
    for text in ("0.26", "74%", "0.7489", "6.28 MB", "place 17"):
        assert len(sentences.unexplained(text, allowed)) == 1, text


def complaints(name, say=None):
    """What the guard says of an explorer of the course, where its sentence may be another."""
    guard = sentences.Guard(name)
    explorer = getattr(explorers, name)()
    if say:
        explorer._say = functools.partial(say, explorer._say)
        explorer._refresh()
    for state in record.states(explorer, name):
        guard.look(state, explorer)
    living.close(explorer)
    return guard.complaints


@pytest.mark.parametrize("name", ["explore_two_heads", "explore_sink", "explore_window_reach", "explore_rotation"])
def test_a_wrong_number_is_found_in_every_state(name):
    assert complaints(name) == []
    found = complaints(name, lambda say, now: f"{say(now)} And 0.12345 besides.")
    assert len(found) > 3 and all("'0.12345' follows from nothing" in each for each in found)


def test_a_number_that_stays_while_the_state_moves_is_found():
    first = []

    def say(right, now):
        first.append(right(now))
        return first[0]

    assert any("follows from nothing" in each for each in complaints("explore_recall", say))
    assert any("what is shown changed, and the sentence did not" in each for each in complaints("explore_recall", say))


@pytest.mark.everything
def test_most_numbers_that_are_a_few_units_off_are_found():
    found = []
    for name in (name for name in dir(explorers) if name.startswith("explore_")):
        guard, explorer = sentences.Guard(name), getattr(explorers, name)()
        for _ in record.states(explorer, name):
            allowed = guard.allowed(explorer)
            for said in sentences.numbers(explorer.text):
                if len(re.sub(r"^0|\D", "", said.word)) >= 3:
                    off = [said._replace(value=said.value + units * 2 * said.room) for units in (-9, 7, 13)]
                    found += [not each.is_one_of(allowed) for each in off]
        living.close(explorer)
    assert len(found) > 1000 and np.mean(found) > 0.85


# --- faults that were there ------------------------------------------------------------------------------------------


def test_words_of_a_whole_model_are_found_while_its_memory_is_cut(monkeypatch):
    whole = "Every column comes in as one word, and leaves as the next."
    monkeypatch.setattr(towers, "_tell", lambda now: whole)
    found = complaints("explore_towers")
    assert any(", off = cross-attention: what is shown changed, and the sentence did not" in each for each in found)
    assert any("'Every column comes in' is said, and is not so" in each for each in found)


def test_a_find_at_0_points_is_found(monkeypatch):
    right = copying._say_two

    def said(now):
        strength, now.strength = now.strength, now.strength or 0.1  # as if there were points
        text, now.strength = right(now), strength
        return text

    monkeypatch.setattr(copying, "_say_two", said)
    found = complaints("explore_two_heads")
    assert any("strength = 0.0: 'There head 2 finds' is said, and is not so" in each for each in found)


def test_all_tokens_of_a_text_that_is_too_long_are_found(monkeypatch):
    monkeypatch.setattr(sizes.configurations, "most_tokens", lambda name: 10**6)
    text = [explorers.explore_configurations()]
    text[0].set(model="SmolLM2-135M", tokens=131_072)
    said = text[0].text
    monkeypatch.undo()
    assert "keys and values of all tokens" in said

    def stale(right, now):
        return said if now.model == "SmolLM2-135M" and now.tokens == 131_072 else right(now)

    found = complaints("explore_configurations", stale)
    assert any("model = SmolLM2-135M: " in each and "all tokens" in each and "not so" in each for each in found)


def test_maps_of_another_reading_are_found(monkeypatch):
    def intact(source, text, off):
        stored = model_readings.find(text)
        return model_readings.Reread(stored.weights, stored.shares)

    monkeypatch.setattr(wall.Source, "_reread", intact)
    found = complaints("explore_head_wall")
    for state in ("3 heads off", "4 that copy off", "4 others off", "16.0 off"):
        assert any(f", {state}: '^Layer' is said, and is not so" in each for each in found)
