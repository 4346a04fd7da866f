"""A lesson's example drawn with an answer: right, wrong, of another shape, one that stops, and one that does not."""

import numpy as np
import pytest

import rooms
from helpers import checks
from tests import answers
from workbench.judging.drawn import drawn

DRAWN = [name for name in rooms.offered("exercises") if checks._example(name)]


def shown(name, answer):
    return drawn(checks._example(name), checks._exercise(name).solve, answer)


@pytest.mark.parametrize("name", DRAWN)
def test_a_right_answer_draws_the_example_alone(name):
    text = shown(name, answers.right(name)).text
    assert f"with your {name}" in text and "✗" not in text and "right" not in text.replace(f"your {name}", "")


@pytest.mark.parametrize("name", DRAWN)
def test_what_cannot_be_drawn_is_one_sentence_above_the_right_picture(name):
    text = shown(name, lambda *arguments: 1 / 0).text
    assert f"with your {name}: it stops with ZeroDivisionError: division by zero." in text and "right" in text


def test_a_row_that_sums_to_more_is_seen_beside_the_right_one():
    text = shown("softmax", lambda scores: 1.2 * np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)).text
    mine, right = text.split("\n\nright")
    assert mine.count("1.200") == right.count("1.000") == 4 and mine.count("✗") == 16


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda scores: scores[0], "it gives an array of shape (4,), and (4, 4) is right."),
        (lambda scores: None, "it gives None."),
        (lambda scores: "a", "it gives str, and an array of shape (4, 4) is right."),
        (lambda scores: np.zeros((200, 200)), "it gives an array of shape (200, 200), and (4, 4) is right."),
        (lambda scores: np.full((4, 4), np.nan), "it gives numbers that are not finite."),
        (lambda scores: np.zeros(10**16), "it stops with MemoryError: Unable to allocate"),
        (lambda scores: exit(), "it stops with SystemExit"),
        (lambda: 1, "it stops with TypeError"),
    ],
)
def test_whatever_it_gives_is_said(answer, said):
    assert said in shown("softmax", answer).text


def test_a_loop_without_end_is_stopped():
    def loop(scores):
        while True:
            pass

    assert "it was stopped, since it was still running after" in shown("softmax", loop).text


def test_random_numbers_are_left_as_they_were():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    shown("softmax", lambda scores: np.random.rand(4, 4))  # noqa: NPY002
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_letters_that_are_drawn_otherwise_are_not_called_wrong():
    def greedy(logits, temperature, top_p, rng):
        return int(np.argmax(logits))

    assert "“attention is the same the same" in shown("next_token", greedy).text
    assert "right" not in shown("next_token", greedy).text


def test_in_a_notebook_it_is_drawn_below_what_the_check_says(monkeypatch, capsys):
    out = []
    monkeypatch.setattr(checks.keeping, "display_of_a_notebook", lambda: out.append)
    checks.check("softmax", answers.wrong("softmax"))
    assert [each.text.partition(":")[0] for each in out] == ["Show me where", "Who asks whom in A A B A"]
    checks.check("softmax", lambda scores: ...)
    assert len(out) == 2
