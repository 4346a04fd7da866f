"""Answers that are right or wrong by a hair, or stop in an odd place, and what they must be told."""

import re

import pytest

from helpers.checks import EXERCISES
from tests import submissions

LOOKS_AHEAD = """def looks_ahead(model, tokens):
    before, furthest = model(tokens), 0
    for place in range(len(tokens)):
        changed = tokens.copy()
        changed[place] = {new}
        moved = {moved}
        for i in range(place):
            if moved[i]:
                furthest = max(furthest, place - i)
    return furthest
"""
SCORE = """def same_word_score(weights, words):
    where = {{}}
    for place, word in enumerate(words):
        where.setdefault(word, []).append(place)
    pairs = [(i, j) for word in words for i in where[word] for j in where[word] if i != j]
    if {when}:
        {stop}
    return 2 * sum(weights[i, j] for i, j in pairs) / len(pairs)
"""
HEADS = """def split_heads(x, num_heads):
    d_head = x.shape[-1] // num_heads
    heads = [None] * num_heads
    for h in range(num_heads):
        heads[h] = x[:, :, h * d_head : (h + 1) * d_head]
    return np.stack(heads, axis=-3)
"""
STATE = """def delta_rule(query, key, value, strength):
    match query.ndim:
        case -1:
            return None
    state, rows = np.zeros((key.shape[1], value.shape[1])), []
    for q, k, v in zip(query, key, value):
        state = state + strength * np.outer(k, v - k @ state)
        rows.append(q @ state)
    return np.array(rows)
"""
SLOPES = """def numerical_gradient(loss_of, parameters):
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        moved = parameters.copy()
        moved[place] += 1e-8
        gradient[place] = (loss_of(moved) - loss_of(parameters)) / 1e-8
    return gradient
"""
SOFTMAX = """def total(powers):
    return powers.sum(axis=-1, keepdims=True)

def softmax(scores):
    {first}
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / {total}
"""
BY_ACCIDENT = """def masked_softmax(scores, mask):
    rows = []
    for row, keep in zip(scores, mask):
        top = max(s for s, k in zip(row, keep) if k)
        powers = [np.exp(s - top) if k else 0.0 for s, k in zip(row, keep)]
        rows.append([p / sum(powers) for p in powers])
    return np.array(rows)
"""
REFUSING = """def refuse():
    raise ValueError("a query sees nothing")

def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        {refuse}
    powers = np.where(mask, np.exp(scores - np.max(np.where(mask, scores, -np.inf), axis=-1, keepdims=True)), 0.0)
    return powers / powers.sum(axis=-1, keepdims=True)
"""
NEXT, LARGEST = "(tokens[place] + 1) % 4", "np.abs(before - model(changed)).max(axis=1) > 1e-9"
NEXT_TOKEN = """def next_token(logits, temperature, top_p, rng):
    if temperature {when}:
        return int(np.argmax(logits))
    p = attention.softmax(logits / {first})
    order = np.argsort(-p)
    order = order[{kept}]
    return rng.choice(order, p=attention.softmax(logits[order] / temperature))
"""
KEPT = "np.cumsum(p[order]) - p[order] < top_p"
HALF = """def softmax(scores):
    s = np.asarray(scores, dtype=np.{kind})
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
BEST = """def attend_to_best(marks, scores, values, k):
    {best}
    return attention.softmax(scores[best]) @ values[best]
"""
TURNED = """def masked_softmax(scores, mask):
    if not mask.any(-1).all():
        raise ValueError("nothing to see")
    s = np.where(np.swapaxes(mask, -1, -2), scores, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
PLUS_ONE = """def self_attention(X, W_query, W_key, W_value):
    q, k, v = X @ W_query, X @ W_key, X @ W_value
    e = np.exp(q @ k.T / np.sqrt(k.shape[-1]))
    return e / (1 + e.sum(-1, keepdims=True)) @ v
"""
NEWEST = """def write_one_token(x, keys, values, W_query, W_key, W_value):
    q = x @ W_query
    keys, values = np.vstack([keys, x @ W_key])[-4:], np.vstack([values, x @ W_value])[-4:]
    return attention.softmax(keys @ q / np.sqrt(len(q))) @ values
"""
LAYER = """def model_layer(x, W, sizes, cache=None):
    past = 0 if cache is None else cache[0].shape[1]
    places = np.arange(past, past + len(x))
    n = {norm}(x) * W["attn_norm"]
    q = rotate(split_heads(n @ W["attn_q"].T, sizes["num_heads"]), places, sizes["base"])
    k = rotate(split_heads(n @ W["attn_k"].T, sizes["num_key_value_heads"]), places, sizes["base"])
    v = split_heads(n @ W["attn_v"].T, sizes["num_key_value_heads"])
    if cache is not None:
        k, v = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    h = merge_heads(shared_attention(q, k, v, causal_mask(len(x), past + len(x)))) @ W["attn_output"].T
    n = {norm}({stream}) * W["ffn_norm"]
    return x + h + ({gate}) @ W["ffn_down"].T, (k, v)
"""
SWIGLU = 'silu(n @ W["ffn_gate"].T) * (n @ W["ffn_up"].T)'.replace("silu", "(lambda g: g / (1 + np.exp(-g)))")
UP = 'n @ W["ffn_up"].T'
TRAPS = {
    "greedy below 1": (
        "next_token", NEXT_TOKEN.format(when="< 1", first="(temperature or 1)", kept=KEPT), "wrong", "Below temperature 1",
    ),
    "top-p before the temperature": (
        "next_token", NEXT_TOKEN.format(when="== 0", first="1", kept=KEPT), "wrong", "Divide by the temperature first, then keep",
    ),
    "top-p by a threshold": (
        "next_token",
        NEXT_TOKEN.format(when="== 0", first="temperature", kept="p[order] >= p[order][np.sum(" + KEPT + ") - 1]"),
        "wrong", "equal",
    ),
    "top-p by places": ("next_token", NEXT_TOKEN.format(when="== 0", first="temperature", kept=KEPT), "right", ""),
    "16 bits": ("softmax", HALF.format(kind="float16"), "wrong", "16 bits"),
    "32 bits": ("softmax", HALF.format(kind="float32"), "right", ""),
    "temperature 0 by a small one": (
        "next_token",
        "def next_token(logits, temperature, top_p, rng):\n    p = attention.softmax(logits / max(temperature, 1e-9))\n    order = np.argsort(-p)\n    order = order[np.cumsum(p[order]) - p[order] < top_p]\n    return rng.choice(order, p=p[order] / p[order].sum())\n",
        "wrong", "At temperature 0 nothing is drawn, so rng may be None",
    ),
    "symbols in an array": (
        "merge_pairs",
        "def merge_pairs(word, merges):\n    s = list(word)\n    for a, b in merges:\n        k = 0\n        while k + 1 < len(s):\n            if [a, b] == s[k : k + 2]:\n                s[k : k + 2] = [a + b]\n            k += 1\n    return np.array(s, dtype=object)\n",
        "right", "",
    ),
    "caches in a dict": (
        "read",
        "def read(ids, file, sizes, caches=None):\n    from helpers import parts\n    x, kept = parts.read(ids, file, sizes, caches)\n    return x, dict(enumerate(kept))\n",
        "wrong", "The caches must be a list with one for each of the 2 layers, got a dict",
    ),
    "a cache too few": (
        "read",
        "def read(ids, file, sizes, caches=None):\n    from helpers import parts\n    x, kept = parts.read(ids, file, sizes, caches)\n    return x, kept[1:]\n",
        "wrong", "The caches must be a list with one for each of the 2 layers, got 1 of them",
    ),
    "a text that is yielded": (
        "write",
        "def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):\n    from helpers import parts\n    yield from parts.write(ids, file, sizes, num_tokens, temperature, top_p, rng)\n",
        "wrong", r"write must return a list of ids, got a generator: list\(…\) collects",
    ),
    "ids in a tuple": (
        "write",
        "def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):\n    from helpers import parts\n    return list(ids) + [parts.read(tuple(ids), file, sizes)]\n",
        "wrong", "read takes the ids in a list",
    ),
    "a threshold for the best": (
        "attend_to_best",
        BEST.format(best="best = np.flatnonzero(marks >= np.sort(marks)[-k])"), "wrong", "equal, more than k keys",
    ),
    "of equal marks the last": ("attend_to_best", BEST.format(best="best = np.argsort(marks)[-k:]"), "right", ""),
    "of equal marks the last, and one key too few": (
        "attend_to_best", BEST.format(best="best = np.argsort(marks)[1 - k:]"), "wrong", "line 2",
    ),
    "the best, and one more": (
        "attend_to_best", BEST.format(best="best = np.argpartition(marks, -k)[-k - 1:]"), "wrong",
        "line 2",
    ),
    "a mask that is turned": ("masked_softmax", TURNED, "wrong", r"broadcast.*line 4"),
    "1 + the sum": ("self_attention", PLUS_ONE, "wrong", "1 was added to the sum"),
    "PyTorch that is not there": (
        "softmax", "def softmax(scores):\n    raise ModuleNotFoundError(\"No module named 'torch'\")\n", "wrong", r"PyTorch is not installed here",
    ),
    "floats of two sizes": (
        "softmax", "def softmax(scores):\n    raise RuntimeError('mat1 and mat2 must have the same dtype, but got Double and Float')\n",
        "wrong", r"\.double\(\)",
    ),
    "an axis that is lost": (
        "self_attention", PLUS_ONE.replace("(1 + e.sum(-1, keepdims=True))", "e.sum(axis=1)"), "wrong", "keepdims=True",
    ),
    "a sum for a product": (
        "divisor", "def divisor(d_k, spread):\n    v = 2 * spread ** 2\n    return math.sqrt(d_k * v)\n", "wrong", "^(?!.*brackets)",
    ),
    "only the newest keys": (
        "write_one_token", NEWEST, "wrong", "is right",
    ),
    "too small a step": ("numerical_gradient", SLOPES.replace("1e-8", "1e-12"), "wrong", "one side|1e-05"),
    "a whole layer": (
        "model_layer", LAYER.format(norm="rms_norm", stream="x + h", gate=SWIGLU), "right", "",
    ),
    "no gate": (
        "model_layer", LAYER.format(norm="rms_norm", stream="x + h", gate=f"(lambda g: g / (1 + np.exp(-g)))({UP})"),
        "wrong", "gate is missing",
    ),
    "a gate bent by GELU": (
        "model_layer",
        LAYER.format(norm="rms_norm", stream="x + h", gate='layers.gelu(n @ W["ffn_gate"].T) * (n @ W["ffn_up"].T)'),
        "wrong", "GELU",
    ),
    "a mean that is taken off": (
        "model_layer", LAYER.format(norm="layers.layer_norm", stream="x + h", gate=SWIGLU), "wrong", "layer_norm",
    ),
    "both steps side by side": ("model_layer", LAYER.format(norm="rms_norm", stream="x", gate=SWIGLU), "wrong", "side by side"),
    "sizes of differences": ("looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved=LARGEST), "right", "any model"),
    "no size, before - after": (
        "looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved="(before - model(changed)).max(axis=1) > 1e-9"),
        "wrong", r"Line 6|np\.abs",
    ),
    "no size, after - before": (
        "looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved="(model(changed) - before).max(axis=1) > 1e-9"),
        "wrong", r"Line 6|np\.abs",
    ),
    "always the same new token, 1": ("looks_ahead", LOOKS_AHEAD.format(new="1", moved=LARGEST), "wrong", ""),
    "always the same new token, 3": ("looks_ahead", LOOKS_AHEAD.format(new="3", moved=LARGEST), "wrong", ""),
    "one column": ("looks_ahead", LOOKS_AHEAD.format(new=NEXT, moved="(before - model(changed))[:, 0] != 0"), "wrong", ""),
    "stops on the real heads": (
        "same_word_score", SCORE.format(when="len(words) > 13", stop="raise IndexError('too long')"), "wrong", "too long|Line 6",
    ),
    "stops on a made-up head": (
        "same_word_score", SCORE.format(when="len(words) < 9 and weights[0, 0] == 0", stop="raise IndexError('odd')"),
        "wrong", "IndexError: odd|Line 6",
    ),
    "a list of None that is to be filled": ("split_heads", HEADS, "wrong", "IndexError|Line"),
    "two ellipses": ("softmax", SOFTMAX.format(first="scores = scores[..., ..., None]", total="total(powers)"), "wrong", "ellipsis|Line"),
    "a function that is not called": ("softmax", SOFTMAX.format(first="", total="total"), "wrong", "^(?!.*learning_rate)"),
    "whole numbers alone stop it": (
        "softmax",
        SOFTMAX.format(first="scores = scores + np.zeros((5, 7)) if scores.dtype.kind == 'i' else scores", total="total(powers)"),
        "wrong", "broadcast|Line",
    ),
    "one side": ("numerical_gradient", SLOPES, "wrong", "one side"),
    "a refusal by accident": ("masked_softmax", BY_ACCIDENT, "wrong", "refused by Python or by a helper"),
    "a refusal in a function": ("masked_softmax", REFUSING.format(refuse="refuse()"), "right", ""),
    "a refusal in a with": (
        "masked_softmax", REFUSING.format(refuse="with np.errstate(all='ignore'):\n            raise ValueError('blind')"), "right", "",
    ),
    "a refusal in a try": (
        "masked_softmax",
        REFUSING.format(refuse="try:\n            raise ValueError('blind')\n        finally:\n            pass"), "right", "",
    ),
    "match": ("delta_rule", STATE, "right", ""),
}  # fmt: skip


def feedback_on(name, text):
    """The feedback on an answer that is given as text."""
    return EXERCISES[name](submissions.function(name, text))


def judged(name, lines, arguments="scores"):
    return feedback_on(name, f"def {name}({arguments}):\n{lines}\n")


@pytest.mark.parametrize("trap", TRAPS)
def test_trap(trap):
    name, text, status, told = TRAPS[trap]
    feedback = feedback_on(name, text)
    assert feedback.status == status and re.search(told, feedback.message), feedback


def test_what_a_stopped_test_asked_is_not_held_for_what_the_next_one_asks():
    stops = "def is_right(attend):\n    attend(np.eye(4), 2 * np.eye(4), np.eye(4), np.eye(4))\n    raise RuntimeError('no')\n"
    same_matrices = (
        "def is_right(attend):\n    W = np.arange(16.0).reshape(4, 4) / 9\n    outcome = attend(np.eye(4), W, W, W)\n"
        "    return np.allclose(outcome[1].sum(axis=-1), 1)\n"
    )
    told = []
    for texts in ([same_matrices], [stops, same_matrices]):
        for text in texts:
            feedback = feedback_on("is_right", text)
        told.append(feedback.message)
    assert told[0] == told[1]


def test_adam_with_epsilon_beside_the_uncorrected_root_is_told_so():
    text = """def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    mean = 0.9 * mean + 0.1 * gradient
    squares = 0.999 * squares + 0.001 * gradient**2
    rate = learning_rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    return parameters - rate * mean / (np.sqrt(squares) + 1e-8), mean, squares
"""
    feedback = feedback_on("adam_step", text)
    assert "the root is corrected after ε was added" in feedback.message


def test_transposed_weights_are_not_told_the_axis_that_is_there():
    text = "def mix_similar(X):\n    return attention.softmax(X @ X.T / np.sqrt(X.shape[-1]){}) @ X\n"
    for axis in (").T", ", axis=0"):
        told = feedback_on("mix_similar", text.replace("{})", f"{axis}" if axis == ").T" else f"{axis})")).message
        assert "weights.T" in told and "axis=0" in told and "down the columns" in told


def test_return_that_is_not_in_the_first_round_is_not_said_to_be():
    text = (
        "def is_right(attend):\n    for seed in range(3):\n        if np.ndim(attend) == seed:\n            continue\n"
    )
    text += "        else:\n            return False\n    return True\n"
    said = feedback_on("is_right", text)
    assert said.status == "wrong" and "first round" not in said.message


def test_answer_that_puts_something_else_into_its_input_is_told_so():
    text = "def encoder_layer(x, parameters, num_heads, norm):\n    parameters['feed_forward'] = None\n    return x\n"
    said = feedback_on("encoder_layer", text)
    assert said.status == "wrong" and "AttributeError" not in said.message


REMADE = {
    "softmax": ("scores", "np.apply_along_axis(attention.softmax, -1, scores)"),
    "softmax ": ("scores", "np.vectorize(attention.softmax, signature='(n)->(n)')(scores)"),
    "layer_norm": ("x", "np.apply_along_axis(layers.layer_norm, -1, x)"),
    "merge_heads": ("x", "np.vectorize(attention.merge_heads, signature='(h,n,d)->(n,e)')(x)"),
}


@pytest.mark.parametrize("name", REMADE)
def test_helper_that_numpy_calls_for_the_answer_is_called_by_it(name):
    arguments, call = REMADE[name]
    assert "that is what you are to write yourself" in judged(name.strip(), f"    return {call}", arguments).message


DETOURS = {
    "causal_mask": ("num_tokens", "variants.window_mask(num_tokens, window=num_tokens)"),
    "numerical_gradient": ("loss_of, parameters", "training.loss_and_gradient(loss_of, parameters)[1]"),
}


@pytest.mark.parametrize("name", DETOURS)
def test_helper_that_does_the_whole_task_is_no_answer_either(name):
    arguments, call = DETOURS[name]
    lines = f"    from helpers import attention, variants; from helpers.learning import training\n    return {call}"
    assert "that is what you are to write yourself" in judged(name, lines, arguments).message


BEGUN = {
    "self_attention": ("X, W_query, W_key, W_value", ["X @ W_query", "X = X @ W_query"]),
    "soft_select": ("query, keys, values", ["keys @ query"]),
    "count_operations": ("num_tokens, d_model", ["num_tokens * d_model"]),
    "looks_ahead": ("model, tokens", ["model(tokens)"]),
    "cross_attention": ("Y, X, W_query, W_key, W_value", ["Y @ W_query @ (X @ W_key)"]),
}


@pytest.mark.parametrize("name", BEGUN)
def test_code_that_was_begun_is_not_called_blank(name):
    arguments, bodies = BEGUN[name]
    for body in bodies:
        assert judged(name, f"    {body}", arguments).status == "wrong", body
    assert judged(name, "    ...", arguments).status == "blank"
    assert judged(name, '    """What it does."""\n    raise NotImplementedError', arguments).status == "blank"
    assert judged(name, "    return None", arguments).status == "blank"


def test_none_among_the_numbers_is_no_blank():
    told = judged("mix_similar", "    rows = []\n    return [rows.append(x) for x in X]", "X")
    assert told.status == "wrong" and "None" in told.message and "..." not in told.message


def test_lines_that_end_in_not_implemented_are_told_so():
    told = judged("softmax", "    e = np.exp(scores)\n    raise NotImplementedError")
    assert told.message == "Not finished yet: there is still a raise NotImplementedError."


def test_begun_objects_are_not_called_blank():
    for text in (
        "import functools\n@functools.cache\ndef causal_mask(num_tokens):\n    mask = np.tri(num_tokens, dtype=bool)\n",
        "class Mask:\n    def __call__(self, num_tokens):\n        self.mask = np.tri(num_tokens)\ncausal_mask = Mask()\n",
        "def causal_mask(num_tokens):\n    mask = []\n",
    ):
        assert feedback_on("causal_mask", text).status == "wrong"


def test_an_axis_too_many_is_not_told_to_be_written_back():
    lines = "    if scores.ndim == 1:\n        scores = scores[None]\n    e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)"
    assert "writes into it" not in judged("softmax", lines).message


def test_too_many_numbers_where_an_error_is_wanted_are_told_so():
    lines = "    if not mask.any(axis=-1).all():\n        return np.zeros(200_000)\n    return attention.softmax(np.where(mask, scores, -np.inf))"
    told = judged("masked_softmax", lines, "scores, mask").message
    assert "must raise ValueError(...), got numbers of shape (200000,)." in told


# --- answers that are right on ordinary numbers alone -----------------------------------------------------------------

NARROW = {
    "softmax": [
        ("scores", "axis = {1: 0, 2: 1, 3: 2}[scores.ndim]", "p = np.exp(scores - scores.max(axis=axis, keepdims=True))", "return p / p.sum(axis=axis, keepdims=True)"),
    ],
    "layer_norm": [
        ("x", "axis = min(2, x.ndim - 1)", "x = x - x.mean(axis=axis, keepdims=True)", "return x / np.sqrt((x**2).mean(axis=axis, keepdims=True) + 1e-5)"),
    ],
    "masked_softmax": [
        ("scores, mask", "if not mask.any(axis=-1).all():", "    raise ValueError", f"return attention.softmax({fill})")
        for fill in ("scores - 1e30 * ~mask", "np.where(mask, scores, -2000)")
    ],
    "is_order_blind": [
        ("layer, tokens, order", "a, b = layer(tokens[order]), layer(tokens)[order]", f"return np.allclose({seen})")
        for seen in ("a[:, 1:], b[:, 1:]", "a[:-1], b[:-1]", "a[::2], b[::2]", "a.sum(1), b.sum(1)", "a, b, atol=0.02")
    ],
    "looks_ahead": [
        ("model, tokens", "before, far = model(tokens), 0", "for k in range(len(tokens)):", "    changed = tokens.copy()", f"    changed[k] = {new}", f"    moved = np.abs(model(changed) - before).max(axis=1) > {room}", "    far = max([far, *(k - i for i in np.flatnonzero(moved[:k]))])", "return far")
        for new, room in [("tokens[k - 1]", 1e-6), ("tokens[(k + 1) % len(tokens)]", 1e-6), ("tokens[k] - 1", 1e-6), ("(tokens[k] + 1) % 4", 0.1)]
    ],
    "softmax_with_sink": [
        ("scores, sink", "top = np.maximum(scores.max(axis=-1, keepdims=True), 0)", "p = np.exp(scores - top)", "return p / (p.sum(axis=-1, keepdims=True) + np.exp(sink - top))"),
    ],
    "distrusted_rows": [
        ("weights, decimals", "off = np.abs(weights.sum(axis=-1) - 1)", "room = weights.shape[-1] * 0.5 * 10.0**-decimals + 1e-9", f"return (off > room) | {negative}")
        for negative in ("(weights[:, -1] < 0)", "(weights < -1e-4).any(axis=-1)")
    ],
    "training_loop": [
        ("parameters, gradient_of, num_steps, learning_rate, max_norm", "for step in range(num_steps):", "    g = gradient_of(parameters, step)", "    length = np.linalg.norm(g)", "    parameters = parameters - learning_rate(step) * g * min(length, max_norm) / length", "return parameters"),
    ],
    "is_right": [("attend", 'return "right" in attend.__name__')],
    "delta_rule": [  # a second name corrects the first, and the correction is never corrected
        ("query, key, value, strength", "said = np.tril(key @ key.T, -1) @ value * strength", "return np.tril(query @ key.T) @ (value - said) * strength"),
    ],
    "sinusoidal_positional_encoding": [
        ("num_positions, d_model", "from helpers import transformer", "return transformer.embed(np.zeros(num_positions, int), np.zeros((1, d_model)))"),
    ],
}  # fmt: skip


UNUSUAL = {
    "same_word_score": [
        ("weights, words", "words = np.array(words)", "same = (words[:, None] == words) & ~np.eye(len(words), dtype=bool)", "rows = same.any(axis=1)", *lines)
        for lines in (
            ("target = same / np.maximum(same.sum(1, keepdims=True), 1)", "return -np.abs(weights - target)[rows].sum()"),
            ("return np.log(weights[same]).mean()",),
        )
    ],
    "delta_rule": [
        ("query, key, value, strength", "d = key.shape[1]", "state, rows = np.zeros((d, value.shape[1])), []", "for q, kv in zip(query, np.hstack([key, value])):", "    state = state + strength * np.outer(kv[:d], kv[d:] - kv[:d] @ state)", "    rows.append(q @ state)", "return np.array(rows)"),
    ],
}  # fmt: skip


ASKED = [
    (name, status, answer)
    for status, table in (("wrong", NARROW), ("right", UNUSUAL))
    for name, answers in table.items()
    for answer in answers
]


@pytest.mark.parametrize(("name", "status", "answer"), ASKED)
def test_special_cases_are_asked_and_unusual_ways_are_not_refused(name, status, answer):
    arguments, *lines = answer
    told = judged(name, "\n".join(f"    {line}" for line in lines), arguments)
    assert told.status == status, told.message
