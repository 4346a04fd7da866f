"""A language model that writes with a learner's own functions: token by token, broken part by part, and function by function."""

import html
import re
from xml.etree import ElementTree

import numpy as np

from helpers import broken, language_model, parts, your_program, yours
from helpers.models import fetched
from helpers.support import data_files, inputs
from rooms.shared import fetching
from rooms.shared.strip import writing, writing_in_short
from rooms.write_with_your_own import EXERCISES, running
from workbench import Drawing, Html, Touch, bars, by_width, choose, css, explorer, slider, switch, text_field, visible
from workbench.pictures.html import hanging, in_two_widths

WAYS = list(broken.WAYS)
MOST = 40.0  # nats at which a bar is cut off
LETTERS, FEW = 44, 10  # of a text that stand in one line; of its first word, on a phone
FEW_WORDS = 5  # of a beginning that stand on its button
BABBLED = 52  # letters of what a broken model writes that are shown beside the whole one's


def _stored():
    return data_files.json_file(your_program.STORED)


def _own():
    return yours.model().own


# --- it writes -------------------------------------------------------------------------------------------------------


def explore_your_writing():
    """Let the model go on with a text, token by token, and see what else each token might have been.

    A text that is stored was written by the course's parts. Any other is written by the model, with the parts that are yours.

    Shown: shares (16, 4), of each token and of its three likeliest rivals
    """
    kept = {}

    def told(text):
        """The tokens, and for each of them what was likeliest."""
        stored = _stored()
        if text in stored["written"]:
            return stored["written"][text]["whole"], stored["rivals"][text]
        if text not in kept:
            opened = your_program.kept_open()
            if opened is None:
                raise ValueError(f"Only the stored beginnings go on without the model. {language_model.HOW_TO_GET}")
            if not text.strip():
                raise ValueError("The text must hold a word to begin with, but it is empty.")
            rivals = []
            pieces = your_program.written_by(opened, text, rivals=rivals)
            kept.clear()
            kept[text] = pieces, rivals
        return kept[text]

    def compute(text, written):
        return {"shares": np.array([[share for _, share in each] for each in told(text)[1]])}

    def show(now):
        pieces, rivals = told(now.text)
        line = _running(now.text, "".join(pieces[: now.written]))
        if not now.written:
            return [line]
        words, shares = zip(*rivals[min(now.written, len(rivals)) - 1])
        words = [visible(word) for word in words]
        said = ", ".join(f"{word} {share:.1%}" for word, share in zip(words, shares))
        said, title = f"The last token and its rivals: {said}.", "the last token, and its rivals"
        return [
            line,
            by_width(*(bars(words, shares, said, title=title, chosen=0, width=width) for width in (806, 340))),
        ]

    def say(now):
        _, rivals = told(now.text)
        who = "The course's functions" if now.text in _stored()["written"] else your_program.whose()
        if not now.written:
            return f"{who} have written nothing yet: move the slider."
        (word, share), (rival, less), *_ = rivals[min(now.written, len(rivals)) - 1]
        count = f"{now.written} token{'s' * (now.written != 1)}"
        return f"{who} wrote {count}. The last one is “{visible(word)}”, with {share:.1%}; then comes “{visible(rival)}”, with {less:.1%}."

    field = text_field("text: type, then press Enter", next(iter(_stored()["written"])))
    field.continuous_update, field.layout.min_width = False, "min(540px, 100%)"
    made = explorer(
        compute,
        show,
        say,
        presets={_short(text): {"text": text, "written": your_program.BABBLE} for text in _stored()["written"]},
        text=field,
        written=slider("tokens written", 1, 0, your_program.BABBLE, 1),
    )
    made.children = [*made.children, *fetching.button(fetched.SMOLLM2, made._refresh)]
    made.worth_seeing = [{"written": None}]
    return made


def _short(text):
    words = text.split()
    return "… " * (len(words) > FEW_WORDS) + " ".join(words[-FEW_WORDS:])


def _running(text, written, colour="chosen", title="", said="", below=""):
    """A text, and in colour how it goes on; above it a title, and what there is to say of it; markup below it, at the bottom."""
    words = [re.sub("\n+", "<br>", html.escape(part)) for part in (text, written)]
    head = f'<p style="margin:0;font-weight:600;font-size:15px;">{html.escape(title)}</p>' if title else ""
    head += f'<p style="margin:0 0 4px;font-size:14px;color:{css("muted")};">{html.escape(said)}</p>' if said else ""
    return Html(
        f'<section style="display:flex;flex-direction:column;flex:1 1 260px;min-width:0;max-width:100%;overflow-wrap:anywhere;">{head}'
        f'<p style="font-size:20px;line-height:1.45;margin:2px 0 12px;max-width:none;flex:1 0 auto;">{words[0]}'
        f'<span style="color:{css(colour)};font-weight:600;">{words[1]}</span></p>{below}</section>',
        f"{title}{': ' * bool(title)}{text} →{written}",
    )


# --- it is broken ----------------------------------------------------------------------------------------------------


def explore_broken_model(found=None):
    """Break the model in one part, and read what it writes beside what the whole one writes.

    Shown: surprise (19,) nats for a word of a story, whole, with each part out and with a slip in each, NaN where there is no number;
    same, how many tokens at the beginning are those of the whole model

    Parameters
    ----------
    found : what `your_program.break_all` returns; None = what the course's parts wrote
    """
    if not isinstance(found, your_program.Broken | None):
        raise ValueError(f"found must be what your_program.break_all returns, got {found!r:.40}.")
    if found is None:
        stored = _stored()
        written, surprise, who = stored["written"], stored["surprise"], "the course's parts"
    else:
        written, surprise = {found.text: found.written}, found.surprise
        who = "your own parts" if found.by == "you" else "the course's parts"
    costs = np.array([np.nan if surprise[way] is None else surprise[way] for way in WAYS])
    groups = [[k for k, way in enumerate(WAYS) if way.startswith(word)] for word in ("whole", "without", "wrong")]
    order = [k for group in groups for k in sorted(group, key=lambda k: np.nan_to_num(costs[k], nan=np.inf))]

    def compute(beginning, way):
        whole, this = written[beginning]["whole"], written[beginning][way]
        same = next((k for k, pair in enumerate(zip(whole, this)) if pair[0] != pair[1]), len(whole))
        return {"surprise": costs, "same": np.array(same)}

    def show(now):
        own = _own() if who == "your own parts" else ()
        both = _pair(now.beginning, written[now.beginning], now.way, own)
        both = Html(f'<div style="min-height:217px;">{both.html}</div>', both.text)  # the rows stay where they are
        return [both, _rows(now, order, written)]

    def say(now):
        kind, _, part = now.way.partition(" ")
        whole, cost = costs[0], costs[WAYS.index(now.way)]
        if now.way == "whole":
            return f"Nothing is broken, and {who} write. A word of the story costs {whole:.1f} nats."
        done = "is out" if kind == "without" else "has a slip"
        told = f"{part} {done}. {broken.WAYS[now.way][part].__doc__} "
        told += f"The first {now.same} tokens are still those of the whole model. " if now.same > 1 else ""
        if np.isnan(cost):
            return told + f"What comes out is no number any more; whole, a word of the story costs {whole:.1f} nats."
        return told + f"A word of the story costs {cost:.1f} nats, and {whole:.1f} when nothing is broken."

    made = explorer(
        compute,
        show,
        say,
        touch={"surprise": Touch(lambda now, k: {"way": WAYS[k]}, lambda now, k: f"click: {WAYS[k]}")},
        folded=["way", *(["beginning"] if len(written) == 1 else [])],
        beginning=choose("beginning", [(_short(text), text) for text in written], next(iter(written))),
        way=choose("broken", WAYS, "wrong merge_heads"),
    )
    made.worth_seeing = [{"way": None}, {"beginning": None, "way": None}]
    return made


def side_by_side(way):
    """What the whole model writes, and beside it what a broken one does, both up to the end of a sentence; below each its functions.

    Parameters
    ----------
    way : of `broken.WAYS`, in which it is broken

    Returns
    -------
    Html, of what the course's parts wrote
    """
    inputs.one_of("way", way, broken.WAYS)
    beginning, written = next(iter(_stored()["written"].items()))
    return _pair(beginning, {**written, way: [*your_program.sentence(written[way])]}, way)


def _pair(beginning, written, way, own=()):
    """What the whole model writes, beside what a broken one does; below each a row of its functions."""
    whole, this = "".join(your_program.sentence(written["whole"])), "".join(written[way])
    row, said = writing_in_short((), own), f"All {len(your_program.RUNS)} functions are right."
    pair = [_running(beginning, whole, "ink", "the whole model", said, row.html)]
    if way != "whole":
        ((name, stand_in),) = broken.WAYS[way].items()
        title = f"{name} is {'out' if way.startswith('without') else 'wrong'}"
        this = this if len(this) <= BABBLED else f"{this[: BABBLED - 1]}…"
        row = writing_in_short(running.dark(way), own)
        pair.append(_running(beginning, this, "wrong", title, stand_in.__doc__, row.html))
    markup = "".join(each.html for each in pair)
    style = "display:flex;flex-wrap:wrap;gap:8px 28px;max-width:806px;"
    return Html(f'<div style="{style}">{markup}</div>', "\n".join([*(each.text for each in pair), row.text]))


@in_two_widths((806,), (340,))
def _rows(now, order, written, width):
    """A line for each way to break it: what a word of the story costs then, and how the text goes on."""
    phone = width < 400
    step, top, apart = (23, 26, 12) if phone else (14, 18, 3)  # on a phone a row is as high as a finger
    left, room, goes_on = (158, 60, 264) if phone else (176, 210, 452)
    drawing, places = Drawing(width, top + step * len(order) + 2 * apart + 2), now.places("surprise")
    heads = ("surprise, nats", "first word") if phone else ("surprise at a word, in nats", "how it goes on")
    for x, head in zip((left, goes_on), heads):
        drawing.words(x, 14, head, size=12, colour="muted", anchor="start")
    y, before = top, "whole"
    for k in order:
        way, cost = WAYS[k], now.surprise[k]
        kind = way.partition(" ")[0]
        y, before = y + apart * (kind != before), kind
        chosen = way == now.way
        if chosen:
            drawing.box(0, y, width, step, fill="chosen", fill_opacity=0.12, rx=4)
        drawing.words(left - 8, y + step - 4, way, size=12, anchor="end", bold=chosen and not phone)
        long = 0 if np.isnan(cost) else max(room * min(cost, MOST) / MOST, 1)
        drawing.box(left, y + step - 13, long, 10, fill="ink", fill_opacity=0.75)
        if cost > MOST:
            for x in (left + room - 16, left + room - 11):
                drawing.line((x, y + step - 2), (x + 5, y + 1), "paper", 2.5)
        says = "no number" if np.isnan(cost) else f"{cost:.1f}"
        drawing.words(left + long + 6, y + step - 4, says, size=12, colour="muted", anchor="start")
        line = "".join(written[now.beginning][way])
        line, letters = (next(iter(line.split()), ""), FEW) if phone else (line.replace("\n", "⏎"), LETTERS)
        line = line if len(line) <= letters else line[: letters - 1] + "…"
        drawing.words(goes_on, y + step - 4, line, size=12, anchor="start", font_family="monospace")
        drawing.box(0, y, width, step, fill="transparent", place=(places, k))
        y += step
    told = ", ".join(f"{WAYS[k]} {'no number' if np.isnan(c := now.surprise[k]) else f'{c:.1f}'}" for k in order)
    return drawing.html(f"Nats for a word of the story: {told}.")


# --- its functions ---------------------------------------------------------------------------------------------------


def explore_your_code():
    """Go through one token step by step: the function that runs is lit, with its lines, yours or the course's.

    Shown: calls (13,), how often each function is called for one token of the model with 30 layers; lines (13,), how many it has
    """
    found, own = running.steps(), _own()
    names = list(dict.fromkeys(step[-1] for step in found))
    lines = {name: your_program.source(name).strip("\n") for name in names}
    counts = [sum(bool(line.strip()) for line in lines[name].splitlines()) for name in names]
    mine = [count for name, count in zip(names, counts) if name in own]

    def compute(step, everything):
        return {
            "calls": np.array([running.calls(name, found) for name in names]),
            "lines": np.array(counts),
            "yours": np.array(mine, dtype=int),
        }

    def show(now):
        stack = found[now.step - 1]
        return [writing(own, now=stack[-1:]), _cards(stack, names, lines, own, now.everything)]

    def say(now):
        *above, name = found[now.step - 1]
        called = f", called by {' in '.join(reversed(above))}" if above else ""
        times = running.calls(name, found)
        whose = "Its lines are yours." if name in own else "Its lines are the course's."
        often = "once" if times == 1 else f"{times} times"
        said = f"Step {now.step} of {len(found)}: {name} runs{called}. For one token it runs {often}. {whose}"
        more = f"All {len(names)} functions together have {sum(counts)} lines, {sum(mine) or 'none'} of them yours."
        return f"{said} {more}" if now.everything else said

    at = next((k for k, step in enumerate(found, 1) if step[-1] == "softmax"), 1)  # the first that a reader wrote
    made = explorer(
        compute, show, say,
        step=slider("step on the way to one token", at, 1, len(found), 1), everything=switch("all lines"),
    )  # fmt: skip
    made.worth_seeing = [{"step": None, "everything": None}]
    return made


def _cards(stack, names, lines, own, everything):
    """The functions as cards: lit is the one that runs, framed those that wait for it; the others are folded, but for `everything`.

    Folded stay those of this lesson, too, as long as they are the course's: their lines are the solutions.
    """
    root = ElementTree.Element("div", {"style": "columns:2 330px;column-gap:10px;max-width:806px;margin:4px 0;"})
    for name in names:
        runs, waits, mine = name == stack[-1], name in stack[:-1], name in own
        frame = css("chosen") if runs or waits else css("line")
        fill = f"background:color-mix(in srgb, {css('chosen')} 18%, {css('paper')});" if runs else ""
        style = f"break-inside:avoid;border:{2 if runs or waits else 1}px {'dashed' if waits else 'solid'} {frame};"
        style += f"border-radius:6px;padding:4px 8px;margin:0 0 8px;{fill}"
        is_open = {"open": "open"} if everything or (runs and not _to_be_written(name, own)) else {}
        card = ElementTree.SubElement(root, "details", {"style": style, **is_open})
        ink = css("ink" if mine or runs else "muted")
        head = ElementTree.SubElement(card, "summary", {"style": f"font-size:13px;cursor:pointer;color:{ink};"})
        ElementTree.SubElement(head, "b").text = f"{'✓ ' if mine else ''}{name}"
        lesson, whose = parts.LESSONS[name].partition("_")[0], "yours" if mine else "the course’s"
        ElementTree.SubElement(head, "span").text = f" {lesson}, {whose}"
        look = f"margin:2px 0 4px;padding:0;font-size:11px;line-height:1.35;white-space:pre-wrap;word-break:normal;background:none;color:{ink};"
        code = ElementTree.SubElement(card, "pre", {"style": f"{look}overflow-wrap:anywhere;"})
        for line in lines[name].splitlines():  # a long one goes on further in
            ElementTree.SubElement(code, "span", {"style": f"{hanging(line)}min-height:1em;"}).text = line
    waiting = f"; {', '.join(stack[:-1])} wait" if stack[:-1] else ""
    markup = ElementTree.tostring(root, encoding="unicode", method="html")
    shown = "" if _to_be_written(stack[-1], own) and not everything else f"\n{lines[stack[-1]]}"
    return Html(markup, f"{stack[-1]} runs{waiting}.{shown}")


def _to_be_written(name, own):
    return name in EXERCISES and name not in own
