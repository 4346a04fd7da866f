"""Byte-pair encoding: merges by hand, and texts of all scripts beside the library tokenizers."""

import random
import unicodedata

import pytest

from helpers import bytes_pairs, language_model
from helpers.bytes_pairs import Tokenizer, merge_pairs
from helpers.models import gguf_file

SCRIPTS = [chr(k) for k in range(1, 0x110000) if unicodedata.category(chr(k)) not in ("Cn", "Cs", "Co")]
EVERYDAY = list("     \n\t\r e a o 's 't 'll ' 1 2 3 _ ²₀½Ⅷ٣😀é中\u200d\u3000\xa0")


@pytest.mark.parametrize(
    ("word", "merges", "symbols"),
    [
        ("lower", [("l", "o"), ("lo", "w"), ("e", "r")], ["low", "er"]),
        ("lower", [("o", "w"), ("l", "o"), ("lo", "w")], ["l", "ow", "e", "r"]),  # the lower rank takes the o
        ("lower", [("lo", "w"), ("l", "o")], ["low", "e", "r"]),  # the lowest rank that is there
        ("aaaaa", [("a", "a"), ("aa", "aa")], ["aaaa", "a"]),
        ("abab", [("ab", "ab"), ("a", "b")], ["abab"]),
        ("aXa", [("X", "a"), ("a", "X"), ("X", "a")], ["a", "Xa"]),  # a pair that is there twice has its lower rank
        (["Ġ", "to", "ken"], [["to", "ken"], ["Ġ", "token"]], ["Ġtoken"]),
        ("a", [("a", "a")], ["a"]),
        ("", [("a", "a")], []),
    ],
)
def test_pairs_merge_as_by_hand(word, merges, symbols):
    given = list(word)
    assert merge_pairs(word, merges) == merge_pairs(given, merges) == symbols
    assert given == list(word)


def small(split="gpt-2"):
    return Tokenizer([*map(chr, range(33, 127)), "Ġ", "Ċ", "<end>", "<end>>", "Ġa", "'s"], [("Ġ", "a"), ("'", "s")], ["<end>", "<end>>"], split)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a a'sa", "a Ġa 's a"),
        ("  a", "Ġ Ġa"),
        (" a\n", "Ġa Ċ"),
        ("a<end>a", "a <end> a"),
        ("<end>> a", "<end>> Ġa"),
        ("< end>", "< Ġ e n d >"),
    ],
)
def test_words_bytes_and_special_tokens_as_by_hand(text, tokens):
    tokenizer = small()
    ids = tokenizer.encode(text)
    assert [tokenizer._tokens[k] for k in ids] == tokens.split() and tokenizer.decode(ids) == text


def test_letter_of_which_a_part_is_there_and_half_an_emoji_become_the_sign_for_that():
    tokenizer = Tokenizer(list(map(bytes_pairs._LETTER_OF.get, range(256))), [])
    assert tokenizer.encode("é") == [0xC3, 0xA9] and tokenizer.decode([0xC3]) == "\ufffd"
    assert tokenizer.decode(tokenizer.encode("\ud83c half")) == "\ufffd half"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: merge_pairs(7, []), "word must be a list of symbols, got int"),
        (lambda: merge_pairs([b"a"], []), "word must be a list of symbols, got bytes in it"),
        (lambda: merge_pairs("a", [("a", "b", "c")]), r"merges must be a list of pairs, got \('a', 'b', 'c'\) in it"),
        (lambda: Tokenizer(["a"], [("a", "a")]), "tokens must hold all that is special or merged, but 'aa' is missing"),
        (lambda: Tokenizer(["a"], [], ["<end>"]), "but '<end>' is missing"),
        (lambda: Tokenizer(["a"], [], split="qwen2"), "split must be one of 'smollm', 'gpt-2', got 'qwen2'"),
        (lambda: small().encode(b"a"), "text must be text, got bytes"),
        (lambda: small().decode([-1]), "each of ids must be at least 0, got -1"),
        (lambda: small().decode([100]), "each of ids must be at most 99, got 100"),
    ],
)
def test_what_cannot_be_cut_is_told_in_one_sentence(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


# --- beside the library ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=bytes_pairs.SPLITS)
def both(request):
    """The vocabulary of the real model in our tokenizer and in the library's."""
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: the extra model")
    if language_model.find() is None:
        pytest.skip("the real model is not installed: the extra model")
    fields = gguf_file.open_file(language_model.find()).fields
    tokens, kinds, merges = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "token_type", "merges"))
    special = [token for token, kind in zip(tokens, kinds) if kind == 3]
    given = tokens, [tuple(merge.split(" ")) for merge in merges], special, request.param
    return Tokenizer(*given), gguf_file.LibraryTokenizer(*given)


def random_texts(rng, special, count=2000):
    """Half of them in letters of all scripts, half in a few scripts among everyday letters, spaces and digits; some end a chat."""
    for number in range(count):
        pool = SCRIPTS if number % 2 else [*rng.choices(SCRIPTS, k=6), *3 * EVERYDAY]
        text = "".join(rng.choices(pool, k=rng.randint(0, 60)))
        yield text if number % 9 else text + rng.choice(special) + text[:5]


@pytest.mark.everything
def test_texts_of_all_scripts_are_cut_as_the_library_cuts_them(both):
    ours, theirs = both
    texts = [
        *random_texts(random.Random(0), sorted(ours._special)),
        "x ² y ₀z",
        " ½Ⅷ",
        "don't  I'LL",
        "\x1c a\x85b\u3000 ",
    ]
    different = [text for text in texts if ours.encode(text) != theirs.encode(text)]
    assert len(texts) == 2004 and different == []


@pytest.mark.everything
def test_each_letter_of_unicode_is_cut_as_the_library_cuts_it(both):
    ours, theirs = both
    assert len(SCRIPTS) > 140_000
    assert [x for x in SCRIPTS if ours.encode(f"a {x} 1{x}{x}  b") != theirs.encode(f"a {x} 1{x}{x}  b")] == []


@pytest.mark.everything
def test_tokens_in_any_order_become_the_text_that_the_library_makes_of_them(both):
    ours, theirs = both
    rng = random.Random(1)
    drawn = [[rng.randrange(len(ours._tokens)) for _ in range(rng.randint(0, 12))] for _ in range(2000)]
    assert [ids for ids in drawn if ours.decode(ids) != theirs.decode(ids)] == []


def test_a_learners_own_function_may_join_the_letters():
    given, tokens = [], ["a", "b", "c", "ab", "abc"]

    def merge(letters, merges):
        given.append((letters, merges))
        return ["ab", "c"]

    merges = [("a", "b"), ("ab", "c")]
    assert bytes_pairs.Tokenizer(tokens, merges).encode("abc") == [4]
    assert bytes_pairs.Tokenizer(tokens, merges, merge=merge).encode("abc") == [3, 2]
    assert given == [(["a", "b", "c"], merges)]
