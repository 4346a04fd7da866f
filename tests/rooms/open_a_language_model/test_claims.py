"""What the text of this lesson says of heads, tried on sentences and strings that are not in it. Needs the real model."""

import itertools
import re

import numpy as np
import pytest

from helpers import language_model
from rooms.shared import model_readings
from tests import notebooks

pytestmark = [
    pytest.mark.everything,
    pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model"),
]
PAIRS = [("Mary", "John"), ("Anna", "Tom"), ("Laura", "Paul"), ("Kate", "Peter"), ("Emma", "James"), ("Sarah", "David")]
GIVING = [  # {a} and {b} in either order; {s} is one of them, who gives
    "When {a} and {b} went to the store, {s} gave a drink to",
    "After {a} and {b} sat down in the kitchen, {s} passed a plate to",
    "While {a} and {b} waited at the station, {s} handed a ticket to",
    "Then {a} and {b} met at school, and {s} lent a book to",
    "Yesterday {a} and {b} played in the garden, and {s} threw the ball to",
    "Because {a} and {b} were late, {s} sent a message to",
]
SUBJECT_FIRST = [  # about {s}; {o} is said last
    "Then {s} saw {o}. {He} gave a drink to",
    "In the morning {s} called {o}. {He} sent a message to",
    "At the station {s} met {o}. {He} handed a ticket to",
    "After lunch {s} visited {o}. {He} lent a book to",
    "On Monday {s} found {o}. {He} passed a plate to",
    "That day {s} helped {o}. {He} threw the ball to",
]


@pytest.fixture(scope="module")
def model():
    return language_model.load(progress=None)


@pytest.fixture(scope="module")
def word(model):
    """function(name) -> its token behind a space; each is one."""

    def number(name):
        (token,) = model.encode(f" {name}")
        return token

    return number


def second_time(model, run, start, without=()):
    ids = [*start, *run, *run]
    losses = model_readings.kept(model, ids, model.read(ids, without=without).logits, few=True)["losses"]
    return losses[len(start) + len(run) :].mean()


SAID = [
    "README.md",
    "helpers/language_model.py",
    "notebooks/25_open_a_language_model.ipynb",
    "notebooks/26_write_with_your_own.ipynb",
    "web/live.py",
]


@pytest.mark.parametrize("file", SAID)
def test_memory_that_is_told_is_that_of_the_numbers(model, file):
    matrices = [model._words, model._norm, *itertools.chain(*(layer.values() for layer in model._layers))]
    assert model._W_vocabulary is model._words  # one matrix reads and writes
    told = re.findall(r"([\d.]+ GB) of memory", (notebooks.ROOT / file).read_text(encoding="utf-8"))
    assert told == [f"{sum(each.nbytes for each in matrices) / 1e9:.2f} GB"]


def test_head_0_5_matters_behind_the_start_mark_and_16_0_everywhere(model):
    costs = []
    for seed in range(8):
        run = np.random.default_rng(seed).integers(1000, 20_000, 25).tolist()
        intact = [second_time(model, run, start) for start in ([0], [])]
        costs.append(
            [
                second_time(model, run, start, [off]) - before
                for off in ((0, 5), (16, 0))
                for start, before in zip(([0], []), intact)
            ]
        )
    costs = np.array(costs)  # (strings, off 0.5 with and without the mark, off 16.0 with and without)
    assert [f"{each:.1f}" for each in costs.mean(axis=0)[:2]] == ["3.6", "0.2"]
    assert (costs[:, 0] > 1.5).all() and (costs[:, 2:] > 1.5).all()


def read_names(model, word, text, s, o):
    """Of heads 23.0, 23.1, 23.3 and 24.4: the weights of both names (their last mention) and what is added to both logits."""
    ids = model.encode(text)
    reading, stream = model.read(ids), model.stream(ids)
    heads = [(23, 0), (23, 1), (23, 3), (24, 4)]
    places = {name: [k for k, token in enumerate(ids) if token == word(name)] for name in (s, o)}
    looks = {name: [reading.weights[head][-1, places[name]].sum() for head in heads] for name in (s, o)}
    adds = {name: [model.shares(stream, word(name))[1][head] for head in heads] for name in (s, o)}
    most = reading.weights[23, 3, -1].argmax() in places[s]
    return np.array([looks[s], looks[o]]), np.array([adds[s], adds[o]]), most, reading.logits[-1, word(o)], reading


def test_head_23_3_looks_at_the_giver_and_pushes_the_giver_down(model, word):
    found = []
    for k, (frame, pair) in enumerate(itertools.product(GIVING, PAIRS)):
        a, b = pair if k % 3 else pair[::-1]
        s, o = (a, b) if k % 2 else (b, a)
        text = frame.format(a=a, b=b, s=s)
        _, adds, most, _, reading = read_names(model, word, text, s, o)
        lead = reading.logits[-1, word(o)] - reading.logits[-1, word(s)]
        logits = model.read(model.encode(text), without=[(23, 3)]).logits[-1]
        found.append((most, adds, lead, logits[word(o)] - logits[word(s)]))
    most, adds, lead, without = (np.array(each) for each in zip(*found))
    giver, other = adds[:, 0], adds[:, 1]  # (sentences, heads)
    assert len(found) == 36 and most.sum() == 36 and (giver[:, 2] < 0).all()
    assert (without < lead).all() and (other > giver).sum(axis=0)[:2].tolist() == [35, 30]


def test_head_23_3_goes_by_the_name_said_last_and_not_by_whom_the_sentence_is_about(model, word):
    last = []
    for k, (frame, pair) in enumerate(itertools.product(SUBJECT_FIRST, PAIRS)):
        s, o = pair if k % 2 else pair[::-1]
        text = frame.format(s=s, o=o, He="She" if k % 2 else "He")
        looks, adds, *_ = read_names(model, word, text, s, o)
        last.append([looks[1, 2] > looks[0, 2], adds[1, 2] < adds[0, 2]])
    assert np.sum(last, axis=0).tolist() == [32, 32]


def test_the_sentence_to_try_refutes_the_second_story(model, word):
    ids = model.encode("Then John saw Mary. He gave a drink to")
    reading, stream = model.read(ids), model.stream(ids)
    looks = dict(zip((model.decode([k]).strip() for k in ids), reading.weights[23, 3, -1]))
    assert [f"{looks[name]:.2f}" for name in ("Mary", "Then", "John")] == ["0.40", "0.32", "0.16"]
    adds = [model.shares(stream, word(name))[1][23, 3] for name in ("Mary", "John")]
    assert [f"{each:.2f}" for each in adds] == ["-1.79", "-1.02"]
