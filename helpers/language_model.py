"""A language model of today, read from a GGUF file and run on the parts that the lessons build, in plain NumPy.

The file holds the weights in few bits, the sizes, and the vocabulary. Nothing here touches the network: the model is found
where pip put it, or in a file that you name. Layers and heads are counted from 0, as everybody counts them in such models.

What comes in is looked at once, in `read`. The steps of a layer, 30 times for each token, look at nothing any more.
"""

import contextlib
import importlib.util
import math
import threading
from typing import NamedTuple

import numpy as np

from helpers.models import fetched, gguf_file
from helpers.models.gguf_file import LAYER
from helpers.parts import causal_mask, merge_heads, softmax, split_heads
from helpers.support import data_files, inputs, threads
from helpers.support.products import linear

PACKAGE = fetched.SMOLLM2  # carries SmolLM2-135M-Instruct
LIBRARIES = ("gguf",)
HOW_TO_GET = PACKAGE.how_to_get
MOST_BYTES = 2**31  # of the maps that one reading gives back, or without them of the logits
QUERIES_AT_ONCE = 256  # of a long text, where no map is kept: each block asks only the keys that its last query sees


class Reading(NamedTuple):
    """What the model made of a text.

    logits : (num_tokens, vocabulary_size), row i scores what may follow token i
    weights : (num_layers, num_heads, num_tokens, num_keys), rows sum to 1; keys are the tokens in the cache, then the new ones.
        None, if maps were not asked for
    cache : for each layer the pair (keys, values), (num_key_value_heads, num_keys, d_head) both, to read on from
    """

    logits: np.ndarray
    weights: np.ndarray | None
    cache: tuple


class Stream(NamedTuple):
    """The residual stream: what runs through all layers, and what each of them adds. The last sum is normed and read out.

    start : (num_tokens, d_model), the tokens' own vectors
    attention : (num_layers, num_heads, num_tokens, d_model), what each head adds
    feed_forward : (num_layers, num_tokens, d_model), what each feed-forward network adds
    """

    start: np.ndarray
    attention: np.ndarray
    feed_forward: np.ndarray


class LanguageModel:
    """A decoder-only transformer as most are since 2023: RMS norm before each step, rotary positions, shared heads of keys
    and values, a gated feed-forward network, no biases.

    Parameters
    ----------
    sizes : dict with the names of gguf_file.SIZES, epsilon and base
    tensors : dict name in the file -> float32 array; those of the layers are taken out, so that nothing is kept twice
    tokenizer : with encode and decode, as `bytes_pairs.Tokenizer` has them
    start : list of the tokens that `encode` puts in front of every text
    """

    def __init__(self, sizes, tensors, tokenizer, start=()):
        self.num_layers, self.num_heads = sizes["num_layers"], sizes["num_heads"]
        self.num_key_value_heads, self.context = sizes["num_key_value_heads"], sizes["context"]
        self._epsilon, self._base = float(sizes["epsilon"]), float(sizes["base"])
        self._tokenizer, self._start = tokenizer, list(start)
        self._words, self._norm = tensors["token_embd.weight"], tensors["output_norm.weight"]
        self._W_vocabulary = tensors.get("output.weight", self._words)  # one matrix reads and writes, as a rule
        self._shared_width = self._words.shape[1] // self.num_heads * self.num_key_value_heads
        self._layers = [self._layer_of(tensors, f"blk.{i}.") for i in range(self.num_layers)]

    @staticmethod
    def _layer_of(tensors, before):
        """The matrices of a layer, a row for each output, as the file has them. One product makes queries, keys and values.

        They lie in one piece of memory, for which the machine has large pages: that was measured to be 1.2 times as fast.
        """
        own = {name: tensors.pop(f"{before}{name}.weight") for name in LAYER}
        d_model = len(own["attn_norm"])
        matrices = [own.pop(name).reshape(-1, d_model) for name in LAYER if not name.endswith("norm")]
        query, key, value, output, gate, up, _ = map(len, matrices)
        base, size = matrices[0].base, sum(each.size for each in matrices)
        is_one = base is not None and base.size == size and all(each.base is base for each in matrices)
        rows = base.reshape(-1, d_model) if is_one else np.concatenate(matrices)  # gguf_file lays them in one piece
        pieces = np.split(rows, np.cumsum([query + key + value, output, gate, up]))
        named = dict(zip(("attn_qkv", "attn_output", "ffn_gate", "ffn_up", "ffn_down"), pieces))
        return own | named | {"ffn_down": named["ffn_down"].reshape(d_model, -1)}

    @property
    def vocabulary_size(self):
        return len(self._words)

    def encode(self, text):
        """Cut a text into tokens, given by their numbers. Half an emoji, which is no text, becomes the sign for that, �."""
        whole = inputs.whole_letters(inputs.text("text", text))
        return self._start + self._tokenizer.encode(whole)

    def decode(self, ids):
        """Put tokens together into a text. A letter of which only a part is there becomes �."""
        if not len(ids):
            return ""
        return self._tokenizer.decode(self._known(ids).tolist())

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is told at the end
    def read(self, ids, *, cache=None, without=(), maps=True):
        """Read a text, or read on.

        The maps of all heads grow with the square of the text: for 4,096 tokens those of SmolLM2 would take 18 GB. Without them
        4,096 tokens were measured to take 2.1 GB at most, of which 0.8 GB are logits and 0.5 GB the model.

        Parameters
        ----------
        ids : (num_tokens,) the tokens' numbers
        cache : of an earlier Reading, whose tokens come before these; None = the text begins here. It stays as it is.
        without : (layer, head) pairs, counted from 0: the output of these heads is set to 0
        maps : bool, False = keep no attention weights; logits and cache are the same

        Returns
        -------
        Reading
        """
        maps = inputs.yes_or_no("maps", maps)
        past = 0 if cache is None else self._length(cache)
        x, off = self._words[self._known(ids, past, maps)], self._heads(without)
        weights = np.empty((self.num_layers, self.num_heads, len(x), past + len(x)), x.dtype) if maps else None
        where, kept = self._where(x, past), []
        with threads.one_for_few(len(x)):
            for layer, W in enumerate(self._layers):
                before, room = (None if each is None else each[layer] for each in (cache, weights))
                found, pair = self._attend(x, W, where, before, room)
                if off[layer]:
                    found[off[layer]] = 0
                x = x + linear(merge_heads(found), W["attn_output"])
                x = x + self._think(x, W)
                kept.append(pair)
            return Reading(self._read_out(x), weights, tuple(kept))

    def logits_of(self, without=()):
        """Make the function for `decoder.write`: of all tokens so far it reads only those that it has not read yet."""
        read, cache = [], None

        def last_logits(tokens):
            nonlocal read, cache
            if cache is None or tokens[: len(read)] != read or len(tokens) == len(read):
                read, cache = [], None
            reading = self.read(tokens[len(read) :], cache=cache, without=without, maps=False)
            read, cache = list(tokens), reading.cache
            return reading.logits

        return last_logits

    @np.errstate(over="ignore", invalid="ignore")
    def stream(self, ids, *, without=()):
        """Read a text from its start and keep what every part adds to the residual stream; heads that are off add 0. Returns a Stream."""
        start = x = self._words[self._known(ids)]
        where, heads, thoughts = self._where(x), [], []
        with threads.one_for_few(len(x)):
            for W, off in zip(self._layers, self._heads(without)):
                found, *_ = self._attend(x, W, where)
                of_each_head = np.split(W["attn_output"], self.num_heads, axis=1)
                heads.append(np.stack([linear(*pair) for pair in zip(found, of_each_head)]))
                heads[-1][off] = 0
                x = x + heads[-1].sum(axis=0)
                thoughts.append(self._think(x, W))
                x = x + thoughts[-1]
        inputs.stays_finite("the residual stream", x, "the model's numbers are too large for {}.")
        return Stream(start, np.stack(heads), np.stack(thoughts))

    def shares(self, stream, token, other=None):
        """Split a logit at the end of a text, less another one, into what each part of the residual stream adds to it.

        The last norm divides by one number, that of the whole stream; with it held, the logit is a sum over the parts.

        Parameters
        ----------
        stream : Stream
        token, other : numbers of two tokens; None = the mean of all logits

        Returns
        -------
        start, attention, feed_forward : a number, (num_layers, num_heads) and (num_layers,); they sum to the difference
        """
        start, heads, thoughts = (part[..., -1, :] for part in stream)
        size = np.sqrt(np.mean((start + heads.sum(axis=(0, 1)) + thoughts.sum(axis=0)) ** 2) + self._epsilon)
        against = self._W_vocabulary.mean(axis=0) if other is None else self._W_vocabulary[other]
        direction = self._norm * (self._W_vocabulary[token] - against) / size
        return start @ direction, heads @ direction, thoughts @ direction

    def _where(self, x, past=0):
        """What all layers need to know of where the tokens stand: how far each pair of numbers turns, and who sees whom."""
        width = self._words.shape[1] // self.num_heads
        angles = np.arange(past, past + len(x))[:, None] / self._base ** (np.arange(0, width, 2) / width)
        mask = causal_mask(len(x), past + len(x)) if len(x) > 1 else None  # the last token sees all
        return np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype), mask

    def _attend(self, x, W, where, cache=None, weights=None):
        """What the heads find, (num_heads, num_tokens, d_head), and the keys and values of all tokens so far.

        Their weights are written into the array `weights`. Where there is none, a long text asks block by block, so that no
        whole map is ever there.
        """
        (cos, sin, mask), shared = where, self.num_key_value_heads
        asked = split_heads(linear(self._rms_norm(x, W["attn_norm"]), W["attn_qkv"]), self.num_heads + 2 * shared)
        turned, value = _turned(asked[:-shared], cos, sin), asked[-shared:]
        query, key = turned[: self.num_heads], turned[self.num_heads :]
        if cache is None:
            key, value = np.array(key), np.array(value)  # of their own, since they are kept: the queries are not
        else:
            key, value = np.concatenate([cache[0], key], axis=1), np.concatenate([cache[1], value], axis=1)
        found, past = np.empty_like(query), key.shape[1] - len(x)
        rows = QUERIES_AT_ONCE if weights is None else len(x)
        for start in range(0, len(x), rows):
            stop = min(start + rows, len(x))
            asks = query[:, start:stop].reshape(shared, -1, query.shape[-1])  # a group's heads, which share their keys
            scores = asks @ np.swapaxes(key[:, : past + stop], -1, -2) / math.sqrt(query.shape[-1])
            scores = scores.reshape(self.num_heads, stop - start, -1)
            if mask is not None:
                scores = np.where(mask[start:stop, : past + stop], scores, -np.inf)
            shares = softmax(scores)
            of_each = shares.reshape(shared, -1, past + stop) @ value[:, : past + stop]
            found[:, start:stop] = of_each.reshape(self.num_heads, stop - start, -1)
            if weights is not None:
                weights[:] = shares
        return found, (key, value)

    def _think(self, x, W):
        """The gated feed-forward network (SwiGLU): one product opens or shuts what the other lets through."""
        normed = self._rms_norm(x, W["ffn_norm"])
        gate = linear(normed, W["ffn_gate"])
        opened = gate / (1 + np.exp(-gate))  # exp(1000) is infinite, and the gate 0
        return linear(opened * linear(normed, W["ffn_up"]), W["ffn_down"])

    def _rms_norm(self, x, gain):
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self._epsilon) * gain

    def _read_out(self, x):
        inputs.stays_finite(
            "the square of what the last layer gives", x * x, "the model's numbers are too large for {}."
        )
        logits = linear(self._rms_norm(x, self._norm), self._W_vocabulary)
        return inputs.stays_finite("logits", logits, "the model's numbers are too large for {}.")

    def _known(self, ids, past=None, maps=True):
        if np.size(ids) == 0:
            raise ValueError("ids must hold at least one token, got none.")
        ids = inputs.whole_numbers("ids", ids, axes=1)
        if ids.min() < 0 or ids.max() >= self.vocabulary_size:
            wrong = ids[(ids < 0) | (ids >= self.vocabulary_size)][0]
            raise ValueError(f"ids must be tokens from 0 to {self.vocabulary_size - 1:,}, got {wrong}.")
        if past is not None:
            self._check_room(len(ids), past, maps)
        return ids

    def _check_room(self, new, past, maps):
        if past + new > self.context:
            raise ValueError(
                f"a text must fit into the context of {self.context:,} tokens, got {past + new:,}. "
                f"Its keys and values would take {gguf_file.gigabytes(self._cache_bytes(past + new))}, "
                f"its maps {gguf_file.gigabytes(self._map_bytes(past + new, past + new))}."
            )
        taken = self._map_bytes if maps else self._logit_bytes
        if taken(new, past + new) > MOST_BYTES:
            most = next(n for n in range(new, 0, -1) if taken(n, past + n) <= MOST_BYTES)
            what, cure = ("the maps of all heads", "with maps=False, or ") if maps else ("their logits", "")
            raise ValueError(
                f"ids must be at most {most:,} at a time here, got {new:,}: {what} would take "
                f"{gguf_file.gigabytes(taken(new, past + new))}. Read it {cure}in pieces and pass the cache on."
            )

    def _map_bytes(self, queries, keys):
        return 4 * self.num_layers * self.num_heads * queries * keys

    def _logit_bytes(self, queries, keys):
        return 4 * self.vocabulary_size * queries

    def _cache_bytes(self, tokens):
        return 8 * tokens * self._shared_width * self.num_layers

    def _length(self, cache):
        try:
            ((dtype, heads, length, _),) = {(array.dtype, *array.shape) for pair in cache for array in pair}
        except (TypeError, ValueError, AttributeError):
            dtype = heads = length = None
        if (dtype, heads) != (self._words.dtype, self.num_key_value_heads) or len(cache) != self.num_layers:
            raise ValueError("cache must be that of an earlier reading by this model, got something else.")
        return length

    def _heads(self, without):
        off = [[] for _ in range(self.num_layers)]
        for pair in without:
            try:
                layer, head = (int(k) if k == int(k) else None for k in pair)
                exists = 0 <= layer < self.num_layers and 0 <= head < self.num_heads
            except (TypeError, ValueError):
                exists = False
            if not exists:
                raise ValueError(
                    f"without must hold pairs (layer, head), layers from 0 to {self.num_layers - 1} and heads from 0 to "
                    f"{self.num_heads - 1}, got {pair!r:.40}."
                )
            off[layer].append(head)
        return off


# --- the file --------------------------------------------------------------------------------------------------------


def _turned(x, cos, sin):
    """Each pair of neighbours turned, as `parts.rotate` does it."""
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def find():
    """Look for the installed model, and for the library that reads it.

    Returns
    -------
    path : Path, or None where something is missing
    """
    folder = data_files.installed(PACKAGE.name, LIBRARIES)
    return next(iter(sorted(folder.glob("*.gguf"))), None) if folder else None


def load(path=None, *, progress="opening the model"):
    """Open a model; this takes a few seconds, and the numbers of the installed one take 0.54 GB of memory as long as it is open.

    Parameters
    ----------
    path : of a GGUF file; None = the model that pip installed
    progress : words before the progress bar; None = no bar; or a function that is called with the share done, from 0 to 1

    Returns
    -------
    LanguageModel
    """
    path = find() if path is None else inputs.file_path("path", path)
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if path is None or missing:
        what = f"{' and '.join(missing)} must" if missing else "The language model must"
        raise FileNotFoundError(f"{what} be installed, but {'are' if len(missing) > 1 else 'is'} not. {HOW_TO_GET}")
    if not path.is_file():
        raise FileNotFoundError(f"path must be a GGUF file, but there is none at {path}.")
    with _told(progress) as tell:
        tell(0.0)
        return LanguageModel(*gguf_file.read(path, tell))


def tokenizer(reader):
    """The tokenizer that a GGUF file describes, opened by gguf.GGUFReader: it has encode(text) -> list of int and decode(ids) -> str."""
    return gguf_file.tokenizer_in({name: field.contents() for name, field in reader.fields.items()})[0]


@contextlib.contextmanager
def _told(progress):
    """What tells how much is done: the function that was given, or a bar."""
    if callable(progress):
        yield progress
        return
    from tqdm.auto import tqdm  # here, since in a notebook it brings widgets along

    tqdm.monitor_interval = 0  # no thread that watches the bar
    tqdm.set_lock(threading.RLock())  # nor a lock that other processes know
    with tqdm(total=100, desc=progress, disable=progress is None, unit="%", leave=False) as bar:
        yield lambda share: bar.update(int(100 * share) - bar.n)
