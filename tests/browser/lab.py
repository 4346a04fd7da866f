"""A real JupyterLab on loopback, a real Chromium, and notebooks opened and run in it.

Playwright is imported only where a browser is started, so that everything else works without it.
"""

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

from tests.notebooks import lessons

REPOSITORY = Path(__file__).resolve().parents[2]
STARTED_WITH = re.search(r"-m (jupyterlab .*) notebooks/", (REPOSITORY / "README.md").read_text("utf-8"))[1].split()
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "~/AppData/Local/Google/Chrome/Application/chrome.exe",
    "~/AppData/Local/Chromium/Application/chrome.exe",
    "/snap/bin/chromium",
)
HOW_TO_GET_A_BROWSER = (
    "pip install playwright axe-playwright-python, then either install Chromium or Chrome (Debian: apt install chromium), "
    "or run: playwright install chromium, or set CHROMIUM=/path/to/the/browser."
)
CHROMIUM_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-proxy-server", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell stands in the page, also those out of sight
    "docmanager-extension/plugin": {"autosave": False},
}
NOT_NEEDED = ["@jupyterlab/apputils-extension:splash"]  # it lies over the page for a while after it is ready

# Runs at the start of each kernel: a lesson needs no network, so whatever calls out, or even asks for an address, fails.
LOOPBACK_ONLY = """
import sys

def _refuse_other_machines(event, args):
    address = args[1] if event == "socket.connect" else args[0] if event == "socket.getaddrinfo" else None
    host = address[0] if isinstance(address, tuple) else address
    if event.startswith("socket.") and isinstance(host, str) and ("/" not in host):
        if host not in ("127.0.0.1", "::1", "localhost", "0.0.0.0", ""):
            raise ConnectionError(f"a lesson must work without a network, but this one asked for {host}")

sys.addaudithook(_refuse_other_machines)
"""


def notebook_root():
    """The folder that holds notebooks/, helpers/ and data/: the repository, or what NOTEBOOK_ROOT names."""
    return Path(os.environ.get("NOTEBOOK_ROOT") or REPOSITORY).resolve()


def notebooks(root=None):
    """Paths of the lessons below the root, in order, with forward slashes."""
    root = root or notebook_root()
    return [path.relative_to(root).as_posix() for path in lessons(root / "notebooks")]


def find_chromium():
    """Path of a Chromium-like browser, or None: CHROMIUM, then PATH, usual places, Playwright's own."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    on_path = filter(None, map(shutil.which, CHROMIUM_NAMES))
    places = [Path(place).expanduser() for place in CHROMIUM_PLACES]
    installed = [str(place) for place in places if place.is_file()]
    return next(on_path, None) or next(iter(installed), None) or _playwrights_own()


def _playwrights_own():
    """The browser that `playwright install chromium` brought, or None."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def why_no_browser():
    """One sentence on what is missing for browser tests, or an empty string."""
    try:
        import axe_playwright_python  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        return f"the Python package {error.name.split('.')[0]} is not installed"
    if find_chromium() is None:
        named = os.environ.get("CHROMIUM")
        return f"CHROMIUM={named} is no program" if named else "no Chromium or Chrome was found"
    return ""


@contextlib.contextmanager
def browser():
    """A headless Chromium that can resolve no name: only loopback can be reached."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, headless=True, args=CHROMIUM_FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()


class Lab:
    """JupyterLab in a throw-away home, serving a copy of notebooks/, data/ and helpers/; use as `with Lab() as lab:`."""

    def __init__(self, root=None):
        self.root = root or notebook_root()

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True)
        self.home = Path(self._folder.name).resolve()
        self.work = self.home / "work"
        self._copy_lessons()
        self._write_settings()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if getattr(self, "_server", None):
            self._server.terminate()
            try:
                self._server.wait(15)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        self._folder.cleanup()

    def _copy_lessons(self):
        self.work.mkdir()
        for name in ("notebooks", "data", "helpers", "workbench", "rooms"):
            if (self.root / name).is_dir():
                unwanted = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
                shutil.copytree(self.root / name, self.work / name, ignore=unwanted)

    def _write_settings(self):
        for name, values in SETTINGS.items():
            self._write_setting(name, values)
        self.set_theme("light")
        config = self.home / "config" / "labconfig" / "page_config.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({"disabledExtensions": {name: True for name in NOT_NEEDED}}))
        startup = self.home / "ipython" / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "00_loopback_only.py").write_text(LOOPBACK_ONLY)

    def _write_setting(self, name, values):
        path = self.home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))

    def set_theme(self, theme):
        """Pages opened from now on are 'light' or 'dark'."""
        self._write_setting("apputils-extension/themes", {"theme": THEMES[theme], "adaptive-theme": False})

    def _environment(self):
        places = {"CONFIG_DIR": "config", "RUNTIME_DIR": "runtime", "DATA_DIR": "data"}
        ours = {f"JUPYTER_{name}": str(self.home / folder) for name, folder in places.items()}
        ours |= {f"JUPYTERLAB_{name.upper()}_DIR": str(self.home / name) for name in ("settings", "workspaces")}
        ours |= {"IPYTHONDIR": str(self.home / "ipython"), "JUPYTER_PREFER_ENV_PATH": "1"}
        ours |= {"PYTHONPATH": os.pathsep.join(filter(None, [str(self.work), os.environ.get("PYTHONPATH")]))}
        kept = {name: value for name, value in os.environ.items() if name not in ("MPLBACKEND", "JUPYTER_TOKEN")}
        return kept | ours

    def _start(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address, self.token = f"http://127.0.0.1:{port}", secrets.token_hex(16)
        options = {
            "ServerApp.ip": "127.0.0.1", "ServerApp.port": port, "ServerApp.port_retries": 0,
            "ServerApp.terminals_enabled": False, "IdentityProvider.token": self.token,
            "LabApp.expose_app_in_browser": True, "LabApp.extension_manager": "readonly",
            "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate", "LabApp.news_url": None,
            "LabApp.app_settings_dir": REPOSITORY / "hub" / "lab",  # what installing the course puts into JupyterLab's own
        }  # fmt: skip
        command = [sys.executable, "-m", *STARTED_WITH, "--no-browser", "--allow-root"]
        command += [f"--{name}={value}" for name, value in options.items()]
        with open(self.home / "lab.log", "w") as log:
            self._server = subprocess.Popen(command, env=self._environment(), cwd=self.work, stdout=log, stderr=log)
        self._wait_until_it_answers()

    def _wait_until_it_answers(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._server.poll() is None:
            try:
                return self.ask("api/status")
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"JupyterLab did not start:\n{(self.home / 'lab.log').read_text()}")

    def ask(self, path, method="GET"):
        """Answer of the server to one request, read as JSON."""
        request = Request(f"{self.address}/{path}", method=method, headers={"Authorization": f"token {self.token}"})
        with build_opener(ProxyHandler({})).open(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    def stop_kernels(self):
        """End every kernel: the next notebook starts with a fresh one."""
        for session in self.ask("api/sessions"):
            self.ask(f"api/sessions/{session['id']}", method="DELETE")

    def write_notebook(self, path, *cells):
        """Put a notebook with these code cells beside the copied lessons; returns its path."""
        import nbformat.v4 as v4

        kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
        metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
        notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in cells], metadata=metadata)
        target = self.work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(notebook), encoding="utf-8")
        return path


# What the page keeps about its kernel: errors that no cell shows, and messages that still wait for an answer.
# ipywidgets sends exceptions of callbacks as `error`, and warnings in them as `stderr`, both answers to a comm message.
# One such answer is ipywidgets' own noise: JupyterLab asks each new kernel for the states of widgets (`request_states`),
# and a kernel in which nobody has imported ipywidgets yet complains "No such comm". So complaints count only if they
# answer a message that was sent while we watch, and that question, where we see it, is not put on the list.
WATCH_KERNEL = """async () => {
  const panel = window.jupyterapp.shell.currentWidget, session = panel.sessionContext;
  await panel.context.ready; await panel.revealed; await session.ready; await session.session.kernel.info;
  const watch = window.__watch = {problems: [], waiting: new Set(), comms: new Set(), sent: 0};
  session.session.kernel.anyMessage.connect((_, {msg, direction}) => {
    const {msg_type: type, msg_id: id} = msg.header, content = msg.content;
    if (direction === 'send') {
      if (type === 'comm_msg' || type === 'execute_request') watch.waiting.add(id);
      if (type === 'comm_msg' && content.data?.method !== 'request_states') { watch.comms.add(id); watch.sent += 1; }
      return;
    }
    const asked = msg.parent_header?.msg_id;
    if (type === 'status' && content.execution_state === 'idle') watch.waiting.delete(asked);
    if (!watch.comms.has(asked)) return;
    if (type === 'error') watch.problems.push(`in a callback: ${content.ename}: ${content.evalue}`);
    if (type === 'stream' && content.name === 'stderr') watch.problems.push(`in a callback: ${content.text}`);
  });
}"""

RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => null)"

# One line for each code cell that did not run, or that ended in an error which it was not tagged to raise.
CELL_TROUBLE = """() => {
  const found = [];
  window.jupyterapp.shell.currentWidget.content.widgets.forEach((cell, i) => {
    const model = cell.model;
    if (model.type !== 'code' || !model.sharedModel.getSource().trim()) return;
    const mayRaise = (model.getMetadata('tags') ?? []).includes('raises-exception');
    if (model.executionCount === null) found.push(`cell ${i} did not run`);
    for (const out of model.sharedModel.getOutputs())
      if (out.output_type === 'error' && !mayRaise) found.push(`cell ${i}: ${out.ename}: ${out.evalue}`);
  });
  return found;
}"""

# Every widget that an output promises is drawn, nothing waits for the kernel, every picture is decoded.
ALL_DRAWN = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const promised = panel.content.widgets.flatMap(cell => cell.model.type !== 'code' ? [] :
    cell.model.sharedModel.getOutputs().filter(out => 'application/vnd.jupyter.widget-view+json' in (out.data ?? {})));
  const drawn = panel.node.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets');
  const pictures = [...panel.node.querySelectorAll('.jp-OutputArea img')];
  return drawn.length >= promised.length && window.__watch.waiting.size === 0 && pictures.every(img => img.complete);
}"""

OPEN = "path => window.jupyterapp.commands.execute('docmanager:open', {path}).then(() => null)"
CLOSE_ALL = "() => [...window.jupyterapp.shell.widgets('main')].forEach(panel => panel.dispose())"

FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


# Waits for a promise in the page, but not for ever.
WITH_DEADLINE = """([code, seconds]) => Promise.race([
  eval(code)(), new Promise((_, fail) => setTimeout(() => fail(new Error('not done in time')), 1000 * seconds))])"""


FRESH = 4  # notebooks


class NotebookPage:
    """A browser tab with one notebook at a time. `problems` gathers whatever went wrong outside the cells.

    Starting JupyterLab takes most of the time, so one tab serves several notebooks: `open` closes the last one and its
    kernel, and opens the next one with a fresh kernel in the JupyterLab that is already there. That grows slower with
    each, so the page is loaded anew after every FRESH of them.
    """

    def __init__(self, page, lab):
        self.page, self.lab, self.path, self._opened = page, lab, None, 0
        self.window = page.viewport_size
        self._problems = []
        page.on("dialog", lambda dialog: dialog.accept())
        page.on("pageerror", lambda error: self._problems.append(f"page error: {error}"))
        page.on("console", self._hear)
        page.on("request", lambda request: self._see(request.url))
        page.on("websocket", lambda socket: self._see(socket.url))

    def _hear(self, message):
        if message.type == "error":
            self._problems.append(f"console error: {message.text} ({message.location.get('url', 'no address')})")

    def _see(self, url):
        here = self.lab.address.removeprefix("http")
        if not url.startswith(("data:", "blob:", "about:", "http" + here, "ws" + here)):
            self._problems.append(f"request that leaves this machine: {url}")

    def open(self, path, theme="light"):
        """Open a notebook with a fresh kernel and wait until both are ready; nothing is run yet."""
        if self._opened % FRESH == 0:
            if self._opened:
                self.close()
                self.page.set_viewport_size(self.window)
            self._problems.clear()
            self.lab.set_theme(theme)
            self.page.goto(f"{self.lab.address}/lab/tree/{path}?token={self.lab.token}&reset", timeout=60_000)
            self.page.locator(".jp-NotebookPanel .jp-Notebook").wait_for(timeout=60_000)
        else:
            self.close()
            self.page.set_viewport_size(self.window)
            self.set_theme(theme)
            self.page.evaluate(OPEN, path)
            self._problems.clear()
        self.path, self._opened = path, self._opened + 1
        self.wait_for(WATCH_KERNEL, 60, "a kernel for the notebook")
        return self

    def close(self):
        """Close the notebook without saving it and end its kernel."""
        self.page.evaluate(CLOSE_ALL)
        self.lab.stop_kernels()

    def wait_for(self, code, seconds, what):
        """Value that an asynchronous function gives in the page, or an error that says what did not come."""
        try:
            return self.page.evaluate(WITH_DEADLINE, [code, seconds])
        except _playwright_error() as error:
            raise RuntimeError(f"{self.path}: waited for {what}: {error.message}") from None

    def run_all(self):
        """Run every cell through JupyterLab's own command and wait until all widgets are drawn."""
        self.wait_for(RUN_ALL, 180, "all cells to run")
        with contextlib.suppress(_playwright_error()):  # what is missing then shows in cell_trouble or in the explorers
            self.page.wait_for_function(ALL_DRAWN, timeout=15_000)
        self.page.evaluate(FRAMES)
        return self

    @property
    def problems(self):
        shown = self.page.get_by_text("Click to show javascript error").count()
        broken = [f"{shown} widgets show a JavaScript error"] if shown else []
        return [*self._problems, *self.page.evaluate("() => window.__watch?.problems ?? []"), *broken]

    @property
    def cell_trouble(self):
        return self.page.evaluate(CELL_TROUBLE)

    def set_theme(self, theme):
        """Change the theme of the open page and wait until its colours are there."""
        self.page.evaluate(
            "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", THEMES[theme]
        )
        is_light = "true" if theme == "light" else "false"
        self.page.wait_for_function("want => document.body.dataset.jpThemeLight === want", arg=is_light)
        self.page.evaluate(FRAMES)

    def show_side_bar(self, shown=True):
        """Open or close the file browser, which takes a part of the width of the page."""
        self.page.evaluate(
            "shown => { const shell = window.jupyterapp.shell; shown ? shell.expandLeft() : shell.collapseLeft(); }",
            shown,
        )


def _playwright_error():
    from playwright.sync_api import Error

    return Error


@contextlib.contextmanager
def tab(chromium, lab, *, width=1280, height=1000, scale=1):
    """An empty browser tab in which notebooks of this JupyterLab can be opened; kernels end with it."""
    context = chromium.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale)
    try:
        yield NotebookPage(context.new_page(), lab)
    finally:
        context.close()
        lab.stop_kernels()
