"""The same letters with brackets put in, moved or left out."""

import ast

from helpers.checks import trees


def brackets(expression, lines):
    """Other readings of an expression: (its new tree, the smallest part that changes, words)."""
    text = trees.segment(lines, expression)
    if not text.isascii() or len(text) > 160:
        return

    def offset(line, column):
        return sum(map(len, lines[expression.lineno - 1 : line - 1])) + column - expression.col_offset

    nodes = [n for n in ast.walk(expression) if isinstance(n, ast.expr) and hasattr(n, "lineno")]
    starts = sorted({offset(n.lineno, n.col_offset) for n in nodes})
    ends = sorted({offset(n.end_lineno, n.end_col_offset) for n in nodes})
    seen = {ast.dump(expression)}
    for new in _bracketed(text, starts, ends):
        try:
            changed = ast.parse(new, mode="eval").body
        except SyntaxError:
            continue
        if ast.dump(changed) not in seen and _commas(changed) == _commas(expression):
            seen.add(ast.dump(changed))
            place = _first_difference(expression, changed)
            words = _closes(expression, changed) or f"the brackets: {_as_read(place, trees.own(lines, place))}"
            yield changed, place, words


def _bracketed(text, starts, ends):
    pairs, open_ = [], []
    for place, letter in enumerate(text):
        if letter == "(":
            open_.append(place)
        elif letter == ")" and open_:
            pairs.append((open_.pop(), place))
    for start in starts:
        for end in ends:
            if end > start + 1:
                yield f"{text[:start]}({text[start:end]}){text[end:]}"
    for start, end in pairs:
        if start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_])"):
            yield f"{text[:start]} {text[start + 1 : end]} {text[end + 1 :]}"
        for place in ends:
            if start < place < end:
                yield f"{text[:place]}){text[place:end]}{text[end + 1 :]}"
            elif place > end:
                yield f"{text[:end]}{text[end + 1 : place]}){text[place:]}"


def _commas(tree):
    """How many parts stand beside one another, in calls and tuples."""
    return sorted(
        len(getattr(n, "args", getattr(n, "elts", ())))
        for n in ast.walk(tree)
        if isinstance(n, (ast.Call, ast.Tuple, ast.List))
    )


def _first_difference(old, new):
    """The smallest part of the old tree that holds all that is new."""
    while type(old) is type(new):
        pairs = list(zip(ast.iter_child_nodes(old), ast.iter_child_nodes(new)))
        different = [(a, b) for a, b in pairs if ast.dump(a) != ast.dump(b)]
        if len(different) != 1 or not isinstance(different[0][0], ast.expr):
            break
        old, new = different[0]
    return old


def _closes(old, new):
    """In words, if the bracket of a call closes too early, f(a) / b for f(a / b), or too late; else ""."""
    while type(old) is type(new) and not isinstance(old, ast.BinOp):
        pairs = [
            (a, b) for a, b in zip(ast.iter_child_nodes(old), ast.iter_child_nodes(new)) if ast.dump(a) != ast.dump(b)
        ]
        if len(pairs) != 1:
            return ""
        old, new = pairs[0]
    for inner, outer, words in (
        (new, old, "the bracket of {f} closes too early: {rest} belongs into it"),
        (old, new, "the bracket of {f} closes too late: {rest} belongs behind it"),
    ):
        first = getattr(outer, "left", getattr(outer, "value", None))
        if not (isinstance(inner, ast.Call) and len(inner.args) == 1 and isinstance(first, ast.Call)):
            continue
        rest = f".{outer.attr}" if isinstance(outer, ast.Attribute) else ""
        rest = f"{trees.sign(outer.op)} {ast.unparse(outer.right)}" if isinstance(outer, ast.BinOp) else rest
        if rest and ast.dump(first.func) == ast.dump(inner.func):
            return words.format(f=ast.unparse(inner.func), rest=rest)
    return ""


def _as_read(node, own):
    """How Python reads an expression: its outermost parts in brackets."""
    if isinstance(node, ast.BinOp):
        left, right = (
            f"({ast.unparse(part)})" if isinstance(part, ast.BinOp) else ast.unparse(part)
            for part in (node.left, node.right)
        )
        words = f"{left} {trees.sign(node.op)} {right}"
        if len(words) <= 60 and words != ast.unparse(node):
            return f"{own} is read as {words}"
    return f"in {own} they stand in the wrong place"
