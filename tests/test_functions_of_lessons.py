"""Functions that a lesson writes out in the open do what the helper of the same idea does."""

import ast

import nbformat
import numpy as np
import pytest

from helpers import attention, letters, optimizers, positions, softmax_variants, training, variants
from tests.lessons import lessons

RNG = np.random.default_rng(7)


def written_in(number, name):
    """A function or class as the first cell of a lesson that defines it has it."""
    (path,) = [path for path in lessons() if path.name.startswith(f"{number:02d}_")]
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or "\n    ..." in cell.source:
            continue
        for node in ast.parse(cell.source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                names = {"np": np, "attention": attention}
                exec(compile(ast.Module([node], []), path.name, "exec"), names)
                return names[name]
    raise LookupError(f"{path.name} defines no {name}.")


def test_model_and_loss_of_lesson_16():
    X, targets = letters.as_data(letters.balanced(3))
    scores = written_in(16, "look")(X, letters.random_parameters(5))
    np.testing.assert_allclose(scores, letters.look(X, letters.random_parameters(5))[0])
    cross_entropy = written_in(16, "cross_entropy")
    scores, targets = RNG.normal(size=(3, 5, 7)), RNG.integers(7, size=(3, 5))
    np.testing.assert_allclose(cross_entropy(scores, targets), training.cross_entropy(scores, targets))


@pytest.mark.parametrize("name", ["gradient_descent", "momentum", "rmsprop"])
def test_optimisers_of_lesson_16(name):
    mine, helper = written_in(16, name), getattr(optimizers, name)
    my_state, state = np.zeros((2, 3)), None
    for gradient in RNG.normal(size=(5, 2, 3)):
        (my_change, my_state), (change, state) = mine(gradient, my_state, 0.1), helper(gradient, state, 0.1)
        np.testing.assert_allclose(my_change, change)


@pytest.mark.parametrize("shape", [(1, 2), (5, 8), (7, 14)])
def test_rotate_of_lesson_21(shape):
    rotate, x, places = written_in(21, "rotate_pairs"), RNG.normal(size=shape), RNG.integers(99, size=shape[0])
    np.testing.assert_allclose(rotate(x, places), positions.rotate(x, places), atol=1e-13)
    np.testing.assert_allclose(rotate(x, places, 50), positions.rotate(x, places, base=50), atol=1e-13)


@pytest.mark.parametrize("heads", [(), (3,)])
def test_cache_of_lesson_22(heads):
    mine, helper = written_in(22, "KeyValueCache")(), variants.KeyValueCache()
    for count in (2, 1, 3):
        key, value = RNG.normal(size=(*heads, count, 5)), RNG.normal(size=(*heads, count, 7))
        for one, other in zip(mine.append(key, value), helper.append(key, value)):
            np.testing.assert_array_equal(one, other)


def test_softmax_variants_of_lesson_23():
    scores, other = RNG.normal(size=(2, 7))
    sink, difference = written_in(23, "share_with_sink"), written_in(23, "differential_softmax")
    np.testing.assert_allclose(sink(scores, 0.7), softmax_variants.softmax_with_sink(scores, 0.7))
    np.testing.assert_allclose(
        difference(scores, other, 0.3), softmax_variants.differential_softmax(scores, other, 0.3)
    )


@pytest.mark.parametrize("decay", [1.0, 0.5, 0.0])
def test_masked_linear_attention_of_lesson_24(decay):
    query, key, value = (RNG.normal(size=(7, width)) for width in (3, 3, 5))
    mine = written_in(24, "masked_linear_attention")(query, key, value, decay)
    np.testing.assert_allclose(mine, variants.linear_attention(query, key, value, decay=decay), atol=1e-12)
