"""Answers to the exercise on rotary positions, right and wrong; tests/test_checks.py tries them all."""

import cmath

import numpy as np


def angles_of(x, positions, base=10_000, power=2):
    d = x.shape[-1]
    return positions[:, None] / base ** (power * np.arange(d // 2) / d)


def halves(x):
    return x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]


def turned(x, angles):
    (a, b), cos, sin = halves(x), np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def right(x, positions):
    return turned(x, angles_of(x, positions))


def with_rotate_half(x, positions):
    angles = np.concatenate([angles_of(x, positions)] * 2, axis=-1)
    a, b = halves(x)
    return x * np.cos(angles) + np.concatenate([-b, a], axis=-1) * np.sin(angles)


def by_complex_numbers(x, positions):
    a, b = halves(x)
    z = (a + 1j * b) * np.exp(1j * angles_of(x, positions))
    return np.concatenate([z.real, z.imag], axis=-1)


def by_loops(x, positions):
    result, d = np.empty(x.shape), x.shape[-1]
    for index in np.ndindex(x.shape[:-1]):
        for i in range(d // 2):
            z = complex(x[*index, i], x[*index, i + d // 2]) * cmath.exp(
                1j * float(positions[index[-1]]) / 10_000 ** (2 * i / d)
            )
            result[*index, i], result[*index, i + d // 2] = z.real, z.imag
    return result.tolist()


def by_matrices(x, positions):
    d, angles = x.shape[-1], angles_of(x, positions)
    R = np.zeros((len(positions), d, d))
    i = np.arange(d // 2)
    R[:, i, i] = R[:, i + d // 2, i + d // 2] = np.cos(angles)
    R[:, i, i + d // 2], R[:, i + d // 2, i] = -np.sin(angles), np.sin(angles)
    return np.einsum("tij,...tj->...ti", R, x)


def neighbours(x, positions):
    result, angles = np.empty(x.shape), angles_of(x, positions)
    a, b = x[..., 0::2], x[..., 1::2]
    result[..., 0::2] = a * np.cos(angles) - b * np.sin(angles)
    result[..., 1::2] = a * np.sin(angles) + b * np.cos(angles)
    return result


def mixed(x, positions):
    angles = np.repeat(angles_of(x, positions), 2, axis=-1)
    a, b = halves(x)
    return x * np.cos(angles) + np.concatenate([-b, a], axis=-1) * np.sin(angles)


def wrong_order(x, positions):
    a, b = halves(right(x, positions))
    return np.concatenate([b, a], axis=-1)


def in_place(x, positions):
    angles = angles_of(x, positions)
    a, b = halves(x)  # views
    a[...], b[...] = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)
    return x


def signs_lost(x, positions):
    (a, b), angles = halves(x), angles_of(x, positions)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos + b * sin, a * sin + b * cos], axis=-1)


def overwritten(x, positions):
    (a, b), angles = halves(x), angles_of(x, positions)
    a = a * np.cos(angles) - b * np.sin(angles)
    b = a * np.sin(angles) + b * np.cos(angles)
    return np.concatenate([a, b], axis=-1)


def second_half_stays(x, positions):
    return np.concatenate([halves(right(x, positions))[0], halves(x)[1]], axis=-1)


def no_batch(x, positions):
    d, angles = x.shape[-1], angles_of(x, positions)
    a, b = x[:, : d // 2], x[:, d // 2 :]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=1)


RIGHT = {
    "rotate": {
        "halves": right,
        "x cos + rotate_half(x) sin": with_rotate_half,
        "complex numbers": by_complex_numbers,
        "loops, lists": by_loops,
        "matrices": by_matrices,
        "float32": lambda x, p: right(x.astype(np.float32), p),
        "a default more": lambda x, positions, base=10_000: turned(x, angles_of(x, positions, base)),
    }
}
WRONG = {
    "rotate": {
        "neighbours": (neighbours, r"pairs of neighbours"),
        "both layouts mixed": (mixed, r"Both layouts at once"),
        "backwards": (lambda x, p: turned(x, -angles_of(x, p)), r"Turned backwards"),
        "from position 1": (lambda x, p: turned(x, angles_of(x, p + 1)), r"Position 1 was taken"),
        "positions not used": (lambda x, p: turned(x, angles_of(x, np.arange(len(p)))), r"positions are not used"),
        "no 2 in the exponent": (lambda x, p: turned(x, angles_of(x, p, power=1)), r"the 2 is missing"),
        "half the width": (lambda x, p: turned(x, angles_of(x, p, power=4)), r"not its half"),
        "multiplied": (lambda x, p: turned(x, angles_of(x, p, power=-2)), r"instead of divided"),
        "one angle": (lambda x, p: turned(x, angles_of(x, p, power=0)), r"same angle"),
        "degrees": (lambda x, p: turned(x, np.radians(angles_of(x, p))), r"taken for degrees"),
        "no minus": (signs_lost, r"it must be -, not \+"),
        "a written over": (overwritten, r"keep the old a"),
        "cos and sin swapped": (lambda x, p: turned(x, np.pi / 2 - angles_of(x, p)), r"changed places"),
        "halves exchanged": (wrong_order, r"in `.*` `.*` and `.*` are exchanged"),
        "laid out as neighbours": (
            lambda x, p: np.stack(halves(right(x, p)), axis=-1).reshape(x.shape),
            r"runs along the wrong axis: it must be axis=-2",
        ),
        "another base": (lambda x, p: turned(x, angles_of(x, p, base=1000)), r"is right without base=1000"),
        "longer": (lambda x, p: 2 * right(x, p), r"is too much\. With that mended"),
        "no batch": (no_batch, r"batch axis may stand in front"),
        "overwrites its input": (in_place, r"is overwritten"),
        "one number": (lambda x, p: right(x, p).sum(), r": \.sum is one step too many"),
    }
}
