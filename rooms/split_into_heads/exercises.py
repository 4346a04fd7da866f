"""Exercises on splitting into heads and merging them."""

import numpy as np

from helpers.attention import merge_heads, softmax, split_heads
from rooms.shared import edits
from rooms.shared.she import SENTENCE, SHE, TOKENS, N, X, asking, column, she
from rooms.shared.words import IS
from workbench import Drawn, labelled, like


def _count_up(*shape):
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def _explain(got, want, x, *num_heads):
    place = tuple(int(i) for i in np.argwhere(got != want)[0])
    axes = ("head", "token", "column") if num_heads else ("token", "column")
    where = ", ".join(f"{axis} {i}" for axis, i in zip(axes, place[-len(axes) :]))
    where += f" of sequence {place[0]}" if len(place) > len(axes) else ""
    heads = f" and {num_heads[0]} heads" if num_heads else ""
    return f"For x of shape {x.shape}{heads}, {where} is {got[place]:g}, where {want[place]:g} is right (all counted from 0)."


def _hint_for_batches(error, x, *rest):
    first = 2 if rest else 3
    if x.ndim > first and isinstance(error, (ValueError, IndexError, TypeError)):
        return "A batch axis may stand in front: count the axes from the end, x.shape[-2] and x.shape[-1]."
    if "not enough values to unpack" in str(error):
        names = "num_tokens, width" if rest else "num_heads, num_tokens, d_head"
        return f"There may be no batch axis: *batch, {names} = x.shape, and axes counted from the end."
    if "same shape" in str(error) and rest:
        return "The pieces are not all equally wide: each must be width // num_heads wide, and there are num_heads of them."
    if isinstance(error, TypeError) and "float" in str(error):
        return "A width is a whole number: divide by //, not by /."
    return None


SPLIT = edits.exercise(
    edits.part("split_heads"),
    remakes=(split_heads,),
    cases=[
        (_count_up(3, 2), 2), (_count_up(3, 8), 2), (_count_up(5, 6), 3), (_count_up(6, 4), 1),
        (_count_up(2, 5, 6), 3), (_count_up(3, 4, 8), 2), (_count_up(1, 2, 4) / 4, 2), (_count_up(2, 1, 12), 3),
    ],
    mistakes="""
num_tokens, num_heads, width // num_heads => num_heads, num_tokens, width // num_heads ;; => x | The shape is right and the numbers are mixed up: a head got whole tokens instead of columns of every token. Reshape to (tokens, heads, d_head) first, then swap the two axes.
=> x | The axes are (tokens, heads, d_head); heads come first: swap these two, np.swapaxes(x, -2, -3).
num_heads, width // num_heads => width // num_heads, num_heads ;; => np.moveaxis(x, -1, -3) | Each head got every num_heads-th column; head 0 gets the first d_head columns, head 1 the next ones. Reshape to (tokens, heads, d_head), heads before d_head.
num_heads, width // num_heads => width // num_heads, num_heads | num_heads was taken for the width of a head: there are num_heads heads, each width // num_heads wide.
-2, -3 => 0, 1 | With a batch axis in front, axes 0 and 1 are no longer tokens and heads: swap axes -2 and -3.
*batch, num_tokens, num_heads, width // num_heads => len(x), num_heads, -1 ;; -2, -3 => 0, 1 | With a batch axis in front, len(x) no longer counts the tokens: use x.shape[-2], and swap axes -2 and -3.
=> np.moveaxis(x, -3, -1) | Each head is transposed: inside a head, tokens are rows and features are columns.
x = x.reshape => y = x.reshape ;; => np.stack([x] * num_heads, axis=-3) | Every head got all columns; cut the width into num_heads pieces.
=> np.swapaxes(x, -2, -3).reshape(*batch, num_heads * num_tokens, -1) | The heads stand one under the other in one matrix; give them an axis of their own, np.stack.
=> np.swapaxes(x, -1, -2) | The heads were stacked behind the columns; they get an axis before the tokens, axis=-3.
=> np.moveaxis(x, -2, 0) | The heads come before the batch; their axis is the third from the end: np.stack(pieces, axis=-3).
x = x.reshape => y = x.reshape ;; => x | Nothing was split: this is x as it was.
=> np.swapaxes(x, -2, -3).swapaxes(-2, -3) if x.ndim == 3 else np.swapaxes(x, -2, -3) | Without a batch axis 1 is no longer that of the heads: stack along axis=-3.
=> np.stack([x.reshape(*batch, num_tokens, width)[h * (width // num_heads) : (h + 1) * (width // num_heads)] for h in range(num_heads)], axis=-3) | Rows were cut in place of columns: a head gets x[..., start:end], some columns of every token.
=> np.stack([x.reshape(*batch, num_tokens, width)[..., h : h + width // num_heads] for h in range(num_heads)], axis=-3) | The pieces overlap: head h begins at column h * d_head.
""",
    praise="Right, with a batch axis, too: every head sees all tokens, and its own columns of each.",
    explain=_explain,
    hint=_hint_for_batches,
)  # fmt: skip

MERGE = edits.exercise(
    edits.part("merge_heads"),
    remakes=(merge_heads,),
    cases=[
        (np.array([[[1.0], [3.0], [5.0]], [[2.0], [4.0], [6.0]]]),), (_count_up(2, 3, 4),), (_count_up(3, 5, 2),),
        (_count_up(1, 4, 3),), (_count_up(2, 3, 5, 2),), (_count_up(3, 2, 4, 3),), (_count_up(1, 2, 3, 4) / 4,),
        (_count_up(2, 1, 4),),
    ],
    mistakes="""
np.swapaxes(x, -2, -3) => x | The shape is right and the numbers are mixed up: swap heads and tokens first, then reshape to (tokens, heads * d_head).
-2, -3 => -1, -3 | Heads were swapped with the columns of a head; swap them with the tokens, axes -2 and -3.
np.swapaxes(x, -2, -3) => np.moveaxis(x, -3, -1) | The columns of the heads alternate; lay the heads side by side, all columns of head 0 first.
=> x.reshape(*batch, -1, d_head) | The heads stand one under the other; each token's pieces belong side by side, in its own row: (tokens, heads * d_head).
=> np.swapaxes(x, -2, -3).reshape(*batch, -1, d_head) |
=> np.swapaxes(x, -2, -3) | Axes are swapped and not merged: the last two, (heads, d_head), become one, heads * d_head wide.
=> x.sum(axis=-3) | The heads were added up; lay them side by side, each keeps its columns.
=> x.mean(axis=-3) | The heads were averaged; lay them side by side, each keeps its columns.
=> np.concatenate([x.mean(axis=-3)] * num_heads, axis=-1) |
=> x[..., 0, :, :] | This is the first head alone; the others belong beside it.
=> np.swapaxes(x, 0, 1).reshape(x.shape[1], -1) | With a batch axis in front, axes 0 and 1 are no longer heads and tokens: swap axes -2 and -3.
=> np.concatenate(list(x), axis=-1) | With a batch axis in front, the heads are no longer axis 0: take them from axis -3.
=> np.concatenate(list(x), axis=1) | With a batch axis in front, the heads are no longer axis 0, nor the columns axis 1: take the heads from axis -3, and lay them side by side along axis=-1.
d_head) => d_head).swapaxes(-1, -2) | The result is transposed: tokens are rows.
num_tokens, num_heads * d_head => -1 | Everything went into one long row; one row for each token is asked for.
*batch, num_tokens, num_heads * d_head => -1 |
=> x | Nothing was merged: this is x as it was.
=> np.concatenate([x[..., h, :, :] for h in range(num_heads - 1)], axis=-1) | The last head is missing: there are num_heads of them.
=> np.concatenate([x[..., h, :, :] for h in range(num_heads)]) | The heads stand one under the other: lay them side by side, np.concatenate(…, axis=-1).
np.swapaxes(x, -2, -3) => np.swapaxes(x, -1, -2) | Tokens were swapped with the columns of a head; swap heads and tokens, axes -2 and -3.
num_tokens, num_heads * d_head => num_heads, num_tokens * d_head | The sizes were taken in the wrong order: x is (heads, tokens, d_head).
""",
    praise="Right, with a batch axis, too: the heads lie side by side again, each token in its row.",
    explain=_explain,
    hint=_hint_for_batches,
)  # fmt: skip


# --- drawn with the answer ------------------------------------------------------------------------------------------


def _two_questions(split_heads):
    """Queries and keys of two heads side by side: head 0 asks for a woman's name, head 1 for what is worn."""
    (names, key), (worn, _) = asking(8, "female", "name"), asking(16, "worn")
    heads = like(split_heads(X @ np.hstack([names, worn, key, key]), 4), (4, N, 4))
    return softmax(heads[:2] @ heads[2:].swapaxes(-1, -2) / 2)[:, SHE]


_BROUGHT = np.stack(
    [np.outer(column("female"), [each == "Sarah" for each in SENTENCE.who]), X[:, len(SENTENCE.features) :]]
)
_THREE = [TOKENS.index(word) for word in ("Sarah", "She", "watch")]

SPLIT_HEADS_DRAWN = she("split_heads", _two_questions, "a woman's name, and for what is worn", ("head 0", "head 1"))
MERGE_HEADS_DRAWN = Drawn(
    "merge_heads",
    lambda merge_heads: like(merge_heads(_BROUGHT), (N, 8))[_THREE],
    labelled(["Sarah", "She", "watch"], [f"{head}: {each}" for head in (0, 1) for each in IS], "weights", decimals=0),
    "What two heads have brought to three words, side by side",
)
