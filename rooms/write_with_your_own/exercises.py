"""Exercises on what a model still needs before it writes: its feed-forward network, a layer, a file that is read, a text that is written."""

import numpy as np

from helpers import parts
from helpers.models.gguf_file import LAYER
from helpers.since_2017 import experts
from rooms.shared import edits
from rooms.shared.small_files import small_file
from workbench import Stop
from workbench.judging.exercise import same

# --- the gated network -----------------------------------------------------------------------------------------------


def _network(seed, num_tokens, d_model, d_ff, size=1):
    rng = np.random.default_rng(seed)
    shapes = (num_tokens, d_model), (d_model, d_ff), (d_model, d_ff), (d_ff, d_model)
    x, *W = (rng.integers(-4, 5, size=shape) / 2 for shape in shapes)
    return size * x, *W


def _hint_for_network(error, x, *W):
    if isinstance(error, ValueError) and any(word in str(error) for word in ("matmul", "shape", "broadcast")):
        return "Tokens are rows: x @ W_gate and x @ W_up have the same shape, and W_down leads back."
    return None


SWIGLU = edits.exercise(
    edits.part("swiglu"),
    remakes=(experts.swiglu, experts.silu),
    cases=[
        _network(0, 2, 2, 2),
        _network(1, 3, 2, 5),
        _network(2, 1, 4, 3),
        _network(3, 4, 3, 3),
        _network(4, 2, 3, 4, size=1000),
        _network(5, 3, 5, 2),
    ],
    mistakes="""
x @ W_gate => x @ other ;; x @ W_up => x @ W_gate ;; x @ other => x @ W_up | Gate and up are exchanged: silu bends x @ W_gate, and x @ W_up stays as it is.
gate * (1 + np.tanh(gate / 2)) / 2 => gate * (gate > 0) | The gate is bent by relu; silu(x) is x times σ(x).
gate * (1 + np.tanh(gate / 2)) / 2 => gate | The gate is not bent: silu(x @ W_gate), then times x @ W_up.
gate * (1 + np.tanh(gate / 2)) / 2 => (1 + np.tanh(gate / 2)) / 2 | The gate goes through σ alone; silu(x) is x times σ(x).
gate * (1 + np.tanh(gate / 2)) / 2 => gate * np.exp(gate) / (1 + np.exp(gate)) | A gate of 1000 overflows: e^1000 / e^1000 is NaN. Write σ(x) as 1 / (1 + e^−x).
np.tanh(gate / 2) => np.tanh(gate) | σ(x) is (1 + tanh(x / 2)) / 2; the 2 under x is missing.
np.tanh(gate / 2)) / 2 => np.tanh(gate / 2)) | σ(x) is (1 + tanh(x / 2)) / 2; the last division is missing.
np.tanh(gate / 2) => np.tanh(0.7978845608 * (gate + 0.044715 * gate**3)) | That is GELU; silu(x) is x times σ(x).
np.tanh(gate / 2) => np.tanh(-gate / 2) | The sign is turned: σ(x) is 1 / (1 + e^−x), and it opens for large x.
gate * (x @ W_up) => gate + (x @ W_up) | Gate and up are added; multiply them, number by number.
gate * (x @ W_up) => gate | The other branch is missing: the gate is multiplied by x @ W_up.
(x @ W_up) => gate | The gate was multiplied by itself; the other branch is x @ W_up.
(x @ W_up) => (x @ W_gate) |
=> (x @ W_up) @ W_down | The gate is missing: silu(x @ W_gate), times x @ W_up.
=> gate * (x @ W_up) | W_down is missing: it leads back to the width of a token.
=> x + (gate * (x @ W_up)) @ W_down | x was added. Return what the network gives; the layer adds it to its input.
""",
    praise="Right: one branch decides how much of the other passes. This is the network of Llama and of most models since.",
    hint=_hint_for_network,
)

# --- a whole layer ---------------------------------------------------------------------------------------------------


def _case(seed, num_tokens, num_heads, num_shared, d_head, d_ff, past=0, base=10_000.0):
    rng, d_model = np.random.default_rng(seed), num_heads * d_head
    shapes = {
        "attn_q": (d_model, d_model),
        "attn_k": (num_shared * d_head, d_model),
        "attn_v": (num_shared * d_head, d_model),
    }
    shapes |= {"attn_output": (d_model, d_model), "ffn_gate": (d_ff, d_model), "ffn_up": (d_ff, d_model)}
    W = {name: rng.normal(size=shape) / 2 for name, shape in (shapes | {"ffn_down": (d_model, d_ff)}).items()}
    W |= {name: 1 + 0.5 * rng.normal(size=d_model) for name in ("attn_norm", "ffn_norm")}
    sizes = {"num_heads": num_heads, "num_key_value_heads": num_shared, "base": base}
    cache = tuple(rng.normal(size=(num_shared, past, d_head)) for _ in range(2)) if past else None
    return rng.normal(size=(num_tokens, d_model)), W, sizes, cache


def _in_one(result, x, W, sizes, cache=None):
    """The new tokens, the keys and the values in one row; Stop says which of them is not there."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Stop("model_layer must return two things, the new tokens and the cache: x, (key, value).")
    if not isinstance(result[1], (tuple, list)) or len(result[1]) != 2:
        raise Stop("The cache must be a pair, all keys and all values so far: (key, value).")
    past = 0 if cache is None else cache[0].shape[1]
    heads = sizes["num_key_value_heads"], past + len(x), x.shape[1] // sizes["num_heads"]
    found = dict(zip(("The new tokens", "The keys", "The values"), map(np.asarray, (result[0], *result[1]))))
    for (name, array), shape in zip(found.items(), (x.shape, heads, heads)):
        if array.shape != shape:
            raise Stop(f"{name} must have shape {shape}, got {array.shape}.")
    return np.concatenate([array.ravel() for array in found.values()])


def _explain(got, want, x, W, sizes, cache=None):
    with_cache = "" if cache is None else " With a cache:"
    if len(x) > 1 and same(
        got[: x.size], want[: x.size], 2e-5
    ):  # a single token may ask anyhow, and is right by accident
        return f"The new tokens are right.{with_cache} What you return as the cache is not: all keys so far, turned, and all values."
    if same(got[x.size :], want[x.size :], 2e-5):
        return f"The keys and values are right.{with_cache} The new tokens are not."
    return None


def _hint(error, x, W, sizes, *cache):
    text, n = str(error), len(x)
    if f"({n},{n})" in text and cache[0]:
        return f"With a cache there are more keys than queries: the mask is ({n}, number of keys), causal_mask(num_queries, num_keys)."
    if "matmul" in text:
        return 'A row of each W is an output, so it stands on the right with .T, as in x @ W["attn_q"].T.'
    if "Attention" in text or "tuple" in text or "inhomogeneous" in text:
        return "grouped_query_attention returns output, weights and scores: take .output."
    if isinstance(error, KeyError):
        return f"W holds {', '.join(W)}; sizes holds {', '.join(sizes)}."
    if "query" in text and "key" in text:
        return "Queries have num_heads heads, keys and values num_key_value_heads: split each by its own count."
    return None


_TURNED = 'query, key = rotate(query, places, sizes["base"]), rotate(key, places, sizes["base"])'
_VALUE = 'split_heads(normed @ W["attn_v"].T, sizes["num_key_value_heads"])'
_ATTENDED = 'x = x + merge_heads(found) @ W["attn_output"].T'
MODEL_LAYER = edits.exercise(
    edits.part("model_layer", silu=experts.silu),
    use=_in_one,
    shown=lambda result: dict(zip(("tokens", "keys", "values"), map(np.asarray, (result[0], *result[1])))),
    mistakes=f"""
causal_mask(len(x), past + len(x)) => np.ones((len(x), past + len(x)), bool) | The queries see the future: give the attention a causal mask.
causal_mask(len(x), past + len(x)) => np.tri(len(x), past + len(x), dtype=bool) | With a cache the mask ends at the top left. The new tokens are the last ones: causal_mask(num_queries, num_keys).
np.arange(past, past + len(x)) => np.arange(len(x)) | With a cache the new tokens are turned as if the text began with them. Their places come after those in the cache.
{_TURNED} => pass | Queries and keys are not turned: rotate both, head by head.
rotate(query, places, sizes["base"]), => query, | Only the keys are turned; the queries must be, too, or the distance does not count.
, rotate(key, places, sizes["base"]) => , key | Only the queries are turned; the keys must be, too, or the distance does not count.
value = {_VALUE} => value = rotate({_VALUE}, places, sizes["base"]) | The values are turned, too. Only queries and keys know where they are.
, places, sizes["base"]) => , places) | The base has no say: rotate takes it as third argument, sizes["base"].
normed @ W["attn_q"].T, => rotate(normed @ W["attn_q"].T, places, sizes["base"]), ;; normed @ W["attn_k"].T, => rotate(normed @ W["attn_k"].T, places, sizes["base"]), ;; {_TURNED} => pass | Queries and keys are turned before they are split into heads; split first, then turn each head.
shared_attention(query, key, value, => shared_attention(query, *(np.tile(z, (len(query) // len(z), 1, 1)) for z in (key, value)), | Shared heads are tiled, 0 1 0 1; they must be repeated, 0 0 1 1, as shared_attention does by itself.
normed => x | The norm replaces x, so the sums start from normed tokens: keep x as it is, and give the norm's result to the step alone.
rms_norm(x) * W["attn_norm"] => x | The norm before attention is missing.
rms_norm(x) * W["ffn_norm"] => x | The norm before the feed-forward network is missing.
rms_norm(x) * W["attn_norm"] => x ;; rms_norm(x) * W["ffn_norm"] => x | Both norms are missing.
rms_norm(x) * W["attn_norm"] => rms_norm(x) ;; rms_norm(x) * W["ffn_norm"] => rms_norm(x) | The gains of the norms are missing: rms_norm(x) * W["attn_norm"], and W["ffn_norm"].
rms_norm(x) * W["attn_norm"] => rms_norm(x) | The gain of the norm before attention is missing: rms_norm(x) * W["attn_norm"].
rms_norm(x) * W["ffn_norm"] => rms_norm(x) | The gain of the norm before the feed-forward network is missing: rms_norm(x) * W["ffn_norm"].
ffn_norm => attn_norm | One gain serves both norms; the second one is W["ffn_norm"].
x = x + => x = | Attention does not add its input: x + what the heads find.
return x + => return | The feed-forward network does not add its input: x + what it gives.
x = x + => x = ;; return x + => return | No step adds its input: x + step(…), twice.
W["ffn_gate"].T, W["ffn_up"].T => W["ffn_up"].T, W["ffn_gate"].T | Gate and up are exchanged: silu bends x @ W_gate, and x @ W_up stays as it is.
swiglu(normed, W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T) => silu(normed @ W["ffn_up"].T) @ W["ffn_down"].T | The gate is missing: silu of x @ W_gate, times x @ W_up.
swiglu(normed, W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T) => silu(normed @ W["ffn_gate"].T) @ W["ffn_down"].T | The other branch is missing: silu of the gate, times x @ W_up.
swiglu(normed, W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T) => (layers.gelu(normed @ W["ffn_gate"].T) * (normed @ W["ffn_up"].T)) @ W["ffn_down"].T | The gate is bent by GELU; these models bend it by silu, x times σ(x).
rms_norm(x) => layers.layer_norm(x) | That is layer_norm, which takes the mean off. These models leave it: rms_norm.
{_ATTENDED} => before = x⏎    {_ATTENDED} ;; return x + => return before + | What attention found is lost in the end: the network adds to the x that has it.
{_ATTENDED} => before = x⏎    {_ATTENDED} ;; normed = rms_norm(x) * W["ffn_norm"] => normed = rms_norm(before) * W["ffn_norm"] | Both steps run side by side: the feed-forward network reads what attention has added to, not the input of the layer.
W["attn_q"].T => W["attn_q"] | W["attn_q"] is not transposed. Its rows are outputs, so it stands on the right with .T.
W["attn_output"].T => W["attn_output"] | W["attn_output"] is not transposed. Its rows are outputs, so it stands on the right with .T.
[cache[0], key] => [key, cache[0]] ;; [cache[1], value] => [value, cache[1]] | The new keys and values stand before those in the cache; they come after them.
found = => key = rotate(key, np.arange(past + len(x)), sizes["base"]) if past else key⏎    found = | The keys in the cache are turned already, and are turned once more: turn the new ones, then put them behind.
{_ATTENDED} => pass | Attention is missing: its result is lost.
=> x, (key, value) | The feed-forward network is missing.
{_ATTENDED} => pass ;; => x, (key, value) | That is the input: both steps are missing.
{_ATTENDED} => x = normed + merge_heads(found) @ W["attn_output"].T | The first sum starts from normed tokens: keep x as it is, and give the norm's result to attention alone.
=> normed + swiglu(normed, W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T), (key, value) | The second sum starts from normed tokens: keep x as it is, and give the norm's result to the network alone.
rms_norm(x) * W["attn_norm"] => rms_norm(x * W["attn_norm"]) ;; rms_norm(x) * W["ffn_norm"] => rms_norm(x * W["ffn_norm"]) | The gains multiply what goes into the norms; they multiply what comes out, rms_norm(x) * W["attn_norm"].
{_TURNED} => query = rotate(query, places, sizes["base"]) ;; found = => key = rotate(key, np.arange(past + len(x)), sizes["base"])⏎    found = | The keys in the cache are turned already, and are turned once more: turn the new ones, then put them behind.
""",
    remakes=(parts.model_layer,),
    cases=[
        _case(0, 3, 4, 2, 2, 6),
        _case(1, 5, 6, 2, 2, 5, base=100.0),
        _case(2, 1, 4, 2, 2, 7, past=3),
        _case(3, 2, 3, 3, 4, 5, past=4, base=100.0),
        _case(4, 1, 4, 1, 2, 8),
        _case(5, 3, 4, 1, 4, 6, past=1),
    ],
    praise="Right, with a cache and without. Thirty of these, a vocabulary below and above, and it is the model of this page.",
    explain=_explain,
    hint=_hint,
)
MODEL_LAYER = MODEL_LAYER._replace(
    shorter=MODEL_LAYER._replace(
        cases=[case[:3] for case in MODEL_LAYER.cases if case[3] is None],
        mistakes={said: made for said, made in MODEL_LAYER.mistakes.items() if "cache" not in said.lower()},
        praise="Right, for a text that is read in one go. A text that is being written needs a memory: take the cache, too, with cache=None by default.",
    )
)

# --- a whole model ---------------------------------------------------------------------------------------------------


def _after(ids, *model):
    """The caches after some tokens."""
    return parts.read(ids, *model)[1]


_SMALL = small_file(0, 2, 2, 1, 2, 5, 7, own_output=True)
_OTHER, _WIDE = small_file(1, 3, 4, 2, 2, 3, 6), small_file(2, 1, 2, 2, 4, 3, 5)


def _all_in_one(result, ids, file, sizes, caches=None):
    """Logits, keys and values in one row; Stop says what is not there."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Stop("read must return two things, the logits and the caches: one cache for each layer.")
    logits, kept = np.asarray(result[0]), result[1]
    wanted = len(ids), len(file["token_embd"])
    if logits.shape != wanted:
        raise Stop(
            f"The logits must have shape {wanted}, a row for each token and a column for each of the vocabulary, got {logits.shape}."
        )
    if not isinstance(kept, (tuple, list)) or len(kept) != sizes["num_layers"]:
        got = f"{len(kept)} of them" if isinstance(kept, (tuple, list)) else f"a {type(kept).__name__}"
        raise Stop(f"The caches must be a list with one for each of the {sizes['num_layers']} layers, got {got}.")
    return np.concatenate([logits.ravel(), *(np.ravel(each) for pair in kept for each in pair)])


def _explain_read(got, want, ids, file, sizes, caches=None):
    size = len(ids) * len(file["token_embd"])
    with_caches = "" if caches is None else " With caches:"
    if got.shape == want.shape and same(got[:size], want[:size], 2e-5):
        return f"The logits are right.{with_caches} The caches that you return are not: keep that of each layer, in their order."
    return None


def _hint_for_file(error, ids, file, sizes, *rest):
    if isinstance(error, KeyError):
        return f"The names in the file are {', '.join(name for name in file if 'blk' not in name)} and blk.0.{', '.join(LAYER)}, and so on for each layer; output may be missing."
    return None


READ = edits.exercise(
    edits.part("read"),
    use=_all_in_one,
    shown=lambda result: {"logits": np.asarray(result[0]), "keys of the last layer": np.asarray(result[1][-1][0])},
    mistakes="""
caches[layer] if caches else None => None | The caches have no say: each layer is given its own, caches[layer].
caches[layer] => caches[0] | Every layer is given the cache of layer 0: it is caches[layer].
blk.{layer} => blk.0 | Every layer has the weights of layer 0: their names begin with blk.0, blk.1, …
rms_norm(x) * file["output_norm"] => x | The last norm is missing: the stream is normed once more before the vocabulary.
rms_norm(x) * file["output_norm"] => rms_norm(x) | The gain of the last norm is missing: times file["output_norm"].
rms_norm(x) * file["output_norm"] => x * file["output_norm"] | The last norm is its gain alone: rms_norm(x) comes first.
file.get("output", file["token_embd"]) => file["token_embd"] | Where the file has a matrix of its own for the end, file["output"], that one makes the logits.
x, cache = model_layer(x, W => _, cache = model_layer(x, W | Each layer must go on from what the layer before it made; here all read the tokens.
x, cache = model_layer(x, W => new, cache = model_layer(x, W ;; kept.append(cache) => x = x + new⏎        kept.append(cache) | The stream is added once more: a layer returns it with its steps added already.
=> (softmax(rms_norm(x) * file["output_norm"] @ vocabulary.T), kept) | These are probabilities; return the logits, and next_token does the rest.
caches[layer] if caches else None => cache if layer else caches[0] if caches else None | Each layer got the cache of the one before: caches[layer].
""",
    remakes=(parts.read,),
    cases=[
        ([3, 1, 4], *_SMALL),
        ([0, 5, 2, 2], *_OTHER),
        ([6], *_SMALL, _after([3, 1, 4], *_SMALL)),
        ([1, 4], *_OTHER, _after([0, 5], *_OTHER)),
        ([2], *_WIDE),
    ],
    praise="Right, also with caches. Give it the file of a model, and it is that model.",
    explain=_explain_read,
    hint=_hint_for_file,
)

# --- a text is written -----------------------------------------------------------------------------------------------


def _drawn(result, ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    """The text; where it is drawn, as no two ways to draw agree, the likeliest one, and 1 more at each new token of any other."""
    if hasattr(result, "__next__"):
        raise Stop(f"write must return a list of ids, got a {type(result).__name__}: list(…) collects what it yields.")
    text = np.asarray(result)
    if temperature * top_p < 1 or text.ndim != 1 or len(text) <= num_tokens:
        return text
    ids = ids[: len(text) - num_tokens]  # an answer may have put what is new behind them
    likeliest = np.asarray(_WRITE(ids, file, sizes, num_tokens))
    is_other = len(text) == len(likeliest) and (text[: len(ids)] == ids).all() and (text != likeliest).any()
    return likeliest + (np.arange(len(text)) >= len(ids)) if is_other else text


def _explain_written(got, want, ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    if temperature * top_p >= 1:
        return None
    right = int(np.argmax(got != want)) if got.shape == want.shape else 0
    if right <= len(ids):
        return None
    return f"The first {right - len(ids)} new tokens are right, and then yours go on with {got[right]}, where {want[right]} is likeliest."


_WRITE = edits.part("write")
WRITE = edits.exercise(
    _WRITE,
    use=_drawn,
    shown=lambda result: {"text": np.asarray(result)},
    remakes=(parts.write,),
    cases=[
        ([3, 1, 4], *_SMALL, 4),
        ([0], *_OTHER, 6),
        ([2, 2], *_WIDE, 3),
        ([5, 1, 0, 3], *_OTHER, 1),
        ([6, 1], *_SMALL, 3, 10.0, 1e-9, np.random.default_rng(0)),
        ([1, 5], *_OTHER, 5),
        ([3, 1], *_SMALL, 3, 1e-6, 1, np.random.default_rng(0)),
        ([0, 4], *_OTHER, 12, 1e6, 1, np.random.default_rng(0)),
    ],
    mistakes="""
next_token(logits[-1], temperature, top_p, rng) => next_token(logits[-1], 0, 1, None) | The likeliest token was taken at every temperature: hand temperature, top_p and rng on to next_token.
next_token(logits[-1], temperature, top_p, rng) => next_token(logits[-1], temperature, 1, rng) | top_p has no say: hand it on to next_token.
read(new, file, sizes, caches) => read(new, file, sizes) | Each new token is read alone, and what came before it is forgotten: hand the caches on.
read(new, file, sizes, caches) => read(ids, file, sizes, caches) | The whole text is read again behind its own caches. With them, read only what is new.
logits[-1] => logits[0] | The first row of the logits was taken; what comes next is in the last one, logits[-1].
range(num_tokens) => range(num_tokens - 1) | One token is missing.
range(num_tokens) => range(num_tokens + 1) | One token too many.
=> ids[len(ids) - num_tokens :] | Only the new tokens came back; return the text with them.
ids = ids + new => ids = new + ids | The new tokens stand before the text.
ids = ids + new => pass | The new tokens are lost: put each behind the others.
next_token(logits[-1] => next_token(-logits[-1] | The least likely token was taken.
ids = ids + new => ids = new + ids ;; read(new, => read(ids, ;; sizes, caches => sizes, None | The new tokens stand before the text.
""",
    praise="Right: the text goes on, by temperature and top_p. Does yours hand the caches on? Then it reads the newest token alone, and is quick. Now run python my_model.py with a text of yours.",
    explain=_explain_written,
    hint=lambda error, *given: (
        "read takes the ids in a list: a tuple counts as one place in a matrix."
        if "too many indices" in str(error)
        else None
    ),
)._replace(use=_drawn)  # of an array, too
