"""What the text and the checks of this lesson say, tried."""

import inspect

import numpy as np
import pytest

from helpers import attention, explorers
from rooms.shared import date_model, dates
from rooms.shared.words import she_words


def test_without_the_mask_each_output_but_the_last_sees_its_answer():
    explorer = explorers.explore_architecture()
    explorer.set(causal=False)
    written = explorer.shown["moves"][4:, 4:]  # row i answers with the token that is read at column i + 1
    assert (np.diagonal(written, 1) > 0).all() and written.shape == (5, 5)
    explorer.set(kind="decoder alone", beside="who hears whom")
    assert "Every token but the last sees the one that it must predict." in explorer.text


def test_sentences_follow_a_cut_memory_and_a_lifted_mask():
    explorer, boxes = explorers.explore_architecture(), ("decoder: self-attention", "decoder: cross-attention")
    said = {}
    explorer.set(beside="who hears whom")
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


def test_cross_attention_that_hears_nothing_adds_nothing_to_the_rows():
    explorer, left = explorers.explore_architecture(), {}
    for memory in (True, False):
        for box in ("self-attention", "cross-attention"):
            explorer.set(memory=memory, opened=f"decoder: {box}")
            left[box] = explorer.shown["rows"]
        assert ("asks, and hears nothing" in explorer.text) == (not memory)
        assert np.allclose(left["self-attention"], left["cross-attention"], atol=1e-4) == (not memory)


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
    assert all(f"1{mark}1" in "".join(write(dates.FIRST) for write in dates.FORMATS.values()) for mark in "./")
    answers = dates.batch_of(["1.1.1969", "31.12.2068"], [dates.FIRST, dates.LAST]).targets
    assert all(list(answer).count(dates.NUMBERS["-"]) == 2 for answer in answers)
    assert alike[dates.NUMBERS["-"], [*pair]].max() < 0.1
    assert len(rows) == 39 and np.median(alike) < 0.12
    digits = [dates.NUMBERS[digit] for digit in "0123456789"]
    best = np.unravel_index(alike[np.ix_(digits, digits)].argmax(), (10, 10))
    assert {"0123456789"[k] for k in best} == {"4", "8"}
    assert f"{alike[dates.NUMBERS['4'], dates.NUMBERS['8']]:.2f}" == "0.35"
    assert f"{alike[dates.NUMBERS['1'], dates.NUMBERS['2']]:.2f}" == "0.03"


def test_under_the_causal_mask_she_may_ask_sarah_and_watch_may_ask_her():
    tokens, _ = she_words()
    sarah, she, watch = (tokens.index(word) for word in ("Sarah", "She", "watch"))
    mask = attention.causal_mask(len(tokens))
    assert mask[she, sarah] and mask[watch, she] and not mask[she, watch]


def test_shapes_on_the_way_through_the_picture():
    explorer = explorers.explore_architecture()
    for shape in ("(4,)", "(4, 16)", "(5,)", "(5, 16)", "(5, 10)"):
        assert shape in explorer.html


@pytest.mark.everything
def test_torch_has_the_sizes_of_2017_and_its_decoder_layer_leaks_without_a_mask():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    sizes = {name: each.default for name, each in inspect.signature(torch.nn.Transformer).parameters.items()}
    named = ("num_encoder_layers", "num_decoder_layers", "d_model", "nhead", "dropout")
    assert [sizes[name] for name in named] == [6, 6, 512, 8, 0.1]
    torch.manual_seed(3)
    layer = torch.nn.TransformerDecoderLayer(6, 3, 11, batch_first=True).eval()
    tgt, memory = torch.randn(1, 5, 6), torch.randn(1, 7, 6)
    changed = tgt.clone()
    changed[0, 3] += 1
    causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
    for mask, leaks in ((None, True), (causal, False)):
        before, after = (layer(each, memory, tgt_mask=mask)[0, :3] for each in (tgt, changed))
        assert (before - after).abs().max().item() > 1e-5 if leaks else torch.equal(before, after)
