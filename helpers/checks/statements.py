"""The edits of statements that learners need: loops, sums, returns, names that stand in each other's place."""

import ast
import itertools

from helpers.checks import trees
from helpers.checks.brackets import brackets
from helpers.checks.edit import Edit
from helpers.checks.table import SWAPS

IN_PLACE = {"fill_diagonal", "copyto", "put", "putmask", "place", "shuffle"}  # NumPy's functions that give None
IN_PLACE_OF = {
    "append",
    "extend",
    "insert",
    "sort",
    "reverse",
    "fill",
    "update",
    "clear",
    "print",
}  # all others that do


class Statements:
    """Methods that yield the edits of one statement, or of a whole function."""

    def of_statement(self, node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.GeneratorExp):
            new, target = ast.ListComp(node.value.elt, node.value.generators), ast.unparse(node.targets[0])
            words = f"{target} is a generator: it has no places and can be gone through only once. […] for (…) makes a list of it"
            yield self.edit(0, [(node, "value", new)], node, words)
        for field in ("value", "test", "iter"):
            if isinstance(getattr(node, field, None), ast.expr):
                for new, place, words in brackets(getattr(node, field), self.lines):
                    turned = self.segment(place).endswith(".T")  # a .T too many is likelier than one misplaced
                    bound = trees.called(place) in {"range", "arange"}  # rather its ends are wrong than its brackets
                    yield self.edit(2.5 if bound else 0.5 if turned else 0, [(node, field, new)], place, words)
        if isinstance(node, ast.If):
            words = f"the question {self.own(node.test)} is upside down"
            yield self.edit(1, [(node, "test", ast.UnaryOp(ast.Not(), node.test))], node, words)
        yield from self.of_exchanged_names(node)

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
                    apart = context is ast.Store and isinstance(getattr(node, "value", None), ast.Tuple)
                    rank = 1.2 if apart else 1 if len(some) == 2 else 1.02  # in a, b = b, a the right side is likelier
                    yield self.edit(rank, some, node, words, None, "joins")

    def of_body(self, owner, field, body):
        looped = isinstance(owner, (ast.For, ast.While, ast.If))
        for k, node in enumerate(body):
            own = self.own(node)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Subscript)) and looped:
                yield from self.of_forgetting(body, k, node)
                yield from self.of_asking(body, k, node)
            if isinstance(node, ast.AugAssign):
                yield from self.of_augassign(body, k, node)
            if isinstance(node, ast.Assign) and len(node.targets) > 1:
                words = f"{own} makes one thing with {len(node.targets)} names: each name needs its own"
                twice = [ast.Assign([target], node.value) for target in node.targets]
                yield self.edit(0, [(owner, field, [*body[:k], *twice, *body[k + 1 :]])], node, words)
            if len(body) > 1 and isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.For)):
                without = [(owner, field, [*body[:k], *body[k + 1 :]])]
                yield self.edit(2, without, node, f"{own} is one step too many")
            if k + 1 < len(body) and not isinstance(body[k + 1], ast.Return):  # after both have been tried without
                swapped = [*body[:k], body[k + 1], node, *body[k + 2 :]]
                words = f"Lines {node.lineno} and {body[k + 1].lineno} must change places"
                yield Edit(2.5, [(owner, field, swapped)], words)
            if isinstance(node, (ast.Assign, ast.Expr)):
                yield from self.of_keeping(body, k, node)
            if isinstance(node, ast.FunctionDef):
                yield from self.of_making(owner, field, body, k, node)
            if isinstance(node, (ast.For, ast.While)):
                yield from self.of_factors(node.body)
            if isinstance(node, ast.For):
                yield from self.of_loop(owner, field, body, k, node)
                yield from self.of_shadow(node)
                yield from self.of_changing(owner, field, body, k, node)
                yield from self.of_overwriting(node.body)
                yield from self.of_rounds(node, body[k + 1 :])
                yield from self.of_lambdas(node.body, node.target)

    def of_making(self, owner, field, body, k, function):
        """What is made once beside a function inside, and changed by each of its calls."""
        for place, before in enumerate(body[:k]):
            if isinstance(before, ast.Assign) and trees.names(before.targets[0]) & trees.names(function):
                rest = [*body[:place], *body[place + 1 :]]
                changes = [(function, "body", [before, *function.body]), (owner, field, rest)]
                words = f"{self.own(before)} is done once, outside of {function.name}, and each call finds what the last one left in it: it belongs inside"
                yield self.edit(1, changes, before, words)

    def of_keeping(self, body, k, node):
        """What works in place and gives None, kept; and what gives something new, which is not kept."""
        call = node.value if isinstance(node.value, ast.Call) else None
        of_module = call is not None and isinstance(call.func, ast.Attribute) and trees.is_module(call.func.value)
        in_place = call is not None and trees.called(call) in (IN_PLACE if of_module else IN_PLACE_OF)
        if isinstance(node, ast.Assign) and in_place:
            name = ast.unparse(call.func)
            words = f"{self.own(node)} keeps None, as {name} works in place: leave {ast.unparse(node.targets[0])} = out"
            yield self.edit(0, [(body, k, ast.Expr(call))], node, words)
        if isinstance(node, ast.Expr) and not in_place:
            first = next((n for n in ast.walk(node.value) if isinstance(n, ast.Name) and n.id in self.names), None)
            if first is not None:
                words = f"what {self.own(node)} gives is not kept: {first.id} = …"
                kept = ast.Assign([ast.Name(first.id, ast.Store())], node.value)
                yield self.edit(0, [(body, k, kept)], node, words)

    def of_changing(self, owner, field, body, k, loop):
        """A sum, or the like, that is taken anew while its array is changed place by place."""
        changing = [n for n in loop.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Subscript)]
        for node, name in [(n, ast.unparse(n.targets[0].value)) for n in changing]:
            for call in [n for n in ast.walk(node.value) if isinstance(n, ast.Call)]:
                if not any(trees.is_named(n, name) for n in (*call.args[:1], getattr(call.func, "value", None))):
                    continue
                same = [n for n in ast.walk(node.value) if ast.dump(n) == ast.dump(call)]
                new = trees.replaced(
                    node.value, lambda n, same=same: ast.Name("once", ast.Load()) if n in same else None
                )
                before = ast.Assign([ast.Name("once", ast.Store())], call)
                words = f"{self.own(call)} is taken anew when some of {name} is changed already: take it once, before the loop"
                yield self.edit(0, [(node, "value", new), (owner, field, [*body[:k], before, *body[k:]])], node, words)

    def of_overwriting(self, body):
        """A name from before the loop that each round overwrites, so that the next one finds something else in it."""
        for k, node in enumerate(body):
            written = ast.walk(node.targets[0]) if isinstance(node, ast.Assign) else ()
            read = {name for part in (*body[:k], getattr(node, "value", node)) for name in trees.names(part)}
            for target in [
                n for n in written if isinstance(getattr(n, "ctx", None), ast.Store) and getattr(n, "id", "") in read
            ]:
                later = [n for part in body[k + 1 :] for n in ast.walk(part) if trees.is_named(n, target.id)]
                words = f"{target.id} is overwritten, and the next round begins with another {target.id}: give this one a name of its own"
                if later or target is not node.targets[0]:
                    yield self.edit(0, [(n, "id", f"{target.id}_2") for n in (target, *later)], node, words)

    def of_forgetting(self, body, k, node):
        """What a loop, or a question in it, puts in the place of what was there."""
        cuts = isinstance(node.value, ast.Subscript) and trees.is_named(node.value.value, ast.unparse(node.targets[0]))
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.rows and not cuts:
            name = node.targets[0].id
            words = f"{self.own(node)} makes a new array of that name, and nothing is written back: {name}[:] = … writes into it"
            yield self.edit(0, [(node, "targets", [trees.loaded(trees.made(f"{name}[:]"), ast.Store())])], node, words)
        target, old = node.targets[0], trees.loaded(node.targets[0], ast.Load())
        words = f"{self.own(target)} is overwritten here; add to it instead"
        new = ast.Assign([target], ast.BinOp(old, ast.Add(), node.value))
        empty = f"{ast.unparse(target).partition('[')[0]} = np.empty" in ast.unparse(self.tree)
        how = "" if empty else "joins"  # what lies in an empty array is no mistake that is known
        yield self.edit(0, [(body, k, new)], node, words, None, how)
        for sign in "-*/":
            words = f"{self.own(target)} is overwritten here; {sign}= goes on from what was there"
            new = ast.Assign([target], trees.made(f"A {sign} B", A=old, B=node.value))
            yield self.edit(2.1, [(body, k, new)], node, words)
        for kept, word in (("max", "larger"), ("min", "smaller")) if isinstance(target, ast.Name) else ():
            words = f"{self.own(target)} is overwritten here; keep the {word} one of the two"
            new = ast.Assign([target], trees.made(f"{kept}(A, B)", A=old, B=node.value))
            yield self.edit(1, [(body, k, new)], node, words)

    def of_asking(self, body, k, node):
        """What is done in each round, and is to be done only where one thing is larger than another."""
        value, target = node.value, node.targets[0]
        if not (isinstance(target, ast.Name) and target.id in trees.names(value)):
            return
        over = {
            n.right.id
            for n in ast.walk(value)
            if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and isinstance(n.right, ast.Name)
        }
        for below, other in itertools.product(
            sorted(over), sorted(trees.names(value) & set(self.names) - over - {target.id})
        ):
            asked = ast.If(trees.made(f"{below} > {other}"), [node], [])
            yield self.edit(1, [(body, k, asked)], node, f"{self.own(node)} is to be done only if {below} > {other}")

    def of_factors(self, body):
        """Sums that are carried along a loop: what one of them is multiplied by each time, and another is not."""
        carried = [n for n in body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
        own = [
            (n, n.targets[0].id) for n in carried if isinstance(n.value, ast.BinOp) and isinstance(n.value.op, ast.Add)
        ]
        factors = [
            (name, node, n.right)
            for node, name in own
            for n in ast.walk(node.value)
            if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) and trees.is_named(n.left, name)
        ]
        for node, name in own:
            for other, place, factor in factors if trees.is_named(node.value.left, name) else ():
                new = ast.BinOp(trees.made("A * B", A=node.value.left, B=factor), ast.Add(), node.value.right)
                words = f"{name} must be multiplied by {self.own(factor)} before more is added, as {other} is in line {place.lineno}"
                yield self.edit(1, [(node, "value", new)], node, words)

    def of_augassign(self, body, k, node):
        own, old = self.own(node), trees.sign(node.op)
        new = ast.Assign([trees.loaded(node.target, ast.Store())], node.value)
        words = f"in {own} it must be = alone, not {old}="
        yield self.edit(1, [(body, k, new)], node, words)
        for other in [swap.split()[1] for swap in SWAPS if swap.split()[0] == old]:
            op = ast.parse(f"a {other} b", mode="eval").body.op
            words = f"in {own} it must be {other}=, not {old}="
            yield self.edit(0, [(body, k, ast.AugAssign(node.target, op, node.value))], node, words)

    def of_loop(self, owner, field, body, k, node):
        """Lines that stand in a loop, and belong behind it, or the other way round."""
        last = node.body[-1]
        behind = body[k + 1] if k + 1 < len(body) else None

        def moved(loop, count=1):  # the last lines of a loop, behind this one
            lines = loop.body[-count:]
            return [(loop, "body", loop.body[:-count]), (owner, field, [*body[: k + 1], *lines, *body[k + 1 :]])]

        if len(node.body) > 1 and isinstance(last, ast.Return):
            words = "the return stands inside the loop and ends it in its first round"
            yield self.edit(0, moved(node), last, words, None, "closing")
        else:
            for count in range(min(3, len(node.body) - 1), 1, -1):
                lines = node.body[-count:]
                yield Edit(2, moved(node, count), f"Lines {lines[0].lineno} to {last.lineno} belong behind the loop")
            if len(node.body) > 1:
                yield self.edit(2, moved(node), last, f"{self.own(last)} belongs behind the loop")
        first = node.body[0]
        if len(node.body) > 1 and isinstance(first, ast.Assign):
            changes = [(node, "body", node.body[1:]), (owner, field, [*body[:k], first, *body[k:]])]
            words = f"{self.own(first)} belongs before the loop: in it, each round begins anew"
            yield self.edit(1, changes, first, words)
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
            yield self.edit(1, changes, behind, f"{self.own(behind)} stands behind the loop, and belongs inside it")
        for place, before in enumerate(body[:k]):
            if isinstance(before, ast.Assign):
                changes = [(node, "body", [before, *node.body]), (owner, field, [*body[:place], *body[place + 1 :]])]
                words = f"{self.own(before)} is done once, before the loop, and belongs inside it"
                yield self.edit(1, changes, before, words)

    def of_rounds(self, loop, behind):
        """Rounds that all start from the same thing, where each is to go on from the one before."""
        inside = [n for part in loop.body for n in ast.walk(part) if isinstance(n, ast.Name)]
        stored = {n.id for n in inside if not isinstance(n.ctx, ast.Load)}
        read = {n.id for n in inside if isinstance(n.ctx, ast.Load)}
        for node in loop.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if not isinstance(target, ast.Name) or target.id in read:
                continue
            later = [n for part in behind for n in ast.walk(part) if trees.is_named(n, target.id)]
            for name in sorted(trees.names(node.value) & set(self.names) - stored - self.targets):
                words = f"each round starts from the same {name}, so that only the last one counts; go on from the one before, {name} = …"
                yield self.edit(1, [(target, "id", name), *((n, "id", name) for n in later)], node, words)

    def of_lambdas(self, parts, target):
        """Functions made in a loop, which ask for its counters when it is over."""
        for made in [n for part in parts for n in ast.walk(part) if isinstance(n, (ast.Lambda, ast.FunctionDef))]:
            own = [argument.arg for argument in made.args.args]
            named = isinstance(made, ast.FunctionDef)
            lines = made.body if named else [made.body]
            late = sorted(set().union(*map(trees.names, lines)) & trees.names(target) - set(own))
            if late and not made.args.defaults:
                kept = [(made.args, "args", [*made.args.args, *map(ast.arg, late)])]
                kept += [(made.args, "defaults", [ast.Name(name, ast.Load()) for name in late])]
                keep = ", ".join([*own, *(f"{name}={name}" for name in late)])
                who = made.name if named else "the lambda"
                new = f"def {who}({keep})" if named else f"lambda {keep}: …"
                words = f"{who} asks for {' and '.join(late)} when it is called, after the loop, and finds the last round's; keep this round's: {new}"
                yield self.edit(0, kept, made, words)

    def endings(self, function):
        """What is not returned, and what is written into the caller's arrays."""
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef):
                if not any(isinstance(n, ast.Return) and n.value for n in trees.own_nodes(node)):
                    yield from self.returns(node)
        numbers = [n for n in ast.walk(function) if isinstance(n, ast.Constant) and isinstance(n.value, float)]
        for one, other in itertools.combinations(numbers[:8], 2):
            if one.value != other.value:
                words = f"the numbers {one.value:g}, here, and {other.value:g}, in line {other.lineno}, are exchanged"
                yield self.edit(1.5, [(one, "value", other.value), (other, "value", one.value)], one, words)
        given = function.args.args[len(function.args.args) - len(function.args.defaults) :]
        for argument, default in zip(given, function.args.defaults):
            if isinstance(default, (ast.Dict, ast.List)):
                new = [ast.Assign([ast.Name(argument.arg, ast.Store())], default), *function.body]
                words = f"{argument.arg}={ast.unparse(default)} is made once and kept from call to call: make a new one inside"
                yield self.edit(0, [(function, "body", new)], function, words)
        for name in [argument.arg for argument in function.args.args]:
            copied = [*ast.parse(f"{name} = {name}.copy()").body, *function.body]
            yield Edit(2, [(function, "body", copied)], f"{name} is overwritten: work on {name}.copy()", None, "copies")

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
                    if trees.is_named(n.left, target.id) and trees.is_named(n.comparators[0], target.id)
                ]
                words = f"{target.id} is also the name in the loop of line {outer.lineno}, and replaces it: give it a name of its own"
                yield self.edit(0, [(target, "id", new), *changes], inner, words)

    def returns(self, function):
        last, body = function.body[-1], function.body
        words = "nothing is returned: end with return"
        if isinstance(last, ast.Expr):
            value = last.value
            if isinstance(value, ast.Call) and trees.called(value) == "print" and value.args:
                value = value.args[0] if len(value.args) == 1 else ast.Tuple(value.args, ast.Load())
                words = "what is printed must be returned"
            changes = [(function, "body", [*body[:-1], ast.Return(value)])]
            yield self.edit(0, changes, last, words, None, "closing closes")
        names = {n.id for n in trees.own_nodes(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names |= {n.name for n in body if isinstance(n, ast.FunctionDef)}
        newest = [last.targets[0].id] if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) else []
        newest += [last.name] if isinstance(last, ast.FunctionDef) else []
        for name in dict.fromkeys([*newest, *sorted(names)]):
            changes = [(function, "body", [*body, ast.Return(ast.Name(name, ast.Load()))])]
            yield self.edit(0, changes, last, words, None, "closing closes")
