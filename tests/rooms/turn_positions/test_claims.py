"""What the text of this lesson says, computed on its own."""

import re

import numpy as np

from helpers import attention, explorers, positions
from helpers.since_2017 import yarn
from tests import notebooks
from tests.references import waves


def test_with_one_pair_a_far_key_scores_as_high_as_a_near_one_and_with_64_pairs_the_score_tends_to_fall():
    explorer = explorers.explore_reach()
    explorer.set(width=2)
    scores = explorer.shown["scores"]
    assert scores[40:].max() > 0.99 and scores.min() < -0.99
    explorer.set(width=128)
    scores = explorer.shown["scores"]
    near, middle, far = (part.mean() for part in np.array_split(scores[1:], 3))
    assert near > middle > far > 0 and scores[1:].max() < 1


def test_a_permutation_of_columns_turns_one_layout_into_the_other():
    rng, order = np.random.default_rng(17), [0, 4, 1, 5, 2, 6, 3, 7]  # the halves' partners become neighbours
    x, W_query, W_key = rng.normal(size=(5, 11)), *rng.normal(size=(2, 11, 8))
    query, key = (positions.rotate(x @ W, layout="halves") for W in (W_query, W_key))
    permuted = [positions.rotate(x @ W[:, order], layout="pairs") for W in (W_query, W_key)]
    np.testing.assert_allclose(permuted[0] @ permuted[1].T, query @ key.T, atol=1e-12)
    neither = [positions.rotate(x @ W, layout="pairs") for W in (W_query, W_key)]
    assert np.abs(neither[0] @ neither[1].T - query @ key.T).max() > 0.1


def test_after_a_move_turned_scores_stay_and_of_the_four_products_of_added_waves_two_move():
    rng = np.random.default_rng(23)
    query, key, places = rng.normal(size=(3, 10)), rng.normal(size=(5, 10)), np.arange(5)
    turned, added, four = [], [], []
    for k in (0, 1000):
        waves = positions.sinusoidal_positional_encoding(1005, 10)[k:]
        p, p_key = waves[:3], waves[:5]
        turned.append(positions.rotate(query, places[:3] + k) @ positions.rotate(key, places + k).T)
        added.append((query + p) @ (key + p_key).T)
        four.append([query @ key.T, query @ p_key.T, p @ key.T, p @ p_key.T])
    np.testing.assert_allclose(turned[1], turned[0])
    assert np.abs(added[1] - added[0]).max() > 0.1
    assert [np.abs(late - early).max() > 0.1 for early, late in zip(*four)] == [False, True, True, False]


def test_the_table_of_pairs_how_much_sharper_scores_get_and_alibis_thirteenths():
    text = notebooks.prose("turn_positions")
    speeds, plain = (yarn.yarn_speeds(8, factor=factor, num_positions=4096) for factor in (4, 1))
    rows = zip(range(4), yarn.turns_in_training(8, 4096), speeds / plain, strict=True)
    told = [(str(pair), f"{turns:.3f}", f"{left:.3f}") for pair, turns, left in rows]
    assert re.findall(r"^\| (\d) \| ([\d.]+) \| ([\d.]+) \|$", text, re.M) == told
    sharper = yarn.yarn_sharpness(4)
    assert f"here by {sharper:.3f}. All scores grow by {sharper**2:.2f}" in text
    exact = yarn.yarn_speeds(8, factor=4, num_positions=4096, whole=False) / plain
    assert f"pair 2 keeps {exact[2]:.3f}" in text
    weights = attention.softmax(positions.alibi(1, 3, slope=1), base=3)
    np.testing.assert_allclose(13 * weights, [[1, 3, 9]])


def test_a_query_turned_back_fits_the_position_before_best():
    positions = np.arange(5)[:, None] / [1, 100]
    keys, turned = (np.exp(1j * angles) for angles in (positions, positions - [1, 1 / 100]))
    scores = (turned @ keys.conj().T).real
    assert scores.argmax(axis=1).tolist() == [0, 0, 1, 2, 3]
    straight = (keys @ keys.conj().T).real[0]
    assert straight[3] < straight[4] < straight[0]  # the quick hand comes round again


def test_without_cosines_one_step_is_worth_more_here_and_less_there():
    encoding = np.array(waves(5, 8))
    for part, equal in ((encoding, True), (encoding[:, 0::2], False)):
        scores = part @ part.T
        assert all(np.ptp(np.diagonal(scores, k)) < 1e-12 for k in range(4)) == equal
        assert equal or all(np.ptp(np.diagonal(scores, k)) > 0.1 for k in range(4))


def test_one_layout_for_queries_and_another_for_keys_tells_places_and_both_in_the_wrong_one_tell_wrong_differences():
    rng, places = np.random.default_rng(19), np.arange(6)
    arrows = np.tile(rng.normal(size=8), (6, 1))
    halves, pairs = (positions.rotate(arrows, places, layout=layout) for layout in ("halves", "pairs"))
    scores = {
        name: a @ b.T for name, a, b in (("halves", halves, halves), ("pairs", pairs, pairs), ("both", halves, pairs))
    }
    spread = {name: np.ptp(np.diagonal(each, 1)) for name, each in scores.items()}
    assert spread["halves"] < 1e-9 and spread["pairs"] < 1e-9 and spread["both"] > 0.1
    assert np.abs(scores["halves"] - scores["pairs"])[0, 1:].max() > 0.1
    partners, paces = {}, {}
    for layout in ("halves", "pairs"):  # what number j is turned with, and how far: where a 1 at j comes out
        came = positions.rotate(np.eye(8), np.ones(8), layout=layout)
        partners[layout] = [int(np.flatnonzero(np.delete(row, j))[0]) for j, row in enumerate(np.abs(came) > 1e-12)]
        partners[layout] = [k + (k >= j) for j, k in enumerate(partners[layout])]
        paces[layout] = np.arccos(np.diagonal(came)).round(6)
    assert partners == {"halves": [4, 5, 6, 7, 0, 1, 2, 3], "pairs": [1, 0, 3, 2, 5, 4, 7, 6]}
    assert np.flatnonzero(paces["halves"] == paces["pairs"]).tolist() == [
        0,
        7,
    ]  # two keep their pace, and none its partner
