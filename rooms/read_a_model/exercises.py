"""Exercises on reading a whole model: a file that is read, a text that is written."""

import numpy as np

from helpers import parts
from rooms.shared import edits
from workbench.judging.exercise import Exercise, same
from workbench.judging.run import Stop

_LAYER = "attn_norm attn_q attn_k attn_v attn_output ffn_norm ffn_gate ffn_up ffn_down".split()


def _file(seed, num_layers, num_heads, num_shared, d_head, d_ff, vocabulary, own_output):
    """A small model as its file has it: dict name -> array; and its sizes."""
    rng, d_model = np.random.default_rng(seed), num_heads * d_head
    shared = num_shared * d_head
    shapes = [(d_model,), (d_model, d_model), (shared, d_model), (shared, d_model), (d_model, d_model)]
    shapes += [(d_model,), (d_ff, d_model), (d_ff, d_model), (d_model, d_ff)]
    of_file = {f"blk.{i}.{name}": shape for i in range(num_layers) for name, shape in zip(_LAYER, shapes)}
    of_file |= {"token_embd": (vocabulary, d_model), "output_norm": (d_model,)}
    of_file |= {"output": (vocabulary, d_model)} if own_output else {}
    sizes = {"num_layers": num_layers, "num_heads": num_heads, "num_key_value_heads": num_shared, "base": 100.0}
    return {name: rng.normal(size=shape) for name, shape in of_file.items()}, sizes


def _after(ids, *model):
    """The caches after some tokens."""
    return parts.read(ids, *model)[1]


_SMALL, _OTHER, _WIDE = (
    _file(0, 2, 2, 1, 2, 5, 7, True),
    _file(1, 3, 4, 2, 2, 3, 6, False),
    _file(2, 1, 2, 2, 4, 3, 5, False),
)


def _in_one(result, ids, file, sizes, caches=None):
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
        raise Stop(
            f"The caches must be a list with one of each of the {sizes['num_layers']} layers, got {len(kept) if hasattr(kept, '__len__') else kept!r:.40}."
        )
    return np.concatenate([logits.ravel(), *(np.ravel(each) for pair in kept for each in pair)])


def _explain_read(got, want, ids, file, sizes, caches=None):
    size = len(ids) * len(file["token_embd"])
    with_caches = "" if caches is None else " With caches:"
    if got.shape == want.shape and same(got[:size], want[:size], 2e-5):
        return f"The logits are right.{with_caches} The caches that you return are not: keep that of each layer, in their order."
    return None


def _hint_for_file(error, ids, file, sizes, *rest):
    if isinstance(error, KeyError):
        return f"The names in the file are {', '.join(name for name in file if 'blk' not in name)} and blk.0.{', '.join(_LAYER)}, and so on for each layer; output may be missing."
    return None


_READ = edits.part("read")
READ = Exercise(
    name="read",
    **edits.judged(
        _in_one,
        _READ,
        edits.mistakes(
            _READ,
            """
caches[layer] if caches else None => None | The caches have no say: each layer is given its own, caches[layer].
caches[layer] => caches[0] | Every layer is given the cache of layer 0: it is caches[layer].
caches[layer] => caches[-1 - layer] | The layers are given the caches in reverse order.
blk.{layer} => blk.0 | Every layer has the weights of layer 0: their names begin with blk.0, blk.1, …
range(sizes["num_layers"]) => reversed(range(sizes["num_layers"])) ;; kept.append(cache) => kept.insert(0, cache) | The layers run from the last to the first.
rms_norm(x) * file["output_norm"] => x | The last norm is missing: the stream is normed once more before the vocabulary.
rms_norm(x) * file["output_norm"] => rms_norm(x) | The gain of the last norm is missing: times file["output_norm"].
rms_norm(x) * file["output_norm"] => x * file["output_norm"] | The last norm is its gain alone: rms_norm(x) comes first.
file.get("output", file["token_embd"]) => file["token_embd"] | Where the file has a matrix of its own for the end, file["output"], that one makes the logits.
x, cache = model_layer(x, W => _, cache = model_layer(x, W | Each layer must go on from what the layer before it made; here all read the tokens.
x, cache = model_layer(x, W => new, cache = model_layer(x, W ;; kept.append(cache) => x = x + new⏎        kept.append(cache) | The stream is added once more: a layer returns it with its steps added already.
=> (softmax(rms_norm(x) * file["output_norm"] @ vocabulary.T), kept) | These are probabilities; return the logits, and next_token does the rest.
""",
        ),
        shown=lambda result: {"logits": np.asarray(result[0]), "keys of the last layer": np.asarray(result[1][-1][0])},
    ),
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
WRITE = Exercise(
    name="write",
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
    **edits.judged(
        _drawn,
        _WRITE,
        edits.mistakes(
            _WRITE,
            """
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
""",
        ),
        shown=lambda result: {"text": np.asarray(result)},
    )
    | {"use": _drawn},  # of an array, too
    praise="Right: read, draw, put it behind, and read that one alone. Now run python my_model.py with a text of yours.",
    explain=_explain_written,
)
