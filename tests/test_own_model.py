"""What a learner's file can do at the end: with nothing of the course's mathematics it goes on with a text, as the model does."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from helpers import language_model, parts, your_program, yours
from tests.cells import Notebook

ROOT = Path(__file__).parents[1]
pytestmark = [
    pytest.mark.everything,
    pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model"),
]

RUN = """
import importlib, runpy, sys
from helpers import language_model, parts, your_program
from tests.test_architecture import MATHEMATICS
from tests.notebooks import dotted

class Refused(BaseException):
    pass

course = {importlib.import_module(dotted(name)).__file__ for name in MATHEMATICS - {"bytes_pairs"}}  # it cuts the text
assert parts.__file__ in course and len(course) > 20

def refuse(frame, event, argument):
    code = frame.f_code
    in_the_model = code.co_filename == language_model.__file__ and code.co_name != "find"
    if event == "call" and (code.co_filename in course or in_the_model):
        raise Refused(f"{code.co_filename}: {code.co_name}")

sys.argv = sys.argv[1:]
sys.setprofile(refuse)
runpy.run_path(sys.argv[0], run_name="__main__")
"""
AWKWARD = '''
# softmax
softmax = lambda s: shares(np.exp(s - biggest(s)))


def biggest(s):
    return s.max(axis=-1, keepdims=True)


def shares(p):
    return p / p.sum(axis=-1, keepdims=True)
# split_heads
def cut(x, n):
    """Column by column."""
    d = x.shape[-1] // n
    return np.stack([x[..., k * d : (k + 1) * d] for k in range(n)], axis=-3)


split_heads = cut
# merge_heads
def merge_heads(x):
    return np.concatenate([x[..., k, :, :] for k in range(x.shape[-3])], axis=-1)
# causal_mask
def causal_mask(n, m=None):
    m = m or n  # square
    rows = []
    for q in range(n):
        row = []
        for k in range(m):
            row.append(k <= m - n + q)
        rows.append(row)
    return np.array(rows)
# rms_norm
EPSILON = 1e-5


def rms_norm(x):
    return x / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + np.float64(EPSILON))  # 64 bits!
# next_token
def next_token(z, T, p, rng):
    if not T:
        return z.argmax()
    q = softmax(z / T)
    best = sorted(range(len(q)), key=lambda k: -q[k])
    kept, total = [], 0.0
    for k in best:
        if total >= p:
            break
        kept.append(k)
        total += q[k]
    return rng.choice(kept, p=q[kept] / q[kept].sum())
# rotate
def rotate(z, where, base=10_000.0):
    out = np.array(z, dtype=float)
    for i in range(z.shape[-1] // 2):
        angle = np.asarray(where) / base ** (2 * i / z.shape[-1])
        c, s = np.cos(angle), np.sin(angle)
        out[..., 2 * i] = c * z[..., 2 * i] - s * z[..., 2 * i + 1]
        out[..., 2 * i + 1] = s * z[..., 2 * i] + c * z[..., 2 * i + 1]
    return out
# shared_attention
def shared_attention(q, k, v, mask):
    each = []
    for h in range(len(q)):
        g = h * len(k) // len(q)
        s = q[h] @ k[g].T / np.sqrt(q.shape[-1])
        s[~mask] = -np.inf
        each.append(yours.softmax(s) @ v[g])
    return np.stack(each)
# swiglu
def swiglu(x, A, B, C):
    def silu(z):
        return z / (1 + np.exp(-np.clip(z, -80, None)))

    return (silu(x @ A) * (x @ B)) @ C
# model_layer
def model_layer(x, W, sizes, cache=None):
    before = 0
    if cache:
        before = cache[0].shape[-2]

    def heads(h, name, turn):
        many = sizes["num_heads"] if name == "attn_q" else sizes["num_key_value_heads"]
        z = yours.split_heads(h @ W[name].T, many)
        return yours.rotate(z, before + np.arange(len(x)), sizes["base"]) if turn else z

    h = yours.rms_norm(x) * W["attn_norm"]
    q, k, v = heads(h, "attn_q", True), heads(h, "attn_k", True), heads(h, "attn_v", False)
    if cache:
        k, v = np.concatenate((cache[0], k), -2), np.concatenate((cache[1], v), -2)
    found = yours.shared_attention(q, k, v, attention.causal_mask(len(x), before + len(x)))
    x = x + attention.merge_heads(found) @ W["attn_output"].T
    return x + yours.swiglu(rms_norm(x) * W["ffn_norm"], W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T), [k, v]
# read
NINE = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


def read(ids, file, sizes, caches=None):
    x = np.stack([file["token_embd"][k] for k in ids])
    caches = list(caches or [None] * sizes["num_layers"])
    for i in range(sizes["num_layers"]):
        x, caches[i] = yours.model_layer(x, {n: file["blk.%d.%s" % (i, n)] for n in NINE}, sizes, caches[i])
    return rms_norm(x) * file["output_norm"] @ file.get("output", file["token_embd"]).T, caches
# write
def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    ids = [*ids]
    z, caches = yours.read(ids, file, sizes)
    while num_tokens > 0:
        ids.append(yours.next_token(z[-1], temperature, top_p, rng))
        z, caches = yours.read(ids[-1:], file, sizes, caches)
        num_tokens -= 1
    return ids
'''


def goes_on(file, text, count):
    """What `python my_model.py` prints, in a process where nothing of the course's mathematics may run."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, file, text, "--tokens", str(count)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def solved_in_lessons():
    """(part, the solution that its lesson folds away), in the order of the lessons."""
    for name, lesson in parts.LESSONS.items():
        for cell in nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4).cells:
            if f"solution-{name}" in cell.metadata.get("tags", []):
                yield name, re.search(r"^```python\n(.*?)^```$", cell.source, re.S | re.M)[1]


def test_the_solutions_of_the_lessons_are_a_language_model(file):
    notebook = Notebook()
    for name, source in solved_in_lessons():
        assert notebook.run(source).check(name)[-1].startswith("Kept"), name
    assert {part.by for part in yours.parts()} == {"you"}
    said = goes_on(file, "The capital of France is", 2)
    assert (
        said.startswith("The capital of France is Paris.\n")
        and "13 functions of yours, 79 lines, wrote this at" in said
    )
    story = "Sarah was walking in the park with her cat, Alex. The woman's name is"
    assert goes_on(file, story, 1).startswith(f"{story} Sarah\n")


def test_your_own_layer_says_how_fast_it_writes(file, capsys):
    slow = inspect.getsource(parts.model_layer).replace("    past =", "    calls.append(1)\n    past =")
    yours.keep("model_layer", f"calls = []\n\n\n{slow}")
    your_program.layer_speed(num_tokens=2)
    words, speeds = capsys.readouterr().out.splitlines()
    assert words.startswith("The capital of France is Paris.") and len(yours.model().space["calls"]) == 2 * 30
    mine, course = map(
        float,
        re.fullmatch(r"Written with your layer: (\d+\.\d) tokens .* course's: (\d+\.\d) tokens .*", speeds).groups(),
    )
    assert mine > 0 and course > 0


def test_an_awkward_learner_s_answers_are_one_too(file):
    notebook = Notebook()
    for name, source in re.findall(r"^# (\w+)\n(.*?)(?=^# \w+\n|\Z)", AWKWARD, re.S | re.M):
        assert notebook.run(source).check(name)[-1].startswith("Kept"), name
    said = goes_on(file, "The capital of France is", 12)
    assert (
        said.startswith("The capital of France is Paris.")
        and "12 functions of yours, 86 lines, and 1 of the course's wrote this at" in said
    )
    assert "stopped with" not in said


def test_the_solution_of_a_lesson_is_the_course_s_part():
    for name, source in solved_in_lessons():
        course = inspect.getsource(getattr(parts, name)).strip()
        assert re.sub(r"\b(?:yours|attention)\.(?!multi)", "", source.strip()) == course
