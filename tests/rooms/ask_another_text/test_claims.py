"""What the text of this lesson says in numbers, computed on its own."""

import functools

import numpy as np
import pytest

from helpers import attention, transformer
from helpers.learning.parameters import to_vector
from rooms.ask_another_text.exercises import CROSS
from rooms.shared import french
from tests.notebooks import prose


def test_numbers_for_the_pencil():
    shares = np.array([[1, 1, 3], [1, 3, 1]]) / 5
    which = [[0, 0, 0], [0, 1, 0], [1, 0, 0]]  # the, black, cat, as cat, black, red
    assert (shares @ which).tolist() == [[3 / 5, 1 / 5, 0], [1 / 5, 3 / 5, 0]]
    assert "1/5 · [0, 0, 0] + 1/5 · [0, 1, 0] + 3/5 · [1, 0, 0] = [3/5, 1/5, 0]" in prose("ask_another_text")


def test_the_order_of_the_source_does_not_matter_and_that_of_the_queries_does():
    rng = np.random.default_rng(7)
    Y, X, matrices = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(3, 4, 4))
    cross, order = CROSS.solve, rng.permutation(5)
    np.testing.assert_allclose(cross(Y, X[order], *matrices), cross(Y, X, *matrices))
    np.testing.assert_allclose(cross(Y[[2, 0, 1]], X, *matrices), cross(Y, X, *matrices)[[2, 0, 1]])


def test_pairs_that_are_kept_apart_are_never_trained_on():
    known, unseen = french.sentences(), french.sentences(unseen=True)
    assert (len(known), len(unseen), len(french.UNSEEN)) == (1728, 432, 12) and "432" in prose("ask_another_text")
    assert all(not ({"red", "car"} <= set(each.english)) for each in known)
    assert sum("red" in each.english and "car" in each.english for each in unseen) == 36
    assert round(to_vector(french.load_model()).size, -3) == 26000


@functools.cache
def translated_unseen():
    """Each sentence that the model never read, and what it makes of it."""
    model = french.load_model()
    return [(each, french.translate(model, each.english)) for each in french.sentences(unseen=True)]


@pytest.mark.everything
def test_texts_that_are_translated_at_once_are_translated_as_each_alone():
    alone = translated_unseen()
    at_once = french.translate_all(french.load_model(), [each.english for each, _ in alone])
    for (_, (words, weights)), (also, also_weights) in zip(alone, at_once, strict=True):
        assert words == also
        np.testing.assert_allclose(weights, also_weights, atol=1e-5)


def test_both_heads_find_the_colour_and_each_has_a_job_in_sentences_that_they_never_read():
    counts = np.zeros(
        (2, 4), int
    )  # of each head: colour at the colour, article at "the", article at the noun, ne at "not"
    right = [(each, made) for each, made in translated_unseen() if made.words == each.french]
    for (english, written, pairs), (_, weights) in right:
        for head in (0, 1):
            most = [english[place] for place in weights[head].argmax(axis=-1)]
            colours = [k for k, word in enumerate(english) if word in french.COLOURS]
            (place,) = [k for k, places in enumerate(pairs) if places == colours]
            counts[head, :3] += [most[place] == english[colours[0]], most[0] == "the", most[0] in french.NOUNS]
            counts[head, 3] += "ne" in written and most[written.index("ne")] == "not"
            assert head == 0 or "pas" not in written or most[written.index("pas")] == "the"
    assert (len(right), counts.tolist()) == (422, [[393, 422, 0, 13], [422, 0, 422, 211]])
    shares = french.where_heads_look(right)
    np.testing.assert_allclose(np.transpose(list(shares.values())), counts / [422, 422, 422, 211])


@pytest.mark.everything
def test_another_english_colour_changes_the_french_colour_and_no_other_word():
    other = {"red": "green", "green": "red", "black": "white", "white": "black"}
    for each, (words, _) in translated_unseen():
        if words != each.french:
            continue
        again = french.translate(french.load_model(), [other.get(word, word) for word in each.english]).words
        ((old, new),) = [pair for pair in zip(words, again, strict=True) if pair[0] != pair[1]]
        (colour,) = [word for word in each.english if word in other]
        form = "mf".index(gender_of(each))
        assert (old, new) == (french.COLOURS[colour][form], french.COLOURS[other[colour]][form])


def test_french_takes_from_the_english_only_what_comes_through_the_heads_that_look_across():
    texts = ["the red car sleeps".split(), "the big white dog does not sing".split()]
    deaf = french.load_model()
    assert len(deaf["decoder"]) == 1
    deaf["decoder"][0]["cross_attention"]["W_output"] = np.zeros((32, 32), dtype=np.float32)
    assert len({tuple(made.words) for made in french.translate_all(french.load_model(), texts)}) == 2
    assert len({tuple(made.words) for made in french.translate_all(deaf, texts)}) == 1


def gender_of(told):
    (noun,) = [word for word in told.english if word in french.NOUNS]
    return french.NOUNS[noun][1]


def test_a_sentence_says_the_same_in_both_languages():
    told = french.sentence("car", "little", "red", "falls", negated=True)
    assert " ".join(told.english) == "the little red car does not fall"
    assert " ".join(told.french) == "la petite voiture rouge ne tombe pas"
    assert told.pairs == [[0], [1], [3], [2], [4, 5], [6], [4, 5]]
    assert french.sentence("dog", colour="white").french == "le chien blanc dort".split()


@pytest.mark.parametrize("choice", [("tree",), ("car", "huge"), ("car", "", "blue"), ("car", "", "", "flies")])
def test_a_word_that_is_not_there_is_named(choice):
    with pytest.raises(ValueError, match=rf"must be .*{choice[-1]}"):
        french.sentence(*choice)


def test_only_words_that_were_read_are_translated():
    with pytest.raises(ValueError, match="english must be words that the model has read, got tree"):
        french.translate(french.load_model(), ["the", "tree", "falls"])
    with pytest.raises(ValueError, match="got none"):
        french.translate_all(french.load_model(), [["the", "car", "falls"], []])
    with pytest.raises(ValueError, match="at least one text, got none"):
        french.translate_all(french.load_model(), [])


def test_what_it_gets_wrong_is_the_gender_of_a_colour_at_which_head_1_looks():
    wrong = []
    for (english, written, _), (words, weights) in translated_unseen():
        if words != written:
            ((place, told, right),) = [
                (k, *pair) for k, pair in enumerate(zip(words, written, strict=True)) if pair[0] != pair[1]
            ]
            (colour,) = [word for word, forms in french.COLOURS.items() if {told, right} <= set(forms)]
            assert english[weights[1, place].argmax()] == colour  # it looks right, and does not write right
            wrong.append(" ".join(words))
    assert len(wrong) == 10 and any(each.startswith("le chien verte") for each in wrong)
    assert 2 * sum("not" in each.english for each, _ in translated_unseen()) == len(translated_unseen())


def test_the_article_looks_elsewhere_in_7_percent_of_the_coloured_sentences_it_has_read():
    model, known = french.load_model(), french.sentences()
    sources, lengths, _ = french.batch_of(known)
    seen = attention.padding_mask(lengths, sources.shape[-1])
    memory = transformer.encode(sources, model, **french.MODEL, mask=seen)
    starts = np.full((len(known), 1), french.START)
    _, read = transformer.decode(starts, memory, model, **french.MODEL, memory_mask=seen, with_attention=True)
    places = read[-1]["cross_attention"].weights[:, 1, 0].argmax(axis=-1)
    looked = [each.english[place] for each, place in zip(known, places, strict=True)]
    elsewhere = np.array([word not in french.NOUNS for word in looked])
    coloured = np.array([any(word in french.COLOURS for word in each.english) for each in known])
    assert f"{elsewhere[coloured].mean():.0%}" == "7%" and "in 7% of them" in prose("ask_another_text")
    assert looked[known.index(french.sentence("car", "", "green", "falls"))] == "green"


def test_pytorch_asks_with_y_and_answers_from_x():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    Y, X = torch.ones(2, 4), torch.ones(5, 4)
    output, weights = torch.nn.MultiheadAttention(embed_dim=4, num_heads=2)(query=Y, key=X, value=X)
    assert output.shape == (2, 4) and weights.shape == (2, 5)
