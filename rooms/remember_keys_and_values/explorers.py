"""Keys and values that are kept, and what that takes."""

import numpy as np

from helpers.attention import causal_mask, scaled_dot_product_attention
from helpers.variants import KeyValueCache
from rooms.shared.softmax_sums import power_share
from workbench import Drawing, Rule, Touch, choose, exact, explorer, number, slider, stops, switch, text_width
from workbench.pictures.html import in_two_widths

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
NUM_LAYERS, NUM_HEADS, D_HEAD = 32, 32, 128
WAYS = {  # what one layer keeps of one token, in numbers
    "every head its own": 2 * NUM_HEADS * D_HEAD,
    "8 shared heads": 2 * 8 * D_HEAD,
    "1 shared head": 2 * D_HEAD,
    "latent, 512 + 64": 512 + 64,
}
CARD, MODEL = 80, 16  # GB, the memory of a large graphics card, and 8 billion numbers of 2 bytes


def explore_cache():
    """Write token by token, with and without a cache, and see which keys are computed at each step.

    Shown: X (6, 2), weights and scores (t, t) of the t tokens written so far, output (2,) of the newest, computed (t, t), 1 where the
    key of the column is computed when the token of the row is written
    """
    return explorer(
        _write,
        _table_of_steps,
        _tell_counts,
        [Rule("every row is as in one pass over all tokens", _gap_to_whole, "a weight is off one pass by {:.3f}")],
        touch={"steps": Touch(lambda now, i: {"written": i + 1}, lambda now, i: f"write up to token {i}")},
        sums={"weights": _weight_in_words},
        written=slider("tokens written so far", len(X), 1, len(X), 1),
        cached=switch("keep keys and values in a cache", True),
    )


def explore_cache_bytes():
    """Weigh the cache of four ways to keep keys and values, 32 layers of 32 heads of width 128.

    Shown: gigabytes (4,), the size of the cache; fit (4,), how many such texts fit on one card beside the model
    """
    return explorer(
        _weigh,
        _bars_of_ways,
        lambda now: (
            f"Beside the model {CARD} GB hold {now.fit[0]} text{'s' * int(now.fit[0] != 1)} of {now.tokens:,} tokens if every head keeps "
            f"its own, {now.fit[1]} with 8 shared heads, {now.fit[2]} with one, and {now.fit[3]} with a latent vector."
        ),
        tokens=stops("tokens in each text", [(f"{n:,}", n) for n in (4_000, 32_000, 100_000, 1_000_000)], 100_000),
        texts=stops("texts at once", [(str(n), n) for n in (1, 4, 16)], 1),
        size=choose("one number takes", {"2 bytes": 2, "1 byte": 1}, 2),
    )


# --- writing ---------------------------------------------------------------------------------------------------------

CELL, LEFT, TOP = 46, 118, 52
PHONE = 37  # of a cell


def _write(written, cached):
    cache, weights, scores = KeyValueCache(), np.zeros((written, written)), np.full((written, written), -np.inf)
    for t, x in enumerate(X[:written, None]):
        keys, values = cache.append(x, x)
        answer = scaled_dot_product_attention(x, keys, values, scale=1, base=3)
        weights[t, : t + 1], scores[t, : t + 1] = answer.weights[0], answer.scores[0]
    computed = np.eye(written) if cached else np.tri(written)
    return {"X": X, "scores": scores, "weights": weights, "output": answer.output[0], "computed": computed}


def _gap_to_whole(now):
    x = X[: now.written]
    whole = scaled_dot_product_attention(x, x, x, mask=causal_mask(now.written), scale=1, base=3).weights
    return np.abs(now.weights - whole).max()


@in_two_widths((CELL,), (PHONE,))
def _table_of_steps(now, cell):
    """One row a step: the query that asks, and the keys and values that it meets, filled where they are computed in this step."""
    wide, end = cell == CELL, LEFT + len(X) * cell
    picture = Drawing(end + (190 if wide else 0), TOP + len(X) * cell + (8 if wide else 106))
    steps, weights = now.places("steps"), now.places("weights")
    for j in range(len(X)):
        x = LEFT + (j + 0.5) * cell - 3
        colour = "ink" if j < now.written else "muted"
        picture.words(x, 16, f"[{number(X[j, 0])} {number(X[j, 1])}]", size=13, colour=colour)
        picture.words(x, 38, f"k{'₀₁₂₃₄₅'[j]} v{'₀₁₂₃₄₅'[j]}", size=13, colour="muted")
    for i in range(len(X)):
        y, newest, there = TOP + i * cell, i == now.written - 1, i < now.written
        colour = "ink" if there else "muted"
        picture.words(64, y + cell / 2 + 2, f"step {i}", size=13, colour=colour, anchor="end", bold=newest)
        if there:
            picture.add("circle", cx=92, cy=y + cell / 2 - 3, r=11, fill="query" if newest else "none", stroke="query")
            picture.words(92, y + cell / 2 + 2, "q", size=13, colour="paper" if newest else "query")
        for j in range(i + 1 if there else 0):
            box = {"x": LEFT + j * cell, "y": y, "width": cell - 6, "height": cell - 6, "rx": 4}
            full = bool(now.computed[i, j])
            picture.add("rect", fill="key" if full else "none", stroke="key", stroke_width=1.5, **box)
            words, colour = exact(now.weights[i, j]), "paper" if full else "ink"
            size = 15 if len(words) < 4 + wide else 12 if len(words) < 5 + wide else 10 + 2 * wide
            picture.words(box["x"] + cell / 2 - 3, y + cell / 2 + 3, words, colour=colour, size=size)
            picture.add("rect", fill="transparent", place=(weights, i, j), **box)
        picture.box(4, y, LEFT - 10, cell - 6, fill="transparent", place=(steps, i))
    x, top = (end + 16, TOP) if wide else (40, TOP + len(X) * cell)
    for k, (full, words) in enumerate([(True, "computed in this step"), (False, "taken from the cache")]):
        if full or now.cached:
            picture.box(x, top + 8 + 28 * k, 16, 16, rx=3, stroke="key", fill="key" if full else "none")
            picture.words(x + 24, top + 21 + 28 * k, words, size=13, anchor="start", colour="muted")
    many, n = f"{now.computed.sum():.0f} keys computed", now.written
    picture.words(x, top + 88, many, size=16, anchor="start", font_weight=600)
    if now.cached:
        beside = (x, top + 110) if wide else (x + text_width(many, 19) + 6, top + 88)
        picture.words(*beside, f"without a cache {n * (n + 1) // 2}", size=13, anchor="start", colour="muted")
    rows = "; ".join(" ".join(exact(w) for w in row[: i + 1]) for i, row in enumerate(now.weights))
    made = ", ".join(f"{row.sum():.0f}" for row in now.computed)
    return picture.html(f"Weights row by row: {rows}. Keys computed in each step: {made}.")


def _weight_in_words(now, i, j):
    if j > i:
        return f"token {j} is not written yet"
    made = "computed in this step" if now.computed[i, j] else "taken from the cache"
    share = power_share(now.scores[i, : i + 1], j, "3", exact)
    return f"step {i}: key {j}, {made}; its weight is {share} = {exact(now.weights[i, j])}"


def _tell_counts(now):
    n = now.written
    other = n * (n + 1) // 2 if now.cached else n
    return (
        f"{n} token{'s' * (n > 1)} written, {now.computed.sum():.0f} key{'s' * (n > 1)} computed "
        f"{'with' if now.cached else 'without'} a cache; {'without' if now.cached else 'with'} it {other}. "
        f"The newest output is [{now.output[0]:.3f} {now.output[1]:.3f}]."
    )


# --- bytes -----------------------------------------------------------------------------------------------------------


def _weigh(tokens, texts, size):
    numbers = np.array(list(WAYS.values()), dtype=np.int64) * NUM_LAYERS  # in a browser they would have 32 bits
    one_text = numbers * size * tokens
    return {"gigabytes": one_text * texts / 1e9, "fit": (CARD - MODEL) * 10**9 // one_text}


@in_two_widths((736, 150, 440, 44), (340, 2, 228, 60))
def _bars_of_ways(now, width, left, full, row):
    """A bar for each way, the model and its cache, on one scale that ends where a large graphics card is full.

    `row` pixels for each way; where the names have no room beside the bars, they stand above them.
    """
    picture, above = Drawing(width, 40 + row * len(WAYS)), 18 if left < 100 else 0
    model, edge, low = full * MODEL / CARD, left + full, 24 + row * len(WAYS)
    picture.line((edge, 8), (edge, low - 8), "muted", 1.5, stroke_dasharray="4 3")
    for k, (way, gigabytes) in enumerate(zip(WAYS, now.gigabytes, strict=True)):
        y, over = 18 + above + row * k, MODEL + gigabytes > CARD
        *place, anchor = (left, y - 6, "start") if above else (left - 12, y + 18, "end")
        picture.words(*place, way, size=14, anchor=anchor)
        picture.box(left, y, model, 26, fill="none", stroke="muted")
        width = max(2, full * min(gigabytes / CARD, 1.12 - MODEL / CARD))
        parts = ["muted"] if way.startswith("latent") else ["key", "value"]
        for part, colour in enumerate(parts):
            picture.box(left + model + part * width / 2, y, width / len(parts), 26, fill=colour)
        words = f"{gigabytes:.3g} GB{' →' if over else ''}"
        if MODEL + gigabytes > 1.12 * CARD:  # it goes on: a break near its end
            x = left + model + width - 12
            picture.line((x, y + 29), (x + 8, y - 3), "paper", 4)
        end, look = left + model + width, {"size": 14, "halo": True, "colour": "wrong" if over else "ink"}
        if end < edge < end + 68:  # beside the bar it would lie on the line
            picture.words(end - 6, y + 18, words, size=14, anchor="end", colour="paper", bold=True)
        else:
            picture.words(end + 8, y + 18, words, anchor="start", **look)
    picture.words(left + model / 2, 36 + above, "the model" if not above else "model", size=12, colour="muted")
    picture.words(edge, low + 8, f"{CARD} GB, one large graphics card", size=12, colour="muted")
    sizes = ", ".join(f"{way} {gigabytes:.3g} GB" for way, gigabytes in zip(WAYS, now.gigabytes, strict=True))
    told = (
        f"Bars for the cache: {sizes}; each beside a model of {MODEL} GB, and {CARD} GB fill one large graphics card."
    )
    return picture.html(told)
