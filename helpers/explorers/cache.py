"""Keys and values that are kept, and heads that share them."""

import numpy as np

from helpers import matrices
from helpers.attention import causal_mask, scaled_dot_product_attention
from helpers.explorers.controls import choose, slider, stops, switch
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.sums import farthest, share, share_of_3
from helpers.explorers.touch import Sum, Touch
from helpers.positions import rotate
from helpers.variants import KeyValueCache, grouped_query_attention, window_mask

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
NUM_HEADS, NUM_LAYERS, D_HEAD, NUM_BYTES = 8, 32, 128, 2
NO_WINDOW = len(X) + 1  # so wide that even the next token still needs every key
WHOLE = "every row is as in one pass over all tokens"


def explore_cache():
    """Write token by token, with and without a cache, and count the keys that are computed.

    Shown: X (6, 2), scores and weights (t, t) of the t tokens written so far, output (2,) of the newest, computed (t,), how often
    the key of each was computed, kept (t,), 1 where its key is still needed
    """
    return explorer(
        _write,
        _rows_so_far,
        _tell_counts,
        [SHARES, Rule("the newest row is as in one pass over all tokens", _gap_to_whole)],
        presets={"lesson 02's three tokens": {"written": 3, "window": NO_WINDOW}},
        touch={"X": Touch(lambda now, i, j: {"written": i + 1}, lambda now, i, j: f"write up to token {i + 1}")},
        sums={
            "weights": share_of_3(),
            "computed": _computed_in_words,
            "kept": _kept_in_words,
        },
        written=slider("tokens written so far", 3, 1, len(X), 1),
        cached=switch("keep keys and values in a cache", True),
        window=choose("window", {"none": NO_WINDOW, "3": 3, "2": 2}, NO_WINDOW),
    )


def explore_shared_heads():
    """Let eight query heads share fewer heads of keys and values, and weigh the cache.

    Shown: asks (8, num_key_value_heads), 1 where a query head asks a key head, gib (), the size of the cache
    """
    return explorer(
        _share,
        lambda now: (now.table("asks", "which key head a query head asks", **_heads(now)), _sizes(now)),
        lambda now: (
            f"{NUM_HEADS} query heads, {now.shared} of keys and values: {now.gib:g} GiB for {now.tokens:,} tokens in "
            f"{NUM_LAYERS} layers; {NUM_HEADS} would take {now.gib * NUM_HEADS / now.shared:g}."
        ),
        [Rule("each query head asks the key head that np.repeat gives it", _apart, "{:.0f} heads ask another one")],
        touch={"asks": Touch(lambda now, i, j: {"head": i}, lambda now, i, j: f"follow query head {i + 1}")},
        folded=["head"],
        shared=choose("heads of keys and values", [8, 4, 2, 1], 2),
        copies=choose("copies for the query heads by", ["np.repeat", "np.tile"], "np.repeat"),
        tokens=stops("tokens", [(f"{n:,}", n) for n in (1024, 4096, 32_768, 131_072)], 4096),
        head=stops("query head", [(str(h + 1), h) for h in range(NUM_HEADS)], 0),
    )


def explore_wrong_cache():
    """Spoil a cache, and see in which row it shows.

    Shown: scores and weights (4, 4), row by row with a cache; whole (4, 4), the weights of all tokens at once; gaps (4,), how
    far each row is from its row there
    """
    return wrong_turns(
        "each new token",
        _RECIPES,
        _spoil,
        lambda now: (now.table("weights", blocked=~causal_mask(4)), now.table("gaps", "off by", column="")),
        _tell_first,
        [SHARES, Rule(WHOLE, lambda now: now.gaps.max())],
        sums={"weights": share("weights", "scores", lambda now: "3"), "gaps": Sum([("weights", "i:")], _largest_gap)},
        picks={"weights": (4, 4), "gaps": (4, 1)},
    )


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(written, cached, window):
    mask = window_mask(written, window=window)
    cache, rows, scores = KeyValueCache(), np.zeros((written, written)), np.full((written, written), -np.inf)
    for t, x in enumerate(X[:written, None]):
        keys, values = cache.append(x, x)
        answer = scaled_dot_product_attention(x, keys, values, mask=mask[t, : t + 1], scale=1, base=3)
        rows[t, : t + 1], scores[t, : t + 1] = answer.weights[0], answer.scores[0]
    tokens = np.arange(written)
    return {
        "X": X,
        "scores": scores,
        "weights": rows,
        "output": answer.output[0],
        "computed": np.ones(written) if cached else np.minimum(written - tokens, window).astype(float),
        "kept": (tokens > written - window).astype(float),
    }


def _gap_to_whole(now):
    mask = window_mask(now.written, window=now.window)
    x = X[: now.written]
    return np.abs(now.weights[-1] - scaled_dot_product_attention(x, x, x, mask=mask, scale=1, base=3).weights[-1]).max()


def _rows_so_far(now):
    blocked = ~window_mask(now.written, window=now.window)
    return (
        now.table("X", "X = Q = K = V", chosen_row=now.written - 1, decimals=0, corner="token"),
        now.table("weights", blocked=blocked, chosen_row=now.written - 1, fractions=True),
        now.table("computed", "key computed", column="times", decimals=0, column_sums=True),
        now.table("kept", "needed by the next token", column="1 = yes", decimals=0),
    )


def _computed_in_words(now, i, j):
    if now.cached:
        return f"token {i + 1}: computed when it was written, then kept"
    return f"token {i + 1}: computed anew for every token that sees it, {now.computed[i]:.0f} so far"


def _kept_in_words(now, i, j):
    first = max(now.written + 2 - now.window, 1)
    return f"token {now.written + 1} looks back as far as token {first}: token {i + 1} is{'' if now.kept[i] else ' not'} needed"


def _tell_counts(now):
    n = now.written
    other = sum(min(t, now.window) for t in range(1, n + 1)) if now.cached else n
    return (
        f"{n} token{'s' * (n > 1)} written, {now.computed.sum():.0f} key{'s' * (n > 1)} computed "
        f"{'with' if now.cached else 'without'} a cache; "
        f"{'without' if now.cached else 'with'} it {other}. The newest output is [{now.output[0]:.3f} {now.output[1]:.3f}]."
    )


# --- heads -----------------------------------------------------------------------------------------------------------


def _share(shared, copies, tokens, head):
    names = np.eye(shared)[:, None]  # each key head holds one token, whose value names the head
    if copies == "np.repeat":
        asks = grouped_query_attention(np.ones((NUM_HEADS, 1, 1)), np.ones((shared, 1, 1)), names).output[:, 0]
    else:
        asks = np.tile(names[:, 0], (NUM_HEADS // shared, 1))
    num_bytes = 2 * NUM_LAYERS * shared * D_HEAD * tokens * NUM_BYTES
    return {"asks": asks, "gib": np.array(num_bytes / 2**30)}


def _heads(now):
    corner = "query head ↓ key head →"
    return {"kind": "weights", "decimals": 0, "corner": corner, "chosen_row": now.head}


def _sizes(now):
    one, other = np.argmax(now.asks[now.head]) + 1, [h + 1 for h in np.flatnonzero(now.asks[:, now.asks[now.head] > 0])]
    with_it = [h for h in other if h != now.head + 1]
    lines = [
        ["asks key head", one],
        ["together with query head", ", ".join(map(str, with_it)) or "none"],
        ["cache, GiB", f"{now.gib:g}"],
        ["of that for one token, KiB", f"{now.gib * 2**20 / now.tokens:g}"],
    ]
    return matrices.table(lines, f"query head {now.head + 1}", [""], corner="")


def _apart(now):
    group = NUM_HEADS // now.shared
    return float(np.sum(np.argmax(now.asks, axis=-1) != np.arange(NUM_HEADS) // group))


# --- spoiling --------------------------------------------------------------------------------------------------------

STEP = np.pi / 3  # 60° a place, as in lesson 17


def _turned(x, places):
    return rotate(x, np.asarray(places) * STEP)


_RECIPES = {  # function(t, j) of the new token and all tokens so far -> its place, their places, which of them it sees
    "turned by its place, appended, then asks": lambda t, j: (t, j, j <= t),
    "asks first, then is appended": lambda t, j: (t, j, j < max(t, 1)),  # the first one has only itself
    "query turned by place 0": lambda t, j: (0, j, j <= t),
    "query and key turned by place 0": lambda t, j: (0, 0 * j, j <= t),  # those in the cache were written so, too
    "all kept keys turned once more": lambda t, j: (t, j * (t - j + 1), j <= t),
    "masked by np.tri(1, t)": lambda t, j: (t, j, j < 1),  # of one row: the new token counts as the first
    "only two keys are kept": lambda t, j: (t, j, j > t - 2),
}


def _spoil(recipe):
    x, scores, weights = X[:4], np.full((4, 4), -np.inf), np.zeros((4, 4))
    for t in range(4):
        place, places, seen = recipe(t, np.arange(t + 1))
        query, keys = _turned(x[t : t + 1], [place]), _turned(x[: t + 1], places)
        answer = scaled_dot_product_attention(query, keys, keys, mask=seen, scale=1, base=3)
        scores[t, : t + 1], weights[t, : t + 1] = answer.scores[0], answer.weights[0]
    turned = _turned(x, range(4))
    whole = scaled_dot_product_attention(turned, turned, x, mask=causal_mask(4), scale=1, base=3).weights
    return {"scores": scores, "weights": weights, "whole": whole, "gaps": np.abs(weights - whole).max(axis=-1)}


def _largest_gap(now, i, j):
    return f"Row {i + 1}, {farthest(now.weights[i], now.whole[i])}"


def _tell_first(now):
    wrong = np.flatnonzero(now.gaps > 1e-9)
    if len(wrong) == 0:
        return "All four rows are those that one pass over all tokens gives."
    return f"Row {wrong[0] + 1} is the first to differ, and {len(wrong)} of 4 rows do."
