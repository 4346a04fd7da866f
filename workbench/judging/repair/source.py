"""The source of an answer: a tree that can be edited, compiled and run, and that does no harm."""

import ast
import copy
import functools
import inspect

from workbench.judging.repair.changes import get, put, slots

HARMFUL = """open input exec eval compile __import__ exit quit breakpoint setattr globals system remove unlink rmtree rmdir
tofile save savez savetxt write popen run fork""".split()
HARMLESS = "math numpy functools collections operator statistics random typing torch".split()  # to be imported


class Source:
    """The source of an answer as a tree that can be edited, compiled and run.

    lines : the file or cell in which the learner wrote it
    tree : ast.Module of the answer, and before it the functions of the same cell that it calls; nodes : all that it was made of

    Raises
    ------
    ValueError, OSError, AttributeError
        If there is no source, or one whose edits might do harm.
    """

    def __init__(self, answer):
        if answer.__code__.co_freevars:
            raise ValueError("A function made by another one is not what its source says alone.")
        self.space, self.lines = dict(answer.__globals__), inspect.findsource(answer)[0]
        file = answer.__code__.co_filename
        body = [_node_of(answer, "".join(self.lines))]
        for name in [n.id for n in ast.walk(body[0]) if isinstance(n, ast.Name)]:
            other = self.space.get(name)
            if inspect.isfunction(other) and other is not answer and other.__code__.co_filename == file:
                body.insert(0, _node_of(other, "".join(self.lines)))
        body = copy.deepcopy(list(dict.fromkeys(body)))
        for function in body:
            function.decorator_list = []
        self.tree, self.name = ast.Module(body, []), body[-1].name
        self.nodes = list(ast.walk(ast.fix_missing_locations(self.tree)))
        self.watched = _to_be_watched(slots(self.tree))
        again = self.name in {n.id for n in self.nodes if isinstance(n, ast.Name)}
        catches = any(isinstance(n, ast.ExceptHandler) for n in self.nodes)  # also what should stop a call of itself
        if (again and catches) or any(_does_harm(function, {each.name for each in body}) for function in body):
            raise ValueError("An edited answer must do no harm, and let itself be stopped.")

    def text(self, node):
        """The learner's own words for a part of the tree, in one line."""
        found = ast.get_source_segment("".join(self.lines), node) if hasattr(node, "end_lineno") else None
        return " ".join((found or ast.unparse(node)).split())

    def compiled(self, made=()):
        """The function that the tree says once these changes are made. Its powers are watched: one of whole numbers may never
        come to an end. Of the tree only what the changes brought is walked through: there are thousands of them."""
        brought = [slot for change in made for slot in change.brought()]
        found = [slot for slot in [*self.watched, *_to_be_watched(brought)] if get(*slot[:3]) is slot[3]]
        if any(isinstance(node, ast.Call) and _holds_itself(node) for *_, node, _ in found):
            raise ValueError("A list within itself fills the memory.")
        replaced = []
        for owner, field, k, node, _ in reversed(found):  # the inner ones first
            if not isinstance(node, ast.Call) and get(owner, field, k) is node:
                watched = ast.Call(ast.Name("__power__", ast.Load()), [node.left, node.right], [])
                put(owner, field, k, ast.fix_missing_locations(ast.copy_location(watched, node)))
                replaced.append((owner, field, k, node))
        try:
            code = compile(self.tree, "<edited answer>", "exec")
        finally:
            for place in reversed(replaced):
                put(*place)
        space = self.space | {"__power__": _power}
        exec(code, space)
        return space[self.name]


def _to_be_watched(slots):
    """Of expressions the powers, and the calls by which a list grows."""
    return [slot for slot in slots if isinstance(getattr(slot[3], "op", None), ast.Pow) or _grows(slot[3])]


def _does_harm(function, known):
    """Whether a function may reach beyond the answer, the functions of which are known."""
    nodes = list(ast.walk(function))
    own = known | {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {getattr(n, "arg", getattr(n, "name", "")) for n in nodes if isinstance(n, (ast.arg, ast.FunctionDef))}
    return any(_reaches_out(node, own) for node in nodes)


def _reaches_out(node, own):
    """Whether a part reaches beyond: by a name that is not its function's own, by a method, or by a module that it imports."""
    if isinstance(node, ast.Name):
        return node.id in HARMFUL and node.id not in own
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        harmful = any(alias.name in HARMFUL for alias in node.names)
        return harmful or any(module.partition(".")[0] not in HARMLESS for module in modules)
    stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)  # as in np.exp = np.tanh
    return isinstance(node, ast.Attribute) and (stored or node.attr in HARMFUL)


def _grows(node):
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("append", "extend", "insert")


def _holds_itself(node):
    """Whether a call by which a list grows puts it into itself, as in rows.append(rows)."""
    return any(ast.dump(node.func.value) == ast.dump(part) for given in node.args for part in ast.walk(given))


def _power(base, exponent):
    if isinstance(base, int) and isinstance(exponent, int) and abs(exponent) * base.bit_length() > 4_000:
        raise OverflowError("too large a power")
    return base**exponent


@functools.lru_cache(maxsize=1)
def _functions(text):
    """All functions of a file or cell. They are not to be changed."""
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.Lambda))]


def _node_of(function, text):
    """The definition of a function in its file; a lambda becomes one."""
    name, first = function.__name__, function.__code__.co_firstlineno
    found = [node for node in _functions(text) if getattr(node, "name", "<lambda>") == name]
    lines = [(node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))) for node in found]
    (found,) = [node for node, own in zip(found, lines) if first in own]
    if isinstance(found, ast.FunctionDef):
        return found
    body = [ast.copy_location(ast.Return(found.body), found.body)]
    return ast.copy_location(ast.FunctionDef("answer", found.args, body, []), found)


def source_of(answer):
    """The Source of an answer, or None where there is none that could be edited."""
    try:
        return Source(answer)
    except Exception:
        return None
