"""What the text of this lesson says in numbers, computed on its own."""

import json
from pathlib import Path

import numpy as np

from helpers import explorers
from helpers.models import model_readings


def test_cls_gets_half_in_layers_1_to_4_and_its_value_is_a_tenth_of_the_others():
    shown = explorers.explore_resting().shown
    middle = slice(1, 5)
    assert (shown["rest"].mean(axis=1)[middle] >= 0.5).all() and shown["length"][middle].max() < 0.35
    assert (shown["others"] > 10 * shown["length"])[middle].all()


def test_where_the_first_token_speaks_it_gets_little():
    she = model_readings.load("She")
    weight = she.weights[:, :, 1:, 0].mean(axis=(1, 2))
    speaks = she.value_lengths[:, 0] >= 0.5 * she.value_lengths[:, 1:].mean(axis=1)
    assert (
        speaks.sum() == 5 and f"{weight[speaks].max():.0%}" == "18%" and np.argmax(weight) not in np.flatnonzero(speaks)
    )


def test_the_same_holds_on_30_other_sentences():
    counts = json.loads((Path(__file__).parents[3] / "data" / "head_counts.json").read_text(encoding="utf-8"))
    encoder = counts["all-MiniLM-L6-v2"]["weight on [CLS], mean of layers 1 to 4"]
    writer = counts["SmolLM2-135M-Instruct"]["weight on the first token"]
    assert (encoder["texts"], f"{encoder['mean']:.0%}") == (30, "60%")
    assert (writer["texts"], f"{writer['mean']:.0%}") == (30, "64%") and writer["from"] > 0.5
