"""Texts that are written by guessing and checking: what was guessed, and what became of it."""

import numpy as np

from rooms.guess_and_check.passes import SHOWN, passes
from rooms.shared import served
from workbench.moving.controls import choose, slider, stops
from workbench.moving.engine import Rule, explorer
from workbench.moving.touch import Touch
from workbench.pictures.html import by_width
from workbench.pictures.svg import Drawing

MEANINGS = {
    "high": "guessed, and right",
    "ink": "what the model says itself",
    "wrong": "guessed, and thrown away",
}


def explore_guesses():
    """Let a language model write three texts of 80 tokens, each pass of it with some guesses, and see what becomes of them.

    Shown: passes (3,), how many there are, guessed and kept (3,), how many guesses are made in all, and how many of them stay
    """
    return explorer(
        _write_all,
        _strips,
        _tell_pass,
        [Rule("every text is the one that the model writes alone", _other_tokens, "{:.0f} tokens are others")],
        touch={
            "pass": Touch(
                lambda now, row, k: {"text": row, "number": k}, lambda now, row, k: f"pass {k} of {SHOWN[row]}"
            )
        },
        k=stops("tokens guessed at once", [(str(k), k) for k in (0, 1, 3, 7, 15)], 7),
        text=choose("look into", [(name, row) for row, name in enumerate(SHOWN)], 1),
        number=slider("pass", 3, 0, 79, 1),
    )


def _write_all(k, text, number):
    found = [passes(name, k) for name in SHOWN]
    guesses = [sum(len(each.draft) for each in one) for one in found]
    kept = [sum(len(each.kept) - 1 for each in one) for one in found]
    return {"passes": np.array([len(one) for one in found]), "guessed": np.array(guesses), "kept": np.array(kept)}


def _other_tokens(now):
    return float(
        sum(
            [token for each in passes(name, now.k) for token in each.kept]
            != served.load(name).ids[served.load(name).begin :]
            for name in SHOWN
        )
    )


def _looked_into(now):
    """The pass that is looked into, the last one where there are not so many: (its number, Pass)."""
    found = passes(SHOWN[now.text], now.k)
    number = min(now.number, len(found) - 1)
    return number, found[number]


def _strips(now):
    return by_width(_all_strips(now, 736, 80), _all_strips(now, 340, 40))


def _all_strips(now, width, across):
    """Each text as strips of so many tokens, its passes apart; what was thrown away falls below."""
    unit, left, row, deep = (width - 20) / across, 8, 22, 46
    lines = len(served.load(SHOWN[0]).says) // across
    block = 30 + lines * (row + deep)
    picture, places = Drawing(width, block * len(SHOWN) + 26 * (1 if width > 400 else 3) + 8), now.places("pass")
    chosen, _ = _looked_into(now)
    for at, name in enumerate(SHOWN):
        top, found = 20 + at * block, passes(name, now.k)
        mean = len(served.load(name).says) / len(found)
        picture.words(left, top, f"{name}: {mean:.1f} tokens a pass", size=15, anchor="start", bold=True)
        red = []
        for k, each in enumerate(found):
            spots = [divmod(each.begin + i, across) for i in range(len(each.kept))]
            corners = [(left + column * unit, top + 12 + line * (row + deep)) for line, column in spots]
            part = {"place": (places, at, k)}
            if len(corners) > 1:
                picture.add("path", d=_boxes([(x, y, unit - 0.5, row) for x, y in corners[:-1]]), fill="high", **part)
            x, y = corners[-1]
            picture.box(x, y, unit - 2, row, fill="ink", fill_opacity=0.55, **part)
            if at == now.text and k == chosen:
                picture.add("path", d=_boxes([(x, y - 5, unit - 1, 3) for x, y in corners]), fill="chosen")
            thrown = len(each.draft) - (len(each.kept) - 1)
            red += [(x + i % 2 * unit * 0.48, y + row + 3 + 5 * (i // 2), unit * 0.4, 4) for i in range(thrown)]
        if red:
            picture.add("path", d=_boxes(red), fill="wrong")
    y = block * len(SHOWN) + 8
    for k, (colour, words) in enumerate(MEANINGS.items()):
        x, low = (left + 230 * k, y) if width > 400 else (left, y + 26 * k)
        picture.box(x, low, 16, 14, fill=colour, fill_opacity=0.55 if colour == "ink" else 1)
        picture.words(x + 24, low + 12, words, size=13, colour="muted", anchor="start")
    told = "; ".join(
        f"{name}: {' '.join(str(len(each.kept)) for each in passes(name, now.k))} tokens" for name in SHOWN
    )
    return picture.html(f"What each pass writes. {told}.")


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
