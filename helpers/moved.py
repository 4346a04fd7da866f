"""Old names, for notebooks that were handed out before the house was divided: `from helpers.pictures import plots` finds
workbench.pictures.plots, one module under two names. For one edition."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

PACKAGES = {"helpers.lessons": "rooms", "helpers.sources": "rooms.shared", "helpers.pictures": "workbench.pictures"}
MODULES = {
    "helpers.pictures.arcs": "rooms.shared.arcs",
    "helpers.pictures.photos": "rooms.shared.photos",
    "helpers.learning.dates": "rooms.shared.dates",
    "helpers.learning.date_model": "rooms.shared.date_model",
    "helpers.learning.colour_names": "rooms.let_it_write.colour_names",
    "helpers.models.answers": "rooms.let_it_write.answers",
    "helpers.models.model_readings": "rooms.shared.model_readings",
    "helpers.models.attention_maps": "rooms.shared.attention_maps",
}


class _Moved(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name in PACKAGES:  # a package of its own, in whose name the modules are found
            found = importlib.util.find_spec(PACKAGES[name])
            return importlib.util.spec_from_file_location(
                name, found.origin, submodule_search_locations=list(found.submodule_search_locations)
            )
        package = next((each for each in PACKAGES if name.startswith(f"{each}.")), None)
        now = MODULES.get(name) or (package and PACKAGES[package] + name.removeprefix(package))
        if now and importlib.util.find_spec(now):
            return importlib.machinery.ModuleSpec(name, self, origin=now)

    def create_module(self, spec):
        module = importlib.import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state  # it has run, under its own name


def hand_on():
    """Let the old names be found."""
    sys.meta_path.insert(0, _Moved())
