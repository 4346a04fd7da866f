"""What the text of this lesson says in numbers, computed on its own."""

import re

import numpy as np
import pytest

from helpers import decoder, explorers
from helpers.attention import softmax
from helpers.learning import small_models

STORY = small_models.load_trainings()
STEP = {int(step): k for k, step in enumerate(STORY["symbol_steps"])}
COPIES = small_models.load_model("symbols")


def test_copies_each_of_200_strings_and_bets_on_the_first_symbol():
    strings = small_models.fresh_runs()
    logits = decoder.decode(strings, COPIES, num_heads=4).logits[:, 10:-1]
    right = np.take_along_axis(softmax(logits), strings[:, 11:, None], axis=-1)[..., 0].mean(axis=0)
    assert (logits.argmax(axis=-1) == strings[:, 11:]).all()
    assert f"{right[0]:.2f}" == "0.56" and f"{right[1:].min():.2f}" == "0.95"


def test_copying_takes_off_and_the_loss_bends():
    copied, losses = STORY["accuracy"], STORY["symbol_losses"]
    assert [f"{copied[STEP[step]]:.0%}" for step in (0, 100, 200)] == ["4%", "15%", "93%"]
    assert f"{losses[-20:].mean():.2f}" == "1.24"
    no_layer_0 = decoder.without_heads(COPIES, [(0, head) for head in range(4)], num_heads=4)
    assert f"{small_models.share_copied(no_layer_0, small_models.fresh_runs()):.0%}" == "15%"
    fall = [losses[a - 5 : a + 5].mean() - losses[b - 5 : b + 5].mean() for a, b in ((20, 120), (120, 160), (200, 300))]
    assert fall[0] / 100 < fall[1] / 40 < 3 * fall[0] / 100 and fall[2] / 100 < 0.003


def test_no_model_can_get_below_what_is_left_to_chance():
    periods = np.arange(5, 13)  # the first round, and where it ends, of 23 symbols that are guessed
    unknown = np.mean(periods - 1) * np.log(20) + np.log(len(periods))
    assert np.mean(periods - 1) == 7.5 and f"{np.log(20):.1f}" == "3.0" and len(periods) == 8
    assert f"{unknown / 23:.2f}" == "1.07"  # as much when 3,000 strings are guessed by the rule of Bayes


def test_copies_from_positions_0_to_12_only():
    rng, strings = np.random.default_rng(15), []
    for _ in range(200):
        symbols = rng.permutation(20)
        strings.append([*symbols[:12], *symbols[12:18], *symbols[12:18]])
    strings = np.array(strings)
    guesses = decoder.decode(strings, COPIES, num_heads=4).logits.argmax(axis=-1)
    assert (guesses[:, 18:-1] == strings[:, 19:]).mean() < 0.01
    layer = decoder.decode(small_models.fresh_runs(), COPIES, num_heads=4).attention[0].weights.mean(axis=(0, 1))
    back = np.diagonal(layer, -1)  # from position 1 on
    assert back[:12].min() > 0.39 and back[14:].max() < 0.05
    for strings in (small_models.fresh_runs(), small_models.fresh_runs(period=20)):
        heads = decoder.decode(strings, COPIES, num_heads=4).attention[0].weights.mean(axis=0)
        assert (heads[:, 12:24].argmax(axis=-1) == 11).all()  # no training string is longer


@pytest.mark.parametrize(("symbols", "share"), [(20, "92%"), (4, "72%")])
def test_copies_less_where_symbols_may_repeat(symbols, share):
    rng = np.random.default_rng(15)
    strings = np.array([np.tile(rng.integers(symbols, size=11), 2) for _ in range(1000)])
    assert f"{small_models.share_copied(COPIES, strings):.0%}" == share


def test_of_20_symbols_positions_1_to_12_are_copied_and_layer_0_looks_one_back_from_there():
    explorer = explorers.explore_where_it_stops()
    assert np.flatnonzero(explorer.shown["right"] > 0.5).tolist() == [*range(1, 13)]
    right = explorer.shown["right"]
    assert np.delete(right, range(1, 13)).max() < 0.05 < 0.75 < right[1:13].min()
    shades = re.findall(r'fill-opacity="([.\d]+)" stroke="var\(--line', explorer.html.split('class="only-narrow"')[0])
    np.testing.assert_allclose(
        [float(shade) / 0.85 for shade in shades[-20:]], right, atol=0.02
    )  # the stronger, the more often
    back = explorer.shown["back"]
    assert back[1:13].min() > 0.35 and back[14:].max() < 0.1
    assert (
        explorer.text == "Of rounds of 20 symbols, 59% are copied. In most of 200 strings these are positions 1 to 12."
    )


def test_a_head_that_turns_back_by_the_period_copies_without_a_match():
    period, tokens = 11, small_models.fresh_runs(50)
    angles = np.outer(np.arange(2 * period), 1 / 10 ** (np.arange(32) / 8))  # the clocks of lesson 05
    hands = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    turned = angles - angles[period - 1]  # as many positions back
    scores = 40 * np.concatenate([np.cos(turned), np.sin(turned)], axis=1) @ hands.T
    weights = softmax(np.where(np.tri(2 * period, dtype=bool), scores, -np.inf))
    copied = np.take_along_axis(tokens, np.broadcast_to(weights.argmax(axis=-1), tokens.shape), axis=-1)
    assert (copied[:, period - 1 : -1] == tokens[:, period:]).all()


def test_most_training_strings_have_repeats():
    rng = np.random.default_rng(15)
    runs = [small_models.repeating(rng, period, length=period) for period in rng.integers(5, 13, size=2000)]
    assert 0.7 < np.mean([len(set(run)) < len(run) for run in runs]) < 0.85


def test_without_points_for_a_match_the_second_head_averages():
    explorer = explorers.explore_two_heads()
    explorer.set(string="ABACA", strength=0.0, place=5)
    np.testing.assert_allclose(explorer.shown["weights"][5], 1 / 6)
    assert explorer.text == "A match earns no points, so the second head finds none. It averages, and gets 0.50 of A."


def test_head_1_3_looks_at_what_came_after_and_layer_0_at_itself_and_one_back_up_to_position_12():
    explorer = explorers.explore_copying()
    assert explorer.shown["weights"][1, 3, 11:].argmax(axis=-1).tolist() == [*range(1, 12)]
    strings = small_models.fresh_runs()
    layers = [each.weights for each in decoder.decode(strings, COPIES, num_heads=4).attention]
    asks = np.arange(11, 22)
    assert (layers[1][:, 3, 11:].argmax(axis=-1) == asks - 10).mean() > 0.9
    near = layers[0].mean(axis=(0, 1))
    near = np.diagonal(near)[1:] + np.diagonal(near, -1)  # from position 1 on
    assert near[:12].min() > 0.55 and near[12:].max() < 0.3


def test_the_head_with_the_highest_number_costs_least_and_two_cost_about_40_percent():
    scores = explorers.explore_copying().shown["scores"]
    fresh = decoder.decode(small_models.fresh_runs(), COPIES, num_heads=4).attention[1].weights
    means = [f"{decoder.induction_score(weights, 11):.2f}" for weights in fresh.mean(axis=0)]
    assert np.argmax(scores) == 7 and [f"{scores[1, head]:.2f}" for head in (1, 3)] == ["0.66", "0.72"]
    assert [means[head] for head in (1, 3)] == ["0.69", "0.68"]

    def without(*heads):
        model = decoder.without_heads(COPIES, [(1, head) for head in heads], num_heads=4)
        return small_models.share_copied(model, small_models.fresh_runs())

    assert [f"{without(head):.0%}" for head in (1, 0, 3)] == ["89%", "90%", "94%"]
    assert all(0.36 < 1 - without(*pair) < 0.43 for pair in ((0, 1), (0, 3), (1, 3)))
    assert f"{without(0, 1, 3):.0%}" == "4%" and without(0, 1, 3) < 1 / 20


def test_layer_0_rises_a_little_later_and_is_low_because_the_mean_runs_over_all_positions():
    one_back, copied = STORY["previous"][:, 0].mean(axis=-1), STORY["accuracy"]
    half = [(each > (each[0] + each[STEP[400]]) / 2).argmax() for each in (copied, one_back)]
    assert 1 <= half[1] - half[0] <= 2 and one_back[STEP[800]] < 0.5 < copied[STEP[800]]
    back = decoder.decode(small_models.fresh_runs(), COPIES, num_heads=4).attention[0].weights.mean(axis=(0, 1))
    back = np.diagonal(back, -1)  # from position 1 on
    assert np.isclose(one_back[STEP[800]], back.mean(), atol=2e-3) and f"{back[:12].mean():.2f}" == "0.46"
    leads = STORY["previous"].reshape(-1, 8).argmax(axis=-1)
    assert (leads[1 : STEP[140] + 1] == 6).all() and (leads[STEP[160] :] < 4).all()  # head 1.2, then layer 0
    assert STORY["induction"][:, 1, 2].max() < 0.1
    assert ((STORY["induction"][STEP[200], 1] - STORY["induction"][STEP[100], 1]) > 0.2).sum() == 3
