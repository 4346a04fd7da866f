"""What the text of a wrong answer shows by itself: facts, whatever its numbers are."""

import ast
import inspect


def slip(answer):
    """A sentence on the first slip that the text of an answer shows, or ""."""
    try:
        tree = ast.parse("".join(inspect.findsource(answer)[0]))
        functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        (own,) = [each for each in functions if each.name == answer.__name__]
    except Exception:  # no source, or not one function of that name
        return ""
    used = _names(own, ast.Load)
    helpers = [each for each in functions if each.name in used and each is not own]
    loops = [each for function in (own, *helpers) for each in ast.walk(function) if isinstance(each, ast.For)]
    found = [*map(_ends_early, loops), *(_overwrites(own, loop) for loop in loops), _unused(own)]
    return next(filter(None, found), "")


def _names(node, context):
    """The names that a part of the text reads, or gives a value to."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, context)}


def _ends_early(loop):
    """A return on the level of the loop itself, which no round gets past."""
    may_go_on = any(isinstance(each, (ast.Continue, ast.Break)) for each in ast.walk(loop))
    line = next((each.lineno for each in loop.body if isinstance(each, ast.Return)), None)
    if line and not may_go_on:
        return f"The return in line {line} stands inside the loop, which therefore ends in its first round."


def _overwrites(function, loop):
    """A name that begins before the loop, and is given a value in each round which no round reads."""
    if any(isinstance(each, ast.Break) for each in ast.walk(loop)):
        return ""
    around = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
    for step in loop.body:
        name = step.targets[0].id if isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name) else None
        if name is None or name in _names(loop, ast.Load):
            continue
        given = [each.lineno for each in around if each.id == name and isinstance(each.ctx, ast.Store)]
        read = [each.lineno for each in around if each.id == name and isinstance(each.ctx, ast.Load)]
        if min(given) < loop.lineno and any(line > loop.end_lineno for line in read):
            return f"Line {step.lineno} gives `{name}` a new value in each round of the loop, so only that of the last one is left."


def _unused(function):
    """A parameter, or a name that is given a value, which nothing reads."""
    used = _names(function, ast.Load)
    for each in function.args.posonlyargs + function.args.args + function.args.kwonlyargs:
        if each.arg not in used and not each.arg.startswith("_"):
            return f"Your answer never uses `{each.arg}`."
    for step in ast.walk(function):
        target = step.targets[0] if isinstance(step, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id not in used and not target.id.startswith("_"):
            return f"Line {step.lineno} makes `{target.id}`, and nothing uses it."
