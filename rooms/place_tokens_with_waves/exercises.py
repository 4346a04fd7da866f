"""Exercises on order and position."""

import numpy as np

from helpers.attention import causal_mask, scaled_dot_product_attention, softmax
from helpers.positions import sinusoidal_positional_encoding, turn
from rooms.shared import edits
from rooms.shared.she import SHE, N, she
from workbench import Drawn, labelled, like
from workbench.judging.exercise import CLOSE


def _explain_waves(got, want, *arguments):
    if np.abs(got).max() > 1 + 1e-4:
        return f"Sines and cosines lie between -1 and 1, yours go up to {np.abs(got).max():.3f}."
    j = np.flatnonzero(np.abs(got - want).max(axis=0) >= CLOSE)[0]
    i = np.flatnonzero(np.abs(got - want)[:, j] >= CLOSE)[0]
    return f"For num_positions, d_model = {arguments}, dimension {j} is the first that is off: position {i} has {got[i, j]:.3f} there, where {want[i, j]:.3f} is right (both counted from 0)."


def _hint_for_odd_widths(error, num_positions, d_model):
    if d_model % 2 and isinstance(error, (ValueError, IndexError)):
        return "An odd d_model has one sine more than cosines: the last pair is a sine alone."
    if "broadcast" in str(error):
        return "Two shapes don't fit: positions run down, one row each, and dimensions across, d_model of them, so the angles have the shape (num_positions, d_model)."
    if isinstance(error, ZeroDivisionError):
        return "Divide the 2i by d_model, which is never 0."
    return None


ENCODING = edits.exercise(
    """
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions)[:, None] / 10_000 ** (2 * pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
""",
    remakes=(sinusoidal_positional_encoding,),
    cases=[(3, 4), (7, 6), (5, 8), (11, 5), (2, 1), (4, 3), (1, 4)],
    mistakes="""
=> np.concatenate([encoding[:, 0::2], encoding[:, 1::2]], axis=1) | All sines stand first and all cosines after them; interleave them: sine in the even dimensions, cosine in the odd.
=> np.concatenate([np.sin(angles[:, 0::2]), np.cos(angles[:, 0::2])], axis=1) |
=> (lambda turned: np.concatenate([np.sin(turned), np.cos(turned)], axis=1))(np.arange(num_positions)[:, None] / 10_000 ** (np.arange(d_model // 2) / (d_model // 2 - 1))) | All sines stand first and all cosines after them, with other wave lengths; sine and cosine alternate, exponent 2i/d_model.
=> (lambda turned: np.concatenate([np.sin(turned), np.cos(turned)], axis=1))(np.arange(num_positions)[:, None] / 10_000 ** (np.arange(d_model // 2) / max(d_model // 2 - 1, 1))) |
2 * pair => 2 * np.arange(d_model) | The exponent is 2i/d_model with i counting pairs; here i counted dimensions, so the waves slow down twice as fast.
2 * pair => np.arange(d_model) | Each dimension got a speed of its own; the sine and the cosine of a pair share one angle, exponent 2i/d_model.
2 * pair => 2 * (pair + 1) | The first pair has the exponent 0: i counts pairs from 0; here it starts at 1.
(num_positions)[ => (1, num_positions + 1)[ | Position 0 comes first; here the positions start at 1.
np.sin => np.tan ;; np.cos => np.sin ;; np.tan => np.cos | Sine and cosine are swapped: sine in the even dimensions.
np.cos => np.sin | Only sines: the odd dimensions take the cosine.
np.cos => 0 * | The odd dimensions are 0: the cosines are missing.
np.sin => np.cos | Only cosines: the even dimensions take the sine.
10_000 => 1_000 | The base is 10000; here it is 1000.
10_000 => np.e | The base is 10000; here it is e: np.exp needs ln 10000 in its exponent.
=> encoding[:, : d_model - d_model % 2] | An odd d_model lost its last dimension: it ends with a sine that has no cosine.
arange(d_model) => arange(d_model + d_model % 2) ;; (num_positions, d_model)) => (num_positions, d_model + d_model % 2)) | An odd d_model has one dimension too many: it ends with a sine that has no cosine.
pair / d_model => pair / (d_model + d_model % 2) | For an odd d_model the exponent is still 2i/d_model; here the width was rounded up to an even one.
=> np.trunc(encoding) | Fractions were cut off: the array holds whole numbers. Make it one of floats, dtype=float.
np.arange(num_positions) => np.radians(np.arange(num_positions)) | The angles were taken as degrees; np.sin and np.cos take radians, so leave them as they are.
=> angles | These are the angles; take their sine and cosine.
encoding[:, 0::2] = np.sin(angles[:, 0::2]) => encoding[0::2] = np.sin(angles[0::2]) ;; encoding[:, 1::2] = np.cos(angles[:, 1::2]) => encoding[1::2] = np.cos(angles[1::2]) | Sine and cosine take turns from row to row, by position; they take turns by dimension: encoding[:, 0::2].
return encoding => encoding[:1] = 0⏎    return encoding | Position 0 stays empty: its cosines are 1.
10_000 ** => np.exp(4) ** | The exponent is that of another logarithm: with np.exp take np.log, which is the natural one.
""",
    steps="positions",
    praise="Right, odd widths too: every pair is one clock hand.",
    explain=_explain_waves,
    hint=_hint_for_odd_widths,
)


def _attend(x):
    return scaled_dot_product_attention(x, x, x).output


def _attend_with_positions(x):
    return _attend(x + sinusoidal_positional_encoding(*x.shape))


def _attend_to_the_past(x):
    return scaled_dot_product_attention(x, x, x, mask=causal_mask(len(x))).output


def _average(x):
    return np.broadcast_to(x.mean(axis=0), x.shape)


def _hand_on(x):
    return np.roll(x, 1, axis=0)


def _double_the_last(x):
    return x * (1.0 + np.eye(len(x))[:, [-1]])


def _measure_from_the_first(x):
    return x - x[0, 0]


def _turn_every_other_sign(x):
    return x * (-1.0) ** np.arange(len(x))[:, None]


def _layer(name, layer):
    layer.__name__ = name
    return layer


def _marking(name, *marks):
    """A layer that adds marks to the columns, the more the later a token stands."""
    return _layer(name, lambda x: x + np.outer(np.arange(len(x)), marks))


def _mixing(name, place, other):
    """A layer in which one place alone hears another one."""
    return _layer(name, lambda x: x + np.outer(np.eye(len(x))[place], x[other]))


def _explain_verdict(got, want, layer, *rest):
    verdict = f"yours is {bool(got)}" if float(got) in (0.0, 1.0) else f"yours is {float(got):.3g}, not True or False"
    return f"For {layer.__name__.strip('_')} the answer is {bool(want)}, {verdict}."


_FIVE = np.array([[0.2, 0.0, 0.1], [0.0, 0.1, 0.0], [0.7, 0.1, 0.3], [0.6, 0.0, 0.2], [0.0, 0.2, 0.1]])
_ORDER = np.array([3, 0, 4, 1, 2])
_SWAP, _FIRST_STAYS = np.array([1, 0, 2, 3, 4]), np.array([0, 2, 1, 4, 3])
_LAST_STAYS, _SECOND_STAYS = np.array([1, 0, 3, 2, 4]), np.array([2, 1, 0, 3, 4])
_MARKING = [
    _marking("mark_the_last_column", 0, 0, 1),
    _marking("mark_the_first_column", 1, 0, 0),
    _marking("mark_two_columns", 1, -1, 0),
    _marking("mark_a_little", 0.01, 0.01, 0.01),
    _marking("mark_very_little", 0.001, 0.001, 0.001),
]
_mix_into_the_first = _mixing("mix_into_the_first", 0, 1)
_LAYERS = (_attend, _attend_with_positions, _attend_to_the_past, _average, _hand_on, _double_the_last)

ORDER_BLIND = edits.exercise(
    """
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]), layer(tokens)[order])
""",
    cases=[(layer, 5 * _FIVE, _ORDER) for layer in _LAYERS]
    + [(_attend, 5 * _FIVE, _SWAP), (_average, _FIVE, _ORDER)]
    + [(_double_the_last, 5 * _FIVE, _SWAP), *((layer, _FIVE, _ORDER) for layer in _MARKING)]
    + [(_mix_into_the_first, _FIVE, _FIRST_STAYS), (_mix_into_the_first, _FIVE[_FIRST_STAYS], _FIRST_STAYS)]
    + [(_measure_from_the_first, _FIVE, _ORDER), (_turn_every_other_sign, 5 * _FIVE, _ORDER)]
    + [(_mixing("mix_into_the_last", -1, -2), _FIVE, _LAST_STAYS)]
    + [(_mixing("mix_into_the_second", 1, 0), _FIVE, _SECOND_STAYS)],
    mistakes="""
layer(tokens)[order] => layer(tokens) | The outputs of shuffled tokens are to be compared with those of the tokens in their old order, shuffled afterwards: layer(tokens[order]) with layer(tokens)[order].
=> True | It says True for every layer, also for those that see order: compare layer(tokens[order]) with layer(tokens)[order], all rows and all columns.
=> False | It says False for each layer that was tried, also for plain attention: compare layer(tokens[order]) with layer(tokens)[order] by np.allclose.
=> np.allclose(layer(tokens[order])[order], layer(tokens)) | The order is undone, or applied twice, on one side: shuffle once, before the layer, on the one side of the comparison, and once, after it, on the other.
=> not np.allclose(layer(tokens[order]), layer(tokens)[order]) | True and False are the wrong way round: blind to order means that the two are the same.
allclose => array_equal | Two ways of adding floats differ in the last digit: compare with np.allclose, not with ==.
=> np.allclose(layer(tokens[order]).sum(0), layer(tokens)[order].sum(0)) | This forgets which output belongs to which token, as a sum or a sort does: compare row by row.
=> np.allclose(np.sort(layer(tokens[order]), 0), np.sort(layer(tokens), 0)) |
allclose => isclose | The answer must be one True or False; here it is one for each number: use np.allclose.
=> layer(tokens[order]) == layer(tokens)[order] |
=> np.isclose(layer(tokens[order]), layer(tokens)[order]).all(axis=1) | The answer must be one True or False; here it is one for each token: all of them must agree.
=> np.abs(layer(tokens[order]) - layer(tokens)[order]).max() | This is how far the outputs are apart; the answer is True where that is almost 0.
=> np.isclose(layer(tokens[order]), layer(tokens)[order]).any() | One number that agrees is enough for it; all must: np.allclose.
=> bool(np.max(layer(tokens[order]) - layer(tokens)[order]) < 1e-9) | A difference below zero passes: take np.abs first.
=> bool(np.max(layer(tokens)[order] - layer(tokens[order])) < 1e-9) |
=> np.allclose(layer(tokens[order]), layer(tokens)[order], atol=0.5) | Half a unit is too much room: np.allclose as it is lets rounding pass, and no more.
""",
    praise="Right: attention alone is blind to order. Positions open its eyes; so does hiding what comes later (lesson 07).",
    explain=_explain_verdict,
)


# --- drawn with the answer ------------------------------------------------------------------------------------------


def _two_back(sinusoidal_positional_encoding):
    """The waves of her position, each turned back by two steps, ask the waves of all."""
    waves = like(sinusoidal_positional_encoding(N, 16), (N, 16))
    steps = 2.0 / 10_000 ** (np.arange(8) / 8)  # a pair is (sine, cosine): turned forward it goes back
    return softmax(4 * turn(waves[SHE : SHE + 1], steps)[0] @ waves.T)


ENCODING_DRAWN = she("sinusoidal_positional_encoding", _two_back, "the word two positions back")
_SHOWN = [_attend, _attend_with_positions, _attend_to_the_past]
ORDER_BLIND_DRAWN = Drawn(
    "is_order_blind",
    lambda is_order_blind: np.array([[like(is_order_blind(layer, 5 * _FIVE, _ORDER), ())] for layer in _SHOWN]),
    labelled(["attention", "with positions", "to the past alone"], ["blind to order"], "weights", decimals=0),
    "Five tokens, shuffled, and three layers, 1 = yes",
)
