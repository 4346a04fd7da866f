"""The exercise on leaks: how far ahead does a model look?"""

import numpy as np

from helpers.attention import softmax
from helpers.checks import edits
from helpers.checks.exercise import Exercise

_EMBEDDING = np.array([[0.3, -0.2, 0.5], [1.1, 0.4, -0.6], [-0.7, 0.9, 0.2], [0.1, -1.3, 0.8]])


def _model(sees, name, end=np.array):
    """A model whose place i reads place j where sees(i, j): tokens (N,) -> scores (N, 3), after a step at the end."""

    def model(tokens):
        tokens = np.asarray(tokens)
        if (tokens < 0).any():
            raise ValueError(f"a token must be a number from 0 to 3, got {tokens.min()}")
        places = np.arange(len(tokens))
        mask = np.array([[sees(i, j) for j in places] for i in places], dtype=float)
        return end(mask / (1 + places) @ _EMBEDDING[tokens])

    model.__name__ = name
    return model


def less_of_the_next(tokens):
    """Place i answers with the token after it, and the more it is the less."""
    return -np.append(tokens[1:], 0.0)[:, None]


def more_of_the_next(tokens):
    """Place i answers with the token after it, and the more it is the more."""
    return np.append(tokens[1:], 0.0)[:, None]


_MODELS = [
    (_model(lambda i, j: j <= i, "causal"), np.array([2, 0, 0, 1, 0])),
    (_model(lambda i, j: j >= i, "sees_the_future"), np.array([2, 0, 0, 1, 0])),
    (_model(lambda i, j: j <= i + 1, "one_step_too_many", softmax), np.array([1, 3, 0, 2, 2, 1])),
    (_model(lambda i, j: j <= i or j == i + 2, "the_next_but_one"), np.array([0, 1, 3, 2, 1, 0])),
    (_model(lambda i, j: j <= i or (i, j) == (1, 4), "leaks_at_one_place"), np.array([3, 3, 1, 0, 2, 1])),
    (_model(lambda i, j: j < i, "sees_the_past_alone"), np.array([0, 2, 1, 3])),
    (_model(lambda i, j: False, "blind"), np.array([1, 0, 2])),
    (less_of_the_next, np.array([0, 1, 2, 0, 1])),
    (more_of_the_next, np.array([3, 1, 3, 0, 3])),
    (more_of_the_next, np.array([0, 1, 2, 0, 1])),  # each changed token answers more: only a size shows it both ways
    (_model(lambda i, j: j <= i or (i, j) == (0, 2), "leaks_at_one_place"), np.array([0, 1, 1, 1])),
    (_model(lambda i, j: float(j <= i) or 0.01 * (j == i + 2), "leaks_a_little"), np.array([0, 1, 3, 2, 1, 0])),
    (
        _model(lambda i, j: j <= i or (i, j) == (0, 2), "leaks_at_one_place", lambda scores: scores * [0, 1, 0]),
        np.array([0, 2, 1, 0]),
    ),
    (
        _model(lambda i, j: j <= i or (i, j) == (0, 2), "leaks_at_one_place", lambda scores: scores * [0, 0, 1]),
        np.array([0, 2, 3, 0]),
    ),
    (_model(lambda i, j: j >= i, "sees_the_future"), np.array([0, 2, 1, 3])),
    (_model(lambda i, j: j <= i or (i, j) == (2, 3), "leaks_at_one_place"), np.array([0, 2, 1, 3])),
]


_SOLVE = edits.solution(
    """
def looks_ahead(model, tokens):
    before, furthest = model(tokens), 0
    for place in range(len(tokens)):
        changed = tokens.copy()
        changed[place] = (tokens[place] + 1) % 4
        moved = np.abs(model(changed) - before).max(axis=1) > 1e-9
        for row in np.flatnonzero(moved[:place]):
            furthest = max(furthest, place - row)
    return furthest
""",
)
LOOKS_AHEAD = Exercise(
    name="looks_ahead",
    stages={"answers to the tokens as they are": lambda model, tokens: model(tokens)},
    solve=_SOLVE,
    cases=_MODELS,
    mistakes=edits.mistakes(
        _SOLVE,
        """
=> furthest > 0 | That is whether it leaks; the number of steps is asked for: how far before the changed place an answer moves.
max(furthest, place - row) => furthest + 1 | That is how many answers move in all; the distance is asked for, changed place minus place that moves.
np.flatnonzero(moved[:place]) => range(1) ;; place - row => moved[:place].sum() | You count how many earlier answers one change moves; find how far the furthest of them is from the changed place.
max(furthest, place - row) => min(furthest or 99, place - row) | ~ That is a shorter look ahead than the furthest one: go through all the answers that move, and keep the largest distance.
range(len(tokens)) => [len(tokens) - 1] | Only the last token was changed: change every one in turn, each time with the others as they were.
= model(tokens), 0 => = model(tokens), {0} ;; furthest = max(furthest, place - row) => furthest.add(place - row) ;; => next(k for k in sorted(furthest) if k + 1 not in furthest) | The search ends at the first distance at which nothing moves: a model may skip a token and look further. Try every distance.
np.flatnonzero(moved[:place]) => [np.argmax(moved[:place])] if place else [] | Where no earlier answer moves, np.argmax gives 0, as if the first one did: ask whether any moves.
np.flatnonzero(moved[:place]) => [place - 1] if moved[place - 1 : place].any() else [] | Only the place right before the changed one is watched: look at all places before it.
range(len(tokens)) => [min(1, len(tokens) - 1)] | Only one token in the middle was changed: change every one in turn.
range(len(tokens)) => [min(2, len(tokens) - 1)] |
range(len(tokens)) => [min(3, len(tokens) - 1)] |
= model(tokens), 0 => = model(tokens), [] ;; moved[:place] => moved ;; furthest = max(furthest, place - row) => furthest.append(row - place) ;; => max(furthest, default=0) | That is how far a change moves later answers; those may move. Count only places before the changed one.
moved[:place] => moved ;; place - row => row - place |
np.abs(model(changed) - before) => (model(changed) - before) | An answer may move up or down: take np.abs of the difference before you look for the largest.
np.abs(model(changed) - before) => (before - model(changed)) |
(tokens[place] + 1) % 4 => 0 | ~ A token that is 0 already stays as it is where 0 is put in its place: put in another one, such as (token + 1) % 4.
=> 0 | ~ It says 0 for every model.
""",
    ),
    explain=lambda got, want, model, tokens: (
        f"For {len(tokens)} tokens {model.__name__} looks {int(want)} step{'' if want == 1 else 's'} ahead; you say {got:g}."
    ),
    hint=lambda error, model, tokens: (
        "Where nothing moves there is no largest distance: begin with 0." if "empty" in str(error) else None
    ),
    praise="Right: change one token, see who moves. This finds a leak in any model, without looking inside.",
)
