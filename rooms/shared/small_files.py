"""A model of random numbers as its file has it, small enough to be read in no time."""

import numpy as np

from helpers.models import gguf_file


def small_file(seed, num_layers, num_heads, num_shared, d_head, d_ff, vocabulary, own_output=False):
    """What `helpers.parts.read` takes of a model: dict name -> array; and its sizes.

    Parameters
    ----------
    own_output : whether a matrix of its own makes the logits
    """
    sizes = {"num_layers": num_layers, "num_heads": num_heads, "num_key_value_heads": num_shared, "base": 100.0}
    rng, widths = np.random.default_rng(seed), {"d_model": num_heads * d_head, "d_ff": d_ff}
    shapes = {name.removesuffix(".weight"): shape for name, shape in gguf_file.shapes_of(sizes | widths).items()}
    names = [name for name in shapes if own_output or name != "output"]
    return {name: rng.normal(size=[size or vocabulary for size in shapes[name]]) for name in names}, sizes
