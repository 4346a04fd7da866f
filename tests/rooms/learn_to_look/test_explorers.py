"""Known answers of the explorers of learning, what answers the hand, and what lesson 12 says."""

import itertools

import numpy as np
import pytest

from helpers import explorers
from helpers.learning import training
from rooms.learn_to_look import explorers as room
from rooms.learn_to_look import letters
from tests import driving


def test_explore_optimizers_crowns_nobody_before_the_first_step():
    explorer = explorers.explore_optimizers()
    explorer.set(step=0)
    (loss,) = set(explorer.shown["losses"][:, 0])
    assert explorer.text == f"Before the first step all five have the same loss, {loss:.4f}."
    explorer.set(step=1)
    assert explorer.text.startswith("After 1 step at learning rate 0.1, ")


def test_one_b_among_many_letters_tells_a_head_that_looks_from_an_average():
    explorer = explorers.explore_one_b()
    said = {}
    for length in range(2, 41):
        driving.point(explorer, "length", length + 0.2, 0.5)
        assert explorer.controls["length"].value == length
        said[length] = [holds for holds, _ in driving.lights(explorer.html)]
    assert [length for length, (head, _) in said.items() if head] == list(range(2, 30))
    assert [length for length, (_, average) in said.items() if average] == list(range(2, 6))
    assert (np.diff(explorer.shown["chances"][0]) < 0).all()


# --- what lesson 12 says ---------------------------------------------------------------------------------------------


def test_the_five_trainings_at_once_are_five_trainings():
    """All rates are trained together: each ends where its own training ends."""
    for name, optimizer in room.OPTIMISERS.items():
        X, targets = letters.as_data(letters.balanced())
        batches = training.full_batch(X, targets)
        if name != "gradient descent":
            batches = training.random_batches(np.random.default_rng(16), X, targets, size=8)
        history = training.train(
            letters.random_parameters(), letters.loss_of, batches, num_steps=100, learning_rate=0.3, optimizer=optimizer,
            progress=None,
        )  # fmt: skip
        np.testing.assert_allclose(room._losses(name, 0.3)[-1], letters.loss_of(history.parameters, X, targets))


def test_lesson_answers_its_questions_about_five_ways_downhill():
    explorer, last = explorers.explore_optimizers(), {}
    for rate in room.RATES:
        explorer.set(rate=rate)
        last[rate] = dict(zip(room.OPTIMISERS, explorer.shown["losses"][:, -1]))
    assert last[1.0]["gradient descent"] < last[0.03]["RMSProp"] < last[0.3]["gradient descent"]
    assert last[0.03]["RMSProp"] == pytest.approx(0.01, abs=0.003)
    assert sorted(last[0.01], key=last[0.01].get)[:2] == ["RMSProp", "Adam"]


def test_lesson_tells_the_rival_rightly():
    rival = room._two_models()[1]
    shares = [letters.accuracy(rival, ["".join(each) for each in itertools.product("AB", repeat=n)]) for n in (4, 9)]
    assert shares[0] == 1 and round(shares[1], 2) == 0.98
    wrong = [string for string in letters.strings_of(9) if letters.accuracy(rival, [string]) < 1]
    assert len(wrong) == 9 and {string.count("B") for string in wrong} == {1}
    slope, shift = rival["W_output"][:, 1] - rival["W_output"][:, 0], rival["b_output"][1] - rival["b_output"][0]
    assert 1 / 6 < -(shift + slope[0]) / (slope[1] - slope[0]) < 1 / 5  # the share of B's at which it says B


def test_lesson_longer_training_moves_the_end_to_59_letters():
    parameters, (X, targets) = letters.random_parameters(), letters.as_data(letters.balanced(4))
    for _ in range(300):
        _, gradient = training.loss_and_gradient(letters.loss_of, parameters, X, targets)
        parameters = {name: parameters[name] - 1.0 * gradient[name] for name in parameters}
    right = [letters.accuracy(parameters, ["B" + "A" * (n - 1)]) for n in (30, 59, 60)]
    assert right == [1, 1, 0]


def test_the_picture_opens_where_looking_has_begun_to_differ():
    explorer = explorers.explore_learning()
    assert [f"{share:.0%}" for share in explorer.shown["before"][0]] == ["24%", "24%", "28%", "24%"]
    assert [f"{share:.0%}" for share in explorer.shown["weights"][0]] == ["8%", "8%", "75%", "8%"]
    driving.click(explorer, "string", 1)
    assert explorer.controls["string"].value == "ABBA"
    driving.point(explorer, "loss", 70, 0.2)
    assert explorer.controls["step"].value == 70


def test_slopes_flow_back_as_products_meet_at_b_and_a_nudge_agrees():
    explorer = explorers.explore_slopes()
    for a, b in ((0.0, 0.0), (1.0, 0.0), (-2.5, 1.4), (3.0, -3.0)):
        explorer.set(a=a, b=b)
        p = np.exp([a, b]) / np.exp([a, b]).sum()
        np.testing.assert_allclose(explorer.shown["slopes"], [p[0], p[1] - 1], atol=1e-12)
        np.testing.assert_allclose(explorer.shown["at_b"], [p[1], -1], atol=1e-12)
        np.testing.assert_allclose(explorer.shown["trial"], explorer.shown["slopes"], atol=1e-6)
        np.testing.assert_allclose(explorer.shown["forward"][4], -np.log(p[1]))


def test_the_button_goes_downhill_in_ever_shorter_steps():
    explorer = explorers.explore_slopes()
    explorer.set(a=1.0, b=0.0)
    lead, losses = [-1.0], []
    for _ in range(10):
        driving.click(explorer, "step", 0)
        lead.append(explorer.controls["b"].value - explorer.controls["a"].value)
        losses.append(explorer.shown["forward"][4])
    assert losses[0] < 0.6 and losses[-1] < 0.06 and (np.diff(losses) < 1e-12).all()
    assert (np.diff(lead, 2) < 1e-9).all()
