"""The exercise on rotary positions."""

import numpy as np

from helpers.checks import edits
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise
from helpers.positions import rotate, turn


def _count_up(*shape):
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def _explain(got, want, x, positions):
    was, now = (np.sqrt((each**2).sum(axis=-1)) for each in (x, got))
    gap = np.abs(now - was)
    if gap.max() < 1e-3:
        return None
    place = np.unravel_index(gap.argmax(), gap.shape)
    return f"A turn keeps lengths, but a token of length {was[place]:.3f} became one of length {now[place]:.3f}."


_SOLVE = edits.solution(
    """
def rotate(x, positions):
    d = x.shape[-1]
    angles = positions[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    a, b = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
""",
    helper=rotate,
)
ROTATE = Exercise(
    name="rotate",
    stages=edits.stages(_SOLVE, angles="angles"),
    solve=_SOLVE,
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
    mistakes=edits.mistakes(
        _SOLVE,
        """
=> helper(x, positions) | These are pairs of neighbours, (0, 1), (2, 3); in halves, dimension i is paired with i + d/2.
np.split(x, 2, axis=-1) => x[..., 0::2], x[..., 1::2] | Neighbours were paired, (0, 1), (2, 3), and then laid out in halves; the partners must come from the halves, too: i and i + d/2.
=> x * np.repeat(cos, 2, axis=-1) + np.concatenate([-b, a], axis=-1) * np.repeat(sin, 2, axis=-1) | Both layouts at once: the angles are laid out for neighbours, the partners come from the other half. In halves the angles stand in the order 0 1 2 … and then 0 1 2 … again.
positions[:, None] => -positions[:, None] | Turned backwards: the first of a pair becomes a cos − b sin, the second a sin + b cos.
positions[:, None] => (positions[:, None] + 1) | Position 1 was taken for the first of all; use the positions as they are given, 0 among them.
positions[:, None] => np.arange(x.shape[-2])[:, None] | The given positions are not used: token t need not stand at position t.
(0, d, 2) / d => (d // 2) / d | Pair i turns by pos / 10000^(2i/d); the 2 is missing in the exponent.
/ 10_000 => * 10_000 | Multiplied by 10000^(2i/d) instead of divided: later pairs must turn more slowly.
/ 10_000 ** (np.arange(0, d, 2) / d) => * np.ones(d // 2) | Every pair turns by the same angle here; pair i turns by pos / 10000^(2i/d).
(0, d, 2) / d => (d) / d ;; => x * cos + np.concatenate([-b, a], axis=-1) * sin | Each dimension got an angle of its own; the two of a pair turn by the same one: d/2 angles, laid side by side twice.
(0, d, 2) / d => (0, 2 * d, 2) / d ;; => x * cos + np.concatenate([-b, a], axis=-1) * sin |
positions[:, None] => np.radians(positions)[:, None] | The angles were taken for degrees: np.cos takes radians, and pos / 10000^(2i/d) is in radians.
[a * cos - b * sin, => [a := a * cos - b * sin, | The second half was made from the first one after that was turned: keep the old a until both are done.
""",
    ),
    praise="Right, with a batch axis, too: lengths stay, and only the difference of two positions will be left in the scores.",
    explain=_explain,
    hint=lambda error, x, positions: (
        "A batch axis may stand in front: cut the last axis, x[..., : d // 2], and join along axis=-1."
        if x.ndim > 2 and isinstance(error, (ValueError, IndexError))
        else None
    ),
)
