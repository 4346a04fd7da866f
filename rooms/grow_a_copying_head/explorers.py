"""Heads that copy: two set by hand, eight that were trained, and how they grew."""

import functools

import numpy as np

from helpers import decoder
from helpers.attention import causal_mask, softmax
from helpers.learning import small_models
from rooms.shared import ribbons
from workbench import Chart, Drawing, Plane, SwitchGrid, Touch, add_map, choose, explorer, slider, stops, text_field
from workbench.pictures.html import by_width, in_two_widths

PERIOD, LAYERS, NUM_HEADS = 11, 2, small_models.NUM_HEADS
HEADS = {f"{layer}.{head}": (layer, head) for layer in range(LAYERS) for head in range(NUM_HEADS)}
CELL, WIDTH, PHONE = 34, 22 * 34 + 8, 340  # pixels
START = "•"
STEPS = {"across": (0, 800), "ticks": range(0, 801, 200), "size": (WIDTH, 430), "right": 84}
LOSS = Chart(**STEPS, up=(0, 4), up_ticks=range(5), title="loss", colours=["ink"], bottom=430 - 28 - 130)
COPIED = Chart(
    **STEPS, up=(0, 1), up_ticks=(0, 0.5, 1), title="copied, and the score of each head", x_title="steps done", top=222,
    lines=[*HEADS, "copied"], colours=["first"] * NUM_HEADS + ["second"] * NUM_HEADS + ["ink"], dashes=[None],
    widths=[1.6] * len(HEADS) + [3],
)  # fmt: skip


# --- two heads by hand -------------------------------------------------------------------------------------------------


def explore_two_heads():
    """Two heads set by hand: the first writes beside each letter the one before, the second finds its own there and copies.

    Shown: back (n, n), weights of the first head; scores and weights (n, n), of the second; output (n, 5), how much of
    each letter, start mark first, the second head brings
    """
    return explorer(
        _by_hand,
        _two_sentences,
        _say_two,
        touch={"letters": Touch(lambda now, k: {"place": k}, lambda now, k: "click: this letter asks")},
        folded=["place"],
        string=text_field("string of A, B, C, D", "ABCA"),
        strength=slider("points for a match", 2.0, 0.0, 6.0, 0.5),
        place=slider("letter that asks", 4, 1, 12, 1),
    )


def _by_hand(string, strength, place):
    letters = string.strip().upper()
    if not 2 <= len(letters) <= 12 or set(letters) - set("ABCD"):
        raise ValueError(f"string must be 2 to 12 of the letters A, B, C, D, got {string!r:.30}.")
    tokens = [START, *letters]
    X = np.eye(5)[[(START + "ABCD").index(token) for token in tokens]]
    back = np.eye(len(tokens), k=-1)
    back[0, 0] = 1.0  # the start mark has nothing before it
    moved = back @ X  # at each place, the letter before it
    scores = np.where(causal_mask(len(tokens)), strength * X @ moved.T, -np.inf)
    weights = softmax(scores, base=3)
    return {"back": back, "scores": scores, "weights": weights, "output": weights @ X}


def _place(now):
    return min(now.place, len(now.weights) - 1)


def _two_sentences(now):
    """Above the first head and the letter that it brings to each place; below the second, and what comes of it."""
    tokens = [START, *now.string.strip().upper()]
    end, step = 184 + 54 * len(tokens) - 10, min(54, (PHONE - 24) / len(tokens))
    wide, phone = Drawing(end + 140, 296), Drawing(PHONE, 356)
    first, second = "one head looks one back", "the other looks for"
    names = (wide, 4, 84, first), (wide, 4, 230, second), (wide, 4, 246, "its own letter")
    names += (phone, 0, 13, first), (phone, 0, 160, f"{second} its own letter")
    for drawing, left, line, words in names:
        drawing.words(left, line, words, size=13, colour="muted", anchor="start")
    return by_width(
        _heads_by_hand(now, tokens, wide, 184, 54, (0, 0), (end, 232)),
        _heads_by_hand(now, tokens, phone, 18, step, (18, 28), (18, 342)),
    )


def _heads_by_hand(now, tokens, drawing, left, step, lower, answer_at):
    """`lower` pixels further down stand the two heads, for their names above them."""
    asks, size, (first, second) = _place(now), 12 if step > 30 else 10, lower
    x = [left + step * k for k in range(len(tokens))]
    for start, row in enumerate(now.back):
        _arcs(drawing, x, start, row, 62 + first, faint=start != asks)
    _arcs(drawing, x, asks, now.weights[asks], 208 + second)
    for k, token in enumerate(tokens):
        letter = {"size": 20, "font_weight": 600}
        drawing.words(x[k], 86 + first, token, colour="query" if k == asks else "ink", **letter)
        drawing.words(x[k], 108 + first, tokens[max(k - 1, 0)], size=13, colour="key")
        drawing.words(x[k], 232 + second, token, colour="query" if k == asks else "value", **letter)
        drawing.words(x[k], 252 + second, tokens[max(k - 1, 0)], size=13, colour="key")
        drawing.words(x[k], 276 + second, f"{now.weights[asks, k]:.2f}", size=size, colour="muted")
        for y in (66 + first, 212 + second) if k else ():
            side = min(40, step)
            box = {"x": x[k] - side / 2, "y": y, "width": side, "height": 46}
            drawing.add("rect", fill="transparent", place=(now.places("letters"), k), **box)
    best = int(now.output[asks].argmax())
    answer = f"→ {(START + 'ABCD')[best]} {now.output[asks, best]:.2f}"
    drawing.words(*answer_at, answer, size=20, colour="output", anchor="start", font_weight=600)
    told = ", ".join(f"{token} {share:.3f}" for token, share in zip(tokens, now.weights[asks]))
    return drawing.html(f"{tokens[asks]} at position {asks} asks: {told}.")


def _arcs(drawing, x, asks, row, base, faint=False):
    """Ribbons above a line from the place that asks; faint ones say where the others look."""
    base -= 0 if faint else ribbons.FOOT
    ribbons.arches(
        drawing, x, row, asks, base, lambda apart: min(14 + 0.21 * apart, base - 20),
        keeps=not faint, opacity=0.12 if faint else ribbons.OPACITY,
    )  # fmt: skip
    if not faint:
        ribbons.foot(drawing, x[asks], base + ribbons.FOOT)


def _say_two(now):
    tokens, asks = [START, *now.string.strip().upper()], _place(now)
    letter, output = tokens[asks], now.output[asks]
    first, second = np.argsort(-output[1:], kind="stable")[:2] + 1
    if letter not in tokens[:asks]:
        return f"{letter} has not come before, so the second head finds no match, and averages over what there is."
    if now.strength == 0:
        return f"A match earns no points, so the second head finds none. It averages, and gets {output[first]:.2f} of {'•ABCD'[first]}."
    if np.isclose(output[first], output[second]):
        return f"The second head gets as much {'•ABCD'[first]} as {'•ABCD'[second]}: {output[first]:.2f} of each."
    return (
        f"The first head has written {letter} beside each letter that came after it. There the second one finds {letter}, and gets "
        f"{output[first]:.2f} of {'•ABCD'[first]}."
    )


# --- eight heads that were trained -------------------------------------------------------------------------------------


def explore_copying(parameters=None, *, off=()):
    """Give a trained model a string twice over: where each head looks, what comes next, and what is lost without a head.

    Parameters
    ----------
    parameters : of a model of symbols, as `small_models.train` makes them; None = the stored one
    off : pairs (layer, head), counted from 0, that are switched off at the start

    Shown: weights (2, 4, 22, 22), of all heads; scores (2, 4), how much each head copies; guesses (21,), the likeliest
    symbol of each place but the first; right (), the share of 200 such strings' second halves that comes out right
    """
    model = small_models.load_model("symbols") if parameters is None else parameters
    on = np.ones((LAYERS, NUM_HEADS), bool)
    for pair in off:
        on[pair] = False

    @functools.lru_cache(256)
    def share_right(heads):
        return small_models.share_copied(_without(model, heads), small_models.fresh_runs())

    def look(draw, head, place, on):
        heads = tuple(map(tuple, np.argwhere(~on).tolist()))
        tokens = small_models.fresh_runs(1, PERIOD, draw)[0]
        decoded = decoder.decode(tokens, _without(model, heads), num_heads=NUM_HEADS)
        weights = np.stack([each.weights for each in decoded.attention])
        return {
            "tokens": tokens, "weights": weights, "scores": decoder.induction_score(weights, PERIOD),
            "guesses": decoded.logits[:-1].argmax(axis=-1), "right": np.array(share_right(heads)),
        }  # fmt: skip

    return explorer(
        look,
        lambda now: [_symbols(now), _maps_of_heads(now)],
        _say_copying,
        touch={
            "string": Touch(lambda now, k: {"place": k}, lambda now, k: "click: this symbol asks"),
            "map": Touch(lambda now, i, j: {"head": (i, j)}, lambda now, i, j: f"click: ribbons of head {i}.{j}"),
            "switch": Touch(_turned, lambda now, i, j: f"click: switch head {i}.{j} {'off' if now.on[i, j] else 'on'}"),
        },
        presets={"copying heads off": {"on": _scores(model) < 0.3}},
        folded=["place", "head", "on"],
        draw=slider("another string", 3, 1, 30, 1),
        head=choose("ribbons of head", HEADS, (1, int(_scores(model)[1].argmax()))),
        place=slider("position that asks", 17, 0, 2 * PERIOD - 1, 1),
        on=SwitchGrid("on", on, rows=["layer 0", "layer 1"], columns=["0", "1", "2", "3"]),
    )  # fmt: skip


def _without(model, heads):
    return decoder.without_heads(model, heads, num_heads=NUM_HEADS) if heads else model


def _scores(model):
    """How much each head of a model copies, over many strings."""
    attention = decoder.decode(small_models.fresh_runs(40), model, num_heads=NUM_HEADS).attention
    return np.stack([decoder.induction_score(np.asarray(each.weights).mean(axis=0), PERIOD) for each in attention])


def _turned(now, i, j):
    on = now.on.copy()
    on[i, j] = not on[i, j]
    return {"on": on}


@in_two_widths((CELL,), (15,))
def _symbols(now, cell):
    """The string, arcs of one head from the symbol that asks, and below each symbol what the model had guessed."""
    asks, base, wide = now.place, 128, cell == CELL
    drawing = Drawing(2 * PERIOD * cell + 8, base + (68 if wide else 84))
    x = [4 + cell * (k + 0.5) for k in range(2 * PERIOD)]
    row = now.weights[(*now.head, asks)]
    if now.on[now.head]:
        _arcs(drawing, x, asks, row, base)
    came = (asks - PERIOD, asks - PERIOD + 1) if asks >= PERIOD else ()
    drawing.words(x[PERIOD] - cell / 2 - 8, base + 52, "the model's guess:", size=12, colour="muted", anchor="end")
    for k, token in enumerate(now.tokens):
        weight = row[k] if now.on[now.head] and k != asks else 0.0
        gap = 2 if wide else 0.5
        box = {"x": x[k] - cell / 2 + gap, "y": base + 2, "width": cell - 2 * gap, "height": 30, "rx": 4}
        drawing.add("rect", fill="ink", fill_opacity=ribbons.shade(weight), **box)
        look = {"colour": "query" if k == asks else "ink", "font_weight": 700 if k == asks else None}
        if k in came:  # the same symbol before, and what came after it
            drawing.add("rect", fill="none", stroke="query" if k == came[0] else "key", stroke_dasharray="3 3", **box)
            look["font_weight"] = 700  # its colours would be hard to read on the shade
        drawing.words(x[k], base + 23, small_models.SYMBOLS[token], size=18 if wide else 15, **look)
        if k >= PERIOD:
            guess = now.guesses[k - 1]
            right = guess == token
            words, how = small_models.SYMBOLS[guess], {"size": 14, "colour": "muted" if right else "wrong"}
            drawing.words(x[k], base + 52, words if right or not wide else f"{words} ✗", **how)
            if not (right or wide):
                drawing.words(x[k], base + 70, "✗", **how)
        drawing.add("rect", fill="transparent", place=(now.places("string"), k), **box)
    drawing.line((x[PERIOD] - cell / 2, base), (x[PERIOD] - cell / 2, base + 58), "muted", 1.5)
    both = now.tokens, now.guesses[PERIOD - 1 :]
    text, guessed = ("".join(small_models.SYMBOLS[k] for k in tokens) for tokens in both)
    return drawing.html(f"The string: {text}. Guessed of its second half: {guessed}.")


@in_two_widths((5, 26, 66, 0), (3, 17, 2, 18))
def _maps_of_heads(now, cell, gap, beside, above):
    """All heads as maps, how much each copies, and a switch for each.

    `cell` pixels for a number; the layers' names stand beside their heads, or so many pixels above them.
    """
    size = 2 * PERIOD * cell
    drawing = Drawing(beside + NUM_HEADS * (size + gap), LAYERS * (size + 52 + above))
    for i, j in np.ndindex(LAYERS, NUM_HEADS):
        x, y, on = beside + j * (size + gap), 4 + above + i * (size + 52 + above), now.on[i, j]
        if j == 0:
            name = f"layer {i} (↓ asks, → is asked); how much each copies" if above else f"layer {i}"
            drawing.words(2 if above else 4, y - 7 if above else y + 46, name, size=12, colour="muted", anchor="start")
            for down, (words, colour) in enumerate([] if above else [("↓ asks", "query"), ("→ asked", "key")]):
                drawing.words(4, y + 66 + 16 * down, words, size=12, colour=colour, anchor="start")
        box = {"x": x, "y": y, "width": size, "height": size}
        add_map(drawing, now.weights[i, j] if on else 0 * now.weights[i, j], x, y, limit=1.0, cell=cell)
        chosen = now.head == (i, j)
        drawing.add("rect", fill="none", stroke="chosen" if chosen else "line", stroke_width=2 if chosen else 1, **box)
        if not on:
            drawing.words(x + size / 2, y + size / 2 + 12, "✗", size=40 if size > 100 else 30, colour="wrong")
        drawing.add("rect", fill="transparent", place=(now.places("map"), i, j), **box)
        words = f"{i}.{j}  {'' if above else 'copies '}{now.scores[i, j]:.2f}" if on else f"{i}.{j}  off"
        drawing.words(x, y + size + 17, words, size=12, colour="ink" if on else "wrong", anchor="start")
        drawing.words(x, y + size + 34, "switch off" if on else "switch on", size=12, colour="chosen", anchor="start")
        switch = {"x": x - 2, "y": y + size + 22, "width": 66, "height": 17}
        drawing.add("rect", fill="transparent", place=(now.places("switch"), i, j), **switch)
    heads = np.ndindex(LAYERS, NUM_HEADS)
    told = ", ".join(f"{i}.{j} {f'{now.scores[i, j]:.2f}' if now.on[i, j] else 'off'}" for i, j in heads)
    return drawing.html(f"How much each head copies: {told}.")


def _say_copying(now):
    off = [f"{i}.{j}" for i, j in np.argwhere(~now.on)]
    asks, head = now.place, f"{now.head[0]}.{now.head[1]}"
    row = now.weights[(*now.head, asks)]
    seen = int(row.argmax())
    lost = f"Without {', '.join(off)}" if off else "With all heads"
    looks = (
        f"Head {head} is switched off."
        if not now.on[now.head]
        else f"From {small_models.SYMBOLS[now.tokens[asks]]} at position {asks}, head {head} looks most at "
        f"{small_models.SYMBOLS[now.tokens[seen]]} at position {seen}: {row[seen]:.0%}."
    )
    return f"{looks} {lost}, the model copies {float(now.right):.0%} of 200 strings."


# --- where copying stops -----------------------------------------------------------------------------------------------

SHORTER, LONGEST, SIDE = (11, 14), 20, 26  # symbols in a round; of the alphabet; pixels


def explore_where_it_stops(parameters=None):
    """Give a model longer rounds: which of their symbols it copies, above how much layer 0 looks one back from each.

    Parameters
    ----------
    parameters : of a model of symbols, as `small_models.train` makes them; None = the stored one

    Shown: right (15 to 20,), the share of 200 strings in which each symbol of the longest round is copied; right_11 (11,), right_14
    (14,), of two shorter rounds; back (20,), the weight that each position of the first round gives to the one before it, the mean
    over layer 0
    """
    model = small_models.load_model("symbols") if parameters is None else parameters
    tried = functools.cache(lambda period: _right_by_position(model, period))

    def look(period):
        shorter = {f"right_{length}": tried(length)[0].copy() for length in SHORTER}
        return {**shorter, "right": tried(period)[0].copy(), "back": tried(LONGEST)[1].copy()}

    return explorer(
        look,
        lambda now: [by_width(_strips(now, 780, 150, SIDE), _strips(now, PHONE, 0, 17))],
        _say_where,
        period=slider("symbols in the longest round", LONGEST, 15, LONGEST, 1),
    )


def _right_by_position(model, period):
    strings = small_models.fresh_runs(period=period)
    decoded = decoder.decode(strings, model, num_heads=NUM_HEADS)
    right = decoded.logits.argmax(axis=-1)[:, period - 1 : -1] == strings[:, period:]
    one_back = np.diagonal(decoded.attention[0].weights.mean(axis=(0, 1)), -1)
    return right.mean(axis=0), np.r_[0.0, one_back[: period - 1]]


def _strips(now, width, left, side):
    """Three strips, a cell for each symbol of a round, as dark as it is copied; below them how layer 0 looks one back."""
    phone, apart = left == 0, 46 if left else 64
    drawing = Drawing(width, 3 * apart + 134)
    strips = [(len(row), row) for row in (now.right_11, now.right_14, now.right)]
    for k, (length, row) in enumerate(strips):
        y = 14 + apart * k + 18 * phone
        x, line, anchor = (width, y - 6, "end") if phone else (left + LONGEST * side + 12, y + 18, "start")
        drawing.words(0, line, f"{length} symbols, twice", size=13, anchor="start")
        drawing.words(x, line, f"{row.mean():.0%} copied", size=13, colour="muted", anchor=anchor)
        for j, share in enumerate(row):
            box = {"x": left + side * j + 1, "y": y, "width": side - 2, "height": 26, "rx": 3}
            drawing.add("rect", fill="ink", fill_opacity=0.85 * share, stroke="line", **box)
    base = 3 * apart + 96
    drawing.line((left, base), (left + LONGEST * side, base), "line", 1)
    words = ("layer 0 looks", "one back from here")
    for k, each in enumerate([" ".join(words)] if phone else words):
        drawing.words(0, base - 70 if phone else base - 24 + 17 * k, each, size=13, anchor="start", colour="query")
    for j, weight in enumerate(now.back):
        drawing.box(left + side * j + 3, base - 90 * weight, side - 6, max(90 * weight, 0.5), fill="query")
    for j in range(0, LONGEST, 4):
        drawing.words(left + side * (j + 0.5), base + 17, f"{j}", size=12, colour="muted")
    drawing.words(left + LONGEST * side, base + 33, "position in the round", size=12, colour="muted", anchor="end")
    copied = "; ".join(f"{length} symbols {_copied(row)}" for length, row in strips)
    back = " ".join(f"{weight:.1f}" for weight in now.back[1:])
    told = f"Copied in most strings, of rounds of {copied}. From position 1 on, layer 0 looks one back with {back}."
    return drawing.html(told)


def _copied(row):
    """The positions that are copied in more than half of all strings, in words; they lie side by side."""
    found = np.flatnonzero(row > 0.5)
    return f"positions {found[0]} to {found[-1]}" if len(found) else "none"


def _say_where(now):
    share, where = now.right.mean(), _copied(now.right)
    return f"Of rounds of {now.period} symbols, {share:.0%} are copied. In most of 200 strings these are {where}."


# --- how they grew -----------------------------------------------------------------------------------------------------


def explore_growing_heads():
    """Look back through the training: the loss, how much is copied, and a score of every head.

    Shown: losses (800,), smoothed over 10 steps; copied (41,), the share that comes out right; scores (41, 2, 4), of all
    heads on the way; steps (41,)
    """
    story = small_models.load_trainings()
    steps = story["symbol_steps"].tolist()

    def nearest(now, x, y):
        return {"step": min(steps, key=lambda step: abs(step - x))}

    return explorer(
        functools.partial(_look_back, story),
        _curves,
        _say_growing,
        planes={
            name: Plane(chart.axes, nearest, "drag the step") for name, chart in (("loss", LOSS), ("copied", COPIED))
        },
        folded=["step"],
        score=choose("score", {"copies (induction)": "induction", "looks one back": "previous"}, "induction"),
        step=stops("steps done", [(str(step), step) for step in steps], 160),
    )


def _look_back(story, score, step):
    losses = story["symbol_losses"].astype(float)
    k = story["symbol_steps"].tolist().index(step)
    smooth = np.convolve(np.pad(losses, (5, 4), "edge"), np.ones(10) / 10, "valid")
    shown = {"losses": smooth, "scores": story[score].astype(float), "steps": story["symbol_steps"]}
    return shown | {"copied": story["accuracy"].astype(float), "k": np.array(k)}


def _curves(now):
    """Two charts over the same steps: the loss, and the share copied with a line for every head."""
    both, last = LOSS.sheets(), len(now.losses) - 1
    LOSS.draw(range(0, last + 1, 2), now.losses[::2], chosen=now.step, onto=both)
    scores = np.vstack([now.scores.reshape(len(now.steps), -1).T, now.copied])
    text = f"Loss after {now.step} steps: {now.losses[min(now.step, last)]:.2f}."
    return COPIED.draw(now.steps, scores, chosen=now.step, text=text, onto=both)


def _say_growing(now):
    scores = now.scores[int(now.k)]
    i, j = np.unravel_index(scores.argmax(), scores.shape)
    loss = now.losses[min(now.step, len(now.losses) - 1)]
    kind = "copies" if now.score == "induction" else "looks one back"
    return (
        f"After {now.step} steps the loss is {loss:.2f}, and the model copies {now.copied[int(now.k)]:.0%}. "
        f"Head {i}.{j} {kind} most: {scores[i, j]:.2f}."
    )
