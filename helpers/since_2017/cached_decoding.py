"""Write with a cache: the decoder of `transformer`, one token at a time, keeping the keys and values that it has made."""

import numpy as np

from helpers import transformer
from helpers.attention import merge_heads, padding_mask, scaled_dot_product_attention, split_heads
from helpers.layers import feed_forward, layer_norm, relu
from helpers.learning import date_model, dates
from helpers.learning.parameters import tree_map
from helpers.positions import sinusoidal_positional_encoding
from helpers.support import inputs, threads
from helpers.variants import KeyValueCache


class CachedDecoder:
    """Give the scores of the next token, one token after the other, and compute for each token only what is its own.

    In the self-attention a token adds its key and value to a cache and asks all that are there: what lies ahead is not
    there yet, so that no mask is needed. The keys and values of the memory are made once, at the start.

    Parameters
    ----------
    memory : (..., num_source, d_model), from `transformer.encode`
    parameters : dict, as in `transformer.random_transformer`
    num_heads : of every layer
    norm : "post" or "pre"
    memory_mask : Boolean, of the cross-attention, usually padding_mask(lengths, num_source)
    activation : of the feed-forward networks

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described above; `read`, if a token is no number of the vocabulary.

    Examples
    --------
    >>> parameters = transformer.random_transformer(np.random.default_rng(0), 4, 6, 2, 24, num_layers=1)
    >>> memory = transformer.encode([0, 1, 1, 3], parameters, num_heads=2)
    >>> decoder = CachedDecoder(memory, parameters, num_heads=2)
    >>> step_by_step = [decoder.read(token) for token in (2, 0, 1, 1)]
    >>> np.allclose(step_by_step, transformer.decode([2, 0, 1, 1], memory, parameters, num_heads=2))
    True
    """

    def __init__(self, memory, parameters, *, num_heads, norm="post", memory_mask=None, activation=relu):
        if not isinstance(norm, str) or norm not in ("post", "pre"):
            raise ValueError(f'norm must be "post" (2017) or "pre", got {norm!r}.')
        memory = np.asarray(inputs.finite("memory", memory, min_axes=2))
        inputs.function("activation", activation)
        if not memory.size:
            raise ValueError(f"memory must hold tokens, got shape {memory.shape}.")
        one = memory.reshape(-1, *memory.shape[-2:])[:1, :1]  # one step of the plain way says what does not fit
        transformer.decode(
            np.zeros((len(one), 1), int), one, parameters, num_heads=num_heads, norm=norm, activation=activation
        )
        parameters = tree_map(_array, parameters)
        self._parameters, self._num_heads, self._norm, self._activation = parameters, num_heads, norm, activation
        memory_mask = None if memory_mask is None else inputs.booleans("memory_mask", memory_mask)
        if memory_mask is not None and memory_mask.ndim < 2:
            raise ValueError(f"memory_mask must have at least 2 axes, got shape {memory_mask.shape}.")
        self._mask = None if memory_mask is None else np.expand_dims(memory_mask, -3)
        self._batch, self._num_read = memory.shape[:-2], 0
        self.caches = [KeyValueCache() for _ in parameters["decoder"]]
        with threads.one_for_blas():
            self._memory = [self._keys_and_values(memory, layer["cross_attention"]) for layer in parameters["decoder"]]

    def __len__(self):
        return self._num_read

    def read(self, tokens):
        """Read one more token of each sequence, and give the scores of the token that comes after it.

        Parameters
        ----------
        tokens : (...) whole numbers, one for each sequence of the memory

        Returns
        -------
        scores : (..., vocabulary_size), those of the last place of `transformer.decode`
        """
        tokens = inputs.rectangle("tokens", tokens)
        if tokens.shape != self._batch:
            raise ValueError(
                f"tokens must be one for each sequence of the memory, shape {self._batch}, got shape {tokens.shape}."
            )
        with threads.one_for_blas():  # many small products
            return self._read(tokens)

    def _read(self, tokens):
        embedding = self._parameters["embedding"]
        x = transformer.embed(tokens[..., None], embedding, positions=False)  # (..., 1, d_model)
        x = x + sinusoidal_positional_encoding(self._num_read + 1, x.shape[-1])[-1].astype(x.dtype)
        for layer, cache, memory in zip(self._parameters["decoder"], self.caches, self._memory):
            x = self._layer(x, layer, cache, memory)
        self._num_read += 1
        if "decoder_norm" in self._parameters:
            x = layer_norm(x, **self._parameters["decoder_norm"])
        return (np.matmul(x, self._parameters["W_vocabulary"]) + self._parameters["b_vocabulary"])[..., 0, :]

    def _layer(self, x, layer, cache, memory):
        def ask_written(x):
            part = layer["self_attention"]
            return self._attend(x, part, *cache.append(*self._keys_and_values(x, part)))

        def ask_memory(x):
            return self._attend(x, layer["cross_attention"], *memory, mask=self._mask)

        def think(x):
            return feed_forward(x, **layer["feed_forward"], activation=self._activation)

        steps = {"self_attention": ask_written, "cross_attention": ask_memory, "feed_forward": think}
        for name, step in steps.items():
            norm = layer[f"{name}_norm"]
            x = x + step(layer_norm(x, **norm)) if self._norm == "pre" else layer_norm(x + step(x), **norm)
        return x

    def _project(self, x, part, role):
        return np.matmul(x, part[f"W_{role}"]) + part.get(f"b_{role}", x.dtype.type(0))

    def _keys_and_values(self, x, part):
        return [split_heads(self._project(x, part, role), self._num_heads) for role in ("key", "value")]

    def _attend(self, x, part, keys, values, mask=None):
        query = split_heads(self._project(x, part, "query"), self._num_heads)
        heads = scaled_dot_product_attention(query, keys, values, mask=mask)
        return self._project(merge_heads(heads.output), part, "output")


def _array(values):
    """Parameters as arrays; a Python number leaves float32 as it is."""
    return values if np.isscalar(values) else inputs.floats("parameters", values)


def translate(parameters, sources, lengths):
    """Write dates as `date_model.translate` does, with a cache.

    Parameters
    ----------
    parameters : of the model of `dates`
    sources, lengths : as in `dates.Dates`

    Returns
    -------
    numbers : (num_dates, 10) token numbers
    """
    sources, lengths = date_model.checked_sources(sources, lengths)
    seen = padding_mask(lengths, sources.shape[-1])
    written = [np.full(len(sources), dates.START)]
    memory = transformer.encode(sources, parameters, **date_model.MODEL, mask=seen)
    decoder = CachedDecoder(memory, parameters, **date_model.MODEL, memory_mask=seen)
    for _ in range(dates.TARGET_LENGTH):
        written.append(np.argmax(decoder.read(written[-1]), axis=-1))
    return np.stack(written[1:], axis=-1)
