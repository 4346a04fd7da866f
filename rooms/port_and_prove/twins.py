"""PyTorch beside the course: what its functions do where they bite, and a twin of each part of a model, as text.

Where PyTorch is installed, `outcome` runs a fact; elsewhere it says what came out on another machine. A test runs all of them.
"""

import importlib
import importlib.util
import re
from typing import NamedTuple


class Fact(NamedTuple):
    """name : of the function in PyTorch; bites : what surprises; code : lines that make `result`; said : that, as text"""

    name: str
    bites: str
    code: str
    said: str


class Twin(NamedTuple):
    """code : the part in PyTorch, a function of the same name; remark : one sentence beside it"""

    code: str
    remark: str


# each fact in a line of four parts; ⏎ ends a line of its code, which may begin with one of these
_BEGIN = {
    "EQUAL ": "q, k, v = torch.ones(1, 2), torch.ones(4, 2), torch.eye(4)  # equal scores; the output is the weights\n",
    "ZERO ": "mha = nn.MultiheadAttention(2, 1, batch_first=True)\nfor p in mha.parameters(): nn.init.zeros_(p)\nx = torch.ones(1, 4, 2)\n",
}
_FACTS = """
fused attention, a Boolean mask | True = may attend, as here | EQUAL result = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor([[True, False, False, True]])) | 0.5 0 0 0.5
fused attention, a mask of numbers | is added to the scores: 0 = may attend, −∞ = blocked | EQUAL result = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor([[0, -torch.inf, -torch.inf, 0]])) | 0.5 0 0 0.5
MultiheadAttention, a Boolean mask | True = blocked, the other way round | ZERO mask = torch.tensor([[True, False, False, True]]).expand(4, 4) ⏎ result = mha(x, x, x, attn_mask=mask)[1][0, :1] | 0 0.5 0.5 0
is_causal=True | starts top-left: with a cache the one new query sees only the oldest key | EQUAL result = F.scaled_dot_product_attention(q, k, v, is_causal=True) | 1 0 0 0
a row with every key blocked | gives zeros here, and no error | EQUAL result = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.zeros(1, 4, dtype=torch.bool)) | 0 0 0 0
softmax of the same row | gives NaN | result = F.softmax(torch.full((1, 4), -torch.inf), dim=-1) | nan nan nan nan
dropout_p | knows no eval(): weights of ¼ are dropped or doubled, whatever mode the model is in | EQUAL drawn = [F.scaled_dot_product_attention(q, k, v, dropout_p=0.5) for _ in range(99)] ⏎ result = torch.cat(drawn).unique() | 0 0.5
enable_gqa=True | repeats each head of keys and values in place, 0 0 1 1, as repeat_interleave does | q, k = torch.ones(1, 4, 1, 2), torch.ones(1, 2, 1, 2) ⏎ v = torch.tensor([0.0, 1.0]).reshape(1, 2, 1, 1).expand(1, 2, 1, 2) ⏎ result = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)[0, :, 0, 0] | 0 0 1 1
MultiheadAttention on (1, 5, 8) | batch_first is False: five texts of one token each attend to themselves; the weights have this shape | x = torch.ones(1, 5, 8) ⏎ result = nn.MultiheadAttention(8, 2)(x, x, x)[1].shape | (5, 1, 1)
MultiheadAttention's weights | are the average of the heads, unless average_attn_weights is False | x = torch.ones(1, 5, 8) ⏎ result = nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[1].shape | (1, 5, 5)
MultiheadAttention.in_proj_weight | holds W_Q, W_K and W_V below each other | result = nn.MultiheadAttention(8, 2).in_proj_weight.shape | (24, 8)
Linear(3, 5).weight | is (outputs, inputs): x @ weight.T | result = nn.Linear(3, 5).weight.shape | (5, 3)
Embedding | is a row of its matrix, and no product | result = F.embedding(torch.tensor([1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])) | 3 4
LayerNorm | divides by n, not by n − 1, and adds 1e-5 | result = F.layer_norm(torch.tensor([1.0, 2.0, 3.0]), (3,)) | -1.225 0 1.225
RMSNorm | adds 1.2e-7 unless eps is given, as models do | result = nn.RMSNorm(1)(torch.tensor([0.001])) | 0.945
"""


def _unbroken(words):
    return words.replace(" ", "\u00a0")


def _fact(row):
    name, bites, code, said = row.split(" | ")
    for word, lines in _BEGIN.items():
        code = code.replace(word, lines)
    return Fact(name, bites, code.replace(" ⏎ ", "\n"), _unbroken(said))


FACTS = [_fact(row) for row in _FACTS.strip().splitlines()]


def outcome(fact):
    """What a fact gives, as text: run where PyTorch is installed, else as it is stored."""
    if not isinstance(fact, Fact):
        raise TypeError(f"fact must be one of twins.FACTS, got {type(fact).__name__}.")
    return run(fact.code) if importlib.util.find_spec("torch") else fact.said


def run(code):
    """Run lines that make `result`, with torch, nn and F, and say its numbers, or the shape that it is."""
    torch = importlib.import_module("torch")
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    exec(code, space)
    result = space["result"]
    if isinstance(result, torch.Size):
        return _unbroken(str(tuple(result)))
    return _unbroken(" ".join(f"{round(x, 3) + 0.0:g}" for x in result.flatten().tolist()))


_TWINS = """
# dim has no default that can be trusted: name it.
def softmax(scores):
    return F.softmax(scores, dim=-1)
# It divides by √d_k itself, and it returns no weights.
def self_attention(X, W_query, W_key, W_value):
    return F.scaled_dot_product_attention(X @ W_query, X @ W_key, X @ W_value)
# Models write x.view(batch, num_tokens, num_heads, -1).transpose(1, 2).
def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-2, -3)
# A view of a transposed tensor is an error; flatten and reshape copy, as .contiguous() does.
def merge_heads(x):
    return x.transpose(-2, -3).flatten(-2)
# The diagonal ends bottom-right. is_causal=True starts top-left, which is wrong with a cache.
def causal_mask(num_queries, num_keys=None):
    num_keys = num_queries if num_keys is None else num_keys
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys - num_queries)
# Without eps it adds 1.2e-7 to float32. Models compute it in float32, whatever x is.
def rms_norm(x):
    return F.rms_norm(x, x.shape[-1:], eps=1e-5)
# nn.TransformerEncoderLayer is the same, with norm_first=True for pre-norm, and dropout 0.1 unless told otherwise.
def encoder_layer(x, parameters, num_heads, norm, mask=None):
    def attend(x):
        p = parameters["self_attention"]
        query, key, value = (
            split_heads(x @ p[f"W_{name}"] + p.get(f"b_{name}", 0), num_heads) for name in ("query", "key", "value")
        )
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return merge_heads(found) @ p["W_output"] + p.get("b_output", 0)

    def think(x):
        p = parameters["feed_forward"]
        return F.relu(x @ p["W_in"] + p["b_in"]) @ p["W_out"] + p["b_out"]

    for name, step in ("self_attention", attend), ("feed_forward", think):
        closing = parameters[f"{name}_norm"]
        close = lambda x: F.layer_norm(x, x.shape[-1:], closing["gain"], closing["bias"])
        x = close(x + step(x)) if norm == "post" else x + step(close(x))
    return x
# The gradient itself, by backpropagation. torch.autograd.gradcheck compares it with differences, in float64.
def numerical_gradient(loss_of, parameters):
    parameters = parameters.clone().requires_grad_()
    return torch.autograd.grad(loss_of(parameters), parameters)[0]
# clip_grad_norm_ divides by the length + 1e-6, so the last digits differ.
def training_loop(parameters, gradient_of, num_steps, learning_rate, max_norm):
    parameters = parameters.clone().requires_grad_()
    optimiser = torch.optim.SGD([parameters], lr=1.0)
    for step in range(num_steps):
        parameters.grad = gradient_of(parameters.detach(), step)
        torch.nn.utils.clip_grad_norm_([parameters], max_norm)
        optimiser.param_groups[0]["lr"] = learning_rate(step)
        optimiser.step()
    return parameters.detach()
# rng is a torch.Generator, and it draws other numbers than NumPy's.
def next_token(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(logits.argmax())
    p, order = F.softmax(logits / temperature, dim=-1).sort(descending=True, stable=True)
    kept = p.cumsum(-1) - p < top_p
    return int(order[kept][torch.multinomial(p[kept], 1, generator=rng)])
# Neighbours are one complex number each. In Llama's file of transformers halves turn together, rotate_half.
def rotate(x, positions, base):
    d = x.shape[-1]
    angles = positions[:, None] / base ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
# Without enable_gqa it is an error. repeat_kv in transformers is repeat_interleave.
def shared_attention(query, key, value, mask):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)
# nn.Linear stores each matrix as (outputs, inputs), so a file's gate_proj.weight comes in as its transpose.
def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
# F.linear multiplies by the transpose itself. In transformers a cache object does what torch.cat does.
def model_layer(x, W, sizes, cache=None):
    past = 0 if cache is None else cache[0].shape[1]
    places = torch.arange(past, past + len(x), dtype=torch.float64)
    normed = rms_norm(x) * W["attn_norm"]
    query = split_heads(F.linear(normed, W["attn_q"]), sizes["num_heads"])
    key = split_heads(F.linear(normed, W["attn_k"]), sizes["num_key_value_heads"])
    value = split_heads(F.linear(normed, W["attn_v"]), sizes["num_key_value_heads"])
    query, key = rotate(query, places, sizes["base"]), rotate(key, places, sizes["base"])
    if cache is not None:
        key, value = torch.cat([cache[0], key], dim=1), torch.cat([cache[1], value], dim=1)
    found = shared_attention(query, key, value, causal_mask(len(x), past + len(x)))
    x = x + F.linear(merge_heads(found), W["attn_output"])
    normed = rms_norm(x) * W["ffn_norm"]
    return x + swiglu(normed, W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T), (key, value)
# Around it, with torch.no_grad(): nothing is kept for a gradient that nobody asks for.
def read(ids, file, sizes, caches=None):
    names = "attn_norm attn_q attn_k attn_v attn_output ffn_norm ffn_gate ffn_up ffn_down".split()
    x, kept = F.embedding(torch.as_tensor(ids), file["token_embd"]), []
    for layer in range(sizes["num_layers"]):
        W = {name: file[f"blk.{layer}.{name}"] for name in names}
        x, cache = model_layer(x, W, sizes, caches[layer] if caches else None)
        kept.append(cache)
    vocabulary = file.get("output", file["token_embd"])
    return F.linear(rms_norm(x) * file["output_norm"], vocabulary), kept
# In transformers this is model.generate, with do_sample=False for temperature 0.
def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    ids, new, caches = list(ids), list(ids), None
    for _ in range(num_tokens):
        logits, caches = read(new, file, sizes, caches)
        new = [next_token(logits[-1], temperature, top_p, rng)]
        ids = ids + new
    return ids
"""  # each below its remark
TWINS = {
    code.partition("(")[0].removeprefix("def "): Twin(code.strip(), remark)
    for remark, _, code in (part.partition("\n") for part in re.split("^# ", _TWINS, flags=re.MULTILINE)[1:])
}
