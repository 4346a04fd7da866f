"""What the text of this lesson says in numbers, computed on its own."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from helpers import checks, explorers
from rooms.shared import model_readings
from tests import submissions
from workbench.pictures.html import plain_drawings


@pytest.mark.parametrize("on", ["[CLS]", "[SEP]"])
def test_each_of_72_squares_stands_out_as_much_as_its_head_rests_there(on):
    explorer = explorers.explore_resting()
    explorer.set(on=on)
    (drawing,) = [drawing for drawing in plain_drawings(explorer.html) if "length of its value" in drawing]
    squares = [each for each in re.findall(r"<rect [^>]*>", drawing) if 'rx="3"' in each]
    opacity = [float(re.search(r'fill-opacity="([\d.e-]+)"', each)[1]) for each in squares]
    np.testing.assert_allclose(opacity, explorer.shown["rest"].ravel(), atol=0.005)


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


def test_a_second_map_subtracted_takes_half_of_the_weight_whatever_the_scores_are():
    for powers in ([1, 1, 3, 1], [2, 7, 5, 3]):
        left = np.array(powers) / sum(powers) - np.ones(4) / 4 / 2
        assert left.sum() == pytest.approx(1 / 2)
    np.testing.assert_allclose(24 * (np.array([1, 1, 3, 1]) / 6 - np.ones(4) / 8), [1, 1, 9, 1])


@pytest.mark.parametrize(
    "shifted",
    ["- scores.max(axis=-1, keepdims=True)", "- np.maximum(scores.max(axis=-1, keepdims=True), sink)", ""],
)
def test_the_softmax_with_one_more_below_the_line_is_told_that_its_sink_has_no_say(shifted):
    code = f"powers = np.exp(scores {shifted}); return powers / (powers.sum(axis=-1, keepdims=True) + 1)"
    answer = submissions.function("softmax_with_sink", f"def softmax_with_sink(scores, sink): {code}")
    told = checks.verdict("softmax_with_sink", answer)
    assert told.status == "wrong" and told.message.startswith("The sink has no say")
