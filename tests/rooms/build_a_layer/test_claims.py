"""What the text of this lesson says in numbers, and what its first picture shows after each of the three clicks."""

import numpy as np
import pytest

from helpers import attention, explorers, layers
from helpers.support import data_files
from rooms.build_a_layer import depth
from tests import driving
from tests.notebooks import function_of, prose
from tests.rooms.build_a_layer.test_depth import TINY, attend


def test_without_a_norm_48_sums_reach_half_a_million():
    explorer = explorers.explore_depth()
    explorer.set(residual=True, depth=48)
    assert not any(holds for holds, _ in driving.lights(explorer.html)) and explorer.text.count("5·10⁵") == 1


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


THREE = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def sums(tokens, how_many, share=1.0):
    for _ in range(how_many):
        tokens = tokens + share * attention.softmax(tokens @ tokens.T / np.sqrt(2)) @ tokens
    return tokens


def test_twelve_sums_nearly_double_three_tokens_and_a_nudge_twelve_times_and_layers_of_the_picture_do_not():
    top = sums(THREE, 12)
    assert round(top.max()) == 3365 and f"{np.ptp(top, axis=0).max():.1f}" == "1.7" and 3365 < 2**12
    nudge = np.array([[0, 0], [0, 0], [0.001, 0]])
    moved = np.abs(sums(THREE + nudge, 12) - top).max()
    assert f"{moved:.1f}" == "3.7" and "has become 3.7" in prose("build_a_layer")
    size = depth.quartiles(True, "none", False)["signal"][1]
    assert 1.28 < (size[48] / size[0]) ** (1 / 48) < 1.38 and 4.5e5 < size[48] < 5.5e5  # a third larger, half a million
    assert round(sums(THREE, 48, 1 / np.sqrt(48)).max()) == 546 and "546-fold" in prose("build_a_layer")


def test_three_numbers_of_the_words_draw_apart_up_to_layer_3_and_all_eight_do_not():
    words = depth.heights(*depth.random_stack(1), (True, "none", False))
    apart = (words - words.mean(axis=1, keepdims=True)) / np.sqrt((words**2).mean(axis=(1, 2), keepdims=True))
    shown, whole = ((apart[..., :k] ** 2).mean(axis=(1, 2)) for k in (3, 8))
    assert shown.argmax() == 3 and whole[3] < whole[0]


def test_wide_post_norm_stacks_keep_most_of_the_gradient_and_narrow_ones_do_not():
    file = np.load(data_files.path("depth_of_stacks.npz"))
    narrow = explorers.explore_depth()
    narrow.set(residual=True, norm="post", feed_forward=True, depth=6)
    assert "✗" not in narrow.html  # as in 2017
    narrow.set(depth=48)
    wide = file["wide"].astype(float)
    assert f"{narrow.shown['top'][1]:.2f} {np.median(wide[:, 1]):.1f}" == "0.03 0.7" and wide[:, 2].max() < 1e-6


def test_rms_norm_tells_apart_what_layer_norm_does_not():
    near, far = np.array([1.0, 3.0, 9.0, 3.0]), np.array([5.0, 7.0, 13.0, 7.0])
    np.testing.assert_allclose(layers.rms_norm(near), [0.2, 0.6, 1.8, 0.6], rtol=1e-6)
    np.testing.assert_allclose(
        [layers.layer_norm(near), layers.layer_norm(far)], [np.array([-3, -1, 5, -1]) / 3] * 2, rtol=1e-5
    )
    assert np.abs(layers.rms_norm(far) - layers.rms_norm(near)).max() > 0.3


def test_each_of_todays_models_that_lesson_29_reads_norms_by_size_alone():
    models = data_files.json_file(data_files.path("model_configurations.json"))
    assert len(models) == 4 and all("rms_norm_eps" in model for model in models.values())


def test_a_norm_undoes_a_hundredfold_size_and_gives_0_where_all_features_are_equal():
    norm = function_of("build_a_layer", "norm_one_token")
    word = np.array([1, 3, 9, 3])
    for token in (word, 100 * word, word + 4):
        np.testing.assert_allclose(norm(token, 1, 0), np.array([-3, -1, 5, -1]) / 3, atol=5e-3)
    np.testing.assert_array_equal(norm(np.full(4, 2), 1, 0), 0)
    np.testing.assert_allclose(layers.rms_norm(100.0 * word), [0.2, 0.6, 1.8, 0.6], rtol=1e-6)


def test_a_norm_on_the_residual_leaves_a_64th_of_a_word_after_twelve_steps_and_one_before_the_step_a_root():
    """Each step adds something as large as the word, at right angles to all that is there."""
    for steps, wanted in ((12, 1 / 64), (48, 0.5**24)):
        post = pre = np.eye(steps + 1)[0]
        for step in range(steps):
            added = np.eye(steps + 1)[step + 1]
            post, pre = (post + added) / np.linalg.norm(post + added), pre + added
        assert post[0] == pytest.approx(wanted) and pre[0] / np.linalg.norm(pre) == pytest.approx(
            1 / np.sqrt(steps + 1)
        )


def gauges(step):
    """Medians over 20 random stacks of how much words differ, of their size and of the gradient; `step` makes what is added."""
    found = []
    for seed in range(20):
        x, stack = depth.random_stack(seed)
        product = np.eye(x.size)
        for parameters in stack:
            bent = x + TINY * 1j * np.eye(32).reshape(32, 4, 8)
            bent = bent + step(bent, parameters["self_attention"])
            product, x = bent.imag.reshape(32, 32).T / TINY @ product, bent[0].real
        size = np.sqrt((x**2).mean())
        found.append([np.sqrt(((x - x.mean(0)) ** 2).mean()) / size, size, np.sqrt((product**2).sum() / 32)])
    return np.median(found, axis=0)


def test_rms_norm_keeps_48_pre_norm_layers_alive_as_layer_norm_does():
    differ, size, gradient = gauges(lambda x, W: attend(x / ((x**2).mean(-1, keepdims=True) + 1e-5) ** 0.5, W))
    assert differ > 0.15 and 3 < size < 9 and 3 < gradient < 15


def test_random_steps_are_at_a_right_angle_to_their_words_on_average():
    turns = []
    for seed in range(20):
        x, stack = depth.random_stack(seed)
        for parameters in stack[:12]:
            step = attend(x, parameters["self_attention"])
            turns += ((x * step).sum(-1) / np.linalg.norm(x, axis=-1) / np.linalg.norm(step, axis=-1)).tolist()
            x = layers.layer_norm(x + step)
    assert abs(np.mean(turns)) < 0.05


def test_a_stack_without_norms_stays_alive_if_each_step_is_divided_by_the_root_of_the_depth():
    differ, size, gradient = gauges(lambda x, W: attend(x, W) / np.sqrt(48))
    assert differ > 0.5 and 0.5 < size < 3 and 0.5 < gradient < 3
