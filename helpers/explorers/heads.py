"""Several heads: two wanted peaks, the columns of each head, and the wrong way to cut them."""

import numpy as np

from helpers import matrices
from helpers.attention import merge_heads, multi_head_attention, scaled_dot_product_attention, split_heads
from helpers.explorers.controls import NumberGrid, choose, slider
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer

WORDS = ["Mia", "gave", "Tom", "a", "book"]
WHO_AND_WHAT = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
WANTED = {"Mia": 0, "book": 4}
TOKENS = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 2.0], [1.0, 1.0, 1.0, 0.0]])
WIDTH = TOKENS.shape[1]


def explore_two_peaks():
    """Look for two words at once, with one head or with two.

    Returns
    -------
    Explorer
        shown: query (2,), key and value (5, 2), scores and weights (num_heads, 5), output (2,)
    """
    return Explorer(
        {
            "num_heads": choose("number of heads", [1, 2], 1),
            "who": slider("how much it asks who", 5.0, 0.0, 10.0, 0.5),
            "what": slider("how much it asks what", 4.0, 0.0, 10.0, 0.5),
        },
        _look_for_two,
        _draw_two_peaks,
        _describe_two_peaks,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _two_peaks(shown["weights"])],
        presets={"both as strong as can be": {"who": 10.0, "what": 10.0}},
    )


def _look_for_two(num_heads, who, what):
    query = np.array([[who, what]])
    heads = (split_heads(x, num_heads) for x in (query, WHO_AND_WHAT, WHO_AND_WHAT))
    answer = scaled_dot_product_attention(*heads, scale=1.0)
    return {
        "query": query[0],
        "key": WHO_AND_WHAT.copy(),
        "value": WHO_AND_WHAT.copy(),
        "scores": answer.scores[:, 0],
        "weights": answer.weights[:, 0],
        "output": merge_heads(answer.output)[0],
    }


def _draw_two_peaks(shown, values):
    strips = []
    width = 2 // len(shown["weights"])
    for h, (scores, weights) in enumerate(zip(shown["scores"], shown["weights"], strict=True)):
        columns = slice(h * width, (h + 1) * width)
        stages = [
            matrices.Row("key", [[f"{x:.0f}" for x in key] for key in shown["key"][:, columns]]),
            matrices.Row("score = key · query", scores, "scores"),
            matrices.Row("weight", weights, "weights", weights.sum()),
            matrices.Row("value", [[f"{x:.0f}" for x in value] for value in shown["value"][:, columns]]),
            matrices.Row(
                "weight × value", weights[:, None] * shown["value"][:, columns], "plain", shown["output"][columns]
            ),
        ]
        query = "query [{}]".format(" ".join(f"{x:.1f}" for x in shown["query"][columns]))
        name = f"head {h + 1} of {len(shown['weights'])}"
        strips.append(matrices.strip(WORDS, stages, name, query=query, decimals=2, limit=10.0))
    return matrices.under(*strips)


def _describe_two_peaks(shown, values):
    best = shown["weights"].max(axis=0)
    return (
        f"Mia gets {best[WANTED['Mia']]:.2f} of a row and the book {best[WANTED['book']]:.2f}; the output is "
        f"[{shown['output'][0]:.2f}, {shown['output'][1]:.2f}]."
    )


def _two_peaks(weights):
    best = weights.max(axis=0)[list(WANTED.values())]
    rule = "both wanted words get more than half of a row"
    return Light(rule, bool(best.min() > 0.5), f"one gets no more than {best.min():.2f}")


def explore_heads():
    """Cut four features into one, two or four heads, and mix what they bring by W_O.

    Returns
    -------
    Explorer
        shown: X, query, key and value (3, 4), weights and scores (num_heads, 3, 3), heads (3, 4), side by side, W_O
        (4, 4), output (3, 4), and reach (num_heads, 4), how much of each output feature comes from each head
    """
    controls = {
        "num_heads": choose("number of heads", [1, 2, 4], 2),
        "head": slider("head to follow", 1, 1, 2, 1),
        "W_O": choose("W_O", list(_OUTPUT_MATRICES), "mix the heads"),
        "X": NumberGrid("X", TOKENS, compact=True),
    }

    def end_at_the_last_head(change):
        controls["head"].layout.display = None if change["new"] > 1 else "none"
        controls["head"].max = max(2, change["new"])  # a slider needs two ends; `_followed` stays within the heads

    controls["num_heads"].observe(end_at_the_last_head, "value")
    return Explorer(
        controls,
        _attend_with_heads,
        _draw_heads,
        _describe_heads,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _all_reach_all(shown["reach"])],
    )


_MIX = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]]) / 2
_OUTPUT_MATRICES = {
    "mix the heads": _MIX,
    "identity: leave them side by side": np.eye(WIDTH),
    "first half of the columns only": np.diag([1.0, 1.0, 0.0, 0.0]),
}


def _attend_with_heads(num_heads, head, W_O, X):
    eye, mixing = np.eye(WIDTH), _OUTPUT_MATRICES[W_O]
    answer = multi_head_attention(X, eye, eye, eye, mixing, num_heads=num_heads)
    return {
        "X": X,
        "query": X,
        "key": X,
        "value": X,
        **answer._asdict(),
        "heads": multi_head_attention(X, eye, eye, eye, eye, num_heads=num_heads).output,
        "W_O": mixing.copy(),
        "reach": np.abs(mixing).reshape(num_heads, WIDTH // num_heads, WIDTH).sum(axis=1),
    }


def _followed(values):
    """Which head, counted from 0; with one head the slider is hidden, whatever it says."""
    return min(values["head"], values["num_heads"]) - 1


def _draw_heads(shown, values):
    num_heads, head = values["num_heads"], _followed(values)
    columns = range(head * WIDTH // num_heads, (head + 1) * WIDTH // num_heads)
    of_head = {(i, j): "factor" for i in range(len(shown["X"])) for j in columns}
    into = {(i, j): "factor" for i in columns for j in range(WIDTH)}
    owner = [f"head {j * num_heads // WIDTH + 1}" for j in range(WIDTH)]
    asks = {"kind": "weights", "corner": "query ↓ key →", "decimals": 2, "row_sums": True}
    weights = [
        matrices.matrix(each, f"{'▸ ' if h == head else ''}weights, head {h + 1}", **asks)
        for h, each in enumerate(shown["weights"])
    ]
    tokens = {"corner": "token", "decimals": 2}
    return matrices.under(
        matrices.beside(
            matrices.matrix(shown["X"], "X = Q = K = V", columns=owner, marks=of_head, **tokens),
            matrices.matrix(shown["heads"], "heads, side by side", columns=owner, marks=of_head, **tokens),
        ),
        matrices.beside(*weights),
        matrices.beside(
            matrices.matrix(shown["W_O"], "W_O", rows=owner, columns=_numbered("y"), marks=into, decimals=1),
            matrices.matrix(shown["output"], "output", columns=_numbered("y"), **tokens),
            matrices.matrix(
                shown["reach"], "W_O leads from ↓ to →", rows=[f"head {h + 1}" for h in range(num_heads)],
                columns=_numbered("y"), decimals=1, chosen_row=head,
            ),
        ),
    )  # fmt: skip


def _numbered(letter):
    return [f"{letter}{j + 1}" for j in range(WIDTH)]


def _describe_heads(shown, values):
    head = _followed(values)
    reached = int(np.count_nonzero(shown["reach"][head]))
    width = WIDTH // values["num_heads"]
    return (
        f"Head {head + 1} of {values['num_heads']} is {width} wide. Its dot products are divided by √{width} = "
        f"{np.sqrt(width):.3f}, and it reaches {reached} of the {WIDTH} output features."
    )


def _all_reach_all(reach):
    missing = int(np.count_nonzero(reach == 0))
    rule = "every output feature hears from every head"
    return Light(rule, missing == 0, f"{missing} paths are missing")


def explore_wrong_reshape():
    """Cut tokens into heads in the right way and straight to the shape, and see which test notices.

    Returns
    -------
    Explorer
        shown: x (num_tokens, num_heads * d_head), heads (num_heads, num_tokens, d_head), again, the heads put together
        by the way back of the same recipe, and owner (num_heads, num_tokens, d_head), the token of each number
    """
    return Explorer(
        {
            "recipe": choose("cut by", list(_CUTS), next(iter(_CUTS))),
            "num_tokens": slider("number of tokens", 3, 2, 6, 1),
            "num_heads": slider("number of heads", 2, 1, 4, 1),
            "d_head": slider("width of a head", 1, 1, 3, 1),
        },
        _cut,
        _draw_cut,
        _describe_cut,
        lights=lambda shown, values: [
            _has_shape(shown["heads"], values),
            _comes_back(shown["again"], shown["x"]),
            _stays_in_its_row(shown["owner"]),
        ],
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
    cut, put_together = _CUTS[recipe]
    heads = cut(x, num_heads)
    return {"x": x, "heads": heads, "again": put_together(heads), "owner": (heads - 1) // x.shape[1] + 1}


def _draw_cut(shown, values):
    same = {"decimals": 0, "corner": "row"}
    heads = [matrices.matrix(head, f"head {h + 1}", **same) for h, head in enumerate(shown["heads"])]
    owners = [matrices.matrix(owner, f"head {h + 1}: from token", **same) for h, owner in enumerate(shown["owner"])]
    return matrices.under(
        matrices.matrix(shown["x"], "x", decimals=0, corner="token"),
        matrices.beside(*heads),
        matrices.beside(*owners),
    )


def _describe_cut(shown, values):
    strangers = int((_strays(shown["owner"])).sum())
    head = ", ".join(f"{number:.0f}" for number in shown["heads"][0].ravel())
    return f"Head 1 holds {head}; {strangers} of {shown['owner'].size} numbers stand in another token's row."


def _strays(owner):
    return owner != np.arange(1, owner.shape[1] + 1)[:, None]


def _stays_in_its_row(owner):
    strangers = int(_strays(owner).sum())
    rule = "row i of every head comes from token i"
    return Light(rule, strangers == 0, f"{strangers} numbers do not")


def _has_shape(heads, values):
    shape = (values["num_heads"], values["num_tokens"], values["d_head"])
    return Light("the shape is (heads, tokens, width of a head)", heads.shape == shape, f"it is {heads.shape}")


def _comes_back(again, x):
    changed = int(np.count_nonzero(again != x))
    return Light("cut and put together again, nothing has changed", changed == 0, f"{changed} numbers have")
