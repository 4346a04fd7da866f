"""Play the recorded explorers of a page: every control, button, touch and drag, and each picture as it was recorded."""

import base64
import contextlib
import functools
import http.server
import io
import json
import threading

import numpy as np
from PIL import Image

from helpers import explorers
from workbench.moving.touch import place_of
from workbench.recording.frames import Recording
from workbench.recording.states import Reach

COMPARE = """async (box, markup) => {
  const bare = root => {
    for (const part of root.querySelectorAll('*'))
      for (const name of ['data-set', 'data-paint', 'data-drop']) part.removeAttribute(name);
    for (const part of root.querySelectorAll('pre')) part.removeAttribute('tabindex');  // the page's own: it lets a key scroll it
    return root;
  };
  const pixels = async source => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const pen = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height}).getContext('2d');
    pen.drawImage(image, 0, 0);
    return {wide: image.width, high: image.height, colours: new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer)};
  };
  const same = async (one, other) => {  // of a map the page draws one pixel for each number, where it was a square of them
    const [small, large] = await Promise.all([one, other].map(pixels)), times = large.wide / small.wide;
    return Number.isInteger(times) && large.high === times * small.high && large.colours.every((colour, i) =>
      colour === small.colours[Math.floor(Math.floor(i / large.wide) / times) * small.wide + Math.floor(i % large.wide / times)]);
  };
  const wanted = document.createElement('div');
  wanted.innerHTML = markup;
  const shown = bare(box.querySelector('.explorer-view').cloneNode(true));
  const maps = [shown, wanted].map(root => [...root.querySelectorAll('image')]);
  for (const [i, map] of maps[0].entries()) {
    const sources = [map, maps[1][i]].map(each => each?.getAttribute('href'));
    const known = window.comparedMaps ??= new Map(), key = sources.join(' ');
    if (sources[1] && !known.has(key)) known.set(key, await same(...sources));
    if (!known.get(key)) return `in map ${i}`;
    maps[1][i].setAttribute('href', sources[0]);
  }
  const [one, other] = [shown, wanted].map(root => root.innerHTML);
  return one === other ? '' : `from letter ${[...one].findIndex((letter, i) => letter !== other[i])} of ${one.length}`;
}"""
SEEN = """box => ({now: box.player.now, places: box.player.state,
                  focus: document.activeElement?.closest?.('[data-control]')?.dataset.control ?? null})"""
FIELDS = """box => [...box.querySelectorAll('[data-control]')].filter(root => root.checkVisibility()).map(root => {
  const input = root.querySelector('input, select');
  const kind = root.className.match(/player-(\\w+)/)[1];
  return {k: +root.dataset.control, kind, off: input?.disabled ?? false, at: box.player.state[+root.dataset.control],
          count: box.player.data.values[+root.dataset.control].length,
          options: [...root.querySelectorAll('button, option')].map(each => [+(each.dataset.option ?? each.value), each.disabled]),
          name: (input?.labels?.[0]?.textContent || input?.ariaLabel || root.ariaLabel || '').trim()};
})"""
SETTLED = "box => box.querySelector('.player-told').textContent === ''"
POSITIONS = "box => box.player.state.map((place, k) => box.player.data.values[k][place])"
TOUCHES = """box => {
  const found = new Map();
  for (const part of box.querySelectorAll('.explorer-view [data-set]')) {
    const name = part.getAttribute("class").match(/at-(\\w+)/)[1];
    found.set(name, [...(found.get(name) ?? []), part.getAttribute("class")]);
  }
  return [...found].map(([name, parts]) => [name, parts[0], parts.at(-1)]);
}"""

COVERED = """box => [...box.querySelectorAll('button:not(:disabled), input, select, summary, [data-set]')].flatMap(part => {
  if (!part.checkVisibility()) return [];
  part.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  const place = part.getBoundingClientRect();
  const there = document.elementFromPoint(place.left + place.width / 2, place.top + place.height / 2);
  const free = there && (part.contains(there) || there.contains(part) && part.closest('.explorer-view'));
  return free ? [] : [`${part.outerHTML.slice(0, 80)} lies under ${there?.outerHTML.slice(0, 80)}`];
})"""


class Files(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")  # as PyPI, from which a lesson gets a model
        super().end_headers()

    def log_message(self, *_):
        """Say nothing."""


@contextlib.contextmanager
def served(folder, files=Files):
    """The address of a file server for a folder."""
    handler = functools.partial(files, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def play_every_control(page, pixels=3):
    """Move everything that answers, in every recorded explorer of an opened page.

    Parameters
    ----------
    page : of playwright
    pixels : how many pictures of each explorer are compared pixel by pixel; their words always are

    Returns
    -------
    list of complaints, [] if all is well
    """
    return [complaint for played in players(page) for complaint in played.play(pixels)]


def players(page):
    """Every recorded explorer of a page, awake."""
    page.wait_for_function("() => document.readyState === 'complete'")
    found = page.locator(".player[data-src]")
    players = []
    for k in range(found.count()):
        box = found.nth(k)
        box.scroll_into_view_if_needed()
        page.wait_for_function("box => box.classList.contains('ready')", arg=box.element_handle(), timeout=15000)
        played = Played(page, box.element_handle())
        players.append(Computed(page, played.box) if "computed" in played.recording.data else played)
    return players


def read(text):
    """The recording in a file of data."""
    return Recording(json.loads(text[text.index(",") + 1 : text.rindex(")")]))


def on_white(pixels):
    """What a light page shows of pixels that may be transparent."""
    share = pixels[..., 3:] / 255
    return pixels[..., :3] * share + 255 * (1 - share)


class Played:
    """One recorded explorer on a page."""

    def __init__(self, page, box):
        self.page, self.box = page, box
        self.source = box.get_attribute("data-src")
        self.recording = read(page.evaluate("async url => await (await fetch(url)).text()", self.source))

    def play(self, pixels=0):
        """Move everything once; the complaints."""
        self._pixels, self._complaints, self._met = pixels, [], set()
        self._look("the first picture")
        for fold in self.box.query_selector_all("summary"):
            fold.click()
        self._complaints += self.box.evaluate(COVERED)[:3]
        for field in self.box.evaluate(FIELDS):
            self._check(bool(field["name"]), f"control {field['k']} has no name")
            if not field["off"]:
                self._move(field)
                self._press("Reset")
        for button in self.box.query_selector_all("[data-button]"):
            self._press(button.get_attribute("data-button"))
        self._press("Reset")
        for name, *parts in self.box.evaluate(TOUCHES):
            for part in dict.fromkeys(parts):
                self._touch(name, part)
        self._press("Reset")
        for sheet in self.box.query_selector_all(".explorer-sheet > div"):
            if sheet.is_visible():  # that of a wide card, or that of a narrow one
                self._drag(sheet)
        wide = self.page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self._check(wide <= 0, f"the page scrolls sideways by {wide} px")
        return [f"{self.source}: {complaint}" for complaint in self._complaints]

    # --- moves -------------------------------------------------------------------------------------------------------

    def _move(self, field):
        getattr(self, f"_move_{field['kind']}")(field, self.box.query_selector(f"[data-control='{field['k']}']"))

    def _move_slider(self, field, root):
        slider = root.query_selector("input")
        for key, place in (("End", field["count"] - 1), ("ArrowLeft", field["count"] - 2), ("Home", 0)):
            slider.focus()
            self.page.keyboard.press(key)
            self._moved(field, place, key)

    def _move_number(self, field, root):
        number = root.query_selector("input")
        number.focus()
        key, place = (
            ("ArrowUp", field["at"] + 1) if field["at"] + 1 < field["count"] else ("ArrowDown", field["at"] - 1)
        )
        self.page.keyboard.press(key)
        self._moved(field, place, key)
        number.fill("-1e6")
        self.page.keyboard.press("Enter")
        self._moved(field, 0, "a number that is typed")

    def _move_tick(self, field, root):
        root.query_selector("input").focus()
        self.page.keyboard.press("Space")
        self._moved(field, 1 - field["at"] if field["count"] > 1 else field["at"], "Space")

    def _move_text(self, field, root):
        if root.query_selector("input"):
            return self._type_answers(field, root.query_selector("input"))
        root.query_selector("select").select_option(str(field["count"] - 1))
        self._moved(field, field["count"] - 1, "another text")

    def _type_answers(self, field, line):
        """Every text that was recorded beside this state, and one that nobody meant."""
        k, data, here = field["k"], self.recording.data, self.box.evaluate("box => box.player.state")
        beside = [state for state in data["states"] if [*state[:k], *state[k + 1 :]] == [*here[:k], *here[k + 1 :]]]
        self._check(len(beside) > 2, "no answer was recorded for the first number")
        for state in beside:
            line.fill(data["values"][k][state[k]])
            self.page.keyboard.press("Enter")
            self._moved(field, state[k], data["values"][k][state[k]])
        line.fill("98765")
        self.page.keyboard.press("Enter")
        self._moved(field, data["values"][k].index(""), "98765")
        told = self.box.query_selector(".player-told").inner_text()
        self._check(told.startswith("✗ 98765"), f"98765 is told {told!r}")

    def _move_choice(self, field, root):
        values = self.recording.data["values"][field["k"]]
        for option, off in field["options"]:
            if not off:
                root.query_selector(f"button[data-option='{option}']").click()
                self._moved(field, values.index(option), f"option {option}")

    def _move_select(self, field, root):
        values = self.recording.data["values"][field["k"]]
        for option, off in field["options"]:
            if not off:
                root.query_selector("select").focus()
                root.query_selector("select").select_option(str(option))
                self._moved(field, values.index(option), f"option {option}")

    def _moved(self, field, place, how):
        seen = self._look(f"control {field['k']}, {how}")
        self._check(seen["places"][field["k"]] == place, f"control {field['k']} does not go where {how} puts it")
        if field["kind"] not in ("text",):
            self._check(seen["focus"] == str(field["k"]), f"control {field['k']} loses the focus by {how}")

    def _press(self, text):
        self.box.query_selector(f'[data-button="{text}"]').click()
        seen = self._look(text)
        if text == "Reset":
            self._check(seen["now"] == 0, "Reset does not lead to the start")

    def _touch(self, name, classes):
        parts = self.box.query_selector_all("." + ".".join(classes.split()))
        part = next((each for each in parts if each.is_visible()), None)  # what is drawn for a wide card may be hidden
        if part is None:
            return
        data = self.recording.data
        numbers = self.box.evaluate("(box, k) => box.player.data.sets[k]", int(part.get_attribute("data-set")))
        part.scroll_into_view_if_needed()
        part.click()
        seen = self._look(f"a touch of {classes}")
        places = self.box.evaluate("box => box.player.state")
        recorded = "computed" in data or any(
            all(state[k] == i for k, i in zip(numbers[::2], numbers[1::2])) for state in data["states"]
        )
        led = all(places[k] == i for k, i in zip(numbers[::2], numbers[1::2]))
        self._check(led or not recorded, f"a touch of {classes} does not set what it says")
        return seen

    def _drag(self, sheet):
        sheet.scroll_into_view_if_needed()
        place = sheet.bounding_box()
        at = [(place["x"] + x * place["width"], place["y"] + y * place["height"]) for x, y in ((0.3, 0.3), (0.7, 0.6))]
        self.page.mouse.move(*at[0])
        self.page.mouse.down()
        self._look("a press in the figure")
        self.page.mouse.move(*at[1], steps=3)
        self._look("a drag in the figure")
        self.page.mouse.up()

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _look(self, how):
        """Compare the picture with what was recorded for the state in which the player says it is."""
        seen = self.box.evaluate(SEEN)
        now = seen["now"]
        self._check(self.recording.data["states"][now] == seen["places"], f"after {how}, the controls are elsewhere")
        off = self.box.evaluate(COMPARE, self.recording.html(now))
        self._check(not off, f"after {how}, the picture of state {now} is another one {off}")
        if now not in self._met and len(self._met) < self._pixels:
            self._met.add(now)
            for k, (look, wanted) in enumerate(self.recording.figures(now)):
                gap = np.abs(on_white(self._canvas(k)) - on_white(wanted)).mean()
                self._check(gap < (2 if look == "photo" else 1e-9), f"figure {k} of state {now} is off by {gap:.2f}")
        return seen

    def _canvas(self, k):
        code = "(box, k) => box.querySelectorAll('.explorer-view canvas')[k].toDataURL('image/png')"
        data = self.box.evaluate(code, k).partition("base64,")[2]
        return np.array(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))

    def _check(self, holds, complaint):
        if not holds:
            self._complaints.append(complaint)


TYPED = ["Who is she?", "q", "the dot product of two vectors is large when they point the same way, and " * 2]


class Computed(Played):
    """One whose states are computed in the page: each picture is compared with the one that the explorer of lesson 14 draws."""

    def __init__(self, page, box):
        super().__init__(page, box)
        self.explorer = explorers.explore_writing()

    def _type_answers(self, field, line):
        for text in TYPED:
            line.fill(text)
            self.page.keyboard.press("Enter")
            self._look(f"typing {text}")
            self._check(line.input_value() == text, f"“{text}” does not stay as it was typed")
        line.fill("")
        self.page.keyboard.press("Enter")
        told = self.box.query_selector(".player-told").inner_text()
        try:
            self.explorer.set(beginning="")
        except ValueError as error:
            self._check(told == f"{error} The last good picture stays.", f"no letter is told {told!r}")

    def _touch(self, name, classes):
        """Twice, since a head that is chosen leads back to all; not at the start, whose picture was recorded."""
        for _ in range(2):
            self.box.query_selector("[data-control='4'] input").press("ArrowLeft")
            self._look("another try")
            wanted = Reach(self.explorer).touched(*place_of({"className": classes}))
            super()._touch(name, classes)
            positions = self.box.evaluate(POSITIONS)
            self._check(all(positions[k] == each for k, each in wanted), f"a touch of {classes} leads elsewhere")

    def _look(self, how):
        self.page.wait_for_function(SETTLED, arg=self.box)
        Reach(self.explorer).place(tuple(self.box.evaluate(POSITIONS)))
        off = self.box.evaluate(COMPARE, self.explorer.html)
        self._check(not off, f"after {how}, the picture is another one {off}")
        return self.box.evaluate(SEEN)
