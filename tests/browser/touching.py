"""Touch what answers the hand: click every part of every picture, drag in every figure, by mouse and by finger.

A part may stay as it is only if its title says that it is chosen already.
"""

from .controls import explorers

# Every part that answers a click, one after the other, as a page's own events tell it. A press that leaves the view as it was is
# a complaint, unless the part is the chosen one. Views are drawn anew at each answer, so parts are counted, not kept.
CLICK_ALL = """async ([box, most]) => {
  const parts = () => [...box.querySelectorAll('.explorer-view .touch, .explorer-view .drag')];
  const count = parts().length, step = Math.max(1, count / most), silent = [];
  for (let k = 0; k < count; k += step) {
    const part = parts()[Math.floor(k)];
    const title = part?.title || part?.querySelector('title')?.textContent;
    if (!part || /\\bchosen$/.test(title)) continue;
    const name = `${part.getAttribute('class')}, “${title}”`;
    if (!title) silent.push(`${name} has no title`);
    window.__controls.mark(box, 'before');
    for (const kind of ['mousedown', 'mouseup', 'click'])
      part.dispatchEvent(new MouseEvent(kind, {bubbles: true, buttons: kind === 'mousedown' ? 1 : 0}));
    if (!await window.__controls.changed(box)) silent.push(`${name} changes nothing`);
  }
  return silent;
}"""
MOST = 24  # parts of one explorer that are clicked, spread over all of them


def dead_parts(box, most=MOST):
    """What is said to answer a click and does not, in one explorer."""
    return [f"{box.name}: {silent}" for silent in box.page.evaluate(CLICK_ALL, [box.element, most])]


def sheets(box):
    """The parts of figures that answer, as elements that stay."""
    return [part for part in box.element.query_selector_all(".explorer-surface .touch") if part.is_visible()]


def dead_sheets(box, finger=None):
    """Figures that a press leaves as they are, or that cannot be dragged though they say so; `finger` touches instead."""
    silent = []
    for sheet in sheets(box):
        name = f"{box.name}: {sheet.get_attribute('class')}, “{sheet.get_attribute('title')}”"
        sheet.scroll_into_view_if_needed()
        place = sheet.bounding_box()
        ways = [_press, _drag] if "drag" in sheet.get_attribute("class").split() else [_press]
        for way in ways:
            if not any(_moves(box, way, place, start, finger) for start in ((0.3, 0.35), (0.7, 0.6), (0.55, 0.2))):
                silent.append(f"{name} does not answer a {way.__name__[1:]}{' of a finger' if finger else ''}")
    return silent


def dead_peeks(box):
    """Figures that say "point", and show nothing where the pointer rests, or do not return to what was there when it leaves."""
    silent, view = [], box.element.query_selector(".explorer-view")
    for sheet in sheets(box):
        if not sheet.get_attribute("title").startswith("point:"):
            continue
        sheet.scroll_into_view_if_needed()
        place, before = sheet.bounding_box(), view.inner_html()
        shows = False  # the thing under one of the places may be the one that is on display already
        for across, down in ((0.1, 0.1), (0.9, 0.9)):
            box.mark()
            box.page.mouse.move(place["x"] + across * place["width"], place["y"] + down * place["height"])
            shows = box.changed() or shows
        if not shows:
            silent.append(f"{box.name}: a pointer that rests on {sheet.get_attribute('class')} shows nothing")
        box.mark()
        box.page.mouse.move(place["x"] + place["width"] / 2, place["y"] - 60, steps=3)
        if not box.changed() or view.inner_html() != before:
            silent.append(f"{box.name}: {sheet.get_attribute('class')} goes on showing what the pointer has left")
    return silent


def _moves(box, way, place, start, finger):
    box.mark()
    way(
        box.page,
        [
            (place["x"] + (start[0] + 0.04 * k) * place["width"], place["y"] + start[1] * place["height"])
            for k in range(5)
        ],
        finger,
    )
    return box.changed()


def _press(page, places, finger):
    if finger:
        finger("touchStart", places[0])
        return finger("touchEnd", None)
    return page.mouse.click(*places[0])


def _drag(page, places, finger):
    if finger:
        finger("touchStart", places[0])
        for place in places[1:]:
            finger("touchMove", place)
        return finger("touchEnd", None)
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place)
    return page.mouse.up()


def finger_on(page):
    """A finger: function(kind, place) that touches the page."""
    session = page.context.new_cdp_session(page)

    def touch(kind, place):
        points = [] if place is None else [{"x": place[0], "y": place[1]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return touch


def untitled(notebook):
    """Parts that answer and do not say what they do."""
    return notebook.page.evaluate(
        "() => [...document.querySelectorAll('.explorer .touch, .explorer .drag')].filter(part => !part.title && !part.querySelector('title')).map(part => part.getAttribute('class'))"
    )


def complaints(notebook):
    """Everything of a lesson that promises to answer and does not."""
    finger = finger_on(notebook.page)
    return [
        silent
        for box in explorers(notebook)
        for silent in [*dead_parts(box), *dead_peeks(box), *dead_sheets(box), *dead_sheets(box, finger)]
    ]
