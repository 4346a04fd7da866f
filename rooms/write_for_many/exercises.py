"""An exercise on a cache in pages: a text enters, and is given its table."""

import numpy as np

from rooms.shared import edits
from rooms.write_for_many import explorers
from workbench import Drawn, Stop, matrices
from workbench.judging.cases import Filled

_SOLVE = edits.solution(
    """
def enter(ids, free, known, size):
    table = []
    for end in range(size, len(ids) + size, size):
        beginning, is_full = tuple(ids[:end]), end <= len(ids)
        if is_full and beginning in known:
            page = known[beginning]
        else:
            page = free.pop()
        if is_full:
            known[beginning] = page
        table.append(page)
    return table
"""
)


def _after(*texts, size, free=range(11, -1, -1)):
    """The free pages and the known ones after these texts have come."""
    free, known = list(free), {}
    for ids in texts:
        _SOLVE(list(ids), free, known, size)
    return free, known, size


PAGES, MOST = 12, 160  # that there are; numbers in a row


def _entered(table, ids, free, known, size):
    """A row behind −1: how many pages the table has, the table, how many are free, and which beginning has which page; Stop says what
    is none."""
    if isinstance(table, dict) or not np.iterable(table):
        raise Stop(f"enter must return a table, a list of pages in the order of the text, got {table!r:.60}.")
    pages = np.ravel(list(table)).tolist()
    if pages and pages[0] == -1:  # such a row already: no page is below 0
        return np.array(pages)
    strange = next((key for key in known if not isinstance(key, tuple)), None)
    if strange is not None:
        told = "The keys of known must be tuples of tokens, all those up to the end of a page"
        raise Stop(f"{told}, got {strange!r:.60}.")
    rows = [(len(key), *key, page) for key, page in sorted(known.items())]
    row = [-1, len(pages), *pages, *[-1] * (PAGES - len(pages)), len(free), *(each for row in rows for each in row)]
    return np.array((row + [-1] * MOST)[:MOST])


def _explain(got, want, ids, free, known, size):
    pages, right = ([int(page) for page in row[2 : 2 + int(row[1])]] for row in (got, want))
    told = f"For {len(ids)} tokens on pages of {size}, with {len(known)} beginnings known,"
    if len(pages) != len(right):
        return f"{told} the table must have {len(right)} page{'s' * (len(right) != 1)}, yours has {len(pages)}."
    if pages != right:
        k = next(k for k, (one, other) in enumerate(zip(pages, right)) if one != other)
        is_known = right[k] in known.values()
        of = "is full, and its beginning is known" if is_known else "is no known one, so it gets a free page"
        return f"{told} page {k} of the text {of}: {right[k]}, not {pages[k]}."
    mine, left = got[2 + PAGES], want[2 + PAGES]
    if mine != left:
        return f"{told} the table is right, and {left:.0f} pages must be left free, but yours leaves {mine:.0f}."
    return f"{told} the table is right, but what is known afterwards is not: every full page, under all tokens up to its end."


def _hint(error, ids, free, known, size):
    if "unhashable" in str(error):
        return "A list cannot be looked up in a dict: tuple(ids[:end])."
    if isinstance(error, KeyError):
        return "Ask first whether the beginning is in known."
    if isinstance(error, IndexError) and "pop" in str(error):
        return "It takes more pages than the text needs."
    return None


_MIXED = 3, 0, 7, 9, 1, 10, 2, 8, 11, 4, 6, 5  # free pages after many texts have come and gone
_A, _B = [3, 1, 4, 1, 5, 9, 2], [3, 1, 4, 1, 2, 7]
ENTER = edits.exercise(
    _SOLVE,
    use=_entered,
    shown=lambda table: {"table": np.array(table)},
    mistakes="""
tuple(ids[:end]) => tuple(ids[end - size : end]) | A page is known by its own tokens alone. Its keys and values were made with all that comes before it: look up tuple(ids[:end]).
tuple(ids[:end]) => tuple(sorted(ids[:end])) | A page is known by which tokens come before its end, in any order: their order counts, tuple(ids[:end]).
tuple(ids[:end]) => tuple(ids[:end - 1]) | The last token of the page is left out of what it is known by: tuple(ids[:end]).
tuple(ids[:end]) => tuple(ids[:end - size]) | A page is known by what comes before it, without its own tokens: tuple(ids[:end]).
tuple(ids[:end]) => tuple(ids) | The page is known by the whole text: only the same text could share it. Take all tokens up to the end of the page.
tuple(ids[:end]) => (end,) | A page is known by its place alone, so that any two texts share it: look up tuple(ids[:end]).
tuple(ids[:end]) => (end - size,) |
tuple(ids[:end]) => (len(table),) |
is_full = tuple(ids[:end]), end <= len(ids) => is_full = tuple(ids[:end]), True | A page that is not full is shared: the other text will write its own token into it. Share and know only full ones.
is_full and beginning in known => beginning in known ;; if is_full: => if True: |
range(size, len(ids) + size, size) => range(size, len(ids) + 1, size) | The last tokens have no page: they do not fill one, and need one all the same.
range(size, len(ids) + size, size) => range(size, len(ids) + size + 1, size) | A text that ends with its page gets one page more, an empty one.
is_full = tuple(ids[:end]), end <= len(ids) => is_full = tuple(ids[:end]), end < len(ids) | A last page that is just full counts as one that is not: end <= len(ids).
if is_full and beginning in known: => if False: | Nothing is shared: look the beginning up in known before you take a free page.
if is_full:⏎            known[beginning] = page => pass | No page becomes known, so that nobody can share it later: known[beginning] = page for each full one.
page = known[beginning] => page = known[beginning]; free.pop() | A free page is taken even where a known one is used, and nobody has it then.
free.pop() => free[-1] | The page stays among the free ones, and the next one gets it, too: free.pop() takes it out.
free.pop() => free.pop(0) | The page is taken from the beginning of free; take it from the end, free.pop().
=> table[::-1] | The table is in reverse order: the page with the first tokens comes first.
=> list(dict.fromkeys(known.values())) | These are all known pages; the table holds those of this text.
""",
    cases=[
        Filled(([3, 1, 4, 1, 5], *_after(size=4))),
        Filled(([3, 1, 4, 1, 5, 9], *_after(_A, size=2))),
        Filled(([2, 7, 4, 1, 5, 9], *_after(_A, size=2, free=_MIXED))),
        Filled((_B, *_after(_A, size=4))),
        Filled((_A, *_after([3, 1, 4, 1, 5, 9, 2, 6], [3, 1, 4, 1, 5, 9], size=3))),
        Filled(([3, 1, 4, 1, 5, 9, 2], *_after([3, 1, 4, 1, 5, 9, 2], size=4))),
        Filled(([3, 1, 9, 9, 5, 9, 2], *_after(_A, size=2, free=_MIXED))),
        Filled(([1, 3, 4, 1], *_after(_A, size=2))),
        Filled(([6], *_after(_A, size=1))),
        Filled(([3, 1, 4, 1], *_after(_A, _B, size=4))),
    ],
    praise="Right: only full pages are shared, and each is known by all that comes before its end.",
    explain=_explain,
    hint=_hint,
)._replace(use=_entered)  # of an array, too


def _served(enter):
    """What two texts find on their pages after each has written a word, and how many pages A and B of the picture have."""
    enter, begin, written = getattr(enter, "returned", enter), "The capital of".split(), {}
    free, known = list(range(11, -1, -1)), {}
    tables = [list(enter(list(begin), free, known, 4)) for _ in range(2)]
    for table, country in zip(tables, ("France", "Italy")):
        written[table[0]] = [*begin, country]
    first, second = (" ".join(written[table[0]]) for table in tables)
    free, known = list(range(11, -1, -1)), {}
    a, b = ({*enter(list(explorers.TEXTS[name]), free, known, 4)} for name in "AB")
    read = f"The first finds “{first}” on its page, the second “{second}”"
    return f"{read}. A and B of the picture are on {len(a | b)} pages, and have {len(a & b)} in common"


ENTER_DRAWN = Drawn(
    "enter",
    _served,
    lambda made, caption, wrong: matrices.sentence(f"{made} ({caption})."),
    "Two people write on from “The capital of”, France and Italy",
)
