"""An explorer for a page without Python: recorded over its controls by the code that draws it."""

import functools
import gzip
import html
import json
import re
from pathlib import Path
from typing import NamedTuple

import ipywidgets as widgets

from workbench.moving import look
from workbench.moving.engine import Explorer
from workbench.moving.questions import Predict
from workbench.recording import tiles
from workbench.recording.frames import Frames
from workbench.recording.states import MOST_STOPS, Plan, Reach

HERE = Path(__file__).parent
PLAYER_FILES = [HERE / "player.js", HERE / "player.css"]
TRIED = 24  # states that are recorded first, to see how many kilobytes one takes
# states of a page, however heavy or light they are; and at least one more for each of its buttons
FEWEST, MOST = 3, 240
MOST_WORTH = 360  # states of an explorer that says which are worth seeing
CHOSEN = "Here a text is chosen; your own is typed where Python runs"
MORE = "<!-- how to run it -->"
KILOBYTES = 100  # of a recording, compressed
IN_DARK = re.compile(r'<image(?=[^>]* class="only-dark")[^>]*>(?:</image>)?')  # a map once more, in the recording, too
TRIES = 4  # recordings of which the best is kept


class Recorded(NamedTuple):
    """A block of a page, and the files that it reads.

    html : str
    files : dict name -> bytes
    """

    html: str
    files: dict


def player_css():
    """The style of a page with players: that of the explorers, and what native controls need."""
    return look.style() + (HERE / "player.css").read_text(encoding="utf-8")


def is_playable(shown):
    """Whether what a cell shows can be recorded."""
    return isinstance(shown, Explorer | Predict)


def recorded(shown, name, folder="players/", most=None, kilobytes=KILOBYTES, computed=(), asked=()):
    """Record what a cell shows.

    Parameters
    ----------
    shown : Explorer, which is back at its start afterwards; or Predict
    name : of the recording, in letters, digits, - and _; unique within the site
    folder : address of the folder of the files, seen from the page
    most : how many states; None = as many as the kilobytes hold
    kilobytes : of the recording, compressed, about
    computed : addresses of scripts that compute every state in the page, seen from there; then the first one alone is recorded
    asked : states that it must have besides those of its buttons, tuples of positions (`states.Reach.state`)

    Returns
    -------
    Recorded

    Raises
    ------
    TypeError
        If `shown` is neither an explorer nor a question.
    ValueError
        If the name cannot be that of a file.
    """
    if not re.fullmatch(r"[\w-]+", name, re.ASCII):
        raise ValueError(f"name must be letters, digits, - and _, got {name!r}.")
    if isinstance(shown, Predict):
        return Recorded(_question(shown, name), {})
    if not isinstance(shown, Explorer):
        raise TypeError(f"shown must be an Explorer or a Predict, got {type(shown).__name__}.")
    data = start(shown, computed) if computed else recording(shown, most, kilobytes, asked)
    return Recorded(card(shown, f"{folder}{name}.js", bool(computed)), {f"{name}.js": _script(name, data)})


def recording(explorer, most=None, kilobytes=KILOBYTES, asked=()):
    """The recording of an explorer as a dict for JSON (`frames.Recording`)."""
    return _recording(explorer, most, asked)[0] if most else within(explorer, kilobytes, asked)[0]


def start(explorer, computed):
    """The recording of an explorer as it is shown now, with every stop of its controls, for scripts that compute all else."""
    return _recording(explorer, 1, every=True)[0] | {"computed": list(computed)}


class Try(NamedTuple):
    """A recording, how many states it has, how many kilobytes it takes, and whether every state is there."""

    data: dict
    count: int
    size: float
    whole: bool


def within(explorer, kilobytes, asked=()):
    """The recording of as many states as so many kilobytes hold, and whether every state is there.

    Where the buttons lead, and what is asked for, is there whatever it weighs. Then what is worth seeing is recorded, then a few
    states more, whose weight may be quite another.
    """
    worth, heavy = bool(explorer.worth_seeing), 1.15 * kilobytes
    limit = MOST_WORTH if worth else MOST
    reach = Reach(explorer)
    fewest = max(
        FEWEST + len(explorer._states) - 1, len({reach.state(), *reach.ahead(), *asked})
    )  # one of the buttons is Reset
    tried = [_try(explorer, limit if worth else max(TRIED, fewest), asked, only_worth=worth)]
    fits = worth and tried[0].size <= heavy
    most = min(tried[0].count + TRIED, limit) if fits else _affordable(tried, kilobytes, fewest, limit)
    while not tried[-1].whole and len(tried) < TRIES and most not in [each.count for each in tried]:
        tried.append(_try(explorer, most, asked))
        if 0.6 * kilobytes < tried[-1].size < heavy:
            break
        most = _affordable(tried, kilobytes, fewest, limit)
    light = [each for each in tried if each.size < heavy]
    best = max(light, key=lambda each: (each.count, each.whole)) if light else min(tried, key=lambda each: each.size)
    return best.data, best.whole


def _try(explorer, most, asked, only_worth=False):
    data, whole = _recording(explorer, most, asked, only_worth=only_worth)
    return Try(data, len(data["states"]), compressed(data) / 1000, whole)


def _affordable(tried, kilobytes, fewest, limit):
    """How many states so many kilobytes carry, judged by the largest recording that fits and the next one, or the two largest."""
    sizes = {0: 0.0, **{each.count: each.size for each in tried}}  # two tries may have found the same states
    ordered = sorted(sizes.items())
    k = max(i for i, (_, size) in enumerate(ordered) if size <= max(kilobytes, 0))
    (count, size), (more, larger) = ordered[k], (ordered[k + 1] if k + 1 < len(ordered) else ordered[k - 1])
    each = (larger - size) / (more - count)
    return min(max(int(count + (kilobytes - size) / max(each, 1e-6)), fewest), limit)


def compressed(data):
    """The size of a recording as it travels, in bytes."""
    return len(gzip.compress(_script("", data), 6))


def _recording(explorer, most, asked=(), every=False, only_worth=False):
    """The recording of at most so many states, and whether every state is there; `every`: with all stops of the controls;
    `only_worth`: no other states than those that are worth seeing."""
    with tiles.unpacked() as kept:
        explorer._refresh()
        reach = Reach(explorer)
        frames = Frames(reach, kept)
        plan = Plan(reach, frames.visit, most, asked)
        plan.run(only_worth)
        data = frames.written([reach.span(k, MOST_STOPS) for k in range(len(reach.names))] if every else None)
        values = data["values"]
        effects, others = reach.side_effects(values), list(reach.pressed())
    explorer._refresh()
    data |= {
        "controls": [_labels(control, column) for control, column in zip(reach.controls, values)],
        "buttons": {text: frames.steps(pairs, values) for text, pairs in plan.buttons.items()},
        "also": [
            [k, values[k].index(position), frames.steps(pairs, values)] for (k, position), pairs in effects.items()
        ],
        "others": others,
        "planes": list(reach.planes()),
    }
    return data, plan.whole


def _labels(control, column):
    """What stands beside a control at each of its values; null for choices, whose words may change."""
    if hasattr(control, "_options_labels"):
        return None
    written = getattr(control, "readout_format", None)
    return [
        format(value, written) if written and "Slider" in type(control).__name__ else f"{value}" for value in column
    ]


def _script(name, data):
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return f"playRecording({json.dumps(name)},{text});\n".encode()


def _judged(explorer):
    """Names of the text fields in which every text is answered: the right one, those of known slips, and any other as wrong."""
    return list(explorer.worth_typing())


# --- the card --------------------------------------------------------------------------------------------------------


def card(explorer, source, is_computed=False):
    """The explorer's card, with native controls in the places of its widgets; `source` is the address of its recording. Where a
    page computes, every text can be typed."""
    style, row, foot, *folded = explorer.children
    *above, stage = row.children
    judged, controls = _judged(explorer), explorer._controls.items()
    index = {id(control): (k, is_computed or name in judged) for k, (name, control) in enumerate(controls)}
    sheet = stage.children[1].value if explorer._planes else ""
    column = "".join(_element(each, index) for each in above)
    reset = _element(foot.children[0], index)
    inside = "".join(_element(box, index) for box in folded)
    fold = f"<details><summary>Choose by keyboard</summary>{inside}</details>" if inside else ""
    return (
        f'<div class="player explorer" data-src="{html.escape(source, quote=True)}">{style.value.replace(look.style(), "")}'
        f'<div class="explorer-row">{column}<div class="explorer-stage">'
        f'<div class="explorer-view">{IN_DARK.sub("", explorer.html)}</div>'
        f'{f"""<div class="explorer-surface">{sheet}</div>""" if sheet else ""}</div></div>'
        f'<div class="explorer-row explorer-foot">{reset}{fold}</div>{_more(explorer, index)}'
        f'<div class="player-said" aria-live="polite"></div></div>'
    )


def _more(explorer, index):
    """What moves only where Python runs: texts of one's own, and what the explorer says; a page may put behind it how to get there."""
    chosen = [each for each in explorer._controls.values() if isinstance(each, widgets.Text) and not index[id(each)][1]]
    said = explorer.needs_more or (CHOSEN if chosen else "")
    return f'<p class="player-more">{html.escape(said)}{MORE}.</p>' if said else ""


def _element(widget, index):
    """A widget of the column as HTML."""
    inside = functools.partial(_element, index=index)
    if id(widget) in index:
        return _control(widget, *index[id(widget)])
    if isinstance(widget, widgets.HTML):
        return f"<div>{widget.value}</div>"
    if isinstance(widget, widgets.Button):
        text = html.escape(widget.description)
        kind = f' class="{" ".join(widget._dom_classes)}"' if widget._dom_classes else ""
        return f'<button type="button"{kind} disabled data-button="{text}">{text}</button>'
    parts = map(inside, getattr(widget, "children", ()))
    kind = "player-line" if type(widget).__name__ == "HBox" else ""
    classes = " ".join([*widget._dom_classes, kind]).strip()
    return f'<div class="{classes}">{"".join(parts)}</div>'


def _control(control, k, judged):
    """A native control, still asleep; `judged`: a text field in which every text is answered."""
    text = html.escape(re.sub("<[^>]*>", "", control.description))
    if isinstance(control, widgets.Dropdown):
        return f'<label class="player-select" data-control="{k}"><span>{text}</span><select disabled></select></label>'
    if isinstance(control, widgets.ToggleButtons | widgets.RadioButtons):
        buttons = "".join(
            f'<button type="button" disabled data-option="{i}">{html.escape(str(label))}</button>'
            for i, label in enumerate(control._options_labels)
        )
        head = f"<span>{text}</span>" if text else ""
        return f'<div class="player-choice" role="group" aria-label="{text}" data-control="{k}">{head}<div>{buttons}</div></div>'
    if isinstance(control, widgets.Checkbox):
        name = f' aria-label="{html.escape(control.tooltip)}"' if control.tooltip else ""
        return f'<label class="player-tick" data-control="{k}"><input type="checkbox" disabled{name}> {text}</label>'
    if isinstance(control, widgets.Text):
        field = "<select disabled></select>"
        if judged:
            hint = html.escape(control.placeholder or "", quote=True)
            field = (
                f'<input type="text" disabled placeholder="{hint}"><span class="player-told" aria-live="polite"></span>'
            )
        return f'<label class="player-text" data-control="{k}"><span>{text}</span>{field}</label>'
    if isinstance(control, widgets.BoundedFloatText | widgets.BoundedIntText):
        width = control.layout.width or "auto"
        return (
            f'<label class="player-number" data-control="{k}"><span>{text}</span>'
            f'<input type="number" step="any" disabled style="max-width:{width if width.endswith("px") else "80px"}"></label>'
        )
    return (
        f'<label class="player-slider" data-control="{k}"><span>{text}</span>'
        '<input type="range" min="0" step="1" disabled><output></output></label>'
    )


def _question(shown, name):
    """A question whose answers open to their replies, one at a time."""
    folded = "".join(
        f'<details name="{name}"><summary>{html.escape(answer)}</summary>'
        f"{'✓ Yes.' if answer == shown._right else '✗ Not quite.'} {html.escape(reply)}</details>"
        for answer, reply in shown._replies.items()
    )
    return f'<div class="player predict"><p>{html.escape(shown._question)}</p>{folded}</div>'
