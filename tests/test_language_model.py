"""The language model: against loops on small ones, against transformers and PyTorch on the real one, and files that are none."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers import attention, bytes_pairs, decoder, language_model
from helpers.language_model import LanguageModel
from helpers.models import gguf_file
from helpers.support.products import linear
from tests.test_threads import blas_threads

REFERENCE = Path(__file__).parents[1] / "data" / "language_model_reference.npz"
SIZES = {"num_layers": 3, "num_heads": 4, "num_key_value_heads": 2, "d_model": 24, "d_ff": 10, "context": 8192}
SIZES |= {"epsilon": 1e-5, "base": 100.0}
WORDS = ["a", "b", "c", "Ġ", "Ġa", "ab", "<|end|>"]
TEXT = [3, 1, 4, 1, 5]


def random_tensors(seed=0, sizes=SIZES):
    rng, shapes = np.random.default_rng(seed), gguf_file.shapes_of(sizes)
    shapes = {name: (len(WORDS), *shape[1:]) if shape[0] is None else shape for name, shape in shapes.items()}
    return {name: rng.normal(scale=0.4, size=shape).astype(np.float32) for name, shape in shapes.items()}


def small(seed=0, tensors=None):
    return LanguageModel(SIZES, dict(tensors or random_tensors(seed)), tokenizer=None)


def test_blas_keeps_to_one_thread_while_the_model_reads_a_few_tokens(monkeypatch):
    model, before, seen = small(), blas_threads(), []
    think = model._think
    monkeypatch.setattr(model, "_think", lambda *given: (seen.extend(blas_threads()), think(*given))[1])
    model.read(TEXT)
    model.stream(TEXT)
    assert {*seen} == {1} and len(seen) >= 2 * SIZES["num_layers"] and blas_threads() == before
    seen.clear()
    model.read((TEXT * 65)[:65])
    assert {*seen} == {*before}


def by_loops(w, ids, off=()):
    """Logits and maps in 64 bits, straight from the names of the file, one query and one head at a time."""
    norm = lambda x, gain: gain * x / np.sqrt((x * x).mean() + SIZES["epsilon"])  # noqa: E731
    heads, width = SIZES["num_heads"], SIZES["d_model"] // SIZES["num_heads"]
    share = heads // SIZES["num_key_value_heads"]
    turns = SIZES["base"] ** (-np.arange(0, width, 2) / width)

    def turned(x, position):  # each pair of numbers is one complex number
        spun = (x[::2] + 1j * x[1::2]) * np.exp(1j * position * turns)
        return np.stack([spun.real, spun.imag], axis=1).ravel()

    x, maps = [w["token_embd.weight"][k].astype(float) for k in ids], np.zeros((3, heads, len(ids), len(ids)))
    for i in range(SIZES["num_layers"]):
        of = {name: w[f"blk.{i}.{name}.weight"].astype(float) for name in gguf_file.LAYER}
        asked = [norm(row, of["attn_norm"]) for row in x]
        query, key, value = ([(of[f"attn_{r}"] @ row).reshape(-1, width) for row in asked] for r in "qkv")
        for t in reversed(range(len(ids))):  # the last first: nobody sees what comes after
            found = np.zeros((heads, width))
            for h in range(heads):
                ask = turned(query[t][h], t)
                scores = [ask @ turned(key[s][h // share], s) / np.sqrt(width) for s in range(t + 1)]
                maps[i, h, t, : t + 1] = np.exp(scores) / np.exp(scores).sum()
                if (i, h) not in off:
                    found[h] = sum(maps[i, h, t, s] * value[s][h // share] for s in range(t + 1))
            x[t] = x[t] + of["attn_output"] @ found.ravel()
        for t, row in enumerate(x):
            normed = norm(row, of["ffn_norm"])
            gate = of["ffn_gate"] @ normed
            x[t] = row + of["ffn_down"] @ (gate / (1 + np.exp(-gate)) * (of["ffn_up"] @ normed))
    return np.stack([w["output.weight"] @ norm(row, w["output_norm.weight"]) for row in x]), maps


@pytest.mark.parametrize("off", [(), [(0, 2), (1, 0), (1, 3)]])
def test_reading_equals_the_loops(off):
    logits, maps = by_loops(random_tensors(), TEXT, off)
    reading = small().read(TEXT, without=off)
    assert reading.logits.dtype == reading.weights.dtype == np.float32
    np.testing.assert_allclose(reading.logits, logits, atol=2e-4)
    np.testing.assert_allclose(reading.weights, maps, atol=1e-5)


def test_every_product_is_one_of_32_bits(monkeypatch):
    """One array in 64 bits, and each product after it would convert its whole matrix."""
    given = []
    monkeypatch.setattr(language_model, "linear", lambda x, W: given.extend([x.dtype, W.dtype]) or linear(x, W))
    first = small().read(TEXT[:3], without=[(0, 1)])
    rest = small().read(TEXT[3:], cache=first.cache)
    kept = [array.dtype for reading in (first, rest) for pair in reading.cache for array in pair]
    assert len(given) == 2 * 2 * (5 * SIZES["num_layers"] + 1)
    assert {*given, *kept, first.weights.dtype, rest.logits.dtype} == {np.dtype(np.float32)}


@pytest.mark.parametrize("name", ["blk.1.ffn_down.weight", "blk.2.attn_v.weight", "output.weight"])
def test_numbers_that_are_too_large_are_told(name):
    tensors = random_tensors()
    tensors[name] = np.full_like(tensors[name], 3e38)
    with pytest.raises(ValueError, match="must stay finite, but the model's numbers are too large for float32"):
        small(tensors=tensors).read(TEXT)


def test_cache_reads_on_and_stays_as_it_is():
    model = small()
    whole, first = model.read(TEXT, without=[(1, 1)]), model.read(TEXT[:2], without=[(1, 1)])
    for _ in range(2):
        rest = model.read(TEXT[2:], cache=first.cache, without=[(1, 1)])
        np.testing.assert_allclose(rest.logits, whole.logits[2:], atol=1e-5)
        np.testing.assert_allclose(rest.weights, whole.weights[:, :, 2:], atol=1e-6)


def test_writing_with_the_cache_says_what_reading_everything_says():
    model = small(3)
    whole = decoder.write(lambda tokens: model.read(tokens).logits, TEXT, num_tokens=12, temperature=0)
    assert decoder.write(model.logits_of(), TEXT, num_tokens=12, temperature=0) == whole


def test_stream_adds_up_and_its_shares_are_the_difference_of_two_logits():
    model, stream = small(), small().stream(TEXT)
    start, heads, thoughts = model.shares(stream, 2, 5)
    assert heads.shape == (3, 4) and thoughts.shape == (3,)
    logits = model.read(TEXT).logits[-1]
    assert start + heads.sum() + thoughts.sum() == pytest.approx(logits[2] - logits[5], abs=1e-4)
    assert sum(part.sum() for part in model.shares(stream, 2)) == pytest.approx(logits[2] - logits.mean(), abs=1e-4)


@pytest.mark.parametrize(
    ("ids", "how", "message"),
    [
        ([], {}, "ids must hold at least one token, got none"),
        ([0, 7], {}, "ids must be tokens from 0 to 6, got 7"),
        ([-1], {}, "ids must be tokens from 0 to 6, got -1"),
        ([1] * 8193, {}, r"fit into the context of 8,192 tokens, got 8,193.*keys and values.* GB, its maps 3.2 GB"),
        ([1] * 8000, {}, r"at most 6,688 at a time here, got 8,000: .* 3.1 GB. Read it with maps=False, or in pieces"),
        ([1], {"maps": 0}, "maps must be True or False, got 0"),
        ([1], {"without": [(3, 0)]}, r"layers from 0 to 2 and heads from 0 to 3, got \(3, 0\)"),
        ([1], {"without": [(0, -1)]}, r"got \(0, -1\)"),
        ([1], {"without": [7]}, r"without must hold pairs \(layer, head\).*got 7"),
        ([1], {"cache": [1, 2, 3]}, "cache must be that of an earlier reading"),
        ([1], {"cache": [(np.ones((2, 1, 6)),) * 2] * 3}, "cache must be that of an earlier reading"),  # in 64 bits
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(ids, how, message):
    with pytest.raises((ValueError, TypeError), match=message):
        small().read(ids, **how)


@pytest.mark.parametrize("rows", [1, 2, 3, 256])
def test_without_maps_the_logits_and_the_cache_are_the_same(monkeypatch, rows):
    monkeypatch.setattr(language_model, "QUERIES_AT_ONCE", rows)
    model, off = small(), [(0, 2), (1, 3)]
    whole, first = model.read(TEXT, without=off), model.read(TEXT[:1], without=off, maps=False)
    rest = model.read(TEXT[1:], cache=first.cache, without=off, maps=False)
    assert first.weights is None and rest.weights is None
    np.testing.assert_allclose(np.concatenate([first.logits, rest.logits]), whole.logits, atol=1e-5)
    for mine, other in zip(rest.cache, whole.cache):
        np.testing.assert_allclose(mine, other, atol=1e-6)
    assert all(array.base is None for pair in whole.cache for array in pair)  # nothing larger is kept alive


def test_without_maps_no_array_is_as_large_as_the_square_of_the_text(monkeypatch):
    largest = []
    monkeypatch.setattr(
        language_model, "softmax", lambda scores: largest.append(scores.shape) or attention.softmax(scores)
    )
    model, long = small(), [1] * 600
    model.read(long, maps=False)
    assert {*largest} == {(4, 256, 256), (4, 256, 512), (4, 88, 600)}
    monkeypatch.setattr(language_model, "MOST_BYTES", 4 * len(WORDS) * 500)
    with pytest.raises(
        ValueError, match=r"at most 500 at a time here, got 600: their logits .* Read it in pieces and pass"
    ):
        model.read(long, maps=False)


def test_a_text_is_written_on_whose_maps_would_not_fit(monkeypatch):
    monkeypatch.setattr(language_model, "MOST_BYTES", 4 * len(WORDS) * 100)
    with pytest.raises(ValueError, match="Read it with maps=False"):
        small().read([1] * 100)
    assert len(decoder.write(small().logits_of(), [1] * 100, num_tokens=2)) == 2


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def gguf():
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: the extra model")
    return pytest.importorskip("gguf", reason="gguf is not installed: the extra model")


def write_file(gguf, path, tensors=None, architecture="llama", split="smollm", kind="Q8_0", **other):
    """A small file as llama.cpp makes them; widths of 32, since blocks of 32 numbers share a scale."""
    sizes = SIZES | {"d_model": 64, "d_ff": 32}
    writer = gguf.GGUFWriter(path, architecture)
    for name, key in gguf_file.SIZES.items():
        writer.add_uint32(key, sizes[name])
    writer.add_float32("llama.rope.freq_base", sizes["base"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(split)
    writer.add_token_list(WORDS)
    writer.add_token_types([1] * 6 + [3])
    writer.add_token_merges(["a b", "Ġ a"])
    for key, value in other.items():
        (writer.add_uint16 if isinstance(value, int) else writer.add_string)(key.replace("__", "."), value)
    for name, tensor in (tensors or random_tensors(sizes=sizes)).items():
        as_kind = gguf.GGMLQuantizationType.F32 if tensor.ndim == 1 else gguf.GGMLQuantizationType[kind]
        writer.add_tensor(name, gguf.quantize(tensor, as_kind), raw_dtype=as_kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize("library", [True, False])
@pytest.mark.parametrize("kind", ["F16", "Q8_0", "Q4_1"])
def test_file_of_another_model_is_read(gguf, tmp_path, monkeypatch, kind, library):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "tokenizers" and not library else find(name)
    )
    model = language_model.load(write_file(gguf, tmp_path / "small.gguf", kind=kind), progress=None)
    assert (model.num_layers, model.num_heads, model.num_key_value_heads) == (3, 4, 2)
    assert isinstance(model._tokenizer, gguf_file.LibraryTokenizer if library else bytes_pairs.Tokenizer)
    ids = model.encode("abc a<|end|>")
    assert [WORDS[k] for k in ids] == ["ab", "c", "Ġa", "<|end|>"] and model.decode(ids) == "abc a<|end|>"
    exact = LanguageModel(SIZES, random_tensors(sizes=SIZES | {"d_model": 64, "d_ff": 32}), None)
    limit = {"F16": 0.05, "Q8_0": 0.5, "Q4_1": 8}[kind]
    assert np.abs(model.read(ids).logits - exact.read(ids).logits).max() < limit


def test_a_part_of_a_model_and_a_pointer_of_git_lfs_are_named(gguf, tmp_path):
    path = write_file(gguf, tmp_path / "small-00001-of-00002.gguf", split__count=2)
    with pytest.raises(
        ValueError, match=r"00002.gguf must be a whole model, but it is one of 2 files: llama-gguf-split --merge"
    ):
        language_model.load(path, progress=None)
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 138000000\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"00002.gguf must be the file itself, but it is a pointer of Git LFS: run git lfs pull"
    ):
        language_model.load(path, progress=None)


def test_file_that_is_not_known_is_refused_by_name(gguf, tmp_path):
    sizes = SIZES | {"d_model": 64, "d_ff": 32}
    tensors, name = random_tensors(sizes=sizes), "blk.1.ffn_up.weight"
    cases = {
        "of the llama architecture, got 'qwen2'": {"architecture": "qwen2"},
        "one of the splits smollm, gpt-2, got 'gpt2' with 'qwen2'": {"split": "qwen2"},
        "a plain one, got one with positions scaled by 'yarn'": {"llama__rope__scaling__type": "yarn"},
        "got blk.0.attn_q.bias, too": {"tensors": tensors | {"blk.0.attn_q.bias": np.ones(64, np.float32)}},
        f"must hold the tensor {name}, but": {"tensors": {key: x for key, x in tensors.items() if key != name}},
        rf"{name} must have shape \(32, 64\), got \(64, 32\)": {"tensors": tensors | {name: tensors[name].T.copy()}},
        f"{name} must be finite": {"tensors": tensors | {name: np.full((32, 64), np.inf, np.float32)}, "kind": "F16"},
    }
    for number, (message, how) in enumerate(cases.items()):
        path = write_file(gguf, tmp_path / f"{number}.gguf", **how)
        with pytest.raises(ValueError, match=message):
            language_model.load(path, progress=None)


def test_lists_in_a_file_are_read_at_once_as_the_library_reads_them(gguf, tmp_path):
    path = write_file(gguf, tmp_path / "small.gguf")
    ours, theirs = gguf_file.open_file(path).fields, gguf.GGUFReader(path).fields
    assert {name: field.contents() for name, field in ours.items()} == {
        name: field.contents() for name, field in theirs.items()
    }
    kinds = [field.types for field in theirs.values()]
    assert [field.types for field in ours.values()] == kinds and sum(len(kind) > 1 for kind in kinds) >= 3


def test_a_layers_matrices_are_read_into_one_piece_of_memory_and_not_copied(gguf, tmp_path):
    shares = []
    sizes, tensors, *_ = gguf_file.read(write_file(gguf, tmp_path / "small.gguf"), shares.append)
    assert shares == sorted(shares) and shares[0] == 0.2 and shares[-1] == 1.0
    first, last = tensors["blk.1.attn_q.weight"], tensors["blk.1.ffn_down.weight"]
    model = language_model.LanguageModel(sizes, tensors, None)
    assert np.shares_memory(model._layers[1]["attn_qkv"], first) and np.shares_memory(
        model._layers[1]["ffn_down"], last
    )


@pytest.mark.parametrize("keep", [0, 700, -1000])
def test_damaged_file_is_told(gguf, tmp_path, keep):
    path = write_file(gguf, tmp_path / "small.gguf")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"small.gguf must be a whole GGUF file, but it is another or damaged"):
        language_model.load(path, progress=None)


@pytest.mark.parametrize("content", [b"a text", b"GGUF" + b"\xff" * 99])
def test_file_of_another_kind_is_told(gguf, tmp_path, content):
    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(ValueError, match=r"model.gguf must be a whole GGUF file, but it is another or damaged: .*\.$"):
        language_model.load(tmp_path / "model.gguf", progress=None)
    with pytest.raises(FileNotFoundError, match="path must be a GGUF file, but there is none at"):
        language_model.load(tmp_path, progress=None)


@pytest.mark.parametrize(("words", "seen"), [(None, False), ("opening", True)])
def test_a_bar_is_shown_only_with_words_for_it(capsys, words, seen):
    with language_model._told(words) as tell:
        tell(0.5)
    assert ("opening" in capsys.readouterr().err) is seen


def test_what_is_missing_is_told_with_the_way_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(language_model, "find", lambda: None)
    with pytest.raises(FileNotFoundError, match=r"must be installed, but .* not. README.md, below"):
        language_model.load()
    monkeypatch.setattr(language_model, "LIBRARIES", ("no_such_library",))
    with pytest.raises(FileNotFoundError, match=r"no_such_library must be installed, but is not. README.md, below"):
        language_model.load(tmp_path / "none.gguf")
    monkeypatch.setattr(language_model, "LIBRARIES", ())
    with pytest.raises(FileNotFoundError, match="path must be a GGUF file, but there is none at"):
        language_model.load(tmp_path / "none.gguf")


# --- the real one ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    if language_model.find() is None:
        pytest.skip("the real model is not installed: the extra model")
    return language_model.load(progress=None)


def test_real_model_says_what_transformers_and_pytorch_say(model):
    with np.load(REFERENCE) as reference:
        for name in ("Mary", "Paris", "code"):
            reading = model.read(reference[f"ids {name}"])
            assert np.abs(reading.logits[:, ::97] - reference[f"logits {name}"]).max() < 2e-3
            assert np.abs(reading.weights[::3] - reference[f"maps {name}"]).max() < 1e-3


def test_real_model_passes_the_drink_to_mary(model):
    ids = model.encode("When Mary and John went to the store, John gave a drink to")
    logits = model.read(ids).logits[-1]
    mary, john = (model.encode(name)[0] for name in (" Mary", " John"))
    assert decoder.probabilities(logits)[mary] == pytest.approx(0.923, abs=5e-4)
    assert logits[mary] - logits[john] == pytest.approx(6.12, abs=5e-3)
    off = model.read(ids, without=[(23, 3)]).logits[-1]
    assert logits[mary] - logits[john] - (off[mary] - off[john]) == pytest.approx(3.04, abs=5e-3)


@pytest.mark.parametrize("text", ["", "日本語 🎉 עברית", "123 45\n\n  x\t", "a<|im_end|>b", "don't  stop…"])
def test_real_tokenizer_gives_back_any_script(model, text):
    assert model.decode(model.encode(text)) == text


def test_half_an_emoji_becomes_the_sign_for_that(model):
    assert model.decode(model.encode("\ud83c half")) == "� half"


FOUR_THOUSAND = """
import resource
import numpy as np
from helpers import language_model

model = language_model.load(progress=None)
begun = model.encode("The capital of France is")
ids = (model.encode("Sarah took her cat to the park. ") * 600)[: 4096 - len(begun)] + begun
reading = model.read(ids, maps=False)
assert reading.logits.shape == (4096, model.vocabulary_size) and reading.weights is None
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, model.decode([reading.logits[-1].argmax()]))
"""


@pytest.mark.everything
@pytest.mark.skipif(
    importlib.util.find_spec("resource") is None, reason="Windows does not say how much memory was taken"
)
def test_real_model_reads_4096_tokens_in_3_gigabytes(model):
    done = subprocess.run([sys.executable, "-c", FOUR_THOUSAND], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    memory, word = done.stdout.split(maxsplit=1)
    assert int(memory) * (1 if sys.platform == "darwin" else 1024) < 3e9 and word.strip() == "Paris"
