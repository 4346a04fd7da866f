"""Read a model: what four published ones keep and hold, by their sizes, and five with a bug in them."""

import functools

import numpy as np

from helpers.explorers import verdicts
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
LOOKS = {"whole": "keys and values of all {tokens}", "window": "those of its newest tokens",
         "latent": "the short vectors of all {tokens}", "state": "a state that never grows"}  # fmt: skip


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
    title = "what each layer keeps, first to last; below it, all numbers of the model"
    picture.words(LEFT, 14, title, size=13, anchor="start", colour="muted")
    picture.words(LEFT + width + 10, 14, "cache", size=13, anchor="start", colour="muted")
    for i, name in enumerate(NAMES):
        floor, here, parts = TOP + ROW * i + TALL, name == now.model, now.parameters[i]
        picture.words(LEFT - 14, floor - 26, name, size=14, anchor="end", bold=True, colour="chosen" if here else "ink")
        picture.words(LEFT - 14, floor - 6, _number(parts.sum()), size=13, anchor="end", colour="muted")
        picture.words(LEFT + width + 10, floor - 2, _size(now.total[i]), size=15, anchor="start", font_weight=600)
        if now.tokens > configurations.most_tokens(name):
            most = f"{configurations.most_tokens(name):,} tokens"
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
            picture.box(x, floor - TALL, STEP, TALL, fill="transparent", place=(places, i, j))
        picture.line((LEFT, floor + 0.5), (LEFT + len(KINDS[name]) * STEP, floor + 0.5), "line", 1)
        x = LEFT
        for share, dark in zip(parts / parts.sum(), PARTS.values(), strict=True):
            picture.box(x, floor + 10, max(width * share - 1, 0.5), 9, fill="ink", fill_opacity=dark)
            x += width * share
    x, low = LEFT, TOP + ROW * len(NAMES) + 6
    for words, dark in PARTS.items():
        picture.box(x, low - 10, 11, 11, fill="ink", fill_opacity=dark, stroke="line")
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
    most = configurations.most_tokens(now.model)
    read = "tokens" if now.tokens <= most else f"{most:,} tokens that it can read"
    up_to = "" if now.tokens < most else f", up to {most:,} tokens"
    keeps = LOOKS[kinds[at - 1]].format(tokens=read)
    rests = f"; a token meets {_number(configurations.count_met(now.model))} of them" if now.parameters[i][-1] else ""
    return (
        f"{now.model}: {_kinds(now.model)}, {now.next_token[i]:,} bytes for one more token{up_to}, {_number(sum(now.parameters[i]))} "
        f"numbers{rests}. Layer {at}, {kinds[at - 1]}, keeps {keeps}: {_size(now.kept[i, at - 1])}."
    )


# --- the hunt --------------------------------------------------------------------------------------------------------

RULES, MISTAKES = list(model_specimens.RULES), list(model_specimens.MISTAKES)
NUMBERS = range(1, len(model_specimens.ORDER) + 1)


def explore_model_hunt():
    """Open any of five models at any of six rules, and say which bug it has; all verdicts are kept.

    Shown: gaps (5, 6), by how much each model breaks each rule; verdict_gaps (6,), the same for the mistake that is named, 0 while
    there is none; right (5,), the models whose bug is named
    """
    yours = verdicts.controls("model", NUMBERS, MISTAKES)
    return explorer(
        _examine,
        _draw_hunt,
        _describe,
        touch={
            "rules": Touch(
                lambda now, i, j: {"rule": i + 1, "number": j + 1},
                lambda now, i, j: f"model {j + 1}, rule {i + 1}: {_kept(now.gaps[j, i])}",
            ),
            "mistakes": Touch(
                lambda now, i: verdicts.name(now, MISTAKES[i]), lambda now, i: f"model {now.number} has this bug"
            ),
        },
        folded=["number", "rule", *yours],
        number=slider("model", 1, 1, NUMBERS[-1], 1),
        rule=slider("rule", 4, 1, len(RULES), 1),
        **yours,
    )


@functools.cache
def _gaps(mistake):
    parts = model_specimens.RIGHT if mistake == verdicts.NO_VERDICT else model_specimens.MISTAKES[mistake]
    return tuple(model_specimens.gaps(model_specimens.model_of(parts)).tolist())


def _examine(number, rule, **yours):
    return {
        "gaps": np.array([_gaps(model_specimens.mistake_of(k)) for k in NUMBERS]),
        "verdict_gaps": np.array(_gaps(yours[verdicts.of(number)])),
        "right": np.array([yours[verdicts.of(k)] == model_specimens.mistake_of(k) for k in NUMBERS]),
    }


def _kept(gap):
    return f"outputs move by {gap:.3f}" if gap else "kept"


def _draw_hunt(now):
    """Above, a line for each rule and a column for each model; below, the bugs, with the models on which they were blamed."""
    left, step, line = 452, 64, 27
    picture = Drawing(left + step * len(NUMBERS) + 12, 52 + line * (len(RULES) + len(MISTAKES) + 1))
    low = 50 + line * len(RULES)
    rules, mistakes = now.places("rules"), now.places("mistakes")
    picture.box(left + step * (now.number - 1), 4, step, low - 16, rx=5, fill="chosen", fill_opacity=0.12)
    picture.words(12, 22, "rule", size=13, anchor="start", colour="muted")
    for k in NUMBERS:
        picture.words(
            left + step * (k - 0.5), 22, f"model {k}", size=12, colour="chosen" if k == now.number else "muted"
        )
    for i, words in enumerate(RULES):
        y = 48 + line * i
        picture.words(12, y, f"{i + 1}  {words}", size=14, anchor="start", bold=i == now.rule - 1)
        for j, gap in enumerate(now.gaps[:, i]):
            at = left + step * (j + 0.5)
            picture.words(at, y, "✗" if gap else "✓", size=16, colour="wrong" if gap else "muted", bold=gap)
            picture.box(at - step / 2, y - 19, step, line, fill="transparent", place=(rules, i, j))
    picture.words(12, low + 12, "bug", size=13, anchor="start", colour="muted")
    for i, words in enumerate(MISTAKES):
        y, named = low + 12 + line * (i + 1), [k for k in NUMBERS if now[verdicts.of(k)] == MISTAKES[i]]
        here = now.number in named
        picture.words(12, y, f"{'abcdef'[i]}  {words}", size=14, anchor="start", bold=here)
        for k in named:
            right = bool(now.right[k - 1])
            mark, colour = ("✓", "ink") if right else ("✗", "wrong")
            picture.words(left + step * (k - 0.5), y, f"{k} {mark}", size=15, colour=colour, bold=True)
        picture.box(4, y - 19, left + step * len(NUMBERS), line, fill="transparent", place=(mistakes, i))
    broken = "; ".join(
        f"model {k} breaks {' and '.join(f'rule {i + 1}' for i in np.flatnonzero(row))}"
        for k, row in zip(NUMBERS, now.gaps)
    )
    return picture.html(f"{broken[0].upper()}{broken[1:]}.")


def _describe(now):
    gap = now.gaps[now.number - 1, now.rule - 1]
    return (
        f"Model {now.number}, rule {now.rule}, “{RULES[now.rule - 1]}”: {_kept(gap)}. "
        f"{verdicts.reply(now, RULES, 'Which bug does that?')} "
        f"Found so far: {now.right.sum()} of {len(now.right)}."
    )
