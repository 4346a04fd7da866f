"""What the explorers of the stacks must show, computed apart, token by token; tests/test_explorers.py holds them beside it."""

import functools

import numpy as np
import pytest

from helpers import explorers
from helpers.transformer import random_transformer
from tests import driving
from tests.references import waves
from tests.test_explorers_layer import attend, norm, think

SOURCE, WRITTEN, TARGET, OTHER = [0, 1, 2, 3], [4, 5, 6, 7, 8], [5, 6, 7, 8, 3], 9
PARAMETERS = random_transformer(np.random.default_rng(13), 10, 16, 2, 32, 2)


def put_in(tokens):
    return 4 * PARAMETERS["embedding"][tokens] + np.array(waves(len(tokens), 16))


def through(x, layers, mask=None, memory=None, deaf=False):
    """The layers of a stack, those of an encoder unless there is a memory."""
    for layer in layers:
        x = norm(x + attend(x, layer["self_attention"], mask=mask)[0])
        if memory is not None:
            x = norm(x + (0 if deaf else attend(x, layer["cross_attention"], context=memory)[0]))
        x = norm(x + think(x, layer["feed_forward"]))
    return x


def mask_of(size, causal):
    return np.tri(size) if causal else None


def outputs(tokens, kind, memory, causal):
    encoder, W = PARAMETERS["encoder"], PARAMETERS["W_vocabulary"]
    if kind == "decoder alone":
        return [*(through(put_in(tokens), encoder, mask_of(len(tokens), causal)) @ W)]
    remembered = through(put_in(tokens[:4]), encoder)
    if kind == "encoder alone":
        return [*remembered]
    x = through(put_in(tokens[4:]), PARAMETERS["decoder"], mask_of(5, causal), remembered, deaf=not memory)
    return [*remembered, *(x @ W)]


def moved(compute, tokens):
    usual, columns = compute(tokens), []
    for j in range(len(tokens)):
        changed = compute([OTHER if k == j else token for k, token in enumerate(tokens)])
        columns.append([max(abs(a - b)) for a, b in zip(changed, usual, strict=True)])
    return np.transpose(columns)


@functools.cache
def moves(kind, memory, causal):
    tokens = SOURCE if kind == "encoder alone" else SOURCE + WRITTEN
    return moved(lambda tokens: outputs(tokens, kind, memory, causal), tokens)


@functools.cache
def wrong_decoder(recipe):
    masks = {"no causal mask": np.ones((5, 5)), "mask the wrong way round": np.tri(5).T}

    def answers(tokens):
        reads = tokens[4:] if recipe.startswith("reads the target") else [4, *tokens[4:-1]]
        memory = put_in(reads) if recipe.startswith("memory is") else through(put_in(tokens[:4]), PARAMETERS["encoder"])
        x = through(put_in(reads), PARAMETERS["decoder"], masks.get(recipe, np.tri(5)), memory)
        powers = np.exp(x @ PARAMETERS["W_vocabulary"])
        return [*(powers / powers.sum(-1, keepdims=True))]

    return {"moves": moved(answers, SOURCE + TARGET)}


REFERENCES = {
    "explore_architecture": lambda kind, opened, memory, causal: {"moves": moves(kind, memory, causal)},
    "explore_wrong_decoder": wrong_decoder,
}
TABLES = dict.fromkeys(REFERENCES, lambda shown, values: {})


def counts(shown, values):
    """How many ask how many, in the box that is open."""
    kind, box = values["kind"], values["opened"]
    written = 9 if kind == "decoder alone" else 5
    told = {
        **{"encoder: self-attention": [4, 4], "encoder: feed-forward": [4]},
        **{"decoder: self-attention": [written, written], "decoder: cross-attention": [5, 4]},
        **{"decoder: feed-forward": [written], "linear, softmax": [written]},
    }[box]
    absent = {"encoder alone": ("decoder", "linear"), "decoder alone": ("encoder", "decoder: cross")}
    return [] if box.startswith(absent.get(kind, ("none",))) else told


def tidy(gap):
    return gap if gap >= 1e-9 else 0


def leak(shown):
    return tidy(max(shown["moves"][i][4 + j] for i in range(5) for j in range(i, 5)))


def from_the_source(shown):
    return max(max(row[:4]) for row in shown["moves"])


def lights(shown, values):
    kind, size = values["kind"], len(shown["moves"])
    if kind == "encoder alone":
        return []
    first = 0 if kind == "decoder alone" else 4
    later = max((shown["moves"][i][j] for i in range(first, size) for j in range(i + 1, size)), default=0)
    hears = min(min(row[:4]) for row in shown["moves"][4:]) > 1e-9
    return [
        ("nothing that is written hears what comes later", tidy(later)),
        ("what is written hears the whole source", 0 if hears else None),
    ]


SENTENCES = {
    "explore_architecture": counts,
    "explore_wrong_decoder": lambda shown, values: [leak(shown), from_the_source(shown)],
}
LIGHTS = {
    "explore_architecture": lights,
    "explore_wrong_decoder": lambda shown, values: [
        ("no row sees the token that it must give", leak(shown)),
        ("the decoder hears the source", 0 if from_the_source(shown) > 1e-9 else None),
    ],
}


def heard(explorer):
    return (explorer.shown["moves"] > 1e-9).astype(int)


def test_encoder_and_decoder_are_a_square_a_rectangle_and_a_triangle_and_either_alone_is_one_of_them():
    explorer = explorers.explore_architecture()
    square, rectangle, empty = np.ones((4, 4)), np.ones((5, 4)), np.zeros((4, 5))
    np.testing.assert_array_equal(heard(explorer), np.block([[square, empty], [rectangle, np.tri(5)]]))
    explorer.set(kind="encoder alone")
    np.testing.assert_array_equal(heard(explorer), square)
    explorer.set(kind="decoder alone")
    np.testing.assert_array_equal(heard(explorer), np.tri(9))


def test_the_way_from_the_memory_is_cut_and_the_mask_lifted_by_clicks():
    explorer = explorers.explore_architecture()
    explorer._touched({"type": "click", "target": {"id": "at-memory"}})
    assert not heard(explorer)[4:, :4].any() and "✂" in explorer.html and "✗ what is written" in explorer.html
    explorer._touched({"type": "click", "target": {"id": "at-mask"}})
    assert heard(explorer)[4:, 4:].all() and "✗ nothing that is written" in explorer.html


@pytest.mark.parametrize("k", range(6))
def test_a_box_opens_by_a_click_and_its_block_is_outlined(k):
    explorer = explorers.explore_architecture()
    driving.click(explorer, "box", k)
    assert explorer.controls["opened"].value == explorers.stack.BOXES[k]
    assert driving.titles(explorer)["box", (k,)].endswith("chosen")


def test_the_decoder_opens_broken_every_other_wiring_leaks_and_one_never_hears_the_source():
    explorer = explorers.explore_wrong_decoder()
    assert "✗ no row sees" in explorer.html
    leaks, deaf = {}, {}
    for recipe in driving.choices(explorer.controls["recipe"]):
        explorer.set(recipe=recipe)
        leaks[recipe] = "✗ no row sees" in explorer.html
        deaf[recipe] = "✗ the decoder hears" in explorer.html
    assert [*leaks.values()] == [False, True, True, True, True]
    assert [*deaf.values()] == [False, False, False, False, True]
