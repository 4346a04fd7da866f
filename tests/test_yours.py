"""The learner's own file: what is kept of it, what is taken from it, and what happens to it when something goes wrong."""

import errno
import inspect
import os
import subprocess
import sys
from pathlib import Path

import mygrad
import numpy as np
import pytest

from helpers import language_model, parts, yours
from helpers.support import own_file
from tests.refusals import says

ROOT = Path(__file__).parents[1]
SOFTMAX = """
def softmax(scores):
    # my own
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
ROTATE = inspect.getsource(parts.rotate)
SHARED = inspect.getsource(parts.shared_attention)


def by_you():
    return [part.name for part in yours.parts() if part.by == "you"]


# --- what is there ---------------------------------------------------------------------------------------------------


def test_without_a_file_all_parts_are_the_course_s(file, capsys):
    assert yours.path() == file and not file.exists()
    assert [part.name for part in yours.parts()] == list(parts.LESSONS) and by_you() == []
    np.testing.assert_array_equal(yours.softmax(np.zeros(4)), [0.25] * 4)
    assert capsys.readouterr().out == ""


def test_each_part_says_what_it_takes_and_gives_whoever_wrote_it(file):
    yours.keep("rotate", ROTATE)
    for name in parts.LESSONS:
        assert (
            getattr(yours, name).__doc__ == parts.SAYS[name]
            and inspect.getdoc(getattr(parts, name)) == parts.SAYS[name]
        )
    yours.keep("softmax", SOFTMAX.replace("):\n", '):\n    """My own words."""\n', 1))
    assert yours.softmax.__doc__ == "My own words."


def test_an_unknown_part_is_told_which_there_are():
    says(lambda: yours.softmix, AttributeError, "There is no part 'softmix'; there are softmax, self_attention, …")
    assert {"softmax", "write", "keep", "path", "parts"} <= set(dir(yours))


def test_the_file_is_in_the_course_s_folder_or_beside_the_notebook(monkeypatch, tmp_path):
    monkeypatch.delenv("MY_MODEL")
    assert yours.path() == ROOT / "my_model.py"
    monkeypatch.setattr(yours, "_COURSE", tmp_path / "site-packages")
    monkeypatch.chdir(tmp_path)
    assert yours.path() == tmp_path / "my_model.py"


def test_in_a_browser_the_parts_of_an_older_edition_come_along_and_are_not_written_over(monkeypatch, tmp_path):
    monkeypatch.delenv("MY_MODEL", raising=False)
    monkeypatch.setattr(yours, "_COURSE", tmp_path / "site-packages")
    old, older, new = (tmp_path / edition for edition in ("2.0.0", "1.0.0", "3.0.0"))
    for number, folder in enumerate((older, old, new)):
        folder.mkdir()
        (folder / "my_model.py").write_text(f"# {folder.name}", encoding="utf-8")
        os.utime(folder / "my_model.py", (number, number))
    (new / "my_model.py").unlink()
    monkeypatch.chdir(new)
    assert not yours.path().exists()  # where there are no editions, nothing is looked for next door
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert yours.path() == new / "my_model.py" and yours.path().read_text(encoding="utf-8") == "# 2.0.0"
    yours.path().write_text("# mine", encoding="utf-8")
    assert yours.path().read_text(encoding="utf-8") == "# mine"
    assert (old / "my_model.py").read_text(encoding="utf-8") == "# 2.0.0"


@pytest.mark.parametrize("trouble", ["no text", "a folder", "nothing can be written"])
def test_in_a_browser_parts_that_cannot_be_copied_are_told_of_once_and_stay_where_they_are(
    monkeypatch, tmp_path, capsys, trouble
):
    monkeypatch.delenv("MY_MODEL", raising=False)
    monkeypatch.setattr(yours, "_COURSE", tmp_path / "site-packages")
    monkeypatch.setattr(yours, "_told", set())
    old, new = (tmp_path / edition / "my_model.py" for edition in ("1.0.0", "2.0.0"))
    for file in (old, new):
        file.parent.mkdir()
    if trouble == "a folder":
        old.mkdir()
    else:
        old.write_bytes(b"\xff" if trouble == "no text" else SOFTMAX.encode())

    def refuse(path, text):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(own_file, "replace", refuse) if trouble == "nothing can be written" else None
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.chdir(new.parent)
    assert yours.path() == new and by_you() == []
    said = capsys.readouterr().out
    assert said.startswith(f"What you wrote in another edition cannot be copied to {new}: ") and said.count("\n") == 1
    assert old.exists() and [*new.parent.iterdir()] == []


def test_an_empty_name_keeps_all_parts_the_course_s(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_MODEL", "")
    assert by_you() == []
    with pytest.raises(ValueError, match="MY_MODEL must name a file"):
        yours.keep("softmax", SOFTMAX)
    assert [*tmp_path.iterdir()] == []


def test_git_leaves_the_file_alone():
    done = subprocess.run(["git", "check-ignore", "my_model.py", "my_model.before.py"], cwd=ROOT, capture_output=True)
    assert done.returncode in (0, 128) and (
        done.returncode or done.stdout.split() == [b"my_model.py", b"my_model.before.py"]
    )


# --- keeping ---------------------------------------------------------------------------------------------------------


def test_a_kept_part_is_yours_at_once_as_it_was_typed(file):
    assert yours.keep("softmax", SOFTMAX) == ("softmax", "01_ask_for_a_b", "you")
    assert by_you() == ["softmax"] and SOFTMAX.strip() in file.read_text("utf-8")
    np.testing.assert_allclose(yours.softmax(np.array([0.0, np.log(3)])), [0.25, 0.75])
    assert "my own" in inspect.getsource(inspect.unwrap(yours.softmax))


def test_parts_stand_in_the_order_of_the_lessons_whenever_they_were_written(file):
    for name in ("write", "rotate", "merge_heads", "softmax", "read"):
        yours.keep(name, inspect.getsource(getattr(parts, name)))
    marks = [own_file.name_of(piece) for piece in own_file.pieces(file.read_text("utf-8"))]
    assert marks == ["", "softmax", "merge_heads", "rotate", "read", "write", ""]
    compile(file.read_text("utf-8"), "my_model.py", "exec")


def test_the_course_s_part_is_imported_until_yours_is_written(file):
    yours.keep("shared_attention", SHARED)
    assert "from helpers.parts import softmax  # the course's" in file.read_text("utf-8")
    yours.keep("softmax", SOFTMAX)
    assert "from helpers.parts" not in file.read_text("utf-8")
    space = {"__name__": "elsewhere"}
    exec(file.read_text("utf-8"), space)
    assert space["shared_attention"].__globals__["softmax"] is space["softmax"]


def test_course_s_parts_use_yours(file):
    yours.keep("softmax", "def softmax(scores):\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        yours.shared_attention(np.ones((2, 3, 4)), np.ones((1, 3, 4)), np.ones((1, 3, 4)), np.ones((3, 3), bool))


def test_a_newer_answer_replaces_the_older_and_your_own_text_stays(file):
    yours.keep("softmax", SOFTMAX)
    yours.keep("rotate", ROTATE)
    text = file.read_text("utf-8")
    text = text.replace("# --- rotate", "NOTE = 'mine, below softmax'\n\n\n# --- rotate").replace(
        "import math\n", "import math\nimport json\n"
    )
    file.write_text(text, "utf-8")
    yours.keep("softmax", SOFTMAX.replace("# my own", "# better"))
    now = file.read_text("utf-8")
    assert "# better" in now and "# my own" not in now and now.count("def softmax") == 1
    assert "import json" in now and "NOTE = 'mine, below softmax'" in now
    older = file.with_name("my_model.before.py").read_text("utf-8")
    assert "# my own" in older and "NOTE" in older
    yours.keep("rotate", ROTATE.replace("def rotate", "# turned\ndef rotate"))
    yours.keep("softmax", SOFTMAX.replace("# my own", "# best"))
    every = file.with_name("my_model.before.py").read_text("utf-8")
    assert every.startswith(older) and "# better" in every and every.count("def softmax") == 2 and "def rotate" in every


def test_what_was_changed_by_hand_stays(file):
    yours.keep("softmax", SOFTMAX)
    changed = file.read_text("utf-8").replace("# my own", "# my own, faster")
    file.write_text(changed, "utf-8")
    yours.keep("softmax", SOFTMAX)  # a lesson run again: no newer answer
    assert file.read_text("utf-8") == changed
    yours.keep("softmax", SOFTMAX.replace("# my own", "# newer"))
    now = file.read_text("utf-8")
    assert "    # newer" in now and "#     # my own, faster" in now
    compile(now, "my_model.py", "exec")


def test_the_same_answer_writes_nothing(file):
    yours.keep("softmax", SOFTMAX)
    yours.keep("rotate", ROTATE)
    now = file.stat().st_mtime_ns
    yours.keep("softmax", SOFTMAX + "\n\n")
    assert not file.with_name("my_model.before.py").exists() and file.stat().st_mtime_ns == now


def test_a_file_begun_by_hand_takes_parts(file):
    file.write_text("import numpy as np\nMINE = 1\n", "utf-8")
    yours.keep("softmax", SOFTMAX)
    assert by_you() == ["softmax"] and file.read_text("utf-8").startswith("import numpy as np\nMINE = 1\n")


def test_a_part_may_bring_functions_along(file):
    yours.keep(
        "softmax",
        "def shares(x):\n    return x / x.sum(-1, keepdims=True)\n\n\ndef softmax(x):\n    return shares(np.exp(x))",
    )
    np.testing.assert_allclose(yours.softmax(np.zeros((2, 2))), 0.5)


NOT_KEPT = [  # source, what is said
    ("def softmax(x):\n    return shares(x) / size", "softmax must stand alone, but it needs shares and size from elsewhere."),
    ("def softmax(x) return x", "softmax must stand alone, but it stops with SyntaxError, expected ':'."),
    ("softmax = 1 / 0", "softmax must stand alone, but it stops with ZeroDivisionError, division by zero."),
    ("def softmix(x):\n    return x", "softmax must be a function that its source defines."),
    ("softmax = 3", "softmax must be a function that its source defines."),
    ("def rotate(x):\n    return x\n\n\ndef softmax(x):\n    return rotate(x)", "rotate must have another name in softmax: my_model.py has one of that name."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "message"), NOT_KEPT)
def test_what_does_not_stand_alone_is_not_kept(file, source, message):
    says(lambda: yours.keep("softmax", source), ValueError, message)
    assert not file.exists()


def test_what_is_no_part_is_not_kept(file):
    says(
        lambda: yours.keep("attend", SOFTMAX),
        ValueError,
        "name must be that of a part, got 'attend'; there are softmax, …",
    )


def test_two_parts_may_not_have_different_functions_of_one_name(file):
    yours.keep("softmax", "def shares(x):\n    return x / x.sum()\n\n\ndef softmax(x):\n    return shares(np.exp(x))")
    other = "def shares(x):\n    return x\n\n\ndef rms_norm(x):\n    return shares(x)"
    says(
        lambda: yours.keep("rms_norm", other),
        ValueError,
        "shares must have another name in rms_norm: my_model.py has one of that name.",
    )
    yours.keep("rms_norm", "def shares(x):\n    return x / x.sum()\n\n\ndef rms_norm(x):\n    return shares(x)")
    yours.keep("softmax", "def shares(x):\n    return x / x.sum()\n\n\ndef softmax(x):\n    return shares(x)")


# --- a file that is broken -------------------------------------------------------------------------------------------


def test_a_broken_part_is_the_course_s_and_the_sentence_names_the_line(file, capsys):
    yours.keep("softmax", SOFTMAX)
    yours.keep("rotate", ROTATE)
    broken = file.read_text("utf-8").replace("def softmax(scores):", "def softmax(scores:")
    file.write_text(broken, "utf-8")
    line = next(k for k, each in enumerate(broken.splitlines(), 1) if "softmax(scores:" in each)
    assert by_you() == ["rotate"]
    np.testing.assert_array_equal(yours.softmax(np.zeros(4)), [0.25] * 4)
    said = capsys.readouterr().out
    assert said.startswith(f"my_model.py, line {line}: SyntaxError, ") and said.count("\n") == 1
    yours.keep("merge_heads", inspect.getsource(parts.merge_heads))
    assert "softmax(scores:" in file.read_text("utf-8") and by_you() == ["merge_heads", "rotate"]
    yours.keep("softmax", SOFTMAX.replace("# my own", "# mended"))
    assert by_you() == ["softmax", "merge_heads", "rotate"] and "# def softmax(scores:" in file.read_text("utf-8")


def test_a_line_that_stops_is_named_and_the_rest_goes_on(file, capsys):
    yours.keep("softmax", SOFTMAX)
    yours.keep("rotate", ROTATE)
    file.write_text(file.read_text("utf-8").replace("import math\n", "import math\nimport no_such_module\n"), "utf-8")
    assert by_you() == ["softmax", "rotate"]
    assert "my_model.py, line 8: ModuleNotFoundError, No module named 'no_such_module'." in capsys.readouterr().out


def test_a_part_that_stops_where_the_course_s_does_not_gives_way(file, capsys):
    yours.keep("softmax", SOFTMAX)
    file.write_text(file.read_text("utf-8").replace("np.exp(scores", "np.exp(scors"), "utf-8")
    np.testing.assert_array_equal(yours.softmax(np.zeros(4)), [0.25] * 4)
    yours.softmax(np.zeros(4))
    (said,) = capsys.readouterr().out.splitlines()
    assert (
        said
        == "my_model.py, line 17: softmax stopped with NameError, name 'scors' is not defined. The course's goes on."
    )


def test_a_part_that_takes_less_gives_way_and_the_line_is_that_of_its_name(file, capsys):
    yours.keep("causal_mask", "def causal_mask(num_tokens):\n    return np.tri(num_tokens, dtype=bool)")
    assert yours.causal_mask(1, 3).tolist() == [[True, True, True]]
    assert capsys.readouterr().out.startswith("my_model.py, line 15: causal_mask stopped with TypeError, ")


def test_what_a_part_was_given_is_to_blame_where_the_course_s_stops_too(file):
    yours.keep("merge_heads", "def merge_heads(x):\n    raise LookupError('of my own')")
    with pytest.raises(LookupError, match="of my own"):
        yours.merge_heads(np.zeros(3))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00garbage", "caf\xe9".encode("latin-1")])
def test_a_file_that_is_no_text_stops_nothing_and_is_not_overwritten(file, capsys, content):
    file.write_bytes(content)
    assert by_you() == []
    assert "cannot be read, so all parts are the course's" in capsys.readouterr().out
    with pytest.raises(ValueError, match="codec can't decode"):
        yours.keep("softmax", SOFTMAX)
    assert file.read_bytes() == content


# --- kinds of floats -------------------------------------------------------------------------------------------------


def test_floats_come_back_in_the_kind_that_was_given(file):
    yours.keep("rotate", "def rotate(x, positions, base):\n    return x * np.ones(1)")
    yours.keep(
        "model_layer",
        "def model_layer(x, W, sizes, cache=None):\n    return np.float64(2) * x, [np.ones(3), np.arange(2)]",
    )
    x = np.ones((2, 4), np.float32)
    assert yours.rotate(x, np.arange(2), 10.0).dtype == np.float32
    assert yours.rotate(x, base=10.0, positions=np.arange(2)).dtype == np.float32
    out, (ones, counted) = yours.model_layer(x, {}, {})
    assert (out.dtype, ones.dtype, counted.dtype) == (np.float32, np.float32, np.arange(2).dtype)
    assert yours.rotate(x.astype(float), np.arange(2), 10.0).dtype == float


def test_lists_and_masked_arrays_are_arrays_for_whoever_calls_next_and_a_text_is_a_list(file, capsys):
    yours.keep(
        "softmax",
        "def softmax(scores):\n    return np.ma.array(parts_of(scores))\n\n\ndef parts_of(s):\n    return s + 1",
    )
    yours.keep("swiglu", "def swiglu(x, *W):\n    return [row for row in x]")
    yours.keep(
        "model_layer",
        "def model_layer(x, W, sizes, cache=None):\n    return (2 * x).tolist(), ([x, x], [[[1.0, 2.0]]])",
    )
    yours.keep("read", "def read(ids, *more):\n    return [[0.0, 1.0] for _ in ids], [None]")
    yours.keep("merge_pairs", "def merge_pairs(word, merges):\n    return tuple(word)")
    x = np.ones((2, 4), np.float32)
    for given in (yours.softmax(x), yours.swiglu(x, x, x, x)):
        assert type(given) is np.ndarray and given.dtype == np.float32 and given.shape == (2, 4)
    out, (key, value) = yours.model_layer(x, {}, {})
    assert (out.shape, key.shape, value.shape) == ((2, 4), (2, 2, 4), (1, 1, 2))
    assert {each.dtype for each in (out, key, value)} == {np.dtype(np.float32)}
    logits, caches = yours.read([1, 2, 3], {}, {})
    assert logits.shape == (3, 2) and caches == [None]
    yours.keep("next_token", "def next_token(logits, *more):\n    return np.array(1)")
    yours.keep("write", "def write(ids, *more):\n    yield from (*ids, np.int64(5))")
    assert type(yours.next_token(x[0], 0, 1, None)) is int
    assert yours.write([1], {}, {}, 1)[1:] == [5]
    assert yours.merge_pairs("ab", []) == ("a", "b") and capsys.readouterr().out == ""


def test_a_mask_and_a_token_stay_what_they_are(file):
    yours.keep("causal_mask", "def causal_mask(n, m=None):\n    return np.tri(n, m or n, (m or n) - n, bool)")
    yours.keep("next_token", "def next_token(logits, temperature, top_p, rng):\n    return int(logits.argmax())")
    assert yours.causal_mask(2, 3).tolist() == [[True, True, False], [True, True, True]]
    assert yours.next_token(np.array([0, 2, 1], np.float32), 1, 1, None) == 1


def test_derivatives_go_through_and_a_part_that_cuts_them_gives_way(file, capsys):
    x = mygrad.tensor([1.0, 2.0])
    yours.keep("softmax", SOFTMAX)
    yours.softmax(x)[0].backward()
    assert np.abs(x.grad).max() > 0.1
    yours.keep("softmax", SOFTMAX.replace("# my own", "scores = np.asarray(scores)"))
    x = mygrad.tensor([1.0, 2.0])
    yours.softmax(x)[0].backward()
    assert np.abs(x.grad).max() > 0.1
    assert "softmax stopped with TypeError, no derivatives come out of it" in capsys.readouterr().out
    assert isinstance(yours.softmax(x.data), np.ndarray)


def test_a_part_that_stops_whether_derivatives_are_wanted_or_not_is_told_its_own_error(file, capsys):
    yours.keep("softmax", "def softmax(scores):\n    return scores.softly()")
    yours.softmax(mygrad.tensor([0.0, 1.0]))
    told = capsys.readouterr().out
    assert "has no attribute 'softly'" in told and yours.CUTS not in told


def test_a_part_that_cuts_derivatives_is_not_asked_for_them_again(file, capsys):
    yours.keep("rms_norm", "asked = []\n\n\ndef rms_norm(x):\n    asked.append(type(x))\n    return np.asarray(x) * 1")
    for _ in range(3):
        yours.rms_norm(mygrad.tensor([1.0, 2.0])).sum().backward()
    assert yours.rms_norm(np.ones(2)).tolist() == [1, 1]
    assert yours.model().space["asked"] == [mygrad.Tensor, np.ndarray]
    assert capsys.readouterr().out.count("no derivatives") == 1


# --- writing goes wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_full_disk_leaves_the_file_as_it_was(file, monkeypatch, fails):
    yours.keep("softmax", SOFTMAX)
    text = file.read_text("utf-8")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, fails, full)
        with pytest.raises(OSError, match="No space left"):
            yours.keep("rotate", ROTATE)
    assert file.read_text("utf-8") == text and [each.name for each in file.parent.iterdir()] == ["my_model.py"]


def test_a_folder_that_cannot_be_written_is_told_so(monkeypatch, tmp_path):
    monkeypatch.setenv("MY_MODEL", str(tmp_path / "no such folder" / "my_model.py"))
    with pytest.raises(OSError):
        yours.keep("softmax", SOFTMAX)


KEEP = "import inspect, sys; from helpers import parts, yours; [yours.keep(n, inspect.getsource(getattr(parts, n))) for n in sys.argv[1:]]"


def test_two_notebooks_at_once_lose_nothing(file):
    hands = [list(parts.LESSONS)[k::3] for k in range(3)]
    hands = [[name for name in hand if name != "encoder_layer"] for hand in hands]
    running = [subprocess.Popen([sys.executable, "-c", KEEP, *hand], cwd=ROOT) for hand in hands]
    assert [each.wait(timeout=120) for each in running] == [0, 0, 0]
    assert by_you() == [name for name in parts.LESSONS if name != "encoder_layer"]
    assert sorted(each.name for each in file.parent.iterdir()) == ["my_model.py"]


@pytest.mark.parametrize(
    "loop",
    [
        "while True:\n    pass",
        "def count():\n    while True:\n        try:\n            1 / 0\n        except Exception:\n            pass\n\n\ncount()",
    ],
)
def test_a_file_that_loops_without_end_is_told_and_the_rest_of_it_is_there(file, monkeypatch, capsys, loop):
    monkeypatch.setattr(yours, "LONGEST", 0.2)
    yours.keep("softmax", SOFTMAX)
    yours.keep("rotate", ROTATE)
    text = file.read_text("utf-8").replace("# --- rotate", f"{loop}\n\n\n# --- rotate")
    file.write_text(text, "utf-8")
    assert by_you() == ["softmax", "rotate"] or by_you() == ["rotate"]
    said = capsys.readouterr().out
    assert "this did not end within 0.2 seconds. What cannot be loaded is the course's until you mend it." in said


def test_a_lock_that_somebody_left_behind_does_not_last(file, monkeypatch):
    (file.parent / ".my_model.py.lock").touch()
    clock = iter(range(0, 1000, 3))
    monkeypatch.setattr(own_file.time, "monotonic", lambda: next(clock))
    yours.keep("softmax", SOFTMAX)
    assert by_you() == ["softmax"] and not (file.parent / ".my_model.py.lock").exists()


# --- as a program ----------------------------------------------------------------------------------------------------


def run(file, *arguments):
    done = subprocess.run(
        [sys.executable, file, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_file_lists_its_parts_and_on_what_they_lean(file):
    yours.keep("softmax", SOFTMAX)
    yours.keep("shared_attention", SHARED)
    yours.keep(
        "model_layer",
        "from helpers import positions\n\n\ndef model_layer(x, W, sizes, cache=None):\n    return positions.rotate(merge_heads(x)), softmax(x)",
    )
    *rows, last = run(file)
    listed = {line.split()[0]: line.split(maxsplit=2)[2] for line in rows}
    assert list(listed) == list(parts.LESSONS)
    assert listed["softmax"] == listed["shared_attention"] == "yours" and listed["rotate"] == "the course's"
    assert listed["model_layer"] == "yours, leans on the course's rotate, merge_heads"
    assert last == "3 of the 17 parts of your model are yours."


def test_what_a_helper_beside_a_part_leans_on_is_listed_and_a_part_may_be_an_object(file):
    yours.keep(
        "encoder_layer",
        "from helpers import layers\n\n\nclass Layer:\n    def think(self, x):\n        return layers.gelu(x)\n\n\ndef encoder_layer(x, *more):\n    return Layer().think(x)",
    )
    yours.keep("softmax", SOFTMAX)
    file.write_text(
        file.read_text("utf-8").replace("# --- softmax", "rotate = np.vectorize(max)\n\n\n# --- softmax"), "utf-8"
    )
    listed = {line.split()[0]: line.split(maxsplit=2)[2] for line in run(file)[:-1]}
    assert listed["encoder_layer"] == "yours, leans on the course's gelu"
    assert listed["rotate"] == listed["softmax"] == "yours"


def test_the_speed_of_a_layer_is_told_once_it_is_yours(file, monkeypatch, capsys):
    from helpers import your_program

    your_program.layer_speed()
    assert capsys.readouterr().out.startswith("model_layer is still the course's. Once yours is right, ")
    yours.keep("model_layer", inspect.getsource(parts.model_layer))
    monkeypatch.setattr(language_model, "find", lambda: None)
    your_program.layer_speed()
    assert capsys.readouterr().out.startswith("The language model must be installed, but is not.")
