"""Terms of the field are explained in the prose of a lesson before they are used, in the order of the lessons."""

import json
import re

import pytest

from tests.notebooks import lessons

TERMS = """
    inductive bias, parameters, feature, one-hot, projection, linear layer, softmax, temperature, convex hull, rank,
    self-attention, cross-attention, median, Jacobian, batch, causal mask, autoregressive, encoder,
    decoder, residual, layer norm, RMS norm, post-norm, pre-norm, activation, gelu, feed-forward network, span,
    teacher forcing, embedding, vocabulary, logit, greedy, dropout, floating-point operation, loss, cross-entropy,
    gradient descent, learning rate, optimiser, epoch, accuracy, held out, schedule, invariant, multi-query attention,
    grouped-query attention, sliding window, latent attention, kernel, head, transformer, neuron, ReLU, gradient, cache,
    prompt, residual stream, induction head, online softmax, decoder-only, memory, sinusoidal, context, sampling, beam search,
    soft select, cosine similarity, variance, probability, gate, perplexity, dot product,
    standard deviation, recurrent network, router
""".replace("\n", " ")
AHEAD = re.compile(r"lesson\]? ?\(?\d\d|\[lesson \d\d\]|lesson \d\d")  # says where it is explained


def sentences():
    """(lesson, text) of all prose, sentence by sentence, in order; without heads of lessons, small print, links, code and maps."""
    for path in lessons():
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"][1:]:
            if cell["cell_type"] == "markdown":
                text = re.sub(r"<details><summary>\d+ minutes.*?</details>", "", "".join(cell["source"]), flags=re.S)
                text = re.sub(r"`[^`]*`", "", text)
                text = re.sub(r"^\| \[\d\d .*$|^\| (?:one evening|a lecturer|the whole).*$|^#.*$", "", text, flags=re.M)
                for sentence in re.split(r"(?<=[.?!:)])\s+|\n", text):
                    yield path.name[:2], sentence


ALL = list(sentences())


def explained(term, text):
    return re.search(rf"\*{{1,2}}[^*]*\b{re.escape(term)}(?:s|ed)?\b[^*]*\*", text, re.I)


def used(term, text):
    return re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text, re.I)


def first_use(term, texts):
    """What is wrong with the first use of a term: None, or where it stands unexplained."""
    for lesson, text in texts:
        if explained(term, text):
            return None
        if used(term, text) and not AHEAD.search(text):
            return f"lesson {lesson} uses {term!r} before a lesson explains it (in *stars*): {text[:120]}"
    return f"no lesson explains {term!r}"


@pytest.mark.parametrize("term", [term.strip() for term in TERMS.split(",")])
def test_term_is_explained_where_it_is_first_used(term):
    assert first_use(term, ALL) is None


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        ([("01", "The **logit** is a score."), ("02", "A logit grows.")], True),
        ([("01", "A logit grows."), ("02", "The **logit** is a score.")], False),
        ([("01", "A logit (lesson 01) grows."), ("02", "Its *logits* are scores.")], True),
        ([("01", "Scores grow.")], False),
    ],
)
def test_a_term_used_too_early_or_never_explained_is_found(texts, right):
    assert (first_use("logit", texts) is None) == right
