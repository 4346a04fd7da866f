"""A reader's own maps: what is taken, what is refused by a sentence, and what the wall of heads shows."""

import re

import numpy as np
import pytest

from helpers import explorers
from helpers.attention import Attention
from helpers.models import bert
from rooms.shared import heads
from rooms.shared.heads import Wall, head_map
from rooms.shared.two_texts import two_texts
from rooms.your_own import brought_tokens
from tests import driving
from tests.test_tensors import Tensor

MAPS = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3, 5))  # layers, heads, queries, keys


@pytest.mark.parametrize(
    ("weights", "shape"),
    [
        (MAPS, (2, 3)), (MAPS[0], (1, 3)), (MAPS[0, 1].tolist(), (1, 1)), (Tensor(MAPS), (2, 3)),
        (tuple(Tensor(layer[None], "torch.bfloat16") for layer in MAPS), (2, 3)),  # as models of transformers return them
    ],
)  # fmt: skip
def test_maps_of_every_shape_and_kind_are_shown(weights, shape):
    explorer = explorers.explore_attention(weights)
    assert explorer.shown["maps"].shape == (*shape, 5, 5)
    np.testing.assert_allclose(explorer.shown["row"], explorer.shown["maps"][0, 0, 4], atol=1e-6)


def test_maps_whose_columns_sum_to_1_are_turned_and_that_is_told():
    explorer = explorers.explore_attention(MAPS.swapaxes(-1, -2))
    assert explorer.text.endswith("The columns had a sum of 1, so the maps were turned.")
    np.testing.assert_allclose(explorer.shown["maps"], MAPS, atol=1e-6)


class Output(dict):
    """An output as the library transformers makes them: its fields are attributes, too."""

    __getattr__ = dict.get


def layers(maps):
    """A tuple of layers, each of one text."""
    return tuple(Tensor(layer[None]) for layer in maps)


ACROSS = np.random.default_rng(1).dirichlet(np.ones(7), size=(2, 3, 4))  # layers, heads, queries, keys


@pytest.mark.parametrize(
    ("output", "how", "name", "maps"),
    [
        (Output(logits=0, attentions=layers(MAPS), cross_attentions=()), {}, "", MAPS),
        (Output(encoder_attentions=layers(MAPS), cross_attentions=layers(ACROSS)), {}, "encoder_attentions", MAPS),
        (Output(encoder_attentions=layers(MAPS), cross_attentions=layers(ACROSS)), {"queries": list("abcd")}, "cross_attentions", ACROSS),
        (
            Output(encoder_attentions=layers(MAPS), decoder_attentions=layers(MAPS[..., :4, :4] / MAPS[..., :4, :4].sum(-1, keepdims=True))),
            {"tokens": list("abcd")}, "decoder_attentions", MAPS[..., :4, :4] / MAPS[..., :4, :4].sum(-1, keepdims=True),
        ),
        (bert.Reading(list("abcde"), None, MAPS), {}, "", MAPS),
        ([Attention(None, layer, None) for layer in MAPS], {}, "", MAPS),
    ],
)  # fmt: skip
def test_a_whole_output_is_taken_by_its_maps_and_says_which(output, how, name, maps):
    explorer = explorers.explore_attention(output, **how)
    np.testing.assert_allclose(explorer.shown["maps"], maps, atol=1e-6)
    assert (f"These are outputs.{name};" in explorer.text) is bool(name)


@pytest.mark.parametrize(
    ("nothing", "got"),
    [(None, "None"), ((), "an empty tuple"), ((None, None), "None for each layer"), (Output(attentions=()), "this Output holds none")],
)  # fmt: skip
def test_where_there_are_no_maps_the_call_that_makes_them_is_told(nothing, got):
    with pytest.raises(
        ValueError, match=f'{got}\\. Load the model with attn_implementation="eager" and call it with output_att'
    ):
        explorers.explore_attention(nothing, ["my", "own", "words"])


def test_of_an_output_of_two_models_the_part_that_has_maps_is_named():
    with pytest.raises(ValueError, match=r"Its vision_model_output has some: pass that\."):
        explorers.explore_attention(Output(logits=0, vision_model_output=Output(attentions=layers(MAPS))))


# --- several texts ---------------------------------------------------------------------------------------------------

TEXTS = np.random.default_rng(2).dirichlet(np.ones(5), size=(2, 7, 3, 5))  # layers, texts, heads, queries, keys


@pytest.mark.parametrize("weights", [tuple(map(Tensor, TEXTS)), TEXTS, Output(attentions=list(TEXTS))])
def test_of_several_texts_one_is_asked_for(weights):
    with pytest.raises(ValueError, match="must be those of one text, got 7: choose one, batch=0 to batch=6"):
        explorers.explore_attention(weights)
    shown = explorers.explore_attention(weights, [list("abcde"), list("vwxyz")] * 3, batch=5)
    np.testing.assert_allclose(shown.shown["maps"], TEXTS[:, 5], atol=1e-6)
    assert "batch" not in shown.text and "“z”" in shown.text
    with pytest.raises(ValueError, match="batch must be less than the number of texts, 7, got 7"):
        explorers.explore_attention(weights, batch=7)


@pytest.mark.parametrize(
    ("weights", "taken", "of_one"),
    [
        (TEXTS[0, :, 0], "Axis 0 was taken for 7 heads", TEXTS[0, 4, 0][None, None]),
        (TEXTS[0], "Axis 0 was taken for 7 layers", TEXTS[0, 4][None]),
        (list(TEXTS[:, :, 0]), "Axis 1 was taken for 7 heads", TEXTS[:, 4, 0][:, None]),
    ],
)
def test_an_axis_that_may_be_texts_or_heads_is_named_and_batch_chooses(weights, taken, of_one):
    assert explorers.explore_attention(weights).text.endswith(f"{taken}: if it counts texts, choose one by batch=0.")
    explorer = explorers.explore_attention(weights, batch=4)
    assert "Axis" not in explorer.text
    np.testing.assert_allclose(explorer.shown["maps"], of_one, atol=1e-6)


def test_a_text_beyond_the_only_one_is_refused():
    with pytest.raises(ValueError, match="batch must be less than the number of texts, 1, got 1"):
        explorers.explore_attention(MAPS[0, 0], batch=1)
    with pytest.raises(TypeError, match="batch must be a whole number, got 'first'"):
        explorers.explore_attention(MAPS, batch="first")


# --- two texts, and the steps of generate() --------------------------------------------------------------------------


def test_a_text_that_asks_another_one_is_drawn_with_both():
    explorer = explorers.explore_attention(ACROSS, list("ABCDEFG"), queries=["un", "deux", "trois", "quatre"])
    driving.click(explorer, "tokens", 1)
    best = "ABCDEFG"[ACROSS[0, 0, 1].argmax()]
    assert explorer.text.startswith(f"Layer 0, head 0: “deux” looks most at “{best}”, ")
    assert "attends to" in explorer._picture_text and explorer.shown["maps"].shape == ACROSS.shape
    square = explorers.explore_attention(MAPS, list("ABCDE"), queries=list("ABCDE"))
    assert "itself" not in square.text


def test_two_texts_without_words_have_numbers_and_mixed_up_words_are_told():
    assert "“3” looks most at" in explorers.explore_attention(ACROSS).text
    with pytest.raises(ValueError, match="tokens must be 7, one for each column of the maps, got 4"):
        explorers.explore_attention(ACROSS, list("abcd"))
    with pytest.raises(ValueError, match="queries must be 4, one for each row of the maps, got 7"):
        explorers.explore_attention(ACROSS, list("ABCDEFG"), queries=list("ABCDEFG"))


def lower(num_tokens, num_heads=3, num_layers=2, window=99):
    """Maps of a model that looks back only."""
    seen = np.tri(num_tokens) - np.tri(num_tokens, k=-window)
    weights = np.random.default_rng(3).random((num_layers, num_heads, num_tokens, num_tokens)) * seen
    return weights / weights.sum(axis=-1, keepdims=True)


def steps_of(maps, prompt, keys=lambda maps, start, end: maps[..., start:end, :end]):
    """What generate() hands back: one tuple of layers for each step."""
    ends = [prompt, *range(prompt + 1, maps.shape[-2] + 1)]
    starts = [0, *ends[:-1]]
    return tuple(tuple(layer[None] for layer in keys(maps, a, b)) for a, b in zip(starts, ends))


LOWER, NARROW = lower(6), lower(6, window=3)


@pytest.mark.parametrize(
    ("steps", "whole"),
    [
        (steps_of(LOWER, 4), LOWER),
        (steps_of(LOWER, 1), LOWER),
        (steps_of(LOWER, 4, lambda maps, start, end: maps[..., start:end, :]), LOWER),  # a cache of a fixed size
        (steps_of(NARROW, 3, lambda maps, start, end: maps[..., start:end, max(end - 3, 0) : end]), NARROW),  # with a window
        (steps_of(NARROW, 5, lambda maps, start, end: maps[..., start:end, end - 3 if start else 0 : end]), NARROW),
        (steps_of(LOWER, 6), LOWER),
        (steps_of(ACROSS, 1, lambda maps, start, end: maps[..., start:end, :]), ACROSS),
        (steps_of(ACROSS, 3, lambda maps, start, end: maps[..., start:end, :]), ACROSS),
    ],
)  # fmt: skip
def test_steps_of_generate_are_put_together(steps, whole):
    np.testing.assert_allclose(explorers.explore_attention(steps).shown["maps"], whole, atol=1e-6)


def test_steps_without_a_cache_are_those_of_the_last_one():
    steps = tuple(tuple(layer[None, :, :n, :n] for layer in LOWER) for n in (4, 5, 6))
    np.testing.assert_allclose(explorers.explore_attention(steps).shown["maps"], LOWER, atol=1e-6)


def test_the_token_that_was_written_last_and_never_read_is_left_out():
    explorer = explorers.explore_attention(Output(sequences=[[0] * 7], attentions=steps_of(LOWER, 4)), list("abcdefg"))
    assert "“f” looks most at" in explorer.text


def test_steps_of_beams_and_odd_steps_are_refused():
    steps = steps_of(LOWER, 4)
    with pytest.raises(ValueError, match="beams change places from step to step"):
        explorers.explore_attention(Output(attentions=steps, beam_indices=[[0]]))
    with pytest.raises(ValueError, match="as many layers at each step, got 1 and 2"):
        explorers.explore_attention((steps[0], steps[1][:1], steps[2]))
    with pytest.raises(ValueError, match="one looks at what was not written yet"):
        explorers.explore_attention((steps[0], tuple(np.full((1, 3, 1, 9), 1 / 9) for layer in LOWER), steps[2]))


# --- rows that do not sum to 1, each by its cause --------------------------------------------------------------------

RNG = np.random.default_rng(5)
SINKS = LOWER * RNG.uniform(0.2, 0.9, size=LOWER.shape[:-1])[..., None]


def test_what_a_sink_takes_is_drawn_as_the_rest_of_the_row():
    explorer = explorers.explore_attention(SINKS, list("abcdef"))
    np.testing.assert_allclose(explorer.shown["maps"], SINKS, atol=1e-6)
    row = SINKS[0, 0, 5]
    np.testing.assert_allclose(explorer.shown["missing"][5], 1 - row.sum(), atol=1e-6)
    assert f"(rest) {1 - row.sum():.3f}" in explorer._picture_text and "went to a sink" in explorer.text
    explorer.controls["view"].value = "average of all 6"
    np.testing.assert_allclose(explorer.shown["missing"], 1 - SINKS.sum(-1).mean((0, 1)), atol=1e-6)
    assert driving.titles(explorer)["tokens", (6,)] == "the part of the row that no token gets"
    driving.click(explorer, "tokens", 6)
    assert explorer.controls["asks"].value == 5


FULL = RNG.dirichlet(np.ones(8), size=(2, 3, 8))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (FULL * (RNG.random(FULL.shape) > 0.1) / 0.9, r"as dropout makes them: call model\.eval\(\) first"),
        (LOWER * (RNG.random(LOWER.shape) > 0.3) / 0.7, r"as dropout makes them: call model\.eval\(\) first"),
        ((FULL * (RNG.random(FULL.shape) > 0.1) / 0.9).mean(axis=1), "as dropout makes them"),  # averaged over heads
        (FULL * 3, "has 3, as all have. Were heads added up"),
        (FULL**2 * np.arange(1, 9)[:, None] * 9, "a sum of 1 in each row, or in each column, but row"),
        (FULL - 1, "at least 0, got -.* before softmax"),
        (np.where(np.eye(8) > 0, np.inf, FULL), "must be finite, got NaN or infinity in 48 of 384"),
        (FULL * np.nan, "let the model read in float32"),
        (
            np.where(np.tri(8) > 0, FULL, -np.inf),
            "minus infinity in 168 of 384 .* Were these the scores, before softmax, with a mask",
        ),
    ],
)
def test_rows_that_are_none_are_told_by_their_cause(weights, message):
    with pytest.raises(ValueError, match=message):
        explorers.explore_attention(weights)


@pytest.mark.parametrize("gap", [np.nan, 0.0])
@pytest.mark.parametrize(
    ("rows", "part"), [(np.s_[:2], "2:"), (np.s_[-3:], ":5")]
)  # as after left padding, and where padding is at the end
@pytest.mark.parametrize("listed", [True, False])
def test_a_row_where_all_is_masked_names_the_call_that_leaves_it_out(gap, rows, part, listed):
    weights = FULL.copy()
    weights[..., rows] = 0
    weights /= weights.sum(axis=-1, keepdims=True)
    weights[:, :, rows] = gap
    weights, call = (
        (list(weights), f"[layer[..., {part}, {part}] for layer in weights]")
        if listed
        else (weights, f"weights[..., {part}, {part}]")
    )
    with pytest.raises(ValueError, match="every key was masked there, as for padding") as error:
        explorers.explore_attention(weights)
    assert str(error.value).endswith(f"Leave it out: {call} and tokens[{part}].")
    assert explorers.explore_attention(eval(call)).text  # the call that is told works


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ((np.zeros((5, 4)), FULL[0, 0]), ValueError, r"of a pair \(output, weights\) pass the second, weights\[1\]"),
        ((np.full((1, 8, 8), -1.0), FULL[0, :1]), ValueError, r"a pair \(output, weights\), of which weights\[1\] is meant"),
        ((np.zeros((5, 4)), None), ValueError, "need_weights=True"),
        ((FULL[0], None, FULL[1]), ValueError, r"but layer 1 gives None\. Leave such layers out: \[layer for layer in weights if"),
        ((FULL[0], FULL[1], FULL[1][..., :4, :4]), ValueError, r"in each layer, got \(3, 8, 8\) and \(3, 4, 4\): pass one layer, weights\[2\]"),
        (FULL[0, 0, 0], ValueError, r"got shape \(8,\)\. One row becomes a map by weights\[None\]"),
        (np.full((513, 513), 1 / 513), ValueError, "at most 512 tokens"),
        (np.ones((2, 2, 2, 2, 2, 2)), ValueError, r"got shape \(2, 2, 2, 2, 2, 2\)"),
        (np.zeros((0, 4, 4)), ValueError, r"got shape \(0, 4, 4\)"),
        ("attentions", TypeError, "must be maps of attention, as arrays or tensors, got str"),
        (np.array([["a", "b"]] * 2), TypeError, "must hold real numbers"),
        ({"states": FULL[0]}, ValueError, "but this dict holds none"),
        ({"layer 0": "none"}, ValueError, "but this dict holds none"),
        (np.full((2, 1, 4, 5, 1500), 1 / 1500), ValueError, r"show the first of them, weights\[\.\.\., :512\], or means"),
    ],
)  # fmt: skip
def test_what_is_no_map_is_told(weights, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_attention(weights)


def test_steps_that_ask_another_text_are_of_two_texts_even_where_there_are_as_many_as_words():
    square = RNG.dirichlet(
        np.ones(5), size=(2, 3, 5)
    )  # full rows: what was not written yet is looked at, so it is another text
    explorer = explorers.explore_attention(
        steps_of(square, 1, lambda maps, start, end: maps[..., start:end, :]), list("abcde")
    )
    np.testing.assert_allclose(explorer.shown["maps"], square, atol=1e-6)
    assert "itself" not in explorer.text and "“4” looks most at" in explorer.text  # nobody said which words ask


def test_steps_of_several_texts_say_that_beams_change_places():
    steps = tuple(tuple(np.concatenate([layer, layer]) for layer in step) for step in steps_of(LOWER, 4))
    assert "beams wrote this, they change places" in explorers.explore_attention(steps, batch=1).text
    assert "beams" not in explorers.explore_attention(steps_of(LOWER, 4)).text


@pytest.mark.parametrize(
    ("name", "first"), [("blocks.{}.attn.hook_pattern", "hook_embed"), ("{}", None), ("layer {}", None)]
)
def test_maps_in_a_dict_are_its_layers_in_their_order(name, first):
    given = {name.format(k): FULL[k][None] for k in (1, 0)} | ({first: np.ones(3)} if first else {})
    np.testing.assert_allclose(explorers.explore_attention(given).shown["maps"], FULL[:2], atol=1e-6)
    np.testing.assert_allclose(explorers.explore_attention({1: FULL[1], 0: FULL[0]}).shown["maps"], FULL[:2], atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "call"),
    [
        (np.moveaxis(FULL[0], 0, -1), r"pass np\.moveaxis\(weights, -1, -3\)\."),
        (np.moveaxis(FULL, 1, -1), r"pass np\.moveaxis\(weights, -1, -3\)\."),
        (np.moveaxis(RNG.dirichlet(np.ones(5), size=(5, 5)), 0, -1), r"-1, -3\), or, if each map is turned, np\.swapaxes\(weights, -1, -2\)"),
    ],
)  # fmt: skip
def test_heads_on_the_last_axis_are_not_taken_for_turned_maps(weights, call):
    with pytest.raises(ValueError, match=f"must have heads before queries and keys, .*{call}"):
        explorers.explore_attention(weights)


def test_a_head_that_is_off_is_shown_as_off():
    maps = FULL.copy()
    maps[1, 2] = 0
    explorer = explorers.explore_attention(maps)
    assert "Head 2 of layer 1 is off: all its weights are 0." in explorer.text
    np.testing.assert_allclose(explorer.shown["maps"], maps, atol=1e-6)
    explorer.set(layer=1, head=2)
    np.testing.assert_allclose(explorer.shown["missing"], 1)


# --- tokens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["Hello", "Ġworld", "Ċ", "ĠcafÃ©", "ĠĠĠ"], "Hello ␣world ↵ ␣café ␣␣␣"),
        (["<s>", "▁Hel", "lo", "<0x0A>", "▁"], "<s> ␣Hel lo ↵ ␣"),
        (["ðŁ", "ĺ", "Ģ", "Ġ!", "<|end|>"], "😀 · · ␣! <|end|>"),
        (["[CLS]", "walk", "##ing", "##", "[SEP]"], "[CLS] walk …ing ## [SEP]"),
        (["walk", "ing</w>", "low@@", "er", "@@"], "walk ing low… er @@"),
        (["não", "für", "naïve", "Ã", "ø"], "não für naïve Ã ø"),  # letters that GPT-2 writes for bytes, in words
        ([" Mary", "\t", "\x07", "", "ħobż"], "␣Mary ⇥   · ħobż"),
        ([b"caf", b"\xc3", b"\xa9", b" \xf0", b"!"], "caf é · ␣� !"),
    ],
)
def test_tokens_of_every_tokenizer_become_words_and_the_raw_ones_are_told_where_one_points(tokens, words):
    explorer = explorers.explore_attention(MAPS, tokens)
    assert [label.partition(" ")[2] for label, _ in explorer.controls["asks"].options] == words.split(
        " "
    ) or " " in words
    assert " ".join(brought_tokens.readable(tokens)[0]) == words
    for k, (raw, word) in enumerate(zip(tokens, brought_tokens.readable(tokens)[0])):
        told = driving.titles(explorer)["tokens", (k,)]
        assert (f"the token {raw}" in told) == (raw != word) or not isinstance(raw, str) or not raw.isprintable()


class Encoded:
    """What a fast tokenizer returns."""

    def tokens(self, batch=0):
        return [list("abcde"), list("vwxyz")][batch]


class Tokenizer:
    def convert_ids_to_tokens(self, ids):
        return [f"Ġ{id}" for id in ids]


@pytest.mark.parametrize(
    ("tokens", "last"),
    [
        (Encoded(), "e"), ([list("abcde")], "e"), ("abcde", "e"), (np.array(list("abcde")), "e"),
        (Tensor([3, 4, 5, 6, 7]), "7"), (Tensor([[3, 4, 5, 6, 7]]), "7"), (range(3, 8), "7"),
    ],
)  # fmt: skip
def test_tokens_come_in_many_forms(tokens, last):
    explorer = explorers.explore_attention(MAPS, tokens)
    assert f"“{last}” looks most" in explorer.text
    assert ("The numbers are ids" in explorer.text) == (last == "7" and not isinstance(tokens, range))


def test_a_tokenizer_finds_the_tokens_of_what_it_has_written_and_else_says_what_to_pass():
    output = Output(sequences=Tensor([[7, 8, 9, 10, 11, 12, 13]]), attentions=steps_of(LOWER, 4))
    assert "“␣12” looks most" in explorers.explore_attention(output, Tokenizer()).text
    with pytest.raises(
        TypeError, match=r"got a tokenizer: pass tokenizer\.convert_ids_to_tokens\(inputs\.input_ids\[0\]\)"
    ):
        explorers.explore_attention(MAPS, Tokenizer())


@pytest.mark.parametrize(
    ("tokens", "error", "message"),
    [
        (["a", "b"], ValueError, r"tokens must be 5, one for each row of the maps, got 2\. All are tokenizer\.convert"),
        ("The cat sat", ValueError, "tokens must be 5, one for each row of the maps, got 11"),
        ([list("abcde"), list("vwxyz")], ValueError, r"got 2 lists: choose one by batch=0, or pass tokens\[0\]"),
        ({"input_ids": [1]}, TypeError, "must be a list of tokens, got dict: pass tokenizer.convert_ids_to_tokens"),
        (5, TypeError, "tokens must be a list of labels, got int"),
    ],
)
def test_tokens_that_do_not_fit_are_told(tokens, error, message):
    with pytest.raises(error, match=message):
        explorers.explore_attention(MAPS, tokens)


# --- what is seen ----------------------------------------------------------------------------------------------------


def test_a_click_on_a_head_or_on_a_word_shows_it():
    explorer = explorers.explore_attention(MAPS, ["a", "猫", "😀", "x\ud83d", "\n"])
    driving.point(explorer, "grid", 2, 1)
    driving.click(explorer, "tokens", 1)
    np.testing.assert_allclose(explorer.shown["row"], MAPS[1, 2, 1], atol=1e-6)
    assert explorer.text.startswith("Layer 1, head 2: “猫” looks most at ")
    assert (
        explorer.text.endswith("Half a letter is shown as �.")
        and "↵" in explorer.html
        and "\ud83d" not in explorer.html
    )


def test_long_maps_say_what_the_thumbnails_show():
    explorer = explorers.explore_attention(np.broadcast_to(np.eye(300), (12, 12, 300, 300)))
    assert explorer.text.endswith("Each pixel of a thumbnail is the largest of 10 × 10 weights.")


def test_a_wall_frames_what_is_chosen_and_crosses_out_what_is_off():
    wall = Wall(30, 9)  # layers across
    assert wall.head_at(17, 4) == (17, 4) and Wall(6, 12).head_at(11, 3) == (3, 11)
    maps = np.full((30, 9, 4, 4), 0.25)
    shown = wall.draw(maps, "all", chosen=(18, 6), off=[(17, 4)])
    assert shown.text == "all" and shown.html.count("var(--wrong") == 2
    assert wall.draw(maps, "all", chosen=(0, 0)).html.count("var(--wrong") == 0
    ((x, y, width, height),) = re.findall(
        r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" rx="2"', wall.draw(maps, "", chosen=(3, None)).html
    )
    assert (int(x), int(width), int(height)) == (heads.LEFT + 3 * 26, 26, 9 * 26) and int(y) == heads.TOP


def test_a_wall_hangs_each_head_where_it_finds_it_sorted_or_not():
    order = [(k % 30, k // 30) for k in range(270)]
    for wall in (Wall(30, 9), Wall(9, 30)):
        heads_of = list(np.ndindex(wall.shape))
        for pair in heads_of:
            for how in (None, heads_of[::-1]):
                assert wall.head_at(*wall.place(pair, how), how) == pair
    wall = Wall(30, 9)
    maps = np.zeros((30, 9, 13, 13))
    maps[4, 2, 12, 0] = 1.0
    for how in (None, order):
        mosaic, (column, row) = wall._mosaic(maps, how, 1.0), wall.place((4, 2), how)
        tile = mosaic[26 * row : 26 * row + 26, 26 * column : 26 * column + 26]
        assert (
            mosaic.shape == (9 * 26, 30 * 26) and tile[24:, :2].sum() == tile.sum() == mosaic.sum() == 4
        )  # 2 pixels a side
    assert (
        wall._mosaic(np.arange(270.0).reshape(30, 9, 1, 1) * np.tri(4), None, None)[26 * 5 + 1 :, 1:][:6, :6].max() == 1
    )


def test_a_long_text_is_pooled_by_its_largest_weights():
    maps = np.zeros((2, 50, 49))
    maps[1, 49, 0] = maps[0, 3, 48] = 1
    small = heads.pooled(maps, 26)
    assert small.shape == (2, 25, 25) and small[1, 24, 0] == small[0, 1, 24] == 1 and small.sum() == 2
    assert heads.pooled(maps, 50) is maps


def test_a_large_map_has_its_words_and_a_place_for_each_row():
    shown = head_map(np.eye(3), ["a", "incomprehensibilities", "猫"], "mine", chosen=1)
    assert "incompre" in shown.html and ">incomprehensibilities<" not in shown.html and "猫" in shown.html


def test_two_texts_stand_above_each_other_with_a_ribbon_for_each_weight():
    shown = two_texts(["un", "deux"], ["a", "b", "c"], [[0.5, 0.5, 0.0], [0.01, 0.09, 0.9]], 1, name="mine")
    assert shown.text == "mine: deux attends to c 0.900, b 0.090."
    assert shown.html.count("<path") == 2 + 2 and "90%" in shown.html and "9%" not in shown.html.replace("90%", "")
    with pytest.raises(ValueError, match="weights must be 2 × 3, a row for each word that asks, got"):
        two_texts(["un", "deux"], ["a", "b", "c"], np.eye(2), 1, name="mine")


def test_an_error_is_told_where_the_reader_called():
    with pytest.raises(ValueError, match="must be maps of attention, got None") as error:
        explorers.explore_attention(None)
    assert [frame.name for frame in error.traceback][1:] == ["explore_attention"] and error.value.__suppress_context__


def test_heads_that_are_known_for_something_are_ringed_and_named_below_the_wall():
    plain, wall = Wall(6, 12), Wall(6, 12, {(0, 2): "the word before", (5, 11): "another one"})
    shown = wall.draw(np.full((6, 12, 5, 5), 0.2), "All heads.", chosen=(3, 1))
    assert shown.text == "All heads. Ringed: 0.2 the word before; 5.11 another one."
    assert shown.html.count('stroke="var(--ink') == 2 and ">another one<" in shown.html
    assert wall.axes.size[1] > plain.axes.size[1]
    assert wall.axes.bottom == plain.axes.bottom  # a click finds the same heads
