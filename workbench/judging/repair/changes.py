"""Every change of one place of an answer that a learner may need, as data; most of them come from the rules."""

import ast
import itertools

from workbench.judging.repair.rules import KIN, WRAPS, by_rule, made, parsed

REDUCING = """sum mean max min std var softmax prod any all argmax
stack concatenate cumsum split amax amin logsumexp""".split()
FRACTIONS = (1e-5, 1e-8, 1e-12, 0.9, 0.999, 0.1, 0.001, 1.0, 2.0, 0.5, 10000.0)
LOAD, STORE = ast.Load(), ast.Store()
WHOLE = ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute


class Change:
    """A change of a tree, made within `with`.

    cost : 0 for what is likeliest
    places : list of (owner, field, index or None, what must be there)
    node : what is changed; its line is told
    new : what must be there, or None for a change of whole lines
    around : what is around the node, the nearest first: its statement last
    kind : what sort of change it is, and which, in a tuple; changes of one kind may be made everywhere at once
    why, words : for whole lines, what is said of them, and what is to be done
    """

    def __init__(self, cost, places, node, new=None, around=(), kind=(), why="", words=""):
        self.cost, self.places, self.node, self.new, self.around = cost, places, node, new, around
        self.kind, self.why, self.words, self.line, self.parts = kind, why, words, node.lineno, [self]

    def brought(self):
        """The slots of what it puts into the tree; that stands on the line of what was there."""
        for part in self.parts:
            for owner, field, k, value in part.places:
                for new in value if isinstance(value, list) else [value]:
                    if isinstance(new, ast.AST) and not hasattr(new, "lineno"):
                        ast.fix_missing_locations(ast.copy_location(new, part.node))
                    if isinstance(new, ast.expr):
                        yield owner, field, k, new, ()
                    if isinstance(new, ast.AST):
                        yield from slots(new)

    def kinds(self):
        return {part.kind[0] for part in self.parts if part.kind}

    def is_rough(self):
        """Whether it makes a mistake of its own: leaves a call out, or much else, or puts infinity somewhere."""
        if isinstance(self.node, ast.Call) and self.kind[:1] == ("rule",) and len(self.kind[1]) == 1:
            return True
        lost = len(list(ast.walk(self.node))) - len(list(ast.walk(self.new)))
        return lost > 10 or ast.unparse(self.new) == "np.inf"

    def __enter__(self):
        self.before = [get(*place[:3]) for place in self.places]
        for place in self.places:
            put(*place)

    def __exit__(self, *error):
        for place, value in reversed(list(zip(self.places, self.before))):
            put(*place[:3], value)


def get(owner, field, k):
    return getattr(owner, field) if k is None else getattr(owner, field)[k]


def put(owner, field, k, value):
    if k is None:
        setattr(owner, field, value)
    else:
        getattr(owner, field)[k] = value


def all_changes(tree):
    """All changes of a tree, the last function of which answers; the likeliest first."""
    found, alike, sizes = [*_of_expressions(tree), *_of_lines(tree)], {}, {}
    for change in found:
        if change.new:
            alike.setdefault((ast.dump(change.node), ast.dump(change.new)), []).append(change)
            alike.setdefault(change.kind, []).append(change)
        if change.kind[:1] == ("size",):  # all numbers of one size, made to follow an argument
            sizes.setdefault(change.kind[1:], []).append(change)
    groups = {tuple(map(id, same)): same for kind, same in alike.items() if kind and 1 < len(same) < 7}
    pairs = [(a, b) for a, b in itertools.combinations(sizes, 2) if a[0] != b[0] and a[1] != b[1]][:30]
    found += [_together(same) for same in [*groups.values(), *(sizes[a] + sizes[b] for a, b in pairs)]]
    return sorted(found, key=lambda change: change.cost)


def _together(changes):
    """Several changes as one."""
    first, places = changes[0], [place for each in changes for place in each.places]
    whole = Change(max(1, first.cost) + 0.3, places, first.node, first.new, (), first.kind, first.why)
    whole.parts = changes
    return whole


def names(nodes, context=ast.Load):
    """The names whose values are asked for, or stored."""
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def slots(owner, around=()):
    """Every expression of a tree: (owner, field, index or None, node, what is around it, the nearest first: its statement last)."""
    around = (owner, *around) if not isinstance(owner, ast.stmt) else (owner,)
    for field, value in ast.iter_fields(owner):
        for k, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(part, ast.expr):
                yield owner, field, k, part, around
            if isinstance(part, ast.AST):
                yield from slots(part, around)


# --- expressions: (cost, new node, kind) -------------------------------------------------------------------------------


def _of_expressions(tree):
    known = _Known(tree)
    for owner, field, k, node, around in slots(tree):
        stored = not isinstance(getattr(node, "ctx", LOAD), ast.Load)
        if stored and not isinstance(node, ast.Subscript):
            continue
        found = [by_rule(node, known.names)]
        asked = isinstance(owner, ast.Call) and getattr(owner.func, "attr", "").startswith("is")  # np.isinf(scores)
        if isinstance(node, ast.Name) and node.id in known.names and field != "func" and not asked:
            others = [name for name in known.names if name != node.id]
            found.append([(1.5, ast.Name(name, LOAD), ("name", node.id, name)) for name in others])
        elif isinstance(node, ast.Constant):
            minus = isinstance(owner, ast.UnaryOp) and isinstance(owner.op, ast.USub)
            found.append(each for each in _of_constant(node.value, known) if not minus or ast.unparse(each[1]) != "0")
        elif isinstance(node, ast.Call):
            found.append(_of_call(node))
        if isinstance(node, WHOLE) and field != "func" and not isinstance(owner, ast.keyword):
            found.append(_around(node, known.unused, [] if isinstance(owner, ast.Attribute) else WRAPS, len(around)))
        for cost, new, kind in itertools.chain(*found):
            if not stored or isinstance(new, ast.Subscript):
                if stored:
                    new.ctx = STORE
                yield Change(cost, [(owner, field, k, new)], node, new, around, kind)


class _Known:
    """The names, numbers and words of an answer."""

    def __init__(self, tree):
        nodes, function = list(ast.walk(tree)), tree.body[-1]
        self.stored = sorted(names(nodes, ast.Store))
        self.names = sorted({*self.stored, *(node.arg for node in nodes if isinstance(node, ast.arg))})
        self.unused = sorted({each.arg for each in function.args.args} - names(nodes))
        constants = dict.fromkeys(node.value for node in nodes if isinstance(node, ast.Constant))
        self.numbers = [value for value in constants if type(value) in (int, float)]
        self.words = {word for word in constants if isinstance(word, str)} - {ast.get_docstring(function, clean=False)}


def _of_constant(value, known):
    if isinstance(value, bool):
        yield 1, ast.Constant(not value), ()
    elif isinstance(value, str):
        yield from ((1, ast.Constant(word), ("word",)) for word in sorted(known.words - {value}))
        yield from ((1, ast.Constant(new), ("einsum",)) for new in _einsum(value))
    elif isinstance(value, (int, float)):
        near = [value + 1, value - 1, -value, 0, 1, 2, -1, 3, -2]
        near = near if isinstance(value, int) else [1 - value, -value, *FRACTIONS, value * 10, value / 10]
        for new in dict.fromkeys([*near, *known.numbers]):
            if new != value or type(new) is not type(value):
                yield 1.2, ast.Constant(new), ("number", value, new)
        for name, text in itertools.product(known.names, ("len({})", "{}.shape[-1]", "{}")):
            if value not in (0, -1):
                yield 2, parsed(text.format(name)), ("size", value, text.format(name))
        yield 1.5, parsed("np.inf"), ()


def _einsum(text):
    """The letters of an einsum with two neighbours exchanged, or one replaced by another of them; none is summed up alone."""
    letters = sorted(set(filter(str.isalpha, text)))
    for k, letter in enumerate(text if "->" in text else ""):
        pair, rest = text[k : k + 2], text[k + 2 :]
        swapped = [text[:k] + pair[::-1] + rest] if pair.isalpha() and len(pair) == 2 else []
        others = [text[:k] + other + text[k + 1 :] for other in letters if other != letter] if letter.isalpha() else []
        yield from (new for new in swapped + others if all(new.count(each) > 1 for each in new if each.isalpha()))


def _of_call(node):
    method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if method else getattr(node.func, "id", "")
    kin = [other for each in KIN if name in each.split() for other in each.split() if other != name]
    for other in dict.fromkeys(kin):
        func = ast.Attribute(node.func.value, other, LOAD) if method else ast.Name(other, LOAD)
        yield 1.2, ast.Call(func, node.args, node.keywords), ("kin", name, other)
    for keyword in node.keywords:
        yield 2, ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword]), ()
    if name in REDUCING:
        of_module = method and getattr(node.func.value, "id", "") in ("np", "attention")
        args = node.args if not method else node.args[:1] if of_module else []
        rest = [each for each in node.keywords if each.arg not in ("axis", "keepdims", "dim", "keepdim")]
        named = {each.arg for each in node.keywords}
        if (node.args[len(args) :] or "axis" in named) and named <= {"axis"} and name != "softmax":
            kept = ast.Call(node.func, node.args, [*node.keywords, ast.keyword("keepdims", ast.Constant(True))])
            yield 0, kept, ("kept",)  # the same axis
        for axis, keep in itertools.product((-1, 0, None, 1, -2, -3), (False, True)):
            keywords = [ast.keyword("axis", ast.Constant(axis))] * (axis is not None)
            keywords += [ast.keyword("keepdims", ast.Constant(True))] * keep
            new = ast.Call(node.func, args, rest + keywords)
            if ast.unparse(new) != ast.unparse(node):  # -1 is no other number where it is made anew
                yield (0 if axis == -1 else 1.5 if name == "softmax" else 1), new, ("axis", axis, keep)


def _around(node, unused, wraps, depth):
    """What may be missing around an expression: it is likelier missing around a whole one."""
    for name, text in itertools.product(unused, ("A @ B", "A * B", "A / B")):
        yield 0.5, made(text, A=node, B=ast.Name(name, LOAD)), ("unused", name, text)
    for texts, _, why in (line.partition("  # ") for line in wraps if depth < 4):
        yield from ((2 + depth / 20, made(text, A=node), ("rule", text, why)) for text in texts.split(" ; "))


# --- lines -----------------------------------------------------------------------------------------------------------


def _of_lines(tree):
    """Names exchanged within a line; lines left out or moved, = for +=, and what is returned."""
    known, nodes, function = _Known(tree), list(ast.walk(tree)), tree.body[-1]
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)):
            inside = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            for a, b in itertools.combinations(sorted({n.id for n in inside} & {*known.names}), 2):
                places = [(n, "id", None, b if n.id == a else a) for n in inside if n.id in (a, b)]
                why, words = f"takes `{a}` and `{b}` for each other", f"`{a}` and `{b}` must change places"
                yield Change(1, places, node, why=why, words=words)
    for owner, field in itertools.product(nodes, ("body", "orelse")):
        body = getattr(owner, field, None)
        for k, node in enumerate(body) if isinstance(body, list) else ():
            if not isinstance(node, ast.FunctionDef):
                yield from _of_line(owner, field, body, k)
    if not any(isinstance(node, ast.Return) and node.value for node in nodes):
        last = function.body[-1]
        for name in known.stored:
            new = [(function, "body", None, [*function.body, ast.Return(ast.Name(name, LOAD))])]
            yield Change(0.5, new, last, why="is the last, and nothing is returned", words=f"after it, return `{name}`")
        if isinstance(last, ast.Expr):
            prints = getattr(getattr(last.value, "func", None), "id", "") == "print" and last.value.args
            value = last.value.args[0] if prints else last.value
            new = [(function, "body", None, [*function.body[:-1], ast.Return(value)])]
            yield Change(0, new, last, why="is not returned", words=f"write return {_text(value)}")


def _text(node):
    text = ast.unparse(node).replace("\n", " ")
    return f"`{text if len(text) < 60 else text[:59] + '…'}`"


def _of_line(owner, field, body, k):
    node, before, after = body[k], body[:k], body[k + 1 :]

    def instead(cost, new, why, words):
        return Change(cost, [(owner, field, None, [*before, *new, *after])], node, why=why, words=words)

    if len(body) > 1 and not isinstance(node, ast.Return):
        yield instead(2, [], "does not belong there", f"{_text(node)} must go")
    if after and not isinstance(after[0], ast.Return):
        moved = [(owner, field, None, [*before, after[0], node, *after[1:]])]
        yield Change(2.5, moved, node, why="comes too early", words=f"it must come after line {after[0].lineno}")
    anew = names((part for each in before for part in ast.walk(each)), ast.Store)  # in this round, and in no other
    if isinstance(node, ast.Assign) and isinstance(owner, (ast.For, ast.While, ast.If)):
        if getattr(getattr(node.targets[0], "value", None), "id", "") in anew and not names(ast.walk(node.value)):
            return  # s[mask] = -1e9
        why = f"overwrites {_text(node.targets[0])} each time"
        for cost, sign, op in ((1, "+", ast.Add()), (2, "-", ast.Sub()), (2, "*", ast.Mult()), (2, "/", ast.Div())):
            yield instead(cost, [ast.AugAssign(node.targets[0], op, node.value)], why, f"write {sign}=")
    if isinstance(node, ast.AugAssign):
        for op in (ast.Add(), ast.Sub(), ast.Mult(), ast.Div()):
            new = ast.AugAssign(node.target, op, node.value)
            yield instead(0.5, [new], "changes it in another way than is needed", f"it should be {_text(new)}")
    if isinstance(node, ast.If):
        turned = [(node, "test", None, ast.UnaryOp(ast.Not(), node.test))]
        yield Change(1, turned, node, why="asks for the opposite", words=f"{_text(node.test)} asks for the opposite")
    if isinstance(node, (ast.For, ast.While)):
        yield from _of_loop(owner, field, before, node, after)


def _of_loop(owner, field, before, loop, after):
    """Lines that are inside a loop and belong after or before it, or the other way round."""
    inner = loop.body

    def move(cost, node, kept, outer, why, words):
        places = [(loop, "body", None, kept), (owner, field, None, outer)]
        return Change(cost, places, node, why=why, words=f"{_text(node)} belongs {words}")

    for many in range(1, min(3, len(inner))):
        cost, outer = 0 if isinstance(inner[-1], ast.Return) else 2, [*before, loop, *inner[-many:], *after]
        yield move(cost, inner[-many], inner[:-many], outer, "is done in every round", "after the loop; indent it less")
    if len(inner) > 1:
        words = "before the loop, which begins anew with it each time"
        yield move(1, inner[0], inner[1:], [*before, inner[0], loop, *after], "is done in every round", words)
    if after and not isinstance(after[0], ast.Return):
        outer, why = [*before, loop, *after[1:]], "is done only once, after the loop"
        yield move(1, after[0], [*inner, after[0]], outer, why, "inside the loop; indent it more")
    for each in before:
        if isinstance(each, ast.Assign):
            outer, why = [line for line in before if line is not each], "is done only once, before the loop"
            yield move(1, each, [each, *inner], [*outer, loop, *after], why, "inside the loop, at its beginning")
