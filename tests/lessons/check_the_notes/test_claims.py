"""What the text of this lesson says of rounding, tried."""

import numpy as np


def test_a_rounded_number_may_be_off_by_more_where_something_multiplies_it():
    values, weights = np.array([10, 10, 20, 10]), np.array([1 / 6, 1 / 6, 1 / 2, 1 / 6])
    off = abs(values @ weights.round(3) - values @ weights)
    assert 4 * 0.0005 < off <= values.sum() * 0.0005
