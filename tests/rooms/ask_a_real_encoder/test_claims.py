"""What the text of this lesson says in numbers, computed on its own."""

import collections
import itertools
import json
import re
from math import comb, floor
from pathlib import Path

import numpy as np
import pytest

from helpers import explorers
from rooms.ask_a_real_encoder import pronouns
from rooms.shared import attention_maps
from tests import notebooks
from tests.contrast import contrast
from workbench.pictures import maps
from workbench.pictures.colours import COLOURS
from workbench.pictures.html import plain_drawings

DATA = Path(__file__).parents[3] / "data"
COUNTS = json.loads((DATA / "head_counts.json").read_text(encoding="utf-8"))["all-MiniLM-L6-v2"]
HEADS = list(itertools.product(range(6), range(12)))


def right_in(name, layer, head):
    """For each sentence of a set: whether the one meant gets more, and whether the one named first does."""
    found = []
    for text in pronouns.load(name):
        row = text.weights[layer, head].tolist()
        meant, other = row[text.meant], row[text.other]
        found.append((meant > other, meant > other if text.meant < text.other else other > meant))
    return found


@pytest.mark.parametrize("name", pronouns.SETS)
def test_stored_counts_are_those_of_the_stored_rows(name):
    for layer, head in HEADS:
        found = right_in(name, layer, head)
        assert COUNTS[name]["texts"] == len(found)
        assert COUNTS[name]["prefers_the_one_meant"][layer][head] == sum(right for right, _ in found)
        assert COUNTS[name]["prefers_the_one_named_first"][layer][head] == sum(first for _, first in found)


def test_each_story_is_told_in_both_orders_and_with_both_pronouns():
    for name in ("32 sentences", "32 others"):
        texts = pronouns.load(name)
        for four in (texts[k : k + 4] for k in range(0, 32, 4)):
            told = {(text.tokens[text.asks], text.meant < text.other) for text in four}
            assert told == set(itertools.product(["she", "he"], [True, False]))
            assert len({frozenset((text.tokens[text.meant], text.tokens[text.other])) for text in four}) == 1


def test_head_3_1_goes_by_who_is_named_first():
    assert COUNTS["32 sentences"]["prefers_the_one_meant"][3][1] == 19
    assert [COUNTS[name]["prefers_the_one_named_first"][3][1] for name in ("32 sentences", "32 others")] == [23, 29]
    found = right_in("32 sentences", 3, 1)
    assert [
        sum(right and right == first for right, first in found),
        sum(right and not first for right, first in found),
    ] == [13, 6]


@pytest.mark.parametrize(
    ("layer", "head", "counts"),
    [(1, 3, (30, 30)), (2, 4, (29, 29)), (4, 5, (28, 27)), (1, 0, (30, 24)), (1, 5, (0, 0)), (4, 2, (1, 0))],
)
def test_heads_that_stand_out(layer, head, counts):
    assert tuple(COUNTS[name]["prefers_the_one_meant"][layer][head] for name in ("32 sentences", "32 others")) == counts


def test_the_three_that_stay_are_the_best_and_1_0_looks_at_both_hardly():
    for name, best in (("32 sentences", 30), ("32 others", 30)):
        counts = np.array(COUNTS[name]["prefers_the_one_meant"])
        assert counts.max() == best and (counts >= 27).sum() <= 5
    others = np.array(COUNTS["32 others"]["prefers_the_one_meant"])
    assert {divmod(int(k), 12) for k in np.flatnonzero(others >= 27)} == {(1, 3), (2, 4), (4, 5)}
    for name in ("32 sentences", "32 others"):
        assert COUNTS[name]["mean_on_the_one_meant"][1][0] < 0.015 and COUNTS[name]["mean_on_the_other"][1][0] < 0.005


def at_least(count, throws):
    return sum(comb(throws, k) for k in range(count, throws + 1)) / 2**throws


def test_what_coins_do():
    assert f"{1 - 2 * at_least(22, 32):.2f}" == "0.95"  # 19 of 20 land from 11 to 21
    assert 0.5 < 1 - (1 - at_least(23, 32)) ** 72 < 0.52  # the best of 72 gets 23 or more in half of all tries
    assert floor(1 / (1 - (1 - at_least(30, 32)) ** 72)) > 100_000


def test_1_3_goes_by_gender_and_has_a_prejudice():
    names = pronouns.names()
    given = {p: dict(zip(names.words, rows[:, 1, 3])) for p, rows in names.weights.items()}
    mean = {
        (p, kind): f"{np.mean([given[p][word] for word, each in zip(names.words, names.kinds) if each == kind]):.0%}"
        for p in given
        for kind in ("names of women", "names of men")
    }
    assert mean == {("she", "names of women"): "53%", ("she", "names of men"): "12%",
                    ("he", "names of women"): "21%", ("he", "names of men"): "39%"}  # fmt: skip
    shares = {word: f"{given['she'][word]:.0%}" for word in ("Alex", "engineer", "doctor", "nurse", "teacher")}
    assert shares == {"Alex": "17%", "engineer": "7%", "doctor": "14%", "nurse": "31%", "teacher": "61%"}


def test_44_names_and_11_other_words_are_tried_in_the_two_sentences_of_the_text_a_dot_for_each():
    kinds = collections.Counter(pronouns.names().kinds)
    others = kinds.pop("not names")
    text = notebooks.prose("ask_a_real_encoder")
    assert (
        f"with {sum(kinds.values())} names, and with {others} other words in their place, such as *the doctor*." in text
    )
    script = (DATA / "made_by" / "measure_heads.py").read_text(encoding="utf-8")
    (frames,) = re.findall(r"^WITH_A_NAME = (\[.*\])$", script, re.M)  # of these two the numbers are the mean
    told = [f"*{frame.format(name='Anna', p='she').rstrip('.')}" for frame in json.loads(frames)]
    assert len(told) == 2 and all(each in text for each in told)
    (drawing,) = plain_drawings(explorers.explore_names().html)
    assert drawing.count("<circle") == sum(kinds.values()) + others == 55


def test_where_gender_says_nothing_no_head_is_better_than_a_coin():
    counts = np.array(COUNTS["one gender"]["prefers_the_one_meant"])
    assert COUNTS["one gender"]["texts"] == 16 and (counts.min(), counts.max(), counts[1, 3]) == (6, 10, 6)
    right = {head: [each for each, _ in right_in("one gender", *head)] for head in HEADS}
    pairs = [(texts[k], texts[k + 1]) for texts in right.values() for k in range(0, 16, 2)]
    assert len(pairs) == 576 and sum(one != other for one, other in pairs) == 543
    assert sum(one and other for one, other in pairs) == 21
    texts = pronouns.load("one gender")
    for one, other in zip(texts[::2], texts[1::2]):
        assert (one.meant, one.other) == (other.other, other.meant)


def test_two_heads_disagree_when_the_names_are_swapped():
    rows = {}
    for name in ("She", "names swapped"):
        text = attention_maps.load(name)
        for head in ((3, 1), (1, 3), (5, 11)):
            row = text.weights[head][text.tokens.index("she")]
            rows[name, head] = text.tokens[row.argmax()], round(row.max(), 3)
    assert rows["She", (3, 1)] == ("sarah", 0.452) and rows["names swapped", (3, 1)] == ("alex", 0.575)
    assert rows["She", (1, 3)] == ("sarah", 0.247) and rows["names swapped", (1, 3)] == ("sarah", 0.271)
    assert rows["She", (5, 11)] == ("cat", 0.666)


def test_habits_that_hold_on_30_sentences():
    assert COUNTS["word before"]["head_is_the_best_of_72"] == {"0.2": 30}
    rest = COUNTS["rows with their largest weight on [CLS]"]
    assert (
        rest["texts"] == 30 and 0.7 < rest["from"] < rest["mean"] < rest["to"] < 0.8 and f"{rest['mean']:.2f}" == "0.76"
    )


def test_the_same_word_is_found_by_another_head_in_most_texts():
    assert COUNTS["same word"] == {"texts": 10, "head_is_the_best_of_72": {"2.9": 7, "1.1": 2, "5.4": 1}}
    text = attention_maps.load("repeated")
    same = [(i, j) for i, a in enumerate(text.tokens) for j, b in enumerate(text.tokens) if a == b and i != j]
    scores = {head: np.mean([text.weights[head][place] for place in same]) for head in HEADS}
    assert sorted(scores, key=scores.get)[-2:] == [(1, 1), (0, 8)]
    tokens, weights = np.array(text.tokens), text.weights[1, 1]
    old, the = np.flatnonzero(tokens == "old"), np.flatnonzero(tokens == "the")
    assert weights[old[2], old[:2]].sum() > 0.7 and weights[np.ix_(the, the)].max() < 0.1


def test_learned_positions_are_alike_in_waves():
    places = attention_maps.learned_positions()[1:]
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    mean = [np.mean([places[i] @ places[i + gap] for i in range(31 - gap)]) for gap in (1, 3, 6)]
    assert [f"{each:.2f}" for each in mean] == ["0.88", "0.52", "0.67"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_more_alike_two_learned_positions_are_the_more_their_square_stands_out(theme):
    places = attention_maps.learned_positions()[1:]
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    assert len(places) == 31
    drawn = maps.shades(np.sort((places @ places.T).ravel().clip(0))[::40], "weights", theme)
    paper = getattr(COLOURS["paper"], theme)
    stands_out = [contrast("#" + bytes(each).hex(), paper) for each in drawn]
    assert (np.diff(stands_out) > -1e-9).all() and stands_out[0] < 1.1 < 10 < stands_out[-1]
