"""What an exercise is, what its right answer and its known mistakes give, and what is said of an answer."""

import itertools
import re
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench.judging import edits
from workbench.judging.cases import Equal, Fine, Whole, copied
from workbench.judging.run import LONGEST

CLOSE = 6e-3  # a smaller gap looks like rounding
REFUSED = np.empty((0,) * 5)  # stands for a ValueError, where one is wanted; no answer has that shape


class Feedback(NamedTuple):
    """status : "blank", "right" or "wrong"; message : one line, which names the mistake."""

    status: str
    message: str


class Case(NamedTuple):
    """A small case in which an answer is wrong.

    inputs : dict name of the argument -> what the answer was given
    got : array, what it gave, or dict name -> array; None where it stopped
    wanted : the same of what is right; None where a ValueError is
    """

    inputs: dict
    got: np.ndarray | dict | None
    wanted: np.ndarray | dict | None


class Verdict(NamedTuple):
    """All that is said of an answer.

    status : "blank", "right" or "wrong"
    message : one line, why it is wrong, and where
    case : Case, or None
    """

    status: str
    message: str
    case: Case | None = None


class Exercise(NamedTuple):
    """One exercise.

    name : the function that the learner writes
    solve : a right answer
    cases : list of tuples of arguments, the simplest first
    mistakes : dict sentence -> function that goes wrong in this way, or a list of them; the likeliest first. edits.mistakes
        makes it of a model solution and rows `old => new | sentence`
    praise : what a right answer is told, or function(results) that says it
    explain : function(got, want, *arguments) -> a sentence or None, for wrong answers that are no known mistake
    hint : function(error, *arguments) -> a sentence or None, for answers that stop with an error
    by_hand : True where the answer is numbers worked out on paper, and no function
    tolerance : how far a number may be off, 32-bit floats included
    also : other right answers, tuples (solve, praise): an answer is right if all its results agree with one of them
    refuses : function(*arguments) -> whether a right answer stops with a ValueError there
    remakes : functions of the course that the answer is to do without, as it makes them anew, beside `solve`
    parts : names of the parts, where a result is several things, one above the other
    sorts : what each case is an example of, in words, for "right for …, not for …"
    use : function(result, *arguments) -> what is judged, where the answer returns something that is to be used
    shown : function(result) -> dict name -> array, of what is to be used, for the tables below a wrong answer
    accepts : function(results) -> None if they are right, else a sentence, where many different answers are right; where one has
        stopped, of the results before that
    flaw : function(results, returned) -> a sentence or None, for right numbers in a form that was not asked for: as the judge
        reads them, and as they were returned
    unearned : function(names) -> a sentence or None, for right numbers that the answer came by in a wrong way; asked where it has
        just run, and had these names in the end
    shorter : the same exercise with an argument less, for an answer that takes no more; it says what is left to do
    """

    name: str
    solve: Callable
    cases: list
    mistakes: dict
    praise: str | Callable = "That is right."
    explain: Callable = lambda got, want, *arguments: None
    hint: Callable = lambda error, *arguments: None
    by_hand: bool = False
    tolerance: float = 2e-5
    also: tuple = ()
    refuses: Callable = lambda *arguments: False
    remakes: tuple = ()
    parts: tuple = ()
    sorts: tuple = ()
    use: Callable | None = None
    shown: Callable | None = None
    accepts: Callable | None = None
    flaw: Callable = lambda results, returned: None
    unearned: Callable = lambda names: None
    shorter: "Exercise | None" = None

    def taken(self, count):
        """The exercise as an answer of so many arguments takes it."""
        return self.shorter if self.shorter and count == len(self.shorter.cases[0]) else self

    def right(self, k):
        """What is right in case k, or REFUSED."""
        return result_of(self, self.solve, k)

    def is_of_truths(self):
        """Whether each result is one True or False, from a few of which nothing follows."""
        return self.right(0).dtype == bool and self.right(0).size == 1

    def agrees(self, k, result, right):
        """Whether a result is the right one, or that of a mistake, in case k."""
        coarse = isinstance(self.cases[k], Fine) and result.dtype.itemsize < 8 and result.shape == np.shape(right)
        return coarse or same(result, right, self.tolerance)

    def wrong(self, results, solve=None):
        """In which cases results are not the right ones, as this solution gives them."""
        rights = [result_of(self, solve or self.solve, k) for k in range(len(results))]
        return [k for k, result in enumerate(results) if not self.agrees(k, result, rights[k])]

    def praised(self, results):
        """What is said of results that are all right, or ""."""
        if self.accepts:
            right = self.praise if self.accepts(results) is None else ""
        else:
            solutions = [(self.solve, self.praise), *self.also]
            right = next((praise for solve, praise in solutions if not self.wrong(results, solve)), "")
        return right(results) if callable(right) else right

    def mistakes_made(self, results):
        """All (sentence, function) that give all of these results; what is to be refused may be refused."""
        places = [k for k in range(len(results)) if not isinstance(self.cases[k], Whole)]
        refused = [k for k in places if self.right(k) is REFUSED]
        if all(results[k] is REFUSED for k in refused):
            places = [k for k in places if k not in refused]
        unequal = [k for k in places if not isinstance(self.cases[k], Equal)]
        unequal = unequal if {*self.wrong(results)} & {*unequal} else places
        for told in (places, unequal) if unequal != places else (places,):
            for sentence, wrong in known_mistakes(self):
                if all(self.agrees(k, results[k], result_of(self, wrong, k)) for k in told):
                    yield sentence, wrong

    def two_mistakes(self, results):
        """What is said of results that come of two known mistakes at once, or ""."""
        if self.right(0).dtype == bool or (self.right(0).dtype.kind != "f" and self.right(0).size == 1):
            return ""  # a few truths or one whole number come of many things
        places = [k for k in range(len(results)) if not isinstance(self.cases[k], (Whole, Equal))]
        made = [pair for pair in known_mistakes(self) if isinstance(pair[1], edits.Edited)]
        for (first, one), (second, other) in itertools.combinations(made, 2):
            both = edits.both(one, other) if first != second else None
            if both and all(self.agrees(k, results[k], result_of(self, both, k)) for k in places):
                whole = f"Two mistakes at once. {first} And then: {second}"
                heads = [re.match(r".{15}.*?(?=[:;.] |\.$)|.*", sentence)[0] for sentence in (first, second)]
                return whole if len(whole) < LONGEST else f"Two mistakes at once. {heads[0]}. And then: {heads[1]}."
        return ""

    def outcome(self, function, arguments):
        """What a function of ours gives, or REFUSED. A mistake that cannot be made there gives None."""
        try:
            return np.asarray(function(*copied(arguments)))
        except Exception as error:
            if isinstance(error, ValueError) and self.refuses(*arguments):
                return REFUSED
            if function is self.solve:
                raise
        return None


def known_mistakes(exercise):
    """All (sentence, function that goes wrong in this way), the likeliest first."""
    for sentence, wrongs in exercise.mistakes.items():
        for wrong in wrongs if isinstance(wrongs, list) else [wrongs]:
            yield sentence, wrong


_GIVEN = {}  # what functions of ours gave before: the cases never change


def result_of(exercise, function, k):
    """What a function of ours gives in case k; it is asked once."""
    key = id(exercise.cases), k, function
    if key not in _GIVEN:
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # a mistake may overflow, wherever it is asked first
            warnings.simplefilter("ignore")
            _GIVEN[key] = exercise.cases, exercise.outcome(function, exercise.cases[k])
    return _GIVEN[key][1]


def same(got, want, tolerance):
    """Whether two arrays have the same shape and, but for rounding, the same numbers."""
    if want is None or got.shape != want.shape:
        return False
    if got.dtype == np.float16:  # right numbers may be rounded to 16 bits in the end, but not on the way
        with np.errstate(over="ignore"):
            want = want.astype(np.float16)
    got, want = got.astype(float), want.astype(float)
    if not np.isfinite(want).all():
        return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool((np.abs(got - want) <= tolerance * (1 + np.abs(want))).all())  # the same in a quarter of the time
