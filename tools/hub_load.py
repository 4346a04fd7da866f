"""A class of simulated learners on a real JupyterHub of this machine: start, open a lesson, run it, move its sliders.

python -m tools.hub_load                                 10 learners in lessons 01, 02, 03 and 05
python -m tools.hub_load --learners 40 --moves 60
python -m tools.hub_load --lessons 13 --transport tcp    kernels on ports, as they are without hub/

Needs Linux and, besides requirements-test.txt, jupyterhub, jupyterhub-idle-culler and configurable-http-proxy (from npm). The hub
runs with hub/jupyterhub_config.py in a temporary folder, and ends with the command. Learners talk over websockets as a
page does; nobody draws the page. All begin at once, which is the worst case. Memory is PSS.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path

from tests.lessons import FOLDER, lessons

ROOT = Path(__file__).resolve().parents[1]
SLIDERS = {"FloatSliderModel", "IntSliderModel", "SelectionSliderModel"}
PATIENCE = 600  # seconds for anything
CONFIG = """
import os
load_subconfig({config!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}/"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{ports[1]}/"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class, c.Authenticator.allow_all = "dummy", True
c.DummyAuthenticator.password = {token!r}
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root"] * (os.getuid() == 0) + {arguments!r}
c.Spawner.environment.update({{"PYTHONPATH": {path!r}}})
c.JupyterHub.services.append({{"name": "load", "api_token": {token!r}}})
c.JupyterHub.load_roles.append(
    {{"name": "load", "services": ["load"], "scopes": ["admin:users", "admin:servers", "access:servers"]}}
)
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


class Hub:
    """A JupyterHub in a temporary folder; use as `with Hub(...) as hub:`."""

    def __init__(self, arguments=()):
        self.arguments = list(arguments)
        self.proxy = shutil.which("configurable-http-proxy")
        if not self.proxy:
            raise SystemExit("configurable-http-proxy must be on the PATH: npm install configurable-http-proxy.")

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="hub-", ignore_cleanup_errors=True)
        self.folder, self.token, ports = Path(self._folder.name), secrets.token_hex(16), free_ports(3)
        self.address, self.homes = f"http://127.0.0.1:{ports[0]}", self.folder / "homes"
        names = {"ports": ports, "proxy": self.proxy, "token": self.token, "homes": str(self.homes)}
        names |= {
            "config": str(ROOT / "hub/jupyterhub_config.py"),
            "arguments": self.arguments,
            "python": sys.executable,
        }
        names["path"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        (self.folder / "config.py").write_text(CONFIG.format(**names))
        self.log = (self.folder / "log").open("w")
        command = [sys.executable, "-m", "jupyterhub", "-f", "config.py"]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=self.log, stderr=self.log, start_new_session=True
        )
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)  # it ends the servers, and they their kernels
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(60)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.log.close()
        self._folder.cleanup()

    def give_home(self, learner):
        """A home with the course in it, as the link of hub/README.md makes it."""
        shutil.copytree(FOLDER, self.homes / learner / "attention" / "notebooks")

    def faults(self):
        """Lines of the log that tell of an error."""
        lines = (self.folder / "log").read_text(errors="replace").splitlines()
        return [
            line for line in lines if "ZMQError" in line or "Address already in use" in line or "restart failed" in line
        ]

    def memory(self):
        """dict kind of process -> list of MB, one for each."""
        import psutil

        found = {}
        for process in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                words = " ".join(process.cmdline())
                kinds = {"ipykernel": "kernel", "singleuser": "server", "configurable-http-proxy": "hub and proxy"}
                kind = next((kind for word, kind in kinds.items() if word in words), "other")
                found.setdefault(kind, []).append(process.memory_full_info().pss / 2**20)
        found.setdefault("hub and proxy", []).append(psutil.Process(self.process.pid).memory_full_info().pss / 2**20)
        return found


class Together:
    """Everybody waits until all have come this far; then `then()` is called once."""

    def __init__(self, count, then=lambda: None):
        self.left, self.then, self.event = count, then, asyncio.Event()

    async def wait(self):
        self.left -= 1
        if self.left == 0:
            self.then()
            self.event.set()
        await self.event.wait()


class Kernel:
    """A kernel at the other end of a websocket."""

    def __init__(self, websocket):
        self.websocket, self.session = websocket, uuid.uuid4().hex
        self.idle, self.widgets, self.errors = {}, {}, []
        self.reading = asyncio.ensure_future(self._read())

    async def _read(self):
        while (raw := await self.websocket.read_message()) is not None:
            self._take(raw)
        for waiting in self.idle.values():
            waiting.set_exception(ConnectionError("the kernel's websocket was closed"))

    def _take(self, raw):
        if isinstance(raw, bytes):  # with buffers: their number, where each part begins, the message, the buffers
            count = int.from_bytes(raw[:4], "big")
            starts = [int.from_bytes(raw[4 + 4 * k : 8 + 4 * k], "big") for k in range(count)]
            raw = raw[starts[0] : starts[1] if count > 1 else None]
        message = json.loads(raw)
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "comm_open":
            self.widgets[content["comm_id"]] = content["data"].get("state", {})
        elif kind == "error":
            self.errors.append(f"{content['ename']}: {content['evalue']}")
        elif kind == "status" and content["execution_state"] == "idle":
            waiting = self.idle.pop(message["parent_header"].get("msg_id"), None)
            if waiting and not waiting.done():
                waiting.set_result(None)

    async def send(self, kind, **content):
        """Send a message on the shell channel, and wait until the kernel has done with it."""
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": kind,
            "session": self.session,
            "username": "",
            "version": "5.3",
        }
        waiting = self.idle[header["msg_id"]] = asyncio.get_running_loop().create_future()
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await self.websocket.write_message(json.dumps(message))
        await asyncio.wait_for(waiting, PATIENCE)

    async def run(self, code):
        await self.send("execute_request", code=code, silent=False, store_history=True, allow_stdin=False)

    async def move(self, rng):
        """Put a slider somewhere else; returns whether there is one."""
        sliders = [(name, state) for name, state in self.widgets.items() if state.get("_model_name") in SLIDERS]
        if not sliders:
            return False
        name, state = rng.choice(sliders)
        if state["_model_name"] == "SelectionSliderModel":
            change = {"index": rng.randrange(len(state["_options_labels"]))}
        else:
            steps = round((state["max"] - state["min"]) / state["step"])
            change = {"value": state["min"] + rng.randint(0, steps) * state["step"]}
        await self.send("comm_msg", comm_id=name, data={"method": "update", "state": change, "buffer_paths": []})
        return True


class Learner:
    """One learner, from log-in to the last move; `times` says how long each step took."""

    def __init__(self, hub, name, lesson):
        self.hub, self.name, self.lesson, self.times, self.moves = hub, name, lesson, {}, []
        self.kernel = None

    async def ask(self, path, method="GET", /, **body):
        from tornado.httpclient import AsyncHTTPClient

        answer = await AsyncHTTPClient().fetch(
            self.hub.address + path, method=method, body=json.dumps(body) if method == "POST" else None,
            headers={"Authorization": f"token {self.hub.token}"}, request_timeout=PATIENCE, connect_timeout=PATIENCE,
            raise_error=False,
        )  # fmt: skip
        if answer.code >= 400 and answer.code != 429:
            raise ConnectionError(f"{method} {path}: {answer.code} {answer.body[:200]}")
        return answer.code, json.loads(answer.body or b"null")

    @contextlib.contextmanager
    def timed(self, step):
        start = time.perf_counter()
        yield
        self.times[step] = time.perf_counter() - start

    async def start(self):
        user = f"/hub/api/users/{self.name}"
        with self.timed("server"):
            await self.ask(user, "POST")
            while (await self.ask(f"{user}/server", "POST"))[0] == 429:  # many are starting: come back
                await asyncio.sleep(1)
            while not (await self.ask(user))[1].get("servers", {}).get("", {}).get("ready"):
                await asyncio.sleep(0.5)

    async def learn(self):
        path = f"attention/notebooks/{self.lesson.name}"
        server = f"/user/{self.name}/api"
        with self.timed("kernel"):
            _, notebook = await self.ask(f"{server}/contents/{path}")
            _, session = await self.ask(
                f"{server}/sessions", "POST", path=path, type="notebook", name="", kernel={"name": "python3"}
            )
            self.kernel = Kernel(await self.connect(f"{server}/kernels/{session['kernel']['id']}/channels"))
            await self.kernel.run("")
        cells = [cell["source"] for cell in notebook["content"]["cells"] if cell["cell_type"] == "code"]
        with self.timed("all cells"):
            with self.timed("first cell"):
                await self.kernel.run(cells[0])
            for source in cells[1:]:
                await self.kernel.run(source)

    async def connect(self, path):
        from tornado.httpclient import HTTPRequest
        from tornado.websocket import websocket_connect

        address = f"{self.hub.address.replace('http', 'ws', 1)}{path}?session_id={uuid.uuid4().hex}"
        headers = {"Authorization": f"token {self.hub.token}"}
        request = HTTPRequest(address, headers=headers, request_timeout=PATIENCE, connect_timeout=PATIENCE)
        return await websocket_connect(request, max_message_size=2**28)

    async def play(self, moves):
        rng = random.Random(self.name)
        for _ in range(moves):
            await asyncio.sleep(rng.uniform(0.5, 1.5))  # the learner looks
            start = time.perf_counter()
            if not await self.kernel.move(rng):
                return
            self.moves.append(1000 * (time.perf_counter() - start))


async def attend(learner, moves, ready, ran, played):
    """One learner's way; what fails is told, and holds nobody up."""
    failed = None
    for step, together in ((learner.start, ready), (learner.learn, ran), (lambda: learner.play(moves), played)):
        try:
            if not failed:
                await step()
        except Exception as error:
            failed = f"{learner.name}: {type(error).__name__} {error}"
        await together.wait()
    return failed


async def lesson_of_a_class(hub, count, paths, moves):
    """(learners, what failed, dict moment -> memory)"""
    from tornado.httpclient import AsyncHTTPClient

    AsyncHTTPClient.configure(None, max_clients=4 * count)
    learners = [Learner(hub, f"learner{k:02}", paths[k % len(paths)]) for k in range(count)]
    for learner in learners:
        hub.give_home(learner.name)
    while True:
        with contextlib.suppress(ConnectionError, OSError):
            if (await learners[0].ask("/hub/api/"))[1]:
                break
        if hub.process.poll() is not None:
            raise SystemExit((hub.folder / "log").read_text())
        await asyncio.sleep(0.5)
    memory = {}
    moments = [
        Together(count, lambda moment=moment: memory.update({moment: hub.memory()}))
        for moment in ("fresh", "ran", "moved")
    ]
    failed = await asyncio.gather(*(attend(learner, moves, *moments) for learner in learners))
    return learners, [each for each in failed if each], memory


def tell(learners, failed, memory, faults):
    def middle_and_most(values, unit, digits):
        values = sorted(values)
        if not values:
            return "–"
        shares = [values[min(len(values) - 1, int(share * len(values)))] for share in (0.9, 0.99)]
        told = (statistics.median(values), *shares, values[-1])
        return " | ".join(f"{value:.{digits}f}" for value in told) + f" {unit}"

    print("\n                 median | 90 % | 99 % | most")
    for step in ("server", "kernel", "first cell", "all cells"):
        print(f"{step:16} {middle_and_most([each.times[step] for each in learners if step in each.times], 's', 1)}")
    print(f"{'slider':16} {middle_and_most([move for each in learners for move in each.moves], 'ms', 0)}")
    for moment, kinds in memory.items():
        told = ", ".join(
            f"{len(sizes)} × {kind} {statistics.mean(sizes):.0f} MB" for kind, sizes in sorted(kinds.items())
        )
        print(f"{moment:16} {told}; {sum(map(sum, kinds.values())):.0f} MB in all")
    errors = Counter(error for each in learners if each.kernel for error in each.kernel.errors)
    print(f"{'failed':16} {failed or 'nobody'}")
    print(f"{'errors in cells':16} {dict(errors) or 'none'}")
    print(f"{'ports lost':16} {len(faults)} lines in the log")
    print(f"{'load':16} {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores at the end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=10)
    parser.add_argument("--lessons", nargs="+", default=["02", "04", "05", "08"], metavar="NN")
    parser.add_argument("--moves", type=int, default=30, help="of a slider by each learner, about one a second")
    parser.add_argument("--transport", choices=["ipc", "tcp"], default="ipc")
    options = parser.parse_args()
    paths = [path for path in lessons() if path.name[:2] in options.lessons]
    print(f"{options.learners} learners, lessons {', '.join(options.lessons)}, load {os.getloadavg()[0]:.1f} before")
    with Hub([f"--KernelManager.transport={options.transport}"] if options.transport == "tcp" else []) as hub:
        learners, failed, memory = asyncio.run(lesson_of_a_class(hub, options.learners, paths, options.moves))
        tell(learners, failed, memory, hub.faults())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
