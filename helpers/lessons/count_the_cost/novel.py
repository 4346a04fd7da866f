"""What a text costs in seconds, euros and bytes, counted from multiplications and from what the reader says of the machine."""

import numpy as np

from helpers.costs import count_attention, count_product, weights_bytes
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import explorer
from helpers.pictures.html import by_width
from helpers.pictures.svg import Drawing

D_MODEL, NUM_LAYERS, NUM_HEADS, BYTES = 4096, 32, 32, 2  # as wide and as deep as many of seven billion parameters
ANSWER = 500  # tokens that are written
TEXTS = {"sentence": 30, "page": 500, "chapter": 8_000, "novel": 131_072}
TASKS = ["read it", "answer, reading all anew", "answer, with a cache"]
SPEEDS = [("10¹¹", 1e11), ("10¹²", 1e12), ("10¹³", 1e13), ("10¹⁴", 1e14), ("4·10¹⁴", 4e14), ("10¹⁵", 1e15)]
WIDE, NARROW, ROW = 800, 340, 104
SECOND, CENT, BYTE = (
    [("1 ms", 1e-3), ("1 s", 1), ("1 min", 60), ("1 hour", 3600), ("1 day", 86_400), ("1 year", 3.15e7)],
    [("1/100 ct", 1e-4), ("1 ct", 1e-2), ("€ 1", 1), ("€ 100", 1e2), ("€ 10,000", 1e4)],
    [("1 MB", 1e6), ("1 GB", 1e9), ("80 GB, a card", 8e10), ("1 TB", 1e12), ("100 TB", 1e14)],
)


def explore_novel():
    """Give a model a sentence or a novel, say how fast and how dear the machine is, and see seconds, euros and memory.

    Shown: multiplications (), of all matrix products; seconds (), euros (); kept_bytes (3,), of the model's weights, of all keys
    and values, and of the maps of one layer, in numbers of two bytes
    """
    return explorer(
        _priced,
        lambda now: by_width(_three_scales(now, WIDE), _three_scales(now, NARROW)),
        _say_the_bill,
        folded=["speed"],
        text=choose("text", list(TEXTS), "novel"),
        task=choose("task", TASKS, "read it"),
        price=slider("price of an hour, €", 2.0, 0.1, 10.0, 0.1),
        speed=stops("operations per second", SPEEDS, 4e14),
    )  # fmt: skip


def multiplications(num_tokens, new=None):
    """Of all matrix products of the model, for num_tokens, or for `new` ones of them where the others are in a cache."""
    new = num_tokens if new is None else new
    products = count_attention(num_tokens, D_MODEL, NUM_HEADS)
    network = count_product(num_tokens, D_MODEL, 4 * D_MODEL).multiplications * 2
    one_layer = sum(step.multiplications for step in products.values()) + network
    return NUM_LAYERS * one_layer * new // num_tokens  # each token costs the same where each meets all


def _priced(text, task, price, speed):
    N = TEXTS[text]
    lengths = range(N, N + ANSWER)
    if task == TASKS[0]:
        count = multiplications(N)
    elif task == TASKS[1]:
        count = sum(multiplications(n) for n in lengths)
    else:
        count = multiplications(N) + sum(multiplications(n + 1, new=1) for n in lengths)
    seconds = 2 * count / speed  # a multiplication and an addition
    kept = N if task == TASKS[0] else N + ANSWER
    cache = 2 * kept * D_MODEL * NUM_LAYERS * BYTES
    weights = 12 * D_MODEL**2 * NUM_LAYERS * BYTES
    return {
        **{"multiplications": float(count), "seconds": seconds, "euros": seconds * price / 3600},
        "kept_bytes": np.array([weights, cache, weights_bytes(kept, NUM_HEADS, BYTES)], dtype=float),
    }


def _three_scales(now, width):
    drawing = Drawing(width, 3 * ROW + 6)
    weights, cache, maps = now.kept_bytes
    for row, (title, marks, dots) in enumerate((
        ("time", SECOND, [(_time(now.seconds), now.seconds, "ink")]),
        ("price", CENT, [(_money(now.euros), now.euros, "ink")]),
        ("memory", BYTE, [(f"model {_size(weights)}", weights, "muted"), (f"keys and values {_size(cache)}", cache, "key"),
                          (f"maps of one layer {_size(maps)}", maps, "ink")]),
    )):  # fmt: skip
        _scale(drawing, row * ROW, width, title, marks, dots)
    return drawing.html(
        f"Three scales. Time {_time(now.seconds)}, price {_money(now.euros)}, memory: model {_size(weights)}, keys and values "
        f"{_size(cache)}, maps of one layer {_size(maps)}."
    )


def _scale(drawing, top, width, title, marks, dots):
    """A line on which each step to the right is ten times as much, with a dot for each quantity."""
    left, right, y = (110, width - 60, top + 66) if width == WIDE else (26, width - 38, top + 66)
    low, high = np.log10(marks[0][1]), np.log10(marks[-1][1])

    def at(value):
        return left + (right - left) * float(np.clip((np.log10(max(value, 1e-30)) - low) / (high - low), -0.02, 1.04))

    drawing.words(0, y + 5 if width == WIDE else top + 12, title, size=15, anchor="start", bold=True)
    drawing.line((left - 6, y), (right + 6, y), "line", 2)
    for k, (words, value) in enumerate(marks):
        drawing.line((at(value), y - 5), (at(value), y + 5), "line", 1.5)
        if width == WIDE or k % 2 == 0 or value == 8e10:
            words = words if width == WIDE else words.split(", a")[0]
            drawing.words(at(value), y + 21, words, size=12 if width == WIDE else 11, colour="muted")
    if len(dots) == 1:
        ((words, value, role),) = dots
        drawing.add("circle", cx=at(value), cy=y, r=7, fill=role, stroke="paper", stroke_width=2)
        middle = np.clip(at(value), left + 50, right - 50)
        drawing.words(middle, y - 20, words, size=20 if width == WIDE else 18, halo=True, bold=True)
        return
    dots = sorted(dots, key=lambda dot: dot[1])
    before = at(dots[1][1]) > (left + right) / 2  # words stand on the side that has more room, and cross no line
    heights = (18, 33, 48) if before else (48, 33, 18)
    for (words, value, role), up in zip(dots, heights):
        x, size = at(value), 13 if width == WIDE else 12
        drawing.line((x, y), (x, y - up - 2), role, 1.5)
        drawing.add("circle", cx=x, cy=y, r=7, fill=role, stroke="paper", stroke_width=2)
        drawing.words(
            x - 5 if before else x + 5, y - up + 8, words, size=size, colour=role, anchor="end" if before else "start"
        )


def _rounded(value):
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def _time(seconds):
    for name, size in (("years", 3.15576e7), ("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1)):
        if seconds >= 2 * size or (name == "seconds" and seconds >= 1):
            return f"{_rounded(seconds / size)} {name}"
    return f"{_rounded(1000 * seconds)} ms"


def _money(euros):
    if euros >= 1:
        return f"€ {euros:,.0f}" if euros >= 100 else f"€ {euros:.2f}"
    return f"{_rounded(100 * euros)} cents" if euros >= 5e-4 else "under 0.1 cents"


def _size(count):
    for name, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{_rounded(count / size)} {name}"
    return f"{_rounded(count / 1e3)} kB"


def _say_the_bill(now):
    what = {TASKS[0]: f"To read a {now.text}", TASKS[1]: f"To write {ANSWER} tokens about a {now.text} and to read all anew for each",
            TASKS[2]: f"To read a {now.text} once and to write {ANSWER} tokens from a cache"}[now.task]  # fmt: skip
    return (
        f"{what}, the model of {NUM_LAYERS} layers makes {_many(now.multiplications)} multiplications. That takes {_time(now.seconds)} "
        f"and costs {_money(now.euros)}."
    )


def _many(count):
    digits, power = f"{count:.1e}".split("e")
    return f"{digits}·10" + str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
