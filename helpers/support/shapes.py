"""Do the arguments of attention and of the layers fit together? If not, a sentence says what must be how.

What comes in as tokens is looked at once, number by number. Parameters are looked at where they are read from a file;
here only their shapes are. If a NaN or an infinity got into them all the same, it spreads to the result, and
`inputs.stays_finite` then goes back to find it.
"""

import math

import numpy as np

from helpers.support import inputs

# --- softmax and attention -------------------------------------------------------------------------------------------


def softmax(scores, axis, base):
    """The three arguments of softmax, checked; what the scores hold is left to `largest`."""
    scores = inputs.floats("scores", scores)
    number = inputs.finite_number("base", base)
    if number <= 1:
        raise ValueError(f"base must be greater than 1, got {number:g}. A larger score would not get a larger weight.")
    if scores.ndim == 0:
        raise ValueError("scores must have at least one axis, got a single number.")
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise TypeError(f"axis must be a whole number, got {axis!r}.")
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis must be one of the {scores.ndim} axes of scores {scores.shape}, got {axis}.")
    if scores.shape[axis] == 0:
        raise ValueError(f"scores must hold at least one score along axis {axis}, got shape {scores.shape}.")
    return scores, axis, number


def largest(scores, axis, found):
    """Where the largest score of every line is finite, none is NaN or +inf, and not all are -inf."""
    if np.isfinite(found).all():
        return
    plain = np.asarray(inputs.numbers("scores", scores))
    if np.isposinf(plain).any():
        raise ValueError(f"scores must be finite or -inf, got +inf in {inputs.count(np.isposinf(plain))}.")
    blocked = np.isneginf(plain).all(axis=axis)
    raise ValueError(
        f"scores must hold a finite number along axis {axis}, got nothing but -inf in "
        f"{inputs.first(blocked, 'scores', axis)}. There is nothing left to choose from."
    )


def weights(x):
    x = inputs.numbers("weights", x)
    plain = np.asarray(x)
    if plain.ndim == 0 or plain.size == 0:
        raise ValueError(f"weights must hold at least one weight along the last axis, got shape {plain.shape}.")
    if plain.min() < 0:
        raise ValueError(f"weights must be at least 0, got {plain.min():g}. Were these the scores?")
    with np.errstate(over="ignore"):
        sums = inputs.wide(plain).sum(axis=-1)
    worst = sums.flat[np.argmax(np.abs(sums - 1))]
    if not abs(worst - 1) < 1e-3:
        raise ValueError(f"weights must sum to 1 along the last axis, got a sum of {worst:g}. Were these the scores?")
    return x


def tokens(name, x):
    x = inputs.finite(name, x, min_axes=2)
    if 0 in x.shape[-2:]:
        raise ValueError(f"{name} must hold at least one token of width at least 1, got shape {x.shape}.")
    return x


def attention(query, key, value, mask, scale):
    """What attention is given, checked: arrays, a mask or None, and the factor on the dot products."""
    query, key, value = tokens("query", query), tokens("key", key), tokens("value", value)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must have the same width d_k (last axis), got query {query.shape} and key {key.shape}."
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must have the same number of tokens (second-last axis), "
            f"got key {key.shape} and value {value.shape}."
        )
    try:
        np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except ValueError:
        raise ValueError(
            "query, key and value must have batch axes that broadcast, "
            f"got query {query.shape}, key {key.shape} and value {value.shape}."
        ) from None
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else inputs.finite_number("scale", scale)
    if mask is not None:
        batches = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        mask = _mask(mask, (*batches, query.shape[-2], key.shape[-2]))
    return query, key, value, mask, inputs.scalar_like(query, scale)


def _mask(mask, shape):
    mask = inputs.booleans("mask", mask)
    try:
        everywhere = np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"mask must broadcast to the shape of the scores {shape} (queries down, keys across), got {mask.shape}."
        ) from None
    blocked = ~everywhere.any(axis=-1)
    if blocked.any():
        raise ValueError(
            f"mask must leave every query at least one key, but {inputs.first(blocked, 'query')} may attend to none. "
            f"{_other_sense(everywhere)}"
        )
    return mask


def _other_sense(mask):
    """What is likely wrong with a mask that empties a row."""
    if mask.all(axis=-1).any():  # the opposite would empty a row, too
        return "Softmax over nothing has no answer."
    return "Here True means may attend. In PyTorch's MultiheadAttention it means blocked: if yours does, pass ~mask."


def scores(dot_products):
    return inputs.stays_finite("scores", dot_products, "query and key are too large for {}: their products overflow.")


def cannot_overflow(query, key, scale):
    """No dot product is larger than |Q| |K|: where that is small, nobody need look at all the scores."""
    bound = 2 * _length(query) * _length(key) * max(1, abs(scale))
    return bound < np.finfo(np.result_type(query.dtype, key.dtype)).max  # False, too, if the bound itself overflows


def _length(x):
    plain = np.asarray(x).ravel(order="K")  # in the order of the memory: no copy
    with np.errstate(over="ignore"):
        return math.sqrt(np.dot(plain, plain))


# --- heads -----------------------------------------------------------------------------------------------------------


def heads(query_tokens, context, num_heads):
    query_tokens = tokens("query_tokens", query_tokens)
    context = query_tokens if context is None else tokens("context", context)
    try:
        np.broadcast_shapes(query_tokens.shape[:-2], context.shape[:-2])
    except ValueError:
        raise ValueError(
            "query_tokens and context must have batch axes that broadcast, "
            f"got query_tokens {query_tokens.shape} and context {context.shape}."
        ) from None
    return query_tokens, context, inputs.whole_number("num_heads", num_heads, minimum=1)


def projection(described, width, role, W, b, num_heads=1):
    """The matrix and the bias of a role, or what is wrong with their shapes."""
    name, W = f"W_{role}", inputs.floats(f"W_{role}", W)
    if W.ndim != 2 or W.shape[0] != width:
        raise ValueError(f"{name} must be a matrix with one row for each column of {described}, got {name} {W.shape}.")
    if W.shape[1] == 0:
        raise ValueError(f"{name} must have at least one column, got {name} {W.shape}.")
    if W.shape[1] % num_heads:
        raise ValueError(f"num_heads must divide the columns of {name}, got {num_heads} heads and {name} {W.shape}.")
    if np.isscalar(b):  # arrays and tensors without axes are none; a Python number leaves float32 as it is
        return W, inputs.finite_number(f"b_{role}", b)
    b = inputs.floats(f"b_{role}", b)
    if b.shape not in ((), W.shape[1:]):
        raise ValueError(f"b_{role} must be one number, or {W.shape[1]} as {name} has columns, got shape {b.shape}.")
    return W, b


def same_columns(query, key, num_heads):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "W_query and W_key must have the same number of columns, "
            f"got {query.shape[-1]} and {key.shape[-1]} for {num_heads} heads."
        )


def memory(values, mask):
    """What an encoder made, and the mask over it: here each goes by the name that a decoder knows it by."""
    return tokens("memory", values), None if mask is None else inputs.booleans("memory_mask", mask)


def mask_over_heads(mask, query, key):
    """Give a mask over tokens the axis of the heads; query and key have it, (..., num_heads, num_tokens, d_k)."""
    shape = (*np.broadcast_shapes(query.shape[:-2], key.shape[:-2]), query.shape[-2], key.shape[-2])
    mask = inputs.booleans("mask", mask)
    every_head = np.expand_dims(mask, -3) if 3 <= mask.ndim < len(shape) else mask
    try:
        np.broadcast_to(every_head, shape)
    except ValueError:
        raise ValueError(
            f"mask must broadcast to (queries down, keys across) {shape[:-3] + shape[-2:]}, or with an axis for the "
            f"heads to {shape}, got {mask.shape}."
        ) from None
    return every_head


# --- layers ----------------------------------------------------------------------------------------------------------

ROLES = ("query", "key", "value", "output")
_ATTENTION = {f"W_{role}": True for role in ROLES} | {f"b_{role}": False for role in ROLES}  # True: must be there
_FEED_FORWARD = dict.fromkeys(["W_in", "b_in", "W_out", "b_out"], True)
_NORM = {"gain": False, "bias": False}
ENCODER = {
    "self_attention": _ATTENTION,
    "self_attention_norm": _NORM,
    "feed_forward": _FEED_FORWARD,
    "feed_forward_norm": _NORM,
}
DECODER = {
    "self_attention": _ATTENTION,
    "self_attention_norm": _NORM,
    "cross_attention": _ATTENTION,
    "cross_attention_norm": _NORM,
    "feed_forward": _FEED_FORWARD,
    "feed_forward_norm": _NORM,
}


def layer_norm(x, gain, bias, epsilon):
    x, epsilon = _features(x, epsilon, "variance")
    gain, bias, equal = _per_feature("gain", gain, x), _per_feature("bias", bias, x), _equal_features(x)
    if epsilon == 0 and equal is not None and equal.any():
        raise ValueError(
            "epsilon must be greater than 0 where all features of a token are equal, "
            f"as in {inputs.first(equal[..., 0], 'x')}, got 0. There is no spread to divide by."
        )
    return x, gain, bias, epsilon, equal


def rms_norm(x, gain, epsilon):
    x, epsilon = _features(x, epsilon, "mean square")
    if epsilon == 0 and not (some := np.any(np.asarray(x), axis=-1)).all():
        raise ValueError(
            "epsilon must be greater than 0 where all features of a token are 0, "
            f"as in {inputs.first(~some, 'x')}, got 0. There is nothing to divide by."
        )
    return x, _per_feature("gain", gain, x), epsilon


def _features(x, epsilon, added_to):
    x, epsilon = inputs.finite("x", x, min_axes=1), inputs.finite_number("epsilon", epsilon)
    if x.shape[-1] == 0:
        raise ValueError(f"x must hold at least one feature along its last axis, got shape {x.shape}.")
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon:g}. It is added to a {added_to}.")
    with np.errstate(over="ignore"):
        held = inputs.scalar_like(x, epsilon)
    if not (0 < held < np.inf or epsilon == 0):
        raise ValueError(
            f"epsilon must be a number that {x.dtype} can hold, as x is, got {epsilon:g}, which becomes {held:g}."
        )
    return x, held


def _equal_features(x):
    """Which tokens have nothing but equal features, (..., 1), whatever rounding made of their variance; None: none has."""
    plain = np.asarray(x)
    may_be = (plain[..., 0] == plain[..., -1]).any()  # most tokens do not even end as they begin
    return np.all(plain == plain[..., :1], axis=-1, keepdims=True) if may_be else None


def squares(name, found, epsilon):
    """The variance or the mean square of each token is finite, and without an epsilon not so near 0 that digits are lost."""
    found = np.asarray(found)[..., 0]
    if not np.isfinite(found).all():
        raise ValueError(f"x must be small enough to be squared, but the {name} overflows {found.dtype}.")
    if epsilon == 0 and (lost := found < np.finfo(found.dtype).smallest_normal).any():
        raise ValueError(
            "epsilon must be greater than 0 where squares are very small, "
            f"but it is 0, and the {name} of {inputs.first(lost, 'x')} underflows {found.dtype}."
        )


def _per_feature(name, values, x):
    if isinstance(values, (int, float)):
        return inputs.finite_number(name, values)  # a Python number leaves float32 as it is
    values = inputs.floats(name, values)
    if values.shape not in ((), x.shape[-1:]):
        raise ValueError(
            f"{name} must be a number or have one entry for each of {x.shape[-1]} features, got shape {values.shape}."
        )
    return values


def feed_forward(x, W_in, b_in, W_out, b_out, activation):
    x = inputs.finite("x", x, min_axes=1)
    W_in, W_out = _matrix("W_in", W_in), _matrix("W_out", W_out)
    if x.shape[-1] != W_in.shape[0]:
        raise ValueError(f"x must be as wide as W_in has rows, got x {x.shape} and W_in {W_in.shape}.")
    if W_in.shape[1] != W_out.shape[0]:
        raise ValueError(
            f"W_out must have as many rows as W_in has columns, got W_in {W_in.shape} and W_out {W_out.shape}."
        )
    if not callable(activation) or isinstance(activation, type):
        raise TypeError(f"activation must be a function such as relu or gelu, got {activation!r}.")
    return x, W_in, _bias("b_in", b_in, W_in), W_out, _bias("b_out", b_out, W_out)


def _matrix(name, values):
    values = inputs.floats(name, values)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"{name} must be a matrix (inputs, outputs), got shape {values.shape}.")
    return values


def _bias(name, values, W):
    values = inputs.floats(name, values)
    if values.shape not in ((), W.shape[1:]):
        raise ValueError(f"{name} must have one entry for each of {W.shape[1]} outputs, got shape {values.shape}.")
    return values


def activated(bent, hidden):
    if np.shape(bent) != hidden.shape:
        raise ValueError(
            f"activation must bend each number by itself, but it made {type(bent).__name__} of shape {np.shape(bent)} "
            f"out of shape {hidden.shape}."
        )
    return inputs.finite("what activation returns", bent)


def layer(x, parameters, norm, with_attention, names):
    """The tokens of a layer, if everything that it is given fits together."""
    norm_of_layers(norm)
    inputs.yes_or_no("with_attention", with_attention)
    return parts_of_layer(x, parameters, names)


def parts_of_layer(x, parameters, names):
    """The tokens of a layer, if all parameters are there and what each step makes can be added to them."""
    _check_names("parameters", parameters, dict.fromkeys(names, True))
    for name, parts in names.items():
        _check_names(f"parameters[{name!r}]", parameters[name], parts)
    x = tokens("x", x)
    for name, first, last in (
        ("self_attention", "W_query", "W_output"),
        ("cross_attention", "W_query", "W_output"),
        ("feed_forward", "W_in", "W_out"),
    ):
        rows, columns = (inputs.rectangle(W, parameters.get(name, {}).get(W)).shape for W in (first, last))
        if rows[:1] == x.shape[-1:] and len(columns) == 2 and columns[1:] != x.shape[-1:]:
            raise ValueError(
                f"{last} of {name} must have as many columns as x is wide, because its result is added to x, "
                f"got {columns[1]} columns and x {x.shape}."
            )
    return x


def norm_of_layers(norm):
    if not isinstance(norm, str) or norm not in ("post", "pre"):
        raise ValueError(f'norm must be "post" (2017) or "pre", got {norm!r}.')


def _check_names(where, given, names):
    if not isinstance(given, dict):
        raise TypeError(f"{where} must be a dict with {', '.join(names)}, got {type(given).__name__}.")
    missing = [name for name, must in names.items() if must and name not in given]
    unknown = [str(name) for name in given if name not in names]
    if missing:
        raise ValueError(f"{where} must hold {', '.join(names)}; missing: {', '.join(missing)}.")
    if unknown:
        raise ValueError(f"{where} must hold {', '.join(names)}; unknown: {', '.join(unknown)}.")


# --- stacks ----------------------------------------------------------------------------------------------------------

LAST_NORMS = ("encoder_norm", "decoder_norm")
_DECODER_ONLY = dict.fromkeys(("embedding", "decoder", "decoder_norm", "W_vocabulary", "b_vocabulary"), True)
_STACKS = ("embedding", "encoder", "decoder", "W_vocabulary", "b_vocabulary")


def token_numbers(tokens, embedding):
    """Token numbers and the matrix whose rows they pick."""
    embedding = inputs.floats("embedding", embedding, min_axes=2)
    if embedding.ndim > 2 or 0 in embedding.shape:
        raise ValueError(f"embedding must be a matrix with one row for each token, got shape {embedding.shape}.")
    tokens = inputs.rectangle("tokens", tokens)
    if tokens.ndim == 0 or 0 in tokens.shape:
        raise ValueError(f"tokens must hold at least one token, got shape {tokens.shape}.")
    if tokens.dtype.kind not in "iu":
        raise TypeError(f"tokens must be whole numbers, one for each token, got {tokens.dtype}.")
    vocabulary_size = len(embedding)
    if tokens.min() < 0 or tokens.max() >= vocabulary_size:
        raise ValueError(
            f"tokens must lie between 0 and {vocabulary_size - 1}, the rows of embedding {embedding.shape}, "
            f"got {tokens.min() if tokens.min() < 0 else tokens.max()}."
        )
    return tokens, embedding


def stacks(parameters, with_attention):
    """Look at all but the layers, which look at themselves."""
    inputs.yes_or_no("with_attention", with_attention)
    if not isinstance(parameters, dict):
        raise TypeError(f"parameters must be a dict with {', '.join(_STACKS)}, got {type(parameters).__name__}.")
    missing = [name for name in _STACKS if name not in parameters]
    if missing:
        raise ValueError(f"parameters must hold {', '.join(_STACKS)}; missing: {', '.join(missing)}.")
    unknown = [str(name) for name in parameters if name not in (*_STACKS, *LAST_NORMS)]
    if unknown:
        raise ValueError(
            f"parameters must hold {', '.join(_STACKS)}, and perhaps {', '.join(LAST_NORMS)}; "
            f"unknown: {', '.join(unknown)}."
        )
    for name in ("encoder", "decoder"):
        if not isinstance(parameters[name], (list, tuple)):
            kind = type(parameters[name]).__name__
            raise TypeError(f"{name} must be a list of layers, as random_layer makes them, got {kind}.")
    for name in LAST_NORMS:
        if name in parameters:
            _check_names(name, parameters[name], _NORM)
    vocabulary(parameters)


def decoder(parameters):
    """Look at all of a decoder-only transformer but the layers, which look at themselves."""
    _check_names("parameters", parameters, _DECODER_ONLY)
    if not isinstance(parameters["decoder"], (list, tuple)):
        kind = type(parameters["decoder"]).__name__
        raise TypeError(f"decoder must be a list of layers, as random_layer makes them, got {kind}.")
    _check_names("decoder_norm", parameters["decoder_norm"], _NORM)
    vocabulary(parameters)


def vocabulary(parameters):
    """The matrix and the bias that make scores of what the last layer gives."""
    embedding = inputs.floats("embedding", parameters["embedding"], min_axes=2)
    W, b = (inputs.floats(name, parameters[name]) for name in ("W_vocabulary", "b_vocabulary"))
    if W.shape != embedding.shape[::-1]:
        raise ValueError(
            f"W_vocabulary must have shape (d_model, vocabulary_size) = {embedding.shape[::-1]}, as embedding is "
            f"{embedding.shape}, got {W.shape}."
        )
    if b.shape not in ((), W.shape[1:]):
        raise ValueError(
            f"b_vocabulary must be one number, or {W.shape[1]} as embedding has rows, got shape {b.shape}."
        )
    return W, b
