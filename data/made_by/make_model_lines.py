"""Make data/model_lines.json: for each small model of `rooms.read_a_model.model_lines`, the names and shapes of its weights in the library
transformers, and the logits that the library's class gives with random ones.

    python -m pip install torch==2.13.0 transformers==5.24.0
    python data/made_by/make_model_lines.py
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from rooms.read_a_model import model_lines  # noqa: E402


def theirs(configuration):
    """The library's model of a configuration, with 64 bits."""
    said = {name: value for name, value in configuration.items() if name != "model_type" and value is not None}
    config = transformers.AutoConfig.for_model(configuration["model_type"], **said)
    config._experts_implementation = "eager"  # the faster one takes no 64 bits
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").double().eval()


def shapes_of(model):
    """Names and shapes of a model's weights, those that are tied once."""
    return {name.removesuffix(".weight"): list(each.shape) for name, each in weights_of(model).items()}


def weights_of(model):
    """What is in a model's file: its parameters, tied ones only once, and biases that are not trained by descent."""
    return dict(model.named_parameters()) | {n: each for n, each in model.named_buffers() if n in model.state_dict()}


def logits_of(model, file, ids):
    """What the library's model says of a text, with the weights of a file."""
    with torch.no_grad():
        for name, each in weights_of(model).items():
            each.copy_(torch.tensor(file[name.removesuffix(".weight")]))
        return model(torch.tensor([ids]), use_cache=False).logits[0].numpy()


def main():
    table = {}
    for name, configuration in model_lines.MODELS.items():
        model = theirs(configuration)
        shapes = shapes_of(model)
        logits = logits_of(model, model_lines.random_file(shapes), list(model_lines.IDS))
        table[name] = {"class": type(model).__name__, "shapes": shapes, "logits": np.round(logits, 9).tolist()}
    text = json.dumps(table, ensure_ascii=False) + "\n"
    (DATA / "model_lines.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
