"""What a check does with a right answer: it goes into the learner's own file as it was typed, with what it needs, or it is said why not."""

import functools
import linecache

import nbformat
import numpy as np
import pytest

from helpers import yours
from rooms.your_own import keeping
from tests import notebooks, refresh_notebooks
from tests.cells import Notebook


@pytest.fixture(autouse=True)
def nothing_was_told(monkeypatch):
    monkeypatch.setattr(keeping, "_told", set())


KEPT = "Kept in my_model.py: 1 of the 17 parts of your model is yours."
SOFTMAX = """
print("hello")
# rows of shares


def softmax(scores):
    '''My own.'''
    scores = scores - scores.max(axis=-1, keepdims=True)  # no overflow
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    # that is all

print("bye")
"""


def test_a_right_answer_is_kept_as_it_was_typed_and_said(file):
    right, kept = Notebook().run(SOFTMAX).check("softmax")
    assert right.startswith("✓ Right")
    assert kept == KEPT
    text = file.read_text("utf-8")
    assert SOFTMAX.split("\n\n\n")[1].rpartition("\n\nprint")[0] in text and "hello" not in text and "bye" not in text


def test_a_wrong_answer_after_a_right_one_changes_nothing(file):
    notebook = Notebook().run(SOFTMAX)
    notebook.check("softmax")
    text = file.read_text("utf-8")
    (wrong,) = notebook.run("def softmax(scores):\n    return np.exp(scores)").check("softmax")
    assert wrong.startswith("✗") and file.read_text("utf-8") == text


def test_what_is_no_part_is_not_kept(file):
    (right,) = (
        Notebook()
        .run(
            "def layer_norm(x):\n    x = x - x.mean(-1, keepdims=True)\n    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)"
        )
        .check("layer_norm")
    )
    assert right.startswith("✓") and not file.exists()


def test_outside_of_a_notebook_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("MY_MODEL")
    assert not keeping.keeps()
    monkeypatch.setenv("MY_MODEL", "")
    assert not keeping.keeps()


def test_functions_constants_and_modules_of_the_notebook_go_along(file):
    notebook = Notebook().run(
        "import functools as ft\nfrom operator import sub\nfrom numpy import exp\nAXIS, KEEP = -1, True"
    )
    notebook.run("def highest(x):  # of a row\n    return x.max(axis=AXIS, keepdims=KEEP)")
    notebook.run(
        "def shifted(x):\n    return sub(x, highest(x))\n\n\nover = lambda x: x / ft.reduce(np.add, [x.sum(AXIS, keepdims=KEEP)])"
    )
    _, kept = notebook.run("def softmax(scores):\n    return over(exp(shifted(scores)))").check("softmax")
    assert kept.startswith("Kept")
    text = file.read_text("utf-8")
    for line in (
        "import functools as ft",
        "from numpy import exp",
        "AXIS = -1",
        "def highest(x):  # of a row",
        "over = lambda",
    ):
        assert text.count(line) == 1, line
    assert "from _operator import sub" in text or "from operator import sub" in text


@pytest.mark.parametrize(
    "cell",
    [
        "class Row:\n    def __init__(self, s):\n        self.s = s\n\n    def tame(self):\n        return np.exp(self.s - top(self.s))",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Row:\n    s: np.ndarray\n\n    def tame(self):\n        return np.exp(self.s - top(self.s))",
        "class Held:\n    pass\n\n\nclass Row(Held):\n    def __new__(cls, s):\n        row = super().__new__(cls)\n        row.tame = lambda: np.exp(s - top(s))\n        return row",
        "from typing import NamedTuple\n\n\nclass Row(NamedTuple):\n    s: np.ndarray\n    tame = property(lambda row: lambda: np.exp(row.s - top(row.s)))",
    ],
)  # fmt: skip
def test_classes_of_the_notebook_go_along(file, cell):
    notebook = Notebook().run("def top(s):\n    return s.max(axis=-1, keepdims=True)")
    answer = "def softmax(scores):\n    e = Row(scores).tame()\n    return e / e.sum(axis=-1, keepdims=True)"
    _, kept = notebook.run(f"{cell}\n\n\n{answer}").check("softmax")
    assert kept == KEPT and file.read_text("utf-8").count("class Row") == 1
    assert yours.softmax(np.zeros(4)).tolist() == [0.25] * 4


def test_a_class_with_no_function_goes_along_from_the_cell_of_the_answer(file):
    answer = "class Axis:\n    last = -1\n\n\ndef merge_heads(x):\n    y = np.swapaxes(x, -2, -3)\n    return y.reshape(*y.shape[:-2], Axis.last)"
    assert Notebook().run(answer).check("merge_heads")[1] == KEPT


@pytest.mark.parametrize(
    "line",
    [
        "swapped = functools.partial(np.swapaxes, axis1=-2, axis2=-3)",
        "Ends = collections.namedtuple('Ends', 'one other')\nENDS = Ends(-2, -3)\nswapped = lambda x: np.swapaxes(x, *ENDS)",
        "swapped: object = np.vectorize(lambda z: z.swapaxes(0, 1), signature='(h,n,d)->(n,h,d)')  # heads behind",
        "def make():\n    return lambda x: np.swapaxes(x, -2, -3)\n\n\nswapped = make()",
    ],
)
def test_what_the_cell_of_the_answer_makes_in_a_line_goes_along(file, line):
    answer = "def merge_heads(x):\n    y = swapped(x)\n    return y.reshape(*y.shape[:-2], -1)"
    notebook = Notebook().run("import collections, functools")
    assert notebook.run(f"{line}\n\n\n{answer}").check("merge_heads")[1] == KEPT
    assert yours.merge_heads(np.ones((2, 3, 4))).shape == (3, 8)


def test_a_class_of_another_cell_that_cannot_be_found_is_named(file):
    notebook = Notebook().run("class Axis:\n    last = -1")
    answer = "def merge_heads(x):\n    y = np.swapaxes(x, -2, -3)\n    return y.reshape(*y.shape[:-2], Axis.last)"
    assert "it needs Axis from elsewhere" in notebook.run(answer).check("merge_heads")[1]


def test_names_that_cannot_go_along_are_named_and_nothing_is_kept(file):
    notebook = Notebook().run("table = np.ones(300)")
    right, said = notebook.run(
        "def merge_heads(x):\n    table\n    y = np.swapaxes(x, -2, -3)\n    return y.reshape(*y.shape[:-2], -1)"
    ).check("merge_heads")
    assert right.startswith("✓") and not file.exists()
    assert said == (
        "It was not kept in my_model.py: it needs table from elsewhere in the notebook. "
        "Give it to the function, or make it inside."
    )


@pytest.mark.parametrize(
    "cell",
    [
        "def rows(x):\n    return softmax(x)\n\n\nsoftmax = lambda s: np.exp(s - s.max(-1, keepdims=True)) / np.exp(s - s.max(-1, keepdims=True)).sum(-1, keepdims=True)",
        "def mine(scores):\n    e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)\n\n\nsoftmax = mine",
        "@np.errstate(all='ignore')\ndef softmax(scores):\n    e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)",
    ],
)  # fmt: skip
def test_other_ways_to_write_a_function(file, cell):
    _, kept = Notebook().run(cell).check("softmax")
    assert kept.startswith("Kept"), kept
    assert yours.softmax(np.zeros(4)).tolist() == [0.25] * 4


@pytest.mark.parametrize(
    "constant",
    [
        "-np.inf",
        "float('nan')",
        "np.float32(-np.inf)",
        "(1, -np.inf)",
        "np.array([0.0, -np.inf])",
        "np.arange(4)",
        "['attn_norm', 'attn_q']",
        "{'q': 'num_heads', 'k': (1, [2, -np.inf])}",
    ],
)
def test_constants_go_along_with_a_part(file, constant):
    notebook = Notebook().run(f"NOTHING = {constant}")
    _, kept = notebook.run(
        "def merge_heads(x):\n    NOTHING\n    y = np.swapaxes(x, -2, -3)\n    return y.reshape(*y.shape[:-2], -1)"
    ).check("merge_heads")
    assert kept.startswith("Kept"), kept
    space = {"np": np}
    exec(next(line for line in file.read_text("utf-8").splitlines() if line.startswith("NOTHING")), space)
    np.testing.assert_array_equal(space["NOTHING"], eval(constant, {"np": np}))


def test_an_answer_that_has_another_name_or_none(file):
    notebook = Notebook().run(SOFTMAX.replace("softmax", "my_softmax"))
    assert notebook.check("softmax", notebook.space["my_softmax"])[1].startswith("Kept")
    assert "softmax = my_softmax" in file.read_text("utf-8")


def test_a_list_stays_one_whatever_the_answer_is_called(file):
    cell = "def cut(word, merges):\n    symbols = list(word)\n    for left, right in merges:\n        k = 0\n        while k + 1 < len(symbols):\n            if symbols[k : k + 2] == [left, right]:\n                symbols[k : k + 2] = [left + right]\n            k += 1\n    return symbols\n\n\nmerge_pairs = cut"
    assert Notebook().run(cell).check("merge_pairs")[1] == KEPT


def test_what_is_no_function_of_a_cell_is_not_kept(file):
    notebook = Notebook().run(SOFTMAX)
    made = functools.partial(notebook.space["softmax"])
    assert "only a function that a cell defines" in notebook.check("softmax", made)[1]
    linecache.cache.clear()
    assert "the source of softmax is not known" in notebook.check("softmax")[1]


LEANS = """
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    return attention.softmax(query @ key.T / math.sqrt(query.shape[-1])) @ value
"""


def test_the_course_s_function_is_called_until_there_is_one_of_your_own(file):
    notebook = Notebook().run(LEANS)
    notebook.check("self_attention")
    text = file.read_text("utf-8")
    assert "from helpers.parts import softmax  # the course's" in text and "return softmax(query" in text
    notebook.run(SOFTMAX).check("softmax")
    assert "helpers.parts" not in file.read_text("utf-8")
    assert yours.self_attention(np.eye(2), *[np.eye(2)] * 3).shape == (2, 2)


def test_a_call_that_a_part_does_not_take_stays_the_course_s(file):
    notebook = Notebook().run(LEANS.replace("shape[-1]))", "shape[-1]), axis=-1)"))
    assert notebook.check("self_attention")[1].startswith("Kept")
    text = file.read_text("utf-8")
    assert "from helpers import attention\n" in text and "attention.softmax(query" in text


def test_parts_that_are_called_by_yours_are_called_by_name(file):
    notebook = Notebook().run(LEANS.replace("attention.softmax", "yours.softmax"))
    assert notebook.check("self_attention")[1].startswith("Kept")
    assert "return softmax(query" in file.read_text("utf-8")


def test_an_answer_that_is_right_beside_a_function_of_the_notebook_alone_is_not_kept(file):
    notebook = Notebook().run("def softmax(scores, axis):\n    return attention.softmax(scores, axis=axis)")
    right, said = notebook.run(
        LEANS.replace("attention.softmax(", "softmax(").replace(") @ value", ", -1) @ value")
    ).check("self_attention")
    assert right.startswith("✓") and not file.exists()
    assert (
        said
        == "It was not kept in my_model.py: it is right beside what this notebook defines, and not beside the parts that are kept."
    )


def test_a_folder_that_cannot_be_written_is_said_once(file, monkeypatch):
    monkeypatch.setenv("MY_MODEL", str(file.parent / "none" / "my_model.py"))
    notebook = Notebook().run(SOFTMAX)
    right, said = notebook.check("softmax")
    assert right.startswith("✓") and "cannot be written, so your answers stay in the notebooks alone" in said
    assert len(notebook.check("softmax")) == 1


def test_in_a_notebook_a_tick_shows_the_model_and_the_file_is_beside_it(tmp_path, monkeypatch):
    monkeypatch.delenv("MY_MODEL")  # as a learner has it
    path = notebooks.FOLDER / "01_ask_for_a_b.ipynb"
    with refresh_notebooks.one_kernel(path) as kernel:

        def outputs(source):
            cells = [nbformat.v4.new_code_cell(source)]
            return refresh_notebooks.execute(nbformat.v4.new_notebook(cells=cells), path, kernel).cells[0].outputs

        outputs(f"import os; os.chdir({str(tmp_path)!r})\nimport numpy as np\nfrom helpers import checks, yours")
        outputs("yours._COURSE = yours.Path('installed')")
        outputs(SOFTMAX)
        wrong, folded, _ = outputs("checks.check('softmax', lambda scores: np.exp(scores))")
        said, shown, _ = outputs("checks.check('softmax', softmax)")
    assert wrong.text.startswith("✗ ") and wrong.text.count("\n") == 1
    assert "<details>" in folded.data["text/html"] and folded.data["text/plain"].startswith("Show me where:")
    assert said.text.splitlines()[1] == "Kept in my_model.py: 1 of the 17 parts of your model is yours."
    assert 'href="01_ask_for_a_b.ipynb"' in shown.data["text/html"] and "✓ softmax" in shown.data["text/html"]
    assert "softmax (01, yours)" in shown.data["text/plain"]
    assert "def softmax(scores):" in (tmp_path / "my_model.py").read_text("utf-8")


def test_two_copies_of_the_course_and_one_environment_are_told(tmp_path, monkeypatch):
    monkeypatch.delenv("MY_MODEL", raising=False)
    monkeypatch.setattr(yours, "path", lambda: tmp_path / "old" / "my_model.py")
    (tmp_path / "old" / "notebooks").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "old" / "notebooks")
    assert keeping.elsewhere() == ""
    monkeypatch.chdir(tmp_path)
    assert keeping.elsewhere() == f" of {tmp_path / 'old'}, the copy of the course that this Python belongs to"


def test_a_later_answer_says_what_becomes_of_the_older(file):
    notebook = Notebook().run(SOFTMAX)
    assert notebook.check("softmax")[1] == notebook.check("softmax")[1] == KEPT
    notebook.run(SOFTMAX.replace("# no overflow", "# from the largest down"))
    assert notebook.check("softmax")[1] == f"It replaces your older softmax, which is in my_model.before.py. {KEPT}"
    assert "# no overflow" in file.with_name("my_model.before.py").read_text("utf-8")


def test_a_part_that_rounds_its_numbers_is_right_and_not_kept(file):
    rounds = "(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)).astype(np.float16)"
    notebook = Notebook().run(SOFTMAX.replace("np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)", rounds))
    right, said = notebook.check("softmax")
    assert right.startswith("✓ Right") and not file.exists()
    assert (
        said == "It was not kept in my_model.py: it rounds to 16 bits, and the parts after it compute with its numbers."
    )


def test_a_line_of_blanks_is_no_change_by_hand(file):
    notebook = Notebook().run(SOFTMAX.replace("(scores):\n", "(scores):\n    \n", 1))
    assert notebook.check("softmax")[1] == notebook.check("softmax")[1] == KEPT


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("# no overflow", "# faster", "."),
        (".sum(axis=-1", ".sum(axis=0", "; it is no longer right. Delete it there and check again to have this one."),
    ],
)
def test_a_part_that_was_changed_by_hand_is_judged_as_it_stands(file, old, new, told):
    notebook = Notebook().run(SOFTMAX)
    notebook.check("softmax")
    changed = file.read_text("utf-8").replace(old, new)
    file.write_text(changed, "utf-8")
    right, kept = notebook.check("softmax")
    assert right.startswith("✓ Right") and file.read_text("utf-8") == changed
    assert kept == f"Your softmax in my_model.py was changed by hand, and stays so{told} {KEPT}"


def test_a_part_that_was_changed_so_that_it_cannot_be_loaded_is_told_so_and_comes_back_once_it_is_deleted(file):
    notebook = Notebook().run(SOFTMAX)
    notebook.check("softmax")
    whole = file.read_text("utf-8")
    file.write_text(whole.replace("np.exp(scores).sum(", "np.exp(scores.sum("), "utf-8")
    right, loads, kept = notebook.check("softmax")
    assert right.startswith("✓ Right") and "SyntaxError" in loads
    assert kept == (
        "Your softmax in my_model.py was changed by hand, and stays so; it cannot be loaded. "
        "Delete it there and check again to have this one. 0 of the 17 parts of your model are yours."
    )
    first, _, rest = file.read_text("utf-8").partition("# --- softmax")
    file.write_text(first + rest[rest.index("# --- what") :], "utf-8")
    assert notebook.check("softmax")[1] == KEPT and "np.exp(scores).sum(" in file.read_text("utf-8")
