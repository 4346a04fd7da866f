"""A lesson's example drawn with an answer: right, wrong, of another shape, one that stops, and one that does not."""

import sys

import numpy as np
import pytest

import rooms
from helpers import checks
from tests import answers, submissions
from workbench.judging import run
from workbench.judging.drawn import drawn
from workbench.judging.exercise import known_mistakes

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
    both = shown("softmax", lambda scores: 1.2 * np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True))
    mine, right = both.text.split("\n\nright")
    assert "with your softmax ✗" in mine and "Together 120%." in mine and "Together" not in right and "✗" not in right
    assert both.html.count(">120%</text>") == 2, "on a card and on a phone, and the right one has no sum"


SHE = (
    "softmax soft_select self_attention causal_mask masked_softmax split_heads merge_heads mix_similar output_rows divisor "
    "sinusoidal_positional_encoding is_order_blind add_and_think layer_norm rms_norm encoder_layer cross_attention decoder_layer looks_ahead"
).split()


@pytest.mark.parametrize("name", SHE)
def test_every_exercise_of_lessons_01_to_11_draws_what_the_answer_makes_of_its_sentence(name):
    example, exercise = checks._example(name), checks._exercise(name)
    for answer in (exercise.solve, *(each.answer for each in submissions.read(name) if each.right)):
        text = drawn(example, exercise.solve, answer).text
        few = "positional argument" in text  # a shorter answer, which is right as far as it goes
        assert few or ("✗" not in text and f"with your {name}:" not in text.partition("\n")[0]), text
    assert sum(each is example for each in map(checks._example, SHE)) == 1


@pytest.mark.everything
@pytest.mark.parametrize("name", SHE)
def test_a_wrong_answer_draws_or_says_why_not(name):
    example, exercise = checks._example(name), checks._exercise(name)
    wrong = [each.answer for each in submissions.read(name) if not each.right] + [
        each for _, each in known_mistakes(exercise)
    ]
    differ = 0
    for answer in wrong:
        text = drawn(example, exercise.solve, answer).text
        says_why, is_wrong = (
            f"with your {name}: " in text.partition("\n")[0],
            f"with your {name} ✗" in text or " ✗" in text,
        )
        assert says_why == (f"with your {name}" not in text.partition("\n")[2])
        differ += says_why or is_wrong
    assert differ >= len(wrong) / 3, f"{differ} of {len(wrong)} wrong answers are seen"


def test_a_picture_of_an_answer_runs_no_more_lines_than_a_lesson_has_time_for():
    lines = 0

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return count

    for name in SHE:
        before, lines = sys.gettrace(), 0
        sys.settrace(count)
        try:
            checks._example(name).make(checks._exercise(name).solve)
        finally:
            sys.settrace(before)
        assert lines < run.LINES / 5, (name, lines)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda scores: scores[0], "it gives an array of shape (20,), and an array of shape (20, 20) is right."),
        (lambda scores: None, "it gives None."),
        (lambda scores: "a", "it gives str, and an array of shape (20, 20) is right."),
        (
            lambda scores: np.zeros((200, 200)),
            "it gives an array of shape (200, 200), and an array of shape (20, 20) is right.",
        ),
        (lambda scores: np.full((20, 20), np.nan), "it gives numbers that are not finite."),
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
    shown("softmax", lambda scores: np.random.rand(20, 20))  # noqa: NPY002
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
    assert [each.text.partition(":")[0] for each in out] == ["Show me where", "She asks for what is female"]
    checks.check("softmax", lambda scores: ...)
    assert len(out) == 2
