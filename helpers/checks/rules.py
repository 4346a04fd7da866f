"""What may have been meant where something else stands: rules as text, and how one is matched and filled in."""

import ast
import functools

# What stands there : what may have been meant. Capital letters are any expression. A part left out alone costs more.
RULES = """
A + B : A - B ; A * B ; A ; B ; (A + B) / 2 ; [*A, B[0]]
A - B : B - A ; A + B ; A ; B ; A / B ; abs(A - B)
A * B : A @ B ; A / B ; A + B ; A - B ; A ** B ; A // B ; A ; B ; A * B ** 2 ; A * (1 - B) ; (1 - A) * B
A @ B : A * B ; B @ A ; A.T @ B ; A @ B.T ; B.T @ A ; A ; B ; A @ B.swapaxes(-1, -2)
A / B : A * B ; B / A ; A // B ; A - B ; A ; A / B ** 2 ; A / B ** 0.5 ; A / (B - 1) ; B
A // B : A / B ; A % B ; A ; A * B
A % B : A // B ; A
A ** B : B ** A ; A * B ; A ; np.exp(B) ; A ** -B
A ^ B : A ** B
A & B : A | B ; A ; B ; A & ~B ; ~A & B
A | B : A & B ; A ; B ; A | ~B
A * B + C : A * B + (1 - A) * C
A * (B - C) : A ** (B - C)
A - A : A - A.mean(axis=-1, keepdims=True) ; A - A.max(axis=-1, keepdims=True)
(1 - A) * B : A * B
-A : A
~A : A
not A : A
A and B : A or B ; A ; B
A or B : A and B ; A ; B
A < B : A <= B ; A > B ; A >= B ; A != B ; abs(A) < B
A <= B : A < B ; A >= B ; A > B ; A == B ; abs(A) <= B
A > B : A >= B ; A < B ; A <= B ; A != B ; abs(A) > B
A >= B : A > B ; A <= B ; A < B ; A == B ; abs(A) >= B
A == B : A != B ; A >= B ; A <= B ; A @ B ; A * B ; np.array(A) == B
A != B : A == B
A - B < C : abs(A - B) < C
A - B > C : abs(A - B) > C
A if B else C : C if B else A ; A ; C
A.T : A
A[B] : A ; A[B + 1] ; A[B - 1] ; A[..., B]
A[B, C] : A[C, B] ; A[..., B, C]
A[B][:, C] : A[B, C]
A[:, None] : A[..., None]
A[:] : A.copy()
A + [B] : [*A, B]
[A] * B : [A] * (B - 1) ; [A] * (B + 1) ; [A for _ in range(B)]
[A, B] : [B, A] ; [-A, B] ; [A, -B]
[-A, B] : [A, -B]
[A, -B] : [-A, B]
(A, B) : (B, A)
{A, B} : [A, B]
F(A) : A ; F(-A) ; F(abs(A))
F(G(A)) : G(F(A))
F(A, B) : F(B, A) ; A ; B
F(A, B, C) : F(B, A, C) ; F(A, C, B) ; F(C, B, A)
F(A, **C) : A ; F(A)
F(A, **C) + B : F(A + B, **C)
B + F(A, **C) : F(B + A, **C)
F(A) + B : F(A + B)
B + F(A) : F(B + A)
F(A) @ B / C : F(A / C) @ B
A.B() : A
A.B(C) : A
A ** F(B) : F(A ** B)
A.index(A[B]) : B
len(A) : A.shape[-1] ; np.sum(A)
max(A) : A.max(axis=-1, keepdims=True)
min(A) : A.min(axis=-1, keepdims=True)
sum(A) : A.sum(axis=-1, keepdims=True)
enumerate(A) : enumerate(A, 1) ; list(enumerate(A))
enumerate(A, B) : enumerate(A)
enumerate(A, start=B) : enumerate(A)
zip(A, B) : list(zip(A, B))
sorted(A) : list(A)
reversed(A) : list(A)
[[A] * B] * C : [[A] * B for _ in range(C)]
range(A) : range(A + 1) ; range(A - 1) ; range(1, A)
range(A, B) : range(A, B + 1) ; range(A, B - 1) ; range(B) ; range(A + 1, B) ; range(A - 1, B)
range(1, A + 1) : range(A)
range(A, B, C) : range(A, B + 1, C) ; range(A, B - 1, C)
np.arange(A) : np.arange(A) + 1 ; np.arange(A - 1) ; np.arange(A + 1) ; np.arange(1, A) ; np.arange(A).astype(float)
np.arange(A, B) : np.arange(A, B + 1) ; np.arange(B) ; np.arange(A - 1, B - 1)
np.arange(A, B, C) : np.arange(A, B + 1, C) ; np.arange(A, B - 1, C)
np.exp(A) : np.exp(-A) ; A
np.where(A, B, C) : np.where(A, C, B) ; np.where(A, B, -np.inf) ; np.where(~A, B, C)
np.inf : -np.inf
np.max(A) : np.max(np.abs(A))
A.max() : np.abs(A).max()
np.abs(A) : A ** 2
abs(A) : A ** 2
np.maximum(A, B) : np.minimum(A, B) ; np.logaddexp(A, B)
np.any(A) : np.any(A, axis=-1).all()
np.all(A) : np.all(A, axis=-1).any()
A.any() : A.all() ; A.any(axis=-1).all()
A.all() : A.any() ; A.all(axis=-1).any()
A.any() < B : (A < B).any()
A.all() < B : (A < B).all()
A.append(B) : A.insert(0, B) ; A.append(B.copy())
A.insert(0, B) : A.append(B)
A.size(B) : A.shape[B]
A.transpose(B, C) : A.swapaxes(B, C)
A.permute(B, C) : A.swapaxes(B, C)
A.output : A.weights ; A.scores
A.weights : A.output ; A.scores
A.scores : A.weights ; A.output
A.reshape(B) : A
A.reshape(B, C) : A ; A.T ; A.reshape(C, B) ; A.reshape(*A.shape[:-2], -1)
A.swapaxes(B, C) : A ; A.swapaxes(-3, -2) ; A.swapaxes(-2, -1) ; A.swapaxes(0, 1) ; A.swapaxes(1, 2)
np.swapaxes(A, B, C) : A ; np.swapaxes(A, -3, -2) ; np.swapaxes(A, -2, -1) ; np.swapaxes(A, 0, 1) ; np.swapaxes(A, 1, 2)
"""
WRAPS = [
    *("A.T", "np.sqrt(A)", "A ** 2", "-A", "A - 1", "A + 1", "A.copy()", "A[..., None]", "~A", "np.exp(A)"),
    *("2 * A", "0.5 * A", "A / A.sum(axis=-1, keepdims=True)", "A / np.sqrt(A.shape[-1])", "1 - A"),
]
KIN = [  # names of which one is taken for another
    each.split()
    for each in (
        "sum std var mean max min prod,tril triu,sin cos,any all,append extend,argmax argmin argsort,exp log exp2,"
        "vstack hstack stack concatenate,zeros ones empty,arange linspace,sqrt isqrt,log log2 log10,flatten ravel,"
        "minimum maximum,zeros_like ones_like,floor ceil,inner outer dot matmul,repeat tile"
    ).split(",")
]


@functools.lru_cache(maxsize=1000)
def parsed(text):
    """The tree of an expression, which is not to be changed."""
    return ast.parse(text, mode="eval").body


@functools.cache
def _rows():
    rows = {}
    for line in RULES.strip().splitlines():
        old, _, new = line.partition(" : ")
        alternatives = [parsed(each) for each in new.split(" ; ")]
        rows.setdefault(type(parsed(old)), []).append((parsed(old), alternatives))
    return rows


def by_rule(node):
    """What may have been meant by a node: (cost, new node, which rule)."""
    for pattern, alternatives in _rows().get(type(node), ()):
        found = {}
        if matches(pattern, node, found):
            for k, new in enumerate(alternatives):
                yield _cost(new, found), filled(new, found), (id(pattern), k)


def _cost(new, found):
    """A part left out is less likely than another sign, if it is no mere number."""
    gone = [node for letter, node in found.items() if isinstance(new, ast.Name) and letter != new.id]
    return 2 if any(not isinstance(node, ast.Constant) for node in gone) else 1


def matches(pattern, node, found):
    """Whether a node has the form of a pattern; `found` then holds what its capital letters are."""
    if isinstance(pattern, ast.Name) and _is_letter(pattern.id):
        if pattern.id in found:
            return ast.dump(found[pattern.id]) == ast.dump(node)
        found[pattern.id] = node
        return True
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(matches(a, b, found) for a, b in zip(pattern, node))
    if not isinstance(pattern, ast.AST):
        if _is_letter(pattern):  # the name of a method
            found[pattern] = node
            return True
        return pattern == node
    fields = [field for field in pattern._fields if field != "ctx"]
    return type(pattern) is type(node) and all(matches(getattr(pattern, f), getattr(node, f), found) for f in fields)


def _is_letter(text):
    return text in {"A", "B", "C", "F", "G"}


def filled(tree, found):
    """A copy of a tree with what its capital letters are."""
    if isinstance(tree, ast.Name) and tree.id in found:
        return found[tree.id]
    if isinstance(tree, list):
        return [filled(part, found) for part in tree]
    if not isinstance(tree, ast.AST):
        return found.get(tree, tree) if isinstance(tree, str) else tree
    return type(tree)(**{field: filled(getattr(tree, field), found) for field in tree._fields})


def made(text, **parts):
    """The tree of a text with these parts."""
    return filled(parsed(text), parts)


NEUTRAL = {ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1}


def idles(node):
    """Whether a part does nothing, such as x + 0, x.T.T, max(x, x), len(x - 1), x == x, or a question of constants alone."""
    if isinstance(node, ast.Attribute):
        return node.attr == "T" and getattr(node.value, "attr", "") == "T"
    if isinstance(node, ast.Compare):
        return _are_twice(node.left, *node.comparators)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in {"where", "len"} and node.args:  # what is asked is no question, or what is changed is not counted
            return isinstance(node.args[0], ast.Constant if name == "where" else ast.BinOp)
        return name in {"max", "min", "maximum", "minimum"} and _are_twice(*node.args)
    if isinstance(node, (ast.List, ast.Tuple)):
        return isinstance(node.ctx, ast.Load) and _are_twice(*node.elts) and isinstance(node.elts[0], ast.Name)
    if isinstance(node, (ast.BoolOp, ast.BinOp)) and not any(isinstance(n, ast.Name) for n in ast.walk(node)):
        return isinstance(node, ast.BoolOp) or isinstance(node.op, (ast.FloorDiv, ast.Mod))
    if not isinstance(node, ast.BinOp) or type(node.op) not in NEUTRAL:
        return False
    if isinstance(node.op, (ast.Sub, ast.Div)) and _are_twice(node.left, node.right):
        return True
    sides = [node.left, node.right] if isinstance(node.op, (ast.Add, ast.Mult)) else [node.right]
    zero = isinstance(node.op, ast.Pow) and getattr(node.right, "value", None) == 0
    return zero or any(isinstance(side, ast.Constant) and side.value == NEUTRAL[type(node.op)] for side in sides)


def _are_twice(*parts):
    return len(parts) == 2 and ast.dump(parts[0]) == ast.dump(parts[1])
