"""The encoder and the decoder of 2017: generation letter by letter, and who may see what."""

import copy

import numpy as np

from helpers import matrices
from helpers.attention import causal_mask, softmax
from helpers.explorers.controls import choose, slider, switch, text_field
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.explorers.query import read_letters
from helpers.layers import decoder_layer, encoder_layer
from helpers.positions import sinusoidal_positional_encoding
from helpers.transformer import copying_transformer, embed, random_transformer

VOCABULARY = ["A", "B", "<s>", "</s>"]
START, END = 2, 3
LONGEST = 6
NUM_HEADS = 2
TARGET = [0, 0, 1, 0]  # A A B A


def explore_generation():
    """Let a transformer whose cross-attention was set by hand copy a string, one letter at each step.

    Returns
    -------
    Explorer
        shown: written (num_written,) token numbers from the start token on, up to step + 1 or to the end token; weights
        (num_written, num_source) of the first head of the cross-attention in the first decoder layer; scores and
        probabilities (num_written, 4) of the next token
    """
    return Explorer(
        {
            "string": text_field("source: string of A and B", "AABA"),
            "step": slider("tokens written, at most", 2, 0, LONGEST + 1, 1),  # the end mark is one, too
            "positions": switch("positions are added to the tokens", True),
            "self_attention": switch("self-attention", True),
            "cross_attention": switch("cross-attention", True),
            "feed_forward": switch("feed-forward", True),
        },
        _generate,
        _draw_generation,
        _describe_generation,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _copies(shown, values)],
        presets={
            "from the start": {"step": 0},
            "to the end": {"step": LONGEST + 1},
            "BABBA": {"string": "BABBA", "step": 5},
        },
    )


def explore_leak():
    """Change one token that the decoder reads, and see which places notice.

    Returns
    -------
    Explorer
        shown: before and after (5,) token numbers; differences (4, 5), how far each place moved in what goes in, after
        either layer, and in the probabilities; weights (5, 5) of the self-attention in the first layer
    """
    return Explorer(
        {
            "place": slider("change the letter at place", 3, 1, 4, 1),
            "causal": switch("causal mask", True),
        },
        _leak,
        _draw_leak,
        lambda shown, values: (
            f"The letter at place {values['place']} changes. Earlier places move by up to "
            f"{shown['differences'][:, : values['place']].max():.3f}, this one and later ones by up to "
            f"{shown['differences'][:, values['place'] :].max():.3f}."
        ),
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            _earlier_places_stay(shown["differences"][:, : values["place"]]),
        ],
    )


def explore_wrong_decoder():
    """Connect the decoder wrongly, and see whose answer leaks where.

    Returns
    -------
    Explorer
        shown: moves (4, 4), how far the probabilities of row i move when letter j of the target is another; source (4,),
        how far they move when the first letter of the source is another; weights (4, 4) of the self-attention
    """
    return Explorer(
        {"wiring": choose("the decoder", list(_WIRINGS), next(iter(_WIRINGS)))},
        _probe,
        _draw_probe,
        lambda shown, values: (
            f"The row that must give a letter moves by up to {np.triu(shown['moves']).max():.3f} when that letter, or a later "
            f"one, is another; row 1 moves by {shown['source'][0]:.3f} when the source begins with another letter."
        ),
        lights=lambda shown, values: [
            _no_row_sees_its_answer(shown["moves"]),
            Light("the decoder hears the source", bool(shown["source"][0] > 1e-6), "another source, the same output"),
        ],
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
    x = _place(source, parameters, positions)
    for layer in parameters["encoder"]:
        x = encoder_layer(x, layer, num_heads=NUM_HEADS)
    return x


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


def _generate(string, step, positions, **parts):
    source = _tokens(string)
    parameters = _silenced([name for name, on in parts.items() if not on])
    memory = _read(source, parameters, positions)
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
        "scores": scores,
        "probabilities": softmax(scores),
    }


def _words(tokens):
    return [VOCABULARY[token] for token in tokens]


def _draw_generation(shown, values):
    rows, last = _words(shown["written"]), len(shown["written"]) - 1
    same = {"kind": "weights", "rows": rows, "row_sums": True, "chosen_row": last}
    title = "cross-attention" if values["cross_attention"] else "cross-attention (switched off: nothing of it arrives)"
    return matrices.beside(
        matrices.matrix(shown["weights"], title, columns=_words(shown["source"]), corner="written ↓ source →", **same),
        matrices.matrix(shown["probabilities"], "next token", columns=VOCABULARY, corner="after ↓ comes →", **same),
    )


def _describe_generation(shown, values):
    chances = shown["probabilities"][-1]
    best = int(np.argmax(chances))
    written = " ".join(_words(shown["written"][1:])) or "nothing"
    if shown["written"][-1] == END:
        return f"Written: {written}. The end mark has come, and the model stops."
    return f"Written so far: {written}. Next comes {VOCABULARY[best]}, with probability {chances[best]:.3f}."


def _copies(shown, values):
    written, source = shown["written"][1:], shown["source"]
    right = len(written) <= len(source) and np.array_equal(written, source[: len(written)])
    if right and (len(written) == 0 or written[-1] != END):
        right = int(np.argmax(shown["scores"][-1])) == source[len(written)]
    return Light("what is written, and what comes next, copies the source", bool(right), "a letter is another one")


# --- leak ------------------------------------------------------------------------------------------------------------


def _drawn_by_lot():
    """A leak is a matter of the wiring: weights at full strength, drawn by lot, show it best."""
    return random_transformer(np.random.default_rng(13), len(VOCABULARY), 16, NUM_HEADS, 32, num_layers=2)


def _leak(place, causal):
    parameters = _drawn_by_lot()
    memory = _read([*TARGET, END], parameters)
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


def _draw_leak(shown, values):
    places = [f"{place} {word}" for place, word in enumerate(_words(shown["before"]))]
    place = values["place"]
    places[place] += f" → {VOCABULARY[shown['after'][place]]}"
    stages = ["goes in", "after layer 1", "after layer 2", "probabilities"]
    blocked = ~causal_mask(5) if values["causal"] else None
    return matrices.beside(
        matrices.matrix(
            shown["differences"], "how far each place moves", kind="scores", limit=4.0, rows=stages, columns=places
        ),
        matrices.matrix(
            shown["weights"], "self-attention, layer 1", kind="weights", rows=_words(shown["before"]), decimals=2,
            columns=_words(shown["before"]), corner="query ↓ key →", blocked=blocked,
        ),
    )  # fmt: skip


def _earlier_places_stay(differences):
    rule = "places before the change do not move"
    return Light(rule, bool(differences.max() < 1e-9), f"one moved by {differences.max():.3f}")


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
    parameters = _drawn_by_lot()
    reads = [START, *target[:-1]] if shifted else target
    memory = _place(reads, parameters, True) if own_memory else _read([*source, END], parameters)
    _, scores, attentions = _write(reads, memory, parameters, mask)
    return softmax(scores), attentions[0]["self_attention"].weights[0]


def _probe(wiring):
    how = _WIRINGS[wiring]
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


def _draw_probe(shown, values):
    target = _words(TARGET)
    must_be_0 = {(i, j): "factor" for i in range(4) for j in range(i, 4)}
    return matrices.beside(
        matrices.matrix(
            shown["moves"], "how far a row moves", kind="scores", limit=1.0, marks=must_be_0,
            rows=[f"gives letter {i + 1}, {word}" for i, word in enumerate(target)],
            columns=[f"{j + 1}: {word}" for j, word in enumerate(target)], corner="row ↓ changed letter →",
        ),
        matrices.matrix(
            shown["source"][:, None], "source changed", kind="scores", limit=1.0, columns=["1: A → B"],
        ),
    )  # fmt: skip


def _no_row_sees_its_answer(moves):
    leak = np.triu(moves).max()
    return Light("no row sees the letter that it must give", bool(leak < 1e-9), f"one moves by {leak:.3f} with it")
