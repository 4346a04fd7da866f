"""Answers to the exercises on heads, right and wrong; tests/test_checks.py tries them all."""

import re

import numpy as np
import pytest

from helpers.checks import EXERCISES

# --- split_heads -----------------------------------------------------------------------------------------------------


def split_by_loops(x, num_heads):
    if x.ndim == 3:
        return [split_by_loops(each, num_heads) for each in x]
    width = x.shape[1] // num_heads
    return [[[float(row[h * width + j]) for j in range(width)] for row in x] for h in range(num_heads)]


def split_into_zeros(x, num_heads):
    d_head = x.shape[-1] // num_heads
    heads = np.zeros((*x.shape[:-2], num_heads, x.shape[-2], d_head), dtype=np.float32)
    for h in range(num_heads):
        heads[..., h, :, :] = x[..., h * d_head : (h + 1) * d_head]
    return heads


def split_in_two_cases(x, num_heads):
    if x.ndim == 2:
        return x.reshape(len(x), num_heads, -1).transpose(1, 0, 2)
    return x.reshape(len(x), x.shape[1], num_heads, -1).transpose(0, 2, 1, 3)


def split_first_axis(x, num_heads):  # swaps axes 0 and 1, which is right without a batch
    return np.swapaxes(x.reshape(*x.shape[:-1], num_heads, -1), 0, 1)


def unpacks_three_axes(x, num_heads):
    batch, n, width = x.shape
    return x.reshape(batch, n, num_heads, width // num_heads).transpose(0, 2, 1, 3)


# --- merge_heads -----------------------------------------------------------------------------------------------------


def merge_by_loops(x):
    if x.ndim == 4:
        return [merge_by_loops(each) for each in x]
    return [[float(number) for head in x for number in head[i]] for i in range(x.shape[1])]


def merge_in_two_cases(x):
    if x.ndim == 3:
        return x.transpose(1, 0, 2).reshape(x.shape[1], -1)
    return x.transpose(0, 2, 1, 3).reshape(len(x), x.shape[2], -1)


def merge_of_four_axes(x):
    batch, num_heads, n, d_head = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, n, num_heads * d_head)


RIGHT = {
    "split_heads": {
        "reshape and swap": lambda x, h: np.swapaxes(x.reshape(*x.shape[:-1], h, -1), -2, -3),
        "loops": split_by_loops,
        "float32, filled in": split_into_zeros,
        "np.split": lambda x, h: np.stack(np.split(x, h, axis=-1), axis=-3),
        "two cases": split_in_two_cases,
        "einsum": lambda x, h: np.einsum("...nhd->...hnd", x.reshape(*x.shape[:-1], h, -1)),
        "moveaxis": lambda x, h: np.moveaxis(x.reshape(*x.shape[:-1], h, -1), -2, -3),
        "a list of arrays where there is no batch": lambda x, h: (
            list(np.split(x, h, axis=-1)) if x.ndim == 2 else split_into_zeros(x, h)
        ),
    },
    "merge_heads": {
        "swap and reshape": lambda x: np.swapaxes(x, -2, -3).reshape(*x.shape[:-3], x.shape[-2], -1),
        "loops": merge_by_loops,
        "two cases": merge_in_two_cases,
        "np.concatenate": lambda x: np.concatenate([x[..., h, :, :] for h in range(x.shape[-3])], axis=-1),
        "einsum": lambda x: np.einsum("...hnd->...nhd", x).reshape(*x.shape[:-3], x.shape[-2], -1),
        "float32": lambda x: merge_in_two_cases(x.astype(np.float32)),
        "moveaxis, then concatenate": lambda x: np.concatenate(list(np.moveaxis(x, -3, 0)), axis=-1),
    },
}


def merged(x):
    return np.swapaxes(x, -2, -3).reshape(*x.shape[:-3], x.shape[-2], -1)


WRONG = {
    "split_heads": {
        "straight reshape": (
            lambda x, h: x.reshape(*x.shape[:-2], h, x.shape[-2], -1),
            r"shape is right and the numbers are mixed up.*then swap",
        ),
        "not swapped": (lambda x, h: x.reshape(*x.shape[:-1], h, -1), r"heads come first: swap"),
        "every other column": (
            lambda x, h: np.stack([x[..., i::h] for i in range(h)], axis=-3),
            r"every num_heads-th column.*first d_head",
        ),
        "num_heads taken for the width": (
            lambda x, h: np.swapaxes(x.reshape(*x.shape[:-1], -1, h), -2, -3),
            r"taken for the width of a head",
        ),
        "pieces of that width": (
            lambda x, h: np.stack(np.split(x, x.shape[-1] // h, axis=-1), axis=-3),
            r"taken for the width of a head",
        ),
        "axes 0 and 1": (split_first_axis, r"batch axis.*swap axes -2 and -3"),
        "len(x) for the tokens": (
            lambda x, h: x.reshape(len(x), h, -1).transpose(1, 0, 2),
            r"len\(x\) no longer counts the tokens",
        ),
        "transposed heads": (
            lambda x, h: np.swapaxes(np.stack(np.split(x, h, axis=-1), axis=-3), -1, -2),
            r"Each head is transposed",
        ),
        "tokens shared out": (
            lambda x, h: np.stack(np.array_split(x, h, axis=-2), axis=-3),
            r"the number -2 must be -1 here",
        ),
        "everything to every head": (lambda x, h: np.stack([x] * h, axis=-3), r"Every head got all columns"),
        "first head": (lambda x, h: x[..., : x.shape[-1] // h], r"first head alone"),
        "one under the other": (
            lambda x, h: np.concatenate(np.split(x, h, axis=-1), axis=-2),
            r"one under the other in one matrix",
        ),
        "stacked behind": (
            lambda x, h: np.stack(np.split(x, h, axis=-1), axis=-1),
            r"runs along the wrong axis: it must be axis=-3",
        ),
        "heads before the batch": (lambda x, h: np.split(x, h, axis=-1), r"heads come before the batch"),
        "nothing": (lambda x, h: x, r"Nothing was split"),
        "true division": (lambda x, h: x.reshape(len(x), h, x.shape[1] / h), r"divide by //"),
        "no batch": (
            lambda x, h: x.reshape(x.shape[0], h, x.shape[1] // h).transpose(1, 0, 2),
            r"batch axis may stand in front: count the axes from the end",
        ),
        "unpacks two axes": (
            lambda x, h: (lambda n, w: x.reshape(n, h, w // h).transpose(1, 0, 2))(*x.shape),
            r"batch axis may stand in front",
        ),
        "unpacks three axes": (
            unpacks_three_axes,
            r"There may be no batch axis: \*batch, num_tokens, width = x\.shape",
        ),
        "last head off by one": (
            lambda x, h: np.roll(split_into_zeros(x, h), 1, axis=-3),
            r"the number 1 must be 0 here",
        ),
    },
    "merge_heads": {
        "batch taken for heads": (
            lambda x: (
                merged(x.reshape(x.shape[1], x.shape[0], *x.shape[2:]).swapaxes(0, 1)) if x.ndim == 4 else merged(x)
            ),
            r"Batch and heads are taken for each other",
        ),
        "straight reshape": (
            lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1),
            r"shape is right and the numbers are mixed up: swap",
        ),
        "alternating columns": (
            lambda x: np.moveaxis(x, -3, -1).reshape(*x.shape[:-3], x.shape[-2], -1),
            r"columns of the heads alternate",
        ),
        "one under the other": (
            lambda x: np.concatenate(list(np.moveaxis(x, -3, 0)), axis=-2),
            r"one under the other",
        ),
        "swapped only": (lambda x: np.swapaxes(x, -2, -3), r"swapped and not merged"),
        "sum": (lambda x: x.sum(axis=-3), r"added up"),
        "mean": (lambda x: x.mean(axis=-3), r"averaged"),
        "first head": (lambda x: x[..., 0, :, :], r"first head alone"),
        "axes 0 and 1": (
            lambda x: np.swapaxes(x, 0, 1).reshape(x.shape[1], -1),
            r"axes 0 and 1 are no longer heads and tokens",
        ),
        "heads from axis 0": (lambda x: np.concatenate(list(x), axis=-1), r"heads are no longer axis 0"),
        "axis 1": (lambda x: np.concatenate(list(x), axis=1), r"With a batch axis in front.*axis -3.*axis=-1"),
        "unpacks four axes": (
            merge_of_four_axes,
            r"There may be no batch axis: \*batch, num_heads, num_tokens, d_head",
        ),
        "np.hstack": (lambda x: np.hstack(list(x)), r"batch axis|heads are no longer axis 0|must have shape"),
        "transposed": (lambda x: np.array(merge_by_loops(x)).swapaxes(-1, -2), r"transposed: tokens are rows"),
        "one long row": (lambda x: np.swapaxes(x, -2, -3).reshape(*x.shape[:-3], -1), r"one long row"),
        "reverse": (
            lambda x: np.concatenate([x[..., h, :, :] for h in range(x.shape[-3])[::-1]], axis=-1),
            r"reverse order",
        ),
        "nothing": (lambda x: x, r"Nothing was merged"),
        "no batch": (lambda x: x.transpose(1, 0, 2).reshape(x.shape[1], -1), r"batch axis may stand in front"),
    },
}


@pytest.mark.parametrize("key", ["two cases", "loops", "np.concatenate"])
def test_right_answers_undo_each_other(key):
    x = np.random.default_rng(3).normal(size=(2, 5, 6))
    heads = np.array(RIGHT["split_heads"]["reshape and swap"](x, 3))
    np.testing.assert_array_equal(np.array(RIGHT["merge_heads"][key](heads)), x)


def test_split_heads_says_where_a_new_mistake_is():
    def one_number_wrong(x, num_heads):
        heads = split_into_zeros(x, num_heads)
        heads[..., -1, 1, 0] = 77
        return heads

    message = EXERCISES["split_heads"](one_number_wrong).message
    assert re.search(r"`heads\[.*77` must go", message)
