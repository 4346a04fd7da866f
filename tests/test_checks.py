"""What the checker tells a learner: right answers in many hands, wrong ones with the mistake they must be told."""

import contextlib
import functools
import gc
import importlib
import io
import itertools
import math
import re
import signal
import sys
import threading
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from helpers import attention, checks, costs, layers, patches, positions
from helpers.attention import causal_mask, scaled_dot_product_attention
from helpers.checks import EXERCISES, Feedback, check, mend, reading, source, watch
from helpers.learning import training
from tests import hands
from tests.answers import blind_by_loops, global_hard_choice

HERE = Path(__file__).parent
TOPICS = [  # tests/answers.py, and what a topic brings along, tried below with these
    importlib.import_module(f"tests.{path.stem}")
    for path in sorted([*HERE.glob("answers*.py"), *HERE.glob("test_checks_*.py")])
]
RIGHT = {}
for topic in TOPICS:
    for name, answers in getattr(topic, "RIGHT", {}).items():
        RIGHT.setdefault(name, {}).update(answers)
WRONG = {name: answers for topic in TOPICS for name, answers in getattr(topic, "WRONG", {}).items()}
BY_HAND = {name for topic in TOPICS for name in getattr(topic, "BY_HAND", ())}  # numbers; all others are functions


def cases(table):
    return [pytest.param(name, key, id=f"{name}: {key}") for name, answers in table.items() for key in answers]


def assert_plain(feedback):
    """One short line of plain words, and no memory address in it."""
    assert isinstance(feedback, Feedback)
    assert feedback.status in {"blank", "right", "wrong"}
    assert feedback.message == feedback.message.strip() != ""
    assert len(feedback.message.splitlines()) == 1
    assert len(feedback.message) < 260
    assert not re.search(r"0x[0-9a-fA-F]{4}", feedback.message)
    assert "could not be checked" not in feedback.message


def printed(name, answer):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert check(name, answer) is None
    return out.getvalue()


def copies(arguments):
    return [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]


def test_exercises_each_have_right_and_wrong_answers_here():
    lacking = [
        f"{name} needs {least} answers in {table}, has {len(answers.get(name, {}))}"
        for table, answers, least in (("RIGHT", RIGHT, 5), ("WRONG", WRONG, 8))
        for name in EXERCISES
        if len(answers.get(name, {})) < least
    ]
    assert not lacking, "In tests/test_checks_<topic>.py:\n" + "\n".join(lacking)
    assert set(RIGHT) | set(WRONG) == set(EXERCISES)


def test_exercises_each_are_called_often_enough():
    exercises = [checks._exercise(name) for name in EXERCISES]
    assert {each.name: len(each.cases) for each in exercises if len(each.cases) < 3 and not each.by_hand} == {}


@pytest.mark.parametrize(("name", "key"), cases(RIGHT))
def test_check_accepts_a_right_answer(name, key):
    feedback = EXERCISES[name](RIGHT[name][key])
    assert_plain(feedback)
    assert feedback.status == "right", feedback.message


@functools.cache
def judged(name, key):
    """The feedback on a wrong answer."""
    return EXERCISES[name](WRONG[name][key][0])


@pytest.mark.parametrize(("name", "key"), cases(WRONG))
def test_check_names_the_mistake_of_a_wrong_answer(name, key):
    feedback = judged(name, key)
    assert_plain(feedback)
    assert feedback.status == "wrong"
    mended = feedback.message.endswith(reading.MENDED.strip())
    assert mended or re.search(WRONG[name][key][1], feedback.message), feedback.message


@pytest.mark.parametrize("name", RIGHT)
def test_check_tells_right_wrong_and_blank_apart_by_a_sign(name):
    right, (wrong, _) = next(iter(RIGHT[name].values())), next(iter(WRONG[name].values()))
    assert printed(name, right).startswith("✓ ")
    assert printed(name, wrong).startswith("✗ ")
    assert printed(name, ...).startswith("○ Not attempted yet")


def blank_function(*arguments): ...


def blank_function_that_returns_it(*arguments):
    return ...


def blank_step(*arguments):
    scores = ...
    return scores / 2


def not_implemented(*arguments):
    raise NotImplementedError


BLANK_FUNCTIONS = [blank_function, blank_function_that_returns_it, blank_step, not_implemented]
BLANK_FUNCTIONS += [lambda *arguments: [..., ...], lambda *arguments: (None, [1, None])]
BLANK_NUMBERS = [..., None, [[..., ...], [..., ...]], [[1.0, ..., 0.6, 0.8], [0.7, 0.8, 0.4, 0.8]], (None, None)]


@pytest.mark.parametrize("name", EXERCISES)
def test_check_takes_what_is_not_filled_in_for_blank(name):
    for answer in [..., None, *(BLANK_NUMBERS if name in BY_HAND else BLANK_FUNCTIONS)]:
        feedback = EXERCISES[name](answer)
        assert_plain(feedback)
        assert feedback.status == "blank", feedback.message


def three_lines_of_four(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(query.shape[-1])  # noqa: F841
    weights = ...
    return weights @ value


def nothing_returned(X, W_query, W_key, W_value):
    scores = X @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[-1])
    attention.softmax(scores) @ (X @ W_value)


def only_words(X, W_query, W_key, W_value):
    """Self-attention."""


def test_code_that_was_begun_is_not_called_unattempted():
    judge = EXERCISES["self_attention"]
    assert judge(only_words).message.startswith("Not attempted yet")
    assert judge(three_lines_of_four).message.startswith("Not finished yet")
    assert judge(nothing_returned).status == "wrong"
    assert "return" in judge(nothing_returned).message


def test_check_tells_begun_from_not_attempted():
    for name in BY_HAND:
        assert EXERCISES[name]([[..., ...], [..., ...]]).message.startswith("Not attempted yet")
        assert EXERCISES[name]([[1.0, 0.8, 0.6, 0.8], [..., ..., ..., ...]]).message.startswith(
            "Not finished yet: there is still a ..."
        )


@pytest.mark.parametrize("name", ["self_attention", "cross_attention"])
def test_check_knows_the_answer_of_the_helper_that_was_not_opened(name):
    def whole(*arguments):
        tokens, context = arguments[0], arguments[-4]
        W_query, W_key, W_value = arguments[-3:]
        return scaled_dot_product_attention(tokens @ W_query, context @ W_key, context @ W_value)

    feedback = EXERCISES[name](whole)
    assert (
        feedback.status == "wrong"
        and "output, weights and scores in one; the answer is its .output" in feedback.message
    )


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Prickly:
    """Raises whatever is asked of it."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array")

    def __repr__(self):
        raise RuntimeError("no words")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    def __len__(self):
        raise RuntimeError("no length")

    def __getattr__(self, name):
        raise RuntimeError("no attribute")

    __hash__ = None


def raising(error):
    def answer(*arguments):
        raise error

    return answer


def endless(*arguments):
    return endless(*arguments)


def closes_the_output(*arguments):
    import sys

    sys.stdout.close()
    return 1


def divides_by_zero(*arguments):
    return 1 / 0


LONG = type("A" * 400, (), {})
SELF = []
SELF.append(SELF)
ODD_ANSWERS = {
    "crash": divides_by_zero,
    "SystemExit": raising(SystemExit(3)),
    "GeneratorExit": raising(GeneratorExit()),
    "RecursionError": endless,
    "MemoryError": lambda *arguments: np.zeros(2**62),
    "error without words": raising(Unspeakable()),
    "error of many lines": raising(ValueError("first\nsecond\r\nthird\u2028fourth " + "x" * 999)),
    "error with an address": raising(ValueError(f"bad {object()!r}")),
    "no parameters": lambda: 1,
    "too many parameters": lambda a, b, c, d, e, f, g: a,
    "keyword only": lambda *, scores: scores,
    "default with an address": lambda a=blank_function, *, b: a,
    "string": lambda *arguments: "0.5",
    "bytes": lambda *arguments: b"12",
    "dict": lambda *arguments: {"a": 1},
    "set": lambda *arguments: {1, 2},
    "generator": lambda *arguments: (x for x in arguments),
    "itself": lambda *arguments: divides_by_zero,
    "ragged": lambda *arguments: [[1, 2], [3]],
    "lists within themselves": lambda *arguments: SELF,
    "object array": lambda *arguments: np.array([object(), 1]),
    "array with None": lambda *arguments: np.array([None, 1.0]),
    "dates": lambda *arguments: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "empty": lambda *arguments: [],
    "NaN": lambda *arguments: np.nan * np.ones((3, 4)),
    "infinity": lambda *arguments: math.inf,
    "prickly object": lambda *arguments: Prickly(),
    "prickly list": lambda *arguments: [Prickly()],
    "long name": lambda *arguments: LONG(),
    "closes the output": closes_the_output,
    "a class": LONG,
    "a number": 3,
    "an array": np.ones((2, 3)),
    "words": "softmax",
    "a module": checks,
    "a prickly object": Prickly(),
    "a list in itself": SELF,
    "scores themselves": lambda *arguments: arguments[0],
}


@pytest.fixture
def hurried(monkeypatch):
    """Hardly any time to look for edits: what is tried here no edit could mend."""
    monkeypatch.setattr(mend, "RUNS", 3)


@functools.cache
def printed_of_odd(name, key):
    return printed(name, ODD_ANSWERS[key])


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize("key", ODD_ANSWERS)
def test_check_never_raises_and_prints_one_line(name, key):
    line = printed_of_odd(name, key)
    assert line.startswith("✗ ") and line.count("\n") == 1 and line.endswith("\n")
    assert len(line.splitlines()) == 1 and len(line) < 2 * reading.LONGEST + 5
    assert not re.search(r"0x[0-9a-fA-F]{4}", line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Short. And\n so on", "Short. And so on"),
        (f"Line 3: {'a' * 220}.{reading.MENDED}", f"Line 3: {'a' * 220}."),
        (f"Two {'a ' * 100}. Three {'b ' * 30}. End.", f"Two {'a ' * 100}."),
        (f"One sentence {'a ' * 150}. Another.", f"One sentence {'a ' * 150}."),
        ("a" * 600, f"{'a' * 500} …"),
    ],
)
def test_long_message_loses_whole_sentences(text, line):
    assert reading.one_line(text) == line


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", sorted(set(RIGHT) - BY_HAND - {"remember"}))
@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("crash", r"stopped with ZeroDivisionError: division by zero\. |ZeroDivisionError: division by zero\.$"),
        ("SystemExit", r"SystemExit: 3.* Leave out exit"),
        ("RecursionError", r"RecursionError.*calls itself without end"),
        ("no parameters", r"is called with \d arguments?, but yours takes nothing"),
        ("too many parameters", r"but yours takes a, b, c, d, e, f"),
        ("dict", r"must be numbers in a rectangular array, got dict"),
        ("ragged", r"rectangular array, got list"),
        ("generator", r"generator"),
        ("itself", r"got function"),
        ("a number", r"must be a function, got int\. Hand over its name only"),
        ("an array", r"must be a function, got ndarray"),
    ],
)
def test_check_says_what_an_odd_answer_did(name, key, told):
    message = printed_of_odd(name, key).strip()
    assert re.search(told, message), message


def test_check_of_an_unknown_name_lists_the_exercises_in_one_line():
    for name in [None, 3, "", "Softmax", "soft max", ["softmax"], {}, Prickly(), math.nan, "\x1b\n"]:
        line = printed(name, lambda scores: scores)
        assert line.startswith("✗ There is no exercise of that name") and line.count("\n") == 1
        assert len(line) < 262 and "softmax" in line


@pytest.mark.parametrize("name", sorted(set(RIGHT) - BY_HAND))
def test_check_shows_what_the_answer_prints_before_its_verdict(name):
    def talkative(*arguments):
        print("looking at", len(arguments), "arguments")
        return next(iter(RIGHT[name].values()))(*arguments)

    lines = printed(name, talkative).splitlines()
    assert lines[0].startswith("looking at ") and lines[-1].startswith("✓")
    assert len(lines) <= 12


def test_check_cuts_a_flood_of_output():
    def floods(scores):
        for _ in range(5000):
            print("x" * 3000)
        return np.exp(scores) / np.exp(scores).sum()

    told = printed("softmax", floods)
    assert len(told) < 4000 and "your output goes on" in told
    assert told.splitlines()[-1].startswith("✗ ")


def test_check_ends_the_last_line_of_the_output():
    def without_end(scores):
        print("a", end="")
        return scores

    assert printed("softmax", without_end).splitlines()[0] == "a" * 14  # once for each case


@pytest.mark.parametrize("name", sorted(set(RIGHT) - BY_HAND - {"remember"}))
def test_check_refuses_an_answer_that_overwrites_its_input(name):
    right = next(iter(RIGHT[name].values()))

    def spoiling(*arguments):
        result = np.array(right(*copies(arguments)))
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                argument[...] = 0 if argument.dtype == bool else 7
        return result

    has_arrays = name not in {
        "causal_mask",
        "sinusoidal_positional_encoding",
        "count_operations",
        "is_right",
        "divisor",
    }
    feedback = EXERCISES[name](spoiling)
    assert feedback.status == ("wrong" if has_arrays else "right")
    assert "is overwritten" in feedback.message or not has_arrays
    assert EXERCISES[name](right).status == "right"  # the next call gets fresh arguments


def test_check_sees_an_input_changed_inside_a_dict():
    def spoiling(x, memory, parameters, num_heads):
        result = next(iter(RIGHT["decoder_layer"].values()))(x, memory, parameters, num_heads)
        parameters["feed_forward"]["W_in"] += 1
        return result

    assert "parameters is overwritten" in EXERCISES["decoder_layer"](spoiling).message


# --- what does not end, or is too large ------------------------------------------------------------------------------


def loops_for_ever(*arguments):
    while True:
        pass


def loops_in_spite_of_errors(*arguments):
    while True:
        try:
            undefined  # noqa: B018, F821
        except Exception:
            continue


def loops_in_one_line(*arguments):
    while True: pass  # fmt: skip  # noqa: E701


def loops_in_one_line_and_catches_all(*arguments):
    while True:
        try:
            while True: pass  # fmt: skip  # noqa: E701
        except:  # noqa: E722
            continue


def counts_for_ever(*arguments):
    return sum(k for k in itertools.count())


def prints_for_ever(*arguments):
    while True:
        print("round and round")


ENDLESS = [
    loops_for_ever,
    loops_in_spite_of_errors,
    loops_in_one_line,
    loops_in_one_line_and_catches_all,
    counts_for_ever,
]


@pytest.mark.parametrize("answer", [*ENDLESS, prints_for_ever])
def test_endless_loop_ends_with_a_sentence(answer):
    start = time.process_time()
    told = printed("softmax", answer)
    assert time.process_time() - start < 2.5
    assert "still running after" in told and "\n✗ " in "\n" + told


def test_slow_answer_is_stopped_though_it_has_few_lines():
    def slow(scores):
        for _ in range(100):
            end = time.process_time() + 0.2
            while time.process_time() < end:
                np.sort(np.random.default_rng(0).normal(size=300_000))
        return scores

    start = time.process_time()
    assert "still running" in EXERCISES["softmax"](slow).message
    assert time.process_time() - start < 2.5


def test_answer_that_is_stopped_later_is_told_so_and_no_mistake_that_one_case_suggests():
    def later(scores):
        while scores.ndim > 1:
            pass
        return scores  # [0, 0, 1, 0], which are shares of 1

    assert "still running" in EXERCISES["softmax"](later).message


@pytest.mark.parametrize("size", [10**7, 2 * 10**8])
def test_huge_result_is_refused_by_its_size(size):
    answers = [lambda scores: np.broadcast_to(1.0, size), lambda scores: np.empty(size), lambda scores: range(size)]
    for answer in answers:
        start = time.process_time()
        assert f"must have shape (4,), got ({size},)" in EXERCISES["softmax"](answer).message
        assert time.process_time() - start < 1


class NeedsRoom:
    """In a circle, so that only the garbage collector throws it away; says what then went wrong."""

    failed: ClassVar[list] = []

    def __init__(self):
        self.me = self

    def __del__(self):
        try:
            self.down(50)
        except RecursionError:
            self.failed.append("no room on the stack")

    def down(self, steps):
        return steps and self.down(steps - 1)


def calls_itself(scores):
    NeedsRoom()
    return calls_itself(scores)


def test_nothing_is_thrown_away_while_an_answer_calls_itself():
    before = gc.get_threshold()
    gc.set_threshold(20, 1, 1)
    try:
        assert "calls itself without end" in EXERCISES["softmax"](calls_itself).message
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert gc.isenabled() and NeedsRoom.failed == []


SIZES = []


def allocate(size):
    SIZES.append(size)
    raise MemoryError(f"Unable to allocate {size} numbers")


def fills_the_memory(scores):
    return allocate(74 * 10**9)


def test_answer_that_fills_the_memory_is_not_tried_with_edits():
    """One digit less may be just what the machine has: the edit would take it."""
    SIZES.clear()
    assert "stopped with MemoryError: Unable to allocate 74000000000" in EXERCISES["softmax"](fills_the_memory).message
    assert SIZES == [74 * 10**9]


def test_an_answer_that_stops_is_told_its_own_line(tmp_path):
    cell = tmp_path / "cell.py"
    cell.write_text(
        "import numpy as np\n\n\ndef of_rows(x):\n    return np.mean(x, axis=7)\n\n\ndef softmax(x):\n    return of_rows(x)\n"
    )
    space = {}
    exec(compile(cell.read_text(), str(cell), "exec"), space)
    message = EXERCISES["softmax"](space["softmax"]).message
    assert "stopped with AxisError" in message and message.endswith("That was in line 5.")
    assert "in line" not in EXERCISES["softmax"](functools.partial(np.mean, axis=7)).message


def test_interruption_gets_a_sentence_and_goes_on_to_stop_the_cells_that_wait():
    def interrupted(scores):
        raise KeyboardInterrupt

    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(KeyboardInterrupt):
        check("softmax", interrupted)
    assert out.getvalue().startswith("✗ softmax was interrupted while it ran") and out.getvalue().count("\n") == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends a signal")
def test_interruption_stops_an_answer_whose_lines_are_not_counted(monkeypatch):
    monkeypatch.setattr(watch, "SECONDS", 60)

    def answer(scores):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        loops_in_one_line()

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)  # what ■ sends comes as the same error
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), pytest.raises(KeyboardInterrupt):
            check("softmax", answer)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert out.getvalue().startswith("✗ softmax was interrupted while it ran")


def test_answer_is_stopped_in_the_thread_in_which_it_runs():
    said = []
    thread = threading.Thread(target=lambda: said.append(EXERCISES["softmax"](loops_in_one_line)))
    thread.start()
    while thread.is_alive():
        thread.join(0.05)  # nothing may be raised here
    assert "still running after" in said[0].message


def test_edit_that_makes_a_loop_endless_is_given_up(monkeypatch):
    monkeypatch.setattr(mend, "RUNS", 500)

    def answer(scores):
        n = 0
        while n < 3: n = n + 1  # fmt: skip  # noqa: E701
        return np.exp(scores) / n

    start = time.process_time()
    assert EXERCISES["softmax"](answer).status == "wrong"
    assert time.process_time() - start < 2


def test_check_leaves_a_debugger_in_its_place():
    seen = []

    def tracer(frame, event, argument):
        seen.append(frame.f_code.co_name)

    def answer(scores):
        return scores

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        EXERCISES["softmax"](answer)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert "answer" in seen
    EXERCISES["softmax"](answer)
    assert sys.gettrace() is before


# --- what an answer is to make itself --------------------------------------------------------------------------------

REMADE = {
    "encoder_layer": lambda x, parameters, num_heads, norm: layers.encoder_layer(
        x, parameters, num_heads=num_heads, norm=norm
    ),
    "softmax": lambda scores: attention.softmax(scores),
    "sinusoidal_positional_encoding": lambda n, d: positions.sinusoidal_positional_encoding(n, d),
    "split_heads": lambda x, num_heads: attention.split_heads(x, num_heads),
    "merge_heads": lambda x: attention.merge_heads(x),
    "causal_mask": lambda n: attention.causal_mask(n),
    "self_attention": lambda X, A, B, C: (
        attention.multi_head_attention(X, A, B, C, np.eye(C.shape[1]), num_heads=1).output
    ),
    "cross_attention": lambda Y, X, A, B, C: (
        attention.multi_head_attention(Y, A, B, C, np.eye(C.shape[1]), num_heads=1, context=X).output
    ),
    "layer_norm": lambda x: layers.layer_norm(x),
    "decoder_layer": lambda x, memory, parameters, num_heads: layers.decoder_layer(
        x, memory, parameters, num_heads=num_heads, mask=causal_mask(len(x))
    ),
    "count_operations": lambda n, d: np.array(list(costs.count_attention(n, d).values())).sum(axis=0),
    "patchify": lambda image, size: patches.patchify(image, size),
    "numerical_gradient": lambda loss_of, x: training.numerical_gradient(loss_of, x),
}


@pytest.mark.parametrize("name", REMADE)
def test_answer_that_calls_what_it_is_to_make_is_told_so(name):
    feedback = EXERCISES[name](REMADE[name])
    assert feedback.status == "wrong"
    assert "that is what you are to write yourself" in feedback.message


def test_the_helper_itself_is_no_answer():
    assert "your answer calls attention.softmax" in EXERCISES["softmax"](attention.softmax).message


def test_helpers_that_call_one_another_are_no_calls_of_the_answer():
    def answer(X, W_query, W_key, W_value):  # multi_head_attention is not asked for here, and calls softmax itself
        scores = X @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[1])
        return attention.softmax(scores) @ (X @ W_value)

    assert EXERCISES["self_attention"](answer).status == "right"


# --- grading ---------------------------------------------------------------------------------------------------------


def test_require_raises_what_check_prints():
    right, (wrong, told) = RIGHT["softmax"]["vectorised"], WRONG["softmax"]["no maximum subtracted"]
    assert checks.require("softmax", right) is None
    with pytest.raises(AssertionError, match=told):
        checks.require("softmax", wrong)
    with pytest.raises(AssertionError, match="Not attempted"):
        checks.require("softmax", ...)


@pytest.mark.parametrize("name", EXERCISES)
def test_what_was_collected_travels_and_is_judged_elsewhere(name, tmp_path):
    right, (wrong, _) = next(iter(RIGHT[name].values())), next(iter(WRONG[name].values()))
    for answer in (right, wrong, ...):
        np.savez(tmp_path / "record.npz", **checks.collect(name, answer))
        with np.load(tmp_path / "record.npz", allow_pickle=False) as file:
            record = dict(file)
        assert checks.judge(name, record) == EXERCISES[name](answer)


def test_record_that_calls_itself_right_is_not_believed():
    record = checks.collect("softmax", WRONG["softmax"]["no maximum subtracted"][0]) | {"status": np.array("right")}
    assert checks.judge("softmax", record).status == "wrong"
    assert checks.judge("softmax", {"status": np.array("right"), "message": np.array("✓")}).status == "wrong"


@pytest.mark.everything
@pytest.mark.parametrize("name", sorted(set(RIGHT) - BY_HAND - {"remember", "same_word_score"}))
def test_check_is_not_confused_by_an_answer_that_is_wrong_once(name, monkeypatch):
    """Right everywhere but in one call: no mistake was made that could be named, so the numbers must speak."""
    right = next(iter(RIGHT[name].values()))
    calls = []

    def slips(*arguments):
        calls.append(arguments)
        result = np.array(right(*arguments), dtype=float)
        return result + 0.5 if len(calls) == 3 else result

    others = {judged(name, key).message for key in WRONG[name]}
    monkeypatch.setattr(mend, "RUNS", 3)
    feedback = EXERCISES[name](slips)
    assert feedback.status == "wrong"
    assert_plain(feedback)
    assert feedback.message not in others


def test_softmax_is_not_told_a_mistake_that_only_one_case_shows():
    # On [0, 0, 1, 0] a hard choice looks like scores divided by their sum; on the others it does not.
    assert "without exp" not in EXERCISES["softmax"](global_hard_choice).message


def test_is_order_blind_is_not_told_a_mistake_by_a_single_truth_value():
    name = "past"  # of the test and not of the answer, so that no edit of the answer is tried

    def only_the_causal_layer_is_wrong(layer, tokens, order):
        return RIGHT["is_order_blind"]["np.allclose"](layer, tokens, order) or name in layer.__name__

    message = EXERCISES["is_order_blind"](only_the_causal_layer_is_wrong).message
    assert message == "For attend_to_the_past the answer is False, yours is True."


def test_is_order_blind_agrees_with_layers_of_our_own():
    def attend(tokens):
        return scaled_dot_product_attention(tokens, tokens, tokens).output

    def attend_to_the_past(tokens):
        return scaled_dot_product_attention(tokens, tokens, tokens, mask=causal_mask(len(tokens))).output

    tokens, order = np.random.default_rng(5).normal(size=(7, 3)), np.array([2, 0, 1, 6, 5, 3, 4])
    assert blind_by_loops(attend, tokens, order) and not blind_by_loops(attend_to_the_past, tokens, order)


def test_check_prints_on_a_terminal_without_signs():
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding="ascii")
    with contextlib.redirect_stdout(terminal):
        check("softmax", ...)
    terminal.flush()
    assert raw.getvalue().startswith(b"? Not attempted yet")
    assert raw.getvalue().count(b"\n") == 1


def test_check_leaves_the_settings_of_numpy_and_the_warnings_alone():
    import warnings

    def meddles(scores):
        np.seterr(all="raise")
        warnings.simplefilter("ignore")
        return scores

    before, filters = np.geterr(), list(warnings.filters)
    check_quietly = printed("softmax", meddles)
    assert check_quietly.startswith("✗")
    assert np.geterr() == before and list(warnings.filters) == filters


# --- a ... in the middle ---------------------------------------------------------------------------------------------


def weights_left_out(X, W_query, W_key, W_value):
    value = X @ W_value
    weights = ...
    return weights @ value


def rows_left_out(image, patch_size):
    rows = []
    for _ in range(4):
        rows.append(...)
    return np.array(rows)


def heads_left_out(x, num_heads):
    x = ...
    return np.swapaxes(x, -2, -3)


def mask_left_out(num_tokens):
    return np.full((num_tokens, num_tokens), ...)


LEFT_OUT = {
    "self_attention": weights_left_out,
    "patchify": rows_left_out,
    "split_heads": heads_left_out,
    "causal_mask": mask_left_out,
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_check_takes_a_blank_in_the_middle_for_one(name):
    feedback = EXERCISES[name](LEFT_OUT[name])
    assert feedback.status == "blank", feedback.message


def test_check_does_not_take_an_error_of_its_own_for_a_blank():
    def index(x, num_heads):
        return x[..., num_heads, 0, 0, 0, 0]  # the ... of an index is no blank

    assert EXERCISES["split_heads"](index).status == "wrong"


def test_check_offers_exercises_of_like_names():
    assert "there are self_attention" in printed("self_atention", None)
    assert len(printed("?", None)) < 260


def test_check_cuts_no_sentence_in_the_middle_of_a_matrix():
    feedback = EXERCISES["decoder_layer"](lambda x, memory, *rest: 1.23456789 * x)
    assert feedback.message.endswith("is right.")


def test_check_calls_text_by_its_name():
    assert "must be real numbers, got str." in EXERCISES["softmax"](lambda scores: ["a", "b"]).message


def compares(rows=slice(None), columns=slice(None), atol=1e-8, order=None):
    def is_order_blind(layer, tokens, given):
        chosen = given if order is None else order(len(tokens))
        return np.allclose(layer(tokens[chosen])[rows, columns], layer(tokens)[chosen][rows, columns], atol=atol)

    return is_order_blind


@pytest.mark.parametrize(
    "answer",
    [
        compares(columns=0), compares(columns=slice(2)), compares(rows=-1), compares(rows=0), compares(atol=0.1),
        compares(atol=0.5), compares(order=lambda n: np.arange(n)[::-1]), compares(order=lambda n: np.roll(np.arange(n), 1)),
    ],
)  # fmt: skip
def test_order_test_that_looks_at_a_part_is_refused(answer):
    assert EXERCISES["is_order_blind"](answer).status == "wrong"
    assert EXERCISES["is_order_blind"](compares()).status == "right"


@pytest.mark.parametrize("change", [lambda x: -x, lambda x: x[..., ::-1], lambda x: np.sort(x, axis=-1)])
def test_layer_norm_is_not_told_that_a_variance_of_1_must_be_1(change):
    def answer(x):
        return change((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5))

    assert "variance must be 1" not in EXERCISES["layer_norm"](answer).message


@pytest.mark.parametrize("size", [-1e30, -1e10, -1e6, -1000, -100])
def test_mask_of_added_numbers_is_known_whatever_its_size(size):
    feedback = EXERCISES["causal_mask"](lambda n: np.where(np.tri(n), 0, size))
    assert "numbers to be added to scores" in feedback.message


def test_errors_of_two_slips_have_hints():
    feedback = EXERCISES["soft_select"](lambda query, keys, values, temperature: 3.0 ^ (keys @ query))
    assert "To the power of is **" in feedback.message

    def loop(parameters, gradient_of, num_steps, learning_rate, max_norm):
        return parameters - learning_rate * gradient_of(parameters, 0)

    assert "call it, as in learning_rate(step)" in EXERCISES["training_loop"](loop).message


def test_self_attention_with_key_and_value_exchanged_is_told_so():
    def answer(X, W_query, W_key, W_value):
        return scaled_dot_product_attention(X @ W_query, X @ W_value, X @ W_key).output

    feedback = EXERCISES["self_attention"](answer)
    assert "W_key and W_value are exchanged" in feedback.message


def test_feedback_on_numbers_by_hand_never_tells_the_answer():
    numbers = [r"\b0\.8\b", r"\b0\.6\b", r"0\.714", r"0\.857", r"0\.429", r"5 / 7", r"6 / 7"]
    for wrong, _ in WRONG["output_rows"].values():
        message = EXERCISES["output_rows"](wrong).message
        assert not any(re.search(number, message) for number in numbers), message


# --- at which stage an answer leaves the right way ---------------------------------------------------------------------


def stays_right_until_the_scores(X, W_query, W_key, W_value):
    scores = X @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[-1])
    mixed = (np.sin(scores) / 7 + scores**2) @ (X @ W_value)
    return np.sin(mixed) - X.mean()


def stays_right_until_the_output(X, W_query, W_key, W_value):
    scores = X @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[-1])
    weights = attention.softmax(scores)
    return weights**2 @ (X @ W_value) - X.mean() + np.sin(scores[:, :1])


def test_answer_that_no_edit_mends_is_told_how_far_it_is_right():
    told = [EXERCISES["self_attention"](stays_right_until_the_scores).message]
    told += [EXERCISES["self_attention"](stays_right_until_the_output).message]
    assert ": `scores` gives the right scores; none of your steps gives the right weights." in told[0]
    assert ": `weights` gives the right weights; what is made of them is not right." in told[1]


def keeps_notes_of_many_lengths(X, W_query, W_key, W_value):
    notes = [X[:1], [1.0, 2.0], [[3.0], [4.0, 5.0]]]  # noqa: F841
    return np.sin(stays_right_until_the_scores(X, W_query, W_key, W_value))


def test_answer_with_ragged_lists_among_its_names_is_judged_by_the_others():
    assert_plain(EXERCISES["self_attention"](keeps_notes_of_many_lengths))


def test_answer_is_told_on_which_cases_it_is_right():
    message = EXERCISES["divisor"](lambda d_k, spread: math.sqrt(d_k) * math.sin(spread) / math.sin(1.0)).message
    assert message.startswith("Right for entries that spread by 1, not for other spreads. ")


HARMFUL_OR_NOT = {
    "import math": True,
    "from numpy import exp": True,
    "import os": False,
    "from numpy import save": False,
    "from itertools import repeat": False,  # without an end it would fill the memory
    "open('file')": False,
}


@pytest.mark.parametrize("line", HARMFUL_OR_NOT)
def test_only_what_can_do_no_harm_is_edited(line):
    answer = hands.function(
        hands.Hand("softmax", "blind", ".", f"def softmax(scores):\n    {line}\n    return scores\n")
    )
    assert (source.source_of(answer) is not None) == HARMFUL_OR_NOT[line]


def test_names_of_ones_own_do_no_harm_and_those_of_a_helper_may():
    own = "def softmax(input):\n    def run(x):\n        return x\n    return run(input)\n"
    other = "def read(x):\n    return open(x)\n\n\ndef softmax(scores):\n    def open(x):\n        return x\n    return read(open(scores))\n"
    answers = [hands.function(hands.Hand("softmax", "blind", ".", text)) for text in (own, other)]
    assert [source.source_of(answer) is not None for answer in answers] == [True, False]


def test_sum_of_numpy_is_not_called_pythons_own():
    text = "def softmax(scores):\n    from numpy import exp, max, sum\n    e = exp(scores - max(scores, axis=-1, keepdims=True))\n"
    said = EXERCISES["softmax"](hands.function(hands.Hand("softmax", "blind", ".", text + "    return e / sum(e)\n")))
    assert said.status == "wrong" and "Python's own" not in said.message and "axis=-1" in said.message
