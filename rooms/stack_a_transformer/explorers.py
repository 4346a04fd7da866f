"""The encoder and the decoder of 2017 in boxes: a sentence goes up as rows of numbers, and every output that moves with a token is marked."""

import numpy as np

from rooms.stack_a_transformer import towers
from rooms.stack_a_transformer.towers import (
    BEGIN,
    BOTH,
    BOXES,
    D_MODEL,
    DECODER,
    ENCODER,
    HEAR,
    HEARD,
    KINDS,
    LOOK_BACK,
    PLACE,
    READ,
    RETHINK,
    SOURCE_WORDS,
    SPEAK,
    THINK,
    VOCABULARY,
    WRITTEN_WORDS,
    M,
    N,
)
from rooms.stack_a_transformer.wrong_decoder import explore_wrong_decoder  # noqa: F401
from workbench.moving.controls import choose, stops, switch
from workbench.moving.engine import Rule, explorer
from workbench.moving.touch import Touch
from workbench.pictures.maps import add_map
from workbench.pictures.svg import Drawing

ROWS, HEARING = VIEWS = ["the rows", "who hears whom"]


def explore_architecture():
    """Take a sentence up through encoder and decoder, box by box; take one of the two away; see which output hears which token.

    Shown: rows (2, num_tokens, d_model), what leaves the open box in each layer, or the embeddings without positions and with
    them; at the top (1, num_tokens, vocabulary), probabilities. moves (num_outputs, num_tokens), how far each output moves when
    each token is replaced by another one: the tokens are those of the source, and then those that are written
    """
    return explorer(
        _change_each_token,
        lambda now: [(_towers(now), _draw_rows(now) if now.beside == ROWS else _map(now))],
        _say_what_the_box_does,
        [
            Rule("nothing that is written hears what comes later", _hears_later, "what comes later moves a row by {:.3f}"),
            Rule("what is written hears the whole source", _hears_the_source),
        ],
        touch={
            "box": Touch(lambda now, k: {"opened": BOXES[k]}, lambda now, k: f"click: {BOXES[k]}"),
            "memory": Touch(lambda now: {"memory": not now.memory}, lambda now: "click: cut or mend the way from the memory"),
            "mask": Touch(lambda now: {"causal": not now.causal}, lambda now: "click: lift or set the causal mask"),
        },
        sums={"moves": _move_in_words, "rows": _row_in_words},
        folded=["opened", "memory", "causal"],
        kind=choose("parts", KINDS, BOTH),
        beside=choose("beside them", VIEWS, ROWS),
        opened=stops("box", [(name, name) for name in BOXES], BOXES[PLACE]),
        memory=switch("the decoder asks the memory", True),
        causal=switch("causal mask", True),
    )  # fmt: skip


# --- what is computed ------------------------------------------------------------------------------------------------


def _change_each_token(kind, beside, opened, memory, causal):
    rows = towers.rows_of(kind, towers.nearest(kind, opened), memory, causal)
    return {"moves": towers.moves_of(kind, memory, causal).copy(), "rows": rows.copy()}


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
    return now.moves[N:, :N].min() > HEARD, "another source gives the same output"


# --- in words --------------------------------------------------------------------------------------------------------


def _inputs(now):
    return SOURCE_WORDS if now.kind == ENCODER else SOURCE_WORDS + WRITTEN_WORDS


def _written(now):
    """What the decoder reads; alone, it reads the source first."""
    return SOURCE_WORDS + WRITTEN_WORDS if now.kind == DECODER else WRITTEN_WORDS


def _following(now):
    """What the top should give, one word for each row."""
    return [*_written(now)[1:], "."]


def _row_names(now):
    written = [f"{word} → {following}" for word, following in zip(_written(now), _following(now))]
    return {BOTH: SOURCE_WORDS + written, ENCODER: SOURCE_WORDS, DECODER: written}[now.kind]


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
    return f"{_passes(now)} {_changed(now)}".strip() if now.beside == ROWS else f"{told} {_opened(now)}".strip()


def _changed(now):
    """What is not as in 2017."""
    alone = {ENCODER: "An encoder alone, like BERT.", DECODER: "A decoder alone, like GPT."}.get(now.kind, "")
    cut = "" if now.memory or now.kind != BOTH else "The memory is cut off."
    lifted = "" if now.causal or now.kind == ENCODER else "No mask hides what comes later."
    return " ".join(filter(None, (alone, cut, lifted)))


def _passes(now):
    """What happens to the rows in the open box, and what shape they have."""
    box, (_, n, width) = _box(now), now.rows.shape
    if box == SPEAK:
        return _guesses(now)
    shape = f"({n},\u00a0{width})"
    hears = f"asks the {N} rows of the memory, and what it hears is added" if now.memory else "asks, and hears nothing"
    before = "itself and those before it" if now.causal else f"all {n}"
    picks = f"{n} tokens are {n} numbers, ({n},). Each picks its row of {width} from a table, the embedding, and waves are added"
    alone = f"each of {n} rows on its own goes through a network, and the result is added"
    return {
        PLACE: f"{picks}: {shape}.",
        BEGIN: f"{picks}: {shape}.",
        READ: f"Self-attention: each of {n} rows asks all {n}, and what it hears is added: {shape} again.",
        THINK: f"Feed-forward: {alone}: {shape}. What leaves layer 2 is the memory.",
        LOOK_BACK: f"Self-attention: each of {n} rows asks {before}, and what it hears is added: {shape}.",
        HEAR: f"Cross-attention: each of {n} rows {hears}: {shape}.",
        RETHINK: f"Feed-forward: {alone}: {shape}.",
    }[box]


def _guesses(now):
    n, width = now.rows[0].shape
    right = now.rows[0][np.arange(n), [VOCABULARY.index(word) for word in _following(now)]]
    return (
        f"Each of {n} rows gets a logit for every one of {width} tokens, ({n}, {width}), and softmax makes probabilities. "
        f"With random weights the token that comes next gets {right.mean():.2f} on average; a guess gets {1 / width:.2f}."
    )


def _row_in_words(now, layer, i, j):
    box, word = _box(now), _words(now)[i]
    if box == SPEAK:
        return f"after “{word}” comes “{VOCABULARY[j]}”: {now.rows[layer, i, j]:.3f}"
    return f"“{word}”, feature {j}: {now.rows[layer, i, j]:.3f}"


def _words(now):
    """The words whose rows leave the open box."""
    return SOURCE_WORDS if _box(now) in (PLACE, READ, THINK) else _written(now)


def _opened(now):
    box, n = _box(now), len(now.moves)
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
    }.get(box, "Embedding and positions: each token on its own.")


def _box(now):
    return towers.nearest(now.kind, now.opened)


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
        words = _written(now)
        top = _draw_tower(drawing, now, x, 1, "decoder × 2", words, steps)
        _draw_box(drawing, now, x, top - 18, SPEAK, 26)
        drawing.line((x, top + 4), (x, top - 5), "ink", 2)
        drawing.words(x - 64, top - 13, f"({len(words)}, {len(VOCABULARY)})", size=13, colour="muted", anchor="end")
        drawing.words(x, top - 41, " ".join(_following(now)), size=13, colour="output", font_weight=600)
        drawing.words(x, top - 57, "what should come next", size=13, colour="muted")
    return drawing.html(f"Boxes of {now.kind}, from the bottom.")


def _draw_tower(drawing, now, x, side, name, words, steps):
    """One stack, upwards; returns where its frame ends."""
    drawing.words(x, FLOOR + 78, " ".join(words), size=13, font_weight=600)
    _draw_box(drawing, now, x, FLOOR + 36, BEGIN if side > 0 else PLACE, 24, width=158)
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


def _draw_box(drawing, now, x, y, box, height, width=116):
    chosen = box == _box(now)
    look = {"stroke": "chosen" if chosen else "ink", "stroke_width": 2.5 if chosen else 1.3}
    frame = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": 6}
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


# --- the rows --------------------------------------------------------------------------------------------------------


LEFT, ROW = 66, 15


def _draw_rows(now):
    """What leaves the open box as rows of cells, the second layer above the first, as in the tower."""
    drawing, box = Drawing(LEFT + D_MODEL * ROW + 4, 374 if now.kind == DECODER else 262), _box(now)
    drawing.words(0, 14, "What leaves the box", size=14, anchor="start", font_weight=600)
    said = "A row: what may come next." if box == SPEAK else "A row of numbers for each token."
    drawing.words(0, 33, said, size=13, colour="muted", anchor="start")
    if box == SPEAK:
        _draw_guesses(drawing, now)
    else:
        y, limit = 58, np.abs(now.rows).max()
        names = ["embedding", "with positions"] if box in (PLACE, BEGIN) else ["layer 1", "layer 2"]
        for layer in reversed(range(len(names))):
            drawing.words(LEFT, y + 4, names[layer], size=13, colour="muted", anchor="start")
            _draw_layer(drawing, now, layer, y + 11, (ROW, ROW), kind="scores", limit=limit)
            y += 35 + ROW * len(_words(now))
    return drawing.html(f"{BOXES[box]}: a row for each of {', '.join(_words(now))}.")


def _draw_guesses(drawing, now):
    """Probabilities, the right ones framed."""
    top, wide, high, following = 112, 24, 22, _following(now)
    towers.draw_columns(drawing, VOCABULARY, LEFT, top, wide)
    _draw_layer(drawing, now, 0, top, (wide, high), kind="weights", limit=1.0)
    for i, word in enumerate(following):
        x, y = LEFT + wide * VOCABULARY.index(word), top + high * i
        drawing.box(x, y, wide, high, fill="none", stroke="output", stroke_width=2, rx=3)
    low = top + high * len(following) + 20
    drawing.words(LEFT, low, "framed: what comes next", size=13, colour="output", anchor="start")


def _draw_layer(drawing, now, layer, top, cell, **how):
    values, (wide, high) = now.rows[layer], cell
    add_map(drawing, values, LEFT, top, cell=cell, **how)
    for i, word in enumerate(_words(now)):
        y = top + high * i
        drawing.words(LEFT - 6, y + high / 2 + 5, word, size=13, anchor="end")
        for j in range(values.shape[1]):
            drawing.box(LEFT + wide * j, y, wide, high, fill="transparent", place=(now.places("rows"), layer, i, j))


# --- who hears whom --------------------------------------------------------------------------------------------------


def _map(now):
    words, rows, left, y, cell = _inputs(now), _row_names(now), 102, 112, 22
    drawing = Drawing(left + (N + M) * cell + 8, y + (N + M) * cell + 24)
    drawing.words(0, 14, "Which output hears which token", size=14, anchor="start", font_weight=600)
    for k, line in enumerate(
        ("A column replaces one token by another.", "Filled: an output moves. Stronger: farther.")
    ):
        drawing.words(0, 33 + 17 * k, line, size=13, colour="muted", anchor="start")
    wrong = _later(now) & (now.moves > HEARD) & (now.kind != ENCODER)
    towers.draw_cells(drawing, now, left, y, cell, words, rows, wrong)
    box = _box(now)
    written = slice(0, len(rows)) if now.kind == DECODER else slice(N, len(rows))
    source = slice(0, N)
    block = {READ: (source, source), LOOK_BACK: (written, written), HEAR: (written, source)}.get(box)
    if block:
        _outline(drawing, left, y, cell, *block)
    if box in (THINK, RETHINK):
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


def _outline(drawing, left, top, cell, rows, columns):
    size = {"width": cell * (columns.stop - columns.start), "height": cell * (rows.stop - rows.start)}
    place = {"x": left + cell * columns.start, "y": top + cell * rows.start}
    drawing.add("rect", fill="none", stroke="chosen", stroke_width=2.5, rx=3, **place, **size)
