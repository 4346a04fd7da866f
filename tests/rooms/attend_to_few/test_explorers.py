"""Known answers of the explorers of windows and best keys, and what answers the hand."""

import re

import pytest

from helpers import explorers
from rooms.read_a_model import configurations


def test_the_longest_weight_keeps_clear_of_what_it_would_be_if_all_were_asked():
    explorer = explorers.explore_best_keys()
    explorer.set(k=1)
    for html in explorer.html.split('class="only-narrow"'):
        ones, (row,) = (re.findall(f'y="([\\d.]+)"[^>]*>{words}<', html) for words in ("1", "if all(?: are asked)?"))
        assert float(row) - max(map(float, ones)) > 14


def test_one_whole_layer_in_six_takes_most_of_the_cache_of_a_long_text():
    said = {
        "model_type": "gemma3_text", "hidden_size": 24, "num_hidden_layers": 6, "num_attention_heads": 3, "num_key_value_heads": 1,
        "head_dim": 8, "intermediate_size": 5, "vocab_size": 7, "sliding_window": 1024,
    }  # fmt: skip
    assert configurations.layer_kinds(said) == ["window"] * 5 + ["whole"]
    kept = configurations.kept_bytes(said, 131_072)
    assert kept[-1] / sum(kept) == pytest.approx(131_072 / (5 * 1024 + 131_072)) and kept[-1] > 0.96 * sum(kept)
