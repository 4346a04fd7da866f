"""The connection that README's first command hands to JupyterLab."""

import re
from pathlib import Path
from unittest import mock

import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

from helpers.server import PromptConnection
from tests.browser.lab import CONNECTION

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_prompt_connection_sends_at_once_and_then_connects(monkeypatch):
    seen = []

    async def connect(self):
        seen.append("connect")
        return "connected"

    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", connect)
    connection = PromptConnection.__new__(PromptConnection)
    handler = mock.Mock()
    handler.set_nodelay.side_effect = lambda on: seen.append(on)
    monkeypatch.setattr(PromptConnection, "websocket_handler", handler)
    with pytest.raises(StopIteration) as returned:  # one step by hand: a loop may be running in this thread
        connection.connect().send(None)
    assert returned.value.value == "connected"
    assert seen == [True, "connect"]


@pytest.mark.parametrize("opens", re.findall(r"-m jupyterlab notebooks.*", README))
def test_readme_opens_jupyterlab_with_it_as_the_browser_tests_do(opens):
    assert opens.rstrip("`.").endswith(f"--ServerApp.kernel_websocket_connection_class={CONNECTION}")
    assert f"{PromptConnection.__module__}.{PromptConnection.__name__}" == CONNECTION


def test_readme_names_the_connection_on_both_systems():
    assert README.count(CONNECTION) >= 2
