"""A real model reads: all of its heads, what they vote for, and one head taken apart."""

import functools

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.transforms import offset_copy

from helpers import attention_maps, bert, matrices, plots
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import choose, switch, text_field
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.touch import Plane, Touch

SHE = attention_maps.load("She")
ASKS = {  # the token that asks at first; in other texts it stays where it was
    "She": "she",
    "names swapped": "she",
    "one before": "train",
    "resting": "cat",
    "too big": "it",
    "too small": "it",
    "repeated": "old",
    "kind Mary": "she",
    "kind doctor": "she",
}
PRONOUNS = ["she", "he", "it", "they", "her", "him", "them"]  # who asks first in a text of one's own
VIEWS = ["one head", "average of the layer", "average of all 72"]
LONGEST = 48  # tokens that still fit the page
READABLE = 26  # words beside a map; more of them would run into each other


def explore_real_heads():
    """Choose one of the 72 heads of a real model and a token, and see where the token looks.

    Shown: maps (6, 12, num_tokens, num_tokens) of all heads, weights (num_tokens, num_tokens) of what is chosen, and row
    (num_tokens,), the weights of the token that asks
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

    Shown: as in `explore_real_heads`
    """
    text = text_field("your own text: type, then press Enter", SHE.text)
    text.continuous_update = False  # the model reads a whole text, not every letter
    return _reader(text, {})


def explore_votes():
    """Ask all 72 heads of a real model the same question: where does this token look most?

    Shown: weights (6, 12, num_tokens) of the token that asks, and votes (num_tokens,), how many heads give most to each
    """
    named = {name: attention_maps.load(name).text for name in attention_maps.names()}
    text = choose("text", named, SHE.text)
    asks = _asks(text)
    return explorer(
        _vote,
        _draw_votes,
        _describe_votes,
        [SHARES],
        touch=ASKED,
        folded=["asks"],
        text=text,
        asks=asks,
        without=switch("leave out [CLS] and [SEP]"),
    )


def explore_wrong_head():
    """Compute one head of the real model from its own matrices, rightly or with one slip.

    Shown: query and key (22, 32), scores and weights (22, 22)
    """
    maps = _Maps(["of the model", "computed here"])
    maps.label(SHE.tokens)
    return wrong_turns(
        "how it is computed",
        _RECIPES,
        _take_apart,
        lambda now: [maps.draw_pair(now), _weights_and_scores(now)],
        lambda now: _describe_row(now.recipe.capitalize(), SHE.tokens, now.weights[now.asks], now.asks),
        [SHARES, Rule("the weights are those of the model, within 0.002", _as_the_model)],
        touch=ASKED,
        planes={
            f"map {k}": Plane(axes, _row_asks, "press or drag: the token of this row asks")
            for k, axes in enumerate(maps.axes)
        },
        folded=["asks"],
        asks=choose("who asks? (the query)", _labels(SHE.tokens), SHE.tokens.index("she")),
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


def _labels(tokens):
    return list(zip(tokens, range(len(tokens)), strict=True))


def _asks(text):
    """Tokens to click. They follow the text: the control's options are those of the last text that could be read."""

    def follow(_change):
        try:
            tokens, _ = _reading(text.value)
        except ValueError:
            return  # the explorer says why, and keeps the last good picture
        before = asks.label
        if [label for label, _ in asks.options] != tokens:
            asks.options = _labels(tokens)
        asks.value = _first(text.value, tokens, before)

    tokens, _ = _reading(text.value)
    asks = choose("who asks? (the query)", _labels(tokens), _first(text.value, tokens, None))
    text.observe(follow, "value")
    return asks


def _first(text, tokens, before):
    """Who asks first: in a text of one's own the word that asked before, a pronoun, or the last word."""
    stored = attention_maps.find(text)
    if stored:
        return tokens.index(ASKS[stored.name])
    wanted = [word for word in (before, *PRONOUNS) if word in tokens]
    words = [word for word in tokens if word.isalnum()]
    return tokens.index((wanted or words[-1:] or tokens)[0])


ASKED = {"tokens": Touch(lambda now, k: {"asks": k}, lambda now, k: f"click: {_named(_tokens(now), k)} asks")}


def _tokens(now):
    return _reading(now.text)[0] if "text" in vars(now) else SHE.tokens


def _reader(text, presets):
    maps = _Maps(["72 heads: layer ↓ head →", "one head"], grid=True)
    asks = _asks(text)
    return explorer(
        _look,
        lambda now: [
            maps.draw(now),
            _text(now, now.row, f"{_chosen(now)[1]}: where {_named(_tokens(now), now.asks)} looks"),
        ],
        lambda now: _describe_row(_chosen(now)[1], _tokens(now), now.row, now.asks),
        [SHARES],
        presets=presets,
        touch=ASKED,
        planes={
            "grid": Plane(maps.axes[0], _choose_head, "point: see this head; press: keep it", peek=_choose_head),
            "map": Plane(maps.axes[1], _row_asks, "press or drag: the token of this row asks"),
        },
        folded=["asks", "layer", "head"],
        text=text,
        asks=asks,
        layer=choose("layer", list(range(1, 7)), 4),
        head=choose("head", list(range(1, 13)), 2),
        view=choose("show", VIEWS, VIEWS[0]),
    )


def _choose_head(now, x, y):
    return {"layer": _nearest(y, 1, 6), "head": _nearest(x, 1, 12), "view": VIEWS[0]}


def _row_asks(now, x, y):
    return {"asks": _nearest(y, 0, len(_tokens(now)) - 1)}


def _nearest(x, low, high):
    return min(max(round(x), low), high)


def _look(text, asks, layer, head, view):
    _, maps = _reading(text)
    chosen = {
        VIEWS[0]: lambda: maps[layer - 1, head - 1],
        VIEWS[1]: lambda: maps[layer - 1].mean(axis=0),
        VIEWS[2]: lambda: maps.mean(axis=(0, 1)),
    }[view]()
    return {"maps": maps, "weights": chosen, "row": chosen[asks]}


def _chosen(now):
    """What is chosen among the 72: in words, as a sentence begins, and as a rectangle: left, top, width, height."""
    layer, head = now.layer, now.head
    return {
        VIEWS[0]: (f"layer {layer}, head {head}", f"Layer {layer}, head {head}", (head - 0.5, layer - 0.5, 1, 1)),
        VIEWS[1]: (f"all of layer {layer}", f"Averaged over layer {layer}", (0.5, layer - 0.5, 12, 1)),
        VIEWS[2]: ("all of them", "Averaged over all 72 heads", (0.5, 0.5, 12, 6)),
    }[now.view]


def _describe_row(name, tokens, row, asks):
    first, second = np.argsort(-row, kind="stable")[:2]
    return (
        f"{name}: {_named(tokens, asks)} looks most at {_called(tokens, first, asks)}, {row[first]:.1%}, "
        f"then at {_called(tokens, second, asks)}, {row[second]:.1%}."
    )


def _called(tokens, place, asks):
    return "itself" if place == asks else _named(tokens, place)


def _named(tokens, place):
    """A token, with its place where the text has it twice; [CLS] has place 0."""
    return f"“{tokens[place]}”" + (f" (place {place})" if tokens.count(tokens[place]) > 1 else "")


def _text(now, row, name, **how):
    return matrices.running(_tokens(now), row, name, chosen=now.asks, places=now.places("tokens"), **how)


class _Maps:
    """Two pictures side by side: all 72 maps and one of them, or two maps; words at the rows and columns of a map."""

    def __init__(self, titles, grid=False):
        ratios = {"width_ratios": [1.55, 1]} if grid else {}
        figure, self.axes = plots.new_figure(7.6, 3.1 if grid else 3.0, "ab", **ratios)
        self.images = [plots.heatmap(ax, np.zeros((2, 2)), kind="weights", x_title="", y_title="") for ax in self.axes]
        self.titles = [
            ax.text(0.5, 1.02, title, transform=ax.transAxes, ha="center", va="bottom", fontsize=9)
            for ax, title in zip(self.axes, titles, strict=True)
        ]
        self.single = self.axes[1:] if grid else self.axes
        for ax in self.single:
            ax.set(xticks=[], yticks=[])
        frame = {"fill": False, "edgecolor": "#c2410c", "linewidth": 2}
        self.frame = self.axes[0].add_patch(Rectangle((0.5, 0.5), 1, 1, visible=grid, **frame))
        self.rows = [ax.add_patch(Rectangle((0, 0), 1, 1, **{**frame, "linewidth": 1.2})) for ax in self.single]
        if grid:
            _rule(self.axes[0], self.images[0])
        self.live = plots.LiveFigure(figure, [*self.images[grid:], self.frame, *self.rows, *self.titles], self._update)
        self.maps, self.tokens, self.words = None, None, []

    def label(self, tokens):
        """Write the words at the rows and columns of each map; they are painted once for each text."""
        if tokens == self.tokens:
            return
        self.tokens = tokens
        words = [word if len(word) < 10 else word[:8] + "…" for word in tokens] if len(tokens) <= READABLE else []
        for image in self.images[-len(self.single) :]:
            plots.resize_heatmap(image, np.zeros((len(tokens), len(tokens))))
        for word in self.words:
            word.remove()
        self.words = [text for ax in self.single for text in _write_beside(ax, words)]
        self.live.repaint()

    def draw(self, now):
        self.label(_tokens(now))
        framed, _, frame = _chosen(now)
        title = f"{framed}{': press to keep it' if now.peeked else ''}"
        return self.live.draw(
            {"maps": now.maps, "shown": [now.weights], "asks": now.asks, "title": title, "frame": frame},
            "The maps of all heads, 6 layers down, 12 heads across, each with queries down and keys across; framed: "
            f"{framed}. Beside them the framed one with its words, the row of {_named(self.tokens, now.asks)} outlined.",
        )

    def draw_pair(self, now):
        return self.live.draw(
            {"shown": [_of_the_model(), now.weights], "asks": now.asks},
            "Two maps of one head, queries down and keys across: that of the model, and the one computed here, "
            f"{now.recipe}. The row of {_named(self.tokens, now.asks)} is outlined.",
        )

    def _update(self, what):
        if "maps" in what:
            if self.maps is not what["maps"]:  # another text
                self.maps = what["maps"]
                self.images[0].set_data(_mosaic(self.maps))
                self.live.repaint()
            self.frame.set_bounds(*what["frame"])
            self.titles[1].set_text(what["title"])
        for image, row, weights in zip(self.images[-len(self.rows) :], self.rows, what["shown"], strict=True):
            image.set_data(weights)
            row.set_bounds(-0.5, what["asks"] - 0.5, len(weights), 1)


def _write_beside(ax, words):
    """Write the words below the columns, then left of the rows, as texts: a tick is three lines and two texts."""
    below = offset_copy(ax.get_xaxis_transform(), ax.figure, y=-1, units="points")
    left = offset_copy(ax.get_yaxis_transform(), ax.figure, x=-1, units="points")
    across = {"transform": below, "rotation": 90, "ha": "center", "va": "top", "fontsize": 6.5}
    down = {"transform": left, "ha": "right", "va": "center_baseline", "fontsize": 6.5}
    columns = [ax.text(place, 0, word, **across) for place, word in enumerate(words)]
    return columns + [ax.text(0, place, word, **down) for place, word in enumerate(words)]


def _rule(ax, image):
    """Lines between 6 rows of 12 maps."""
    image.set_extent((0.5, 12.5, 6.5, 0.5))
    ax.set(xlim=(0.5, 12.5), ylim=(6.5, 0.5), xticks=range(1, 13), yticks=range(1, 7))
    ax.yaxis.set_major_formatter("{x:.0f}")
    ax.vlines(np.arange(1.5, 12), 0.5, 6.5, color="#777777", linewidth=0.8)
    ax.hlines(np.arange(1.5, 6), 0.5, 12.5, color="#777777", linewidth=0.8)


def _mosaic(maps, size=46, gap=2):
    """Lay the maps side by side, each about `size` pixels wide, with a gap that stays empty."""
    times = max(1, size // maps.shape[-1])
    tiles = np.pad(
        maps.astype(np.float32).repeat(times, axis=-1).repeat(times, axis=-2), [(0, 0), (0, 0), (gap, gap), (gap, gap)], constant_values=np.nan
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


def _draw_votes(now):
    asker = _named(_tokens(now), now.asks)
    return [
        _text(
            now, now.votes, f"asked by {asker}: how many of 72 heads look most here", kind="scores", limit=72, numbers=0
        ),
        [_most_looked_at(now, asker, range(3)), _most_looked_at(now, asker, range(3, 6))],
    ]


def _most_looked_at(now, asker, layers):
    """A table of half of the layers: all six are too wide for a narrow page."""
    tokens = _tokens(now)
    lines = [
        [
            str(head + 1),
            *(matrices.shaded_word(tokens[row.argmax()], row.max()) for row in now.weights[list(layers), head]),
        ]
        for head in range(12)
    ]
    return matrices.table(
        lines,
        f"where {asker} looks most, layers {layers[0] + 1} to {layers[-1] + 1}",
        [f"layer {layer + 1}" for layer in layers],
        corner="head",
    )


def _describe_votes(now):
    tokens, votes = _tokens(now), now.votes
    order = [place for place in np.argsort(-votes, kind="stable") if votes[place]]
    parts = [f"{votes[place]} at {_named(tokens, place)}" for place in order[:3]]
    rest = sum(votes[place] for place in order[3:])
    parts += [f"{rest} at other tokens"] if rest else []
    return f"Of 72 heads, asked by {_named(tokens, now.asks)}, {', '.join(parts).replace(' at ', ' look most at ', 1)}."


# --- one head, taken apart -------------------------------------------------------------------------------------------


def _trained(query, key, scale=None):
    return scaled_dot_product_attention(query, key, key, scale=scale)[1:]


def _columns(query, key):
    _, scores = _trained(query, key)
    return softmax(scores, axis=0), scores


_RECIPES = {
    "as it was trained": (_trained, True),
    "not divided by √32": (lambda query, key: _trained(query, key, scale=1), True),
    "queries and keys swapped": (lambda query, key: _trained(key, query), True),
    "without the biases": (_trained, False),
    "softmax down each column": (_columns, True),
}


def _take_apart(recipe, asks):
    head = attention_maps.one_head()
    attend, biases = recipe
    X = head.X.astype(float)
    query = X @ head.W_query + (head.b_query if biases else 0)
    key = X @ head.W_key + (head.b_key if biases else 0)
    weights, scores = attend(query, key)
    return {"query": query, "key": key, "scores": scores, "weights": weights}


def _weights_and_scores(now):
    asker, scores, weights = _named(SHE.tokens, now.asks), now.scores[now.asks], now.weights[now.asks]
    more = [f"{score:.1f}" for score in scores]
    return _text(now, weights, f"weights of {asker}, and below them the scores", more=more)


def _of_the_model():
    head = attention_maps.one_head()
    return SHE.weights[head.layer - 1, head.head - 1]


def _as_the_model(now):
    gap = np.abs(now.weights - _of_the_model()).max()
    return gap < 2e-3, f"one is off by {gap:.3f}"
