"""Decoders that are wired wrongly: whose answer leaks where."""

import numpy as np

from helpers import transformer
from helpers.attention import causal_mask, softmax
from rooms.shared import french
from rooms.stack_a_transformer import translator
from rooms.stack_a_transformer.hearing import add_cells
from rooms.stack_a_transformer.translator import END, HEARD
from workbench import Drawing, Rule, by_width, wrong_turns

_TOLD = french.sentence("car", "", "red", "turns")
ENGLISH, GOALS = _TOLD.english, [*_TOLD.french, END]
NAMES = [*ENGLISH, *_TOLD.french, "end"]
N, M = len(ENGLISH), len(GOALS)


def explore_wrong_decoder():
    """Connect the decoder wrongly, and see whose answer leaks where.

    Shown: moves (5, 9), how far the probabilities of row i move when a word of the source, or of the target, is replaced
    """
    return wrong_turns(
        "the decoder",
        _WIRINGS,
        _probe,
        lambda now: by_width(_probe_map(now, 190, 36), _probe_map(now, 124, 22)),
        lambda now: (
            f"A row moves by up to {_answers(now).max():.3f} when the word that it must give, or a later one, is replaced, and by "
            f"up to {_source(now):.3f} with the source."
        ),
        [
            Rule("no row sees the word that it must give", lambda now: _answers(now).max(), "the word that it must give moves a row by {:.3f}", HEARD),
            Rule("the decoder hears the source", lambda now: (_source(now) > HEARD, "another source gives the same output")),
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


def _probabilities(texts, *, shifted=True, mask=_CAUSAL, own_memory=False):
    model = translator.load_model()
    source, target = np.split(french.numbered(texts, N + M, french.PAD), [N], axis=1)
    reads = np.insert(target[:, :-1], 0, french.START, axis=1) if shifted else target
    if own_memory:
        memory = transformer.embed(reads, model["embedding"])
    else:
        memory = transformer.encode(source, model, **french.MODEL)
    return softmax(transformer.decode(reads, memory, model, **french.MODEL, mask=mask))


def _probe(how):
    moves = translator.replace_each(lambda texts: translator.moved(_probabilities(texts, **how)), [*ENGLISH, *GOALS])
    return {"moves": moves}


def _answers(now):
    """How far each row moves with the word that it must give, and with those behind it."""
    return np.triu(now.moves[:, N:])


def _source(now):
    """How far a row moves with the source."""
    return now.moves[:, :N].max()


def _probe_in_words(now, i, j):
    text = "source" if j < N else "target"
    return f"another word in the place of “{NAMES[j]}” of the {text}: what row “{NAMES[N + i]}” says moves by {now.moves[i, j]:.3f}"


def _probe_map(now, left, cell):
    top = 106
    drawing = Drawing(left + (N + M) * cell + 10, top + M * cell + 46)
    for k, line in enumerate(("Along the top: the word that is replaced.", "A filled cell is an answer that moves.")):
        drawing.words(0, 14 + 17 * k, line, size=13, colour="muted", anchor="start")
    for j, word in enumerate(NAMES):
        x = left + cell * (j + 0.5) + 4
        drawing.words(x, top - 8, word, size=13, anchor="start", transform=f"rotate(-60 {x:.1f} {top - 8})")
    for i, word in enumerate(NAMES[N:]):
        drawing.words(left - 8, top + cell * (i + 0.5) + 5, f"must give {word}", size=13, anchor="end")
    wrong = np.zeros_like(now.moves, dtype=bool)
    wrong[:, N:] = _answers(now) > HEARD
    add_cells(drawing, now.moves, left, top, cell, wrong, now.places("moves"))
    edge, low = left + N * cell, top + M * cell + 22
    drawing.line((edge, top), (edge, low - 10), "muted", 1)
    for x, name in ((left + cell * N / 2, "source"), (edge + cell * M / 2, "target")):
        drawing.words(x, low, name, size=13, colour="muted")
    stairs = f"M {edge} {top} v {cell} {f'h {cell} v {cell} ' * (M - 1)}h {cell} V {top} Z"
    drawing.add("path", d=stairs, fill="none", stroke="wrong", stroke_width=2, stroke_dasharray="5 4")
    drawing.words(edge + cell * M / 2, low + 17, "must stay empty", size=13, colour="wrong")
    heard = "; ".join(
        f"must give {NAMES[N + i]}: {', '.join(NAMES[j] for j in np.flatnonzero(line > HEARD)) or 'nothing'}"
        for i, line in enumerate(now.moves)
    )
    return drawing.html(f"Which words move which row. {heard}.")
