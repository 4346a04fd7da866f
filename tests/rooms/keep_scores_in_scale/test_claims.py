"""What the text of this lesson says in numbers, computed on its own."""

import functools
import json
import math
import re

import numpy as np
import pytest

from helpers import attention, explorers
from rooms.keep_scores_in_scale import dots
from rooms.keep_scores_in_scale.explorers import _keys_and_questions
from rooms.shared import attention_maps, questions
from tests.notebooks import prose
from tests.references import powers_over_sum

THREE = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def test_division_by_the_root_of_2_barely_softens():
    plain, scaled = (powers_over_sum([0, 0, 10 / by, 0]) for by in (1, math.sqrt(2)))
    assert [f"{row[2]:.4f}" for row in (plain, scaled)] == ["0.9999", "0.9975"]


@pytest.mark.parametrize("divisor", [1, math.sqrt(2), 2])
def test_response_is_the_size_of_the_formula_in_its_fold(divisor):
    query, key = np.array([1.0, 0.5]), np.array(THREE)
    weights = powers_over_sum(list(key @ query / divisor))
    jacobian = [[w * (1 - w) if i == j else -w * v for j, v in enumerate(weights)] for i, w in enumerate(weights)]
    found = dots.response(query, key, divisor)
    assert math.isclose(found, np.linalg.norm(np.array(jacobian) @ key / divisor), rel_tol=1e-5)


@pytest.mark.parametrize(("d_k", "undivided"), [(64, (0.08, 0.15)), (256, (0.002, 0.01))])
def test_softmax_itself_responds_less_to_large_scores(d_k, undivided):
    rng = np.random.default_rng(d_k)
    scores = np.einsum("nd,nkd->nk", rng.normal(size=(3000, d_k)), rng.normal(size=(3000, 16, d_k)))
    plain, root = (
        np.median(np.linalg.norm(attention.softmax_jacobian(attention.softmax(scores / by)), axis=(1, 2)))
        for by in (1, math.sqrt(d_k))
    )
    assert undivided[0] < plain < undivided[1] and f"{root:.1f}" == "0.3"


def test_from_width_4_to_16_softmax_responds_alike_and_only_the_numbers_to_nudge_are_more():
    rng, medians = np.random.default_rng(11), {}
    for d_k in (4, 16):
        scores = np.einsum("nd,nkd->nk", rng.normal(size=(3000, d_k)), rng.normal(size=(3000, 16, d_k)))
        jacobians = attention.softmax_jacobian(attention.softmax(scores))
        medians[d_k] = np.median(np.linalg.norm(jacobians, axis=(1, 2)))
    assert abs(medians[16] / medians[4] - 1) < 0.15  # and undivided the response doubles: see the medians below


@pytest.mark.parametrize(("variance", "told"), [(1 / 3, 0.55), (1 / 2, 0.7)])  # of queries: Linear, MultiheadAttention
def test_libraries_start_smaller_and_one_key_still_gets_most(variance, told):
    rng = np.random.default_rng(4)
    scores = variance * np.einsum("nd,nkd->nk", rng.normal(size=(3000, 64)), rng.normal(size=(3000, 16, 64)))
    assert abs(attention.softmax(scores).max(axis=1).mean() - told) < 0.02 and "55 to 70% undivided" in prose(
        "keep_scores_in_scale"
    )


def test_coins():
    assert (16 + 4 * 4 + 4 * 4 + 16) / 16 == 4 and math.sqrt(100) == 10
    assert (1 * 4 + 4 * 2 + 6 * 0 + 4 * 2 + 1 * 4) / 16 == 1.5  # the plain mean of the distances
    told = json.loads(questions.PATH.read_text(encoding="utf-8"))["dot product of width 100"]
    assert "√100 = 10" in told["replies"][told["right"]]


@functools.cache
def responses():
    """What the lesson draws: (3, 4, 500), undivided, ÷ √d_k and ÷ d_k."""
    return dots.responses([4, 16, 64, 256])


def test_a_nudge_moves_a_tie_of_small_scores_a_little_and_a_lead_of_10_by_nothing():
    one_way, other_way = (powers_over_sum([lead + 0.1, 0])[0] - powers_over_sum([lead, 0])[0] for lead in (0, 10))
    assert 0.02 < one_way < 0.03 and other_way < 5e-5


def test_one_nudge_64_hundredths_long_does_the_same_at_both_widths_only_divided_by_the_root():
    found = {}
    for d_k in (4, 64):
        query, key = np.tile([1, -1], d_k // 2), np.ones(d_k)
        nudge = 0.64 * key / math.sqrt(d_k)
        assert query @ key == 0 and math.isclose(np.linalg.norm(nudge), 0.64)
        scores = [(query + nudge) @ key / divisor for divisor in (1, math.sqrt(d_k), d_k)]
        found[d_k] = [f"{score:.2f} {powers_over_sum([score, -score])[0]:.2f}" for score in scores]
        assert f"{nudge[0]:.2f} for each of {d_k}" in prose("keep_scores_in_scale").replace(" numbers", "")
    assert found == {4: ["1.28 0.93", "0.64 0.78", "0.32 0.65"], 64: ["5.12 1.00", "0.64 0.78", "0.08 0.54"]}
    assert "by 1.28 and those of the wide one by 5.12" in prose("keep_scores_in_scale")


def test_where_large_scores_tie_a_small_nudge_of_the_query_hands_nearly_everything_over():
    rng, moved = np.random.default_rng(3), {1: [], 8: []}
    for _ in range(200):
        query, (one, other) = rng.normal(size=64), rng.normal(size=(2, 64))
        other = other + query * ((one - other) @ query) / (query @ query)  # both score alike
        for divisor, found in moved.items():
            nudge = 0.5 * (one - other) / np.linalg.norm(one - other)  # the whole query is 8 long
            found.append(powers_over_sum([(query + nudge) @ each / divisor for each in (one, other)])[0] - 0.5)
    assert np.median(moved[1]) > 0.49 and np.median(moved[8]) < 0.2


def quantiles_of_gradients(d_k, divisor, count=4000, keys=16, at=(0.25, 0.5, 0.75)):
    """Of the size of dw/dq with so many keys: row j is w_j (k_j - the mixture of the keys) / divisor."""
    rng = np.random.default_rng([d_k, count])
    sizes = []
    for _ in range(count):
        query, key = rng.normal(size=d_k), rng.normal(size=(keys, d_k))
        powers = np.exp(key @ query / divisor - (key @ query / divisor).max())
        weights = powers / powers.sum()
        sizes.append(np.sqrt((weights**2 * ((key - weights @ key) ** 2).sum(axis=1)).sum()) / divisor)
    return np.quantile(sizes, at)


def test_gradients_are_a_lottery_undivided():
    by_1, by_root, by_width = (quantiles_of_gradients(64, divisor) for divisor in (1, 8, 64))
    assert by_1[0] < 0.1 and by_1[2] > 2.6 and by_1[1] > 2.5 * by_root[1]
    assert by_root[2] < 1.2 * by_root[0] and by_width[2] < 1.1 * by_width[0] and round(by_root[1] / by_width[1]) == 10


def test_undivided_one_query_in_seven_feels_nothing_and_one_in_five_too_much():
    drawn = responses()
    shares = [[(each < 0.01).mean(), (each > 3).mean()] for each in drawn[:, 2]]
    assert [[f"{share:.0%}" for share in pair] for pair in shares] == [["15%", "20%"], ["0%", "0%"], ["0%", "0%"]]
    assert drawn[2, 2].min() > 0.01  # none is below the dashed line
    low, below, high = quantiles_of_gradients(64, 1, at=(0.11, 0.16, 0.8))
    assert low < 0.01 < below and high == pytest.approx(3, rel=0.05)


def test_only_the_root_keeps_the_queries_in_the_band_of_width_4():
    plain, root, whole = ([f"{share:.0%}" for share in dots.within(each).mean(axis=1)] for each in responses())
    assert plain == ["95%", "32%", "17%", "11%"] and root == ["100%"] * 4 and whole == ["100%", "35%", "0%", "0%"]
    told = dots.nudged([4, 16, 64, 256], responses()).text
    assert "÷ √d_k >99%, >99%, 100%, 100%;" in told  # 100% is everybody, and a red dot is not


def test_a_dot_for_each_query_and_red_is_who_has_left_the_band():
    drawn = responses()[:, :, :50]
    told = dots.nudged([4, 16, 64, 256], drawn)
    assert told.html.count(">nearly everybody stays<") == 2  # below ÷ √d_k, on both pages
    inside = sum(dots.within(each).sum() for each in drawn)
    for page in told.html.split('class="only-narrow"'):
        spots = [path.count("M") for path in re.findall(r' d="([^"]*)"', page)]
        assert sum(spots[0::2]) == inside and sum(spots[1::2]) == drawn.size - inside


def test_each_number_at_the_left_edge_is_a_hundred_times_the_one_below_it():
    wide = dots.nudged([4, 16, 64, 256], responses()[:, :, :5]).html.split('class="only-narrow"')[0]
    marks = re.findall(r'<text [^>]*y="([-.\d]+)"[^>]*>(0\.0*1|1)</text>', wide)
    _, rising = zip(*sorted(((float(y), float(mark)) for y, mark in marks), reverse=True))
    assert len(rising) == 4 and np.allclose(np.divide(rising[1:], rising[:-1]), 100)


def test_one_word_takes_over_half_in_93_of_100_draws_and_in_20_of_20_one_try_out_of_four():
    rng = np.random.default_rng(9)
    largest = np.array([attention.softmax(rng.normal(size=(20, 64)) @ rng.normal(size=64)).max() for _ in range(8000)])
    assert f"{(largest > 0.5).mean():.0%}" == "93%" and 0.2 < (largest.reshape(-1, 20) > 0.5).all(axis=1).mean() < 0.3


def test_queries_and_keys_three_times_as_long_undo_the_division():
    drawn = 3 * _keys_and_questions()[..., :64]
    scores = np.einsum("dnk,dk->dn", drawn[:, 1:], drawn[:, 0]) / 8
    largest = attention.softmax(scores).max(axis=1)
    assert f"{largest.mean():.0%}" == "81%" and (largest > 0.5).sum() == 20
    largest = attention.softmax(scores / 9).max(axis=1)  # what the exercise finds
    assert (largest > 0.5).sum() == 1


def test_the_undivided_median_lies_above_at_64_and_far_below_at_256():
    plain, root, _ = np.median(responses(), axis=2)
    assert plain[2] > 2 * root[2] and plain[3] < root[3] / 3


def test_medians_with_the_width():
    widths = [4, 16, 64, 256]
    by_1, by_root, by_width = (
        [quantiles_of_gradients(d_k, divisor(d_k), 1500)[1] for d_k in widths]
        for divisor in (lambda d_k: 1, math.sqrt, lambda d_k: d_k)
    )
    assert by_1[1] > 2 * by_1[0] and by_1[2] > 2 * by_root[2] and by_1[3] < 0.45 * by_root[3]
    assert max(by_root) < 1.15 * min(by_root)
    np.testing.assert_allclose(np.divide(by_width[1:], by_width[:-1]), 0.5, rtol=0.06)


def test_scale_of_pytorch_is_a_factor():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    query, key, value = torch.tensor(np.random.default_rng(5).normal(size=(3, 7, 4)))
    attend = torch.nn.functional.scaled_dot_product_attention
    torch.testing.assert_close(attend(query, key, value, scale=1 / math.sqrt(4)), attend(query, key, value))
    assert not torch.allclose(attend(query, key, value, scale=math.sqrt(4)), attend(query, key, value))


def test_a_question_has_4_numbers_in_lesson_03_32_in_lesson_00_and_64_here():
    luck, by_hand = explorers.explore_luck(), explorers.explore_question()
    assert (by_hand.shown["query"].size, attention_maps.one_head().W_query.shape[1], luck.values["d_k"]) == (4, 32, 64)
