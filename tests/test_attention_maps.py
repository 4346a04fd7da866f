"""The stored maps of the real model: shares, tokens that fit, clear words where the file is damaged."""

import numpy as np
import pytest

from rooms.shared import attention_maps
from rooms.shared.attention_maps import _read, find, learned_positions, load, names, one_head

TOKENS = {
    "She": 22,
    "names swapped": 22,
    "one before": 13,
    "resting": 6,
    "too big": 16,
    "too small": 16,
    "repeated": 14,
    "kind Mary": 11,
    "kind doctor": 11,
}


def arrays():
    with np.load(attention_maps.PATH, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize("name", TOKENS)
def test_map_has_all_heads_and_rows_that_sum_to_one(name):
    found = load(name)
    assert found.weights.shape == (6, 12, TOKENS[name], TOKENS[name])
    assert len(found.tokens) == TOKENS[name] and found.tokens[0] == "[CLS]" and found.tokens[-1] == "[SEP]"
    assert "".join(found.tokens[1:-1]) == found.text.lower().replace(" ", "") and names() == list(TOKENS)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, atol=1e-12)
    assert found.weights.min() >= 0


def test_each_text_shows_its_one_thing():
    she, swapped = load("She"), load("names swapped")
    row = she.weights[3, 1, she.tokens.index("she")]
    assert row[she.tokens.index("sarah")] == row.max() == pytest.approx(0.4516, abs=5e-4)
    row = swapped.weights[3, 1, swapped.tokens.index("she")]
    assert row[swapped.tokens.index("alex")] == row.max() > 0.5
    row = she.weights[5, 11, she.tokens.index("she")]
    assert row[she.tokens.index("cat")] == row.max() > 0.6  # another head, another answer
    assert np.diagonal(load("one before").weights[0, 2], -1).min() > 0.99
    assert load("resting").weights[4, 5][:, [0, -1]].sum(axis=-1).mean() > 0.9
    repeated = load("repeated").weights[1, 1]
    assert repeated[10, [2, 6]].sum() > 0.7  # the third "old" looks at the other two
    for name in ("too big", "too small"):
        found = load(name)
        row = found.weights[3, 1, found.tokens.index("it")]
        assert found.tokens[row.argmax()] == "trophy"


def test_find_knows_the_stored_texts_and_no_others():
    assert find(f"  {load('resting').text}\n").name == "resting"
    assert find("The cat slept") is None and find("") is None


def test_what_is_returned_belongs_to_the_caller():
    found, head, positions = load("resting"), one_head(), learned_positions()
    found.weights[...] = 7
    found.tokens.clear()
    head.X[...] = 7
    positions[...] = 7
    assert load("resting").weights.max() <= 1 and len(load("resting").tokens) == 6
    assert one_head().X.min() < 0 and learned_positions().max() < 7


def test_one_head_computes_its_map_by_loops():
    head = one_head()
    query = [[float(x @ w) + b for w, b in zip(head.W_query.T, head.b_query, strict=True)] for x in head.X]
    key = [[float(x @ w) + b for w, b in zip(head.W_key.T, head.b_key, strict=True)] for x in head.X]
    scores = np.array([[sum(a * b for a, b in zip(q, k, strict=True)) / 32**0.5 for k in key] for q in query])
    weights = np.exp(scores) / np.exp(scores).sum(axis=1)[:, None]
    np.testing.assert_allclose(weights, load("She").weights[head.layer, head.head], atol=1e-3)


# --- damage ----------------------------------------------------------------------------------------------------------


def test_missing_array_is_named(tmp_path):
    stored, name = arrays(), "head_X"
    del stored[name]
    np.savez(tmp_path / "maps.npz", **stored)
    with pytest.raises(ValueError, match=rf"must hold {name}, but it does not"):
        _read(tmp_path / "maps.npz")


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("weights_3", lambda w: w[:, :, :5], r"weights_3 in shape \(any, any, 6, 6\), got float16 of shape \(6, 12, 5, 6\)"),
        ("weights_3", lambda w: w * np.float16(np.nan), r"finite numbers in weights_3"),
        ("weights_3", lambda w: w * np.float16(0.9), r"rows that sum to 1 in weights_3"),
        ("weights_3", lambda w: w[..., ::-1] * -1, r"rows that sum to 1 in weights_3"),
        ("weights_3", lambda w: w.astype(int), r"got int64"),
        ("tokens_3", lambda t: t[1:], r"weights_3 in shape \(any, any, 5, 5\)"),
        ("names", lambda t: t[1:], r"names in shape \(9\), got <U13 of shape \(8,\)"),
        ("head_X", lambda x: x[:21], r"head_X in shape \(22, any\)"),
        ("head_W_key", lambda w: w[:, :31], r"head_W_key in shape \(384, 32\)"),
        ("head_b_query", lambda b: b[None], r"head_b_query in shape \(32\)"),
        ("head_value", lambda v: v[1:], r"head_value in shape \(22, 32\)"),
        ("positions", lambda p: p[:, :9], r"positions in shape \(any, 384\)"),
    ],
)  # fmt: skip
def test_spoiled_array_is_named(tmp_path, name, spoil, message):
    stored = arrays()
    np.savez(tmp_path / "maps.npz", **stored | {name: spoil(stored[name])})
    with pytest.raises(ValueError, match=message):
        _read(tmp_path / "maps.npz")
