"""Read a model: what four published ones keep and hold, by their sizes, and five with a bug in them."""

import functools

import numpy as np

from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Touch
from helpers.models import configurations
from helpers.pictures.svg import Drawing
from helpers.sources import model_specimens

NAMES = configurations.names()
KINDS = {name: configurations.layer_kinds(name) for name in NAMES}
MOST = max(map(len, KINDS.values()))
PARTS = {"vocabulary": 0.9, "attention": 0.6, "feed-forward for one token": 0.35, "experts it skips": 0.16}  # how dark
LOOKS = {"whole": "keeps keys and values of all tokens", "window": "keeps those of its newest tokens",
         "latent": "keeps a short vector for each token", "state": "keeps a state that never grows"}  # fmt: skip


def explore_configurations():
    """Read a text with four published models, and see what each of their layers keeps of it.

    Shown: kept (4, 61) bytes, 0 where a model has no such layer; total (4,); next_token (4,), the bytes of one token more, if it
    can still be read;
    parameters (4, 4), by part
    """
    return explorer(
        _weigh,
        _skylines,
        _tell_model,
        touch={
            "layers": Touch(
                lambda now, i, j: {"model": NAMES[i], "layer": j + 1},
                lambda now, i, j: f"{NAMES[i]}, layer {j + 1}: {KINDS[NAMES[i]][j]}, keeps {_size(now.kept[i, j])}",
            )
        },
        folded=["layer"],
        tokens=stops("tokens of the text", [(f"{n:,}", n) for n in (128, 1024, 8192, 32_768, 131_072)], 131_072),
        model=choose("model", NAMES, "gpt-oss-120b"),
        layer=slider("layer", 2, 1, MOST, 1),
    )


def _weigh(tokens, model, layer):
    def kept(name, num_tokens):
        numbers = configurations.kept_numbers(name, num_tokens)
        return 2 * np.array(numbers, dtype=np.int64)  # bytes; in a browser they would have 32 bits

    def more(name):
        before = min(tokens, configurations.most_tokens(name) - 1)
        return (kept(name, before + 1) - kept(name, before)).sum()

    rows = [kept(name, tokens) for name in NAMES]
    return {
        "kept": np.array([np.pad(row, (0, MOST - len(row))) for row in rows]),
        "total": np.array([row.sum() for row in rows]),
        "next_token": np.array([more(name) for name in NAMES]),
        "parameters": np.array([configurations.count_parameters(name) for name in NAMES]),
    }


def _size(count):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"


LEFT, STEP, TALL, ROW, TOP = 186, 8, 58, 100, 34


def _skylines(now):
    """A row for each model, a bar for each layer, as tall as what it keeps; below it a bar of all its numbers, by part."""
    picture, places = Drawing(LEFT + MOST * STEP + 96, TOP + ROW * len(NAMES) + 14), now.places("layers")
    tallest, width = now.kept.max(), MOST * STEP
    picture.words(
        LEFT,
        14,
        "what each layer keeps, first to last; below it, all numbers of the model",
        size=13,
        anchor="start",
        colour="muted",
    )
    picture.words(LEFT + width + 10, 14, "cache", size=13, anchor="start", colour="muted")
    for i, name in enumerate(NAMES):
        floor, here, parts = TOP + ROW * i + TALL, name == now.model, now.parameters[i]
        picture.words(
            LEFT - 14, floor - 26, name, size=14, anchor="end", font_weight=700, colour="chosen" if here else "ink"
        )
        picture.words(LEFT - 14, floor - 6, _number(parts.sum()), size=13, anchor="end", colour="muted")
        picture.words(LEFT + width + 10, floor - 2, _size(now.total[i]), size=15, anchor="start", font_weight=600)
        if now.tokens > configurations.most_tokens(name):
            most = f"of {configurations.most_tokens(name):,} tokens"
            picture.words(LEFT + width + 10, floor + 16, most, size=12, anchor="start", colour="muted")
        for j, kind in enumerate(KINDS[name]):
            x, height = LEFT + j * STEP, max(2.0, TALL * now.kept[i, j] / tallest)
            box = {"x": x + 1, "width": STEP - 2}
            if kind in ("whole", "window"):  # a key and a value
                picture.add("rect", y=floor - height, height=height / 2, fill="value", **box)
                picture.add("rect", y=floor - height / 2, height=height / 2, fill="key", **box)
            else:
                picture.add("rect", y=floor - height, height=height, fill="ink", fill_opacity=0.7, **box)
            if here and j == min(now.layer, len(KINDS[name])) - 1:
                picture.add("path", d=f"M{x + 4},{floor - height - 3}l-5,-7h10z", fill="chosen")
            picture.add("rect", x=x, y=floor - TALL, width=STEP, height=TALL, fill="transparent", place=(places, i, j))
        picture.line((LEFT, floor + 0.5), (LEFT + len(KINDS[name]) * STEP, floor + 0.5), "line", 1)
        x = LEFT
        for share, dark in zip(parts / parts.sum(), PARTS.values(), strict=True):
            picture.add(
                "rect", x=x, y=floor + 10, width=max(width * share - 1, 0.5), height=9, fill="ink", fill_opacity=dark
            )
            x += width * share
    x, low = LEFT, TOP + ROW * len(NAMES) + 6
    for words, dark in PARTS.items():
        picture.add("rect", x=x, y=low - 10, width=11, height=11, fill="ink", fill_opacity=dark, stroke="line")
        picture.words(x + 16, low, words, size=12, anchor="start", colour="muted")
        x += 36 + 6.6 * len(words)
    told = "; ".join(
        f"{name}, {_kinds(name)}, {_reads(name, now.tokens)}keeps {_size(total)} and holds {_number(parts.sum())}"
        for name, total, parts in zip(NAMES, now.total, now.parameters, strict=True)
    )
    return picture.html(f"A text of {now.tokens:,} tokens. {told}.")


def _reads(name, tokens):
    most = configurations.most_tokens(name)
    return f"reads only {most:,} of them, " if tokens > most else ""


def _number(count):
    return f"{count / 1e9:.1f} billion" if count >= 1e9 else f"{count / 1e6:.1f} million"


def _kinds(name):
    kinds = KINDS[name]
    return " and ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)) + " layers"


def _tell_model(now):
    i = NAMES.index(now.model)
    at, kinds = min(now.layer, len(KINDS[now.model])), KINDS[now.model]
    rests = f"; a token meets {_number(configurations.count_met(now.model))} of them" if now.parameters[i][-1] else ""
    return (
        f"{now.model}: {_kinds(now.model)}, {now.next_token[i]:,} bytes for one more token, {_number(sum(now.parameters[i]))} "
        f"numbers{rests}. Layer {at}, {kinds[at - 1]}, {LOOKS[kinds[at - 1]]}: {_size(now.kept[i, at - 1])}."
    )


# --- the hunt --------------------------------------------------------------------------------------------------------

NO_VERDICT = "none yet"
RULES, MISTAKES = list(model_specimens.RULES), list(model_specimens.MISTAKES)
NUMBERS = range(1, len(model_specimens.ORDER) + 1)


def explore_model_hunt():
    """Open any of five models at any of six rules, and say which bug it has; all verdicts are kept.

    Shown: gaps (5, 6), by how much each model breaks each rule; verdict_gaps (6,), the same for the mistake that is named, 0 while
    there is none; right (5,), the models whose bug is named
    """
    verdicts = {_verdict(k): choose(f"your verdict on model {k}", [NO_VERDICT, *MISTAKES], NO_VERDICT) for k in NUMBERS}
    return explorer(
        _examine,
        _draw_hunt,
        _describe,
        touch={
            "rules": Touch(
                lambda now, i, j: {"rule": i + 1, "number": j + 1},
                lambda now, i, j: f"model {j + 1}, rule {i + 1}: {_kept(now.gaps[j, i])}",
            ),
            "mistakes": Touch(_name, lambda now, i: f"model {now.number} has this bug"),
        },
        folded=["number", "rule", *verdicts],
        number=slider("model", 1, 1, NUMBERS[-1], 1),
        rule=slider("rule", 4, 1, len(RULES), 1),
        **verdicts,
    )


def _verdict(number):
    return f"verdict_{number}"


def _name(now, i):
    """A click on a mistake names it; a second one takes that back."""
    return {_verdict(now.number): NO_VERDICT if now[_verdict(now.number)] == MISTAKES[i] else MISTAKES[i]}


@functools.cache
def _gaps(mistake):
    parts = model_specimens.RIGHT if mistake == NO_VERDICT else model_specimens.MISTAKES[mistake]
    return tuple(model_specimens.gaps(model_specimens.model_of(parts)).tolist())


def _examine(number, rule, **verdicts):
    return {
        "gaps": np.array([_gaps(model_specimens.mistake_of(k)) for k in NUMBERS]),
        "verdict_gaps": np.array(_gaps(verdicts[_verdict(number)])),
        "right": np.array([verdicts[_verdict(k)] == model_specimens.mistake_of(k) for k in NUMBERS]),
    }


def _kept(gap):
    return f"outputs move by {gap:.3f}" if gap else "kept"


def _draw_hunt(now):
    """Above, a line for each rule and a column for each model; below, the bugs, with the models on which they were blamed."""
    left, step, line = 452, 64, 27
    picture, low = (
        Drawing(left + step * len(NUMBERS) + 12, 52 + line * (len(RULES) + len(MISTAKES) + 1)),
        50 + line * len(RULES),
    )
    rules, mistakes = now.places("rules"), now.places("mistakes")
    picture.add(
        "rect",
        x=left + step * (now.number - 1),
        y=4,
        width=step,
        height=low - 16,
        rx=5,
        fill="chosen",
        fill_opacity=0.12,
    )
    picture.words(12, 22, "rule", size=13, anchor="start", colour="muted")
    for k in NUMBERS:
        picture.words(
            left + step * (k - 0.5), 22, f"model {k}", size=12, colour="chosen" if k == now.number else "muted"
        )
    for i, words in enumerate(RULES):
        y = 48 + line * i
        picture.words(
            12, y, f"{i + 1}  {words}", size=14, anchor="start", font_weight=700 if i == now.rule - 1 else None
        )
        for j, gap in enumerate(now.gaps[:, i]):
            at = left + step * (j + 0.5)
            picture.words(
                at,
                y,
                "✗" if gap else "✓",
                size=16,
                colour="wrong" if gap else "muted",
                font_weight=700 if gap else None,
            )
            picture.add(
                "rect", x=at - step / 2, y=y - 19, width=step, height=line, fill="transparent", place=(rules, i, j)
            )
    picture.words(12, low + 12, "bug", size=13, anchor="start", colour="muted")
    for i, words in enumerate(MISTAKES):
        y, named = low + 12 + line * (i + 1), [k for k in NUMBERS if now[_verdict(k)] == MISTAKES[i]]
        here = now.number in named
        picture.words(12, y, f"{'abcdef'[i]}  {words}", size=14, anchor="start", font_weight=700 if here else None)
        for k in named:
            right = bool(now.right[k - 1])
            look = {"colour": "ink" if right else "wrong", "font_weight": 700}
            picture.words(left + step * (k - 0.5), y, f"{k} {'✓' if right else '✗'}", size=15, **look)
        picture.add(
            "rect",
            x=4,
            y=y - 19,
            width=left + step * len(NUMBERS),
            height=line,
            fill="transparent",
            place=(mistakes, i),
        )
    broken = "; ".join(
        f"model {k} breaks {' and '.join(f'rule {i + 1}' for i in np.flatnonzero(row))}"
        for k, row in zip(NUMBERS, now.gaps)
    )
    return picture.html(f"{broken[0].upper()}{broken[1:]}.")


def _describe(now):
    gap = now.gaps[now.number - 1, now.rule - 1]
    return (
        f"Model {now.number}, rule {now.rule}, “{RULES[now.rule - 1]}”: {_kept(gap)}. {_reply(now)} "
        f"Found so far: {now.right.sum()} of {len(now.right)}."
    )


def _reply(now):
    verdict = now[_verdict(now.number)]
    if verdict == NO_VERDICT:
        return "Which bug does that?"
    if now.right[now.number - 1]:
        return f"Yes: {verdict}."
    expected, broken = now.verdict_gaps > 0, now.gaps[now.number - 1] > 0
    place = int(np.argmax(broken != expected))  # no two mistakes break the same rules
    if expected[place]:
        return f"Not that one: it would break “{RULES[place]}”, which is kept here."
    return f"Not that one: it would keep “{RULES[place]}”, which is broken here."
