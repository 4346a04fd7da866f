"""Answers to every exercise in many hands: right ones, and wrong ones with a pattern of what they must be told."""

import math
from fractions import Fraction

import numpy as np

from helpers.attention import scaled_dot_product_attention

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

# --- softmax ---------------------------------------------------------------------------------------------------------


def exponentials(scores):
    """Powers of e without overflow, the step that most answers share."""
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def shares(powers):
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_by_loops(scores):
    if np.ndim(scores) > 1:
        return [softmax_by_loops(row) for row in scores]
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def softmax_in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def softmax_by_logsumexp(scores):
    total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    return np.exp(scores - total)


def softmax_of_tuples(scores):
    listed = softmax_by_loops(scores)
    return tuple(tuple(row) if isinstance(row, list) else row for row in listed)


def softmax_by_transposing(scores):
    turned = np.moveaxis(scores, -1, 0)
    powers = np.exp(turned - turned.max(axis=0))
    return np.moveaxis(powers / powers.sum(axis=0), 0, -1)


def softmax_as_matrix(scores):
    weights = shares(exponentials(scores))
    return np.matrix(weights) if weights.ndim == 2 else weights


def softmax_by_ratios(scores):  # 1 / sum of e^(other - own)
    with np.errstate(over="ignore"):
        return 1 / np.exp(scores[..., None, :] - scores[..., :, None]).sum(axis=-1)


BUFFER = np.empty(1000)


def softmax_into_one_buffer(scores):
    room = BUFFER[: scores.size].reshape(scores.shape)
    room[...] = shares(exponentials(scores))
    return room


def softmax_of_one_row_only(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def softmax_that_forgets_return(scores):
    shares(exponentials(scores))


def softmax_that_prints(scores):
    print(shares(exponentials(scores)))


def softmax_changed_but_not_returned(scores):
    scores[...] = shares(exponentials(scores))


def softmax_only_for_vectors(scores):
    if scores.ndim == 1:
        return shares(exponentials(scores))


def global_hard_choice(scores):
    weights = np.zeros_like(scores)
    weights.flat[np.argmax(scores)] = 1
    return weights


RIGHT_SOFTMAX = {
    "vectorised": lambda scores: shares(exponentials(scores)),
    "loops that return nested lists": softmax_by_loops,
    "float32": lambda scores: shares(exponentials(scores.astype(np.float32))),
    "float16": lambda scores: shares(exponentials(scores)).astype(np.float16),
    "longdouble": lambda scores: shares(exponentials(scores.astype(np.longdouble))),
    "logsumexp": softmax_by_logsumexp,
    "tuples": softmax_of_tuples,
    "axes moved": softmax_by_transposing,
    "np.matrix where that exists": softmax_as_matrix,
    "ratios of every pair": softmax_by_ratios,
    "einsum": lambda s: exponentials(s) / np.einsum("...k->...", exponentials(s))[..., None],
    "one buffer for every call": softmax_into_one_buffer,
    "a default argument more": lambda scores, axis=-1: shares(np.exp(scores - scores.max(axis, keepdims=True))),
    "another name for the argument": lambda x: shares(exponentials(x)),
    "a callable object": type("Softmax", (), {"__call__": lambda self, scores: shares(exponentials(scores))})(),
}

WRONG_SOFTMAX = {
    "in place, then returned": (softmax_in_place, r"The numbers are right, but scores is overwritten"),
    "no maximum subtracted": (lambda s: shares(np.exp(s)), r"overflow.*[Ss]ubtract the largest"),
    "no maximum, sum of Python": (lambda s: np.exp(s) / sum(np.exp(s)), r"down the columns"),
    "maximum of everything": (
        lambda s: shares(np.exp(s - s.max())),
        r"largest of each row",
    ),
    "maximum without keepdims": (lambda s: shares(np.exp(s - s.max(axis=-1))), r"keepdims"),
    "maximum down the columns": (
        lambda s: shares(np.exp(s - s.max(axis=0))),
        r"down the columns",
    ),
    "minimum subtracted": (lambda s: shares(np.exp(s - s.min(axis=-1, keepdims=True))), r"smallest.*overflow"),
    "minimum of everything subtracted": (lambda s: shares(np.exp(s - s.min())), r"smallest.*overflow"),
    "mean subtracted": (lambda s: shares(np.exp(s - s.mean(axis=-1, keepdims=True))), r"mean was subtracted"),
    "absolute maximum": (
        lambda s: shares(np.exp(s - np.abs(s).max(axis=-1, keepdims=True))),
        r"largest absolute value.*itself",
    ),
    "maximum added": (lambda s: shares(np.exp(s + s.max(axis=-1, keepdims=True))), r"it must be -, not \+"),
    "sum over everything": (lambda s: exponentials(s) / exponentials(s).sum(), r"must|each row"),
    "sum over everything, stable": (
        lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(),
        r"takes all numbers at once: it must be axis=-1, with keepdims=True",
    ),
    "sum down the columns": (lambda s: np.exp(s) / np.exp(s).sum(axis=0), r"down the columns"),
    "sum without keepdims": (lambda s: exponentials(s) / exponentials(s).sum(axis=-1), r"keepdims"),
    "sum over axis 1": (
        lambda s: np.exp(s) / np.exp(s).sum(axis=1, keepdims=True),
        r"axis=-1",
    ),
    "no exp": (lambda s: s / s.sum(axis=-1, keepdims=True), r"without exp"),
    "no exp, sum over everything": (lambda s: s / s.sum(), r"whole array, without exp"),
    "not divided": (np.exp, r"not divided by their sum"),
    "stable, not divided": (exponentials, r"not divided by their sum"),
    "base 3": (lambda s: shares(3.0 ** (s - s.max(axis=-1, keepdims=True))), r"Base 3"),
    "shifted by other scores": (
        lambda s: shares(np.exp(s - (s / 0.7).max(axis=-1, keepdims=True))),
        r"`s / 0\.7` should be `s`",
    ),
    "base 3, overflowing": (lambda s: shares(3.0**s), r"NaN or infinity"),
    "base 2": (lambda s: shares(2.0 ** (s - s.max(axis=-1, keepdims=True))), r"powers of 2"),
    "base 10": (lambda s: shares(10.0 ** (s - s.max(axis=-1, keepdims=True))), r"powers of 10"),
    "sign turned": (lambda s: shares(exponentials(-s)), r"sign"),
    "logarithm": (lambda s: np.log(shares(exponentials(s))), r"logarithm"),
    "sigmoid": (lambda s: 1 / (1 + np.exp(-s)), r"sigmoid"),
    "hard choice": (lambda s: np.eye(s.shape[-1])[np.argmax(s, axis=-1)], r"hard choice"),
    "one choice for everything": (global_hard_choice, r"must sum to 1, yours sum to 0\.000"),
    "divided by the largest": (lambda s: np.exp(s) / np.exp(s).max(axis=-1, keepdims=True), r"largest one"),
    "divided by the number": (lambda s: np.exp(s) / s.shape[-1], r"number of scores"),
    "divided by the sum of scores": (lambda s: np.exp(s) / s.sum(axis=-1, keepdims=True), r"sum of the scores"),
    "clipped": (lambda s: shares(np.exp(np.clip(s, -500, 500))), r"[Cc]utting"),
    "clipped to 100": (lambda s: shares(np.exp(np.clip(s, -100, 100))), r"[Cc]utting"),
    "scores over their maximum": (
        lambda s: shares(np.exp(s / s.max(axis=-1, keepdims=True))),
        r"divided by the largest",
    ),
    "scaled": (lambda s: shares(exponentials(s / np.sqrt(s.shape[-1]))), r"the last part, /.*, is too much"),
    "temperature": (lambda s: shares(exponentials(s / 2)), r"the last part, /.*, is too much"),
    "rounded": (
        lambda s: shares(exponentials(s)).round(3),
        r": \.round is one step too many",
    ),
    "percent": (lambda s: 100 * shares(exponentials(s)), r"the first part,.*\*, is too much"),
    "a little added below": (
        lambda s: exponentials(s) / (exponentials(s).sum(axis=-1, keepdims=True) + 1e-3),
        r"is too much\. With that mended",
    ),
    "right for one row only": (softmax_of_one_row_only, r"stopped with"),
    "right for vectors only": (softmax_only_for_vectors, r"every path through it must end with return"),
    "prints": (softmax_that_prints, r"what is printed must be returned"),
    "changed, not returned": (softmax_changed_but_not_returned, r"changes its input but returns nothing.*return"),
    "flattened": (lambda s: shares(exponentials(s)).ravel(), r": \.ravel is one step too many"),
    "one axis more": (lambda s: shares(exponentials(s))[None], r"is right without the index"),
    "largest weight only": (lambda s: shares(exponentials(s)).max(axis=-1), r": \.max is one step too many"),
    "weights and scores": (lambda s: (shares(exponentials(s)), s), r"return the first one alone"),
    "far axis of a stack": (
        lambda s: shares(exponentials(s)) if s.ndim < 3 else shares(exponentials(s.swapaxes(1, 2))).swapaxes(1, 2),
        r"the second case is too much",
    ),
    "stack off, sums kept": (
        lambda s: shares(exponentials(s)) if s.ndim < 3 else shares(exponentials(s))[..., ::-1],
        r"the second case is too much",
    ),
    "a map": (lambda s: map(math.exp, s), r"generator or a map"),
    "words": (lambda s: shares(exponentials(s)).astype(str), r"must be real numbers, got str"),
}

# --- output_rows, by hand --------------------------------------------------------------------------------------------

FOUR = np.array([[2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
ROWS = np.array([[21, 4, 3, 4], [15, 12, 9, 12], [15, 18, 9, 18]]) / np.array([[13], [15], [21]])


def rows_by(powers=lambda scores: 3.0**scores, divisor=2, axis=1, tokens=FOUR):
    parts = powers(FOUR @ FOUR.T / divisor)
    return (parts / parts.sum(axis=axis, keepdims=True) @ tokens)[1:]


def but_for(place, number):
    rows = ROWS[1:].copy()
    rows[place] = number
    return rows


RIGHT_OUTPUT_ROWS = {
    "three decimals": [[1, 0.8, 0.6, 0.8], [0.714, 0.857, 0.429, 0.857]],
    "sevenths": [[1, 4 / 5, 3 / 5, 4 / 5], [5 / 7, 6 / 7, 3 / 7, 6 / 7]],
    "fractions": [[Fraction(n, 15) for n in (15, 12, 9, 12)], [Fraction(n, 7) for n in (5, 6, 3, 6)]],
    "an array": ROWS[1:],
    "tuples": tuple(map(tuple, ROWS[1:])),
    "float32": ROWS[1:].astype(np.float32),
}
WRONG_OUTPUT_ROWS = {
    "not scaled": (rows_by(divisor=1), r"not divided by √d_k"),
    "divided by d_k": (rows_by(divisor=4), r"divided by d_k; divide by its root"),
    "divided by the root of 2": (rows_by(divisor=2**0.5), r"√2, as in the lesson"),
    "divided by the root of 3": (rows_by(divisor=3**0.5), r"3 counts tokens"),
    "base e": (rows_by(powers=np.exp), r"values in base e"),
    "no powers": ((FOUR @ FOUR.T / 2 @ FOUR)[1:], r"scores were used as weights"),
    "columns": (rows_by(axis=0), r"sums of the columns"),
    "weights": (rows_by(tokens=np.eye(3)), r"Those are weights"),
    "all rows": (ROWS, r"all three rows"),
    "the first two": (ROWS[:2], r"tokens 1 and 2"),
    "upside down": (ROWS[:0:-1], r"wrong order"),
    "turned": (ROWS[1:].T, r"Rows and columns are exchanged"),
    "one number": (but_for((1, 2), 0.5), r"right but one: feature 3 of token 3\."),
    "a row's weights": (
        ROWS[1:] * [[1], [1.1]],
        r"Token 3: these numbers mix the tokens by weights that sum to 1\.100",
    ),
    "two exchanged": (
        ROWS[1:][:, [1, 0, 2, 3]],
        r"Token 2: the sum of the row is right, and 2 numbers are not; feature 1",
    ),
    "words": ([["1", "2", "3", "4"], ["1", "2", "3", "4"]], r"real numbers, got str"),
    "ragged": ([[1, 2, 3, 4], [1, 2]], r"rectangular array"),
}


# --- sinusoidal_positional_encoding ----------------------------------------------------------------------------------


def encoding_by_loops(num_positions, d_model):
    rows = []
    for position in range(num_positions):
        row = []
        for dimension in range(d_model):
            angle = position / 10_000 ** (2 * (dimension // 2) / d_model)
            row.append(math.cos(angle) if dimension % 2 else math.sin(angle))
        rows.append(row)
    return rows


def encoding_by_slices(num_positions, d_model):
    encoding = np.zeros((num_positions, d_model))
    speeds = np.exp(-math.log(10_000) * np.arange(0, d_model, 2) / d_model)
    encoding[:, 0::2] = np.sin(np.arange(num_positions)[:, None] * speeds)
    encoding[:, 1::2] = np.cos(np.arange(num_positions)[:, None] * speeds)[:, : d_model // 2]
    return encoding


def encoding_by_shifted_sines(num_positions, d_model):  # cos x = sin(x + pi / 2)
    j = np.arange(d_model)
    return np.sin(np.outer(np.arange(num_positions), 10_000.0 ** (-2 * (j // 2) / d_model)) + (j % 2) * np.pi / 2)


def encoding_by_turning(num_positions, d_model):  # each pair is a complex number that turns by a fixed angle
    turn = np.exp(1j * 10_000.0 ** (-np.arange(0, d_model, 2) / d_model))
    hands = np.array([turn**position for position in range(num_positions)])
    return np.stack([hands.imag, hands.real], axis=-1).reshape(num_positions, -1)[:, :d_model]


def encoding_too_wide_then_cut(num_positions, d_model):
    encoding = np.zeros((num_positions, d_model + 1))
    for i in range(0, d_model, 2):
        angle = np.arange(num_positions) / 10_000 ** (i / d_model)
        encoding[:, i], encoding[:, i + 1] = np.sin(angle), np.cos(angle)
    return encoding[:, :d_model]


def encoding_by_einsum(num_positions, d_model):
    j = np.arange(d_model)
    angles = np.einsum("p,j->pj", np.arange(num_positions), 1 / 10_000 ** ((j - j % 2) / d_model))
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return angles


def encoding_with(exponent=lambda j, d: 2 * (j // 2) / d, start=0, base=10_000, functions=(np.sin, np.cos)):
    """An encoding with one thing changed, by loops, so that it shares nothing with the checker."""

    def encode(num_positions, d_model):
        rows = [
            [functions[j % 2]((start + position) / base ** exponent(j, d_model)) for j in range(d_model)]
            for position in range(num_positions)
        ]
        return np.array(rows)

    return encode


def encoding_that_needs_even_widths(num_positions, d_model):
    encoding = np.zeros((num_positions, d_model))
    angles = np.arange(num_positions)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding


def encoding_of_a_well_known_page(
    num_positions, d_model
):  # i steps by 2 and is doubled again; cosine has another angle
    encoding = np.zeros((num_positions, d_model))
    for position in range(num_positions):
        for i in range(0, d_model, 2):
            encoding[position, i] = math.sin(position / 10_000 ** (2 * i / d_model))
            encoding[position, i + 1] = math.cos(position / 10_000 ** (2 * (i + 1) / d_model))
    return encoding


def encoding_whose_pairs_step_by_two(num_positions, d_model):
    encoding = np.zeros((num_positions, d_model))
    for i in range(0, d_model - 1, 2):
        angle = np.arange(num_positions) / 10_000 ** (2 * i / d_model)
        encoding[:, i], encoding[:, i + 1] = np.sin(angle), np.cos(angle)
    return encoding


def encoding_in_halves(num_positions, d_model):
    angles = np.outer(np.arange(num_positions), 10_000.0 ** (-np.arange(0, d_model, 2) / d_model))
    return np.hstack([np.sin(angles), np.cos(angles)])


def encoding_in_halves_of_a_library(num_positions, d_model):
    half = d_model // 2
    step = math.log(10_000) / (half - 1)
    angles = [[position * math.exp(-step * i) for i in range(half)] for position in range(num_positions)]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def encoding_with_a_last_cosine(num_positions, d_model):
    angles = np.outer(np.arange(num_positions), 10_000.0 ** (-np.arange(0, d_model, 2) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(num_positions, -1)


def encoding_of_whole_numbers(num_positions, d_model):
    encoding = np.zeros((num_positions, d_model), dtype=int)
    encoding[:] = encoding_by_slices(num_positions, d_model)
    return encoding


def encoding_for_width_rounded_up(num_positions, d_model):
    return encoding_by_slices(num_positions, d_model + d_model % 2)[:, :d_model]


def encoding_for_width_rounded_down(num_positions, d_model):
    return encoding_with(lambda j, d: (j // 2) / max(d // 2, 1))(num_positions, d_model)


RIGHT_ENCODING = {
    "loops that return nested lists": encoding_by_loops,
    "slices": encoding_by_slices,
    "shifted sines": encoding_by_shifted_sines,
    "turning complex numbers": encoding_by_turning,
    "too wide, then cut": encoding_too_wide_then_cut,
    "einsum, in place": encoding_by_einsum,
    "float32": lambda n, d: encoding_by_slices(n, d).astype(np.float32),
    "float16": lambda n, d: encoding_by_slices(n, d).astype(np.float16),
    "tuples": lambda n, d: tuple(map(tuple, encoding_by_loops(n, d))),
    "np.matrix": lambda n, d: np.matrix(encoding_by_slices(n, d)),
    "np.where": lambda n, d: np.array(encoding_with()(n, d)),
    "a base that may be changed": lambda n, d, base=10_000: encoding_with(base=base)(n, d),
}

WRONG_ENCODING = {
    "halves": (encoding_in_halves, r"interleave"),
    "halves of a library": (encoding_in_halves_of_a_library, r"sines stand first.*other wave lengths"),
    "i counts dimensions": (encoding_with(lambda j, d: 2 * j / d), r"counted dimensions"),
    "a well-known page": (encoding_of_a_well_known_page, r"counted dimensions"),
    "pairs step by two": (encoding_whose_pairs_step_by_two, r"0, 2, 4"),
    "own speed for each dimension": (encoding_with(lambda j, d: j / d), r"pair share one angle"),
    "no 2": (encoding_with(lambda j, d: (j // 2) / d), r"the 2 is missing"),
    "base 100": (encoding_with(base=100), r"the base is its root, 100"),
    "base 1000": (encoding_with(base=1000), r"here it is 1000"),
    "base e": (encoding_with(base=math.e), r"here it is e"),
    "pairs from 1": (encoding_with(lambda j, d: 2 * (j // 2 + 1) / d), r"pairs from 0; here it starts at 1"),
    "positions from 1": (encoding_with(start=1), r"positions start at 1"),
    "swapped": (encoding_with(functions=(np.cos, np.sin)), r"swapped"),
    "only sines": (encoding_with(functions=(np.sin, np.sin)), r"Only sines"),
    "only cosines": (encoding_with(functions=(np.cos, np.cos)), r"Only cosines"),
    "multiplied": (encoding_with(lambda j, d: -2 * (j // 2) / d), r"multiplied"),
    "transposed": (lambda n, d: np.transpose(encoding_by_loops(n, d)), r"np.transpose.* is one step too many"),
    "last dimension lost": (lambda n, d: encoding_by_slices(n, d)[:, : d // 2 * 2], r"lost its last"),
    "one dimension too many": (encoding_with_a_last_cosine, r"one dimension too many"),
    "even widths only": (encoding_that_needs_even_widths, r"stopped with ValueError.*sine alone"),
    "width rounded up": (encoding_for_width_rounded_up, r"rounded up"),
    "width rounded down": (encoding_for_width_rounded_down, r"it must be /, not //"),
    "whole numbers": (encoding_of_whole_numbers, r"is right without dtype=int"),
    "degrees": (
        encoding_with(functions=(lambda a: math.sin(math.radians(a)), lambda a: math.cos(math.radians(a)))),
        r"degrees",
    ),
    "angles": (encoding_with(functions=(float, float)), r"These are the angles"),
    "rounded to 4": (lambda n, d: encoding_by_slices(n, d).round(4), r": \.round is one step too many"),
    "over d_model - 1": (
        encoding_with(lambda j, d: 2 * (j // 2) / (d - 1.0001)),
        r"dimension 2 is the first that is off",
    ),
    "no angles at all": (lambda n, d: np.zeros((n, d)), r"dimension 0 is the first that is off|dimension 1 is"),
    "positions themselves": (lambda n, d: np.arange(n * d).reshape(n, d), r"lie between -1 and 1, yours go up to"),
    "arguments exchanged": (lambda n, d: encoding_by_slices(d, n), r"are exchanged"),
    "one position too few": (lambda n, d: encoding_by_slices(n, d)[1:], r"is right without the index"),
    "only the first position": (lambda n, d: encoding_by_slices(n, d)[0], r"is right without the index"),
    "complex": (lambda n, d: encoding_by_slices(n, d) + 0j, r"the last part, \+.*, is too much"),
}

# --- is_order_blind --------------------------------------------------------------------------------------------------


def blind_by_undoing(layer, tokens, order):
    return bool(np.allclose(layer(tokens[order])[np.argsort(order)], layer(tokens)))


def blind_by_loops(layer, tokens, order):
    moved, plain = layer(tokens[order]), layer(tokens)
    for row, place in enumerate(order):
        for got, want in zip(moved[row], plain[place]):
            if abs(got - want) > 1e-9:
                return False
    return True


def blind_by_permutation_matrix(layer, tokens, order):
    permute = np.eye(len(order))[order]
    return np.abs(layer(permute @ tokens) - permute @ layer(tokens)).max() < 1e-8


def blind_by_assertion(layer, tokens, order):
    try:
        np.testing.assert_allclose(layer(tokens[order]), layer(tokens)[order], atol=1e-9)
    except AssertionError:
        return False
    return True


def equal(first, second):
    return bool(np.allclose(first, second))


RIGHT_ORDER_BLIND = {
    "np.allclose": lambda layer, tokens, order: np.allclose(layer(tokens[order]), layer(tokens)[order]),
    "undone": blind_by_undoing,
    "loops": blind_by_loops,
    "permutation matrix": blind_by_permutation_matrix,
    "assertion caught": blind_by_assertion,
    "isclose and all": lambda f, x, order: np.isclose(f(x[order]), f(x)[order]).all(),
    "1 and 0": lambda f, x, order: int(equal(f(x[order]), f(x)[order])),
    "rounded": lambda f, x, order: (f(x[order]).round(9) + 0.0 == f(x)[order].round(9) + 0.0).all(),
    "float32 layer": lambda f, x, order: np.allclose(
        np.float32(f(x[order])), np.float32(f(x)[order]), rtol=1e-4, atol=1e-5
    ),
    "np.take": lambda f, x, order: equal(f(np.take(x, order, axis=0)), np.take(f(x), order, axis=0)),
}

WRONG_ORDER_BLIND = {
    "old order": (lambda f, x, order: equal(f(x[order]), f(x)), r"old order"),
    "old order, exactly": (
        lambda f, x, order: np.array_equal(f(x), f(x[order])),
        r"every layer|old order|the answer is",
    ),
    "only outputs shuffled": (
        lambda f, x, order: equal(f(x)[order], f(x)[order]),
        r"compare layer",
    ),
    "always True": (lambda f, x, order: True, r"says True for every layer"),
    "always False": (lambda f, x, order: False, r"says False for each layer that was tried"),
    "tolerance of ten": (lambda f, x, order: np.allclose(f(x[order]), f(x)[order], atol=10), r"True for every layer"),
    "shuffled twice": (
        lambda f, x, order: equal(f(x[order])[order], f(x)),
        r"The order is undone, or applied twice, on one side: shuffle once, before the layer, on the one side",
    ),
    "turned": (lambda f, x, order: not equal(f(x[order]), f(x)[order]), r"wrong way round"),
    "exactly equal": (lambda f, x, order: np.array_equal(f(x[order]), f(x)[order]), r"last digit.*np\.allclose"),
    "== and all": (lambda f, x, order: (f(x[order]) == f(x)[order]).all(), r"last digit.*np\.allclose"),
    "sums": (lambda f, x, order: equal(f(x[order]).sum(axis=0), f(x).sum(axis=0)), r"row by row"),
    "sorted": (lambda f, x, order: equal(np.sort(f(x[order]), 0), np.sort(f(x), 0)), r"row by row"),
    "any": (lambda f, x, order: np.isclose(f(x[order]), f(x)[order]).any(), r"takes any, where all is needed"),
    "one for each number": (lambda f, x, order: np.isclose(f(x[order]), f(x)[order]), r"one for each number"),
    "one for each number, ==": (lambda f, x, order: f(x[order]) == f(x)[order], r"one for each number"),
    "one for each token": (lambda f, x, order: np.isclose(f(x[order]), f(x)[order]).all(1), r"one for each token"),
    "the gap": (lambda f, x, order: np.abs(f(x[order]) - f(x)[order]).max(), r"how far the outputs are apart"),
    "the sum of gaps": (
        lambda f, x, order: np.abs(f(x[order]) - f(x)[order]).sum(),
        r"the answer is .*not True or False",
    ),
    "first row only": (
        lambda f, x, order: equal(f(x[order])[0], f(x)[order][0]),
        r"For hand_on the answer is False",
    ),
    "columns shuffled": (lambda f, x, order: equal(f(x[:, order]), f(x)[:, order]), r"stopped with IndexError"),
    "words": (lambda f, x, order: "yes", r"real numbers, got str"),
}

# --- self_attention --------------------------------------------------------------------------------------------------


def self_attention_by_loops(X, W_query, W_key, W_value):
    def project(matrix):
        return [[sum(x * w for x, w in zip(row, column)) for column in zip(*matrix)] for row in X]

    query, key, value = project(W_query), project(W_key), project(W_value)
    output = []
    for asks in query:
        scores = [sum(a * b for a, b in zip(asks, asked)) / math.sqrt(len(asks)) for asked in key]
        weights = softmax_by_loops(scores)
        output.append([sum(w * row[j] for w, row in zip(weights, value)) for j in range(len(value[0]))])
    return output


def self_attention_one_query_at_a_time(X, W_query, W_key, W_value):
    key, value = X @ W_key, X @ W_value
    rows = []
    for token in X:
        rows.append(shares(exponentials(key @ (token @ W_query) / np.sqrt(key.shape[1]))) @ value)
    return tuple(rows)


def self_attention_by_columns(X, W_query, W_key, W_value):  # tokens as columns, and turned back
    query, key, value = (W_query.T @ X.T, W_key.T @ X.T, W_value.T @ X.T)
    powers = np.exp(key.T @ query / math.sqrt(len(query)))
    return (value @ (powers / powers.sum(axis=0))).T


def self_attention_in_place(X, W_query, W_key, W_value):
    query = X @ W_query
    query /= math.sqrt(query.shape[-1])
    scores = query @ (X @ W_key).T
    return softmax_in_place(scores) @ (X @ W_value)


def attention_with(scale=None, weigh=lambda scores: shares(exponentials(scores)), mixed="value", swap=False):
    """Self-attention with one thing changed."""

    def attend(X, W_query, W_key, W_value):
        parts = {"query": X @ W_query, "key": X @ W_key, "value": X @ W_value, "X": X}
        query, key = (parts["key"], parts["query"]) if swap else (parts["query"], parts["key"])
        factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale(X, W_query, W_value)
        return weigh(query @ key.T * factor) @ parts[mixed]

    return attend


def attend_with(query, key, value):
    return shares(exponentials(query @ key.T / math.sqrt(query.shape[-1]))) @ value


RIGHT_SELF_ATTENTION = {
    "vectorised": lambda X, Q, K, V: attend_with(X @ Q, X @ K, X @ V),
    "loops that return nested lists": self_attention_by_loops,
    "one query at a time, a tuple of rows": self_attention_one_query_at_a_time,
    "columns": self_attention_by_columns,
    "in place": self_attention_in_place,
    "float32": lambda *given: attention_with()(*(np.float32(array) for array in given)),
    "float16 at the end": lambda *given: attention_with()(*given).astype(np.float16),
    "einsum": lambda X, Q, K, V: np.einsum(
        "qk,kv->qv", shares(exponentials(np.einsum("qd,kd->qk", X @ Q, X @ K) / math.sqrt(Q.shape[1]))), X @ V
    ),
    "values projected last": lambda X, Q, K, V: attend_with(X @ Q, X @ K, X) @ V,
    "one matrix for the scores": lambda X, Q, K, V: (
        shares(exponentials(X @ (Q @ K.T / math.sqrt(Q.shape[1])) @ X.T)) @ X @ V
    ),
    "helper": lambda X, Q, K, V: scaled_dot_product_attention(X @ Q, X @ K, X @ V).output,
    "np.matrix": lambda X, Q, K, V: np.matrix(attend_with(X @ Q, X @ K, X @ V)),
}

WRONG_SELF_ATTENTION = {
    "not scaled": (attention_with(lambda X, Q, V: 1), r"not divided by √d_k"),
    "divided by d_k": (attention_with(lambda X, Q, V: 1 / Q.shape[1]), r"by d_k"),
    "divided by √d_model": (attention_with(lambda X, Q, V: X.shape[1] ** -0.5), r"√d_model"),
    "divided by √d_v": (attention_with(lambda X, Q, V: V.shape[1] ** -0.5), r"√d_v"),
    "divided by √tokens": (attention_with(lambda X, Q, V: len(X) ** -0.5), r"number of tokens"),
    "multiplied": (attention_with(lambda X, Q, V: Q.shape[1] ** 0.5), r"multiplied by √d_k"),
    "swapped": (attention_with(swap=True), r"swapped"),
    "softmax down": (attention_with(weigh=lambda s: shares(exponentials(s.T)).T), r"down the columns"),
    "softmax over all": (attention_with(weigh=lambda s: np.exp(s) / np.exp(s).sum()), r"whole matrix"),
    "tokens mixed": (attention_with(mixed="X"), r"W_value is missing"),
    "keys mixed": (attention_with(mixed="key"), r"mixed the keys"),
    "queries mixed": (attention_with(mixed="query"), r"mixed the queries"),
    "not projected": (lambda X, Q, K, V: attend_with(X, X, X), r"Nothing was projected"),
    "values alone projected": (lambda X, Q, K, V: attend_with(X, X, X @ V), r"Queries and keys were not projected"),
    "query twice": (lambda X, Q, K, V: attend_with(X @ Q, X @ Q, X @ V), r"Q does not belong here; K does"),
    "key twice": (lambda X, Q, K, V: attend_with(X @ K, X @ K, X @ V), r"K does not belong here; Q does"),
    "transposed weights": (attention_with(weigh=lambda s: shares(exponentials(s)).T), r"weights were transposed"),
    "no softmax": (attention_with(weigh=lambda s: s), r"scores were used as weights"),
    "powers": (attention_with(weigh=np.exp), r"not divided by their sum"),
    "base 3": (attention_with(weigh=lambda s: shares(3.0**s)), r"base 3"),
    "sign": (attention_with(weigh=lambda s: shares(exponentials(-s))), r"sign"),
    "mask": (attention_with(weigh=lambda s: shares(np.exp(s) * np.tri(len(s)))), r"only the past"),
    "values": (lambda X, Q, K, V: X @ V, r"Those are the values"),
    "turned output": (lambda X, Q, K, V: attend_with(X @ Q, X @ K, X @ V).T, r"must not be transposed here"),
    "matrices on the left": (lambda X, Q, K, V: attend_with(Q @ X, K @ X, V @ X), r"the two sides of @ are exchanged"),
    "elementwise scores": (
        lambda X, Q, K, V: shares((X @ Q) * (X @ K)) @ V,
        r"none of your steps gives the right scores",
    ),
    "one output": (lambda X, Q, K, V: attend_with(X @ Q, X @ K, X @ V)[0], r"is right without the index"),
    "weights too": (
        lambda X, Q, K, V: (attend_with(X @ Q, X @ K, X @ V), X @ Q),
        r"return the first one alone",
    ),
    "rounded": (lambda X, Q, K, V: attend_with(X @ Q, X @ K, X @ V).round(2), r"is one step too many"),
}

# --- name of the exercise -> its answers; a new exercise adds one line to each -------------------------------------------

# --- two_tokens, by hand: 3 · token 2 + token 3 must be (3, 13, 13, 0), and the first features 1 and 0 ---------------

RIGHT_TWO_TOKENS = {
    "small numbers": [[1, 4, 4, 0], [0, 1, 1, 0]],
    "all in token 3": [[1, 0, 0, 0], [0, 13, 13, 0]],
    "one each": [[1, 4, 3, 0], [0, 1, 4, 0]],
    "fractions": np.array([[1, 13 / 3, 13 / 3, 0], [0, 0, 0, 0]]),
    "rounded": [[1, 4.333, 4.333, 0], [0, 0, 0, 0]],
    "below zero": [[1, 5, 5, 1], [0, -2, -2, -3]],
}
WRONG_TWO_TOKENS = {
    "exchanged": ([[0, 1, 1, 0], [1, 4, 4, 0]], r"each other's place"),
    "root forgotten": ([[0.5, 4, 4, 0], [0, 1, 1, 0]], r"scores the three tokens \[2. , 0.5, 0. \]"),
    "powers of 2": ([[2, 4, 4, 0], [0, 1, 1, 0]], r"weights \[0.474, 0.474, 0.053\]"),
    "both alike": ([[1, 4, 4, 0], [1, 1, 1, 0]], r"weights \[0.6, 0.2, 0.2\]"),
    "output too small": (
        [[1, 1, 1, 0], [0, 1, 1, 0]],
        r"weights are right. Feature 2 of the output is 0.308; 1 is asked for",
    ),
    "not divided by 13": ([[1, 0, 0, 0], [0, 1, 1, 0]], r"Feature 2 of the output is 0.077; 1 is asked for"),
    "a fourth feature": ([[1, 4, 4, 1], [0, 1, 1, 0]], r"Feature 4 of the output is 0.231; 0 is asked for"),
    "three tokens": ([[2, 0, 0, 0], [1, 4, 4, 0], [0, 1, 1, 0]], r"shape \(2, 4\).*got \(3, 4\)"),
    "one token": ([1, 4, 4, 0], r"shape \(2, 4\).*got \(4,\)"),
    "columns": ([[1, 0], [4, 1], [4, 1], [0, 0]], r"got \(4, 2\)"),
    "not a number": ([[1, math.nan, 4, 0], [0, 1, 1, 0]], r"finite"),
}


RIGHT = {
    "softmax": RIGHT_SOFTMAX,
    "output_rows": RIGHT_OUTPUT_ROWS,
    "two_tokens": RIGHT_TWO_TOKENS,
    "self_attention": RIGHT_SELF_ATTENTION,
    "sinusoidal_positional_encoding": RIGHT_ENCODING,
    "is_order_blind": RIGHT_ORDER_BLIND,
}
WRONG = {
    "softmax": WRONG_SOFTMAX,
    "output_rows": WRONG_OUTPUT_ROWS,
    "two_tokens": WRONG_TWO_TOKENS,
    "self_attention": WRONG_SELF_ATTENTION,
    "sinusoidal_positional_encoding": WRONG_ENCODING,
    "is_order_blind": WRONG_ORDER_BLIND,
}
BY_HAND = {"output_rows", "two_tokens"}  # the answer is numbers; every other is a function
