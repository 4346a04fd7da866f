"""Answers to exercises that are worked out on paper."""

from fractions import Fraction

import numpy as np

BY_HAND = {  # name: right answers, and pairs of a wrong one and what it must be told
    "suspect": (
        [[4, 2, 1], (4, 2, 1), [4.0, 2.0, 1.0], np.array([4, 2, 1]), [4, 2, Fraction(1)]],
        [
            ([2, 4, 1], "mirror images, and one of them is off"),
            *[([2, 4, number], "mirror images, and one of them is off") for number in (0, 2, 3, 5)],
            ([4, 2, 2], "That is the place. What belongs there is the dot product"),
            ([4, 2, 3], "That is the place. What belongs there is token 4 · token 2"),
            ([3, 1, 1], "counted from 1"),
            ([1, 3, 1], "counted from 1"),
            ([1, 4, 2], "another order"),
            ([3, 3, 5], "a token with itself, and it is right"),
            ([3, 1, 0], "mirror image agree, and they are right"),
            ([5, 2, 1], "rows and columns 1 to 4"),
            ([4, 2], "must have shape|three numbers"),
        ],
    ),
}
