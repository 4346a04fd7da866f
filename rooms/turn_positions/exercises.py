"""The exercise on rotary positions."""

import numpy as np

from helpers.positions import rotate, turn
from rooms.shared import edits
from workbench import whole


def _count_up(*shape):
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def _explain(got, want, x, *rest):
    was, now = (np.sqrt((each**2).sum(axis=-1)) for each in (x, got))
    gap = np.abs(now - was)
    if gap.max() < 1e-3:
        return None
    place = np.unravel_index(gap.argmax(), gap.shape)
    return f"A turn keeps lengths, but a token of length {was[place]:.3f} became one of length {now[place]:.3f}."


_CASES = [
    (np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]), np.array([0, 1]), 100.0),
    (np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([2]), 10_000.0),
    (_count_up(3, 6), np.arange(3), 100.0),
    (_count_up(5, 2), np.array([4, 0, 7, 7, 1]), 10_000.0),
    (_count_up(2, 3, 4), np.array([5, 6, 7]), 1000.0),
    (_count_up(2, 2, 3, 10), np.array([0, 1, 2]), 10_000.0),
    whole((_count_up(2, 4), np.array([1, 3]), 10_000)),
    (_count_up(1, 2, 4), np.array([2, 1]), 100.0),
]


def _hint(error, x, *rest):
    if x.ndim > 2 and isinstance(error, (ValueError, IndexError)):
        return "More axes may stand in front: take every second number of the last axis, x[..., 0::2] and x[..., 1::2]."
    return None


def _in_halves(x, positions):
    return rotate(x, positions, layout="halves")


ROTATE = edits.exercise(
    edits.part("rotate", helper=rotate),
    remakes=(rotate, turn),
    cases=_CASES,
    mistakes="""
=> helper(x, positions, base=base, layout="halves") | These are halves, where dimension i turns with i + d/2. Here neighbours are a pair: (0, 1), (2, 3).
np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape) => np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1) | Neighbours were paired, and then laid out in halves. Put each back where it was: 0::2 and 1::2.
x[..., 0::2], x[..., 1::2] => np.split(x, 2, axis=-1) | The partners came from the halves, and were then laid out as neighbours. Take both by 0::2 and 1::2.
=> x * np.concatenate([cos, cos], axis=-1) + np.stack([-b, a], axis=-1).reshape(x.shape) * np.concatenate([sin, sin], axis=-1) | Both layouts at once: the partners are neighbours, and the angles are laid out for halves. For neighbours they stand in the order 0 0 1 1 …
positions[:, None] => -positions[:, None] | Turned backwards: the first of a pair becomes a cos − b sin, the second a sin + b cos.
positions[:, None] => (positions[:, None] + 1) | Position 1 was taken for the first of all; use the positions as they are given, 0 among them.
positions[:, None] => np.arange(x.shape[-2])[:, None] | The given positions are not used: token t need not stand at position t.
/ base => / 10_000 | The base has no say: pair i turns by pos / base^(2i/d).
(0, d, 2) / d => (d) / d ;; => x * cos + np.stack([-b, a], axis=-1).reshape(x.shape) * sin | Each dimension got an angle of its own; the two of a pair turn by the same one: d/2 angles, each of them twice.
(0, d, 2) / d => (0, 2 * d, 2) / d ;; => x * cos + np.stack([-b, a], axis=-1).reshape(x.shape) * sin |
positions[:, None] => np.radians(positions)[:, None] | The angles were taken for degrees: np.cos takes radians, and pos / base^(2i/d) is in radians.
[a * cos - b * sin, => [a := a * cos - b * sin, | The second of a pair was made from the first one after that was turned: keep the old a until both are done.
a * sin + b * cos => b * sin + a * cos | The second of a pair has sine and cosine the wrong way round: a sin + b cos.
a, b = x[..., 0::2], x[..., 1::2] => b, a = x[..., 0::2], x[..., 1::2] | First and second of each pair are exchanged: the first stands at 0, 2, …, the second at 1, 3, ….
""",
    steps="positions",
    praise="Right, with heads or a batch in front, too: lengths stay, and only the difference of two positions will be left in the scores.",
    explain=_explain,
    hint=_hint,
)
ROTATE = ROTATE._replace(
    shorter=ROTATE._replace(
        solve=lambda x, positions: rotate(x, positions),
        also=(
            (
                _in_halves,
                "Right, in halves. The model that you will open pairs neighbours, and its base is 100,000: take every second number, and the base as third argument.",
            ),
        ),
        cases=[type(case)(case[:2]) for case in _CASES],
        mistakes={},
        praise="Right for a base of 10,000. The model that you will open has 100,000: take the base as third argument.",
    ),
)
