"""Where a lesson stands on the way from words to the next word: one line of stations."""

from helpers import parts as course
from workbench import BOLD, Drawing, by_width, text_width

LESSONS = [  # by name, in their order; the number of a lesson is its place here
    "who_is_she", "ask_for_a_b", "attend_by_hand", "ask_with_queries_keys_values", "keep_scores_in_scale", "place_tokens_with_waves",
    "split_into_heads", "mask_the_future", "ask_a_second_time", "build_a_layer", "ask_another_text", "stack_a_transformer",
    "learn_to_look", "train_a_transformer", "let_it_write",
]  # fmt: skip
STATIONS = [  # its name, the lesson that explains it, the parts of one's own model that belong to it
    ("words", "who_is_she", ()),
    ("positions", "place_tokens_with_waves", ()),
    ("q k v", "ask_with_queries_keys_values", ("self_attention",)),
    ("scores", "ask_for_a_b", ()),
    ("÷ √d", "keep_scores_in_scale", ()),
    ("mask", "mask_the_future", ("causal_mask",)),
    ("softmax", "ask_for_a_b", ("softmax",)),
    ("mix", "attend_by_hand", ()),
    ("heads", "split_into_heads", ("split_heads", "merge_heads")),
    ("+ norm", "build_a_layer", ("rms_norm",)),
    ("network", "ask_a_second_time", ()),
    ("layers", "ask_a_second_time", ("encoder_layer",)),
    ("memory", "ask_another_text", ()),
    ("logits", "stack_a_transformer", ()),
    ("next", "let_it_write", ("next_token",)),
]
NAMES = [name for name, _, _ in STATIONS]
SPANS = [("attention", "q k v", "mix"), ("a layer", "q k v", "network")]
WRITES = "write_with_your_own"
RUNS = (  # the functions that run when a language model writes, in the order in which each of them runs for the first time
    "merge_pairs", "write", "read", "model_layer", "rms_norm", "split_heads", "rotate", "causal_mask", "shared_attention", "softmax",
    "merge_heads", "swiglu", "next_token",
)  # fmt: skip
IN_A_LAYER = "rms_norm", "swiglu"  # the first and the last of those that a layer calls
BACK = {"learn_to_look": ("slopes", "numerical_gradient"), "train_a_transformer": ("training", "training_loop")}
STATES = ("this lesson", "before", "yours", "later")
WIDE, PHONE = (806, 26, 40), (340, 12, 34)  # pixels: how wide, to the first station, and down to the line


def named(number):
    """The name of a lesson, by its number as "04"; None of one that comes after the last station and does not run them all."""
    if number == course.LESSONS["write"].partition("_")[0]:
        return WRITES
    return LESSONS[int(number)] if int(number) < len(LESSONS) else None


def strip(lesson, own):
    """Draw the line: lit is this lesson, filled are those before it, with a ✓ what is the learner's, hollow what comes later.

    Parameters
    ----------
    lesson : its name
    own : names of the parts that the learner has written

    Returns
    -------
    Html; on a phone the stations are dots, and only those that are lit say their names
    """
    return by_width(_line(lesson, own, *WIDE), _line(lesson, own, *PHONE, phone=True))


def writing(own, broken=(), now=()):
    """Draw a line of the functions that write: lit is what is the learner's, filled what is the course's.

    Parameters
    ----------
    own : names of the parts that the learner has written
    broken : names of functions that are out, or wrong
    now : the functions that work at this moment

    Returns
    -------
    Html; on a phone only those that are broken, or work now, say their names
    """
    return by_width(_writing(own, broken, now), _writing(own, broken, now, broken or now))


def writing_in_short(broken, own=()):
    """The same as on a phone, for a picture of any width: the broken functions say their names, or else the first and the last."""
    return _writing(own, broken, (), broken or RUNS)


def _writing(own, broken, now, named=None):
    """`named` : the functions that say their names where there is no room for all, as on a phone; None = there is."""
    mine = [name for name in RUNS if name in own]
    width, left, y, below = (806, 50, 58, 68) if named is None else (340, 14, 34, 64 if mine or now else 36)
    drawing, step = Drawing(width, y + below), (width - 2 * left) / (len(RUNS) - 1)
    x = {name: left + step * k for k, name in enumerate(RUNS)}
    drawing.line((left, y), (width - left, y), "line", 2)
    start, end = (x[name] for name in IN_A_LAYER)
    _span(drawing, start - 9, end + 9, 14, "in each layer")
    states = {name: "broken" if name in broken else "yours" if name in own else "the course's" for name in RUNS}
    for k, (name, state) in enumerate(states.items()):
        if name in now:
            drawing.add("circle", cx=x[name], cy=y, r=12, fill="chosen", fill_opacity=0.3)
        _writer(drawing, x[name], y, state)
        if named is None:
            lit = name in now or state != "the course's"
            colour = "wrong" if state == "broken" else "chosen" if lit else "ink"
            drawing.words(x[name], y + (27 if k % 2 else -17), name, size=12, colour=colour, bold=lit)
    if named:
        _say_below(drawing, x, y, named, "wrong" if broken else "chosen" if now else "ink")
    at, told = (
        8,
        named is None or mine or now,
    )  # in short, where all are the course's, what is broken says so by its name
    for state in [each for each in ("yours", "the course's", "broken") if told and each in states.values()]:
        _writer(drawing, at, drawing.height - 14, state)
        drawing.words(at + 12, drawing.height - 10, state, size=12, colour="muted", anchor="start")
        at += 12 + text_width(state, 12) + 26
    few = [f"Yours: {', '.join(mine)}."] if mine else ["All are the course's."]
    few += [f"{name}: {', '.join(names)}." for name, names in (("Broken", broken), ("Now", now)) if names]
    return drawing.html(f"The functions that write: {', '.join(RUNS)}. {' '.join(few)}")


def _span(drawing, start, end, y, name):
    """A line over some of the stations, which leaves room for its name."""
    middle, half = (start + end) / 2, text_width(name, 12) / 2 + 6
    drawing.line((start, y), (middle - half, y), "line", 1.5)
    drawing.line((middle + half, y), (end, y), "line", 1.5)
    drawing.words(middle, y + 4, name, size=12, colour="muted")


def _writer(drawing, x, y, state):
    look = {
        "yours": {"fill": "chosen", "stroke": "paper"},
        "the course's": {"fill": "ink", "stroke": "ink"},
        "broken": {"fill": "paper", "stroke": "wrong", "stroke_dasharray": "3 2"},
    }[state]
    drawing.add("circle", cx=x, cy=y, r=7.5 if state != "the course's" else 5.5, stroke_width=1.6, **look)
    if sign := {"yours": "✓", "broken": "✗"}.get(state):
        drawing.words(x, y + 4, sign, size=11, colour="paper" if sign == "✓" else "wrong", bold=True)


def _rail(width, left, y, phone, more):
    """The line without its dots, and where each of them lies."""
    drawing, step = Drawing(width, y + 64 + more), (width - 2 * left) / (len(NAMES) - 1)
    x = {name: left + step * k for k, name in enumerate(NAMES)}
    drawing.line((left, y), (width - left, y), "line", 2)
    for k, (name, start, end) in enumerate(SPANS[: 1 if phone else 2]):
        at = y - 18 - 14 * k
        _span(drawing, x[start] - 7, x[end] + 7, at, name)
    return drawing, x


def _say_below(drawing, x, y, names, colour):
    """The names of a few stations in one line, below their middle; of many the first and the last."""
    said = " · ".join(names)
    if BOLD * text_width(said, 13) > drawing.width - 4:
        said = f"{names[0]} to {names[-1]}"
    room, middle = BOLD * text_width(said, 13) / 2, sum(x[name] for name in names) / len(names)
    middle = min(max(middle, room + 2), drawing.width - room - 2)
    drawing.words(middle, y + 28, said, size=13, colour=colour, bold=True)


def _line(lesson, own, width, left, y, phone=False):
    back, now = BACK.get(lesson), LESSONS.index(lesson)
    named = 24 if back and not phone else 0  # pixels for the names, above the line that leads back
    drawing, x = _rail(width, left, y, phone, named)
    for name, where, parts in STATIONS:
        mine = bool(parts) and all(part in own for part in parts)
        state = "this lesson" if where == lesson else "before" if LESSONS.index(where) < now else "later"
        _station(drawing, x[name], y, state, mine)
        if not phone:
            lit = state == "this lesson"
            colour = "chosen" if lit else "ink" if state == "before" else "muted"
            drawing.words(x[name], y + 28, name, size=12, colour=colour)
    lit = [name for name, where, _ in STATIONS if where == lesson]
    if back:
        _lead_back(drawing, x, y + named, width - left, f"{back[0]}: from the end back to every matrix", back[1] in own)
    elif phone:
        _say_below(drawing, x, y, lit, "chosen")
    _key(drawing, 8, y + named + 54)
    here = back[0] if back else ", ".join(lit)
    yours = [name for name, _, parts in STATIONS if parts and all(part in own for part in parts)]
    told = f" Yours: {', '.join(yours)}." if yours else ""
    return drawing.html(f"From words to the next word: {', '.join(NAMES)}. This lesson: {here}.{told}")


def _station(drawing, x, y, state, mine, radius=6.5):
    look = {
        "this lesson": {"fill": "chosen", "stroke": "paper"},
        "before": {"fill": "ink", "stroke": "ink"},
        "later": {"fill": "paper", "stroke": "muted"},
    }[state]
    drawing.add("circle", cx=x, cy=y, r=radius + 2.5 * (state == "this lesson"), stroke_width=1.6, **look)
    if mine:
        drawing.words(x, y + 4, "✓", size=11, colour="ink" if state == "later" else "paper", bold=True)


def _lead_back(drawing, x, y, end, words, mine):
    """From the end a line leads back to all that is learned."""
    drawing.add("path", d=f"M {end} {y + 9} v 8 H {x['q k v']} v -8", fill="none", stroke="chosen", stroke_width=2)
    for side in (-4, 4):
        drawing.line((x["q k v"], y + 9), (x["q k v"] + side, y + 14), "chosen", 2)
    words, at = f"{'✓ ' if mine else ''}{words}", (x["q k v"] + end) / 2
    room = BOLD * text_width(words, 13) / 2
    drawing.words(min(at, drawing.width - room - 2), y + 34, words, size=13, colour="chosen", bold=True)


def _key(drawing, x, y):
    """What the dots say."""
    for state in STATES:
        mine = state == "yours"
        _station(drawing, x, y, "before" if mine else state, mine, radius=6.5 if mine else 5)
        drawing.words(x + 12, y + 4, state, size=12, colour="muted", anchor="start")
        x += 12 + text_width(state, 12) + 26
