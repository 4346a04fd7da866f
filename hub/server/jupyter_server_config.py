"""Settings of each learner's server; jupyterhub_config.py, one folder up, leads here."""

import os
from pathlib import Path

c = get_config()  # noqa: F821 – the server brings it

# Kernels on sockets of the learner's own, and not on ports: servers that start together would choose the same ports, and
# whoever is on the machine could listen. Linux wants their paths short, and a long name makes the usual ones too long.
c.KernelManager.transport = "ipc"
os.environ["JUPYTER_RUNTIME_DIR"] = str(Path.home() / ".kernels")

# A kernel takes memory whether anyone works in it or not. It goes after 20 minutes without work, its notebook stays.
c.MappingKernelManager.cull_idle_timeout = 1200
c.MappingKernelManager.cull_interval = 60
c.MappingKernelManager.cull_connected = True  # the page of a lesson that was left open counts as no work
