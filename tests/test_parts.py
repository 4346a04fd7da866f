"""The parts of a model against the helpers of the same mathematics, on shapes whose sizes all differ, in both kinds of floats."""

import ast
import itertools
import re
from collections import Counter
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import (
    attention,
    bytes_pairs,
    decoder,
    language_model,
    layers,
    parts,
    positions,
    transformer,
    variants,
    your_program,
)
from helpers.learning import training
from helpers.since_2017 import experts
from tests.notebooks import prose
from tests.test_language_model import SIZES, TEXT, random_tensors

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
RNG = np.random.default_rng(11)


def random(*shape, dtype=float):
    return RNG.normal(size=shape).astype(dtype)


@pytest.mark.parametrize(("part", "lesson"), parts.LESSONS.items())
def test_each_part_is_asked_for_in_its_lesson(part, lesson):
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    assert f"exercise-{part}" in [tag for cell in cells for tag in cell.metadata.get("tags", [])]


@pytest.mark.parametrize("lesson", sorted({*parts.LESSONS.values()}))
def test_each_lesson_shows_what_it_adds_to_the_learners_model(lesson):
    adds = [part for part in parts.LESSONS if parts.LESSONS[part] == lesson]
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    (call,) = [cell.source for cell in cells if cell.source.startswith("explorers.your_model(")]
    said = ast.literal_eval(call.removeprefix("explorers.your_model").replace("here=", ""))
    assert said in (adds, adds[0], lesson[:2])  # the number of the lesson says as much as its parts


def test_parts_stand_in_the_order_of_the_lessons():
    assert list(parts.LESSONS.values()) == sorted(parts.LESSONS.values())


def test_readme_counts_the_parts_and_the_lessons_those_that_write():
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    assert len(parts.LESSONS) == 17 and "Seventeen exercises ask for a part of a language model" in readme
    calls = {}
    for lesson in {*parts.LESSONS.values()}:
        for cell in nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells:
            for tag in cell.metadata.get("tags", []):
                calls[tag.removeprefix("solution-")] = set(re.findall(r"\byours\.(\w+)\(", cell.source))
    needed = {"write"}
    while more := {call for part in needed for call in calls[part]} - needed:
        needed |= more
    assert len(needed) == 12 and "from a file and twelve functions, each yours" in prose("read_a_model")
    assert {*your_program.RUNS} == needed | {"merge_pairs"}  # which cuts the text before
    assert len(your_program.RUNS) == 13 and "from a file and thirteen functions" in prose("write_with_your_own")


@pytest.mark.parametrize("shape", [(7,), (2, 5), (3, 2, 11)])
def test_softmax_and_rms_norm_are_the_helpers(shape):
    x = 300 * random(*shape)
    np.testing.assert_allclose(parts.softmax(x), attention.softmax(x), rtol=1e-12)
    np.testing.assert_allclose(parts.rms_norm(x), layers.rms_norm(x), rtol=1e-12)


@pytest.mark.parametrize(("num_tokens", "d_model", "d_k", "d_v"), [(5, 3, 2, 7), (1, 4, 5, 2)])
def test_self_attention_is_the_helper_with_one_head(num_tokens, d_model, d_k, d_v):
    X, *W = (random(*shape) for shape in [(num_tokens, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)])
    want = attention.scaled_dot_product_attention(X @ W[0], X @ W[1], X @ W[2]).output
    np.testing.assert_allclose(parts.self_attention(X, *W), want, rtol=1e-12)


@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
def test_heads_are_cut_and_merged_as_the_helpers_do(batch):
    x = random(*batch, 5, 21)
    cut = parts.split_heads(x, 3)
    np.testing.assert_array_equal(cut, attention.split_heads(x, 3))
    np.testing.assert_array_equal(parts.merge_heads(cut), x)


@pytest.mark.parametrize(("num_queries", "num_keys"), [(5, 5), (2, 7), (1, 4), (3, None)])
def test_causal_mask_is_the_helper(num_queries, num_keys):
    mask = parts.causal_mask(num_queries, num_keys)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, attention.causal_mask(num_queries, num_keys))


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("masked", [False, True])
def test_encoder_layer_is_the_helper(norm, masked):
    p = transformer.random_layer(np.random.default_rng(3), 6, 3, 11)
    x, mask = random(5, 6), attention.causal_mask(5) if masked else None
    want = layers.encoder_layer(x, p, num_heads=3, norm=norm, mask=mask)
    np.testing.assert_allclose(parts.encoder_layer(x, p, 3, norm, mask), want, rtol=1e-12)


def test_numerical_gradient_is_the_derivative():
    x = random(2, 3)
    np.testing.assert_allclose(parts.numerical_gradient(lambda p: np.sum(p**3), x), 3 * x**2, atol=1e-8)
    (slopes,) = training.numerical_gradient(lambda p: np.sum(p["x"] ** 3), {"x": x}).values()
    np.testing.assert_allclose(parts.numerical_gradient(lambda p: np.sum(p**3), x), slopes, atol=1e-8)


def test_training_loop_goes_down_to_the_bottom():
    found = parts.training_loop(np.array([4.0, -3.0]), lambda p, step: 2 * p, 200, lambda step: 0.1, 1.0)
    np.testing.assert_allclose(found, 0, atol=1e-12)


@pytest.mark.parametrize(("temperature", "top_p"), [(0, 1.0), (0.7, 1.0), (1.0, 0.6)])
def test_next_token_draws_as_the_helper(temperature, top_p):
    logits = random(13)
    drawn = [parts.next_token(logits, temperature, top_p, np.random.default_rng(k)) for k in range(300)]
    shares = (
        decoder.probabilities(logits, temperature=temperature, top_p=top_p)
        if temperature
        else np.eye(13)[logits.argmax()]
    )
    counts = np.bincount(drawn, minlength=13)
    assert (counts[shares == 0] == 0).all()
    assert (np.abs(counts - 300 * shares) <= 4.5 * np.sqrt(300 * shares * (1 - shares)) + 1).all()


def test_merge_pairs_by_hand():
    merges = [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er")]
    assert parts.merge_pairs("lower", merges) == ["lower"]
    assert parts.merge_pairs("slow", merges) == ["s", "low"]
    assert parts.merge_pairs(["e", "r", "er"], merges) == ["er", "er"]
    assert parts.merge_pairs("aaa", [("a", "a")]) == ["aa", "a"]
    assert parts.merge_pairs("", merges) == []


def test_merge_pairs_cuts_as_the_tokenizer_by_rules_that_were_learned():
    words = ["".join(RNG.choice(list("abc"), size=RNG.integers(1, 12))) for _ in range(60)]
    cut, merges = [list(word) for word in words], []
    for _ in range(15):
        pairs = Counter(pair for symbols in cut for pair in itertools.pairwise(symbols))
        merges.append(max(sorted(pairs), key=pairs.get))
        cut = [parts.merge_pairs(word, merges) for word in words]
    assert [bytes_pairs.merge_pairs(word, merges) for word in words] == cut


def test_rotate_is_the_helper_with_neighbours_as_pairs():
    x, places = random(2, 5, 6), np.array([3, 0, 7, 11, 2])
    np.testing.assert_allclose(parts.rotate(x, places, 100.0), positions.rotate(x, places, base=100.0), rtol=1e-12)
    np.testing.assert_allclose(parts.rotate(x, places), positions.rotate(x, places), rtol=1e-12)


@pytest.mark.parametrize("num_shared", [1, 2, 6])
def test_shared_attention_is_the_helper(num_shared):
    query, key, value = random(6, 3, 5), random(num_shared, 7, 5), random(num_shared, 7, 2)
    mask = attention.causal_mask(3, 7)
    want = variants.grouped_query_attention(query, key, value, mask=mask).output
    np.testing.assert_allclose(parts.shared_attention(query, key, value, mask), want, rtol=1e-12)


def test_swiglu_is_the_helper():
    x, W_gate, W_up, W_down = random(5, 3), random(3, 7), random(3, 7), random(7, 3)
    np.testing.assert_allclose(
        parts.swiglu(x, W_gate, W_up, W_down), experts.swiglu(x, W_gate, W_up, W_down), rtol=1e-10
    )


def named_as_in_lessons():
    tensors = random_tensors(5)
    return tensors, {name.removesuffix(".weight"): array for name, array in tensors.items()}


def test_read_is_the_language_model_and_its_cache_changes_nothing():
    tensors, file = named_as_in_lessons()
    want = language_model.LanguageModel(SIZES, dict(tensors), tokenizer=None).read(TEXT)
    logits, caches = parts.read(TEXT, file, SIZES)
    np.testing.assert_allclose(logits, want.logits, rtol=1e-3, atol=1e-4)
    begun, caches = parts.read(TEXT[:2], file, SIZES)
    rest, _ = parts.read(TEXT[2:], file, SIZES, caches)
    np.testing.assert_allclose(np.concatenate([begun, rest]), logits, rtol=1e-3, atol=1e-4)


def test_write_appends_the_likeliest_token_one_by_one():
    (_, file), ids = named_as_in_lessons(), list(TEXT)
    for _ in range(4):
        ids.append(int(parts.read(ids, file, SIZES)[0][-1].argmax()))
    assert parts.write(TEXT, file, SIZES, 4) == ids
