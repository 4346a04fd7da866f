"""Which part runs after which when a language model writes one token, found by watching a small one."""

import numpy as np

from helpers import broken, your_program, yours

LAYERS = 30  # of the real model
BEGINNING, MERGES = "is", [("i", "s")]
SIZES = {"num_layers": 1, "num_heads": 4, "num_key_value_heads": 2, "base": 10_000.0}
_SHAPES = {"attn_norm": (8,), "attn_q": (8, 8), "attn_k": (4, 8), "attn_v": (4, 8), "attn_output": (8, 8)}
_SHAPES |= {"ffn_norm": (8,), "ffn_gate": (12, 8), "ffn_up": (12, 8), "ffn_down": (8, 12)}


def steps(replaced=()):
    """list of tuples, one for each call on the way to one token: the part that is called, after those that wait for it.

    The model has one layer; where there are thirty, what `model_layer` calls is called thirty times. `replaced` as in `yours.replaced`:
    what takes the place of a part is called in its name.
    """
    rng, stack, found, model = np.random.default_rng(26), [], [], yours.model()
    file = {f"blk.0.{name}": rng.normal(size=shape) for name, shape in _SHAPES.items()}
    file |= {"token_embd": rng.normal(size=(9, 8)), "output_norm": np.ones(8)}

    def watched(name, function):
        def part(*given, **named):
            stack.append(name)
            found.append(tuple(stack))
            try:
                return function(*given, **named)
            finally:
                stack.pop()

        return part

    parts = {name: dict(replaced).get(name, model.space[name]) for name in your_program.RUNS}
    listening = {name: watched(name, part) for name, part in parts.items()}
    with yours.replaced(listening, model), np.errstate(all="ignore" if replaced else None):
        model.space["merge_pairs"](BEGINNING, MERGES)
        model.space["write"]([1, 2, 3], file, SIZES, 1)
    return found


def calls(name, found):
    """How often a part is called for one token of the real model, by the steps of one layer."""
    return sum(LAYERS if "model_layer" in step else 1 for step in found if step[-1] == name)


def dark(way):
    """list of the functions that are out or wrong in one of `broken.WAYS`, and of those that nobody calls then."""
    kind, _, name = way.partition(" ")
    if kind != "without":
        return [name] * bool(name)
    called = {step[-1] for step in steps(broken.WAYS[way])} - {name}
    return [each for each in your_program.RUNS if each not in called]
