"""A formula of attention, typed in letters, and its shapes, factor by factor. Nothing is multiplied here but sizes."""

import re
from typing import NamedTuple

import numpy as np

from helpers import matrices
from helpers.explorers.controls import choose, text_field
from helpers.explorers.engine import Rule, explorer
from helpers.explorers.notation import COLUMNS, ROWS

SIZES = {"n": 5, "d": 2, "d_k": 4, "d_v": 3}  # of an example in which all differ
SHAPES = {  # tokens are rows
    "X": ("n", "d"),
    "W_Q": ("d", "d_k"),
    "W_K": ("d", "d_k"),
    "W_V": ("d", "d_v"),
    "Q": ("n", "d_k"),
    "K": ("n", "d_k"),
    "V": ("n", "d_v"),
    "S": ("n", "n"),
    "A": ("n", "n"),
}
LONGEST = 80  # letters
PIECE = re.compile(r"\s*(softmax|W_[QKV]|[XQKVSA]|[()]|ᵀ)")
NUMBER = r"(d(_\w+)?|\d+(\.\d+)?)"
SPELLINGS = {  # what may be typed, and how it is written here
    r"\^\s*(T|⊤|\\top|\{T\}|\{\\top\})|\.T\b|'|⊤": "ᵀ",
    r"W[\^_]?(?:\{\(?)?([qkvQKV])(?:\)?\})?": lambda found: f"W_{found[1].upper()}",
    rf"/\s*((√|(np\.|math\.)?sqrt)\s*(\(\s*{NUMBER}\s*\)|{NUMBER})|{NUMBER})": " ",  # changes no shape
    r"[@·*]": " ",
}


class Term(NamedTuple):
    """text : how it is written; shape : (height, width) in the names of SIZES, or None where sizes did not meet."""

    text: str
    shape: tuple | None


def explore_formula():
    """Type a formula: which sizes meet, and what comes out?

    Shown: sizes (num_products, 4), height and width of both factors of each product in an example of 5 tokens with d = 2,
    d_k = 4, d_v = 3; result (2,), empty where two sizes do not meet
    """
    return explorer(
        _check,
        lambda now: [matrices.ribbon(_read(now.formula, now.token_is)[0], f"tokens are {_plural(now)}")],
        _describe,
        [
            Rule("inner sizes meet", _meet),
            Rule("softmax is taken of tokens × tokens, n×n", _shares_tokens),
            Rule(_one_for_each_token, _has_each_token),
        ],
        presets={
            "rows": {"formula": "softmax(Q Kᵀ / √d_k) V", "token_is": ROWS},
            "columns": {"formula": "V softmax(Kᵀ Q / √d_k)", "token_is": COLUMNS},
            "from the tokens": {"formula": "softmax(X W_Q (X W_K)ᵀ) X W_V", "token_is": ROWS},
            "mixed": {"formula": "softmax(Q Kᵀ / √d_k) V", "token_is": COLUMNS},
        },
        formula=text_field("formula", "softmax(Q Kᵀ / √d_k) V"),
        token_is=choose("one token is", [ROWS, COLUMNS], ROWS),
    )


def _plural(now):
    return f"{now.token_is.removeprefix('a ')}s"


def _check(formula, token_is):
    lines, whole = _read(formula, token_is)
    products = [line for line in lines if len(line.factors) == 2]
    sizes = [[SIZES[size] for _, shape in line.factors for size in shape] for line in products]
    return {
        "sizes": np.array(sizes).reshape(-1, 4),
        "result": np.array([SIZES[size] for size in whole.shape or ()]),
    }


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(formula, token_is):
    """The lines of the ribbon, and what comes out."""
    if len(formula) > LONGEST:
        raise ValueError(f"The formula must have at most {LONGEST} letters, got {len(formula)}.")
    text = formula
    for spelling, here in SPELLINGS.items():
        text = re.sub(spelling, here, text)
    pieces, end = [], 0
    while text[end:].strip():
        found = PIECE.match(text, end)
        if not found:
            raise ValueError(
                f"The formula is made of X, W_Q, W_K, W_V, Q, K, V, S, A, softmax(…), ᵀ (type ^T) and brackets; “{text[end:].strip()[0]}” "
                "is none of them."
            )
        pieces, end = [*pieces, found[1]], found.end()
    reader = _Reader(pieces, token_is)
    whole = reader.product(")")
    if reader.left:
        raise ValueError("The formula closes a bracket that it did not open.")
    return reader.lines, whole


class _Reader:
    """Reads pieces from left to right; `lines` are the products and softmaxes in the order in which they are worked out."""

    def __init__(self, pieces, token_is):
        self.left, self._token_is, self.lines = list(pieces), token_is, []

    def product(self, end):
        """Factors up to a closing bracket, or the end."""
        whole = None
        while self.left and self.left[0] != end:
            factor = self._factor()
            whole = factor if whole is None else self._times(whole, factor)
        if whole is None:
            raise ValueError("The formula must have a letter here: it is empty, or holds empty brackets.")
        return whole

    def _factor(self):
        piece = self.left.pop(0)
        if piece == "ᵀ":
            raise ValueError("ᵀ must stand behind the letter that it transposes.")
        if piece == "softmax":
            if not self.left or self.left[0] != "(":
                raise ValueError("softmax must be followed by what it is taken of, in brackets.")
            inside = self._brackets()
            whole = self._softmax(inside)
        elif piece == "(":
            self.left.insert(0, piece)
            inside = self._brackets()
            whole = Term(f"({inside.text})", inside.shape)
        else:
            whole = Term(piece, SHAPES[piece] if self._token_is == ROWS else SHAPES[piece][::-1])
        while self.left and self.left[0] == "ᵀ":
            self.left.pop(0)
            whole = Term(f"{whole.text}ᵀ", whole.shape and whole.shape[::-1])
        return whole

    def _brackets(self):
        self.left.pop(0)
        inside = self.product(")")
        if not self.left:
            raise ValueError("The formula opens a bracket that it does not close.")
        self.left.pop(0)
        return inside

    def _times(self, first, second):
        text = f"{first.text} {second.text}"
        if first.shape is None or second.shape is None:
            return Term(text, None)
        fits = first.shape[1] == second.shape[0]
        shape = (first.shape[0], second.shape[1]) if fits else None
        self._add([first, second], Term(text, shape))
        return Term(text, shape)

    def _softmax(self, inside):
        text = f"softmax({inside.text})"
        if inside.shape:
            note = f"of each {self._token_is.removeprefix('a ')}"
            self._add([inside], Term(text, inside.shape), note)
        return Term(text, inside.shape)

    def _add(self, factors, result, note=""):
        self.lines.append(matrices.Product(f"{len(self.lines) + 1}.", factors, result if result.shape else None, note))


# --- judging ---------------------------------------------------------------------------------------------------------


def _meet(now):
    broken = [line for line in _read(now.formula, now.token_is)[0] if line.result is None]
    pairs = dict.fromkeys(f"{line.factors[0].shape[1]} and {line.factors[1].shape[0]}" for line in broken)
    return not broken, f"{', '.join(pairs)} do not"


def _shares_tokens(now):
    taken = [line.result[1] for line in _read(now.formula, now.token_is)[0] if line.note]
    if not taken:
        return None
    wrong = [shape for shape in taken if shape != ("n", "n")]
    detail = f"here it is taken of {wrong[0][0]}×{wrong[0][1]}" if wrong else ""
    return not wrong, detail


def _wanted(now):
    return ("n", "d_v") if now.token_is == ROWS else ("d_v", "n")


def _one_for_each_token(now):
    size = "×".join(_wanted(now))
    return f"what comes out has the size of an output, {size} (one {now.token_is.removeprefix('a ')} for each token)"


def _has_each_token(now):
    _, whole = _read(now.formula, now.token_is)
    return whole.shape == _wanted(now), f"it is {'×'.join(whole.shape)}" if whole.shape else "nothing comes out"


def _describe(now):
    _, whole = _read(now.formula, now.token_is)
    if whole.shape is None:
        return f"With tokens as {_plural(now)}, {whole.text} cannot be worked out."
    return f"With tokens as {_plural(now)}, {whole.text} is {whole.shape[0]}×{whole.shape[1]}."
