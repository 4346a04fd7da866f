"""Do the parameters of a layer or of a model, arrays in nested dicts, go together? What no docstring can ask for."""

from helpers.support import inputs

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


def parts_of_layer(x, parameters, names):
    """All parameters of a layer are there, and what each step makes can be added to x."""
    _check_names("parameters", parameters, dict.fromkeys(names, True))
    for name, parts in names.items():
        _check_names(f"parameters[{name!r}]", parameters[name], parts)
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


def stacks(parameters):
    """Look at all but the layers, which look at themselves."""
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
    W, b = (inputs.finite(name, parameters[name]) for name in ("W_vocabulary", "b_vocabulary"))
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
