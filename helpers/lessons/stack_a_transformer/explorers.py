"""The encoder and the decoder of 2017 in boxes, and who hears whom: every token is changed, and every output that moves is marked."""

import copy
import functools

import numpy as np

from helpers import transformer
from helpers.attention import causal_mask, softmax
from helpers.explorers.controls import choose, stops, switch
from helpers.explorers.engine import Rule, explorer, wrong_turns
from helpers.explorers.touch import Touch
from helpers.layers import encoder_layer
from helpers.pictures.html import by_width
from helpers.pictures.svg import Drawing

SOURCE_WORDS, WRITTEN_WORDS = ["I", "love", "dogs", "."], ["<s>", "J’", "aime", "les", "chiens"]
TARGET_WORDS = [*WRITTEN_WORDS[1:], "."]
SOURCE, WRITTEN, TARGET, OTHER = [0, 1, 2, 3], [4, 5, 6, 7, 8], [5, 6, 7, 8, 3], 9  # OTHER stands in for any of them
N, M, NUM_HEADS, D_MODEL = len(SOURCE), len(WRITTEN), 2, 16
BOTH, ENCODER, DECODER = KINDS = ["encoder and decoder", "encoder alone", "decoder alone"]
BOXES = [
    "encoder: self-attention",
    "encoder: feed-forward",
    "decoder: self-attention",
    "decoder: cross-attention",
    "decoder: feed-forward",
    "linear, softmax",
]
READ, THINK, LOOK_BACK, HEAR, RETHINK, SPEAK = range(len(BOXES))
HEARD = 1e-9  # a change smaller than this is rounding


def explore_architecture():
    """Open the boxes of encoder and decoder, take one of the two away, and see which output hears which token.

    Shown: moves (num_outputs, num_tokens), how far each output moves when each token is replaced by another one: the tokens
    are those of the source, and then those that are written
    """
    return explorer(
        _change_each_token,
        lambda now: [(_towers(now), _map(now))],
        _say_what_the_box_does,
        [
            Rule("nothing that is written hears what comes later", _hears_later, "one moves by {:.3f}"),
            Rule("what is written hears the whole source", _hears_the_source),
        ],
        touch={
            "box": Touch(lambda now, k: {"opened": BOXES[k]}, lambda now, k: f"click: {BOXES[k]}"),
            "memory": Touch(lambda now: {"memory": not now.memory}, lambda now: "click: cut or mend the way from the memory"),
            "mask": Touch(lambda now: {"causal": not now.causal}, lambda now: "click: lift or set the causal mask"),
        },
        sums={"moves": _move_in_words},
        folded=["opened", "memory", "causal"],
        kind=choose("parts", KINDS, BOTH),
        opened=stops("box", [(name, name) for name in BOXES], BOXES[READ]),
        memory=switch("the decoder asks the memory", True),
        causal=switch("causal mask", True),
    )  # fmt: skip


def explore_wrong_decoder():
    """Connect the decoder wrongly, and see whose answer leaks where.

    Shown: moves (5, 9), how far the probabilities of row i move when a token of the source, or of the target, is replaced
    """
    return wrong_turns(
        "the decoder",
        _WIRINGS,
        _probe,
        lambda now: by_width(_probe_map(now, 190, 36), _probe_map(now, 120, 24)),
        lambda now: (
            f"A row moves by up to {_answers(now).max():.3f} when the token that it must give, or a later one, is replaced, and by "
            f"up to {now.moves[:, :N].max():.3f} with the source."
        ),
        [
            Rule("no row sees the token that it must give", lambda now: _answers(now).max(), "one moves by {:.3f} with it"),
            Rule("the decoder hears the source", lambda now: (now.moves[:, :N].max() > HEARD, "another source, the same output")),
        ],
        sums={"moves": _probe_in_words},
    )  # fmt: skip


# --- the models ------------------------------------------------------------------------------------------------------


@functools.cache
def _drawn_at_random():
    return transformer.random_transformer(np.random.default_rng(13), OTHER + 1, D_MODEL, NUM_HEADS, 32, num_layers=2)


@functools.cache
def _deaf():
    """The same, where cross-attention adds nothing."""
    parameters = copy.deepcopy(_drawn_at_random())
    for layer in parameters["decoder"]:
        layer["cross_attention"]["W_output"] *= 0
    return parameters


def _outputs(tokens, kind, memory, causal):
    """What comes out, a list of vectors: of the encoder for each token of the source, of the decoder for each token that is written."""
    parameters = _drawn_at_random() if memory else _deaf()
    mask = causal_mask(len(tokens) if kind == DECODER else M) if causal else None
    if kind == DECODER:
        x = transformer.embed(tokens, parameters["embedding"])
        for layer in parameters["encoder"]:  # without a second sequence, the mask alone makes it a decoder
            x = encoder_layer(x, layer, num_heads=NUM_HEADS, mask=mask)
        return [*(x @ parameters["W_vocabulary"])]
    remembered = transformer.encode(tokens[:N], parameters, num_heads=NUM_HEADS)
    if kind == ENCODER:
        return [*remembered]
    mask = np.ones((M, M), bool) if mask is None else mask
    return [*remembered, *transformer.decode(tokens[N:], remembered, parameters, num_heads=NUM_HEADS, mask=mask)]


@functools.cache
def _moves(kind, memory, causal):
    tokens = SOURCE if kind == ENCODER else SOURCE + WRITTEN
    usual = _outputs(tokens, kind, memory, causal)
    moves = np.empty((len(usual), len(tokens)))
    for j in range(len(tokens)):
        changed = _outputs([*tokens[:j], OTHER, *tokens[j + 1 :]], kind, memory, causal)
        moves[:, j] = [np.abs(a - b).max() for a, b in zip(changed, usual)]
    return moves


def _change_each_token(kind, opened, memory, causal):
    return {"moves": _moves(kind, memory, causal).copy()}


def _later(now):
    """Which cells belong to a token that comes later than what is written."""
    size = len(now.moves)
    start = 0 if now.kind == DECODER else N
    rows, columns = np.indices((size, size))
    return (columns > rows) & (rows >= start)


def _hears_later(now):
    return None if now.kind == ENCODER else np.max(now.moves[_later(now)])


def _hears_the_source(now):
    if now.kind == ENCODER:
        return None
    return now.moves[N:, :N].min() > HEARD, "another source, the same output"


# --- in words --------------------------------------------------------------------------------------------------------


def _inputs(now):
    return SOURCE_WORDS if now.kind == ENCODER else SOURCE_WORDS + WRITTEN_WORDS


def _rows(now):
    words = _inputs(now)
    if now.kind == DECODER:
        return [f"{word} → {following}" for word, following in zip(words, [*words[1:], "."])]
    return [*SOURCE_WORDS, *(f"{a} → {b}" for a, b in zip(WRITTEN_WORDS, TARGET_WORDS))][: len(now.moves)]


def _move_in_words(now, i, j):
    return f"“{_inputs(now)[j]}” is replaced: the output at “{_inputs(now)[i]}” moves by {now.moves[i, j]:.3f}"


def _say_what_the_box_does(now):
    writes = "The decoder writes" + ("" if now.causal else " without its mask")
    asks = "asks what the encoder remembers" if now.memory else "hears nothing of the source"
    shape = (
        "one triangle. Every token predicts the next one, as in a GPT."
        if now.causal
        else "no mask: a full square. Every token but the last sees the one that it must predict."
    )
    told = {
        BOTH: f"The encoder reads the whole source at once. {writes}, and {asks}.",
        ENCODER: "Every token hears every other, before it and behind it. It reads and writes nothing, like BERT.",
        DECODER: f"One sequence, the source first, and {shape}",
    }[now.kind]
    return f"{told} {_opened(now)}".strip()


def _opened(now):
    box, n = BOXES.index(now.opened), len(now.moves)
    if box not in _boxes(now):
        return ""
    words = n if now.kind == DECODER else M
    hides = "the mask hides those that come later" if now.causal else "no mask hides those that come later"
    cut = "" if now.memory else ", but the way from it is cut"
    return {
        READ: f"Encoder self-attention: {N} queries ask {N} keys, all of the source.",
        THINK: f"Feed-forward: each of {N} tokens on its own, and none hears another.",
        LOOK_BACK: f"Decoder self-attention: {words} queries ask {words} keys, and {hides}.",
        HEAR: f"Cross-attention: {M} queries of what is written ask {N} keys of the memory{cut}.",
        RETHINK: f"Feed-forward: each of {words} tokens on its own, and none hears another.",
        SPEAK: f"Linear and softmax: {words} rows of probabilities, one for the token that follows each.",
    }[box]


def _boxes(now):
    """The boxes that there are."""
    return {BOTH: range(6), ENCODER: [READ, THINK], DECODER: [LOOK_BACK, RETHINK, SPEAK]}[now.kind]


# --- the towers ------------------------------------------------------------------------------------------------------

WIDE, HIGH, FLOOR, STEP = 398, 378, 292, 73  # as narrow as it goes: on a phone the map stands below
ENCODER_X, DECODER_X, ALONE_X = 96, 306, 199


def _towers(now):
    drawing = Drawing(WIDE, HIGH)
    both = now.kind == BOTH
    if now.kind != DECODER:
        x = ENCODER_X if both else ALONE_X
        top = _draw_tower(drawing, now, x, -1, "encoder × 2", SOURCE_WORDS, [READ, THINK])
        drawing.line((x, top + 4), (x, top - 14), "ink", 2)
        drawing.words(x, top - 34, "memory", size=13, font_weight=600)
        drawing.words(x, top - 19, f"({N}, {D_MODEL})", size=13, colour="muted")
        if both:
            _draw_memory(drawing, now, top)
    if now.kind != ENCODER:
        x, steps = (DECODER_X, [LOOK_BACK, HEAR, RETHINK]) if both else (ALONE_X, [LOOK_BACK, RETHINK])
        words = WRITTEN_WORDS if both else SOURCE_WORDS + WRITTEN_WORDS
        top = _draw_tower(drawing, now, x, 1, "decoder × 2", words, steps)
        _draw_box(drawing, now, x, top - 18, SPEAK, 26)
        drawing.line((x, top + 4), (x, top - 5), "ink", 2)
        drawing.words(x - 64, top - 13, f"({len(words)}, {OTHER + 1})", size=13, colour="muted", anchor="end")
        following = TARGET_WORDS if both else [*words[1:], "."]
        drawing.words(x, top - 41, " ".join(following), size=13, colour="output", font_weight=600)
        drawing.words(x, top - 57, "next token, at every place", size=13, colour="muted")
    return drawing.html(f"Boxes of {now.kind}, from the bottom.")


def _draw_tower(drawing, now, x, side, name, words, steps):
    """One stack, upwards; returns where its frame ends."""
    drawing.words(x, FLOOR + 78, " ".join(words), size=13, font_weight=600)
    drawing.box(x - 79, FLOOR + 24, 158, 24, rx=6, fill="paper", stroke="ink", stroke_width=1.2)
    drawing.words(x, FLOOR + 41, "embedding + positions", size=13)
    drawing.line((x, FLOOR + 64), (x, FLOOR + 48), "ink", 2)
    for words_of, y in ((f"({len(words)},)", FLOOR + 61), (f"({len(words)}, {D_MODEL})", FLOOR + 20)):
        drawing.words(x + 8, y, words_of, size=13, colour="muted", anchor="start")
    top = FLOOR - STEP * len(steps)
    frame = {"x": x - 74, "y": top + 6, "width": 148, "height": FLOOR - top + 4, "rx": 10}
    drawing.add("rect", fill="none", stroke="line", stroke_dasharray="4 4", **frame)
    at = (x - 80, top + 18, "end") if side > 0 else (x - 13, top, "end")
    drawing.words(*at[:2], name, size=13, colour="muted", anchor=at[2])
    for k, box in enumerate(steps):
        _draw_step(drawing, now, x, FLOOR - STEP * k, side, box)
    return top


def _draw_step(drawing, now, x, fork, side, box):
    """A box, its residual, and where the two are added and normed."""
    middle, plus = fork - 36, fork - 61
    drawing.line((x, fork + 24), (x, fork - STEP + 8), "ink", 2)
    belly = x + side * 118
    residual = f"M {x} {fork} C {belly} {fork}, {belly} {plus}, {x + side * 9} {plus}"
    drawing.add("path", d=residual, fill="none", stroke="output", stroke_width=3)
    _draw_box(drawing, now, x, middle, box, 26)
    for k, letter in enumerate("qkv"):
        if box in (READ, LOOK_BACK) or (box == HEAR and letter == "q"):
            role = {"q": "query", "k": "key", "v": "value"}[letter]
            place = x + (0 if box == HEAR else 20 * (k - 1))
            drawing.words(place, middle + 25, letter, size=13, colour=role, halo=True, bold=True)
    drawing.add("circle", cx=x, cy=plus, r=8, fill="paper", stroke="ink", stroke_width=1.4)
    drawing.words(x, plus + 5, "+", size=14)
    drawing.words(x - side * 13, plus + 4, "norm", size=13, colour="muted", anchor="end" if side > 0 else "start")
    if box == LOOK_BACK:
        _draw_mask(drawing, now, x - 88, middle - 12)


def _draw_box(drawing, now, x, y, box, height):
    chosen = BOXES[box] == now.opened
    look = {"stroke": "chosen" if chosen else "ink", "stroke_width": 2.5 if chosen else 1.3}
    frame = {"x": x - 58, "y": y - height / 2, "width": 116, "height": height, "rx": 6}
    drawing.add("rect", fill="paper", **look, **frame)
    drawing.words(x, y + 5, BOXES[box].split(": ")[-1], size=13, colour="chosen" if chosen else "ink")
    drawing.add("rect", fill="transparent", place=(now.places("box"), box), **frame)


def _draw_mask(drawing, now, x, y):
    """A small triangle beside the box that it belongs to; a full square where it is lifted."""
    for i in range(3):
        for j in range(3):
            fill = "ink" if j <= i else "paper" if now.causal else "wrong"
            drawing.box(x + 8 * j, y + 8 * i, 7, 7, fill=fill, stroke="muted", stroke_width=0.6)
    drawing.box(x - 3, y - 3, 29, 29, fill="transparent", place=(now.places("mask"),))


def _draw_memory(drawing, now, top):
    """Keys and values, from the top of the encoder to the middle of the decoder."""
    start, turn, end = ENCODER_X + 38, (ENCODER_X + DECODER_X) / 2 - 6, DECODER_X - 60
    y, floor = top - 38, FLOOR - STEP - 36
    for k, role in enumerate(("key", "value")):
        shift = 7 * k - 3
        path = f"M {start} {y - shift} H {turn + shift} V {floor + shift} H {end}"
        look = {} if now.memory else {"stroke_dasharray": "2 6", "stroke_opacity": 0.6}
        drawing.add("path", d=path, fill="none", stroke=role, stroke_width=2.2, **look)
        drawing.words(end - 12, floor + (-7 if k == 0 else 16), "kv"[k], size=13, colour=role, halo=True, bold=True)
    if not now.memory:
        drawing.words(turn, floor - 26, "✂", size=18, colour="wrong", halo=True)
    cut = {"x": turn - 14, "y": y - 12, "width": 28, "height": floor - y + 24}
    drawing.add("rect", fill="transparent", place=(now.places("memory"),), **cut)


# --- who hears whom --------------------------------------------------------------------------------------------------


def _map(now):
    words, rows, left, y, cell = _inputs(now), _rows(now), 102, 112, 22
    drawing = Drawing(left + (N + M) * cell + 8, y + (N + M) * cell + 24)
    drawing.words(0, 14, "Which output hears which token", size=14, anchor="start", font_weight=600)
    for k, line in enumerate(
        ("A column replaces one token by another.", "Filled: an output moves. Stronger: farther.")
    ):
        drawing.words(0, 33 + 17 * k, line, size=13, colour="muted", anchor="start")
    wrong = _later(now) & (now.moves > HEARD) & (now.kind != ENCODER)
    _draw_cells(drawing, now, left, y, cell, words, rows, wrong)
    box = BOXES.index(now.opened)
    written = slice(0, len(rows)) if now.kind == DECODER else slice(N, len(rows))
    source = slice(0, N)
    block = {READ: (source, source), LOOK_BACK: (written, written), HEAR: (written, source)}.get(box)
    if box in _boxes(now) and block:
        _outline(drawing, left, y, cell, *block)
    if box in _boxes(now) and box in (THINK, RETHINK):
        part = source if box == THINK else written
        for k in range(part.start, part.stop):
            _outline(drawing, left, y, cell, slice(k, k + 1), slice(k, k + 1))
    if now.kind != ENCODER:
        edge = left + N * cell
        drawing.line((edge, y - 52), (edge, y + len(rows) * cell + 4), "muted", 1)
    low = y + len(rows) * cell + 18
    names = ["source", "written"] if now.kind != ENCODER else ["source"]
    for k, name in enumerate(names):
        drawing.words(left + cell * (N / 2 + k * (N + M) / 2), low, name, size=13, colour="muted")
    heard = "; ".join(
        f"{row} hears {', '.join(words[j] for j in np.flatnonzero(line > HEARD)) or 'nothing'}"
        for row, line in zip(rows, now.moves)
    )
    return drawing.html(f"{heard}.")


def _draw_cells(drawing, now, left, top, cell, words, rows, wrong):
    for j, word in enumerate(words):
        x, y = left + cell * (j + 0.5) + 4, top - 8
        drawing.words(x, y, word, size=13, anchor="start", transform=f"rotate(-90 {x:.1f} {y:.1f})")
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


def _outline(drawing, left, top, cell, rows, columns):
    size = {"width": cell * (columns.stop - columns.start), "height": cell * (rows.stop - rows.start)}
    place = {"x": left + cell * columns.start, "y": top + cell * rows.start}
    drawing.add("rect", fill="none", stroke="chosen", stroke_width=2.5, rx=3, **place, **size)


# --- wrong wirings ---------------------------------------------------------------------------------------------------

_CAUSAL = causal_mask(M)
_WIRINGS = {  # what the decoder reads, its mask, and whether the cross-attention hears the encoder
    "as in 2017": {},
    "reads the target without shifting it": {"shifted": False},
    "no causal mask": {"mask": np.ones((M, M), bool)},
    "mask the wrong way round": {"mask": _CAUSAL.T},
    "memory is the decoder’s own input": {"own_memory": True},
}


def _probabilities(source, target, *, shifted=True, mask=_CAUSAL, own_memory=False):
    parameters = _drawn_at_random()
    reads = [WRITTEN[0], *target[:-1]] if shifted else target
    encoded = transformer.encode(source, parameters, num_heads=NUM_HEADS)
    memory = transformer.embed(reads, parameters["embedding"]) if own_memory else encoded
    return softmax(transformer.decode(reads, memory, parameters, num_heads=NUM_HEADS, mask=mask))


def _probe(how):
    usual, tokens = _probabilities(SOURCE, TARGET, **how), SOURCE + TARGET
    moves = np.empty((M, N + M))
    for j in range(N + M):
        changed = [*tokens[:j], OTHER, *tokens[j + 1 :]]
        moves[:, j] = np.abs(_probabilities(changed[:N], changed[N:], **how) - usual).max(axis=-1)
    return {"moves": moves}


def _answers(now):
    """How far each row moves with the token that it must give, and with those behind it."""
    return np.triu(now.moves[:, N:])


def _probe_in_words(now, i, j):
    part = f"“{SOURCE_WORDS[j]}” of the source" if j < N else f"“{TARGET_WORDS[j - N]}” of the target"
    return f"{part} is replaced: what row “{TARGET_WORDS[i]}” says moves by {now.moves[i, j]:.3f}"


def _probe_map(now, left, cell):
    top = 106
    drawing = Drawing(left + (N + M) * cell + 3, top + M * cell + 46)
    for k, line in enumerate(("A column replaces one token.", "A filled cell is an answer that moves.")):
        drawing.words(0, 14 + 17 * k, line, size=13, colour="muted", anchor="start")
    wrong = np.zeros_like(now.moves, dtype=bool)
    wrong[:, N:] = _answers(now) > HEARD
    rows = [f"must give {word}" for word in TARGET_WORDS]
    _draw_cells(drawing, now, left, top, cell, SOURCE_WORDS + TARGET_WORDS, rows, wrong)
    edge, low = left + N * cell, top + M * cell + 22
    drawing.line((edge, top - 56), (edge, low - 10), "muted", 1)
    for x, name in ((left + cell * N / 2, "source"), (edge + cell * M / 2, "target")):
        drawing.words(x, low, name, size=13, colour="muted")
    stairs = f"M {edge} {top} v {cell} {f'h {cell} v {cell} ' * (M - 1)}h {cell} V {top} Z"
    drawing.add("path", d=stairs, fill="none", stroke="wrong", stroke_width=2, stroke_dasharray="5 4")
    drawing.words(edge + cell * M / 2, low + 17, "must stay empty", size=13, colour="wrong")
    heard = "; ".join(
        f"{row}: {', '.join((SOURCE_WORDS + TARGET_WORDS)[j] for j in np.flatnonzero(line > HEARD)) or 'nothing'}"
        for row, line in zip(rows, now.moves)
    )
    return drawing.html(f"Which tokens move which row. {heard}.")
