"""Ports and twins: without their bugs ports agree with the library, with one they part where it is said; PyTorch does what is told."""

import importlib

import numpy as np
import pytest

from helpers import checks, parts
from rooms.port_and_prove import ports, twins

NEEDS = "PyTorch, a second opinion, is not installed"
RNG = np.random.default_rng(3)


@pytest.mark.parametrize("number", ports.KINDS)
def test_a_port_without_a_bug_agrees_and_with_it_parts_where_it_is_said(number):
    theirs, bug = ports.reference(number), ports.bug_of(number)
    right = ports.port(number, ports.NONE)
    assert max(ports.gap(right[name], theirs[name]) for name in theirs) < 1e-6
    wrong = ports.port(number, bug)
    first = next(name for name in theirs if ports.gap(wrong[name], theirs[name]) > ports.TOLERANCES["float32"])
    assert first == ports.BUGS[bug].first


@pytest.mark.parametrize("number", ports.KINDS)
def test_the_other_bugs_have_their_place_or_change_nothing(number):
    right = ports.port(number, ports.NONE)
    for bug in ports.BUGS:
        other = ports.port(number, bug)
        moved = [name for name in right if not np.array_equal(right[name], other[name])]
        assert not moved or moved[0] == ports.BUGS[bug].first


def test_in_port_6_the_fastest_pair_alone_agrees_and_in_port_8_none():
    for number, agreeing in ((6, [True, False, False, False]), (8, [False] * 4)):
        gaps = np.abs(
            ports.port(number, ports.bug_of(number))["query_turned"] - ports.reference(number)["query_turned"]
        )
        moved = gaps[:, 1:].max(axis=(0, 1)).reshape(2, 4).max(axis=0) > 1e-5  # pairs are halves
        assert (~moved).tolist() == agreeing, moved


def test_port_9_is_red_where_its_pairs_turn_and_right_from_the_weights_on():
    theirs, ours = ports.reference(9), ports.port(9, ports.bug_of(9))
    red = [name for name in theirs if ports.gap(ours[name], theirs[name]) > ports.TOLERANCES["float32"]]
    assert red == ["query_turned", "key_turned"]
    assert all(ports.gap(ours[name], theirs[name]) > 0.5 for name in red)
    assert ours["query_turned"].shape == theirs["query_turned"].shape
    np.testing.assert_allclose(np.sort(ours["query_turned"]), np.sort(theirs["query_turned"]), atol=1e-5)


def test_pairs_are_slowed_as_llama_3_1_does():
    plain, slowed = ports.speeds(8), ports.speeds(8, llama3=True)
    turns = 64 * plain / (2 * np.pi)
    assert (turns > 4).tolist() == [True, False, False, False] and turns[3] < 1 < turns[2]
    assert slowed[0] == plain[0] and slowed[3] == pytest.approx(plain[3] / 8)
    kept = (turns[1] - 1) / 3
    assert slowed[1] == pytest.approx(plain[1] * (kept + (1 - kept) / 8))


def test_gaps_and_divergences_by_hand():
    assert ports.gap([1.0, 4.0], [1.0, 5.0]) == 1 / 5 and ports.gap(np.ones((4, 3)), np.ones((1, 3))) == np.inf
    p, q = np.log([[1 / 2, 1 / 2]]), np.log([[1 / 4, 3 / 4]])
    assert ports.divergence(q, p)[0] == pytest.approx((np.log(2) + np.log(2 / 3)) / 2)
    assert ports.divergence(q, p + 100)[0] == pytest.approx(ports.divergence(q, p)[0])


def test_what_the_lesson_says_of_its_ports():
    wrong = {number: ports.port(number, ports.bug_of(number)) for number in ports.KINDS}
    theirs = {number: ports.reference(number) for number in ports.KINDS}
    assert ports.gap(wrong[3]["query"], theirs[3]["query"]) > 1
    assert ports.gap(wrong[1]["weights"], theirs[1]["weights"]) < 0.01
    assert ((wrong[4]["weights"] == 0) & (theirs[4]["weights"] > 0)).any()


# --- PyTorch -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason=NEEDS)


def test_without_pytorch_a_fact_says_what_is_stored(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert [twins.outcome(fact) for fact in twins.FACTS] == [fact.said for fact in twins.FACTS]
    with pytest.raises(TypeError, match=r"fact must be one of twins.FACTS, got str"):
        twins.outcome("softmax")


@pytest.mark.everything
@pytest.mark.parametrize("fact", twins.FACTS, ids=lambda fact: fact.name)
def test_what_is_said_of_pytorch_comes_out(torch, fact):
    assert twins.run(fact.code) == fact.said


@pytest.mark.everything
def test_bfloat16_rounds_as_pytorch_does(torch):
    x = np.concatenate([RNG.normal(size=999), [0, 1.00390625, 1.01171875, -3e-30, 1e30]]).astype(np.float32)
    np.testing.assert_array_equal(ports.bfloat16(x), torch.tensor(x).bfloat16().double().numpy())


@pytest.fixture(scope="module")
def space(torch):
    """All twins in one namespace, so that they call each other."""
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    for twin in twins.TWINS.values():
        exec(twin.code, space)
    return space


def test_every_part_that_computes_has_a_twin():
    assert list(twins.TWINS) == [name for name in parts.LESSONS if name != "merge_pairs"]  # which cuts words


def random(*shape):
    return RNG.normal(size=shape)


SIZES = {"num_layers": 2, "num_heads": 6, "num_key_value_heads": 2, "base": 100.0}
FILE = {"token_embd": random(13, 24), "output_norm": random(24)} | {
    f"blk.{layer}.{name}": random(*shape) / 4
    for layer in range(2)
    for name, shape in {
        "attn_norm": (24,), "attn_q": (24, 24), "attn_k": (8, 24), "attn_v": (8, 24), "attn_output": (24, 24),
        "ffn_norm": (24,), "ffn_gate": (7, 24), "ffn_up": (7, 24), "ffn_down": (24, 7),
    }.items()
}  # fmt: skip
LAYER = {
    "self_attention": {f"W_{name}": random(6, 6) for name in ("query", "key", "value", "output")},
    "feed_forward": {"W_in": random(6, 11), "b_in": random(11), "W_out": random(11, 6), "b_out": random(6)},
    "self_attention_norm": {"gain": random(6), "bias": random(6)},
    "feed_forward_norm": {"gain": random(6), "bias": random(6)},
}
CASES = {  # part: lists of arguments
    "softmax": [[random(2, 5)]],
    "self_attention": [[random(5, 3), random(3, 2), random(3, 2), random(3, 7)]],
    "split_heads": [[random(5, 21), 3], [random(2, 5, 21), 7]],
    "merge_heads": [[random(3, 5, 7)], [random(2, 3, 5, 7)]],
    "causal_mask": [[5], [2, 7], [1, 4]],
    "rms_norm": [[random(5, 7) / 100]],
    "encoder_layer": [[random(5, 6), LAYER, 2, "post"], [random(5, 6), LAYER, 3, "pre", np.tri(5, dtype=bool)]],
    "next_token": [[random(11), 0, 1.0, None]],
    "rotate": [[random(2, 5, 6), np.arange(3, 8), 100.0]],
    "shared_attention": [[random(6, 5, 3), random(2, 5, 3), random(2, 5, 3), np.tri(5, dtype=bool)]],
    "swiglu": [[random(5, 3), random(3, 7), random(3, 7), random(7, 3)]],
    "read": [[[3, 1, 4, 1, 5], FILE, SIZES]],
    "write": [[[3, 1, 4], FILE, SIZES, 5]],
}


def as_tensors(value, torch):
    if isinstance(value, dict):
        return {name: as_tensors(each, torch) for name, each in value.items()}
    return torch.tensor(value) if isinstance(value, np.ndarray) else value


@pytest.mark.everything
@pytest.mark.parametrize("part", CASES)
def test_twin_gives_the_numbers_of_its_part(torch, space, part):
    for arguments in CASES[part]:
        ours = getattr(parts, part)(*arguments)
        theirs = space[part](*(as_tensors(each, torch) for each in arguments))
        ours, theirs = (each[0] if part == "read" else each for each in (ours, theirs))
        np.testing.assert_allclose(np.asarray(theirs), ours, atol=1e-10)


@pytest.mark.everything
def test_twins_of_a_layer_with_a_cache_of_gradients_and_of_training(torch, space):
    ids = [3, 1, 4, 1, 5]
    file = as_tensors(FILE, torch)
    whole, _ = space["read"](ids, file, SIZES)
    _, caches = space["read"](ids[:3], file, SIZES)
    rest, _ = space["read"](ids[3:], file, SIZES, caches)
    np.testing.assert_allclose(rest.numpy(), whole[3:].numpy(), atol=1e-10)

    middle = random(7)
    ours = parts.numerical_gradient(lambda p: np.sum((p - middle) ** 4), np.zeros(7))
    theirs = space["numerical_gradient"](lambda p: ((p - torch.tensor(middle)) ** 4).sum(), torch.zeros(7).double())
    np.testing.assert_allclose(theirs.numpy(), ours, rtol=1e-6, atol=1e-6)

    start, how = random(7), (9, lambda step: 0.1 / (1 + step), 0.5)
    ours = parts.training_loop(start, lambda p, step: 2 * p + step, *how)
    theirs = space["training_loop"](torch.tensor(start), lambda p, step: 2 * p + step, *how)
    np.testing.assert_allclose(theirs.numpy(), ours, atol=1e-5)


@pytest.mark.everything
def test_twin_of_next_token_draws_as_often(torch, space):
    logits, rng = np.log([0.1, 0.5, 0.25, 0.15]), torch.Generator().manual_seed(1)
    drawn = [space["next_token"](torch.tensor(logits), 1.0, 0.8, rng) for _ in range(2000)]
    shares = np.bincount(drawn, minlength=4) / 2000
    np.testing.assert_allclose(shares, np.array([0, 0.5, 0.25, 0.15]) / 0.9, atol=0.05)


@pytest.mark.everything
def test_checks_take_answers_in_pytorch(torch):
    def softmax(scores):
        return torch.softmax(torch.as_tensor(scores).double(), -1)

    assert checks.EXERCISES["softmax"](softmax).status == "right"
