"""What is folded below a ✗: the smallest case in which the answer is wrong, as tables with what differs marked."""

import numpy as np
import pytest

from helpers import checks
from helpers.checks import EXERCISES
from tests import answers, pendulum, submissions
from workbench import judging
from workbench.judging import seen
from workbench.judging.exercise import Case, Verdict


def shown(name, answer):
    verdict = checks.verdict(name, answer)
    assert verdict.status == "wrong"
    return seen.seen(verdict, name, checks._exercise(name))


def in_words(case, name="softmax"):
    return seen.seen(Verdict("wrong", "Why.", case), name, checks._exercise(name)).text


def test_what_came_in_what_came_out_and_what_is_right_stand_beside_each_other():
    text = shown("softmax", lambda scores: np.exp(scores)).text
    assert text.startswith("Show me where:\n\nscores 1×4")
    assert "softmax gives 1×4\n         1        2        3        4\n1  1.000 ✗  1.000 ✗  2.718 ✗  1.000 ✗" in text
    assert "right is 1×4" in text and "0.475" in text


def test_only_what_differs_is_marked_and_the_sums_of_weights_are_shown():
    case = Case({"scores": np.zeros((2, 2))}, np.array([[0.5, 0.5], [0.7, 0.5]]), np.full((2, 2), 0.5))
    text = in_words(case)
    assert "1    0.5  0.5  1.0" in text and "2  0.7 ✗  0.5  1.2" in text
    assert in_words(case._replace(got=np.zeros((2, 3)))).count("✗") == 0  # of other shapes nothing is compared


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (Case({"x": np.zeros((3, 20, 2))}, np.zeros(2), np.ones(2)), "x: an array of shape (3, 20, 2)."),
        (Case({"x": np.zeros((2, 2, 2))}, None, np.ones(2)), "x [1] 2×2"),
        (Case({"n": 3, "norm": "post", "W": {"a": 1, "b": 2}}, None, np.ones(1)), "n = 3, norm = 'post', W = a dict of a, b"),
        (Case({"loss_of": np.sum}, None, np.ones(1)), "loss_of = sum"),
        (Case({"n": 3}, None, np.ones(1)), "With these softmax stops."),
        (Case({"n": 3}, np.ones(1), None), "A ValueError is right."),
        (Case({"x": np.array([np.nan, np.inf])}, np.array([np.nan]), np.ones(1)), "NaN ✗"),
    ],
)  # fmt: skip
def test_whatever_came_in_is_said(case, said):
    assert said in in_words(case)


def test_of_a_large_array_only_the_first_wrong_row_is_shown():
    right = np.zeros((40, 3))
    got = right.copy()
    got[7, 1] = got[9, 0] = 5.0
    text = in_words(Case({"scores": right}, got, right))
    assert "scores: an array of shape (40, 3)." in text
    assert "softmax gives [7] 1×3" in text and "right [7] is 1×3" in text and text.count("5 ✗") == 1
    many = np.zeros((5, 2, 2))
    wrong = many + np.eye(2) * (np.arange(5) == 3)[:, None, None]
    assert "softmax gives [3, 0] 1×2" in in_words(Case({}, wrong, many))
    assert "an array of shape (50,)" in in_words(Case({}, np.ones(50), np.zeros(50)))  # a row that is too long itself


def test_where_there_is_nothing_to_see_nothing_is_shown():
    assert seen.seen(Verdict("wrong", "Why."), "softmax", checks._exercise("softmax")) is None
    assert checks.verdict("is_right", lambda attend: True).case is None  # what was made of it is no table for a reader


@pytest.mark.parametrize("name", EXERCISES)
def test_whatever_is_wrong_can_be_drawn(name):
    verdict = checks.verdict(name, answers.wrong(name))
    picture = seen.seen(verdict, name, checks._exercise(name))
    assert picture is None or (picture.text and "<details>" in picture.html)


LAYER_WITHOUT_RESIDUAL = """def model_layer(x, W, sizes, cache=None):
    out, cache = yours.model_layer(x, W, sizes, cache)
    return out - x, cache
"""


def test_answer_that_is_used_in_something_larger_shows_what_it_returned():
    text = shown("model_layer", submissions.function("model_layer", LAYER_WITHOUT_RESIDUAL)).text
    assert "x 3×8" in text and "model_layer gives tokens 3×8" in text and "right tokens 3×8" in text
    gives, right = text.index("model_layer gives keys"), text.index("right keys")
    assert "✗" in text[:gives] and "✗" not in text[gives:right]
    said = shown("merge_pairs", lambda word, merges: list(word)).text
    assert "word = 'lower'" in said and "merge_pairs gives: l · o · w · e · r" in said and "right is: lower" in said


@pytest.mark.parametrize(("sign", "status"), [("-", "right"), ("+", "wrong")])
def test_only_below_a_wrong_answer_something_is_shown(monkeypatch, sign, status):
    shown, names = [], {"np": np}
    exec(pendulum.NEXT_MOMENT.solve.text.replace("speed - 9", f"speed {sign} 9"), names)
    monkeypatch.setattr(judging, "display", lambda: shown.append)
    assert judging.check(pendulum.NEXT_MOMENT, names["next_moment"]).status == status
    assert len(shown) == (status == "wrong")
