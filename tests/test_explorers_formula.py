"""Shapes of typed formulas, beside the same formulas written in Python; tests/test_explorers.py moves the explorer beside them."""

import numpy as np
import pytest

from helpers import explorers
from tests import driving

SIZES = {"n": 5, "d": 2, "d_k": 4, "d_v": 3}
FORMULAS = {  # what is typed: the same in Python, or None where it cannot be read
    "softmax(Q Kᵀ / √d_k) V": "softmax(Q @ K.T) @ V",
    "V softmax(Kᵀ Q / √d_k)": "V @ softmax(K.T @ Q)",
    "softmax(Q K^T/sqrt(d_k))V": "softmax(Q @ K.T) @ V",
    "softmax(Q @ K.T / np.sqrt(64)) @ V": "softmax(Q @ K.T) @ V",
    "softmax(X W_Q (X W_K)ᵀ) X W_V": "softmax(X @ W_Q @ (X @ W_K).T) @ X @ W_V",
    "X W^{(q)} (X W^{(k)})^{T}": "X @ W_Q @ (X @ W_K).T",
    "(W_q X)' (W_k X)": "(W_Q @ X).T @ (W_K @ X)",
    "(Q Kᵀ) V": "(Q @ K.T) @ V",
    "Q (Kᵀ V)": "Q @ (K.T @ V)",
    "A V": "A @ V",
    "V A": "V @ A",
    "Vᵀ Aᵀ": "V.T @ A.T",
    "softmax(S)": "softmax(S)",
    "softmax(X Xᵀ) X": "softmax(X @ X.T) @ X",
    "X softmax(Xᵀ X)": "X @ softmax(X.T @ X)",
    "softmax(Q K) V": "softmax(Q @ K) @ V",
    "Q V K": "Q @ V @ K",
    "(Q V) (K Q)": "(Q @ V) @ (K @ Q)",
    "Qᵀᵀ Kᵀ": "Q.T.T @ K.T",
    "softmax(softmax(Q Kᵀ))": "softmax(softmax(Q @ K.T))",
    "X": "X",
    "": None,
    "()": None,
    ")": None,
    "ᵀ": None,
    "softmax Q": None,
    "softmax(Q Kᵀ": None,
    "Q Kᵀ) V": None,
    "Q + K": None,
    "Z": None,
    "Q" * 81: None,
    "<b>Q</b>": None,
}
driving.OTHER_TEXTS["formula"] = list(FORMULAS)


class Matrix:
    """A name and its sizes, which multiplies, and notes what it multiplied."""

    def __init__(self, name, shape, notes):
        self.name, self.shape, self.notes = name, shape, notes

    @property
    def T(self):
        bare = f"({self.name})" if " " in self.name else self.name
        return Matrix(f"{bare}ᵀ", self.shape and self.shape[::-1], self.notes)

    def __matmul__(self, other):
        if self.shape is None or other.shape is None:
            return Matrix("", None, self.notes)
        fits = self.shape[1] == other.shape[0]
        self.notes.append((self, other, fits))
        return Matrix(f"{self.name} {other.name}", (self.shape[0], other.shape[1]) if fits else None, self.notes)


def work_out(formula, token_is):
    notes = []
    rows = {"X": "n d", "Q": "n d_k", "K": "n d_k", "V": "n d_v", "S": "n n", "A": "n n"}
    rows |= {"W_Q": "d d_k", "W_K": "d d_k", "W_V": "d d_v"}
    turn = 1 if token_is == "a row" else -1
    names = {name: Matrix(name, tuple(sizes.split())[::turn], notes) for name, sizes in rows.items()}

    def softmax(inside):
        if inside.shape:
            notes.append((inside, None, True))
        return Matrix(f"softmax({inside.name})", inside.shape, notes)

    return notes, eval(FORMULAS[formula], {"softmax": softmax, **names})


def reference(formula, token_is):
    if FORMULAS[formula] is None:
        return None
    notes, whole = work_out(formula, token_is)
    sizes = [[SIZES[x] for x in (*left.shape, *right.shape)] for left, right, _ in notes if right]
    return {"sizes": np.reshape(sizes, (-1, 4)), "result": [SIZES[x] for x in whole.shape or ()]}


def shapes(shown, values):
    notes, _ = work_out(values["formula"], values["token_is"])
    word = values["token_is"].removeprefix("a ")
    rows = []
    for left, right, fits in notes:
        if right is None:
            rows.append([left.shape, f"of each {word}", left.shape])
        elif fits:
            rows.append([left.shape, right.shape, (left.shape[0], right.shape[1])])
        else:
            rows.append([left.shape, right.shape, f"✗ {left.shape[1]} and {right.shape[0]} do not meet"])
    return rows


class Sized(str):
    """Equal to any word that ends in these sizes."""

    def __eq__(self, word):
        return word.endswith(f" {self}")

    __hash__ = str.__hash__


def tables(shown, values):
    rows = [[cell if isinstance(cell, str) else Sized("×".join(cell)) for cell in row] for row in shapes(shown, values)]
    return {f"tokens are {values['token_is'].removeprefix('a ')}s": rows}


def lights(shown, values):
    notes, whole = work_out(values["formula"], values["token_is"])
    softmaxes = [left.shape for left, right, _ in notes if right is None]
    word = values["token_is"].removeprefix("a ")
    want = ("n", "d_v") if word == "row" else ("d_v", "n")
    found = [("inner sizes meet", 0 if all(fits for *_, fits in notes) else None)]
    if softmaxes:
        found.append(("softmax is taken of tokens × tokens", 0 if set(softmaxes) == {("n", "n")} else None))
    rule = f"what comes out has the size of an output, {'×'.join(want)} (one {word} for each token)"
    return [*found, (rule, 0 if whole.shape == want else None)]


REFERENCES = {"explore_formula": reference}
TABLES = {"explore_formula": tables}
SENTENCES = {"explore_formula": lambda shown, values: []}
LIGHTS = {"explore_formula": lights}


@pytest.mark.parametrize(
    ("preset", "good"), [("rows", True), ("columns", True), ("from the tokens", True), ("mixed", False)]
)
def test_presets_are_right_but_for_the_mixed_one(preset, good):
    explorer = explorers.explore_formula()
    driving.buttons(explorer)[preset].click()
    assert all(holds for holds, _ in driving.lights(explorer.html)) is good


def test_a_formula_turns_over_as_a_whole():
    """Transposed, with its factors in the opposite order, a formula for rows is one for columns."""
    pairs = {"A V": "V A", "softmax(Q Kᵀ / √d_k) V": "V softmax(Kᵀ Q / √d_k)", "softmax(X Xᵀ) X": "X softmax(Xᵀ X)"}
    explorer = explorers.explore_formula()
    for rows, columns in pairs.items():
        explorer.set(formula=rows, token_is="a row")
        result = explorer.shown["result"]
        explorer.set(formula=columns, token_is="a column")
        assert explorer.shown["result"].tolist() == result[::-1].tolist()


@pytest.mark.parametrize("formula", ["V", "Q Kᵀ V", "softmax(V)"])
def test_what_only_has_the_size_of_an_output_is_not_called_one(formula):
    explorer = explorers.explore_formula()
    explorer.controls["formula"].value = formula
    holds, told = driving.lights(explorer.html)[-1]
    assert holds and told == "what comes out has the size of an output, n×d_v (one row for each token)"


def test_sizes_that_do_not_meet_are_named_once():
    explorer = explorers.explore_formula()
    for formula, told in {
        "(Q K)(K V)": "d_k and n do not",
        "(Q K)(W_Q K)": "d_k and n do not",
        "(Q K)(W_Q W_K)": "d_k and n, d_k and d do not",
    }.items():
        explorer.controls["formula"].value = formula
        assert (False, f"inner sizes meet: {told}") in driving.lights(explorer.html)


@pytest.mark.parametrize("formula", [formula for formula, python in FORMULAS.items() if python is None])
def test_formula_that_cannot_be_read_gets_one_sentence(formula):
    explorer = explorers.explore_formula()
    picture = explorer.html
    explorer.controls["formula"].value = formula
    assert explorer._view.value.startswith(picture) and "The last good picture stays." in explorer._view.value
    assert "<b>Q" not in explorer._view.value
