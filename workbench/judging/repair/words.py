"""What is said of a change: what is wrong with the line as it is, and the line as it should be."""

import ast
import contextlib
import re

SHOWN = 60  # letters of an expression, unless it takes more to tell it apart
TOGETHER = set("sum mean max min std var prod any all amax amin".split())  # without an axis, of all numbers
VAGUE = "is where it goes wrong."
REASONS = {  # kind of a change, or what a rule says -> what is said of the expression as it is
    "name": "takes `{0}`, where something else is needed",
    "kin": "is not the function that is needed there",
    "size": "has a fixed number where `{1}` belongs",
    "unused": "does without `{0}`",
    "einsum": "sums over the wrong letters",
    "kept": "loses its axis; keepdims=True keeps it",
    "axis": "runs along another axis than is needed",
    "brackets": "has its brackets in the wrong place",
    "place": "begins or ends in the wrong place",
    "cuts": "is an array of whole numbers, or becomes one, and cuts what is put into it",
}


def reason(source, parts, exercise):
    """ "Line 3, `old`, is wrong in this way." for the first of these changes in each line."""
    first = {part.line: part for part in reversed(_sorted(parts))}
    parts = [part for _, part in sorted(first.items())]
    told = [f"ine {part.line}, `{_where(source, part)}`, {_why(part, exercise.numbers)}." for part in parts]
    return f"L{' And l'.join(told)}"


def _sorted(parts):
    return sorted((part for each in parts for part in each.parts), key=lambda part: part.line)


def _where(source, change):
    """The learner's own words for what is changed, with as much around it as tells it apart."""
    found = source.text(change.node)
    for outer in change.around[:-1]:
        if len(found) > 5 and source.lines[change.line - 1].count(found) == 1:
            break
        found = source.text(outer)
    return found if len(found) < SHOWN else f"{found[: SHOWN - 1]}…"


def _why(change, numbers):
    kind, *what = change.kind or ("",)
    said = what[1] if kind == "rule" else numbers(*what) if kind == "number" else change.why
    if said:
        return REASONS.get(said, said)
    if kind == "axis":
        keywords, func = {each.arg for each in change.node.keywords}, change.node.func
        args = len(change.node.args) - (getattr(getattr(func, "value", func), "id", "") in ("np", "sum", "max", "min"))
        if getattr(func, "attr", "") in TOGETHER and not {"axis", "dim"} & keywords and args < 1 and what[0] in (-1, 1):
            return "takes all numbers of the array together, not those of each row by themselves"
    outer = change.around[0] if change.around else None
    if kind == "size" and getattr(getattr(outer, "func", None), "id", "") == "range":
        return f"stops at {what[0]}, however many there are"
    return REASONS.get(kind, VAGUE[:-1]).format(*what)


def line(source, parts):
    """ "Line 3 should be `new`." for each line after these changes, or what is to be done with it."""
    told, parts = {}, _sorted(parts)
    with contextlib.ExitStack() as stack:
        for change in parts:
            stack.enter_context(change)
        for change in parts:
            statement = change.around[-1] if change.new else change.node
            last = statement.lineno if hasattr(statement, "body") else statement.end_lineno
            place = f"ine {last}" if last == statement.lineno else f"ines {statement.lineno} to {last}"
            new = ast.unparse(ast.fix_missing_locations(statement)).splitlines()[0]
            new = re.sub(
                r"(?<=[\[(:])-?\d+ [+-] \d+(?=[\]),:])", lambda found: str(eval(found[0])), new
            )  # -2 - 1 is -3
            told.setdefault(f"{place} should be `{new}`" if change.new else f"{place}: {change.words}")
    return f"L{'. And l'.join(told)}."
