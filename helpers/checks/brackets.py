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
    seen, lengths, commas = {ast.dump(expression)}, _lengths(expression), _commas(expression)
    for new in _bracketed(text, starts, ends):
        try:
            changed = ast.parse(new, mode="eval").body
        except SyntaxError:
            continue
        dump = ast.dump(changed)
        if dump not in seen and _commas(changed) == commas and _lengths(changed) <= lengths:
            seen.add(dump)
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


def _lengths(tree):
    """What is asked for its length: an array less one is as long as before, so nothing moves into these brackets."""
    return {ast.dump(n) for n in ast.walk(tree) if isinstance(n, ast.Call) and trees.called(n) == "len"}


def _different(old, new):
    """The parts in which two trees differ: list of (part of the old one, part of the new one)."""
    pairs = zip(ast.iter_child_nodes(old), ast.iter_child_nodes(new))
    return [(a, b) for a, b in pairs if ast.dump(a) != ast.dump(b)]


def _first_difference(old, new):
    """The smallest part of the old tree that holds all that is new."""
    while type(old) is type(new):
        different = _different(old, new)
        if len(different) != 1 or not isinstance(different[0][0], ast.expr):
            break
        old, new = different[0]
    return old


def _closes(old, new):
    """In words, if the bracket of a call closes too early, f(a) / b for f(a / b), or too late; else ""."""
    while type(old) is type(new) and not isinstance(old, ast.BinOp):
        different = _different(old, new)
        if len(different) != 1:
            return ""
        old, new = different[0]
    if rest := _behind(new, old):
        return closes_early(new, rest)
    if rest := _behind(old, new):
        return f"the bracket of {ast.unparse(old.func)} closes too late: {rest} belongs behind it"
    return ""


def closes_early(call, rest):
    """The sentence on what stands behind a call and belongs inside its brackets."""
    return f"the bracket of {ast.unparse(call.func)} closes too early: {rest} belongs inside it"


def _behind(call, other):
    """What stands behind a call in the other tree, and within its bracket in this one; "" where the two differ otherwise."""
    first = getattr(other, "left", getattr(other, "value", None))
    if not (isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(first, ast.Call)):
        return ""
    if ast.dump(first.func) != ast.dump(call.func):
        return ""
    if isinstance(other, ast.BinOp):
        return f"{trees.sign(other.op)} {ast.unparse(other.right)}"
    return f".{other.attr}" if isinstance(other, ast.Attribute) else ""


def _as_read(node, own):
    """How Python reads an expression: its outermost parts in brackets, and where these are long, what is long in them as `…`."""
    if isinstance(node, ast.BinOp):
        whole, *shorter = (_outermost(node, most) for most in (999, 60, 12))
        fitting = [words for words in shorter if len(words) <= 60]
        if fitting and whole != ast.unparse(node):
            return f"{own} is read as {fitting[0]}"
    return f"in {own} they {'stand in the wrong place' if '(' in own + ast.unparse(node) else 'are missing'}"


def _outermost(node, most):
    return f"{_in_brackets(node.left, most)} {trees.sign(node.op)} {_in_brackets(node.right, most)}"


def _in_brackets(part, most):
    """A part in brackets if it is a sum or a product, and `…` for what is longer than so many letters in it."""
    text = ast.unparse(part)
    if not isinstance(part, ast.BinOp):
        return text if len(text) <= most else "…"
    if len(text) <= most:
        return f"({text})"
    short = [_in_brackets(each, most) if len(ast.unparse(each)) <= most else "…" for each in (part.left, part.right)]
    return f"({short[0]} {trees.sign(part.op)} {short[1]})"
