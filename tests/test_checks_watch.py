"""Answers that never end, fill the memory, call for help or leave early: each is told so, in time."""

import builtins
import cProfile
import functools
import io
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from IPython.core.autocall import ExitAutocall
from IPython.core.error import StdinNotImplementedError

from helpers import attention
from helpers.checks import EXERCISES, check, watch
from tests import hands

SOFTMAX = """    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""


def made(name, text):
    return hands.function(hands.Hand(name, "watched", ".", text))


def written(name, lines, arguments="scores"):
    return made(name, f"def {name}({arguments}):\n{lines}\n")


def judged(name, lines, arguments="scores"):
    return EXERCISES[name](written(name, lines, arguments))


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


def test_answer_that_waits_is_stopped_by_the_clock_and_says_before_how_to_stop_it(monkeypatch, capsys):
    monkeypatch.setattr(watch, "BY_THE_CLOCK", 0.4)  # times 1.5 seconds
    monkeypatch.setattr(watch, "LONG", 0.1)
    check("softmax", written("softmax", "    import time\n    while True:\n        time.sleep(0.01)"))
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2 and "■ stops it, and where it does not, Kernel > Restart Kernel" in said[0]
    assert "still at work or waiting after 0.6 seconds by the clock" in said[1]


def pinned(core):
    os.sched_setaffinity(0, {core})


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs processes that can be kept on one core")
def test_words_are_the_same_on_a_core_shared_with_busy_processes(monkeypatch):
    monkeypatch.setattr(watch, "SECONDS", 0.1)
    monkeypatch.setattr(watch, "PATIENCE", 0.02)
    answers = [
        written("softmax", "    while True: pass"),
        written("softmax", "    powers = np.exp(scores)\n    return powers / len(powers)"),
        written("softmax", SOFTMAX),
    ]
    cores = os.sched_getaffinity(0)
    quiet = [EXERCISES["softmax"](answer) for answer in answers]
    keep = functools.partial(pinned, min(cores))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=keep) for _ in range(6)]
    try:
        keep()
        assert [EXERCISES["softmax"](answer) for answer in answers] == quiet
    finally:
        os.sched_setaffinity(0, cores)
        for process in busy:
            process.kill()
            process.wait()
    assert "still running after 0.1 seconds" in quiet[0].message and quiet[2].status == "right"


HARM = {
    "np.exp = np.tanh": "`np.exp = np.tanh` must go",
    "setattr(attention, 'softmax', len)": "attention.softmax was replaced for all cells, and put back",
    "import builtins; builtins.len = id": "len was replaced",
    "import builtins; del builtins.isinstance": "isinstance was replaced",
    "import os; os.fork()": "os.fork would make a second kernel",
    "import os; os._exit(0)": "SystemExit. Leave out exit()",
    "exit()": "SystemExit. Leave out exit()",
    "input()": "Leave out input()",
}


@pytest.mark.parametrize("line", HARM)
def test_harm_to_all_cells_is_undone_and_told(line, monkeypatch):
    def never(*_):
        raise AssertionError("the kernel ends")

    def unasked(prompt=""):
        raise StdinNotImplementedError("this frontend does not support input requests")

    shell = SimpleNamespace(ask_exit=never)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr("builtins.input", unasked)
    before = [(vars(module), dict(vars(module))) for module in (np, builtins, attention)]
    function = written("softmax", f"    {line}\n{SOFTMAX}")
    function.__globals__["exit"] = ExitAutocall(shell)
    told = EXERCISES["softmax"](function)
    assert told.status == "wrong" and HARM[line] in told.message
    assert all(now[name] is was for now, then in before for name, was in then.items()) and shell.ask_exit is never


def test_array_that_never_comes_is_stopped():
    text = "class Numbers:\n    def __array__(self, *_, **__):\n        while True: pass\ndef softmax(scores):\n    return Numbers()"
    assert "still running after" in EXERCISES["softmax"](made("softmax", text)).message


def test_import_within_an_answer_costs_none_of_its_lines():
    for name in [name for name in sys.modules if name.partition(".")[0] == "statistics"]:
        del sys.modules[name]
    lines = "    import statistics\n" + SOFTMAX
    run = watch.Watch(lines=20)
    function = written("softmax", lines)
    run.run(function, (np.array([1.0, 2.0]),))
    assert run.left > 10


def test_what_an_answer_writes_to_stderr_is_cut_too(monkeypatch):
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    judged("softmax", "    import sys\n    for i in range(10**4):\n        sys.stderr.write('err\\n')\n" + SOFTMAX)
    assert len(heard.getvalue()) == 0


def test_output_without_ends_of_lines_is_counted_in_letters(capsys):
    lines = "    for i in range(900):\n        print(i, end=' ')\n" + SOFTMAX
    function = written("softmax", lines)
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
    assert "that is what you are to write yourself" in judged(name.strip(), f"    return {call}", arguments).message


DETOURS = {
    "causal_mask": ("num_tokens", "variants.window_mask(num_tokens, window=num_tokens)"),
    "numerical_gradient": ("loss_of, parameters", "training.loss_and_gradient(loss_of, parameters)[1]"),
}


@pytest.mark.parametrize("name", DETOURS)
def test_helper_that_does_the_whole_task_is_no_answer_either(name):
    arguments, call = DETOURS[name]
    lines = f"    from helpers import attention, variants; from helpers.learning import training\n    return {call}"
    assert "that is what you are to write yourself" in judged(name, lines, arguments).message


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
    assert told.message == "Not finished yet: there is still a raise NotImplementedError."


# --- answers that are right on ordinary numbers alone -----------------------------------------------------------------

NARROW = {
    "softmax": [
        ("scores", "axis = {1: 0, 2: 1, 3: 2}[scores.ndim]", "p = np.exp(scores - scores.max(axis=axis, keepdims=True))", "return p / p.sum(axis=axis, keepdims=True)"),
    ],
    "layer_norm": [
        ("x", "axis = min(2, x.ndim - 1)", "x = x - x.mean(axis=axis, keepdims=True)", "return x / np.sqrt((x**2).mean(axis=axis, keepdims=True) + 1e-5)"),
    ],
    "masked_softmax": [
        ("scores, mask", "if not mask.any(axis=-1).all():", "    raise ValueError", f"return attention.softmax({fill})")
        for fill in ("scores - 1e30 * ~mask", "np.where(mask, scores, -2000)")
    ],
    "is_order_blind": [
        ("layer, tokens, order", "a, b = layer(tokens[order]), layer(tokens)[order]", f"return np.allclose({seen})")
        for seen in ("a[:, 1:], b[:, 1:]", "a[:-1], b[:-1]", "a[::2], b[::2]", "a.sum(1), b.sum(1)", "a, b, atol=0.02")
    ],
    "looks_ahead": [
        ("model, tokens", "before, far = model(tokens), 0", "for k in range(len(tokens)):", "    changed = tokens.copy()", f"    changed[k] = {new}", f"    moved = np.abs(model(changed) - before).max(axis=1) > {room}", "    far = max([far, *(k - i for i in np.flatnonzero(moved[:k]))])", "return far")
        for new, room in [("tokens[k - 1]", 1e-6), ("tokens[(k + 1) % len(tokens)]", 1e-6), ("tokens[k] - 1", 1e-6), ("(tokens[k] + 1) % 4", 0.1)]
    ],
    "softmax_with_sink": [
        ("scores, sink", "top = np.maximum(scores.max(axis=-1, keepdims=True), 0)", "p = np.exp(scores - top)", "return p / (p.sum(axis=-1, keepdims=True) + np.exp(sink - top))"),
    ],
    "distrusted_rows": [
        ("weights, decimals", "off = np.abs(weights.sum(axis=-1) - 1)", "room = weights.shape[-1] * 0.5 * 10.0**-decimals + 1e-9", f"return (off > room) | {negative}")
        for negative in ("(weights[:, -1] < 0)", "(weights < -1e-4).any(axis=-1)")
    ],
    "training_loop": [
        ("parameters, gradient_of, num_steps, learning_rate, max_norm", "for step in range(num_steps):", "    g = gradient_of(parameters, step)", "    length = np.linalg.norm(g)", "    parameters = parameters - learning_rate(step) * g * min(length, max_norm) / length", "return parameters"),
    ],
    "is_right": [("attend", 'return "right" in attend.__name__')],
    "remember": [
        ("X, W_key, W_value", *lines)
        for lines in (
            ("kept = X.copy(), W_key.copy(), W_value.copy()", "def ask(query):", "    X, A, B = kept", "    return attention.softmax(X @ A @ query / np.sqrt(len(query))) @ (X @ B)", "return ask"),
            ("A, B, X = W_key.T.copy(), W_value.T.copy(), X.copy()", "def ask(query):", "    return attention.softmax(X @ A.T @ query / np.sqrt(len(query))) @ (X @ B.T)", "return lambda query: ask(query)"),
        )
    ],
    "linear_attention": [
        ("query, key, value, decay", "n = len(query)", "i, j = np.indices((n, n))", "s = np.where(j <= i, float(decay) ** np.abs(i - j), 0) * (query[None] @ key.T[None])", "return (s @ value)[0]"),
    ],
    "sinusoidal_positional_encoding": [
        ("num_positions, d_model", "from helpers import transformer", "return transformer.embed(np.zeros(num_positions, int), np.zeros((1, d_model)))"),
    ],
}  # fmt: skip


UNUSUAL = {
    "same_word_score": [
        ("weights, words", "words = np.array(words)", "same = (words[:, None] == words) & ~np.eye(len(words), dtype=bool)", "rows = same.any(axis=1)", *lines)
        for lines in (
            ("target = same / np.maximum(same.sum(1, keepdims=True), 1)", "return -np.abs(weights - target)[rows].sum()"),
            ("return np.log(weights[same]).mean()",),
        )
    ],
    "linear_attention": [
        ("query, key, value, decay", "d = key.shape[1]", "state, rows = np.zeros((d, value.shape[1])), []", "for q, kv in zip(query, np.hstack([key, value])):", "    state = decay * state + np.outer(kv[:d], kv[d:])", "    rows.append(q @ state)", "return np.array(rows)"),
    ],
}  # fmt: skip


ASKED = [
    (name, status, answer)
    for status, table in (("wrong", NARROW), ("right", UNUSUAL))
    for name, answers in table.items()
    for answer in answers
]


@pytest.mark.parametrize(("name", "status", "answer"), ASKED)
def test_special_cases_are_asked_and_unusual_ways_are_not_refused(name, status, answer):
    arguments, *lines = answer
    told = judged(name, "\n".join(f"    {line}" for line in lines), arguments)
    assert told.status == status, told.message


def test_an_axis_too_many_is_not_told_to_be_written_back():
    lines = "    if scores.ndim == 1:\n        scores = scores[None]\n    e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)"
    assert "writes into it" not in judged("softmax", lines).message


def test_kernel_is_left_as_it_was():
    before = sys.getrecursionlimit(), np.get_printoptions(), np.random.default_rng(0).random()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    lines = (
        "    import sys\n    sys.setrecursionlimit(5000)\n    np.random.seed(3)\n    np.set_printoptions(precision=1)\n"
    )
    assert judged("softmax", lines + SOFTMAX).status == "right"
    assert before == (sys.getrecursionlimit(), np.get_printoptions(), np.random.default_rng(0).random())
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_begun_objects_are_not_called_blank():
    for text in (
        "import functools\n@functools.cache\ndef causal_mask(num_tokens):\n    mask = np.tri(num_tokens, dtype=bool)\n",
        "class Mask:\n    def __call__(self, num_tokens):\n        self.mask = np.tri(num_tokens)\ncausal_mask = Mask()\n",
        "def causal_mask(num_tokens):\n    mask = []\n",
    ):
        assert EXERCISES["causal_mask"](made("causal_mask", text)).status == "wrong"


def test_answer_that_waits_in_every_edit_is_answered_in_time(monkeypatch):
    start = time.perf_counter()
    lines = "    import time\n    time.sleep(0.05)\n    return np.exp(scores) / np.exp(scores).sum()"
    assert judged("softmax", lines).status == "wrong"
    assert time.perf_counter() - start < 8


def test_profiler_goes_on():
    profile = cProfile.Profile()
    function = written("softmax", SOFTMAX)
    profile.enable()
    try:
        assert EXERCISES["softmax"](function).status == "right"
    finally:
        profile.disable()


def test_too_many_numbers_where_an_error_is_wanted_are_told_so():
    lines = "    if not mask.any(axis=-1).all():\n        return np.zeros(200_000)\n    return attention.softmax(np.where(mask, scores, -np.inf))"
    told = judged("masked_softmax", lines, "scores, mask").message
    assert "must raise ValueError(...), got numbers of shape (200000,)." in told


def test_matrices_kept_by_an_object_are_found():
    text = """class Memory:
    def __init__(self, *kept):
        self.kept = kept
    def ask(self, query):
        X, A, B = self.kept
        return attention.softmax(X @ A @ query / np.sqrt(len(query))) @ (X @ B)
def remember(X, W_key, W_value):
    return Memory(X.copy(), W_key.copy(), W_value.copy()).ask
"""
    assert "holds a copy of a matrix" in EXERCISES["remember"](made("remember", text)).message


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_only_what_runs_under_a_watch_counts_and_adds_up():
    under = watch.Watch(lines=10**9, seconds=0.3)
    under.run(busy, (0.1,))
    busy(0.4)  # as Python's search for garbage may take between two calls
    under.run(busy, (0.1,))
    with pytest.raises(watch.StillRunning):
        under.run(busy, (0.2,))
