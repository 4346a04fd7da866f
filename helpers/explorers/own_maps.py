"""Maps of attention: all heads, one of them large, and the words of a text; the lessons' own, or those that a reader brings."""

import numpy as np

from helpers import matrices
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Plane, Touch
from helpers.models import attention_maps
from helpers.pictures.arcs import GAP, SIZE, arcs
from helpers.pictures.heads import Wall, head_map
from helpers.pictures.svg import text_width
from helpers.support import inputs

LONGEST = 512  # tokens of a map
IN_WORDS = 48  # tokens whose words are shown as a text
ARCS_FIT = 860  # pixels that a line of words with arcs may take
MOST_NUMBERS = 2**26
ONE_HEAD = "one head"


def explore_attention(weights=None, tokens=None):
    """Look at the attention of any model: click a head, click a word.

    Parameters
    ----------
    weights : (n, n), (num_heads, n, n) or (num_layers, num_heads, n, n), at most 512 tokens, each row (a query) with a sum of 1;
        arrays, lists, tensors of PyTorch or JAX, and what a model of transformers returns as `attentions` for one text. Where
        columns have that sum instead, the maps are turned. None = those of the encoder of the course, as an example
    tokens : list of n words; None = their numbers, from 1 on

    Shown: maps (num_layers, num_heads, n, n), weights (n, n) of what is chosen, and row (n,), the weights of the word that asks
    """
    if weights is None:
        she = attention_maps.load("She")
        weights, tokens = she.weights, she.tokens
    maps, note = _maps(weights)
    n = maps.shape[-1]
    tokens = [str(k + 1) for k in range(n)] if tokens is None else inputs.labels("tokens", tokens)
    if len(tokens) != n:
        raise ValueError(f"tokens must be {n}, one for each row of weights {np.shape(maps)}, got {len(tokens)}.")
    words = [visible(token) for token in tokens]
    if any(inputs.whole_letters(token) != token for token in tokens):
        note += " Half a letter is shown as �."
    asks = stops("word that asks", [(f"{k + 1} {word}", k) for k, word in enumerate(words)], n - 1)
    return heads_explorer(lambda: (words, maps), asks, maps.shape[:2], note=lambda now: note)


def visible(token):
    """A token as it can be read: a space, an end of a line and half a letter have a sign, too."""
    token = inputs.whole_letters(token).replace("\n", "↵").replace("\t", "⇥")
    return "".join(" " if letter < " " else letter for letter in token).strip() or "␣"


def _maps(weights):
    """The maps as (num_layers, num_heads, n, n), and what is to be said of them."""
    plain = inputs.finite("weights", inputs.rectangle("weights", weights))
    if plain.ndim == 5 and plain.shape[1] == 1:  # layers of a model that read one text
        plain = plain[:, 0]
    if not 2 <= plain.ndim <= 4 or plain.shape[-1] != plain.shape[-2] or 0 in plain.shape:
        hint = " Of several texts choose one: weights[:, 0]." if plain.ndim == 5 else ""
        raise ValueError(
            f"weights must be (n, n), (heads, n, n) or (layers, heads, n, n), got shape {plain.shape}.{hint}"
        )
    if plain.shape[-1] > LONGEST or plain.size > MOST_NUMBERS:
        raise ValueError(
            f"weights must have at most {LONGEST} tokens and {MOST_NUMBERS:,} numbers, got shape {plain.shape}: "
            "choose some, such as weights[..., :512, :512] of a model that looks back only."
        )
    plain = inputs.wide(plain).reshape(1, 1, *plain.shape)[(0,) * (plain.ndim - 2)]
    if plain.min() < 0:
        raise ValueError(f"weights must be at least 0, got {plain.min():g}. Were these the scores, before softmax?")
    off = [np.abs(plain.sum(axis=axis) - 1) for axis in (-1, -2)]
    if off[0].max() < 0.02:  # bfloat16 keeps three digits
        return plain / plain.sum(axis=-1, keepdims=True), ""
    if off[1].max() < 0.02:
        plain = np.ascontiguousarray(plain.swapaxes(-1, -2))
        return plain / plain.sum(axis=-1, keepdims=True), " The columns had a sum of 1, so the maps were turned."
    layer, head, row = np.unravel_index(off[0].argmax(), off[0].shape)
    raise ValueError(
        f"weights must have a sum of 1 in each row, or in each column, but row {row + 1} of layer {layer + 1}, head {head + 1} has "
        f"{plain[layer, head, row].sum():.3g}. A row of padding is left out by weights[..., :n, :n]."
    )


def heads_explorer(reading, asks, shape, *, start=(0, 0), presets=None, note=lambda now: "", **controls):
    """An explorer of all heads of a model, of the maps that a reading gave.

    Parameters
    ----------
    reading : function(**values of the other controls) -> (tokens, maps); the same maps object as long as they are the same
    asks : the control of the word that asks
    shape : (num_layers, num_heads)
    start : the head that is shown first, counted from 0
    presets : as in `Explorer`
    note : function(now) -> what is said after the sentence
    controls : what `reading` is given
    """
    num_layers, num_heads = shape
    views, wall = views_of(num_layers, num_heads), Wall(num_layers, num_heads)
    found = {}
    if num_layers > 1:
        found["layer"] = slider("layer", start[0] + 1, 1, num_layers, 1)
    if num_heads > 1:
        found["head"] = slider("head", start[1] + 1, 1, num_heads, 1)
    if len(views) > 1:
        found["view"] = choose("show", views, ONE_HEAD)

    def look(asks, layer=1, head=1, view=ONE_HEAD, **values):
        _, maps = reading(**values)
        among = {views[-1]: np.s_[:, :], ONE_HEAD: np.s_[layer - 1, head - 1]}.get(view, np.s_[layer - 1])
        chosen = maps[among] if view == ONE_HEAD else maps[among].reshape(-1, *maps.shape[-2:]).mean(axis=0)
        return {"maps": maps, "weights": chosen, "row": chosen[asks]}

    def tokens_of(now):
        return reading(**what_is_seen(now))[0]

    def chosen(now):
        """What is framed, counted from 0, None for all; and in words, as a sentence begins."""
        values = now.control_values
        layer, head = values.get("layer", 1), values.get("head", 1)
        if values.get("view", ONE_HEAD) == ONE_HEAD:
            return (layer - 1, head - 1), (f"Layer {layer}, head {head}" if num_layers > 1 else f"Head {head}")
        if values["view"] == views[-1]:
            return (None, None), f"Averaged over all {num_layers * num_heads} heads"
        return (layer - 1, None), f"Averaged over layer {layer}"

    def show(now):
        tokens, (head, name) = tokens_of(now), chosen(now)
        begins = 0 if len(tokens) <= wall.room else now.asks // wall.room * wall.room
        wall_of_all = [wall.draw(now.maps, head, start=begins)] if found else []
        title, places = f"{name}: where {named(tokens, now.asks)} looks", now.places("tokens")
        text = words_and_weights(tokens, now.row, now.asks, title, places)
        large = head_map(now.weights, tokens, now.asks, name, places=places, width=200)
        return [[*wall_of_all, large], *text]

    def say(now):
        tokens = tokens_of(now)
        cut = (
            f" Each thumbnail has room for {wall.room} of {len(tokens)} tokens."
            if found and len(tokens) > wall.room
            else ""
        )
        return describe_row(chosen(now)[1], tokens, now.row, now.asks) + cut + note(now)

    def what_is_seen(now):
        """The other controls as they are shown: a field may meanwhile hold what cannot be read."""
        return {name: now[name] for name in controls}

    def choose_head(now, x, y):
        layer, head = wall.head_at(x, y)
        values = {"layer": layer + 1, "head": head + 1, "view": ONE_HEAD}
        return {**what_is_seen(now), **{name: value for name, value in values.items() if name in found}}

    def ask(now, k):
        return {**what_is_seen(now), "asks": k}

    return explorer(
        look, show, say,
        presets=presets,
        touch={"tokens": Touch(ask, lambda now, k: f"click: {named(tokens_of(now), k)} asks")},
        planes={"grid": Plane(wall.axes, choose_head, "point: see this head; press: keep it", peek=choose_head)} if found else None,
        folded=["asks", *(name for name in found if name != "view")],
        **controls, asks=asks, **found,
    )  # fmt: skip


def views_of(num_layers, num_heads):
    """What can be shown of so many heads."""
    all_heads = [f"average of all {num_layers * num_heads}"] if num_layers * num_heads > 1 else []
    return [ONE_HEAD, *(["average of the layer"] if num_layers > 1 and num_heads > 1 else []), *all_heads]


def words_and_weights(tokens, row, asks, name, places):
    """The words of a text and where one of them looks: with arcs where they fit in a line, else as a text; none where they are many."""
    if len(tokens) > IN_WORDS:
        return []
    if sum(text_width(token, SIZE) + GAP for token in tokens) <= ARCS_FIT:
        return [arcs(tokens, row, asks, name=name, places=places)]
    return [matrices.running(tokens, row, name, chosen=asks, limit=float(row.max()), places=places)]


def describe_row(name, tokens, row, asks):
    """Where a word looks, in one sentence."""
    order = np.argsort(-row, kind="stable")[:2]
    parts = [f"{'itself' if place == asks else named(tokens, place)}, {row[place]:.1%}" for place in order]
    return f"{name}: {named(tokens, asks)} looks most at {', then at '.join(parts)}."


def named(tokens, place):
    """A token, with its place where the text has it twice; the first token has place 0."""
    return f"“{tokens[place]}”" + (f" (place {place})" if tokens.count(tokens[place]) > 1 else "")
