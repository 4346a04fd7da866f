"""Texts that are written by guessing and checking: what was guessed, and what became of it."""

import html
import itertools

import numpy as np

from rooms.guess_and_check.passes import SHOWN, passes
from rooms.shared import served
from workbench import Drawing, Html, Rule, Touch, choose, css, explorer, slider, stops

ROWS = 14  # passes whose words are shown at once
LINE = "font-size:14px;line-height:20px;overflow-wrap:anywhere;margin:0;"
DOTTED = f"border-bottom:3px dotted {css('chosen')};"


def explore_guesses():
    """Let a language model write three texts of 80 tokens, each pass of it with some guesses, and see what becomes of them.

    Shown: passes (3,), how many there are, guessed and kept (3,), how many guesses are made in all, and how many of them stay
    """
    made = explorer(
        _write_all,
        _passes,
        _tell_pass,
        [Rule("every text is the stored one, which the model wrote alone", _other_tokens, "{:.0f} tokens are others")],
        touch={
            "text": Touch(lambda now, at: {"text": at}, lambda now, at: f"look into {SHOWN[at]}"),
            "pass": Touch(lambda now, k: {"number": k}, lambda now, k: f"pass {k}"),
        },
        k=stops("tokens guessed at once", [(str(k), k) for k in (0, 1, 3, 7, 15)], 7),
        text=choose("look into", [(name, row) for row, name in enumerate(SHOWN)], 0),
        number=slider("pass", 6, 0, 12, 1),
    )  # fmt: skip
    k, text, number = made.controls.values()
    for control in (k, text):  # the slider ends with the passes of the text
        control.observe(lambda _: setattr(number, "max", len(passes(SHOWN[text.value], k.value)) - 1), "value")
    # what the questions of the page ask for: one text in each way, the passes of a text that are clicked, and all rows of the last
    made.worth_seeing = [
        {"k": None},
        *({"text": [row], "number": list(range(count))} for row, count in ((1, 28), (0, 13))),
        {"text": [2], "number": list(range(0, 67, ROWS))},
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


def _passes(now):
    """What the colours say; how many passes each text takes; and the passes of one of them, a row each."""
    shown, stacks = _rows(now), _stacks(now)
    both = f'<div style="flex:none">{stacks.html}</div><div style="flex:1 1 300px;min-width:0">{shown.html}</div>'
    return [
        Html(
            f'<p style="{LINE}max-width:none;margin:0 8px 6px;">{_LEGEND}</p>',
            "Colours: guessed, and right; thrown away; the model's own; copied from here; the prompt.",
        ),
        Html(f'<div style="display:flex;flex-wrap:wrap;gap:8px 16px;">{both}</div>', f"{stacks.text}\n{shown.text}"),
    ]


def _stacks(now):
    """All passes of the three texts, a thin row for each."""
    found = [passes(name, now.k) for name in SHOWN]
    unit, top, pitch, step = 80 / (max(now.k, 7) + 1), 58, 4, 102
    picture = Drawing(3 * step + 4, top + pitch * max(map(len, found)))
    boxes = {"high": [], "muted": [], "wrong": []}
    for at, (name, each) in enumerate(zip(SHOWN, found)):
        left = at * step + 8
        head = (14, name, 12), (34, f"{len(each)} passes", 15), (50, f"{80 / len(each):.1f} tokens each", 12)
        for y, words, size in head:
            picture.words(left, y, words, size=size, anchor="start", bold=y < 50)
        for row, one in enumerate(each):
            counts = {"high": one.right, "wrong": len(one.draft) - one.right, "muted": len(one.kept) - one.right}
            x, y = left, top + row * pitch
            for colour, count in counts.items():
                boxes[colour] += [(x, y, count * unit - 0.5, pitch - 1)] if count else []
                x += count * unit
        picture.box(left - 4, 0, step - 4, picture.height, fill="paper", fill_opacity=0, place=(now.places("text"), at))
    for colour, each in boxes.items():
        if each:
            picture.add("path", d=_outline(each), fill=colour, pointer_events="none")
    first, last = _window(now)
    picture.box(now.text * step + 2, top + first * pitch - 1, 3, (last - first) * pitch, fill="chosen")
    told = (
        f"{name}: {len(each)} passes, of {' '.join(str(len(one.kept)) for one in each)} tokens."
        for name, each in zip(SHOWN, found)
    )
    return picture.html("What each pass writes. " + " ".join(told))


def _window(now):
    """The passes whose words are shown: the first, and the one after the last."""
    number, _ = _looked_into(now)
    first = number // ROWS * ROWS
    return first, min(first + ROWS, len(passes(SHOWN[now.text], now.k)))


def _rows(now):
    """The prompt, and the words of some passes: what a pass keeps, what it threw away, struck out, and its own token. What the chosen
    one copied its guess from has a dotted line."""
    text, found, (number, looked) = served.load(SHOWN[now.text]), passes(SHOWN[now.text], now.k), _looked_into(now)
    copied = range(looked.source, looked.source + len(looked.draft)) if looked.draft else ()

    def worn(begin, tokens, colour):
        parts = itertools.groupby(enumerate(tokens, begin), lambda each: each[0] in copied)
        spans = (
            f'<span style="{DOTTED * dotted}">{_shown([token for _, token in part])}</span>' for dotted, part in parts
        )
        return f'<span style="color:{css(colour)}">{"".join(spans)}</span>' if tokens else ""

    prompt, (first, last) = worn(0, text.ids[: text.begin], "ink"), _window(now)
    lines, told = [f'<p style="{LINE}font-style:italic;margin-bottom:4px">{prompt}</p>'], []
    for k, each in enumerate(found[first:last], first):
        begin, thrown, own = text.begin + each.begin, each.draft[each.right :], each.kept[each.right :]
        struck = f' <s style="color:{css("wrong")}">{_shown(thrown)}</s> ' if thrown else ""
        words = worn(begin, each.kept[: each.right], "high") + struck + worn(begin + each.right, own, "muted")
        edge = css("chosen") if k == number else "transparent"
        style = f"{LINE}padding:1px 4px 1px 34px;text-indent:-28px;border-left:3px solid {edge};"
        count = f'<span style="color:{css("muted")};display:inline-block;width:28px;text-indent:0;font-size:12px">{k}</span>'
        row = f'<span style="pointer-events:none">{count}{words}</span>'
        lines.append(f'<div{now.places("pass").attributes(k)} style="{style}">{row}</div>')
        told.append(f"{k} writes {_quoted(each.kept)}" + f", throws away {_quoted(thrown)}" * bool(thrown))
    if more := len(found) - last:
        lines.append(f'<p style="{LINE}color:{css("muted")};padding-left:37px">… and {more} more: move <i>pass</i></p>')
    return Html("".join(lines), f"Passes of {SHOWN[now.text]}: {'; '.join(told)}.")


def _shown(tokens):
    words = "".join(served.spoken(tokens))
    return html.escape(words if words.strip(" ") else "␣").replace("\n", "⏎ ")


_LEGEND = " &nbsp; ".join([
    f'<span style="color:{css("high")}">guessed, and right</span>', f'<s style="color:{css("wrong")}">thrown away</s>',
    f'<span style="color:{css("muted")}">the model\'s own</span>', f'<span style="{DOTTED}">copied from here</span>', "<i>the prompt</i>",
])  # fmt: skip


def _outline(boxes):
    """The outline of many boxes (x, y, width, height) as one path."""
    return "".join(f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}z" for x, y, width, height in boxes)


def _tell_pass(now):
    number, each = _looked_into(now)
    name, count = SHOWN[now.text], int(now.passes[now.text])
    total = f"{name.capitalize()}: 80 tokens in {count} passes, {now.kept[now.text]} of {now.guessed[now.text]} guesses kept."
    if not each.draft:
        return f"{total} Pass {number} guesses nothing, and writes {_quoted(each.kept)}."
    place = "the prompt" if each.source < served.load(SHOWN[now.text]).begin else "what it has written"
    return f"{total} Pass {number} guesses {_quoted(each.draft)}, and writes {_quoted(each.kept)}. Its guess is copied from {place}."


def _quoted(tokens):
    return "“" + "".join(served.spoken(tokens)).replace("\n", "⏎") + "”"
