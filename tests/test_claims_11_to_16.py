"""What the text of lessons 11 to 16 says in numbers, computed on its own."""

import re

import numpy as np
import pytest

from helpers import decoder, explorers, language_model
from helpers.attention import softmax
from helpers.learning import dates, small_models
from helpers.models import attention_maps
from helpers.patches import patchify
from helpers.pictures import plots
from tests import driving

# --- 11 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("button", ["Reset", "a star", "the coat", "an eye"])
def test_lesson_11_as_they_are_everyone_gives_most_to_the_brightest_patch(button):
    explorer = explorers.explore_patches()
    driving.buttons(explorer)[button].click()
    explorer.set(tokens="as they are", alone=False)
    tokens = patchify(plots.photograph(), 16)
    brightest = np.linalg.norm(tokens, axis=1).argmax()
    assert explorer.shown["weights"].argmax() == brightest
    assert 0.7 < ((tokens @ tokens.T).argmax(axis=1) == brightest).mean() < 0.8
    explorer.set(sharpness=60.0, tokens="minus the average patch")
    assert (explorer.shown["weights"].max() > 0.99) == (button in ("a star", "an eye"))


def test_lesson_11_a_star_looks_at_the_collar_next():
    explorer = explorers.explore_patches()
    driving.buttons(explorer)["a star"].click()
    explorer.set(alone=True)
    assert divmod(int(explorer.shown["weights"].argmax()), 14) == (12, 6)


# --- 13 --------------------------------------------------------------------------------------------------------------


def test_lesson_13_copying_a_date_needs_six_heads():
    explorer, costly = explorers.explore_ablation(), []
    for _, part in explorer.controls["off"].options:
        explorer.set(off=part)
        if "head" in part and explorer.shown["by_style"][-1] < 5:  # of ten dates like 2026-11-21
            costly.append(part.split(" head")[0])
    assert sorted(costly) == ["cross-attention", *["decoder"] * 2, *["encoder"] * 3]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Sunday, May 23, 2004", "2040-05-23"),
        ("Friday, May 23, 2004", "2004-05-23"),
        ("Sunday, November 21, 2026", "2026-11-21"),
        ("12/31/26", "2026-03-12"),
    ],
)
def test_lesson_13_what_the_model_makes_of_it(text, written):
    explorer = explorers.explore_decoding()
    explorer.set(text=text)
    assert dates.to_text(explorer.shown["numbers"]) == written


def test_lesson_13_heads_inside_a_field_differ_and_the_weekday_gets_a_quarter():
    explorer = explorers.explore_decoding()
    assert explorer.shown["heads"][[4, 2], 0].argmax(axis=-1).tolist() == [7, 8]  # 21 nov 2026, counted from 0
    explorer.set(text="Saturday, November 21, 2026", place=8)
    assert 0.2 < explorer.shown["heads"][0, 7, :8].sum() < 0.3


# --- 14 --------------------------------------------------------------------------------------------------------------

UNREAD = small_models.prose()[-small_models.HELD_OUT :]
PIECES = [UNREAD[k : k + 49] for k in range(0, 7900, 49)]


@pytest.fixture(scope="module")
def read():
    """Probabilities of the letters that come next in text that the model has never read, and how far its heads look."""
    numbers = np.array([small_models.to_numbers(piece, small_models.LETTERS) for piece in PIECES])
    decoded = decoder.decode(numbers[:, :-1], small_models.load_model("letters"), num_heads=4)
    shares = np.take_along_axis(softmax(decoded.logits), numbers[:, 1:, None], axis=-1)[..., 0]
    return shares, [each.weights for each in decoded.attention]


def test_lesson_14_a_model_is_sure_of_the_end_of_a_word(read):
    found = {"first": [], "late": []}
    for piece, shares in zip(PIECES, read[0], strict=True):
        for k, share in enumerate(shares, start=1):
            before = len(piece[:k]) - len(piece[:k].rstrip("abcdefghijklmnopqrstuvwxyz"))
            if piece[k].isalpha() and (before == 0 or before >= 4):
                found["late" if before else "first"].append(share)
    assert [f"{np.mean(found[kind]):.0%}" for kind in ("first", "late")] == ["10%", "69%"]


def test_lesson_14_heads_look_back_six_letters(read):
    back = np.arange(48)[:, None] - np.arange(48)
    near = [(weights * (back < 6))[..., 20:, :].sum(-1).mean() for weights in read[1]]
    assert [f"{share:.0%}" for share in near] == ["98%", "88%"]


def test_lesson_14_a_loop_reads_what_it_read_one_round_before():
    texts = [("attention is " + "the same " * rounds)[-48:] for rounds in range(8)]
    assert texts[7] == texts[6] != texts[5]
    assert set(texts[6].replace("the same", "").strip()) <= {" ", "m", "e"}  # it begins within a word


def test_lesson_14_more_of_the_same_does_not_make_it_likelier():
    model = small_models.load_model("letters")

    def surprise(rounds):
        tokens = small_models.to_numbers("attention is " + "the same " * (rounds + 1), small_models.LETTERS)
        pieces = [tokens[max(k - 48, 0) : k + 1] for k in range(len(tokens) - 9, len(tokens))]
        logits = [decoder.decode(piece[:-1], model, num_heads=4).logits[-1] for piece in pieces]
        return -sum(np.log(softmax(row)[piece[-1]]) for row, piece in zip(logits, pieces, strict=True))

    assert surprise(0) < surprise(3) < surprise(2) and np.isclose(surprise(7), surprise(6))


@pytest.mark.parametrize(("temperature", "loops"), [(0.0, True), (0.2, False)])
def test_lesson_14_the_first_step_of_temperature_breaks_the_loop(temperature, loops):
    text = small_models.to_text(
        explorers.explore_writing(temperature=temperature).shown["tokens"], small_models.LETTERS
    )
    assert (text[13:] == "the same " * 8) == loops


@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: requirements-model.txt")
def test_lesson_14_merges_of_the_model_of_lesson_22():
    fields = pytest.importorskip("gguf").GGUFReader(language_model.find()).fields["tokenizer.ggml.merges"]
    merges = [bytes(fields.parts[k]).decode() for k in fields.data]
    assert len(merges) == 48_900
    assert [merge for merge in merges if re.search("[A-Za-z]Ġ", merge.replace(" ", ""))] == []  # Ġ is a space


# --- 15 --------------------------------------------------------------------------------------------------------------

STORY = small_models.load_trainings()
STEP = {int(step): k for k, step in enumerate(STORY["symbol_steps"])}
COPIES = small_models.load_model("symbols")


def test_lesson_15_copies_each_of_200_strings_and_bets_on_the_first_symbol():
    strings = small_models.fresh_runs()
    logits = decoder.decode(strings, COPIES, num_heads=4).logits[:, 10:-1]
    right = np.take_along_axis(softmax(logits), strings[:, 11:, None], axis=-1)[..., 0].mean(axis=0)
    assert (logits.argmax(axis=-1) == strings[:, 11:]).all()
    assert f"{right[0]:.2f}" == "0.56" and f"{right[1:].min():.2f}" == "0.95"


def test_lesson_15_copying_takes_off_and_the_loss_bends():
    copied, losses = STORY["accuracy"], STORY["symbol_losses"]
    assert [f"{copied[STEP[step]]:.0%}" for step in (100, 200)] == ["15%", "93%"]
    assert f"{losses[-20:].mean():.2f}" == "1.24"
    fall = [losses[a - 5 : a + 5].mean() - losses[b - 5 : b + 5].mean() for a, b in ((20, 120), (120, 160), (200, 300))]
    assert fall[0] / 100 < fall[1] / 40 < 3 * fall[0] / 100 and fall[2] / 100 < 0.003


def test_lesson_15_no_model_can_get_below_what_is_left_to_chance():
    periods = np.arange(5, 13)  # the first round, and where it ends, of 23 symbols that are guessed
    unknown = np.mean(periods - 1) * np.log(20) + np.log(len(periods))
    assert 1.055 < unknown / 23 < 1.07  # 1.06 when 3,000 strings are guessed by the rule of Bayes


def test_lesson_15_copies_from_the_first_13_places_only():
    rng, strings = np.random.default_rng(15), []
    for _ in range(200):
        symbols = rng.permutation(20)
        strings.append([*symbols[:12], *symbols[12:18], *symbols[12:18]])
    strings = np.array(strings)
    guesses = decoder.decode(strings, COPIES, num_heads=4).logits.argmax(axis=-1)
    assert (guesses[:, 18:-1] == strings[:, 19:]).mean() < 0.015
    layer = decoder.decode(small_models.fresh_runs(), COPIES, num_heads=4).attention[0].weights.mean(axis=(0, 1))
    back = np.diagonal(layer, -1)  # from place 2 on
    assert back[:12].min() > 0.39 and back[14:].max() < 0.05


def test_lesson_15_copies_92_percent_where_symbols_may_repeat():
    rng = np.random.default_rng(15)
    strings = np.array([np.tile(rng.integers(20, size=11), 2) for _ in range(1000)])
    assert f"{small_models.share_copied(COPIES, strings):.0%}" == "92%"


@pytest.mark.parametrize(("string", "output"), [("ABCABCA", 0.75), ("ABACA", 0.409)])
def test_lesson_15_two_matches_share(string, output):
    explorer = explorers.explore_two_heads()
    explorer.set(string=string, place=len(string))
    assert np.isclose(explorer.shown["output"][-1, 2], output, atol=5e-4)
    explorer.set(string="ABCA", place=4, strength=6.0)
    assert f"{explorer.shown['output'][4, 2]:.2f}" == "0.99"


# --- 16 --------------------------------------------------------------------------------------------------------------


def test_lesson_16_the_head_of_the_same_word_knows_old_and_not_the():
    text = attention_maps.load("repeated")
    weights, tokens = text.weights[1, 1], np.array(text.tokens)
    old, the = np.flatnonzero(tokens == "old"), np.flatnonzero(tokens == "the")
    assert weights[old[2], old[:2]].round(2).tolist() == [0.54, 0.24]
    elsewhere = weights[np.ix_(the, the)][~np.eye(3, dtype=bool)]
    assert f"{elsewhere.max():.2f}" == "0.09" and f"{weights[the, 0].min():.2f}" == "0.76"


def test_lesson_16_two_thirds_to_four_fifths_of_all_rows_rest_on_the_first_token():
    shares = [(attention_maps.load(name).weights.argmax(axis=-1) == 0).mean() for name in attention_maps.names()]
    assert 0.65 < min(shares) < 0.67 and 0.79 < max(shares) < 0.81


def test_lesson_16_the_one_named_last_got_less_in_all_four():
    for name, last in {"She": "alex", "names swapped": "sarah", "too big": "suitcase", "too small": "suitcase"}.items():
        text = attention_maps.load(name)
        row = text.weights[3, 1, text.tokens.index("she" if "she" in text.tokens else "it")]
        assert row[text.tokens.index(last)] < row.max() / 2
        assert row.argmax() < text.tokens.index(last)
