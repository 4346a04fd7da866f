"""Where the explorers of the language model have their numbers from: the file of the course, or the model."""

import functools
import itertools

import ipywidgets as widgets
import numpy as np

from helpers import language_model
from helpers.models import fetched
from helpers.support import memory
from rooms.shared import fetching, model_readings

LONGEST = 52  # tokens that still fit a thumbnail
NAMED = ("Mary", "Mary gives", "John gets")  # the texts that end before one of two names
NONE = frozenset()


class Source:
    """What the model makes of texts: from the file of the course where that has it, else from the model, opened when it is first
    needed and held until the explorer is closed."""

    def __init__(self):
        self._model = None
        hidden = widgets.Layout(display="none")
        self.bar = widgets.FloatProgress(0.0, max=1.0, description="opening the model", layout=hidden)
        self.bar.style.description_width = "initial"
        self.read, self.next = functools.lru_cache(8)(self._read), functools.lru_cache(64)(self._next)
        self.reread, self.run = functools.lru_cache(4)(self._reread), functools.lru_cache(2)(self._run)
        self._drawn = {}

    def model(self):
        if self._model is None:
            if language_model.find() is None:
                why = "Only the stored texts and switches move without the model."
                raise ValueError(f"{why} {language_model.HOW_TO_GET}")
            self.bar.layout.display = ""
            try:
                load = functools.partial(language_model.load, progress=lambda share: setattr(self.bar, "value", share))
                self._model = fetching.opened(fetched.SMOLLM2, load)
            finally:
                self.bar.layout.display = "none"
        return self._model

    def close(self):
        """Let the model go, and its memory."""
        self._model, self._drawn = None, {}
        for kept in (self.read, self.reread, self.next, self.run):
            kept.cache_clear()
        memory.give_back()

    def ids(self, text):
        stored = model_readings.find(text)
        if stored:
            return stored.ids
        ids = self.model().encode(text)
        if not 2 <= len(ids) <= LONGEST:
            raise ValueError(f"The text must have 2 to {LONGEST} tokens to be shown here, got {len(ids)}.")
        return ids

    def _run(self, text, off):
        return self.model().read(self.ids(text), without=off)

    def _read(self, text):
        """(tokens, weights) of a text."""
        stored = model_readings.find(text)
        if stored:
            return stored.tokens, stored.weights
        ids, weights = self.ids(text), self.run(text, NONE).weights.astype(float)
        return [self.model().decode([k]) for k in ids], weights / weights.sum(axis=-1, keepdims=True)

    def _reread(self, text, off):
        """A Reread of a text with these heads off, or None where the file has none and no model is installed."""
        stored = model_readings.find(text)
        if stored and (not off or (kept := model_readings.reread(stored.name, off))):
            return kept if off else model_readings.Reread(stored.weights, stored.shares)
        if off and stored and language_model.find() is None:
            return None
        model, ids, shares = self.model(), self.ids(text), {}
        weights = self.run(text, off).weights.astype(float)
        if stored and stored.name in NAMED:
            stream = model.stream(ids, without=off)
            for name in model_readings.NAMES:
                start, heads, thoughts = model.shares(stream, model.encode(name)[0])
                shares[name] = heads, thoughts, start
        return model_readings.Reread(weights / weights.sum(axis=-1, keepdims=True), shares)

    def _next(self, text, off):
        """A Next: what may follow the text, and its losses, with some heads off."""
        stored, few = model_readings.find(text), slice(model_readings.FEW)
        if stored and not off:
            return model_readings.Next(stored.likeliest[few], np.exp(stored.logits[few]), stored.losses)
        if stored and off in stored.without:
            return stored.without[off]
        ids = self.ids(text)
        kept = model_readings.kept(self.model(), ids, self.run(text, off).logits, few=True)
        return model_readings.Next(kept["likeliest"].tolist(), kept["probabilities"].astype(float), kept["losses"])

    def draw(self, text, temperature, count):
        """What the model writes on: a list of Step, count + 1 of them; the last is what would come next."""
        stored, few = model_readings.find(text), slice(model_readings.FEW)
        if stored and count == 0:
            shares = model_readings.at_temperature(stored, temperature)
            return [model_readings.Step("", stored.likeliest[few], shares[few])]
        if stored and temperature in stored.written:
            return stored.written[temperature][: count + 1]
        how = text, temperature
        if how not in self._drawn:
            steps = model_readings.draw(self.model(), self.ids(text), temperature, np.random.default_rng(0))
            self._drawn = {how: (steps, [])}  # the last one is enough: the hand goes on where it is
        steps, drawn = self._drawn[how]
        drawn.extend(itertools.islice(steps, max(0, count + 1 - len(drawn))))
        return drawn[: count + 1]
