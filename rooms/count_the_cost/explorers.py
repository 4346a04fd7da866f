"""What attention costs, drawn to scale, and softmax in one pass over the keys."""

from typing import NamedTuple

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.costs import count_attention, count_product, weights_bytes
from rooms.count_the_cost.novel import explore_novel  # noqa: F401
from workbench import Axes, Drawing, Plane, Rule, Touch, choose, explorer, slider, stops, switch, text_width
from workbench.moving.sums import bracketed, exact, number
from workbench.pictures.html import in_two_widths

LONGEST = 4096
WIDTHS = [(str(width), width) for width in (64, 128, 256, 512)]
HEADS = [(str(heads), heads) for heads in (1, 2, 4, 8, 16)]
STACK, GAP = 12, 6  # how far the maps of other heads stand out behind the first; between two blocks


class Room(NamedTuple):
    """How one layer is laid out.

    size : of the drawing
    side : pixels for 4096 tokens, upwards and to the right
    groups : where keys and values begin, and the matrices
    column : (left, base, width, height) of the multiplications
    title : where theirs begins
    gap : between two blocks
    small : whether letters are, and words few
    """

    size: tuple
    side: int
    groups: tuple
    column: tuple
    title: tuple
    gap: int
    small: bool = False

    @property
    def base(self):
        """The line on which all blocks stand."""
        return STACK + self.side

    def axes(self, narrow=None):
        """Of the plane that holds the map."""
        width, height = self.size
        around = (0, STACK, width - self.side, height - self.base)
        return Axes(width, height, (0, LONGEST), (0, LONGEST), margin=around, narrow=narrow)


WIDE = Room((808, 382), 300, (318, 462), (652, 312, 46, 300), (652, 334), 6)
PHONE = Room((332, 376), 140, (156, 254), (0, 366, 96, 116), (0, 238), 2, small=True)


def explore_cost():
    """See what one layer of attention keeps, to scale, and which part of it costs most, for any number of tokens, width and heads.

    Shown: multiplications (3,) of the projections, of the feed-forward network and of pairs of tokens; share () of the pairs;
    crossing (), from where on they cost more than all else; kept_bytes (3,), of the matrices, of keys and values, and of all maps
    of weights, in float32
    """
    return explorer(
        _count,
        _to_scale,
        lambda now: (
            f"With N = {now.num_tokens} and D = {now.d_model}, {now.share:.0%} of the multiplications are made for pairs of tokens. "
            f"At N = {6 if now.feed_forward else 2}D = {now.crossing} they would be half of them."
        ),
        presets={"short sentence": {"num_tokens": 64}, "long document": {"num_tokens": LONGEST}},
        planes={"tokens": Plane(WIDE.axes(PHONE.axes()), "num_tokens", "drag: the number of tokens, N")},
        num_tokens=slider("tokens, N", 2048, 64, LONGEST, 64),
        d_model=stops("width, D", WIDTHS, 512),
        num_heads=stops("heads", HEADS, 1),
        feed_forward=switch("with the feed-forward network"),
    )


def explore_stream():
    """Let six keys pass by one at a time, and watch the three numbers that softmax needs to remember; or let one slip.

    Shown: scores and value (6,), parts (keys,), what each key that has passed by counts for in l; before (keys,), the same just
    before the last of them; state (keys, 4): after each key the largest score m, the sum of powers l, the sum of powers times
    values u, and u / l; seen (keys,), attention over the keys so far, all at once
    """
    return explorer(
        _stream,
        _passing,
        _say_what_is_left,
        [Rule("u / l is the attention over the keys so far", _off, "u / l is off the attention by up to {:.3f}")],
        touch={
            "score": Touch(
                lambda now, k: {"place": k}, lambda now, k: f"click: put the score of 3 at key {k + 1} of 6"
            ),
            "key": Touch(lambda now, k: {"keys": k + 1}, _say_keys),
        },
        sums={"state": _state_in_words},
        folded=["place"],
        keys=slider("keys that have passed by", 5, 1, 6, 1),
        larger=choose("when a larger score arrives", list(_JOINS), "shrink the old sums"),
        place=stops("the score of 3 is at", [(f"key {k + 1} of 6", k) for k in range(6)], 4),
    )


# --- to scale --------------------------------------------------------------------------------------------------------


def _count(num_tokens, d_model, num_heads, feed_forward):
    steps = count_attention(num_tokens, d_model, num_heads)
    network = [count_product(num_tokens, d_model, 4 * d_model), count_product(num_tokens, 4 * d_model, d_model)]
    parts = [
        [steps[name] for name in ("query", "key", "value", "output")],
        network if feed_forward else [],
        [steps[name] for name in ("scores", "mixing")],
    ]
    counts = [sum(step.multiplications for step in part) for part in parts]
    multiplications = np.array(counts, dtype=np.int64)  # in a browser they would have 32 bits
    numbers = [(12 if feed_forward else 4) * d_model**2, 2 * num_tokens * d_model]
    return {
        "multiplications": multiplications,
        "share": multiplications[2] / multiplications.sum(),
        "crossing": np.array((6 if feed_forward else 2) * d_model),
        "kept_bytes": np.array([*(4 * each for each in numbers), weights_bytes(num_tokens, num_heads)], dtype=np.int64),
    }


@in_two_widths((WIDE,), (PHONE,))
def _to_scale(now, room):
    """What one layer keeps, as areas on one line, and what it computes, as a column."""
    drawing = Drawing(*room.size)
    D, N = (room.side / LONGEST * each for each in (now.d_model, now.num_tokens))
    drawing.line((0, room.base), (room.column[0] - 14 if not room.small else room.size[0], room.base), "line", 1)
    _draw_maps(drawing, now, room, N)
    for k, role in enumerate(("key", "value")):
        _stand(drawing, room.groups[0] + k * (D + room.gap), room.base, D, N, role, 0.75)
    for k, role in enumerate(("query", "key", "value", "output")):
        _stand(drawing, room.groups[1] + k * (D + room.gap), room.base, D, D, role, 0.75)
    for k in range(2 * now.feed_forward):
        _stand(drawing, room.groups[1], room.base - (k + 1) * (D + room.gap), 4 * D, D, "muted", 0.55)
    heads = f"{now.num_heads} maps of N²" if now.num_heads > 1 else "N² numbers"
    named = [
        (0, "weights", heads, now.kept_bytes[2]),
        (room.groups[0], "keys, values" if room.small else "keys and values", "2 N D numbers", now.kept_bytes[1]),
        (room.groups[1], "matrices", "4 D² + 8 D²" if now.feed_forward else "4 D² numbers", now.kept_bytes[0]),
    ]
    for x, title, numbers, size in named:
        _name(drawing, room, x, room.base + 22, title, _size(size), numbers)
    _draw_unit(drawing, room)
    _draw_column(drawing, now, room)
    told = "; ".join(f"{title}: {numbers}, {_size(size)}" for _, title, numbers, size in named)
    total = now.multiplications.sum()
    parts = ", ".join(f"{name} {_many(part)}, {part / total:.0%}" for name, _, part, _ in _parts(now))
    return drawing.html(f"To scale: {told}. {_many(total)} multiplications: {parts}.")


def _stand(drawing, x, base, width, height, colour, opacity):
    drawing.box(x, base - height, width, height, fill=colour, fill_opacity=opacity)


def _name(drawing, room, x, y, title, amount, numbers):
    """Three lines under what they name."""
    drawing.words(x, y, title, size=12 if room.small else 14, anchor="start", font_weight=600)
    drawing.words(x, y + 19, amount, size=14 if room.small else 18, anchor="start")
    drawing.words(x, y + 36, numbers, size=11 if room.small else 13, colour="muted", anchor="start")


def _draw_maps(drawing, now, room, N):
    """The maps, in the frame of the largest one; a frame where pairs of tokens are half of the multiplications."""
    half, size = room.side / LONGEST * now.crossing, 11 if room.small else 13
    largest = {"fill": "none", "stroke": "muted", "stroke_dasharray": "3 4"}  # how far one may drag
    drawing.box(0, STACK, room.side, room.side, **largest)
    if N + STACK < room.side - 24:
        drawing.words(room.side - 6, STACK + 18, f"up to {LONGEST:,} tokens", size=size, colour="muted", anchor="end")
    for k in reversed(range(1, min(now.num_heads, 5))):
        drawing.box(3 * k, room.base - N - 3 * k, N, N, fill="paper", stroke="muted", stroke_width=0.7)
    drawing.box(0, room.base - N, N, N, fill="paper")
    _stand(drawing, 0, room.base, N, N, "ink", 0.8)
    frame = [(0, room.base - half), (half, room.base - half), (half, room.base)]
    drawing.curve(frame, "paper", 5)
    drawing.curve(frame, "chosen")
    words = f"half at N = {6 if now.feed_forward else 2}D"
    wide = 1.15 * text_width(words, size) + 8
    left = half + 5 if half + 5 + wide < room.side else half - 5 - wide
    drawing.box(left, room.base - size - 13, wide, size + 8, rx=3, fill="paper")
    drawing.words(left + wide / 2, room.base - 10, words, size=size, colour="chosen")
    drawing.add("circle", cx=N, cy=room.base - N, r=7, fill="ink", stroke="paper", stroke_width=2.5)


def _draw_unit(drawing, room):
    """What an area of a mebibyte is, where nothing stands."""
    if room.small:
        return
    side, x, y = room.side / LONGEST * 512, room.groups[1], STACK + 54  # 512² numbers of four bytes
    drawing.box(x, y, side, side, fill="none", stroke="muted", stroke_width=1.2)
    drawing.words(x + side + 8, y + 16, "1 MiB", size=14, anchor="start")
    drawing.words(x + side + 8, y + 33, "512² numbers", size=12, colour="muted", anchor="start")


def _parts(now):
    """What of the multiplications there is, from the base upwards: list of (name, formula, count, shade)."""
    names = [("projections", "4 N D²"), ("network", "8 N D²"), ("pairs of tokens", "2 N² D")]
    return [(*words, part, shade) for words, part, shade in zip(names, now.multiplications, (0.25, 0.45, 0.8)) if part]


def _draw_column(drawing, now, room):
    """The multiplications as shares of a column, with what they are beside it."""
    (left, base, width, height), total, parts = room.column, now.multiplications.sum(), _parts(now)
    step, y, below = 17 if room.small else 18, base, base + 16
    lines = 2 if room.small else 3
    for k, (name, formula, part, shade) in enumerate(parts):
        high = height * part / total
        _stand(drawing, left, y, width, high, "ink", shade)
        y -= high
        above = base - height + step * lines * (len(parts) - 1 - k)  # room for those that are still to come
        top = max(min(y + high / 2 - step * lines / 2, below - step * lines - 8), above)
        below = top
        share, count = f"{part / total:.0%}", _many(part)
        words = [name, f"{formula}, {share}", count]
        for j, line in enumerate([f"{name}, {share}", f"{formula} = {count}"] if room.small else words):
            look = {"size": 12 if room.small or j else 13, "colour": "muted" if j else "ink"}
            drawing.words(left + width + 12, top + step * (j + 0.75), line, anchor="start", **look)
    half = base - height / 2
    drawing.line((left - 6, half), (left + width + 6, half), "paper", 5)
    drawing.line((left - 6, half), (left + width + 6, half), "chosen", 2)
    (x, y), many = room.title, _many(total)
    if room.small:
        drawing.words(x, y, f"{many} multiplications", size=13, anchor="start", font_weight=600)
    else:
        _name(drawing, room, x, y, "multiplications", many, "of one layer")


def _many(count):
    return f"{count / 1e9:.2f} billion" if count >= 1e9 else f"{count / 1e6:.1f} million"


def _size(count):
    name, size = next(unit for unit in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)) if count >= unit[1])
    return f"{count / size:.4g} {name}"


# --- one key at a time -----------------------------------------------------------------------------------------------

SCORES, LARGE = np.array([1.0, 0.0, 2.0, 1.0, 0.0, 2.0]), 3.0  # before the large one is put among them
VALUES = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
FLOOR, TALL = 148, 84


def _off(now):
    return np.abs(now.state[:, 3] - now.seen).max()


_JOINS = {
    "shrink the old sums": lambda parts, old, new: parts * 3.0 ** (old - new),
    "leave the old sums": lambda parts, old, new: parts,
    "drop the old sums": lambda parts, old, new: parts * (new == old),
}


def _stream(keys, larger, place):
    scores = SCORES.copy()
    scores[place] = LARGE
    largest, parts, before, state, seen = -np.inf, np.zeros(0), np.zeros(0), [], []
    for k in range(keys):
        new_largest = max(largest, scores[k])
        before = np.append(parts, 0.0)
        parts = np.append(_JOINS[larger](parts, largest, new_largest), 3.0 ** (scores[k] - new_largest))
        largest, l, u = new_largest, parts.sum(), parts @ VALUES[: k + 1]  # noqa: E741
        state.append([largest, l, u, u / l])
        answer = scaled_dot_product_attention([[1.0]], scores[: k + 1, None], VALUES[: k + 1, None], scale=1.0, base=3)
        seen.append(answer.output[0, 0])
    return {
        "scores": scores, "value": VALUES.copy(), "parts": parts, "before": before,
        "state": np.array(state), "seen": np.array(seen),
    }  # fmt: skip


@in_two_widths((128, 106), (78, 45))
def _passing(now, left, step):
    """A column for each key: its score, what it counts for so far, its value, and what is remembered once it has passed by."""
    drawing, passed = Drawing(left + 6 * step + 8, 322), len(now.parts)
    size, space = (13, " ") if step > 80 else (11, "")  # of a number with six letters
    rows = {"m": 214, "l": 236, "u": 258, "u / l": 280, "all at once": 302}
    labels = {"score": 30, "power": FLOOR - 4, "value": FLOOR + 26, **rows}
    for words, y in labels.items():
        drawing.words(left - step / 8, y, words, size=13, colour="muted", anchor="end")
    drawing.line((left, FLOOR), (left + 6 * step, FLOOR), "line", 1)
    drawing.line((0, 194), (left + 6 * step, 194), "line", 0.8)
    for k in range(6):
        _draw_key(drawing, now, k, left + step * (k + 0.5), step)
        if k >= passed:
            continue
        x, wrong = left + step * (k + 0.5), abs(now.state[k, 3] - now.seen[k]) > 1e-9
        for j, ((name, y), value) in enumerate(zip(rows.items(), [*now.state[k], now.seen[k]])):
            colour = "wrong" if wrong and name == "u / l" else "output" if name in ("u / l", "all at once") else "ink"
            told = f"✗{space}{exact(value)}" if colour == "wrong" else exact(value)
            weight = 700 if k == passed - 1 else None
            drawing.words(x, y, told, size=size, colour=colour, font_weight=weight)
            box = {"x": x - step / 2, "y": y - 15, "width": step, "height": 21}
            drawing.add("rect", fill="transparent", place=(now.places("state"), k, j), **box)
    m, total, mixed, output = now.state[-1]
    return drawing.html(
        f"{passed} of 6 keys have passed by, scores {', '.join(map(number, now.scores[:passed]))}. Remembered: m {number(m)}, "
        f"l {exact(total)}, u {exact(mixed)}, u / l {exact(output)}; all at once {exact(now.seen[-1])}."
    )


def _draw_key(drawing, now, k, x, step):
    there, newest = k < len(now.parts), k == len(now.parts) - 1
    look = {"stroke": "key", "stroke_width": 2.5 if newest else 1.3, "fill": "none"}
    drawing.box(x - 20, 10, 40, 28, rx=6, **look)
    drawing.words(x, 30, number(now.scores[k]), size=15, colour="ink" if there else "muted", bold=newest)
    if there:
        high, was = TALL * now.parts[k], TALL * now.before[k]
        if was > high:
            dashed = {"stroke": "muted", "stroke_dasharray": "3 3", "fill": "none"}
            drawing.box(x - 18, FLOOR - was, 36, was, **dashed)
        drawing.box(x - 18, FLOOR - high, 36, max(high, 0.5), fill="ink", fill_opacity=0.8)
        beside = (x + 24, FLOOR - 4, "start") if step > 80 else (x, FLOOR - max(high, was) - 5, "middle")
        drawing.words(*beside[:2], exact(now.parts[k]), size=12, colour="muted", anchor=beside[2])
    drawing.words(x, FLOOR + 26, number(now.value[k]), size=14, colour="value" if there else "muted")
    drawing.box(x - step / 2, 42, step, 146, fill="transparent", place=(now.places("key"), k))
    drawing.box(x - 20, 10, 40, 28, fill="transparent", place=(now.places("score"), k))


def _say_keys(now, k):
    return f"click: let {k + 1} key{'s' * (k > 0)} pass by"


def _state_in_words(now, k, j):
    """How a number is made, once key k + 1 has passed by."""
    if k >= len(now.state):
        return ""
    m, total, mixed, output = now.state[k]
    if j == 0:
        return f"m, the largest of {', '.join(map(number, now.scores[: k + 1]))} = {number(m)}"
    if j == 3:
        return f"u / l = {exact(mixed)} / {exact(total)} = {exact(output)}"
    if j == 4:
        return f"attention over the first {k + 1}, all at once = {exact(now.seen[k])}"
    power = f"3^{bracketed(number(now.scores[k] - m))}"
    new = power if j == 1 else f"{power}·{number(now.value[k])}"
    kept = f"{bracketed(exact(now.state[k - 1, j]))} + " if k else ""
    if kept and now.larger == "shrink the old sums":
        kept = f"3^{bracketed(number(now.state[k - 1, 0] - m))}·{kept}"
    if kept and now.larger == "drop the old sums" and now.state[k - 1, 0] < m:
        kept = ""
    return f"{'lu'[j - 1]} = {kept}{new} = {exact(now.state[k, j])}"


def _say_what_is_left(now):
    m, total, mixed, output = now.state[-1]
    return (
        f"After {len(now.state)} key{'s' * (len(now.state) > 1)} the largest score is {m:.0f}, l is {total:.3f}, u is {mixed:.3f}, and u / l is {output:.3f}. "
        f"Softmax over these keys all at once gives {now.seen[-1]:.3f}."
    )
