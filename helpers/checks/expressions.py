"""The edits of expressions that learners need: names, calls, axes, types, numbers, indices."""

import ast
import copy
import itertools
import re

from helpers.checks import table, trees
from helpers.checks.brackets import closes_early

KIN = [{"std", "var"}, {"sum", "mean"}, {"max", "min"}, {"tril", "triu"}, {"sin", "cos"}, {"any", "all"}, {"append", "extend"},
       {"argmax", "argsort"}, {"exp", "log"}, {"sum", "max"}, {"hstack", "vstack"}, {"stack", "concatenate"}, {"zeros", "ones"},
       {"arange", "linspace"}, {"flatten", "ravel"}, {"sqrt", "isqrt"}, {"log", "log10", "log2"}, {"exp", "exp2"}]  # fmt: skip
REDUCING = set("sum mean max min std var softmax prod any all argmax stack concatenate split reduce cumsum".split())
FLAT = {"cumsum", "softmax", "stack", "concatenate", "split", "argmax"}  # of these, those that know no keepdims
BUILTIN = {"sum", "max", "min", "any", "all"}  # Python's own know no axis
COUNTED = {"arange", "tile", "full", "repeat"}  # these hold whole numbers, if they are given such
LIKE = {"zeros_like", "empty_like", "ones_like", "full_like"}  # these take over the type of what they are given
TORCH = {"dim": "axis", "keepdim": "keepdims"}
WHOLE = [0, 1, 2, 3, -1]
DECIMAL = [0.0, 1e-5, 1e-8, 0.1, 0.9, 0.001, 0.999, 0.5, 1.0, 2.0]


class Expressions:
    """Methods of_… that yield the edits of one expression, each by put(rank, new, words, kind, how, doubtful)."""

    def of_expression(self, node, container, key, parent):
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) and not isinstance(node, ast.Subscript):
            return

        def put(rank, new, words, *more):
            return self.edit(rank, [(container, key, new)], node, words, *more)

        if isinstance(getattr(node, "ctx", None), ast.Store):
            yield from self.of_places(node, put)
            return
        self.parent, self.keyword = parent, parent.arg if isinstance(parent, ast.keyword) else None
        self.minus = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub)
        yield from self.of_table(node, put)
        yield from getattr(self, f"of_{type(node).__name__.lower()}", lambda node, put: ())(node, put)
        yield from self.of_place(node, put, parent)

    def of_table(self, node, put):
        """The rows of TABLE whose pattern the node has."""
        for row, rank, pattern, change, words, how in table.rows_by_kind().get(type(node), ()):
            found = {}
            if "equal" in words and node in self.asked:
                continue
            if words.startswith("Python's own") and trees.called(node) not in self.python:
                continue
            if not table.matches(pattern, node, found) or (
                "comparison" in words and _is_text(node) and not words.endswith(("==", "!="))
            ):
                continue
            if "row and column" in words and ast.unparse(node.value) in {"np.c_", "np.r_"}:
                continue  # these put together, and take nothing out
            kind = None
            if "each" in how:
                kind = row, *(ast.dump(found[part]) for part in how[how.index("each") + 1 :] if part in found)
            elif "line" in how:
                kind = row, node.lineno
            elif "torch" in how:
                kind = ("torch",)
            if rank < 1 and isinstance(getattr(node, "right", None), ast.Constant):
                rank = 1  # a sign, or an order, is rather mistaken where both sides are more than a number
            said = {part: self.own(each) for part, each in found.items() if f"{{{part}}}" in words}
            new = trees.filled(change, found)
            if not isinstance(new, ast.BinOp) or not trees.changes_nothing(new):  # rather the last part is too much
                yield put(rank, new, words.format(own=self.own(node), **said), kind, " ".join(how))

    def of_place(self, node, put, parent):
        """Edits that any name, call, product or index may need, by where it stands."""
        numbers = isinstance(node, (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute))
        if not numbers or isinstance(parent, ast.Attribute) or node is getattr(parent, "func", None):
            return
        yield from self.of_form(node, put, parent)
        yield from self.of_missing_step(node, put, parent)
        named, own = isinstance(node, ast.Name), self.own(node)
        if _is_side(parent, ast.BitAnd):
            yield put(1, trees.made("~A", A=node), f"{own} is upside down here: ~")
        if getattr(parent, "arg", "") == "mask":
            masked = ".ma." in self.lines[node.lineno - 1]
            means = (
                "NumPy's masked arrays hide what is True"
                if masked
                else "in a mask of this course True means that a key may be seen"
            )
            words = f"{own} is upside down here: {means}"
            yield put(1, trees.made("~A", A=node), words)
        if named and isinstance(parent, (ast.Assign, ast.Tuple)):
            words = f"{own} is the same array under a second name: work on a copy"
            yield put(2, trees.made("A.copy()", A=node), words, ("copy", node.id), "copies")

    def of_form(self, node, put, parent):
        """The same numbers in another form: transposed, as a column, with the shape of what was given."""
        own, ends, operand = self.own(node), isinstance(parent, (ast.Return, ast.Assign)), _is_side(parent, ast.MatMult)
        if operand or ends or (isinstance(parent, ast.Call) and trees.called(parent) != "len"):
            turned, kind = ast.Call(ast.Name("__turned__", ast.Load()), [node], []), ("T", ast.dump(node))
            yield put(0 if operand else 1, turned, f"{own} must be transposed here", kind, "closing joins")
        if isinstance(node, (ast.Name, ast.Call, ast.Subscript)) and (ends or isinstance(parent, ast.BinOp)):
            words = f"{own} must stand as a column here, with one axis more, [..., None]"
            yield put(2, trees.made("A[..., None]", A=node), words)
        for argument in self.function.args.args if isinstance(parent, ast.Return) else ():
            words = f"{own} must get the shape of {argument.arg}: .reshape({argument.arg}.shape)"
            yield put(2, trees.made(f"A.reshape({argument.arg}.shape)", A=node), words, None, "closing")

    def of_missing_step(self, node, put, parent):
        """A root, a square, a division or a function of the answer's own that was left out."""
        named, own = isinstance(node, ast.Name), self.own(node)
        twin = put(2, trees.made("+A", A=node), "")  # any number there would do as well
        if isinstance(parent, (ast.Return, ast.Assign, ast.Compare)) or _is_side(parent, ast.Mult, ast.Div):
            words = f"the square root of {own} is needed here"
            yield put(2, trees.made("__root__(A)", A=node), words, None, "", twin)
        if named and (_is_side(parent, ast.MatMult) or isinstance(parent, ast.Return)):
            new = trees.made("A / A.sum(axis=-1, keepdims=True)", A=node)
            yield put(1.5, new, f"{own} must be divided by its sum here", None, "", twin)
        for name in self.unused if named and isinstance(parent, (ast.Call, ast.BinOp, ast.Return)) else ():
            words = f"{own} must go through {name} here, which is made and never used"
            yield put(1, trees.made(f"{name}(A)", A=node), words)
        for divisor in self.divisors if isinstance(parent, ast.Assign) and not named else ():
            if ast.unparse(divisor) not in ast.unparse(node):
                words = f"{own} must be divided by {self.own(divisor)}, too, as in line {divisor.lineno}"
                yield put(2.2, trees.made("A / B", A=node, B=divisor), words)
        for name in self.idle if own[1:-1] not in self.idle else ():
            yield from self.of_use(node, name, put, parent)
        for function in (
            ("np.exp", "np.sin", "np.cos", "np.abs") if isinstance(parent, (ast.Assign, ast.Return)) else ()
        ):
            yield put(2.3, trees.made(f"{function}(A)", A=node), f"{function} of {own} is needed here", None, "", twin)
        counts = named and node.id in self.counters and isinstance(parent, ast.Assign)
        for name in self.names if counts else ():
            words = f"{own} must be multiplied by {name} here"
            yield put(1.5, trees.made(f"A * {name}", A=node), words, None, "joins")
        squared = _is_side(parent, ast.Pow) and node is parent.left
        for mean in self.means if named and (squared or trees.called(parent) == "square") else ():
            words = f"{own} must lose its mean before it is squared: {own} - {mean}"
            yield put(1, trees.made(f"A - {mean}", A=node), words)
        if _is_side(parent, ast.Div) and node is parent.left and not isinstance(node, ast.BinOp):
            yield put(2, trees.made("2 * A", A=node), f"twice {own} is needed here", None, "", twin)
        added = isinstance(parent, (ast.Assign, ast.Compare)) or _is_side(parent, ast.Add)
        if added and isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            half = put(2, trees.made("0.37 * A", A=node), "")
            yield put(2, trees.made("0.5 * A", A=node), f"half of {own} is needed here", None, "", half)
        if named and (_is_side(parent, ast.Mult, ast.Sub, ast.Add) or isinstance(parent, ast.Assign)):
            yield put(2, trees.made("A ** 2", A=node), f"the square of {own} is needed here", None, "", twin)

    def of_use(self, node, name, put, parent):
        """A name that is used nowhere, put to use: of the answer's own arguments, where a factor may be missing."""
        given = any(each.arg == name for each in self.function.args.args)
        whole = isinstance(node, (ast.Name, ast.Subscript)) or isinstance(parent, ast.Assign)
        factor = {"A @ N", "N @ A", "A / N", "A * N"} if whole else set()
        own = self.own(node)[1:-1]
        own = f"({own})" if isinstance(node, ast.BinOp) else own
        for form in ("A @ N", "N @ A", "A / N", "A * N", "N / A", "A - N", "A | N", "A + N"):
            if not given or form in factor:
                new = trees.made(form, A=node, N=ast.Name(name, ast.Load()))
                needed = "".join({"A": own, "N": name}.get(letter, letter) for letter in form)
                words = f"`{needed}` is needed here, in the place of {self.own(node)}: {name} is used nowhere"
                yield put(2.6, new, words)

    def of_call(self, node, put):
        name, own, args = trees.called(node), self.own(node), node.args
        method = isinstance(node.func, ast.Attribute)
        if name in REDUCING and not (isinstance(node.func, ast.Name) and name in self.python):
            yield from self.of_reduction(node, name, put)
        for other in [other for kin in KIN if name in kin for other in kin - {name}]:
            yield put(1, _renamed(node, other), f"{own} takes {name}, where {other} is needed", ("kin", name, other))
        if method and ast.unparse(node.func.value) == "math":
            new = ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), args, [])
            words = f"math.{name} takes one number and no array; NumPy's own np.{name} takes both"
            yield put(0, new, words, ("math",))
        yield from self.of_type(node, name, put)
        if name in {"split", "array_split"} and len(args) == 2:
            axis = next((keyword.value for keyword in node.keywords if keyword.arg == "axis"), ast.Constant(0))
            count = trees.made("A.shape[B] // C", A=args[0], B=axis, C=args[1])
            words = f"in {own} {self.own(args[1])} says how many pieces there are, not how long each is: write {ast.unparse(count)}"
            yield put(1, ast.Call(node.func, [args[0], count], node.keywords), words, ("pieces",))
        inner = args[0] if args and isinstance(args[0], ast.Call) and args[0].args else None
        if inner is not None and (node.keywords or len([*args, *inner.args, *inner.keywords]) == 2):
            first = ast.Call(node.func, [inner.args[0], *args[1:]], node.keywords)
            words = f"{own} does two steps in the wrong order: {self.own(node.func)} must come before {self.own(inner.func)}"
            yield put(1, ast.Call(inner.func, [first, *inner.args[1:]], inner.keywords), words)
        if name == "append" and method and isinstance(args[0] if args else None, ast.Name):
            words = f"{own} appends the same array each time, and what is written into it later changes all of them: append {args[0].id}.copy()"
            yield put(1, ast.Call(node.func, [trees.made("A.copy()", A=args[0])], []), words)
        for other in self.names if name == "exp" and len(args) == 1 and trees.is_difference(args[0]) else ():
            new = ast.Call(node.func, [trees.made("A - B", A=args[0], B=ast.Name(other, ast.Load()))], [])
            yield put(2, new, f"{own}: {other} must be taken off first, as elsewhere")
        if name in {"softmax", "round"} and args and (len(args) > 1 or node.keywords):
            yield put(2, args[0], f"{own} is one step too many")
        if method and (not args or name == "round" or (name == "astype" and ast.unparse(args[0]) == "int")):
            yield put(2, node.func.value, f"{own}: .{name} is one step too many")
        for k in range(len(args) - 1):
            turned = [*args[:k], args[k + 1], args[k], *args[k + 2 :]]
            if name == "where" and isinstance(turned[0], ast.Constant):
                continue  # a number asks nothing
            words = f"in {own} {self.own(args[k])} and {self.own(args[k + 1])} are exchanged"
            names = isinstance(args[k], ast.Name) and isinstance(args[k + 1], ast.Name)
            twice = len({ast.dump(arg) for arg in args}) < len(args)  # f(a, b, a) may as well be meant to be f(a, a, b)
            rank = 1.6 if twice else 0 if names and name != "einsum" else 1
            yield put(rank, ast.Call(node.func, turned, node.keywords), words)
        for keyword in [each for each in node.keywords if each.arg not in {"times", "count"}]:  # else there is no end
            rest = [other for other in node.keywords if other is not keyword]
            words = f"{keyword.arg}={ast.unparse(keyword.value)}" if keyword.arg else f"**{ast.unparse(keyword.value)}"
            yield put(2, ast.Call(node.func, args, rest), f"{own} is right without {words}", ("keyword", words), "less")
        if name == "enumerate" and len(args) == 1 and getattr(getattr(args[0], "slice", None), "lower", None):
            first = args[0].slice.lower
            words = f"{own} counts from 0 again: enumerate(…, {ast.unparse(first)}) goes on from there"
            yield put(0, ast.Call(node.func, [args[0], first], []), words)
        if name in {"sorted", "reversed"} and args:
            new = ast.Call(ast.Name("list", ast.Load()), args[:1], [])
            yield put(1, new, f"{own} changes the order: it is right without {name}")
        if name in {"range", "arange"} and args:
            yield from self.of_range(node, put)
        if name in {"zip", "map", "filter", "enumerate"} and isinstance(self.parent, ast.Assign):
            words = f"{own} hands its parts out once, and is empty from then on: list(…)"
            yield put(0, trees.made("list(A)", A=node), words)
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
            yield put(1.5, trees.made("A.astype(float)", A=node), words, ("type",))
        elif name in LIKE and node.args:
            words = f"{own} takes over the type of {self.own(node.args[0])}: where that is whole numbers, all that is written into it is cut to whole ones. Add dtype=float"
            yield put(0, ast.Call(node.func, node.args, real), words, ("type",))
        elif name == "copy" and (node.args or isinstance(node.func, ast.Attribute)):
            given = node.args[0] if node.args else node.func.value
            words = f"{own} takes over the type, too: where that is whole numbers, all that is written into it is cut to whole ones. Take .astype(float)"
            yield put(1, trees.made("A.astype(float)", A=given), words, ("type",))

    def of_reduction(self, node, name, put):
        given, args = {keyword.arg: keyword.value for keyword in node.keywords}, node.args
        first = 0 if isinstance(node.func, ast.Attribute) and not trees.is_module(node.func.value) else 1
        reduces = isinstance(node.func, ast.Attribute) and name != "split"
        if reduces and len(args) == first + 1 and isinstance(args[first], (ast.Constant, ast.UnaryOp)):
            given["axis"], args = args[first], args[:first]  # an axis that is not named
        rest = [keyword for keyword in node.keywords if keyword.arg not in {"axis", "keepdims"}]
        old, keeps, own = ast.unparse(given["axis"]) if "axis" in given else "None", "keepdims" in given, self.own(node)
        wrong = (
            "runs along the wrong axis" if "axis" in given or name in {*FLAT, "reduce"} else "takes all numbers at once"
        )
        axes = sorted((-1, 0, None, 1, -2, -3), key=lambda axis: old != str(axis))  # the one that stands there first
        for axis, keepdims in itertools.product(axes, (False, True)):
            if (str(axis), keepdims) == (old, keeps) or (keepdims and (name in FLAT or axis is None)):
                continue
            words = f"{own} {wrong}: it must be axis={axis}{', with keepdims=True' * (keepdims and not keeps)}"
            if old == str(axis):
                words = (
                    f"{own} loses an axis: it needs keepdims=True" if keepdims else f"{own} is right without keepdims"
                )
            new = ast.Call(node.func, args, rest + _axis(axis, keepdims))
            rank = 0 if axis == -1 or old == str(axis) else 1
            yield put(rank, new, words, ("axis", old, keeps, axis, keepdims), "joins")

    def of_binop(self, node, put):
        """One and the same row many times, [[0] * 3] * 2; what belongs to the last factor, or into the bracket of a call."""
        yield from self.of_end_of_product(node, put)
        inner = node.left.elts[0] if isinstance(node.left, ast.List) and len(node.left.elts) == 1 else None
        if isinstance(node.op, ast.Mult) and isinstance(inner, (ast.List, ast.BinOp)):
            rows = trees.made("[A for _ in range(B)]", A=inner, B=node.right)
            words = f"{self.own(node)} holds one and the same row again and again: [… for _ in range({ast.unparse(node.right)})] makes new ones"
            yield put(0, rows, words)
        if isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Constant):
            words = f"{self.own(node)} is a power of {ast.unparse(node.left)}, where one of e is needed: np.exp"
            twin = put(1, trees.made("A ** (0.37 * B)", A=node.left, B=node.right), "")
            yield put(1, trees.made("np.exp(A)", A=node.right), words, ("power", node.left.value), "joins", twin)
        yield from self.of_twins(node, node.left, node.right, put)
        if isinstance(node.left, ast.Call) and node.left.args:
            yield from self.of_call_and_rest(node, node.left, node.left.args[0], put)

    def of_compare(self, node, put):
        if len(node.ops) == 1:
            yield from self.of_twins(node, node.left, node.comparators[0], put)
        if isinstance(node.ops[0], ast.Eq):
            yield from self.of_meetings(node, put)

    def of_meetings(self, node, put):
        """A question on two of the same things, which each thing answers with yes when it meets itself."""
        own, words = self.own(node), "is also True where each meets itself"
        for one, other in itertools.combinations(self.counters, 2):
            new = trees.made(f"A and {one} != {other}", A=node)
            yield put(1.5, new, f"{own} {words}: add `and {one} != {other}`", None, "joins")
        if "None" in ast.unparse(node):
            new = trees.made("A & ~np.eye(len(A), dtype=bool)", A=node)
            yield put(1.5, new, f"{own} {words}: add `& ~np.eye(…, dtype=bool)`", None, "joins")

    def of_twins(self, node, left, right, put):
        """The same array on both sides, of which one is to be a column: each against each other one."""
        if isinstance(left, ast.Name) and ast.dump(left) == ast.dump(right):
            new = copy.copy(node)
            new.left = trees.made("np.asarray(A)[:, None]", A=left)
            name = left.id
            sign = ast.unparse(node)[len(name) + 1 : -len(name) - 1]
            for kind in ("mean", "max", "sum") if isinstance(node, ast.BinOp) else ():
                made = trees.made(f"A.{kind}(axis=-1, keepdims=True)", A=left)
                words = f"in {self.own(node)} the right side must be {ast.unparse(made)}, not {name}"
                yield put(1, ast.BinOp(left, node.op, made), words)
            words = f"{self.own(node)} pairs each with itself only; to pair each with all of them, write {name}[:, None] {sign} {name}"
            yield put(1, new, words, None, "joins")

    def of_call_and_rest(self, node, call, given, put):
        """A bracket that closes too early: f(a, …) / b for f(a / b, …), norm(x) + step(x) for x + step(norm(x))."""
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) and call.keywords:
            inside = ast.Call(call.func, [ast.BinOp(given, node.op, node.right), *call.args[1:]], call.keywords)
            yield put(0, inside, closes_early(call, f"{trees.sign(node.op)} {ast.unparse(node.right)}"))
        if isinstance(given, ast.Name) and isinstance(node.op, ast.Add):
            old = ast.dump(given)
            right = trees.replaced(node.right, lambda part: call if ast.dump(part) == old else None)
            words = f"{given.id} itself is to stand in the place of {self.own(call)}"
            if ast.dump(right) != ast.dump(node.right):
                words = f"{self.own(call)} must stand in the place of {given.id} in {self.own(node.right)}, and {given.id} in its place"
            yield put(1, ast.BinOp(given, node.op, right), words)

    def of_end_of_product(self, node, put):
        """A number that belongs to the last factor before it: a * (b - 1) for a * b - 1, also where more stands before."""
        added = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, (ast.Add, ast.Sub))
        product = node.left.right if added else node.left
        if isinstance(node.right, ast.Constant) and isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
            new = ast.BinOp(product.left, product.op, ast.BinOp(product.right, node.op, node.right))
            sign, last = trees.sign(node.op), self.own(product.right)[1:-1]
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
                rank = 0 if new < value else 2.5  # letters stand in their own order where nobody turned them
                yield put(rank, ast.Constant(new), words, ("einsum", value, new), "joins")
            for new in _other_letter(value):
                words = f"“{value}” names an axis by the wrong letter: “{new}” is needed"
                yield put(2, ast.Constant(new), words, ("einsum", value, new), "joins")
            for new in _other_output(value):
                words = f"“{value}” keeps another axis than is needed and adds up along the one to keep: “{new}”"
                yield put(1, ast.Constant(new), words, ("einsum", value, new), "joins")
        elif isinstance(value, str):
            strings = {n.value for n in ast.walk(self.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            for other in sorted(strings - {value}):
                yield put(1, ast.Constant(other), f"“{value}” is the wrong name here: it must be “{other}”")
        elif isinstance(value, (int, float)):
            if value >= 1e4:
                yield put(1, trees.made("np.inf"), f"{value:g} is not infinite, and scores may be larger: take np.inf")
            for new in [new for new in _near(value) if new != value]:
                twin = put(1, ast.Constant(1.37 * new + 0.37 if isinstance(new, float) else new + 7), "")
                sign = -1 if self.minus else 1
                words = f"the number {sign * value:g} must be {sign * new:g} here"
                yield put(1, ast.Constant(new), words, ("number", value, new), "", twin)
            for name in self.names if isinstance(value, int) and (value > 1 or (value and self.keyword)) else ():
                for new, words in ("{}", "{}"), ("{}.shape[-1]", "the width of {}"), ("len({})", "the length of {}"):
                    words = f"{value} fits some cases only: {words.format(name)} must stand here"
                    yield put(2, trees.made(new.format(name)), words)

    def of_name(self, node, put):
        for other in self.names if node.id in self.names and node not in self.asked else ():
            if other != node.id != self.keyword and not self.is_over(
                other, node
            ):  # what is handed on under its own name belongs there
                words = f"{node.id} does not belong here; {other} does"
                if isinstance(self.parent, ast.Call) and trees.called(self.parent) == "len":
                    words = f"{self.own(self.parent)} does not belong here; len({other}) does"
                elif hasattr(self.parent, "lineno") and self.on_line(node) > 1:
                    words = f"in {self.own(self.parent)} {words}"
                yield put(1.5, ast.Name(other, ast.Load()), words, ("name", node.id, other))

        if isinstance(self.parent, ast.BinOp) and isinstance(self.parent.op, ast.Div) and node is self.parent.right:
            twin = put(2, trees.made("A - 1.37", A=node), "")
            yield put(
                2, trees.made("A - 1", A=node), f"{node.id} - 1 is needed in the place of {node.id}", None, "", twin
            )

    def of_subscript(self, node, put):
        minus, of_shape = isinstance(node.slice, ast.UnaryOp), getattr(node.value, "attr", "") == "shape"
        place = getattr(node.slice.operand if minus else node.slice, "value", None)
        place = -place if minus and isinstance(place, int) else place
        for new in (-1, 0, 1, -2, *(-3,) * of_shape) if isinstance(place, int) else ():
            if new != place:
                words = f"{self.own(node)} takes the wrong place: it must be [{new}]"
                yield put(1, ast.Subscript(node.value, ast.Constant(new), node.ctx), words, ("index", place, new))
        if of_shape:
            for name in self.names:
                words = f"{self.own(node)} does not belong here; {name} does"
                yield put(1.5, ast.Name(name, ast.Load()), words, ("size", ast.dump(node), name))
        yield from self.of_places(node, put)

    def of_places(self, node, put):
        """Other places in an index, also in one that is written to."""
        if isinstance(node.slice, ast.Slice):
            columns = ast.Tuple([ast.Constant(...), node.slice], ast.Load())
            words = f"{self.own(node)} takes rows, where columns are meant: [..., {ast.unparse(node.slice)}]"
            yield put(1, ast.Subscript(node.value, columns, node.ctx), words, ("columns",))
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for k, part in enumerate(parts):
            for new, words in self.of_index(part):
                index = ast.Tuple([*parts[:k], new, *parts[k + 1 :]], ast.Load()) if len(parts) > 1 else new
                yield put(1.5, ast.Subscript(node.value, index, node.ctx), f"in {self.own(node)} {words}")

    def of_index(self, part):
        """Other places for one part of an index: one before or after it, and slices that go on by their width."""
        if isinstance(part, ast.Name) and part.id in self.counters:
            yield trees.made("A - 1", A=part), f"{part.id} - 1 is needed in the place of {part.id}"
            yield trees.made("A + 1", A=part), f"{part.id} + 1 is needed in the place of {part.id}"
        if isinstance(part, ast.Slice) and part.step is None:
            yield from self.of_ends(part)
        if isinstance(part, ast.Slice) and isinstance(part.lower, ast.Name) and isinstance(part.upper, ast.BinOp):
            first, width = part.lower, part.upper.right
            if ast.dump(part.upper.left) == ast.dump(first) and part.lower.id in self.counters:
                ends = trees.made("A * B", A=first, B=width), trees.made("A * B + B", A=first, B=width)
                start = f"{first.id} * {ast.unparse(width)}"
                yield ast.Slice(*ends), f"piece {first.id} begins at {start}, not at {first.id}"

    def of_ends(self, part):
        """A slice that begins or ends one place too early or too late, or leaves the wrong end out."""
        for field, word in (("lower", "begins"), ("upper", "ends")):
            end = getattr(part, field)
            if isinstance(end, ast.Name) and end.id in self.counters:
                for sign, when in (("+", "early"), ("-", "late")):
                    ends = {"lower": part.lower, "upper": part.upper} | {field: trees.made(f"A {sign} 1", A=end)}
                    yield ast.Slice(**ends), f"{self.own(part)} {word} one too {when}"
        lower, upper = part.lower, part.upper
        if lower is None and upper is not None and ast.unparse(upper) == "-1":
            yield ast.Slice(ast.Constant(1), None), "the last one is left out, where the first is to go"
        if upper is None and lower is not None and ast.unparse(lower) == "1":
            yield ast.Slice(None, trees.made("-1")), "the first one is left out, where the last is to go"
        if upper is None and isinstance(lower, ast.UnaryOp):
            words = f"the last {self.own(lower.operand)} are taken, where the first are needed"
            yield ast.Slice(None, lower.operand), words
        if lower is None and isinstance(upper, ast.Name):
            words = f"the first {self.own(upper)} are taken, where the last are needed"
            yield ast.Slice(trees.made("-A", A=upper), None), words

    def of_tuple(self, node, put):
        for k in range(len(node.elts) - 1):
            turned = [*node.elts[:k], node.elts[k + 1], node.elts[k], *node.elts[k + 2 :]]
            words = f"in {self.own(node)} {self.own(node.elts[k])} and {self.own(node.elts[k + 1])} are exchanged"
            how = "closing" if isinstance(self.parent, ast.Return) else ""
            yield put(1, type(node)(turned, node.ctx), words, None, how)

    def of_list(self, node, put):
        yield from self.of_tuple(node, put)
        joined = isinstance(self.parent, ast.Call) and trees.called(self.parent) in {"concatenate", "stack", "hstack"}
        for k, part in enumerate(node.elts) if joined else ():
            turned = [*node.elts[:k], trees.made("-A", A=part), *node.elts[k + 1 :]]
            rank = 1.3 if len({ast.dump(each) for each in node.elts}) < len(node.elts) else 1.1
            yield put(
                rank, ast.List(turned, node.ctx), f"in {self.own(node)} {self.own(part)} needs a minus", None, "joins"
            )

    def of_set(self, node, put):
        words = f"{self.own(node)} is a set, which keeps equal things once: […] keeps each of them"
        yield put(0, ast.List(node.elts, ast.Load()), words)

    def of_listcomp(self, node, put):
        """Its loops in another order."""
        if len(node.generators) == 2:
            words = "the two loops in the brackets must change places: the first one is the outer one"
            yield put(1, type(node)(node.elt, node.generators[::-1]), words, None, "closing")
        yield from self.of_lambdas([node.elt], node.generators[0].target)

    of_generatorexp = of_listcomp


def _is_side(parent, *operators):
    """Whether a part stands in a sum, a product or the like, of one of these operators."""
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, operators)


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


def _other_letter(indices):
    """The indices of an einsum with another of its letters in one place of what goes in."""
    given, output = indices.split("->")
    for k, letter in enumerate(given):
        for other in sorted({other for other in indices if other.isalpha()} - {letter}) if letter.isalpha() else ():
            new = f"{given[:k]}{other}{given[k + 1 :]}"
            if set(output) <= set(new):
                yield f"{new}->{output}"


def _other_output(indices):
    """The indices of an einsum that keeps an axis which it added up, in the place of another one."""
    given, output = indices.split("->")
    for k in range(len(output)):
        for letter in sorted(set(given) - set(output) - set(" ,.")):
            yield f"{given}->{output[:k]}{letter}{output[k + 1 :]}"


def _renamed(node, name):
    func = copy.copy(node.func)
    setattr(func, "attr" if isinstance(func, ast.Attribute) else "id", name)
    return ast.Call(func, node.args, node.keywords)


def _axis(axis, keepdims):
    found = [] if axis is None else [ast.keyword("axis", ast.Constant(axis))]
    return found + ([ast.keyword("keepdims", ast.Constant(True))] if keepdims else [])


def _is_text(node):
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in node.comparators)
