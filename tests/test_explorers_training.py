"""What the explorers of learning and translating must show: training by gradients worked out by hand, a transformer in
einsum; tests/test_explorers.py holds them beside the explorers."""

import datetime
import functools
import itertools
import math
import re
from html import escape as html_words

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import watching
from helpers.learning import date_model, dates, letters, training
from helpers.learning.parameters import named_arrays
from tests import driving

# --- one head, trained with gradients by hand ------------------------------------------------------------------------

RATES = [0.01, 0.03, 0.1, 0.3, 1.0]
NAMES = ["gradient descent", "SGD", "momentum", "RMSProp", "Adam"]
NINE = ["".join(letters) for letters in itertools.product("AB", repeat=9)]


def rows(strings):
    X = np.array([[[letter == "A", letter == "B"] for letter in string] for string in strings], dtype=float)
    return X, np.array(["B" in string for string in strings], dtype=int)


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def forward(p, X):
    query, key = X @ p["W_query"], X @ p["W_key"]
    weights = shares(query @ key.swapaxes(-1, -2) / math.sqrt(2))
    head = weights @ X
    return query, key, weights, head, head @ p["W_output"] + p["b_output"]


def loss_and_slopes(p, X, right):
    query, key, weights, head, scores = forward(p, X)
    chances = shares(scores)
    wanted = np.eye(2)[right][:, None, :]
    loss = -np.log((chances * wanted).sum(axis=-1)).mean()
    d_scores = (chances - wanted) / chances[..., 0].size
    d_weights = d_scores @ p["W_output"].T @ X.swapaxes(-1, -2)
    d_dots = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True)) / math.sqrt(2)
    return loss, {
        "W_query": np.einsum("nli,nlj->ij", X, d_dots @ key),
        "W_key": np.einsum("nli,nlj->ij", X, d_dots.swapaxes(-1, -2) @ query),
        "W_output": np.einsum("nli,nlj->ij", head, d_scores),
        "b_output": d_scores.sum(axis=(0, 1)),
    }


def training_strings():
    with_b = ["".join(letters) for letters in itertools.product("AB", repeat=4)][1:]
    return rows([*with_b, *["AAAA"] * 15])


def change(name, g, memory, rate, t):
    if name in {"gradient descent", "SGD"}:
        return -rate * g, memory
    if name == "momentum":
        memory = 0.9 * (0.0 if memory is None else memory) + g
        return -rate * memory, memory
    if name == "RMSProp":
        memory = 0.9 * (0.0 if memory is None else memory) + 0.1 * g * g
        return -rate * g / (np.sqrt(memory) + 1e-8), memory
    m, s = (0.0, 0.0) if memory is None else memory
    m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
    return -rate * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-8), (m, s)


@functools.cache
def way(name, rate, num_steps=100, scale=1.0, sign=1.0):
    """Parameters and losses after every step."""
    X, right = training_strings()
    rng = np.random.default_rng(16)
    p = {key: scale * array for key, array in letters.random_parameters().items()}
    memory, kept, losses = dict.fromkeys(p), [p], []
    for t in range(1, num_steps + 1):
        losses.append(loss_and_slopes(p, X, right)[0])
        some = slice(None) if name == "gradient descent" else rng.integers(30, size=8)
        _, slopes = loss_and_slopes(p, X[some], right[some])
        new = {}
        for key in p:
            step, memory[key] = change(name, slopes[key], memory[key], rate, t)
            new[key] = p[key] + sign * step
        p = new
        kept.append(p)
    return kept, np.array([*losses, loss_and_slopes(p, X, right)[0]])


@functools.cache
def wrong_of_nine(name, rate, step):
    X, right = rows(NINE)
    scores = forward(way(name, rate)[0][step], X)[-1]
    return int(((scores[..., 1] > scores[..., 0]) != right[:, None]).any(axis=-1).sum())


def of_string(text):
    word = text.strip().upper()
    return word if 1 <= len(word) <= 12 and set(word) <= {"A", "B"} else None


def learning(step, string):
    if (word := of_string(string)) is None:
        return None
    kept, losses = way("gradient descent", 1.0)
    p = kept[step]
    return {
        "losses": losses,
        "loss": losses[step],
        "weights": forward(p, rows([word])[0])[2][0],
        "query": p["W_query"],
        "key": p["W_key"],
        "wrong": wrong_of_nine("gradient descent", 1.0, step),
    }


def optimizers(rate, step):
    return {"losses": np.array([way(name, rate)[1] for name in NAMES])}


@functools.cache
def chances_of_b():
    models = [way("gradient descent", 1.0)[0][-1], way("gradient descent", 1.0, scale=0.0)[0][-1]]
    strings = ["B" + "A" * (n - 1) for n in range(2, 41)]  # where the B stands makes no difference
    return np.array([[shares(forward(p, rows([string])[0])[-1])[0, :, 1].min() for string in strings] for p in models])


def one_b(length):
    p = way("gradient descent", 1.0)[0][-1]
    return {
        "lengths": np.arange(2, 41),
        "chances": chances_of_b(),
        "chance": chances_of_b()[:, length - 2],
        "weights": forward(p, rows(["A" * (length - 1) + "B"])[0])[2][0, 0],
    }


def one_b_sentence(shown, values):
    length, of_head = values["length"], 100 * shown["weights"][-1]
    return [length, f"{of_head:.1f}%", f"{100 / length:.1f}%", *shown["chance"]]


def learning_sentence(shown, values):
    is_b = [letter == "B" for letter in of_string(values["string"])]
    on_b = [f"{100 * shown['weights'][0, is_b].sum():.1f}%"] if any(is_b) else []
    return [values["step"], shown["loss"], *on_b]


def race_sentence(shown, values):
    last = shown["losses"][:, values["step"]]
    if values["step"] == 0:
        return [last.max()]  # one number for all five
    return [values["step"], values["rate"], last.min(), last.max()]


# --- a transformer in einsum -----------------------------------------------------------------------------------------


@functools.cache
def parameters():
    file = np.load(date_model.PATH)
    return {name: file[name].astype(float) for name in file.files}


def normed(x, name):
    p, centred = parameters(), x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * p[f"{name}.gain"] + p[f"{name}.bias"]


def attend(x, context, name, blocked, off):
    p = parameters()
    q, k, v = (
        (tokens @ p[f"{name}.W_{role}"] + p[f"{name}.b_{role}"]).reshape(*tokens.shape[:2], 4, 16)
        for tokens, role in ((x, "query"), (context, "key"), (context, "value"))
    )
    dots = np.einsum("bqhd,bkhd->bhqk", q, k) / 4
    weights = shares(np.where(blocked, -1e300, dots))
    heads = np.einsum("bhqk,bkhd->bqhd", weights, v)
    if off is not None:
        heads[:, :, off] = 0
    return heads.reshape(*x.shape) @ p[f"{name}.W_output"] + p[f"{name}.b_output"], weights


def forward_feed(x, name):
    p = parameters()
    return np.maximum(x @ p[f"{name}.W_in"] + p[f"{name}.b_in"], 0) @ p[f"{name}.W_out"] + p[f"{name}.b_out"]


def embedded(numbers, positions):
    x = 8 * parameters()["embedding"][numbers]
    if positions:
        for pos, i in itertools.product(range(numbers.shape[1]), range(32)):
            angle = pos / 10_000 ** (2 * i / 64)
            x[:, pos, 2 * i] += math.sin(angle)
            x[:, pos, 2 * i + 1] += math.cos(angle)
    return x


def translated(sources, lengths, positions=True, padding=True, head=(None, None)):
    off = {head[0]: head[1]}
    past_end = (np.arange(sources.shape[1]) >= np.array(lengths)[:, None])[:, None, None, :] & padding
    x, name = embedded(sources, positions), "encoder.0"
    asked = normed(x, f"{name}.self_attention_norm")
    added, encoder = attend(asked, asked, f"{name}.self_attention", past_end, off.get("encoder"))
    x = x + added
    x = x + forward_feed(normed(x, f"{name}.feed_forward_norm"), f"{name}.feed_forward")
    memory, name = normed(x, "encoder_norm"), "decoder.0"
    written, chances = np.zeros((len(sources), 11), int), []
    written[:, 0] = 1
    future = np.triu(np.ones((10, 10), bool), 1)[None, None]
    for place in range(10):
        y = embedded(written[:, :10], positions)
        asked = normed(y, f"{name}.self_attention_norm")
        added, decoder = attend(asked, asked, f"{name}.self_attention", future, off.get("decoder"))
        y = y + added
        asked = normed(y, f"{name}.cross_attention_norm")
        added, cross = attend(asked, memory, f"{name}.cross_attention", past_end, off.get("cross"))
        y = y + added
        y = y + forward_feed(normed(y, f"{name}.feed_forward_norm"), f"{name}.feed_forward")
        scores = normed(y, "decoder_norm") @ parameters()["W_vocabulary"] + parameters()["b_vocabulary"]
        chances.append(shares(scores[:, place]))
        written[:, place + 1] = scores[:, place].argmax(axis=-1)
    return written[:, 1:], np.stack(chances, axis=1), {"encoder": encoder, "decoder": decoder, "cross": cross}


TOKENS = ["<pad>", "<s>", *" ,-./0123456789abcdefghijlmnoprstuvwy"]


def numbered(texts):
    lengths = [len(text) for text in texts]
    sources = np.zeros((len(texts), max(lengths)), int)
    for row, text in zip(sources, texts):
        row[: len(text)] = [TOKENS.index(letter) for letter in text]
    return sources, lengths


@functools.cache
def translated_text(text):
    return translated(*numbered([text]))


def of_date(text):
    text = text.strip().lower()
    good = 6 <= len(text) <= 29 and set(text) <= set(TOKENS[2:]) and any(letter in "0123456789" for letter in text)
    return text if good else None


def decoding(text, place, head):
    if (text := of_date(text)) is None:
        return None
    numbers, chances, attentions = translated_text(text)
    best = sorted(range(39), key=lambda k: -chances[0, place - 1, k])[:5]
    return {
        "numbers": numbers[0],
        "likeliest": np.array(best),
        "probabilities": chances[0, place - 1, best],
        "heads": np.stack([attentions["cross"][0].mean(axis=0), *attentions["cross"][0]]),
    }


def words(numbers):
    return "".join(TOKENS[k] for k in numbers if k > 1)


def decoding_sentence(shown, values):
    row = shown["heads"][values["head"], values["place"] - 1]
    most = int(row.argmax())
    who = f"head {values['head']} " if values["head"] else ""
    first = f"{values['place']} {TOKENS[shown['likeliest'][0]]!r} {100 * shown['probabilities'][0]:.1f}%"
    span = "" if of_date(values["text"]) in {*CALENDAR, *NO_STYLE} else "1969 2068"
    return driving.numbers(f"{first} {who}{of_date(values['text'])[most]!r}, {most + 1}, {row[most]:.2f} {span}")


CALENDAR = {
    "21 nov 2026": (2026, 11, 21), "1 may 1999": (1999, 5, 1), "7/8/69": (1969, 8, 7), "sat 21 nov 2026": (2026, 11, 21),
    "november 3, 1987": (1987, 11, 3), "2026-11-21": (2026, 11, 21), "1.2.2003": (2003, 2, 1),
    "wednesday, september 30, 2026": (2026, 9, 30), "29 feb 2028": (2028, 2, 29), "05/03/2011": (2011, 3, 5),
    "saturday, november 21, 2026": (2026, 11, 21), "21/11/26": (2026, 11, 21),
}  # fmt: skip
NO_STYLE = {"garbage 12", "000000"}  # all other texts are written in one of the ten styles, but name no day


def decoding_lights(shown, values):
    lights = []
    if day := CALENDAR.get(of_date(values["text"])):
        right = datetime.date(*day).isoformat()
        wrong = sum(TOKENS[k] != letter for k, letter in zip(shown["numbers"], right, strict=True))
        lights.append(("all ten letters agree with the calendar", wrong))
    return lights


PARTS = ["nothing", "positions", "padding mask"]
PARTS += [f"{name} head {k}" for name in ("encoder", "decoder", "cross-attention") for k in (1, 2, 3, 4)]


@functools.cache
def switched_off(off):
    name, _, number = off.rpartition(" head ")
    how = {"positions": {"positions": False}, "padding mask": {"padding": False}}
    kind = {"encoder": "encoder", "decoder": "decoder", "cross-attention": "cross"}
    changes = {"head": (kind[name], int(number) - 1)} if name else how.get(off, {})
    _, days = dates.split()
    texts = [list(dates.FORMATS.values())[k % 10](day).lower() for k, day in enumerate(days[:100])]
    numbers, *_ = translated(*numbered([*texts, "21 nov 2026"]), **changes)
    return [words(row) == day.isoformat() for row, day in zip(numbers, days[:100])], numbers[-1]


def ablated(off):
    right, numbers = switched_off(off)
    return {
        "counts": np.array([sum(switched_off(part)[0]) for part in PARTS]),
        "right": np.array(right),
        "by_style": np.array([sum(right[style::10]) for style in range(10)]),
        "numbers": numbers,
    }


def ablation_sentence(shown, values):
    return driving.numbers(f"{values['off']}, {sum(shown['right'])} 100 ; 21 nov 2026 {words(shown['numbers'])}")


REFERENCES = {
    "explore_learning": learning,
    "explore_one_b": one_b,
    "explore_optimizers": optimizers,
    "explore_decoding": decoding,
    "explore_ablation": ablated,
}
TABLES = {
    "explore_learning": lambda shown, values: {},
    "explore_one_b": lambda shown, values: {},
    "explore_optimizers": lambda shown, values: {"loss": shown["losses"][:, [0, 10, 30, values["step"]]].tolist()},
    "explore_decoding": lambda shown, values: {},
    "explore_ablation": lambda shown, values: {f"off: {values['off']}": [[k, 10] for k in shown["by_style"].tolist()]},
}
SENTENCES = {
    "explore_learning": learning_sentence,
    "explore_one_b": one_b_sentence,
    "explore_optimizers": race_sentence,
    "explore_decoding": decoding_sentence,
    "explore_ablation": ablation_sentence,
}
LIGHTS = {
    "explore_learning": lambda shown, values: [
        ("every row sums to 1", 0),
        ("all 512 strings of nine letters are predicted correctly", shown["wrong"]),
    ],
    "explore_one_b": lambda shown, values: [
        (f"{who} says B", 0 if p > 0.5 else p)
        for who, p in zip(("the head that looks", "the average"), shown["chance"])
    ],
    "explore_optimizers": lambda shown, values: [],
    "explore_decoding": decoding_lights,
    "explore_ablation": lambda shown, values: [
        ("at least 95 of 100 held-out dates are right", max(0, 100 - sum(shown["right"])) * (sum(shown["right"]) < 95))
    ],
}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_explore_learning_goes_from_a_coin_to_the_b():
    explorer = explorers.explore_learning()
    assert abs(explorer.shown["loss"] - math.log(2)) < 0.01 and explorer.shown["weights"].max() < 0.5
    explorer.set(step=100)
    assert explorer.shown["weights"][:, 2].min() > 0.85 and explorer.shown["wrong"] == 0


def test_explore_decoding_looks_at_the_year_first_and_the_day_last():
    explorer = explorers.explore_decoding()
    assert dates.to_text(explorer.shown["numbers"]) == "2026-11-21"
    mean = explorer.shown["heads"][0]
    assert mean[0, 7:].sum() > 0.7 and mean[9, :2].sum() > 0.9


def test_explore_decoding_says_a_friendly_word_about_nonsense():
    explorer = explorers.explore_decoding()
    for typed, told in {
        "tomorrow": "digits", "21 xyz 2026": "'x'", "1/1": "too short", "21st of November in the year 2026": "longest",
    }.items():  # fmt: skip
        explorer.controls["text"].value = typed
        assert told in explorer._view.value.replace("&#x27;", "'") and "last good picture" in explorer._view.value


def test_explore_decoding_says_when_a_text_names_no_day_in_the_ten_styles():
    explorer = explorers.explore_decoding()
    no_day = (
        " The style is one of the ten, but this is no day from 1969 to 2068; the model writes ten letters all the same."
    )
    no_style = " This text is in none of the ten styles; the model writes ten letters all the same."
    days = ["31 feb 2026", "21 Nov 1950", "December 1, 2100", "11/21/2026", "12/31/26", "Sunday, February 30, 2025"]
    styles = ["21st november 2026", "2026/11/21", "21 nov 26"]
    for typed, told in [*((day, no_day) for day in days), *((style, no_style) for style in styles)]:
        explorer.controls["text"].value = typed
        assert explorer.text.endswith(told) and "calendar" not in explorer.html, explorer.text
    explorer.controls["text"].value = "21 nov 2026"
    assert "all the same" not in explorer.text


def test_explore_decoding_calls_no_day_that_there_is_not_a_date():
    explorer = explorers.explore_decoding()
    for typed, written in {
        "31 Feb 2026": "2026-02-31",
        "29 Feb 2027": "2027-02-29",
        "30.02.2026": "2026-02-30",
    }.items():
        explorer.controls["text"].value = typed
        assert dates.to_text(explorer.shown["numbers"]) == written
        with pytest.raises(ValueError, match="day"):
            datetime.date.fromisoformat(written)
        assert "no day" in explorer.text and "date" not in explorer.text


def test_explore_decoding_says_that_one_letter_does_not_agree():
    explorer = explorers.explore_decoding()
    explorer.controls["text"].value = "Friday, June 5, 2020"
    assert dates.to_text(explorer.shown["numbers"]) == "2000-06-05"
    assert "✗ all ten letters agree with the calendar: 1 does not" in explorer._repr_mimebundle_()["text/plain"]


def test_explore_optimizers_crowns_nobody_before_the_first_step():
    explorer = explorers.explore_optimizers()
    explorer.set(step=0)
    (loss,) = set(explorer.shown["losses"][:, 0])
    assert explorer.text == f"Before the first step all five have the same loss, {loss:.4f}."
    explorer.set(step=1)
    assert explorer.text.startswith("After 1 step at learning rate 0.1, ")


# --- the model of a learner ------------------------------------------------------------------------------------------


@pytest.fixture
def own_model(monkeypatch):
    """A model of another seed, 32 bits as training leaves it, which the references read, too."""
    model = date_model.random_model(seed=3)
    named = {name: array.astype(float) for name, array in named_arrays(model).items()}
    monkeypatch.setattr(f"{__name__}.parameters", lambda: named)
    switched_off.cache_clear()
    yield model
    switched_off.cache_clear()


def test_explore_decoding_shows_the_model_that_it_is_given(own_model):
    explorer, shipped = explorers.explore_decoding(own_model), explorers.explore_decoding()
    for state in ({"text": "21 Nov 2026"}, {"text": "7/8/69", "place": 3, "head": 2}):
        explorer.set(**state)
        numbers, chances, attentions = translated(*numbered([state["text"].lower()]))
        place = state.get("place", 1)
        np.testing.assert_array_equal(explorer.shown["numbers"], numbers[0])
        np.testing.assert_allclose(explorer.shown["heads"][1:], attentions["cross"][0])
        np.testing.assert_allclose(explorer.shown["probabilities"], np.sort(chances[0, place - 1])[:-6:-1])
    assert dates.to_text(shipped.shown["numbers"]) == "2026-11-21"


def test_explore_ablation_counts_for_the_model_that_it_is_given(own_model):
    explorer, shipped = explorers.explore_ablation(own_model), explorers.explore_ablation()
    for off in ("nothing", "positions", "cross-attention head 2"):
        explorer.controls["off"].value = off
        want = ablated(off)
        assert explorer.shown["right"].sum() == want["right"].sum() == 0
        np.testing.assert_array_equal(explorer.shown["numbers"], want["numbers"])
    assert shipped.shown["right"].sum() >= 95


def test_explorers_of_a_model_that_writes_nothing_say_so():
    model = date_model.random_model()
    model["b_vocabulary"][dates.PAD] = 1000
    explorer = explorers.explore_decoding(model)
    assert not explorer.shown["numbers"].any()
    assert "✗ all ten letters agree with the calendar: 10 do not" in explorer._repr_mimebundle_()["text/plain"]
    assert explorers.explore_ablation(model).text.endswith("21 nov 2026 becomes nothing.")


@pytest.mark.parametrize("explore", [explorers.explore_decoding, explorers.explore_ablation])
def test_explorers_of_a_model_refuse_what_is_none(explore):
    history = date_model.train(date_model.random_model(), num_steps=1, progress=None)
    with pytest.raises(
        TypeError, match=r"parameters must be those of a model, such as history\.parameters, got History\."
    ):
        explore(history)


def test_explore_ablation_loses_dates_without_positions_and_masks():
    explorer = explorers.explore_ablation()
    assert explorer.shown["right"].sum() >= 95
    for off, most in {"positions": 10, "padding mask": 80, "decoder head 4": 90}.items():
        explorer.controls["off"].value = off
        assert explorer.shown["right"].sum() <= most, off


# --- what answers the hand -------------------------------------------------------------------------------------------


def test_the_loss_is_dragged_to_the_step_that_the_slider_names():
    explorer = explorers.explore_learning()
    driving.point(explorer, "loss", 80, 0.1)
    driving.point(explorer, "loss", 21.3, 0.1, kind="mousemove")
    assert explorer.controls["step"].value == 21 and "After 21 steps" in explorer.text


def test_a_letter_of_the_string_is_turned_by_a_click():
    explorer = explorers.explore_learning()
    assert driving.titles(explorer)["string", (1,)] == "click: make it B"
    driving.click(explorer, "string", 1)
    assert explorer.controls["string"].value == "ABBA" and explorer.shown["weights"].shape == (4, 4)
    driving.click(explorer, "string", 2)
    assert explorer.controls["string"].value == "ABAA"


def test_five_losses_are_read_at_the_step_that_is_dragged_to():
    explorer = explorers.explore_optimizers()
    driving.point(explorer, "losses", 55.4, 0.1)
    want = optimizers(0.1, 55)["losses"][:, 55]
    assert explorer.controls["step"].value == 55 and f"lowest with a loss of {want.min():.4f}" in explorer.text


def test_a_letter_of_the_output_and_the_map_of_a_head_are_clicked():
    explorer = explorers.explore_decoding()
    assert driving.titles(explorer)["output", (1,)] == "write letter 2"
    driving.click(explorer, "output", 8)
    assert explorer.controls["place"].value == 9
    for head in (3, 0):
        driving.click(explorer, "heads", head)
        assert explorer.controls["head"].value == head


def test_a_bar_is_pressed_and_its_part_is_off():
    explorer = explorers.explore_ablation()
    for k, part in enumerate(PARTS):
        driving.point(explorer, "parts", 50, k + 0.3)
        assert explorer.controls["off"].value == part
        assert explorer.shown["counts"][k] == explorer.shown["right"].sum()


def test_one_b_among_many_letters_tells_a_head_that_looks_from_an_average():
    explorer = explorers.explore_one_b()
    said = {}
    for length in range(2, 41):
        driving.point(explorer, "length", length + 0.2, 0.5)
        assert explorer.controls["length"].value == length
        said[length] = [holds for holds, _ in driving.lights(explorer.html)]
    assert [length for length, (head, _) in said.items() if head] == list(range(2, 30))
    assert [length for length, (_, average) in said.items() if average] == list(range(2, 6))


# --- what lesson 12 says ---------------------------------------------------------------------------------------------


def test_lesson_12_says_rightly_what_is_learned_first():
    kept, losses = way("gradient descent", 1.0)
    assert losses[[0, 10]].round(3).tolist() == [0.695, 0.340]
    of_b = [forward(kept[step], rows(["AABA"])[0])[2][0, 0, 2].round(2) for step in (10, 15, 30)]
    assert of_b == [0.31, 0.38, 0.75]
    for query in kept[100]["W_query"]:  # both turn towards the key of B, away from that of A
        away, towards = kept[100]["W_key"] @ query / np.linalg.norm(kept[100]["W_key"], axis=1) / np.linalg.norm(query)
        assert away < -0.75 and towards > 0.8
    np.testing.assert_allclose(forward(kept[100], rows(["AAAA"])[0])[2], 0.25)


def test_lesson_12_answers_its_questions_about_five_ways_downhill():
    last = {rate: dict(zip(NAMES, optimizers(rate, 0)["losses"][:, -1])) for rate in RATES}
    assert last[1.0]["gradient descent"] < last[0.03]["RMSProp"] < last[0.3]["gradient descent"]
    assert last[0.03]["RMSProp"] == pytest.approx(0.01, abs=0.003)
    assert sorted(last[0.01], key=last[0.01].get)[:2] == ["RMSProp", "Adam"]


def test_lesson_12_tells_the_rival_rightly():
    def share_right(p, length):
        X, right = rows(["".join(letters) for letters in itertools.product("AB", repeat=length)])
        scores = forward(p, X)[-1]
        return ((scores[..., 1] > scores[..., 0]) == right[:, None]).all(axis=-1).mean()

    rival = way("gradient descent", 1.0, scale=0.0)[0][-1]
    assert share_right(rival, 4) == 1 and round(share_right(rival, 9), 2) == 0.98
    slope, shift = rival["W_output"][:, 1] - rival["W_output"][:, 0], rival["b_output"][1] - rival["b_output"][0]
    assert 1 / 6 < -(shift + slope[0]) / (slope[1] - slope[0]) < 1 / 5  # the share of B's at which it says B
    assert chances_of_b()[0, 29 - 2] > 0.5 > chances_of_b()[0, 30 - 2]
    assert (np.diff(chances_of_b()[0]) < 0).all()


def test_lesson_12_longer_training_moves_the_end_to_59_letters():
    parameters, (X, targets) = letters.random_parameters(), letters.as_data(letters.balanced(4))
    for _ in range(300):
        _, gradient = training.loss_and_gradient(letters.loss_of, parameters, X, targets)
        parameters = {name: parameters[name] - 1.0 * gradient[name] for name in parameters}
    right = [letters.accuracy(parameters, ["B" + "A" * (n - 1)]) for n in (30, 59, 60)]
    assert right == [1, 1, 0]


# --- what lesson 13 says ---------------------------------------------------------------------------------------------


@functools.cache
def held_out_days(style, count=200):
    _, days = dates.split()
    texts = [dates.write(day, style).lower() for day in days[:count]]
    return texts, translated(*numbered(texts))[2]


def test_every_head_finds_the_field_and_heads_2_and_4_differ_inside_it():
    texts, attentions = held_out_days("21 Nov 2026")
    for head in range(4):
        found = {"year": [], "month": [], "day": []}
        for text, weights in zip(texts, attentions["cross"][:, head]):
            month, year = text.index(" ") + 1, text.rindex(" ") + 1
            found["year"].append(weights[:4, year : year + 4].sum(axis=-1).mean())
            found["month"].append(weights[5:7, month : year - 1].sum(axis=-1).mean())
            found["day"].append(weights[8:, : month - 1].sum(axis=-1).mean())
        means = [round(float(np.mean(each)), 2) for each in found.values()]
        assert 0.83 <= min(means) and max(means) <= 0.99, (head, means)
    first = attentions["cross"][:, :, 0].argmax(axis=-1) - np.array([[text.rindex(" ") + 1] for text in texts])
    assert (first[:, 1] == 1).mean() > 0.95 and (first[:, 3] == 0).mean() > 0.95


def test_the_weekday_gets_a_quarter_of_the_weight_while_a_hyphen_is_written_and_changes_nothing():
    numbers, _, attention = translated_text("saturday, november 21, 2026")
    cross = attention["cross"][0].mean(axis=0)
    assert cross[7, :8].sum() == pytest.approx(0.25, abs=0.03)
    assert words(translated_text("sunday, november 21, 2026")[0][0]) == words(numbers[0]) == "2026-11-21"


@pytest.mark.parametrize(("typed", "becomes"), [("31 feb 2026", "2026-02-31"), ("12/31/26", "2026-03-12")])
def test_the_model_knows_no_calendar_and_no_american_date(typed, becomes):
    assert words(translated_text(typed)[0][0]) == becomes


def test_lesson_13_names_the_parts_that_cost_most_and_those_that_copying_needs():
    counts = {part: sum(switched_off(part)[0]) for part in PARTS}
    assert sorted(counts, key=counts.get)[:2] == ["positions", "decoder head 4"]
    assert (counts["positions"], counts["decoder head 4"], counts["decoder head 3"]) == (0, 3, 95)
    copied = {part: sum(switched_off(part)[0][9::10]) for part in PARTS if "head" in part}
    needed = {part for part, count in copied.items() if count <= 4}
    assert needed == {f"encoder head {k}" for k in (1, 2, 4)} | {
        "decoder head 1",
        "decoder head 4",
        "cross-attention head 4",
    }
    assert max(counts[part] for part in counts if part.startswith("cross")) == counts["cross-attention head 2"]


# --- a training that is watched --------------------------------------------------------------------------------------


def test_a_training_is_watched_while_it_runs(monkeypatch):
    displayed, said = [], []
    monkeypatch.setattr(watching, "display", displayed.append)
    watch = explorers.watch_dates(every=2)
    assert not displayed  # nothing is shown before there is something to show

    def look(losses, parameters):
        watch(losses, parameters)
        if len(losses) == 1:
            displayed[0].children[-1].observe(lambda change: said.append(change["new"]), "value")

    history = date_model.train(date_model.load_model(), num_steps=5, peak=1e-4, progress=None, watch=look, seed=3)
    told = [re.search(r"After .*", html)[0].removesuffix("</p>") for html in said]
    assert told == [
        f"After {n} steps the loss is {history.losses[n - 1]:.3f}; 21 nov 2026 becomes 2026-11-21." for n in (2, 4)
    ]


def test_what_is_watched_is_the_model_of_that_step(monkeypatch):
    displayed = []
    monkeypatch.setattr(watching, "display", displayed.append)
    parameters = date_model.random_model(seed=5)
    explorers.watch_dates(every=1)([3.25], parameters)
    row = dates.to_numbers("21 nov 2026")
    translation = date_model.translate(parameters, row[None], [len(row)])
    html = displayed[0].children[-1].value
    (table,) = driving.tables(html)
    weights = translation.attention["cross"][0].mean(axis=0)
    np.testing.assert_allclose(np.array(list(table.rows.values()), float), weights, atol=6e-3)
    written = dates.to_text(translation.numbers[0])
    assert f"After 1 step the loss is 3.250; 21 nov 2026 becomes {html_words(written)}." in html


def test_lesson_13_a_weekday_may_or_may_not_change_what_is_written():
    texts = ["Saturday, November 21, 2026", "Sunday, November 21, 2026", "Sunday, May 23, 2004", "Friday, May 23, 2004"]
    written = [explored_date(text) for text in texts]
    assert written == ["2026-11-21", "2026-11-21", "2040-05-23", "2004-05-23"]


def explored_date(text):
    explorer = explorers.explore_decoding()
    explorer.set(text=text)
    return "".join(dates.VOCABULARY[number] for number in explorer.shown["numbers"])
