"""What data/head_counts.json says of heads, recomputed in part with the real models; the script that counted the rest is the same."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers import language_model
from helpers.models import bert
from rooms.ask_a_real_encoder import pronouns

pytestmark = pytest.mark.everything
DATA = Path(__file__).parents[1] / "data"
COUNTS = json.loads((DATA / "head_counts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(DATA / "made_by"))
    try:
        spec = importlib.util.spec_from_file_location("measure_heads", DATA / "made_by" / "measure_heads.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DATA / "made_by"))
    return module


@pytest.fixture(scope="module")
def encoder():
    if bert.find_weights() is None:
        pytest.skip("THE REAL MODEL WAS NOT TESTED: README says how to get its weights, of the extra model")
    return bert.load_model()


@pytest.fixture(scope="module")
def writer():
    if language_model.find() is None:
        pytest.skip("THE REAL MODEL WAS NOT TESTED: README says how to get its weights, of the extra model")
    return language_model.load()


@pytest.mark.parametrize("name", pronouns.SETS)
def test_stored_rows_are_those_of_the_encoder(encoder, script, name):
    stored = pronouns.load(name)
    assert [sentence.text for sentence in stored] == [text for text, *_ in script.SETS[name]]
    for sentence in stored[::3]:
        reading = bert.read(encoder, sentence.text)
        assert reading.tokens == sentence.tokens
        np.testing.assert_allclose(reading.weights[:, :, sentence.asks], sentence.weights, atol=1e-3)


def test_stored_names_are_those_of_the_encoder(encoder, script):
    names = pronouns.names()
    assert names.words == [word for line in script.NAMES.values() for word in line.split()]
    for word in ("Alex", "engineer"):
        given = []
        for frame in script.WITH_A_NAME:
            reading = bert.read(encoder, frame.format(name=f"The {word}" if word.islower() else word, p="she"))
            given.append(reading.weights[1, 3, reading.tokens.index("she"), reading.tokens.index(word.lower())])
        assert abs(np.mean(given) - names.weights["she"][names.words.index(word), 1, 3]) < 1e-3


def test_habits_of_the_encoder_are_counted_again(encoder, script):
    readings = [bert.read(encoder, text) for text in script.PLAIN[:5]]
    for reading in readings:
        scores = [[np.mean([m[t, t - 1] for t in range(1, len(m))]) for m in layer] for layer in reading.weights]
        assert divmod(int(np.argmax(scores)), 12) == (0, 2)
    rests = [(reading.weights.argmax(axis=-1) == 0).mean() for reading in readings]
    stored = COUNTS["all-MiniLM-L6-v2"]["rows with their largest weight on [CLS]"]
    assert all(stored["from"] - 1e-3 <= rest <= stored["to"] + 1e-3 for rest in rests)


def test_head_23_3_of_the_language_model_looks_at_the_name_said_last_and_pushes_it_down(writer, script):
    counted = COUNTS["SmolLM2-135M-Instruct"]
    found = script.names_at_the_end(writer, script.giving_texts()[:4])
    assert all(found["looks"]) and all(found["down"]) and all(found["raises_both"])
    stored = counted["the name that gives, said last"]
    assert stored["texts"] == stored["23.3_looks_at_it_more_than_at_the_other"] == stored["23.3_pushes_it_down"] == 72
    assert stored["23.0_raises_both"] == 72 and stored["23.3_adds_to_it_and_to_the_other"][0] < -2
    stored = counted["the name said last, whoever gives"]
    assert stored["texts"] == 72 and stored["23.3_looks_at_it_more_than_at_the_other"] == 69


def test_heads_that_copy_and_that_look_one_back_in_the_language_model(writer, script):
    stored = COUNTS["SmolLM2-135M-Instruct"]["random tokens, twice"]
    again = script.copying(writer, num_texts=1)
    assert again["the_four_that_copy_best_are_17.3_17.4_17.5_18.6"] == 1 and stored["texts"] == 8
    assert stored["the_four_that_copy_best_are_17.3_17.4_17.5_18.6"] == 8
    assert again["head_that_looks_most_at_the_word_before"] == {"16.0": 1}
    assert stored["head_that_looks_most_at_the_word_before"] == {"16.0": 8}
    for off, losses in again["loss_without"].items():
        assert stored["loss_without"][off]["from"] - 0.01 <= losses["mean"] <= stored["loss_without"][off]["to"] + 0.01
    assert COUNTS["SmolLM2-135M-Instruct"]["weight on the first token"]["from"] > 0.5
