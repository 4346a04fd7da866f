"""One explorer for each cell: what an earlier run of a cell made is closed, and all fall asleep with the kernel."""

import atexit

_LIVING = {}  # cell -> (the run of it, its explorers)


def replace_last(widget):
    """Close what an earlier run of the same cell made: run again, a cell leaves nothing behind."""
    cell, run = _cell_and_run()
    if cell is None:
        return
    last, made = _LIVING.get(cell, (None, []))
    if last != run:
        for old in made:
            close(old)
        made = []
    _LIVING[cell] = (run, [*made, widget])


@atexit.register
def fall_asleep():
    """The last word of a kernel: JupyterLab does not tell a page of a restart that somebody else asked for."""
    for _, made in _LIVING.values():
        for widget in made:
            widget.add_class("asleep")


def _cell_and_run():
    """Names of the cell that runs, its text where the page sends no name, and of this run of it; None outside of Jupyter."""
    try:
        asked = get_ipython().get_parent()
        return asked["metadata"].get("cellId") or asked["content"]["code"], asked["header"]["msg_id"]
    except (NameError, AttributeError, KeyError, TypeError):
        return None, None


def close(widget):
    """Close a widget with everything inside, and what listens to it."""
    for listener in getattr(widget, "_listeners", ()):
        if listener is not None:
            listener.close()
    for child in getattr(widget, "children", ()):
        close(child)
    for part in ("layout", "style"):  # widgets of their own
        if hasattr(widget, part):
            getattr(widget, part).close()
    widget.close()
    if hasattr(widget, "forget"):
        widget.forget()
