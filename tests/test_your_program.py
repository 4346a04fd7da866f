"""`python my_model.py`: it writes token by token with a learner's own functions, whole or broken, and every bad call is one sentence."""

import builtins
import inspect
import io
import subprocess
import sys

import numpy as np
import pytest

from helpers import broken, language_model, parts, your_program, yours
from helpers.support import threads

from .test_threads import blas_threads

rng = np.random.default_rng(23)
SIZES = {"num_layers": 2, "num_heads": 4, "num_key_value_heads": 2, "base": 10_000, "context": 200, "epsilon": 1e-5}
WIDTH, LETTERS = 24, "abcdefghijklmnop qrst.é3"
SHAPES = {"attn_q": (WIDTH, WIDTH), "attn_k": (12, WIDTH), "attn_v": (12, WIDTH), "attn_output": (WIDTH, WIDTH)}
SHAPES |= {"ffn_gate": (36, WIDTH), "ffn_up": (36, WIDTH), "ffn_down": (WIDTH, 36)}


class Tokenizer:
    """A letter is a token; é is two, of which one alone is no letter; the last two are the ends of an answer and of a text."""

    words = (*LETTERS, "<|im_end|>", "<|endoftext|>")

    def encode(self, text):
        return [self.words.index(letter) % len(self.words) for letter in text if letter in LETTERS]

    def decode(self, ids):
        return "".join(self.words[k] for k in ids)


def small_model():
    file = {"token_embd": rng.normal(size=(len(Tokenizer.words), WIDTH)), "output_norm": np.ones(WIDTH)}
    file["output"] = rng.normal(size=file["token_embd"].shape)
    for layer in range(2):
        file |= {f"blk.{layer}.{name}": rng.normal(size=shape) / 5 for name, shape in SHAPES.items()}
        file |= {f"blk.{layer}.{name}": np.ones(WIDTH) for name in ("attn_norm", "ffn_norm")}
    return your_program.Opened(SIZES, {name: each.astype(np.float32) for name, each in file.items()}, Tokenizer(), [])


OPENED = small_model()
COURSE = yours.of_the_course()
IDS = Tokenizer().encode("abcd")
FULL_STOP = Tokenizer.words.index(".")


@pytest.fixture
def file(file, monkeypatch):
    monkeypatch.setattr(your_program, "open_model", lambda *given: OPENED)
    return file


def call(monkeypatch, capsys, file, *arguments):
    """What the program prints, what it says of a bad call, and what it exits with."""
    monkeypatch.setattr(sys, "argv", ["my_model.py", *arguments])
    status = 0
    try:
        your_program.main(file)
    except SystemExit as ended:
        status = ended.code
    said = capsys.readouterr()
    return said.out, said.err, status


def written(**asked):
    shown = []
    done = your_program.write(OPENED, IDS, 9, tell=lambda *pair: shown.append(pair), ends="never", **asked)
    return done, shown


PLAIN = COURSE.space["write"](IDS, OPENED.file, SIZES, 9)


def test_every_token_is_shown_as_it_is_chosen_with_the_logits_it_was_chosen_from(file):
    done, shown = written()
    assert done.ids == PLAIN and [token for token, _ in shown] == PLAIN[len(IDS) :]
    assert all(token == logits.argmax() for token, logits in shown) and done.speed > 0


WITHOUT_A_CACHE = """
def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    ids = list(ids)
    for k in range(num_tokens):
        ids.append(int(read(ids, file, sizes)[0][-1].argmax()))
    return ids
"""
BY_ITSELF = """
def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    from helpers import parts
    return parts.write(ids, file, sizes, num_tokens)
"""


@pytest.mark.parametrize("source", [WITHOUT_A_CACHE, BY_ITSELF], ids=["without next_token", "by functions of its own"])
def test_other_ways_to_write_are_shown_too(file, source):
    yours.keep("write", source)
    done, shown = written()
    assert done.ids == PLAIN and [token for token, _ in shown] == PLAIN[len(IDS) :]


def test_a_sentence_ends_at_its_full_stop_and_an_answer_at_its_end(file, monkeypatch):
    choices = iter([1, 2, FULL_STOP, 3, len(LETTERS), 4])
    with yours.replaced({"next_token": lambda *given: next(choices)}):
        assert your_program.write(OPENED, IDS, 6, tell=lambda *_: 0).ids == [*IDS, 1, 2, FULL_STOP]
    choices = iter([1, 2, FULL_STOP, 3, len(LETTERS), 4])
    with yours.replaced({"next_token": lambda *given: next(choices)}):
        found = your_program.write(OPENED, IDS, 6, tell=lambda *_: 0, ends="answer").ids
    assert found == [*IDS, 1, 2, FULL_STOP, 3, len(LETTERS)]


def test_a_full_stop_after_a_digit_ends_a_sentence_unless_a_digit_follows(file):
    three, a = Tokenizer.words.index("3"), 0
    choices, shown = iter([three, FULL_STOP, three, three, FULL_STOP, a, a]), []
    with yours.replaced({"next_token": lambda *given: next(choices)}):
        done = your_program.write(OPENED, IDS, 7, tell=lambda token, _: shown.append(token))
    assert Tokenizer().decode(shown) == "3.33." and done.ids == [*IDS, *shown] and len(done.logits) == 5
    for pieces, many in ((["3", ".", "3", "3.", " a"], 4), (["a", ".”", " 3"], 2), (["3", "."], 2)):  # stored ones, too
        assert list(your_program.sentence(pieces)) == pieces[:many]


def test_blas_keeps_to_one_thread_while_it_writes_and_while_it_is_broken(file, monkeypatch):
    before, seen = blas_threads(), []
    with yours.replaced({"rms_norm": lambda x: (seen.append(blas_threads()), parts.rms_norm(x))[1]}):
        written()
        monkeypatch.setattr(your_program, "STORY", "abcd")
        of_writing = len(seen)
        your_program.written_broken(OPENED, "without softmax", [])
    assert {1} == {count for counts in seen for count in counts} and len(seen) > of_writing
    assert blas_threads() == before


def test_a_long_beginning_has_all_threads_of_blas_and_what_follows_has_one(file, monkeypatch):
    monkeypatch.setattr(threads, "FEW", len(IDS) - 1)
    before, seen = blas_threads(), []
    with yours.replaced({"rms_norm": lambda x: (seen.append((len(x), blas_threads())), parts.rms_norm(x))[1]}):
        written()
    assert {rows for rows, _ in seen} == {len(IDS), 1}
    assert all(counts == (before if rows > 1 else [1] * len(before)) for rows, counts in seen)


def test_the_lines_of_an_older_part_that_was_changed_by_hand_are_not_counted(file):
    yours.keep("softmax", inspect.getsource(parts.softmax))
    yours.keep("rms_norm", inspect.getsource(parts.rms_norm))
    file.write_text(file.read_text("utf-8").replace("powers = ", "powers  = "), "utf-8")
    yours.keep("softmax", inspect.getsource(parts.softmax) + "    # newer")
    assert "# Before, and changed by hand:" in file.read_text("utf-8")
    assert your_program.whose() == "2 functions of yours, 7 lines, and 11 of the course's"


def test_after_it_was_broken_or_interrupted_the_model_is_whole(file):
    def stops(*given):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(replaced={"swiglu": stops})
    assert written()[0].ids == PLAIN


@pytest.mark.parametrize("kind", ["OUT", "WRONG"])
def test_each_broken_part_is_called_as_the_part_is_and_changes_what_it_gives(kind):
    x, asks = rng.normal(size=(5, WIDTH)), rng.normal(size=(4, 5, 6))
    given = {
        "softmax": [rng.normal(size=(3, 5))], "split_heads": [x, 4], "merge_heads": [asks], "causal_mask": [3, 5], "rms_norm": [x],
        "next_token": [rng.normal(size=7), 0, 1, None], "merge_pairs": ["ababa", [("a", "b"), ("ab", "a")]],
        "rotate": [asks, np.arange(5)], "swiglu": [x, rng.normal(size=(WIDTH, 7)), rng.normal(size=(WIDTH, 7)), rng.normal(size=(7, WIDTH))],
        "shared_attention": [asks, asks[:2], asks[2:], np.tri(5, dtype=bool)],
        "model_layer": [x, {n: rng.normal(size=SHAPES.get(n, WIDTH)) for n in [*SHAPES, "attn_norm", "ffn_norm"]}, SIZES],
    }  # fmt: skip
    for name, stand_in in getattr(broken, kind).items():
        right, other = getattr(parts, name)(*given[name]), stand_in(*given[name])
        if name == "model_layer":
            right, other = right[0], other[0]
        assert np.shape(right) == np.shape(other) or name == "merge_pairs"
        assert np.shape(right) != np.shape(other) or not np.array_equal(right, other), name
        assert stand_in.__doc__.endswith(".")


@pytest.mark.parametrize(
    ("kind", "name"), [("OUT", name) for name in broken.OUT] + [("WRONG", name) for name in broken.WRONG]
)
def test_a_broken_model_goes_on_writing(file, kind, name):
    done, shown = written(replaced={name: getattr(broken, kind)[name]})
    assert len(shown) == 9 and len(done.ids) == len(IDS) + 9
    if name != "merge_pairs":  # which cuts the text before
        assert done.ids != PLAIN or not np.allclose(shown[0][1], written()[1][0][1])


def test_the_program_writes_and_says_whose_lines_did(file, monkeypatch, capsys):
    out, _, status = call(monkeypatch, capsys, file, "abcd", "--tokens", "5")
    assert out.startswith("abcd") and "The course's 13 functions wrote this at " in out and status == 0
    yours.keep("write", WITHOUT_A_CACHE)
    out, *_ = call(monkeypatch, capsys, file, "abcd", "--tokens", "5")
    assert "1 function of yours, 5 lines, and 12 of the course's wrote this at " in out


STOPS = """
def softmax(scores):
    raise TypeError("not today")
"""


def test_what_is_told_of_a_part_while_words_appear_begins_a_line_of_its_own(file, monkeypatch, capsys):
    monkeypatch.setattr(your_program, "kept_open", lambda *given: OPENED)
    file.write_text(STOPS, encoding="utf-8")
    monkeypatch.setattr(yours, "_told", set())
    out, *_ = call(monkeypatch, capsys, file, "abcd", "--tokens", "5")
    told = "my_model.py, line 3: softmax stopped with TypeError, not today. The course's goes on."
    assert out.startswith(f"abcd\n{told}\n") and out.count(told) == 1
    yours._tell("Nothing was open.")
    assert capsys.readouterr().out == "Nothing was open.\n"
    monkeypatch.setattr(yours, "_told", set())
    your_program.go_on("abcd", 5)
    assert capsys.readouterr().out.startswith(f"abcd\n{told}\n")
    file.write_text(STOPS.replace("softmax", "causal_mask") + STOPS, encoding="utf-8")
    out, *_ = call(monkeypatch, capsys, file, "abcd", "--tokens", "5")
    assert out.count(" stopped with ") == 2 and out.index("\n\n") > out.rindex(
        " stopped with "
    )  # no empty line between


def test_a_slow_model_is_timed_by_the_minute():
    assert [your_program.pace(speed) for speed in (12.34, 0.1, 0.04)] == [
        "12.3 tokens a second", "0.1 tokens a second", "2.4 tokens a minute",
    ]  # fmt: skip


def test_it_runs_in_a_notebook_whose_output_is_no_terminal(file, monkeypatch):
    printed = io.StringIO()
    monkeypatch.setattr(sys, "argv", ["my_model.py", "abcd", "--tokens", "3"])
    monkeypatch.setattr(sys, "stdout", printed)
    your_program.main(file)
    assert printed.getvalue().startswith("abcd") and not hasattr(printed, "reconfigure")


def test_rivals_and_broken_parts_are_told(file, monkeypatch, capsys):
    out, *_ = call(monkeypatch, capsys, file, "abcd", "--tokens", "2", "--rivals")
    assert out.count("rivals: ") == 2
    out, *_ = call(monkeypatch, capsys, file, "abcd", "--wrong", "merge_heads", "--tokens", "3")
    assert out.startswith("With a slip in merge_heads. By reshape alone") and "The course's 12 functions" in out


def test_talk_goes_on_with_what_was_said(file, monkeypatch, capsys):
    questions, read = iter(["efgh", ""]), []
    monkeypatch.setattr(builtins, "input", lambda prompt: next(questions))
    whole = your_program.write
    monkeypatch.setattr(
        your_program,
        "write",
        lambda opened, ids, *given, **named: read.append(ids) or whole(opened, ids, *given, **named),
    )
    call(monkeypatch, capsys, file, "abcd", "--talk", "--tokens", "4")
    assert len(read) == 2 and read[1][: len(read[0])] == read[0] and len(read[1]) > len(read[0]) + 4


def test_talk_ends_in_a_line_of_its_own_where_nobody_types(file, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    out, _, status = call(monkeypatch, capsys, file, "abcd", "--talk", "--tokens", "4")
    assert out.endswith("\nYou (Enter ends): \n") and status == 0


BAD = {
    ("",): "The text must hold a word to begin with, but it is empty.",
    ("The", "capital"): 'The text must be in quotes: python my_model.py "The capital"',
    ("a", "--tokens", "0"): "--tokens must be at least 1, got 0.",
    ("a", "--tokens", "many"): "--tokens must be a whole number, got many.",
    ("a", "--tokens", "2.5"): "--tokens must be a whole number, got 2.5.",
    ("a", "--temperature", "hot"): "--temperature must be a number, got hot.",
    ("a", "--top-p", "90%"): "--top-p must be a number, got 90%.",
    ("a", "--tokens"): "Argument --tokens: expected one argument. See python my_model.py --help.",
    ("a", "--temperature", "-1"): "--temperature must be 0 or more, got -1.",
    ("a", "--top-p", "0"): "--top-p must be above 0 and at most 1, got 0.",
    (
        "a",
        "--without",
        "paris",
    ): "--without must name one of softmax, causal_mask, rms_norm, merge_pairs, rotate, shared_attention, swiglu, model_layer, got paris.",
    ("--talk",): 'There must be a text to begin with, in quotes: python my_model.py "The cat" --talk',
    (
        "--tokens",
        "5",
        "--rivals",
    ): 'There must be a text to begin with, in quotes: python my_model.py "The cat" --tokens 5 --rivals',
    ("a", "--without", "rotate", "--wrong", "rotate"): "--without and --wrong must name two parts, got rotate twice.",
    ("ab" * 120,): "The text must be shorter than 200 tokens, got 240.",
}


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_a_bad_call_is_one_sentence(file, monkeypatch, capsys, arguments):
    out, err, status = call(monkeypatch, capsys, file, *arguments)
    assert (out, err, status) == ("", BAD[arguments] + "\n", 2)


def test_without_the_model_it_says_what_to_install(file, monkeypatch, capsys):
    monkeypatch.setattr(your_program, "open_model", lambda *given: None)
    _, err, status = call(monkeypatch, capsys, file, "abcd")
    assert err.startswith("The language model must be installed, but is not. ") and status == 2


def test_stopping_it_is_one_sentence(file, monkeypatch, capsys):
    def interrupted(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(your_program, "write", interrupted)
    out, err, status = call(monkeypatch, capsys, file, "abcd")
    assert out.endswith("\nStopped by you.\n") and err == "" and status == 130


def test_too_little_memory_is_said(file, monkeypatch, capsys):
    def too_large(*given):
        raise MemoryError("Unable to allocate 9 GiB")

    monkeypatch.setattr(your_program, "open_model", too_large)
    said = "This machine has too little memory for that. Unable to allocate 9 GiB.\n"
    assert call(monkeypatch, capsys, file, "abcd") == ("", said, 2)


def test_help_has_an_example_of_each_option(file, monkeypatch, capsys):
    out, _, status = call(monkeypatch, capsys, file, "--help")
    options = [word for word in out.split("examples:")[0].split() if word.startswith("--") and word != "--help"]
    assert (
        status == 0
        and options
        and all(f" {option}" in out.split("examples:")[1] for option in {o.strip(",]") for o in options})
    )


@pytest.mark.everything
@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_the_real_model_writes_paris_and_a_mask_turned_round_ends_for_ever(tmp_path):
    file = tmp_path / "my_model.py"
    file.write_text(yours._EMPTY, encoding="utf-8")
    run = [sys.executable, file, "The capital of France is"]
    whole, turned, merged = (
        subprocess.run([*run, *more], capture_output=True, text=True, encoding="utf-8", timeout=300)
        for more in ([], ["--wrong", "causal_mask", "--tokens", "3"], ["--wrong", "merge_heads", "--tokens", "4"])
    )
    assert (
        whole.stdout.startswith("The capital of France is Paris.\n")
        and whole.stderr == "opening 135 million numbers …\n"
    )
    assert "<|endoftext|>" * 3 in turned.stdout and "Paris" not in merged.stdout


def test_in_a_lesson_a_text_goes_on_by_what_is_there_and_says_whose_functions_did(file, monkeypatch, capsys):
    monkeypatch.setattr(your_program, "kept_open", lambda *given: OPENED)
    yours.keep("write", WITHOUT_A_CACHE)
    your_program.go_on("abcd", 5)
    out = capsys.readouterr().out
    assert out.startswith("abcd") and out.endswith(
        "\n1 function of yours, 5 lines, and 12 of the course's wrote this.\n"
    )
    your_program.go_on("abcd", 5, temperature=0.8, top_p=0.9)
    monkeypatch.setattr(your_program, "kept_open", lambda *given: None)
    capsys.readouterr()
    your_program.go_on("abcd")
    your_program.go_on("The capital of France is")
    assert capsys.readouterr().out == (
        f"abcd\n{your_program.MISSING}\nThe capital of France is Paris.\nThe course's 13 functions wrote this.\n"
    )
    your_program.go_on("The capital of France is", rivals=True)
    assert "\n' Paris'            77%   rivals: ' the' 6%, ' London' 1%, ' Le' 1%\n'.' " in capsys.readouterr().out


def test_in_a_browser_it_says_once_that_it_opens_before_the_text_is_there(file, monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(language_model, "find", lambda: "a model")
    monkeypatch.setattr(your_program, "open_model", lambda **given: OPENED)
    your_program._opened_once.cache_clear()
    for _ in range(2):
        your_program.go_on("abcd", 3)
    your_program._opened_once.cache_clear()
    out = capsys.readouterr().out
    assert out.startswith("opening 135 million numbers …\nabcd") and out.count("opening") == 1


def test_without_the_model_or_parts_of_ones_own_the_stored_table_is_printed(file, monkeypatch, capsys):
    monkeypatch.setattr(your_program, "kept_open", lambda *given: None)
    found = your_program.break_all()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:24].strip() for line in lines[1:]] == list(broken.WAYS) and found.by == "the course"
    assert max(map(len, lines)) <= 106
    assert your_program.break_all("abcd") is None and capsys.readouterr().out == f"{your_program.MISSING}\n"
