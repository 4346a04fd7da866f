"""Watch one attention head learn to look for the B: look back through a training, compare ways downhill."""

import functools

import numpy as np

from helpers import matrices
from helpers.attention import softmax
from helpers.explorers.controls import slider, stops, text_field
from helpers.explorers.engine import SHARES, Rule, explorer
from helpers.explorers.strings import read_letters
from helpers.explorers.touch import Plane, turn_letter
from helpers.learning import letters, optimizers, training
from helpers.learning.parameters import tree_map
from helpers.pictures import plots
from helpers.pictures.arcs import arcs
from helpers.pictures.plane import Axes

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
WIDE, HIGH = 780, 300
LOSS = Axes(WIDE, HIGH, (0, NUM_STEPS), (0.0, 0.75), margin=(46, 22, WIDE - 390, 40))
PLANE = Axes(WIDE, HIGH, (-1.9, 1.9), (-1.9, 1.9), x_title="queries and keys", margin=(WIDE - 310, 16, 14, 18))
UNSEEN = 9  # letters in the strings that are tried without ever having been trained on


def explore_learning():
    """Look back through a training: the loss, the queries and keys of the two letters, and where a letter looks.

    Shown: losses (101,) before each step and after the last; loss (); weights (n, n) on the typed string; query and key
    (2, 2), of the letters A and B; wrong (), of the 512 strings of nine letters
    """
    return explorer(
        _look_back,
        lambda now: [_loss_and_plane(now), _string(now)],
        _describe_learning,
        [SHARES, Rule("all 512 strings of nine letters are predicted correctly", lambda now: now.wrong, "{} are not")],
        planes={"loss": Plane(LOSS, "step", "drag: look back at this step")},
        touch={"string": turn_letter(lambda now: "string")},
        folded=["string"],
        step=slider("steps done", 0, 0, NUM_STEPS, 1),
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
        length=slider("letters in the string", 6, LENGTHS[0], LENGTHS[-1], 1),
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


def _look_back(step, string):
    parameters = _after("gradient descent", 1.0, step)
    (X,), _ = letters.as_data([read_letters(string)])
    unseen, targets = _unseen()
    said = np.argmax(letters.look(unseen, parameters)[0], axis=-1)
    losses = _losses("gradient descent", 1.0)
    return {
        "losses": losses.copy(),
        "loss": losses[step],
        "weights": letters.look(X, parameters)[1],
        "query": parameters["W_query"].copy(),
        "key": parameters["W_key"].copy(),
        "wrong": np.sum(np.any(said != targets, axis=-1)),
    }


def _loss_and_plane(now):
    """Left the loss from step to step, with a dot to drag; right the queries and keys of the two letters."""
    drawing = PLANE.sketch()
    for loss in (0.0, 0.2, 0.4, 0.6):
        (x0, y), (x1, _) = LOSS.to_pixels((0, loss)), LOSS.to_pixels((NUM_STEPS, loss))
        drawing.line((x0, y), (x1, y), "line", 0.6)
        drawing.words(x0 - 6, y + 4, f"{loss:g}", size=11, colour="muted", anchor="end")
    for step in range(0, NUM_STEPS + 1, 20):
        x, y = LOSS.to_pixels((step, 0))
        drawing.words(x, y + 16, f"{step}", size=11, colour="muted")
    drawing.words(LOSS.left, 14, "loss", size=12, colour="muted", anchor="start")
    drawing.words(LOSS.right, LOSS.bottom + 32, "steps done", size=12, colour="muted", anchor="end")
    drawing.curve(LOSS.to_pixels(each) for each in enumerate(now.losses))
    x, y = LOSS.to_pixels((now.step, now.loss))
    drawing.add("circle", cx=x, cy=y, r=9, fill="chosen", stroke="paper", stroke_width=1.5)
    for name in ("key", "query"):
        for letter, tip in zip("AB", now[name]):
            drawing.arrow(tip, name, f"{name[0]} {letter}")
    tips = ", ".join(f"{name} of {'AB'[k]} {_vector(now[name][k])}" for name in ("query", "key") for k in range(2))
    return drawing.html(
        f"Left, the loss over {NUM_STEPS} steps falls from {now.losses[0]:.3f} to {now.losses[-1]:.3f}, with a dot at step "
        f"{now.step}. Right, as arrows: {tips}."
    )


def _vector(row):
    return "[" + ", ".join(f"{number + 0.0:.2f}" for number in row.round(2)) + "]"


def _string(now):
    """What the first letter looks at."""
    string = list(read_letters(now.string))
    return arcs(string, now.weights[0], 0, name="string", places=now.places("string"), gap=42)


def _describe_learning(now):
    string = read_letters(now.string)
    done = f"After {now.step} step{'s' * int(now.step != 1)} the loss is {now.loss:.3f}"
    if "B" not in string:
        return f"{done}, and this string has no B to look at."
    on_b = now.weights[0, [letter == "B" for letter in string]].sum()
    return f"{done}, and the first letter gives {on_b:.1%} of its weight to B."


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
    return _after("gradient descent", 1.0, NUM_STEPS), _from_zero()


@functools.cache
def _from_zero():
    start = tree_map(np.zeros_like, letters.random_parameters())
    history = training.train(
        start, letters.loss_of, training.full_batch(*_data()), num_steps=NUM_STEPS, learning_rate=1.0,
        optimizer=optimizers.gradient_descent, progress=None,
    )  # fmt: skip
    return history.parameters


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
    axes.axhline(0.5, color=plots.MUTED, linewidth=0.8, linestyle=":", zorder=0)
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
