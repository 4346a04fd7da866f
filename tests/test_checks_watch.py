"""Answers that never end, fill the memory, call for help or leave early: each is told so, in time."""

import io
import sys
import time

import numpy as np
import pytest

from helpers.checks import EXERCISES, watch
from tests import hands

SOFTMAX = """    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""


def judged(name, lines, arguments="scores"):
    text = f"def {name}({arguments}):\n{lines}\n"
    return EXERCISES[name](hands.function(hands.Hand(name, "watched", ".", text)))


def in_time(name, lines, arguments="scores"):
    start = time.process_time()
    feedback = judged(name, lines, arguments)
    assert time.process_time() - start < 2.5
    assert feedback.status == "wrong"
    return feedback.message


def test_edits_of_an_answer_that_calls_itself_within_try_come_to_an_end():
    """Without its return it would call itself three times at each of a thousand levels."""
    lines = (
        "    for i in range(3):\n        try:\n            return softmax(scores)\n        except {}:\n            pass"
    )
    assert "returns nothing" in in_time("softmax", lines.format("Exception"))
    assert "returns nothing" in in_time("softmax", lines.format("BaseException"))


def test_edits_end_where_numpy_never_stops_asking():
    """np.r_ alone is taken for a list without an end, item after item."""
    lines = """    K = np.r_[keys, [x @ W_key]]
    V = np.r_[values, [x @ W_value]]
    s = np.einsum("d,td->t", x @ W_query, K) / np.sqrt(len(x))
    e = np.exp(s - s.max())
    return np.einsum("t,td->d", e / e.max(), V)"""
    in_time("write_one_token", lines, "x, keys, values, W_query, W_key, W_value")
    assert "still running after 1.5 seconds" in in_time("softmax", "    return np.asarray(np.r_)")


@pytest.mark.parametrize("lines", ["[0.0] * 10**6", "[0.0] * 10**7", "np.ones(2 * 10**7)", "[scores] * 10**6"])
def test_huge_result_is_refused_by_its_size_before_anything_else(lines):
    told = in_time("softmax", f"    return {lines}")
    assert told.startswith("softmax([0., 0., 1., 0.]) must have shape (4,), got (")


def test_huge_list_of_lists_is_no_endless_loop():
    assert "must have shape (3, 3), got (2000, 2000)" in in_time(
        "causal_mask", "    return [[True] * 2000] * 2000", "num_tokens"
    )
    doubled = "    rows = [0.0]\n    for _ in range(60):\n        rows = [rows, rows]\n    return rows"
    assert "must have shape (4,), got (2, 2, " in in_time("softmax", doubled)


SWALLOWS = """    while True:
        try:
            np.exp(scores)
        except {}:
            pass
"""


@pytest.mark.parametrize(
    "lines",
    [
        SWALLOWS.format("BaseException"),
        "    try:\n        return softmax(scores)\n    except RecursionError:\n        return softmax(scores)",
        "    return [0 for _ in iter(int, 1)]",
    ],
)
def test_what_was_stopped_is_told_how_long_it_ran(lines):
    assert " was stopped: it was still running after " in in_time("softmax", lines)
    assert "after ." not in judged("softmax", lines).message


def test_answer_that_waits_is_stopped(monkeypatch):
    monkeypatch.setattr(watch, "WAITING", 0.3)
    told = in_time("softmax", "    import time\n    while True:\n        time.sleep(0.01)")
    assert "still waiting after 0.3 seconds" in told


def test_import_within_an_answer_costs_none_of_its_lines():
    for name in [name for name in sys.modules if name.partition(".")[0] == "statistics"]:
        del sys.modules[name]
    lines = "    import statistics\n" + SOFTMAX
    run = watch.Watch(lines=20)
    function = hands.function(hands.Hand("softmax", "watched", ".", f"def softmax(scores):\n{lines}"))
    run.run(function, (np.array([1.0, 2.0]),))
    assert run.left > 10


def test_what_an_answer_writes_to_stderr_is_cut_too(monkeypatch):
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    judged("softmax", "    import sys\n    for i in range(10**4):\n        sys.stderr.write('err\\n')\n" + SOFTMAX)
    assert len(heard.getvalue()) == 0


def test_output_without_ends_of_lines_is_counted_in_letters(capsys):
    lines = "    for i in range(900):\n        print(i, end=' ')\n" + SOFTMAX
    function = hands.function(hands.Hand("softmax", "watched", ".", f"def softmax(scores):\n{lines}"))
    EXERCISES["softmax"](function, sys.stdout)
    said = capsys.readouterr().out
    assert "0 lines" not in said and "letters, of which the beginning is shown" in said


REMADE = {
    "softmax": ("scores", "np.apply_along_axis(attention.softmax, -1, scores)"),
    "softmax ": ("scores", "np.vectorize(attention.softmax, signature='(n)->(n)')(scores)"),
    "layer_norm": ("x", "np.apply_along_axis(layers.layer_norm, -1, x)"),
    "merge_heads": ("x", "np.vectorize(attention.merge_heads, signature='(h,n,d)->(n,e)')(x)"),
}


@pytest.mark.parametrize("name", REMADE)
def test_helper_that_numpy_calls_for_the_answer_is_called_by_it(name):
    arguments, call = REMADE[name]
    assert (
        "made them, which is what you are to write yourself"
        in judged(name.strip(), f"    return {call}", arguments).message
    )


DETOURS = {
    "causal_mask": ("num_tokens", "variants.window_mask(num_tokens, window=num_tokens)"),
    "numerical_gradient": ("loss_of, parameters", "training.loss_and_gradient(loss_of, parameters)[1]"),
}


@pytest.mark.parametrize("name", DETOURS)
def test_helper_that_does_the_whole_task_is_no_answer_either(name):
    arguments, call = DETOURS[name]
    lines = f"    from helpers import attention, training, variants\n    return {call}"
    assert "made them, which is what you are to write yourself" in judged(name, lines, arguments).message


def test_query_that_is_overwritten_is_seen():
    lines = """    K, V = X @ W_key, X @ W_value
    def ask(query):
        {}
        powers = np.exp(K @ query{})
        {}
        return powers / powers.sum() @ V
    return ask"""
    root, arguments = " / np.sqrt(K.shape[1])", "X, W_key, W_value"
    assert judged("remember", lines.format("pass", root, "pass"), arguments).status == "right"
    own = "query /= np.sqrt(K.shape[1])", "", "pass"
    assert "overwrites the query" in judged("remember", lines.format(*own), arguments).message
    for other in ("query *= 0", "X[:] = 0", "W_key[0] = 1"):
        assert judged("remember", lines.format("pass", root, other), arguments).status == "wrong"


BEGUN = {
    "self_attention": ("X, W_query, W_key, W_value", ["X @ W_query", "X = X @ W_query"]),
    "soft_select": ("query, keys, values, temperature", ["keys @ query / temperature"]),
    "count_operations": ("num_tokens, d_model", ["num_tokens * d_model"]),
    "looks_ahead": ("model, tokens", ["model(tokens)"]),
    "cross_attention": ("Y, X, W_query, W_key, W_value", ["Y @ W_query @ (X @ W_key)"]),
}


@pytest.mark.parametrize("name", BEGUN)
def test_code_that_was_begun_is_not_called_blank(name):
    arguments, bodies = BEGUN[name]
    for body in bodies:
        assert judged(name, f"    {body}", arguments).status == "wrong", body
    assert judged(name, "    ...", arguments).status == "blank"
    assert judged(name, '    """What it does."""\n    raise NotImplementedError', arguments).status == "blank"
    assert judged(name, "    return None", arguments).status == "blank"


def test_none_among_the_numbers_is_no_blank():
    told = judged("mix_similar", "    rows = []\n    return [rows.append(x) for x in X]", "X")
    assert told.status == "wrong" and "None" in told.message and "..." not in told.message


def test_lines_that_end_in_not_implemented_are_told_so():
    told = judged("softmax", "    e = np.exp(scores)\n    raise NotImplementedError")
    assert told.message == "Not finished yet: it still ends in raise NotImplementedError."
