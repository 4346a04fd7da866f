"""The encoder and the decoder of 2017: generation letter by letter, and who may see what."""

import copy
import functools

import numpy as np

from helpers import matrices
from helpers.attention import causal_mask, softmax
from helpers.explorers.controls import slider, stops, switch, text_field
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.strings import read_letters
from helpers.explorers.sums import decimals, power_share, shared
from helpers.explorers.touch import Touch
from helpers.layers import decoder_layer, encoder_layer
from helpers.pictures.diagrams import Part, tower
from helpers.positions import sinusoidal_positional_encoding
from helpers.transformer import copying_transformer, embed, random_transformer

VOCABULARY = ["A", "B", "<s>", "</s>"]
START, END = 2, 3
LONGEST = 6
NUM_HEADS = 2
TARGET = [0, 0, 1, 0]  # A A B A


BOXES = {  # name -> (switch that cuts it, or None)
    "positions": "positions",
    "encoder: self-attention": "self_attention",
    "encoder: feed-forward": "feed_forward",
    "decoder: self-attention": "self_attention",
    "decoder: cross-attention": "cross_attention",
    "decoder: feed-forward": "feed_forward",
    "linear and softmax": None,
}
POSITIONS, READ, THINK, LOOK_BACK, HEAR, RETHINK, SPEAK = range(len(BOXES))
CUTS = ["positions", "self_attention", "cross_attention", "feed_forward"]


def explore_generation():
    """Let a transformer whose cross-attention was set by hand copy a string, one letter at each step: open its boxes, cut
    its arrows.

    Shown: written (num_written,) token numbers from the start token on, up to step + 1 or to the end token; weights
    (num_written, num_source) of the first head of the cross-attention in the first decoder layer; encoder_weights
    (num_source, num_source) and decoder_weights (num_written, num_written) of the self-attentions there; scores and
    probabilities (num_written, 4) of the next token
    """
    return explorer(
        _generate,
        lambda now: (_encoder(now), _decoder(now), matrices.under(_opened(now), _next_token(now))),
        _say_what_is_written,
        [SHARES, Rule("what is written, and what comes next, copies the source", _copies)],
        presets={
            "from the start": {"step": 0},
            "to the end": {"step": LONGEST + 1},
            "BABBA": {"string": "BABBA", "step": 5},
        },
        touch={
            "box": Touch(lambda now, k: {"opened": list(BOXES)[k]}, lambda now, k: f"open {list(BOXES)[k]}"),
            "arrow": Touch(
                lambda now, k: {CUTS[k]: not now.control_values[CUTS[k]]},
                lambda now, k: f"{'cut' if now.control_values[CUTS[k]] else 'mend'}: {CUTS[k].replace('_', '-')}",
            ),
            "write": Touch(
                lambda now, k: {"step": min(len(now.written), LONGEST + 1)}, lambda now, k: "write the next token"
            ),
        },
        sums={
            **{name: functools.partial(_look_in_words, name) for name in _ATTENTIONS},
            "waves": _wave_in_words,
            "scores": _score_in_words,
            "probabilities": _chance_in_words,
        },
        folded=["opened", "positions", "self_attention", "cross_attention", "feed_forward"],
        string=text_field("source: string of A and B", "AABA"),
        step=slider("tokens written, at most", 2, 0, LONGEST + 1, 1),  # the end mark is one, too
        opened=stops("open box", [(name, name) for name in BOXES], list(BOXES)[HEAR]),
        positions=switch("positions are added to the tokens", True),
        self_attention=switch("self-attention", True),
        cross_attention=switch("cross-attention", True),
        feed_forward=switch("feed-forward", True),
    )


def explore_leak():
    """Change one token that the decoder reads, and see which places notice.

    Shown: before and after (5,) token numbers; differences (4, 5), how far each place moved in what goes in, after either
    layer, and in the probabilities; weights (5, 5) of the self-attention in the first layer
    """
    return explorer(
        _leak,
        _show_leak,
        lambda now: (
            f"The letter at place {now.place} changes. Earlier places move by up to "
            f"{now.differences[:, : now.place].max():.3f}, this one and any later ones by up to "
            f"{now.differences[:, now.place :].max():.3f}."
        ),
        [
            SHARES,
            Rule(
                "places before the change do not move",
                lambda now: now.differences[:, : now.place].max(),
                "one moved by {:.3f}",
            ),
        ],
        touch={
            "letter": Touch(
                lambda now, k: {"place": max(k, 1)}, lambda now, k: f"change the letter at place {max(k, 1)}"
            )
        },
        sums={
            "differences": _difference_in_words,
            "weights": lambda now, i, j: f"head 1: place {i} looks at place {j}, {shared(now.causal and j > i)}",
        },
        folded=["place"],
        place=slider("change the letter at place", 3, 1, 4, 1),
        causal=switch("causal mask", True),
    )


def explore_wrong_decoder():
    """Connect the decoder wrongly, and see whose answer leaks where.

    Shown: moves (4, 4), how far the probabilities of row i move when letter j of the target is changed; source (4,), how far
    they move when the first letter of the source is changed; weights (4, 4) of the self-attention
    """
    return wrong_turns(
        "the decoder",
        _WIRINGS,
        _probe,
        _show_probe,
        lambda now: (
            f"A row moves by up to {np.triu(now.moves).max():.3f} when the letter that it must give, or a later one, is "
            f"changed; row 1 moves by {now.source[0]:.3f} when the source begins with another letter."
        ),
        [
            Rule(
                "no row sees the letter that it must give",
                lambda now: np.triu(now.moves).max(),
                "one moves by {:.3f} with it",
            ),
            Rule("the decoder hears the source", lambda now: (now.source[0] > 1e-6, "another source, the same output")),
        ],
        sums={
            "moves": lambda now, i, j: _move_in_words(i, f"letter {j + 1} of the target"),
            "source": lambda now, i, j: _move_in_words(i, "the first letter of the source"),
        },
    )


# --- the model, with parts left out ----------------------------------------------------------------------------------


def _silenced(parts):
    """The parameters of the copying model; `parts` add nothing, because their last matrix is 0."""
    parameters = copy.deepcopy(copying_transformer())
    for layer in [*parameters["encoder"], *parameters["decoder"]]:
        for part in set(parts) & set(layer):
            for name in {"W_output", "b_output", "W_out", "b_out"} & set(layer[part]):
                layer[part][name] = np.zeros_like(layer[part][name])
    return parameters


def _place(tokens, parameters, positions):
    x = embed(tokens, parameters["embedding"])
    return x if positions else x - sinusoidal_positional_encoding(*x.shape)


def _read(source, parameters, positions=True):
    """The memory, and what the first layer's self-attention did."""
    x, attentions = _place(source, parameters, positions), []
    for layer in parameters["encoder"]:
        x, seen = encoder_layer(x, layer, num_heads=NUM_HEADS, with_attention=True)
        attentions.append(seen["self_attention"])
    return x, attentions[0]


def _write(written, memory, parameters, mask, positions=True):
    """What goes in, the output of every layer, the scores of the next token, and what the attentions did."""
    stages, attentions = [_place(written, parameters, positions)], []
    for layer in parameters["decoder"]:
        x, seen = decoder_layer(stages[-1], memory, layer, num_heads=NUM_HEADS, mask=mask, with_attention=True)
        stages.append(x)
        attentions.append(seen)
    return stages, stages[-1] @ parameters["W_vocabulary"] + parameters["b_vocabulary"], attentions


# --- generation ------------------------------------------------------------------------------------------------------


def _tokens(string):
    return [*map("AB".index, read_letters(string, "source", LONGEST)), END]


def _generate(string, step, opened, positions, **parts):
    source = _tokens(string)
    parameters = _silenced([name for name, on in parts.items() if not on])
    memory, looked = _read(source, parameters, positions)
    written = [START]
    while True:
        _, scores, attentions = _write(written, memory, parameters, causal_mask(len(written)), positions)
        if len(written) > step or written[-1] == END:
            break
        written.append(int(np.argmax(scores[-1])))
    return {
        "source": np.array(source),
        "written": np.array(written),
        "weights": attentions[0]["cross_attention"].weights[0],
        "encoder_weights": looked.weights[0],
        "decoder_weights": attentions[0]["self_attention"].weights[0],
        "scores": scores,
        "probabilities": softmax(scores),
    }


def _words(tokens):
    return [VOCABULARY[token] for token in tokens]


def _part(now, box, words, note=""):
    name = list(BOXES.values())[box]
    cut = name is not None and not now.control_values[name]
    return Part(words, note, box, None if name is None else CUTS.index(name), cut)


def _tower(now, parts, name):
    chosen = list(BOXES).index(now.opened)
    return tower(parts, name, boxes=now.places("box"), arrows=now.places("arrow"), chosen=chosen, width=128)


def _encoder(now):
    rows = len(now.source)
    parts = [
        Part("memory", f"({rows}, 16)"),
        _part(now, THINK, "feed-forward", "then layer norm"),
        _part(now, READ, "self-attention", "then layer norm"),
        _part(now, POSITIONS, "positions"),
        Part(" ".join(_words(now.source)), "source"),
    ]
    return _tower(now, parts, "encoder, 2 layers")


def _decoder(now):
    rows = len(now.written)
    parts = [
        _part(now, SPEAK, "linear, softmax", f"({rows}, 4)"),
        _part(now, RETHINK, "feed-forward", "then layer norm"),
        _part(now, HEAR, "cross-attention", "asks the memory"),
        _part(now, LOOK_BACK, "self-attention", "causal"),
        _part(now, POSITIONS, "positions"),
        Part(" ".join(_words(now.written)), "written"),
    ]
    return _tower(now, parts, "decoder, 2 layers")


def _opened(now):
    """What is in the box that is open: weights of an attention, waves, or what goes through."""
    source, written = _words(now.source), _words(now.written)
    last, name = len(written) - 1, f"{now.opened}, layer 1"
    box = list(BOXES).index(now.opened)
    if box == READ:
        looks = {**_LOOKS, "rows": source, "columns": source, "places": now.places("encoder_weights")}
        return matrices.matrix(now.encoder_weights, name, corner="query ↓ key →", **looks)
    if box == LOOK_BACK:
        blocked = ~causal_mask(len(written))
        looks = {
            **_LOOKS,
            "rows": written,
            "columns": written,
            "chosen_row": last,
            "places": now.places("decoder_weights"),
        }
        return matrices.matrix(now.decoder_weights, name, blocked=blocked, corner="query ↓ key →", **looks)
    if box == HEAR:
        looks = {**_LOOKS, "rows": written, "columns": source, "chosen_row": last, "places": now.places("weights")}
        return matrices.matrix(now.weights, name, corner="written ↓ source →", **looks)
    if box == POSITIONS:
        waves = sinusoidal_positional_encoding(len(source), 16)[:, :4] * now.positions
        return matrices.matrix(
            waves,
            "positions, dimensions 0 to 3 of 16",
            kind="scores",
            limit=1.0,
            decimals=2,
            rows=source,
            columns=range(4),
            places=now.places("waves"),
        )
    if box == SPEAK:
        return matrices.matrix(
            now.scores, "scores of the vocabulary (logits)", kind="scores", rows=written, columns=VOCABULARY, decimals=2,
            places=now.places("scores"),
        )  # fmt: skip
    rows = len(source) if box == THINK else len(written)
    return matrices.table(
        [["in", f"({rows}, 16)"], ["inside", f"({rows}, 32)"], ["out", f"({rows}, 16)"]], name, ["each row on its own"]
    )


_LOOKS = {"kind": "weights", "decimals": 2}
_ATTENTIONS = {
    "weights": ("written", "source"),
    "encoder_weights": ("source", "source"),
    "decoder_weights": ("written", "written"),
}


def _look_in_words(name, now, i, j):
    asks, asked = (_words(now[side])[k] for side, k in zip(_ATTENTIONS[name], (i, j)))
    return (
        f"head 1: query {i + 1}, {asks}, looks at key {j + 1}, {asked}: {shared(name == 'decoder_weights' and j > i)}"
    )


def _wave_in_words(now, i, j):
    if not now.positions:
        return "0: no positions are added"
    return f"{'cos' if j % 2 else 'sin'}({i} / 10000^({j // 2 * 2}/16))"


def _score_in_words(now, i, j):
    return f"row {i + 1} of the last layer · column {VOCABULARY[j]} of W_vocabulary, plus its bias"


def _chance_in_words(now, i, j):
    return f"{power_share(now.scores[i], j)} = {decimals(now.probabilities[i, j])}"


def _next_token(now):
    rows, last = _words(now.written), len(now.written) - 1
    write = now.places("write").attributes(0) if now.written[-1] != END and now.step <= LONGEST else ""
    button = f'<span{write} style="border:1px solid #999;border-radius:6px;padding:2px 8px;font-size:13px;">write the next token</span>'
    table = matrices.matrix(
        now.probabilities, "next token", kind="weights", decimals=2, rows=rows, columns=VOCABULARY,
        corner="after ↓ comes →", chosen_row=last, places=now.places("probabilities"),
    )  # fmt: skip
    return matrices.under(table, matrices.Html(button, "")) if write else table


def _say_what_is_written(now):
    chances = now.probabilities[-1]
    best = int(np.argmax(chances))
    written = " ".join(_words(now.written[1:])) or "nothing"
    if now.written[-1] == END:
        return f"Written: {written}. The end mark has come, and the model stops."
    return f"Written so far: {written}. Next comes {VOCABULARY[best]}, with probability {chances[best]:.3f}."


def _copies(now):
    written, source = now.written[1:], now.source
    right = len(written) <= len(source) and np.array_equal(written, source[: len(written)])
    if right and (len(written) == 0 or written[-1] != END):
        right = int(np.argmax(now.scores[-1])) == source[len(written)]
    return right, "a letter differs"


# --- leak ------------------------------------------------------------------------------------------------------------


def _drawn_at_random():
    """A leak is a matter of the wiring: weights at full strength, drawn at random, show it best."""
    return random_transformer(np.random.default_rng(13), len(VOCABULARY), 16, NUM_HEADS, 32, num_layers=2)


def _leak(place, causal):
    parameters = _drawn_at_random()
    memory, _ = _read([*TARGET, END], parameters)
    before = np.array([START, *TARGET])
    after = before.copy()
    after[place] = 1 - after[place]
    mask = causal_mask(len(before)) if causal else None
    differences = []
    (stages, scores, attentions), (moved, moved_scores, _) = (
        _write(tokens, memory, parameters, mask) for tokens in (before, after)
    )
    for one, other in [*zip(stages, moved), (softmax(scores), softmax(moved_scores))]:
        differences.append(np.abs(one - other).max(axis=-1))
    return {
        "before": before,
        "after": after,
        "differences": np.array(differences),
        "weights": attentions[0]["self_attention"].weights[0],
    }


_STAGES = ["goes in", "after layer 1", "after layer 2", "probabilities"]


def _difference_in_words(now, i, j):
    return f"place {j}, {_STAGES[i]}: largest change of its {4 if i == 3 else 16} numbers"


def _show_leak(now):
    read = _words(now.before)
    places = [f"{place} {word}" for place, word in enumerate(read)]
    places[now.place] += f" → {VOCABULARY[now.after[now.place]]}"
    blocked = ~causal_mask(5) if now.causal else None
    asked = matrices.running(
        [f"{word}" for word in read], now.differences[0], "what the decoder reads: click a letter to change it",
        numbers=None, chosen=now.place, kind="scores", limit=4.0, places=now.places("letter"),
    )  # fmt: skip
    return [
        asked,
        [
            now.table(
                "differences", "how far each place moves", kind="scores", limit=4.0, rows=_STAGES, columns=places
            ),
            now.table(
                "weights",
                "self-attention, layer 1",
                rows=read,
                columns=read,
                decimals=2,
                blocked=blocked,
                row_sums=False,
            ),
        ],
    ]


# --- wrong wirings ---------------------------------------------------------------------------------------------------

_CAUSAL = causal_mask(4)
_WIRINGS = {  # what the decoder reads, its mask, and whether the cross-attention hears the encoder
    "as in 2017": {},
    "reads the target without shifting it": {"shifted": False},
    "no causal mask": {"mask": None},
    "mask the wrong way round": {"mask": _CAUSAL.T},
    "memory is the decoder's own input": {"own_memory": True},
}


def _probabilities(target, source, *, shifted=True, mask=_CAUSAL, own_memory=False):
    parameters = _drawn_at_random()
    reads = [START, *target[:-1]] if shifted else target
    memory = _place(reads, parameters, True) if own_memory else _read([*source, END], parameters)[0]
    _, scores, attentions = _write(reads, memory, parameters, mask)
    return softmax(scores), attentions[0]["self_attention"].weights[0]


def _probe(how):
    usual, weights = _probabilities(TARGET, TARGET, **how)
    moves = np.empty((4, 4))
    for j in range(4):
        target = [1 - letter if k == j else letter for k, letter in enumerate(TARGET)]
        moves[:, j] = np.abs(_probabilities(target, TARGET, **how)[0] - usual).max(axis=-1)
    other_source, _ = _probabilities(TARGET, [1, *TARGET[1:]], **how)
    return {
        "moves": moves,
        "source": np.abs(other_source - usual).max(axis=-1),
        "weights": weights,
        "probabilities": usual,
    }


def _move_in_words(i, which):
    return f"row {i + 1}: largest change of its 4 probabilities when {which} is changed"


def _show_probe(now):
    target = _words(TARGET)
    must_be_0 = {(i, j): "factor" for i in range(4) for j in range(i, 4)}
    return (
            now.table(
                "moves", "how far a row moves", kind="scores", limit=1.0, marks=must_be_0,
                rows=[f"gives letter {i + 1}, {word}" for i, word in enumerate(target)],
                columns=[f"{j + 1}: {word}" for j, word in enumerate(target)], corner="row ↓ changed letter →",
            ),
            now.table("source", "source changed", column="1: A → B", kind="scores", limit=1.0),
)  # fmt: skip
