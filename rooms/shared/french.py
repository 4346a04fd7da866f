"""English into French, in sentences of a few words: a small translation in which the order of the words differs.

A red car is *une voiture rouge*: in French a colour stands behind its noun and agrees with it, and *does not* becomes two words
around the verb. The model is the encoder and decoder of `transformer`, one layer each. It never reads the pairs in UNSEEN.
"""

import itertools
from typing import NamedTuple

import numpy as np

from helpers import transformer
from helpers.attention import causal_mask, padding_mask
from helpers.learning import optimizers, training, translation
from helpers.learning.parameters import load
from helpers.support import data_files, inputs

PATH = data_files.path("french_model.npz")
SEED, NUM_STEPS, BATCH_SIZE = 29, 800, 64
MODEL = {"num_heads": 2, "norm": "pre"}
NOUNS = {
    "car": ("voiture", "f"), "cat": ("chat", "m"), "dog": ("chien", "m"), "house": ("maison", "f"), "cow": ("vache", "f"),
    "mouse": ("souris", "f"), "fish": ("poisson", "m"), "hen": ("poule", "f"), "boat": ("bateau", "m"),
    "flower": ("fleur", "f"), "horse": ("cheval", "m"), "chair": ("chaise", "f"),
}  # fmt: skip
SIZES = {"": ("", ""), "little": ("petit", "petite"), "big": ("grand", "grande")}  # masculine, feminine
COLOURS = {
    "": ("", ""), "red": ("rouge", "rouge"), "black": ("noir", "noire"), "green": ("vert", "verte"),
    "white": ("blanc", "blanche"),
}  # fmt: skip
VERBS = {
    "sleeps": ("sleep", "dort"), "falls": ("fall", "tombe"), "dances": ("dance", "danse"), "sings": ("sing", "chante"),
    "turns": ("turn", "tourne"), "stays": ("stay", "reste"),
}  # fmt: skip
UNSEEN = {
    (noun, list(COLOURS)[1 + k % 4]) for k, noun in enumerate(NOUNS)
}  # one colour for each noun: "red car" and more
PAD, START, END = 0, 1, 2
_ENGLISH = ["the", *SIZES, *COLOURS, *NOUNS, *VERBS, "does", "not", *(bare for bare, _ in VERBS.values())]
_FRENCH = [
    "le", "la", "ne", "pas", *(noun for noun, _ in NOUNS.values()), *(act for _, act in VERBS.values()),
    *(form for forms in (*SIZES.values(), *COLOURS.values()) for form in forms),
]  # fmt: skip
VOCABULARY = ["<pad>", "<s>", "</s>", *dict.fromkeys(word for word in (*_ENGLISH, *_FRENCH) if word)]
_NUMBERS = {word: number for number, word in enumerate(VOCABULARY)}
LONGEST = {"english": 7, "french": 7}  # the little red car does not fall, la petite voiture rouge ne tombe pas


class Sentence(NamedTuple):
    """english, french : lists of words; pairs : for each French word the places of the English words that it stands for."""

    english: list
    french: list
    pairs: list


def sentence(noun, size="", colour="", verb="sleeps", negated=False):
    """One sentence in both languages: a key of NOUNS, of SIZES, of COLOURS and of VERBS, and whether it is denied."""
    words = {"noun": (noun, NOUNS), "size": (size, SIZES), "colour": (colour, COLOURS), "verb": (verb, VERBS)}
    for name, (word, known) in words.items():
        inputs.one_of(name, word, known)
    french, gender = NOUNS[noun]
    form = "mf".index(gender)
    bare, acts = VERBS[verb]
    english = ["the", *filter(None, (size, colour)), noun, *(("does", "not", bare) if negated else (verb,))]
    place = {word: k for k, word in enumerate(english)}
    told = [
        (("le", "la")[form], ["the"]), (SIZES[size][form], [size]), (french, [noun]), (COLOURS[colour][form], [colour]),
        ("ne" if negated else "", ["does", "not"]), (acts, [bare if negated else verb]), ("pas" if negated else "", ["does", "not"]),
    ]  # fmt: skip
    told = [(word, [place[each] for each in words]) for word, words in told if word]
    return Sentence(english, [word for word, _ in told], [places for _, places in told])


def sentences(unseen=False):
    """All sentences whose noun and colour the model reads together in its training, or those in which it never does."""
    return [
        sentence(*choice)
        for choice in itertools.product(NOUNS, SIZES, COLOURS, VERBS, (False, True))
        if ((choice[0], choice[2]) in UNSEEN) == unseen
    ]


# --- the model -------------------------------------------------------------------------------------------------------


def random_model(seed=SEED):
    """Draw the parameters of the model as training starts, in 32-bit floats."""
    return translation.random_model(seed, vocabulary_size=len(VOCABULARY), d_model=32, d_ff=64, num_layers=1, **MODEL)


def load_model(path=PATH):
    """The parameters of the trained model; FileNotFoundError or ValueError if the file is missing or of another model."""
    return load(path, random_model())


def batch_of(some):
    """Sentences as numbers: sources (num_sentences, 7), their lengths, and targets (num_sentences, 8), an end mark behind."""
    sources = numbered([each.english for each in some], LONGEST["english"], PAD)
    targets = numbered([each.french for each in some], LONGEST["french"] + 1, END)
    return sources, np.array([len(each.english) for each in some]), targets


def numbered(texts, width, behind):
    """Lists of words as numbers (num_texts, width), with the mark `behind` them."""
    numbers = np.full((len(texts), width), behind)
    for row, text in enumerate(texts):
        numbers[row, : len(text)] = [_NUMBERS[word] for word in text]
    return numbers


def loss_of(parameters, sources, lengths, targets):
    """The surprise of the model at the right words, when it is shown all words before each: one number."""
    return translation.loss_of(parameters, sources, lengths, targets, start=START, **MODEL)


def train(parameters, *, loss=loss_of, num_steps=NUM_STEPS, seed=SEED, progress="training"):
    """Train on the sentences that are not kept apart: Adam with warm-up, decay and clipping; a training.History."""
    batches = training.random_batches(inputs.seeded("seed", seed), *batch_of(sentences()), size=BATCH_SIZE)
    rate = optimizers.warm_up_and_decay(3e-3, num_steps, 50)
    how = {"num_steps": num_steps, "learning_rate": rate, "max_norm": 1.0, "progress": progress}
    return training.train(parameters, loss, batches, **how)


class Translation(NamedTuple):
    """words : list of French words; weights : (num_heads, num_words, num_english), where each was looked for as it was written."""

    words: list
    weights: np.ndarray


def translate(parameters, english):
    """Write greedily, the likeliest word at each place, until the end mark.

    Parameters
    ----------
    parameters : of the model
    english : list of words of VOCABULARY

    Returns
    -------
    Translation

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3: queries of the decoder, keys and values of the encoder.
    """
    return translate_all(parameters, [english])[0]


def translate_all(parameters, texts, *, positions=True, sees=causal_mask):
    """Translate several texts at once, each as `translate` does it: a list of Translation; without positions if one likes.

    sees : function(num_tokens) -> the mask of the decoder's self-attention
    """
    for english in texts:
        strange = [word for word in english if word not in _NUMBERS]
        if strange or not english:
            raise ValueError(f"english must be words that the model has read, got {' '.join(strange) or 'none'}.")
    if not texts:
        raise ValueError("texts must hold at least one text, got none.")
    lengths, how = [len(english) for english in texts], {**MODEL, "positions": positions}
    seen = padding_mask(lengths, max(lengths))
    memory = transformer.encode(numbered(texts, max(lengths), PAD), parameters, **how, mask=seen)
    written = np.full((len(texts), 1), START)
    while written.shape[1] <= LONGEST["french"] + 1 and not (written == END).any(axis=1).all():
        mask = sees(written.shape[1])
        masks = {"mask": mask, "memory_mask": seen}
        scores, attention = transformer.decode(written, memory, parameters, **how, **masks, with_attention=True)
        written = np.hstack([written, scores[:, -1:].argmax(axis=-1)])
    made = []
    for numbers, weights, length in zip(written[:, 1:], attention[-1]["cross_attention"].weights, lengths):
        words = [VOCABULARY[number] for number in itertools.takewhile(lambda number: number != END, numbers)]
        made.append(Translation(words, weights[:, : len(words), :length]))
    return made


def where_heads_look(translated):
    """In what share of some translations each head looks most at the English word that one would look for.

    Parameters
    ----------
    translated : list of (Sentence, Translation), right but for the form of a word; each sentence names a colour

    Returns
    -------
    dict : what for -> (num_heads,) shares, of the sentences that have such a word
    """
    whats = "colour: at the colour", "le or la: at “the”", "le or la: at the noun", "ne, where there is one: at “not”"
    found = {what: [] for what in whats}
    *always, of_ne = found.values()
    for (english, written, _), (_, weights) in translated:
        looks = np.array(english)[weights.argmax(axis=-1)]  # (num_heads, num_words)
        (colour,) = [k for k, word in enumerate(written) if any(word in forms for forms in COLOURS.values())]
        at_colour = np.isin(looks[:, colour], list(COLOURS))
        at_noun = np.isin(looks[:, 0], list(NOUNS))
        for each, held in zip(always, (at_colour, looks[:, 0] == "the", at_noun)):
            each.append(held)
        if "ne" in written:
            of_ne.append(looks[:, written.index("ne")] == "not")
    return {what: np.mean(held, axis=0) for what, held in found.items()}
