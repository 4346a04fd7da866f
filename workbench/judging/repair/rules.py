"""What may have been meant where something else stands: rules as text, and how one is matched and filled in."""

import ast
import functools

# Cost: what stands there : what may have been meant  # what is said of it, or its key in words.REASONS. ;; parts two rules.
# A to G are any expression, << and >> any operator, *R and **K all further arguments, _[…] a slice alone, N any name.
RULES = {
    0: """
(A << B) >> C : A << (B >> C) ;; A << (B >> C) : (A << B) >> C ;; -A << B : -(A << B)  # brackets
A * B - C * D : A * (B - C) * D ;; A * B + C * D : A * (B + C) * D  # brackets
A / B ** C * D / E : A / B ** (C * D / E) ;; A / B ** C / D : A / B ** (C / D)  # brackets
A ** B @ C / D : A ** (B @ C / D)  # brackets
F(A, *R, **K) << B : F(A << B, *R, **K)  # brackets
math.exp(A) : np.exp(A) ;; math.sqrt(A) : np.sqrt(A) ;; math.log(A) : np.log(A)  # takes one number at a time
""",
    0.5: """
B << F(A, *R, **K) : F(B << A, *R, **K) ;; A.T << B : (A << B).T ;; A << B.T : (A << B).T  # brackets
A.B(*R, **K) << C : (A << C).B(*R, **K) ;; C << A.B(*R, **K) : (C << A).B(*R, **K)  # brackets
""",
    1: """
A + B : A ; B ; A - B ; A * B ; (A + B) / 2 ;; A - B : A ; B ; B - A ; A + B ; A / B
A * B : A ; B ; A / B ; A + B ; A ** B ; A // B ; A * B ** 2 ; A * (1 - B) ; (1 - A) * B
A * B : A @ B  # multiplies number by number, where a matrix product is needed
A @ B : A * B  # is a matrix product, where number by number is needed
A @ B : A.T @ B ; A @ B.T ; B.T @ A ; A @ B.swapaxes(-1, -2) ; (B @ A).T  # multiplies what stands the wrong way round
A @ B : A ; B ; B @ A ;; A / B : A ; B ; A * B ; B / A ; A - B ; A / (B - 1)
A / B : A // B  # gives a fraction, where a whole number is needed
A / B : A / B ** 0.5 ; A / B ** 2  # divides by the wrong power
A // B : A ; A / B ; A % B ; A * B ;; A % B : A ; A // B ;; A ** B : A ; B ** A ; A * B ; np.exp(B) ; A ** -B
A ^ B : A ** B  # is no power: that is **
A & B : A ; B ; A | B ; A & ~B ; ~A & B ;; A | B : A ; B ; A & B ; A | ~B ;; A * B + C : A * B + (1 - A) * C
A * (B - C) : A ** (B - C) ;; (1 - A) * B : A * B
A + B - C : A + C - B ;; A - B + C : A + B - C  # adds what is to be subtracted
-A : A ;; ~A : A ;; not A : A  # is turned round
A and B : A ; B ; A or B ;; A or B : A ; B ; A and B ;; A < B : A <= B ; A > B ; A >= B ; A != B ; abs(A) < B
A <= B : A < B ; A >= B ; A > B ; A == B ; abs(A) <= B ;; A > B : A >= B ; A < B ; A <= B ; A != B ; abs(A) > B
A >= B : A > B ; A <= B ; A < B ; A == B ; abs(A) >= B
A == B : A != B ; A >= B ; A <= B ; A @ B ; A * B ; np.array(A) == B ;; A != B : A == B
A - B < C : abs(A - B) < C ;; A - B > C : abs(A - B) > C ;; A - B : abs(A - B)  # can come out below 0
A if B else C : A ; C ; C if B else A
A.T : A  # stands the wrong way round
A[B] : A  # takes a part, where all of it is needed
A[B] : A[B + 1] ; A[B - 1] ; A[..., B] ;; A[B, C] : A[C, B] ; A[..., B, C] ;; A[B][:, C] : A[B, C]
A[:, None] : A[..., None] ;; A[:] : A.copy()
_[:A] : _[A:] ; _[-A:] ; _[:A + 1] ; _[:A - 1] ;; _[A:] : _[:A] ; _[:-A] ; _[A + 1:] ; _[A - 1:]  # place
_[-A:] : _[:A] ;; _[A:B] : _[A:] ; _[:B] ; _[A + 1:B] ; _[A - 1:B] ; _[A:B + 1] ; _[A:B - 1]  # place
_[A:A + B] : _[A * B:(A + 1) * B] ;; _[A::B] : _[::B] ; _[A + 1::B] ; _[A - 1::B]  # place
[A] * B : [A] * (B - 1) ; [A] * (B + 1) ; [A for _ in range(B)] ;; [A, B] : [B, A] ; [-A, B] ; [A, -B]
[-A, B] : [A, -B] ;; [A, -B] : [-A, B] ;; (A, B) : (B, A) ;; F(A) @ B / C : F(A / C) @ B ;; A.B(*R, **K) : A
A ** F(B) : F(A ** B) ;; len(A) : A.shape[-1] ; np.sum(A) ;; max(A) : A.max(axis=-1, keepdims=True)
min(A) : A.min(axis=-1, keepdims=True) ;; sum(A) : A.sum(axis=-1, keepdims=True)
enumerate(A) : enumerate(A, 1) ; list(enumerate(A)) ;; enumerate(A, B) : enumerate(A) ;; zip(A, B) : list(zip(A, B))
sorted(A) : list(A) ;; reversed(A) : list(A) ;; [[A] * B] * C : [[A] * B for _ in range(C)]
range(A) : range(A + 1) ; range(A - 1) ; range(1, A) ;; range(A, B, C) : range(A, B + 1, C) ; range(A, B - 1, C)  # place
range(A, B) : range(B) ; range(A, B + 1) ; range(A, B - 1) ; range(A + 1, B) ; range(A - 1, B)  # place
np.arange(A) : np.arange(A) + 1 ; np.arange(A - 1) ; np.arange(A + 1) ; np.arange(1, A)  # place
np.arange(A, B) : np.arange(B) ; np.arange(A, B + 1) ; np.arange(A, B) - 1 ; np.arange(A - 1, B - 1)  # place
np.where(A, B, C) : np.where(A, C, B) ; np.where(~A, B, C)  # takes its two sides the wrong way round
np.where(A, B, C) : np.where(A, B, -np.inf) ;; np.inf : -np.inf ;; np.max(A) : np.max(np.abs(A)) ;; np.exp(A) : np.exp(-A)
A.max() : np.abs(A).max() ;; np.abs(A) : A ** 2 ;; abs(A) : A ** 2
math.isqrt(A) : math.sqrt(A)  # cuts the root to a whole number
np.any(A) : np.any(A, axis=-1).all()  # asks for one place in all, where every row must have one
np.all(A) : np.all(A, axis=-1).any() ;; A.any() : A.all() ; A.any(axis=-1).all()
A.all() : A.any() ; A.all(axis=-1).any() ;; A.any() < B : (A < B).any() ;; A.all() < B : (A < B).all()
A.append(B) : A.append(B.copy())  # keeps the same array each time, which goes on changing
A.append(B) : A.insert(0, B) ;; A.insert(0, B) : A.append(B)
np.zeros_like(A) : np.zeros_like(A, dtype=float) ;; np.empty_like(A) : np.empty_like(A, dtype=float)  # cuts
np.zeros(A, dtype=B) : np.zeros(A) ;; A.copy() : A.astype(float)  # cuts
A.astype(B) : A.astype(float)  # cuts the numbers
A.size(B) : A.shape[B] ;; A.transpose(B, C) : A.swapaxes(B, C) ;; A.permute(B, C) : A.swapaxes(B, C)
A.output : A.weights ; A.scores ;; A.weights : A.output ; A.scores ;; A.scores : A.weights ; A.output
A.reshape(B, C) : A.T ; A.reshape(C, B)
A.swapaxes(B, C) : A.swapaxes(-3, -2) ; A.swapaxes(-2, -1) ; A.swapaxes(0, 1) ; A.swapaxes(1, 2)
np.swapaxes(A, B, C) : np.swapaxes(A, -3, -2) ; np.swapaxes(A, -2, -1) ; np.swapaxes(A, 0, 1) ; np.swapaxes(A, 1, 2)
""",
    1.1: """
F(A, *R, **K) : A ; F(-A, *R, **K) ; F(abs(A), *R, **K) ;; F(G(A)) : G(F(A)) ;; F(A, B) : B
F(A, B, **K) : F(B, A, **K) ;; F(A, B, C) : F(B, A, C) ; F(A, C, B) ; F(C, B, A)  # takes its inputs for one another
""",
    1.5: """
np.exp(A) : np.exp(A - N) ;; math.exp(A) : math.exp(A - N) ;; range(A) : range(N + 1)
""",
}
WRAPS = """A.copy()  # is no copy, and what is written into it is written into the original
A.T  # stands the wrong way round
np.sqrt(A)  # lacks a root
-A ; 1 - A  # is turned round
A / A.sum(axis=-1, keepdims=True)  # is not divided by its sum
A ** 2 ; A - 1 ; A + 1 ; A[..., None] ; ~A ; np.exp(A) ; 2 * A ; 0.5 * A ; A / np.sqrt(A.shape[-1])  # """.splitlines()
KIN = """sum std var mean max min prod,tril triu,sin cos,any all,append extend,argmax argmin argsort,exp log exp2,arange linspace,\
vstack hstack stack concatenate,zeros ones empty,log log2 log10,flatten ravel,minimum maximum,zeros_like ones_like,floor ceil,\
inner outer dot matmul,repeat tile""".split(",")  # names of which one is taken for another
LETTERS, MODULES = set("ABCDEFGKR"), {"np", "attention", "math", "layers", "positions", "variants", "experts"}


@functools.lru_cache(maxsize=1000)
def parsed(text):
    """The tree of an expression, which is not to be changed."""
    tree = ast.parse(text, mode="eval").body
    return tree.slice if text.startswith("_[") else tree


@functools.cache
def _rows():
    """dict type of a node -> list of (cost, pattern as text, what may have been meant, what is said of it)."""
    rows = {}
    for cost, lines in RULES.items():
        for line in lines.strip().splitlines():
            rule, _, reason = line.partition("  # ")
            for old, _, new in (each.partition(" : ") for each in rule.split(" ;; ")):
                for text in new.split(" ; "):
                    rows.setdefault(type(parsed(old)), []).append((cost, old, text, reason))
    return rows


def by_rule(node, names):
    """What may have been meant by a node: (cost, new node, ("rule", what, what is said of it, in place of what)). Leaving out comes first."""
    for cost, old, text, reason in _rows().get(type(node), ()):
        found = {}
        if matches(parsed(old), node, found):
            if isinstance(parsed(text), ast.Name) and len(found) > 1:
                cost = 1.1 if isinstance(node, ast.Call) else 0.9
            for name in names if " N" in text or "(N" in text else ("N",):
                new = filled(parsed(text), found | {"N": ast.Name(name, ast.Load())})
                yield cost, new, ("rule", text, reason, old)


def matches(pattern, node, found):
    """Whether a node has the form of a pattern; `found` then holds what its capital letters are."""
    if isinstance(pattern, ast.Name) and pattern.id in LETTERS:
        if pattern.id in found:
            return ast.dump(found[pattern.id]) == ast.dump(node)
        found[pattern.id] = node
        return node is not None and getattr(node, "id", "") not in MODULES
    if isinstance(pattern, list):
        if rest := _rest(pattern[-1:]):
            found[rest], pattern, node = node[len(pattern) - 1 :], pattern[:-1], node[: len(pattern) - 1]
        return len(pattern) == len(node) and all(matches(a, b, found) for a, b in zip(pattern, node))
    if isinstance(pattern, (ast.LShift, ast.RShift)):
        found[type(pattern)] = node
        return True
    if not isinstance(pattern, ast.AST):
        if pattern in LETTERS:  # the name of a method
            found[pattern] = node
            return True
        return pattern == node
    fields = [field for field in pattern._fields if field != "ctx"]
    return type(pattern) is type(node) and all(matches(getattr(pattern, f), getattr(node, f), found) for f in fields)


def _rest(parts):
    """The letter that stands for all further arguments, R or K, or ""."""
    starred = parts and isinstance(parts[0], (ast.Starred, ast.keyword)) and getattr(parts[0].value, "id", "")
    return starred if starred in ("R", "K") else ""


def filled(tree, found):
    """A copy of a tree with what its capital letters are."""
    if isinstance(tree, ast.Name) and tree.id in found:
        return found[tree.id]
    if isinstance(tree, list):
        parts = [found[_rest([part])] if _rest([part]) else [filled(part, found)] for part in tree]
        return [each for part in parts for each in part]
    if not isinstance(tree, ast.AST):
        return found.get(tree, tree) if isinstance(tree, str) else tree
    if type(tree) in found:
        return found[type(tree)]
    return type(tree)(**{field: filled(getattr(tree, field), found) for field in tree._fields})


def made(text, **parts):
    """The tree of a text with these parts."""
    return filled(parsed(text), parts)


NEUTRAL = {ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1}


def idles(node):
    """Whether a part does nothing, such as x + 0, x - x, x.T.T, max(x, x), x == x, [x, x], [0:] or len(x - 1)."""
    name = getattr(getattr(node, "func", None), "attr", getattr(getattr(node, "func", None), "id", ""))
    if name in ("where", "len") and node.args:  # what is asked is no question, or what is changed is not counted
        return isinstance(node.args[0], ast.Constant if name == "where" else ast.BinOp)
    if isinstance(node, ast.Attribute):  # x.T.T or x.T.swapaxes
        return node.attr in ("T", "swapaxes") and getattr(node.value, "attr", "") == "T"
    if isinstance(node, ast.Slice):
        return getattr(node.lower, "value", None) == 0
    parts = node.args if name in ("max", "min", "maximum", "minimum") else []
    parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else parts
    parts = [part for part in getattr(node, "elts", ()) if isinstance(part, ast.Name)] or parts
    if isinstance(node, ast.Compare) and sum(getattr(part, "attr", "") == "shape" for part in parts) == 1:
        return True  # x.shape == y.shape[0] is never so
    if not isinstance(node, ast.BinOp):
        return len(parts) == 2 and ast.dump(parts[0]) == ast.dump(parts[1]) and not isinstance(parts[0], ast.Constant)
    if {type(node.left), type(node.right)} == {ast.Constant} and isinstance(node.op, (ast.Add, ast.Sub)):
        return False  # 0 + 1, which is told as 1
    if not any(isinstance(part, ast.Name) for part in ast.walk(node)) and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
        return True
    sides = [node.left, node.right] if isinstance(node.op, (ast.Add, ast.Mult)) else [node.right]
    neutral = {NEUTRAL.get(type(node.op))} | ({0} if isinstance(node.op, ast.Pow) else set())
    twice = isinstance(node.op, (ast.Sub, ast.Div)) and ast.dump(node.left) == ast.dump(node.right)
    inner = node.left if isinstance(node.left, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) else None
    if inner and {type(inner.op), type(node.op)} == {ast.Add, ast.Sub}:  # a + b - b
        back = [inner.right] + [inner.left] * isinstance(inner.op, ast.Add)
        twice = twice or ast.dump(node.right) in map(ast.dump, back)
    return twice or any(isinstance(side, ast.Constant) and side.value in neutral - {None} for side in sides)
