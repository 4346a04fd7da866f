"""TODO what is explored here, in one line."""

import numpy as np

from workbench import SHARES, explorer, slider, wrong_turns


def explore_heat():
    """TODO what one moves, and what one sees.

    Shown: scores and weights (1, 3)
    """
    return explorer(
        _weigh,
        lambda now: (now.table("scores", rows=["query"]), now.table("weights", rows=["query"])),
        lambda now: f"A score of {now.score} has {now.weights[0, -1]:.3f} of the weight.",
        [SHARES],
        presets={"all alike": {"score": 0}},
        score=slider("last score", 1, 0, 4, 1),
    )


def explore_wrong_heat():
    """TODO what can go wrong, and which rule sees it.

    Shown: weights (1, 3)
    """
    return wrong_turns(
        "how it is weighed",
        _RECIPES,
        lambda weigh: {"weights": weigh(np.array([[0.0, 1.0, 2.0]]))},
        lambda now: now.table("weights", rows=["query"]),
        lambda now: f"The weights sum to {now.weights.sum():.3f}.",
        [SHARES],
    )


def _weigh(score):
    scores = np.array([[0.0, 0.0, score]])
    return {"scores": scores, "weights": _shares(3**scores)}


def _shares(powers):
    return powers / powers.sum(axis=-1, keepdims=True)


_RECIPES = {
    "powers over their sum": lambda scores: _shares(3**scores),
    "powers alone": lambda scores: 3**scores,
    "powers over the largest": lambda scores: 3**scores / 9,
}
