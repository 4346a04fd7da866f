"""What a text costs: cards of memory, and two bills in seconds, one for multiplying and one for fetching bytes."""

import numpy as np

from helpers.costs import count_attention, count_product, weights_bytes
from workbench import Drawing, by_width, choose, explorer, scientific, slider, stops, text_width

D_MODEL, NUM_LAYERS, NUM_HEADS, BYTES = 4096, 32, 32, 2  # as wide and as deep as many of seven billion parameters
ANSWER = 500  # tokens that are written
TEXTS = {"sentence": 30, "page": 500, "chapter": 8_000, "novel": 131_072}
TASKS = ["read it", "answer, reading all anew", "answer, with a cache"]
SPEEDS = [("10¹¹", 1e11), ("10¹²", 1e12), ("10¹³", 1e13), ("10¹⁴", 1e14), ("4·10¹⁴", 4e14), ("10¹⁵", 1e15)]
CARD, FETCHED = 80e9, 3e12  # bytes that a card holds, and that it fetches in a second
WIDE, NARROW, YEAR = 800, 340, 365.25 * 86_400
MARKS = [("1 ms", 1e-3), ("1 s", 1), ("1 min", 60), ("1 hour", 3600), ("1 day", 86_400), ("1 year", YEAR)]
KEPT = [("model", "muted", 0.6), ("keys and values", "key", 0.85), ("maps of one layer", "ink", 0.85)]


def explore_novel():
    """Give a model a sentence or a novel, say how fast and how dear the machine is, and see cards, seconds and euros.

    Shown: multiplications (), of all matrix products; fetched (), bytes; multiplying, fetching and seconds (), the two bills and
    what they take side by side; euros (); kept_bytes (3,), of the model's weights, of all keys and values, and of the maps of one
    layer, in numbers of two bytes; cards (), of 80 GB, that hold all that
    """
    return explorer(
        _priced,
        lambda now: by_width(_bill(now, WIDE), _bill(now, NARROW)),
        _say_the_bill,
        folded=["speed", "price"],
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
    weights, of_a_token = 12 * D_MODEL**2 * NUM_LAYERS * BYTES, 2 * D_MODEL * NUM_LAYERS * BYTES
    lengths = range(N, N + ANSWER)
    passes = [(multiplications(n), weights) for n in (lengths if task == TASKS[1] else [N])]
    if task == TASKS[2]:
        passes += [(multiplications(n + 1, new=1), weights + n * of_a_token) for n in lengths]
    kept = N if task == TASKS[0] else N + ANSWER
    counts, fetched = np.array(passes, dtype=float).T
    multiplying, fetching = 2 * counts / speed, fetched / FETCHED  # a multiplication and an addition
    seconds = np.maximum(multiplying, fetching).sum()  # a card does both at once, and the slower one decides
    held = np.array([weights, kept * of_a_token, weights_bytes(kept, NUM_HEADS, BYTES)], dtype=float)
    return {
        "multiplications": counts.sum(), "fetched": fetched.sum(), "multiplying": multiplying.sum(), "fetching": fetching.sum(),
        "seconds": seconds, "euros": seconds * price / 3600, "kept_bytes": held, "cards": np.ceil(held.sum() / CARD),
    }  # fmt: skip


def _bill(now, width):
    """What it takes and whether there is room for it; the cards of 80 GB as they fill, and below them two lines of time."""
    wide = width == WIDE
    drawing, cards = Drawing(width, 300 if wide else 394), int(now.cards)
    told = f"{_time(now.seconds)} and {_money(now.euros)}"
    room = f"but a {now.text} needs {cards} cards" if cards > 1 else f"and a {now.text} fits on one card"
    room += " of 80 GB"
    for k, (words, colour) in enumerate(((f"{told},", "ink"), (room, "wrong" if cards > 1 else "ink"))):
        look = {"size": 20 if wide else 14, "anchor": "start", "bold": True, "colour": colour}
        drawing.words(0, (18 + 25 * k) if wide else (16 + 20 * k), words, **look)
    _cards(drawing, now.kept_bytes, cards, wide)
    kept = [f"{name} {_size(count)}" for (name, *_), count in zip(KEPT, now.kept_bytes)]
    for k, ((_, role, shade), words) in enumerate(zip(KEPT, kept)):
        x, y = ((0, 205, 480)[k], 156) if wide else (0, 210 + 20 * k)
        drawing.box(x, y - 11, 12, 12, fill=role, fill_opacity=shade)
        drawing.words(x + 18, y, words, size=14 if wide else 13, anchor="start")
    bills = (("multiplying", now.multiplying), ("fetching", now.fetching))
    for k, (title, seconds) in enumerate(bills):
        _scale(drawing, (210 + 62 * k) if wide else (300 + 66 * k), width, title, seconds)
    bills = ", ".join(f"{title} {_time(seconds)}" for title, seconds in bills)
    return drawing.html(f"{told}, {room}: {', '.join(kept)}. Two bills: {bills}.")


def _cards(drawing, held, cards, wide):
    """One frame for each card; what is held fills one after the other, from below."""
    across, width, height, step, y = (15, 44, 76, 53, 54) if wide else (5, 58, 42, 70, 48)
    ends = np.cumsum(held) / CARD
    for k in range(cards):
        x, top = 1 + step * (k % across), y + (height + 8) * (k // across)
        for (_, role, shade), low, high in zip(KEPT, [0, *ends], ends):
            low, high = np.clip([low - k, high - k], 0, 1)
            if high > low:
                drawing.box(x, top + height * (1 - high), width, height * (high - low), fill=role, fill_opacity=shade)
        look = {"stroke": "ink", "stroke_width": 2} if k == 0 else {"stroke": "wrong", "stroke_dasharray": "4 3"}
        drawing.box(x, top, width, height, rx=3, fill="none", **look)


def _scale(drawing, y, width, title, seconds):
    """A line on which each step is at least ten times as long, with a dot, or an arrow where the time leaves it."""
    wide = width == WIDE
    left, right = (120, width - 60) if wide else (16, width - 30)
    low, high = np.log10(MARKS[0][1]), np.log10(MARKS[-1][1])

    def at(value):
        return left + (right - left) * float(np.clip((np.log10(value) - low) / (high - low), -0.02, 1.04))

    drawing.words(0, y + 5 if wide else y - 16, title, size=15 if wide else 13, anchor="start")
    drawing.line((left - 6, y), (right + 6, y), "line", 2)
    for words, value in MARKS:
        drawing.line((at(value), y - 5), (at(value), y + 5), "line", 1.5)
        words = words if wide else words.replace("hour", "h")  # its neighbour is near
        drawing.words(at(value), y + 20, words, size=12 if wide else 11, colour="muted")
    x, side = at(seconds), int(seconds > MARKS[-1][1]) - int(seconds < MARKS[0][1])
    if side:
        points = f"{x + 11 * side:.1f},{y} {x - 5 * side:.1f},{y - 8} {x - 5 * side:.1f},{y + 8}"
        drawing.add("polygon", points=points, fill="ink", stroke="paper", stroke_width=2)
    else:
        drawing.add("circle", cx=x, cy=y, r=7, fill="ink", stroke="paper", stroke_width=2)
    words, size = _time(seconds), 16 if wide else 14
    half = 0.6 * text_width(words, size)  # bold letters are wider
    least = half if wide else half + text_width(title, 13) + 10
    drawing.words(np.clip(x, least, width - half), y - 14, words, size=size, halo=True, bold=True)


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
        f"{what}, the model of {NUM_LAYERS} layers makes {scientific(now.multiplications, 1)} multiplications and fetches "
        f"{_size(now.fetched)}. That takes {_time(now.seconds)} and costs {_money(now.euros)}."
    )
