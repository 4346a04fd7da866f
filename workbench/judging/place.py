"""The place of a mistake, as a fact: each value that gets a name in an answer is replaced by those that the solution computes.

Where the failing cases then come out right, that line is where a value is wrong. The learner's code runs with a call after each
statement that gives a value a name; no text of it is edited, and all runs together have a budget of counted lines.
"""

import ast
import inspect

import numpy as np

from workbench.judging.cases import copied
from workbench.judging.edits import SPACE
from workbench.judging.run import StillRunning, Watch, numbers

CASES, STEPS = 4, 40_000  # that must come out right; lines and calls of all runs together
PARTS = ast.BinOp, ast.Call, ast.UnaryOp, ast.Subscript, ast.Compare, ast.IfExp


def place(exercise, answer, failing):
    """The line in which another value makes the rest of a wrong answer right, or None: there is none, or there are several."""
    try:
        return _Place(exercise, answer, failing[:CASES]).line()
    except (Exception, StillRunning):  # no source, no solution as text, or too long a way
        return None


class _Told(ast.NodeTransformer):
    """Each part of the solution tells what it gives."""

    def generic_visit(self, node):
        super().generic_visit(node)
        if not isinstance(node, PARTS) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        return ast.Call(ast.Name("__told__", ast.Load()), [ast.Constant(ast.unparse(node)), node], [])


class _Named(ast.NodeTransformer):
    """After each statement that gives a name a value, or changes it, the name takes what __named__ gives back."""

    def visit_FunctionDef(self, node):
        around, inner = getattr(self, "own", set()), [*ast.walk(node)]
        self.own = {each.arg for each in inner if isinstance(each, ast.arg)}
        self.own |= {each.id for each in inner if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        self.generic_visit(node)
        self.own, node.decorator_list = around, []
        return node

    def visit_Assign(self, node):
        call = getattr(node, "value", None) if isinstance(node, ast.Expr) else None
        changed = [*call.args[:1], call.func] if isinstance(call, ast.Call) else getattr(node, "targets", None)
        parts = [part for each in changed or [getattr(node, "target", node)] for part in getattr(each, "elts", [each])]
        names = [getattr(part, "value", part) for part in parts]
        names = dict.fromkeys(name.id for name in names if isinstance(name, ast.Name) and name.id in self.own)
        return [node, *(ast.parse(f"{name} = __named__({node.lineno}, {name!r}, {name})").body[0] for name in names)]

    visit_AugAssign = visit_AnnAssign = visit_Expr = visit_Assign


class _Place:
    def __init__(self, exercise, answer, failing):
        self.exercise, self.failing, self.watch = exercise, failing, Watch(lines=STEPS)
        lines, name = inspect.findsource(answer)[0], answer.__name__
        tree = ast.parse("".join(lines))
        functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
        used = {each.id for each in ast.walk(functions[name]) if isinstance(each, ast.Name)} | {name}
        tree.body = [each for each in functions.values() if each.name in used]
        space = answer.__globals__ | {"__named__": self.named}
        exec(compile(ast.fix_missing_locations(_Named().visit(tree)), "<answer>", "exec"), space)
        self.answer, self.put, self.given = space[name], {}, {}
        solve = getattr(exercise.solve, "returned", exercise.solve)
        self.told = [self.parts(solve, k) for k in failing]
        self.right = [exercise.right(k) for k in failing]
        if exercise.is_of_truths():
            raise ValueError("A single truth is hit too easily.")

    def parts(self, solve, k):
        """dict part of the solution, as text -> the values that it has in case k, one after the other."""
        told = {}
        space = SPACE | solve.names | {"__told__": lambda text, value: told.setdefault(text, []).append(value) or value}
        tree = ast.fix_missing_locations(_Told().visit(ast.parse(solve.text)))
        exec(compile(tree, "<solution>", "exec"), space)
        case = copied(self.exercise.cases[k])
        solve = space[tree.body[0].name]
        solve(*case)
        arguments = {name: [value] for name, value in zip(inspect.signature(solve).parameters, case)}
        return {text: values for text, values in (told | arguments).items() if all(map(_is_number, values))}

    def named(self, line, name, value):
        """What a name gets: its own value, or the one that is put in."""
        values = self.given.setdefault((line, name), [])
        values.append(np.array(value) if isinstance(value, np.ndarray) else value)
        new = self.put.get((line, name))
        return value if new is None else np.array(new[min(len(values), len(new)) - 1])

    def run(self, case, put):
        """The numbers of a case with values put in; `given` is what the names then get."""
        if self.watch.lines - self.watch.left + self.watch.calls > STEPS:
            raise StillRunning
        self.put, self.given = put, {}
        given = copied(self.exercise.cases[self.failing[case]])
        result = self.watch.run(self.answer, given)
        return numbers(self.exercise.use(result, *given) if self.exercise.use else result, "")

    def mends(self, key, text):
        """Whether the answer is right in all cases with this part of the solution as this value."""
        for case, k in enumerate(self.failing):
            values, n = self.told[case].get(text), len(self.was[case].get(key, ()))
            if values is None or not n:
                return False
            if len(values) == 1 and n > 1 and np.shape(values[0])[:1] == (n,) != np.shape(self.was[case][key][0])[:1]:
                values = list(values[0])  # a row in each round
            try:
                if not self.exercise.agrees(k, self.run(case, {key: values}), self.right[case]):
                    return False
                self.then = self.given if case == 0 else self.then
            except Exception:
                return False
        return True

    def line(self):
        self.was, self.then = [], {}
        for case in range(len(self.failing)):
            self.run(case, {})
            self.was.append(self.given)
        told, was = self.told[0], self.changed(self.was[0])
        keys = [*was]
        good = {key for key in keys if any(_near(was[key], values[-1]) for values in told.values())}
        result = {text for text, values in told.items() if any(_near(value, self.right[0]) for value in values)}
        found, part, after = None, None, {}
        for k, key in sorted(enumerate(keys), key=lambda pair: pair[1] in good):
            if found and key in good and found not in good:
                break
            for text, values in told.items():
                if text in result and (k + 1 < len(keys) or not good >= {*keys[:k]}):
                    continue  # what is right in the end says nothing, unless all went well before
                follows = found and _near(after[key], values[-1])  # right as soon as the first one is
                if _near(values[-1], was[key]) or (follows and text != part) or not self.mends(key, text):
                    continue
                if found and not follows and key[0] != found[0]:
                    return None
                found, part, after = key, text, {name: values[-1] for name, values in self.then.items()}
                break
        return found and found[0]

    def changed(self, given):
        """dict (line, name) -> its last value, of those that are numbers, and others than the name had before."""
        was, before = {}, {name: values[-1] for name, values in self.told[0].items()}
        for key, values in given.items():
            if all(map(_is_number, values)) and not (key[1] in before and _near(before[key[1]], values[-1])):
                was[key] = before[key[1]] = values[-1]
        return was


def _is_number(value):
    return isinstance(value, (np.ndarray, np.generic, float, int)) and np.asarray(value).dtype.kind in "fiub"


def _near(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True)
