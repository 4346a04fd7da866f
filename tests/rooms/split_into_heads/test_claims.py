"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np

from helpers import attention
from rooms.shared import words
from tests.notebooks import lessons


def test_full_width_matrices_for_each_head_work_with_any_number_of_heads():
    rng, D, H = np.random.default_rng(12), 4, 3
    X, W = rng.normal(size=(5, D)), rng.normal(size=(3, D, H * D))
    W_O = rng.normal(size=(H * D, D))
    heads = [
        attention.scaled_dot_product_attention(*(X @ w[:, h * D : (h + 1) * D] for w in W)).output for h in range(H)
    ]
    output = attention.multi_head_attention(X, *W, W_O, num_heads=H).output
    np.testing.assert_allclose(output, np.concatenate(heads, axis=1) @ W_O)


def test_places_that_are_added_do_not_save_one_average_and_do_help_two_heads():
    """(Mia + p1) + (Tom + p3) = (Tom + p1) + (Mia + p3), and W_V keeps sums; a head for each place tells them apart."""
    rng = np.random.default_rng(7)
    mia, tom, first, third = rng.normal(size=(4, 5))
    W_value = rng.normal(size=(5, 3))
    one, other = np.stack([mia + first, tom + third]), np.stack([tom + first, mia + third])
    half = np.array([0.5, 0.5])
    np.testing.assert_allclose(half @ (one @ W_value), half @ (other @ W_value))
    for place in range(2):
        assert np.abs(one[place] @ W_value - other[place] @ W_value).max() > 0.1


def test_two_layers_of_one_head_can_ask_one_question_after_the_other():
    """Features: Mia, Tom, before the verb, after it; gave Mia, gave Tom, got Mia, got Tom. The verb looks with a query of its own."""
    found = []
    for before, after in (([1, 0], [0, 1]), ([0, 1], [1, 0])):
        x = np.zeros((3, 8))
        x[0, :4], x[2, :4] = [*before, 1, 0], [*after, 0, 1]  # Mia gave Tom, and Tom gave Mia
        for asked, written in ((2, slice(4, 6)), (3, slice(6, 8))):
            x[1, written] += attention.softmax(20 * x[:, asked]) @ x[:, :2]
        found.append(x[1, 4:])
    np.testing.assert_allclose(found, [[1, 0, 0, 1], [0, 1, 1, 0]], atol=1e-6)


def test_giving_costs_a_book_and_getting_brings_one_and_each_head_adds_its_part():
    H = np.array([[1, 0, 0, 1], [0, 1, 1, 0]])  # Mia gave Tom, Tom gave Mia: gave Mia, gave Tom, got Mia, got Tom
    W_output = np.array([[-1, 0], [0, -1], [1, 0], [0, 1]])
    assert (H @ W_output).tolist() == [[-1, 1], [1, -1]]
    assert (H[:, :2] @ W_output[:2] + H[:, 2:] @ W_output[2:]).tolist() == (H @ W_output).tolist()


def test_scores_of_one_wide_head_are_the_sums_of_those_of_two_and_the_place_cancels():
    query, keys = np.array([-8, 8, 8, 8]), np.array([[-1, 1, -1, 1], [1, 1, 1, 1]])  # of Mia and of Tom
    first, second = keys[:, :2] @ query[:2], keys[:, 2:] @ query[2:]
    assert first.tolist() == [16, 0] and second.tolist() == [0, 16]
    assert (keys @ query).tolist() == (first + second).tolist() == [16, 16]


def test_a_straight_reshape_fills_head_0_with_query_0_and_half_of_query_1():
    assert np.array([[1, 2], [3, 4], [5, 6]]).reshape(2, 3, 1)[0].ravel().tolist() == [1, 2, 3]


def test_two_heads_of_she_find_sarah_and_the_watch_and_keep_them_apart():
    text = words.she_sentences()
    features, she = text.features, text.table["She"]
    questions = np.zeros((2, len(features), 3))  # of each head: what a feature asks for, among female, name, worn
    questions[0, features.index("female"), :2], questions[1, features.index("female"), 2] = 8, 16
    keys = text.X[:, [features.index(name) for name in ("female", "name", "worn")]]
    found = [attention.softmax(keys @ (she @ question) / 2) @ text.identities for question in questions]
    assert [text.who[row.argmax()] for row in found] == ["Sarah", "watch"]
    worn = attention.softmax(keys @ (she @ questions[1]) / 2)
    assert len({round(worn[text.tokens.index(word)], 9) for word in ("wearing", "gold", "watch")}) == 1
    assert f"{worn[text.tokens.index('watch')]:.0%}" == "33%"
    for row, least in zip(found, (0.9, 0.25)):
        assert row.max() > least and row.max() > 30 * np.sort(row)[-2]


def test_every_lesson_that_names_heads_counts_them_from_0():
    texts = {path.name[:2]: path.read_text(encoding="utf-8") for path in lessons()}
    assert {"06", "10", "17", "25"} <= {number for number, text in texts.items() if "head 0" in text}


def test_one_head_that_asks_for_both_names_gets_half_of_each_however_strongly_it_asks():
    for strength in (0.5, 3, 10, 100):
        weights = attention.softmax(strength * np.array([1.0, 0, 1, 0, 0]))
        assert weights[0] == weights[2]
    lean = np.array([0.7, 0.3])
    assert lean.tolist() != lean[::-1].tolist()
