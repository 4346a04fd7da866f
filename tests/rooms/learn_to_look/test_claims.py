"""What the text of this lesson says in numbers, computed on its own."""

import math

import numpy as np
import pytest

from helpers import explorers
from helpers.attention import softmax
from helpers.learning import training
from rooms.learn_to_look import letters
from tests.notebooks import cells

NEVER_LOOKS = {
    "W_query": np.zeros((2, 2)),
    "W_key": np.zeros((2, 2)),
    "W_output": np.array([[0.0, 0.0], [0.0, 1000.0]]),
    "b_output": np.array([1.0, 0.0]),
}


def test_a_model_that_never_looks_can_be_right_on_a_lone_b_so_only_its_weights_tell():
    for length in (4, 9):
        assert letters.accuracy(NEVER_LOOKS, letters.strings_of(length)) == 1
    X = np.zeros((999, 2))
    X[:, 0], X[500] = 1, [0, 1]  # one B among 998 A's
    scores, weights = letters.look(X, NEVER_LOOKS)
    assert (scores.argmax(axis=-1) == 1).all() and softmax(scores)[0, 1] > 0.5
    np.testing.assert_allclose(weights, 1 / 999)


def test_23_lines_agree_with_trial_on_a_graph_that_uses_a_number_twice():
    space, num_lines = {"math": math}, 0
    for source in cells("learn_to_look", "code"):
        if "class Number" in source or "def backward" in source:
            exec(source, space)
            num_lines += sum(line.strip() != "" for line in source.splitlines())
    assert num_lines == 23

    def value(numbers):
        a, b, c = numbers
        return (a * b + c.exp()) * (a * a).log() + b * c

    inputs = [1.7, -0.6, 0.3]
    numbers = [space["Number"](x) for x in inputs]
    space["backward"](value(numbers))
    for k, number in enumerate(numbers):
        moved = [[x + (h if j == k else 0) for j, x in enumerate(inputs)] for h in (1e-6, -1e-6)]
        above, below = (value([space["Number"](x) for x in row]).value for row in moved)
        assert math.isclose(number.slope, (above - below) / 2e-6, rel_tol=1e-6)


def test_the_slopes_of_a_cross_entropy_are_the_probabilities_less_1_at_the_right_letter():
    p = softmax([0.2, 1.2])
    assert [f"{x:.3f}" for x in p] == ["0.269", "0.731"] and math.isclose(p[1] - 1, -p[0])


def test_with_both_logits_0_two_halves_and_minus_1_meet():
    explorer = explorers.explore_slopes()
    assert explorer.shown["forward"].round(2).tolist() == [1, 1, 2, 0.69, 0.69]
    assert explorer.shown["back"].tolist() == [0.5, 0.5] and explorer.shown["at_b"].tolist() == [0.5, -1]
    assert explorer.shown["slopes"].tolist() == [0.5, -0.5]
    explorer.set(a=1.0)
    assert explorer.shown["slopes"].round(2).tolist() == [0.73, -0.73]


def test_20_other_starts_find_the_b():
    X, targets = letters.as_data(letters.balanced(4))
    for seed in range(100, 120):
        parameters = letters.random_parameters(seed)
        for _ in range(100):
            _, gradient = training.loss_and_gradient(letters.loss_of, parameters, X, targets)
            parameters = {name: parameters[name] - gradient[name] for name in parameters}
        assert letters.look(letters.as_data(["AABA"])[0], parameters)[1][0, :, 2].min() > 0.7, seed


def test_the_key_of_b_turns_most_and_in_the_end_every_letter_looks_at_the_b():
    explorer, found = explorers.explore_learning(), {}
    for step in (10, 30):
        explorer.set(step=step)
        arrows = np.vstack([explorer.shown["query"], explorer.shown["key"]])  # of A, of B, twice
        found[step] = np.degrees(np.arctan2(arrows[:, 1], arrows[:, 0]))
    assert np.abs(found[30] - found[10]).argmax() == 3
    explorer.set(step=100)
    assert explorer.shown["weights"][:, 2].min() > 0.85 and explorer.shown["wrong"] == 0


@pytest.mark.everything
def test_torch_has_muon_and_its_cross_entropy_takes_logits():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    assert torch.optim.Muon and torch.optim.Adam
    loss = torch.nn.functional.cross_entropy(torch.tensor([[0.2, 1.2]]), torch.tensor([1]))
    assert math.isclose(loss.item(), -math.log(softmax([0.2, 1.2])[1]), rel_tol=1e-6)
