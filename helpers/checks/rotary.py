"""The exercise on rotary positions."""

import numpy as np

from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise
from helpers.positions import rotate, turn


def _count_up(*shape):
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def _angles(x, positions, base=10_000.0, exponent=2.0):
    d = x.shape[-1]
    return positions[:, None] / base ** (exponent * np.arange(d // 2) / d)


def _halves(x, angles):
    return turn(x, angles, layout="halves")


def _mixed(x, positions):
    return _one_for_each(x, np.repeat(_angles(x, positions), 2, axis=-1))


def _written_over(x, positions):
    """The first half is turned in place, and the second half is made from the turned one."""
    angles = _angles(x, positions)
    a, b = np.split(x, 2, axis=-1)
    a = a * np.cos(angles) - b * np.sin(angles)
    return np.concatenate([a, a * np.sin(angles) + b * np.cos(angles)], axis=-1)


def _one_for_each(x, angles):
    """Partners from the other half, and an angle for each dimension."""
    a, b = np.split(x, 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([-b, a], axis=-1) * np.sin(angles)


def _explain(got, want, x, positions):
    was, now = (np.sqrt((each**2).sum(axis=-1)) for each in (x, got))
    gap = np.abs(now - was)
    if gap.max() < 1e-3:
        return None
    place = np.unravel_index(gap.argmax(), gap.shape)
    return f"A turn keeps lengths, but a token of length {was[place]:.3f} became one of length {now[place]:.3f}."


ROTATE = Exercise(
    name="rotate",
    stages={"angles": lambda x, p: p[:, None] / 10_000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])},
    solve=lambda x, positions: rotate(x, positions, layout="halves"),
    remakes=(rotate, turn),
    cases=[
        (np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]), np.array([0, 1])),
        (np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([2])),
        (_count_up(3, 6), np.arange(3)),
        (_count_up(5, 2), np.array([4, 0, 7, 7, 1])),
        (_count_up(2, 3, 4), np.array([5, 6, 7])),
        (_count_up(2, 2, 3, 10), np.array([0, 1, 2])),
        whole((_count_up(2, 4), np.array([1, 3]))),
        (_count_up(1, 2, 4), np.array([2, 1])),
    ],
    mistakes={
        "These are pairs of neighbours, (0, 1), (2, 3); in halves, dimension i is paired with i + d/2.": lambda x, p: (
            rotate(x, p)
        ),
        "Neighbours were paired, (0, 1), (2, 3), and then laid out in halves; the partners must come from the halves, too: i and i + d/2.": lambda x, p: (
            _halves(np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1), _angles(x, p))
        ),
        "Both layouts at once: the angles are laid out for neighbours, the partners come from the other half. In halves the angles stand in the order 0 1 2 … and then 0 1 2 … again.": _mixed,
        "Turned backwards: the first of a pair becomes a cos − b sin, the second a sin + b cos.": lambda x, p: _halves(
            x, -_angles(x, p)
        ),
        "Position 1 was taken for the first of all; use the positions as they are given, 0 among them.": lambda x, p: (
            _halves(x, _angles(x, p + 1))
        ),
        "The given positions are not used: token t need not stand at position t.": lambda x, p: rotate(
            x, layout="halves"
        ),
        "Pair i turns by pos / 10000^(2i/d); the 2 is missing in the exponent.": lambda x, p: _halves(
            x, _angles(x, p, exponent=1.0)
        ),
        "Multiplied by 10000^(2i/d) instead of divided: later pairs must turn more slowly.": lambda x, p: _halves(
            x, _angles(x, p, base=1e-4)
        ),
        "Every pair turns by the same angle here; pair i turns by pos / 10000^(2i/d).": lambda x, p: _halves(
            x, _angles(x, p, exponent=0.0)
        ),
        "Each dimension got an angle of its own; the two of a pair turn by the same one: d/2 angles, laid side by side twice.": [
            lambda x, p, each=each: _one_for_each(
                x, p[:, None] / 10_000 ** (each * np.arange(x.shape[-1]) / x.shape[-1])
            )
            for each in (1, 2)
        ],
        "The angles were taken for degrees: np.cos takes radians, and pos / 10000^(2i/d) is in radians.": lambda x, p: (
            _halves(x, np.radians(_angles(x, p)))
        ),
        "The second half was made from the first one after that was turned: keep the old a until both are done.": (
            _written_over
        ),
    },
    praise="Right, with a batch axis, too: lengths stay, and only the difference of two positions will be left in the scores.",
    explain=_explain,
    hint=lambda error, x, positions: (
        "A batch axis may stand in front: cut the last axis, x[..., : d // 2], and join along axis=-1."
        if x.ndim > 2 and isinstance(error, (ValueError, IndexError))
        else None
    ),
)
