"""What the text of lessons 02 to 04 says in numbers, computed on its own."""

import ast
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from helpers import attention, explorers
from tests import driving
from tests.notebooks import lessons
from tests.references import dot, mix, powers_over_sum

THREE = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
PATHS = {int(path.name[:2]): path for path in lessons()}


def prose(lesson):
    cells = json.loads(PATHS[lesson].read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def function_of(lesson, name):
    """A function as a lesson defines it."""
    cells = json.loads(PATHS[lesson].read_text(encoding="utf-8"))["cells"]
    trees = [ast.parse("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
    (found,) = [node for tree in trees for node in tree.body if getattr(node, "name", "") == name]
    space = {"np": np, "math": math, "attention": attention}
    exec(compile(ast.Module([found], []), PATHS[lesson].name, "exec"), space)
    return space[name]


# --- 02 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_queries", "num_keys", "d_k", "d_v"), [(3, 3, 2, 2), (5, 11, 7, 3), (1, 2, 13, 1)])
def test_lesson_02_writes_the_attention_of_the_helpers(num_queries, num_keys, d_k, d_v):
    rng = np.random.default_rng(num_keys)
    query, key, value = (rng.normal(size=size) for size in ((num_queries, d_k), (num_keys, d_k), (num_keys, d_v)))
    output, weights = function_of(2, "scaled_dot_product_attention")(query, key, value)
    want = [powers_over_sum([dot(q, k) / math.sqrt(d_k) for k in key]) for q in query]
    np.testing.assert_allclose(weights, want)
    np.testing.assert_allclose(output, [mix(row, value) for row in want])


def test_lesson_02_pencil():
    assert f"{math.exp(0.707):.3f}" == "2.028" and f"{2 * math.exp(0.707) + 1:.3f}" == "5.056"
    assert [Fraction(3) ** int(dot(THREE[0], other)) for other in THREE] == [3, 1, 3]
    assert round(3 * round(powers_over_sum([1 / math.sqrt(2), 0, 1 / math.sqrt(2)])[0], 3), 3) == 1.203


def test_lesson_02_longer_token_changes_only_those_that_share_something_with_it():
    explorer = explorers.explore_three_tokens()
    before = explorer.shown["weights"].copy()
    driving.click(explorer, "X", 0, 0)
    assert explorer.shown["X"][0].tolist() == [2, 0]
    changed = np.abs(explorer.shown["weights"] - before).max(axis=1) > 1e-9
    assert changed.tolist() == [True, False, True]


def test_lesson_02_wrong_turns_with_shares_in_no_row_and_with_outputs_above_1():
    explorer = explorers.explore_wrong_turns()
    shares, above = [], []
    for turn in driving.choices(explorer.controls["recipe"])[1:]:
        explorer.controls["recipe"].value = turn
        weights, outputs = explorer.shown["weights"], explorer.shown["outputs"]
        rows = np.abs(weights.sum(axis=1) - 1) > 1e-9
        shares += [turn] * bool(weights.max() < 1 and weights.min() > 0 and rows.all())
        above += [turn] * bool(outputs.max() > 1)
    assert shares == ["softmax down each column"]
    assert above == ["powers, not divided by their sum", "no softmax at all"]


# --- 03 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_tokens", "d_model", "d_k", "d_v"), [(4, 2, 2, 1), (5, 7, 3, 2)])
def test_lesson_03_loops_do_what_the_matrices_do(num_tokens, d_model, d_k, d_v):
    rng = np.random.default_rng(d_model)
    X, *W = (rng.normal(size=size) for size in ((num_tokens, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)))
    answer = attention.scaled_dot_product_attention(*(X @ each for each in W))
    np.testing.assert_allclose(function_of(3, "self_attention_by_loops")(X, *W), answer.output)


# --- 04 --------------------------------------------------------------------------------------------------------------


def test_lesson_04_division_by_the_root_of_2_barely_softens():
    plain, scaled = (powers_over_sum([0, 0, 10 / by, 0]) for by in (1, math.sqrt(2)))
    assert [f"{row[2]:.4f}" for row in (plain, scaled)] == ["0.9999", "0.9975"]


@pytest.mark.parametrize("divisor", [1, math.sqrt(2), 2])
def test_lesson_04_response_is_the_size_of_the_formula_in_its_fold(divisor):
    query, key = np.array([1.0, 0.5]), np.array(THREE)
    weights = powers_over_sum(list(key @ query / divisor))
    jacobian = [[w * (1 - w) if i == j else -w * v for j, v in enumerate(weights)] for i, w in enumerate(weights)]
    found = function_of(4, "response")(query, key, divisor)
    assert math.isclose(found, np.linalg.norm(np.array(jacobian) @ key / divisor), rel_tol=1e-5)


@pytest.mark.parametrize(("d_k", "undivided"), [(64, (0.08, 0.15)), (256, (0.002, 0.01))])
def test_lesson_04_softmax_itself_responds_less_to_large_scores(d_k, undivided):
    rng = np.random.default_rng(d_k)
    scores = np.einsum("nd,nkd->nk", rng.normal(size=(3000, d_k)), rng.normal(size=(3000, 16, d_k)))
    plain, root = (
        np.median(np.linalg.norm(attention.softmax_jacobian(attention.softmax(scores / by)), axis=(1, 2)))
        for by in (1, math.sqrt(d_k))
    )
    assert undivided[0] < plain < undivided[1] and f"{root:.1f}" == "0.3"


@pytest.mark.parametrize(("variance", "told"), [(1 / 3, 0.55), (1 / 2, 0.7)])  # of queries: Linear, MultiheadAttention
def test_lesson_04_libraries_start_smaller_and_one_key_still_gets_most(variance, told):
    rng = np.random.default_rng(4)
    scores = variance * np.einsum("nd,nkd->nk", rng.normal(size=(3000, 64)), rng.normal(size=(3000, 16, 64)))
    assert abs(attention.softmax(scores).max(axis=1).mean() - told) < 0.02 and "55 to 70 % undivided" in prose(4)


def test_lesson_04_coins():
    assert (16 + 4 * 4 + 4 * 4 + 16) / 16 == 4 and math.sqrt(100) == 10
    assert "For 100 coins it is 10" in prose(4) and f"{1 / 16:.0%}" == "6%"


def quartiles_of_gradients(d_k, divisor, count=4000, keys=16):
    """Of the size of dw/dq with so many keys: row j is w_j (k_j - the mixture of the keys) / divisor."""
    rng = np.random.default_rng([d_k, count])
    sizes = []
    for _ in range(count):
        query, key = rng.normal(size=d_k), rng.normal(size=(keys, d_k))
        powers = np.exp(key @ query / divisor - (key @ query / divisor).max())
        weights = powers / powers.sum()
        sizes.append(np.sqrt((weights**2 * ((key - weights @ key) ** 2).sum(axis=1)).sum()) / divisor)
    return np.quantile(sizes, [0.25, 0.5, 0.75])


def test_lesson_04_gradients_are_a_lottery_undivided():
    by_1, by_root, by_width = (quartiles_of_gradients(64, divisor) for divisor in (1, 8, 64))
    assert by_1[0] < 0.1 and by_1[2] > 2.6 and by_1[1] > 2.5 * by_root[1]
    assert by_root[2] < 1.2 * by_root[0] and by_width[2] < 1.1 * by_width[0] and round(by_root[1] / by_width[1]) == 10


def test_lesson_04_medians_with_the_width():
    widths = [4, 16, 64, 256]
    by_1, by_root, by_width = (
        [quartiles_of_gradients(d_k, divisor(d_k), 1500)[1] for d_k in widths]
        for divisor in (lambda d_k: 1, math.sqrt, lambda d_k: d_k)
    )
    assert by_1[1] > 2 * by_1[0] and by_1[2] > 2 * by_root[2] and by_1[3] < 0.45 * by_root[3]
    assert max(by_root) < 1.15 * min(by_root)
    np.testing.assert_allclose(np.divide(by_width[1:], by_width[:-1]), 0.5, rtol=0.06)
