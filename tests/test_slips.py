"""Facts that the text of a wrong answer shows: each is said of two answers, and not of two that come near."""

import pytest

from helpers.checks import EXERCISES
from tests import submissions
from tests.submissions import function
from workbench.judging import slips

INSIDE, ANEW, BEHIND = "stands inside the loop", "in each round of the loop", "stands behind the loop"
SAID = {
    "a return in a loop": (INSIDE, "for x in xs:\n        s += x\n        return s", "for x in xs:\n        for y in x:\n            s += y\n        return s"),
    "a value given anew": (ANEW, "for x in xs:\n        s = 2 * x\n    return s", "for x in xs:\n        t = x + 1\n        s = t * t\n    return s"),
    "a place given anew": (ANEW, "o = [0]\n    for x in xs:\n        o[0] = x\n    return o", "o = {}\n    for k in range(3):\n        for x in xs:\n            o[k] = x * k\n    return o"),
    "a place behind its loop": (BEHIND, "o = xs[:]\n    for k in range(3):\n        s += xs[k]\n    o[k] = s\n    return o", "o = xs[:]\n    for k, x in enumerate(xs):\n        s += x\n    o[k] = s\n    return o"),
    "a name that nothing uses": ("nothing uses it", "t = [2 * x for x in xs]\n    return xs", "s = 3\n    t = s\n    return xs"),
    "an argument that nothing uses": ("never uses `xs`", "return s", "s += 1\n    return s"),
}  # fmt: skip
FINE = {
    "the first that fits": "for x in xs:\n        if x > 2:\n            return x\n    return s",
    "what is skipped": "for x in xs:\n        if x < 2:\n            continue\n        return x\n    return s",
    "the last that fits": "for x in xs:\n        if x > 2:\n            s = x\n    return s",
    "a search that ends": "for x in xs:\n        s = x\n        if x > 2:\n            break\n    return s",
    "what the next round reads": "for x in xs:\n        s, t = s + x, s\n    return s",
    "a running largest": "for x in xs:\n        t = max(s, x)\n        s = t\n    return s",
    "a place of each round": "o = xs[:]\n    for k in range(3):\n        o[k] = xs[k] + 1\n    return o, s",
    "names of a shape": "n, d = 3, 4\n    return xs[s:n]",
    "no more than a round": "for x in xs:\n        t = 2 * x\n        s += t\n    return s",
}


def says(body):
    return slips.slip(function("f", f"def f(xs):\n    s = 0\n    {body}\n"))


@pytest.mark.parametrize("name", SAID)
def test_a_slip_is_said_of_each_text_that_makes_it(name):
    words, *bodies = SAID[name]
    assert all(words in says(body) for body in bodies), [says(body) for body in bodies]


@pytest.mark.parametrize("name", FINE)
def test_what_only_looks_like_a_slip_is_none(name):
    assert says(FINE[name]) == ""


def test_no_right_answer_makes_one_but_to_name_what_it_does_not_use():
    right = [each for each in submissions.read() + submissions.read_together("odd_parts.txt") if each.right]
    found = {each.text: slips.slip(each.answer) for each in right}
    assert [told for told in found.values() if told and "uses" not in told] == []
    assert sum("uses" in told for told in found.values()) <= 0.03 * len(right)


def test_two_mistakes_are_told_only_where_both_are_made_and_each_is_named_alone():
    text = "def self_attention(X, W_query, W_key, W_value):\n    Q, K, V = X @ W_query, X @ W_key, X @ W_value\n    return attention.softmax({scores}{axis}) @ V\n"
    said = {}
    for scores in ("Q @ K.T / math.sqrt(Q.shape[1])", "Q @ K.T / Q.shape[1]"):
        for axis in ("", ", axis=0"):
            answer = function("self_attention", text.format(scores=scores, axis=axis))
            said["sqrt" not in scores, bool(axis)] = EXERCISES["self_attention"](answer)
    assert said[False, False].status == "right"
    alone = said[True, False].message, said[False, True].message
    assert not any("Two mistakes" in each for each in alone)
    assert said[True, True].message == f"Two mistakes at once. {alone[1]} And then: {alone[0]}"
