"""JupyterLab with messages that are sent at once, so that a slider answers some 30 milliseconds earlier.

By default the operating system holds a second small message back until the first one is acknowledged, and a browser
takes its time to do so (RFC 896; RFC 1122, section 4.2.3.2). README's first command hands this class to JupyterLab;
without it everything works, a little later.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The way between a page and its kernel, with TCP_NODELAY."""

    async def connect(self):
        self.websocket_handler.set_nodelay(True)
        return await super().connect()
