"""Two edits that make an answer right together, or one after which a known mistake is left."""

import itertools

import numpy as np

from helpers.checks.cases import arrays
from helpers.checks.partly import GUIDES, Partly, is_small_number
from helpers.checks.patterns import TURNED
from helpers.checks.reading import same

LIKELY, MOST = 1.05, 2.5  # ranks of the second one


class Pairs:
    """The edits of one answer, two at a time.

    search : repair.Search, which has tried them one at a time
    """

    def __init__(self, search):
        self.search, self.edited, self.source, self.edits = search, search.edited, search.source, search.edits
        self.tried, self.partly = set(), Partly(search)  # pairs
        self.doubted = ""  # the sentence of a pair that makes the answer right, and a part of it wrong that was right

    def mend(self):
        """The sentence of two edits, or of the first of them and what else is wrong; or ""."""
        if self.edited.coarse:
            return ""  # two edits hit a few Booleans too easily
        if self.edited.known(list(self.edited.given.values())).startswith(TURNED):
            return ""  # one step does that, and all before it is right
        return self.both() or self.doubted

    def both(self):
        """An edit after which one known mistake is left, or a second edit that then makes all right."""
        known, nearer = self.left_over(self.halves()), self.nearer()
        if self.search.late():
            return ""  # not all halves were tried
        left = [edit for edit, _ in known if edit.joins or edit.less]
        return (
            self.and_then([each for each in known if each[0].rank == 0])
            or self.pair([edit for edit in self.edits if edit.copies and self.edited.overwrites])
            or self.pair([*nearer, *left])
            or self.pair(self.partly.staged)
            or self.and_then([each for each in known if self.brings(each[0], nearer)])
            or self.pair([edit for edit, _ in self.partly.bringing], small=True)
            or self.pair([edit for edit in self.edits if edit.closing and "exchanged" in edit.words])
            or self.pair(self.likely(), LIKELY)
            or self.pair(self.likely())
            or self.and_then([each for each in known if self.mends_some(each[0], nearer)])
        )

    def mends_some(self, edit, nearer):
        """Whether an edit brings right numbers, and not by a name in the place of another, which brings some by luck."""
        if edit not in nearer or (edit.kind and edit.kind[0] == "name"):
            return False
        rights, now = self.search.gives[edit]  # more than one: the first case is right then
        if self.partly.may_bring(edit) or self.brings_shape(now):
            return True
        return rights > 1 and edit.less and not self.partly.stops

    def brings_shape(self, now):
        """Whether a result has the right shape in the first case, in which the answer's own has another one."""
        place, _ = self.edited.cases[0]
        was, right = self.edited.given.get(place), self.edited.want(place)
        return was is not None and was.shape != right.shape == now.shape

    def brings(self, edit, nearer):
        """Whether an edit is needed although a mistake is left: it brings a stage, or is a loop's end and brings numbers."""
        return self.partly.may_bring(edit) and (edit in self.partly.staged or (edit.bound and edit in nearer))

    def and_then(self, known):
        """The sentence of an edit after which a known mistake is left, if it is the only line that does this; or ""."""
        for edit, sentence in known:
            if len({one.line for one, said in known if said == sentence}) == 1:
                return f"{edit.words}. And then: {sentence}"
        return ""

    def nearer(self):
        """Edits after which more is right than before, in the first case in which the answer is wrong or in several; the best first."""
        place, given, near = self.edited.cases[0][0], self.edited.given, self.edited.near
        before = (1, near(place, given[place])) if place in given else (0, 0)
        rated = [
            ((cases, near(place, result)), edit)
            for edit, (cases, result) in self.search.gives.items()
            if edit.rank <= MOST
        ]
        better = sorted((each for each in rated if each[0] > before), key=lambda each: each[0], reverse=True)
        return [edit for _, edit in better[:GUIDES]]

    def halves(self):
        """Edits that may be the first of two, with what the answer then gives: list of (edit, results by place)."""
        first = [edit for edit in self.edits if edit.joins or edit.less or (edit.kind and edit.kind[0] == "name")]
        found = [(edit, self.search.run(edit, to_the_end=True)) for edit in first if not self.search.late()]
        changing = [
            (edit, results) for edit, results in found if isinstance(results, dict) and self.edited.changes(results)
        ]
        return [(edit, results) for edit, results in changing if not self.is_given(results)]

    def likely(self):
        """Edits that nothing speaks for but that they are often needed."""
        return [edit for edit in self.edits if edit.closing or edit.rank <= LIKELY]

    def pair(self, first, rank=MOST, small=False):
        """The sentence of the first two edits that together make the answer right, one of the first and one of this rank; or "".

        Of these none puts another number in the place of a small one, if not `small`: two such hit much by luck.
        """
        first = [edit for edit in dict.fromkeys(first) if small or not is_small_number(edit)]
        second = [edit for edit in self.edits if edit.rank <= rank and (small or not is_small_number(edit))]
        for one, other in itertools.product(first, second):
            if self.search.late():
                return ""
            both = frozenset((one, other))
            if both not in self.tried and self.fit(one, other) and self.search.run(one, other) is True:
                above, below = made = sorted(self.fewest(one, other), key=lambda edit: (edit.closes, edit.number))
                told = self.search.told(below)
                told = f"{above.words}. And {told[0].lower()}{told[1:]}"
                if not self.partly.loses(*made):
                    return told
                self.doubted = self.doubted or told
            self.tried.add(both)
        return ""

    def fewest(self, one, other):
        """These two, the first of them at one place alone, if that is enough beside the other; and the other way round."""
        one = next((part for part in one.parts if self.search.run(part, other) is True), one)
        return one, next((part for part in other.parts if self.search.run(one, part) is True), other)

    def fit(self, one, other):
        """Whether two edits may be the two halves of a repair, and are not right together by luck."""
        if one.turns and other.turns and not (one.line == other.line and "@" in self.line(one)):
            return False  # what is turned twice is soon right by luck
        single = len(self.source.tree.body[-1].body) == 1  # an answer that is one line has its mistakes there
        apart = one.line != other.line or one.closing or other.closing or (one.less and other.less)
        return (apart or single) and not one.touches(other)  # two changes of one line are soon another line

    def line(self, edit):
        """The first line that an edit changes."""
        return self.source.lines[edit.number - 1] if edit.number else ""

    def left_over(self, halves):
        """Edits after which a known mistake is left: list of (edit, sentence), the likeliest first."""
        told = [(edit, self.partly.left_over(results)) for edit, results in halves]
        return [(edit, sentence) for edit, sentence in told if sentence]

    def is_given(self, results):
        """Whether results are the same number everywhere, or what the answer was given: of this, much is a mistake."""
        given = {k: arrays(case) for k, case in self.edited.cases}
        plain = [
            each.size < 2 or np.ptp(each.astype(float)) == 0 or any(same(each, part, 1e-9) for part in given[k])
            for k, each in results.items()
        ]
        return all(plain)
