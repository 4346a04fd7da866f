"""The source of an answer: a tree that can be edited, compiled and run, and that does no harm."""

import ast
import copy
import functools
import inspect
import symtable

from helpers.checks.watch import StillRunning

LINES = 20_000  # that one edited answer may run, beside those that it ran as it was
MOST = 60_000  # both together
SHORT = 44  # letters of an expression
HARMFUL = set(
    "open input exec eval compile __import__ exit quit breakpoint setattr globals system remove unlink rmtree rmdir tofile save savez savetxt write popen run".split()
)
HARMLESS = set("math numpy functools collections operator statistics random typing torch".split())  # to be imported
GROWING = {"append", "extend", "insert"}


class Source:
    """The source of an answer as a tree that can be edited, compiled and run.

    lines : the file or cell in which the learner wrote it
    tree : ast.Module of the answer, and before it the functions of the same cell that it calls
    """

    def __init__(self, answer):
        if answer.__code__.co_freevars:
            raise ValueError("A function made by another one is not what its source says alone.")
        self.space = dict(answer.__globals__)
        self.lines = inspect.findsource(answer)[0]
        nodes = _nodes("".join(self.lines))
        body = [_node_of(answer, nodes)]
        inside = [part for own in (body[0].args, *body[0].body) for part in ast.walk(own)]
        for name in (n.id for n in inside if isinstance(n, ast.Name)):
            other = self.space.get(name)
            if (
                inspect.isfunction(other)
                and other is not answer
                and other.__code__.co_filename == answer.__code__.co_filename
            ):
                body.insert(0, _node_of(other, nodes))
        body = copy.deepcopy(list(dict.fromkeys(body)))  # to be edited
        for function in body:
            function.decorator_list = []
        self.tree, self.name = ast.Module(body, []), body[-1].name
        if any(map(_does_harm, ast.walk(self.tree))) or _asked_for(self.tree) & HARMFUL:
            raise ValueError("An edited answer must not be able to do harm.")
        if self.name in _names(self.tree) and any(map(_catches_all, ast.walk(self.tree))):
            raise ValueError("An edited answer must let itself be stopped.")

    def own(self, node):
        """The learner's own words for a part of the tree, in short."""
        words = self.text(node)
        return f"`{words if len(words) <= SHORT else words[: SHORT - 1] + '…'}`"

    def text(self, node):
        """The learner's own words for a part of the tree, whole and in one line."""
        if not hasattr(node, "end_lineno"):
            return ast.unparse(node)
        lines = [line.encode() for line in self.lines[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(b"".join(lines).decode().split())

    def compiled(self):
        """The function that the tree says now. Its powers are watched: one of whole numbers may never come to an end."""
        powers, loops = [], []
        _survey(self.tree, powers, loops)
        try:
            for container, key, node in reversed(powers):  # the inner ones first
                _put(container, key, _watched(node))
            for loop in loops:  # one in a single line has no lines to be counted
                loop.body.insert(0, _counted(loop.body[0]))
            code = compile(self.tree, "<edited answer>", "exec")
        finally:
            for loop in loops:
                del loop.body[0]
            for container, key, node in powers:
                _put(container, key, node)
        space = dict(self.space) | {"__power__": _power, "__alive__": _alive()}
        exec(code, space)
        return space[self.name]


def _put(container, key, value):
    if isinstance(container, list):
        container[key] = value
    else:
        setattr(container, key, value)


def _names(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


@functools.lru_cache(maxsize=1)
def _nodes(text):
    """All nodes of a file or cell, of which an answer is asked for more than once. They are not to be changed."""
    return list(ast.walk(ast.parse(text)))


def _survey(node, powers, loops, place=(1, 0, 1, 0)):
    """Find powers, as (container, key, node), and while loops; give new nodes the place of their owner."""
    if "lineno" in node._attributes:
        if getattr(node, "end_lineno", None) is None:
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
        place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        if isinstance(node, ast.While):
            loops.append(node)
        elif isinstance(node, ast.Call) and _holds_itself(node):
            raise ValueError("A list within itself fills the memory.")
    for field in node._fields:
        value = getattr(node, field, None)
        for container, key, part in (
            [(value, k, v) for k, v in enumerate(value)] if isinstance(value, list) else [(node, field, value)]
        ):
            if isinstance(part, ast.expr_context) or not isinstance(part, ast.AST):
                continue
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow):
                powers.append((container, key, part))
            _survey(part, powers, loops, place)


def _does_harm(node):
    """Whether a part may reach beyond the answer: by a method, or by a module that it imports."""
    if isinstance(node, ast.Attribute):
        return node.attr in HARMFUL
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        return {module.partition(".")[0] for module in modules} - HARMLESS or {a.name for a in node.names} & HARMFUL
    return False


def _catches_all(node):
    return isinstance(node, ast.ExceptHandler) and (node.type is None or "BaseException" in _names(node.type))


def _asked_for(tree):
    """The names that an answer reads from outside: no arguments, nothing that it assigns, no function of its own."""

    def outside(table):
        asked = {name.get_name() for name in table.get_symbols() if name.is_referenced() and name.is_global()}
        return asked.union(*map(outside, table.get_children()))

    own = {node.name for node in tree.body}
    return outside(symtable.symtable(ast.unparse(tree), "<answer>", "exec")) - own


def _calls(call, methods):
    return isinstance(call.func, ast.Attribute) and call.func.attr in methods


def _holds_itself(node):
    """Whether a call puts a list into itself, as in rows.append(rows)."""
    if not _calls(node, GROWING):
        return False
    return ast.dump(node.func.value) in {ast.dump(part) for given in node.args for part in _parts(given)}


def _parts(node):
    """What an expression may hand over as it is."""
    inner = {ast.IfExp: lambda: [node.body, node.orelse], ast.List: lambda: node.elts, ast.Tuple: lambda: node.elts}
    return [part for each in inner[type(node)]() for part in _parts(each)] if type(node) in inner else [node]


def _watched(node):
    name = ast.copy_location(ast.Name("__power__", ast.Load()), node)
    return ast.copy_location(ast.Call(name, [node.left, node.right], []), node)


def _counted(node):
    new = ast.Expr(ast.Call(ast.Name("__alive__", ast.Load()), [], []))
    return ast.fix_missing_locations(ast.copy_location(new, node))


def _alive():
    """A function that may be called so many times."""
    left = iter(range(MOST))

    def alive():
        if next(left, None) is None:
            raise StillRunning(f"{MOST} rounds")

    return alive


def _power(base, exponent):
    if isinstance(base, int) and isinstance(exponent, int) and abs(exponent) * base.bit_length() > 4_000:
        raise OverflowError("too large a power")
    return base**exponent


def _node_of(function, nodes):
    """The definition of a function among the nodes of its file; a lambda becomes one."""
    code = function.__code__
    if function.__name__ != "<lambda>":
        (found,) = (
            n
            for n in nodes
            if isinstance(n, ast.FunctionDef)
            and n.name == function.__name__
            and code.co_firstlineno in (n.lineno, *(d.lineno for d in n.decorator_list))
        )
        return found
    positions = {position[0::2] for position in code.co_positions() if None not in position}
    inside = [
        n
        for n in nodes
        if isinstance(n, ast.Lambda) and [a.arg for a in n.args.args] == list(inspect.signature(function).parameters)
    ]
    (found,) = (n for n in inside if (n.body.lineno, n.body.col_offset) in positions)
    body = [ast.copy_location(ast.Return(found.body), found.body)]
    return ast.copy_location(ast.FunctionDef("answer", found.args, body, []), found)


def source_of(answer):
    """The Source of an answer, or None where there is none that could be edited."""
    try:
        return Source(answer)
    except Exception:
        return None
