"""The edits that learners need, each with its sentence: brackets, axes, names, operators, returns."""

import ast
import copy
import itertools
import re

END = ". With that mended, your answer is right."
SHORT = 44  # letters of the learner's own expression in a sentence
SWAPS = {ast.Mult: [ast.MatMult, ast.Div, ast.Pow], ast.MatMult: [ast.Mult], ast.Add: [ast.Sub], ast.Sub: [ast.Add],
         ast.Div: [ast.Mult, ast.FloorDiv], ast.FloorDiv: [ast.Div, ast.Mod], ast.Pow: [ast.Mult], ast.BitXor: [ast.Pow],
         ast.Mod: [ast.FloorDiv], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd]}  # fmt: skip
SIGNS = {ast.Mult: "*", ast.MatMult: "@", ast.Add: "+", ast.Sub: "−", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**", ast.BitXor: "^",
         ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}  # fmt: skip
COMPARISONS = [ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq]
KIN = [{"std", "var"}, {"sum", "mean"}, {"max", "min"}, {"tril", "triu"}, {"sin", "cos"}, {"any", "all"}, {"append", "extend"},
       {"argmax", "argsort"}, {"exp", "log"}, {"sum", "max"}, {"hstack", "vstack"}, {"stack", "concatenate"}, {"zeros", "ones"}, {"arange", "linspace"}]  # fmt: skip
REDUCING = {
    "sum",
    "mean",
    "max",
    "min",
    "std",
    "var",
    "softmax",
    "prod",
    "any",
    "all",
    "argmax",
    "stack",
    "concatenate",
    "split",
}
TORCH = {"dim": "axis", "keepdim": "keepdims"}
WHOLE = [0, 1, 2, 3, -1]
DECIMAL = [0.0, 1e-5, 1e-8, 0.1, 0.9, 0.001, 0.999, 0.5, 1.0, 2.0]


class Edit:
    """One change of a tree.

    changes : list of (container, key, value): node and field, or list and place
    words : the sentence, without its full stop; rank : 0 for what is likeliest
    kind : edits of one kind may be made everywhere at once
    joins : leaves what it changes in its place, so that a known mistake may show after it
    closing : may go with any other edit; closes : says by itself that all the rest is right
    less : leaves a part out, which is the better word where more than that mends, too
    doubtful : an edit that should *not* make the answer right, if this one does for a good reason
    """

    def __init__(
        self, rank, changes, words, kind=None, *, joins=False, closing=False, closes=False, doubtful=None, less=False
    ):
        self.rank, self.changes, self.words, self.kind = rank, changes, words, kind
        self.joins, self.closing, self.closes, self.doubtful, self.less = joins, closing, closes, doubtful, less
        self.before = []

    def make(self):
        self.before = []
        for container, key, value in self.changes:
            self.before.append((container, key, _get(container, key)))
            _set(container, key, value)

    def undo(self):
        for container, key, value in reversed(self.before):
            _set(container, key, value)

    def touches(self, other):
        places = {(id(container), str(key)) for container, key, _ in self.changes}
        return any((id(container), str(key)) in places for container, key, _ in other.changes)


def _get(container, key):
    return container[key] if isinstance(container, list) else getattr(container, key)


def _set(container, key, value):
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
    both = []
    for same in kinds.values():
        if len(same) > 1:
            lines = sorted({int(line) for edit in same for line in re.findall(r"^Lines? (\d+)", edit.words)})
            words = re.sub(
                r"^Line \d+",
                f"Lines {' and '.join(map(str, lines))}" if len(lines) > 1 else f"Line {lines[0]}, each time",
                same[0].words,
            )
            changes = [change for edit in same for change in edit.changes]
            rank = 0 if same[0].kind[0] in {"torch", "copy"} else max(same[0].rank, 1)
            both.append(Edit(rank, changes, words, same[0].kind, joins=same[0].joins))
    return both


class _Finder:
    def __init__(self, tree, lines):
        self.tree, self.lines = tree, lines
        self.function = tree.body[-1]
        tests = [node.test for node in ast.walk(tree) if isinstance(node, (ast.If, ast.IfExp))]
        self.asked = {
            inner for test in tests for inner in ast.walk(test)
        }  # a name that only makes a question idle mends nothing
        self.names = sorted(
            {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            | {a.arg for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda)) for a in n.args.args}
        )

        targets = [n.target for n in ast.walk(tree) if isinstance(n, (ast.For, ast.comprehension))]
        firsts = [target.elts[0] if isinstance(target, ast.Tuple) else target for target in targets]
        self.counters = sorted({first.id for first in firsts if isinstance(first, ast.Name)})

    def all(self):
        yield from self.endings(self.function)
        for node in ast.walk(self.tree):
            for field, value in ast.iter_fields(node):
                if isinstance(value, ast.expr):
                    yield from self.of_expression(value, node, field, node)
                elif isinstance(value, list) and value and isinstance(value[0], (ast.expr, ast.keyword)):
                    for place, part in enumerate(value):
                        if isinstance(part, ast.expr):
                            yield from self.of_expression(part, value, place, node)
                elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    yield from self.of_body(node, field, value)
            if isinstance(node, ast.stmt):
                yield from self.of_statement(node)

    # --- words -------------------------------------------------------------------------------------------------------

    def line(self, node):
        return f"Line {node.lineno}"

    def segment(self, node):
        """The letters of a node."""
        if not hasattr(node, "lineno"):
            return ast.unparse(node)
        lines = [line.encode() for line in self.lines[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode()

    def own(self, node):
        """The learner's own words for a node."""
        words = " ".join(self.segment(node).split())
        words = words if len(words) <= SHORT else words[: SHORT - 1] + "…"
        return f"`{words}`"

    def said(self, node, words):
        return f"{self.line(node)}: {words}"

    # --- expressions -------------------------------------------------------------------------------------------------

    def of_expression(self, node, container, key, parent):
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return

        def put(rank, new, words, **more):
            return Edit(rank, [(container, key, new)], self.said(node, words), **more)

        for kind in (
            ast.BinOp,
            ast.Call,
            ast.Constant,
            ast.Name,
            ast.Compare,
            ast.UnaryOp,
            ast.Subscript,
            ast.Attribute,
            ast.IfExp,
        ):
            if isinstance(node, kind):
                yield from getattr(self, f"of_{kind.__name__.lower()}")(node, put)
        operand = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult)
        if isinstance(node, (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute)) and not isinstance(
            parent, ast.Attribute
        ):
            if operand or isinstance(parent, (ast.Return, ast.Call, ast.Assign)):
                yield put(
                    0 if operand else 1,
                    ast.Attribute(node, "T", ast.Load()),
                    f"{self.own(node)} must be transposed here",
                    closing=True,
                    joins=True,
                    kind=("T", ast.dump(node)),
                )
            if isinstance(node, (ast.Name, ast.Call, ast.Subscript)) and isinstance(
                parent, (ast.BinOp, ast.Assign, ast.Return)
            ):
                yield put(
                    2,
                    ast.parse(f"({ast.unparse(node)})[..., None]", mode="eval").body,
                    f"{self.own(node)} must stand as a column here, with one axis more, [:, None]",
                )
            if isinstance(parent, (ast.Return, ast.Assign)) or (
                isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Div) and key == "right"
            ):
                yield put(2, _call("sqrt", node), f"the square root of {self.own(node)} is needed here")
            if isinstance(node, ast.Name) and (operand or isinstance(parent, ast.Return)):
                total = ast.Call(ast.Attribute(node, "sum", ast.Load()), [], _axis(-1, True))
                yield put(1.5, ast.BinOp(node, ast.Div(), total), f"{self.own(node)} must be divided by its sum here")
            if isinstance(node, ast.Name) and isinstance(parent, (ast.Assign, ast.Tuple)):
                yield put(
                    2,
                    ast.Call(ast.Attribute(node, "copy", ast.Load()), [], []),
                    f"{self.own(node)} is the same array under a second name: work on a copy",
                    kind=("copy", node.id),
                )

    def of_binop(self, node, put):
        left, right, own = node.left, node.right, self.own(node)
        if isinstance(node.op, (ast.MatMult, ast.Sub, ast.Div, ast.Pow)):
            yield put(
                1,
                ast.BinOp(right, node.op, left),
                f"in {own} the two sides of {_sign(node.op)} are exchanged",
                kind=("sides", node.lineno, type(node.op)),
                joins=True,
            )
        for other in SWAPS.get(type(node.op), []):
            if other is ast.Pow and not isinstance(right, (ast.Name, ast.Constant)):
                continue
            yield put(
                1,
                ast.BinOp(left, other(), right),
                _operator(node.op, other, own),
                kind=("op", type(node.op), other, ast.dump(right)),
            )
        yield put(
            2,
            left,
            f"in {own} the last part, {_sign(node.op)} {self.own(right)}, is too much",
            kind=("less", ast.dump(right)),
            less=True,
        )
        if isinstance(node.op, ast.Pow) and isinstance(right, ast.Call) and len(right.args) == 1:
            outside = ast.Call(right.func, [ast.BinOp(left, node.op, right.args[0])], right.keywords)
            yield put(1, outside, f"in {own} {_called(right)} comes too early: first the power, then {_called(right)}")
        if isinstance(node.op, (ast.Mult, ast.MatMult, ast.Add)):
            yield put(2, right, f"in {own} the first part, {self.own(left)} {_sign(node.op)}, is too much", less=True)

    def of_call(self, node, put):
        name, own = _called(node), self.own(node)
        if name in REDUCING:
            yield from self.of_reduction(node, name, put)
        for kin in KIN:
            for other in kin - {name} if name in kin else ():
                yield put(
                    1, _renamed(node, other), f"{own} takes {name}, where {other} is needed", kind=("kin", name, other)
                )
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "math":
            yield put(
                0,
                ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), node.args, []),
                f"math.{name} takes one number and no array; NumPy's own np.{name} takes both",
                kind=("math",),
                joins=True,
            )
        if name in {"max", "sum", "min"} and isinstance(node.func, ast.Name) and len(node.args) == 1:
            method = ast.Attribute(node.args[0], name, ast.Load())
            yield put(
                1,
                ast.Call(method, [], _axis(-1, True)),
                f"Python's own {name} in {own} takes rows for numbers: each row needs its own, along axis=-1 with keepdims=True",
                kind=("own", name),
                joins=True,
            )
        inner = node.args[0] if len(node.args) == 1 else None
        if isinstance(inner, ast.Call) and len(inner.args) == 1 and not node.keywords and not inner.keywords:
            turned = ast.Call(inner.func, [ast.Call(node.func, inner.args, [])], [])
            yield put(
                1, turned, f"{own} does two steps in the wrong order: {_called(node)} must come before {_called(inner)}"
            )
        if (len(node.args) == 1 and not node.keywords) or (name in {"softmax", "round"} and node.args):
            yield put(2, node.args[0], f"{own} is one step too many")
        if isinstance(node.func, ast.Attribute) and (not node.args or name == "round"):
            yield put(2, node.func.value, f"{own}: .{name} is one step too many")
        for k in range(len(node.args) - 1):
            args = [*node.args]
            args[k], args[k + 1] = args[k + 1], args[k]
            yield put(
                1,
                ast.Call(node.func, args, node.keywords),
                f"in {own} {self.own(node.args[k])} and {self.own(node.args[k + 1])} are exchanged",
            )
        for keyword in node.keywords:
            rest = [other for other in node.keywords if other is not keyword]
            words = f"{keyword.arg}={ast.unparse(keyword.value)}" if keyword.arg else f"**{ast.unparse(keyword.value)}"
            yield put(
                2, ast.Call(node.func, node.args, rest), f"{own} is right without {words}", kind=("keyword", words)
            )
        if name == "reshape" and len(node.args) == 2 and isinstance(node.func, ast.Attribute):
            turned = ast.Attribute(node.func.value, "T", ast.Load())
            yield put(
                1,
                turned,
                f"{own} keeps the numbers in their order and turns nothing: it must be transposed",
                joins=True,
            )
        if name in {"range", "arange"} and node.args:
            yield from self.of_range(node, put)
        if name == "size" and len(node.args) == 1:
            yield put(
                0,
                ast.Subscript(ast.Attribute(node.func.value, "shape", ast.Load()), node.args[0], ast.Load()),
                "size(…) is PyTorch's; in NumPy it is .shape[…]",
                kind=("torch",),
                joins=True,
            )
        if name in {"transpose", "permute"} and len(node.args) == 2:
            yield put(
                0,
                _renamed(node, "swapaxes"),
                "transpose of two axes is PyTorch's; in NumPy it is swapaxes",
                kind=("torch",),
                joins=True,
            )
        if {keyword.arg for keyword in node.keywords} & {*TORCH, "unbiased"}:
            kept = [ast.keyword(TORCH.get(k.arg, k.arg), k.value) for k in node.keywords if k.arg != "unbiased"]
            yield put(
                0,
                ast.Call(node.func, node.args, kept),
                "dim and keepdim are PyTorch's words; in NumPy they are axis and keepdims",
                kind=("torch",),
                joins=True,
            )
        if isinstance(node.func, ast.Name) and node.func.id in self.names and len(node.args) == 1:
            yield put(
                1,
                ast.Subscript(node.func, node.args[0], ast.Load()),
                f"{own} calls {node.func.id}, which is an array: take square brackets",
            )

    def of_reduction(self, node, name, put):
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        rest = [keyword for keyword in node.keywords if keyword.arg not in {"axis", "keepdims"}]
        old = ast.unparse(given["axis"]) if "axis" in given else "None"
        keeps = "keepdims" in given
        for axis in (-1, 0, None, 1, -2, -3):
            for keepdims in (False, True):
                if (str(axis), keepdims) == (old, keeps) or (
                    keepdims and (name in {"softmax", "stack", "concatenate", "split", "argmax"} or axis is None)
                ):
                    continue
                if old == str(axis):
                    words = (
                        f"{self.own(node)} loses an axis: it needs keepdims=True"
                        if keepdims
                        else f"{self.own(node)} is right without keepdims"
                    )
                else:
                    words = f"{self.own(node)} runs along the wrong axis: it must be axis={axis}" + (
                        ", with keepdims=True" if keepdims and not keeps else ""
                    )
                yield put(
                    0 if axis == -1 else 1,
                    ast.Call(node.func, node.args, rest + _axis(axis, keepdims)),
                    words,
                    kind=("axis", old, keeps, axis, keepdims),
                    joins=True,
                )

    def of_range(self, node, put):
        place = 0 if len(node.args) == 1 else 1
        for more, words in ((1, "one too early"), (-1, "one too late")):
            args = [*node.args]
            args[place] = ast.BinOp(args[place], ast.Add() if more > 0 else ast.Sub(), ast.Constant(1))
            yield put(
                1,
                ast.Call(node.func, args, node.keywords),
                f"{self.own(node)} stops {words}",
                kind=("range", more),
                joins=True,
            )
        if len(node.args) == 1:
            for loop in self.counters:
                if loop not in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
                    past = ast.BinOp(ast.Name(loop, ast.Load()), ast.Add(), ast.Constant(1))
                    words = f"{self.own(node)} goes on to the end, where it must stop after {loop}: range({loop} + 1)"
                    yield put(1.5, ast.Call(node.func, [past], []), words)
            yield put(
                1,
                ast.Call(node.func, [ast.Constant(1), *node.args], node.keywords),
                f"{self.own(node)} starts at 0, where it must start at 1",
            )
        if len(node.args) == 2:
            yield put(1, ast.Call(node.func, node.args[1:], node.keywords), f"{self.own(node)} must start at 0")
            names = [
                name for name in self.names if name not in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            ]
            for name in names:
                yield put(
                    2,
                    ast.Call(node.func, [*node.args, ast.Name(name, ast.Load())], node.keywords),
                    f"{self.own(node)} goes on by 1, where it must go on by {name}",
                )

    def of_constant(self, node, put):
        value = node.value
        if isinstance(value, bool):
            yield put(1, ast.Constant(not value), f"{value} must be {not value} here")
        elif isinstance(value, str):
            others = {
                n.value for n in ast.walk(self.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            } - {value}
            for other in sorted(others):
                yield put(1, ast.Constant(other), f"“{value}” is the wrong name here: it must be “{other}”")
        elif isinstance(value, (int, float)):
            for new in _near(value):
                if new != value:
                    twin = put(1, ast.Constant(new + 0.37 if isinstance(new, float) else new + 7), "")
                    yield put(
                        1,
                        ast.Constant(new),
                        f"the number {value:g} must be {new:g} here",
                        kind=("number", value, new),
                        doubtful=twin,
                    )
            if isinstance(value, int) and value > 0:
                for name in self.names:
                    for what, words in (
                        (name, name),
                        (f"{name}.shape[-1]", f"the width of {name}"),
                        (f"len({name})", f"the length of {name}"),
                    )[: 1 if value == 1 else 3]:
                        yield put(
                            2,
                            ast.parse(what, mode="eval").body,
                            f"{value} fits some cases only: {words} must stand here",
                        )

    def of_name(self, node, put):
        if node.id not in self.names or node in self.asked:
            return
        for other in self.names:
            if other != node.id:
                yield put(
                    1.5,
                    ast.Name(other, ast.Load()),
                    f"{node.id} is not what belongs here; {other} is",
                    kind=("name", node.id, other),
                )

    def of_compare(self, node, put):
        if len(node.ops) == 1:
            for other in COMPARISONS:
                if not isinstance(node.ops[0], other):
                    yield put(
                        1,
                        ast.Compare(node.left, [other()], node.comparators),
                        f"in {self.own(node)} the comparison must be {_sign(other())}",
                    )

    def of_unaryop(self, node, put):
        yield put(1, node.operand, f"{self.own(node)} is right without its sign")

    def of_subscript(self, node, put):
        yield put(
            2, node.value, f"{self.own(node)} is right without the index", kind=("no index", ast.dump(node.slice))
        )
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            for new in (-1, 0, 1, -2):
                if new != node.slice.value:
                    yield put(
                        1,
                        ast.Subscript(node.value, ast.Constant(new), node.ctx),
                        f"{self.own(node)} takes the wrong place: it must be [{new}]",
                        kind=("index", node.slice.value, new),
                    )
        if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
            yield put(
                1,
                ast.Subscript(node.value, ast.Tuple(node.slice.elts[::-1], ast.Load()), node.ctx),
                f"in {self.own(node)} row and column are exchanged",
            )

    def of_attribute(self, node, put):
        if node.attr == "T":
            yield put(0, node.value, f"{self.own(node)} must not be transposed here", closing=True, joins=True)

    def of_ifexp(self, node, put):
        yield put(1, ast.IfExp(node.test, node.orelse, node.body), f"in {self.own(node)} the two cases are exchanged")

    # --- statements --------------------------------------------------------------------------------------------------

    def of_statement(self, node):
        for field in ("value", "test", "iter"):
            expression = getattr(node, field, None)
            if isinstance(expression, ast.expr):
                yield from self.of_brackets(node, field, expression)
        if isinstance(node, ast.If):
            yield Edit(
                1,
                [(node, "test", ast.UnaryOp(ast.Not(), node.test))],
                self.said(node, f"the question {self.own(node.test)} is upside down"),
            )
        yield from self.of_exchanged_names(node)

    def of_brackets(self, statement, field, expression):
        """The same letters with brackets put in, moved or left out."""
        text = self.segment(expression)
        if not text.isascii() or len(text) > 160:
            return

        def offset(line, column):
            return (
                sum(len(each) for each in self.lines[expression.lineno - 1 : line - 1]) + column - expression.col_offset
            )

        nodes = [n for n in ast.walk(expression) if isinstance(n, ast.expr) and hasattr(n, "lineno")]
        starts = sorted({offset(n.lineno, n.col_offset) for n in nodes})
        ends = sorted({offset(n.end_lineno, n.end_col_offset) for n in nodes})
        seen, mine = set(), ast.dump(expression)
        for new in _bracketed(text, starts, ends):
            try:
                changed = ast.parse(new, mode="eval").body
            except SyntaxError:
                continue
            dump = ast.dump(changed)
            if dump == mine or dump in seen:
                continue
            seen.add(dump)
            place = _first_difference(expression, changed)
            yield Edit(
                0,
                [(statement, field, changed)],
                self.said(place, f"the brackets: {_as_read(place, self.own(place))}"),
                joins=True,
            )

    def of_exchanged_names(self, node):
        """Two names that stand in each other's place, within one statement."""
        if isinstance(node, (ast.FunctionDef, ast.For, ast.While, ast.If)):
            return
        found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in self.names]
        ids = sorted({n.id for n in found})
        for a, b in itertools.combinations(ids, 2):
            changes = [(n, "id", b if n.id == a else a) for n in found if n.id in (a, b)]
            for context in (ast.Load, ast.Store):
                some = [change for change in changes if isinstance(change[0].ctx, context)]
                if len({change[2] for change in some}) == 2:
                    words = self.said(node, f"{a} and {b} are exchanged in {self.own(node)}")
                    yield Edit(1, some, words, joins=context is ast.Load)

    def of_body(self, owner, field, body):
        looped = isinstance(owner, (ast.For, ast.While))
        for k, node in enumerate(body):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Subscript)) and looped:
                new = ast.AugAssign(node.targets[0], ast.Add(), node.value)
                yield Edit(
                    0,
                    [(body, k, new)],
                    self.said(node, f"{self.own(node.targets[0])} = forgets what was there before; it must add to it"),
                    joins=True,
                )
            if isinstance(node, ast.AugAssign):
                yield Edit(
                    1,
                    [(body, k, ast.Assign([_loaded(node.target, ast.Store())], node.value))],
                    self.said(node, f"{self.own(node)} adds to what was there; the new value alone is needed"),
                )
                for other in SWAPS.get(type(node.op), []):
                    yield Edit(
                        0,
                        [(body, k, ast.AugAssign(node.target, other(), node.value))],
                        self.said(
                            node,
                            f"the sign of {self.own(node)} is turned"
                            if other in (ast.Add, ast.Sub)
                            else f"{self.own(node)} needs another operator",
                        ),
                    )
            if k + 1 < len(body) and not isinstance(body[k + 1], ast.Return):
                swapped = [*body[:k], body[k + 1], node, *body[k + 2 :]]
                yield Edit(
                    2, [(owner, field, swapped)], f"Lines {node.lineno} and {body[k + 1].lineno} must change places"
                )
            if len(body) > 1 and isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.If)):
                yield Edit(
                    2,
                    [(owner, field, [*body[:k], *body[k + 1 :]])],
                    self.said(node, f"{self.own(node)} is one step too many"),
                )
            if isinstance(node, ast.For):
                yield from self.of_loop(owner, field, body, k, node)

    def of_loop(self, owner, field, body, k, node):
        """Lines that stand in a loop, and belong behind it, or the other way round."""
        last = node.body[-1]
        if len(node.body) > 1:
            words = (
                "the return stands inside the loop and ends it in its first round"
                if isinstance(last, ast.Return)
                else f"{self.own(last)} belongs behind the loop"
            )
            changes = [(node, "body", node.body[:-1]), (owner, field, [*body[: k + 1], last, *body[k + 1 :]])]
            yield Edit(
                0 if isinstance(last, ast.Return) else 2,
                changes,
                self.said(last, words),
                closing=isinstance(last, ast.Return),
            )
            inner = last
            if isinstance(inner, ast.For) and len(inner.body) > 1 and isinstance(inner.body[-1], ast.Return):
                out = [
                    (inner, "body", inner.body[:-1]),
                    (owner, field, [*body[: k + 1], inner.body[-1], *body[k + 1 :]]),
                ]
                yield Edit(
                    0,
                    out,
                    self.said(inner.body[-1], "the return stands inside the loops and ends them in their first round"),
                    closing=True,
                )
        if (
            isinstance(last, ast.For)
            and len(node.body) == 1
            and len(last.body) > 1
            and isinstance(last.body[-1], ast.Return)
        ):
            out = [(last, "body", last.body[:-1]), (owner, field, [*body[: k + 1], last.body[-1], *body[k + 1 :]])]
            yield Edit(
                0,
                out,
                self.said(last.body[-1], "the return stands inside the loops and ends them in their first round"),
                closing=True,
            )
        if k + 1 < len(body) and isinstance(body[k + 1], (ast.Assign, ast.AugAssign, ast.Expr)):
            follows = body[k + 1]
            changes = [(node, "body", [*node.body, follows]), (owner, field, [*body[: k + 1], *body[k + 2 :]])]
            yield Edit(
                1, changes, self.said(follows, f"{self.own(follows)} stands behind the loop, and belongs into it")
            )
        if k and isinstance(body[k - 1], ast.Assign):
            before = body[k - 1]
            changes = [(node, "body", [before, *node.body]), (owner, field, [*body[: k - 1], *body[k:]])]
            yield Edit(
                1, changes, self.said(before, f"{self.own(before)} is done once, before the loop, and belongs into it")
            )

    def endings(self, function):
        """What is not returned, and what is written into the caller's arrays."""
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef) and not any(
                isinstance(n, ast.Return) and n.value for n in _own_nodes(node)
            ):
                yield from self.returns(node)
        for argument in function.args.args:
            line = ast.parse(f"{argument.arg} = {argument.arg}.copy()").body
            yield Edit(
                2,
                [(function, "body", [*line, *function.body])],
                f"{argument.arg} is overwritten: work on {argument.arg}.copy()",
            )

    def returns(self, function):
        last, body = function.body[-1], function.body
        words = self.said(last, "everything is right but the end: nothing is returned")
        if isinstance(last, ast.Expr):
            call = last.value
            printed = isinstance(call, ast.Call) and _called(call) == "print" and call.args
            value = (call.args[0] if len(call.args) == 1 else ast.Tuple(call.args, ast.Load())) if printed else call
            words = self.said(last, "what is printed must be returned") if printed else words
            yield Edit(0, [(function, "body", [*body[:-1], ast.Return(value)])], words, closing=True, closes=True)
        names = {n.id for n in _own_nodes(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names |= {n.name for n in body if isinstance(n, ast.FunctionDef)}
        newest = [last.targets[0].id] if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) else []
        newest += [last.name] if isinstance(last, ast.FunctionDef) else []
        for name in dict.fromkeys([*newest, *sorted(names)]):
            yield Edit(
                0,
                [(function, "body", [*body, ast.Return(ast.Name(name, ast.Load()))])],
                words,
                closing=True,
                closes=True,
            )


# --- small things ----------------------------------------------------------------------------------------------------


def _own_nodes(function):
    """The nodes of a function without those of the functions inside."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _own_nodes(child)


def _sign(op):
    return SIGNS.get(type(op), "the operator")


def _operator(op, other, own):
    if other is ast.MatMult:
        return f"{own} multiplies number by number; a matrix product, @, is needed"
    if isinstance(op, ast.MatMult):
        return f"{own} is a matrix product; here it is number by number, *"
    return f"in {own} it must be {SIGNS[other]}, not {_sign(op)}"


def _near(value):
    """The numbers that may have been meant. A whole number stays one: a step of 0.00001 would fill the memory."""
    if isinstance(value, float):
        return dict.fromkeys([*DECIMAL, 1 - value, -value, value + 1, value - 1, value * 10, value / 10])
    if value >= 100:
        return dict.fromkeys([10_000, value * 10, value // 10])
    return dict.fromkeys([value + 1, value - 1, -value, *WHOLE])


def _called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _renamed(node, name):
    func = copy.copy(node.func)
    if isinstance(func, ast.Attribute):
        func.attr = name
    else:
        func.id = name
    return ast.Call(func, node.args, node.keywords)


def _call(name, argument):
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), [argument], [])


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
