"""Numbers with fewer bits are those of the formats, and what the lesson says of their cost is what was measured."""

import importlib.util

import numpy as np
import pytest

from helpers import language_model
from rooms.port_and_prove import rounding
from tests import notebooks

ROWS = {each.where: each for each in rounding.load()}


@pytest.mark.parametrize("exponent", [-20, -3, 0, 9])
def test_bfloat16_keeps_8_binary_digits(exponent):
    x = (2.0**exponent * np.linspace(1, 2, 1001)[:-1]).astype(np.float32)
    got = rounding.bfloat16(x)
    assert (np.abs(got - x) <= 2.0 ** (exponent - 8)).all() and len(set(got.tolist())) == 129
    np.testing.assert_array_equal(rounding.bfloat16(got), got)
    np.testing.assert_array_equal(rounding.bfloat16(-x), -got)


def test_fp8_and_fp4_take_the_nearest_number_that_they_have():
    eights = [m / 8 * 2.0**e for e in range(-6, 9) for m in range(8, 16)] + [m / 8 * 2.0**-6 for m in range(8)]
    eights = np.array([each for each in eights if each <= 448])
    x = np.random.default_rng(0).lognormal(0, 3, 2000).astype(np.float32).clip(0, 500)
    for rounded, known in ((rounding.float8, eights), (rounding.float4, rounding.FP4)):
        nearest = np.abs(x[:, None] - known).min(axis=1)
        np.testing.assert_allclose(np.abs(rounded(x) - x), nearest, atol=1e-6)


def test_a_power_of_two_cuts_the_largest_weight_and_any_scale_does_not():
    row = np.array([[0.431, 0.1, -0.2]], np.float32)
    assert rounding.in_blocks(row, 3, rounding.float4, 6)[0, 0] == 0.375
    assert rounding.in_blocks(row, 3, rounding.float4, 6, power=False)[0, 0] == pytest.approx(0.431)


def test_the_sentences_on_what_it_costs():
    assert (
        max(("softmax weights", "scores", "stream", "all weights of the file"), key=lambda name: ROWS[name].kl)
        == "stream"
    )
    assert 50 < ROWS["stream"].kl / ROWS["softmax weights"].kl < 200
    assert ROWS["all of these"].changed == pytest.approx(0.03, abs=0.006)
    any_scale, power = ROWS["weights, fp4, any scale for 32"].kl, ROWS["weights, MXFP4, a power of 2 for 32"].kl
    assert any_scale / power == pytest.approx(0.5, abs=0.12)


@pytest.mark.everything
@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model")
def test_what_rounding_costs_is_measured_on_the_real_model_one_place_at_a_time():
    path = notebooks.ROOT / "data" / "made_by" / "make_roundings.py"
    spec = importlib.util.spec_from_file_location("make_roundings", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    model, ids = language_model.load(progress=None), np.load(rounding.PATH)["ids"]
    text = notebooks.prose("port_and_prove")
    assert f"on lesson 25's model and {len(ids)} tokens" in text and "but for the row *all of these*" in text
    whole = script.read(model, ids)
    np.testing.assert_allclose(whole, model.read(ids).logits, atol=1e-3)
    for where in ("softmax weights", "scores", "stream"):
        kl, changed = script.beside(whole, script.read(model, ids, at=(where,)))
        assert kl == pytest.approx(ROWS[where].kl, rel=0.25), where
        assert changed == pytest.approx(ROWS[where].changed, abs=2.5 / len(ids)), where  # a tie may fall either way


def test_the_root_of_gemma_s_width_is_rounded():
    assert rounding.bfloat16(np.array([2560**0.5]))[0] == 50.5 and round(2560**0.5, 3) == 50.596


def test_a_router_whose_logits_are_rounded_chooses_others():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4096, 128)).astype(np.float32)

    def chosen(scores):
        return np.sort(np.argsort(-scores, axis=-1, kind="stable")[:, :8], axis=-1)

    assert 0.005 < (chosen(logits) != chosen(rounding.bfloat16(logits))).any(axis=-1).mean() < 0.1


def test_the_picture_says_every_row():
    text = rounding.picture().text
    assert all(name in text for name in ROWS)
