"""What the text of a wrong answer shows by itself: facts, whatever its numbers are."""

import ast
import inspect
import itertools


def slip(answer):
    """A sentence on the first slip that the text of an answer shows, or ""."""
    try:
        tree = ast.parse("".join(inspect.findsource(answer)[0]))
        functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        (own,) = [each for each in functions if each.name == answer.__name__]
    except Exception:  # no source, or not one function of that name
        return ""
    used = _names(own)
    helpers = [each for each in functions if each.name in used and each is not own]
    loops, others = _loops(own), [loop for each in helpers for loop in _loops(each)]
    found = [*map(_ends_early, loops + others), *(_overwrites(own, loop) for loop in loops)]
    found += [_stands_behind(own), _unused(own)]
    return next(filter(None, found), "")


def _loops(function):
    return [each for each in ast.walk(function) if isinstance(each, ast.For)]


def _names(node, context=ast.Load):
    """The names that a part of the text reads, or gives a value to."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, context)}


def _ends_early(loop):
    """A return on the level of the loop itself, which no round gets past."""
    may_go_on = any(isinstance(each, ast.Continue | ast.Break) for each in ast.walk(loop))
    line = next((each.lineno for each in loop.body if isinstance(each, ast.Return)), None)
    if line and not may_go_on:
        return f"The return in line {line} stands inside the loop, which therefore ends in its first round."


def _overwrites(function, loop):
    """A value that is given anew in each round, and which no round reads: a name, or a place that is the same in all rounds."""
    inside, changing = [*ast.walk(loop)], _names(loop, ast.Store)
    if any(isinstance(each, ast.Break) for each in inside):
        return
    places = [each.value for each in inside if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store)]
    names = [each for each in ast.walk(function) if isinstance(each, ast.Name) and each not in places]
    before = {each.id for each in names if isinstance(each.ctx, ast.Store) and each.lineno < loop.lineno}
    read = [each for each in names if isinstance(each.ctx, ast.Load)]
    used_inside = {each.id for each in read if each in inside}
    kept = before & {each.id for each in read if each.lineno > loop.end_lineno} - used_inside
    for step in loop.body:
        target = step.targets[0] if isinstance(step, ast.Assign) else None
        is_place = isinstance(target, ast.Subscript)
        moves = is_place and _names(target.slice) & changing
        name = getattr(target.value if is_place else target, "id", None)
        if name in kept and not moves and _names(step.value) & changing:
            return f"Line {step.lineno} gives `{ast.unparse(target)}` a new value in each round of the loop, so only that of the last one is left."


def _stands_behind(function):
    """A place that is filled behind the loop that counts it, for the last one alone."""
    for block in (getattr(each, "body", None) for each in ast.walk(function)):
        for loop, step in itertools.pairwise(block if isinstance(block, list) else []):
            target = step.targets[0] if isinstance(loop, ast.For) and isinstance(step, ast.Assign) else None
            counted = _names(loop.target, ast.Store) if target else set()
            if isinstance(target, ast.Subscript) and _names(target.slice) & counted:
                return f"Line {step.lineno} stands behind the loop, so it runs once, for the last `{ast.unparse(loop.target)}` alone."


def _unused(function):
    """A parameter, or a name that is given a value, which nothing reads."""
    used = _names(function)
    for each in function.args.posonlyargs + function.args.args + function.args.kwonlyargs:
        if each.arg not in used and not each.arg.startswith("_"):
            return f"Your answer never uses `{each.arg}`."
    for step in ast.walk(function):
        target = step.targets[0] if isinstance(step, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id not in used and not target.id.startswith("_"):
            return f"Line {step.lineno} makes `{target.id}`, and nothing uses it."
