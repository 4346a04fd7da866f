"""Several heads: who was which, the columns of each head, and the wrong way to cut them."""

import numpy as np

from helpers import matrices
from helpers.attention import merge_heads, multi_head_attention, scaled_dot_product_attention, split_heads
from helpers.explorers.controls import NumberGrid, choose, slider
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.sums import number, power_share, product, terms
from helpers.explorers.touch import Sum, Touch, leads_on
from helpers.pictures.arcs import arcs
from helpers.pictures.svg import Drawing

SENTENCES = {"Mia gave Tom": "Mia gave Tom a book".split(), "Tom gave Mia": "Tom gave Mia a book".split()}
NAMES, VERB = ["Mia", "Tom"], 1
SIDES = np.array(
    [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
)  # a name before the verb, a name after it
TOKENS = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 2.0], [1.0, 1.0, 1.0, 0.0]])
WIDTH = TOKENS.shape[1]


def explore_binding():
    """Let "gave" look at both names of two sentences, with one head or with two, and see what its output still says.

    Shown: weights (2, num_heads, 5) and output (2, num_heads, 2), of each sentence and head
    """
    return explorer(
        _bind,
        _show_binding,
        _describe_binding,
        [Rule("the two sentences give different outputs", lambda now: (_differ(now) > 1e-9, "they are the same"))],
        num_heads=choose("heads", [("one head", 1), ("two heads", 2)], 1),
        strength=slider("strength of the question", 6.0, 0.0, 10.0, 0.5),
    )


def _bind(num_heads, strength):
    query = split_heads(np.array([[strength, strength]]), num_heads)
    found = [
        scaled_dot_product_attention(query, split_heads(SIDES, num_heads), _names_in(words), scale=1.0)
        for words in SENTENCES.values()
    ]
    return {name: np.stack([getattr(each, name)[:, 0] for each in found]) for name in ("weights", "output")}


def _names_in(words):
    """What each word hands over: which of the names it is."""
    return np.array([[float(word == name) for name in NAMES] for word in words])


def _differ(now):
    return np.abs(now.output[0] - now.output[1]).max()


def _show_binding(now):
    heads = ["the one head"] if now.num_heads == 1 else ["head 1: the name before", "head 2: the name after"]
    lines = []
    for (name, words), weights, output in zip(SENTENCES.items(), now.weights, now.output):
        gap = 40 if len(heads) == 1 else 14
        looks = [arcs(words, row, VERB, name=f"{name}, {head}", gap=gap) for head, row in zip(heads, weights)]
        lines.append(matrices.beside(*looks, _bars(name, output, heads), bottom=True))
    return lines


def _bars(name, output, heads):
    """The output as bars, one group for each head."""
    drawing, told, floor = Drawing(36 + 118 * len(output), 154), [], 114
    for h, (row, head) in enumerate(zip(output, heads)):
        for k, (share, label) in enumerate(zip(row, NAMES)):
            x = 24 + 118 * h + 46 * k
            drawing.line((x - 16, floor), (x + 16, floor), "line", 1)
            drawing.box(x - 14, floor - 90 * share, 28, 90 * share, fill="output")
            drawing.words(x, floor - 8 - 90 * share, f"{share:.2f}", size=12, colour="muted")
            drawing.words(x, floor + 16, label, size=13)
        drawing.words(47 + 118 * h, floor + 35, head.partition(":")[0], size=12, colour="muted")
        told.append(f"{head.partition(':')[0]} {row[0]:.2f} Mia and {row[1]:.2f} Tom")
    return drawing.html(f"{name}: the output is {', '.join(told)}.")


def _describe_binding(now):
    first, second = (" ".join(f"{x:.2f}" for x in output.ravel()) for output in now.output)
    told = "nothing behind it can tell who gave" if _differ(now) < 1e-9 else "they say who gave, and who got"
    return f"Mia gave Tom: [{first}]. Tom gave Mia: [{second}]. {'The same, so' if _differ(now) < 1e-9 else 'Different:'} {told}."


# --- several heads ----------------------------------------------------------------------------------------------------


def explore_heads():
    """Cut queries, keys and values into one, two or four heads, change what a head asks, and mix what they bring by W_O.

    Shown: X, key and value (3, 4), W_Q (4, 4), query (3, 4), weights and scores (num_heads, 3, 3), heads (3, 4), side by
    side, W_O (4, 4), output (3, 4), and reach (num_heads, 4), how much of each output feature comes from each head
    """
    compact = {"compact": True, "minimum": -4, "maximum": 4}
    controls = {
        "num_heads": choose("number of heads", [1, 2, 4], 2),
        "mixing": choose("W_O", list(_OUTPUT_MATRICES), "mix the heads"),
        "head": slider("head to follow", 1, 1, 2, 1),
        "W_Q": NumberGrid("W_Q", np.eye(WIDTH), **compact),
        "X": NumberGrid("X", TOKENS, **compact),
    }

    def end_at_the_last_head(change):
        controls["head"].layout.display = "" if change["new"] > 1 else "none"
        controls["head"].max = max(2, change["new"])  # a slider needs two ends; `_followed` stays within the heads

    controls["num_heads"].observe(end_at_the_last_head, "value")
    follow = Touch(lambda now, i, j: {"head": _owner(now, j)}, lambda now, i, j: f"click: follow head {_owner(now, j)}")
    return explorer(
        _attend_with_heads,
        _show_heads,
        _describe_heads,
        [SHARES, Rule("every output feature hears from every head", _missing, "{} paths are missing")],
        presets={f"W_Q: {name}": {"W_Q": matrix} for name, matrix in _QUERY_MATRICES.items()},
        touch={"X": leads_on("X"), "W_Q": leads_on("W_Q"), "query": follow, "heads": follow},
        sums={
            "query": product("query", "X", "W_Q"),
            "weights": _shared,
            "heads": Sum([("value", ":j")], _mixed),
            "output": product("output", "heads", "W_O"),
        },
        folded=["head", "W_Q", "X"],
        **controls,
    )


def _missing(now):
    return (now.reach == 0).sum()


def _owner(now, j):
    """Which head column j belongs to, counted from 1."""
    return j * now.num_heads // WIDTH + 1


_MIX = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]]) / 2
_OUTPUT_MATRICES = {"mix the heads": _MIX, "identity": np.eye(WIDTH), "first half only": np.diag([1.0, 1.0, 0.0, 0.0])}
_QUERY_MATRICES = {"halves swapped": np.roll(np.eye(WIDTH), 2, axis=1), "mix": 2 * _MIX}


def _attend_with_heads(num_heads, mixing, head, W_Q, X):
    eye, W_O = np.eye(WIDTH), _OUTPUT_MATRICES[mixing]
    answer = multi_head_attention(X, W_Q, eye, eye, W_O, num_heads=num_heads)
    return {
        "X": X,
        "W_Q": W_Q,
        "query": X @ W_Q,
        "key": X,
        "value": X,
        **answer._asdict(),
        "heads": multi_head_attention(X, W_Q, eye, eye, eye, num_heads=num_heads).output,
        "W_O": W_O.copy(),
        "reach": np.abs(W_O).reshape(num_heads, WIDTH // num_heads, WIDTH).sum(axis=1),
    }


def _followed(now):
    """Which head, counted from 0; with one head the slider is hidden, whatever it says."""
    return min(now.control_values["head"], now.num_heads) - 1


def _columns(now):
    """The columns of the followed head."""
    head, width = _followed(now), WIDTH // now.num_heads
    return range(head * width, (head + 1) * width)


def _show_heads(now):
    columns, tokens = _columns(now), len(now.X)
    owner = [f"head {_owner(now, j)}" for j in range(WIDTH)]
    down = {"marks": {(i, j): "factor" for i in range(tokens) for j in columns}, "columns": owner, "corner": "token"}
    features, outputs = ([f"{letter}{j + 1}" for j in range(WIDTH)] for letter in "xy")
    asks = {"kind": "weights", "corner": "", "decimals": 2, "row_sums": False}  # 4 in a line
    weights = [
        matrices.matrix(
            each, f"{'▸ ' if h == _followed(now) else ''}weights, head {h + 1}", places=now.places("weights", h), **asks
        )
        for h, each in enumerate(now.weights)
    ]
    return [
        [
            now.table("X", "X = K = V", columns=features, corner="token", decimals=1),
            now.table(
                "W_Q", rows=features, columns=owner, decimals=1,
                marks={(i, j): "factor" for i in range(WIDTH) for j in columns},
            ),
            now.table("query", "Q = X W_Q", decimals=1, **down),
        ],
        weights,
        [
            now.table("heads", "heads, side by side", decimals=2, **down),
            now.table(
                "W_O", rows=owner, columns=outputs, decimals=1,
                marks={(i, j): "factor" for i in columns for j in range(WIDTH)},
            ),
            now.table("output", columns=outputs, corner="token", decimals=2),
        ],
    ]  # fmt: skip


def _shared(now, head, i, j):
    made = power_share(now.scores[head, i], j, written=number)
    return f"token {i + 1} looks at token {j + 1}: {made} = {number(now.weights[head, i, j])}"


def _mixed(now, i, j):
    head = _owner(now, j) - 1
    products = terms(now.weights[head, i], now.value[:, j], "{:.2f}".format)
    return f"head {head + 1}, weights of token {i + 1} by column {j + 1} of V: {products} = {now.heads[i, j]:.2f}"


def _describe_heads(now):
    head, width = _followed(now), WIDTH // now.num_heads
    heard = [str(i + 1) for i in range(WIDTH) if now.W_Q[i, list(_columns(now))].any()]
    made = f"made of feature{'s' * (len(heard) > 1)} {', '.join(heard)} of each token" if heard else "all 0"
    reached = int(np.count_nonzero(now.reach[head]))
    return (
        f"Head {head + 1} of {now.num_heads} is {width} wide. Its queries are {made}, "
        f"its dot products divided by √{width} = {np.sqrt(width):.3f}, and it reaches {reached} of the {WIDTH} output "
        "features."
    )


# --- a wrong cut ------------------------------------------------------------------------------------------------------


def explore_wrong_reshape():
    """Cut tokens into heads in the right way and straight to the shape, and see which test notices.

    Shown: x (num_tokens, num_heads * d_head), heads (num_heads, num_tokens, d_head), again, the heads put together by the way
    back of the same recipe, and owner (num_heads, num_tokens, d_head), the token of each number
    """
    return wrong_turns(
        "cut by",
        _CUTS,
        _cut,
        _show_cut,
        _describe_cut,
        [
            Rule("the shape is (heads, tokens, width of a head)", _has_shape),
            Rule(
                "cut and put together again, nothing has changed",
                lambda now: (now.again != now.x).sum(),
                "{} numbers have",
            ),
            Rule("row i of every head comes from token i", lambda now: _strays(now.owner).sum(), "{} numbers do not"),
        ],
        num_tokens=slider("number of tokens", 3, 2, 6, 1),
        num_heads=slider("number of heads", 2, 1, 4, 1),
        d_head=slider("width of a head", 1, 1, 3, 1),
    )


_CUTS = {  # name: the way there, and its own way back
    "reshape, then swap the axes": (split_heads, merge_heads),
    "reshape straight to the shape": (
        lambda x, num_heads: x.reshape(num_heads, len(x), -1),
        lambda heads: heads.reshape(heads.shape[1], -1),
    ),
}


def _cut(recipe, num_tokens, num_heads, d_head):
    x = np.arange(1.0, num_tokens * num_heads * d_head + 1).reshape(num_tokens, -1)
    cut, put_together = recipe
    heads = cut(x, num_heads)
    return {"x": x, "heads": heads, "again": put_together(heads), "owner": (heads - 1) // x.shape[1] + 1}


def _show_cut(now):
    tokens = np.linspace(-1, 1, now.num_tokens)  # one shade for each
    x = matrices.matrix(
        now.x, "x, a shade for each token", kind="scores", shaded=np.broadcast_to(tokens[:, None], now.x.shape), limit=1.0,
        decimals=0, corner="token",
    )  # fmt: skip
    heads = [
        matrices.matrix(
            head, f"head {h + 1}", kind="scores", shaded=tokens[owner - 1], limit=1.0, decimals=0, corner="row",
            places=matrices.Places(
                f"head {h + 1}", title=lambda i, j, owner=owner: f"from token {owner[i, j]}"
            ),
        )
        for h, (head, owner) in enumerate(zip(now.heads, now.owner.astype(int), strict=True))
    ]  # fmt: skip
    return [x, heads]


def _describe_cut(now):
    strangers = int((_strays(now.owner)).sum())
    head = ", ".join(f"{each:.0f}" for each in now.heads[0].ravel())
    return f"Head 1 holds {head}; {strangers} of {now.owner.size} numbers stand in another token's row."


def _strays(owner):
    return owner != np.arange(1, owner.shape[1] + 1)[:, None]


def _has_shape(now):
    shape = (now.num_heads, now.num_tokens, now.d_head)
    return now.heads.shape == shape, f"it is {now.heads.shape}"
