"""What a recording holds: each state's picture, in words that are kept once, and how to read it again."""

import json
import re

from workbench.moving.touch import Paint, Swap, place_of
from workbench.recording import columns, maps, tiles

WORD = re.compile(r"<[^>]*>|[^<]+")
PART = re.compile(r' class="((?:touch|drag)[^"]*)"')


class Frames:
    """Takes down what an explorer shows, state after state.

    Parameters
    ----------
    reach : states.Reach
    kept : dict source -> pixels, from `tiles.unpacked`
    """

    def __init__(self, reach, kept):
        self._reach, self._kept, self._explorer = reach, kept, reach.explorer
        self.sheet, self.maps, self.frames = tiles.Sheet(), maps.Maps(), {}
        self._words, self._sets, self._looks, self._tables = {}, {}, {}, {}

    def visit(self):
        """Take down the state that is shown; returns where buttons lead on from it, texts and touches."""
        targets = []
        marked = PART.sub(lambda found: self._marked(found, targets), self._explorer._view.value)
        plain = self.maps.taken_out(tiles.IMAGE.sub(self._image, marked))
        words = [self._number(self._words, word) for word in WORD.findall(plain)]
        drags = [self._planes(*tables) for tables in self._reach.planes().values()]
        state, look = self._reach.state(), self._number(self._looks, self._look())
        presses = self._reach.pressed()
        self.frames[state] = (tuple(words), look, tuple(drags), [self._number(self._sets, p) for p in presses.values()])
        self._kept.clear()
        return list(presses.values()), self._reach.typed(), targets

    def _number(self, known, thing):
        return known.setdefault(thing, len(known))

    def _marked(self, found, targets):
        """The class of a part, and what a touch of it sets."""
        classes = found[1]
        name, index = place_of({"className": classes})
        touch = self._explorer._touch[self._explorer._names[name]]
        pairs = self._reach.touched(name, index)
        targets.append(pairs)
        more = ' data-paint=""' if isinstance(touch, Paint) else ""
        if isinstance(touch, Swap):
            ends = sorted({place_of({"className": each}) for each in PART.findall(self._explorer.html)})
            drops = [self._reach.dropped(name, index, end) for other, end in ends if other == name]
            targets += drops
            more = f' data-drop="{" ".join(str(self._number(self._sets, each)) for each in drops)}"'
        return f' class="{classes}" data-set="{self._number(self._sets, pairs)}"{more}'

    def _image(self, found):
        look, said, width, height, source = found.groups()
        number = self.sheet.add(tiles.pixels_of(source, self._kept), look)
        size = f'width="{width}" height="{height}"'
        return f'<canvas class="{look}" role="img" aria-label="{said}" {size} data-image="{number}"></canvas>'

    def _look(self):
        """What else changes with a state: which controls are hidden, and the words of choices."""
        controls = self._reach.controls
        grids = {entry: grid for grid in self._explorer._fields.values() for entry in getattr(grid, "controls", {})}
        hidden = [
            k
            for k, (name, control) in enumerate(zip(self._reach.names, controls))
            if "none" in (control.layout.display, name in grids and grids[name].layout.display)
        ]
        words = [(k, list(control._options_labels)) for k, control in enumerate(controls) if _is_choice(control)]
        return json.dumps([hidden, words], ensure_ascii=False)

    def _planes(self, *tables):
        return tuple(self._number(self._tables, self._table(*table)) if table else -1 for table in tables)

    def _table(self, columns, cells):
        return columns, tuple(self._number(self._sets, cell) for cell in cells)

    # --- written -----------------------------------------------------------------------------------------------------

    def written(self, values=None):
        """The recording as a dict for JSON; see `Recording` for what is what. `values`: those of each control, where more than the
        recorded ones can be set."""
        states = list(self.frames)
        values = values or [sorted({state[k] for state in states}) for k in range(len(states[0]))]
        places = [{value: i for i, value in enumerate(column)} for column in values]
        told = [[at[position] for at, position in zip(places, state)] for state in states]
        words, numbers = columns.by_template(self._words)
        sets = [self.steps(pairs, values) for pairs in self._sets]
        first = {}  # set that does the same: then tables are the same, too
        same = [first.setdefault(tuple(each), k) for k, each in enumerate(sets)]
        return {
            "values": values,
            "states": told,
            "frames": columns.folded([[numbers[word] for word in each] for each, *_ in self.frames.values()], told),
            "looks": [look for _, look, *_ in self.frames.values()],
            "drags": [list(drags) for _, _, drags, _ in self.frames.values()] if self._tables else [],
            "presses": [presses for *_, presses in self.frames.values() if presses],
            "words": words,
            "maps": self.maps.written(),
            "look": [json.loads(look) for look in self._looks],
            "sets": sets,
            "tables": [[columns, [same[cell] for cell in cells]] for columns, cells in self._tables],
            "images": against_the_first([numbers for *_, numbers in self.sheet.images]),
            "sheets": self.sheet.pictures(),
        }

    def steps(self, pairs, values):
        """An assignment by places in `values`, flat: control, place, control, place, …

        A number goes to the nearest one that was recorded; [] where a choice was not recorded at all.
        """
        steps = []
        for k, position in pairs:
            near = [position]
            if isinstance(position, int | float) and not _is_choice(self._reach.controls[k]):
                near = sorted(values[k], key=lambda value: abs(value - position))
            if near[0] not in values[k]:
                return []
            steps += [k, values[k].index(near[0])]
        return steps


def _is_choice(control):
    return hasattr(control, "_options_labels")


def against_the_first(lists):
    """Lists of numbers, each as what differs from the first one of its length: [which, place, number, place, number, …]."""
    first, written = {}, []
    for k, numbers in enumerate(lists):
        base = first.setdefault(len(numbers), k)
        if base == k:
            written.append([-1, *numbers])
        else:
            changes = [(i, new) for i, (old, new) in enumerate(zip(lists[base], numbers)) if old != new]
            written.append([base, *(number for change in changes for number in change)])
    return written


def unfolded(lists, k):
    """The list k of numbers, as it was before `against_the_first`."""
    base, *rest = lists[k]
    if base < 0:
        return rest
    numbers = unfolded(lists, base)
    for i, new in zip(rest[::2], rest[1::2]):
        numbers[i] = new
    return numbers


class Recording:
    """A recording that is read again.

    Parameters
    ----------
    data : dict
        values : for each control, the positions that were recorded, in order
        states : for each state, where each control stands in its `values`
        words, frames : what the view shows in each state, see `columns`; the pictures in it are in `maps`, see there
        looks : for each state, the number of its `look`: hidden controls, words of choices
        drags : for each state, for each plane, the numbers of three `tables`, columns and `sets`: for a drag, a press, a pointer that rests
        presses : for each state, the numbers of `sets` for buttons that lead elsewhere from each state; [] = there are none
        sets : what a touch does: control, place in `values`, control, place, …
        images : the squares of each figure, in the two pictures of `sheets`
    """

    def __init__(self, data):
        self.data, self._words = data, columns.words(data["words"])

    def marked(self, k):
        """What the view shows in state k, with the numbers of what a touch sets."""
        return "".join(self._words[number] for number in columns.frame(self.data["frames"], self.data["states"], k))

    def html(self, k):
        """What the view shows in state k, without what answers."""
        return maps.put_back(re.sub(r' data-(?:set|paint|drop)="[^"]*"', "", self.marked(k)), self.data["maps"])

    def positions(self, k):
        return tuple(values[i] for values, i in zip(self.data["values"], self.data["states"][k]))

    def dead_buttons(self):
        """The buttons that lead nowhere, or to where something else stands than what they set."""
        states, buttons = self.data["states"], self.data["buttons"].items()
        pairs = {text: [*zip(steps[::2], steps[1::2])] for text, steps in buttons}
        reached = {
            text for text, each in pairs.items() if any(all(there[k] == at for k, at in each) for there in states)
        }
        return [text for text, each in pairs.items() if not each or text not in reached]

    def figures(self, k):
        """The figures of state k: list of (look, pixels)."""
        found = re.findall(r'<canvas class="(\w+)"[^>]*width="(\d+)" height="(\d+)" data-image="(\d+)"', self.html(k))
        return [
            (look, tiles.figure(self.data["sheets"], (look, int(w), int(h), unfolded(self.data["images"], int(n)))))
            for look, w, h, n in found
        ]
