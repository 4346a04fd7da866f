"""A training that is watched while it runs: its loss, and how the model writes one date by now."""

import ipywidgets as widgets
import numpy as np
from IPython.display import display

from helpers import matrices
from helpers.explorers.living import replace_last
from helpers.explorers.look import STYLE
from helpers.explorers.page import lay_out, paragraph
from helpers.learning import date_model, dates
from helpers.pictures import plots
from helpers.support import inputs

DATE = "21 nov 2026"


def watch_dates(every=25):
    """Show a training of the date model while it runs: its loss, what one date becomes by now, and where the decoder looks.

    Parameters
    ----------
    every : steps from one picture to the next, at least 1

    Returns
    -------
    function(losses, parameters), for `watch` of `date_model.train`
    """
    every = inputs.whole_number("every", every, minimum=1)
    curve, view = _loss(), widgets.HTML()
    view.add_class("explorer-view")
    box = widgets.VBox([widgets.HTML(f"<style>{STYLE}</style>", layout=widgets.Layout(display="none")), view])
    box.add_class("explorer")

    def watch(losses, parameters):
        if len(losses) == 1:
            replace_last(box)
            display(box)
        if len(losses) % every == 0:
            view.value = _by_now(curve, losses, parameters)

    return watch


def _by_now(curve, losses, parameters):
    source = dates.to_numbers(DATE)
    translation = date_model.translate(parameters, source[None], [len(source)])
    written = [dates.VOCABULARY[number] for number in translation.numbers[0]]
    weights = translation.attention["cross"][0].mean(axis=0)
    looks = matrices.matrix(
        weights, "cross-attention, mean of all heads", kind="weights", rows=written, decimals=2,
        columns=["␣" if letter == " " else letter for letter in DATE], corner="written ↓ source →",
    )  # fmt: skip
    steps = f"{len(losses)} step{'s' * (len(losses) > 1)}"
    said = f"After {steps} the loss is {losses[-1]:.3f}; {DATE} becomes {dates.to_text(translation.numbers[0])}."
    return lay_out([curve.draw(losses), looks]).html + paragraph(said)


def _loss():
    """The loss of each batch on a logarithmic axis, which grows by hundreds of steps."""
    figure, axes = plots.new_figure(5.6, 2.0)
    (line,) = plots.curves(axes, 1, x_title="step", title="loss of each batch", y_limits=(1e-4, 10))
    axes.set(yscale="log")

    def update(losses):
        line.set_data(np.arange(1, len(losses) + 1), losses)
        axes.set_xlim(0, 100 * (len(losses) // 100 + 1))

    def tell(losses):
        return f"The loss of each batch, {losses[-1]:.3f} at step {len(losses)}."

    return plots.LiveFigure(figure, [line], update, tell)
