"""Answers to the exercises on layer norm and the decoder layer, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.attention import causal_mask, multi_head_attention
from helpers.layers import feed_forward, layer_norm

# --- layer_norm ------------------------------------------------------------------------------------------------------


def by_loops(x):
    if np.ndim(x) > 1:
        return [by_loops(row) for row in x]
    mean = sum(x) / len(x)
    variance = sum((each - mean) ** 2 for each in x) / len(x)
    return [(each - mean) / math.sqrt(variance + 1e-5) for each in x]


def in_place(x):
    x -= x.mean(axis=-1, keepdims=True)
    x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
    return x


def by_moving_axes(x):
    turned = np.moveaxis(x, -1, 0)
    return np.moveaxis((turned - turned.mean(0)) / np.sqrt(turned.var(0) + 1e-5), 0, -1)


def normed(x, axis=-1, ddof=0, epsilon=1e-5):
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True, ddof=ddof) + epsilon)


def centred(x):
    return x - x.mean(axis=-1, keepdims=True)


# --- decoder_layer ---------------------------------------------------------------------------------------------------


def step_by_step(x, memory, parameters, num_heads):
    p = parameters
    looked = multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=causal_mask(len(x))).output
    x = layer_norm(x + looked, **p["self_attention_norm"])
    heard = multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layer_norm(x + heard, **p["cross_attention_norm"])
    return layer_norm(x + feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])


def by_hand(x, memory, parameters, num_heads):
    """Without the helpers: heads in a loop, a mask made of 0 and -inf."""

    def attend(x, context, part, allowed):
        q, k, v = (
            tokens @ part[f"W_{role}"] + part[f"b_{role}"]
            for tokens, role in ((x, "query"), (context, "key"), (context, "value"))
        )
        heads = []
        for own, other, carried in zip(*(np.split(tokens, num_heads, axis=1) for tokens in (q, k, v)), strict=True):
            scores = np.where(allowed, own @ other.T / math.sqrt(own.shape[1]), -np.inf)
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(powers / powers.sum(axis=1, keepdims=True) @ carried)
        return np.hstack(heads) @ part["W_output"] + part["b_output"]

    def norm(x, part):
        return normed(x) * part["gain"] + part["bias"]

    p, n = parameters, len(x)
    x = norm(x + attend(x, x, p["self_attention"], np.tri(n, dtype=bool)), p["self_attention_norm"])
    x = norm(x + attend(x, memory, p["cross_attention"], np.ones((n, len(memory)), bool)), p["cross_attention_norm"])
    ff = p["feed_forward"]
    thought = np.maximum(x @ ff["W_in"] + ff["b_in"], 0) @ ff["W_out"] + ff["b_out"]
    return norm(x + thought, p["feed_forward_norm"])


def in_single_precision(x, memory, parameters, num_heads):
    return step_by_step(x, memory, parameters, num_heads).astype(np.float32)


def changes_x(x, memory, parameters, num_heads):
    x[...] = step_by_step(x, memory, parameters, num_heads)
    return x


def with_loop_over_names(x, memory, parameters, num_heads):
    steps = {
        "self_attention": lambda x, p: (
            multi_head_attention(x, **p, num_heads=num_heads, mask=causal_mask(len(x))).output
        ),
        "cross_attention": lambda x, p: multi_head_attention(x, **p, num_heads=num_heads, context=memory).output,
        "feed_forward": lambda x, p: feed_forward(x, **p),
    }
    for name, step in steps.items():
        x = layer_norm(x + step(x, parameters[name]), **parameters[f"{name}_norm"])
    return x.tolist()


ORDER = ("self_attention", "cross_attention", "feed_forward")


def wrong(
    order=ORDER, masked=True, turned=False, context=True, residual=ORDER, norms=ORDER, pre=False, own_norm=True,
    gains=True, heads=None, attention_of=None,
):  # fmt: skip
    """A decoder layer with one thing wrong, apart from the one of the checker."""

    def answer(x, memory, parameters, num_heads):
        for name in order:
            norm = parameters[f"{name if own_norm else 'self_attention'}_norm"] if gains else {}
            asks = layer_norm(x, **norm) if pre else x
            if name == "feed_forward":
                change = feed_forward(asks, **parameters[name])
            else:
                how = {"num_heads": heads or num_heads}
                if name == "cross_attention":
                    how["context"] = memory if context else asks
                elif masked:
                    how["mask"] = causal_mask(len(x)).T if turned else causal_mask(len(x))
                change = multi_head_attention(asks, **parameters[attention_of or name], **how).output
            x = x + change if name in residual else change
            x = layer_norm(x, **norm) if name in norms and not pre else x
        return x

    return answer


def without(name):
    return tuple(each for each in ORDER if each != name)


def slipped(norms=(0, 1, 2), cross_adds=0, thought_adds=0):
    """Step by step, with norms taken from other steps, and with steps that add an earlier x: so many steps earlier."""

    def answer(x, memory, parameters, num_heads):
        p, seen = parameters, [x]
        close = [p[f"{ORDER[k]}_norm"] for k in norms]
        looked = multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=causal_mask(len(x))).output
        seen.append(layer_norm(x + looked, **close[0]))
        heard = multi_head_attention(seen[1], **p["cross_attention"], num_heads=num_heads, context=memory).output
        seen.append(layer_norm(seen[1 - cross_adds] + heard, **close[1]))
        return layer_norm(seen[2 - thought_adds] + feed_forward(seen[2], **p["feed_forward"]), **close[2])

    return answer


def forgets_output(x, memory, parameters, num_heads):
    return x + multi_head_attention(x, **parameters["self_attention"], num_heads=num_heads)


def misspells(x, memory, parameters, num_heads):
    return multi_head_attention(x, **parameters["attention"], num_heads=num_heads).output


def asks_from_memory(x, memory, parameters, num_heads):
    return multi_head_attention(memory, **parameters["cross_attention"], num_heads=num_heads, context=x).output


RIGHT = {
    "layer_norm": {
        "vectorised": normed,
        "loops that return nested lists": by_loops,
        "axes moved": by_moving_axes,
        "float32": lambda x: normed(x.astype(np.float32)),
        "std plus epsilon": lambda x: centred(x) / (x.std(axis=-1, keepdims=True) + 1e-6),
        "smaller epsilon": lambda x: normed(x, epsilon=1e-8),
    },
    "decoder_layer": {
        "step by step": step_by_step,
        "by hand": by_hand,
        "float32": in_single_precision,
        "loop that returns lists": with_loop_over_names,
    },
}
WRONG = {
    "layer_norm": {
        "mean of squares minus square of the mean": (
            lambda x: centred(x) / np.sqrt((x**2).mean(-1, keepdims=True) - x.mean(-1, keepdims=True) ** 2 + 1e-5),
            r"difference of two large squares",
        ),
        "in place, then returned": (in_place, r"The numbers are right, but x is overwritten"),
        "no epsilon": (lambda x: normed(x, epsilon=0), r"0/0: add ε"),
        "n - 1": (lambda x: normed(x, ddof=1), r"divided by n − 1"),
        "n - 1 without epsilon": (lambda x: normed(x, ddof=1, epsilon=0), r"divided by n − 1"),
        "columns": (lambda x: normed(x, axis=0), r"down the columns"),
        "everything": (
            lambda x: (x - x.mean()) / np.sqrt(x.var() + 1e-5),
            r"takes all numbers at once: it must be axis=-1, with keepdims=True",
        ),
        "axis 1": (lambda x: normed(x, axis=min(x.ndim - 1, 1)), r"axis 1.*axis=-1"),
        "axis 1 of a vector": (lambda x: normed(x, axis=1), r"is right without axis=1"),
        "no keepdims": (lambda x: (x - x.mean(-1)) / np.sqrt(x.var(-1) + 1e-5), r"keepdims=True"),
        "not divided": (centred, r"nothing divided"),
        "not centred": (lambda x: x / np.sqrt(x.var(-1, keepdims=True) + 1e-5), r"mean was not subtracted"),
        "RMS norm": (lambda x: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5), r"RMS norm"),
        "divided by the variance": (lambda x: centred(x) / (x.var(-1, keepdims=True) + 1e-5), r"square root"),
        "multiplied": (lambda x: centred(x) * np.sqrt(x.var(-1, keepdims=True) + 1e-5), r"it must be /, not \*"),
        "unit length": (
            lambda x: centred(x) / (np.linalg.norm(centred(x), axis=-1, keepdims=True) + 1e-5),
            r"length of the vector",
        ),
        "mean distance": (
            lambda x: centred(x) / (np.abs(centred(x)).mean(-1, keepdims=True) + 1e-5),
            r"mean distance",
        ),
        "large epsilon": (lambda x: normed(x, epsilon=1.0), r"here it is 1\."),
        "median": (
            lambda x: (
                (x - np.median(x, -1, keepdims=True))
                / np.sqrt(((x - np.median(x, -1, keepdims=True)) ** 2).mean(-1, keepdims=True) + 1e-5)
            ),
            r"mean must be 0|median",
        ),
        "min-max": (
            lambda x: (x - x.min(-1, keepdims=True)) / (np.ptp(x, -1, keepdims=True) + 1e-5),
            r"min-max",
        ),
        "shifted": (lambda x: normed(x) + 1, r"the last part, \+.*, is too much"),
        "twice as wide": (lambda x: 2 * normed(x), r"is too much\. With that mended"),
        "flat": (lambda x: normed(x).ravel(), r": \.ravel is one step too many"),
        "input": (lambda x: x, r"mean must be 0, yours is"),
    },
    "decoder_layer": {
        "writes into x": (changes_x, r"The numbers are right, but x is overwritten"),
        "sees the future": (wrong(masked=False), r"sees the future: give it mask"),
        "mask turned": (wrong(turned=True), r"wrong way round"),
        "no memory": (wrong(context=False), r"context=memory"),
        "an encoder layer": (wrong(order=("self_attention", "feed_forward")), r"encoder layer"),
        "no feed-forward": (wrong(order=ORDER[:2]), r"feed-forward step is missing"),
        "no self-attention": (wrong(order=ORDER[1:]), r"self-attention is missing"),
        "cross first": (wrong(order=(ORDER[1], ORDER[0], ORDER[2])), r"stands before self-attention"),
        "feed-forward too early": (wrong(order=(ORDER[0], ORDER[2], ORDER[1])), r"it comes last"),
        "no residual": (wrong(residual=()), r"No step adds its input"),
        "no residual around self-attention": (wrong(residual=without(ORDER[0])), r"self-attention does not add"),
        "no residual around cross-attention": (wrong(residual=without(ORDER[1])), r"cross-attention does not add"),
        "no residual around feed-forward": (wrong(residual=without(ORDER[2])), r"feed-forward step does not add"),
        "no norm": (wrong(norms=()), r"three layer norms are missing"),
        "no last norm": (wrong(norms=ORDER[:2]), r"after the feed-forward step is missing"),
        "pre-norm": (wrong(pre=True), r"This is pre-norm"),
        "one norm for all": (wrong(own_norm=False), r"One norm serves all"),
        "self_attention_norm after cross-attention": (
            slipped(norms=(0, 0, 2)),
            r"cross-attention is closed by self_attention_norm.*cross_attention_norm\.",
        ),
        "feed_forward_norm after cross-attention": (
            slipped(norms=(0, 2, 2)),
            r"cross-attention is closed by feed_forward_norm.*cross_attention_norm\.",
        ),
        "cross_attention_norm after feed-forward": (
            slipped(norms=(0, 1, 1)),
            r"feed-forward step is closed by cross_attention_norm.*feed_forward_norm\.",
        ),
        "norms exchanged": (slipped(norms=(0, 2, 1)), r"are exchanged"),
        "both attentions add the first x": (
            slipped(cross_adds=1),
            r"cross-attention adds the x from the very beginning",
        ),
        "feed-forward adds the first x": (
            slipped(thought_adds=2),
            r"feed-forward step adds the x from the very beginning",
        ),
        "every step adds the first x": (slipped(cross_adds=1, thought_adds=2), r"Every step adds the x"),
        "no gains": (wrong(gains=False), r"no gain and bias"),
        "one head": (wrong(heads=1), r"one head"),
        "matrices of the self-attention": (wrong(attention_of="self_attention"), r"it has its own"),
        "output forgotten": (forgets_output, r"take \.output"),
        "wrong key": (misspells, r"KeyError.*parameters holds self_attention"),
        "memory asks": (asks_from_memory, r"must have shape \(3, 4\), got \(4, 4\)"),
        "input": (lambda x, m, p, h: x, r"That is the input"),
        "transposed": (lambda x, m, p, h: step_by_step(x, m, p, h).T, r"must not be transposed here"),
    },
}
