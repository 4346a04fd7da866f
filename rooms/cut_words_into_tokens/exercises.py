"""The exercise on tokens: cut a word by rules that were learned."""

import numpy as np

from helpers import bytes_pairs
from rooms.shared import edits
from workbench import Stop


def _starts(symbols, word, merges):
    """For each letter whether a symbol starts there; Stop says why it is no list of symbols."""
    letters = "".join(word)
    if isinstance(symbols, str) or not all(isinstance(each, str) for each in np.ravel(np.array(symbols, dtype=object))):
        raise Stop(f"merge_pairs must return a list of symbols, such as ['lo', 'w'], got {symbols!r:.60}.")
    if "".join(symbols) != letters:
        raise Stop(f"The symbols must give the word again, “{letters}”, and yours give “{''.join(symbols):.60}”.")
    starts = np.zeros(len(letters), int)
    starts[np.cumsum([0, *(len(each) for each in symbols if each)])[:-1]] = 1
    return starts


def _pieces(starts, word):
    return " ".join("".join(part) for part in np.split(list("".join(word)), np.flatnonzero(starts)[1:]))


def _explain_pieces(got, want, word, merges):
    rules = ", ".join(f"{left}+{right}" for left, right in merges)
    return f"With {f'the rules {rules}' if rules else 'no rule'}, “{''.join(word)}” becomes {_pieces(want, word)}, and yours is {_pieces(got, word)}."


def _leftmost(word, merges):
    """What merges the first pair of the word that has any rule."""
    symbols, k = list(word), 0
    while k + 1 < len(symbols):
        if (symbols[k], symbols[k + 1]) in merges:
            symbols[k : k + 2], k = [symbols[k] + symbols[k + 1]], 0
        else:
            k += 1
    return symbols


def _longest(word, merges):
    """What takes the longest symbol that any rule makes, from the left."""
    made, symbols, start, word = {left + right for left, right in merges}, [], 0, "".join(word)
    while start < len(word):
        end = next((end for end in range(len(word), start + 1, -1) if word[start:end] in made), start + 1)
        symbols, start = [*symbols, word[start:end]], end
    return symbols


def _from_the_right(word, merges):
    symbols = list(word)
    for left, right in merges:
        for k in range(len(symbols) - 2, -1, -1):
            if symbols[k : k + 2] == [left, right]:
                symbols[k : k + 2] = [left + right]
    return symbols


def _one_a_round(word, merges):
    """What lets each rule merge one place, and then the next rule, until nothing changes."""
    symbols, begun = list(word), True
    while begun:
        begun = False
        for left, right in merges:
            k = next((k for k in range(len(symbols) - 1) if symbols[k : k + 2] == [left, right]), None)
            if k is not None:
                symbols[k : k + 2], begun = [left + right], True
    return symbols


def _hint_for_pieces(error, word, merges):
    if "item assignment" in str(error):
        return "Strings cannot be changed in place: begin with list(word)."
    if "to unpack" in str(error):
        return "The word comes first, then the rules, each of which is a pair: for left, right in merges."
    if isinstance(error, IndexError):
        return "A merge makes the list shorter: before each look ask whether k + 1 < len(symbols)."
    return None


_LOW = [("l", "o"), ("lo", "w"), ("e", "r"), ("s", "lo"), ("low", "er")]
_OTHERS = {"leftmost": _leftmost, "longest": _longest, "from_the_right": _from_the_right, "one_a_round": _one_a_round}
MERGE_PAIRS = edits.exercise(
    edits.part("merge_pairs", **_OTHERS),
    use=_starts,
    shown=lambda symbols: {"": list(symbols)},
    mistakes="""
in merges: => in reversed(merges): | The rules are used from the last to the first; the first in the list was learned first, and comes first.
=> leftmost(word, merges) | The pair that comes first in the word is merged first. What counts is the rule that comes first in the list.
=> longest(word, merges) | This takes the longest symbol that it finds, from left to right. Byte-pair encoding uses one rule after the other, in the order of the list.
=> from_the_right(word, merges) | Each rule goes through the word from the right: aaa becomes a aa. Go from left to right: aa a.
=> one_a_round(word, merges) | A rule merges one place, and then the next rule has its turn. Use each rule wherever its pair is, before the next one.
symbols[k : k + 2] = [left + right] => symbols[k : k + 2] = [left + right]⏎                break | Only the first such pair of the word is merged; a rule holds wherever its pair stands.
symbols[k : k + 2] = [left + right] => symbols[k : k + 2] = [left + right]⏎                return symbols | One merge is made, and then it ends; go on with the next pair, and with the next rule.
symbols[k] == left and symbols[k + 1] == right => symbols[k] + symbols[k + 1] == left + right | Joined letters are compared: ab + c is another pair than a + bc. Compare the two symbols one by one.
k + 1 < len(symbols) => k + 2 < len(symbols) | The last pair of the word is never looked at.
k = 0 => k = 1 | The first pair of the word is never looked at: count from 0.
in merges: => in sorted(merges, key=lambda pair: len(pair[0] + pair[1])): | The rules are sorted by their lengths; use them in the order of the list, in which they were found.
in merges: => in sorted(merges, key=lambda pair: -len(pair[0] + pair[1])): |
=> list(word) | Nothing was merged.
in merges: => in merges[:1]: | Only the first rule is used; go through all of them, in their order.
in merges: => in merges[:-1]: | The last rule is never used.
in merges: => in merges[1:]: | The first rule is never used.
=> [part for part in __import__("functools").reduce(lambda text, pair: text.replace(" ".join(pair), "".join(pair)), merges, " ".join(word)).split(" ")] | A text was searched, in which a pair may end in the middle of a symbol: compare whole symbols.
""",
    remakes=(bytes_pairs.merge_pairs,),
    cases=[
        ("lower", _LOW), ("aaa", [("a", "a")]), ("slower", _LOW), ("abcab", [("b", "c"), ("a", "b"), ("ab", "c")]),
        ("lowlow", _LOW), (["ab", "c", "a", "bc"], [("a", "bc"), ("c", "abc")]), ("hello", _LOW),
        ("aaaaa", [("a", "a"), ("aa", "aa")]), ("abcd", [("a", "b"), ("ab", "c"), ("c", "d")]), ("a", _LOW),
        ("low", []), ("ababa", [("a", "b"), ("ab", "a")]),
    ],
    praise="Right: rule by rule, each wherever its pair stands. This is how a model's text is cut into tokens.",
    explain=_explain_pieces,
    hint=_hint_for_pieces,
)  # fmt: skip
