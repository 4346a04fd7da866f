"""The explorers of lessons 14 and 15 beside a GPT in plain NumPy, which knows nothing of the helpers but their files."""

import functools
import re

import numpy as np

from helpers import explorers
from helpers.learning import small_models
from tests import driving

LETTERS, CONTEXT = " ',.:?abcdefghijklmnopqrstuvwxyz", 48
BEGINNINGS, STRINGS = (
    ["attention is ", "Who is she?", "", "Ä N² ö", "q" * 130],
    ["ABCA", " abab ", "DDDD", "AB", "A", "ABE", ""],
)
driving.OTHER_TEXTS |= {"beginning": BEGINNINGS, "string of A, B, C, D": STRINGS}


@functools.cache
def model(kind):
    with np.load(small_models.PATHS[kind]) as arrays:
        return {name: arrays[name].astype(float) for name in arrays.files}


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def gpt(kind, tokens, off=()):
    """(logits (..., n, vocabulary), weights (layers, ..., heads, n, n)) of a stored model."""
    p, maps = model(kind), []
    place, pair = np.arange(tokens.shape[-1])[:, None], np.arange(32)
    angles = place / 10_000 ** (pair / 32)
    x = p["embedding"][tokens] * 8 + np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, 64)

    def norm(x, name):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * p[f"{name}.gain"] + p[
            f"{name}.bias"
        ]

    for layer in range(2):
        a, f = f"decoder.{layer}.self_attention", f"decoder.{layer}.feed_forward"
        asking, added, heads = norm(x, f"{a}_norm"), p[f"{a}.b_output"], []
        q, k, v = (asking @ p[f"{a}.W_{role}"] + p[f"{a}.b_{role}"] for role in ("query", "key", "value"))
        for head in range(4):
            part = slice(16 * head, 16 * head + 16)
            scores = q[..., part] @ np.swapaxes(k[..., part], -1, -2) / 4
            heads.append(shares(np.where(place >= place.T, scores, -np.inf)))
            if (layer, head) not in off:
                added = added + heads[-1] @ v[..., part] @ p[f"{a}.W_output"][part]
        x, maps = x + added, [*maps, np.stack(heads, axis=-3)]
        x = (
            x
            + np.maximum(norm(x, f"{f}_norm") @ p[f"{f}.W_in"] + p[f"{f}.b_in"], 0) @ p[f"{f}.W_out"]
            + p[f"{f}.b_out"]
        )
    return norm(x, "decoder_norm") @ p["W_vocabulary"] + p["b_vocabulary"], np.array(maps)


def kept(logits, temperature, top_p):
    if temperature == 0:
        return np.eye(32)[logits.argmax()]
    chances = shares(logits / temperature)
    found, total = np.zeros(32), 0.0
    for k in sorted(range(32), key=lambda k: -chances[k]):
        if total < top_p - 1e-9 or top_p == 1:
            found[k] = chances[k]
        total += chances[k]
    return found / found.sum()


@functools.cache
def written(beginning, temperature, top_p, draw):
    rng, tokens = np.random.default_rng(draw), list(beginning)
    for _ in range(72):
        chances = kept(gpt("letters", np.array(tokens[-CONTEXT:]))[0][-1], temperature, top_p)
        tokens.append(int(rng.choice(32, p=chances)))
    return tokens


def writing(beginning, temperature, top_p, head, draw, place):
    known = re.sub(" +", " ", "".join(c if c in LETTERS else " " for c in beginning.lower()))[-120:]
    if not known:
        return None
    top_p = min(top_p, 1.0)
    tokens = written(tuple(map(LETTERS.index, known)), temperature, top_p, draw)
    logits, weights = gpt("letters", np.array(tokens[: len(known) + place - 1][-CONTEXT:]))
    return {
        "tokens": tokens,
        "start": len(known),
        "weights": weights[:, :, -1],
        "probabilities": kept(logits[-1], temperature, top_p),
        "plain_probabilities": shares(logits[-1]),
    }


def writing_sentence(shown, values):
    at, head = shown["start"] + values["place"] - 1, values["head"]
    weights = shown["weights"].mean(axis=(0, 1)) if head == "all" else shown["weights"][head]
    back = len(weights) - int(weights.argmax())
    named = [] if head == "all" else [head[0] + 1 + (head[1] + 1) / 10]
    return [shown["probabilities"][shown["tokens"][at]], *named, *([back] if back > 1 else [])]


@functools.cache
def trainings():
    with np.load(small_models.TRAININGS_PATH) as arrays:
        return {name: arrays[name].astype(float) for name in arrays.files}


def smooth(losses, before, after):
    padded = [losses[0]] * before + list(losses) + [losses[-1]] * (after - 1)
    return np.array([np.mean(padded[k : k + before + after]) for k in range(len(losses))])


def learning(step):
    losses = smooth(trainings()["letter_losses"], 10, 10)
    return {"losses": losses, "steps": trainings()["letter_steps"], "loss": losses[min(step, 1499)]}


def two_heads(string, strength, place):
    letters = string.strip().upper()
    if not 2 <= len(letters) <= 12 or set(letters) - set("ABCD"):
        return None
    X = np.array([[float(token == each) for each in "•ABCD"] for token in "•" + letters])
    n = len(X)
    back = np.array([[float(j == max(i - 1, 0)) for j in range(n)] for i in range(n)])
    scores = np.array(
        [[strength * (X[i] @ X[max(j - 1, 0)]) if j <= i else -np.inf for j in range(n)] for i in range(n)]
    )
    weights = shares(scores * np.log(3))
    return {"back": back, "scores": scores, "weights": weights, "output": weights @ X}


def two_sentence(shown, values):
    letters = "•" + values["string"].strip().upper()
    at = min(values["place"], len(letters) - 1)
    first, second = sorted(shown["output"][at][1:])[:-3:-1]
    if letters[at] not in letters[:at]:
        return [2]
    return [2, first] if np.isclose(first, second) else [1, 2, first]


def runs(count, seed):
    rng = np.random.default_rng(seed)
    return np.array([np.tile(rng.permutation(20)[:11], 2) for _ in range(count)])


@functools.cache
def share_copied(off):
    tokens = runs(200, 100)
    return (gpt("symbols", tokens[:, :-1], off)[0][:, 10:].argmax(-1) == tokens[:, 11:]).mean()


def copying(draw, head, place, **on):
    off = tuple((i, j) for i in range(2) for j in range(4) if not on[f"on[{i + 1}, {j + 1}]"])
    tokens = runs(1, draw)[0]
    logits, weights = gpt("symbols", tokens, off)
    return {
        "tokens": tokens,
        "weights": weights,
        "scores": np.mean([weights[..., i, i - 10] for i in range(11, 22)], axis=0),
        "guesses": logits[:-1].argmax(-1),
        "right": share_copied(off),
    }


def copying_sentence(shown, values):
    off = [i + 1 + (j + 1) / 10 for i in range(2) for j in range(4) if not values[f"on[{i + 1}, {j + 1}]"]]
    head, row = values["head"], shown["weights"][(*values["head"], values["place"] - 1)]
    number, ends = head[0] + 1 + (head[1] + 1) / 10, [*off, shown["right"], 200]
    return [number, *ends] if number in off else [values["place"], number, row.argmax() + 1, row.max(), *ends]


def growing(score, step):
    story = trainings()
    k = story["symbol_steps"].tolist().index(step)
    losses = smooth(story["symbol_losses"], 5, 5)
    return {
        "losses": losses,
        "scores": story[score],
        "steps": story["symbol_steps"],
        "accuracy": story["accuracy"][k],
        "k": k,
    }


def growing_sentence(shown, values):
    scores, step = shown["scores"][shown["k"]], values["step"]
    i, j = np.argwhere(scores == scores.max())[0]
    return [step, shown["losses"][min(step, 799)], shown["accuracy"], i + 1 + (j + 1) / 10, scores.max()]


REFERENCES = {
    "explore_writing": writing,
    "explore_learning_to_write": learning,
    "explore_two_heads": two_heads,
    "explore_copying": copying,
    "explore_growing_heads": growing,
}
TABLES = LIGHTS = {name: lambda shown, values: {} for name in REFERENCES}
SENTENCES = {
    "explore_writing": writing_sentence,
    "explore_learning_to_write": lambda shown, values: [values["step"], shown["loss"], np.exp(shown["loss"])],
    "explore_two_heads": two_sentence,
    "explore_copying": copying_sentence,
    "explore_growing_heads": growing_sentence,
}


def test_a_letter_and_a_head_that_are_clicked_are_the_ones_that_are_told():
    explorer = explorers.explore_writing()
    driving.click(explorer, "text", 4)
    driving.click(explorer, "heads", 1, 2)
    assert explorer.controls["place"].value == 5 and "Head 2.3 looked most at" in explorer.text
    driving.click(explorer, "heads", 1, 2)
    assert explorer.controls["head"].value == "all"


def test_no_two_letters_stand_in_one_place():
    html = explorers.explore_writing(temperature=0.0).html  # a space at the end of a line once lay under the next word
    places = re.findall(r'<rect[^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*?class="touch at-text ', html)
    assert len(places) == 72 and len(set(places)) == 72


def test_greedy_writing_repeats_itself():
    text = small_models.to_text(explorers.explore_writing(temperature=0.0).shown["tokens"], small_models.LETTERS)
    assert text.count("the same the same the same") >= 2


def test_heads_are_switched_off_one_by_one_and_all_three_that_copy_at_once():
    explorer = explorers.explore_copying()
    assert "copies 100% of 200 strings" in explorer.text
    driving.click(explorer, "switch", 1, 1)
    assert "Without 2.2," in explorer.text and 0.8 < explorer.shown["right"] < 0.95
    driving.click(explorer, "switch", 1, 1)
    assert explorer.shown["right"] > 0.99
    driving.buttons(explorer)["copying heads off"].click()
    assert "Without 2.1, 2.2, 2.4," in explorer.text and explorer.shown["right"] < 0.3
    driving.click(explorer, "map", 1, 2)
    driving.click(explorer, "string", 20)
    assert explorer.controls["head"].value == (1, 2) and explorer.controls["place"].value == 21


def test_two_heads_find_what_came_after_the_letter():
    explorer = explorers.explore_two_heads()
    np.testing.assert_allclose(explorer.shown["weights"][4], np.array([1, 1, 9, 1, 1]) / 13)
    assert "→ B 0.69" in explorer.html and "brings 0.69 of B" in explorer.text
    driving.click(explorer, "letters", 2)
    assert "B has not come before" in explorer.text


def test_the_cliff_is_where_the_scores_rise():
    explorer = explorers.explore_growing_heads()
    assert 0.6 < explorer.shown["accuracy"] < 0.9 and "After 160 steps" in explorer.text
    driving.click(explorer, "step", 40)
    assert explorer.shown["accuracy"] > 0.99 and explorer.controls["step"].value == 800
