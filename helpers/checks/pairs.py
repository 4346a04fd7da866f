"""Two edits that make an answer right together, or one after which a known mistake is left."""

import re

import numpy as np

from helpers.checks.cases import arrays


class Pairs:
    """The edits of one answer, two at a time.

    search : repair.Search, which has tried them one at a time
    """

    def __init__(self, search):
        self.search, self.edited, self.source, self.edits = search, search.edited, search.source, search.edits

    def mend(self):
        """An edit after which one known mistake is left, or a second edit that then makes all right."""
        if self.edited.coarse:
            return ""  # two edits hit a few Booleans too easily
        halves = self.halves()
        known = self.left_over(halves)
        for edit, sentence in known:
            if edit.rank == 0 and len({one.line for one, said in known if said == sentence}) == 1:
                return f"{edit.words}. And then: {sentence}"
        better = [edit for edit, results in halves if self.edited.near(results) > self.edited.near(self.edited.given)]
        return self.pair(dict.fromkeys([*[edit for edit, _ in known], *better]))

    def halves(self):
        """Edits that may be the first of two, with what the answer then gives: list of (edit, results by place)."""
        first = [edit for edit in self.edits if edit.joins or edit.less]
        found = [(edit, self.search.run(edit, to_the_end=True)) for edit in first if not self.search.late()]
        return [(edit, results) for edit, results in found if isinstance(results, dict) and not self.is_given(results)]

    def pair(self, guided):
        """The sentence of the first two edits that together make the answer right, those before that bring it nearer; or ""."""
        closing = [edit for edit in self.edits if edit.closing]
        likely = [edit for edit in self.edits if edit.rank <= 1]
        plain = [edit for edit in self.edits if not (edit.kind and edit.kind[0] == "number" and abs(edit.kind[1]) < 10)]
        for one in dict.fromkeys([*guided, *closing, *likely]):
            for other in plain if one in plain else ():
                if self.search.late():
                    return ""
                if (other.rank <= 1 or one in guided) and self.fit(one, other) and self.search.run(one, other) is True:
                    return f"{one.words}. And {self.search.told(other)[0].lower()}{self.search.told(other)[1:]}"
        return ""

    def fit(self, one, other):
        """Whether two edits may be the two halves of a repair, and are not right together by luck."""
        if one.turns and other.turns and "@" not in self.line(one) + self.line(other):
            return False  # what is turned twice is soon right by luck
        single = len(self.source.tree.body[-1].body) == 1  # an answer that is one line has its mistakes there
        apart = one.line != other.line or one.closing or other.closing or (one.less and other.less)
        return (apart or single) and not one.touches(other)  # two changes of one line are soon another line

    def line(self, edit):
        """The first line that an edit changes."""
        found = re.search(r"\d+", edit.line)
        return self.source.lines[int(found[0]) - 1] if found else ""

    def left_over(self, halves):
        """Edits after which a known mistake is left: list of (edit, sentence), the likeliest first."""
        found = []
        for edit, results in halves:
            numbers = [results[k] for k in range(len(self.edited.cases))]
            if sum(each.size for each in numbers if each.dtype != bool) > 8 and (
                sentence := self.edited.known(numbers)
            ):
                found.append((edit, sentence))
        return found

    def is_given(self, results):
        """Whether results are the same number everywhere, or what the answer was given: of this, much is a mistake."""
        given = {k: arrays(case) for k, case in self.edited.cases}
        plain = [
            each.size < 2 or np.ptp(each.astype(float)) == 0 or any(np.array_equal(each, part) for part in given[k])
            for k, each in results.items()
        ]
        return all(plain)
