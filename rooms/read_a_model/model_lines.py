"""Published models as the forty lines of Llama 3 and the lines that each adds, which run: plain NumPy, on the library's own names.

What a model adds follows from its configuration: every addition says when it is there, and which of the forty lines it replaces. A
file is a dict from the name of a weight in the library transformers, without its ".weight", to an array.
"""

import functools
from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, merge_heads, softmax, split_heads
from helpers.layers import gelu_tanh, layer_norm
from helpers.positions import turn
from helpers.since_2017.experts import clamped_swiglu, share_out, silu, swiglu
from helpers.since_2017.gates import sigmoid
from helpers.since_2017.softmax_variants import softmax_with_sink
from helpers.since_2017.sparse import best_mask
from helpers.since_2017.yarn import llama3_speeds, yarn_sharpness, yarn_speeds
from helpers.support import data_files, inputs
from helpers.variants import linear_attention, window_mask
from rooms.read_a_model import config_json
from rooms.read_a_model.additions import ADDITIONS, BASE

PATH = data_files.path("model_lines.json")
LIBRARY = "transformers 5.24"


class Line(NamedTuple):
    """A line of a model's code. by : the index of the addition that put it there, or -1 for one of the forty."""

    text: str
    by: int


def additions(configuration):
    """List what a model adds.

    Parameters
    ----------
    configuration : as `config_json.read` takes it

    Returns
    -------
    added : list of Addition, in the order of the code
    """
    said = config_json.read(configuration)
    return [each for each in ADDITIONS if each.when(said)]


def program(configuration, without=()):
    """Write the code of a model.

    Parameters
    ----------
    configuration : as `config_json.read` takes it
    without : indices of additions to leave out

    Returns
    -------
    lines : list of Line
    """
    added = additions(configuration)
    lines = [Line(text, -1) for text in BASE]
    for index, each in enumerate(added):
        if index in without:
            continue
        for old, new in each.edits.items():
            at = next(k for k, line in enumerate(lines) if line.text.strip() == old and line.by == -1)
            indent = lines[at].text[: -len(old)]
            lines[at : at + 1] = [Line(indent + text if text else "", -1 if text == old else index) for text in new]
    return lines


def run(configuration, file, ids, without=()):
    """Execute a model's code on a text.

    Parameters
    ----------
    configuration, without : as in `program`
    file : dict name -> array, the library's names without ".weight"
    ids : the tokens' numbers, (num_tokens,)

    Returns
    -------
    logits : (num_tokens, vocabulary)

    Raises
    ------
    ValueError
        If the file lacks a matrix, one has another shape, or a token is none of the vocabulary.
    """
    said = config_json.read(configuration)
    ids = inputs.whole_numbers("ids", ids, axes=1)
    if ids.min() < 0 or ids.max() >= said["vocab_size"]:
        raise ValueError(f"ids must be from 0 to {said['vocab_size'] - 1}, got {ids.min()} to {ids.max()}.")
    file = {name: np.asarray(inputs.finite(name, array)) for name, array in inputs.mapping("file", file).items()}
    names = {"said": said, "file": file, **_TOOLS}
    exec(_compiled("\n".join(line.text for line in program(said, without))), names)
    try:
        return names["read"](ids)
    except KeyError as error:
        raise ValueError(f"file must hold every matrix that the lines name, but {error.args[0]} is missing.") from None
    except ValueError as error:
        raise ValueError(f"the arrays of file must have the shapes that the configuration says ({error}).") from None


_TOOLS = {"np": np} | {
    each.__name__: each
    for each in (
        causal_mask, merge_heads, softmax, split_heads, clamped_swiglu, share_out, silu, swiglu, sigmoid, softmax_with_sink,
        llama3_speeds, yarn_sharpness, yarn_speeds, window_mask, linear_attention, gelu_tanh, layer_norm, turn, best_mask,
    )
}  # fmt: skip


_compiled = functools.cache(lambda text: compile(text, "<a model's lines>", "exec"))


# --- the table: small models with random weights, and what the library's class makes of them ----------------------------


_SIZES = {
    "hidden_size": 18, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10, "intermediate_size": 23, "vocab_size": 31,
    "num_hidden_layers": 2, "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "rope_theta": 100.0,
}  # fmt: skip
_LONG = {"original_max_position_embeddings": 64}
_YARN_4 = {"rope_type": "yarn", "factor": 4.0, "beta_fast": 8.0, "beta_slow": 1.0, **_LONG}
MODELS = {
    "Llama 3": {"model_type": "llama", **_SIZES},
    "Llama 3.1": {
        "model_type": "llama", **_SIZES,
        "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **_LONG},
    },
    "Qwen3": {"model_type": "qwen3", **_SIZES, "tie_word_embeddings": True},
    "Gemma 3": {
        "model_type": "gemma3_text", **_SIZES, "num_hidden_layers": 3, "sliding_window": 5, "sliding_window_pattern": 3,
        "query_pre_attn_scalar": 7, "rope_theta": 1000.0, "rope_local_base_freq": 100.0, "tie_word_embeddings": True,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    },
    "gpt-oss": {
        "model_type": "gpt_oss", **_SIZES, "sliding_window": 5, "num_local_experts": 5, "num_experts_per_tok": 2,
        "attention_bias": True, "rope_scaling": {**_YARN_4, "truncate": False},
    },
    "OLMo 3": {
        "model_type": "olmo3", **_SIZES, "head_dim": None, "hidden_size": 36, "num_hidden_layers": 4, "sliding_window": 5,
        "rope_scaling": _YARN_4, "rope_theta": 500_000.0,  # the class gives windows this base, whatever an older file says
    },
    "Qwen3-Next": {
        "model_type": "qwen3_next", **_SIZES, "num_hidden_layers": 4, "full_attention_interval": 4, "partial_rotary_factor": 0.4,
        "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 11, "shared_expert_intermediate_size": 13,
        "norm_topk_prob": True, "linear_num_key_heads": 2, "linear_num_value_heads": 6, "linear_key_head_dim": 5,
        "linear_value_head_dim": 7, "linear_conv_kernel_dim": 4,
    },
    "Llama 4": {
        "model_type": "llama4_text", **_SIZES, "num_hidden_layers": 4, "num_local_experts": 5, "num_experts_per_tok": 1,
        "intermediate_size_mlp": 29, "interleave_moe_layer_step": 2, "attention_chunk_size": 5, "floor_scale": 3, "attn_scale": 0.5,
    },
    "DeepSeek-V3": {
        "model_type": "deepseek_v3", **_SIZES, "head_dim": None, "num_key_value_heads": 6, "num_hidden_layers": 3, "q_lora_rank": 9, "kv_lora_rank": 8,
        "qk_nope_head_dim": 5, "qk_rope_head_dim": 6, "v_head_dim": 7, "first_k_dense_replace": 1, "n_routed_experts": 8,
        "num_experts_per_tok": 3, "n_group": 4, "topk_group": 2, "n_shared_experts": 1, "moe_intermediate_size": 11,
        "norm_topk_prob": True, "routed_scaling_factor": 2.5,
        "rope_scaling": {**_YARN_4, "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0},
    },
}  # fmt: skip
MODELS["DeepSeek-V3.2"] = {  # so many heads of the index that hardly two of its scores are both 0
    **MODELS["DeepSeek-V3"], "model_type": "deepseek_v32", "index_n_heads": 16, "index_head_dim": 10, "index_topk": 4,
}  # fmt: skip
IDS = (3, 14, 15, 9, 26, 5, 3, 14, 15, 8, 9, 7, 30)


def random_file(shapes, seed=0):
    """Draw the weights of a small model.

    Parameters
    ----------
    shapes : dict name -> shape
    seed : whole number

    Returns
    -------
    file : dict name -> array; gains of norms lie around 1, all else around 0
    """
    rng = inputs.seeded("seed", seed)

    def draw(name, shape):
        if len(shape) == 1:
            return 0.3 * rng.normal(size=shape) + ("norm" in name)
        return rng.normal(size=shape) / np.sqrt(shape[-1]) * (1.0 if "embed" in name else 1.5)

    return {name: draw(name, shape) for name, shape in shapes.items()}


_stored = functools.cache(lambda: data_files.json_file(PATH))


def stored_file(name):
    """The weights of a model of the table, drawn again as they were for the library's class."""
    return random_file(inputs.one_of("name", name, _stored())["shapes"])


def stored_class(name):
    """The class of the library that made the logits of a model of the table.

    Examples
    --------
    >>> stored_class("Llama 3.1")
    'LlamaForCausalLM'
    """
    return inputs.one_of("name", name, _stored())["class"]


@functools.cache
def compare(name, without=()):
    """Execute a model of the table and hold it beside the library's class.

    Parameters
    ----------
    name : of MODELS
    without : tuple of additions left out

    Returns
    -------
    Comparison
    """
    stored = inputs.one_of("name", name, _stored())
    try:
        logits = run(MODELS[name], stored_file(name), IDS, without)
    except ValueError as error:
        return Comparison(np.inf, 0, str(error))
    want = np.array(stored["logits"])
    agree = int((logits.argmax(axis=-1) == want.argmax(axis=-1)).sum())
    return Comparison(float(np.abs(logits - want).max()), agree, "")


class Comparison(NamedTuple):
    """What a model's lines and the library's class make of the same text.

    gap : the largest difference of two logits; infinite where the lines stop
    agree : at how many of the 13 tokens the largest logit is the same
    error : why they stop, or ""
    """

    gap: float
    agree: int
    error: str
