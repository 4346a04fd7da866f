"""What holds for all mathematics: arguments stay as they are, floats keep their kind, a batch is its members, derivatives pass."""

import numpy as np
import pytest

from helpers.learning.parameters import from_vector, to_vector, tree_leaves, tree_map
from helpers.learning.training import loss_and_gradient
from helpers.support.documented import _Array, declared
from tests.good_calls import CALLS
from tests.test_bad_input import call_of, function_of, is_declared

NAMES = [name for name in CALLS if is_declared(name)]
VIEWS = {"attention.split_heads", "attention.merge_heads", "decoder.without_heads", "optimizers.clip"}
IN_32_BITS = {"positions.rotate", "transformer.encode", "decoder.decode"}  # of 16
IN_64_BITS = {"experts.evening_bias", "decoder.induction_score", "small_models.share_copied"}
NOT_LEARNED = {  # what is sorted, chosen, counted, kept or given as an angle
    "positions.turn", "decoder.without_heads", "decoder.induction_score", "experts.share_out", "experts.evening_bias",
    "sparse.best_mask", "optimizers.clip", "small_models.go_on", "small_models.share_copied", "variants.KeyValueCache.append",
}  # fmt: skip
MEANS = {"training.cross_entropy"}  # over the batch


def arrays_of(name, kinds="fib"):
    """dict parameter -> its arrays, in nested dicts or not, where all are of these kinds."""
    given = {each: value for each, value in CALLS[name].items() if isinstance(value, (np.ndarray, dict))}
    return {each: value for each, value in given.items() if all(x.dtype.kind in kinds for x in tree_leaves(value))}


def results(answer):
    """The arrays of an answer, in tuples, dicts and lists or not."""
    if isinstance(answer, dict):
        answer = answer.values()
    elif not isinstance(answer, (tuple, list)):
        return [np.asarray(answer)] if isinstance(answer, float) else [answer] * hasattr(answer, "dtype")
    return [each for part in answer for each in results(part)]


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("name", [name for name in NAMES if arrays_of(name)])
def test_arguments_are_not_written_to_and_results_are_arrays_of_their_own(name):
    given = tree_map(frozen, arrays_of(name))
    for result in results(call_of(name, given)()):
        assert name in VIEWS or not any(np.shares_memory(result, each) for each in tree_leaves(given))


@pytest.mark.parametrize(("kind", "room"), [(np.float32, 1e-5), (np.float16, 3e-2)])
@pytest.mark.parametrize("name", [name for name in NAMES if arrays_of(name, "f") and name not in IN_64_BITS])
def test_floats_keep_their_kind(name, kind, room):
    short = tree_map(lambda array: array.astype(kind), arrays_of(name, "f"))
    exact = tree_map(lambda array: array.astype(float), short)
    answers = results(call_of(name, short)()), results(call_of(name, exact)())
    assert answers[0] or name == "small_models.go_on"  # which gives tokens, a list
    for found, want in zip(*answers, strict=True):
        assert found.dtype.kind == want.dtype.kind
        if found.dtype.kind == "f":
            assert found.dtype == (np.float32 if name in IN_32_BITS else kind)
            np.testing.assert_allclose(found, want, rtol=room, atol=room)


def batched(name):
    """The arrays that may have batch axes before those that are asked for."""
    asked = {each for each, ask in declared(function_of(name)).asks if isinstance(ask, _Array) and ask.batched}
    given = {each: np.asarray(value) for each, value in CALLS[name].items() if each in asked and value is not None}
    return {each: value for each, value in given.items() if value.ndim}


LEARNED = [name for name in NAMES if arrays_of(name, "f") and name not in NOT_LEARNED]
ALONE_AND_IN_A_BATCH = [(name, batch) for name in LEARNED for batch in (False, True) if not batch or batched(name)]


@pytest.mark.parametrize(("name", "batch"), ALONE_AND_IN_A_BATCH)
def test_derivatives_are_those_of_finite_differences(name, batch):
    given, rng = arrays_of(name, "f"), np.random.default_rng(0)
    if batch:
        given |= {each: np.stack([x, x[..., ::-1]]) for each, x in batched(name).items() if each in given}
    plain = results(call_of(name, given)())
    pulls = [rng.normal(size=x.shape) if x.dtype.kind == "f" and np.isfinite(x).all() else None for x in plain]

    def loss_of(given):
        found = zip(results(call_of(name, given)()), pulls)
        return sum((result * pull).sum() for result, pull in found if pull is not None)

    start, slopes = to_vector(given), to_vector(loss_and_gradient(loss_of, given)[1])
    for _ in range(3):  # along a direction in which every number moves
        step = rng.normal(size=start.shape)
        up, down = (loss_of(from_vector(start + by * step, given)) for by in (1e-6, -1e-6))
        np.testing.assert_allclose(slopes @ step, (up - down) / 2e-6, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in NAMES if batched(name) and name not in MEANS])
def test_a_batch_is_its_members(name):
    one = batched(name)
    other = {each: array[..., ::-1] for each, array in one.items()}
    both = {each: np.stack([one[each], other[each]]) for each in one}
    found = (results(call_of(name, given)()) for given in (both, one, other))
    for together, *alone in zip(*found, strict=True):
        np.testing.assert_allclose(together, np.stack(alone), rtol=1e-12, atol=1e-12)
