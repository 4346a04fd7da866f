"""Rows of edits that replace one expression by another, and where a row fits."""

import ast
import functools
import itertools

from helpers.checks.trees import OPERATORS

COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
SWAPS = ["* /", "+ -", "- +", "+ *", "/ *", "/ //", "// /", "// %", "** *", "^ **", "% //", "& |", "| &"]

# Rank (0 for what is likeliest), what stands there, what must stand there, the sentence; then an Edit's words, if any.
# A, B, C, F, G stand for any expression, N for a name or a number. After `each` are the parts that must be the same
# where the edit is made at several places at once; `line`: within one line only; `torch`: together with others of its kind.
_OWN = "Python's own {0} in {{own}} takes rows for numbers: each row needs its own, along axis=-1 with keepdims=True"
TABLE = [
    (0, "A.T", "A", "{own} must not be transposed here", "closing joins"),
    (1, "A * B", "A @ B", "{own} multiplies number by number; a matrix product, @, is needed", "each B"),
    (1, "A @ B", "A * B", "{own} is a matrix product; here it is number by number, *", "each B"),
    *((1, old, new, "in {own} it must be **, not *", "each N") for old, new in [("A * N", "A ** N"), ("A * (N - B)", "A ** (N - B)")]),
    *((0.8 if {a, b} == {"+", "-"} else 1, f"A {a} B", f"A {b} B", f"in {{own}} it must be {b}, not {a}", "each B" if b in ("//", "%") else "each B joins")
      for a, b in map(str.split, SWAPS)),
    *((rank, f"A {a} B", f"B {a} A", f"in {{own}} the two sides of {a} are exchanged", "line joins")
      for a, rank in [("@", 1), ("-", 0.9), ("/", 0.9), ("**", 0.9)]),
    *((1, "A @ B", "B @ A", "in {own} the two sides of @ are exchanged", f"each {a} joins") for a in ("A", "B")),
    *((1.9 if a in "*/" else 2, f"A {a} B", "A", f"in {{own}} the last part, {a} {{B}}, is too much", "each B less") for a in OPERATORS),
    *((2, f"A {a} B", "B", f"in {{own}} the first part, {{A}} {a}, is too much", "each A less") for a in ("*", "@", "+", "-", "&", "|")),
    *((1, f"A {a} B", f"A {b} B", f"in {{own}} the comparison must be {b}", "") for a, b in itertools.permutations(COMPARISONS, 2)),
    *((1, f"{a}A", "A", "{own} is right without its sign", "") for a in ("-", "+", "~", "not ")),
    (1.4, "(1 - A) * B", "A * B", "in {own} it must be {A}, not 1 − {A}", ""),
    (1.5, "S * B", "(1 - S) * B", "in {own} it must be 1 − {S}", ""),
    (1.5, "S * B + C", "S * B + (1 - S) * C", "in {own} the last part, {C}, must be multiplied by 1 − {S}", "each S joins"),
    *((1.5, "A == B", f"A {a} B", f"{{own}} asks whether the two are equal; {w} is needed", "")
      for a, w in [("@", "their matrix product, @,"), ("*", "their product, *,")]),
    (1, "A + [B]", "[*A, B]", "{own} appends nothing: + joins a list to another list only. Write [*…, …]", "each"),
    (1, "[A] * B", "[A] * (B - 1)", "{own} has one too many", "joins"),
    (1, "[A] * B", "[A] * (B + 1)", "{own} has one too few", "joins"),
    (1.5, "np.exp(A)", "np.exp(-A)", "{own} needs a minus: {A} must be negative", ""),
    (1, "enumerate(A)", "enumerate(A, 1)", "{own} counts from 0, where it must count from 1", "joins bound"),
    (1, "enumerate(A, B)", "enumerate(A)", "{own} must count from 0", "joins bound"),
    (1, "enumerate(A, start=B)", "enumerate(A)", "{own} must count from 0", "joins bound"),
    (1, "np.maximum(A, B)", "np.logaddexp(A, B)", "{own} takes the larger one of the two; the logarithm of the sum of their powers is np.logaddexp", ""),
    (1.5, "A + F(B)", "F(A + B)", "in {own} the sum belongs inside the brackets of {F}: {F} comes last", "joins"),
    (1.5, "A + F(B, **C)", "F(A + B, **C)", "in {own} the sum belongs inside the brackets of {F}: {F} comes last", "joins"),
    *((1, f"A - B {a} C", f"abs(A - B) {a} C", "in {own} a difference below 0 counts as a small one: its size is asked for, abs(…)", "joins")
      for a in ("<", "<=", ">", ">=")),
    (1, "A.insert(0, B)", "A.append(B)", "{own} puts each one before the others: append it", ""),
    (1, "[-A, B]", "[A, -B]", "in {own} the minus stands before the wrong part", "joins"),
    (1, "[A, -B]", "[-A, B]", "in {own} the minus stands before the wrong part", "joins"),
    (1, "1 / A", "A", "{own} is upside down: it is right without 1 /", ""),
    (1, "len(A)", "A.shape[-1]", "{own} is how many rows there are; the width is needed, .shape[-1]", ""),
    (1, "len(A)", "np.sum(A)", "{own} counts how many there are; their sum is needed", "each A joins"),
    (1, "A ** F(B)", "F(A ** B)", "in {own} {F} comes too early: first the power, then {F}", ""),
    (2, "F(A)", "A", "in {own} {F} is one step too many", "less"),
    (1, "A if B else C", "A", "in {own} the second case is too much", "less"),
    (1, "A if B else C", "C", "in {own} the first case is too much", "less"),
    (1, "A if B else C", "C if B else A", "in {own} the two cases are exchanged", ""),
    (2, "A[B]", "A", "{own} is right without the index", "each B less"),
    *((0.5, f"A[:, {a}]", f"A[..., {a}]", "{own} puts the new axis in second place, which is the last one only of a matrix: [..., None]", "")
      for a in ("None", "np.newaxis")),
    (0, "A[:]", "A.copy()", "{own} is no copy: what is written into it is written into {A}, too. Take .copy()", "copies"),
    *((2, f"{f}(A)", "A ** 2", "{own} is the size of {A}; its square is needed", "") for f in ("abs", "np.abs", "np.absolute")),
    (1, "A.index(A[B])", "B", "{own} is the first place where this stands, each time; {B} is the place that is meant", "each"),
    (1, "np.stack([A, B], axis=-1).reshape(C)", "np.concatenate([A, B], axis=-1)",
     "{own} takes the two in turn; one stands behind the other: np.concatenate([…, …], axis=-1)", ""),
    (1.5, "np.where(A, B, C)", "np.where(A, B, -np.inf)", "in {own} {C} still gets a share: -np.inf gets none", ""),
    (1.5, "A == B", "np.array(A) == B", "{own} asks whether the whole of {A} equals {B}; np.array(…) around it asks each of its parts", ""),
    *((0.5, f"{f}(A)", f"{f}(np.abs(A))", "{own} lets negative numbers pass: their size counts, np.abs(…)", "") for f in ("np.max", "np.amax")),
    *((0.5, f"A.max({axis})", f"np.abs(A).max({axis})", "{own} lets negative numbers pass: their size counts, np.abs(…)", "")
      for axis in ("", "axis=B")),
    *((1, f"A {a} B * C", f"A {a} B ** C", "in {own} it must be **, not *", "each C") for a in "*/"),
    (1, "np.inf", "-np.inf", "{own} needs a minus", ""),
    *((1, f"A {a} B", f"A {a} 0", "in {own} it must be 0 in the place of {B}", "") for a in ("<", ">")),
    *((1, f"A.{a}", f"A.{b}", f"{{own}} takes the wrong part: .{b} is needed", "joins")
      for a, b in itertools.permutations(("output", "weights", "scores"), 2)),
    (1, "A[B, C]", "A[C, B]", "in {own} row and column are exchanged", ""),
    (1, "A[B][:, C]", "A[B, C]", "{own} takes all columns {C} of every row: [{B}, {C}] takes them pair by pair", ""),
    (1, "F(A) @ B / C", "F(A / C) @ B", "in {own} / {C} stands behind {F}, and belongs inside its brackets", "joins"),
    *((1, f"A.reshape({shape})", "__turned__(A)", "{own} keeps the numbers in their order and turns nothing: it must be transposed", "joins")
      for shape in ("B", "B, C")),
    (1, "A.reshape(B, -1)", "A.reshape(*A.shape[:-2], -1)", "{own} leaves out the axes before them: .reshape(*….shape[:-2], -1)", ""),
    (1, "A.reshape(-1, B)", "A.reshape(*A.shape[:-2], -1)", "{own} joins the axes before them, too: .reshape(*….shape[:-2], -1)", ""),
    (1, "A.reshape(B.shape[0], -1)", "A.reshape(-1, B.shape[-1])", "{own} keeps the first axis; the last one is to be kept: .reshape(-1, ….shape[-1])", ""),
    *((2, f"A.reshape({shape})", "A", "in {own} .reshape is one step too many", "less") for shape in ("B", "B, C")),
    *((1, f"{f}(A)", f"A.{f}(axis=-1, keepdims=True)", _OWN.format(f), "each joins") for f in ("max", "min", "sum")),
    (0, "A.size(B)", "A.shape[B]", "size(…) is PyTorch's; in NumPy it is .shape[…]", "torch joins"),
    (0, "A.transpose(B, C)", "A.swapaxes(B, C)", "transpose of two axes is PyTorch's; in NumPy it is swapaxes", "torch joins"),
    (0, "A.permute(B, C)", "A.swapaxes(B, C)", "permute is PyTorch's; in NumPy two axes change places by swapaxes", "torch joins"),
    *((1, f"A.{f}({axis}) {sign} B", f"(A {sign} B).{f}({axis})", f"{{own}} compares too late: first each number, then .{f}", "")
      for f in ("any", "all") for axis in ("", "axis=C") for sign in "<>"),
    *((1, old, new, f"{{own}} asks all rows at once: ask each row for itself, axis=-1, and then .{last}() of that", "")
      for old, new, last in [("A.any()", "A.any(axis=-1).all()", "all"), ("A.all()", "A.all(axis=-1).any()", "any"),
                             ("np.any(A)", "np.any(A, axis=-1).all()", "all"), ("np.all(A)", "np.all(A, axis=-1).any()", "any")]),
    *((1, old.format("B, C"), old.format(new), f"{{own}} exchanges the wrong axes: it must be {new}", "")
      for old in ("A.swapaxes({})", "np.swapaxes(A, {})") for new in ("-3, -2", "-2, -1", "0, 1", "1, 2")),
    *(
        (1, f"{f}({given})", f"{f}({changed})", f"{{own}} {words}", "each joins bound")
        for f in ("range", "np.arange")
        for given, changed, words in [
            ("A", "A + 1", "stops one too early"),
            ("A", "A - 1", "stops one too late"),
            ("A", "1, A", "starts at 0, where it must start at 1"),
            ("A, B", "A, B + 1", "stops one too early"),
            ("A, B", "A, B - 1", "stops one too late"),
            ("A, B, C", "A, B + 1, C", "stops one too early"),
            ("A, B, C", "A, B - 1, C", "stops one too late"),
            ("A, B", "B", "must start at 0"),
            ("A, B", "A - 1, B", "starts one too late"),
            ("A, B", "A + 1, B", "starts one too early"),
            ("1, A + 1", "A", "counts from 1, where it must count from 0"),
        ]
    ),
]  # fmt: skip
WILD = {
    **dict.fromkeys("ABCFG", lambda node: True),
    "N": lambda node: isinstance(node, (ast.Name, ast.Constant)),
    "S": lambda node: not (isinstance(node, ast.Constant) and isinstance(node.value, int)),  # it may be a share of 1
}


@functools.cache
def rows_by_kind():
    """TABLE as trees, by the kind of node that stands there: dict type -> list of (row, rank, pattern, change, words, how)."""
    rows = {}
    for row, (rank, old, new, words, how) in enumerate(TABLE):
        pattern, change = (ast.parse(text, mode="eval").body for text in (old, new))
        rows.setdefault(type(pattern), []).append((row, rank, pattern, change, words, how.split()))
    return rows


def matches(pattern, node, found):
    """Whether a node has the form of a pattern; `found` then holds what stands for its letters."""
    if isinstance(pattern, ast.Name) and pattern.id in WILD:
        found[pattern.id] = node
        return WILD[pattern.id](node)
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(matches(a, b, found) for a, b in zip(pattern, node))
    if not isinstance(pattern, ast.AST):
        return pattern == node
    fields = [field for field in pattern._fields if field != "ctx"]
    return type(pattern) is type(node) and all(matches(getattr(pattern, f), getattr(node, f), found) for f in fields)
