"""What the text of this lesson says in numbers, computed on its own."""

import re
from collections import Counter

import pytest

from helpers import language_model, parts
from helpers.checks import EXERCISES
from helpers.learning import small_models
from helpers.support import data_files
from rooms.cut_words_into_tokens import explorers, real
from tests import notebooks


@pytest.fixture(scope="module")
def page():
    """What the cells that learn define."""
    space = {"Counter": Counter, "print": lambda *words: None}
    for source in notebooks.cells("cut_words_into_tokens", "code"):
        if source.startswith(("def glue(", "def learn(")):
            exec(source, space)
    return space


def test_the_page_learns_what_the_picture_shows(page):
    merges, _, cuts = explorers.learned(explorers.TEXT, 11)
    assert page["rules"] == [(left.replace(" ", "␣"), right.replace(" ", "␣")) for left, right in merges]
    assert [page["rules"][k] for k in (2, 6)] == [("e", "n"), ("h", "e")]  # both want the e of when
    assert parts.merge_pairs("when", page["rules"]) == ["w", "h", "en"]
    assert [piece.replace(" ", "␣") for piece in cuts[-1]] == [piece for word in page["words"] for piece in word]


def test_the_wall_has_44_letters_and_10_blanks():
    text = explorers.TEXT
    assert (len(text), text.count(" "), sum(map(str.isalpha, text))) == (54, 10, 44)


def test_banana_and_ananas(page):
    assert Counter(zip("banana", "anana")) == {("b", "a"): 1, ("a", "n"): 2, ("n", "a"): 2}
    merges, words = page["learn"](["banana"], 1)
    assert merges == [("a", "n")] and words == [["b", "an", "an", "a"]]
    assert set(Counter(zip(words[0], words[0][1:])).values()) == {1}
    assert parts.merge_pairs("ananas", merges) == ["an", "an", "a", "s"]


def test_the_folded_answer_with_glue_is_right(page):
    exec(re.search(r"```py\n(def merge_pairs.*?)```", notebooks.prose("cut_words_into_tokens"), re.S)[1], page)
    assert EXERCISES["merge_pairs"](page["merge_pairs"]).status == "right"


@pytest.mark.everything
def test_order_of_the_merges_of_this_course_matters_for_a_few_words_or_for_half_of_them():
    words = Counter(explorers.words_of(small_models.prose()))
    cut, merges = {word: list(word) for word in words}, []
    for _ in range(100):
        counts = Counter()
        for word, times in words.items():
            for pair in zip(cut[word], cut[word][1:]):
                counts[pair] += times
        merges.append(max(counts, key=counts.get))
        cut = {word: explorers.glued(pieces, merges[-1]) for word, pieces in cut.items()}
    other = [sorted(merges, key=lambda pair: len(pair[0] + pair[1])), merges[::-1]]
    changed = [sum(parts.merge_pairs(word, order) != cut[word] for word in words) for order in other]
    assert [len(words), *changed] == [3475, 14, 1788] and 0.5 < 1788 / 3475 < 0.52


def test_numbers_of_tokens_that_the_lesson_tells():
    counts = {text: len(tokens) for text, tokens in data_files.json_file(real.PATH).items()}
    assert list(counts) == list(real.TEXTS)
    assert [counts[text] for text in real.TEXTS[1:4]] == [3, 3, 5]
    assert [counts[text] for text in real.TEXTS[-4:]] == [7, 11, 17, 12] and len(real.TEXTS[-1]) == 7
    assert len("猫坐".encode()) == 6 and [piece for _, piece in real.cut(real.TEXTS[-1])][:6] == [*"�����在"]
    assert {len(letter.encode()) for letter in "aß猫𒀀"} == {1, 2, 3, 4}
    assert real.cut("I ate a strawberry")[-1][1] == " strawberry"
    assert [piece for _, piece in real.cut("1234567 + 8")][:7] == list("1234567")


@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_cuts_are_those_of_the_model_of_lesson_25():
    model = language_model.load(progress=None)
    stored = {text: [tuple(token) for token in tokens] for text, tokens in data_files.json_file(real.PATH).items()}
    assert {text: real.cut_by(model, text) for text in real.TEXTS} == stored and model.vocabulary_size == 49_152


@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_merges_of_the_model_of_lesson_25():
    fields = pytest.importorskip("gguf").GGUFReader(language_model.find()).fields["tokenizer.ggml.merges"]
    merges = [bytes(fields.parts[k]).decode() for k in fields.data]
    assert len(merges) == 48_900
    assert [merge for merge in merges if re.search("[A-Za-z]Ġ", merge.replace(" ", ""))] == []  # Ġ is a space


def test_a_context_of_48_letters_holds_nine_words():
    words = re.findall("[a-z']+", small_models.prose())
    assert round(small_models.CONTEXT / (len(small_models.prose()) / len(words))) == 9
