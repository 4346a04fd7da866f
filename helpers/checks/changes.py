"""Every change of one place of an answer that a learner may need, as data; most of them come from the rules."""

import ast
import copy
import itertools
import re

from helpers.checks.rules import KIN, WRAPS, by_rule, made, parsed

REDUCING = set(
    "sum mean max min std var softmax prod any all argmax stack concatenate cumsum split amax amin logsumexp".split()
)
FRESH = set("zeros empty ones full array asarray zeros_like empty_like ones_like full_like".split())
WHOLE_NUMBERS = (0, 1, 2, -1, 3, -2)
FRACTIONS = (1e-5, 1e-8, 1e-12, 1e-6, 0.9, 0.999, 0.1, 0.001, 1.0, 2.0, 0.5, 10000.0)


class Change:
    """A change of a tree.

    cost : 0 for what is likeliest
    places : list of (owner, field, index or None, what must be there)
    node : what is changed; its line is told
    new : what must be there, or None for a change of whole lines
    around : the expressions around the node, the nearest first
    words : what is told of it, where it is not a template's
    kind : the rule that it came by, if by one; changes of one kind may be made everywhere at once
    """

    def __init__(self, cost, places, node, new=None, around=(), words="", kind=None):
        self.cost, self.places, self.node, self.new, self.around = cost, places, node, new, around
        self.words, self.kind, self.line, self.parts = words, kind, node.lineno, [self]

    def __enter__(self):
        self.before = [_get(*place[:3]) for place in self.places]
        for place in self.places:
            _put(*place)

    def __exit__(self, *error):
        for place, value in reversed(list(zip(self.places, self.before))):
            _put(*place[:3], value)


def _get(owner, field, k):
    return getattr(owner, field) if k is None else getattr(owner, field)[k]


def _put(owner, field, k, value):
    if k is None:
        setattr(owner, field, value)
    else:
        getattr(owner, field)[k] = value


def together(changes):
    """Several changes as one."""
    first = changes[0]
    whole = Change(
        max(1, first.cost) + 0.3, [place for each in changes for place in each.places], first.node, first.new
    )
    whole.parts = changes
    return whole


def everywhere(changes):
    """The same change made at every place: of the same words, or by the same rule, or by it in the same form."""
    alike = {}
    for change in changes:
        if change.new is not None:
            alike.setdefault((ast.dump(change.node), ast.dump(change.new)), []).append(change)
            alike.setdefault(change.kind, []).append(change)
            alike.setdefault(change.kind and (change.kind, _form(change.node)), []).append(change)
    groups = {tuple(map(id, same)): same for kind, same in alike.items() if kind and 1 < len(same) < 7}
    return [together(same) for same in groups.values()]


def _form(node):
    """A tree in words, without its names and numbers."""
    return re.sub(r"'[^']*'|value=[^,)]*", "", ast.dump(node))


def single(tree):
    """Every change of one place of a tree, the last function of which answers."""
    nodes, function = list(ast.walk(tree)), tree.body[-1]
    known = _Known(nodes, function)
    for owner, field, k, node, around in _slots(tree):
        context = getattr(node, "ctx", None)
        if isinstance(context, ast.Del) or (isinstance(context, ast.Store) and not isinstance(node, ast.Subscript)):
            continue
        for cost, new, *kind in itertools.chain(by_rule(node), _of_expression(node, owner, field, known)):
            if isinstance(context, ast.Store):
                if not isinstance(new, ast.Subscript):
                    continue
                new.ctx = ast.Store()
            yield Change(cost, [(owner, field, k, new)], node, new, around, kind=tuple(kind))
    yield from _exchanged(nodes, known.names)
    for owner in nodes:
        for field in ("body", "orelse"):
            body = getattr(owner, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield from _of_body(owner, field, body, function)


class _Known:
    """The names, numbers and words of an answer."""

    def __init__(self, nodes, function):
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        takers = [n for n in nodes if isinstance(n, (ast.FunctionDef, ast.Lambda))]
        self.names = sorted(stored | {each.arg for taker in takers for each in taker.args.args})
        constants = [n.value for n in nodes if isinstance(n, ast.Constant)]
        self.numbers = list(dict.fromkeys(n for n in constants if type(n) in (int, float)))
        self.words = {word for word in constants if isinstance(word, str)} - {ast.get_docstring(function, clean=False)}
        targets = [n.target for n in nodes if isinstance(n, (ast.For, ast.comprehension))]
        read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        self.unused = [each.arg for each in function.args.args if each.arg not in read]
        self.counters = sorted({n.id for each in targets for n in ast.walk(each) if isinstance(n, ast.Name)})


def _slots(tree):
    """Every expression of a tree: (owner, field, index or None, node, the expressions around it, the nearest first)."""

    def walk(owner, around):
        around = (owner, *around) if isinstance(owner, ast.expr) else ()
        for field, value in ast.iter_fields(owner):
            for k, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(part, ast.expr) and hasattr(part, "lineno"):
                    yield owner, field, k, part, around
                if isinstance(part, ast.AST):
                    yield from walk(part, around)

    return walk(tree, ())


# --- expressions -----------------------------------------------------------------------------------------------------


def _of_expression(node, owner, field, known):
    """What no rule says: (cost, new node), and for some which kind."""
    if isinstance(node, ast.Name) and node.id in known.names and not (isinstance(owner, ast.Call) and field == "func"):
        yield from ((1.5, ast.Name(name, ast.Load()), "name", node.id, name) for name in known.names if name != node.id)
    elif isinstance(node, ast.Constant):
        found = _of_constant(node.value, known)
        yield from (each for each in found if not _is_minus(owner) or ast.dump(each[1]) != ast.dump(ast.Constant(0)))
    elif _is_minus(node) and isinstance(node.operand, ast.Constant):
        yield 1.2, ast.Constant(0), "number", node.operand.value, 0
    elif isinstance(node, ast.Subscript):
        yield from _of_index(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, known)
    elif isinstance(node, ast.BinOp):
        yield from _brackets(node)
        for _, outer in _brackets(node):
            for side in ("left", "right"):
                if isinstance(part := getattr(outer, side, None), ast.BinOp):
                    for cost, inner in _brackets(part):
                        new = copy.copy(outer)
                        setattr(new, side, inner)
                        yield cost + 0.6, new
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        if len(node.generators) == 2:
            yield 1, type(node)(node.elt, node.generators[::-1])
        if isinstance(node, ast.GeneratorExp) and isinstance(owner, ast.Assign):
            yield 0.5, ast.ListComp(node.elt, node.generators)
    whole = isinstance(node, (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute))
    if whole and field != "func" and known.unused and not isinstance(owner, ast.keyword):
        texts = ("A @ B", "A * B", "A / B")
        yield from ((0.5, made(text, A=node, B=ast.Name(name, ast.Load()))) for name in known.unused for text in texts)
    if whole and field != "func" and not isinstance(owner, (ast.Attribute, ast.keyword)):
        yield from ((2, made(wrap, A=node)) for wrap in WRAPS)


def _is_minus(node):
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _of_constant(value, known):
    if isinstance(value, bool):
        yield 1, ast.Constant(not value)
    elif isinstance(value, str):
        yield from ((1, ast.Constant(word)) for word in sorted(known.words - {value}))
        if "->" in value:
            yield from ((1, ast.Constant(new)) for new in _einsum(value) if _alone(new) <= _alone(value))
    elif isinstance(value, (int, float)):
        near = [value + 1, value - 1, -value, *WHOLE_NUMBERS]
        near = near if isinstance(value, int) else [1 - value, -value, value * 10, value / 10, *FRACTIONS]
        for new in dict.fromkeys([*near, *known.numbers]):
            if new != value or type(new) is not type(value):
                yield 1.2, ast.Constant(new), "number", value, new
        if value not in (0, -1):
            for name, text in itertools.product(known.names, ("{}", "{}.shape[-1]", "len({})")):
                yield 2, parsed(text.format(name)), "size"
        yield 1.5, parsed("np.inf")


def _of_index(node):
    index = node.slice
    if isinstance(index, ast.Slice):
        yield from ((1, ast.Subscript(node.value, new, node.ctx)) for new in _slices(index))
        yield 1, ast.Subscript(node.value, ast.Tuple([ast.Constant(...), index], ast.Load()), node.ctx)
    for k, part in enumerate(index.elts if isinstance(index, ast.Tuple) else ()):
        is_slice = isinstance(part, ast.Slice)
        for new in _slices(part) if is_slice else [made(text, A=part) for text in ("A + 1", "A - 1")]:
            elts = [*index.elts[:k], new, *index.elts[k + 1 :]]
            yield 1.5, ast.Subscript(node.value, ast.Tuple(elts, ast.Load()), node.ctx), "index"


def _of_call(node, known):
    method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if method else getattr(node.func, "id", "")
    for other in {other for kin in KIN if name in kin for other in kin} - {name}:
        func = ast.Attribute(node.func.value, other, ast.Load()) if method else ast.Name(other, ast.Load())
        yield 1, ast.Call(func, node.args, node.keywords), "kin", name, other
    of_module = method and isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "attention", "math")
    if of_module and node.func.value.id == "math":
        yield 0, ast.Call(made(f"np.{name}"), node.args, [])
    if name == "exp" and len(node.args) == 1:
        yield from (
            (1.5, made("F(A - B)", F=node.func, A=node.args[0], B=ast.Name(each, ast.Load()))) for each in known.names
        )
    if name in REDUCING:
        yield from _axes(node, node.args if not method else node.args[:1] if of_module else [])
    for keyword in node.keywords:
        yield 2, ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword])
    if name in FRESH:
        rest = [keyword for keyword in node.keywords if keyword.arg != "dtype"]
        yield 1, ast.Call(node.func, node.args, [*rest, ast.keyword("dtype", ast.Name("float", ast.Load()))])
    if name in ("copy", "astype") and method:
        yield 1, made("A.astype(float)", A=node.args[0] if of_module and node.args else node.func.value)
    if name in ("range", "enumerate"):
        for counter in known.counters:
            if counter not in ast.unparse(node):
                yield 1.5, made("range(A + 1)", A=ast.Name(counter, ast.Load()))


def _axes(node, args):
    """A reduction along other axes."""
    written = ast.unparse(node)  # -1 is no other number where it is made anew
    rest = [keyword for keyword in node.keywords if keyword.arg not in ("axis", "keepdims", "dim", "keepdim")]
    for axis, keep in itertools.product((-1, 0, None, 1, -2, -3), (False, True)):
        keywords = [ast.keyword("axis", ast.Constant(axis))] if axis is not None else []
        keywords += [ast.keyword("keepdims", ast.Constant(True))] if keep else []
        new = ast.Call(node.func, args, rest + keywords)
        if ast.unparse(new) != written:
            plain = node.func.attr == "softmax" and not node.keywords if isinstance(node.func, ast.Attribute) else False
            yield (0 if axis == -1 else 1.5 if plain else 1), new, "axis", axis, keep


def _brackets(node):
    """The same letters with a bracket moved: a step taken to the other side, into a call or out of one."""
    left, right, op = node.left, node.right, node.op
    if isinstance(left, ast.BinOp):
        yield 0, ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right))
        if isinstance(inner := left.left, ast.BinOp):
            whole = ast.BinOp(ast.BinOp(inner.right, left.op, left.right), op, right)
            yield 0.5, ast.BinOp(inner.left, inner.op, whole)
    if isinstance(right, ast.BinOp):
        yield 0, ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right)
    if isinstance(left, ast.UnaryOp):
        yield 0, ast.UnaryOp(left.op, ast.BinOp(left.operand, op, right))
    for side, join in (
        (left, lambda part: ast.BinOp(part, op, right)),
        (right, lambda part: ast.BinOp(left, op, part)),
    ):
        cost = 0 if side is left else 0.5
        if isinstance(side, ast.Call) and side.args:
            yield cost, ast.Call(side.func, [join(side.args[0]), *side.args[1:]], side.keywords)
        if isinstance(side, ast.Attribute) and side.attr == "T":
            yield 0.5, ast.Attribute(join(side.value), "T", ast.Load())
        if isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and side.func.attr in REDUCING:
            func = ast.Attribute(join(side.func.value), side.func.attr, ast.Load())
            yield 0.5, ast.Call(func, side.args, side.keywords)


def _slices(part):
    """A slice that begins or ends one place earlier or later, or somewhere else altogether."""
    ends = {"lower": part.lower, "upper": part.upper, "step": part.step}
    for field, sign in itertools.product(("lower", "upper"), "+-"):
        if ends[field] is not None:
            yield ast.Slice(**ends | {field: made(f"A {sign} 1", A=ends[field])})
            yield ast.Slice(**ends | {field: None})
    if isinstance(part.upper, ast.BinOp) and part.lower and ast.dump(part.upper.left) == ast.dump(part.lower):
        found = {"A": part.lower, "B": part.upper.right}
        yield ast.Slice(made("A * B", **found), made("(A + 1) * B", **found), part.step)
    if part.lower is None and part.upper is not None:
        yield ast.Slice(part.upper, None, part.step)
        yield ast.Slice(made("-A", A=part.upper), None, part.step)
    if part.upper is None and part.lower is not None:
        yield ast.Slice(None, part.lower, part.step)
        negative = isinstance(part.lower, ast.UnaryOp)
        yield ast.Slice(None, part.lower.operand if negative else made("-A", A=part.lower), part.step)


def _einsum(text):
    """The letters of an einsum with two neighbours exchanged, or one replaced by another of them."""
    letters = sorted({letter for letter in text if letter.isalpha()})
    for k, letter in enumerate(text):
        if letter.isalpha():
            if text[k + 1 : k + 2].isalpha():
                yield text[:k] + text[k + 1] + letter + text[k + 2 :]
            yield from (text[:k] + other + text[k + 1 :] for other in letters if other != letter)


def _alone(text):
    """The letters of an einsum that are summed up without a partner."""
    given, _, asked = text.partition("->")
    return {letter for letter in given if letter.isalpha() and given.count(letter) == 1 and letter not in asked}


# --- lines -----------------------------------------------------------------------------------------------------------


def _exchanged(nodes, names):
    """Two names that are taken for each other within a line."""
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)):
            inside = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            for a, b in itertools.combinations(sorted({n.id for n in inside} & set(names)), 2):
                places = [(n, "id", None, b if n.id == a else a) for n in inside if n.id in (a, b)]
                yield Change(1, places, node, words=f"`{a}` and `{b}` must change places")


def _assign(targets, value):
    return ast.Assign(targets, value, lineno=None)  # which ast.unparse asks for


def short(node):
    text = ast.unparse(node).replace("\n", " ")
    return f"`{text if len(text) < 60 else text[:59] + '…'}`"


def _of_body(owner, field, body, function):
    """Lines left out or moved, = for +=, and what is returned."""
    inside = isinstance(owner, (ast.For, ast.While, ast.If))
    for k, node in enumerate(body):
        before, after = body[:k], body[k + 1 :]

        def put(cost, new, words, node=node, before=before, after=after):
            return Change(cost, [(owner, field, None, [*before, *new, *after])], node, words=words)

        if len(body) > 1 and not isinstance(node, ast.Return):
            yield put(2, [], f"{short(node)} must go")
        if after and not isinstance(after[0], ast.Return):
            words = f"the line must come after line {after[0].lineno}"
            yield Change(2.5, [(owner, field, None, [*before, after[0], node, *after[1:]])], node, words=words)
        if isinstance(node, ast.Assign):
            yield from _of_assignment(node, put, inside)
        if isinstance(node, ast.AugAssign):
            new = _assign([node.target], node.value)
            yield put(1, [new], f"{short(node)} should be {short(new)}")
            for op in (ast.Add(), ast.Sub(), ast.Mult(), ast.Div()):
                if type(op) is not type(node.op):
                    new = ast.AugAssign(node.target, op, node.value)
                    yield put(0.5, [new], f"{short(node)} should be {short(new)}")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            for n in ast.walk(node.value):
                if isinstance(n, ast.Name) and n.id != "np":
                    new = _assign([ast.Name(n.id, ast.Store())], node.value)
                    yield put(0.5, [new], f"the result of {short(node)} is lost; write {short(new)}")
                    break
        if isinstance(node, ast.If):
            words = f"{short(node.test)} asks for the opposite"
            yield Change(1, [(node, "test", None, ast.UnaryOp(ast.Not(), node.test))], node, words=words)
        if isinstance(node, (ast.For, ast.While)):
            yield from _of_loop(owner, field, body, k, node)
    if owner is function:
        for each in function.args.args:
            copied = [*ast.parse(f"{each.arg} = {each.arg}.copy()").body, *body]
            words = f"{each.arg} is overwritten; begin with {each.arg} = {each.arg}.copy()"
            yield Change(2, [(owner, field, None, copied)], function, words=words)
    yield from _of_return(owner, field, body)


def _of_assignment(node, put, inside):
    first = node.targets[0]
    old = copy.copy(first)
    old.ctx = ast.Load()
    if len(node.targets) > 1:
        each = [_assign([target], copy.deepcopy(node.value)) for target in node.targets]
        yield put(0, each, f"{short(node)} gives one array {len(each)} names; make one for each")
        return
    for sign in "+-*/" if inside else "":
        new = _assign([first], made(f"A {sign} B", A=old, B=node.value))
        yield put(1 if sign == "+" else 2, [new], f"{short(node)} overwrites {short(first)}; write {sign}=")
    if isinstance(first, ast.Name) and not isinstance(node.value, ast.Name):
        new = _assign([ast.Subscript(old, ast.Slice(), ast.Store())], node.value)
        yield put(1.5, [new], f"{short(node)} makes a new array; write into the old one, {first.id}[:] = …")
    if isinstance(node.value, ast.Call):
        yield put(
            1, [ast.Expr(node.value)], f"{short(node)} changes its array in place and returns None; leave out the ="
        )


def _of_return(owner, field, body):
    last = body[-1]
    if not isinstance(owner, ast.FunctionDef) or any(isinstance(n, ast.Return) and n.value for n in ast.walk(owner)):
        return
    if isinstance(last, ast.Expr):
        prints = getattr(getattr(last.value, "func", None), "id", "") == "print" and last.value.args
        value = last.value.args[0] if prints else last.value
        yield Change(
            0, [(owner, field, None, [*body[:-1], ast.Return(value)])], last, words=f"write return {short(value)}"
        )
    for name in sorted({n.id for n in ast.walk(owner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}):
        new = [*body, ast.Return(ast.Name(name, ast.Load()))]
        yield Change(0.5, [(owner, field, None, new)], last, words=f"after it, write return `{name}`")


def _of_loop(owner, field, body, k, loop):
    """Lines that are inside a loop and belong after or before it, or the other way round."""
    inner, before, after = loop.body, body[:k], body[k + 1 :]

    def move(cost, node, kept, outer, words):
        return Change(cost, [(loop, "body", None, kept), (owner, field, None, outer)], node, words=words)

    for many in (1, 2):
        if len(inner) > many:
            cost = 0 if isinstance(inner[-1], ast.Return) else 2
            outer = [*body[: k + 1], *inner[-many:], *after]
            words = f"{short(inner[-many])} belongs after the loop; indent it less"
            yield move(cost, inner[-many], inner[:-many], outer, words)
    if len(inner) > 1:
        words = f"{short(inner[0])} belongs before the loop, which begins anew with it each time"
        yield move(1, inner[0], inner[1:], [*before, inner[0], *body[k:]], words)
    if after and not isinstance(after[0], ast.Return):
        words = f"{short(after[0])} belongs inside the loop; indent it more"
        yield move(1, after[0], [*inner, after[0]], [*body[: k + 1], *after[1:]], words)
    for place, each in enumerate(before):
        if isinstance(each, ast.Assign):
            outer = [*body[:place], *body[place + 1 :]]
            yield move(1, each, [each, *inner], outer, f"{short(each)} belongs inside the loop, at its beginning")
    if len(inner) == 1 and isinstance(inner[0], ast.For):
        turned = [(loop, "target", None, inner[0].target), (loop, "iter", None, inner[0].iter)]
        turned += [(inner[0], "target", None, loop.target), (inner[0], "iter", None, loop.iter)]
        yield Change(1, turned, loop, words="the two loops must change places")
