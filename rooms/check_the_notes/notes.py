"""From the lecture notes to the lessons: every item of the notes, and where it is taught. It stands in data/notes_to_lessons.json."""

import html
from typing import NamedTuple

from helpers.support import data_files, inputs
from rooms.shared import examples
from workbench import matrices

PATH = data_files.path("notes_to_lessons.json")
HEADS = ["in the notes", "lesson, and words to look for there", "beside it"]


class Item(NamedTuple):
    """One item of the notes, in our words.

    notes : which notes, one of the handles in `examples.sources()`
    row : the row of the notes that it belongs to
    item : what it says
    where : dict file name of a lesson -> words to look for in it, None while it does not have them yet; its home is first
    remark : what to know beside it, or ""
    """

    notes: str
    row: str
    item: str
    where: dict
    remark: str


def items(notes=None):
    """Read every item of one set of notes, or of all.

    Parameters
    ----------
    notes : one of the handles in `examples.sources()`; None = all

    Returns
    -------
    items : list of Item, in the order of the notes

    Examples
    --------
    >>> items("part4")[1].item
    'two sentences: whom does She look at, Sarah, cat or Alex?'
    """
    if notes is not None:
        _look_up(notes)
    data = data_files.json_file(PATH)
    lessons = data["lessons"]
    return [
        Item(**entry | {"where": {lessons[lesson]: words for lesson, words in entry["where"].items()}})
        for entry in data["items"]
        if notes in (None, entry["notes"])
    ]


def _look_up(notes):
    known = [handle for handle in examples.sources() if handle != examples.OURS]
    if not isinstance(notes, str) or notes not in known:
        raise ValueError(f"notes must be one of {', '.join(known)}, got {notes!r:.60}.")


def page(notes):
    """Show every item of one set of notes with its lessons, folded under the title of the notes.

    Parameters
    ----------
    notes : one of the handles in `examples.sources()`
    """
    _look_up(notes)
    found, about = items(notes), examples.sources()[notes]
    lines = [[number, item.item, _links(item), item.remark] for number, item in enumerate(found, start=1)]
    table = matrices.table(lines, about["convention"], HEADS, corner="item")
    return folded(f"{about['title']}: {len(found)}\u00a0items", table)


def folded(title, picture):
    """Show a title that opens to a picture.

    Parameters
    ----------
    title : str
    picture : matrices.Html
    """
    inputs.text("title", title)
    inputs.an(matrices.Html, "a picture")("picture", picture)
    lines = picture.html.replace(
        "<tr>", "\n<tr>"
    )  # one row, one line: a page that changes is compared and merged by rows
    markup = f"<details><summary>{html.escape(title)}</summary>{lines}</details>"
    return matrices.Html(markup, f"{title}\n{picture.text}")


def _links(item):
    lines = []
    for file, words in item.where.items():
        title, said = f"lesson {file[:2]}", f": {words}" if words else ""
        lines.append((f'<a href="{html.escape(file)}">{title}</a>{html.escape(said)}', title + said))
    markup, text = zip(*lines)
    return matrices.Html("<br>".join(markup), "\n".join(text))
