"""Exercises on the decoder: its layer, and how far ahead a model looks."""

import functools

import numpy as np

from helpers.attention import softmax
from helpers.layers import decoder_layer
from rooms.shared import edits
from rooms.shared.layer_cases import hint_for_layer, layer_case
from workbench import Drawn, labelled, like

# --- decoder layer ----------------------------------------------------------------------------------------------------

DECODER_LAYER = edits.exercise(
    """
def decoder_layer(x, memory, parameters, num_heads):
    p, attend, mask = parameters, attention.multi_head_attention, attention.causal_mask(len(x))
    looked = attend(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + looked, **p["self_attention_norm"])
    heard = attend(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + heard, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
""",
    remakes=(decoder_layer,),
    cases=[
        layer_case(0, 3, 4, 4, 2),
        layer_case(1, 4, 2, 6, 3),
        layer_case(2, 3, 3, 4, 1),
        layer_case(3, 5, 7, 8, 4),
        layer_case(8, 1, 2, 4, 2),
    ],
    mistakes="""
mask=mask => mask=None | The self-attention sees the future: give it mask=attention.causal_mask(len(x)).
causal_mask(len(x)) => causal_mask(len(x)).T | The mask is the wrong way round: each token sees the future and not the past. True = may attend.
context=memory => context=np.concatenate([memory, x]) | The cross-attention looks at what is written, too; it must look at the memory alone: context=memory.
context=memory => context=None | The cross-attention does not look at the memory: give it context=memory.
x = layers.layer_norm(x + heard, **p["cross_attention_norm"]) => pass | This is an encoder layer: the cross-attention, with context=memory, is missing.
=> x | The feed-forward step is missing.
x = layers.layer_norm(x + looked, **p["self_attention_norm"]) => pass | The masked self-attention has no say: what it finds is added to x, and the next step must start from that.
"self_attention => "@ ;; "cross_attention => "self_attention ;; "@ => "cross_attention ;; context=memory => @ ;; mask=mask => context=memory ;; @ => mask=mask | Cross-attention stands before self-attention; first look at what is written, then at the source.
layers.feed_forward(x, **p["feed_forward"]) => @ ;; attend(x, **p["cross_attention"], num_heads=num_heads, context=memory).output => layers.feed_forward(x, **p["feed_forward"]) ;; @ => attend(x, **p["cross_attention"], num_heads=num_heads, context=memory).output ;; "cross_attention_norm => "@ ;; "feed_forward_norm => "cross_attention_norm ;; "@ => "feed_forward_norm | Feed-forward stands before cross-attention; it comes last.
x + =>  | No step adds its input: x + step(x), three times.
layers.layer_norm(x + looked, => x + layers.layer_norm(looked, | The norm stands inside the sum; it must be taken of the whole sum: layer_norm(x + step(x)).
layers.layer_norm(x + heard, => x + layers.layer_norm(heard, |
layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), => x + layers.layer_norm(layers.feed_forward(x, **p["feed_forward"]), |
layers.layer_norm(x + looked, => x + layers.layer_norm(looked, ;; layers.layer_norm(x + heard, => x + layers.layer_norm(heard, ;; layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), => x + layers.layer_norm(layers.feed_forward(x, **p["feed_forward"]), |
x + looked => looked | The self-attention does not add its input: x + attention(x).
x + heard => heard | The cross-attention does not add its input: x + attention(x).
x + layers => layers | The feed-forward step does not add its input: x + step(x).
looked = => first = x⏎    looked = ;; x + heard => first + heard ;; x + layers => first + layers | Every step adds the x from the very beginning; each adds its own input, the result of the step before.
looked = => first = x⏎    looked = ;; x + heard => first + heard | The cross-attention adds the x from the very beginning; it must add its own input, the result of the self-attention.
looked = => first = x⏎    looked = ;; x + layers => first + layers | The feed-forward step adds the x from the very beginning; it must add its own input, the result of the cross-attention.
looked = => first = x⏎    looked = ;; attend(x, **p["cross => attend(first, **p["cross ;; feed_forward(x => feed_forward(first | Every step is given the x from the very beginning; each must be given the result of the step before.
causal_mask(len(x)) => causal_mask(len(x))⏎    x = np.vstack([np.zeros_like(x[:1]), x[:-1]]) | The layer shifted its tokens by one place; they come shifted already, with the start mark first.
layers.layer_norm(x + looked, **p["self_attention_norm"]) => x + looked ;; layers.layer_norm(x + heard, **p["cross_attention_norm"]) => x + heard ;; => x + layers.feed_forward(x, **p["feed_forward"]) | The three layer norms are missing.
=> x + layers.feed_forward(x, **p["feed_forward"]) | The layer norm after the feed-forward step is missing.
attend(x, **p["self => attend(layers.layer_norm(x, **p["self_attention_norm"]), **p["self ;; attend(x, **p["cross => attend(layers.layer_norm(x, **p["cross_attention_norm"]), **p["cross ;; layers.layer_norm(x + looked, **p["self_attention_norm"]) => x + looked ;; layers.layer_norm(x + heard, **p["cross_attention_norm"]) => x + heard ;; => x + layers.feed_forward(layers.layer_norm(x, **p["feed_forward_norm"]), **p["feed_forward"]) | This is pre-norm, x + step(layer_norm(x)); the layer of 2017 is layer_norm(x + step(x)).
cross_attention_norm => self_attention_norm ;; feed_forward_norm => self_attention_norm | One norm serves all three steps; each has its own gain and bias: self_attention_norm, cross_attention_norm, feed_forward_norm.
cross_attention_norm => self_attention_norm | The cross-attention is closed by self_attention_norm; it has its own: cross_attention_norm.
cross_attention_norm => feed_forward_norm | The cross-attention is closed by feed_forward_norm; it has its own: cross_attention_norm.
feed_forward_norm => cross_attention_norm | The feed-forward step is closed by cross_attention_norm; it has its own: feed_forward_norm.
, **p["self_attention_norm"] => ;; , **p["cross_attention_norm"] => ;; , **p["feed_forward_norm"] => | The layer norms have no gain and bias: layer_norm(x, **parameters['self_attention_norm']), and so on.
**p["cross_attention"] => **p["self_attention"] | The cross-attention uses the matrices of the self-attention; it has its own: parameters['cross_attention'].
num_heads=num_heads => num_heads=1 | The attentions ran with one head; hand num_heads on.
num_heads=num_heads, mask => num_heads=1, mask | The self-attention ran with one head; hand num_heads on.
num_heads=num_heads, context => num_heads=1, context | The cross-attention ran with one head; hand num_heads on.
x = layers.layer_norm(x + heard => before = x⏎    x = layers.layer_norm(x + heard ;; x + layers => before + layers | The feed-forward step adds the x from before the cross-attention; it must add its own input.
context=memory => context=memory, mask=np.tri(len(x), len(memory), max(0, len(memory) - len(x)), dtype=bool) | The cross-attention has a mask; the source lies there whole, and every token may see all of it.
x + looked => x - looked | What comes of the self-attention is taken off x; each step is added to its input, x + ….
x + looked => x * looked | What comes of the self-attention is multiplied with x; each step is added to its input, x + ….
x + heard => x - heard | What comes of the cross-attention is taken off x; each step is added to its input, x + ….
x + heard => x * heard | What comes of the cross-attention is multiplied with x; each step is added to its input, x + ….
x + layers => x - layers | What comes of the feed-forward step is taken off x; each step is added to its input, x + ….
x + layers => x * layers | What comes of the feed-forward step is multiplied with x; each step is added to its input, x + ….
""",
    praise="Right: three steps, each added to its input and normalised, and no look into the future.",
    hint=hint_for_layer,
)

# --- how far ahead a model looks --------------------------------------------------------------------------------------

_EMBEDDING = np.array([[0.3, -0.2, 0.5], [1.1, 0.4, -0.6], [-0.7, 0.9, 0.2], [0.1, -1.3, 0.8]])


def _model(sees, name, end=np.array):
    """A model whose place i reads place j where sees(i, j): tokens (N,) -> scores (N, 3), after a step at the end."""

    @functools.cache
    def looks(num_tokens):
        places = np.arange(num_tokens)
        return np.array([[sees(i, j) for j in places] for i in places], dtype=float) / (1 + places)

    def model(tokens):
        tokens = np.asarray(tokens)
        if (tokens < 0).any():
            raise ValueError(f"a token must be a number from 0 to 3, got {tokens.min()}")
        return end(looks(len(tokens)) @ _EMBEDDING[tokens])

    model.__name__ = name
    return model


def less_of_the_next(tokens):
    """Place i answers with the token after it, and the more it is the less."""
    return -np.append(tokens[1:], 0.0)[:, None]


def more_of_the_next(tokens):
    """Place i answers with the token after it, and the more it is the more."""
    return np.append(tokens[1:], 0.0)[:, None]


_MODELS = [
    (_model(sees, name, *end) if name else sees, np.array(tokens))
    for sees, name, tokens, *end in (
        (lambda i, j: j <= i, "causal", [2, 0, 0, 1, 0]),
        (lambda i, j: j >= i, "sees_the_future", [2, 0, 0, 1, 0]),
        (lambda i, j: j <= i + 1, "one_step_too_many", [1, 3, 0, 2, 2, 1], softmax),
        (lambda i, j: j <= i or j == i + 2, "the_next_but_one", [0, 1, 3, 2, 1, 0]),
        (lambda i, j: j <= i or (i, j) == (1, 4), "leaks_at_one_place", [3, 3, 1, 0, 2, 1]),
        (lambda i, j: j < i, "sees_the_past_alone", [0, 2, 1, 3]),
        (lambda i, j: False, "blind", [1, 0, 2]),
        (less_of_the_next, "", [0, 1, 2, 0, 1]),
        (more_of_the_next, "", [3, 1, 3, 0, 3]),
        (more_of_the_next, "", [0, 1, 2, 0, 1]),  # each changed token answers more: only a size shows it both ways
        (lambda i, j: j <= i or (i, j) == (0, 2), "leaks_at_one_place", [0, 1, 1, 1]),
        (lambda i, j: float(j <= i) or 0.01 * (j == i + 2), "leaks_a_little", [0, 1, 3, 2, 1, 0]),
        (lambda i, j: j <= i or (i, j) == (0, 2), "leaks_at_one_place", [0, 2, 1, 0], lambda scores: scores * [0, 1, 0]),
        (lambda i, j: j <= i or (i, j) == (0, 2), "leaks_at_one_place", [0, 2, 3, 0], lambda scores: scores * [0, 0, 1]),
        (lambda i, j: j >= i, "sees_the_future", [0, 2, 1, 3]),
        (lambda i, j: j <= i or (i, j) == (2, 3), "leaks_at_one_place", [0, 2, 1, 3]),
    )
]  # fmt: skip


LOOKS_AHEAD = edits.exercise(
    """
def looks_ahead(model, tokens):
    before, furthest = model(tokens), 0
    for place in range(len(tokens)):
        changed = tokens.copy()
        changed[place] = (tokens[place] + 1) % 4
        moved = np.abs(model(changed) - before).max(axis=1) > 1e-9
        for row in np.flatnonzero(moved[:place]):
            furthest = max(furthest, place - row)
    return furthest
""",
    cases=_MODELS,
    mistakes="""
=> furthest > 0 | That is whether it leaks; the number of steps is asked for: how far before the changed place an answer moves.
max(furthest, place - row) => furthest + 1 | That is how many answers move in all; the distance is asked for, changed place minus place that moves.
np.flatnonzero(moved[:place]) => range(1) ;; place - row => moved[:place].sum() | You count how many earlier answers one change moves; find how far the furthest of them is from the changed place.
max(furthest, place - row) => min(furthest or 99, place - row) | That is a shorter look ahead than the furthest one: go through all the answers that move, and keep the largest distance.
range(len(tokens)) => [len(tokens) - 1] | Only the last token was changed: change every one in turn, each time with the others as they were.
= model(tokens), 0 => = model(tokens), {0} ;; furthest = max(furthest, place - row) => furthest.add(place - row) ;; => next(k for k in sorted(furthest) if k + 1 not in furthest) | The search ends at the first distance at which nothing moves: a model may skip a token and look further. Try every distance.
np.flatnonzero(moved[:place]) => [np.argmax(moved[:place])] if place else [] | Where no earlier answer moves, np.argmax gives 0, as if the first one did: ask whether any moves.
np.flatnonzero(moved[:place]) => [np.argmax(moved)] |
np.flatnonzero(moved[:place]) => [place - 1] if moved[place - 1 : place].any() else [] | Only the place right before the changed one is watched: look at all places before it.
= model(tokens), 0 => = model(tokens), [] ;; moved[:place] => moved ;; furthest = max(furthest, place - row) => furthest.append(row - place) ;; => max(furthest, default=0) | That is how far a change moves later answers; those may move. Count only places before the changed one.
moved[:place] => moved ;; place - row => row - place |
np.abs(model(changed) - before) => (model(changed) - before) | An answer may move up or down: take np.abs of the difference before you look for the largest.
np.abs(model(changed) - before) => (before - model(changed)) |
(tokens[place] + 1) % 4 => 0 | A token that is 0 already stays as it is where 0 is put in its place: put in another one, such as (token + 1) % 4.
changed = tokens.copy() => changed = changed if place else tokens.copy() | The changes of earlier rounds are still there: make a new copy in every round, so that one token at a time is another.
moved[:place] => moved ;; place - row => abs(place - row) | Later answers were counted, too, and those may move: count only the places before the changed one.
=> 0 | It says 0 for every model.
""",
    explain=lambda got, want, model, tokens: (
        f"For {len(tokens)} tokens {model.__name__} looks {int(want)} step{'' if want == 1 else 's'} ahead; you say {got:g}."
    ),
    hint=lambda error, model, tokens: (
        "Where nothing moves there is no largest distance: begin with 0." if "empty" in str(error) else None
    ),
    praise="Right: change one token, see who moves. This finds a leak without looking inside, in any model that the change reaches.",
)


# --- drawn with the answer ------------------------------------------------------------------------------------------

_ENGLISH, _WRITTEN = "the red car turns".split(), ["<s>", "la", "voiture", "rouge"]


def _hears(decoder_layer):
    """How far each row moves when one row of the memory or of what is written is another: (4, 8), 0 = it doesn't hear it."""
    x, memory, parameters, num_heads = layer_case(5, len(_WRITTEN), len(_ENGLISH), 8, 2)

    def moved(of_memory, k):
        parts = [memory.copy(), x.copy()]
        parts[not of_memory][k] += 0.5
        now = like(decoder_layer(parts[1], parts[0], parameters, num_heads), x.shape)
        return np.abs(now - before).max(axis=-1)

    before = like(decoder_layer(x, memory, parameters, num_heads), x.shape)
    return np.stack([moved(of_memory, k) for of_memory in (True, False) for k in range(len(x))], axis=1)


def _models_ahead(looks_ahead):
    """How many steps three models look ahead: (3, 1)."""
    tokens = np.array([0, 1, 3, 2, 1, 0])
    return np.array([[like(looks_ahead(model, tokens), ())] for model, _ in (_MODELS[0], _MODELS[2], _MODELS[3])])


DECODER_LAYER_DRAWN = Drawn(
    "decoder_layer",
    _hears,
    labelled(_WRITTEN, [*_ENGLISH, *_WRITTEN], "weights", decimals=1),
    "How far a word moves when one it hears is another: the English words, then those written",
)
LOOKS_AHEAD_DRAWN = Drawn(
    "looks_ahead",
    _models_ahead,
    labelled(["causal", "one step too many", "the next but one"], ["steps ahead"], decimals=0),
    "Three models, and how far each looks ahead",
)
