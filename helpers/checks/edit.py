"""One change of a tree, with its sentence."""

import contextlib
import re

from helpers.checks import trees


class Edit:
    """One change of a tree.

    changes : list of (container, key, value): node and field, or list and place
    words : the sentence, without its full stop; rank : 0 for what is likeliest
    kind : edits of one kind may be made everywhere at once
    how : words of joins (leaves what it changes in its place, so that a known mistake may show after it), closing (may go
        with any other edit), closes (is about the end, and is told last of two), less (leaves a part out, which is the
        better word where more than that mends, too), bound (is about where a loop begins or ends), copies (leaves alone
        what the answer was given)
    doubtful : an edit that should *not* make the answer right, if this one does for a good reason
    """

    def __init__(self, rank, changes, words, kind=None, how="", doubtful=None):
        self.rank, self.changes, self.words, self.kind, self.doubtful = rank, changes, words, kind, doubtful
        self.joins, self.closing, self.closes, self.less, self.bound, self.copies = (
            f in how for f in ("joins", "closing", "closes", "less", "bound", "copies")
        )
        self.before, self.line = [], words.partition(":")[0]
        self.number = int((re.findall(r"^Lines? (\d+)", words) or [0])[0])  # of its first line, or 0
        self.turns, self.parts = bool(kind) and kind[0] == "T", []

    def make(self):
        """Change the tree; `undo` is to follow, as `in_place` sees to."""
        self.before = []
        for container, key, value in self.changes:
            self.before.append((container, key, trees.get(container, key)))
            trees.put(container, key, value)

    def undo(self):
        for container, key, value in reversed(self.before):
            trees.put(container, key, value)

    def touches(self, other):
        places = {(id(container), str(key)) for container, key, _ in self.changes}
        return any((id(container), str(key)) in places for container, key, _ in other.changes)


@contextlib.contextmanager
def in_place(edits):
    """A tree with these edits, as long as the block lasts."""
    for edit in edits:
        edit.make()
    try:
        yield
    finally:
        for edit in reversed(edits):
            edit.undo()
