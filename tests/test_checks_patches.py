"""Answers to the exercise on patches, right and wrong; tests/test_checks.py tries them all."""

import numpy as np


def by_loops(image, size):
    rows = []
    for top in range(0, image.shape[0], size):
        for left in range(0, image.shape[1], size):
            rows.append(image[top : top + size, left : left + size].ravel().tolist())
    return rows


def blocks(image, size):
    return image.reshape(image.shape[0] // size, size, image.shape[1] // size, size, -1)


def ordered(*axes):
    return lambda image, size: flat(np.transpose(blocks(image, size), axes))


def flat(array):
    return array.reshape(array.shape[0] * array.shape[1], -1)


def by_split(image, size):
    strips = np.split(image, image.shape[0] // size, axis=0)
    return np.array([tile.ravel() for s in strips for tile in np.split(s, s.shape[1] // size, axis=1)])


def by_index(image, size):
    height, width = image.shape[:2]
    rows, columns = height // size, width // size
    out = np.empty((rows * columns, size * size * (image.size // (height * width))))
    for patch in range(len(out)):
        i, j = divmod(patch, columns)
        out[patch] = image[i * size : (i + 1) * size, j * size : (j + 1) * size].reshape(-1)
    return out


def fortran(image, size):
    return [
        image[i : i + size, j : j + size].reshape(-1, order="F")
        for i in range(0, image.shape[0], size)
        for j in range(0, image.shape[1], size)
    ]


def overlapping(image, size):
    return np.stack([
        image[i : i + size, j : j + size].ravel()
        for i in range(image.shape[0] - size + 1)
        for j in range(image.shape[1] - size + 1)
    ])  # fmt: skip


def strided(image, size):
    rows, columns = image.shape[0] // size, image.shape[1] // size
    return [image[i::rows, j::columns].ravel() for i in range(rows) for j in range(columns)]


def number_of_patches(image, number):
    height, width = image.shape[0] // number, image.shape[1] // number
    return [
        image[i * height : (i + 1) * height, j * width : (j + 1) * width].ravel()
        for i in range(number)
        for j in range(number)
    ]


RIGHT = {
    "patchify": {
        "loops, lists": by_loops,
        "loops, array": lambda image, size: np.array(by_loops(image, size)),
        "reshape and swapaxes": lambda image, size: flat(np.swapaxes(blocks(image, size), 1, 2)),
        "transpose": ordered(0, 2, 1, 3, 4),
        "einsum": lambda image, size: flat(np.einsum("isjtc->ijstc", blocks(image, size))),
        "split": by_split,
        "written into place": by_index,
        "float32": lambda image, size: np.array(by_loops(image, size), np.float32),
    }
}
WRONG = {
    "patchify": {
        "cut to whole numbers": (lambda image, size: np.array(by_loops(image, size), int), r"cut to a whole one"),
        "reshape alone": (lambda image, size: flat(blocks(image, size).reshape(
            image.shape[0] // size, image.shape[1] // size, -1)), r"reshape alone"),
        "column by column": (ordered(2, 0, 1, 3, 4), r"patches come column by column"),
        "pixels column by column": (ordered(0, 2, 3, 1, 4), r"Inside a patch the pixels come column by column"),
        "both": (ordered(2, 0, 3, 1, 4), r"Both the patches and their pixels"),
        "channels first": (ordered(0, 2, 4, 1, 3), r"all reds, then all greens"),
        "number of patches": (number_of_patches, r"taken for the number of patches"),
        "overlapping": (overlapping, r"overlap"),
        "grey only": (
            lambda image, size: by_loops(image if image.ndim == 2 else image.mean(axis=2), size), r"averaged away",
        ),
        "red only": (
            lambda image, size: by_loops(image if image.ndim == 2 else image[..., 0], size), r"Only the first channel",
        ),
        "squares": (
            lambda image, size: np.array(by_loops(image, size)).reshape(-1, size, size, *image.shape[2:]),
            r"still a square",
        ),
        "transposed": (lambda image, size: np.array(by_loops(image, size)).T, r"must not be transposed here"),
        "backwards": (lambda image, size: by_loops(image, size)[::-1], r"reverse order"),
        "divided": (lambda image, size: np.array(by_loops(image, size)) / 255, r"divided by 255"),
        "grey images only": (
            lambda image, size: flat(np.swapaxes(
                image.reshape(image.shape[0] // size, size, image.shape[1] // size, size), 1, 2)),
            r"third axis, the channels",
        ),
        "float counts": (lambda image, size: image.reshape(image.shape[0] / size, -1), r"//"),
        "sorted": (lambda image, size: np.sort(by_loops(image, size))[:, ::-1], r"patch 0 holds 5 at place 0, where 0"),
        "Fortran order": (fortran, r"is right without order='F'"),
    }
}  # fmt: skip
