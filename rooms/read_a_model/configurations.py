"""The sizes of models, under the names of their config.json: four published ones, data/model_configurations.json, or anybody's."""

import functools
import math
from typing import NamedTuple

from helpers.support import data_files, inputs
from rooms.read_a_model import config_json

PATH = data_files.path("model_configurations.json")
KINDS = {  # in a file: here
    "full_attention": "whole", "sliding_attention": "window", "chunked_attention": "window", "linear_attention": "state",
}  # fmt: skip
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")  # three names for one number


class Parameters(NamedTuple):
    """How many numbers a model holds, part by part.

    words : the vectors of the vocabulary, and the matrix that reads out
    attention : all that is attention, and the norms
    at_work : of the feed-forward networks, what one token passes through
    resting : the experts that a token is not sent to
    """

    words: int
    attention: int
    at_work: int
    resting: int


def names():
    """List the models.

    Examples
    --------
    >>> names()
    ['SmolLM2-135M', 'gpt-oss-120b', 'Qwen3-Next-80B-A3B', 'DeepSeek-V3']
    """
    return list(_read())


def load(name):
    """Return the configuration of a model, a dict with the names of its config.json.

    Examples
    --------
    >>> load("SmolLM2-135M")["num_key_value_heads"]
    3
    """
    return dict(inputs.one_of("name", name, _read()))


def whole(model):
    """Return a configuration with all that it leaves out: of a model by its name, or of a dict or the text of a config.json.

    Examples
    --------
    >>> whole("SmolLM2-135M")["head_dim"]
    64
    """
    if isinstance(model, str) and model in _read():
        return dict(_whole(model))
    return config_json.read(model)


_whole = functools.cache(lambda name: config_json.read(load(name)))


def layer_kinds(model):
    """Say what each layer of a model does with the past.

    Parameters
    ----------
    model : here and below, the name of one of `names()`, or a configuration: a dict, or the text of a config.json

    Returns
    -------
    kinds : list of "whole", "window", "latent" or "state", one a layer

    Examples
    --------
    >>> layer_kinds("Qwen3-Next-80B-A3B")[:4]
    ['state', 'state', 'state', 'whole']
    """
    said = whole(model)
    if "kv_lora_rank" in said:
        return ["latent"] * said["num_hidden_layers"]
    return [KINDS[kind] for kind in said["layer_types"]]


def most_tokens(model):
    """How long a text a model can read.

    Examples
    --------
    >>> most_tokens("SmolLM2-135M")
    8192
    """
    return whole(model)["max_position_embeddings"]


def kept_numbers(model, num_tokens):
    """Count what each layer of a model keeps of a text.

    Of a longer text than it can read, a model keeps as much as it can read. A whole layer keeps a key and a value of every token for
    each shared head, a window those of its newest tokens (and a chunk those of at most so many), a latent layer one short vector, the turned part of a key
    and, where there is one, the key of an index, and a state one matrix for each head, whatever the text. The last three tokens that a short convolution before a state keeps are left out.

    Parameters
    ----------
    num_tokens : at least 0

    Returns
    -------
    counts : list of int, one a layer

    Examples
    --------
    >>> sum(kept_numbers("SmolLM2-135M", 1))
    11520
    """
    said, num_tokens = whole(model), inputs.whole_number("num_tokens", num_tokens, minimum=0)
    num_tokens = min(num_tokens, said["max_position_embeddings"])
    width = 2 * said["num_key_value_heads"] * said["head_dim"]
    window = said.get("attention_chunk_size") or said.get("sliding_window") or 0
    latent = sum(said.get(part, 0) for part in ("kv_lora_rank", "qk_rope_head_dim", "index_head_dim"))
    state = ("linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim")
    kept = {
        "whole": width * num_tokens,
        "window": width * min(num_tokens, window),
        "latent": latent * num_tokens,
        "state": math.prod(said.get(part, 0) for part in state),
    }
    return [kept[kind] for kind in layer_kinds(said)]


def kept_bytes(model, num_tokens):
    """Count the bytes of what each layer keeps: 2 for a number, but 4 in a state, since each token is added to it and rounding would add up.

    Parameters
    ----------
    num_tokens : as in `kept_numbers`

    Returns
    -------
    counts : list of int, one a layer

    Examples
    --------
    >>> kept_bytes("Qwen3-Next-80B-A3B", 1)[2:4]
    [2097152, 2048]
    """
    said = whole(model)
    return [(4 if kind == "state" else 2) * n for kind, n in zip(layer_kinds(said), kept_numbers(said, num_tokens))]


def count_parameters(model):
    """Count the numbers of a model from its configuration alone.

    Returns
    -------
    Parameters

    Examples
    --------
    >>> sum(count_parameters("SmolLM2-135M"))
    134515008
    """
    said = whole(model)
    d_model, num_layers, kinds = said["hidden_size"], said["num_hidden_layers"], layer_kinds(said)
    words = said["vocab_size"] * d_model * (1 if said["tie_word_embeddings"] else 2)
    attention = sum({kind: _ATTENTION[kind](said) for kind in set(kinds)}[kind] for kind in kinds)
    norms = 4 if said["model_type"] == "gemma3_text" else 2
    attention += norms * num_layers * d_model + d_model  # the norms of each layer, and one at the end
    count = next((said[key] for key in EXPERTS if key in said), 0)
    if not count:
        return Parameters(words, attention, num_layers * _gated(said, said["intermediate_size"]), 0)
    one = _gated(said, said.get("moe_intermediate_size", said["intermediate_size"]))
    dense = said.get("first_k_dense_replace", 0)  # layers without experts
    dense = num_layers - len(said["moe_layers"]) if "moe_layers" in said else dense
    shared = said.get("n_shared_experts", 0) * one
    if "shared_expert_intermediate_size" in said:
        shared += _gated(said, said["shared_expert_intermediate_size"]) + d_model  # and its own gate
    shared += one * (said["model_type"] == "llama4_text")
    router = count * (d_model + _has_biases(said))
    chosen, layers = said["num_experts_per_tok"], num_layers - dense
    at_work = dense * _gated(said, said.get("intermediate_size_mlp", said["intermediate_size"]))
    at_work += layers * (router + shared + chosen * one)
    return Parameters(words, attention, at_work, layers * (count - chosen) * one)


def count_met(model):
    """Count the numbers that one token is computed with.

    The experts that rest do not count, nor the vectors of the vocabulary, of which a token reads one row, unless the same matrix
    reads out at the end.

    Examples
    --------
    >>> count_met("SmolLM2-135M")
    134515008
    """
    words, attention, at_work, _ = count_parameters(model)
    return (words if whole(model)["tie_word_embeddings"] else words // 2) + attention + at_work


def _has_biases(said):
    """Whether router and experts have biases, as those of gpt-oss alone."""
    return said["model_type"] == "gpt_oss"


def _gated(said, d_ff):
    return 3 * said["hidden_size"] * d_ff + _has_biases(said) * (2 * d_ff + said["hidden_size"])


def _shared_heads(said):
    """Grouped heads, with what a kind adds: biases, sinks, norms of queries and keys, a gate as wide as the query."""
    kind, d_model, width = said["model_type"], said["hidden_size"], said["head_dim"]
    query, shared = said["num_attention_heads"] * width, said["num_key_value_heads"] * width
    plain = 2 * d_model * (query + shared)
    if kind == "qwen2" or (said["attention_bias"] and kind not in ("mistral", "mixtral")):
        plain += query + 2 * shared + (0 if kind == "qwen2" else d_model)
    plain += said["num_attention_heads"] * (kind == "gpt_oss")
    plain += 2 * width * (kind in ("qwen3", "qwen3_moe", "gemma3_text", "qwen3_next"))
    plain += (query + shared) * (kind in ("olmo2", "olmo3"))
    gate = (d_model + said["attention_bias"]) * query  # as wide as the query
    return plain + gate * (kind == "qwen3_next")


def _latent(said):
    """The query and the latent vector, both through a narrow place with a norm, and an index where there is one."""
    d_model, heads, turned = said["hidden_size"], said["num_attention_heads"], said["qk_rope_head_dim"]
    plain, value, narrow, kept = said["qk_nope_head_dim"], said["v_head_dim"], said["q_lora_rank"], said["kv_lora_rank"]
    query = d_model * narrow + narrow + narrow * heads * (plain + turned)
    asks, index = said.get("index_n_heads", 0), said.get("index_head_dim", 0)
    query += narrow * asks * index + d_model * (asks + index) + 2 * index
    return query + d_model * (kept + turned) + kept + kept * heads * (plain + value) + heads * value * d_model


def _state(said):
    """A gated delta rule: query, key, value and gate, decay and strength for each head, a short convolution, a norm."""
    d_model, heads, width = said["hidden_size"], said["linear_num_value_heads"], said["linear_value_head_dim"]
    key, value = said["linear_num_key_heads"] * said["linear_key_head_dim"], heads * width
    into = d_model * (2 * key + 2 * value + 2 * heads) + 2 * heads
    return into + said["linear_conv_kernel_dim"] * (2 * key + value) + width + value * d_model


_ATTENTION = {"whole": _shared_heads, "window": _shared_heads, "latent": _latent, "state": _state}


_read = functools.cache(lambda: data_files.json_file(PATH))
