"""The translator of lesson 11, read at every height, and with a part of it switched off.

Its embedding, transposed, is its W_vocabulary, as in 2017: so at each height a column can be compared with every word there is.
It has one layer on each side, like the model of lesson 10, and has read the same sentences.
"""

import functools
import itertools
from typing import NamedTuple

import numpy as np

from helpers import transformer
from helpers.attention import causal_mask, padding_mask, softmax
from helpers.learning.parameters import load, tree_map
from helpers.support import data_files, inputs
from rooms.shared import french

PATH = data_files.path("french_shared_model.npz")
SEEDS = (29, 1, 2, 3, 4)  # of five trainings; the best is kept
CUT_EVERY = 10  # one step in ten of a training is taken without cross-attention
START, END = "<s>", "</s>"
READ, THINK, LOOK_BACK, ASK, RETHINK = BOXES = [
    "self-attention of the encoder", "network of the encoder", "self-attention of the decoder", "cross-attention",
    "network of the decoder",
]  # fmt: skip
MASK, POSITIONS, OTHERS = "causal mask", "positions", "a look at other columns"
# in the order in which the lesson switches them off
OFF = [ASK, LOOK_BACK, OTHERS, RETHINK, READ, THINK, POSITIONS, MASK]
DECODER = [LOOK_BACK, ASK, RETHINK]  # from the bottom
_ADDS = {  # what makes the numbers that a box adds: tower, step, its last matrix and bias
    READ: ("encoder", "self_attention", "W_output", "b_output"),
    THINK: ("encoder", "feed_forward", "W_out", "b_out"),
    LOOK_BACK: ("decoder", "self_attention", "W_output", "b_output"),
    ASK: ("decoder", "cross_attention", "W_output", "b_output"),
    RETHINK: ("decoder", "feed_forward", "W_out", "b_out"),
}

# --- the model -------------------------------------------------------------------------------------------------------


def random_model(seed):
    """Draw the parameters as training starts; W_vocabulary is missing, see `shared`."""
    parameters = french.random_model(seed)
    del parameters["W_vocabulary"]
    return parameters


def shared(parameters):
    """The same with W_vocabulary, which is the embedding, transposed."""
    return {**parameters, "W_vocabulary": parameters["embedding"].T}


def train(seed, *, num_steps=french.NUM_STEPS, progress="training"):
    """Train as `french.train` does, with one matrix at the foot and at the top; a training.History.

    One step in CUT_EVERY is taken without cross-attention, so that the decoder also learns to speak when it is told nothing.
    """
    steps = itertools.count(1)

    def loss(parameters, *batch):
        cut = [ASK] if next(steps) % CUT_EVERY == 0 else []
        return french.loss_of(without(shared(parameters), *cut), *batch)

    return french.train(random_model(seed), loss=loss, seed=seed, num_steps=num_steps, progress=progress)


@functools.cache
def _stored():
    counts = np.zeros(len(SEEDS), np.float32)
    return load(PATH, {"model": random_model(SEEDS[0]), "right": counts, "speaks": counts})


def right_of_seeds():
    """How many of the unseen sentences came out right, for each seed of SEEDS."""
    return [int(count) for count in _stored()["right"]]


def speaks_of_seeds():
    """Whether the training of each seed of SEEDS writes a French sentence where its memory is cut."""
    return [bool(speaks) for speaks in _stored()["speaks"]]


def speaks_alone(parameters):
    """Whether what is written without the memory, the same for every text, is one of the French sentences there are."""
    (made,) = french.translate_all(without(parameters, ASK), [["the"]])
    return made.words in [each.french for each in french.sentences() + french.sentences(unseen=True)]


def load_model():
    """The parameters of the best training, in 64-bit floats: a change that is not 0 is then none of rounding."""
    return shared(tree_map(lambda array: array.astype(float), _stored()["model"]))


def without(parameters, *boxes):
    """The same parameters, where these boxes add nothing."""
    parameters = tree_map(lambda array: array, parameters)
    for box in boxes:
        tower, step, *last = _ADDS[box]
        for layer in parameters[tower]:
            for name in last:
                layer[step][name] = layer[step][name] * inputs.scalar_like(layer[step][name], 0)
    return parameters


def _sees(off):
    """Which columns each column of the decoder may look at, as a function of how many there are."""
    if OTHERS in off:
        return lambda num_tokens: np.eye(num_tokens, dtype=bool)
    return (lambda num_tokens: np.ones((num_tokens, num_tokens), bool)) if MASK in off else causal_mask


_model = functools.cache(lambda boxes: without(load_model(), *boxes))


# --- read at every height --------------------------------------------------------------------------------------------


def read(texts, written, off=()):
    """Show the model some texts, and for each what stands there in French already.

    Parameters
    ----------
    texts : list of lists of English words
    written : list of lists of French words that begin with START; shorter ones are filled up behind
    off : names of OFF

    Returns
    -------
    memory : (num_texts, longest text, d_model)
    says : (4, num_texts, longest written, vocabulary), what each column would say at the foot and after each box of the decoder:
        what the model says where the boxes above add nothing
    """
    lengths, boxes = [len(text) for text in texts], {*off} & {*BOXES}
    both = (texts, french.PAD), (written, french.END)
    sources, tokens = (french.numbered(some, max(map(len, some)), fill) for some, fill in both)
    how = {**french.MODEL, "positions": POSITIONS not in off}
    mask = _sees(off)(tokens.shape[1])
    seen = padding_mask(lengths, sources.shape[1])
    memory = transformer.encode(sources, _model(tuple(sorted(boxes))), **how, mask=seen)
    says = []
    for height in range(len(DECODER) + 1):
        lower = _model(tuple(sorted(boxes | {*DECODER[height:]})))
        says.append(softmax(transformer.decode(tokens, memory, lower, **how, mask=mask, memory_mask=seen)))
    return memory, np.array(says)


def write(texts, off=()):
    """Translate greedily with some things switched off: list of lists of French words."""
    model = _model(tuple(sorted({*off} & {*BOXES})))
    made = french.translate_all(model, texts, positions=POSITIONS not in off, sees=_sees(off))
    return [each.words for each in made]


@functools.cache
def unseen():
    """The sentences whose noun and colour the model has never read together."""
    return french.sentences(unseen=True)


@functools.cache
def which_right(*off):
    """Which of the sentences of `unseen` it translates rightly, with some things switched off: (432,) Boolean."""
    written = write([each.english for each in unseen()], off)
    return np.array([words == each.french for words, each in zip(written, unseen(), strict=True)])


def num_right(*off):
    return int(which_right(*off).sum())


# --- what each box is for --------------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """Of the places in all unseen sentences, shares of those at which, read out at one height,

    own : the likeliest word is still the one that the column came in with
    right : it is the next word of the translation
    fits : the likeliest of the other words goes on with the French so far as some sentence does
    sure : the probability that the next word of the translation has, on average
    """

    own: float
    right: float
    fits: float
    sure: float


def _shown_rightly():
    """All unseen sentences with the right words written so far: texts, written, and the next words (…, longest), -1 behind."""
    texts = [each.english for each in unseen()]
    written = [[START, *each.french] for each in unseen()]
    goals = np.full((len(texts), max(map(len, written))), -1)
    for row, each in enumerate(unseen()):
        goals[row, : len(each.french) + 1] = [french.VOCABULARY.index(word) for word in [*each.french, END]]
    return texts, written, goals


@functools.cache
def readings(*off):
    """A Reading of the foot, and of what each box of the decoder leaves: list of 4."""
    texts, written, goals = _shown_rightly()
    _, says = read(texts, written, off)
    tokens = french.numbered(written, goals.shape[1], french.END)
    there, goes_on = goals >= 0, _continuations()
    fits_at = np.zeros((*goals.shape, len(french.VOCABULARY)), bool)
    for row, words in enumerate(written):
        for k in range(len(words)):
            fits_at[row, k, goes_on[tuple(words[1 : k + 1])]] = True
    found = []
    for says_here in says:
        best = says_here.argmax(-1)
        other = says_here.copy()
        np.put_along_axis(other, tokens[..., None], 0, -1)
        other = other.argmax(-1)
        fits = np.take_along_axis(fits_at, other[..., None], -1)[..., 0]
        sure = np.take_along_axis(says_here, np.maximum(goals, 0)[..., None], -1)[..., 0]
        shares = (best == tokens, best == goals, fits, sure)
        found.append(Reading(*(float(each[there].mean()) for each in shares)))
    return found


@functools.cache
def _continuations():
    """dict French words from the start -> numbers of the words with which some sentence goes on."""
    found = {}
    for each in french.sentences() + french.sentences(unseen=True):
        words = [*each.french, END]
        for k, word in enumerate(words):
            found.setdefault(tuple(words[:k]), set()).add(french.VOCABULARY.index(word))
    return {words: sorted(numbers) for words, numbers in found.items()}


# --- who hears whom --------------------------------------------------------------------------------------------------

_TABLES = [
    [noun for noun, _ in french.NOUNS.values()],
    [acts for _, acts in french.VERBS.values()],
    *([form for forms in table.values() for form in forms if form] for table in (french.SIZES, french.COLOURS)),
    ["le", "la"],
    *([word for word in table if word] for table in (french.NOUNS, french.VERBS, french.SIZES, french.COLOURS)),
]
BLANK = french.VOCABULARY[french.PAD]
HEARD = 1e-12  # a change smaller than this is rounding


def others(word):
    """The other words of its kind; a word that is alone in its kind gives way to the blank that fills up short texts."""
    kinds = [table for table in _TABLES if word in table]
    return [each for each in dict.fromkeys(kinds[0]) if each != word] if kinds else [BLANK]


def replace_each(answers, words):
    """How far each answer moves when each word gives way to another one of its kind, on average over those.

    Parameters
    ----------
    answers : function(list of texts) -> (num_texts, num_answers), how far each answer lies from what it is for the first text
    words : the first text, a list of words

    Returns
    -------
    moves : (num_answers, num_words)
    """
    changed = [(j, [*words[:j], other, *words[j + 1 :]]) for j, word in enumerate(words) for other in others(word)]
    far, columns = answers([words, *(each for _, each in changed)])[1:], np.array([j for j, _ in changed])
    return np.array([far[columns == j].mean(axis=0) for j in range(len(words))]).T


def moved(probabilities):
    """What share of each column's probabilities lies on other words than in the first text: (num_texts, num_columns)."""
    return np.abs(probabilities - probabilities[0]).sum(-1) / 2


def hears(english, written, off=()):
    """`replace_each` of what is read, (n + m, n + m). The first n rows are the memory, where a token moves by a share of its
    length, 1 at most; the others are the columns of the decoder, where a share of the probabilities moves to other words."""
    n = len(english)

    def answers(texts):
        memory, says = read([text[:n] for text in texts], [text[n:] for text in texts], off)
        far = np.linalg.norm(memory - memory[0], axis=-1) / np.linalg.norm(memory[0], axis=-1)
        return np.concatenate([np.minimum(far, 1), moved(says[-1])], axis=1)

    return replace_each(answers, [*english, *written])
