"""A class on one machine: jupyterhub -f hub/jupyterhub_config.py. Who may log in, and by which address, is yours to add.

For The Littlest JupyterHub, README.md beside this file says where it goes.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821 – JupyterHub brings it

HERE = Path(__file__).resolve().parent  # where the folder `server` lies, too
MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes
SYSTEM, LEARNER = 2_000_000_000, 240_000_000  # bytes: README.md beside this file says what was measured

# One learner more would make the machine slow for everybody: that one is told to come later.
c.JupyterHub.active_server_limit = max(1, (MACHINE - SYSTEM) // LEARNER)
c.JupyterHub.concurrent_spawn_limit = 10  # the others of a class that comes at once wait some seconds
c.Spawner.start_timeout = c.Spawner.http_timeout = 300

c.Spawner.default_url = "/lab/tree/attention/notebooks/00_who_is_she.ipynb"  # where the link in README.md puts it
c.Spawner.environment.update(
    {
        "JUPYTER_CONFIG_PATH": str(HERE / "server"),  # jupyter_server_config.py
        "OPENBLAS_NUM_THREADS": "1",  # many small matrices at once: BLAS threads would wait for one another
    }
)

# Lesson 13 takes the most, for a moment some 320 MB with its server. The spawner of The Littlest JupyterHub, DockerSpawner
# and Kubernetes keep these limits; JupyterHub's own spawner does not.
c.Spawner.mem_guarantee, c.Spawner.mem_limit = "240M", "800M"
c.Spawner.cpu_limit = 2

# Servers without a word from their page for an hour are ended: python -m pip install jupyterhub-idle-culler
c.JupyterHub.services.append(
    {"name": "idle-culler", "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"]}
)
c.JupyterHub.load_roles.append(
    {
        "name": "idle-culler",
        "services": ["idle-culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
)
