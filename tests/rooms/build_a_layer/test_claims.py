"""What the text of this lesson says in numbers, and what its first picture shows after each of the three clicks."""

import numpy as np
import pytest

from helpers import attention, explorers, layers
from helpers.support import data_files
from rooms.shared import words
from tests import driving
from tests.notebooks import function_of


def test_three_clicks_turn_bare_attention_into_a_layer_that_can_be_stacked():
    explorer = explorers.explore_depth()

    def out():
        return [k for k, (holds, _) in enumerate(driving.lights(explorer.html)) if not holds]

    TOKENS, NUMBERS, GRADIENT = range(3)
    assert out() == [TOKENS] and explorer.controls["depth"].value == 12
    driving.click(explorer, "around", 0)
    assert out() == [GRADIENT]
    explorer.set(depth=48)
    assert out() == [TOKENS, NUMBERS, GRADIENT] and explorer.text.count("5·10⁵") == 1  # half a million
    explorer.set(depth=12)
    driving.click(explorer, "box", 1)
    assert out() == []
    driving.buttons(explorer)["48 layers"].click()
    assert out() == [TOKENS]
    driving.click(explorer, "box", 1)
    assert out() == [] and f"{explorer.shown['signal'][1, 48]:.0f}" == "6"
    driving.click(explorer, "box", 0)  # the network
    assert out() == []


def test_a_layer_of_2017_turns_words_grey_again_at_48_layers():
    explorer = explorers.explore_depth()
    for name in ("48 layers", "a layer of 2017"):
        driving.buttons(explorer)[name].click()
    assert [k for k, (holds, _) in enumerate(driving.lights(explorer.html)) if not holds] == [0]


def test_pre_norm_numbers_grow_like_the_root_of_the_depth():
    explorer = explorers.explore_depth()
    explorer.set(residual=True, norm="pre")
    sizes = explorer.shown["signal"][1]
    assert 0.8 < (sizes[48] / sizes[12]) / 2 < 1.25


def test_twelve_sums_nearly_double_three_tokens_twelve_times():
    tokens = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    for _ in range(12):
        tokens = tokens + attention.softmax(tokens @ tokens.T / np.sqrt(2)) @ tokens
    assert round(tokens.max()) == 3365 and f"{np.ptp(tokens, axis=0).max():.1f}" == "1.7" and 3365 < 2**12
    assert f"{np.ptp(tokens, axis=0).max() / tokens.max():.2%}" == "0.05%"


def test_wide_post_norm_stacks_keep_most_of_the_gradient_and_narrow_ones_do_not():
    file = np.load(data_files.path("depth_of_stacks.npz"))
    narrow = explorers.explore_depth()
    narrow.set(residual=True, norm="post", feed_forward=True, depth=6)
    assert "✗" not in narrow.html  # as in 2017
    narrow.set(depth=48)
    wide = file["wide"].astype(float)
    assert f"{narrow.shown['top'][1]:.2f} {np.median(wide[:, 1]):.1f}" == "0.03 0.7" and wide[:, 2].max() < 1e-6


@pytest.mark.parametrize("d_model", [64, 768])
def test_two_thirds_of_a_wide_layer_sit_in_its_network(d_model):
    attention_weights, network = 4 * d_model**2, 2 * d_model * 4 * d_model
    assert network / (attention_weights + network) == pytest.approx(2 / 3)


def test_rms_norm_tells_apart_what_layer_norm_does_not():
    near, far = np.array([1.0, 7.0]), np.array([5.0, 11.0])
    np.testing.assert_allclose(layers.rms_norm(near), [0.2, 1.4], rtol=1e-6)
    np.testing.assert_allclose([layers.layer_norm(near), layers.layer_norm(far)], [[-1, 1]] * 2, rtol=1e-5)
    assert np.abs(layers.rms_norm(far) - layers.rms_norm(near)).max() > 0.3


def test_without_a_bend_sarahs_sum_is_made_of_five_other_words():
    known = {
        word: np.array([*row, 1]) for word, row in words.she_sentences().table.items()
    }  # the bias is a feature of all
    made = known["her"] + known["Alex"] - known["cat"] - known["wearing"] + known["watch"]
    np.testing.assert_array_equal(made, known["Sarah"])


def test_watch_could_have_asked_for_a_womans_name_itself():
    text = words.she_sentences()
    keys = text.X[:, [text.features.index("female"), text.features.index("name")]]
    query = 8 * np.ones(2) * text.table["watch"][text.features.index("worn")]  # as She asks in lesson 03, but for worn
    weights = attention.softmax(keys @ query / 2)
    assert weights[text.tokens.index("Sarah")] == pytest.approx(0.943, abs=5e-4)


def test_a_norm_undoes_a_hundredfold_size_and_gives_0_where_all_features_are_equal():
    norm = function_of("build_a_layer", "norm_one_token")
    for token, wanted in (([1, 2, 3], [-1.22, 0, 1.22]), ([100, 200, 300], [-1.22, 0, 1.22]), ([2, 2, 2], [0, 0, 0])):
        np.testing.assert_allclose(norm(np.array(token), 1, 0), wanted, atol=5e-3)


def test_three_tokens_on_a_line_stay_on_it_when_mixed_and_fill_a_plane_when_bent():
    line = np.array([[-1.0, -2.0], [0.5, 1.0], [2.0, 4.0]])
    mixed = attention.scaled_dot_product_attention(line, line, line).output
    bent = layers.feed_forward(mixed, np.array([[1.0, -1.0], [0.0, 0.0]]), 0, np.eye(2), 0)
    assert [np.linalg.matrix_rank(rows, tol=1e-9) for rows in (line, mixed, bent)] == [1, 1, 2]
