"""A language model as boxes within boxes, one for each part that a learner writes. Each box is a link to its lesson.

It is made of HTML, since a link in a drawing would lead nowhere once the drawing is an image.
"""

from xml.etree import ElementTree

from workbench import Html, css

ROLES = {"Q": "query", "K": "key", "V": "value"}
# A list is a row, with arrows; a name is the box of a part, a tuple one with rows inside; ~ says words, & comes along, + adds its input.
MODEL = [
    ["~a text", "merge_pairs", "~tokens"],
    ("write", "", [
        ("read", "", [
            ["~a vector for each token"],
            ("model_layer", "30 times", [
                ["+", "rms_norm", "~Q K V", "split_heads", "~Q K", "rotate", "&~V", "&causal_mask", ("shared_attention", "", [["softmax"]]), "merge_heads"],
                ["+", "rms_norm", "swiglu"],
            ]),
            ["~the last vectors", "rms_norm", "~logits"],
        ]),
        ["next_token", "~the next token, which is appended"],
    ]),
    ["~how it learns", "numerical_gradient", "training_loop"],
    ["~the encoder of 2017", "self_attention", "encoder_layer"],
]  # fmt: skip
_FONT = "font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:14px;line-height:1.25;"
_ROW = "display:flex;flex-wrap:wrap;align-items:center;gap:6px;margin:6px 0;"
_MUTED = f"color:{css('muted')};"


def parts_map(parts, adds=(), fold=None):
    """Draw the model; the parts that are the learner's are in colour.

    Parameters
    ----------
    parts : list of (name, lesson, by), by "you" or "the course"
    adds : names of parts that a lesson adds: their frames are drawn stronger
    fold : a line at a click on which the drawing opens; None = it stands there
    """
    lessons = {name: lesson for name, lesson, _ in parts}
    own = [name for name, _, by in parts if by == "you"]
    count = f"{len(own)} of the {len(parts)} parts of your model {'is' if len(own) == 1 else 'are'} yours."
    root = around = ElementTree.Element("div", {"class": "parts-map", "style": f"{_FONT}max-width:760px;"})
    if fold:
        around = ElementTree.SubElement(root, "details")
        _say(around, fold, f"{_MUTED}cursor:pointer;margin:4px 0;", "summary")
    for piece in MODEL:
        _add(around, piece, lessons, own, adds)
    last = "A click on a part opens its lesson."
    _say(around, last if fold else f"{count} {last}", f"{_MUTED}margin:8px 0;", "div")
    listed = ", ".join(f"{name} ({_number(lessons[name])}{', yours' if name in own else ''})" for name in lessons)
    return Html(ElementTree.tostring(root, encoding="unicode", method="html"), f"{count} {listed}.")


def _add(above, piece, lessons, own, adds):
    if isinstance(piece, list):
        _add_row(above, piece, lessons, own, adds)
    elif isinstance(piece, tuple):
        name, words, rows = piece
        look = f"{_frame(name in own, name in adds)}padding:2px 10px 4px;margin:4px 0;"
        box = ElementTree.SubElement(above, "div", {"style": look})
        _link(box, name, lessons, own, "display:inline-block;padding:6px 0 2px;")
        _say(box, f" · {words}" if words else "", _MUTED)
        for row in rows:
            _add(box, row, lessons, own, adds)
    elif piece[0] == "~":
        roles = [ROLES.get(word) for word in piece[1:].split()]
        for word, role in zip(piece[1:].split(), roles) if all(roles) else [(piece[1:], None)]:
            _say(above, word, f"font-weight:700;color:{css(role)};" if role else _MUTED)
    else:
        look = f"{_frame(piece in own, piece in adds)}display:inline-block;padding:6px 10px;"
        _link(above, piece, lessons, own, look)


def _add_row(above, row, lessons, own, adds):
    joins = row[0] == "+"
    around = f"border-left:3px solid {css('muted')};padding-left:12px;" if joins else ""
    line = ElementTree.SubElement(
        above, "div", {"style": f"{_ROW}{around}{'margin-bottom:0;padding-bottom:4px;' if joins else ''}"}
    )
    for k, piece in enumerate(row[joins:]):
        group = ElementTree.SubElement(line, "span", {"style": "display:inline-flex;align-items:center;gap:6px;"})
        along = piece[0] == "&"
        if k and piece not in ("~Q K V", "~Q K"):
            _say(group, "and" if along else "→", _MUTED)
        _add(group, piece[along:], lessons, own, adds)
    if joins:
        _say(above, "⊕ the input is added", f"{_MUTED}font-size:12px;margin:0 0 8px -5px;", "div")


def _frame(is_own, is_new):
    if not is_own:
        line = f"2px dashed {css('ink')}" if is_new else f"1px dashed {css('muted')}"
        return f"border:{line};border-radius:6px;background:{css('paper')};"
    fill = f"background:color-mix(in srgb, {css('chosen')} 16%, {css('paper')});"
    return f"border:2px solid {css('chosen')};border-radius:6px;{fill}"


def _link(above, name, lessons, own, look):
    says = f"{name}, lesson {_number(lessons[name])}, {'written by you' if name in own else 'not written yet'}"
    look += f"color:{css('ink')};font-weight:600;" if name in own else _MUTED
    attributes = {"href": f"{lessons[name]}.ipynb", "title": says, "style": f"{look}text-decoration:none;"}
    link = ElementTree.SubElement(above, "a", attributes)
    link.text = f"✓ {name}" if name in own else name
    _say(link, f" {_number(lessons[name])}", f"{_MUTED}font-weight:400;font-size:12px;")


def _say(above, words, style, tag="span"):
    ElementTree.SubElement(above, tag, {"style": style}).text = words


def _number(lesson):
    return lesson.partition("_")[0]
