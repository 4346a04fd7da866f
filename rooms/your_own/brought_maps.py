"""Maps of attention as people have them, from any library, as one array of layers and heads; or a sentence with the call that mends them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from helpers.support import inputs

LONGEST, MOST_NUMBERS = 512, 2**26  # tokens of one text; numbers of all maps
NEAR = 0.02  # a row may miss 1 by so much: bfloat16 keeps three digits
KINDS = (
    "attentions",
    "encoder_attentions",
    "decoder_attentions",
    "cross_attentions",
)  # names of the library transformers
REST = "Rows sum to less than 1. The rest, shown as (rest), went to a sink, or to tokens that were cut away."
BEAMS = "If beams wrote this, they change places from step to step: let the model read the finished text once."
EAGER = 'Load the model with attn_implementation="eager" and call it with output_attentions=True.'


class Maps(NamedTuple):
    """What was brought.

    weights : (num_layers, num_heads, num_queries, num_keys), rows with a sum of 1, or of less where something is missing
    missing : (num_layers, num_heads, num_queries), what each row lacks to a sum of 1; None where no row lacks anything
    across : whether the queries are those of another text
    written : whether generate() made the maps, which never reads the last token that it writes
    source : what was read of a whole output, for its tokens; None where the maps were brought alone
    note : what is to be said of the maps, "" where nothing is
    """

    weights: np.ndarray
    missing: np.ndarray | None
    across: bool
    written: bool
    source: object
    note: str


def read(weights, *, batch=None, across=False, num_tokens=None):
    """Read the maps of a model.

    Parameters
    ----------
    weights : what `helpers.explorers.explore_attention` takes
    batch : which of several texts, counted from 0; None = there is one
    across : whether it is known that another text asks
    num_tokens : how many tokens the text has, if that is known: a whole output may hold maps of two texts

    Returns
    -------
    Maps

    Raises
    ------
    ValueError, TypeError
        If these are no maps of one text, in a sentence that says what to call instead.
    """
    if batch is not None:
        batch = inputs.whole_number("batch", batch, minimum=0)
    found, name, choice = _opened(weights, across, num_tokens)
    parts = _parts(found, name)
    written, beams = _are_steps(parts), ""
    if written:
        parts, of_another = _put_together(parts, weights, name)
        across = across or of_another
        beams = BEAMS if len(parts[0].shape) > 3 and parts[0].shape[0] > 1 else ""
    layers, doubt = _layers(parts, name, batch)
    plain = np.stack([np.asarray(layer) for layer in layers])
    plain = plain.astype(np.result_type(plain, np.float32), copy=False)  # in 16 bits a sum over many stands still
    across = across or name.endswith("cross_attentions") or plain.shape[-1] != plain.shape[-2]
    plain, missing, said = _Rows(name, isinstance(found, (list, tuple)), across).of(plain)
    source = None if found is weights else weights
    return Maps(plain, missing, across, written, source, " ".join(filter(None, (choice, doubt, said, beams))))


# --- from whole outputs to maps --------------------------------------------------------------------------------------


def _opened(given, across, num_tokens):
    """The maps in an output, how one would write where they are, and what is to be said of the choice."""
    if isinstance(given, tuple) and hasattr(given, "weights"):  # a reading of this course
        return given.weights, "reading.weights", ""
    kinds = {kind: found for kind in KINDS if not _is_nothing(found := _field(given, kind))}
    if kinds:
        kind = _chosen(kinds, across, num_tokens)
        others = " and ".join(f"outputs.{each}" for each in kinds if each != kind)
        return (
            kinds[kind],
            f"outputs.{kind}",
            f"These are outputs.{kind}; {others} can be passed too." if others else "",
        )
    if _is_nothing(given):
        got = (
            "None" if given is None else f"an empty {type(given).__name__}" if not len(given) else "None for each layer"
        )
        raise ValueError(f"weights must be maps of attention, got {got}. {EAGER}")
    if maps := _named_maps(given):
        return maps, "weights", ""
    if isinstance(given, Mapping) or any(hasattr(given, name) for name in ("last_hidden_state", "logits", "sequences")):
        fields = given.items() if isinstance(given, Mapping) else vars(given).items()
        inside = [name for name, part in fields if any(not _is_nothing(_field(part, kind)) for kind in KINDS)]
        mend = f"Its {inside[0]} has some: pass that." if inside else EAGER
        raise ValueError(f"weights must be maps of attention, but this {type(given).__name__} holds none. {mend}")
    if not isinstance(given, (list, tuple)) and not hasattr(given, "shape") and not hasattr(given, "__array__"):
        raise TypeError(f"weights must be maps of attention, as arrays or tensors, got {type(given).__name__}.")
    return given, "weights", ""


def _named_maps(given):
    """The maps in a dict of them, one a layer in their order: {0: map, 1: map}, or {"blocks.0.attn.hook_pattern": map, …}."""
    if not isinstance(given, Mapping):
        return []
    names = [name for name in given if str(name).endswith("hook_pattern")] or list(given)
    number = [re.findall(r"\d+", str(name)) for name in names]
    if not all(len(each) == 1 for each in number) or not all(len(_shape(given[name])) >= 2 for name in names):
        return []
    return [given[name] for _, name in sorted(zip(map(int, (each[0] for each in number)), names))]


def _field(given, name):
    found = getattr(given, name, None)
    return given.get(name) if found is None and isinstance(given, Mapping) else found


def _is_nothing(found):
    if isinstance(found, (list, tuple)):
        return all(part is None for part in found)
    return found is None


def _chosen(kinds, across, num_tokens):
    """Which of several kinds of maps is meant: that of two texts if two are named, else that of as many tokens, else the first."""
    if across and "cross_attentions" in kinds:
        return "cross_attentions"
    fit = [kind for kind in kinds if num_tokens and _shape(kinds[kind][-1])[-2:] == (num_tokens, num_tokens)]
    return [*fit, *kinds][0] if "attentions" not in kinds else "attentions"


def _shape(part):
    return tuple(int(size) for size in getattr(part, "shape", ()))


# --- from parts to layers --------------------------------------------------------------------------------------------


def _parts(found, name):
    """A list of arrays or of steps as it is, all else as one array."""
    if isinstance(found, (list, tuple)):
        found = [getattr(part, "weights", part) for part in found]  # of this course's Attention
        gaps = [k for k, part in enumerate(found) if part is None]
        if gaps and len(found) == 2 and _shape(found[0]):
            raise ValueError(
                f"{name} must be maps, but this pair ends with None: call MultiheadAttention with need_weights=True."
            )
        if gaps:
            raise ValueError(
                f"{name} must have maps in every layer, but layer {gaps[0]} gives None. "
                f"Leave such layers out: [layer for layer in {name} if layer is not None]."
            )
        if _are_steps(found) or all(_shape(part) for part in found):
            return found
    return inputs.rectangle(name, found)


def _are_steps(parts):
    """Whether these are the steps of generate(), each a list of layers."""
    return isinstance(parts, list) and all(
        isinstance(step, (list, tuple)) and step and all(len(_shape(layer)) >= 3 for layer in step) for step in parts
    )


def _put_together(steps, given, name):
    """The layers of a whole text, from those of each step in which generate() wrote one more token; and whether another text is asked."""
    if _field(given, "beam_indices") is not None:
        raise ValueError(
            f"{name} must be those of one text, but beams change places from step to step. "
            "Call generate() with num_beams=1, or let the model read the finished text once."
        )
    counts = sorted({len(step) for step in steps})
    if len(counts) > 1:
        raise ValueError(f"{name} must have as many layers at each step, got {counts[0]} and {counts[-1]}.")
    last = _shape(steps[-1][0])
    _affordable(True, counts[0], (last[-3], max(last[-2], len(steps)), last[-1]), name)
    whole = [_written([inputs.rectangle(name, layer) for layer in layers], name) for layers in zip(*steps)]
    return [layer for layer, _ in whole], any(of_another for _, of_another in whole)


def _written(parts, name):
    """One layer of all steps, parts (..., num_queries, num_keys), and whether these ask another text, which does not grow."""
    asked, keys = [part.shape[-2] for part in parts], [part.shape[-1] for part in parts]
    if len({part.shape[:-2] for part in parts}) > 1:
        raise ValueError(
            f"{name} must have as many texts and heads at each step, got {parts[0].shape} and {parts[-1].shape}."
        )
    if len(parts) > 1 and asked[-1] == asked[0] + len(parts) - 1:  # without a cache each step reads the whole text
        return parts[-1], False
    ends = np.cumsum(asked)
    steps = [(part, end - count, end) for part, count, end in zip(parts, asked, ends)]
    if len(set(keys)) == 1 and (
        name.endswith("cross_attentions")
        or keys[0] == 1
        or any(np.triu(part, start + 1).any() for part, start, _ in steps)
    ):
        return np.concatenate(parts, axis=-2), True
    if any(part[..., end:].any() for part, _, end in steps):
        raise ValueError(f"{name} must look back only at each step, but one looks at what was not written yet.")
    whole = np.zeros((*parts[0].shape[:-2], ends[-1], ends[-1]), parts[0].dtype)
    for part, start, end in steps:
        kept = part[..., :end]  # the rest are empty places of a cache; one with a window ends with the newest key
        whole[..., start:end, end - kept.shape[-1] : end] = kept
    return whole, False


def _layers(parts, name, batch):
    """A list of layers (num_heads, num_queries, num_keys) of one text, and what is to be said of an axis that could be texts."""
    listed = isinstance(parts, list)
    shape = (len(parts), *_alike(parts, name)) if listed else parts.shape
    if not 2 <= len(shape) <= 5 or 0 in shape:
        hint = " One row becomes a map by weights[None]." if len(shape) == 1 else ""
        raise ValueError(f"{name} must be (n, n), (heads, n, n) or (layers, heads, n, n), got shape {shape}.{hint}")
    layers_first = listed and len(shape) > 3
    of_texts = {2: "qk", 3: "tqk", 4: "ltqk" if layers_first else "thqk", 5: "lthqk"}[len(shape)]
    of_one = {2: "qk", 3: "hqk", 4: "lhqk", 5: "lthqk"}[len(shape)]
    doubt = "" if len(shape) in (2, 5) or name != "weights" else _doubt(of_texts.index("t"), of_one, shape)
    axes = of_one if batch is None else of_texts
    num_texts = shape[axes.index("t")] if "t" in axes else 1
    if batch is None and num_texts > 1:
        raise ValueError(
            f"{name} must be those of one text, got {num_texts}: choose one, batch=0 to batch={num_texts - 1}."
        )
    if batch is not None and batch >= num_texts:
        raise ValueError(f"batch must be less than the number of texts, {num_texts}, got {batch}.")
    one = dict(zip(axes, shape))
    _affordable(listed, one.get("l", 1), (one.get("h", 1), one["q"], one["k"]), name)
    layers = [inputs.floats(name, part) for part in parts] if "l" in axes else [inputs.floats(name, parts)]
    if "t" in axes:
        layers = [layer[batch or 0] for layer in layers]
    return [layer if "h" in axes else layer[None] for layer in layers], "" if batch is not None else doubt


def _doubt(axis, axes, shape):
    """What an axis was taken for that could be texts as well."""
    if shape[axis] == 1:
        return ""
    what = {"l": "layers", "h": "heads"}[axes[axis]]
    return f"Axis {axis} was taken for {shape[axis]} {what}: if it counts texts, choose one by batch=0."


def _alike(parts, name):
    """The shape that all layers have, or what is wrong with them."""
    shapes = [_shape(part) for part in parts]
    odd = next((k for k, shape in enumerate(shapes) if shape != shapes[0]), None)
    if odd is None:
        return shapes[0]
    got = f"got {shapes[0]} and {shapes[odd]}"
    if len(parts) == 2 and len(shapes[0]) in (2, 3):  # of PyTorch's MultiheadAttention
        raise ValueError(f"{name} must be maps, {got}: of a pair (output, weights) pass the second, {name}[1].")
    raise ValueError(f"{name} must have as many heads and tokens in each layer, {got}: pass one layer, {name}[{odd}].")


def _affordable(listed, num_layers, shape, name):
    if max(shape[-2:]) > LONGEST or num_layers * int(np.prod(shape)) > MOST_NUMBERS:
        raise ValueError(
            f"{name} must have at most {LONGEST} tokens and {MOST_NUMBERS:,} numbers, got {num_layers} layers of shape {shape}. "
            f"{_shorter(name, listed, *shape[-2:])}"
        )


def _shorter(name, listed, num_queries, num_keys):
    if num_queries <= LONGEST < num_keys:
        first = _part(name, listed, f"..., :{LONGEST}")
        return f"Few queries ask many places: show the first of them, {first}, or means of neighbouring ones."
    return (
        f"Of a model that looks back only, show the beginning: {_part(name, listed, f'..., :{LONGEST}, :{LONGEST}')}."
    )


def _part(name, listed, index):
    """How one writes a part of all maps."""
    return f"[layer[{index}] for layer in {name}]" if listed else f"{name}[{index}]"


# --- rows ------------------------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """What rows must be, and what is said where they are not.

    name : of the maps
    listed : whether they were brought as a list of layers
    across : whether the queries belong to another text
    """

    name: str
    listed: bool
    across: bool

    def of(self, plain):
        """The maps with rows that sum to 1, what is missing in those that do not, and what is to be said of them."""
        self._refuse_broken(plain)
        off = (plain == 0).all(axis=(-1, -2))
        if off.any() and not off.all():
            return self._with_some_off(plain, off)
        sums = plain.sum(axis=-1)
        if np.abs(sums - 1).max() < NEAR:
            return plain / sums[..., None], None, ""
        columns = plain.sum(axis=-2)
        if np.abs(columns - 1).max() < NEAR:
            self._refuse_heads_last(plain.shape)
            turned = np.ascontiguousarray((plain / columns[..., None, :]).swapaxes(-1, -2))
            return turned, None, "The columns had a sum of 1, so the maps were turned."
        if sums.max() < 1 + NEAR and sums.all():
            return plain, np.maximum(1 - sums, 0), REST
        layer, head, row = np.unravel_index(np.abs(sums - 1).argmax(), sums.shape)
        got = f"row {row} of layer {layer}, head {head} has {sums[layer, head, row]:.3g}"
        must = f"{self.name} must have a sum of 1 in each row, or in each column, but {got}"
        if sums.max() < 1 + NEAR:
            raise ValueError(self._padded(sums == 0, "is all 0"))
        if sums.min() < 1 - NEAR and abs(sums.mean() - 1) < 0.25:
            raise ValueError(
                f"{must}, and others miss it on the other side, as dropout makes them: call model.eval() first."
            )
        if np.ptp(sums) < NEAR * sums.max():
            raise ValueError(f"{must}, as all have. Were heads added up? Then divide by their number.")
        raise ValueError(f"{must}.")

    def _with_some_off(self, plain, off):
        """The maps where some heads give nothing at all, as heads that were switched off do."""
        read, missing, said = self.of(np.where(off[..., None, None], 1 / plain.shape[-1], plain))
        read[off] = 0
        missing = np.zeros(read.shape[:-1]) if missing is None else missing
        missing[off] = 1
        layer, head = np.argwhere(off)[0]
        more = f" and {off.sum() - 1} more" if off.sum() > 1 else ""
        return read, missing, f"{said} Head {head} of layer {layer}{more} is off: all its weights are 0.".strip()

    def _refuse_heads_last(self, shape):
        """Where columns sum to 1 and there seem to be as many heads as tokens, the heads may lie on the last axis."""
        _, heads, queries, keys = shape
        if heads == queries > 1:
            last = f"np.moveaxis({self.name}, -1, -3)"
            either = f", or, if each map is turned, np.swapaxes({self.name}, -1, -2)" if queries == keys else ""
            raise ValueError(
                f"{self.name} must have heads before queries and keys, but {shape[1:]} has a sum of 1 along its second "
                f"axis, as where heads are last: pass {last}{either}."
            )

    def _refuse_broken(self, plain):
        lost = np.isnan(plain).all(axis=-1)
        if lost.any() and not lost.all() and not np.isnan(plain[~lost]).any():
            raise ValueError(self._padded(lost, "is NaN"))
        if np.isneginf(plain).any() and not np.isnan(plain).any() and not np.isposinf(plain).any():
            raise ValueError(
                f"{self.name} must be at least 0, got minus infinity in {inputs.count(np.isneginf(plain))}. "
                "Were these the scores, before softmax, with a mask?"
            )
        if not np.isfinite(plain).all():
            raise ValueError(
                f"{self.name} must be finite, got NaN or infinity in {inputs.count(~np.isfinite(plain))}. "
                "Scores overflow in 16 bits: let the model read in float32."
            )
        if plain.max() > 1e6:
            raise ValueError(f"{self.name} must have a sum of 1 in each row, got a weight of {plain.max():.3g}.")
        if plain.min() < 0:
            pair = (
                f", or is {self.name} a pair (output, weights), of which {self.name}[1] is meant" if self.listed else ""
            )
            raise ValueError(
                f"{self.name} must be at least 0, got {plain.min():g}. Were these the scores, before softmax{pair}?"
            )

    def _padded(self, lost, what):
        """What is said of rows in which everything was masked."""
        layer, head, row = np.argwhere(lost)[0]
        told = (
            f"{self.name} must have a sum of 1 in each row, but row {row} of layer {layer}, head {head} {what}: "
            "every key was masked there, as for padding."
        )
        rows = lost.any(axis=(0, 1))
        count, kept = int(rows.sum()), int((~rows).sum())
        part = f"{count}:" if rows[:count].all() else f":{kept}" if rows[kept:].all() else None
        if part is None or not kept:
            return told
        cut = f"..., {part}, :" if self.across else f"..., {part}, {part}"
        return f"{told} Leave it out: {_part(self.name, self.listed, cut)} and {'queries' if self.across else 'tokens'}[{part}]."
