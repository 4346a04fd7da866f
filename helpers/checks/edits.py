"""The edits that learners need, each with its sentence: an Edit, those of a tree, and the same one at several places."""

import ast
import itertools
import re

from helpers.checks import trees
from helpers.checks.edit import Edit
from helpers.checks.expressions import BUILTIN, Expressions
from helpers.checks.reading import MENDED
from helpers.checks.statements import Statements
from helpers.checks.table import TABLE

ORDINALS = ["first", "second", "third", "fourth"]
END = f".{MENDED}"


def single(tree, lines, named=()):
    """Every single edit of a tree, whose source is the file of these lines; `named` has a meaning of its own there."""
    return list(_Finder(tree, lines, named).all())


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
    rank = 0 if first.kind[0] in {"torch", "copy"} else max(first.rank, 2.2 if first.kind[0] == "number" else 1)
    words = re.sub(r"^Line \d+", where, first.words)
    owns = [re.search(r"`[^`]*`", edit.words) for edit in same]
    if all(owns) and len({own[0] for own in owns}) > 1:  # where the expressions differ each of them is named
        others = [
            own[0] + (f" ({edit.line.lower()})" if edit.line != first.line else "")
            for own, edit in zip(owns[1:], same[1:])
            if edit.parts == []
        ]
        words = f"{first.words}, and likewise in {' and '.join(dict.fromkeys(others))}" if others else words
    edit = Edit(rank, changes, words, first.kind, "joins " * first.joins + "less" * first.less)
    edit.parts = same
    return edit


class _Finder(Expressions, Statements):
    def __init__(self, tree, lines, named):
        self.tree, self.lines, self.function = tree, lines, tree.body[-1]
        nodes = list(ast.walk(tree))
        imports = [alias for n in nodes if isinstance(n, ast.ImportFrom) for alias in n.names]
        self.python = BUILTIN - set(named) - {alias.asname or alias.name for alias in imports}
        self.asked = trees.asked(tree)  # a name that idles a question mends nothing
        names = [n for n in nodes if isinstance(n, ast.Name)]
        given = {a.arg for n in nodes if isinstance(n, (ast.FunctionDef, ast.Lambda)) for a in n.args.args}
        self.names = sorted({n.id for n in names if isinstance(n.ctx, ast.Store)} | given)
        read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
        self.unused = [name for name in self.functions(nodes) if name not in read]
        over = [n.right for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
        self.divisors = [node for node in over if isinstance(node, ast.Call)][:3]
        kept = [n for n in nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
        self.means = [n.targets[0].id for n in kept if trees.is_mean(n.value)]
        self.loops = [n for n in nodes if isinstance(n, ast.For)]
        targets = [n.target for n in nodes if isinstance(n, (ast.For, ast.comprehension))]
        self.targets = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        self.idle = sorted(self.made_in_vain(nodes))
        cut = [n.targets[0] for n in nodes if isinstance(n, ast.Assign) and isinstance(n.value, ast.Subscript)]
        self.rows = self.targets | {target.id for target in cut if isinstance(target, ast.Name)}  # that may be views
        firsts = [target.elts[0] if isinstance(target, ast.Tuple) else target for target in targets]
        self.counters = sorted({first.id for first in firsts if isinstance(first, ast.Name)})

    def is_over(self, name, node):
        """Whether a name counts the rounds of loops, and stands behind them here."""
        loops = [loop for loop in self.loops if any(trees.is_named(part, name) for part in ast.walk(loop.target))]
        return bool(loops) and not any(loop.lineno <= node.lineno <= loop.end_lineno for loop in loops)

    def made_in_vain(self, nodes):
        """Names, the answer's own arguments among them, that nothing asks for but what gives them a new value."""
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for node in [n for n in nodes if isinstance(n, (ast.Assign, ast.AugAssign))]:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            own = targets[0].id if isinstance(targets[0], ast.Name) else None
            stored -= trees.names(node.value) - {own}
            nodes = [n for n in nodes if n is not node and not any(n is part for part in ast.walk(node))]
        stored -= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        read = {n.id for n in ast.walk(self.function) if isinstance(n, ast.Name)}
        return (stored - self.targets) | ({each.arg for each in self.function.args.args} - read)

    def functions(self, nodes):
        """Names of the functions that the answer makes for itself."""
        lambdas = [n for n in nodes if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)]
        made = [n.name for n in nodes if isinstance(n, ast.FunctionDef) and n is not self.function]
        return made + [n.targets[0].id for n in lambdas if isinstance(n.targets[0], ast.Name)]

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
        return trees.segment(self.lines, node)

    def own(self, node):
        """The learner's own words for a node, and which of them is meant where they stand in its line more than once."""
        own, words = trees.own(self.lines, node), self.segment(node)
        if not isinstance(node, (ast.BinOp, ast.Call, ast.Subscript)) or not hasattr(node, "lineno"):
            return own
        line = self.lines[node.lineno - 1]
        before = len(line.encode()[: node.col_offset].decode())
        place = line.count(words, 0, before)
        return f"{own} (the {ORDINALS[place]} of them)" if line.count(words) > 1 and place < len(ORDINALS) else own

    def edit(self, rank, changes, node, words, *more):
        return Edit(rank, changes, f"Line {node.lineno}: {words}", *more)
