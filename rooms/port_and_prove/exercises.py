"""The exercise on two readings of one model: how many of their tensors agree, from the top."""

import numpy as np

from rooms.port_and_prove.ports import TOLERANCES
from rooms.shared import edits


def _pair(seed, *off, size=1.0):
    """Two readings of three tensors; each of `off` is (tensor, index, by how much of its largest number)."""
    rng = np.random.default_rng(seed)
    theirs = [size * rng.normal(size=shape) for shape in ((5, 3), (2, 5, 7), (5, 11))]
    ours = [tensor.copy() for tensor in theirs]
    for k, index, part in off:
        ours[k][index] += part * np.abs(theirs[k]).max()
    return ours, theirs


def _with(seed, k, *tensors):
    """Two readings whose tensor k is replaced, in the port by the first, in the reference by the last."""
    ours, theirs = _pair(seed)
    ours[k], theirs[k] = tensors[0], tensors[-1]
    return ours, theirs


_HOLE = np.array([[1.0, np.nan], [2.0, 3.0]])
SAME = edits.exercise(
    """
def same(a, b, dtype):
    for k, (x, y) in enumerate(zip(a, b)):
        if x.shape != y.shape:
            return k
        gap = np.abs(x - y).max()
        if not gap <= TOLERANCE[dtype] * np.abs(y).max():  # NaN is no small gap
            return k
    return len(a)
""",
    names={"TOLERANCE": TOLERANCES},
    cases=[
        ([np.array([1.0, 2.0]), np.array([3.0, 5.0])], [np.array([1.0, 2.0]), np.array([3.0, 4.0])], "float32"),
        (*_pair(1, (0, (1, 1), 3e-13)), "float64"),
        (*_pair(2, (1, (0, 3, 2), -0.5)), "float32"),
        (*_pair(3, (0, (4, 1), 3e-6), (2, (0, 0), 3e-5)), "float32"),
        (*_pair(4, (0, (4, 1), 3e-6), (2, (0, 0), 0.004)), "bfloat16"),
        (*_pair(5, (1, (1, 4, 6), 1e-9)), "float64"),
        (*_pair(6, (0, (2, 2), 3e-6), size=1000.0), "float32"),
        (*_pair(7, (1, (0, 0, 0), 1e-4), size=0.001), "float32"),
        (*_with(8, 1, _HOLE), "float32"),
        (*_with(9, 2, _HOLE, np.array([[1.0, 1.0], [2.0, 3.0]])), "float32"),
        (*_with(10, 1, np.ones((4, 3)), np.ones((1, 3))), "float32"),
        (*_pair(11, (0, (0, 0), 0.3), (2, (1, 1), 0.3)), "bfloat16"),
        ([np.array([1.00785, 0.5])], [np.array([1.0, 0.5])], "bfloat16"),  # near enough for 1.00785, not for 1
    ],
    mistakes="""
np.abs(y).max() => np.abs(x).max() | The tolerance was taken of the port's largest number; it is a part of the reference's, np.abs(y).max().
not gap <= TOLERANCE[dtype] * np.abs(y).max() => not np.allclose(x, y, rtol=TOLERANCE[dtype]) | Each number was measured by itself, as np.allclose(x, y, rtol=…) does: the largest number of the reference measures all.
not gap <= TOLERANCE[dtype] * np.abs(y).max() => not (np.abs(x - y) <= TOLERANCE[dtype] * np.abs(y)).all() |
zip(a, b) => [] ;; => sum(x.shape == y.shape and bool(np.abs(x - y).max() <= TOLERANCE[dtype] * np.abs(y).max()) for x, y in zip(a, b)) | All that agree were counted, also behind the first that differs: stop there.
np.abs(x - y).max() => np.abs(x - y).mean() | The mean of the differences hides one number that is far off: take the largest.
x.shape != y.shape => False | Two shapes that broadcast were compared as if they were one, such as (4, 3) and (1, 3): compare the shapes first.
not gap <= TOLERANCE[dtype] * np.abs(y).max() => gap > TOLERANCE[dtype] * np.abs(y).max() | NaN passed. Every comparison with NaN is false: ask whether the gap is small, not whether it is large, and leave no NaN out.
gap = np.abs(x - y).max() => gap = np.nanmax(np.abs(x - y)) | NaN was passed over, and a tensor with NaN agrees with none.
not gap <= TOLERANCE[dtype] * np.abs(y).max() => not np.allclose(x, y, rtol=0, atol=TOLERANCE[dtype] * np.nanmax(np.abs(y)), equal_nan=True) | NaN in the same place of both was taken for agreement, as equal_nan=True does: where a number is missing, nothing is proved.
np.abs(x - y).max() => np.abs(x - y)[-1].max() | Only the last row was compared: a difference may stand anywhere.
np.abs(x - y).max() => (x - y).max() | A number that is too small passed: take the size of the difference, np.abs.
 * np.abs(y).max() =>  | The tolerance is a part of the tensor's largest number, np.abs(y).max(): a gap of 0.003 is nothing beside 1000, and much beside 0.001.
TOLERANCE[dtype] => TOLERANCE["float32"] | The tolerance of float32 was taken for all: dtype names the one to use.
TOLERANCE[dtype] => TOLERANCE["float64"] | The tolerance of float64 was taken for all: dtype names the one to use.
not gap <= TOLERANCE[dtype] * np.abs(y).max() => not gap == 0 | Only equal numbers passed, and rounding alone makes two right readings differ.
for k, (x, y) in enumerate(zip(a, b)): => for k, (x, y) in list(enumerate(zip(a, b)))[-1:]: | Only the last tensor was compared: find the first that differs, from the top.
for k, (x, y) in enumerate(zip(a, b)): => for k, (x, y) in list(enumerate(zip(a, b)))[::-1]: | The search went from the bottom up: what differs there follows from the first that differs.
for k, (x, y) in enumerate(zip(a, b)): => for k, (x, y) in enumerate(zip(a, b), start=1): | The tensors count from 0, so that the answer is how many agree from the top.
for k, (x, y) in enumerate(zip(a, b)): => for k, (x, y) in enumerate(zip(a, b), start=1): ;; return len(a) => return len(a) + 1 |
return len(a) => return -1 | Where all agree, the answer is how many there are, len(a).
return len(a) => return len(a) - 1 |
=> float(len(a) > 0) | The answer is the number of tensors that agree from the top.
return k => return False ;; return len(a) => return True |
""",
    praise="Right: from the top, the largest difference, shapes first, and NaN agrees with nothing.",
    remakes=(),
)
