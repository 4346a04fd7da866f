"""Watch one attention head learn to look for the B: look back through a training, compare ways downhill."""

import functools
import math

import numpy as np

from helpers import matrices
from helpers.attention import softmax
from helpers.explorers.controls import choose, slider, stops, text_field
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.strings import read_letters
from helpers.explorers.sums import bracketed, number, terms
from helpers.explorers.touch import Plane, turn_letter
from helpers.learning import letters, optimizers, training
from helpers.learning.parameters import tree_map
from helpers.pictures import plots

NUM_STEPS = 100
BATCH_SIZE = 8
OPTIMISERS = {
    "gradient descent": optimizers.gradient_descent,
    "SGD": optimizers.gradient_descent,  # the same step, with a part of the data each time
    "momentum": optimizers.momentum,
    "RMSProp": optimizers.rmsprop,
    "Adam": optimizers.adam,
}
RATES = [0.01, 0.03, 0.1, 0.3, 1.0]
LENGTHS = range(2, 41)
UNSEEN = 9  # letters in the strings that are tried without ever having been trained on


def explore_learning():
    """Look back through a training: loss, attention map, queries and keys after every step.

    Shown: losses (101,) before each step and after the last; loss (); weights (n, n) on the typed string; query and key
    (2, 2), of the letters A and B; scores (2, 2), query A and B against key A and B, divided by √2; hand_query,
    hand_key and hand_scores (2, 2), those set by hand; wrong (), of the 512 strings of nine letters
    """
    curve, axes = _curve("optimizer")
    for name in OPTIMISERS:
        _parameters(name)  # all of them now, so that no control has to wait
    return explorer(
        _look_back,
        lambda now: [
            [curve.draw(now), matrices.under(_string(now), _map(now, read_letters(now.string)))],
            _looks(now),
        ],
        _describe_learning,
        [SHARES, Rule("all 512 strings of nine letters are predicted correctly", lambda now: now.wrong, "{} are not")],
        planes={"loss": Plane(axes, "step", "drag: look back at this step")},
        touch={"string": turn_letter(lambda now: "string")},
        sums={
            "weights": _weight_in_words,
            **{name: functools.partial(_entry_in_words, name) for name in ("query", "key")},
            "scores": _score_in_words,
        },
        folded=["step", "string"],
        step=slider("steps done", NUM_STEPS, 0, NUM_STEPS, 1),
        optimizer=choose("optimiser", list(OPTIMISERS), "gradient descent"),
        rate=stops("learning rate", [(f"{rate:g}", rate) for rate in RATES], 1.0),
        string=text_field("string of A and B", "AABA"),
    )


def explore_optimizers():
    """Let five optimisers run from the same start, at a learning rate of your choice.

    Shown: losses (5, 101), of all strings, before each step and after the last
    """
    race, axes = _race()
    for name in OPTIMISERS:
        _parameters(name)
    return explorer(
        lambda rate, step: {"losses": np.array([_losses(name, rate) for name in OPTIMISERS])},
        lambda now: [race.draw(now), _milestones(now)],
        _describe_race,
        planes={"losses": Plane(axes, "step", "drag: read the losses after this step")},
        sums={"losses": _loss_in_words},
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
    view, axes = _one_b()
    return explorer(
        _ask_two_models,
        lambda now: [view.draw(now), _one_b_in_words(now)],
        lambda now: (
            f"One B among {now.length} letters: an A gives it {now.weights[-1]:.1%} of its weight, where the average gives "
            f"{1 / now.length:.1%}. That B follows gets a probability of at least {now.chance[0]:.3f} from the head that looks, "
            f"and {now.chance[1]:.3f} from the average."
        ),
        [
            Rule("the head that looks says B", lambda now: _says_b(now.chance[0])),
            Rule("the average says B", lambda now: _says_b(now.chance[1])),
        ],
        planes={"length": Plane(axes, "length", "drag: letters in the string")},
        length=slider("letters in the string", 4, LENGTHS[0], LENGTHS[-1], 1),
    )


def explore_wrong_training():
    """Forget the minus sign, take steps that are too long, or start from nothing, and see which rule breaks.

    Shown: losses (41,), loss (), weights (4, 4) on A A B A
    """
    curve, _ = _curve("recipe", 40, top=100.0)
    return wrong_turns(
        "training",
        _RECIPES,
        _train_wrongly,
        lambda now: (curve.draw(now), _map(now, "AABA")),
        lambda now: (
            f"After 40 steps the loss is {now.loss:.3f}, and the B gets {now.weights[:, 2].min():.1%} of the weight where "
            "it gets least."
        ),
        [
            SHARES,
            Rule("the loss falls", lambda now: (now.loss < math.log(2) / 2, f"it is {now.loss:.3f}")),
            Rule("every letter looks at the B", lambda now: _finds_the_b(now.weights)),
        ],
        sums={"weights": lambda now, i, j: f"what letter {i + 1} gives to letter {j + 1} after 40 steps"},
    )


# --- trainings, computed once ----------------------------------------------------------------------------------------


@functools.cache
def _data():
    return letters.as_data(letters.balanced())


@functools.cache
def _parameters(optimizer):
    """dict name -> (101, num_rates, 2, 2 or 1, 2), after every step, at all learning rates at once."""
    start = {
        name: np.stack([np.atleast_2d(array)] * len(RATES))[:, None]
        for name, array in letters.random_parameters().items()
    }
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
    every = [letters.loss_of(_after(optimizer, rate, step), *_data()) for step in range(NUM_STEPS + 1)]
    return np.array(every)


@functools.cache
def _unseen():
    return letters.as_data(letters.strings_of(UNSEEN))


# --- looking back ----------------------------------------------------------------------------------------------------


def _look_back(step, optimizer, rate, string):
    letters_of_string = read_letters(string)
    parameters, by_hand = _after(optimizer, rate, step), letters.set_by_hand()
    (X,), _ = letters.as_data([letters_of_string])
    unseen, targets = _unseen()
    said = np.argmax(letters.look(unseen, parameters)[0], axis=-1)
    losses = _losses(optimizer, rate)
    return {
        "losses": losses.copy(),
        "step": np.array(step),
        "loss": losses[step],
        "weights": letters.look(X, parameters)[1],
        "query": parameters["W_query"].copy(),
        "key": parameters["W_key"].copy(),
        "scores": parameters["W_query"] @ parameters["W_key"].T / math.sqrt(2),
        "hand_query": by_hand["W_query"],
        "hand_key": by_hand["W_key"],
        "hand_scores": by_hand["W_query"] @ by_hand["W_key"].T / math.sqrt(2),
        "wrong": np.sum(np.any(said != targets, axis=-1)),
    }


def _looks(now):
    """Queries, keys and scores of the two letters, learned and set by hand, one above the other."""

    def both(name, columns, **how):
        stacked = np.vstack([now[name], now[f"hand_{name}"]])
        rows = ["A", "B", "A, lesson 03", "B, lesson 03"]
        return matrices.matrix(stacked, name, rows=rows, columns=columns, decimals=2, places=now.places(name), **how)

    halves = ["first", "second"]
    return [
        both("query", halves),
        both("key", halves),
        both("scores", "AB", kind="scores", corner="query ↓ key →", limit=7.0),
    ]


def _entry_in_words(name, now, i, j):
    made = "set by hand" if i > 1 else f"after {now.step} step{'s' * int(now.step != 1)} of {now.optimizer}"
    return f"{name} of {'AB'[i % 2]} = row {i % 2 + 1} of W_{name}, {made}"


def _score_in_words(now, i, j):
    by_hand = "hand_" * (i > 1)
    query, key, score = (now[f"{by_hand}{name}"] for name in ("query", "key", "scores"))
    products = terms(query[i % 2], key[j], partner=number)
    return f"query {'AB'[i % 2]} · key {'AB'[j]} / √2 = ({products}) / √2 = {number(score[i % 2, j])}"


def _weight_in_words(now, i, j):
    """Equal letters have equal powers, which stand together."""
    string = read_letters(now.string)
    to = dict(zip("AB", now.scores["AB".index(string[i])], strict=True))
    powers = {letter: f"e^{bracketed(number(score))}" for letter, score in to.items()}
    all_of_them = " + ".join(f"{string.count(letter)}·{powers[letter]}" for letter in "AB" if letter in string)
    return f"{string[i]} looks at {string[j]}: {powers[string[j]]} / ({all_of_them}) = {number(now.weights[i, j])}"


def _string(now):
    string = read_letters(now.string)
    caption = "string: click a letter to turn it"
    return matrices.running(string, np.zeros(len(string)), caption, numbers=None, places=now.places("string"))


def _map(now, string):
    return now.table("weights", rows=string, columns=string, decimals=2, row_sums=False)


def _describe_learning(now):
    string = read_letters(now.string)
    done = f"After {now.step} step{'s' * int(now.step != 1)} of {now.optimizer} the loss is {now.loss:.3f}"
    if "B" not in string:
        return f"{done}; this string has no B to look at."
    on_b = now.weights[:, [letter == "B" for letter in string]].sum(axis=-1).mean()
    return f"{done}, and a letter gives {on_b:.1%} of its weight to B on average."


def _curve(named, num_steps=NUM_STEPS, top=10.0):
    """The loss from step to step, on a logarithmic axis, and a dot at the chosen step, or at the end; `now[named]` is its name."""
    figure, axes = plots.new_figure(3.6, 2.5)
    how = {"x_title": "steps done", "title": "loss (logarithmic axis)", "y_limits": (1e-4, top)}
    line, dot = plots.curves(axes, 2, **how)
    dot.set(linestyle="", marker="o", color="#c2410c", markersize=9)
    axes.axhline(math.log(2), color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    axes.annotate("ln 2", (num_steps, math.log(2)), xytext=(0, 3), textcoords="offset points", ha="right")
    axes.set(yscale="log", xlim=(-2, num_steps + 2))

    def update(now):
        losses, step = np.maximum(now.losses, 1e-300), getattr(now, "step", num_steps)  # 0 has no place on this axis
        line.set_data(np.arange(len(losses)), losses)
        dot.set_data([step], [losses[step]])

    def tell(now):
        losses, step = now.losses, getattr(now, "step", num_steps)
        return (
            f"The loss of {now[named]} over {num_steps} steps, from {losses[0]:.3f} to {losses[-1]:.3f}, on a logarithmic "
            f"axis; after step {step} it is {losses[step]:.3f}."
        )

    return plots.LiveFigure(figure, [line, dot], update, tell), axes


# --- the race --------------------------------------------------------------------------------------------------------

MILESTONES = [0, 10, 30]


def _milestones(now):
    steps = [*MILESTONES, now.step]
    return matrices.matrix(
        now.losses[:, steps], "loss", rows=list(OPTIMISERS), columns=steps, corner="steps done", chosen_column=3,
        places=now.places("losses"),
    )  # fmt: skip


def _loss_in_words(now, i, j):
    step = [*MILESTONES, now.step][j]
    return f"mean surprise over all strings after {step} step{'s' * int(step != 1)} of {list(OPTIMISERS)[i]}"


def _describe_race(now):
    last = dict(zip(OPTIMISERS, now.losses[:, now.step]))
    best, worst = min(last, key=last.get), max(last, key=last.get)
    if now.step == 0:
        return f"Before the first step all five have the same loss, {last[best]:.4f}."
    return (
        f"After {now.step} step{'s' * int(now.step != 1)} at learning rate {now.rate:g}, {best} is lowest with a loss of "
        f"{last[best]:.4f}, and {worst} highest with {last[worst]:.4f}."
    )


def _race():
    """Five losses on one logarithmic axis, and a line at the chosen step."""
    figure, axes = plots.new_figure(6.6, 3.2)
    how = {"x_title": "steps done", "title": "loss on all strings (logarithmic axis)", "y_limits": (1e-7, 30.0)}
    lines = plots.curves(axes, 5, labels=list(OPTIMISERS), **how)
    chosen = plots.marker_line(axes, None)
    axes.set(yscale="log", xlim=(-2, NUM_STEPS + 2))
    axes.legend(loc="lower left", ncols=3, fontsize=9)

    def update(now):
        for line, losses in zip(lines, now.losses):
            line.set_data(np.arange(len(losses)), np.maximum(losses, 1e-300))
        chosen.set_xdata([now.step] * 2)

    def tell(now):
        ends = ", ".join(f"{name} at {loss:.4f}" for name, loss in zip(OPTIMISERS, now.losses[:, -1]))
        return f"Five curves of the loss over 100 steps. They end: {ends}."

    return plots.LiveFigure(figure, [*lines, chosen], update, tell), axes


# --- one B among many A's ---------------------------------------------------------------------------------------------


def _two_models():
    """After 100 steps of gradient descent at learning rate 1: from random matrices, and from zeros, which never look."""
    return _after("gradient descent", 1.0, NUM_STEPS), _wrong_training(*_FROM_ZERO, NUM_STEPS)[0]


@functools.cache
def _chances():
    """(2, num_lengths), the smallest probability of B that any letter gives."""
    strings = [letters.as_data(["A" * (length - 1) + "B"])[0] for length in LENGTHS]
    return np.array([[softmax(letters.look(X, model)[0])[..., 1].min() for X in strings] for model in _two_models()])


def _ask_two_models(length):
    (X,), _ = letters.as_data(["A" * (length - 1) + "B"])
    return {
        "lengths": np.array(LENGTHS),
        "chances": _chances().copy(),
        "chance": _chances()[:, length - LENGTHS[0]].copy(),
        "weights": letters.look(X, _two_models()[0])[1][0],
    }


def _one_b_in_words(now):
    return matrices.running(
        "A" * (now.length - 1) + "B", now.weights, "the string, and what an A gives to each letter",
        numbers=2 if now.length <= 16 else None,
    )  # fmt: skip


def _says_b(chance):
    return chance > 0.5, f"one letter gives it only {chance:.3f}"


def _one_b():
    """The probability of B against the length of the string, for both models."""
    figure, axes = plots.new_figure(6.6, 2.9)
    how = {"x_title": "letters in the string, one of them a B", "title": "probability of B, at least"}
    lines = plots.curves(axes, 2, labels=["head that looks", "average"], y_limits=(0, 1.03), **how)
    chosen = plots.marker_line(axes, None)
    axes.axhline(0.5, color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xlim=(LENGTHS[0] - 0.5, LENGTHS[-1] + 0.5))
    axes.legend(loc="upper right")

    def update(now):
        for line, chances in zip(lines, now.chances):
            line.set_data(now.lengths, chances)
        chosen.set_xdata([now.length] * 2)

    def tell(now):
        last = [max(n for n, p in zip(now.lengths, chances) if p > 0.5) for chances in now.chances]
        return (
            "Two falling curves: the smallest probability of B against the number of letters. That of the head that looks "
            f"stays above one half up to {last[0]} letters, that of the average up to {last[1]}."
        )

    return plots.LiveFigure(figure, [*lines, chosen], update, tell), axes


# --- wrong trainings -------------------------------------------------------------------------------------------------


_FROM_ZERO = (optimizers.gradient_descent, 1.0, 0.0)
_RECIPES = {
    "downhill": (optimizers.gradient_descent, 1.0, 1.0),
    "the minus sign forgotten": (lambda gradient, memory, learning_rate: (learning_rate * gradient, None), 1.0, 1.0),
    "learning rate 100": (optimizers.gradient_descent, 100.0, 1.0),
    "all parameters start at 0": _FROM_ZERO,
}


@functools.cache
def _wrong_training(optimizer, rate, scale, num_steps=40):
    start = tree_map(lambda array: scale * array, letters.random_parameters())
    history = training.train(
        start, letters.loss_of, training.full_batch(*_data()), num_steps=num_steps, learning_rate=rate, optimizer=optimizer,
        progress=None,
    )  # fmt: skip
    return history.parameters, np.append(history.losses, letters.loss_of(history.parameters, *_data()))


def _train_wrongly(recipe):
    parameters, losses = _wrong_training(*recipe)
    (X,), _ = letters.as_data(["AABA"])
    return {"losses": losses.copy(), "loss": losses[-1], "weights": letters.look(X, parameters)[1]}


def _finds_the_b(weights):
    least = weights[:, 2].min()
    return least > 0.5, f"one gives {1 - least:.1%} to A"
