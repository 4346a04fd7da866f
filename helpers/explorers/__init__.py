"""What a learner moves. `Explorer` is the mechanism; each `explore_…()` returns one, and `predict` asks a question.

Every explorer has `.controls` (dict name -> ipywidget) and `.shown` (dict name -> array that it displays now).
"""

from helpers.explorers.engine import (
    Explorer,
    Light,
    NumberGrid,
    choose,
    rows_sum_to_one,
    slider,
    steps,
    switch,
    text_field,
)
from helpers.explorers.lookup import explore_lookup
from helpers.explorers.positions import explore_encoding, explore_shuffle, explore_wrong_waves
from helpers.explorers.query import explore_query, explore_wrong_softmax
from helpers.explorers.questions import Predict, predict
from helpers.explorers.three_tokens import explore_three_tokens, explore_wrong_turns

__all__ = [
    "Explorer",
    "Light",
    "NumberGrid",
    "Predict",
    "choose",
    "explore_encoding",
    "explore_lookup",
    "explore_query",
    "explore_shuffle",
    "explore_three_tokens",
    "explore_wrong_softmax",
    "explore_wrong_turns",
    "explore_wrong_waves",
    "predict",
    "rows_sum_to_one",
    "slider",
    "steps",
    "switch",
    "text_field",
]
