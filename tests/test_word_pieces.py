"""WordPiece: cuts by hand, and texts of all scripts beside the library tokenizers."""

import json
import random
import unicodedata

import pytest

from helpers.models import bert
from helpers.models.word_pieces import Tokenizer

OLD = (
    unicodedata.ucd_3_2_0
)  # the library's tables are older than Python's: letters are drawn of which both must know the kind
SCRIPTS = [chr(k) for k in range(1, 0x110000) if OLD.category(chr(k)) not in ("Cn", "Cs", "Co")]
SCRIPTS = [x for x in SCRIPTS if OLD.category(x) == unicodedata.category(x)]
EVERYDAY = list("     \n\t\re a o ' . , - $ + 1 2 _ é É Σ İ ß 中\u200d\u3000\xa0\u0301")
WORDS = "[UNK] [CLS] [SEP] the cat sleep ##ing ##s a ##b b . ' s $ e 中 σ".split()
SMALL = {
    "added_tokens": [{"content": name} for name in ("[UNK]", "[CLS]", "[SEP]")],
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "[SEP]"}}],
    },
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 7,
        "vocab": {word: k for k, word in enumerate(WORDS)},
    },
}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cats", "the cat ##s"),
        ("cat's.", "cat ' s ."),
        ("sleeping", "[UNK]"),  # eight letters, and the longest word has seven
        ("sleeps", "sleep ##s"),
        ("ab ba bs", "a ##b [UNK] b ##s"),  # no piece ##a: the whole word is unknown
        ("a[SEP]b [sep]", "a [SEP] b [UNK] [UNK] [UNK]"),
        ("a$É\u200d\x01b", "a $ e ##b"),
        ("a中b Σ", "a 中 b σ"),
        ("e\u0301 \xa0 e", "e e"),
        ("", ""),
    ],
)
def test_words_are_cut_as_by_hand(text, tokens):
    tokenizer = Tokenizer(SMALL)
    assert tokenizer.encode(text, add_special_tokens=False).tokens == tokens.split()
    around = tokenizer.encode(text)
    assert around.tokens == ["[CLS]", *tokens.split(), "[SEP]"]
    assert around.ids == [WORDS.index(token) for token in around.tokens]
    assert tokenizer.get_vocab_size() == len(WORDS)


@pytest.mark.parametrize("part", ["model", "normalizer", "pre_tokenizer", "post_processor"])
def test_another_kind_of_tokenizer_is_named(part):
    with pytest.raises(ValueError, match=f"its {part} must be .*, got 'Other'"):
        Tokenizer(SMALL | {part: {"type": "Other"}})


def test_without_the_library_the_files_are_read_all_the_same(tmp_path, monkeypatch):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(SMALL), encoding="utf-8")
    monkeypatch.setattr(bert.importlib.util, "find_spec", lambda name: None)
    assert bert._read_tokenizer(path).encode("a").tokens == ["[CLS]", "a", "[SEP]"]
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"tokenizer\.json must be whole, but it is damaged"):
        bert._read_tokenizer(path)


# --- beside the library ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def both():
    """The real model's tokenizer as ours and as the library's."""
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: the extra model")
    if bert.find_weights() is None:
        pytest.skip("the real model is not installed: the extra model")
    path = bert.find_weights() / "tokenizer.json"
    return Tokenizer(json.loads(path.read_text(encoding="utf-8"))), bert._by_library(path)


def random_texts(rng, count=2000):
    """Half of them in letters of all scripts, half in a few scripts among everyday letters and spaces; some end a text."""
    for number in range(count):
        pool = SCRIPTS if number % 2 else [*rng.choices(SCRIPTS, k=6), *3 * EVERYDAY]
        text = "".join(rng.choices(pool, k=rng.randint(0, 60)))
        yield text if number % 9 else text + rng.choice(["[SEP]", "[MASK]", "[cls]"]) + text[:5]


@pytest.mark.everything
def test_texts_of_all_scripts_are_cut_as_the_library_cuts_them(both):
    ours, theirs = both
    texts = [*random_texts(random.Random(0)), "a" * 100, "a" * 101, "ΣΊΣΥΦΟΣ", "naïve İstanbul", "don't $5+3"]
    different = [text for text in texts if ours.encode(text).ids != theirs.encode(text).ids]
    assert len(texts) == 2005 and different == []


@pytest.mark.everything
def test_each_letter_of_unicode_is_cut_as_the_library_cuts_it(both):
    ours, theirs = both
    assert len(SCRIPTS) > 95_000
    assert [x for x in SCRIPTS if ours.encode(f"a {x} b{x}{x}c").ids != theirs.encode(f"a {x} b{x}{x}c").ids] == []


@pytest.mark.everything
def test_some_newer_signs_are_cut_otherwise_than_by_the_library(both):
    ours, theirs = both
    assert ours.encode("a\u061db").tokens != theirs.encode("a\u061db").tokens  # a full stop since 2021
