"""Many texts at once: who sits where, and whose keys and values lie on which page."""

import itertools

import numpy as np

from helpers.serving import PagedCache
from workbench import Drawing, Rule, Touch, choose, explorer, in_two_widths, listed, slider, stops, switch

LENGTHS = [6, 40, 9, 14, 30, 5, 12, 8, 22, 10, 7, 25]  # tokens to be written, in the order in which the texts come
NAMES = "ABCDEFGHIJKL"
WAYS = ["wait for the longest", "a free seat is taken at once"]
BEGINNING = "You are a helpful and polite clerk. User:".split()
TEXTS = {"A": [*BEGINNING, *"Where is my hat ?".split()], "B": [*BEGINNING, *"Who is she ?".split()]}


def explore_seats():
    """Seat twelve texts in two ways, and count the steps until the last one is written.

    Shown: lengths (12,), starts (2, 12) and seated (2, 12), when and where each text begins in either way, steps (2,), empty (2,), how
    often a seat had nothing to write
    """
    return explorer(
        _seat_both,
        _both_ways,
        _tell_steps,
        [Rule("every text is written to its end, one token a step", _tokens_not_written, "{:.0f} are missing")],
        touch={"text": Touch(lambda now, k: {"chosen": k, "length": LENGTHS[k]}, _say_length)},
        presets={"one seat": {"seats": 1}, "one long text": {"chosen": 11, "length": 60, "seats": 4}},
        chosen=choose("text", [(name, k) for k, name in enumerate(NAMES)], 1),
        length=slider("its tokens", LENGTHS[1], 1, 60, 1),
        seats=slider("seats", 4, 1, 8, 1),
    )


def explore_pages():
    """Let two texts enter a cache with pages, and see which pages both of them have.

    Shown: table_A and table_B, the pages of either text in order, tokens (2,), how many the texts have and how many are kept, empty, the
    places on pages in use that hold nothing
    """
    return explorer(
        _enter_both,
        _tables_and_pages,
        _tell_pages,
        [Rule("each text finds its own words by its table", _words_not_found, "{:.0f} are others'")],
        size=stops("tokens on a page", [(str(n), n) for n in (2, 4, 8)], 4),
        other=choose("B begins", {"as A does": False, "with another word": True}, False),
        left=switch("A has left", False),
    )


def drawn_row(texts):
    """Texts end to end in one row, each token's position below it, and which tokens of the row it may ask: a triangle for each text."""
    left, cell, top, start, size = 80, 21, 52, 0, sum(map(len, texts))
    picture = Drawing(left + cell * size + 4, top + cell * size + 4)
    for y, words in (18, "row"), (40, "positions"):
        picture.words(left - 8, y, words, size=13, colour="muted", anchor="end")
    for ids, colour in zip(texts, itertools.cycle(("first", "low", "high"))):
        picture.words(left - 8, top + cell * start + 15, f"starts at {start}", size=13, colour="muted", anchor="end")
        for t, token in enumerate(ids):
            x, y = left + cell * (start + t), top + cell * (start + t)
            picture.words(x + cell / 2, 18, str(token), size=15, colour=colour, bold=True)
            picture.words(x + cell / 2, 40, str(t), size=13)
            for k in range(t + 1):
                picture.box(left + cell * (start + k), y, cell, cell, fill=colour, fill_opacity=0.4, stroke="paper")
        start += len(ids)
    picture.box(left, top, cell * size, cell * size, fill="none", stroke="line")
    return picture.html(
        f"A row of {size} tokens. Those of {len(texts)} texts may ask within their own: {len(texts)} triangles."
    )


def drawn_step(texts, step, size):
    """Pages of `size` places on which texts lie, the new tokens of a step dark, and above them the slot of each."""
    tables, slots = step["block_table"], step["slot_mapping"].tolist()
    texts_of_row = np.repeat(np.arange(len(texts)), np.diff(step["query_start_loc"])).tolist()
    users = {page: [k for k, table in enumerate(tables) if page in table] for page in sorted(set().union(*tables))}
    held, colours, cell, gap, high = (
        _on_pages(tables, texts, size, users),
        ("first", "low", "high", "second"),
        26,
        14,
        90,
    )
    picture = Drawing(3 * size * cell + 2 * gap + 2, 72 + high * -(-len(users) // 3))
    for y, words in (18, "text"), (38, "row"), (60, "slots"):
        picture.words(1, y, words, size=13, colour="muted", anchor="start")
    for j, (token, k, slot) in enumerate(zip(step["row"], texts_of_row, slots)):
        picture.words(74 + 34 * j, 18, str(k), size=13, colour="muted")
        picture.words(74 + 34 * j, 38, str(token), size=15, colour=colours[k], bold=True)
        picture.words(74 + 34 * j, 60, str(slot), size=13)
    for page, mine in users.items():
        left, top, first = 1 + page % 3 * (size * cell + gap), 92 + page // 3 * high, page * size
        picture.words(left, top, f"page {page}", size=13, anchor="start", bold=True)
        range_of = f"{first} to {first + size - 1}"
        picture.words(left + size * cell, top, range_of, size=12, anchor="end", colour="muted")
        for place in range(size):
            picture.box(left + place * cell, top + 8, cell, 34, fill="none", stroke="line")
        for x, (place, token) in zip(itertools.count(left, cell), enumerate(held[page])):
            new = first + place in slots
            look = {
                "fill": colours[mine[0]],
                "fill_opacity": 1 if new else 0.22,
            }  # a page of two is full, and the first wrote it
            picture.box(x, top + 8, cell, 34, stroke="line", **look)
            picture.words(x + cell / 2, top + 30, str(token), size=15, colour="paper" if new else "ink", bold=new)
        said = f"text{'s' * (len(mine) > 1)} {listed(map(str, mine))}"
        picture.words(left, top + 57, said, size=12, anchor="start", colour="muted")
    told = "; ".join(
        f"token {each[0]} of text {each[1]} goes to slot {each[2]}" for each in zip(step["row"], texts_of_row, slots)
    )
    return picture.html(f"{len(users)} pages of {size} places. {told}.")


# --- seats -----------------------------------------------------------------------------------------------------------


def seat(lengths, seats, at_once):
    """When and where each text begins; a free seat is taken at once, or when all are free."""
    free_at, starts, places = np.zeros(seats, int), [], []
    for k, length in enumerate(lengths):
        place = int(free_at.argmin()) if at_once else k % seats
        if not at_once and place == 0:  # a new round waits for the longest of the last one
            free_at[:] = free_at.max()
        starts.append(int(free_at[place]))
        places.append(place)
        free_at[place] += length
    return np.array(starts), np.array(places), int(free_at.max())


def _say_length(now, k):
    return f"text {NAMES[k]}, {now.lengths[k]} token{'s' * int(now.lengths[k] > 1)}; click to change it"


def _seat_both(chosen, length, seats):
    lengths = np.array(LENGTHS)
    lengths[chosen] = length
    starts, places, steps = zip(*(seat(lengths, seats, at_once) for at_once in (False, True)))
    steps = np.array(steps)
    shown = {"lengths": lengths, "starts": np.array(starts), "seated": np.array(places), "steps": steps}
    return {**shown, "empty": seats * steps - lengths.sum()}


def _tokens_not_written(now):
    written = {(way, now.seated[way, k], step) for way in (0, 1) for k in range(len(NAMES))
               for step in range(now.starts[way, k], now.starts[way, k] + now.lengths[k])}  # fmt: skip
    return float(2 * now.lengths.sum() - len(written))


@in_two_widths((736, 70), (340, 22))
def _both_ways(now, width, left):
    row, space = 26, width - left - 14
    unit, wide = space / max(now.steps), width > 400
    height = now.seats * row
    picture, texts = Drawing(width, 2 * (height + 44) + 26), now.places("text")
    for way, title in enumerate(WAYS):
        top = 30 + way * (height + 44)
        end = left + unit * now.steps[way]
        words, size = f"{title}: {now.steps[way]} steps", 15 if wide else 13
        picture.words(left, top - 10, words, size=size, anchor="start", bold=True)
        picture.box(left, top, end - left, height, fill="wrong", fill_opacity=0.3)
        for place in range(now.seats):
            words = f"seat {place}" if wide else str(place)
            picture.words(left - 8, top + (place + 0.65) * row, words, size=13, colour="muted", anchor="end")
            picture.line((left, top + (place + 1) * row), (end, top + (place + 1) * row), "paper", 2)
        for k, name in enumerate(NAMES):
            x, y = left + unit * now.starts[way, k], top + now.seated[way, k] * row
            look = {"fill": "chosen" if k == now.chosen else "muted", "stroke": "paper", "stroke_width": 1.5}
            length = unit * now.lengths[k]
            picture.box(x, y + 1, length, row - 3, **look)
            if length > 13:
                picture.words(x + length / 2, y + row * 0.68, name, size=13, colour="paper", bold=True)
            picture.box(x, y, length, row, fill="transparent", place=(texts, k))
        picture.line((end, top - 4), (end, top + height + 4), "ink", 1.5)
    picture.box(left, 2 * (height + 44) + 4, 16, 14, fill="wrong", fill_opacity=0.3)
    words = "a seat with nothing to write"
    picture.words(left + 24, 2 * (height + 44) + 16, words, size=13, colour="muted", anchor="start")
    told = "; ".join(
        f"{title}, {steps} steps: {', '.join(f'{name} on seat {place} from {start}' for name, place, start in zip(NAMES, seated, starts))}"
        for title, steps, seated, starts in zip(WAYS, now.steps, now.seated, now.starts)
    )
    return picture.html(f"Seats over time. {told}.")


def _tell_steps(now):
    shares = [now.lengths.sum() / (now.seats * steps) for steps in now.steps]
    return (
        f"{now.lengths.sum()} tokens on {now.seats} seat{'s' * (now.seats > 1)}: {now.steps[0]} steps if all wait for the longest, with "
        f"{shares[0]:.0%} of the seats in use, and {now.steps[1]} if a free seat is taken at once, with {shares[1]:.0%}."
    )


# --- pages -----------------------------------------------------------------------------------------------------------


def _words(other):
    b = TEXTS["B"]
    return TEXTS["A"], ["Hello", *b[1:]] if other else b


def _enter_both(size, other, left):
    cache, (a, b) = PagedCache(size), _words(other)
    tables = [cache.enter(words) for words in (a, b)]
    if left:
        cache.leave(tables[0])
    in_use = [page for page, users in cache.users.items() if users]
    written = len(b) if left else len(a) + len(b)
    kept = sum(len(words) for words in _on_pages(tables, (a, b), size, in_use).values())
    return {
        "table_A": np.array(tables[0]), "table_B": np.array(tables[1]), "users": np.array([cache.users[k] for k in sorted(cache.users)]),
        "tokens": np.array([written, kept]), "empty": np.array(size * len(in_use) - kept),
    }  # fmt: skip


def _on_pages(tables, texts, size, pages):
    """dict page -> its words."""
    found = {}
    for table, words in zip(tables, texts):
        found |= {page: words[k * size : (k + 1) * size] for k, page in enumerate(table) if page in pages}
    return found


def _words_not_found(now):
    tables, texts = (now.table_A.tolist(), now.table_B.tolist()), _words(now.other)
    held = _on_pages(tables, texts, now.size, range(len(now.users)))
    found = ([word for page in table for word in held[page]] for table in tables)
    return float(sum(word != there for words, read in zip(texts, found) for word, there in zip(words, read)))


@in_two_widths((736, 2, 74), (340, 1, 74))
def _tables_and_pages(now, width, across, cell):
    """The tables above, the pages below, `across` of four cells beside one another."""
    texts = dict(zip("AB", _words(now.other)))
    tables = {"A": now.table_A.tolist(), "B": now.table_B.tolist()}
    if now.left:
        del tables["A"], texts["A"]
    users = {page: "".join(name for name in tables if page in tables[name]) for page in range(len(now.users))}
    held = _on_pages(tables.values(), texts.values(), now.size, users)
    colour = {"AB": "first", "A": "low", "B": "high", "": "line"}
    block, lines = 34 * -(-now.size // 4) + 44, -(-len(users) // across)
    picture = Drawing(width, 56 * len(tables) + block * lines + 20)
    for k, (name, table) in enumerate(tables.items()):
        picture.words(8, 34 + 56 * k, f"{name}'s table", size=15, anchor="start", bold=True, colour=colour[name])
        for j, page in enumerate(table):
            (x, wide), role = (92 + 34 * j, 32) if width > 400 else (84 + 28 * j, 26), colour[users[page]]
            picture.box(x, 12 + 56 * k, wide, 34, fill=role, fill_opacity=0.22, stroke=role)
            picture.words(x + wide / 2, 34 + 56 * k, str(page), size=15, bold=True)
    for page, names in users.items():
        x, y = 8 + (page % across) * (4 * cell + 30), 56 * len(tables) + 24 + (page // across) * block
        said = f"page {page}, {'free' if not names else ' and '.join(names)}"
        picture.words(x, y, said, size=13, anchor="start", colour="muted")
        for k in range(now.size):
            left, top = x + (k % 4) * cell, y + 8 + 34 * (k // 4)
            word = held[page][k] if page in held and k < len(held[page]) else ""
            filled = {"fill": colour[names], "fill_opacity": 0.22} if word else {"fill": "none"}
            picture.box(left, top, cell, 32, stroke=colour[names] if names else "line", **filled)
            if word:
                picture.words(left + cell / 2, top + 21, word, size=14)
            elif names:
                picture.words(left + cell / 2, top + 21, "empty", size=12, colour="muted")
    told = "; ".join(f"{name}'s table {', '.join(map(str, table))}" for name, table in tables.items())
    pages = "; ".join(f"page {page} {' '.join(words)}" for page, words in sorted(held.items()))
    return picture.html(f"{told}. {pages}.")


def _tell_pages(now):
    (written, kept), empty = now.tokens, int(now.empty)
    both = len(set(now.table_A.tolist()) & set(now.table_B.tolist())) * (not now.left)
    shared = "no page is in two tables" if not both else f"{both} page{' is' if both == 1 else 's are'} in both tables"
    places = "1 place is" if empty == 1 else f"{empty} places are"
    who = f"A and B have {written} tokens, and {kept} are read and kept"
    who = f"B has {written} tokens, and {kept} are kept" if now.left else who
    return f"{who}: {shared}, and {places} empty."
