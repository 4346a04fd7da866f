"""WordPiece, by which the encoders of the BERT family cut a text into tokens, in plain Python: for a browser, which lacks the library.

A text is cleaned, and cut at spaces and punctuation. Of each word the longest piece that the vocabulary has is taken from the
front, and so on; pieces that continue a word begin with ##. Some newer signs are cut otherwise than by the library, whose tables of
Unicode are older than Python's.
"""

import functools
import re
import unicodedata
from typing import NamedTuple

KINDS = {
    "model": "WordPiece",
    "normalizer": "BertNormalizer",
    "pre_tokenizer": "BertPreTokenizer",
    "post_processor": "TemplateProcessing",
}
IDEOGRAPHS = re.compile(  # as the library has them
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)


class Encoded(NamedTuple):
    """ids : list of numbers of tokens; tokens : list of their text."""

    ids: list
    tokens: list


class Tokenizer:
    """What a tokenizer.json describes, with what is asked of the library's own class.

    Parameters
    ----------
    described : dict, the content of the file

    Raises
    ------
    KeyError, TypeError, ValueError
        If the file describes another kind of tokenizer, or is not whole.
    """

    def __init__(self, described):
        for part, kind in KINDS.items():
            if described[part]["type"] != kind:
                raise ValueError(f"its {part} must be {kind}, got {described[part]['type']!r:.40}")
        model, self._clean = described["model"], described["normalizer"]
        self._number, self._unknown = model["vocab"], model["unk_token"]
        self._longest, self._inside = model["max_input_chars_per_word"], model["continuing_subword_prefix"]
        special = [token["content"] for token in described["added_tokens"]]
        longest_first = "|".join(map(re.escape, sorted(special, key=len, reverse=True)))
        self._whole = re.compile(f"({longest_first})" if special else "(?!)")
        self._around = [
            part["SpecialToken"]["id"] if "SpecialToken" in part else None
            for part in described["post_processor"]["single"]
        ]
        self._pieces_of = functools.lru_cache(50_000)(self._pieces_of)

    def get_vocab_size(self):
        return len(self._number)

    def encode(self, text, add_special_tokens=True):
        """Cut a text into tokens, an Encoded, as the library does: [CLS] in front and [SEP] at the end where they are wanted."""
        parts = self._whole.split(text)
        tokens = [piece for k, part in enumerate(parts) for piece in ([part] if k % 2 else self._pieces(part))]
        if add_special_tokens:
            tokens = [piece for each in self._around for piece in (tokens if each is None else [each])]
        return Encoded([self._number[token] for token in tokens], tokens)

    def _pieces(self, part):
        return [piece for word in _words(self._cleaned(part)) for piece in self._pieces_of(word)]

    def _cleaned(self, text):
        how = self._clean
        if how["clean_text"]:
            text = "".join(" " if letter in "\t\n\r" else letter for letter in text if not _is_control(letter))
        if how["handle_chinese_chars"]:
            text = IDEOGRAPHS.sub(r" \1 ", text)
        if how["lowercase"] if how["strip_accents"] is None else how["strip_accents"]:
            text = "".join(x for x in unicodedata.normalize("NFD", text) if unicodedata.category(x) != "Mn")
        # letter by letter: Σ at the end of a word, too, is σ
        return "".join(map(str.lower, text)) if how["lowercase"] else text

    def _pieces_of(self, word):
        pieces, start = [], 0
        while start < len(word) <= self._longest:
            before = self._inside if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if before + word[start:end] in self._number), None)
            if end is None:
                return [self._unknown]
            pieces.append(before + word[start:end])
            start = end
        return pieces or [self._unknown]


def _words(text):
    """What stands between spaces, each sign of punctuation by itself."""
    apart = "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in text)
    return apart.split()


def _is_control(letter):
    return letter == "\ufffd" or (letter not in "\t\n\r" and unicodedata.category(letter) in ("Cc", "Cf", "Co"))


def _is_punctuation(letter):
    """Signs of ASCII that Unicode counts among the symbols, such as $ and +, as well."""
    return unicodedata.category(letter)[0] == "P" or (
        letter.isascii() and letter.isprintable() and not letter.isalnum() and letter != " "
    )
