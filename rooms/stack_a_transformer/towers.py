"""The models of 2017 that lesson 11 looks into: what leaves each box, and how far outputs move."""

import copy
import functools

import numpy as np

from helpers import transformer
from helpers.attention import causal_mask, softmax
from helpers.layers import decoder_layer, encoder_layer, layer_norm

SOURCE_WORDS, WRITTEN_WORDS = ["I", "love", "dogs", "."], ["<s>", "J’", "aime", "les", "chiens"]
TARGET_WORDS = [*WRITTEN_WORDS[1:], "."]
SOURCE, WRITTEN, TARGET, OTHER = [0, 1, 2, 3], [4, 5, 6, 7, 8], [5, 6, 7, 8, 3], 9  # OTHER stands in for any of them
VOCABULARY = [*SOURCE_WORDS, *WRITTEN_WORDS, "</s>"]
N, M, NUM_HEADS, D_MODEL = len(SOURCE), len(WRITTEN), 2, 16
BOTH, ENCODER, DECODER = KINDS = ["encoder and decoder", "encoder alone", "decoder alone"]
BOXES = [
    "encoder: embedding + positions",
    "decoder: embedding + positions",
    "encoder: self-attention",
    "encoder: feed-forward",
    "decoder: self-attention",
    "decoder: cross-attention",
    "decoder: feed-forward",
    "linear, softmax",
]
PLACE, BEGIN, READ, THINK, LOOK_BACK, HEAR, RETHINK, SPEAK = range(len(BOXES))
HEARD = 1e-9  # a change smaller than this is rounding


@functools.cache
def drawn_at_random():
    return transformer.random_transformer(np.random.default_rng(13), OTHER + 1, D_MODEL, NUM_HEADS, 32, num_layers=2)


@functools.cache
def _deaf():
    """The same, where cross-attention adds nothing."""
    parameters = copy.deepcopy(drawn_at_random())
    for layer in parameters["decoder"]:
        layer["cross_attention"]["W_output"] *= 0
    return parameters


def _way(tokens, kind, memory, causal):
    """dict box -> what leaves it on the way up, (layers, tokens, features); logits at the top."""
    parameters = drawn_at_random() if memory else _deaf()
    written = len(tokens) if kind == DECODER else M
    mask = causal_mask(written) if causal else np.ones((written, written), bool)
    way = {}
    if kind == DECODER:  # without a second sequence, the mask alone makes it a decoder
        way |= zip((BEGIN, LOOK_BACK, RETHINK), _climb(tokens, parameters, "encoder", mask=mask))
    else:
        way |= zip((PLACE, READ, THINK), _climb(tokens[:N], parameters, "encoder"))
    if kind == BOTH:
        remembered = way[THINK][-1]
        way |= zip((BEGIN, LOOK_BACK, HEAR, RETHINK), _climb(tokens[N:], parameters, "decoder", remembered, mask=mask))
    if kind != ENCODER:
        way[SPEAK] = way[RETHINK][-1:] @ parameters["W_vocabulary"] + parameters["b_vocabulary"]
    return way


def _climb(tokens, parameters, tower, *memory, mask=None):
    """The embeddings without positions and with them, and what leaves each step of each layer: each (2, tokens, features)."""
    embedding, layer_of = parameters["embedding"], decoder_layer if memory else encoder_layer
    x, steps = transformer.embed(tokens, embedding), ["self_attention", "cross_attention"][: 1 + len(memory)]
    rows = [[transformer.embed(tokens, embedding, positions=False), x], *([] for _ in steps), []]
    for layer in parameters[tower]:
        above, told = layer_of(x, *memory, layer, num_heads=NUM_HEADS, mask=mask, with_attention=True)
        for left, step in zip(rows[1:], steps):
            x = layer_norm(x + told[step].output, **layer[f"{step}_norm"])
            left.append(x)
        x = above
        rows[-1].append(x)
    return [np.array(left) for left in rows]


def _outputs(tokens, kind, memory, causal):
    """What comes out, a list of vectors: of the encoder for each token of the source, of the decoder for each token that is written."""
    way = _way(tokens, kind, memory, causal)
    return [row for box in (THINK, SPEAK) if box in way for row in way[box][-1]]


@functools.cache
def moves_of(kind, memory, causal):
    tokens = SOURCE if kind == ENCODER else SOURCE + WRITTEN
    return replaced(lambda tokens: _outputs(tokens, kind, memory, causal), tokens)


def replaced(outputs, tokens):
    """(num_outputs, num_tokens): how far each vector of outputs(tokens) moves when each token gives way to OTHER."""
    usual = outputs(tokens)
    moves = np.empty((len(usual), len(tokens)))
    for j in range(len(tokens)):
        changed = outputs([*tokens[:j], OTHER, *tokens[j + 1 :]])
        moves[:, j] = [np.abs(a - b).max() for a, b in zip(changed, usual)]
    return moves


@functools.cache
def rows_of(kind, box, memory, causal):
    tokens = SOURCE if kind == ENCODER else SOURCE + WRITTEN
    rows = _way(tokens, kind, memory, causal)[box]
    return softmax(rows) if box == SPEAK else rows


def nearest(kind, opened):
    """The open box, or the first of those that there are where it was taken away."""
    there = {BOTH: range(8), ENCODER: [PLACE, READ, THINK], DECODER: [BEGIN, LOOK_BACK, RETHINK, SPEAK]}[kind]
    box = BOXES.index(opened)
    return box if box in there else there[0]


def draw_columns(drawing, words, left, top, cell):
    for j, word in enumerate(words):
        x, y = left + cell * (j + 0.5) + 4, top - 8
        drawing.words(x, y, word, size=13, anchor="start", transform=f"rotate(-90 {x:.1f} {y:.1f})")


def draw_cells(drawing, now, left, top, cell, words, rows, wrong):
    draw_columns(drawing, words, left, top, cell)
    for i, (row, line) in enumerate(zip(rows, now.moves)):
        y = top + cell * i
        drawing.words(left - 8, y + cell / 2 + 5, row, size=13, anchor="end")
        for j, move in enumerate(line):
            x = left + cell * j
            if move > HEARD:
                look = {"fill": "wrong" if wrong[i, j] else "ink", "fill_opacity": 0.2 + 0.7 * move / line.max()}
                drawing.box(x + 1, y + 1, cell - 2, cell - 2, rx=2, **look)
            else:
                drawing.add("circle", cx=x + cell / 2, cy=y + cell / 2, r=1.5, fill="muted")
            drawing.box(x, y, cell, cell, fill="transparent", place=(now.places("moves"), i, j))
