"""An image as a sequence of patches: what a patch attends to, what shuffling does, and wrong ways to cut."""

import numpy as np

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import choose, slider
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.explorers.shuffling import only_shuffled, shuffled
from helpers.patches import patchify, unpatchify
from helpers.positions import sinusoidal_positional_encoding

SIDE = 224
STEP = 8  # in pixels, of the sliders that point; the side of the smallest patch
AROUND = 2  # in pixels, how far outside a patch its outline runs
SIZES = [56, 28, 16, 8]
TOKENS = ["minus the average patch", "as they are"]
SHUFFLED_SIZE = 28
POSITIONS = ["none", "sinusoidal"]
FOUR_BY_FOUR = np.arange(16.0).reshape(4, 4)


def explore_patches():
    """Point at a place in a photograph, and see to which patches the patch there attends by similarity alone.

    Returns
    -------
    Explorer
        shown: chosen (), number of the patch that asks, from 0; query (d,); scores and weights (num_patches,), value
        (num_patches, d), output (d,), the mixture of all patches; sizes (3,): patches, numbers in each, numbers in a map
    """
    view = _Overlay()
    return Explorer(
        {
            "patch_size": choose("side of a patch, in pixels", SIZES, 16),
            # in pixels, not in patches: what is pointed at stays the same when the patches get another size
            "down": slider("point: pixels from the top", 44, 4, 220, STEP),
            "across": slider("point: pixels from the left", 204, 4, 220, STEP),
            "tokens": choose("patches are compared", TOKENS, TOKENS[0]),
            "sharpness": slider("sharpness", 10, 0, 60, 1),
        },
        lambda **values: _attend(view.photograph, **values),
        lambda shown, values: matrices.under(view.draw(shown, values), _size_table(shown)),
        _describe,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"])],
        presets={
            "a star": {"down": 36, "across": 20},
            "the coat": {"down": 204, "across": 60},
            "an eye": {"down": 92, "across": 100},
        },
    )


def _tokens(patches, kind):
    """Rows of length 1 at most, so that a dot product is a likeness between -1 and 1."""
    if kind == "as they are":
        return patches / np.sqrt(patches.shape[1])
    apart = patches - patches.mean(axis=0)
    return apart / np.linalg.norm(apart, axis=1, keepdims=True)


def _attend(photograph, patch_size, down, across, tokens, sharpness):
    patches = patchify(photograph, patch_size)
    chosen = down // patch_size * (SIDE // patch_size) + across // patch_size
    token = _tokens(patches, tokens)
    answer = scaled_dot_product_attention(token[chosen : chosen + 1], token, patches, scale=float(sharpness))
    num_patches, width = patches.shape
    return {
        "chosen": np.array(chosen),
        "query": token[chosen],
        "scores": answer.scores[0],
        "weights": answer.weights[0],
        "value": patches,
        "output": answer.output[0],
        "sizes": np.array([num_patches, width, num_patches**2]),
    }


def _size_table(shown):
    columns = ["patches (tokens)", "numbers in each", "weights in a map"]
    return matrices.matrix(shown["sizes"], "the sequence", rows=["224 × 224 photograph"], columns=columns, decimals=0)


def _describe(shown, values):
    row, column = divmod(int(shown["chosen"]), SIDE // values["patch_size"])
    weights = shown["weights"]
    return (
        f"Patch {shown['chosen']} (row {row}, column {column}, counted from 0) gives {weights[shown['chosen']]:.1%} of its "
        f"weight to itself and {np.sort(weights)[-10:].sum():.1%} to the ten patches that get most."
    )


class _Overlay:
    """The photograph with the patch that asks, the weights laid over it, and the patch beside what it becomes."""

    def __init__(self):
        self.photograph = plots.photograph()
        figure, axes = plots.new_figure(7.2, 3.4, "abc abd", width_ratios=[2, 2, 1])
        plots.photo(axes[0], self.photograph, "the patch that asks")
        grey = self.photograph.mean(axis=2, keepdims=True).repeat(3, axis=2)
        plots.photo(axes[1], 0.35 + 0.5 * grey, "what it attends to")
        self.weights = plots.photo(axes[1], np.zeros((SIDE, SIDE, 4)), "what it attends to")
        self.patch = plots.photo(axes[2], np.zeros((2, 2, 3)), "the patch")
        self.output = plots.photo(axes[3], np.zeros((2, 2, 3)), "its output")
        self.frames = [plots.frame(axes[0]), plots.frame(axes[1])]
        for outline in self.frames:
            outline.set(linewidth=2, clip_on=False)  # it runs around the patch, and hides nothing of it
        self.cross = plots.cross(axes[0])
        self.cross.set(markersize=6, markeredgewidth=1.5)
        moving = [self.weights, self.patch, self.output, *self.frames, self.cross]
        self.live = plots.LiveFigure(figure, moving, self._update)

    def draw(self, shown, values):
        self._values = values
        return self.live.draw(
            shown,
            f"A portrait in patches of {values['patch_size']} pixels, patch {shown['chosen']} outlined; beside it the same "
            "picture in grey, its patches the greener the more weight they get; and the patch beside its output.",
        )

    def _update(self, shown):
        size = self._values["patch_size"]
        per_row = SIDE // size
        row, column = divmod(int(shown["chosen"]), per_row)
        for outline in self.frames:
            plots.move_frame(outline, row * size - AROUND, column * size - AROUND, size + 2 * AROUND)
        pointed = [self._values["across"]], [self._values["down"]]
        self.cross.set_data(*(pointed if size > STEP else ([], [])))  # the smallest patch is itself the point
        strength = (shown["weights"] / shown["weights"].max()).reshape(per_row, per_row)
        overlay = np.zeros((SIDE, SIDE, 4))
        overlay[..., :3] = [0.0, 0.45, 0.15]
        overlay[..., 3] = 0.85 * np.kron(strength, np.ones((size, size)))
        self.weights.set_data(overlay)
        for image, patch in [(self.patch, shown["value"][shown["chosen"]]), (self.output, shown["output"])]:
            image.set_data(np.clip(patch.reshape(size, size, 3), 0, 1))


def explore_patch_shuffle():
    """Shuffle the patches of a photograph under attention, without and with positions added.

    Returns
    -------
    Explorer
        shown: order (64,), weights and shuffled_weights (64, 64), output and shuffled_output (64, d), the second in the
        shuffled order, difference (64,), how far each output moved
    """
    view = _Shuffle()
    return Explorer(
        {
            "shuffle": slider("shuffle (0 = as taken)", 3, 0, 20, 1),
            "positions": choose("positions added to the patches", POSITIONS, POSITIONS[0]),
        },
        lambda shuffle, positions: _shuffle(view.photograph, shuffle, positions),
        lambda shown, values: view.draw(shown, values),
        lambda shown, values: (
            f"{int((shown['order'] != np.arange(64)).sum())} of 64 patches stand elsewhere; put back in its place, the "
            f"output of a patch has moved by up to {shown['difference'].max():.3f}."
        ),
        lights=lambda shown, values: [
            rows_sum_to_one(shown["shuffled_weights"]),
            only_shuffled(shown["difference"], "patches"),
        ],
    )


def _shuffle(photograph, shuffle, positions):
    patches = patchify(photograph, SHUFFLED_SIZE)
    num_patches, width = patches.shape
    added = np.zeros(patches.shape)
    if positions == "sinusoidal":
        added = sinusoidal_positional_encoding(num_patches, width) / np.sqrt(width / 2)  # rows of length 1
    tokens = _tokens(patches, TOKENS[0])
    return shuffled(tokens, added, patches, shuffle, scale=20.0)


class _Shuffle:
    """What goes in, shuffled, what comes out, and that put back in place."""

    def __init__(self):
        self.photograph = plots.photograph()
        figure, axes = plots.new_figure(6.8, 2.0, "abcd")
        titles = ["shuffled", "their outputs", "… put back", "not shuffled"]
        self.images = [plots.photo(ax, self.photograph, title) for ax, title in zip(axes, titles)]
        self.live = plots.LiveFigure(figure, self.images, self._update)

    def draw(self, shown, values):
        same = "look the same" if shown["difference"].max() < 1e-9 else "differ"
        return self.live.draw(
            shown,
            f"Four pictures of 64 patches: the portrait shuffled, its outputs, those put back in place, and the outputs of "
            f"the portrait as it was taken. The last two {same}.",
        )

    def _update(self, shown):
        back = np.argsort(shown["order"])
        patches = patchify(self.photograph, SHUFFLED_SIZE)
        rows = [patches[shown["order"]], shown["shuffled_output"], shown["shuffled_output"][back], shown["output"]]
        for image, patches in zip(self.images, rows, strict=True):
            image.set_data(np.clip(unpatchify(patches, SHUFFLED_SIZE, self.photograph.shape), 0, 1))


def explore_wrong_patches():
    """Cut a 4 × 4 image in a way that only looks right, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: patches (4, 4), and image (4, 4), put together again from them
    """
    return Explorer(
        {"recipe": choose("the image is cut", list(_RECIPES), next(iter(_RECIPES)))},
        lambda recipe: _cut(_RECIPES[recipe]),
        lambda shown, values: matrices.beside(
            matrices.matrix(FOUR_BY_FOUR, "image", decimals=0, corner="row", rows=range(4), columns=range(4)),
            matrices.matrix(shown["patches"], "patches", decimals=0, corner="patch", rows=range(4), columns=range(4)),
            matrices.matrix(
                shown["image"], "put together again", decimals=0, corner="row", rows=range(4), columns=range(4)
            ),
        ),
        lambda shown, values: f"The first patch holds {', '.join(f'{x:.0f}' for x in shown['patches'][0])}.",
        lights=lambda shown, values: [_squares(shown["patches"]), _comes_back(shown["image"])],
    )


_RECIPES = {
    "square by square": lambda image: patchify(image, 2),
    "by reshape(4, 4) alone": lambda image: image.reshape(4, 4),
    "every second pixel": lambda image: np.stack([image[i::2, j::2].ravel() for i in (0, 1) for j in (0, 1)]),
    "squares, column by column": lambda image: patchify(image, 2)[[0, 2, 1, 3]],
}


def _cut(recipe):
    patches = recipe(FOUR_BY_FOUR)
    return {"patches": patches.copy(), "image": unpatchify(patches, 2, (4, 4))}


def _squares(patches):
    rows, columns = np.divmod(patches, 4)  # pixel k stands in row k // 4 and column k % 4
    spread = max(np.ptp(rows, axis=1).max(), np.ptp(columns, axis=1).max())
    return Light("every patch is a square of neighbours", bool(spread == 1), f"one is {spread + 1:.0f} pixels long")


def _comes_back(image):
    moved = int((image != FOUR_BY_FOUR).sum())
    return Light("the patches give the image back", moved == 0, f"{moved} pixels stand elsewhere")
