"""Answers to the exercises on learning, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.learning import optimizers

# --- numerical_gradient ----------------------------------------------------------------------------------------------


def by_places(loss_of, x):
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        value = x[place]
        x[place] = value + 1e-5
        above = loss_of(x)
        x[place] = value - 1e-5
        gradient[place] = (above - loss_of(x)) / 2e-5
        x[place] = value
    return gradient


def by_unit_arrays(loss_of, x, h=1e-4):
    units = np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(loss_of(x + h * unit) - loss_of(x - h * unit)) / (2 * h) for unit in units]).reshape(x.shape)


def by_four_points(loss_of, x, h=1e-3):
    def slope(unit):
        near, far = (loss_of(x + k * h * unit) - loss_of(x - k * h * unit) for k in (1, 2))
        return (8 * near - far) / (12 * h)

    return np.array([slope(unit) for unit in np.eye(x.size).reshape(x.size, *x.shape)]).reshape(x.shape).tolist()


def by_flat_index(loss_of, x):
    gradient = np.empty(x.shape)
    for k in range(x.size):
        moved = [x.copy(), x.copy()]
        moved[0].flat[k] += 1e-6
        moved[1].flat[k] -= 1e-6
        gradient.flat[k] = (loss_of(moved[0]) - loss_of(moved[1])) / 2e-6
    return gradient


def by_nditer(loss_of, x):
    gradient, walker = np.zeros(x.shape), np.nditer(x, flags=["multi_index"])
    for value in walker:
        place, middle = walker.multi_index, float(value)
        moved = x.copy()
        moved[place] = middle + 1e-5
        above = loss_of(moved)
        moved[place] = middle - 1e-5
        gradient[place] = (above - loss_of(moved)) / (2 * 1e-5)
    return gradient


def changed(h=1e-5, *, up=1, down=-1, divide=None, restore=True, vectors_only=False, sign=1):
    def answer(loss_of, x):
        x = x.copy()
        gradient = np.zeros(x.shape)
        for place in range(len(x)) if vectors_only else np.ndindex(x.shape):
            start = np.copy(x[place])
            x[place] = start + up * h
            above = loss_of(x)
            x[place] = start + down * h
            gradient[place] = sign * (above - loss_of(x)) / ((up - down) * h if divide is None else divide)
            if restore:
                x[place] = start
        return gradient

    return answer


# --- adam_step -------------------------------------------------------------------------------------------------------


def adam(parameters, gradient, mean, squares, step, learning_rate, **changes):
    how = {
        "k": 0.9,
        "k2": 0.999,
        "eps": 1e-8,
        "sign": -1,
        "t": step,
        "t2": step,
        "root": np.sqrt,
        "use": "new",
    } | changes
    new_mean = how["k"] * mean + (1 - how["k"]) * gradient
    new_squares = how["k2"] * squares + (1 - how["k2"]) * gradient**2
    moving = {"new": new_mean, "old": mean}[how["use"]]
    size = {"new": new_squares, "old": squares}[how["use"]]
    corrected = moving / (1 - 0.9 ** how["t"])
    below = how["root"](size / (1 - 0.999 ** how["t2"])) + how["eps"]
    return parameters + how["sign"] * learning_rate * corrected / below, new_mean, new_squares


def adam_by_loops(parameters, gradient, mean, squares, step, learning_rate):
    flat = [np.ravel(x).tolist() for x in (parameters, gradient, mean, squares)]
    results = []
    for p, g, m, s in zip(*flat):
        m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
        results.append((p - learning_rate * m / (1 - 0.9**step) / (math.sqrt(s / (1 - 0.999**step)) + 1e-8), m, s))
    return [np.reshape([row[k] for row in results], parameters.shape).tolist() for k in range(3)]


def adam_in_place(parameters, gradient, mean, squares, step, learning_rate):
    mean *= 0.9
    mean += 0.1 * gradient
    squares *= 0.999
    squares += 0.001 * np.square(gradient)
    parameters -= learning_rate * (mean / (1 - 0.9**step)) / (np.sqrt(squares / (1 - 0.999**step)) + 1e-8)
    return [parameters, mean, squares]


def adam_by_interpolation(parameters, gradient, mean, squares, step, learning_rate):
    mean = mean + 0.1 * (gradient - mean)
    squares = squares + 0.001 * (gradient * gradient - squares)
    rate = learning_rate / (1 - 0.9**step)
    return parameters - rate * mean / ((squares / (1 - 0.999**step)) ** 0.5 + 1e-8), mean, squares


def but(**changes):
    return lambda *arguments: adam(*arguments, **changes)


def corrected_and_stored(parameters, gradient, mean, squares, step, learning_rate):
    mean, squares = 0.9 * mean + 0.1 * gradient, 0.999 * squares + 0.001 * gradient**2
    mean, squares = mean / (1 - 0.9**step), squares / (1 - 0.999**step)
    return parameters - learning_rate * mean / (np.sqrt(squares) + 1e-8), mean, squares


def uncorrected(parameters, gradient, mean, squares, step, learning_rate):
    mean, squares = 0.9 * mean + 0.1 * gradient, 0.999 * squares + 0.001 * gradient**2
    return parameters - learning_rate * mean / (np.sqrt(squares) + 1e-8), mean, squares


# --- training_loop ---------------------------------------------------------------------------------------------------


def shortened(gradient, max_norm):
    length = np.linalg.norm(gradient)
    return gradient * min(1, max_norm / length)


def loop(p, gradient_of, num_steps, learning_rate, max_norm):
    for step in range(num_steps):
        p = p - learning_rate(step) * shortened(gradient_of(p, step), max_norm)
    return p


def loop_in_place(p, gradient_of, num_steps, learning_rate, max_norm):
    for step in range(num_steps):
        gradient = gradient_of(p, step)
        length = math.sqrt(sum(x * x for x in gradient.ravel().tolist()))
        if length > max_norm:
            gradient *= max_norm / length
        p -= learning_rate(step) * gradient
    return p


def loop_with_while(p, gradient_of, num_steps, learning_rate, max_norm):
    step = 0
    while step < num_steps:
        gradient = gradient_of(p, step)
        length = np.sqrt((gradient**2).sum())
        p = p + learning_rate(step) * gradient * (-1 if length <= max_norm else -max_norm / length)
        step += 1
    return p.tolist()


def loop_by_recursion(p, gradient_of, num_steps, learning_rate, max_norm, step=0):
    if step == num_steps:
        return p
    p = p - learning_rate(step) * shortened(gradient_of(p, step), max_norm)
    return loop_by_recursion(p, gradient_of, num_steps, learning_rate, max_norm, step + 1)


def loop_by_helpers(p, gradient_of, num_steps, learning_rate, max_norm):
    for step in range(num_steps):
        (gradient,) = optimizers.clip([gradient_of(p, step)], max_norm)
        p = p + optimizers.gradient_descent(gradient, None, learning_rate(step))[0]
    return p.astype(np.float32)


def wrong_loop(*, shorten=shortened, steps=0, first=0, sign=-1, batch=None, rate=None, stay=False, stop=False):
    def answer(p, gradient_of, num_steps, learning_rate, max_norm):
        start = p
        for step in range(first, num_steps + steps + first):
            gradient = gradient_of(start if stay else p, step if batch is None else batch)
            p = p + sign * learning_rate(step if rate is None else rate(step)) * shorten(gradient, max_norm)
            if stop:
                return p
        return p

    return answer


RIGHT = {
    "numerical_gradient": {
        "place by place, in place": by_places,
        "unit arrays": by_unit_arrays,
        "four points, nested lists": by_four_points,
        "flat index": by_flat_index,
        "nditer": by_nditer,
    },
    "adam_step": {
        "a tuple": adam,
        "loops": adam_by_loops,
        "interpolation": adam_by_interpolation,
        "float32": lambda *a: [x.astype(np.float32) for x in adam(*a)],
    },
    "training_loop": {
        "clipped by a factor": loop,
        "while": loop_with_while,
        "recursion": loop_by_recursion,
        "the helpers, float32": loop_by_helpers,
    },
}

WRONG = {
    "numerical_gradient": {
        "divided by h": (changed(divide=1e-5), r"from x − h to x \+ h it is 2h"),
        "sign": (changed(sign=-1), r"sign is turned"),
        "one side, large step": (changed(1e-3, down=0), r"Only one side was tried"),
        "one side": (changed(down=0), r"Only one side was tried"),
        "one side, step 1e-2": (changed(1e-2, down=0), r"Only one side was tried"),
        "one side, step 1e-7": (changed(1e-7, down=0), r"Only one side was tried"),
        "the other side, step 1e-7": (changed(1e-7, up=0), r"Only one side was tried"),
        "not put back, step 1e-7": (changed(1e-7, restore=False), r"stays moved"),
        "not divided, step 1e-8": (changed(1e-8, divide=1), r"near 0.*divided by 2h"),
        "the other side": (changed(up=0), r"Only one side was tried"),
        "not put back": (changed(restore=False), r"stays moved"),
        "not divided": (changed(divide=1), r"near 0.*divided by 2h"),
        "divided by 2": (changed(divide=2), r"near 0.*divided by 2h"),
        "rows moved": (changed(vectors_only=True), r"Whole rows were moved"),
        "all at once": (lambda f, x: (f(x + 1e-5) - f(x - 1e-5)) / 2e-5, r"All numbers were moved together"),
        "flat": (lambda f, x: by_places(f, x).ravel(), r"shape"),
        "the loss": (lambda f, x: f(x), r"That is the loss"),
        "nothing moved": (lambda f, x: 0 * x, r"near 0"),
    },
    "adam_step": {
        "in place": (adam_in_place, r"The numbers are right, but parameters is overwritten"),
        "uphill": (but(sign=1), r"Uphill"),
        "not corrected": (uncorrected, r"two corrections are missing"),
        "corrected values stored": (corrected_and_stored, r"before the correction"),
        "keeps exchanged": (but(k=0.999, k2=0.9), r"0\.9 and 0\.999 are exchanged"),
        "0.1 kept": (but(k=0.1), r"0\.9 of the old mean stays"),
        "squares keep 0.9": (but(k2=0.9), r"should keep 0\.999"),
        "no root": (but(root=lambda x: x), r"square root"),
        "no epsilon": (but(eps=0), r"0/0"),
        "epsilon under the root": (but(root=lambda x: np.sqrt(x + 1e-8), eps=0), r"under the root"),
        "old mean and squares": (but(use="old"), r"before they were updated"),
        "parameters unmoved": (lambda p, *a: (p, *adam(p, *a)[1:]), r"parameters came back as they were"),
        "nothing changed": (lambda p, g, m, s, t, rate: (p, m, s), r"Parameters, mean and squares came back"),
        "mean and squares not updated": (
            lambda p, g, m, s, t, rate: (adam(p, g, m, s, t, rate)[0], m, s),
            r"mean and squares came back as they were",
        ),
        "parameters only": (lambda *a: adam(*a)[0], r"Only the parameters came back"),
        "wrong order": (lambda *a: adam(*a)[1:] + adam(*a)[:1], r"order is"),
        "no learning rate": (lambda p, g, m, s, t, rate: adam(p, g, m, s, t, 1.0), r"learning rate is missing"),
        "the change": (lambda p, *a: adam(0 * p, *a), r"add it to the parameters"),
        "plain descent": (lambda p, g, m, s, t, rate: (p - rate * g, m, s), r"plain gradient descent"),
        "five arguments": (lambda p, g, m, s, t: p, r"is called with 6 arguments"),
    },
    "training_loop": {
        "in place": (loop_in_place, r"The numbers are right, but p is overwritten"),
        "uphill": (wrong_loop(sign=1), r"Uphill"),
        "not clipped": (wrong_loop(shorten=lambda g, max_norm: g), r"not clipped"),
        "numbers clipped": (wrong_loop(shorten=lambda g, n: np.clip(g, -n, n)), r"Each number was clipped"),
        "always shortened": (
            wrong_loop(shorten=lambda g, n: g * n / np.linalg.norm(g)),
            r"short ones, too",
        ),
        "to length 1": (
            wrong_loop(shorten=lambda g, n: g / np.linalg.norm(g) if np.linalg.norm(g) > n else g),
            r"shorten it to max_norm",
        ),
        "largest number": (wrong_loop(shorten=lambda g, n: g * min(1, n / np.abs(g).max())), r"root of the sum"),
        "one step more": (wrong_loop(steps=1), r"One step too many"),
        "one step less": (wrong_loop(steps=-1), r"One step is missing"),
        "counted from 1": (wrong_loop(first=1), r"count from 0"),
        "same batch": (wrong_loop(batch=0), r"batch of step 0"),
        "rate of the next step": (wrong_loop(rate=lambda step: step + 1), r"learning rate is that of the next step"),
        "rate of the first step": (wrong_loop(rate=lambda step: 0), r"stayed at that of step 0"),
        "gradient at the start": (wrong_loop(stay=True), r"at the first parameters"),
        "return inside": (wrong_loop(stop=True), r"The loop ends after its first step\."),
        "nothing done": (lambda p, *a: p, r"came back as they were"),
        "learning rate not called": (
            lambda p, g, n, rate, max_norm: p - rate * g(p, 0),
            r"stopped with TypeError",
        ),
    },
}
