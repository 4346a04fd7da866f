"""A real model reads a text: all of its heads, one of them large, and where each word looks."""

import functools
from html import escape

import numpy as np

from helpers.models import bert, fetched
from helpers.support import inputs
from rooms.ask_a_real_encoder import pronouns
from rooms.ask_a_real_encoder.coins import coin_bars, coin_range, dots_on_lanes, words_on_lanes
from rooms.shared import attention_maps, fetching
from rooms.shared.arcs import arcs
from rooms.shared.words import numbered
from rooms.your_own.own_maps import Read, heads_explorer
from workbench import Html, Touch, choose, explorer, slider, stops, text_field

SHE = attention_maps.load("She")
ASKS = {  # the token that asks at first; in other texts it stays where it was
    "She": "she", "names swapped": "she", "one before": "train", "resting": "cat", "too big": "it", "too small": "it",
    "repeated": "old", "kind Mary": "she", "kind doctor": "she",
}  # fmt: skip
PRONOUNS = ["she", "he", "it", "they", "her", "him", "them"]  # who asks first in a text of one's own
LONGEST = 48  # tokens that still fit the page
TWO = ((3, 1), (5, 11))  # layer and head; the first one found Sarah
MEANT, FIRST = "the one meant", "the one named first"


def explore_two_answers():
    """Two heads of one model read the same sentence: click a word, swap the names, and see whether they agree.

    Shown: weights (2, num_tokens), the row of the clicked word in either head
    """
    return explorer(
        lambda names, word: {"weights": np.array([attention_maps.load(names).weights[head][word] for head in TWO])},
        lambda now: [part for k in range(2) for part in _one_of_two(now, k)],
        _say_whether_they_agree,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"{now.weights[0, k]:.0%} and {now.weights[1, k]:.0%}; click: ask from here")},
        folded=["word"],
        names=choose("names", {"Sarah walks, Alex is the cat": "She", "Alex walks, Sarah is the cat": "names swapped"}, "She"),
        word=stops("word that asks", numbered(SHE.tokens), SHE.tokens.index("she")),
    )  # fmt: skip


def explore_real_heads():
    """Choose one of the 72 heads of a real model and a token, and see where the token looks.

    Shown: maps (6, 12, num_tokens, num_tokens) of all heads, weights (num_tokens, num_tokens) of what is chosen, and row
    (num_tokens,), the weights of the token that asks
    """
    names, one = ("She", "names swapped", "one before", "resting", "repeated"), "one head"
    texts = {name: attention_maps.load(name).text for name in names}
    text = choose("text", texts, SHE.text)
    made = _reader(
        text,
        {
            "the word before": {"text": texts["one before"], "layer": 0, "head": 2, "view": one},
            "a place to rest": {"text": texts["resting"], "layer": 4, "head": 5, "view": one},
            "the same word": {"text": texts["repeated"], "asks": 10, "layer": 1, "head": 1, "view": one},
        },
    )  # fmt: skip
    made.share = 5
    return made


def explore_own_text():
    """Let the real model read a text of your own; without its weights, the stored texts.

    Shown: as in `explore_real_heads`
    """
    text = text_field("your own text: type, then press Enter", SHE.text)
    text.continuous_update = False  # the model reads a whole text, not every letter
    text.layout.flex, text.layout.max_width = "1 1 100%", "100%"  # a whole line for a sentence
    made = _reader(text, {})
    del made.worth_seeing, made.share  # it is the text of the picture above

    def read_again():  # what was typed before the model came
        _follow(made.controls["asks"], text.value)
        made._refresh()

    made.children = [*made.children, *fetching.button(fetched.ALL_MINILM, read_again)]
    return made


def explore_many_sentences():
    """Count in how many sentences each of the 72 heads gives more to the one who is meant, beside what a coin would do; click a head
    and a sentence.

    Shown: counts (6, 12), for each head; of the chosen head differences (num_texts,), what the pronoun gives to the one meant less what
    it gives to the other one, and means (2,) of both; row (num_tokens,), the pronoun's weights in the chosen sentence
    """
    largest = max(len(pronouns.load(name)) for name in pronouns.SETS)
    return explorer(
        _count,
        lambda now: [_bars_of_heads(now), _dots_of_sentences(now), _one_sentence(now)],
        _describe_counts,
        presets={
            "the head that found Sarah": {"layer": 3, "head": 1, "counted": MEANT},
            "its secret": {"layer": 3, "head": 1, "counted": FIRST},
            "the best one": {"layer": 1, "head": 3, "counted": MEANT},
        },
        touch={
            "counts": Touch(lambda now, i, j: {"layer": i, "head": j}, lambda now, i, j: f"head {i}.{j}: {now.counts[i, j]}"),
            "differences": Touch(lambda now, k: {"sentence": k}, lambda now, k: pronouns.load(now.sentences)[k].text),
        },
        folded=["counted", "layer", "head", "sentence"],
        sentences=choose("sentences", pronouns.SETS, pronouns.SETS[0]),
        counted=choose("count where more goes to", [MEANT, FIRST], MEANT),
        layer=slider("layer", 0, 0, 5, 1), head=slider("head", 0, 0, 11, 1),
        sentence=slider("sentence", 0, 0, largest - 1, 1),
    )  # fmt: skip


def explore_names():
    """Give a pronoun one name to look at, a woman's, a man's or another, and see how much of its weight the name gets in a head.

    Shown: given (55,), what the pronoun gives to each name, mean of two sentences, and means (4,), of the four kinds of names
    """
    found = pronouns.names()
    kinds = list(dict.fromkeys(found.kinds))
    return explorer(
        _give,
        lambda now: words_on_lanes(
            found.words, now.given, found.kinds,
            ", ".join(f"{kind} get {share:.0%} on average" for kind, share in zip(kinds, now.means)) + ".",
            0.8, f"what “{now.pronoun}” gives to the only name in its sentence, head {now.head[0]}.{now.head[1]}",
            dict(zip(kinds, ["second", "first", "ink", "ink"])),
        ),
        _describe_names,
        pronoun=choose("pronoun", pronouns.PRONOUNS, "she"),
        head=choose("head", {f"{layer}.{head}": (layer, head) for layer, head in ((1, 3), (2, 4), (3, 1))}, (1, 3)),
    )  # fmt: skip


# --- two heads -------------------------------------------------------------------------------------------------------


def _one_of_two(now, k):
    """What a head says, in bold, and where it looks."""
    tokens, row = attention_maps.load(now.names).tokens, now.weights[k]
    said = f"Head {TWO[k][0]}.{TWO[k][1]} says {tokens[row.argmax()]}"
    yield Html(f'<div style="font-weight:700;font-size:16px;margin-top:6px">{escape(said)}</div>', said)
    yield arcs(tokens, row, now.word, name=said, places=now.places("words"), highest=60)


def _say_whether_they_agree(now):
    tokens = attention_maps.load(now.names).tokens
    one, other = now.weights.argmax(axis=1)
    agree = "Both heads agree" if one == other else "The two heads disagree"
    return (
        f"{agree}: “{tokens[now.word]}” gives {now.weights[0, one]:.0%} to “{tokens[one]}” in head 3.1, "
        f"and {now.weights[1, other]:.0%} to “{tokens[other]}” in head 5.11."
    )


# --- many sentences --------------------------------------------------------------------------------------------------


@functools.cache
def _results(name):
    """(num_texts, 6, 12) what goes to the one meant less what goes to the other; and whether the one meant is named first."""
    texts = pronouns.load(name)
    gaps = np.array([text.weights[..., text.meant] - text.weights[..., text.other] for text in texts])
    return gaps, np.array([text.meant < text.other for text in texts])


def _count(sentences, counted, layer, head, sentence):
    gaps, named_first = _results(sentences)
    right = gaps > 0 if counted == MEANT else np.where(named_first[:, None, None], gaps, -gaps) > 0
    text, texts = _sentence(sentences, sentence), pronouns.load(sentences)
    given = [[each.weights[layer, head, place] for place in (each.meant, each.other)] for each in texts]
    shown = {"counts": right.sum(axis=0), "differences": gaps[:, layer, head]}
    return {**shown, "means": np.mean(given, axis=0), "row": text.weights[layer, head]}


def _sentence(sentences, number):
    texts = pronouns.load(sentences)
    return texts[min(number, len(texts) - 1)]


def _bars_of_heads(now):
    most, chosen = len(now.differences), (now.layer, now.head)
    low, high = coin_range(most)
    told = f"Of {most} sentences, {now.counts[chosen]} give more to {now.counted} in head {now.layer}.{now.head}; 19 of 20 coins land from {low} to {high}."
    title = f"72 heads: in how many of {most} sentences more goes to {now.counted}"
    return coin_bars(now.counts, most, told, chosen, title, now.places("counts"))


def _dots_of_sentences(now):
    texts = pronouns.load(now.sentences)
    first = [text.meant < text.other for text in texts]
    chosen = min(now.sentence, len(texts) - 1)
    rights = [sum(now.differences[k] > 0 for k in range(len(texts)) if first[k] == each) for each in (True, False)]
    told = f"Head {now.layer}.{now.head} is right in {rights[0]} sentences that name the one meant first, and in {rights[1]} of those that name the other one first."
    return dots_on_lanes(
        now.differences, [int(not each) for each in first], ["the one meant is named first", "the one meant is named second"], told,
        chosen, [text.tokens[text.asks] == "he" for text in texts], ("more to the other one", "more to the one meant"),
        "● she, ○ he", now.places("differences"),
    )  # fmt: skip


def _one_sentence(now):
    text = _sentence(now.sentences, now.sentence)
    words = [f"{token} ✓" if k == text.meant else token for k, token in enumerate(text.tokens)]
    return arcs(words, now.row, text.asks, name=f"head {now.layer}.{now.head}", names=text.tokens, highest=46, gap=11)


def _describe_counts(now):
    most, count = len(now.differences), now.counts[now.layer, now.head]
    low, high = coin_range(most)
    verdict = "less often than a coin would" if count < low else "more often than a coin would"
    verdict = "as a coin might" if low <= count <= high else verdict
    text = _sentence(now.sentences, now.sentence)
    return (
        f"Layer {now.layer}, head {now.head} gives more to {now.counted} in {count} of {most} sentences, {verdict}. The one meant gets "
        f"{now.means[0]:.2f} on average, the other one {now.means[1]:.2f}. Here {text.tokens[text.meant]} gets "
        f"{now.row[text.meant]:.2f} and {text.tokens[text.other]} {now.row[text.other]:.2f}."
    )


def _give(pronoun, head):
    found = pronouns.names()
    given, kinds = found.weights[pronoun][:, *head], np.array(found.kinds)
    return {"given": given, "means": np.array([given[kinds == kind].mean() for kind in dict.fromkeys(found.kinds)])}


def _describe_names(now):
    words, order = pronouns.names().words, np.argsort(-now.given, kind="stable")
    return (
        f"“{now.pronoun}” gives names of women {now.means[0]:.2f} on average and names of men {now.means[1]:.2f}; most to {words[order[0]]}, "
        f"{now.given[order[0]]:.2f}, least to {words[order[-1]]}, {now.given[order[-1]]:.2f}."
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
            f"{bert.PACKAGE.how_to_get}"
        )
    try:
        reading = bert.read(bert.installed_model(), text)
    except OSError as error:
        raise ValueError(str(error)) from None
    except MemoryError:
        raise ValueError(fetched.TOO_LITTLE) from None
    if len(reading.tokens) > LONGEST:
        raise ValueError(f"The text must have at most {LONGEST} tokens to be shown here, got {len(reading.tokens)}.")
    weights = reading.weights.astype(float)
    return reading.tokens, weights / weights.sum(axis=-1, keepdims=True)  # float32 sums to 1 within 1e-7


def _labels(tokens):
    return list(zip(tokens, range(len(tokens)), strict=True))


def _asks(text):
    """Tokens to click. They follow the text: the control's options are those of the last text that could be read."""
    tokens, _ = _reading(text.value)
    asks = choose("who asks? (the query)", _labels(tokens), _first(text.value, tokens, None))
    text.observe(lambda _change: _follow(asks, text.value), "value")
    return asks


def _follow(asks, text):
    try:
        tokens, _ = _reading(text)
    except ValueError:
        return  # the explorer says why, and keeps the last good picture
    before = asks.label
    if [label for label, _ in asks.options] != tokens:
        asks.options = _labels(tokens)
    asks.value = _first(text, tokens, before)


def _first(text, tokens, before):
    """Who asks first: in a text of one's own the word that asked before, a pronoun, or the last word."""
    stored = attention_maps.find(text)
    if stored:
        return tokens.index(ASKS[stored.name])
    wanted = [word for word in (before, *PRONOUNS) if word in tokens]
    words = [word for word in tokens if word.isalnum()]
    return tokens.index((wanted or words[-1:] or tokens)[0])


def _reader(text, presets):
    def note(now):
        return "" if inputs.whole_letters(now.text) == now.text else " Half a letter was read as �."

    how = {"start": (3, 1), "presets": presets, "note": note, "text": text}
    return heads_explorer(lambda text: Read(*_reading(text)), _asks(text), (6, 12), **how)
