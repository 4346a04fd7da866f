"""The stacks of 2017: shapes, who may see whom, gradients, generation; and what is said of wrong input."""

import math

import numpy as np
import pytest

from helpers.attention import padding_mask
from helpers.layers import decoder_layer, encoder_layer, layer_norm
from helpers.transformer import decode, embed, encode, random_transformer

VOCABULARY, D_MODEL, HEADS, D_FF = 11, 6, 3, 13
SOURCE, WRITTEN = np.array([1, 10, 4, 4, 7]), np.array([0, 3, 9])


def model(norm="post", num_layers=2):
    return random_transformer(np.random.default_rng(5), VOCABULARY, D_MODEL, HEADS, D_FF, num_layers, norm)


def scores_of(source, written, parameters, norm="post", **how):
    memory = encode(source, parameters, num_heads=HEADS, norm=norm)
    return decode(written, memory, parameters, num_heads=HEADS, norm=norm, **how)


def test_embed_scales_rows_and_adds_waves():
    embedding = np.arange(12.0).reshape(3, 4)
    want = [[2 * x + wave for x, wave in zip(embedding[t], waves)] for t, waves in ((2, (0, 1, 0, 1)), (0, (math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01))))]  # fmt: skip
    np.testing.assert_allclose(embed([2, 0], embedding), want, rtol=1e-14)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_stacks_are_their_layers_one_after_the_other(norm):
    parameters = model(norm)
    memory = embed(SOURCE, parameters["embedding"])
    for layer in parameters["encoder"]:
        memory = encoder_layer(memory, layer, num_heads=HEADS, norm=norm)
    x = embed(WRITTEN, parameters["embedding"])
    for layer in parameters["decoder"]:
        last = memory if norm == "post" else layer_norm(memory)
        x = decoder_layer(x, last, layer, num_heads=HEADS, norm=norm, mask=np.tri(3, dtype=bool))
    x = x if norm == "post" else layer_norm(x)
    want = x @ parameters["W_vocabulary"] + parameters["b_vocabulary"]
    np.testing.assert_allclose(scores_of(SOURCE, WRITTEN, parameters, norm), want, atol=1e-12)


def test_decode_without_causal_mask_leaks():
    parameters, changed, everything = model(), np.array([0, 3, 5]), np.ones((3, 3), bool)
    both = [scores_of(SOURCE, written, parameters, mask=everything) for written in (WRITTEN, changed)]
    assert np.abs(both[0] - both[1])[0].max() > 1e-6


def test_stacks_take_batches_with_padding():
    parameters = model()
    source = np.array([[1, 10, 4, 4, 7], [6, 2, 0, 0, 0]])
    mask = padding_mask([5, 2], 5)
    memory = encode(source, parameters, num_heads=HEADS, mask=mask)
    written = np.stack([WRITTEN, WRITTEN])
    together = decode(written, memory, parameters, num_heads=HEADS, memory_mask=mask)
    np.testing.assert_allclose(together[1], scores_of([6, 2], WRITTEN, parameters), atol=1e-12)


def test_random_rows_are_about_as_long_as_waves_and_scores_begin_small():
    drawn = random_transformer(np.random.default_rng(0), 500, 64, 2, 8, 1)
    for name in ("embedding", "W_vocabulary"):
        assert np.std(drawn[name]) == pytest.approx(64**-0.5, rel=0.02)


PARAMETERS = model(num_layers=1)


def scores_with(**changes):
    return scores_of(SOURCE, WRITTEN, PARAMETERS | changes)


WRONG = {
    "no dict": (lambda: encode([0], None, num_heads=3), TypeError, "parameters must be a dict with embedding, encoder, decoder, W_vocabulary, b_vocabulary, got NoneType."),
    "missing": (lambda: encode([0], {"embedding": np.eye(4)}, num_heads=3), ValueError, "parameters must hold embedding, encoder, decoder, W_vocabulary, b_vocabulary; missing: encoder, decoder, W_vocabulary, b_vocabulary."),
    "rows of W_vocabulary": (lambda: scores_with(W_vocabulary=np.ones((5, 11))), ValueError, "W_vocabulary must have shape (d_model, vocabulary_size) = (6, 11), as embedding is (11, 6), got (5, 11)."),
    "b_vocabulary": (lambda: scores_with(b_vocabulary=np.zeros(6)), ValueError, "b_vocabulary must be one number, or 11 as embedding has rows, got shape (6,)."),
    "one layer for a list": (lambda: scores_with(encoder=PARAMETERS["encoder"][0]), TypeError, "encoder must be a list of layers, as random_layer makes them, got dict."),
    "part of a layer missing": (lambda: scores_with(encoder=[{"self_attention": {}}]), ValueError, "parameters must hold self_attention, self_attention_norm, feed_forward, feed_forward_norm; missing: self_attention_norm, feed_forward, feed_forward_norm."),
    "no dict for the last norm": (lambda: scores_with(encoder_norm=None), TypeError, "encoder_norm must be a dict with gain, bias, got NoneType."),
    "unknown name in the last norm": (lambda: scores_with(decoder_norm={"gian": 1.0}), ValueError, "decoder_norm must hold gain, bias; unknown: gian."),
    "unknown": (lambda: encode([0], {**PARAMETERS, "decoder_nrom": {}}, num_heads=3), ValueError, "parameters must hold embedding, encoder, decoder, W_vocabulary, b_vocabulary, and perhaps encoder_norm, decoder_norm; unknown: decoder_nrom."),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_stacks_say_what_is_wrong(case):
    call, error, told = WRONG[case]
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == told
