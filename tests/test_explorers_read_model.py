"""What the explorers of models must show: configurations counted again from shapes, and a matching of bugs to rules; tests/test_explorers.py
holds them beside it."""

import numpy as np
import pytest

from helpers import explorers
from helpers.models import configurations
from helpers.sources import model_specimens
from tests import driving

NAMES = ["SmolLM2-135M", "gpt-oss-120b", "Qwen3-Next-80B-A3B", "DeepSeek-V3"]
LAYERS = {  # kind of the layers, as the papers have them, and bytes: for each token, and at most or at least so many tokens' worth
    "SmolLM2-135M": ["whole"] * 30,
    "gpt-oss-120b": ["window", "whole"] * 18,
    "Qwen3-Next-80B-A3B": ["state", "state", "state", "whole"] * 12,
    "DeepSeek-V3": ["latent"] * 61,
}
BYTES = {"SmolLM2-135M": 768, "gpt-oss-120b": 2048, "Qwen3-Next-80B-A3B": 2048, "DeepSeek-V3": 1152}
STATE = 2 * 32 * 128 * 128
PARAMETERS = [
    [28_311_552, 26_577_216, 79_626_240, 0],
    [1_158_266_880, 956_015_424, 3_597_700_608, 111_117_173_760],
    [622_329_856, 1_541_225_216, 1_711_374_336, 75_799_461_888],
    [1_853_358_080, 11_414_428_672, 24_284_495_872, 633_474_121_728],
]


def keeps(name, kind, tokens):
    return {"state": STATE, "window": BYTES[name] * min(tokens, 128)}.get(kind, BYTES[name] * tokens)


def weigh(tokens, model, layer):
    kept = [[keeps(name, kind, tokens) for kind in LAYERS[name]] for name in NAMES]
    growing = [
        sum(kind in ("whole", "latent") or (kind == "window" and tokens < 128) for kind in LAYERS[n]) for n in NAMES
    ]
    return {
        "kept": [row + [0] * (61 - len(row)) for row in kept],
        "total": [sum(row) for row in kept],
        "next_token": [BYTES[name] * count for name, count in zip(NAMES, growing)],
        "parameters": PARAMETERS,
    }


def hunt(number, rule, **verdicts):
    bugs = list(model_specimens.MISTAKES)
    own = [model_specimens.gaps(model_specimens.model_of(parts)) for parts in model_specimens.MISTAKES.values()]
    named = verdicts[f"verdict_{number}"]
    return {
        "gaps": [own[place] for place in (2, 5, 0, 4, 1)],
        "verdict_gaps": own[bugs.index(named)] if named in bugs else [0.0] * 6,
        "right": [float(verdicts[f"verdict_{k}"] == bugs[place]) for k, place in enumerate((2, 5, 0, 4, 1), 1)],
    }


def scale(count):
    return next(count / unit for unit in (1e9, 1e6, 1e3, 1) if count >= unit)


def said(shown, values):
    i = NAMES.index(values["model"])
    kinds, at = LAYERS[values["model"]], min(values["layer"], len(LAYERS[values["model"]]))
    counts = [kinds.count(kind) for kind in dict.fromkeys(kinds)]
    name = [word for word in driving.numbers(values["model"])]
    words, attends, work, rests = PARAMETERS[i]
    met = [scale(words // 2 + attends + work)] if rests else []  # of the half that comes in a token reads one row
    return [
        *map(float, name),
        *counts,
        shown["next_token"][i],
        scale(sum(PARAMETERS[i])),
        *met,
        at,
        scale(shown["kept"][i][at - 1]),
    ]


def hunted(shown, values):
    gap = shown["gaps"][values["number"] - 1][values["rule"] - 1]
    quoted = driving.numbers(list(model_specimens.RULES)[values["rule"] - 1])
    answer = driving.numbers(explorers.read_model._reply(_now(shown, values)))
    return [
        values["number"],
        values["rule"],
        *map(float, quoted),
        *([gap] if gap else []),
        *map(float, answer),
        sum(shown["right"]),
        5,
    ]


def _now(shown, values):
    return explorers.Moment(**values, **{name: np.array(array) for name, array in shown.items()})


REFERENCES = {"explore_configurations": weigh, "explore_model_hunt": hunt}
TABLES = dict.fromkeys(REFERENCES, lambda shown, values: {})
SENTENCES = {"explore_configurations": said, "explore_model_hunt": hunted}
LIGHTS = dict.fromkeys(REFERENCES, lambda shown, values: [])


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_as_many_as_transformers_makes_room_for(name):
    assert sum(configurations.count_parameters(name)) == configurations.load(name)["parameters"]
    assert configurations.layer_kinds(name) == LAYERS[name]


def test_configurations_answer_a_click_on_a_layer_and_the_lesson_counts_right():
    explorer = explorers.explore_configurations()
    assert explorer.shown["next_token"].tolist() == [23_040, 36_864, 24_576, 70_272]
    explorer._touched({"type": "click", "target": {"className": "touch at-layers r2 c1"}})
    assert "state" in explorer.text and explorer.values["model"] == "Qwen3-Next-80B-A3B"
    with pytest.raises(ValueError, match="name must be one of 'SmolLM2-135M'"):
        configurations.load("GPT-9")


def test_each_bug_breaks_rules_of_its_own_and_a_right_model_none():
    broken = {
        words: model_specimens.gaps(model_specimens.model_of(parts)) > 0
        for words, parts in model_specimens.MISTAKES.items()
    }
    assert not model_specimens.gaps(model_specimens.model_of(model_specimens.RIGHT)).any()
    assert [list(np.flatnonzero(row) + 1) for row in broken.values()] == [[2], [3], [4], [1, 2], [5], [6]]


def test_model_hunt_is_won_by_five_clicks():
    explorer = explorers.explore_model_hunt()
    for number, bug in enumerate((2, 5, 0, 4, 1), 1):
        explorer.set(number=number)
        explorer._touched({"type": "click", "target": {"className": f"touch at-mistakes r{bug}"}})
        assert "Yes: " in explorer.text
    assert "Found so far: 5 of 5" in explorer.text
