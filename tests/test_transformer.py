"""The stacks of 2017: shapes, who may see whom, gradients, generation; and what is said of wrong input."""

import math

import mygrad
import numpy as np
import pytest

from helpers.attention import padding_mask
from helpers.layers import decoder_layer, encoder_layer, layer_norm
from helpers.transformer import decode, embed, encode, random_transformer

VOCABULARY, D_MODEL, HEADS, D_FF = 11, 6, 3, 13
SOURCE, WRITTEN = np.array([1, 10, 4, 4, 7]), np.array([0, 3, 9])


def says(call, error, message):
    """The call must be refused with exactly this message."""
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


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


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("place", [1, 2])
def test_decode_changing_a_token_leaves_what_is_before_it(norm, place):
    parameters, changed = model(norm), WRITTEN.copy()
    changed[place] = 5
    gap = np.abs(scores_of(SOURCE, changed, parameters, norm) - scores_of(SOURCE, WRITTEN, parameters, norm)).max(-1)
    assert not gap[:place].any() and (gap[place:] > 1e-6).all()


def test_decode_without_causal_mask_leaks():
    parameters, changed, everything = model(), np.array([0, 3, 5]), np.ones((3, 3), bool)
    both = [scores_of(SOURCE, written, parameters, mask=everything) for written in (WRITTEN, changed)]
    assert np.abs(both[0] - both[1])[0].max() > 1e-6


def test_decode_hears_every_token_of_the_source():
    parameters, usual = model(), scores_of(SOURCE, WRITTEN, model())
    for place in range(5):
        changed = SOURCE.copy()
        changed[place] = 2
        assert (np.abs(scores_of(changed, WRITTEN, parameters) - usual).max(-1) > 1e-6).all()


def test_stacks_take_batches_with_padding():
    parameters = model()
    source = np.array([[1, 10, 4, 4, 7], [6, 2, 0, 0, 0]])
    mask = padding_mask([5, 2], 5)
    memory = encode(source, parameters, num_heads=HEADS, mask=mask)
    written = np.stack([WRITTEN, WRITTEN])
    together = decode(written, memory, parameters, num_heads=HEADS, memory_mask=mask)
    np.testing.assert_allclose(together[1], scores_of([6, 2], WRITTEN, parameters), atol=1e-12)


def test_derivatives_reach_the_embedding():
    parameters = model()
    pull = np.random.default_rng(1).normal(size=(3, VOCABULARY))

    def loss(embedding):
        return (scores_of(SOURCE, WRITTEN, parameters | {"embedding": embedding}) * pull).sum()

    embedding = mygrad.tensor(parameters["embedding"])
    loss(embedding).backward()
    direction = np.random.default_rng(2).normal(size=embedding.shape)
    ends = [loss(parameters["embedding"] + step * direction) for step in (1e-6, -1e-6)]
    np.testing.assert_allclose((embedding.grad * direction).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


PARAMETERS = model(num_layers=1)


def scores_with(**changes):
    return scores_of(SOURCE, WRITTEN, PARAMETERS | changes)


WRONG = {
    "unknown token": (lambda: embed([0, 4], np.eye(4)), ValueError, "tokens must lie between 0 and 3, the rows of embedding (4, 4), got 4."),
    "negative token": (lambda: embed([0, -1], np.eye(4)), ValueError, "tokens must lie between 0 and 3, the rows of embedding (4, 4), got -1."),
    "words": (lambda: embed(["A"], np.eye(4)), TypeError, "tokens must be whole numbers, one for each token, got <U1."),
    "fractions": (lambda: embed([0.5], np.eye(4)), TypeError, "tokens must be whole numbers, one for each token, got float64."),
    "no token": (lambda: embed([], np.eye(4)), ValueError, "tokens must hold at least one token, got shape (0,)."),
    "no dict": (lambda: encode([0], None, num_heads=3), TypeError, "parameters must be a dict with embedding, encoder, decoder, W_vocabulary, b_vocabulary, got NoneType."),
    "missing": (lambda: encode([0], {"embedding": np.eye(4)}, num_heads=3), ValueError, "parameters must hold embedding, encoder, decoder, W_vocabulary, b_vocabulary; missing: encoder, decoder, W_vocabulary, b_vocabulary."),
    "embedding of three axes": (lambda: embed([0], np.ones((2, 3, 4))), ValueError, "embedding must be a matrix with one row for each token, got shape (2, 3, 4)."),
    "rows of W_vocabulary": (lambda: scores_with(W_vocabulary=np.ones((5, 11))), ValueError, "W_vocabulary must have shape (d_model, vocabulary_size) = (6, 11), as embedding is (11, 6), got (5, 11)."),
    "W_vocabulary transposed": (lambda: encode([0], PARAMETERS | {"W_vocabulary": np.ones((11, 6))}, num_heads=3), ValueError, "W_vocabulary must have shape (d_model, vocabulary_size) = (6, 11), as embedding is (11, 6), got (11, 6)."),
    "words in W_vocabulary": (lambda: scores_with(W_vocabulary=[["A"]]), TypeError, "W_vocabulary must hold real numbers, got <U1 from list."),
    "b_vocabulary": (lambda: scores_with(b_vocabulary=np.zeros(6)), ValueError, "b_vocabulary must be one number, or 11 as embedding has rows, got shape (6,)."),
    "no b_vocabulary": (lambda: scores_with(b_vocabulary=None), TypeError, "b_vocabulary must hold real numbers, got object from NoneType."),
    "one layer for a list": (lambda: scores_with(encoder=PARAMETERS["encoder"][0]), TypeError, "encoder must be a list of layers, as random_layer makes them, got dict."),
    "no layers": (lambda: scores_with(decoder=None), TypeError, "decoder must be a list of layers, as random_layer makes them, got NoneType."),
    "part of a layer missing": (lambda: scores_with(encoder=[{"self_attention": {}}]), ValueError, "parameters must hold self_attention, self_attention_norm, feed_forward, feed_forward_norm; missing: self_attention_norm, feed_forward, feed_forward_norm."),
    "matrix of a layer missing": (lambda: scores_with(decoder=[PARAMETERS["decoder"][0] | {"cross_attention": {}}]), ValueError, "parameters['cross_attention'] must hold W_query, W_key, W_value, W_output, b_query, b_key, b_value, b_output; missing: W_query, W_key, W_value, W_output."),
    "matrix of a layer of another width": (lambda: scores_with(embedding=np.ones((11, 5)), W_vocabulary=np.ones((5, 11))), ValueError, "W_query must be a matrix with one row for each column of query_tokens (5, 5), got W_query (6, 6)."),
    "no dict for the last norm": (lambda: scores_with(encoder_norm=None), TypeError, "encoder_norm must be a dict with gain, bias, got NoneType."),
    "unknown name in the last norm": (lambda: scores_with(decoder_norm={"gian": 1.0}), ValueError, "decoder_norm must hold gain, bias; unknown: gian."),
    "layers": (lambda: model(num_layers=0), ValueError, "num_layers must be at least 1, got 0."),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_stacks_say_what_is_wrong(case):
    says(*WRONG[case])


# --- what must not pass in silence -----------------------------------------------------------------------------------


def test_unknown_names_among_the_parameters_are_refused():
    with pytest.raises(ValueError, match=r"^parameters must hold .*; unknown: decoder_nrom\.$"):
        encode([0], {**PARAMETERS, "decoder_nrom": {}}, num_heads=HEADS)


@pytest.mark.parametrize("name", ["embedding", "W_vocabulary", "b_vocabulary"])
def test_infinity_among_the_parameters_is_refused(name):
    parameters = PARAMETERS | {name: PARAMETERS[name].copy()}
    parameters[name].flat[0] = np.inf
    with pytest.raises(ValueError, match=rf"^{name} must be finite, got infinity in 1 of"):
        scores_of(SOURCE, WRITTEN, parameters)


def test_random_transformer_knows_two_norms():
    with pytest.raises(ValueError, match=r"^norm must be .*, got 'Pre'"):
        random_transformer(np.random.default_rng(0), 4, 6, 2, 24, 1, norm="Pre")


def test_embedding_must_have_rows():
    with pytest.raises(
        ValueError, match=r"^embedding must be a matrix with one row for each token, got shape \(0, 4\)"
    ):
        embed([0], np.empty((0, 4)))
