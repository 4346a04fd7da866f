"""Answers of many hands: right ones are right, wrong ones are told their mistake, those that were set aside, too."""

import re

import pytest

from helpers.checks import EXERCISES
from tests import answers_hands, answers_set_aside, hands

HANDS = [*hands.read(answers_hands.ANSWERS), *hands.read(answers_set_aside.ANSWERS)]
SEEN = len(hands.read(answers_hands.ANSWERS))  # the others were set aside while the checks were tuned
WRONG_ONES = [(k < SEEN, hand) for k, hand in enumerate(HANDS) if not hand.right]
RIGHT = {}
for hand in HANDS:
    if hand.right:
        RIGHT.setdefault(hand.exercise, {})[f"hand {len(RIGHT.get(hand.exercise, ()))}"] = hands.function(hand)
NEW = {"divisor", "remember", "encoder_layer", "same_word_score"}  # those that have no other answers in the tests
WRONG = {name: {} for name in NEW}
for k, hand in enumerate(HANDS):
    if hand.exercise in NEW and not hand.right:
        WRONG[hand.exercise][f"hand {k}"] = hands.function(hand), f"(?i){hand.told}" if k < SEEN else "."


@pytest.fixture(scope="module")
def feedback():
    """What each wrong answer is told: list of (seen, hand, Feedback)."""
    return [(seen, hand, EXERCISES[hand.exercise](hands.function(hand))) for seen, hand in WRONG_ONES]


def is_told(hand, message):
    return re.search(hand.told, message, re.IGNORECASE) is not None


def test_every_exercise_with_code_has_answers_of_many_hands():
    names = {hand.exercise for hand in HANDS}
    counts = {name: sum(hand.exercise == name for _, hand in WRONG_ONES) for name in names}
    assert len(names) >= 25 and {name: count for name, count in counts.items() if count < 15} == {}


def test_no_wrong_answer_passes(feedback):
    assert [hand.text for _, hand, said in feedback if said.status != "wrong"] == []


@pytest.mark.parametrize("seen", [True, False], ids=["tuned", "set aside"])
def test_nine_of_ten_are_told_their_mistake(feedback, seen):
    told = [is_told(hand, said.message) for each, hand, said in feedback if each is seen]
    assert sum(told) >= 0.9 * len(told) > 90


def test_no_sentence_asks_what_was_not_tried(feedback):
    asking = [said.message for _, _, said in feedback if said.message.endswith("?")]
    assert [message for message in asking if "still running after" not in message] == []
