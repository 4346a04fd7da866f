"""Move the controls of explorers and questions by keyboard, and tell what changed on the page.

An explorer is a box of class `explorer`: controls, and a view of class `explorer-view` that shows what they do. A
question is a box of class `predict`: options, and a reply. Nothing here waits for a fixed time: after each key, the page
itself says when the kernel has answered and whether the view is another one.
"""

from dataclasses import dataclass

# Root elements of ipywidgets' controls, by kind, and where in them the keyboard goes.
KINDS = {
    "slider": (".widget-slider", ".noUi-handle"),
    "dropdown": (".widget-dropdown, .widget-select", "select"),
    "options": (".widget-toggle-buttons", "button"),
    "radio": (".widget-radio", "input"),
    "checkbox": (".widget-checkbox", "input"),
    "number": (".widget-text:has(input[type=number])", "input"),
    "text": (".widget-text:has(input:not([type=number])), .widget-textarea", "input, textarea"),
    "toggle": (".widget-toggle-button:not(.widget-toggle-buttons *)", ":scope"),
    "button": (".widget-button:not(.widget-toggle-button, .widget-play *)", ":scope"),
    "unknown": (
        ".jupyter-widgets:not(:has(.jupyter-widgets)):is(.widget-play, .widget-upload, .widget-select-multiple, "
        ".widget-colorpicker, .widget-datepicker, .widget-timepicker, .widget-tagsinput, .jupyter-widget-play)",
        "*",
    ),
}

# Functions for the page. A box keeps the picture it had at the last `mark`, so that no picture travels to Python.
PAGE_CODE = """
window.__controls = {
  seen: box => [...box.querySelectorAll(box.matches('.predict') ? '.widget-html' : '.explorer-view')]
                 .map(view => view.innerHTML).join(''),

  mark: (box, name) => { box.__marks = {...box.__marks, [name]: __controls.seen(box)};
                         box.__sent = window.__watch.sent; },

  same: (box, name) => box.__marks[name] === __controls.seen(box),

  // Resolves when the kernel has answered: true as soon as the view is not the marked one. Without any message to the
  // kernel, or with an answer that leaves the view alone, a moment is left for something that may still come.
  changed: box => new Promise(done => {
    const start = performance.now(), quiet = {since: start};
    const look = () => {
      const now = performance.now(), busy = window.__watch.waiting.size > 0;
      if (busy) quiet.since = now;
      const other = !__controls.same(box, 'before');
      const silent = now - quiet.since > (window.__watch.sent > box.__sent ? 400 : 1000);
      if ((other && !busy) || silent || now - start > 10000) requestAnimationFrame(() => done(other));
      else setTimeout(look, 8);
    };
    requestAnimationFrame(look);
  }),

  value: (root, kind) => {
    if (kind === 'slider') return [...root.querySelectorAll('.noUi-handle')].map(h => h.ariaValueText).join();
    if (kind === 'options') return String([...root.querySelectorAll('button')].findIndex(b => b.matches('.mod-active')));
    if (kind === 'radio') return String([...root.querySelectorAll('input')].findIndex(i => i.checked));
    if (kind === 'toggle') return String(root.matches('.mod-active'));
    if (kind === 'checkbox') return String(root.querySelector('input').checked);
    return root.querySelector('select, input, textarea')?.value ?? '';
  },

  label: (root, kind) => {
    const own = kind === 'button' || kind === 'toggle';
    const texts = (own ? [root] : [...root.querySelectorAll('.widget-label, .widget-label-basic, label')])
      .map(text => text.textContent.replaceAll('\\u200b', '').trim());
    return texts.find(text => text) ?? '';
  },

  // Every control of a box in the order of the page; each root gets a number that stays.
  list: (box, kinds) => {
    const found = Object.entries(kinds).flatMap(([kind, [roots, inside]]) =>
      [...box.querySelectorAll(roots)].filter(root => !root.closest('.explorer-view, .explorer-fold'))
        .map(root => ({root, kind, inside})));
    found.sort((a, b) => a.root.compareDocumentPosition(b.root) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    return found.map(({root, kind, inside}) => {
      root.dataset.control ??= String(window.__controls.next++);
      const targets = inside === ':scope' ? [root] : [...root.querySelectorAll(inside)];
      targets.forEach((target, i) => { target.dataset.target = root.dataset.control + '.' + i; });
      return {number: root.dataset.control, kind, label: __controls.label(root, kind), targets: targets.length,
              value: __controls.value(root, kind),
              usable: root.checkVisibility({visibilityProperty: true}) && targets.some(target => !target.closest("[disabled]"))};
    });
  },
  next: 0,
};
"""


# Opens or closes what is folded away, and waits until the page has drawn that; how many it did.
FOLD = """async open => {
  const folds = [...document.querySelectorAll('.explorer-fold')].filter(fold => fold.matches('.mod-active') !== open);
  folds.forEach(fold => fold.click());
  while (folds.length && window.__watch.waiting.size) await new Promise(done => setTimeout(done, 20));
  return folds.length;
}"""


@dataclass(frozen=True)
class Control:
    """One control: its number in the page, its kind, its label, how many parts take the keyboard, its value now."""

    number: str
    kind: str
    label: str
    targets: int
    value: str
    usable: bool

    def __str__(self):
        return f"{self.kind} {self.label!r}"


class Box:
    """An explorer or a question on an opened page."""

    def __init__(self, notebook, element, name):
        self.notebook, self.page, self.element, self.name = notebook, notebook.page, element, name

    def call(self, function, *arguments):
        code = f"([box, ...rest]) => window.__controls.{function}(box, ...rest)"
        return self.page.evaluate(code, [self.element, *arguments])

    def controls(self):
        return [Control(**found) for found in self.call("list", KINDS)]

    def now(self, control):
        """The same control with its present value."""
        return next((other for other in self.controls() if other.number == control.number), control)

    def focus(self, control, part=0):
        """Give a part of a control the keyboard; whether Tab would have come there too."""
        code = """name => { const part = document.querySelector(`[data-target='${name}']`);
                           part.focus(); return document.activeElement === part && part.tabIndex >= 0; }"""
        return self.page.evaluate(code, f"{control.number}.{part}")

    def press(self, control, *keys, part=0):
        """Give a control the keyboard and press keys; says whether its value is another one now."""
        self.focus(control, part)
        for key in keys:
            self.page.keyboard.press(key)
        return self.now(control).value != control.value

    def mark(self, name="before"):
        self.call("mark", name)

    def changed(self):
        """Wait for the kernel's answer; whether the view differs from the one marked before."""
        return self.call("changed")

    def same_as(self, name):
        return self.call("same", name)


def boxes(notebook):
    """Every explorer and question of the page, named by its place."""
    notebook.page.evaluate("code => { if (!window.__controls) (0, eval)(code); }", PAGE_CODE)
    notebook.page.evaluate(FOLD, True)  # what a touch does, a keyboard must be able to do as well
    panel = notebook.page.locator(".jp-NotebookPanel")
    found = {kind: panel.locator(f".{kind}").element_handles() for kind in ("explorer", "predict")}
    return [
        Box(notebook, element, f"{kind} {number} of {len(elements)}")
        for kind, elements in found.items()
        for number, element in enumerate(elements, start=1)
    ]


def explorers(notebook):
    return [box for box in boxes(notebook) if box.name.startswith("explorer")]


def questions(notebook):
    return [box for box in boxes(notebook) if box.name.startswith("predict")]


def strays(notebook):
    """Labels of controls that belong to no explorer or question, so that no test would move them."""
    boxes(notebook)
    panel = notebook.page.locator(".jp-NotebookPanel").element_handle()
    every = Box(notebook, panel, "notebook").controls()
    inside = {control.number for box in boxes(notebook) for control in box.controls()}
    return [str(control) for control in every if control.number not in inside]


# ------------------------------------------------------------------------------------------------------------- moving


def move(box, control):
    """Move a control one step by keyboard: whether its value changed."""
    return MOVES[control.kind](box, control)


def _step(there, back):
    """Sliders, lists and numbers: the keys one way, or at the end of the range the other way."""
    return lambda box, control: any(box.press(control, *keys) for keys in (there, back))


def _space(box, control):
    return box.press(control, "Space")


def _other_option(box, control):
    """Toggle buttons and radio buttons: the option after the chosen one; none chosen counts as -1."""
    return box.press(control, "Space", part=(int(control.value) + 1) % control.targets)


def _type(box, control):
    """Text: the last letter gives way to another letter of the same text, so the text stays of the same kind."""
    return box.press(control, "End", "Backspace", other_ending(control.value), "Enter")


def other_ending(text):
    """A letter of the text that is not its last one; if there is none, "B" after an A and "A" otherwise."""
    last = text[-1:]
    return next((letter for letter in text if letter not in (last, " ")), "B" if last == "A" else "A")


def _push(box, control):
    box.press(control, "Space")
    return True


# JupyterLab keeps the up and down arrows for its cells, even where a list has the keyboard; an open list gets them.
MOVES = {
    "slider": _step(["ArrowRight"], ["ArrowLeft"]),
    "dropdown": _step(["Space", "ArrowDown", "Enter"], ["Space", "ArrowUp", "Enter"]),
    "number": _step(["ArrowUp"], ["ArrowDown"]),
    "options": _other_option,
    "radio": _other_option,
    "checkbox": _space,
    "toggle": _space,
    "text": _type,
    "button": _push,
    "unknown": lambda box, control: False,
}


# ----------------------------------------------------------------------------------------------------------- checking


def dead_controls(box):
    """Complaints about an explorer: controls that do not move, that change nothing, that never appear; Reset."""
    reset = next((control for control in box.controls() if control.label == "Reset"), None)
    if reset:
        _reset(box, reset)  # another test may have moved it
    box.mark("initial")
    start = box.controls()
    tried = {reset.number} if reset else set()
    complaints = _try_usable(box, tried, reset)
    complaints += [f"{control} can never be used" for control in start if control.number not in tried]
    if len(start) > 1:
        complaints += _check_reset(box, start, reset) if reset else ["has no Reset button"]
    return [f"{box.name}: {complaint}" for complaint in complaints or ([] if start else ["has no controls"])]


def _try_usable(box, tried, reset, path=()):
    """Try each control that can be used now and was not tried yet; those that `path` brought to light, from there.

    What was moved stays moved: putting each back would double the time. A control that then cannot be used, or changes
    nothing, is tried again where it was found.
    """
    usable = [control for control in box.controls() if control.usable and control.number not in tried]
    tried.update(control.number for control in usable)
    complaints = []
    for control in usable:
        found = _try(box, control)
        if found and reset:
            _reset(box, reset)
            for step in path:
                _try(box, step)
            found = _try(box, control)
        complaints += found + _try_usable(box, tried, reset, (*path, control))
    return complaints


def _try(box, control):
    """Move one control and ask whether the view changed."""
    box.mark()
    if not move(box, box.now(control)):
        return [f"{control} does not move by keyboard"]
    if box.changed() or (control.kind == "button" and _alive_elsewhere(box, control)):
        return []
    return [f"{control} changes nothing that is seen"]


def _alive_elsewhere(box, button):
    """Whether a button that changed nothing does so after another control moved: it may stand for the first state."""
    if not move_any(box):
        return False
    box.mark()
    box.press(button, "Space")
    return box.changed()


def move_any(box):
    """Move the first control that changes the view; whether there was one."""
    for control in box.controls():
        if control.usable and control.kind not in ("button", "unknown"):
            box.mark()
            if move(box, control) and box.changed():
                return True
    return False


def _reset(box, reset):
    box.mark()
    box.press(reset, "Space")
    box.changed()


def _check_reset(box, start, reset):
    """After another control moved, Reset must bring back the first view and every first value."""
    move_any(box)
    _reset(box, reset)
    after = {control.number: control.value for control in box.controls()}
    moved = [str(control) for control in start if after.get(control.number) != control.value]
    complaints = [f"Reset leaves {control} where it was" for control in moved]
    return complaints + ([] if box.same_as("initial") else ["Reset does not bring back the first view"])


def silent_options(box):
    """Complaints about a question: options whose choice leaves the reply as it was."""
    complaints = []
    for control in box.controls():
        if control.kind in ("options", "radio"):
            chosen = int(control.value)
            order = [part for part in range(control.targets) if part != chosen] + [chosen] * (chosen >= 0)
            silent = [part for part in order if not _answers(box, control, part)]
            complaints += [f"{box.name}: option {part + 1} of {control.label!r} gives no new reply" for part in silent]
    return complaints or ([] if box.controls() else [f"{box.name}: has no options"])


def _answers(box, control, part):
    """Choose one option, press the button if the question has one, and see whether the reply is new."""
    box.mark()
    box.press(control, "Space", part=part)
    for other in box.controls():
        if other.kind == "button":
            box.press(other, "Space")
    return box.changed()
