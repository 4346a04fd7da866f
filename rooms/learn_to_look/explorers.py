"""Watch one attention head learn to look for the B: look back through a training, compare ways downhill."""

import functools

import numpy as np

from helpers.attention import softmax
from helpers.learning import optimizers, training
from helpers.learning.parameters import tree_map
from rooms.learn_to_look import letters
from rooms.learn_to_look.slopes import explore_slopes  # noqa: F401
from rooms.shared import ribbons
from rooms.shared.strings import read_letters
from workbench import SHARES, Axes, Chart, Plane, Rule, explorer, matrices, slider, stops, text_field, turn_letter

NUM_STEPS = 100
BATCH_SIZE = 8
OPTIMISERS = {  # SGD takes the same step as gradient descent, with a part of the data each time
    "gradient descent": optimizers.gradient_descent, "SGD": optimizers.gradient_descent, "momentum": optimizers.momentum,
    "RMSProp": optimizers.rmsprop, "Adam": optimizers.adam,
}  # fmt: skip
RATES = [0.01, 0.03, 0.1, 0.3, 1.0]
LENGTHS = range(2, 41)
STEPS = {"ticks": range(0, NUM_STEPS + 1, 20), "x_title": "steps done"}
# the strings stand above it
_LOOK = {"up_ticks": (0, 0.4, 0.8), "title": "loss", "colours": ["ink"], "size": (500, 372), "top": 232}
LOSS = Chart((0, NUM_STEPS), (0, 0.8), **_LOOK, **STEPS)
PLANE = Axes(266, None, (-1.9, 1.9), (-1.9, 1.9), x_title="queries and keys", margin=(14, 16, 14, 18))
RACE = Chart(
    (0, NUM_STEPS), (1e-7, 30.0), up_ticks=(1e-6, 1e-4, 1e-2, 1), logarithmic=True, title="loss on all strings",
    lines=OPTIMISERS, size=(780, 330), **STEPS,
)  # fmt: skip
MODELS = ("head that looks", "average")
ONE_B = Chart(
    (LENGTHS[0], LENGTHS[-1]), (0, 1), ticks=range(5, LENGTHS[-1] + 1, 5), up_ticks=(0, 0.5, 1), lines=MODELS, size=(780, 290),
    title="probability of B, at least", x_title="letters in the string, one of them a B",
)  # fmt: skip
UNSEEN = 9  # letters in the strings that are tried without ever having been trained on


def explore_learning():
    """Look back through a training: where a letter looks, before it and at a step, and the queries and keys of both letters.

    Shown: losses (101,) before each step and after the last; loss (); weights (n, n) on the typed string, and before (n, n),
    those at step 0; query and key (2, 2), of the letters A and B; wrong (), of the 512 strings of nine letters
    """
    return explorer(
        _look_back,
        lambda now: [(_strings_and_loss(now), _queries_and_keys(now))],
        _describe_learning,
        [SHARES],
        planes={"loss": Plane(LOSS.axes, "step", "drag: look back at this step")},
        touch={"string": turn_letter(lambda now: "string")},
        folded=["string"],
        step=slider("steps done", 30, 0, NUM_STEPS, 1),
        string=text_field("string of A and B", "AABA"),
    )


def explore_optimizers():
    """Let five optimisers run from the same start, at a learning rate of your choice.

    Shown: losses (5, 101), of all strings, before each step and after the last
    """
    for name in OPTIMISERS:
        _parameters(name)
    return explorer(
        lambda rate, step: {"losses": np.array([_losses(name, rate) for name in OPTIMISERS])},
        lambda now: RACE.draw(range(NUM_STEPS + 1), now.losses, chosen=now.step),
        _describe_race,
        planes={"losses": Plane(RACE.axes, "step", "drag: read the losses after this step")},
        folded=["step"],
        rate=stops("learning rate", [(f"{rate:g}", rate) for rate in RATES], 0.1),
        step=slider("steps done", NUM_STEPS, 0, NUM_STEPS, 1),
    )


def explore_one_b():
    """Put one B among more and more A's, and ask two trained models: a head that looks, and one that only averages.

    Shown: lengths (39,), of strings with one B; chances (2, 39), the smallest probability that any letter of such a
    string gives to B, by the head and by the average; chance (2,), at the chosen length; weights (n,), of an A in the
    string, by the head
    """
    return explorer(
        _ask_two_models,
        lambda now: [_one_b(now), _one_b_in_words(now)],
        lambda now: (
            f"One B among {now.length} letters: an A gives it {now.weights[-1]:.1%} of its weight, while the average gives "
            f"{1 / now.length:.1%}. The head that looks gives B a probability of at least {now.chance[0]:.3f}, "
            f"the average {now.chance[1]:.3f}."
        ),
        [
            Rule("the head that looks says B", lambda now: _says_b("the head", now.chance[0])),
            Rule("the average says B", lambda now: _says_b("the average", now.chance[1])),
        ],
        planes={"length": Plane(ONE_B.axes, "length", "drag: letters in the string")},
        length=slider("letters in the string", 6, LENGTHS[0], LENGTHS[-1], 1),
    )


# --- trainings, computed once ----------------------------------------------------------------------------------------


_data = functools.cache(lambda: letters.as_data(letters.balanced()))


@functools.cache
def _parameters(optimizer):
    """dict name -> (101, num_rates, 2, 2 or 1, 2), after every step, at all learning rates at once."""
    drawn = letters.random_parameters().items()
    start = {name: np.stack([np.atleast_2d(array)] * len(RATES))[:, None] for name, array in drawn}
    X, targets = _data()
    batches = training.full_batch(X, targets)
    if optimizer != "gradient descent":
        batches = training.random_batches(np.random.default_rng(16), X, targets, size=BATCH_SIZE)
    rates = np.reshape(RATES, (-1, 1, 1, 1))
    history = training.train(
        start, _sum_of_losses, batches, num_steps=NUM_STEPS, learning_rate=lambda step: rates,
        optimizer=OPTIMISERS[optimizer], keep_every=1, progress=None,
    )  # fmt: skip
    kept = history.snapshots.values()
    return {name: np.stack([parameters[name][:, 0] for parameters in kept]) for name in start}


def _sum_of_losses(parameters, X, targets):
    """One loss for each learning rate, added up, so that each training has its own gradient."""
    everywhere = np.broadcast_to(targets, (len(RATES), *targets.shape))
    return letters.loss_of(parameters, X, everywhere) * len(RATES)


def _after(optimizer, rate, step):
    return {name: array[step, RATES.index(rate)] for name, array in _parameters(optimizer).items()}


@functools.cache
def _losses(optimizer, rate):
    return np.array([letters.loss_of(_after(optimizer, rate, step), *_data()) for step in range(NUM_STEPS + 1)])


_unseen = functools.cache(lambda: letters.as_data(letters.strings_of(UNSEEN)))


# --- looking back ----------------------------------------------------------------------------------------------------


def _look_back(step, string):
    parameters = _after("gradient descent", 1.0, step)
    (X,), _ = letters.as_data([read_letters(string)])
    unseen, targets = _unseen()
    said = np.argmax(letters.look(unseen, parameters)[0], axis=-1)
    losses = _losses("gradient descent", 1.0)
    return {
        "losses": losses.copy(), "loss": losses[step], "weights": letters.look(X, parameters)[1],
        "before": letters.look(X, _after("gradient descent", 1.0, 0))[1], "query": parameters["W_query"].copy(),
        "key": parameters["W_key"].copy(), "wrong": np.sum(np.any(said != targets, axis=-1)),
    }  # fmt: skip


def _strings_and_loss(now):
    """Where the first letter looked before training and where it looks by now, above the curve that is dragged."""
    both, base = LOSS.sheets(), 148
    for drawing in both:
        half = drawing.width / 2
        for k, (title, row) in enumerate((("before training", now.before[0]), (_by_now(now), now.weights[0]))):
            drawing.words(half * k, 14, title, size=14, anchor="start", bold=True)
            _ribbons_of(drawing, now, row, half * k, half - 18, base)
    looks = ", ".join(f"{letter} {share:.3f}" for letter, share in zip(read_letters(now.string), now.weights[0]))
    return LOSS.draw(
        range(NUM_STEPS + 1), now.losses, chosen=now.step, onto=both,
        text=f"{_by_now(now).capitalize()} the first letter gives {looks}; before training {now.before[0].max():.3f} at most.",
    )  # fmt: skip


def _by_now(now):
    return f"after {now.step} step{'s' * int(now.step != 1)}"


def _ribbons_of(drawing, now, row, left, width, base):
    """A string and the ribbons from its first letter; the letters are as large as there is room."""
    string = read_letters(now.string)
    step = min(56, (width - ribbons.WHOLE / 2) / (len(string) - 0.5))
    start = left + max(step, ribbons.WHOLE) / 2
    x = [start + step * k for k in range(len(string))]
    ribbons.over(drawing, x, row, 0, base, lambda apart: min(30 + 0.4 * apart, 108))
    for k, letter in enumerate(string):
        look = {"size": min(32, 1.3 * step), "colour": "query" if k == 0 else "key" if letter == "B" else "ink"}
        drawing.words(x[k], base + 30, letter, bold=letter == "B", **look)
        if step > 34 or row[k] >= 0.995 * row.max():
            drawing.words(x[k], base + 50, f"{row[k]:.0%}", size=12, colour="muted")
        box = {"x": x[k] - step / 2, "y": base + 2, "width": step, "height": 52}
        drawing.add("rect", fill="transparent", place=(now.places("string"), k), **box)


def _queries_and_keys(now):
    """The queries and keys of the two letters as arrows."""
    drawing = PLANE.sketch()
    for name in ("query", "key"):  # keys above, dashed: in the end the queries lie below the key of B
        for letter, tip in zip("AB", now[name]):
            drawing.arrow(tip, name, dashed=name == "key")
            side = 1 if name == "key" else -1  # in the end both point along the key of B, and so no label hides another
            drawing.say(tip, f"{name[0]} {letter}", (20 * side, 4 + 6 * side), colour=name, font_weight=600)
    tips = ", ".join(f"{name} of {'AB'[k]} {_vector(now[name][k])}" for name in ("query", "key") for k in range(2))
    return drawing.html(f"As arrows: {tips}.")


def _vector(row):
    return "[" + ", ".join(f"{number + 0.0:.2f}" for number in row.round(2)) + "]"


def _describe_learning(now):
    of_b = [letter == "B" for letter in read_letters(now.string)]
    looks = f"the first letter gives {now.weights[0, of_b].sum():.1%} of its weight to B"
    return (
        f"{_by_now(now).capitalize()} the loss is {now.loss:.3f}, and {looks if any(of_b) else 'this string has no B to look at'}. "
        f"Of all {2**UNSEEN} strings of nine letters, which it doesn't train on, it gets {now.wrong or 'none'} wrong."
    )


# --- the race --------------------------------------------------------------------------------------------------------


def _describe_race(now):
    last = dict(zip(OPTIMISERS, now.losses[:, now.step]))
    best, worst = min(last, key=last.get), max(last, key=last.get)
    if now.step == 0:
        return f"Before the first step all five have the same loss, {last[best]:.4f}."
    return (
        f"After {now.step} step{'s' * int(now.step != 1)} at learning rate {now.rate:g}, {best} is lowest with a loss of "
        f"{last[best]:.4f}, and {worst} highest with {last[worst]:.4f}."
    )


# --- one B among many A's ---------------------------------------------------------------------------------------------


@functools.cache
def _two_models():
    """After 100 steps of gradient descent at learning rate 1: from random matrices, and from zeros, which never look."""
    start = tree_map(np.zeros_like, letters.random_parameters())
    history = training.train(
        start, letters.loss_of, training.full_batch(*_data()), num_steps=NUM_STEPS, learning_rate=1.0,
        optimizer=optimizers.gradient_descent, progress=None,
    )  # fmt: skip
    return _after("gradient descent", 1.0, NUM_STEPS), history.parameters


@functools.cache
def _chances():
    """(2, num_lengths), the smallest probability of B that any letter gives."""
    strings = [letters.as_data(["A" * (length - 1) + "B"])[0] for length in LENGTHS]
    return np.array([[softmax(letters.look(X, model)[0])[..., 1].min() for X in strings] for model in _two_models()])


def _ask_two_models(length):
    (X,), _ = letters.as_data(["A" * (length - 1) + "B"])
    chances, weights = _chances().copy(), letters.look(X, _two_models()[0])[1][0]
    chance = chances[:, length - LENGTHS[0]].copy()
    return {"lengths": np.array(LENGTHS), "chances": chances, "chance": chance, "weights": weights}


def _one_b_in_words(now):
    return matrices.running(
        "A" * (now.length - 1) + "B", now.weights, "the string, and what an A gives to each letter",
        numbers=2 if now.length <= 16 else None,
    )  # fmt: skip


def _says_b(who, chance):
    return chance > 0.5, f"{who} gives B only {chance:.3f} at one letter"


def _one_b(now):
    """The probability of B against the length of the string, for both models."""
    last = [now.lengths[chances > 0.5][-1] for chances in now.chances]
    text = f"Above one half up to {last[0]} letters for the head that looks, up to {last[1]} for the average."
    both = ONE_B.sheets()
    for drawing, axes in zip(both, ONE_B.layouts):
        for length in last:
            x, y = ONE_B.place(axes, length, 0.5)
            drawing.words(x - 6, y + 16, f"up to {length}", size=12, anchor="end", halo=True)
    return ONE_B.draw(now.lengths, now.chances, chosen=now.length, text=text, onto=both)
