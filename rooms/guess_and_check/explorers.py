"""Texts that are written by guessing and checking: what was guessed, and what became of it."""

import html
import itertools

import numpy as np

from rooms.guess_and_check.passes import SHOWN, passes
from rooms.shared import served
from workbench import Drawing, Html, Rule, Touch, by_width, choose, css, explorer, slider, stops

MEANINGS = {
    "high": "guessed, and right",
    "muted": "the model's own",
    "wrong": "thrown away",
    "chosen": "copied from here",
    "ink": "the prompt",
}
WRITTEN = "margin:2px 8px 12px;max-width:720px;font-size:15px;line-height:1.6;overflow-wrap:anywhere;"


def explore_guesses():
    """Let a language model write three texts of 80 tokens, each pass of it with some guesses, and see what becomes of them.

    Shown: passes (3,), how many there are, guessed and kept (3,), how many guesses are made in all, and how many of them stay
    """
    made = explorer(
        _write_all,
        _strips,
        _tell_pass,
        [Rule("every text is the one that the model writes alone", _other_tokens, "{:.0f} tokens are others")],
        touch={"pass": Touch(lambda now, row, k: {"text": row, "number": k}, lambda now, row, k: f"pass {k} of {SHOWN[row]}")},
        k=stops("tokens guessed at once", [(str(k), k) for k in (0, 1, 3, 7, 15)], 7),
        text=choose("look into", [(name, row) for row, name in enumerate(SHOWN)], 0),
        number=slider("pass", 6, 0, 79, 1),
    )  # fmt: skip
    # what the questions of the page ask for: one text in each way, and the passes of a text that are clicked
    made.worth_seeing = [
        {"k": None},
        *({"text": [row], "number": list(range(count))} for row, count in ((1, 28), (0, 13))),
    ]
    return made


def _write_all(k, text, number):
    found = [passes(name, k) for name in SHOWN]
    guesses = [sum(len(each.draft) for each in one) for one in found]
    kept = [sum(each.right for each in one) for one in found]
    return {"passes": np.array([len(one) for one in found]), "guessed": np.array(guesses), "kept": np.array(kept)}


def _other_tokens(now):
    written = ([token for each in passes(name, now.k) for token in each.kept] for name in SHOWN)
    alone = (each.ids[each.begin :] for each in map(served.load, SHOWN))
    return float(sum(one != other for one, other in zip(written, alone)))


def _looked_into(now):
    """The pass that is looked into, the last one where there are not so many: (its number, Pass)."""
    found = passes(SHOWN[now.text], now.k)
    number = min(now.number, len(found) - 1)
    return number, found[number]


def _strips(now):
    """What the colours say, a bar for each text, and the words below that of the one that is looked into."""
    bars = [by_width(*(_bar(now, at, *size) for size in ((736, 80), (340, 40)))) for at in range(len(SHOWN))]
    bars.insert(now.text + 1, _text(now))
    return [by_width(_legend(736), _legend(340)), *bars]


def _bar(now, at, width, across):
    """One text in lines of `across` tokens, its passes apart; what was thrown away falls below."""
    name, unit, left, row, deep, columns = SHOWN[at], (width - 20) / across, 8, 22, 28, 3 if now.k > 7 else 2
    found, count = passes(name, now.k), len(served.load(name).says)
    picture = Drawing(width, 35 + count // across * (row + deep))
    picture.words(left, 20, f"{name}: {count / len(found):.1f} tokens a pass", size=15, anchor="start", bold=True)
    chosen, _ = _looked_into(now)
    red = []
    for k, each in enumerate(found):
        spots = [divmod(each.begin + i, across) for i in range(len(each.kept))]
        corners = [(left + column * unit, 35 + line * (row + deep)) for line, column in spots]
        part = {"place": (now.places("pass"), at, k)}
        if right := [(x, y, unit - 0.5, row) for x, y in corners[: each.right]]:
            picture.add("path", d=_boxes(right), fill="high", **part)
        x, y = corners[-1]
        if each.right < len(corners):
            picture.box(x, y, unit - 2, row, fill="muted", **part)
        if at == now.text and k == chosen:
            picture.add("path", d=_boxes([(x, y - 5, unit - 1, 3) for x, y in corners]), fill="chosen")
        thrown = len(each.draft) - each.right
        red += [
            (x + i % columns * unit * 0.96 / columns, y + row + 3 + 5 * (i // columns), unit * 0.8 / columns, 4)
            for i in range(thrown)
        ]
    if red:
        picture.add("path", d=_boxes(red), fill="wrong")
    told = " ".join(str(len(each.kept)) for each in found)
    return picture.html(f"What each pass writes of {name}: {told} tokens.")


def _text(now):
    """The prompt and the text that is looked into, in the colours of its bar; what its chosen pass threw away is struck out before the
    token that is there instead, and the place where its guess was copied from has a dotted line."""
    text, (_, looked) = served.load(SHOWN[now.text]), _looked_into(now)
    looks = ["ink"] * text.begin  # the prompt, in italics
    for each in passes(SHOWN[now.text], now.k):
        looks += ["high"] * each.right + ["muted"] * (len(each.kept) - each.right)
    first, end = text.begin + looked.begin, text.begin + looked.begin + len(looked.kept)
    copied = range(looked.source, looked.source + len(looked.draft)) if looked.draft else ()
    lines = ["solid" if first <= k < end else "dotted" if k in copied else "" for k in range(len(looks))]
    cuts = [k for k in range(1, len(looks)) if (looks[k], lines[k]) != (looks[k - 1], lines[k - 1])]
    parts = [_worn(text.ids[k:stop], looks[k], lines[k]) for k, stop in itertools.pairwise([0, *cuts, len(looks)])]
    if thrown := looked.draft[looked.right :]:
        before = sum(cut < first + looked.right for cut in [0, *cuts])
        parts.insert(before, f'<s style="color:{css("wrong")};">{_shown(thrown)}</s>')
    return Html(f'<p style="{WRITTEN}">{"".join(parts)} …</p>', _quoted(text.ids[text.begin :]))


def _worn(tokens, colour, line):
    under = f"border-bottom:3px {line} {css('chosen')};" if line else ""
    slant = "font-style:italic;" * (colour == "ink")
    return f'<span style="color:{css(colour)};{slant}{under}">{_shown(tokens)}</span>'


def _shown(tokens):
    return html.escape("".join(served.spoken(tokens))).replace("\n", "⏎ ")


def _legend(width):
    picture = Drawing(width, 34 if width > 400 else 86)
    for k, (colour, words) in enumerate(MEANINGS.items()):
        x, y = (8 + 158 * k, 8) if width > 400 else (8 + k % 2 * 168, 8 + k // 2 * 26)
        if colour == "ink":
            picture.words(x, y + 12, words, size=13, anchor="start", font_style="italic")
            continue
        if colour == "chosen":
            picture.line((x, y + 11), (x + 16, y + 11), colour, 3, stroke_dasharray="3 3")
        else:
            picture.box(x, y, 16, 14, fill=colour)
        picture.words(x + 22, y + 12, words, size=13, colour="muted", anchor="start")
    return picture.html(f"Colours: {'; '.join(MEANINGS.values())}.")


def _boxes(boxes):
    """The outline of many boxes (x, y, width, height) as one path."""
    return "".join(f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}z" for x, y, width, height in boxes)


def _tell_pass(now):
    number, each = _looked_into(now)
    name, count = SHOWN[now.text], int(now.passes[now.text])
    total = f"{name.capitalize()}: 80 tokens in {count} passes, {now.kept[now.text]} of {now.guessed[now.text]} guesses kept."
    guess = f"guesses {_quoted(each.draft)}" if each.draft else "guesses nothing"
    return f"{total} Pass {number} {guess}, and writes {_quoted(each.kept)}."


def _quoted(tokens):
    return "“" + "".join(served.spoken(tokens)).replace("\n", "⏎") + "”"
