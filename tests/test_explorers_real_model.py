"""What the explorers of the real model must show, computed apart; tests/test_explorers.py holds them beside it."""

import functools
import importlib
import itertools
import json

import numpy as np
import pytest

from helpers import bert, explorers
from helpers.attention_maps import PATH
from tests import bert_oracle, driving

with np.load(PATH, allow_pickle=False) as file:
    DATA = {name: file[name] for name in file.files}
TEXTS = DATA["texts"].tolist()
SHE = DATA["tokens_0"].tolist()
VIEWS = ["one head", "average of the layer", "average of all 72"]
REFUSED = ["", " ", "a " * 60]  # with the weights and without
driving.OTHER_TEXTS["your own text"] = [*12 * TEXTS, f"  {TEXTS[3]} ", *REFUSED]


@functools.cache
def stored(number):
    """tokens and maps, each row by a sum of its own."""
    maps = DATA[f"weights_{number}"].astype(float)
    return DATA[f"tokens_{number}"].tolist(), maps / maps.sum(axis=3, keepdims=True)


def reading(text):
    """tokens and maps of a text, or None where the learner is told that it cannot be read."""
    return stored(TEXTS.index(text.strip())) if text.strip() in TEXTS else None


def heads(text, asks, layer, head, view):
    if reading(text) is None:
        return None
    _, maps = reading(text)
    chosen = {
        VIEWS[0]: maps[layer - 1][head - 1],
        VIEWS[1]: sum(maps[layer - 1]) / 12,
        VIEWS[2]: sum(one for layers in maps for one in layers) / 72,
    }[view]
    return {"maps": maps, "weights": chosen, "row": chosen[asks]}


@functools.cache
def votes(text, asks, without):
    tokens, maps = reading(text)
    weights, count = np.zeros((6, 12, len(tokens))), [0] * len(tokens)
    for layer in range(6):
        for head in range(12):
            row = maps[layer][head][asks].tolist()
            if without:
                row = [0.0, *(x / sum(row[1:-1]) for x in row[1:-1]), 0.0]
            weights[layer, head] = row
            count[row.index(max(row))] += 1
    return {"weights": weights, "votes": np.array(count)}


@functools.cache
def wrong_head(recipe, asks):
    X = DATA["head_X"].astype(float)
    bias = 0 if recipe == "without the biases" else 1
    query = X @ DATA["head_W_query"].astype(float) + bias * DATA["head_b_query"]
    key = X @ DATA["head_W_key"].astype(float) + bias * DATA["head_b_key"]
    divisor = 1 if recipe == "not divided by √32" else 32**0.5
    scores = np.array([[sum(q * k) / divisor for k in key] for q in query])
    scores = scores.T if recipe == "queries and keys swapped" else scores
    powers = np.exp(scores - scores.max())
    along = 0 if recipe == "softmax down each column" else 1
    return {"query": query, "key": key, "scores": scores, "weights": powers / powers.sum(axis=along, keepdims=True)}


REFERENCES = {
    "explore_real_heads": heads,
    "explore_own_text": heads,
    "explore_votes": votes,
    "explore_wrong_head": wrong_head,
}

# --- tables, sentences, lights ---------------------------------------------------------------------------------------


def parts(count):
    """Where the strips begin and end: as many as are needed for 11 tokens in each, of nearly the same length."""
    strips = (count + 10) // 11
    edges = [round(k * count / strips) for k in range(strips + 1)]
    return list(itertools.pairwise(edges))


def strips(tokens, asks, weights, scores=None):
    found = {}
    for start, stop in parts(len(tokens)):
        above = [] if scores is None else [[*scores[start:stop], ""]]
        so_far = sum(weights[:stop])
        found[f"{tokens[asks]} looks: tokens {start + 1} to {stop}"] = [*above, [*weights[start:stop], so_far]]
    return found


def heads_tables(shown, values):
    return strips(reading(values["text"])[0], values["asks"], shown["row"].tolist())


def votes_tables(shown, values):
    tokens = reading(values["text"])[0]
    cells = [
        [
            f"{tokens[int(np.argmax(row))]} {max(row):.2f}"
            for row in (shown["weights"][layer, head] for layer in range(6))
        ]
        for head in range(12)
    ]
    return {f"where {tokens[values['asks']]} looks most": cells}


def wrong_head_tables(shown, values):
    asks = values["asks"]
    return strips(SHE, asks, shown["weights"][asks].tolist(), shown["scores"][asks].tolist())


TABLES = {
    "explore_real_heads": heads_tables,
    "explore_own_text": heads_tables,
    "explore_votes": votes_tables,
    "explore_wrong_head": wrong_head_tables,
}


def percent(x):
    return f"{100 * x:.1f}%"


def largest_two(row):
    first, second = sorted(row, reverse=True)[:2]
    return [percent(first), percent(second)]


def heads_sentence(shown, values):
    where = {VIEWS[0]: [values["layer"], values["head"]], VIEWS[1]: [values["layer"]], VIEWS[2]: [72]}[values["view"]]
    return [*where, *largest_two(shown["row"].tolist())]


def votes_sentence(shown, values):
    counts = sorted((count for count in shown["votes"].tolist() if count), reverse=True)
    return [72, *counts[:4], *([sum(counts[4:])] if counts[4:] else [])]


def wrong_head_sentence(shown, values):
    number = [32] if "32" in values["recipe"] else []
    return [*number, *largest_two(shown["weights"][values["asks"]].tolist())]


SENTENCES = {
    "explore_real_heads": heads_sentence,
    "explore_own_text": heads_sentence,
    "explore_votes": votes_sentence,
    "explore_wrong_head": wrong_head_sentence,
}


def wrong_head_lights(shown, values):
    off = abs(shown["weights"].sum(axis=1) - 1).max()
    gap = abs(shown["weights"] - stored(0)[1][3, 1]).max()
    return [
        ("every row sums to 1", off if off > 1e-6 else 0),
        ("the weights are those of the model, within 0.002", gap if gap > 2e-3 else 0),
    ]


def sums(shown, values):
    return [("every row sums to 1", 0)]


LIGHTS = {
    "explore_real_heads": sums,
    "explore_own_text": sums,
    "explore_votes": sums,
    "explore_wrong_head": wrong_head_lights,
}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_she_looks_at_sarah_as_the_lesson_says():
    explorer = explorers.explore_real_heads()
    assert explorer.text == "Layer 4, head 2: “she” looks most at “sarah”, 45.2%, then at “[CLS]”, 15.4%."


@pytest.mark.parametrize(
    ("button", "sentence"),
    [
        ("the word before", "Layer 1, head 3: “train” looks most at “small”,"),
        ("a place to rest", "Layer 5, head 6: “cat” looks most at “[CLS]”,"),
        ("the same word", "Layer 2, head 2: “old” looks most at “old”,"),
        ("She, another head", "Layer 6, head 12: “she” looks most at “cat”, 66.6%,"),
        ("Reset", "Layer 4, head 2: “she” looks most at “sarah”, 45.2%,"),
    ],
)
def test_buttons_of_real_heads_show_what_they_are_named_after(button, sentence):
    explorer = explorers.explore_real_heads()
    explorer.set(text=TEXTS[5], layer=3, head=9, view=VIEWS[2])
    driving.buttons(explorer)[button].click()
    assert explorer.text.startswith(sentence)


@pytest.mark.parametrize(
    "make", [explorers.explore_real_heads, explorers.explore_own_text, explorers.explore_wrong_head]
)
def test_a_row_cut_in_two_adds_up_at_its_end(make):
    first, last = driving.tables(make().html)
    assert first.heads[-1] == "Σ so far" and last.heads[-1] == "Σ"
    assert first.rows["weight"][-1] == "0.872" and last.rows["weight"][-1] == "1.000"


def test_a_row_in_one_piece_has_one_sum():
    explorer = explorers.explore_real_heads()
    explorer.controls["text"].value = next(text for n, text in enumerate(TEXTS) if len(stored(n)[0]) <= 11)
    (whole,) = driving.tables(explorer.html)
    assert whole.heads[-1] == "Σ" and whole.rows["weight"][-1] == "1.000"


def test_tokens_to_click_are_those_of_the_text():
    for make in (explorers.explore_real_heads, explorers.explore_votes):
        explorer = make()
        for text in [*TEXTS, TEXTS[0]]:
            explorer.controls["text"].value = text
            tokens, asks = stored(TEXTS.index(text))[0], explorer.controls["asks"]
            assert [label for label, _ in asks.options] == tokens
            assert tokens[asks.value] in {"she", "train", "cat", "it", "old"}


def test_own_text_without_weights_says_in_one_line_how_to_get_them(monkeypatch):
    monkeypatch.setattr(bert, "find_weights", lambda: None)
    explorer = explorers.explore_own_text()
    picture, shown = explorer.html, explorer.shown
    explorer.controls["text"].value = "A sentence that nobody stored."
    notice = explorer._view.value.removeprefix(picture)
    assert "requirements-model.txt" in notice and "not installed" in notice and "last good picture" in notice
    assert notice.count("<p") == 1 and explorer.shown is shown
    explorer.controls["text"].value = TEXTS[3]
    assert "not installed" not in explorer._view.value and len(explorer.controls["asks"].options) == 6


def test_own_text_with_damaged_weights_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(bert, "find_weights", lambda: tmp_path)
    monkeypatch.setattr(bert, "installed_model", lambda: bert.load_model(tmp_path))
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "Another sentence that nobody stored."
    assert "missing: config.json, tokenizer.json, model.safetensors" in explorer._view.value


def test_own_text_is_read_by_a_model_that_is_there(monkeypatch):
    tensors, words = bert_oracle.random_tensors(5), ["[CLS]", "a", "<b>", "[SEP]"]
    model = bert._build(bert_oracle.CONFIG, None, tensors)
    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", lambda: model)
    monkeypatch.setattr(bert, "read", lambda model, text: bert.Reading(words, *bert.forward(model, [2, 4, 5, 3])))
    tokens, weights = explorers.real_model._reading("Whatever stands here.")
    explorers.real_model._reading.cache_clear()
    assert tokens == words
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-12)
    np.testing.assert_allclose(weights, bert_oracle.read(tensors, bert_oracle.CONFIG, [2, 4, 5, 3])[1], atol=1e-4)


def test_own_text_is_read_by_the_real_model_as_by_the_oracle():
    folder = bert.find_weights()
    if folder is None:
        pytest.skip("THE REAL MODEL WAS NOT TESTED: requirements-model.txt says how to get its weights")
    numbers = importlib.import_module("safetensors.numpy").load_file(str(folder / "model.safetensors"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "A cat & <i>she</i>."
    tokens = ["[CLS]", "a", "cat", "&", "<", "i", ">", "she", "<", "/", "i", ">", ".", "[SEP]"]
    assert [label for label, _ in explorer.controls["asks"].options] == tokens
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    _, maps = bert_oracle.read(numbers, config, [vocabulary.index(token) for token in tokens])
    np.testing.assert_allclose(explorer.shown["maps"], maps, atol=1e-5)
    assert "<i>" not in explorer._view.value and "&lt;" in explorer._view.value


def test_own_text_that_is_too_long_for_the_page_is_told(monkeypatch):
    long = bert.Reading(["a"] * 49, None, np.ones((6, 12, 49, 49)) / 49)
    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", lambda: None)
    monkeypatch.setattr(bert, "read", lambda model, text: long)
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "Forty-seven words."
    assert "at most 48 tokens to be shown here, got 49" in explorer._view.value


def test_grid_has_every_map_in_its_place():
    maps = np.arange(72.0).reshape(6, 12, 1, 1) * np.ones((5, 5))
    mosaic = explorers.real_model._mosaic(maps, size=10, gap=1)
    assert mosaic.shape == (6 * 12, 12 * 12)
    for layer in range(6):
        for head in range(12):
            tile = mosaic[12 * layer : 12 * layer + 12, 12 * head : 12 * head + 12]
            assert np.isnan(tile[0]).all() and np.isnan(tile[:, -1]).all()
            assert (tile[1:-1, 1:-1] == 12 * layer + head).all()


def test_frame_follows_what_is_chosen():
    grid = explorers.real_model._Grid()
    shown = {"maps": np.zeros((6, 12, 3, 3))}
    for view, bounds in zip(VIEWS, [(6.5, 1.5, 1, 1), (0.5, 1.5, 12, 1), (0.5, 0.5, 12, 6)], strict=True):
        text = grid.draw(shown, {"layer": 2, "head": 7, "view": view}).text
        x, y = grid.frame.get_xy()
        assert (x, y, grid.frame.get_width(), grid.frame.get_height()) == bounds
        assert {"one head": "layer 2, head 7", "average of the layer": "all of layer 2"}.get(
            view, "all of them"
        ) in text


def test_grid_paints_the_maps_of_another_text():
    grid, chosen = explorers.real_model._Grid(), {"layer": 1, "head": 1, "view": VIEWS[0]}
    empty = grid.draw({"maps": np.zeros((6, 12, 3, 3))}, chosen).html
    full = grid.draw({"maps": np.ones((6, 12, 5, 5))}, chosen).html
    assert empty != full and grid.draw({"maps": np.zeros((6, 12, 3, 3))}, chosen).html == empty
