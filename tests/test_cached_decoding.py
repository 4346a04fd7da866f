"""Writing with a cache against writing without one: the same scores, the same letters, in less time."""

import numpy as np
import pytest

from helpers import layers, transformer
from helpers.attention import padding_mask
from helpers.learning import date_model, dates
from helpers.learning.parameters import tree_map
from helpers.since_2017 import cached_decoding
from helpers.since_2017.cached_decoding import CachedDecoder, translate

MODEL = date_model.load_model()


def random_case(norm, num_layers, batch, biases=True):
    rng = np.random.default_rng(7)
    parameters = transformer.random_transformer(rng, 11, 6, 3, 13, num_layers, norm)
    if biases:
        parameters = tree_map(lambda array: array + rng.normal(scale=0.1, size=array.shape), parameters)
    tokens, sources = rng.integers(11, size=(*batch, 5)), rng.integers(11, size=(*batch, 7))
    return parameters, tokens, transformer.encode(sources, parameters, num_heads=3, norm=norm)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("num_layers", [1, 3])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("biases", [False, True])
def test_scores_are_those_of_the_whole_sequence(norm, num_layers, batch, biases):
    parameters, tokens, memory = random_case(norm, num_layers, batch, biases)
    whole = transformer.decode(tokens, memory, parameters, num_heads=3, norm=norm)
    decoder = CachedDecoder(memory, parameters, num_heads=3, norm=norm)
    scores = np.stack([decoder.read(tokens[..., place]) for place in range(5)], axis=-2)
    np.testing.assert_allclose(scores, whole, atol=1e-12)
    assert len(decoder) == 5 and [len(cache) for cache in decoder.caches] == [5] * num_layers
    per_layer = 2 * 5 * 6 * 8 * int(np.prod(batch))  # keys and values, tokens, d_model, bytes
    assert [cache.nbytes for cache in decoder.caches] == [per_layer] * num_layers


def test_padding_of_the_source_stays_unseen():
    parameters, tokens, memory = random_case("pre", 2, (2,))
    seen = padding_mask([7, 4], 7)
    whole = transformer.decode(tokens, memory, parameters, num_heads=3, norm="pre", memory_mask=seen)
    decoder = CachedDecoder(memory, parameters, num_heads=3, norm="pre", memory_mask=seen)
    scores = np.stack([decoder.read(tokens[:, place]) for place in range(5)], axis=1)
    np.testing.assert_allclose(scores, whole, atol=1e-12)


def test_dates_come_out_letter_by_letter_the_same():
    sources, lengths, targets = dates.held_out()
    exact = tree_map(np.float64, MODEL)
    written = translate(exact, sources, lengths)
    np.testing.assert_array_equal(written, date_model.translate(exact, sources, lengths).numbers)
    assert (written == targets).all(axis=-1).sum() == 998


def test_ten_letters_pass_through_the_decoder_instead_of_55(monkeypatch):
    sources, lengths, _ = dates.held_out(3)
    passed = []

    def counting(x, *args, **how):
        passed.append(x.shape[-2])
        return layers.feed_forward(x, *args, **how)

    monkeypatch.setattr(cached_decoding, "feed_forward", counting)
    translate(MODEL, sources, lengths)
    assert sum(passed) == 10 and sum(range(1, 11)) == 55


@pytest.mark.parametrize("tokens", [3, [3], [[3, 4]], [3, 4, 5]])
def test_one_token_for_each_sequence(tokens):
    parameters, _, memory = random_case("pre", 1, (2,))
    decoder = CachedDecoder(memory, parameters, num_heads=3, norm="pre")
    message = f"tokens must be one for each sequence of the memory, shape (2,), got shape {np.shape(tokens)}."
    with pytest.raises(ValueError) as caught:
        decoder.read(tokens)
    assert str(caught.value) == message and len(decoder) == 0


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"norm": "both"}, ValueError, 'norm must be "post" (2017) or "pre", got \'both\'.'),
        ({"num_heads": 4}, ValueError, "num_heads must divide the columns of W_query, got 4 heads and W_query (6, 6)."),
        ({"memory_mask": [[1, 0]]}, TypeError, "memory_mask must be Boolean, True = may attend, got int64. A mask of 1 and 0 becomes Boolean by mask.astype(bool); one of 0 and -inf by mask == 0."),
    ],
)  # fmt: skip
def test_cached_decoder_refuses(change, error, message):
    parameters, _, memory = random_case("pre", 1, (2,))
    with pytest.raises(error) as caught:
        CachedDecoder(memory, parameters, **({"num_heads": 3, "norm": "pre"} | change))
    assert str(caught.value) == message
