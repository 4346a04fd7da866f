"""A real model reads: all of its heads, what they vote for, and one head taken apart."""

import functools

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import choose, text_field
from helpers.explorers.engine import SHARES, Rule, wrong_turns
from helpers.explorers.own_maps import describe_row, heads_explorer, named
from helpers.explorers.touch import Touch
from helpers.models import attention_maps, bert
from helpers.pictures.heads import head_map
from helpers.support import inputs

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
LONGEST = 48  # tokens that still fit the page


def explore_real_heads():
    """Choose one of the 72 heads of a real model and a token, and see where the token looks.

    Shown: maps (6, 12, num_tokens, num_tokens) of all heads, weights (num_tokens, num_tokens) of what is chosen, and row
    (num_tokens,), the weights of the token that asks
    """
    texts = {name: attention_maps.load(name).text for name in attention_maps.names()}
    text = choose("text", texts, SHE.text)
    one = "one head"
    return _reader(
        text,
        {
            "the word before": {"text": texts["one before"], "layer": 1, "head": 3, "view": one},
            "a place to rest": {"text": texts["resting"], "layer": 5, "head": 6, "view": one},
            "the same word": {"text": texts["repeated"], "asks": 10, "layer": 2, "head": 2, "view": one},
            "She, another head": {"text": texts["She"], "asks": SHE.tokens.index("she"), "layer": 6, "head": 12, "view": one},
        },
    )  # fmt: skip


def explore_own_text():
    """Let the real model read a text of your own; without its weights, the stored texts.

    Shown: as in `explore_real_heads`
    """
    text = text_field("your own text: type, then press Enter", SHE.text)
    text.continuous_update = False  # the model reads a whole text, not every letter
    return _reader(text, {})


def explore_wrong_head():
    """Compute one head of the real model from its own matrices, rightly or with one slip.

    Shown: query and key (22, 32), scores and weights (22, 22)
    """
    return wrong_turns(
        "how it is computed",
        _RECIPES,
        _take_apart,
        lambda now: [_two_maps(now), _weights_and_scores(now)],
        lambda now: describe_row(now.recipe.capitalize(), SHE.tokens, now.weights[now.asks], now.asks),
        [SHARES, Rule("the weights are those of the model, within 0.002", _as_the_model)],
        touch=ASKED,
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


ASKED = {"tokens": Touch(lambda now, k: {"asks": k}, lambda now, k: f"click: {named(_tokens(now), k)} asks")}


def _tokens(now):
    return _reading(now.text)[0] if "text" in vars(now) else SHE.tokens


def _reader(text, presets):
    asks = _asks(text)
    return heads_explorer(_reading, asks, (6, 12), start=(3, 1), presets=presets, note=_replaced, text=text)


def _replaced(now):
    return "" if inputs.whole_letters(now.text) == now.text else " Half a letter was read as �."


def _text(now, row, name, **how):
    return matrices.running(_tokens(now), row, name, chosen=now.asks, places=now.places("tokens"), **how)


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


def _two_maps(now):
    how = {"places": now.places("tokens"), "width": 200}
    return [
        head_map(_of_the_model(), SHE.tokens, now.asks, "of the model", **how),
        head_map(now.weights, SHE.tokens, now.asks, "computed here", **how),
    ]


def _weights_and_scores(now):
    asker, scores, weights = named(SHE.tokens, now.asks), now.scores[now.asks], now.weights[now.asks]
    more = [f"{score:.1f}" for score in scores]
    return _text(now, weights, f"weights of {asker}, and below them the scores", more=more)


def _of_the_model():
    head = attention_maps.one_head()
    return SHE.weights[head.layer - 1, head.head - 1]


def _as_the_model(now):
    gap = np.abs(now.weights - _of_the_model()).max()
    return gap < 2e-3, f"one is off by {gap:.3f}"
