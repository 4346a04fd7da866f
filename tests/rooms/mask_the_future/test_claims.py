"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np
import pytest

from helpers import attention
from rooms.shared import attention_maps


def test_a_hidden_score_leaves_nothing_to_divide():
    def rest(score):
        powers = np.exp(np.array([1.0, score, 1.0]) - score)
        return (powers / powers.sum())[[0, 2]]

    assert rest(1000).tolist() == [0, 0] and (rest(700) > 0).all()


@pytest.mark.parametrize(
    ("masked", "hears"), [((True, True), False), ((True, False), True), ((False, True), True), ((False, False), True)]
)
def test_one_layer_without_the_mask_lets_the_future_in(masked, hears):
    """Changing the last of five tokens moves the first output of a stack, if any one of its layers has no mask."""
    rng = np.random.default_rng(8)
    tokens, W_O = rng.normal(size=(5, 6)), rng.normal(size=(2, 6, 6))
    W = rng.normal(size=(2, 3, 6, 6))

    def stack(x):
        for k, mask in enumerate(masked):
            seen = np.tri(5, dtype=bool) if mask else None
            x = x + attention.multi_head_attention(x, *W[k], W_O[k], num_heads=2, mask=seen).output
        return x

    changed = tokens.copy()
    changed[4] += 1
    assert (np.abs(stack(changed) - stack(tokens))[0].max() > 1e-3) == hears
    if not hears:  # and each row comes out as if the sentence ended there
        for length in range(1, 5):
            short = tokens[:length]
            for k in range(2):
                seen = np.tri(length, dtype=bool)
                short = short + attention.multi_head_attention(short, *W[k], W_O[k], num_heads=2, mask=seen).output
            np.testing.assert_allclose(short[-1], stack(tokens)[length - 1])


def test_row_divided_again_is_right_at_100_and_nothing_at_1000():
    for hidden, right in ((0, True), (10, True), (100, True), (1000, False)):
        row = attention.softmax(np.array([1, hidden, 1.0]), base=3) * [1, 0, 0]
        with np.errstate(invalid="ignore"):
            assert (row / row.sum()).tolist() == [1, 0, 0] if right else np.isnan(row / row.sum())[0]


def test_on_paper_rows_divided_again_are_those_of_a_mask_before_softmax():
    X = np.array([[1, 0], [0, 1], [1, 1]])  # I, love, dogs
    powers = 3.0 ** (X @ X.T)
    late = np.tril(powers / powers.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(late.sum(axis=1), [3 / 7, 4 / 7, 1])
    again = late / late.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(again, [[1, 0, 0], [1 / 4, 3 / 4, 0], [1 / 5, 1 / 5, 3 / 5]])


def test_model_of_lesson_00_has_no_mask_and_watch_comes_after_she():
    """A causal mask would leave nothing above the diagonal, in any of its 72 heads."""
    reading = attention_maps.load("She")
    assert reading.weights.shape[:2] == (6, 12)
    assert reading.tokens.index("she") < reading.tokens.index("watch")
    assert (np.triu(reading.weights, 1).max(axis=(2, 3)) > 0).all()


def test_padding_mask_is_true_for_three_words_and_for_one():
    assert attention.padding_mask([3, 1], num_keys=3).squeeze().tolist() == [[True] * 3, [True, False, False]]


def test_the_square_of_three_words_and_its_last_two_rows():
    square = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert attention.causal_mask(3).tolist() == np.array(square, bool).tolist()
    assert attention.causal_mask(2, 3).tolist() == np.array(square[1:], bool).tolist()


def test_weights_of_love_on_itself_where_dogs_is_hidden():
    parts = 3.0 ** np.array([0, 1, 1])  # I, love, dogs
    assert parts[1] / parts.sum() == 3 / 7 and parts[1] / parts[:2].sum() == 3 / 4


def test_scores_of_minus_a_billion_become_equal_shares():
    assert attention.softmax(np.where(np.zeros(3, bool), [0.0, 1.0, 2.0], -1e9)).tolist() == [1 / 3] * 3


def test_pytorch_reads_true_both_ways():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    X, causal = torch.tensor(np.random.default_rng(6).normal(size=(1, 3, 4))), torch.ones(3, 3).tril().bool()
    changed = X.clone()
    changed[0, 2] = 7.0  # the last token
    layer = torch.nn.MultiheadAttention(embed_dim=4, num_heads=2, batch_first=True, dtype=torch.float64)
    for attend in (
        lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=causal),
        lambda x: layer(x, x, x, attn_mask=~causal)[0],
        lambda x: layer(x, x, x, key_padding_mask=torch.tensor([[False, False, True]]))[0],
    ):
        torch.testing.assert_close(attend(changed)[0, :2], attend(X)[0, :2])
