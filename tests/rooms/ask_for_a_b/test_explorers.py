"""Known answers of the explorers of a string that is asked for a B, and what answers the hand."""

import math

import numpy as np
import pytest

from helpers import explorers
from rooms.ask_for_a_b import explorers as room
from rooms.shared.words import she_words
from tests import driving
from tests.notebooks import prose


def move(**values):
    explorer = explorers.explore_ask_for_b()
    explorer.set(**values)
    return explorer


def test_it_starts_with_the_sixths_of_the_notes():
    explorer = move()
    np.testing.assert_allclose(explorer.shown["weights"], [1 / 6, 1 / 6, 1 / 2, 1 / 6], rtol=1e-14)
    assert "scores 0 0 1 0, weights 1/6 1/6 1/2 1/6, output A 1/2, B 1/2" in explorer.html
    assert explorer.text == "The answer is 50% B. A point of score multiplies a weight by 3 (temperature 0.91)."


@pytest.mark.parametrize(("counts", "on_b"), [(1.0, 0.25), (math.e, 0.4754), (math.exp(10), 0.9999), (math.inf, 1.0)])
def test_one_knob_leads_from_the_average_to_select(counts, on_b):
    assert move(counts=counts).shown["output"][1] == pytest.approx(on_b, abs=5e-5)


def test_the_booster_is_not_quite_select():
    explorer = move(counts=room.BOOSTER)
    assert explorer.text == "The answer is 99.99% B. A point of score multiplies a weight by 22,026 (temperature 0.10)."
    assert "weights 0.00 0.00 1.00 0.00, output A 0.00, B 1.00" in explorer.html
    assert "weights 0 0 1 0, output A 0, B 1" in move(counts=math.inf).html
    assert move(string="AAAAAAAAAAAB", counts=room.BOOSTER).text.startswith("The answer is 99.95% B.")
    assert (
        ">.00</text>" in move(string="AAAAAAAAAAAB", counts=room.BOOSTER).html
    )  # on a phone, twelve stand side by side
    assert move(string="BBB", counts=room.BOOSTER).text.startswith("The answer is 100% B.")


def test_select_shares_between_equals_and_nothing_found_is_an_average():
    assert move(counts=math.inf, asked="A").shown["weights"].tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    assert "There is no B, so every letter gets the same weight, 0.333." == move(string="AAA").text


def test_a_space_that_nobody_sees_is_named():
    explorer = move()
    explorer.controls["string"].value = "A B"
    assert "A and B only; a space is neither." in explorer._view.value


def test_only_powers_over_their_sum_keep_all_rules_at_every_score():
    explorer, keeps, broken = explorers.explore_wrong_weights(), {}, {}
    assert "✗" in explorer.html  # it opens broken
    for recipe in driving.choices(explorer.controls["recipe"]):
        for score in driving.choices(explorer.controls["score"]):
            explorer.set(recipe=recipe, score=score)
            assert "-0.00" not in explorer.text
            keeps[recipe] = keeps.get(recipe, True) and "✗" not in explorer.html
            broken.setdefault(recipe, set()).update(
                words.partition(" by ")[0] for holds, words in driving.lights(explorer.html) if not holds
            )
    assert [recipe for recipe, whole in keeps.items() if whole] == ["powers of e, over their sum"]
    one = {recipe: rules for recipe, rules in broken.items() if len(rules) == 1}  # "keeps two rules always"
    assert one == {"ln(1 + eˢ), over their sum": {"adding 1 to every score moves a weight"}}


def test_powers_of_another_base_keep_all_rules_too_and_no_share_of_the_plain_scores_does():
    rng = np.random.default_rng(7)
    recipes = {words: room.RECIPES[words] for words in room.RECIPES} | {"powers of 3": lambda s: 3**s / (3**s).sum()}
    for scores in rng.normal(size=(20, 5)):
        moves = {words: np.abs(recipe(scores + 1) - recipe(scores)).max() for words, recipe in recipes.items()}
        kept = [words for words, gap in moves.items() if gap < 1e-12]
        assert kept == ["powers of e, over their sum", "powers of 3"]
        soft = recipes["ln(1 + eˢ), over their sum"](scores)
        assert soft.sum() == pytest.approx(1) and (np.argsort(soft) == np.argsort(scores)).all()
    with np.errstate(divide="ignore", invalid="ignore"):
        assert not np.isfinite(recipes["the scores, over their sum"](np.array([1.0, 0.0, -1.0, 0.0]))).any()


def test_the_table_of_the_knob_says_what_the_picture_does():
    (row,) = [line for line in prose("ask_for_a_b").splitlines() if line.startswith("| weight of the B")]
    told = [float(cell) for cell in row.strip("| ").split("|")[1:]]
    (heat,) = [line for line in prose("ask_for_a_b").splitlines() if line.startswith("| temperature")]
    counts = [1.0, math.e, 3.0, math.exp(10)]
    assert told == [round(float(move(counts=each).shown["output"][1]), 4) for each in counts]
    temperatures = [math.inf if each == 1 else round(1 / math.log(each), 2) for each in counts]
    assert [float(cell.replace("$\\infty$", "inf")) for cell in heat.strip("| ").split("|")[1:]] == temperatures


def test_three_words_answer_to_female():
    tokens, X = she_words()
    powers = np.exp(4 * X[:, 2])
    weights = powers / powers.sum()
    assert [token for token, weight in zip(tokens, weights) if f"{weight:.3f}" == "0.302"] == ["Sarah", "her", "She"]
    assert "each with .302" in prose("ask_for_a_b")


def test_softmax_of_pytorch_takes_scores_of_1000():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    assert torch.softmax(torch.tensor([0.0, 0.0, 1000.0, 0.0]) / 0.5, dim=-1).tolist() == [0, 0, 1, 0]
