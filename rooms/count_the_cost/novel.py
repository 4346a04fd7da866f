"""What a text costs in seconds, euros and bytes, counted from multiplications and from what the reader says of the machine."""

import numpy as np

from helpers.costs import count_attention, count_product, weights_bytes
from workbench.moving.controls import choose, slider, stops
from workbench.moving.engine import explorer
from workbench.moving.sums import scientific
from workbench.pictures.html import by_width
from workbench.pictures.svg import Drawing, text_width

D_MODEL, NUM_LAYERS, NUM_HEADS, BYTES = 4096, 32, 32, 2  # as wide and as deep as many of seven billion parameters
ANSWER = 500  # tokens that are written
TEXTS = {"sentence": 30, "page": 500, "chapter": 8_000, "novel": 131_072}
TASKS = ["read it", "answer, reading all anew", "answer, with a cache"]
SPEEDS = [("10¹¹", 1e11), ("10¹²", 1e12), ("10¹³", 1e13), ("10¹⁴", 1e14), ("4·10¹⁴", 4e14), ("10¹⁵", 1e15)]
WIDE, NARROW, ROW, YEAR = 800, 340, 104, 365.25 * 86_400
SECOND, CENT, BYTE = (
    [("1 ms", 1e-3), ("1 s", 1), ("1 min", 60), ("1 hour", 3600), ("1 day", 86_400), ("1 year", YEAR)],
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
    drawing, time, price = Drawing(width, 3 * ROW + 6), _time(now.seconds), _money(now.euros)
    kept = zip(("model", "keys and values", "maps of one layer"), now.kept_bytes, ("muted", "key", "ink"))
    memory = [(f"{name} {_size(count)}", count, role) for name, count, role in kept]
    _scale(drawing, 0, width, "time", SECOND, [(time, now.seconds, "ink")])
    _scale(drawing, ROW, width, "price", CENT, [(price, now.euros, "ink")])
    _scale(drawing, 2 * ROW, width, "memory", BYTE, memory)
    told = ", ".join(words for words, *_ in memory)
    return drawing.html(f"Three scales. Time {time}, price {price}, memory: {told}.")


def _scale(drawing, top, width, title, marks, dots):
    """A line on which each step to the right is ten times as much, with a dot for each quantity."""
    wide, y = width == WIDE, top + 66
    left, right = (110, width - 60) if wide else (26, width - 38)
    low, high = np.log10(marks[0][1]), np.log10(marks[-1][1])

    def at(value):
        return left + (right - left) * float(np.clip((np.log10(max(value, 1e-30)) - low) / (high - low), -0.02, 1.04))

    drawing.words(0, y + 5 if wide else top + 12, title, size=15, anchor="start", bold=True)
    drawing.line((left - 6, y), (right + 6, y), "line", 2)
    for k, (words, value) in enumerate(marks):
        drawing.line((at(value), y - 5), (at(value), y + 5), "line", 1.5)
        if wide or k % 2 == 0:
            drawing.words(
                at(value), y + 21, words if wide else words.split(", a")[0], size=12 if wide else 11, colour="muted"
            )
    for _, value, role in dots:
        side = int(value > marks[-1][1]) - int(value < marks[0][1])  # where it leaves the scale
        x = at(value)
        if side:
            points = f"{x + 11 * side:.1f},{y} {x - 5 * side:.1f},{y - 8} {x - 5 * side:.1f},{y + 8}"
            drawing.add("polygon", points=points, fill=role, stroke="paper", stroke_width=2)
        else:
            drawing.add("circle", cx=x, cy=y, r=7, fill=role, stroke="paper", stroke_width=2)
    if len(dots) == 1:
        words, size = dots[0][0], 20 if wide else 18
        half = 0.6 * text_width(words, size)  # bold letters are wider
        middle = np.clip(at(dots[0][1]), half, width - half)
        drawing.words(middle, y - 20, words, size=size, halo=True, bold=True)
        return
    dots = sorted(dots, key=lambda dot: dot[1])
    before = at(dots[1][1]) > (left + right) / 2  # words stand on the side that has more room, and cross no line
    side, heights = (-5, (18, 33, 48)) if before else (5, (48, 33, 18))
    how = {"size": 13 if wide else 12, "anchor": "end" if before else "start"}
    for (words, value, role), up in zip(dots, heights):
        drawing.line((at(value), y - 7), (at(value), y - up - 2), role, 1.5)
        drawing.words(at(value) + side, y - up + 8, words, colour=role, **how)


def _rounded(value):
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def _time(seconds):
    for name, size in (("years", YEAR), ("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1)):
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
    what = [
        f"To read a {now.text}",
        f"To write {ANSWER} tokens about a {now.text} and to read all anew for each",
        f"To read a {now.text} once and to write {ANSWER} tokens from a cache",
    ][TASKS.index(now.task)]
    return (
        f"{what}, the model of {NUM_LAYERS} layers makes {scientific(now.multiplications, 1)} multiplications. "
        f"That takes {_time(now.seconds)} and costs {_money(now.euros)}."
    )
