"""Decoders that are wired wrongly: whose answer leaks where."""

import numpy as np

from helpers import transformer
from helpers.attention import causal_mask, softmax
from rooms.stack_a_transformer.towers import (
    HEARD,
    NUM_HEADS,
    SOURCE,
    SOURCE_WORDS,
    TARGET,
    TARGET_WORDS,
    WRITTEN,
    M,
    N,
    draw_cells,
    drawn_at_random,
    replaced,
)
from workbench.moving.engine import Rule, wrong_turns
from workbench.pictures.html import by_width
from workbench.pictures.svg import Drawing


def explore_wrong_decoder():
    """Connect the decoder wrongly, and see whose answer leaks where.

    Shown: moves (5, 9), how far the probabilities of row i move when a token of the source, or of the target, is replaced
    """
    return wrong_turns(
        "the decoder",
        _WIRINGS,
        _probe,
        lambda now: by_width(_probe_map(now, 190, 36), _probe_map(now, 120, 24)),
        lambda now: (
            f"A row moves by up to {_answers(now).max():.3f} when the token that it must give, or a later one, is replaced, and by "
            f"up to {now.moves[:, :N].max():.3f} with the source."
        ),
        [
            Rule("no row sees the token that it must give", lambda now: _answers(now).max(), "the token that it must give moves a row by {:.3f}"),
            Rule("the decoder hears the source", lambda now: (now.moves[:, :N].max() > HEARD, "another source gives the same output")),
        ],
        sums={"moves": _probe_in_words},
    )  # fmt: skip


_CAUSAL = causal_mask(M)
_WIRINGS = {  # what the decoder reads, its mask, and whether the cross-attention hears the encoder
    "as in 2017": {},
    "reads the target without shifting it": {"shifted": False},
    "no causal mask": {"mask": np.ones((M, M), bool)},
    "mask the wrong way round": {"mask": _CAUSAL.T},
    "memory is the decoder’s own input": {"own_memory": True},
}


def _probabilities(source, target, *, shifted=True, mask=_CAUSAL, own_memory=False):
    parameters = drawn_at_random()
    reads = [WRITTEN[0], *target[:-1]] if shifted else target
    encoded = transformer.encode(source, parameters, num_heads=NUM_HEADS)
    memory = transformer.embed(reads, parameters["embedding"]) if own_memory else encoded
    return softmax(transformer.decode(reads, memory, parameters, num_heads=NUM_HEADS, mask=mask))


def _probe(how):
    return {"moves": replaced(lambda tokens: _probabilities(tokens[:N], tokens[N:], **how), SOURCE + TARGET)}


def _answers(now):
    """How far each row moves with the token that it must give, and with those behind it."""
    return np.triu(now.moves[:, N:])


def _probe_in_words(now, i, j):
    part = f"“{SOURCE_WORDS[j]}” of the source" if j < N else f"“{TARGET_WORDS[j - N]}” of the target"
    return f"{part} is replaced: what row “{TARGET_WORDS[i]}” says moves by {now.moves[i, j]:.3f}"


def _probe_map(now, left, cell):
    top = 106
    drawing = Drawing(left + (N + M) * cell + 3, top + M * cell + 46)
    for k, line in enumerate(("A column replaces one token.", "A filled cell is an answer that moves.")):
        drawing.words(0, 14 + 17 * k, line, size=13, colour="muted", anchor="start")
    wrong = np.zeros_like(now.moves, dtype=bool)
    wrong[:, N:] = _answers(now) > HEARD
    rows = [f"must give {word}" for word in TARGET_WORDS]
    draw_cells(drawing, now, left, top, cell, SOURCE_WORDS + TARGET_WORDS, rows, wrong)
    edge, low = left + N * cell, top + M * cell + 22
    drawing.line((edge, top - 56), (edge, low - 10), "muted", 1)
    for x, name in ((left + cell * N / 2, "source"), (edge + cell * M / 2, "target")):
        drawing.words(x, low, name, size=13, colour="muted")
    stairs = f"M {edge} {top} v {cell} {f'h {cell} v {cell} ' * (M - 1)}h {cell} V {top} Z"
    drawing.add("path", d=stairs, fill="none", stroke="wrong", stroke_width=2, stroke_dasharray="5 4")
    drawing.words(edge + cell * M / 2, low + 17, "must stay empty", size=13, colour="wrong")
    heard = "; ".join(
        f"{row}: {', '.join((SOURCE_WORDS + TARGET_WORDS)[j] for j in np.flatnonzero(line > HEARD)) or 'nothing'}"
        for row, line in zip(rows, now.moves)
    )
    return drawing.html(f"Which tokens move which row. {heard}.")
