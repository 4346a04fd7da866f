"""Decoder-only transformers: against loops and PyTorch; the past does not see the future; what is drawn, and how often."""

import math

import numpy as np
import pytest

from helpers import decoder
from helpers.attention import softmax
from helpers.learning.parameters import tree_map

SIZES = {"vocabulary_size": 7, "d_model": 6, "num_heads": 3, "d_ff": 11, "num_layers": 2}
RNG = np.random.default_rng(14)
MODEL = tree_map(lambda x: x + RNG.normal(scale=0.1, size=x.shape), decoder.random_decoder(RNG, **SIZES))
TOKENS = [3, 0, 6, 6, 1]
LOGITS = np.log([0.1, 0.4, 0.2, 0.3])


def logits_of(tokens):
    return decoder.decode(tokens, MODEL, num_heads=3).logits


def norm(x, gain, bias):
    mean = sum(x) / len(x)
    deviation = math.sqrt(sum((each - mean) ** 2 for each in x) / len(x) + 1e-5)
    return np.array([g * (each - mean) / deviation + b for each, g, b in zip(x, gain, bias)])


def test_decode_is_the_loop_that_reads_place_after_place():
    x = []
    for place, token in enumerate(TOKENS):
        waves = [(math.sin, math.cos)[k % 2](place / 10_000 ** (k // 2 * 2 / 6)) for k in range(6)]
        x.append(MODEL["embedding"][token] * math.sqrt(6) + waves)
    for layer in MODEL["decoder"]:
        p, after = layer["self_attention"], []
        normed = [norm(each, **layer["self_attention_norm"]) for each in x]
        q, k, v = ([each @ p[f"W_{r}"] + p[f"b_{r}"] for each in normed] for r in ("query", "key", "value"))
        for i in range(len(x)):
            heads = []
            for h in range(3):
                part = slice(2 * h, 2 * h + 2)
                powers = [math.exp(q[i][part] @ k[j][part] / math.sqrt(2)) for j in range(i + 1)]  # j > i is not seen
                heads.append(sum(power * v[j][part] for j, power in enumerate(powers)) / sum(powers))
            after.append(x[i] + np.concatenate(heads) @ p["W_output"] + p["b_output"])
        f, x = layer["feed_forward"], []
        for each in after:
            hidden = np.maximum(norm(each, **layer["feed_forward_norm"]) @ f["W_in"] + f["b_in"], 0)
            x.append(each + hidden @ f["W_out"] + f["b_out"])
    want = [norm(each, **MODEL["decoder_norm"]) @ MODEL["W_vocabulary"] + MODEL["b_vocabulary"] for each in x]
    np.testing.assert_allclose(logits_of(TOKENS), want, atol=1e-12)


def test_attention_has_a_map_for_each_layer_and_head_and_batches_are_their_texts():
    decoded = decoder.decode([TOKENS, TOKENS[::-1]], MODEL, num_heads=3)
    assert decoded.logits.shape == (2, 5, 7) and [a.weights.shape for a in decoded.attention] == [(2, 3, 5, 5)] * 2
    np.testing.assert_allclose(decoded.logits, [logits_of(TOKENS), logits_of(TOKENS[::-1])], atol=1e-12)
    assert all((np.triu(a.weights, 1) == 0).all() for a in decoded.attention)


def test_random_rows_are_about_as_long_as_waves():
    drawn = decoder.random_decoder(np.random.default_rng(0), **SIZES | {"vocabulary_size": 500, "d_model": 66})
    assert np.std(drawn["embedding"]) == pytest.approx(66**-0.5, rel=0.02)


def test_without_heads_leaves_the_others_to_sum_up():
    """What all heads bring is the sum of what each of them brings alone; the given parameters stay."""
    before = MODEL["decoder"][1]["self_attention"]["W_output"].copy()
    parts = []
    for head in range(3):
        off = [(1, other) for other in range(3) if other != head]
        parts.append(decoder.decode(TOKENS, decoder.without_heads(MODEL, off, num_heads=3), num_heads=3).attention[1])
    whole = decoder.decode(TOKENS, MODEL, num_heads=3).attention[1]
    bias = MODEL["decoder"][1]["self_attention"]["b_output"]
    np.testing.assert_allclose(sum(part.output - bias for part in parts), whole.output - bias, atol=1e-12)
    np.testing.assert_array_equal(MODEL["decoder"][1]["self_attention"]["W_output"], before)


@pytest.mark.parametrize(
    ("how", "want"),
    [
        ({}, [0.1, 0.4, 0.2, 0.3]),
        ({"temperature": 0}, [0, 1, 0, 0]),
        ({"temperature": 0.5}, np.array([1, 16, 4, 9]) / 30),  # squares
        ({"temperature": 1e-300}, [0, 1, 0, 0]),
        ({"top_p": 0.3}, [0, 1, 0, 0]),
        ({"top_p": 0.7}, [0, 4 / 7, 0, 3 / 7]),  # exactly .4 + .3
        ({"top_p": 0.71}, [0, 4 / 9, 2 / 9, 3 / 9]),
        ({"temperature": 0.5, "top_p": 0.8}, [0, 0.64, 0, 0.36]),  # 25/30 of the squares are enough
    ],
)
def test_probabilities_by_hand(how, want):
    np.testing.assert_allclose(decoder.probabilities(LOGITS, **how), want, atol=1e-12)


@pytest.mark.everything
def test_tokens_are_drawn_as_often_as_their_probabilities_say():
    how = {"temperature": 1.3, "top_p": 0.8}
    rng = np.random.default_rng(3)
    drawn = np.bincount([decoder.next_token(LOGITS, **how, rng=rng) for _ in range(20_000)], minlength=4)
    np.testing.assert_allclose(drawn / 20_000, decoder.probabilities(LOGITS, **how), atol=0.012)  # 3.4 deviations
    assert drawn[0] == 0 and isinstance(decoder.next_token(LOGITS), int)


def test_write_reads_its_own_words():
    greedy, text = decoder.write(logits_of, TOKENS, num_tokens=4, temperature=0), list(TOKENS)
    for token in greedy:
        assert token == logits_of(text)[-1].argmax()
        text.append(token)
    again = [decoder.write(logits_of, TOKENS, num_tokens=9, rng=np.random.default_rng(seed)) for seed in (5, 5, 6)]
    assert again[0] == again[1] != again[2] and len(again[0]) == 9 and TOKENS == [3, 0, 6, 6, 1]


def test_induction_score_is_the_loop():
    weights, period = softmax(RNG.normal(size=(2, 3, 8, 8))), 3
    want = np.zeros((2, 3))
    for i in range(period, 8):
        want += weights[..., i, i - period + 1] / (8 - period)
    np.testing.assert_allclose(decoder.induction_score(weights, period), want)
    copies = np.eye(6)[[0, 0, 0, 1, 2, 3]]  # A B C A B C: the second A looks at the first B, and so on
    assert decoder.induction_score(copies, 3) == 1.0 and isinstance(decoder.induction_score(copies, 3), float)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: decoder.decode([1], {"decoder": []}, num_heads=1), "missing: embedding, decoder_norm, W_vocabulary"),
        (
            lambda: decoder.next_token([-np.inf, -np.inf]),
            "logits must hold a finite number, got nothing but -inf. There",
        ),
        (
            lambda: decoder.write(logits_of, [], num_tokens=1),
            "tokens must hold at least one token to go on from, got none.",
        ),
        (lambda: decoder.write(lambda t: LOGITS, [1], num_tokens=1), "logits_of must return rows of logits"),
        (lambda: decoder.without_heads(MODEL, [(2, 0)], num_heads=3), "layer must be at most 1, got 2."),
        (lambda: decoder.without_heads(MODEL, [(0, 3)], num_heads=3), "head must be at most 2, got 3."),
    ],
)
def test_wrong_input_gets_a_sentence(call, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert message in str(caught.value) and str(caught.value).endswith(".")


def test_largest_of_many_logits_is_found_without_a_square_of_their_number():
    assert decoder.next_token(np.arange(200_000) % 77_777, temperature=0) == 77_776
