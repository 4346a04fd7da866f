"""What an Explorer is made of, looked at before it is made: who builds one of their own is told which part does not fit."""

import ipywidgets as widgets

from helpers.support import inputs
from workbench import matrices


def arguments(controls, functions, rules, parts, presets, follow, folded):
    """Say which argument of an Explorer does not do.

    Parameters
    ----------
    controls : dict name -> control
    functions : dict name -> function
    rules : (list, Rule)
    parts : dict name of an argument -> (dict or None, the kinds that its values may have, those in words)
    presets, follow, folded : as in `Explorer`
    """
    for name, control in inputs.mapping("controls", controls).items():
        if not isinstance(control, widgets.Widget) or not hasattr(control, "value"):
            raise TypeError(f"{name} must be a control such as explorers.slider(…), got {type(control).__name__}.")
    for name, function in functions.items():
        inputs.function(name, function)
    inputs.listed("rules", rules[0], rules[1], "explorers.Rule")
    for name, (given, kinds, what) in parts.items():
        if given is not None:
            inputs.mapping(name, given, kinds, what)
    for state in inputs.mapping("presets", {} if presets is None else presets, dict, "dicts").values():
        _known("presets", state, controls)
    _known("folded", inputs.listed("folded", folded, str, "names of controls"), controls)
    if follow is not None:
        _known("follow", [follow], controls)


def _known(argument, names, controls):
    for name in names:
        if not isinstance(name, str) or name not in controls:
            raise ValueError(f"{argument} must name controls, {', '.join(controls)}, got {name!r:.60}.")


def arrays(computed):
    """What `compute` returned, if it is a dict."""
    if not isinstance(computed, dict):
        raise TypeError(
            f"compute must return a dict name -> array, got {type(computed).__name__}. Does it end with return?"
        )
    return computed


def picture(shown):
    """What `show` returned, if it can be laid out."""
    if isinstance(shown, matrices.Html):
        return shown
    for line in inputs.listed("show", shown, (matrices.Html, list, tuple), "pictures, or of lists of pictures"):
        if not isinstance(line, matrices.Html):
            inputs.listed("each line of show", line, matrices.Html, "pictures")
    if not shown:
        raise ValueError("show must return a picture, got an empty list.")
    return shown
