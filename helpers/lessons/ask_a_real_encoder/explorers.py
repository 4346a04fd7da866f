"""A real model reads a text: all of its heads, one of them large, and where each word looks."""

import functools

from helpers.explorers.controls import choose, text_field
from helpers.explorers.own_maps import Read, heads_explorer
from helpers.models import attention_maps, bert
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
            "the word before": {"text": texts["one before"], "layer": 0, "head": 2, "view": one},
            "a place to rest": {"text": texts["resting"], "layer": 4, "head": 5, "view": one},
            "the same word": {"text": texts["repeated"], "asks": 10, "layer": 1, "head": 1, "view": one},
            "She, another head": {"text": texts["She"], "asks": SHE.tokens.index("she"), "layer": 5, "head": 11, "view": one},
        },
    )  # fmt: skip


def explore_own_text():
    """Let the real model read a text of your own; without its weights, the stored texts.

    Shown: as in `explore_real_heads`
    """
    text = text_field("your own text: type, then press Enter", SHE.text)
    text.continuous_update = False  # the model reads a whole text, not every letter
    return _reader(text, {})


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


def _reader(text, presets):
    asks = _asks(text)
    return heads_explorer(
        lambda text: Read(*_reading(text)), asks, (6, 12), start=(3, 1), presets=presets, note=_replaced, text=text
    )


def _replaced(now):
    return "" if inputs.whole_letters(now.text) == now.text else " Half a letter was read as �."
