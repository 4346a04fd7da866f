"""A class on one machine: jupyterhub -f hub/jupyterhub_config.py. README.md beside this file says what is yours to add: who
may log in, and by which address. It also says where this goes on The Littlest JupyterHub.
"""

import os
import stat
import sys
from pathlib import Path

c = get_config()  # noqa: F821 – JupyterHub brings it

HERE = Path(__file__).resolve().parent
SERVERS = [HERE / "server", Path("/opt/tljh/user/etc/jupyter")]  # where the settings of learners' servers lie
MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes
SYSTEM, LEARNER = 2_000_000_000, 240_000_000  # bytes: README.md beside this file says what was measured


def settings_of_servers():
    """The folder that holds them. Jupyter passes over a file that it may not read, so that is an error here."""
    folder = next((place for place in SERVERS if (place / "jupyter_server_config.py").is_file()), None)
    if folder is None:
        raise FileNotFoundError(f"jupyter_server_config.py must lie in {' or '.join(map(str, SERVERS))}, got neither.")
    path = (folder / "jupyter_server_config.py").resolve()
    for place in [path, *path.parents]:
        wanted = stat.S_IROTH if place == path else stat.S_IXOTH
        if os.name == "posix" and not place.stat().st_mode & wanted:
            raise PermissionError(
                f"{path} must be open to all learners, got {place} closed to others. Clone the course into a folder that all "
                f"may read, such as /srv/attention, or: chmod o+{'r' if place == path else 'x'} {place}"
            )
    return str(folder)


# One learner more would make the machine slow for everybody: that one is told to come later.
c.JupyterHub.active_server_limit = max(1, (MACHINE - SYSTEM) // LEARNER)
c.JupyterHub.concurrent_spawn_limit = 10  # the others of a class that comes at once wait some seconds
c.Spawner.start_timeout = c.Spawner.http_timeout = 300

c.Spawner.default_url = "/lab/tree/attention/notebooks/00_who_is_she.ipynb"  # where the link in README.md puts it
c.Spawner.environment.update(
    {
        "JUPYTER_CONFIG_PATH": settings_of_servers(),
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
