"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np

from helpers.models import attention_maps


def test_the_head_of_the_same_word_knows_old_and_not_the():
    text = attention_maps.load("repeated")
    weights, tokens = text.weights[1, 1], np.array(text.tokens)
    old, the = np.flatnonzero(tokens == "old"), np.flatnonzero(tokens == "the")
    assert weights[old[2], old[:2]].round(2).tolist() == [0.54, 0.24]
    elsewhere = weights[np.ix_(the, the)][~np.eye(3, dtype=bool)]
    assert f"{elsewhere.max():.2f}" == "0.09" and f"{weights[the, 0].min():.2f}" == "0.76"


def test_two_thirds_to_four_fifths_of_all_rows_rest_on_the_first_token():
    shares = [(attention_maps.load(name).weights.argmax(axis=-1) == 0).mean() for name in attention_maps.names()]
    assert 0.65 < min(shares) < 0.67 and 0.79 < max(shares) < 0.81


def test_the_one_named_last_got_less_in_all_four():
    for name, last in {"She": "alex", "names swapped": "sarah", "too big": "suitcase", "too small": "suitcase"}.items():
        text = attention_maps.load(name)
        row = text.weights[3, 1, text.tokens.index("she" if "she" in text.tokens else "it")]
        assert row[text.tokens.index(last)] < row.max() / 2
        assert row.argmax() < text.tokens.index(last)
