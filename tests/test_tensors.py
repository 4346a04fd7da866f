"""What readers bring from PyTorch and JAX is taken as arrays, or refused by name; mygrad's tensors keep their derivatives."""

import doctest
import functools
import importlib
import inspect

import numpy as np
import pytest

from helpers import attention, decoder, transformer
from helpers.learning import parameters
from helpers.support import inputs
from tests.notebooks import dotted
from tests.test_architecture import MATHEMATICS


class Tensor:
    """A tensor as PyTorch's: NumPy reads it once it is detached, on the CPU, and no short float; it computes with no array."""

    def __init__(self, values, dtype="torch.float64", on="cuda"):
        self._values, self.dtype, self._on = np.array(values), dtype, on
        self.shape, self.ndim = self._values.shape, self._values.ndim

    def detach(self):
        return Tensor(self._values, self.dtype, "cuda, detached")

    def cpu(self):
        return Tensor(self._values, self.dtype, "cpu" if self._on == "cuda, detached" else self._on)

    def float(self):
        return Tensor(self._values.astype(np.float32), "torch.float32", self._on)

    def __len__(self):
        return len(self._values)

    def __array__(self, dtype=None, copy=None):
        if self._on != "cpu":
            raise RuntimeError(f"Can't read a tensor on {self._on}.\nMore lines.")
        if self.dtype in ("torch.bfloat16", "torch.sparse"):
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return self._values


def turned(values):
    """All arrays and lists of numbers as tensors, in nested dicts and lists, too."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub":
        return Tensor(values)
    if isinstance(values, dict):
        return {name: turned(part) for name, part in values.items()}
    if type(values) in (list, tuple):
        numbers = type(values) is list and not any(isinstance(part, np.ndarray) for part in values)
        if numbers and values and np.asarray(values, object).ndim and np.asarray(values).dtype.kind in "fiub":
            return Tensor(values)
        return type(values)(map(turned, values))
    return values


@pytest.mark.parametrize("name", sorted(MATHEMATICS))
def test_every_example_of_the_mathematics_gives_the_same_with_tensors(name):
    module = importlib.import_module(dotted(name))
    inside = []

    def with_tensors(function):
        @functools.wraps(function)
        def called(*args, **kwargs):
            if inside:  # what the course calls itself
                return function(*args, **kwargs)
            inside.append(function)
            try:
                return function(*turned(args), **turned(kwargs))
            finally:
                inside.pop()

        return called

    for test in doctest.DocTestFinder().find(module):
        test.globs = {"np": np} | {
            each: with_tensors(thing) if inspect.isfunction(thing) and each != "tree_map" else thing
            for each, thing in vars(module).items()
            if not each.startswith("__")
        }
        told = []
        failed = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=told.append)
        assert not failed.failed, "".join(told)


def test_models_made_of_tensors_say_the_same():
    rng, tokens = np.random.default_rng(0), np.array([1, 3, 2])
    own = transformer.random_transformer(rng, 7, 4, 2, 8, 2, norm="pre")
    tensors, how = parameters.tree_map(Tensor, own), {"num_heads": 2, "norm": "pre"}
    memory = transformer.encode(Tensor(tokens), tensors, **how)
    scores = transformer.decode(Tensor(tokens), Tensor(memory), tensors, **how)
    np.testing.assert_array_equal(scores, transformer.decode(tokens, memory, own, **how))
    own = decoder.random_decoder(rng, vocabulary_size=7, d_model=4, num_heads=2, d_ff=8, num_layers=2)
    off = decoder.without_heads(parameters.tree_map(Tensor, own), [(0, 1)], num_heads=2)
    assert decoder.decode(tokens, off, num_heads=2).logits.shape == (3, 7)
    text = decoder.write(lambda ids: Tensor(np.eye(7)[ids]), tokens, num_tokens=2, temperature=0)
    assert text == [2, 2]


def test_lists_of_tensors_numbers_and_short_floats_become_arrays(tmp_path):
    pair = [[Tensor([0.0, 1.0]), Tensor([1.0, 0.0])]]
    np.testing.assert_array_equal(inputs.floats("x", pair), [[[0, 1], [1, 0]]])
    short = inputs.floats("x", Tensor([0.5], dtype="torch.bfloat16"))
    assert short.dtype == np.float32 and short.tolist() == [0.5]
    assert inputs.finite_number("scale", Tensor(0.5)) == 0.5
    parameters.save(tmp_path / "own.npz", {"W": Tensor([[1.0]])})
    assert parameters.load(tmp_path / "own.npz", {"W": Tensor([[0.0]])})["W"] == 1.0


def test_a_tensor_that_no_array_can_hold_is_refused_in_one_line():
    with pytest.raises(TypeError) as error:
        attention.softmax(Tensor([1.0], dtype="torch.sparse"))
    assert (
        str(error.value)
        == "scores must become an array, but this Tensor does not: Got unsupported ScalarType torch.sparse."
    )


def test_a_mask_in_the_other_sense_is_met_with_its_name():
    X = np.eye(3)
    with pytest.raises(ValueError, match="In PyTorch's MultiheadAttention it means blocked: if yours does, pass ~mask"):
        attention.scaled_dot_product_attention(X, X, X, mask=~np.tri(3, dtype=bool))
    mask = np.array([[True, True, True], [False] * 3, [True] * 3])  # neither sense leaves every row a key
    with pytest.raises(ValueError, match="Softmax over nothing has no answer"):
        attention.scaled_dot_product_attention(X, X, X, mask=mask)
