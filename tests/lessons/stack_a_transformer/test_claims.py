"""What the text and the checks of this lesson say, tried."""

import numpy as np

from helpers import explorers
from helpers.learning import date_model, dates


def test_without_the_mask_each_output_but_the_last_sees_its_answer():
    explorer = explorers.explore_architecture()
    explorer.set(causal=False)
    written = explorer.shown["moves"][4:, 4:]  # row i answers with the token that is read at column i + 1
    assert (np.diagonal(written, 1) > 0).all() and written.shape == (5, 5)
    explorer.set(kind="decoder alone")
    assert "Every token but the last sees the one that it must predict." in explorer.text


def test_sentences_follow_a_cut_memory_and_a_lifted_mask():
    explorer, boxes = explorers.explore_architecture(), ("decoder: self-attention", "decoder: cross-attention")
    said = {}
    for memory in (True, False):
        for causal in (True, False):
            explorer.set(memory=memory, causal=causal, opened=boxes[0])
            said[memory, causal, 0] = explorer.text
            explorer.set(opened=boxes[1])
            said[memory, causal, 1] = explorer.text
    for (memory, causal, box), text in said.items():
        assert ("asks what the encoder remembers" in text) == memory
        assert ("hears nothing of the source" in text) == (not memory)
        assert ("and the mask hides" in text) == (causal and box == 0)
        assert ("no mask hides" in text) == (not causal and box == 0)
        assert ("but the way from it is cut" in text) == (not memory and box == 1)
    explorer.set(kind="decoder alone", causal=True)
    assert "one triangle" in explorer.text and "full square" not in explorer.text


def test_a_leak_that_the_change_does_not_reach_stays_hidden():
    def model(tokens):  # row i says whether the next token is a 3
        return np.append(tokens[1:] == 3, 0)[:, None] * np.ones(4)

    def looks_ahead(model, tokens):  # as in the lesson
        before, furthest = model(tokens), 0
        for place in range(len(tokens)):
            changed = tokens.copy()
            changed[place] = (tokens[place] + 1) % 4
            moved = np.abs(model(changed) - before).max(axis=1) > 1e-9
            for row in np.flatnonzero(moved[:place]):
                furthest = max(furthest, place - row)
        return furthest

    assert looks_ahead(model, np.array([0, 1, 0, 1])) == 0 and looks_ahead(model, np.array([0, 1, 0, 2])) == 1


def test_the_most_alike_of_39_characters_are_the_full_stop_and_the_slash():
    rows = date_model.load_model()["embedding"]
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    alike = np.abs(rows @ rows.T) - np.eye(len(rows))
    pair = {dates.NUMBERS["."], dates.NUMBERS["/"]}
    assert set(np.unravel_index(alike.argmax(), alike.shape)) == pair and f"{alike.max():.2f}" == "0.49"
    assert len(rows) == 39 and np.median(alike) < 0.12
    assert f"{alike[dates.NUMBERS['1'], dates.NUMBERS['2']]:.2f}" == "0.03"
