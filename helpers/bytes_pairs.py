"""Byte-pair encoding, by which most language models cut a text into tokens, in plain Python.

A text is cut into words, a word into its bytes, and bytes are joined pair by pair, in the order that was learned.
"""

import functools
import itertools
import re
import unicodedata

from helpers.support import inputs

SPLITS = {  # where words end, by the name that a file gives to such a cut; `_stand_in` has gone over the text before
    "smollm": re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+|\s+(?![^\s0-9])|\s+", re.ASCII),
    "gpt-2": re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII),
}
_SEEN = [byte for byte in range(256) if chr(byte).isprintable() and byte != 32]  # each is written as its own letter
_UNSEEN = [byte for byte in range(256) if byte not in _SEEN]  # these as the letters from number 256 on
_LETTER_OF = {byte: chr(byte) for byte in _SEEN} | {byte: chr(256 + k) for k, byte in enumerate(_UNSEEN)}
_BYTE_OF = {letter: byte for byte, letter in _LETTER_OF.items()}


def merge_pairs(word, merges):
    """Join neighbours until no more may be joined. The pair of the lowest rank comes first, and of equal pairs the leftmost.

    Parameters
    ----------
    word : text, or a list of symbols
    merges : list of pairs of symbols that may be joined, in the order of their ranks

    Returns
    -------
    symbols : list of text, which together are the word

    References
    ----------
    Sennrich, Haddow, Birch, "Neural Machine Translation of Rare Words with Subword Units" (2016), section 3.2.

    Examples
    --------
    >>> merge_pairs("lower", [("l", "o"), ("e", "r"), ("lo", "w")])
    ['low', 'er']
    """
    word = list(word) if isinstance(word, str) else inputs.listed("word", word, str, "symbols")
    return _merge(word, _ranks(merges))


def _merge(symbols, ranks):
    while places := [(ranks[pair], k) for k, pair in enumerate(itertools.pairwise(symbols)) if pair in ranks]:
        _, k = min(places)
        symbols[k : k + 2] = [symbols[k] + symbols[k + 1]]
    return symbols


def _ranks(merges):
    merges = inputs.listed("merges", merges, (list, tuple), "pairs")
    if wrong := [pair for pair in merges if len(pair) != 2]:
        raise ValueError(f"merges must be a list of pairs, got {wrong[0]!r:.40} in it.")
    return {tuple(pair): rank for rank, pair in reversed([*enumerate(merges)])}


class Tokenizer:
    """The vocabulary of a model, to cut a text into tokens and to put them together again.

    Parameters
    ----------
    tokens : list of text, each byte of it written as one letter, as GPT-2 does
    merges : list of pairs of such text, lowest rank first
    special : list of those tokens that are found whole in a text, such as <|im_end|>
    split : how a text is cut into words, one of SPLITS
    merge : function(letters, merges) that joins the letters of a word, as `merge_pairs` does; None = this course's own

    Examples
    --------
    >>> tokenizer = Tokenizer(["a", "b", "ab", "Ġ"], [("a", "b")])
    >>> tokenizer.encode("ab a"), tokenizer.decode([2, 3, 0])
    ([2, 3, 0], 'ab a')
    """

    def __init__(self, tokens, merges, special=(), split="gpt-2", merge=None):
        self._tokens = inputs.listed("tokens", tokens, str, "text")
        self._number, self._ranks = {token: k for k, token in enumerate(self._tokens)}, _ranks(merges)
        self._special = set(inputs.listed("special", special, str, "text"))
        if missing := {*self._special, *map("".join, self._ranks)} - self._number.keys():
            raise ValueError(f"tokens must hold all that is special or merged, but {min(missing)!r:.40} is missing.")
        self._words = inputs.one_of("split", split, SPLITS)
        self._join = (lambda letters: merge(letters, merges)) if merge else lambda letters: _merge(letters, self._ranks)
        longest_first = "|".join(map(re.escape, sorted(self._special, key=len, reverse=True)))
        self._whole = re.compile(f"({longest_first})" if self._special else "(?!)")
        self._encode_word = functools.lru_cache(50_000)(self._encode_word)

    def encode(self, text):
        """Cut a text into tokens, given by their numbers. Half an emoji becomes the sign for that, \ufffd."""
        parts = self._whole.split(inputs.whole_letters(inputs.text("text", text)))
        return [k for part in parts for word in self._words_of(part) for k in self._encode_word(word)]

    def decode(self, ids):
        """Put tokens together into a text. A letter of which only a part is there becomes \ufffd."""
        ids = [inputs.whole_number("each of ids", k, minimum=0, maximum=len(self._tokens) - 1) for k in ids]
        return b"".join(map(self._bytes_of, ids)).decode(errors="replace")

    def _bytes_of(self, k):
        token = self._tokens[k]
        return bytes(map(_BYTE_OF.get, token)) if _BYTE_OF.keys() >= set(token) else token.encode()

    def _words_of(self, part):
        words = self._words.finditer("".join(map(_stand_in, part)))
        return [part] if part in self._special else [part[word.start() : word.end()] for word in words]

    def _encode_word(self, word):
        if word in self._special:
            return [self._number[word]]
        letters = [_LETTER_OF[byte] for byte in word.encode() if _LETTER_OF[byte] in self._number]
        return [self._number[symbol] for symbol in self._join(letters)]


@functools.cache
def _stand_in(letter):
    """An ASCII letter of the same kind: `re` has a \\d and a \\w for all scripts, but none for letters alone or all numbers."""
    kind = "space" if letter.isspace() else unicodedata.category(letter)[0]
    return letter if letter.isascii() else {"space": "\t", "L": "A", "N": "0"}.get(kind, "!")
