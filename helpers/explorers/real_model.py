"""A real model reads: all of its heads, what they vote for, and one head taken apart."""

import functools
import itertools

import numpy as np
from matplotlib.patches import Rectangle

from helpers import attention_maps, bert, matrices, plots
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import choose, switch, text_field
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer

SHE = attention_maps.load("She")
ASKS = {  # the token that asks at first; in other texts it stays where it was
    "She": "she",
    "names swapped": "she",
    "one before": "train",
    "resting": "cat",
    "too big": "it",
    "too small": "it",
    "repeated": "old",
}
VIEWS = ["one head", "average of the layer", "average of all 72"]
LONGEST = 48  # tokens that still fit the page
PER_STRIP = 11


def explore_real_heads():
    """Choose one of the 72 heads of a real model and a token, and see where the token looks.

    Returns
    -------
    Explorer
        shown: maps (6, 12, num_tokens, num_tokens) of all heads, weights (num_tokens, num_tokens) of what is chosen, and
        row (num_tokens,), the weights of the token that asks
    """
    named = {name: attention_maps.load(name).text for name in attention_maps.names()}
    text = choose("text", named, SHE.text)
    one = "one head"
    return _reader(
        text,
        {
            "the word before": {"text": named["one before"], "layer": 1, "head": 3, "view": one},
            "a place to rest": {"text": named["resting"], "layer": 5, "head": 6, "view": one},
            "the same word": {"text": named["repeated"], "asks": 10, "layer": 2, "head": 2, "view": one},
            "She, another head": {"text": named["She"], "asks": SHE.tokens.index("she"), "layer": 6, "head": 12, "view": one},
        },
    )  # fmt: skip


def explore_own_text():
    """Let the real model read a text of your own; without its weights, the stored texts.

    Returns
    -------
    Explorer
        shown: as in `explore_real_heads`
    """
    return _reader(text_field("your own text", SHE.text), {})


def explore_votes():
    """Ask all 72 heads of a real model the same question: where does this token look most?

    Returns
    -------
    Explorer
        shown: weights (6, 12, num_tokens) of the token that asks, and votes (num_tokens,), how many heads give most to each
    """
    named = {name: attention_maps.load(name).text for name in attention_maps.names()}
    text = choose("text", named, SHE.text)
    asks = _asks(text)
    return Explorer(
        {"text": text, "asks": asks, "without": switch("leave out [CLS] and [SEP]")},
        _vote,
        _draw_votes,
        _describe_votes,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"])],
    )


def explore_wrong_head():
    """Compute one head of the real model from its own matrices, rightly or with one slip.

    Returns
    -------
    Explorer
        shown: query and key (22, 32), scores and weights (22, 22)
    """
    labels = list(zip(SHE.tokens, range(len(SHE.tokens)), strict=True))
    return Explorer(
        {
            "recipe": choose("how it is computed", list(_RECIPES), next(iter(_RECIPES))),
            "asks": choose("who asks? (the query)", labels, SHE.tokens.index("she")),
        },
        _take_apart,
        _draw_apart,
        lambda shown, values: _describe_row(
            values["recipe"].capitalize(), SHE.tokens, shown["weights"][values["asks"]], values
        ),
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _as_the_model(shown["weights"])],
    )


# --- reading ---------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _reading(text):
    """tokens and weights of a text: from the file if it is there, else from the model. Nobody may write into them."""
    stored = attention_maps.find(text)
    if stored:
        return stored.tokens, stored.weights
    if bert.find_weights() is None:
        raise ValueError(
            "This text is not among the stored ones, and the weights that read a new one are not installed: "
            f"{bert.HOW_TO_GET}"
        )
    try:
        reading = bert.read(bert.installed_model(), text)
    except OSError as error:
        raise ValueError(str(error)) from None
    if len(reading.tokens) > LONGEST:
        raise ValueError(f"The text must have at most {LONGEST} tokens to be shown here, got {len(reading.tokens)}.")
    weights = reading.weights.astype(float)
    return reading.tokens, weights / weights.sum(axis=-1, keepdims=True)  # float32 sums to 1 within 1e-7


def _asks(text):
    """Tokens to click. They follow the text: the control's options are those of the last text that could be read."""

    def labels(tokens):
        return list(zip(tokens, range(len(tokens)), strict=True))

    def first(words, tokens, before):
        stored = attention_maps.find(words)
        return tokens.index(ASKS[stored.name]) if stored else min(before, len(tokens) - 1)

    def follow(_change):
        try:
            tokens, _ = _reading(text.value)
        except ValueError:
            return  # the explorer says why, and keeps the last good picture
        before = asks.value
        if [label for label, _ in asks.options] != tokens:
            asks.options = labels(tokens)
        asks.value = first(text.value, tokens, before)

    tokens, _ = _reading(text.value)
    asks = choose("who asks? (the query)", labels(tokens), first(text.value, tokens, 0))
    text.observe(follow, "value")
    return asks


def _reader(text, presets):
    grid = _Grid()
    asks = _asks(text)
    return Explorer(
        {
            "text": text,
            "asks": asks,
            "layer": choose("layer", list(range(1, 7)), 4),
            "head": choose("head", list(range(1, 13)), 2),
            "view": choose("show", VIEWS, VIEWS[0]),
        },
        _look,
        lambda shown, values: matrices.under(
            *_strips(_reading(values["text"])[0], values["asks"], {"weight": shown["row"]}), grid.draw(shown, values)
        ),
        _describe_look,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"])],
        presets=presets,
    )


def _look(text, asks, layer, head, view):
    _, maps = _reading(text)
    chosen = {
        VIEWS[0]: lambda: maps[layer - 1, head - 1],
        VIEWS[1]: lambda: maps[layer - 1].mean(axis=0),
        VIEWS[2]: lambda: maps.mean(axis=(0, 1)),
    }[view]()
    return {"maps": maps.copy(), "weights": chosen.copy(), "row": chosen[asks].copy()}


def _describe_look(shown, values):
    name = {
        VIEWS[0]: f"Layer {values['layer']}, head {values['head']}",
        VIEWS[1]: f"On the average over layer {values['layer']}",
        VIEWS[2]: "On the average over all 72 heads",
    }[values["view"]]
    return _describe_row(name, _reading(values["text"])[0], shown["row"], values)


def _describe_row(name, tokens, row, values):
    first, second = np.argsort(-row, kind="stable")[:2]
    asks = values["asks"]
    return (
        f"{name}: “{tokens[asks]}” looks most at {_called(tokens, first, asks)}, {row[first]:.1%}, "
        f"then at {_called(tokens, second, asks)}, {row[second]:.1%}."
    )


def _called(tokens, place, asks):
    return "itself" if place == asks else f"“{tokens[place]}”"


def _strips(tokens, asks, stages, limit=None):
    """The rows of one query in strips that fit the page; weights are summed up from the first strip to the last."""
    count = -(-len(tokens) // PER_STRIP)
    edges = np.linspace(0, len(tokens), count + 1).round().astype(int)
    strips = []
    for start, stop in itertools.pairwise(edges):
        rows = [
            matrices.Row(name, row[start:stop], f"{name}s", row[:stop].sum() if name == "weight" else None)
            for name, row in stages.items()
        ]
        labels = [("▸ " if place == asks else "") + tokens[place] for place in range(start, stop)]
        name, total = f"{tokens[asks]} looks: tokens {start + 1} to {stop}", "Σ" if stop == len(tokens) else "Σ so far"
        strips.append(matrices.strip(labels, rows, name, total=total, limit=limit))
    return strips


class _Grid:
    """All 72 maps as one picture, layers down and heads across, and a frame around what is chosen."""

    def __init__(self):
        figure, self.ax = plots.new_figure(6.6, 3.7)
        self.image = plots.heatmap(
            self.ax, np.zeros((2, 2)), kind="weights", x_title="head", y_title="layer", bar="weight"
        )
        self.image.set_extent((0.5, 12.5, 6.5, 0.5))
        self.ax.set(xlim=(0.5, 12.5), ylim=(6.5, 0.5), xticks=range(1, 13), yticks=range(1, 7))
        for k in range(1, 12):
            self.ax.axvline(k + 0.5, color="#777777", linewidth=0.8)
        for k in range(1, 6):
            self.ax.axhline(k + 0.5, color="#777777", linewidth=0.8)
        self.frame = self.ax.add_patch(Rectangle((0.5, 0.5), 1, 1, fill=False, edgecolor="#c2410c", linewidth=2.5))
        self.live, self.maps = plots.LiveFigure(figure, [self.frame], self._update), None

    def draw(self, shown, values):
        layer, head = values["layer"], values["head"]
        framed = {
            VIEWS[0]: f"layer {layer}, head {head}",
            VIEWS[1]: f"all of layer {layer}",
            VIEWS[2]: "all of them",
        }[values["view"]]
        return self.live.draw(
            {**shown, **values},
            f"The maps of all heads, 6 layers down, 12 heads across, each with queries down and keys across; framed: {framed}.",
        )

    def _update(self, shown):
        if self.maps is None or not np.array_equal(self.maps, shown["maps"]):  # another text
            self.maps = shown["maps"].copy()
            self.image.set_data(_mosaic(self.maps))
            self.live.repaint()
        layer, head = shown["layer"], shown["head"]
        bounds = {
            VIEWS[0]: (head - 0.5, layer - 0.5, 1, 1),
            VIEWS[1]: (0.5, layer - 0.5, 12, 1),
            VIEWS[2]: (0.5, 0.5, 12, 6),
        }[shown["view"]]
        self.frame.set_bounds(*bounds)


def _mosaic(maps, size=46, gap=2):
    """Lay the maps side by side, each about `size` pixels wide, with a gap that stays empty."""
    times = max(1, size // maps.shape[-1])
    tiles = np.pad(
        maps.repeat(times, axis=-1).repeat(times, axis=-2), [(0, 0), (0, 0), (gap, gap), (gap, gap)], constant_values=np.nan
    )  # fmt: skip
    layers, heads, height, width = tiles.shape
    return tiles.swapaxes(1, 2).reshape(layers * height, heads * width)


# --- votes -----------------------------------------------------------------------------------------------------------


def _vote(text, asks, without):
    tokens, maps = _reading(text)
    weights = maps[:, :, asks].copy()
    if without:
        weights[..., [0, -1]] = 0
        weights /= weights.sum(axis=-1, keepdims=True)
    return {"weights": weights, "votes": np.bincount(weights.argmax(axis=-1).ravel(), minlength=len(tokens))}


def _draw_votes(shown, values):
    tokens, weights = _reading(values["text"])[0], shown["weights"]
    lines = []
    for head in range(12):
        best = [(tokens[row.argmax()], row.max()) for row in weights[:, head]]
        lines.append([str(head + 1), *(matrices.shaded_word(word, weight) for word, weight in best)])
    columns = [f"layer {layer}" for layer in range(1, 7)]
    return matrices.table(lines, f"where {tokens[values['asks']]} looks most", columns, corner="head")


def _describe_votes(shown, values):
    tokens, votes = _reading(values["text"])[0], shown["votes"]
    order = [place for place in np.argsort(-votes, kind="stable") if votes[place]]
    parts = [f"{votes[place]} to {_called(tokens, place, values['asks'])}" for place in order[:4]]
    rest = sum(votes[place] for place in order[4:])
    parts += [f"{rest} to other tokens"] if rest else []
    return f"Of 72 heads, asked where “{tokens[values['asks']]}” looks, this many give most: {', '.join(parts)}."


# --- one head, taken apart -------------------------------------------------------------------------------------------


def _trained(query, key):
    return scaled_dot_product_attention(query, key, key)[1:]


def _unscaled(query, key):
    return scaled_dot_product_attention(query, key, key, scale=1)[1:]


def _swapped(query, key):
    return _trained(key, query)


def _columns(query, key):
    _, scores = _trained(query, key)
    return softmax(scores, axis=0), scores


_RECIPES = {
    "as it was trained": (_trained, True),
    "not divided by √32": (_unscaled, True),
    "queries and keys swapped": (_swapped, True),
    "without the biases": (_trained, False),
    "softmax down each column": (_columns, True),
}


def _take_apart(recipe, asks):
    head = attention_maps.one_head()
    attend, biases = _RECIPES[recipe]
    X = head.X.astype(float)
    query = X @ head.W_query + (head.b_query if biases else 0)
    key = X @ head.W_key + (head.b_key if biases else 0)
    weights, scores = attend(query, key)
    return {"query": query, "key": key, "scores": scores, "weights": weights}


def _draw_apart(shown, values):
    asks = values["asks"]
    rows = {"score": shown["scores"][asks], "weight": shown["weights"][asks]}
    return matrices.under(*_strips(SHE.tokens, asks, rows, limit=max(8.0, np.abs(rows["score"]).max())))


def _as_the_model(weights):
    head = attention_maps.one_head()
    gap = np.abs(weights - SHE.weights[head.layer - 1, head.head - 1]).max()
    return Light("the weights are those of the model, within 0.002", bool(gap < 2e-3), f"one is off by {gap:.3f}")
