"""Every public function with arguments that it takes: what bad input replaces one by one."""

import datetime
from pathlib import Path

import numpy as np

from helpers import attention, decoder, explorers, layers, transformer
from helpers.learning import optimizers, small_models
from helpers.learning.parameters import tree_leaves
from helpers.models import bert
from rooms.carry_a_state import recall
from rooms.hunt_the_bugs import specimens
from rooms.learn_to_look import letters
from rooms.shared import date_model, dates
from workbench import matrices

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4))
W = RNG.normal(size=(4, 4))
LAYER = layers.random_layer(RNG, 4, 2, 6)
DECODER = layers.random_layer(RNG, 4, 2, 6, decoder=True)
STACKS = transformer.random_transformer(RNG, 5, 4, 2, 6, 1)
GPT = decoder.random_decoder(RNG, vocabulary_size=5, d_model=8, num_heads=4, d_ff=6, num_layers=1)
SMALL = date_model.random_model(d_model=8, d_ff=8)
DAY = datetime.date(2026, 11, 21)
DATES = dates.batch_of(["21 nov 2026"], [DAY])
READER = bert.random_model(RNG, vocab_size=9, num_positions=5, d_model=4, num_heads=2, d_ff=6, num_layers=1)
MASK = np.tri(3, dtype=bool)
BOOK = recall.phone_book(RNG, 3, 4)
PARAMETERS = {"x": np.array([1.0, 3.0])}


def bowl(p, *batch):
    return sum(np.sum(array**2) for array in tree_leaves(p))


def right(X, W_query, W_key, W_value, num_heads=1, mask=None):
    return specimens.attention_of(specimens.RIGHT)(X, W_query, W_key, W_value, num_heads, mask)


def softmax(scores):
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


OPTIMIZER = {"gradient": X, "state": None, "learning_rate": 0.1}
LAYERS = {"num_heads": 2, "norm": "pre", "mask": MASK, "activation": layers.relu}
CALLS = {  # function: arguments that it takes, one for each parameter
    "bytes_pairs.merge_pairs": {"word": "lower", "merges": [("l", "o"), ("lo", "w")]},
    "attention.softmax": {"scores": X, "axis": -1, "base": 3},
    "attention.softmax_jacobian": {"weights": np.array([0.25, 0.75])},
    "attention.scaled_dot_product_attention": {"query": X, "key": X, "value": X, "mask": MASK, "scale": 1.0, "base": 3},
    "attention.causal_mask": {"num_queries": 3, "num_keys": 5},
    "attention.padding_mask": {"lengths": [1, 3], "num_keys": 3},
    "attention.split_heads": {"x": X, "num_heads": 2},
    "attention.merge_heads": {"x": X[None]},
    "attention.multi_head_attention": {
        **{"query_tokens": X, "W_query": W, "W_key": W, "W_value": W, "W_output": W, "num_heads": 2, "context": X},
        **{"mask": MASK, "b_query": 0.0, "b_key": 0.0, "b_value": np.zeros(4), "b_output": 0.0},
    },
    "streaming.streamed_attention": {"query": X, "key": X, "value": X, "block_size": 2, "mask": MASK, "scale": 1.0},
    "positions.sinusoidal_positional_encoding": {"num_positions": 3, "d_model": 4, "base": 100},
    "positions.wavelengths": {"d_model": 4, "base": 100},
    "positions.turn": {"x": X, "angles": np.ones((3, 2)), "layout": "pairs"},
    "positions.rotate": {"x": X, "positions": [0, 1, 2], "base": 100, "layout": "halves"},
    "positions.alibi": {"num_queries": 3, "num_keys": 5, "slope": 0.5},
    "layers.layer_norm": {"x": X, "gain": np.ones(4), "bias": 0.0, "epsilon": 1e-5},
    "layers.rms_norm": {"x": X, "gain": np.ones(4), "epsilon": 1e-5},
    "layers.relu": {"x": X},
    "layers.gelu": {"x": 4 * X},  # as far as it bends
    "layers.gelu_tanh": {"x": 4 * X},
    "layers.feed_forward": {"x": X, **LAYER["feed_forward"], "activation": layers.gelu},
    "layers.encoder_layer": {"x": X, "parameters": LAYER, **LAYERS, "epsilon": 1e-5, "with_attention": True},
    "layers.decoder_layer": {
        **{"x": X, "memory": X, "parameters": DECODER, **LAYERS, "memory_mask": MASK, "epsilon": 1e-5},
        "with_attention": True,
    },
    "layers.random_layer": {"rng": RNG, "d_model": 4, "num_heads": 2, "d_ff": 6, "decoder": True},
    "transformer.embed": {"tokens": [0, 4], "embedding": STACKS["embedding"], "positions": True},
    "transformer.encode": {
        **{"tokens": [0, 4, 1], "parameters": STACKS, **LAYERS, "norm": "post", "positions": True},
        "with_attention": False,
    },
    "transformer.decode": {
        **{"tokens": [0, 4, 1], "memory": X, "parameters": STACKS, **LAYERS, "memory_mask": MASK, "norm": "post"},
        **{"positions": True, "with_attention": False},
    },
    "transformer.random_transformer": {
        **{"rng": RNG, "vocabulary_size": 5, "d_model": 4, "num_heads": 2, "d_ff": 6, "num_layers": 1, "norm": "pre"},
    },
    "decoder.random_decoder": {
        **{"rng": RNG, "vocabulary_size": 5, "d_model": 4, "num_heads": 2, "d_ff": 6, "num_layers": 1},
    },
    "decoder.decode": {"tokens": [0, 4, 1], "parameters": GPT, "num_heads": 4},
    "decoder.without_heads": {"parameters": GPT, "heads": [(0, 1)], "num_heads": 4},
    "decoder.probabilities": {"logits": [1.0, 2.0], "temperature": 0.5, "top_p": 0.9},
    "decoder.next_token": {"logits": [1.0, 2.0], "temperature": 0.5, "top_p": 0.9, "rng": RNG},
    "decoder.write": {
        **{"logits_of": lambda tokens: X, "tokens": [1], "num_tokens": 2, "temperature": 0.5, "top_p": 0.9, "rng": RNG},
    },
    "decoder.induction_score": {"weights": np.ones((3, 3)) / 3, "period": 2},
    "softmax_variants.softmax_with_sink": {"scores": X, "sink": 0.5, "base": 3},
    "softmax_variants.soft_cap": {"scores": X, "cap": 5.0},
    "softmax_variants.unit_length": {"x": X},
    "variants.grouped_query_attention": {
        **{"query": X[None], "key": X[None], "value": X[None], "mask": MASK, "scale": 1.0, "softcap": 5.0},
    },
    "variants.window_mask": {"num_queries": 3, "num_keys": 5, "window": 2},
    "variants.linear_attention": {"query": X, "key": X / 9, "value": X, "decay": 0.5, "strength": 0.5},
    "variants.state_after": {"key": X / 9, "value": X, "decay": 1.0, "strength": 0.5},
    "experts.silu": {"x": X},
    "experts.swiglu": {"x": X, "W_gate": W, "W_up": W, "W_down": W, "activation": layers.relu},
    "experts.clamped_swiglu": {
        **{"x": X, "W_gate_up": np.ones((4, 6)), "W_down": np.ones((3, 4)), "b_gate_up": np.zeros(6), "b_down": np.zeros(4)},
        **{"alpha": 1.5, "limit": 6.0},
    },
    "experts.route": {"x": X, "W_router": np.sqrt(np.arange(24.0)).reshape(4, 6), "k": 2, "base": 3},
    "experts.share_out": {
        **{"scores": X, "k": 2, "kind": "sigmoid", "renormalised": True, "bias": np.zeros(4), "num_groups": 2, "num_open": 1},
        **{"factor": 2.0, "base": 3},
    },
    "experts.evening_bias": {"scores": X, "k": 2, "num_steps": 2, "rate": 0.1},
    "gates.sigmoid": {"x": X},
    "gates.gated_attention": {
        **{"query": X, "key": X, "value": X, "gate": X, "mask": MASK, "scale": 1.0, "base": 3},
    },
    "sparse.best_mask": {"scores": X[:, :3], "k": 2, "mask": MASK},
    "sparse.heard_through": {"masks": [MASK, MASK]},
    "yarn.turns_in_training": {"width": 4, "num_positions": 64, "base": 100},
    "yarn.yarn_speeds": {
        **{"width": 4, "factor": 2.0, "num_positions": 64, "base": 100, "slow": 0.5, "fast": 16.0, "whole": False},
    },
    "yarn.llama3_speeds": {"width": 4, "factor": 2.0, "num_positions": 64, "base": 100, "slow": 0.5, "fast": 16.0},
    "yarn.yarn_sharpness": {"factor": 2.0},
    "recall.phone_book": {"rng": RNG, "num_names": 3, "d_k": 4, "num_changed": 1},
    "recall.answers": {"book": BOOK, "rule": "sum", "decay": 0.9, "strength": 0.5, "scale": 2.0},
    "recall.share_right": {"book": BOOK, "rule": "sum"},
    "patches.patchify": {"image": np.ones((4, 4)), "patch_size": 2},
    "patches.unpatchify": {"patches": np.ones((4, 4)), "patch_size": 2, "image_shape": (4, 4)},
    "parameters.tree_map": {"function": np.shape, "nested": PARAMETERS},
    "parameters.tree_leaves": {"nested": PARAMETERS},
    "parameters.named_arrays": {"nested": PARAMETERS, "name": "model"},
    "parameters.as_floats": {"nested": PARAMETERS, "name": "model"},
    "parameters.to_vector": {"nested": {"W": np.eye(2)}},
    "parameters.from_vector": {"vector": np.arange(4.0), "like": {"W": np.eye(2)}},
    "parameters.load": {"path": date_model.PATH, "like": date_model.random_model()},
    "optimizers.gradient_descent": OPTIMIZER,
    "optimizers.momentum": {**OPTIMIZER, "state": X, "beta": 0.9},
    "optimizers.rmsprop": {**OPTIMIZER, "state": X**2, "beta": 0.9, "epsilon": 1e-8},
    "optimizers.adam": {**OPTIMIZER, "state": (X, X**2, 1), "beta1": 0.9, "beta2": 0.9, "epsilon": 1e-8},
    "optimizers.clip": {"gradient": PARAMETERS, "max_norm": 1.0},
    "optimizers.warm_up_and_decay": {"peak": 1.0, "num_steps": 10, "warm_up": 2},
    "optimizers.checked_rate": {"name": "value", "value": 0.1},
    "training.cross_entropy": {"scores": X, "targets": [0, 1, 3]},
    "training.loss_and_gradient": {"loss_of": bowl, "parameters": PARAMETERS},
    "training.numerical_gradient": {"loss_of": bowl, "parameters": PARAMETERS, "step": 1e-5},
    "training.train": {
        **{"parameters": PARAMETERS, "loss_of": bowl, "batches": [(), ()], "num_steps": 2, "learning_rate": 0.1},
        **{"optimizer": optimizers.adam, "max_norm": 1.0, "state": {"x": None}, "first_step": 0, "keep_every": 1},
        **{"progress": None, "watch": lambda losses, parameters: None},
    },
    "training.full_batch": {},
    "training.random_batches": {"rng": RNG, "size": 2, "arrays_of_data": (X, X)},
    "letters.strings_of": {"length": 3},
    "letters.follows": {"string": "AAB"},
    "letters.as_data": {"strings": ["AAB", "AAA"]},
    "letters.balanced": {"length": 3},
    "letters.random_parameters": {"seed": 1},
    "letters.look": {"X": np.eye(2), "parameters": letters.random_parameters()},
    "letters.loss_of": {"parameters": letters.random_parameters(), "X": np.eye(2), "targets": [0, 1]},
    "letters.accuracy": {"parameters": letters.random_parameters(), "strings": ["AB"]},
    "dates.write": {"day": DAY, "style": "21/11/26"},
    "dates.read": {"text": "21 nov 2026"},
    "dates.to_numbers": {"text": "21 nov 2026"},
    "dates.to_text": {"numbers": [5, 6]},
    "dates.batch_of": {"texts": ["21 nov 2026"], "days": [DAY]},
    "dates.split": {"seed": 1, "num_held_out": 10},
    "dates.in_random_styles": {"rng": RNG, "days": [DAY]},
    "dates.held_out": {"count": 1},
    "dates.random_batches": {"rng": RNG, "days": [DAY], "size": 1},
    "date_model.random_model": {"seed": 1, "d_model": 8, "d_ff": 8},
    "date_model.loss_of": {"parameters": SMALL, **DATES._asdict()},
    "date_model.train": {"parameters": SMALL, "num_steps": 1, "seed": 1, "peak": 0.1, "warm_up": 0, "progress": None, "watch": None},
    "date_model.load_model": {"path": date_model.PATH},
    "date_model.checked_sources": {"sources": DATES.sources, "lengths": DATES.lengths},
    "date_model.translate": {
        **{"parameters": SMALL, "sources": DATES.sources, "lengths": DATES.lengths, "positions": True},
        "padding": True,
    },
    "date_model.accuracy": {"parameters": SMALL, "batch": DATES},
    "date_model.without_head": {"parameters": SMALL, "attention": "cross", "head": 1},
    "small_models.random_model": {"kind": "letters", "seed": 1},
    "small_models.load_model": {"kind": "letters"},
    "small_models.loss_of": {"parameters": GPT, "tokens": [[0, 4, 1]]},
    "small_models.train": {"kind": "symbols", "num_steps": 1, "seed": 1, "keep_every": 1, "progress": None, "watch": None},
    "small_models.load_trainings": {},
    "small_models.read_prose": {"folder": Path("notebooks")},
    "small_models.plain": {"text": "Who?"},
    "small_models.prose": {},
    "small_models.go_on": {
        **{"parameters": small_models.random_model("letters"), "beginning": "who", "num_letters": 2, "rng": RNG},
        **{"temperature": 0.5, "top_p": 0.9},
    },
    "small_models.letter_batches": {"rng": RNG, "text": "abc " * 30, "size": 2},
    "small_models.to_numbers": {"text": "abba", "vocabulary": "ab"},
    "small_models.to_text": {"numbers": [0, 1], "vocabulary": "ab"},
    "small_models.repeating": {"rng": RNG, "period": 3, "length": 7},
    "small_models.symbol_batches": {"rng": RNG, "size": 2},
    "small_models.fresh_runs": {"count": 2, "period": 3, "seed": 1},
    "small_models.share_copied": {"parameters": GPT, "tokens": [[0, 4, 0, 4]]},
    "costs.count_product": {"num_rows": 3, "width": 2, "num_columns": 3},
    "costs.count_attention": {"num_tokens": 3, "d_model": 4, "num_heads": 2},
    "costs.weights_bytes": {"num_tokens": 3, "num_heads": 2, "bytes_per_number": 4},
    "measuring.quickest_seconds": {"call": lambda: None, "repeats": 2, "at_least": 0.0},
    "measuring.peak_bytes": {"call": lambda: None},
    "measuring.measure_attention": {"sizes": [2], "width": 2, "rounds": 1, "at_least": 0.0},
    "specimens.attention_of": {"steps": specimens.RIGHT},
    "specimens.specimen": {"number": 3},
    "specimens.mistake_of": {"number": 3},
    "specimens.gaps": {"attend": right},
    "tokens.one_hot": {"tokens": "ABA", "vocabulary": "AB"},
    "words.she_sentences": {},
    "words.she_words": {"swapped": True},
    "words.numbered": {"tokens": ["She"]},
    "words.rows": {"tokens": ["She"], "table": {"She": [1, 1]}, "d_model": 2},
    "attention_maps.names": {},
    "attention_maps.load": {"name": "She"},
    "attention_maps.find": {"text": "The cat slept."},
    "attention_maps.one_head": {},
    "attention_maps.scores_of_one_head": {},
    "attention_maps.value_lengths": {},
    "attention_maps.learned_positions": {},
    "bert.find_weights": {},
    "bert.load_model": {"folder": Path("nowhere")},
    "bert.forward": {"model": READER, "ids": [1, 8]},
    "bert.random_model": {
        **{"rng": RNG, "vocab_size": 9, "num_positions": 5, "d_model": 4, "num_heads": 2, "d_ff": 6, "num_layers": 1},
    },
}  # fmt: skip


def compute(x, **more):
    return {"x": np.array([[x, 1.0]])}


def show(now):
    return [now.table("x")]


def say(now):
    return "One number."


class Made:
    """An argument that each call gets anew, since the call changes it."""

    def __init__(self, make):
        self.make = make


PICTURE = matrices.sentence("a picture")
X_CONTROL = Made(lambda: explorers.slider("x", 1.0, 0.0, 2.0))
EXPLORER = {
    "compute": compute,
    "show": show,
    "say": say,
    "rules": [],
    "presets": {"one": {"x": 1.0}},
    "touch": {},
    "planes": {},
}
EXPLORER |= {"sums": {}, "follow": None, "folded": ["x"], "x": X_CONTROL}
CALLS |= {
    "variants.KeyValueCache.append": {"key": X, "value": X},
    "depth.designs": {},
    "depth.layer": {"x": X, "parameters": LAYER, "residual": True, "norm": "pre", "with_feed_forward": True},
    "depth.random_stack": {"seed": 1, "d_model": 4},
    "depth.passes": {"tokens": X, "stack": [LAYER, LAYER], "design": (True, "none", False)},
    "depth.heights": {"tokens": X, "stack": [LAYER, LAYER], "design": (True, "none", False)},
    "depth.quartiles": {"residual": True, "norm": "pre", "with_feed_forward": True},
    "examples.load": {},
    "examples.sources": {},
    "examples.get": {"id": "three tokens: y1"},
    "examples.compute": {"example": "three tokens: y1"},
    "examples.agrees": {"example": "three tokens: y1", "values": [0.802, 0.599]},
    "examples.differs": {"example": "three tokens: y1", "values": [0.802, 0.599]},
    "notes.items": {"notes": "part4"},
    "notes.page": {"notes": "part4"},
    "notes.folded": {"title": "six", "picture": PICTURE},
    "matrices.matrix": {
        **{"values": X, "name": "X", "kind": "scores", "rows": "abc", "columns": "abcd", "limit": 2.0},
        "blocked": X > 9,
    },
    "matrices.compact": {"values": X, "marked": X > 0},
    "checks.check": {"name": "softmax", "answer": attention.softmax},
    "checks.verdict": {"name": "softmax", "answer": softmax},
    "checks.require": {"name": "softmax", "answer": softmax},
    "explorers.your_model": {"adds": ["softmax"]},
    "explorers.explore_broken_model": {"found": None},
    "explorers.explore_colour_of_a_name": {"parameters": None},
    "explorers.slider": {"description": "x", "value": 1.0, "minimum": 0.0, "maximum": 2.0, "step": 0.5},
    "explorers.choose": {"description": "x", "options": ["a", "b"], "value": "a"},
    "explorers.stops": {"description": "x", "options": [("one", 1), ("two", 2)], "value": 1},
    "explorers.switch": {"description": "x", "value": True},
    "explorers.text_field": {"description": "x", "value": "AB"},
    "explorers.NumberGrid": {
        **{"name": "X", "values": X[:2, :2], "step": 0.5, "minimum": -9.0, "maximum": 9.0, "compact": True},
        **{"rows": "ab", "columns": "ab"},
    },
    "explorers.SwitchGrid": {"name": "X", "values": MASK, "rows": "abc", "columns": "abc"},
    "explorers.explorer": EXPLORER,
    "explorers.wrong_turns": {
        **{"label": "how", "recipes": {"right": 1.0, "wrong": 2.0}, "compute": compute, "show": show, "say": say},
        "rules": [],
    },
    "explorers.rows_sum_to_one": {"weights": [[0.5, 0.5]]},
    "explorers.between": {"output": len, "value": len, "words": "one lies outside", "told": "by {:.3f}"},
    "explorers.predict": {"name": "dot product of width 100"},
    "explorers.Predict": {"question": "?", "replies": {"a": "Yes.", "b": "No."}, "right": "a"},
    "explorers.drill": {"name": "three tokens"},
    "explorers.watch_dates": {"every": 25},
    "explorers.explore_attention": {"weights": [[0.5, 0.5], [0.2, 0.8]], "tokens": ["a", "b"]},
    "explorers.explore_copying": {"parameters": None},
    "explorers.explore_where_it_stops": {"parameters": None},
    "explorers.explore_writing": {"parameters": None},
    "explorers.explore_head_wall": {"scores": None},
    "explorers.explore_decoding": {"parameters": None},
    "explorers.explore_ablation": {"parameters": None},
}
