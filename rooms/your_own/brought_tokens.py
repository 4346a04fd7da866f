"""Tokens as tokenizers give them, and the words that one can read: a space is ␣, bytes are joined to letters."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from helpers.support import inputs

HOW = "tokenizer.convert_ids_to_tokens(inputs.input_ids[0])"
PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that GPT-2 writes as the letter of that number
BYTE_OF = dict(zip(map(chr, PLAIN), PLAIN)) | {
    chr(256 + k): byte for k, byte in enumerate(byte for byte in range(256) if byte not in PLAIN)
}  # and those that it writes as another one: Ġ is a space, Ċ the end of a line
SIGNS = str.maketrans({"\n": "↵", "\t": "⇥"})


class Words(NamedTuple):
    """The tokens of a text.

    words : list of str, to be read
    raw : list of str, as they were brought
    note : what is to be said of them, "" where nothing is
    """

    words: list
    raw: list
    note: str


def read(name, tokens, count, *, batch=None, source=None, spare=False, places="row"):
    """Read the tokens of a text.

    Parameters
    ----------
    name : what they are called in an error
    tokens : list of tokens, of bytes or of ids; what a tokenizer returns; None = their numbers, from 0 on
    count : how many there must be
    batch : which of several texts, if they are those of several
    source : the output of a model, in which a tokenizer finds the ids of its tokens
    spare : whether one more token may be there, which no map has
    places : what of the maps belongs to each token, for an error

    Returns
    -------
    Words
    """
    if tokens is None:
        return Words([str(k) for k in range(count)], [str(k) for k in range(count)], "")
    tokens = _one_text(name, _listed(name, tokens, batch, source), batch)
    if spare and len(tokens) == count + 1:
        tokens = tokens[:count]
    if len(tokens) != count:
        raise ValueError(
            f"{name} must be {count}, one for each {places} of the maps, got {len(tokens)}. All are {HOW}."
        )
    if all(isinstance(token, (int, np.integer)) for token in tokens):
        return Words(
            [str(id) for id in tokens], [str(id) for id in tokens], f"The numbers are ids; their words are {HOW}."
        )
    words, note = readable(tokens)
    raw = [token if isinstance(token, str) and token.isprintable() else repr(token) for token in tokens]
    return Words(words, raw, note)


def _listed(name, tokens, batch, source):
    """A list, from what a tokenizer returns or from a tokenizer itself."""
    if hasattr(tokens, "convert_ids_to_tokens") or hasattr(tokens, "id_to_token"):
        ids = getattr(source, "sequences", None)
        if ids is None or not hasattr(tokens, "convert_ids_to_tokens"):
            how = "tokenizer.encode(text).tokens" if hasattr(tokens, "id_to_token") else HOW
            raise TypeError(f"{name} must be a list of tokens, got a tokenizer: pass {how}.")
        return tokens.convert_ids_to_tokens(inputs.rectangle("sequences", ids)[batch or 0].tolist())
    found = getattr(tokens, "tokens", None)
    if callable(found):
        try:
            return found(batch or 0)
        except Exception:  # a tokenizer in plain Python keeps no tokens, and each version says so by another error
            raise TypeError(f"{name} must be a list of tokens, got {type(tokens).__name__}: pass {HOW}.") from None
    if isinstance(found, (list, tuple)):
        return list(found)
    if isinstance(tokens, Mapping):
        raise TypeError(f"{name} must be a list of tokens, got {type(tokens).__name__}: pass {HOW}.")
    if hasattr(tokens, "shape"):
        return inputs.rectangle(name, tokens).tolist()
    return tokens


def _one_text(name, tokens, batch):
    """The tokens of one text, each a word, bytes or a number."""
    if isinstance(tokens, (list, tuple)) and tokens and all(isinstance(text, (list, tuple)) for text in tokens):
        if batch is None and len(tokens) > 1:
            raise ValueError(
                f"{name} must be those of one text, got {len(tokens)} lists: choose one by batch=0, or pass {name}[0]."
            )
        if (batch or 0) >= len(tokens):
            raise ValueError(f"{name} must have a text {batch}, got {len(tokens)} lists.")
        tokens = tokens[batch or 0]
    if isinstance(tokens, (list, tuple)) and all(isinstance(each, (bytes, int, np.integer)) for each in tokens):
        return list(tokens)
    return inputs.labels(name, tokens)


# --- what one can read -----------------------------------------------------------------------------------------------


def readable(tokens):
    """Make words of tokens.

    Parameters
    ----------
    tokens : list of str, or of bytes

    Returns
    -------
    words, note : list of str, and what is to be said of them

    Examples
    --------
    >>> readable(["Hello", "Ġworld", "Ċ", "ĠcafÃ©"])[0]
    ['Hello', '␣world', '↵', '␣café']
    >>> readable(["▁Hel", "lo", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"])[0]
    ['␣Hel', 'lo', '😀', '·', '·', '·']
    >>> readable(["[CLS]", "walk", "##ing"])[0]
    ['[CLS]', 'walk', '…ing']
    """
    coded = _is_byte_level(tokens)
    parts = [token if isinstance(token, bytes) else _bytes(token, coded) for token in tokens]
    owner = [k for k, part in enumerate(parts) for _ in part]
    words, at = [""] * len(parts), 0
    for letter in b"".join(parts).decode("utf-8", "surrogateescape"):  # a byte of no letter becomes half a letter
        words[owner[at]] += inputs.whole_letters(letter)
        at += 1 if "\ud800" <= letter <= "\udfff" else len(letter.encode())
    shared = any(part and not word for part, word in zip(parts, words))
    notes = ["A letter made of several tokens is shown at the first of them."] * shared
    notes += ["Half a letter is shown as �."] * any("\ufffd" in word for word in words)
    return [visible(word) for word in words], " ".join(notes)


def visible(word):
    """A token as it can be read: a space, an end of a line, and nothing at all have a sign, too.

    Examples
    --------
    >>> [visible(word) for word in (" a", "   ", "", "\\n")]
    ['␣a', '␣␣␣', '·', '↵']
    """
    inner = word.lstrip(" ")
    shown = "␣" * (len(word) - len(inner)) + inner.translate(SIGNS)
    return "".join(" " if letter < " " else letter for letter in shown) or "·"


def _is_byte_level(tokens):
    """Whether tokens are written as GPT-2 writes bytes: then its letters, each a byte, must be those of a text."""
    coded = [token for token in tokens if isinstance(token, str) and all(letter in BYTE_OF for letter in token)]
    if all(token.isascii() for token in coded):
        return False
    try:
        bytes(BYTE_OF[letter] for letter in "".join(coded)).decode()
    except UnicodeDecodeError as error:  # text may end within a letter
        return error.reason == "unexpected end of data" and any(token.startswith(("Ġ", "Ċ")) for token in coded)
    return True


def _bytes(token, coded):
    if coded and all(letter in BYTE_OF for letter in token):
        return bytes(BYTE_OF[letter] for letter in token)
    if re.fullmatch("<0x[0-9A-F]{2}>", token):
        return bytes([int(token[3:5], 16)])
    token = inputs.whole_letters(token).replace("▁", " ").removesuffix("</w>")
    token = f"…{token[2:]}" if token.startswith("##") and len(token) > 2 else token
    return (f"{token[:-2]}…" if token.endswith("@@") and len(token) > 2 else token).encode()
