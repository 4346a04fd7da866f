"""Maps of attention: all heads, one of them large, and the words of a text; the lessons' own, or those that a reader brings."""

from typing import NamedTuple

import numpy as np

from rooms.shared import attention_maps
from rooms.shared.arcs import GAP, MARK, SIZE, arcs
from rooms.shared.heads import Wall, head_map
from rooms.shared.two_texts import two_texts, width_of
from rooms.shared.words import numbered
from rooms.your_own import brought_maps, brought_tokens
from workbench import Html, Plane, Touch, by_width, choose, explorer, matrices, slider, stops, text_width

IN_WORDS = 48  # tokens whose words are shown as a text
ARCS_FIT, CLOSEST = 900, 7  # pixels that a line of words with arcs may take, and between two of its words
FEW_FIT, WIDEST_GAP = 600, 36  # a shorter line has more room between its words
MAP = 264  # pixels of the large map, about; its words beside it, it still stands beside the wall
ONE_HEAD = "one head"
REST = "(rest)"  # where the part of a row goes that no token gets


class Read(NamedTuple):
    """What an explorer of heads shows.

    words : list of num_keys str
    maps : (num_layers, num_heads, num_queries, num_keys)
    asking : list of num_queries str, the words that ask, where they are those of another text
    missing : (num_layers, num_heads, num_queries), what each row lacks to a sum of 1, or None
    raw : list of num_queries str, the tokens that ask as the tokenizer writes them, or None
    """

    words: list
    maps: np.ndarray
    asking: list | None = None
    missing: np.ndarray | None = None
    raw: list | None = None


def explore_attention(weights="example", tokens=None, *, queries=None, batch=None):
    """Look at the attention of any model: click a head, click a word. Layers, heads and places are counted from 0.

    Parameters
    ----------
    weights : (n, n), (num_heads, n, n) or (num_layers, num_heads, n, n), at most 512 tokens, each row (a query) with a sum of 1;
        arrays, lists, tensors of PyTorch or JAX. Also what a model of the library transformers returns, whole or its `attentions`,
        of one text or of several, that of one text which asks another (num_queries, num_keys), and that of each step of
        `generate()`. Where columns have a sum of 1 instead, the maps are turned. "example" = those of the course's encoder
    tokens : list of n words, as a tokenizer writes them or as they are; None = their numbers
    queries : list of the words that ask, where they are those of another text; then `tokens` are the words that are asked
    batch : which of several texts

    Shown: maps (num_layers, num_heads, num_queries, num_keys), weights (num_queries, num_keys) of what is chosen, and row
    (num_keys,), the weights of the word that asks; missing (num_queries,), what each row lacks to a sum of 1, where one lacks any
    """
    if isinstance(weights, str) and weights == "example":
        weights = attention_maps.load("She")  # which has tokens, too
    try:
        read, note = _read(weights, tokens, queries, batch)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error)) from None  # where it was found is of no use to a reader
    words = read.asking or read.words
    asks = stops("word that asks", numbered(words), len(words) - 1)
    return heads_explorer(lambda: read, asks, read.maps.shape[:2], note=lambda now: note)


def _read(weights, tokens, queries, batch):
    """What was brought, as a Read, and what is to be said of it."""
    num_tokens = len(tokens) if isinstance(tokens, (list, tuple)) else None
    found = brought_maps.read(weights, batch=batch, across=queries is not None, num_tokens=num_tokens)
    num_queries, num_keys = found.weights.shape[-2:]
    if tokens is None and found.source is not None:
        tokens = getattr(weights, "tokens", None)
    how = {"batch": batch, "source": found.source, "spare": found.written}
    asked = brought_tokens.read("tokens", tokens, num_keys, places="column" if found.across else "row", **how)
    asks = brought_tokens.read("queries", queries, num_queries, **how) if found.across else asked
    notes = dict.fromkeys(said for said in (found.note, asked.note, asks.note) if said)
    read = Read(asked.words, found.weights, asks.words if found.across else None, found.missing, asks.raw)
    return read, "".join(f" {said}" for said in notes)


def heads_explorer(reading, asks, shape, *, start=(0, 0), presets=None, note=lambda now: "", **controls):
    """An explorer of all heads of a model, of the maps that a reading gave.

    Parameters
    ----------
    reading : function(**values of the other controls) -> Read; the same maps object as long as they are the same
    asks : the control of the word that asks
    shape : (num_layers, num_heads)
    start : the head that is shown first, counted from 0
    presets : as in `Explorer`, each of a layer and a head, which are ringed and named
    note : function(now) -> what is said after the sentence
    controls : what `reading` is given
    """
    num_layers, num_heads = shape
    known = {(values["layer"], values["head"]): name for name, values in (presets or {}).items()}
    views, wall = views_of(num_layers, num_heads), Wall(num_layers, num_heads, known)
    found = {}
    if num_layers > 1:
        found["layer"] = slider("layer", start[0], 0, num_layers - 1, 1)
    if num_heads > 1:
        found["head"] = slider("head", start[1], 0, num_heads - 1, 1)
    if len(views) > 1:
        found["view"] = choose("show", views, ONE_HEAD)

    def look(asks, layer=0, head=0, view=ONE_HEAD, **values):
        read = reading(**values)
        among = {views[-1]: np.s_[:, :], ONE_HEAD: np.s_[layer, head]}.get(view, np.s_[layer])

        def of(arrays, axes):
            return arrays[among] if view == ONE_HEAD else arrays[among].reshape(-1, *arrays.shape[-axes:]).mean(axis=0)

        chosen = of(read.maps, 2)
        missing = {} if read.missing is None else {"missing": of(read.missing, 1)}
        return {"maps": read.maps, "weights": chosen, "row": chosen[asks], **missing}

    def read_of(now):
        return reading(**what_is_seen(now))

    def chosen(now):
        """What is framed, None for all; and in words, as a sentence begins."""
        values = now.control_values
        layer, head = values.get("layer", 0), values.get("head", 0)
        if values.get("view", ONE_HEAD) == ONE_HEAD:
            return (layer, head), (f"Layer {layer}, head {head}" if num_layers > 1 else f"Head {head}")
        if values["view"] == views[-1]:
            return (None, None), f"Averaged over all {num_layers * num_heads} heads"
        return (layer, None), f"Averaged over layer {layer}"

    def show(now):
        read, (head, name) = read_of(now), chosen(now)
        asking = read.asking or read.words
        laid_out = f"layers {'across and heads down' if wall.across else 'down and heads across'}"
        told = f"The maps of {num_layers * num_heads} heads, {laid_out}; framed: {name[0].lower()}{name[1:]}."
        wall_of_all = [wall.draw(now.maps, told, chosen=head)] if found else []
        words, weights = with_the_rest(now, read)
        title = f"{name}: where {named(asking, now.asks)} looks"
        text = words_and_weights(words, weights, now, read.asking, title)
        large = head_map(weights, asking, name, chosen=now.asks, keys=words, places=now.places("tokens"), width=MAP)
        return [[*wall_of_all, large], *text]

    def say(now):
        read = read_of(now)
        side = -(-max(now.weights.shape) // wall.cell)
        cut = f" Each pixel of a thumbnail is the largest of {side} × {side} weights." if found and side > 1 else ""
        words, weights = with_the_rest(now, read)
        return describe_row(chosen(now)[1], words, weights[now.asks], now.asks, read.asking) + note(now) + cut

    def what_is_seen(now):
        """The other controls as they are shown: a field may meanwhile hold what cannot be read."""
        return {name: now[name] for name in controls}

    def choose_head(now, x, y):
        layer, head = wall.head_at(x, y)
        values = {"layer": layer, "head": head, "view": ONE_HEAD}
        return {**what_is_seen(now), **{name: value for name, value in values.items() if name in found}}

    def ask(now, k):
        return {**what_is_seen(now), "asks": k} if k < len(now.weights) else {}

    def title(now, k):
        read = read_of(now)
        words = read.asking or read.words
        if k == len(now.weights):
            return "the part of the row that no token gets"
        raw = f", the token {read.raw[k]}" if read.raw and read.raw[k] != words[k] else ""
        return f"click: {named(words, k)} asks{raw}"

    made = explorer(
        look, show, say,
        presets=presets,
        touch={"tokens": Touch(ask, title)},
        planes={"grid": Plane(wall.axes, choose_head, "point: see this head; press: keep it", peek=choose_head)} if found else None,
        folded=["asks", *(name for name in found if name != "view")],
        **controls, asks=asks, **found,
    )  # fmt: skip
    heads = {name: None for name in ("layer", "head") if name in found}
    made.worth_seeing = [  # every text and average; every head, every word, then both in the text that is shown; every head of the other texts
        {**dict.fromkeys(controls), **({"view": None} if "view" in found else {})},
        heads,
        {"asks": None},
        {**heads, "asks": None},
        {**dict.fromkeys(controls), **heads},
    ]
    made.share = 8
    return made


def with_the_rest(now, read):
    """The words that are asked and the weights; with a column for what the rows lack, where they lack any."""
    if "missing" not in vars(now):
        return read.words, now.weights
    return [*read.words, REST], np.column_stack([now.weights, now.missing])


def views_of(num_layers, num_heads):
    """What can be shown of so many heads."""
    all_heads = [f"average of all {num_layers * num_heads}"] if num_layers * num_heads > 1 else []
    return [ONE_HEAD, *(["average of the layer"] if num_layers > 1 and num_heads > 1 else []), *all_heads]


def words_and_weights(words, weights, now, asking, name):
    """The words that are asked and where the asking one looks: with arcs, or with lines from another text, where they fit in a line,
    else as a text; none where they are many."""
    if max(weights.shape) > IN_WORDS:
        return []
    row, places = weights[now.asks], now.places("tokens")
    wide = sum(text_width(word, MARK if word in attention_maps.MARKS else SIZE) for word in words)
    if not asking and wide + CLOSEST * len(words) <= ARCS_FIT:
        least = min(GAP, (ARCS_FIT - wide) / len(words))
        gap = float(np.clip((FEW_FIT - wide) / len(words), least, WIDEST_GAP))
        return [arcs(words, row, now.asks, name=name, places=places, gap=gap, highest=38)]
    text = matrices.running(
        words, row, name, chosen=None if asking else now.asks, limit=float(row.max()), places=None if asking else places
    )
    if not asking:
        return [text]
    shares = np.arange(len(asking)) == now.asks
    below = matrices.running(asking, shares, "words that ask", numbers=None, chosen=now.asks, places=places)
    texts = Html(text.html + below.html, f"{text.text}\n{below.text}")
    if max(width_of(words), width_of(asking)) > ARCS_FIT:
        return [texts]
    return [by_width(two_texts(asking, words, weights, now.asks, name=name, asking_places=places), texts)]


def describe_row(name, words, row, asks, asking=None):
    """Where a word looks, in one sentence."""
    order = np.argsort(-row, kind="stable")[:2]
    parts = [
        f"{'itself' if place == asks and not asking else named(words, place)}, {row[place]:.1%}" for place in order
    ]
    return f"{name}: {named(asking or words, asks)} looks most at {', then at '.join(parts)}."


def named(tokens, place):
    """A token, with its place where the text has it twice; the first token has place 0."""
    return f"“{tokens[place]}”" + (f" (place {place})" if tokens.count(tokens[place]) > 1 else "")
