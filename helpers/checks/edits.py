"""The edits that learners need, each with its sentence: brackets, axes, names, operators, returns.

TABLE holds those that replace one expression by another; the methods of _Finder hold the others.
"""

import ast
import copy
import functools
import itertools
import re

END = ". With that mended, your answer is right."
SHORT = 44  # letters of the learner's own expression in a sentence
OPERATORS = ["+", "-", "*", "@", "/", "//", "%", "**", "^", "&", "|"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
SWAPS = ["* /", "+ -", "- +", "+ *", "/ *", "/ //", "// /", "// %", "** *", "^ **", "% //", "& |", "| &"]
KIN = [{"std", "var"}, {"sum", "mean"}, {"max", "min"}, {"tril", "triu"}, {"sin", "cos"}, {"any", "all"}, {"append", "extend"},
       {"argmax", "argsort"}, {"exp", "log"}, {"sum", "max"}, {"hstack", "vstack"}, {"stack", "concatenate"}, {"zeros", "ones"},
       {"arange", "linspace"}, {"sqrt", "isqrt"}, {"log", "log10", "log2"}]  # fmt: skip
REDUCING = set("sum mean max min std var softmax prod any all argmax stack concatenate split reduce cumsum".split())
FLAT = {"cumsum", "softmax", "stack", "concatenate", "split", "argmax"}  # of these, those that know no keepdims
COUNTED = {"arange", "tile", "full", "repeat"}  # these hold whole numbers, if they are given such
LIKE = {"zeros_like", "empty_like", "ones_like", "full_like"}  # these take over the type of what they are given
TORCH = {"dim": "axis", "keepdim": "keepdims"}
WHOLE = [0, 1, 2, 3, -1]
DECIMAL = [0.0, 1e-5, 1e-8, 0.1, 0.9, 0.001, 0.999, 0.5, 1.0, 2.0]

# Rank (0 for what is likeliest), what stands there, what must stand there, the sentence; then an Edit's words, if any.
# A, B, C, F, G stand for any expression, N for a name or a number. After `each` are the parts that must be the same
# where the edit is made at several places at once; `line`: within one line only; `torch`: together with others of its kind.
_OWN = "Python's own {0} in {{own}} takes rows for numbers: each row needs its own, along axis=-1 with keepdims=True"
TABLE = [
    (0, "A.T", "A", "{own} must not be transposed here", "closing joins"),
    (1, "A * B", "A @ B", "{own} multiplies number by number; a matrix product, @, is needed", "each B"),
    (1, "A @ B", "A * B", "{own} is a matrix product; here it is number by number, *", "each B"),
    *((1, old, new, "in {own} it must be **, not *", "each N") for old, new in [("A * N", "A ** N"), ("A * (N - B)", "A ** (N - B)")]),
    *((1, f"A {a} B", f"A {b} B", f"in {{own}} it must be {b}, not {a}", "each B joins") for a, b in map(str.split, SWAPS)),
    *((1, f"A {a} B", f"B {a} A", f"in {{own}} the two sides of {a} are exchanged", "line joins") for a in ("@", "-", "/", "**")),
    *((1, "A @ B", "B @ A", "in {own} the two sides of @ are exchanged", f"each {a} joins") for a in ("A", "B")),
    *((2, f"A {a} B", "A", f"in {{own}} the last part, {a} {{B}}, is too much", "each B less") for a in OPERATORS),
    *((2, f"A {a} B", "B", f"in {{own}} the first part, {{A}} {a}, is too much", "each A less") for a in ("*", "@", "+", "-", "&", "|")),
    *((1, f"A {a} B", f"A {b} B", f"in {{own}} the comparison must be {b}", "") for a, b in itertools.permutations(COMPARISONS, 2)),
    *((1, f"{a}A", "A", "{own} is right without its sign", "") for a in ("-", "+", "~", "not ")),
    (1.5, "A * B", "(1 - A) * B", "in {own} it must be 1 − {A}", ""),
    (1.5, "A * B + C", "A * B + (1 - A) * C", "in {own} the last part, {C}, must be multiplied by 1 − {A}", "each A"),
    *((1.5, "A == B", f"A {a} B", f"{{own}} asks whether the two are equal; {w} is needed", "")
      for a, w in [("@", "their matrix product, @,"), ("*", "their product, *,")]),
    (1, "1 / A", "A", "{own} is upside down: it is right without 1 /", ""),
    (1, "len(A)", "np.sum(A)", "{own} counts how many there are; their sum is needed", "each A joins"),
    (1, "A ** F(B)", "F(A ** B)", "in {own} {F} comes too early: first the power, then {F}", ""),
    (1, "F(G(A))", "G(F(A))", "{own} does two steps in the wrong order: {F} must come before {G}", ""),
    (2, "F(A)", "A", "{own} is one step too many", "less"),
    (1, "A if B else C", "A", "in {own} the second case is too much", "less"),
    (1, "A if B else C", "C", "in {own} the first case is too much", "less"),
    (1, "A if B else C", "C if B else A", "in {own} the two cases are exchanged", ""),
    (2, "A[B]", "A", "{own} is right without the index", "each B less"),
    (0.5, "A.max()", "np.abs(A).max()", "{own} lets negative numbers pass: their size counts, np.abs(…)", ""),
    *((1, f"A {a} B * C", f"A {a} B ** C", "in {own} it must be **, not *", "each C") for a in "*/"),
    (1, "np.inf", "-np.inf", "{own} needs a minus", ""),
    *((1, f"A {a} B", f"A {a} 0", "in {own} it must be 0 in the place of {B}", "") for a in ("<", ">")),
    *((1, f"A.{a}", f"A.{b}", f"{{own}} is not what is needed; .{b} is", "joins")
      for a, b in itertools.permutations(("output", "weights", "scores"), 2)),
    (1, "A[B, C]", "A[C, B]", "in {own} row and column are exchanged", ""),
    (1, "A.reshape(B, C)", "A.T", "{own} keeps the numbers in their order and turns nothing: it must be transposed", "joins"),
    *((1, f"{f}(A)", f"A.{f}(axis=-1, keepdims=True)", _OWN.format(f), "each joins") for f in ("max", "min", "sum")),
    (0, "A.size(B)", "A.shape[B]", "size(…) is PyTorch's; in NumPy it is .shape[…]", "torch joins"),
    (0, "A.transpose(B, C)", "A.swapaxes(B, C)", "transpose of two axes is PyTorch's; in NumPy it is swapaxes", "torch joins"),
    (0, "A.permute(B, C)", "A.swapaxes(B, C)", "permute is PyTorch's; in NumPy two axes change places by swapaxes", "torch joins"),
    *((1, old, new, "{own} asks all rows at once: each row is to be asked for itself, axis=-1", "")
      for old, new in [("A.any()", "A.any(axis=-1).all()"), ("A.all()", "A.all(axis=-1).any()"),
                       ("np.any(A)", "np.any(A, axis=-1).all()"), ("np.all(A)", "np.all(A, axis=-1).any()")]),
    *((1, old.format("B, C"), old.format(new), f"{{own}} exchanges the wrong axes: it must be {new}", "")
      for old in ("A.swapaxes({})", "np.swapaxes(A, {})") for new in ("-3, -2", "-2, -1", "0, 1", "1, 2")),
    *(
        (1, f"{f}({given})", f"{f}({changed})", f"{{own}} {words}", "each joins")
        for f in ("range", "np.arange")
        for given, changed, words in [
            ("A", "A + 1", "stops one too early"),
            ("A", "A - 1", "stops one too late"),
            ("A", "1, A", "starts at 0, where it must start at 1"),
            ("A, B", "A, B + 1", "stops one too early"),
            ("A, B", "A, B - 1", "stops one too late"),
            ("A, B", "B", "must start at 0"),
            ("A, B", "A - 1, B", "starts one too late"),
            ("A, B", "A + 1, B", "starts one too early"),
            ("1, A + 1", "A", "counts from 1, where it must count from 0"),
        ]
    ),
]  # fmt: skip
WILD = set("ABCFG")


@functools.cache
def _table():
    """TABLE as trees, by the kind of node that stands there: dict type -> list of (row, rank, pattern, change, words, how)."""
    rows = {}
    for row, (rank, old, new, words, how) in enumerate(TABLE):
        pattern, change = (ast.parse(text, mode="eval").body for text in (old, new))
        rows.setdefault(type(pattern), []).append((row, rank, pattern, change, words, how.split()))
    return rows


def _matches(pattern, node, found):
    """Whether a node has the form of a pattern; `found` then holds what stands for its letters."""
    if isinstance(pattern, ast.Name) and (pattern.id in WILD or pattern.id == "N"):
        found[pattern.id] = node
        return pattern.id in WILD or isinstance(node, (ast.Name, ast.Constant))
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(_matches(a, b, found) for a, b in zip(pattern, node))
    if not isinstance(pattern, ast.AST):
        return pattern == node
    fields = [field for field in pattern._fields if field != "ctx"]
    return type(pattern) is type(node) and all(_matches(getattr(pattern, f), getattr(node, f), found) for f in fields)


def _filled(change, found):
    """A copy of a tree with what stands for its letters."""
    if isinstance(change, ast.Name) and change.id in found:
        return found[change.id]
    if isinstance(change, list):
        return [_filled(part, found) for part in change]
    if not isinstance(change, ast.AST):
        return change
    return type(change)(**{field: _filled(getattr(change, field), found) for field in change._fields})


class Edit:
    """One change of a tree.

    changes : list of (container, key, value): node and field, or list and place
    words : the sentence, without its full stop; rank : 0 for what is likeliest
    kind : edits of one kind may be made everywhere at once
    how : words of joins (leaves what it changes in its place, so that a known mistake may show after it), closing (may go
        with any other edit), closes (says by itself that all the rest is right), less (leaves a part out, which is the
        better word where more than that mends, too)
    doubtful : an edit that should *not* make the answer right, if this one does for a good reason
    """

    def __init__(self, rank, changes, words, kind=None, how="", doubtful=None):
        self.rank, self.changes, self.words, self.kind, self.doubtful = rank, changes, words, kind, doubtful
        self.joins, self.closing, self.closes, self.less = (f in how for f in ("joins", "closing", "closes", "less"))
        self.before, self.line = [], words.partition(":")[0]
        self.turns, self.parts = bool(kind) and kind[0] == "T", []

    def make(self):
        self.before = []
        for container, key, value in self.changes:
            self.before.append((container, key, get(container, key)))
            put(container, key, value)

    def undo(self):
        for container, key, value in reversed(self.before):
            put(container, key, value)

    def touches(self, other):
        places = {(id(container), str(key)) for container, key, _ in self.changes}
        return any((id(container), str(key)) in places for container, key, _ in other.changes)


def get(container, key):
    return container[key] if isinstance(container, list) else getattr(container, key)


def put(container, key, value):
    if isinstance(container, list):
        container[key] = value
    else:
        setattr(container, key, value)


def single(tree, lines):
    """Every single edit of a tree, whose source is the file of these lines."""
    return list(_Finder(tree, lines).all())


def everywhere(singles):
    """The edits of one kind made at every place where they can be made."""
    kinds = {}
    for edit in singles:
        if edit.kind is not None:
            kinds.setdefault(edit.kind, []).append(edit)
    whole = {}  # the same exchange of operators, whatever its parts are
    for kind, same in kinds.items():
        if isinstance(kind[0], int) and TABLE[kind[0]][4].startswith("each"):
            whole.setdefault(kind[0], []).append(same)
    whole = [[edit for same in several for edit in same] for several in whole.values() if len(several) > 1]
    two = [pair for same in kinds.values() if 2 < len(same) < 6 for pair in itertools.combinations(same, 2)]
    return [together(same) for same in [*kinds.values(), *whole, *two] if len(same) > 1]


def together(same):
    """Several edits of one kind as one."""
    lines = sorted({int(line) for edit in same for line in re.findall(r"^Lines? (\d+)", edit.words)})
    where = f"Lines {' and '.join(map(str, lines))}" if len(lines) > 1 else f"Line {lines[0]}, each time"
    first, changes = same[0], [change for edit in same for change in edit.changes]
    rank = 0 if first.kind[0] in {"torch", "copy"} else max(first.rank, 1)
    words = re.sub(r"^Line \d+", where, first.words)
    owns = [re.search(r"`[^`]*`", edit.words) for edit in same]
    if all(owns) and len({own[0] for own in owns}) > 1:  # where the expressions differ each of them is named
        others = [
            own[0] + (f" ({edit.line.lower()})" if edit.line != first.line else "")
            for own, edit in zip(owns[1:], same[1:])
            if edit.parts == []
        ]
        words = f"{first.words}, and so it is in {' and '.join(dict.fromkeys(others))}" if others else words
    edit = Edit(rank, changes, words, first.kind, "joins" * first.joins)
    edit.parts = same
    return edit


class _Finder:
    def __init__(self, tree, lines):
        self.tree, self.lines, self.function = tree, lines, tree.body[-1]
        nodes = list(ast.walk(tree))
        tests = [node.test for node in nodes if isinstance(node, (ast.If, ast.IfExp))]
        self.asked = {
            inner for test in tests for inner in ast.walk(test)
        }  # a name that makes a question idle mends nothing
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        given = {a.arg for n in nodes if isinstance(n, (ast.FunctionDef, ast.Lambda)) for a in n.args.args}
        self.names = sorted(stored | given)
        over = [n.right for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
        self.divisors = [node for node in over if isinstance(node, ast.Call)][:3]
        targets = [n.target for n in nodes if isinstance(n, (ast.For, ast.comprehension))]
        firsts = [target.elts[0] if isinstance(target, ast.Tuple) else target for target in targets]
        self.counters = sorted({first.id for first in firsts if isinstance(first, ast.Name)})

    def all(self):
        yield from self.endings(self.function)
        for node in ast.walk(self.tree):
            for field, value in ast.iter_fields(node):
                if isinstance(value, ast.expr):
                    yield from self.of_expression(value, node, field, node)
                elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    yield from self.of_body(node, field, value)
                elif isinstance(value, list):
                    for place, part in enumerate(value):
                        if isinstance(part, ast.expr):
                            yield from self.of_expression(part, value, place, node)
            if isinstance(node, ast.stmt):
                yield from self.of_statement(node)

    def on_line(self, name):
        """How often a name stands in the line where this one stands."""
        return len(re.findall(rf"\b{name.id}\b", self.lines[name.lineno - 1]))

    def segment(self, node):
        return _segment(self.lines, node)

    def own(self, node):
        return own(self.lines, node)

    def edit(self, rank, changes, node, words, *more):
        return Edit(rank, changes, f"Line {node.lineno}: {words}", *more)

    # --- expressions -------------------------------------------------------------------------------------------------

    def of_expression(self, node, container, key, parent):
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return

        def put(rank, new, words, *more):
            return self.edit(rank, [(container, key, new)], node, words, *more)

        self.parent, self.keyword = parent, parent.arg if isinstance(parent, ast.keyword) else None
        self.minus = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub)
        yield from self.of_table(node, put)
        yield from getattr(self, f"of_{type(node).__name__.lower()}", lambda node, put: ())(node, put)
        yield from self.of_place(node, put, parent, key)

    def of_table(self, node, put):
        """The rows of TABLE whose pattern the node has."""
        for row, rank, pattern, change, words, how in _table().get(type(node), ()):
            found = {}
            if "equal" in words and node in self.asked:
                continue
            if not _matches(pattern, node, found) or (
                "comparison" in words and _is_text(node) and not words.endswith(("==", "!="))
            ):
                continue
            kind = None
            if "each" in how:
                kind = row, *(ast.dump(found[part]) for part in how[how.index("each") + 1 :] if part in found)
            elif "line" in how:
                kind = row, node.lineno
            elif "torch" in how:
                kind = ("torch",)
            said = {part: self.own(each) for part, each in found.items() if f"{{{part}}}" in words}
            yield put(rank, _filled(change, found), words.format(own=self.own(node), **said), kind, " ".join(how))

    def of_place(self, node, put, parent, key):
        """Edits that any name, call, product or index may need, by where it stands."""
        named = isinstance(node, ast.Name)
        numbers = isinstance(node, (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute))
        if not numbers or isinstance(parent, ast.Attribute) or node is getattr(parent, "func", None):
            return
        own, ends = self.own(node), isinstance(parent, (ast.Return, ast.Assign))
        operand = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult)
        if operand or ends or (isinstance(parent, ast.Call) and _called(parent) != "len"):
            turned = ast.Call(ast.Name("__turned__", ast.Load()), [node], [])
            yield put(
                0 if operand else 1, turned, f"{own} must be transposed here", ("T", ast.dump(node)), "closing joins"
            )
        if isinstance(node, (ast.Name, ast.Call, ast.Subscript)) and (ends or isinstance(parent, ast.BinOp)):
            column = ast.parse(f"({ast.unparse(node)})[..., None]", mode="eval").body
            yield put(2, column, f"{own} must stand as a column here, with one axis more, [:, None]")
        if (
            ends
            or isinstance(parent, ast.Compare)
            or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Div) and key == "right")
            or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult) and not named)
        ):
            yield put(
                2,
                _made("np.sqrt(A)", A=node),
                f"the square root of {own} is needed here",
                None,
                "",
                put(2, _made("+A", A=node), ""),
            )
        if named and (operand or isinstance(parent, ast.Return)):
            twin = put(2, _made("+A", A=node), "")
            yield put(
                1.5,
                _made("A / A.sum(axis=-1, keepdims=True)", A=node),
                f"{own} must be divided by its sum here",
                None,
                "",
                twin,
            )
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.BitAnd):
            yield put(1, _made("~A", A=node), f"{own} is upside down here: ~")
        if isinstance(parent, ast.Assign) and not isinstance(node, ast.Name):
            for divisor in self.divisors:
                if ast.unparse(divisor) not in ast.unparse(node):
                    words = f"{own} must be divided by {self.own(divisor)}, too, as in line {divisor.lineno}"
                    yield put(2.2, _made("A / B", A=node, B=divisor), words)
        if named and isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult):
            words, twin = f"the square of {own} is needed here", put(2, _made("+A", A=node), "")
            yield put(2, _made("A ** 2", A=node), words, None, "", twin)
        if getattr(parent, "arg", "") == "mask":
            words = f"{own} is upside down here: in a mask of this course True means that a key may be seen"
            yield put(1, _made("~A", A=node), words)
        if named and isinstance(parent, (ast.Assign, ast.Tuple)):
            words = f"{own} is the same array under a second name: work on a copy"
            yield put(2, _made("A.copy()", A=node), words, ("copy", node.id))

    def of_call(self, node, put):
        name, own, args = _called(node), self.own(node), node.args
        method = isinstance(node.func, ast.Attribute)
        if name in REDUCING:
            yield from self.of_reduction(node, name, put)
        for other in [other for kin in KIN if name in kin for other in kin - {name}]:
            yield put(1, _renamed(node, other), f"{own} takes {name}, where {other} is needed", ("kin", name, other))
        if method and ast.unparse(node.func.value) == "math":
            new = ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), args, [])
            words = f"math.{name} takes one number and no array; NumPy's own np.{name} takes both"
            yield put(0, new, words, ("math",))
        yield from self.of_type(node, name, put)
        if name == "append" and method and isinstance(args[0] if args else None, ast.Name):
            words = f"{own} appends the same array each time, and what is written into it later changes all of them: append {args[0].id}.copy()"
            yield put(1, ast.Call(node.func, [_made("A.copy()", A=args[0])], []), words)
        for other in self.names if name == "exp" and len(args) == 1 and _is_difference(args[0]) else ():
            new = ast.Call(node.func, [_made("A - B", A=args[0], B=ast.Name(other, ast.Load()))], [])
            yield put(2, new, f"{own}: {other} must be taken off first, as elsewhere")
        if name in {"softmax", "round"} and args and (len(args) > 1 or node.keywords):
            yield put(2, args[0], f"{own} is one step too many")
        if method and (not args or name == "round" or (name == "astype" and ast.unparse(args[0]) == "int")):
            yield put(2, node.func.value, f"{own}: .{name} is one step too many")
        for k in range(len(args) - 1):
            turned = [*args[:k], args[k + 1], args[k], *args[k + 2 :]]
            words = f"in {own} {self.own(args[k])} and {self.own(args[k + 1])} are exchanged"
            names = isinstance(args[k], ast.Name) and isinstance(args[k + 1], ast.Name)
            yield put(0 if names and name != "einsum" else 1, ast.Call(node.func, turned, node.keywords), words)
        for keyword in node.keywords:
            rest = [other for other in node.keywords if other is not keyword]
            words = f"{keyword.arg}={ast.unparse(keyword.value)}" if keyword.arg else f"**{ast.unparse(keyword.value)}"
            yield put(2, ast.Call(node.func, args, rest), f"{own} is right without {words}", ("keyword", words), "less")
        if name in {"sorted", "reversed"} and args:
            new = ast.Call(ast.Name("list", ast.Load()), args[:1], [])
            yield put(1, new, f"{own} changes the order: it is right without {name}")
        if name in {"range", "arange"} and args:
            yield from self.of_range(node, put)
        if {keyword.arg for keyword in node.keywords} & {*TORCH, "unbiased"}:
            kept = [ast.keyword(TORCH.get(k.arg, k.arg), k.value) for k in node.keywords if k.arg != "unbiased"]
            words = "dim and keepdim are PyTorch's words; in NumPy they are axis and keepdims"
            yield put(0, ast.Call(node.func, args, kept), words, ("torch",), "joins")
        if not method and name in self.names and len(args) == 1:
            words = f"{own} calls {name}, which is an array: take square brackets"
            yield put(1, ast.Subscript(node.func, args[0], ast.Load()), words)

    def of_type(self, node, name, put):
        """A new array that takes over whole numbers as its type, and cuts all that is written into it."""
        rest = [keyword for keyword in node.keywords if keyword.arg != "dtype"]
        real, own = [*rest, ast.keyword("dtype", ast.Name("float", ast.Load()))], self.own(node)
        given = [ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "dtype"]
        given += [ast.unparse(arg) for arg in node.args[:1] if name == "astype"]
        if given and re.search("float(16|32)|half|single", given[0]):
            words = f"{own} keeps {'three' if '16' in given[0] or 'half' in given[0] else 'seven'} digits of each number, which is too few here: take float, which keeps sixteen"
            whole = node.args if name != "astype" or not node.args else [ast.Name("float", ast.Load())]
            yield put(0, ast.Call(node.func, whole, real if len(rest) < len(node.keywords) else rest), words, ("type",))
        elif len(rest) < len(node.keywords):
            words = f"{own} takes whole numbers alone, and cuts all others: dtype=float"
            yield put(1, ast.Call(node.func, node.args, real), words, ("type",))
        elif name in COUNTED:
            words = (
                f"{own} holds whole numbers, and all that is written into it is cut to whole ones: add .astype(float)"
            )
            yield put(1.5, _made("A.astype(float)", A=node), words, ("type",))
        elif name in LIKE and node.args:
            words = f"{own} takes over the type of {self.own(node.args[0])}: where that is whole numbers, all that is written into it is cut to whole ones. Add dtype=float"
            yield put(0, ast.Call(node.func, node.args, real), words, ("type",))
        elif name == "copy" and (node.args or isinstance(node.func, ast.Attribute)):
            given = node.args[0] if node.args else node.func.value
            words = f"{own} takes over the type, too: where that is whole numbers, all that is written into it is cut to whole ones. Take .astype(float)"
            yield put(1, _made("A.astype(float)", A=given), words, ("type",))

    def of_reduction(self, node, name, put):
        given, args = {keyword.arg: keyword.value for keyword in node.keywords}, node.args
        first = 0 if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value) else 1
        reduces = isinstance(node.func, ast.Attribute) and name != "split"
        if reduces and len(args) == first + 1 and isinstance(args[first], (ast.Constant, ast.UnaryOp)):
            given["axis"], args = args[first], args[:first]  # an axis that is not named
        rest = [keyword for keyword in node.keywords if keyword.arg not in {"axis", "keepdims"}]
        old, keeps, own = ast.unparse(given["axis"]) if "axis" in given else "None", "keepdims" in given, self.own(node)
        for axis, keepdims in itertools.product((-1, 0, None, 1, -2, -3), (False, True)):
            if (str(axis), keepdims) == (old, keeps) or (keepdims and (name in FLAT or axis is None)):
                continue
            if old == str(axis):
                words = (
                    f"{own} loses an axis: it needs keepdims=True" if keepdims else f"{own} is right without keepdims"
                )
            else:
                more = ", with keepdims=True" if keepdims and not keeps else ""
                how = (
                    "runs along the wrong axis"
                    if "axis" in given or name in {*FLAT, "reduce"}
                    else "takes all numbers at once"
                )
                words = f"{own} {how}: it must be axis={axis}{more}"
            new = ast.Call(node.func, args, rest + _axis(axis, keepdims))
            yield put(0 if axis == -1 else 1, new, words, ("axis", old, keeps, axis, keepdims), "joins")

    def of_binop(self, node, put):
        """A step whose input is added after it was changed: norm(x) + step(x) for x + step(norm(x))."""
        left, given = node.left, node.left.args[:1] if isinstance(node.left, ast.Call) else []
        yield from self.of_end_of_product(node, put)
        if given and isinstance(given[0], ast.Name) and isinstance(node.op, ast.Add):
            old = ast.dump(given[0])
            right = _replaced(node.right, lambda part: left if ast.dump(part) == old else None)
            words = f"{self.own(left)} belongs into what is added to it, in the place of {given[0].id}"
            yield put(1, ast.BinOp(given[0], node.op, right), words)

    def of_end_of_product(self, node, put):
        """A number that belongs to the last factor before it: a * (b - 1) for a * b - 1, also where more stands before."""
        added = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, (ast.Add, ast.Sub))
        product = node.left.right if added else node.left
        if isinstance(node.right, ast.Constant) and isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
            new = ast.BinOp(product.left, product.op, ast.BinOp(product.right, node.op, node.right))
            sign, last = _sign(node.op), self.own(product.right)[1:-1]
            words = f"brackets are missing around {last} {sign} {node.right.value}: {sign} comes after *"
            edit = put(1, node.left if added else new, words, ("product", sign, node.right.value))
            edit.changes += [(node.left, "right", new)] if added else []
            yield edit

    def of_boolop(self, node, put):
        """A word in the place of a question: norm == "post" or "post-norm"; a 0 that counts as nothing: decay or 1.0."""
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        sign, needed = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield put(1, ast.BoolOp(other, node.values), f"in {self.own(node)} it must be {needed}, not {sign}")
        for part in node.values:
            rest = [each for each in node.values if each is not part]
            if isinstance(part, ast.Constant):
                new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                words = f"the part {self.own(part)} is no question of its own: it counts as {bool(part.value)}, always"
                if isinstance(part.value, (int, float)) and isinstance(node.op, ast.Or) and part is node.values[-1]:
                    words = f"a {self.own(rest[-1])} of 0 counts as False, so that {self.own(part)} takes its place"
                yield put(0, new, f"in {self.own(node)} {words}")

    def of_range(self, node, put):
        """Another end, or another step, by one of the answer's own names."""
        inside, own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}, self.own(node)
        for name in self.counters if len(node.args) == 1 else ():
            if name not in inside:
                words = f"{own} goes on to the end, where it must stop after {name}: range({name} + 1)"
                yield put(1.5, ast.Call(node.func, [ast.parse(f"{name} + 1", mode="eval").body], []), words)
        for name in self.names if len(node.args) == 2 else ():
            if name not in inside:
                new = ast.Call(node.func, [*node.args, ast.Name(name, ast.Load())], node.keywords)
                yield put(2, new, f"{own} goes on by 1, where it must go on by {name}")

    def of_constant(self, node, put):
        value = node.value
        if isinstance(value, bool):
            yield put(1, ast.Constant(not value), f"{value} must be {not value} here")
        elif isinstance(value, str) and "->" in value:
            for new in _turned(value):
                words = f"“{value}” has its axes in the wrong order: “{new}” is needed"
                yield put(0, ast.Constant(new), words, ("einsum", value, new), "joins")
        elif isinstance(value, str):
            strings = {n.value for n in ast.walk(self.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            for other in sorted(strings - {value}):
                yield put(1, ast.Constant(other), f"“{value}” is the wrong name here: it must be “{other}”")
        elif isinstance(value, (int, float)):
            if value >= 1e4:
                yield put(1, _made("np.inf"), f"{value:g} is not infinitely much, and scores may be larger: np.inf is")
            for new in [new for new in _near(value) if new != value]:
                twin = put(1, ast.Constant(new + 0.37 if isinstance(new, float) else new + 7), "")
                sign = -1 if self.minus else 1
                words = f"the number {sign * value:g} must be {sign * new:g} here"
                yield put(1, ast.Constant(new), words, ("number", value, new), "", twin)
            for name in self.names if isinstance(value, int) and (value > 1 or (value and self.keyword)) else ():
                texts = {
                    name: name,
                    f"{name}.shape[-1]": f"the width of {name}",
                    f"len({name})": f"the length of {name}",
                }
                for what, words in list(texts.items()):
                    new = ast.parse(what, mode="eval").body
                    yield put(2, new, f"{value} fits some cases only: {words} must stand here")

    def of_name(self, node, put):
        for other in self.names if node.id in self.names and node not in self.asked else ():
            if other != node.id != self.keyword:  # what is handed on under its own name belongs there
                words = f"{node.id} is not what belongs here; {other} is"
                if isinstance(self.parent, ast.Call) and _called(self.parent) == "len":
                    words = f"{self.own(self.parent)} is not what belongs here; len({other}) is"
                elif hasattr(self.parent, "lineno") and self.on_line(node) > 1:
                    words = f"in {self.own(self.parent)} {words}"
                yield put(1.5, ast.Name(other, ast.Load()), words, ("name", node.id, other))

    def of_subscript(self, node, put):
        place = getattr(node.slice, "value", None)
        for new in (-1, 0, 1, -2) if isinstance(place, int) else ():
            if new != place:
                words = f"{self.own(node)} takes the wrong place: it must be [{new}]"
                yield put(1, ast.Subscript(node.value, ast.Constant(new), node.ctx), words, ("index", place, new))
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            for name in self.names:
                words = f"{self.own(node)} is not what belongs here; {name} is"
                yield put(1.5, ast.Name(name, ast.Load()), words, ("size", ast.dump(node), name))
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for k, part in enumerate(parts):
            for new, words in self.of_index(part):
                index = ast.Tuple([*parts[:k], new, *parts[k + 1 :]], ast.Load()) if len(parts) > 1 else new
                yield put(1.5, ast.Subscript(node.value, index, node.ctx), f"in {self.own(node)} {words}")

    def of_index(self, part):
        """Other places for one part of an index: one before or after it, and slices that go on by their width."""
        if isinstance(part, ast.Name) and part.id in self.counters:
            yield _made("A - 1", A=part), f"{part.id} - 1 is needed in the place of {part.id}"
            yield _made("A + 1", A=part), f"{part.id} + 1 is needed in the place of {part.id}"
        if isinstance(part, ast.Slice) and part.step is None:
            if part.upper is None and isinstance(part.lower, ast.UnaryOp):
                first = part.lower.operand
                yield ast.Slice(None, first), f"the last {self.own(first)} are taken, where the first are needed"
            elif part.lower is None and isinstance(part.upper, ast.Name):
                yield (
                    ast.Slice(_made("-A", A=part.upper), None),
                    f"the first {self.own(part.upper)} are taken, where the last are needed",
                )
        if isinstance(part, ast.Slice) and isinstance(part.lower, ast.Name) and isinstance(part.upper, ast.BinOp):
            first, width = part.lower, part.upper.right
            if ast.dump(part.upper.left) == ast.dump(first) and part.lower.id in self.counters:
                ends = _made("A * B", A=first, B=width), _made("A * B + B", A=first, B=width)
                start = f"{first.id} * {ast.unparse(width)}"
                yield ast.Slice(*ends), f"piece {first.id} begins at {start}, not at {first.id}"

    def of_tuple(self, node, put):
        for k in range(len(node.elts) - 1):
            turned = [*node.elts[:k], node.elts[k + 1], node.elts[k], *node.elts[k + 2 :]]
            words = f"in {self.own(node)} {self.own(node.elts[k])} and {self.own(node.elts[k + 1])} are exchanged"
            yield put(1, type(node)(turned, node.ctx), words)

    of_list = of_tuple

    def of_listcomp(self, node, put):
        """Its loops in another order."""
        if len(node.generators) == 2:
            turned = type(node)(node.elt, node.generators[::-1])
            yield put(
                1,
                turned,
                "the two loops in the brackets must change places: the first one is the outer one",
                None,
                "closing",
            )

    of_generatorexp = of_listcomp

    # --- statements --------------------------------------------------------------------------------------------------

    def of_statement(self, node):
        for field in ("value", "test", "iter"):
            if isinstance(getattr(node, field, None), ast.expr):
                yield from self.of_brackets(node, field, getattr(node, field))
        if isinstance(node, ast.If):
            words = f"the question {self.own(node.test)} is upside down"
            yield self.edit(1, [(node, "test", ast.UnaryOp(ast.Not(), node.test))], node, words)
        yield from self.of_exchanged_names(node)

    def of_brackets(self, statement, field, expression):
        """The same letters with brackets put in, moved or left out."""
        text = self.segment(expression)
        if not text.isascii() or len(text) > 160:
            return

        def offset(line, column):
            return sum(map(len, self.lines[expression.lineno - 1 : line - 1])) + column - expression.col_offset

        nodes = [n for n in ast.walk(expression) if isinstance(n, ast.expr) and hasattr(n, "lineno")]
        starts = sorted({offset(n.lineno, n.col_offset) for n in nodes})
        ends = sorted({offset(n.end_lineno, n.end_col_offset) for n in nodes})
        seen = {ast.dump(expression)}
        for new in _bracketed(text, starts, ends):
            try:
                changed = ast.parse(new, mode="eval").body
            except SyntaxError:
                continue
            if ast.dump(changed) not in seen and _commas(changed) == _commas(expression):
                seen.add(ast.dump(changed))
                place = _first_difference(expression, changed)
                words = f"the brackets: {_as_read(place, self.own(place))}"
                yield self.edit(0, [(statement, field, changed)], place, words)

    def of_exchanged_names(self, node):
        """Two names that stand in each other's place, within one statement."""
        if isinstance(node, (ast.FunctionDef, ast.For, ast.While, ast.If)):
            return
        found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in self.names]
        for a, b in itertools.combinations(sorted({n.id for n in found}), 2):
            changes = [(n, "id", b if n.id == a else a) for n in found if n.id in (a, b)]
            for context in (ast.Load, ast.Store):
                some = [change for change in changes if isinstance(change[0].ctx, context)]
                if len({change[2] for change in some}) == 2:
                    words = f"{a} and {b} are exchanged in {self.own(node)}"
                    yield self.edit(1, some, node, words, None, "joins")

    def of_body(self, owner, field, body):
        looped = isinstance(owner, (ast.For, ast.While, ast.If))
        for k, node in enumerate(body):
            own = self.own(node)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Subscript)) and looped:
                yield from self.of_forgetting(body, k, node)
            if isinstance(node, ast.AugAssign):
                yield from self.of_augassign(body, k, node)
            if len(body) > 1 and isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.For)):
                without = [(owner, field, [*body[:k], *body[k + 1 :]])]
                yield self.edit(2, without, node, f"{own} is one step too many")
            if k + 1 < len(body) and not isinstance(body[k + 1], ast.Return):  # after both have been tried without
                swapped = [*body[:k], body[k + 1], node, *body[k + 2 :]]
                words = f"Lines {node.lineno} and {body[k + 1].lineno} must change places"
                yield Edit(2.5, [(owner, field, swapped)], words)
            if isinstance(node, ast.For):
                yield from self.of_loop(owner, field, body, k, node)
                yield from self.of_shadow(node)

    def of_forgetting(self, body, k, node):
        """What a loop, or a question in it, puts in the place of what was there."""
        target, old = node.targets[0], _loaded(node.targets[0], ast.Load())
        words = f"{self.own(target)} = forgets what was there before; it must add to it"
        new = ast.Assign([target], ast.BinOp(old, ast.Add(), node.value))
        yield self.edit(0, [(body, k, new)], node, words, None, "joins")
        for kept, word in (("max", "larger"), ("min", "smaller")) if isinstance(target, ast.Name) else ():
            words = f"{self.own(target)} = forgets what was there before; keep the {word} one of the two"
            new = ast.Assign([target], _made(f"{kept}(A, B)", A=old, B=node.value))
            yield self.edit(1, [(body, k, new)], node, words)

    def of_augassign(self, body, k, node):
        own, old = self.own(node), _sign(node.op)
        new = ast.Assign([_loaded(node.target, ast.Store())], node.value)
        words = f"{self.own(node.target)} adds to what was there; the new value alone is needed"
        yield self.edit(1, [(body, k, new)], node, words)
        for other in [swap.split()[1] for swap in SWAPS if swap.split()[0] == old]:
            op = ast.parse(f"a {other} b", mode="eval").body.op
            words = f"the sign of {own} is turned" if other in "+-" else f"{own} needs another operator"
            yield self.edit(0, [(body, k, ast.AugAssign(node.target, op, node.value))], node, words)

    def of_loop(self, owner, field, body, k, node):
        """Lines that stand in a loop, and belong behind it, or the other way round."""
        last = node.body[-1]
        behind = body[k + 1] if k + 1 < len(body) else None

        def moved(loop):  # the last line of a loop, behind this one
            return [(loop, "body", loop.body[:-1]), (owner, field, [*body[: k + 1], loop.body[-1], *body[k + 1 :]])]

        if len(node.body) > 1 and isinstance(last, ast.Return):
            words = "the return stands inside the loop and ends it in its first round"
            yield self.edit(0, moved(node), last, words, None, "closing")
        elif len(node.body) > 1:
            yield self.edit(2, moved(node), last, f"{self.own(last)} belongs behind the loop")
        if len(node.body) == 1 and isinstance(last, ast.For):
            exchanged = [(node, "target", last.target), (node, "iter", last.iter)]
            exchanged += [(last, "target", node.target), (last, "iter", node.iter)]
            words = f"the loops of lines {node.lineno} and {last.lineno} must change places"
            yield self.edit(1, exchanged, node, words, None, "closing")
        if isinstance(last, ast.If) and len(last.orelse) == 1 and isinstance(last.orelse[0], ast.Return):
            changes = [(last, "orelse", []), (owner, field, [*body[: k + 1], last.orelse[0], *body[k + 1 :]])]
            words = "the return stands inside the loop and ends it in its first round"
            yield self.edit(0, changes, last.orelse[0], words, None, "closing")
        if isinstance(last, ast.For) and len(last.body) > 1 and isinstance(last.body[-1], ast.Return):
            words = "the return stands inside the loops and ends them in their first round"
            yield self.edit(0, moved(last), last.body[-1], words, None, "closing")
        if isinstance(behind, (ast.Assign, ast.AugAssign, ast.Expr)):
            changes = [(node, "body", [*node.body, behind]), (owner, field, [*body[: k + 1], *body[k + 2 :]])]
            yield self.edit(1, changes, behind, f"{self.own(behind)} stands behind the loop, and belongs into it")
        for place, before in enumerate(body[:k]):
            if isinstance(before, ast.Assign):
                changes = [(node, "body", [before, *node.body]), (owner, field, [*body[:place], *body[place + 1 :]])]
                words = f"{self.own(before)} is done once, before the loop, and belongs into it"
                yield self.edit(1, changes, before, words)

    def endings(self, function):
        """What is not returned, and what is written into the caller's arrays."""
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef):
                if not any(isinstance(n, ast.Return) and n.value for n in _own_nodes(node)):
                    yield from self.returns(node)
        yield from self.rows_for_columns(function)
        numbers = [n for n in ast.walk(function) if isinstance(n, ast.Constant) and isinstance(n.value, float)]
        for one, other in itertools.combinations(numbers[:8], 2):
            if one.value != other.value:
                words = f"the numbers {one.value:g}, here, and {other.value:g}, in line {other.lineno}, are exchanged"
                yield self.edit(1.5, [(one, "value", other.value), (other, "value", one.value)], one, words)
        for name in [argument.arg for argument in function.args.args]:
            copied = [*ast.parse(f"{name} = {name}.copy()").body, *function.body]
            yield Edit(2, [(function, "body", copied)], f"{name} is overwritten: work on {name}.copy()")

    def rows_for_columns(self, function):
        """Slices of rows where columns are meant, all at once."""
        found = [n for n in ast.walk(function) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)]
        found = [n for n in found if n.slice.step is not None]
        if found:
            changes = [(n, "slice", ast.Tuple([ast.Slice(), n.slice], ast.Load())) for n in found]
            lines = sorted({n.lineno for n in found})
            where = f"Line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"
            yield Edit(1, changes, f"{where}: {self.own(found[0])} takes rows, where columns are meant, [:, …]")

    def of_shadow(self, outer):
        """A loop in a loop whose counter has the same name."""
        names = {n.id for n in ast.walk(outer.target) if isinstance(n, ast.Name)}
        for inner in [n for part in outer.body for n in ast.walk(part) if isinstance(n, ast.For)]:
            for target in [n for n in ast.walk(inner.target) if isinstance(n, ast.Name) and n.id in names]:
                new = f"{target.id}_2"
                twice = [n for n in ast.walk(inner) if isinstance(n, ast.Compare) and len(n.ops) == 1]
                changes = [
                    (n, "comparators", [ast.Name(new, ast.Load())])
                    for n in twice
                    if _is_named(n.left, target.id) and _is_named(n.comparators[0], target.id)
                ]
                words = f"{target.id} is also the name in the loop of line {outer.lineno}, and replaces it: give it a name of its own"
                yield self.edit(0, [(target, "id", new), *changes], inner, words)

    def returns(self, function):
        last, body = function.body[-1], function.body
        words = "everything is right but the end: nothing is returned"
        if isinstance(last, ast.Expr):
            value = last.value
            if isinstance(value, ast.Call) and _called(value) == "print" and value.args:
                value = value.args[0] if len(value.args) == 1 else ast.Tuple(value.args, ast.Load())
                words = "what is printed must be returned"
            changes = [(function, "body", [*body[:-1], ast.Return(value)])]
            yield self.edit(0, changes, last, words, None, "closing closes")
        names = {n.id for n in _own_nodes(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names |= {n.name for n in body if isinstance(n, ast.FunctionDef)}
        newest = [last.targets[0].id] if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) else []
        newest += [last.name] if isinstance(last, ast.FunctionDef) else []
        for name in dict.fromkeys([*newest, *sorted(names)]):
            changes = [(function, "body", [*body, ast.Return(ast.Name(name, ast.Load()))])]
            yield self.edit(0, changes, last, words, None, "closing closes")


# --- words -----------------------------------------------------------------------------------------------------------


def _segment(lines, node):
    """The letters of a node."""
    if not hasattr(node, "lineno"):
        return ast.unparse(node)
    lines = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


def own(lines, node):
    """The learner's own words for a node."""
    words = " ".join(_segment(lines, node).split())
    words = words if len(words) <= SHORT else words[: SHORT - 1] + "…"
    return f"`{words}`"


# --- small things ----------------------------------------------------------------------------------------------------


def _own_nodes(function):
    """The nodes of a function without those of the functions inside."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _own_nodes(child)


@functools.cache
def _sign_of(kind):
    signs = {type(ast.parse(f"a {sign} b", mode="eval").body.op): sign for sign in OPERATORS}
    return signs.get(kind, "the operator")


def _sign(op):
    return _sign_of(type(op))


def _made(text, **parts):
    """The tree of a text, in which nodes stand for its capital letters."""
    return _filled(ast.parse(text, mode="eval").body, parts)


def _near(value):
    """The numbers that may have been meant. A whole number stays one: a step of 0.00001 would fill the memory."""
    if isinstance(value, float):
        return dict.fromkeys([*DECIMAL, 1 - value, -value, value + 1, value - 1, value * 10, value / 10])
    if value >= 100:
        return dict.fromkeys([10_000, value * 10, value // 10])
    return dict.fromkeys([value + 1, value - 1, -value, *WHOLE])


def _turned(indices):
    """The indices of an einsum with two neighbours of one part exchanged, the output first."""
    parts = re.split(r"(->|,)", indices)
    for k in reversed(range(0, len(parts), 2)):
        for found in re.finditer(r"(?=([a-zA-Z])([a-zA-Z]))", parts[k]):
            part = parts[k][: found.start()] + found[2] + found[1] + parts[k][found.start() + 2 :]
            yield "".join([*parts[:k], part, *parts[k + 1 :]])


def _is_difference(node):
    """Whether it is a name, or a name less something."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub))


def _is_named(node, name):
    return isinstance(node, ast.Name) and node.id == name


def _is_module(node):
    return isinstance(node, ast.Name) and node.id in {"np", "numpy", "attention", "layers"}


def _called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _replaced(node, other):
    """A copy of a tree in which parts are replaced by what other(part) gives, unless that is None."""
    if isinstance(node, list):
        return [_replaced(part, other) for part in node]
    if not isinstance(node, ast.AST):
        return node
    new = other(node)
    if new is None:
        new = copy.copy(node)
        for field, value in ast.iter_fields(node):
            setattr(new, field, _replaced(value, other))
    return new


def _renamed(node, name):
    func = copy.copy(node.func)
    setattr(func, "attr" if isinstance(func, ast.Attribute) else "id", name)
    return ast.Call(func, node.args, node.keywords)


def _axis(axis, keepdims):
    found = [] if axis is None else [ast.keyword("axis", ast.Constant(axis))]
    return found + ([ast.keyword("keepdims", ast.Constant(True))] if keepdims else [])


def _loaded(node, context):
    node = copy.copy(node)
    node.ctx = context
    return node


def _bracketed(text, starts, ends):
    pairs, open_ = [], []
    for place, letter in enumerate(text):
        if letter == "(":
            open_.append(place)
        elif letter == ")" and open_:
            pairs.append((open_.pop(), place))
    for start in starts:
        for end in ends:
            if end > start + 1:
                yield f"{text[:start]}({text[start:end]}){text[end:]}"
    for start, end in pairs:
        if start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_])"):
            yield f"{text[:start]} {text[start + 1 : end]} {text[end + 1 :]}"
        for place in ends:
            if start < place < end:
                yield f"{text[:place]}){text[place:end]}{text[end + 1 :]}"
            elif place > end:
                yield f"{text[:end]}{text[end + 1 : place]}){text[place:]}"


def _commas(tree):
    """How many parts stand beside one another, in calls and tuples."""
    return sorted(
        len(getattr(n, "args", getattr(n, "elts", ())))
        for n in ast.walk(tree)
        if isinstance(n, (ast.Call, ast.Tuple, ast.List))
    )


def _is_text(node):
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in node.comparators)


def _first_difference(old, new):
    """The smallest part of the old tree that holds all that is new."""
    while type(old) is type(new):
        pairs = list(zip(ast.iter_child_nodes(old), ast.iter_child_nodes(new)))
        different = [(a, b) for a, b in pairs if ast.dump(a) != ast.dump(b)]
        if len(different) != 1 or not isinstance(different[0][0], ast.expr):
            break
        old, new = different[0]
    return old


def _as_read(node, own):
    """How Python reads an expression: its outermost parts in brackets."""
    if isinstance(node, ast.BinOp):
        left, right = (
            f"({ast.unparse(part)})" if isinstance(part, ast.BinOp) else ast.unparse(part)
            for part in (node.left, node.right)
        )
        words = f"{left} {_sign(node.op)} {right}"
        if len(words) <= 60 and words.replace(" ", "") not in own.replace(" ", ""):
            return f"{own} is read as {words}"
    return f"in {own} they stand in the wrong place"
