"""Maps of small random models of the library transformers, and of PyTorch's MultiheadAttention, as their readers have them."""

import functools

import numpy as np
import pytest

from helpers import explorers

torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
transformers = pytest.importorskip(
    "transformers", reason="PyTorch, a second opinion, with transformers, is not installed"
)
pytestmark = [pytest.mark.everything, pytest.mark.filterwarnings("ignore")]  # a library warns of its own ways

SIZES = dict(hidden_size=16, num_hidden_layers=3, num_attention_heads=4, intermediate_size=32, vocab_size=50)
SHARED = SIZES | dict(num_key_value_heads=2, head_dim=4)
STACKS = dict(vocab_size=50, d_model=16, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4,
              encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=32)  # fmt: skip
KINDS = {
    "BERT": ("BertModel", "BertConfig", SIZES),
    "GPT-2": ("GPT2LMHeadModel", "GPT2Config", dict(n_embd=16, n_layer=3, n_head=4, vocab_size=50)),
    "Llama": ("LlamaForCausalLM", "LlamaConfig", SHARED),
    "T5": ("T5ForConditionalGeneration", "T5Config", dict(d_model=16, d_kv=4, d_ff=32, num_layers=3, num_heads=4, vocab_size=50)),
    "BART": ("BartModel", "BartConfig", STACKS),
    "Gemma": ("Gemma3ForCausalLM", "Gemma3TextConfig", SHARED | dict(sliding_window=3)),
    "Mixtral": ("MixtralForCausalLM", "MixtralConfig", SHARED | dict(num_local_experts=4)),
    "Qwen3": ("Qwen3ForCausalLM", "Qwen3Config", SHARED),
    "gpt-oss": ("GptOssForCausalLM", "GptOssConfig", SHARED | dict(num_local_experts=4, sliding_window=4)),
    "ViT": ("ViTModel", "ViTConfig", dict(SIZES, image_size=32, patch_size=8)),
}  # fmt: skip
WRITERS = ["GPT-2", "Llama", "Gemma", "Mixtral", "Qwen3", "gpt-oss"]
IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2]])
WORDS = ["3", "1", "4", "1", "5", "9", "2"]


@functools.cache
def model(kind, attention="eager"):
    torch.manual_seed(0)
    name, config, sizes = KINDS[kind]
    made = getattr(transformers, name)(getattr(transformers, config)(**sizes)).eval()
    made.set_attn_implementation(attention)
    return made


def read(kind, ids=IDS, attention="eager", **how):
    given = {"pixel_values": torch.ones(len(ids), 3, 32, 32)} if kind == "ViT" else {"input_ids": ids}
    given |= {"decoder_input_ids": ids[:, :5]} if kind in ("T5", "BART") else {}
    with torch.no_grad():
        return model(kind, attention)(**given, **how)


def plain(layers):
    return torch.cat(tuple(layers)).float().numpy()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("T5", "BART")])
def test_the_output_of_a_model_and_its_attentions_are_shown(kind):
    output = read(kind, output_attentions=True)
    for brought in (output, output.attentions):
        explorer = explorers.explore_attention(brought, None if kind == "ViT" else WORDS)
        np.testing.assert_allclose(explorer.shown["maps"], plain(output.attentions), atol=1e-6)
        assert ("went to a sink" in explorer.text) is (kind == "gpt-oss")


def test_the_rest_of_gpt_oss_is_what_its_sinks_take():
    output = read("gpt-oss", output_attentions=True)
    layer = model("gpt-oss", "eager").model.layers[1].self_attn
    caught = []
    hook = layer.register_forward_pre_hook(lambda _, args, kwargs: caught.append(kwargs), with_kwargs=True)
    read("gpt-oss", output_attentions=True)
    hook.remove()
    x, (cos, sin) = caught[0]["hidden_states"], caught[0]["position_embeddings"]
    turn = transformers.models.gpt_oss.modeling_gpt_oss.apply_rotary_pos_emb
    query, key = (each(x).view(1, 7, -1, 4).transpose(1, 2) for each in (layer.q_proj, layer.k_proj))
    query, key = turn(query, key, cos, sin)
    scores = (query @ key.repeat_interleave(2, dim=1).transpose(2, 3) / 2)[0].detach().numpy()
    powers = np.exp(scores) * np.tri(7)
    sink = np.exp(layer.sinks.detach().numpy())[:, None]
    explorer = explorers.explore_attention(output, WORDS)
    explorer.set(layer=1, head=2)
    np.testing.assert_allclose(explorer.shown["missing"], (sink / (sink + powers.sum(-1)))[2], atol=1e-5)


@pytest.mark.parametrize("kind", ["T5", "BART"])
def test_the_three_kinds_of_maps_of_an_encoder_and_decoder_are_shown(kind):
    output = read(kind, output_attentions=True)
    for brought in (output, output.encoder_attentions):
        explorer = explorers.explore_attention(brought, WORDS)
        np.testing.assert_allclose(explorer.shown["maps"], plain(output.encoder_attentions), atol=1e-6)
    for brought in (output, output.cross_attentions):
        explorer = explorers.explore_attention(brought, WORDS, queries=list("abcde"))
        np.testing.assert_allclose(explorer.shown["maps"], plain(output.cross_attentions), atol=1e-6)
        assert "“e” looks most at “" in explorer.text
    for brought in (output, output.decoder_attentions):
        explorer = explorers.explore_attention(brought, list("abcde"))
        np.testing.assert_allclose(explorer.shown["maps"], plain(output.decoder_attentions), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_was_not_asked_or_cannot_say_names_the_call(kind):
    for output in (read(kind), read(kind, attention="sdpa", output_attentions=True) if kind != "gpt-oss" else None):
        with pytest.raises(
            ValueError, match='Load the model with attn_implementation="eager" and call it with output_attent'
        ):
            explorers.explore_attention(output, WORDS)


def test_the_call_that_is_named_works(tmp_path):
    model("Llama").save_pretrained(tmp_path)
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager")
    assert explorers.explore_attention(loaded(IDS, output_attentions=True), WORDS).shown["maps"].shape == (3, 4, 7, 7)


@pytest.mark.parametrize("kind", ["BERT", "Llama"])
def test_of_a_batch_one_text_is_asked_for(kind):
    ids = torch.cat([IDS, IDS.flip(1)])
    output = read(kind, ids, output_attentions=True)
    with pytest.raises(ValueError, match="must be those of one text, got 2: choose one, batch=0 to batch=1"):
        explorers.explore_attention(output, WORDS)
    explorer = explorers.explore_attention(output, WORDS[::-1], batch=1)
    np.testing.assert_allclose(
        explorer.shown["maps"], plain(read(kind, ids[1:], output_attentions=True).attentions), atol=1e-5
    )


def test_a_model_that_trains_drops_weights_and_is_told_so():
    bert = transformers.BertModel(transformers.BertConfig(**SIZES, attn_implementation="eager"))
    bert.train()
    with pytest.raises(ValueError, match=r"call model\.eval\(\) first"):
        explorers.explore_attention(bert(IDS, output_attentions=True), WORDS)
    layer = torch.nn.MultiheadAttention(8, 2, dropout=0.2, batch_first=True)
    x = torch.randn(1, 30, 8)
    for alone in (True, False):
        with pytest.raises(ValueError, match=r"call model\.eval\(\) first"):
            explorers.explore_attention(layer(x, x, x, average_attn_weights=alone)[1])


@pytest.mark.parametrize("cache", [{}, {"use_cache": False}, {"cache_implementation": "static"}])
@pytest.mark.parametrize("kind", WRITERS)
def test_steps_of_generate_are_what_the_model_reads_in_one_go(kind, cache):
    how = dict(max_new_tokens=5, min_new_tokens=5, do_sample=False, pad_token_id=0, return_dict_in_generate=True)
    output = model(kind).generate(IDS, output_attentions=True, **how, **cache)
    once = read(kind, output.sequences[:, :-1], output_attentions=True)
    tokens = [str(k) for k in output.sequences[0].tolist()]
    for brought in (output, output.attentions):
        explorer = explorers.explore_attention(brought, tokens)  # the last of them was never read
        np.testing.assert_allclose(explorer.shown["maps"], plain(once.attentions), atol=1e-5)


@pytest.mark.parametrize("cache", [{}, {"use_cache": False}, {"cache_implementation": "static"}])
def test_steps_of_an_encoder_and_decoder_too(cache):
    how = dict(max_new_tokens=5, min_new_tokens=5, do_sample=False, pad_token_id=0, decoder_start_token_id=0)
    output = model("T5").generate(IDS, output_attentions=True, return_dict_in_generate=True, **how, **cache)
    with torch.no_grad():
        once = model("T5")(input_ids=IDS, decoder_input_ids=output.sequences[:, :-1], output_attentions=True)
    written = [str(k) for k in output.sequences[0].tolist()]
    explorer = explorers.explore_attention(output, WORDS, queries=written)
    np.testing.assert_allclose(explorer.shown["maps"], plain(once.cross_attentions), atol=1e-5)
    explorer = explorers.explore_attention(output.decoder_attentions, written)
    np.testing.assert_allclose(explorer.shown["maps"], plain(once.decoder_attentions), atol=1e-5)
    assert explorers.explore_attention(output, WORDS).shown["maps"].shape == (3, 4, 7, 7)


def test_beams_are_refused_with_the_call_that_mends_them():
    how = dict(max_new_tokens=3, do_sample=False, pad_token_id=0, output_attentions=True, return_dict_in_generate=True)
    with pytest.raises(ValueError, match=r"Call generate\(\) with num_beams=1"):
        explorers.explore_attention(model("Llama").generate(IDS, num_beams=2, **how))


@pytest.mark.parametrize("kind", ["Llama", "GPT-2"])
def test_padding_in_front_is_shown_or_told(kind):
    ids, mask = torch.cat([torch.zeros(1, 2, dtype=int), IDS], dim=1), torch.tensor([[0, 0, 1, 1, 1, 1, 1, 1, 1]])
    output = read(kind, ids, output_attentions=True, attention_mask=mask)
    assert explorers.explore_attention(output).shown["maps"].shape == (3, 4, 9, 9)


def test_maps_of_multihead_attention_are_shown():
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x, y = torch.randn(5, 7, 8), torch.randn(5, 4, 8)
    each = layer(x, x, x, average_attn_weights=False)[1]
    mean = layer(x, x, x)[1]
    explorer = explorers.explore_attention(mean, WORDS)
    assert "Axis 0 was taken for 5 heads: if it counts texts, choose one by batch=0." in explorer.text
    for brought, wanted in ((mean, mean[3][None, None]), (each, each[3][None])):
        explorer = explorers.explore_attention(brought, WORDS, batch=3)
        np.testing.assert_allclose(explorer.shown["maps"], wanted.detach().numpy(), atol=1e-6)
    across = layer(y, x, x)[1]
    explorer = explorers.explore_attention(across, WORDS, queries=list("abcd"), batch=2)
    np.testing.assert_allclose(explorer.shown["maps"][0, 0], across[2].detach().numpy(), atol=1e-6)
    with pytest.raises(ValueError, match=r"pass the second, weights\[1\]"):
        explorers.explore_attention(layer(x, x, x))
    with pytest.raises(ValueError, match="need_weights=True"):
        explorers.explore_attention(layer(x, x, x, need_weights=False))
    masked = torch.zeros(5, 7, dtype=bool)
    masked[2, :3] = True
    blocked = torch.triu(torch.ones(7, 7, dtype=bool), 1)
    with pytest.raises(ValueError, match=r"Leave it out: weights\[..., 3:, 3:\] and tokens\[3:\]"):
        explorers.explore_attention(layer(x, x, x, key_padding_mask=masked, attn_mask=blocked)[1], WORDS, batch=2)


def tokenizer(model):
    """A tokenizer of the library transformers around one of the library tokenizers."""
    return transformers.PreTrainedTokenizerFast(tokenizer_object=model, unk_token="?", pad_token="?")


def test_what_a_tokenizer_returns_is_taken_for_the_tokens():
    tokenizers = pytest.importorskip("tokenizers", reason="PyTorch, a second opinion, needs tokenizers here")
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    bpe = tokenizers.Tokenizer(
        tokenizers.models.BPE({letter: k for k, letter in enumerate(sorted(alphabet))} | {"?": 256}, [])
    )
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    fast, text = tokenizer(bpe), "é 😀!\n"
    inputs = fast(text, return_tensors="pt")
    count = inputs.input_ids.shape[1]
    maps = np.full((1, count, count), 1 / count)
    for brought in (inputs, fast.convert_ids_to_tokens(inputs.input_ids[0]), bpe.encode(text)):
        explorer = explorers.explore_attention(maps, brought)
        words = [label.partition(" ")[2] for label, _ in explorer.controls["asks"].options]
        assert words == ["é", "·", "␣", "😀", "·", "·", "·", "!", "↵"]
    for brought in (fast, bpe):
        with pytest.raises(TypeError, match=r"got a tokenizer: pass tokenizer\.(convert_ids|encode\(text\))"):
            explorers.explore_attention(maps, brought)
