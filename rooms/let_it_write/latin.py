"""Names in the letters from a to z: those of other scripts are read by the names that Unicode gives them."""

import re
import unicodedata

NAMED = re.compile(
    r"(?P<script>\w+) (?:\w+ )*?(?P<kind>LETTER|SYLLABLE|LIGATURE|VOWEL SIGN|SIGN(?= VIRAMA)) "
    r"(?:(?:FINAL|SMALL|SHORT|DOTLESS|FARSI|GLOTTAL|PHARYNGEAL|\S*UKRAINIAN) )*(?P<name>\w+)"
)
SYLLABLES = (
    "HANGUL HIRAGANA KATAKANA ETHIOPIC DEVANAGARI BENGALI GURMUKHI GUJARATI TAMIL TELUGU KANNADA MALAYALAM".split()
)
FIRST = "GREEK HEBREW ARABIC ARMENIAN GEORGIAN LATIN".split()  # alpha: a name begins with the sound
OTHERWISE = dict(ghe="g", ie="e", io="yo", yeru="y", soft="", hard="", rho="r", eth="d", schwa="e", ae="ae", oe="oe")
ALIKE = str.maketrans({"ß": "ss", "’": "'", "-": " "})


def in_latin(name):
    """A name in small letters without accents, those of many other scripts by their sounds. What has no sound here stays as it is.

    Examples
    --------
    >>> [in_latin(name) for name in ("Zoë", "Жанна", "Γιώργος", "김민수", "さくら", "李")]
    ['zoe', 'zhanna', 'giorgos', 'gimminsu', 'sakura', '李']
    """
    read = ""
    for letter in unicodedata.normalize("NFKC", name.lower().translate(ALIKE)):
        found = NAMED.match(unicodedata.name(letter, ""))
        sound = _sound(*found.group("script", "name")) if found else None
        if found and "SIGN" in found["kind"]:  # a vowel in the place of the one that is in the letter before
            read = read.removesuffix("a")
        if letter.isascii() or (sound is None and unicodedata.category(letter) not in ("Lm", "Mn")):
            read += letter
        else:  # a mark of its own is silent
            read += sound or ""
    return read


def _sound(script, name):
    """Of a letter that is called so: EN and ZHE are n and zh, THETA is th, GIM is gim; None = not known."""
    name = name.lower()
    if script in SYLLABLES:
        return "" if name == "virama" else name
    if script == "CYRILLIC":
        return OTHERWISE.get(name, name if name[0] == "y" else re.sub("[aeiou]", "", name) or name)
    if script in FIRST:
        return OTHERWISE.get(name, re.match("[^aeiouy]+|.", name)[0])
    return None
