"""The configuration for a class says what hub/README.md promises."""

import os
import re
import runpy
from pathlib import Path

import pytest
import yaml
from jupyter_client.manager import KernelManager
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager
from traitlets.config import Config
from traitlets.config.loader import LazyConfigValue

pytestmark = pytest.mark.everything

HUB = Path(__file__).resolve().parents[1] / "hub"
VALUES = yaml.safe_load((HUB / "values.yaml").read_text(encoding="utf-8"))
README = (HUB / "README.md").read_text(encoding="utf-8")
SERVED = {kind.__name__: kind for kind in (KernelManager, MappingKernelManager, ServerApp)}


def loaded(path, monkeypatch):
    """The configuration that a file makes, as JupyterHub and the server read it."""
    made = Config()
    monkeypatch.setitem(
        __builtins__ if isinstance(__builtins__, dict) else vars(__builtins__), "get_config", lambda: made
    )
    runpy.run_path(str(path))
    for settings in made.values():
        for name, value in settings.items():  # what is added to others' settings
            if isinstance(value, LazyConfigValue):
                settings[name] = value.get_value({} if value._update else [])
    return made


@pytest.fixture(autouse=True)
def closed(monkeypatch):
    """A set of paths that are closed to others; all else is open, wherever this clone lies."""
    paths, stat = set(), Path.stat

    def played(path, **options):
        mode, *others = stat(path, **options)
        return os.stat_result((mode & ~7 if path in paths else mode | 5, *others))

    monkeypatch.setattr(Path, "stat", played)
    return paths


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("JUPYTER_RUNTIME_DIR", raising=False)
    return loaded(HUB / "server" / "jupyter_server_config.py", monkeypatch)


@pytest.fixture
def hub(monkeypatch):
    if not hasattr(os, "sysconf"):
        monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**22}.__getitem__, raising=False)
    return loaded(HUB / "jupyterhub_config.py", monkeypatch)


def test_every_setting_of_the_server_is_one_that_it_knows(server):
    for owner, settings in server.items():
        assert set(settings) <= set(SERVED[owner].class_trait_names(config=True)), owner


def test_sockets_of_kernels_have_short_names(server):
    """Linux takes 107 letters."""
    folder = os.environ["JUPYTER_RUNTIME_DIR"].replace(str(Path.home()), "/home/" + 40 * "x")
    assert len(f"{folder}/kernel-{36 * 'x'}-ipc-4") <= 107


def test_hub_leads_to_the_server_and_fits_the_machine(hub, monkeypatch):
    assert (Path(hub.Spawner.environment["JUPYTER_CONFIG_PATH"]) / "jupyter_server_config.py").is_file()
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**22}.__getitem__, raising=False)
    assert loaded(HUB / "jupyterhub_config.py", monkeypatch).JupyterHub.active_server_limit == 63  # 17.2 billion bytes
    ((role,), (service,)) = hub.JupyterHub.load_roles, hub.JupyterHub.services
    assert role["services"] == [service["name"]]


@pytest.mark.skipif(os.name != "posix", reason="JupyterHub runs on Linux and macOS")
def test_settings_that_learners_cannot_read_stop_the_hub(hub, closed, monkeypatch):
    path = HUB / "server" / "jupyter_server_config.py"
    for place, letter in [(path, "r"), (path.parent, "x"), (HUB.parent, "x")]:
        closed.add(place)
        with pytest.raises(PermissionError, match=rf"got {re.escape(str(place))} closed .*chmod o\+{letter} "):
            loaded(HUB / "jupyterhub_config.py", monkeypatch)
        closed.clear()


def test_settings_that_are_not_there_stop_the_hub(tmp_path, monkeypatch):
    """Those of The Littlest JupyterHub lie elsewhere: its folder for configurations has no `server` in it."""
    (tmp_path / "jupyterhub_config.py").write_bytes((HUB / "jupyterhub_config.py").read_bytes())
    with pytest.raises(
        FileNotFoundError, match=r"jupyter_server_config\.py must lie in .* or /opt/tljh/user/etc/jupyter"
    ):
        loaded(tmp_path / "jupyterhub_config.py", monkeypatch)


def test_nobody_is_let_in_until_somebody_is_named(hub):
    assert VALUES["hub"]["config"]["JupyterHub"]["authenticator_class"] == "null"  # a word, and no YAML null
    assert "Authenticator" not in hub and "authenticator_class" not in hub.JupyterHub  # JupyterHub 5 lets nobody in
    assert '"jupyterhub>=5"' in README


def test_kubernetes_has_the_same_settings(server, hub):
    user = VALUES["singleuser"]
    (file,) = user["extraFiles"].values()
    server.pop("KernelManager")  # there each learner has ports of their own
    assert file["data"] == {owner: dict(settings) for owner, settings in server.items()}
    assert user["memory"] == {"guarantee": hub.Spawner.mem_guarantee, "limit": hub.Spawner.mem_limit}
    assert (user["cpu"]["limit"], user["defaultUrl"]) == (hub.Spawner.cpu_limit, hub.Spawner.default_url)
    assert user["extraEnv"].items() <= hub.Spawner.environment.items()


def test_link_opens_the_first_lesson_where_the_hub_looks_for_it(hub):
    (link,) = re.findall(r"https://HUB/\S+", README)
    assert "urlpath=lab%2Ftree%2Fattention%2Fnotebooks%2F00_who_is_she.ipynb" in link
    assert "targetpath=attention" in link and hub.Spawner.default_url.endswith(
        "attention/notebooks/00_who_is_she.ipynb"
    )
    assert (HUB.parent / "notebooks" / "00_who_is_she.ipynb").is_file()
