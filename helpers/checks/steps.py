"""What an answer computes on its way: each part of its source, with all the values that it had, one after the other.

So "line 3 gives the right scores" can be said of a loop, of a single long expression and of a function inside, too.
"""

import ast
import copy
from typing import NamedTuple

import numpy as np

from helpers.checks.reading import same

KEPT = 500  # values of one part
LARGEST = 2_000  # numbers in a value


class Step(NamedTuple):
    """node : a part of the source; name : what it is assigned to, or ""; was : its tree, in words; values : all that it was"""

    node: ast.expr
    name: str
    was: str
    values: list


class Steps:
    """An answer that notes what it computes.

    source : source.Source of the answer
    """

    def __init__(self, source):
        notes = _Notes()
        whole, source.tree = source.tree, notes.visit(copy.deepcopy(source.tree))
        space, self.steps = source.space, [Step(*found, []) for found in notes.found]
        source.space = space | {"__note__": self.note}
        try:
            self.function = source.compiled()
        finally:
            source.tree, source.space = whole, space

    def note(self, k, value):
        """Called by the answer: keep a copy of the value, if it is numbers, and hand it on."""
        values = self.steps[k].values
        if len(values) < KEPT and isinstance(value, (np.ndarray, np.generic, float, int, list)):
            array = _numbers(value)
            if array is not None:
                values.append(array)
        return value

    def run(self, call):
        """Fill the steps with their values, by call(function)."""
        for step in self.steps:
            step.values.clear()
        return call(self.function)

    def computing(self, want, tolerance, once=False):
        """The steps that gave what was wanted, `once` if at their first turn: dict place -> how, such as ", row by row"."""
        shapes = {want.shape, want.T.shape, want.shape[1:], want.T.shape[1:], ()}
        found = [k for k, step in enumerate(self.steps) if any(value.shape in shapes for value in step.values)]
        hows = [(k, how_held(self.steps[k].values[: 1 if once else None], want, tolerance)) for k in found]
        return {k: how for k, how in hows if how is not None}


def _numbers(value):
    try:
        array = np.array(value)
    except Exception:
        return None  # a list of rows of several lengths
    return array if array.dtype.kind in "fiub" and array.size <= LARGEST else None


class _Notes(ast.NodeTransformer):
    """Puts __note__(k, …) around each part that gives numbers."""

    def __init__(self):
        self.found, self.name = [], ""

    def generic_visit(self, node):
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) or isinstance(
            node, (ast.JoinedStr, ast.arguments, ast.pattern)
        ):
            return node
        name, self.name, was = self.name, _target(node), ast.dump(node) if isinstance(node, ast.expr) else ""
        if isinstance(node, ast.Call):  # not around the function that is called
            if isinstance(node.func, ast.Attribute):
                node.func.value = self.visit(node.func.value)
            node.args, node.keywords = [self.visit(a) for a in node.args], [self.visit(k) for k in node.keywords]
        elif isinstance(node, ast.Starred):
            node.value = super().generic_visit(node.value)
        else:
            node = super().generic_visit(node)
        if not isinstance(
            node, (ast.BinOp, ast.Call, ast.Subscript, ast.Attribute, ast.UnaryOp, ast.Compare, ast.Name, ast.ListComp)
        ):
            return node
        self.found.append((node, name, was))
        noted = ast.Call(ast.Name("__note__", ast.Load()), [ast.Constant(len(self.found) - 1), node], [])
        return ast.copy_location(noted, node)


def _target(node):
    """The name to which a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def how_held(values, want, tolerance):
    """How the values of a step are what was wanted, such as ", row by row", or "" if just so; None if they are not."""
    if values and all(same(value, want, tolerance) or same(value.T, want, tolerance) for value in values):
        return ""
    if want.ndim >= 2 and _in_order(values, want, tolerance):
        return ", row by row"
    if want.ndim == 2 and _in_order(values, want.T, tolerance):
        return ", column by column"
    fitting = [value for value in values if value.shape == want.shape[1:]] if want.ndim > 1 else []
    if (
        len(values) > 1
        and 0 < len(fitting) < len(want)
        and all(same(value, part, tolerance) for value, part in zip(fitting, want))
    ):
        return f", but only the first {len(fitting) if len(fitting) > 1 else 'one'}"
    if want.size > 2 and want.ndim and any(value.ndim == 0 for value in values) and want.std() > 0:
        for order in (want.ravel(), want.T.ravel()):
            if _in_order(values, order, tolerance):
                return ", one by one"
    return None


def _in_order(values, parts, tolerance):
    """Whether the values are these parts, one after the other, perhaps in several rounds."""
    fitting = [value for value in values if value.shape == parts.shape[1:]]
    if not len(fitting) >= len(parts) > 0 or len(fitting) % len(parts):
        return False
    return all(same(value, parts[k % len(parts)], tolerance) for k, value in enumerate(fitting))
