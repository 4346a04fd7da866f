"""What the text and the checks of this lesson say, tried."""

import inspect
import re
from fractions import Fraction

import numpy as np
import pytest

from helpers import attention, explorers, transformer
from rooms.shared import french
from rooms.shared.words import she_words
from rooms.stack_a_transformer import translator
from rooms.stack_a_transformer.explorers import PARTS, SENTENCES
from rooms.stack_a_transformer.translator import ASK, LOOK_BACK, MASK, OTHERS, POSITIONS, READ, RETHINK, THINK
from tests.notebooks import prose

TURNS, SLEEPS = "the red car turns", "the black cat sleeps"
MOUSE = "la petite souris rouge ne tombe pas"


def writes(english, *off):
    (words,) = translator.write([english.split()], off)
    return " ".join(words)


def explorer_writes(sentence, off):
    return translator.write([SENTENCES[sentence].english], [] if off == "nothing" else [off])[0]


def said(**how):
    """What the columns of the picture say, a list of words for each box."""
    explorer = explorers.explore_towers()
    explorer.set(**how)
    return [[french.VOCABULARY[k] for k in row] for row in explorer.shown["says"]]


# --- the model -------------------------------------------------------------------------------------------------------


def test_one_matrix_is_the_embedding_and_transposed_the_vocabulary():
    model = translator.load_model()
    assert np.shares_memory(model["embedding"], model["W_vocabulary"])
    assert model["embedding"].shape == (69, 32) and len(french.VOCABULARY) == 69
    assert [len(model[tower]) for tower in ("encoder", "decoder")] == [1, 1]


def test_it_is_one_of_the_best_of_five_trainings():
    right = translator.right_of_seeds()
    assert len(right) == len(translator.SEEDS) == 5 and max(right) == right[0] == translator.num_right() == 432
    assert 0.75 < min(right) / 432 < 0.78  # "three sentences in four"


def test_all_five_write_french_with_the_memory_cut():
    assert translator.speaks_of_seeds() == [True] * 5 and translator.speaks_alone(translator.load_model())
    assert not translator.speaks_alone(translator.shared(translator.random_model(29)))
    assert "all five trainings do it" in prose("stack_a_transformer")


def test_a_training_learns_one_matrix_for_both_ends():
    history = translator.train(29, num_steps=51, progress=None)
    assert "W_vocabulary" not in history.parameters and history.losses[-1] < 0.7 * history.losses[0]
    assert (history.parameters["embedding"] != translator.random_model(29)["embedding"]).any()


def test_one_step_in_ten_is_taken_with_the_memory_cut(monkeypatch):
    cut = []
    monkeypatch.setattr(translator, "without", lambda parameters, *boxes: cut.append(boxes) or parameters)
    monkeypatch.setattr(french, "loss_of", lambda parameters: None)
    monkeypatch.setattr(french, "train", lambda parameters, loss, **_: [loss(parameters) for _ in range(20)])
    translator.train(29)
    assert cut == [*9 * [()], (ASK,)] * 2 and "one time in ten" in prose("stack_a_transformer")


# --- what the boxes are for ------------------------------------------------------------------------------------------


def test_readings_of_all_unseen_sentences():
    own, right, fits, sure = np.transpose(translator.readings()).round(2)
    assert sure[2:].tolist() == [0.82, 0.99]
    assert own.tolist() == [1, 0.56, 0.08, 0] and right.tolist() == [0, 0.22, 0.92, 1]
    assert fits.tolist() == [0.14, 0.87, 1, 1] and translator.readings(ASK)[-1].fits == 1
    text = prose("stack_a_transformer")
    assert "moves 44 columns in a hundred" in text and "48 more" in text and "the last 8" in text


def rightly_shown(height):
    """Of all columns of the unseen sentences: the word each comes in with, its goal, and what it says there, (n, vocabulary)."""
    texts, written, goals = translator._shown_rightly()
    _, says = translator.read(texts, written)
    there = goals >= 0
    return french.numbered(written, goals.shape[1], french.END)[there], goals[there], says[height][there]


def test_the_share_of_the_right_word_is_that_of_all_columns():
    for height, each in enumerate(translator.readings()):
        _, goals, says = rightly_shown(height)
        np.testing.assert_allclose(says[np.arange(len(goals)), goals].mean(), each.sure)


def test_cross_attention_asks_well_only_after_self_attention():
    with_it, without = translator.readings()[2], translator.readings(LOOK_BACK)[2]
    assert 0.9 < with_it.right < 0.95 and 0.15 < without.right < 0.25  # nine columns in ten, two in ten


def test_self_attention_says_hardly_more_than_a_table_of_next_words():
    own, _, says = rightly_shown(1)
    table = {word: np.bincount(says[own == word].argmax(-1)) for word in set(own)}
    assert sum(each.max() for each in table.values()) / len(own) >= 0.95
    la = table[french.VOCABULARY.index("la")]
    assert french.VOCABULARY[la.argmax()] == "grande" and la.max() == la.sum()


def test_before_the_memory_is_asked_start_says_la_and_more_than_half_of_the_sentences_begin_so():
    begin = [each.french[0] for each in translator.unseen()]
    _, says = translator.read([each.english for each in translator.unseen()], [["<s>"]] * len(begin))
    assert {french.VOCABULARY[k] for k in says[1].argmax(-1).ravel()} == {"la"}
    assert 0.5 < begin.count("la") / len(begin) < 0.6


def test_the_columns_of_the_picture():
    looked, asked, top = said()
    assert " ".join(looked) == "la grande voiture rouge tourne"
    assert " ".join(asked) == "la voiture voiture tourne </s>"
    assert " ".join(top) == "la voiture rouge tourne </s>"


def test_violet_is_the_right_next_word_grey_the_one_that_came_in_and_a_word_in_no_colour_another():
    explorer, states = explorers.explore_towers(), [(off, k) for off in ("nothing", *PARTS) for k in range(3)]
    for off, sentence in states:
        explorer.set(off=off, sentence=sentence)
        goals = [*SENTENCES[sentence].french, "</s>"] + [None] * 8
        came_in, shown = ["<s>", *explorer_writes(sentence, off)], explorer.html.split('class="only-narrow"')[0]
        for row, foot in zip(explorer.shown["says"][:2], (234, 142)):
            colours = re.findall(rf'<text [^>]*y="{foot}" fill="var\(--(\w+)', shown)
            words = [french.VOCABULARY[k] for k in row]
            wanted = [
                "muted" if w == own else "output" if w == goal else "ink" for w, own, goal in zip(words, came_in, goals)
            ]
            assert colours[-len(words) :] == wanted, (off, sentence)


@pytest.mark.parametrize(
    ("off", "right", "made"),
    [
        (ASK, 0, {TURNS: MOUSE, SLEEPS: MOUSE}),
        (LOOK_BACK, 0, {TURNS: "la la la la la la la la", "the red car falls": "dort pas", SLEEPS: ""}),
        (OTHERS, 42, {TURNS: "la voiture blanche tourne tourne tourne tourne"}),
        (RETHINK, 258, {TURNS: f"la {' '.join(['voiture'] * 7)}", SLEEPS: f"le le {' '.join(['chat'] * 6)}"}),
        (READ, 103, {TURNS: "la voiture rouge dort"}),
        (THINK, 74, {TURNS: "la voiture rouge tourne"}),
        (POSITIONS, 180, {TURNS: "la voiture rouge tourne"}),
        (MASK, 432, {TURNS: "la voiture rouge tourne"}),
    ],
)
def test_what_is_written_without_a_part_and_how_often_it_is_right(off, right, made):
    assert translator.num_right(off) == right
    assert {english: writes(english, off) for english in made} == made


def test_without_the_memory_all_sentences_become_one_and_it_is_french():
    (made,) = {tuple(words) for words in translator.write([each.english for each in translator.unseen()], [ASK])}
    assert list(made) == french.sentence("mouse", "little", "red", "falls", negated=True).french == MOUSE.split()


def test_a_lifted_mask_changes_old_columns_and_what_is_written_not_at_all():
    texts = [each.english for each in translator.unseen()]
    assert translator.write(texts) == translator.write(texts, [MASK])
    before, after = said()[2], said(off=MASK)[2]
    assert after[:2] == ["dort", "</s>"] and after[2:] == before[2:]
    assert f"{translator.readings(MASK)[-1].right:.0%}" == "60%" and translator.readings()[-1].right == 1
    assert "only 60%" in prose("stack_a_transformer")


@pytest.mark.parametrize(("num_layers", "stays"), [(1, True), (2, False)])
def test_a_lifted_mask_reaches_the_newest_column_through_a_second_layer_alone(num_layers, stays):
    rng = np.random.default_rng(5)
    model = transformer.random_transformer(rng, 7, 8, 2, 16, num_layers=num_layers, norm="pre")
    memory, written = rng.normal(size=(3, 8)), [0, 1, 2, 3]
    how = {"num_heads": 2, "norm": "pre"}
    masked, lifted = (
        transformer.decode(written, memory, model, **how, mask=mask)[-1]
        for mask in (attention.causal_mask(4), np.ones((4, 4), bool))
    )
    assert np.allclose(masked, lifted, atol=1e-12) == stays


def test_from_la_alone_nobody_knows_which_noun_and_the_memory_says_it():
    words = {"la": [-1, 1, 0], "chat": [1, -1, -1], "fleur": [1, 1, -1], "voiture": [1, 1, 1]}

    def shares(column):
        powers = [Fraction(3) ** int(np.dot(column, word)) for word in words.values()]
        return [float(power / sum(powers)) for power in powers]

    assert shares([-1, 1, 0]) == [0.81, 0.01, 0.09, 0.09]
    assert shares([1, 1, 0]) == [0.05, 0.05, 0.45, 0.45]  # self-attention adds the noun
    np.testing.assert_allclose(shares([1, 1, 1]), np.array([3, 1, 9, 81]) / 94)  # the memory adds the wheels
    assert "have 45% each" in prose("stack_a_transformer")


def test_a_new_word_moves_all_of_the_old_memory_and_no_old_column_of_a_decoder_alone():
    english, written = TURNS.split(), "<s> la voiture rouge tourne".split()
    before, after = (translator.read([text], [written])[0][0] for text in (english[:3], english))
    assert (np.abs(after[:3] - before).max(axis=1) > 0.01).all()
    before, after = (translator.read([english], [text], [ASK])[1][-1, 0] for text in (written[:4], written))
    np.testing.assert_allclose(after[:4], before, atol=1e-12)


# --- the exercises and the folds -------------------------------------------------------------------------------------


def test_a_leak_that_the_change_does_not_reach_stays_hidden():
    def model(tokens):  # row i says whether the next token is a 3
        return np.append(tokens[1:] == 3, 0)[:, None] * np.ones(4)

    def looks_ahead(model, tokens):  # as in the lesson
        before, furthest = model(tokens), 0
        for place in range(len(tokens)):
            changed = tokens.copy()
            changed[place] = (tokens[place] + 1) % 4
            moved = np.abs(model(changed) - before).max(axis=1) > 1e-9
            for row in np.flatnonzero(moved[:place]):
                furthest = max(furthest, place - row)
        return furthest

    assert looks_ahead(model, np.array([0, 1, 0, 1])) == 0 and looks_ahead(model, np.array([0, 1, 0, 2])) == 1


def test_under_the_causal_mask_she_may_ask_sarah_and_watch_may_ask_her():
    tokens, _ = she_words()
    sarah, she, watch = (tokens.index(word) for word in ("Sarah", "She", "watch"))
    mask = attention.causal_mask(len(tokens))
    assert mask[she, sarah] and mask[watch, she] and not mask[she, watch]


@pytest.mark.everything
def test_torch_has_the_sizes_of_2017_and_its_decoder_layer_leaks_without_a_mask():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    sizes = {name: each.default for name, each in inspect.signature(torch.nn.Transformer).parameters.items()}
    named = ("num_encoder_layers", "num_decoder_layers", "d_model", "nhead", "dropout")
    assert [sizes[name] for name in named] == [6, 6, 512, 8, 0.1]
    torch.manual_seed(3)
    layer = torch.nn.TransformerDecoderLayer(6, 3, 11, batch_first=True).eval()
    tgt, memory = torch.randn(1, 5, 6), torch.randn(1, 7, 6)
    changed = tgt.clone()
    changed[0, 3] += 1
    causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
    for mask, leaks in ((None, True), (causal, False)):
        before, after = (layer(each, memory, tgt_mask=mask)[0, :3] for each in (tgt, changed))
        assert (before - after).abs().max().item() > 1e-5 if leaks else torch.equal(before, after)
