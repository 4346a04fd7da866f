"""What surrounds attention in a layer: norm, residual, feed-forward, and what each does for depth."""

import math

import numpy as np

from helpers import depth, matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.depth import NORMS, QUANTITIES, quartiles
from helpers.diagrams import Part, tower
from helpers.explorers.controls import NumberGrid, choose, slider, stops, switch
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.sums import bracketed, cell, number, terms
from helpers.explorers.touch import Plane, Sum, Touch
from helpers.layers import feed_forward, layer_norm
from helpers.pictures.colours import COLOURS

EPSILONS = [("0.00001", 1e-5), ("0.001", 1e-3), ("0.1", 0.1), ("1", 1.0), ("10", 10.0)]
LEAST = 1e-16  # that a logarithmic axis shows: 0 has no place on it
PLACES = np.array([-1.0, 0.5, 2.0])  # of three tokens on a line


def explore_layer_norm():
    """Normalise one token of three features, with gain, bias, epsilon, and the variance divided by n or n - 1.

    Shown: x, centred, scaled and output (3,), mean and variance ()
    """
    return explorer(
        _normalise,
        _norm_strip,
        lambda now: (
            f"The mean of x is {now.mean.round(3) + 0.0:.3f} and its variance {now.variance:.3f}: each number loses the mean and is divided by "
            f"{np.sqrt(now.variance + now.epsilon):.4f}. After gain and bias the mean is {now.output.mean().round(3) + 0.0:.3f} and the spread "
            f"{now.output.std():.3f}."
        ),
        [
            _mean_is_zero(lambda now: now.scaled[None], "before gain and bias: mean 0", "it is {:.3f}"),
            _variance_is_one(lambda now: now.scaled[None], "before gain and bias: variance 1", "it is {:.3f}"),
        ],
        presets={
            "all the same": {"x": [[2.0, 2.0, 2.0]]},
            "a hundredth": {"x": [[0.01, 0.02, 0.03]]},
        },
        x=NumberGrid("x", [[1.0, 2.0, 3.0]], compact=True),
        gain=slider("gain", 1.0, -3.0, 3.0),
        bias=slider("bias", 0.0, -3.0, 3.0),
        epsilon=stops("epsilon", EPSILONS, 1e-5),
        fewer=choose("the variance divides by", {"n": 0, "n − 1": 1}, 0),
    )


def explore_depth():
    """Stack 1 to 48 layers drawn at random, in any design, and see what reaches the top and what comes back.

    Shown: signal, gradient and difference (3, 49): lower quartile, median and upper quartile of 20 stacks after 0 to 48
    layers; top (3,), the three medians at the chosen depth
    """
    curves = _Curves()
    drag = {f"depth {k}": Plane(ax, "depth", "drag: the number of layers") for k, ax in enumerate(curves.axes)}
    return explorer(
        _stacked,
        lambda now: (curves.draw(now), _layer_in_boxes(now)),
        _say_what_arrives,
        [
            Rule("the signal stays between 0.01 and 100", lambda now: _keeps("at the top", now.top[0])),
            Rule("the gradient stays between 0.01 and 100", lambda now: _keeps("at the bottom", now.top[1])),
            Rule("tokens stay different", lambda now: (now.top[2] > 1e-3, f"they differ by {_power(now.top[2])}")),
        ],
        presets={
            "bare attention": {"residual": False, "norm": "none", "feed_forward": False},
            "no residual": {"residual": False, "norm": "post", "feed_forward": True},
            "pre-norm, 48 layers": {"residual": True, "norm": "pre", "feed_forward": True, "depth": depth.DEEPEST},
        },
        planes=drag,
        touch={
            "arrow": Touch(lambda now, k: {"residual": not now.residual}, lambda now, k: "cut or mend the residual"),
            "box": Touch(_turn_a_box, lambda now, k: ["feed-forward: on or off", "layer norm: none, after, before"][k]),
        },
        folded=["residual", "norm", "feed_forward"],
        depth=slider("depth: number of layers", 12, 1, depth.DEEPEST, 1),
        residual=switch("residual: add the input to the output", True),
        norm=choose("layer norm", {"none": "none", "post (2017)": "post", "pre": "pre"}, "post"),
        feed_forward=switch("feed-forward after attention", True),
    )


def explore_span():
    """Send three tokens on a line through attention, with nothing learned, and through a network that folds the plane.

    Shown: tokens and output (3, 2), weights (3, 3) of the last attention, off_line (3,), rank ()
    """
    points, axes = _points()
    return explorer(
        _spread_out,
        lambda now: (
            points.draw(now),
            matrices.under(
                now.table("tokens", columns=["x", "y"], corner="token"),
                now.table("output", columns=["x", "y"], corner="token"),
            ),
        ),
        _say_where_outputs_lie,
        [SHARES],
        sums={"tokens": _place_in_words, "output": _output_in_words},
        planes={"line": Plane(axes, _to_direction, "drag: turn the line of the tokens")},
        direction=slider("direction of the line, in degrees", 30, 0, 180, 1),
        rounds=slider("rounds of attention", 1, 1, 3, 1),  # after more, all tokens are the same
        feed_forward=switch("feed-forward after each round", False),
    )


def explore_wrong_norm():
    """Normalise along something else than each token's own features, and see which rule breaks.

    Shown: X, output and output_after (3, 4), the output after token 3 was made ten times larger
    """
    return wrong_turns(
        "mean and variance of",
        _RECIPES,
        lambda normed: {"X": TOKENS, "output": normed(TOKENS), "output_after": normed(_LOUDER)},
        lambda now: (
            now.table("X", corner="token", decimals=0),
            now.table("output", corner="token"),
            now.table("output_after", "output, token 3 ten times larger", corner="token"),
        ),
        lambda now: (
            f"Token 1 moves by up to {_moved(now):.3f} when token 3 grows; the tokens' means lie between "
            "{:.3f} and {:.3f}.".format(*_ends(now.output.mean(axis=-1)))
        ),
        [
            _mean_is_zero(lambda now: now.output),
            _variance_is_one(lambda now: now.output),
            Rule("no token notices the others", _moved, "the first one moved by {:.3f}"),
        ],
        sums={
            "output": Sum([("X", "ij")], lambda now, i, j: _made(now, TOKENS, "output", i, j)),
            "output_after": lambda now, i, j: _made(now, _LOUDER, "output_after", i, j),
        },
        picks={"output": (3, 4), "output_after": (3, 4)},
    )


# --- layer norm ------------------------------------------------------------------------------------------------------


def _normalise(x, gain, bias, epsilon, fewer):
    x = x[0]
    mean, variance = x.mean(), x.var(ddof=fewer)
    scaled = (x - mean) / np.sqrt(variance + epsilon) if fewer else layer_norm(x, epsilon=epsilon)
    output = gain * scaled + bias if fewer else layer_norm(x, gain, bias, epsilon)
    return {"x": x, "mean": mean, "variance": variance, "centred": x - mean, "scaled": scaled, "output": output}


def _norm_strip(now):
    names = {"x": "x", "centred": "x − mean", "scaled": "÷ √(variance + ε)", "output": "× gain + bias"}
    made = {
        "centred": lambda k: f"{number(now.x[k])} − {bracketed(number(now.mean))} = {now.centred[k]:.4f}",
        "scaled": lambda k: f"{now.centred[k]:.4f} / √({now.variance:.4f} + {now.epsilon:g}) = {now.scaled[k]:.4f}",
        "output": lambda k: (
            f"{number(now.gain)}·{bracketed(f'{now.scaled[k]:.4f}')} + {bracketed(number(now.bias))} = {now.output[k]:.4f}"
        ),
    }
    stages = [matrices.Row(name, now[key], "plain", now[key].sum(), made.get(key)) for key, name in names.items()]
    return matrices.strip(["feature 1", "feature 2", "feature 3"], stages, "layer norm of one token", decimals=4)


def _mean_is_zero(normed, rule="every token has mean 0", told="one has {:.3f}"):
    return Rule(rule, lambda now: np.abs(normed(now).mean(axis=-1)).max(), told, 1e-6)


def _variance_is_one(normed, rule="every token has variance 1", told="one has {:.3f}"):
    def gap(now):
        variance = normed(now).var(axis=-1)
        far = variance.flat[np.argmax(np.abs(variance - 1))]
        return abs(far - 1) < 1e-3, told.format(far)

    return Rule(rule, gap)


TOKENS = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 0.0, 4.0, 0.0], [10.0, 20.0, 30.0, 20.0]])
_LOUDER = TOKENS * [[1.0], [1.0], [10.0]]
_RECIPES = {
    "each token's own features": layer_norm,
    "each feature, over the tokens": lambda X: layer_norm(X.T).T,
    "all numbers at once": lambda X: layer_norm(X.ravel()).reshape(X.shape),
}


def _made(now, X, name, i, j):
    kind = list(_RECIPES).index(now.recipe)
    numbers = (X[i], X[:, j], X.ravel())[kind]
    mean, spread = numbers.mean(), math.sqrt(numbers.var() + 1e-5)
    return f"{cell(name, i, j)} = ({X[i, j]:g} − {mean:.3f}) / {spread:.3f} = {now[name][i, j]:.3f}"


def _ends(means):
    return means.min().round(3) + 0.0, means.max().round(3) + 0.0  # + 0.0 turns -0.0 into 0.0


def _moved(now):
    return np.abs(now.output_after[0] - now.output[0]).max()


# --- depth -----------------------------------------------------------------------------------------------------------


def _stacked(depth, residual, norm, feed_forward):
    sizes = quartiles(residual, norm, feed_forward)
    return {**sizes, "top": np.array([sizes[name][1, depth] for name in QUANTITIES])}


def _turn_a_box(now, k):
    if k == 0:
        return {"feed_forward": not now.feed_forward}
    return {"norm": NORMS[(NORMS.index(now.norm) + 1) % len(NORMS)]}


def _layer_in_boxes(now):
    """The layer as a tower: attention, feed-forward, and the norm before or after each; arrows add a step to its input."""

    def step(words, box=None):
        note = "added to its input" if now.residual else "replaces its input"
        gone = box == 0 and not now.feed_forward
        return Part(words, "switched off" if gone else note, box, None if gone else 0, gone or not now.residual)

    norm = Part("layer norm", "" if now.norm != "none" else "switched off", 1, None, now.norm == "none")
    attention, network = step("attention"), step("feed-forward", 0)
    upwards = {
        "post": [attention, norm, network, norm],
        "pre": [norm, attention, norm, network],
        "none": [norm, attention, network],
    }
    parts = [Part("output"), *upwards[now.norm][::-1], Part("tokens")]
    return tower(parts, "one layer", boxes=now.places("box"), arrows=now.places("arrow"), width=130)


def _keeps(where, size):
    return 0.01 < size < 100, f"{where} {_power(size)}"


def _say_what_arrives(now):
    layers = f"{now.depth} layer{'s' if now.depth > 1 else ''}"
    return (
        f"Medians of 20 stacks: after {layers} the signal is {_power(now.top[0])}, tokens differ by {_power(now.top[2])} of it, "
        f"and the gradient that arrives at layer 0 is {_power(now.top[1])}, where the top has 1."
    )


def _power(x):
    """A number of any size in a few letters; below 1e-12 only rounding is left."""
    if x < 1e-12 or 0.01 <= x < 1000:
        return f"{x:.2f}"
    digit, power = f"{x:.0e}".split("e")
    return f"{digit}e{int(power)}"


class _Curves:
    """Signal, gradient and difference against depth, on logarithmic axes that hold the design: median and quartiles."""

    def __init__(self):
        figure, self.axes = plots.new_figure(5.6, 3.0, "abc")
        titles = ["signal at the top", "gradient at layer 0", "how far tokens differ"]
        self._lines, self._bands, self._marks = [], [], []
        for ax, title in zip(self.axes, titles):
            (line,) = plots.curves(ax, 1, x_title="layers", title=title, y_limits=(LEAST / 10, 10))
            self._bands.append(ax.fill_between([0, 1], 1, 2, color=COLOURS["muted"].light, alpha=0.25, lw=0))
            self._marks.append(plots.marker_line(ax, "depth"))
            ax.set_title(title, loc="left", fontsize=8.5)
            ax.set(yscale="log", xlim=(-1, depth.DEEPEST + 1), xticks=[0, 24, 48])
            self._lines.append(line)
        plots.freeze_layout(figure)
        self._live = plots.LiveFigure(figure, [*self._bands, *self._lines, *self._marks], self._update)

    def _update(self, now):
        layers = np.arange(depth.DEEPEST + 1)
        parts = zip(self.axes, self._lines, self._bands, self._marks, QUANTITIES)
        for ax, line, band, mark, name in parts:
            low, middle, high = np.maximum(now[name], LEAST)
            line.set_data(layers, middle)
            band.set_data(layers, low, high)
            mark.set_xdata([now.depth] * 2)
            ends = np.floor(np.log10(low.min()) - 0.1), np.ceil(np.log10(high.max()) + 0.1)
            ax.set_ylim(10.0 ** min(ends[0], -1), 10.0 ** max(ends[1], 1))

    def draw(self, now):
        return self._live.draw(
            now,
            "Three curves against the number of layers, logarithmic, each a median of 20 stacks in a band of quartiles: at "
            f"{now.depth} layers the signal is {_power(now.top[0])}, the gradient at layer 0 {_power(now.top[1])}, the difference "
            f"between tokens {_power(now.top[2])}.",
        )


# --- span ------------------------------------------------------------------------------------------------------------


def _spread_out(direction, rounds, feed_forward):
    unit = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction))])
    tokens = output = PLACES[:, None] * unit
    for _ in range(rounds):
        answer = scaled_dot_product_attention(output, output, output)
        output = _fold(answer.output) if feed_forward else answer.output
    return {
        "tokens": tokens,
        "output": output,
        "weights": answer.weights,
        "off_line": np.abs(output @ [-unit[1], unit[0]]),
        "rank": np.linalg.matrix_rank(output, tol=1e-9),
    }


def _place_in_words(now, i, j):
    return f"{number(PLACES[i])}·{('cos', 'sin')[j]} {now.direction}° = {number(now.tokens[i, j])}"


def _output_in_words(now, i, j):
    """What the last round mixes stands on display where it is the first one; a fold leaves x and turns y up."""
    folded = ", turned up by the network" if now.feed_forward and j else ""
    if now.rounds > 1:
        return f"round {now.rounds} mixes the outputs of round {now.rounds - 1}{folded} = {number(now.output[i, j])}"
    return f"{terms(now.weights[i], now.tokens[:, j])}{folded} = {number(now.output[i, j])}"


def _to_direction(now, x, y):
    return {"direction": math.degrees(math.atan2(y, x)) % 180}


def _say_where_outputs_lie(now):
    off = now.off_line.max()
    where = (
        "all lie on the line of the tokens" if off < 1e-9 else f"they leave the line of the tokens, by up to {off:.3f}"
    )
    return f"The outputs have rank {now.rank}: {where}."


def _fold(x):
    """Fold the plane along the x axis: x = relu(x) - relu(-x) stays, y becomes relu(y) + relu(-y). No bias moves it."""
    W_in = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    W_out = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    return feed_forward(x, W_in, np.zeros(4), W_out, np.zeros(2))


def _points():
    """A line through the origin, the tokens on it, and their outputs."""
    figure, axes = plots.new_figure(3.4, 3.4)
    line, *dots = plots.curves(axes, 3, x_title="x", title="tokens and outputs", y_limits=(-2.3, 2.8))
    line.set(color="#999999", linewidth=1)
    dots[0].set(color=COLOURS["ink"].light, markersize=7, linestyle="", marker="o", label="token")
    dots[1].set(color=COLOURS["output"].light, markersize=6, linestyle="", marker="s", label="output")
    axes.set(xlim=(-2.3, 2.8), ylabel="y", aspect="equal")
    axes.legend(handles=dots, loc="lower right")

    def update(now):
        line.set_data(*np.outer(now.tokens[2], [-2, 2]))
        dots[0].set_data(*now.tokens.T)
        dots[1].set_data(*now.output.T)

    def tell(now):
        off = now.off_line.max()
        where = "on the same line" if off < 1e-9 else f"up to {off:.2f} beside the line"
        return f"Three tokens on a line through the origin, and their outputs {where}."

    return plots.LiveFigure(figure, [line, *dots], update, tell), axes
