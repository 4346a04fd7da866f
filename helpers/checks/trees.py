"""Small things about trees of Python: parts put in, read, copied; a learner's own words."""

import ast
import copy
import functools

SHORT = 44  # letters of the learner's own expression in a sentence
NEUTRAL = {ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1}
OPERATORS = ["+", "-", "*", "@", "/", "//", "%", "**", "^", "&", "|"]


REDUCING = {"sum", "mean", "max", "min", "prod", "amax", "amin"}  # these make one of many


def get(container, key):
    return container[key] if isinstance(container, list) else getattr(container, key)


def put(container, key, value):
    if isinstance(container, list):
        container[key] = value
    else:
        setattr(container, key, value)


def segment(lines, node):
    """The letters of a node."""
    if not hasattr(node, "lineno"):
        return ast.unparse(node)
    lines = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


def own(lines, node):
    """The learner's own words for a node."""
    words = " ".join(segment(lines, node).split())
    words = words if len(words) <= SHORT else words[: SHORT - 1] + "…"
    return f"`{words}`"


def own_nodes(function):
    """The nodes of a function without those of the functions inside."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from own_nodes(child)


@functools.cache
def _sign_of(kind):
    signs = {type(ast.parse(f"a {sign} b", mode="eval").body.op): sign for sign in OPERATORS}
    return signs.get(kind, "the operator")


def sign(op):
    return _sign_of(type(op))


def made(text, **parts):
    """The tree of a text, in which nodes stand for its capital letters."""
    return filled(_expression(text), parts)


@functools.lru_cache(maxsize=500)
def _expression(text):
    """The tree of a text, which is not to be changed."""
    return ast.parse(text, mode="eval").body


def filled(change, found):
    """A copy of a tree with what stands for its letters."""
    if isinstance(change, ast.Name) and change.id in found:
        return found[change.id]
    if isinstance(change, list):
        return [filled(part, found) for part in change]
    if not isinstance(change, ast.AST):
        return change
    return type(change)(**{field: filled(getattr(change, field), found) for field in change._fields})


def names(tree):
    """The names in a tree, read or written."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def asked(tree):
    """All nodes of its questions."""
    questions = [node.test for node in ast.walk(tree) if isinstance(node, (ast.If, ast.IfExp))]
    return {part for question in questions for part in ast.walk(question)}


def is_named(node, name):
    return isinstance(node, ast.Name) and node.id == name


def is_module(node):
    return isinstance(node, ast.Name) and node.id in {"np", "numpy", "attention", "layers"}


def is_difference(node):
    """Whether it is a name, or a name less something."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub))


def called(node):
    """The last name of what is called, or "" where nothing is."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def is_mean(node):
    """Whether it is a call of mean, or a sum divided by something."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return called(node.left) == "sum"
    return called(node) == "mean"


def changes_nothing(node):
    """Whether a part gives what it was made of: x + 0, x * 1, x ** 1, max(x, x), [x, x], or always the same: x - x, x ** 0, x == x."""
    if isinstance(node, ast.Call) and called(node) in {"max", "min", "maximum", "minimum"}:
        return _are_twice(node.args)
    if isinstance(node, ast.Compare):
        return _are_twice([node.left, *node.comparators])
    if isinstance(node, (ast.List, ast.Tuple)):  # the mean of an array and of the same one twice over is one
        return _are_twice(node.elts) and isinstance(node.ctx, ast.Load) and isinstance(node.elts[0], ast.Name)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, tuple(NEUTRAL)):
        return False
    if isinstance(node.op, (ast.Sub, ast.Div)) and _are_twice([node.left, node.right]):
        return True
    if isinstance(node.op, ast.Pow) and ast.unparse(node.right) == "0":
        return True
    sides = [node.left, node.right] if isinstance(node.op, (ast.Add, ast.Mult)) else [node.right]
    return any(isinstance(side, ast.Constant) and side.value == NEUTRAL[type(node.op)] for side in sides)


def _are_twice(parts):
    """Whether these are two, and one and the same."""
    return len(parts) == 2 and ast.dump(parts[0]) == ast.dump(parts[1])


def replaced(node, other):
    """A copy of a tree in which parts are replaced by what other(part) gives, unless that is None."""
    if isinstance(node, list):
        return [replaced(part, other) for part in node]
    if not isinstance(node, ast.AST):
        return node
    new = other(node)
    if new is None:
        new = copy.copy(node)
        for field, value in ast.iter_fields(node):
            setattr(new, field, replaced(value, other))
    return new


def loaded(node, context):
    node = copy.copy(node)
    node.ctx = context
    return node
