"""An image as a sequence of patches: what a patch attends to, what shuffling does, and wrong ways to cut."""

import functools

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.patches import patchify, unpatchify
from helpers.positions import sinusoidal_positional_encoding
from rooms.shared.photos import photograph
from rooms.shared.shuffling import only_shuffled, shuffled, shuffled_order
from workbench import COLOURS, SHARES, Axes, Drawing, Plane, Rule, choose, explorer, rows_sum_to_one, slider, switch
from workbench.pictures.html import in_two_widths
from workbench.pictures.maps import address
from workbench.pictures.photos import HEAD, photo

SIDE = 224
STEP = 8  # in pixels, of the sliders that point; the side of the smallest patch
GREEN = [0.0, 0.45, 0.15]  # of the weights
AROUND = 2  # in pixels, how far outside a patch its outline runs
SIZES = [56, 28, 16, 8]
PLACES = {  # of the photograph, in pixels, which the page speaks of
    "a star": {"down": 36, "across": 20},
    "the coat": {"down": 204, "across": 60},
    "an eye": {"down": 92, "across": 100},
}
TOKENS = ["minus the average patch", "as they are"]
SHUFFLED_SIZE = 28
SHUFFLE_SHARPNESS = 5.0  # soft enough that an output is a mixture that one can see
POSITIONS = ["none", "sinusoidal"]
FRAME, PHONE = (
    [int(COLOURS["second"].light[k : k + 2], 16) / 255 for k in (1, 3, 5)],
    130,
)  # pixels of a photograph on a phone
_photograph = functools.cache(photograph)  # one for both explorers: nobody writes into it


def explore_patches():
    """Point at a place in a photograph, and see to which patches the patch there attends by similarity alone.

    Shown: chosen (), number of the patch that asks, from 0; query (d,); scores and weights (num_patches,), value
    (num_patches, d), output (d,), the mixture of all patches; sizes (3,): patches, numbers in each, numbers in a map
    """
    made = explorer(
        _attend,
        lambda now: [_photographs_and_patches(now), _size_table(now)],
        _say_who_gets_most,
        [SHARES],
        presets=PLACES,
        planes={
            name: Plane(ax, lambda now, x, y: {"down": y, "across": x}, "press or drag: the patch here asks")
            for name, ax in zip(("photograph", "weights"), (ASKS, LOOKS))
        },
        sums={"sizes": _size_in_words},
        folded=["down", "across"],
        patch_size=choose("side of a patch, in pixels", SIZES, 16),
        # in pixels, not in patches: what is pointed at stays the same when the patches get another size
        down=slider("point: pixels from the top", 44, 4, 220, STEP),
        across=slider("point: pixels from the left", 204, 4, 220, STEP),
        tokens=choose("patches are compared", TOKENS, TOKENS[0]),
        sharpness=slider("sharpness", 10, 0, 60, 1),
        alone=switch("leave the patch itself out"),
    )
    places = [{name: [at] for name, at in place.items()} for place in PLACES.values()]
    asked = [{"alone": None}, {"sharpness": [0, 60]}, {"tokens": None}]  # what the questions of the page ask for
    made.worth_seeing, made.share = [{**place, **each} for each in asked for place in (*places, {})], 4
    return made


def _tokens(patches, kind):
    """Rows of length 1 at most, so that a dot product is a likeness between -1 and 1."""
    if kind == "as they are":
        return patches / np.sqrt(patches.shape[1])
    apart = patches - patches.mean(axis=0)
    return apart / np.linalg.norm(apart, axis=1, keepdims=True)


def _attend(patch_size, down, across, tokens, sharpness, alone):
    patches = patchify(_photograph(), patch_size)
    chosen = down // patch_size * (SIDE // patch_size) + across // patch_size
    token = _tokens(patches, tokens)
    others = np.arange(len(patches))[None] != chosen if alone else None
    query = token[chosen : chosen + 1]
    answer = scaled_dot_product_attention(query, token, patches, scale=float(sharpness), mask=others)
    num_patches, width = patches.shape
    return {
        "chosen": np.array(chosen),
        "query": token[chosen].copy(),  # a view would keep all tokens
        "scores": answer.scores[0],
        "weights": answer.weights[0],
        "value": patches,
        "output": answer.output[0],
        "sizes": np.array([num_patches, width, num_patches**2]),
    }


def _size_table(now):
    columns = ["patches (tokens)", "numbers in each", "weights in a map"]
    return now.table("sizes", "the sequence", rows=["224 × 224"], columns=columns, decimals=0)


def _size_in_words(now, i, j):
    side, count = now.patch_size, now.sizes[0]
    made = (f"({SIDE} / {side})^2", f"{side}·{side}·3", f"{count}^2")[j]
    return f"{('patches', 'numbers in each', 'weights')[j]} = {made} = {now.sizes[j]:,.0f}"


def _say_who_gets_most(now):
    per_row = SIDE // now.patch_size
    row, column = divmod(int(now.chosen), per_row)
    others = np.where(np.arange(len(now.weights)) == now.chosen, 0, now.weights)
    best = int(np.argmax(others))
    if np.ptp(now.weights[now.weights > 0]) < 1e-12:
        return f"All patches that patch {now.chosen} looks at get the same: {others[best]:.1%}."
    return (
        f"Patch {now.chosen} (row {row}, column {column}, counted from 0) gives {now.weights[now.chosen]:.1%} of its weight to "
        f"itself. Of the others, patch {best} (row {best // per_row}, column {best % per_row}) gets most: {others[best]:.1%}."
    )


def visible(weights):
    """How opaque the green over each patch is: the root of its weight beside the largest one, so that small weights show."""
    return 0.85 * np.sqrt(weights / weights.max())


TOP, GAP, LARGE = 22, 16, 300  # of the pictures, in pixels
SMALL, NARROW = 158, (336, 390)  # on a phone: a photograph, and the whole picture


def _photograph_at(left, width, height, side, **how):
    margin = (left, TOP, width - left - side, height - TOP - side)
    return Axes(width, height, (0, SIDE), (SIDE, 0), margin=margin, **how)


ASKS, LOOKS = (
    _photograph_at(left, 2 * LARGE + 174, TOP + LARGE + 2, LARGE, narrow=_photograph_at(small, *NARROW, SMALL))
    for left, small in ((2, 2), (LARGE + GAP, SMALL + GAP))
)


@functools.cache
def _photographs():
    """The photograph in colour and in pale grey, as they stand in a page."""
    colour = _photograph()
    grey = 0.35 + 0.5 * colour.mean(axis=2, keepdims=True).repeat(3, axis=2)
    return [address(image, "webp", quality=90) for image in (colour, grey)]


def _overlay(now):
    """(per_row, per_row, 4): a green pixel for each patch, the more opaque the more weight it gets."""
    per_row = SIDE // now.patch_size
    alpha = visible(now.weights).reshape(per_row, per_row, 1)
    return np.concatenate([np.broadcast_to(GREEN, (per_row, per_row, 3)), alpha], axis=2)


@in_two_widths((ASKS, LOOKS), (ASKS.narrow, LOOKS.narrow))
def _photographs_and_patches(now, asks, looks):
    """The photograph with the patch that asks, the weights laid over it, and the patch beside what it becomes."""
    drawing, large = Drawing(*asks.size), asks.right - asks.left  # pixels of the page for the photograph
    size, (row, column) = now.patch_size * large / SIDE, divmod(int(now.chosen), SIDE // now.patch_size)
    patches = [each.reshape(now.patch_size, now.patch_size, 3) for each in (now.value[now.chosen], now.output)]
    small, right = (large - TOP - 4) / 2, looks.right + GAP
    corners = [(right, TOP + k * (small + TOP + 4)) for k in range(2)]
    if large < SIDE:  # the patches stand below
        small, corners = large, [(axes.left, asks.bottom + TOP + 8) for axes in (asks, looks)]
    places = [
        *((axes.left, TOP, large, source) for axes, source in zip((asks, looks), _photographs())),
        (looks.left, TOP, large, address(_overlay(now))),
        *((*corner, small, address(patch)) for corner, patch in zip(corners, patches)),
    ]
    for x, y, side, source in places:
        drawing.add("image", x=x, y=y, width=side, height=side, href=source, style="image-rendering:pixelated")
    titles = ["the patch that asks", "what it attends to", "the patch", "its output"]
    for (x, y, side, _), title in zip([places[0], places[1], *places[3:]], titles, strict=True):
        drawing.words(x + side / 2, y - 7, title, size=13, colour="muted", bold=True)
    for axes in (asks, looks):  # around the patch: nothing of it is hidden
        x, y = axes.left + column * size - AROUND, TOP + row * size - AROUND
        drawing.box(x, y, size + 2 * AROUND, size + 2 * AROUND, fill="none", stroke="query", stroke_width=2)
    if now.patch_size > STEP:  # the smallest patch is itself the point
        x, y = asks.to_pixels((now.across, now.down))
        for ends in (((x - 4, y), (x + 4, y)), ((x, y - 4), (x, y + 4))):
            drawing.line(*ends, "query", 1.5)
    return drawing.html(
        f"A portrait in patches of {now.patch_size} pixels, patch {now.chosen} outlined; beside it the same picture in grey, its "
        "patches the greener the more weight they get; and the patch beside its output."
    )


def explore_patch_shuffle():
    """Shuffle the patches of a photograph, or exchange two, under attention, without and with positions added.

    Shown: order (64,), scores, weights, shuffled_scores and shuffled_weights (64, 64), output and
    shuffled_output (64, d), the second in the shuffled order, difference (64,), how far each output moved
    """
    return explorer(
        _shuffle,
        lambda now: tuple(photo(*each) for each in _six(now)),
        _say_what_moved,
        [Rule("every row sums to 1", lambda now: rows_sum_to_one(now.shuffled_weights)), only_shuffled("patches")],
        planes={"patches": Plane(MIXED, lambda now, x, y: {"followed": _place(x, y)},
                                 "press: follow a patch; drag it onto another: they change places", drop=_exchange)},
        folded=["first", "second", "followed"],
        shuffle=slider("shuffle (0 = as taken)", 0, 0, 20, 1),
        positions=choose("positions added to the patches", POSITIONS, POSITIONS[0]),
        first=slider("exchange the patch at place", 0, 0, 63, 1),
        second=slider("with that at place", 0, 0, 63, 1),
        followed=slider("follow the patch at place", 27, 0, 63, 1),
    )  # fmt: skip


def _say_what_moved(now):
    far, moved = now.difference.max(), int((now.order != np.arange(64)).sum())
    return (
        f"{moved} of 64 patches are somewhere else; the outlined one was at place {now.order[now.followed]} and is at {now.followed}. "
        f"Once the outputs are back in order, {'none has moved' if far < 1e-9 else f'they have moved by up to {far:.3f}'}."
    )


def _place(x, y):
    """The number of the place in a grid of 8 by 8 at a pixel."""
    row, column = (int(min(z // SHUFFLED_SIZE, 7)) for z in (y, x))
    return 8 * row + column


def _exchange(now, start, end):
    """The patch that is dragged, and the one it is dropped on; what was exchanged before goes back to its place first."""
    taken, dropped = _place(*start), _place(*end)
    if taken == dropped:
        return None
    order = now.order.astype(int)
    before = order.copy()
    before[[now.first, now.second]] = order[[now.second, now.first]]
    return {"first": int(np.flatnonzero(before == order[taken])[0]), "second": dropped, "followed": dropped}


def _shuffle(shuffle, positions, first, second, followed):
    patches = patchify(_photograph(), SHUFFLED_SIZE)
    num_patches, width = patches.shape
    added = np.zeros(patches.shape)
    if positions == "sinusoidal":
        added = sinusoidal_positional_encoding(num_patches, width) / np.sqrt(width / 2)  # rows of length 1
    order = shuffled_order(num_patches, shuffle)
    order[[first, second]] = order[[second, first]]
    return shuffled(_tokens(patches, TOKENS[0]), added, patches, order, scale=SHUFFLE_SHARPNESS)


def _mixed(side, **how):
    return Axes(side, HEAD + side, (0, SIDE), (SIDE, 0), margin=(0, HEAD, 0, 0), **how)


MIXED = _mixed(SIDE, narrow=_mixed(PHONE))


def _six(now):
    """What goes in, shuffled, what comes out, that put back in place, the same unshuffled, and what differs: list of
    (image, title, what it shows)."""
    back, home = np.argsort(now.order), now.order[now.followed]
    patches, put_back = patchify(_photograph(), SHUFFLED_SIZE), now.shuffled_output[back]
    moved = int((now.order != np.arange(64)).sum())
    same = "they look the same" if now.difference.max() < 1e-9 else "they differ"
    told = f"The portrait, {moved} of its 64 patches somewhere else; that at place {now.followed} is outlined."
    six = [
        (patches[now.order], now.followed, "shuffled: drag one", told),
        (now.shuffled_output, now.followed, "their outputs", "The outputs of the shuffled patches."),
        (put_back, home, "… put back", "These outputs put back in place."),
        (patches, home, "as taken", "The portrait as it was taken."),
        (now.output, home, "its outputs", "The outputs of the portrait as it was taken."),
        (4 * abs(put_back - now.output), None, "difference × 4", f"How far these differ from those put back: {same}."),
    ]
    return [(_outlined(unpatchify(rows, SHUFFLED_SIZE, (SIDE, SIDE, 3)), place), *words) for rows, place, *words in six]


def _outlined(image, place):
    """An image with a frame around the patch at a place, or around none."""
    if place is not None:
        row, column = (SHUFFLED_SIZE * each for each in divmod(int(place), 8))
        width, patch = 2, image[row : row + SHUFFLED_SIZE, column : column + SHUFFLED_SIZE]
        inside = patch[width:-width, width:-width].copy()
        patch[:], patch[width:-width, width:-width] = FRAME, inside
    return image
