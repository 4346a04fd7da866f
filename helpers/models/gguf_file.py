"""A llama-like model in a GGUF file: its sizes, its vocabulary and its weights, as the file has them, or what is wrong with it."""

import contextlib
import functools
import importlib.util
import math
import os
import sys
import types

import numpy as np

from helpers import bytes_pairs
from helpers.support import data_files, threads

SIZES = {
    "num_layers": "llama.block_count",
    "num_heads": "llama.attention.head_count",
    "num_key_value_heads": "llama.attention.head_count_kv",
    "d_model": "llama.embedding_length",
    "d_ff": "llama.feed_forward_length",
    "context": "llama.context_length",
}
LAYER = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


def read(path, tell, merge=None):
    """Read a file.

    Parameters
    ----------
    path : Path
    tell : function that is called with the share done, from 0 to 1
    merge : function that joins the letters of a word, as `bytes_pairs.merge_pairs` does; None = the fastest there is

    Returns
    -------
    sizes, tensors, tokenizer, start : as `language_model.LanguageModel` takes them
    """
    reader = open_file(path)
    contents = {name: field.contents() for name, field in reader.fields.items()}
    if (shards := contents.get("split.count", 1)) > 1:
        raise ValueError(
            f"{path.name} must be a whole model, but it is one of {shards} files: llama-gguf-split --merge joins them."
        )
    sizes = sizes_in(contents)
    tokenizer, start = tokenizer_in(contents, merge)
    tell(0.2)
    tensors = tensors_in(reader.tensors, sizes, tell)
    if len(contents["tokenizer.ggml.tokens"]) > len(tensors["token_embd.weight"]):
        raise ValueError("The file must have a vector for each token of its vocabulary, but some have none.")
    return sizes, tensors, tokenizer, start


def library():
    """gguf. It asks for two more libraries, which it does not need to read a file, and which a browser lacks."""
    missing = [name for name in ("requests", "yaml") if importlib.util.find_spec(name) is None]
    sys.modules.update({name: types.ModuleType(name) for name in missing})
    try:
        return importlib.import_module("gguf")
    finally:
        for name in missing:
            del sys.modules[name]


def open_file(path):
    data_files.refuse_pointer(path)
    gguf = library()

    class Reader(gguf.GGUFReader):
        """The library's own, on a plain array: slices of a memory map take twice as long."""

        def __setattr__(self, name, value):
            super().__setattr__(name, np.asarray(value) if name == "data" else value)

        def _get_field_parts(self, start, kind):
            """Whole lists at once, of which the library makes an array or two for each entry: 250,000 of them."""
            kinds = gguf.GGUFValueType
            if kind != kinds.ARRAY or self.byte_order != "I":
                return super()._get_field_parts(start, kind)
            item, count = kinds(self._get(start, np.uint32)[0]), int(self._get(start + 4, np.uint64)[0])
            content, at, parts = memoryview(self.data), start + 12, []
            if item in self.gguf_scalar_to_np:
                parts = [self._get(at, self.gguf_scalar_to_np[item], count)]
                at += parts[0].nbytes
                if len(parts[0]) != count:
                    raise ValueError("a list of numbers is cut off")
            elif item != kinds.STRING:
                return super()._get_field_parts(start, kind)
            else:
                for _ in range(count):
                    end = at + 8 + int.from_bytes(content[at : at + 8], sys.byteorder)
                    if not at + 8 <= end <= len(content):
                        raise ValueError("a list of text is cut off")
                    parts.append(content[at + 8 : end])
                    at = end
            return at - start, parts, list(range(len(parts))), [kinds.ARRAY, item]

    try:
        return Reader(path)
    except Exception as error:  # damage makes it stumble in a dozen ways
        raise ValueError(
            f"{path.name} must be a whole GGUF file, but it is another or damaged: {_short(error)}."
        ) from None


def sizes_in(contents):
    architecture = contents.get("general.architecture")
    if architecture != "llama":
        raise ValueError(f"The model must be of the llama architecture, got {architecture!r}.")
    scaling = contents.get("llama.rope.scaling.type", "none")
    if scaling != "none" or contents.get("llama.expert_count", 0):
        kind = f"positions scaled by {scaling!r}" if scaling != "none" else "experts"
        raise ValueError(f"The model must be a plain one, got one with {kind}.")
    sizes = {}
    for name, key in SIZES.items():
        sizes[name] = contents.get(key, sizes.get("num_heads") if name == "num_key_value_heads" else None)
        if not isinstance(sizes[name], int) or sizes[name] < 1:
            raise ValueError(f"The file must have a whole number of at least 1 as {key}, got {sizes[name]!r:.60}.")
    width, heads = sizes["d_model"], sizes["num_heads"]
    d_head = contents.get("llama.attention.key_length", width // heads)
    if width != heads * d_head or d_head % 2 or heads % sizes["num_key_value_heads"]:
        raise ValueError(
            f"The sizes in the file must fit, got {heads} heads of {d_head} that share {sizes['num_key_value_heads']}, "
            f"for a width of {width}."
        )
    if contents.get("llama.rope.dimension_count", d_head) != d_head:
        raise ValueError("The model must turn all of a head's dimensions, but the file says that it turns a part.")
    base = contents.get("llama.rope.freq_base", 10_000.0)
    return sizes | {"base": base, "epsilon": contents.get("llama.attention.layer_norm_rms_epsilon", 1e-5)}


def tokenizer_of(path, merge):
    """The tokenizer of a file alone, its words joined by `merge`, as in `read`."""
    return tokenizer_in({name: field.contents() for name, field in open_file(path).fields.items()}, merge)[0]


def tokenizer_in(contents, merge=None):
    """The tokenizer that the file describes, and the tokens that it puts in front of every text."""
    kind, split = (contents.get(f"tokenizer.ggml.{name}") for name in ("model", "pre"))
    if kind != "gpt2" or split not in bytes_pairs.SPLITS:
        known = ", ".join(bytes_pairs.SPLITS)
        raise ValueError(
            f"The tokenizer must be of kind gpt2 with one of the splits {known}, got {kind!r} with {split!r}."
        )
    build = functools.partial(bytes_pairs.Tokenizer, merge=merge)
    if merge is None and importlib.util.find_spec("tokenizers") is not None:
        build = LibraryTokenizer
    try:
        tokens, merges = contents["tokenizer.ggml.tokens"], contents["tokenizer.ggml.merges"]
        kinds = contents.get("tokenizer.ggml.token_type", [])
        special = [token for token, kind in zip(tokens, kinds) if kind == 3]
        tokenizer = build(tokens, [tuple(merge.split(" ")) for merge in merges], special, split)
        start = [int(contents["tokenizer.ggml.bos_token_id"])] if contents.get("tokenizer.ggml.add_bos_token") else []
    except Exception as error:  # the library raises Exception itself
        raise ValueError(f"The file must hold a whole tokenizer, but it is damaged: {_short(error)}.") from None
    return tokenizer, start


class LibraryTokenizer:
    """What `bytes_pairs.Tokenizer` does, by the library tokenizers."""

    def __init__(self, tokens, merges, special, split):
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

        self._library = Tokenizer(models.BPE(vocab={token: k for k, token in enumerate(tokens)}, merges=merges))
        self._library.add_special_tokens([AddedToken(token, special=True) for token in special])
        cuts = [pre_tokenizers.Digits(individual_digits=True)] if split == "smollm" else []
        self._library.pre_tokenizer = pre_tokenizers.Sequence([*cuts, pre_tokenizers.ByteLevel(add_prefix_space=False)])
        self._library.decoder = decoders.ByteLevel()

    def encode(self, text):
        return self._library.encode(text, add_special_tokens=False).ids

    def decode(self, ids):
        return self._library.decode(list(ids), skip_special_tokens=False)


def tensors_in(found, sizes, tell):
    """dict name -> float32 array, of all tensors that the model has."""
    shapes, by_name = shapes_of(sizes), {tensor.name: tensor for tensor in found}
    for name in by_name:
        if name not in shapes:
            raise ValueError(f"The file must hold only the tensors of a plain llama-like model, got {name}, too.")
    for name, shape in shapes.items():
        if name not in by_name and name != "output.weight":
            raise ValueError(f"The file must hold the tensor {name}, but it does not.")
        # the file counts axes backwards
        stored = tuple(map(int, by_name[name].shape[::-1])) if name in by_name else shape
        if stored != shape and not (shape[0] is None and stored[1:] == shape[1:]):
            raise ValueError(f"{name} must have shape {shape}, got {stored}.")
    _check_memory(sum(math.prod(map(int, tensor.shape)) for tensor in found) * 4)
    places, tensors = {}, {}
    for i in range(sizes["num_layers"]):
        places |= _of_one_layer(shapes, f"blk.{i}.")
    read = functools.partial(_numbers, places)
    for tensor, array in zip(found, threads.results(read, found)):  # NumPy lets other threads work meanwhile
        tensors[tensor.name] = array
        tell(0.4 + 0.6 * len(tensors) / len(found))
    return tensors


def _of_one_layer(shapes, before):
    """dict name -> empty matrix. They lie in one piece of memory, in the order of LAYER."""
    names = [f"{before}{name}.weight" for name in LAYER if not name.endswith("norm")]
    ends = np.cumsum([math.prod(shapes[name]) for name in names])
    pieces = np.split(np.empty(ends[-1], np.float32), ends[:-1])
    return {name: piece.reshape(shapes[name]) for name, piece in zip(names, pieces)}


def shapes_of(sizes):
    d_model, d_ff = sizes["d_model"], sizes["d_ff"]
    shared = d_model // sizes["num_heads"] * sizes["num_key_value_heads"]
    layer = [(d_model,), (d_model, d_model), (shared, d_model), (shared, d_model), (d_model, d_model),
             (d_model,), (d_ff, d_model), (d_ff, d_model), (d_model, d_ff)]  # fmt: skip
    shapes = {f"blk.{i}.{name}.weight": shape for i in range(sizes["num_layers"]) for name, shape in zip(LAYER, layer)}
    vocabulary = (None, d_model)
    return shapes | {"token_embd.weight": vocabulary, "output_norm.weight": (d_model,), "output.weight": vocabulary}


def _numbers(places, tensor):
    """The numbers of a tensor, in the place that is kept for them, if one is."""
    try:
        array = library().dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)
    except NotImplementedError:
        raise ValueError(f"{tensor.name} must be of a kind that gguf reads, got {tensor.tensor_type.name}.") from None
    if not math.isfinite(array.sum(dtype=np.float64)):
        raise ValueError(f"{tensor.name} must be finite, but it is damaged.")
    if tensor.name in places:
        places[tensor.name][...] = array
    return places.get(tensor.name, array)


def _check_memory(needed):
    """Say so if a model is larger than the machine: it would stop without a word."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if needed > machine:
            raise MemoryError(f"The model's numbers take {gigabytes(needed)}, this machine has {gigabytes(machine)}.")


def gigabytes(count):
    """A number of bytes in words."""
    return f"{count / 1e9:.1f} GB"


def _short(error):
    return (str(error).split("\n")[0].rstrip(".") or type(error).__name__)[:120]
