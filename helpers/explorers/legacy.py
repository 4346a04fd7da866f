"""The former way to build an explorer, on the present engine; it goes when the last topic has moved."""

from helpers.explorers import engine


class Explorer(engine.Explorer):
    """controls, compute, presets as in the engine; draw, describe, lights : function(shown, values)."""

    def __init__(self, controls, compute, draw, describe, *, lights=None, presets=None):
        self._old_lights = lights or (lambda shown, values: [])
        super().__init__(
            controls, compute, lambda now: draw(*_old(now)), lambda now: describe(*_old(now)), presets=presets
        )

    def _lights(self, now):
        return self._old_lights(*_old(now))


def _old(now):
    return {name: now[name] for name in now.explorer.shown}, now.control_values
