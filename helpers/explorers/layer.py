"""What surrounds attention in a layer: norm, residual, feed-forward, and what each does for depth."""

import mygrad
import numpy as np

from helpers import matrices, plots
from helpers.attention import multi_head_attention, scaled_dot_product_attention
from helpers.explorers.controls import NumberGrid, choose, slider, stops, switch
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.layers import feed_forward, layer_norm, random_layer

EPSILONS = [("0.00001", 1e-5), ("0.001", 1e-3), ("0.1", 0.1), ("1", 1.0), ("10", 10.0)]
DEEPEST = 48
NUM_TOKENS, D_MODEL, NUM_HEADS = 4, 8, 2
PLACES = np.array([-1.0, 0.5, 2.0])  # of three tokens on a line


def explore_layer_norm():
    """Normalise one token of three features, with gain, bias, epsilon, and the variance divided by n or n - 1.

    Returns
    -------
    Explorer
        shown: x, centred, scaled and output (3,), mean and variance ()
    """
    return Explorer(
        {
            "x": NumberGrid("x", [[1.0, 2.0, 3.0]], compact=True),
            "gain": slider("gain", 1.0, -3.0, 3.0),
            "bias": slider("bias", 0.0, -3.0, 3.0),
            "epsilon": stops("epsilon", EPSILONS, 1e-5),
            "fewer": choose("the variance divides by", {"n": 0, "n − 1": 1}, 0),
        },
        _normalise,
        _norm_strip,
        lambda shown, values: (
            f"The mean is {shown['mean']:.3f} and the variance {shown['variance']:.3f}: each number loses the mean and is "
            f"divided by {np.sqrt(shown['variance'] + values['epsilon']):.4f}; then gain and bias."
        ),
        lights=lambda shown, values: [_mean_is_zero(shown["scaled"][None]), _variance_is_one(shown["scaled"][None])],
        presets={
            "all the same": {"x": [[2.0, 2.0, 2.0]]},
            "a hundredth": {"x": [[0.01, 0.02, 0.03]]},
        },
    )


def explore_depth():
    """Stack 1 to 48 layers drawn by lot, and follow the signal upwards and the gradient downwards.

    Returns
    -------
    Explorer
        shown: signal, difference and gradient (depth + 1,), by layer from the input to the last output; tokens and
        output (4, 8); weights (4, 4) of the first head in the last layer
    """
    stacks, curves = _Stacks(), _Curves()
    return Explorer(
        {
            "residual": switch("residual: add the input to the output", True),
            "norm": choose("layer norm", {"none": "none", "post (2017)": "post", "pre": "pre"}, "post"),
            "feed_forward": switch("feed-forward after attention", True),
            "depth": slider("depth: number of layers", 12, 1, DEEPEST, 1),
        },
        stacks.compute,
        lambda shown, values: curves.draw(shown),
        _describe_depth,
        lights=_depth_lights,
        presets={
            "bare attention": {"residual": False, "norm": "none", "feed_forward": False},
            "no residual": {"residual": False, "norm": "post", "feed_forward": True},
            "pre-norm, 48 layers": {"residual": True, "norm": "pre", "feed_forward": True, "depth": DEEPEST},
        },
    )


def explore_span():
    """Send three tokens on a line through attention, with nothing learned, and through a network that folds the plane.

    Returns
    -------
    Explorer
        shown: tokens and output (3, 2), weights (3, 3) of the last attention, off_line (3,), rank ()
    """
    points = _Points()
    return Explorer(
        {
            "direction": slider("direction of the line, in degrees", 30, 0, 180, 1),
            "rounds": slider("rounds of attention", 1, 1, 3, 1),  # after more, all tokens are the same
            "feed_forward": switch("feed-forward after each round", False),
        },
        _spread_out,
        lambda shown, values: matrices.beside(
            points.draw(shown),
            matrices.under(
                matrices.matrix(shown["tokens"], "tokens", columns=["x", "y"], corner="token"),
                matrices.matrix(shown["output"], "output", columns=["x", "y"], corner="token"),
            ),
        ),
        _describe_span,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _on_the_line(shown["off_line"])],
    )


def explore_wrong_norm():
    """Normalise along something else than each token's own features, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: X, output and output_after (3, 4), the output after token 3 was made ten times larger
    """
    return Explorer(
        {"recipe": choose("mean and variance of", list(_RECIPES), next(iter(_RECIPES)))},
        lambda recipe: {
            "X": TOKENS.copy(),
            "output": _RECIPES[recipe](TOKENS),
            "output_after": _RECIPES[recipe](_LOUDER),
        },
        lambda shown, values: matrices.beside(
            matrices.matrix(shown["X"], "X", corner="token", decimals=0),
            matrices.matrix(shown["output"], "output", corner="token"),
            matrices.matrix(shown["output_after"], "output, token 3 ten times larger", corner="token"),
        ),
        lambda shown, values: (
            f"Token 1 moves by up to {_moved(shown):.3f} when token 3 grows; the tokens' means lie between "
            "{:.3f} and {:.3f}.".format(*_ends(shown["output"].mean(axis=-1)))
        ),
        lights=lambda shown, values: [
            _mean_is_zero(shown["output"]),
            _variance_is_one(shown["output"]),
            Light(
                "no token notices the others", bool(_moved(shown) < 1e-9), f"the first one moved by {_moved(shown):.3f}"
            ),
        ],
    )


# --- layer norm ------------------------------------------------------------------------------------------------------


def _normalise(x, gain, bias, epsilon, fewer):
    x = x[0]
    mean, variance = x.mean(), x.var(ddof=fewer)
    scaled = (x - mean) / np.sqrt(variance + epsilon) if fewer else layer_norm(x, epsilon=epsilon)
    output = gain * scaled + bias if fewer else layer_norm(x, gain, bias, epsilon)
    return {"x": x, "mean": mean, "variance": variance, "centred": x - mean, "scaled": scaled, "output": output}


def _norm_strip(shown, values):
    names = {"x": "x", "centred": "x − mean", "scaled": "÷ √(variance + ε)", "output": "× gain + bias"}
    stages = [matrices.Row(name, shown[key], "plain", shown[key].sum()) for key, name in names.items()]
    return matrices.strip(["feature 1", "feature 2", "feature 3"], stages, "layer norm of one token", decimals=4)


def _mean_is_zero(normed):
    gap = np.abs(normed.mean(axis=-1)).max()
    return Light("every token has mean 0", bool(gap < 1e-6), f"one has {gap:.3f}")


def _variance_is_one(normed):
    variance = normed.var(axis=-1)
    far = variance.flat[np.argmax(np.abs(variance - 1))]
    return Light("every token has variance 1", bool(abs(far - 1) < 1e-3), f"one has {far:.3f}")


TOKENS = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 0.0, 4.0, 0.0], [10.0, 20.0, 30.0, 20.0]])
_LOUDER = TOKENS * [[1.0], [1.0], [10.0]]
_RECIPES = {
    "each token's own features": layer_norm,
    "each feature, over the tokens": lambda X: layer_norm(X.T).T,
    "all numbers at once": lambda X: layer_norm(X.ravel()).reshape(X.shape),
}


def _ends(means):
    return means.min().round(3) + 0.0, means.max().round(3) + 0.0  # + 0.0 turns -0.0 into 0.0


def _moved(shown):
    return np.abs(shown["output_after"][0] - shown["output"][0]).max()


# --- depth -----------------------------------------------------------------------------------------------------------


class _Stacks:
    """Up to 48 layers in each of twelve designs, computed when first asked for and kept.

    A gradient at layer l of a stack of L is a product of the Jacobians of layers l + 1 to L. Each Jacobian is found once:
    mygrad carries one derivative for each number of the output through the layer, all of them as one batch.
    """

    def __init__(self):
        rng = np.random.default_rng(12)
        self._layers = [random_layer(rng, D_MODEL, NUM_HEADS, 4 * D_MODEL) for _ in range(DEEPEST)]
        self._tokens = rng.normal(size=(NUM_TOKENS, D_MODEL))
        self._kept = {}

    def compute(self, residual, norm, feed_forward, depth):
        design = (residual, norm, feed_forward)
        values, weights, jacobians = self._kept.setdefault(design, ([self._tokens], [], []))
        for layer in self._layers[len(jacobians) : depth]:
            value, jacobian, weight = _through(values[-1], layer, *design)
            values.append(value)
            weights.append(weight)
            jacobians.append(jacobian)
        signal = np.array([_size(value) for value in values[: depth + 1]])
        apart = np.array([_size(value - value.mean(axis=0)) for value in values[: depth + 1]])
        return {
            "tokens": self._tokens.copy(),
            "output": values[depth].copy(),
            "weights": weights[depth - 1].copy(),
            "signal": signal,
            "difference": apart / signal,
            "gradient": _gradient_sizes(jacobians[:depth]),
        }


def _size(values):
    return np.sqrt(np.mean(values**2))


def _gradient_sizes(jacobians):
    """How strongly the numbers of the last output answer to one number of each layer; 1 for the last one itself."""
    answer = np.eye(NUM_TOKENS * D_MODEL)
    sizes = [1.0]
    for jacobian in reversed(jacobians):
        answer = answer @ jacobian
        sizes.append(np.sqrt(np.sum(answer**2) / len(answer)))
    return np.array(sizes[::-1])


def _through(value, layer, *design):
    """One layer: its output (4, 8), its Jacobian (32, 32), and the weights of its first head (4, 4)."""
    size = value.size
    copies = mygrad.tensor(np.broadcast_to(value, (size, *value.shape)))  # one for each number of the output
    output, weights = _layer(copies, layer, *design)
    output.backward(np.eye(size).reshape(output.shape))
    return output.data[0].copy(), copies.grad.reshape(size, size).copy(), np.array(weights)[0, 0]


def _layer(x, layer, residual, norm, with_feed_forward):
    """A layer with parts left out, in plain NumPy: arrays or mygrad tensors go through."""

    def add(x, change, name):
        changed = change(layer_norm(x) if norm == "pre" else x, **layer[name])
        x = x + changed if residual else changed
        return layer_norm(x) if norm == "post" else x

    seen = []

    def attend(x, **parameters):
        answer = multi_head_attention(x, **parameters, num_heads=NUM_HEADS)
        seen.append(answer.weights)
        return answer.output

    x = add(x, attend, "self_attention")
    return (add(x, feed_forward, "feed_forward") if with_feed_forward else x), seen[0]


def _depth_lights(shown, values):
    signal, gradient = shown["signal"], shown["gradient"]
    return [
        Light("the signal keeps its size", _keeps(signal[-1] / signal[0]), f"at the top {_power(signal[-1])}"),
        Light("the gradient reaches layer 0", _keeps(gradient[0]), f"there it is {_power(gradient[0])}"),
        Light("tokens stay different", bool(shown["difference"][-1] > 1e-3), f"by {_power(shown['difference'][-1])}"),
    ]


def _keeps(ratio):
    return bool(0.01 < ratio < 100)


def _describe_depth(shown, values):
    layers = f"{values['depth']} layer{'s' if values['depth'] > 1 else ''}"
    return (
        f"After {layers} the signal is {_power(shown['signal'][-1])} (at the input {shown['signal'][0]:.2f}), tokens differ "
        f"by {_power(shown['difference'][-1])} of it, and the gradient that arrives at layer 0 is "
        f"{_power(shown['gradient'][0])}, where the top has 1."
    )


def _power(x):
    """A number of any size in a few letters; below 1e-12 only rounding is left."""
    if x < 1e-12 or 0.01 <= x < 1000:
        return f"{x:.2f}"
    digit, power = f"{x:.0e}".split("e")
    return f"{digit}e{int(power)}"


class _Curves:
    """Signal, difference and gradient by layer, on fixed logarithmic axes."""

    def __init__(self):
        figure, panels = plots.new_figure(8.4, 3.0, "abc")
        titles = ["size of the signal", "size of the gradient", "how much tokens differ"]
        limits = [(1e-14, 1e12), (1e-14, 1e12), (1e-8, 1e1)]
        self._lines = []
        for ax, title, y_limits in zip(panels, titles, limits):
            (line,) = plots.curves(ax, 1, x_title="layer (0 = input)", title=title, y_limits=y_limits)
            line.set_marker(".")
            ax.set(yscale="log", xlim=(-1, DEEPEST + 1))
            ax.axhline(1.0, color="#999999", linewidth=0.8, zorder=0)
            self._lines.append(line)
        self._live = plots.LiveFigure(figure, self._lines, self._update)

    def _update(self, shown):
        layers = np.arange(len(shown["signal"]))
        for line, name in zip(self._lines, ["signal", "gradient", "difference"]):
            line.set_data(layers, np.maximum(shown[name], 1e-300))  # 0 has no place on a logarithmic axis

    def draw(self, shown):
        return self._live.draw(
            shown,
            f"Three curves over {len(shown['signal']) - 1} layers, logarithmic: the size of the signal ends at "
            f"{_power(shown['signal'][-1])}, the gradient begins at {_power(shown['gradient'][0])}, the difference between "
            f"tokens ends at {_power(shown['difference'][-1])}.",
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


def _describe_span(shown, values):
    off = shown["off_line"].max()
    where = (
        "all lie on the line of the tokens" if off < 1e-9 else f"they leave the line of the tokens, by up to {off:.3f}"
    )
    return f"The outputs have rank {shown['rank']}: {where}."


def _fold(x):
    """Fold the plane along the x axis: x = relu(x) - relu(-x) stays, y becomes relu(y) + relu(-y). No bias moves it."""
    W_in = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    W_out = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    return feed_forward(x, W_in, np.zeros(4), W_out, np.zeros(2))


def _on_the_line(off_line):
    rule = "the outputs stay on the line of the tokens"
    return Light(rule, bool(off_line.max() < 1e-9), f"one leaves it by {off_line.max():.3f}")


class _Points:
    """A line through the origin, the tokens on it, and their outputs."""

    def __init__(self):
        figure, ax = plots.new_figure(3.6, 3.6)
        (self._line,) = plots.curves(ax, 1, x_title="x", title="tokens and outputs", y_limits=(-2.3, 2.8))
        self._dots = plots.curves(ax, 2, x_title="x", title="tokens and outputs", y_limits=(-2.3, 2.8))
        for dots, marker, label in zip(self._dots, "os", ["token", "output"]):
            dots.set(linestyle="", marker=marker, label=label)
        self._line.set(color="#999999", linewidth=1)
        self._dots[0].set(color="#1d4ed8", markersize=7)
        self._dots[1].set(color="#c2410c", markersize=6)
        ax.set(xlim=(-2.3, 2.8), ylabel="y", aspect="equal")
        ax.legend(handles=self._dots, loc="lower right")
        self._live = plots.LiveFigure(figure, [self._line, *self._dots], self._update)

    def _update(self, shown):
        far = shown["tokens"][2]
        self._line.set_data([-2 * far[0], 2 * far[0]], [-2 * far[1], 2 * far[1]])
        self._dots[0].set_data(*shown["tokens"].T)
        self._dots[1].set_data(*shown["output"].T)

    def draw(self, shown):
        off = shown["off_line"].max()
        where = "on the same line" if off < 1e-9 else f"up to {off:.2f} beside the line"
        return self._live.draw(shown, f"Three tokens on a line through the origin, and their outputs {where}.")
