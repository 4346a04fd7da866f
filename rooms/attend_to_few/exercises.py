"""The exercise on attending to few: only the keys with the best marks."""

import numpy as np

from rooms.shared import edits
from workbench import Equal


def _case(seed, num_keys, d_v, k):
    rng = np.random.default_rng(seed)
    return (*rng.normal(scale=2, size=(2, num_keys)).round(1), rng.normal(size=(num_keys, d_v)).round(1), k)


_SOLVE = """
def attend_to_best(marks, scores, values, k):
    best = np.argsort(-marks)[:k]
    weights = attention.softmax(scores[best])
    return weights @ values[best]
"""
# of equal marks the last
_LAST = edits.solution(_SOLVE.replace("np.argsort(-marks)[:k]", "np.argsort(marks)[::-1][:k]"))
_PRAISE = "Right: a cheap mark for every key, and attention for only k of them."
ATTEND_TO_BEST = edits.exercise(
    _SOLVE,
    cases=[
        (np.array([3.0, 0.0, 2.0, 1.0]), np.log([9.0, 1.0, 3.0, 1.0]), np.array([[4.0], [0.0], [8.0], [0.0]]), 2),
        _case(1, 6, 2, 3), _case(2, 9, 3, 4), _case(3, 7, 2, 1), _case(4, 5, 4, 5), _case(5, 8, 2, 2),
        Equal((np.array([1.0, 1.0, 0.0]), np.array([0.0, 2.0, 0.0]), np.eye(3), 1)),
    ],
    sorts=(
        "two of four keys", "half of the keys", "four of nine keys", "one key", "all keys", "two of eight keys",
        "equal marks",
    ),
    also=((_LAST, _PRAISE),),
    mistakes="""
(-marks => (-scores | The keys were chosen by their scores. The marks choose, and the scores weigh.
attention.softmax(scores[best]) => softmax(marks[best]) | The marks were put into softmax. They only choose; the weights come from the scores.
attention.softmax(scores[best]) => softmax(scores)[best] | Softmax came before the choice, so these weights do not sum to 1. First choose, then share out.
=> softmax(np.where(np.isin(np.arange(len(marks)), best), scores, 0.0)) @ values | The scores of the other keys are 0, and e⁰ is 1, so they still get a weight. Leave them out, or set them to -np.inf.
(-marks => (marks | These are the worst k keys: np.argsort begins with the smallest.
=> softmax(scores) @ values | All keys were asked. Only the k with the best marks take part.
=> softmax(scores[-k:]) @ values[-k:] | The newest k keys were asked, which is a window. Ask those with the best marks.
values[best] => values[:k] | The weights belong to the best keys, and the values to the first ones.
values[best] => values[np.sort(best)] | The weights are in the order of the marks, and the values in that of the text.
attention.softmax(scores[best]) => scores[best] | Softmax is missing: the scores themselves mixed the values.
=> values[best].mean(axis=0) | Each of the k keys has the same weight here. Weigh them by softmax of their scores.
np.argsort(-marks)[:k] => np.flatnonzero(marks >= np.sort(marks)[-k]) | Where two marks are equal, more than k keys are asked: a threshold cannot part them. Choose k places.
=> weights | These are the weights of the k keys. Mix their values by them.
[:k] => [: k - 1] | One key too few is asked: k of them.
[:k] => [: max(k - 1, 1)] |
""",
    praise=_PRAISE,
)  # fmt: skip
