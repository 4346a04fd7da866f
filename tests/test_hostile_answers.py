"""Answers that harm, spy or deceive are contained and told, and an honest one beside them is judged."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.classroom import confinement, judging
from tests.test_classroom import RIGHT, ROOT, answer, hand_in, judged

NEVER_RIGHT = "\ndef softmax(scores):\n    return scores * 0\n"

RECORD = "import os\nnp.savez('record.npz', status='right', message='✓')\nos._exit(0)"

LIMITS = "import os, resource\nresource.prlimit(os.getppid() or 1, resource.RLIMIT_NOFILE, (3, 3))"

FEW = ["loop", "overwrite", "limits", "network", "own record"]  # that the first tier tries

HOSTILE = {  # the cell; a pattern of what is reported. {names} are filled in below.
    "loop": ("while True: pass", "It was stopped: "),
    "loop inside": ("def softmax(scores):\n    while True:\n        scores = scores + 1", "softmax.* was stopped: it was still running"),
    "loop in C": ("def softmax(scores):\n    return sum(iter(int, 1))", "It was stopped: "),
    "sleep": ("import time\ntime.sleep(1000)", "It was stopped: no end after"),
    "74 GB": ("def softmax(scores):\n    return np.ones(74 * 10**9 // 8)", "softmax.*(MemoryError|shape)"),
    "2 GB in pieces": ("x = []\nwhile True: x.append(bytearray(10**8))", "Its cell stops with MemoryError|It was stopped"),
    "os._exit": ("import os\nos._exit(0)", "It ended the process"),
    "sys.exit": ("import sys\nsys.exit(0)", "Its cell stops with SystemExit"),
    "recursion": ("def softmax(scores):\n    return softmax(scores)", "softmax.*RecursionError"),
    "crash": ("import ctypes\nctypes.string_at(0)", "Its cell stops with PermissionError|It crashed"),
    "crash, no ctypes": ("import sys\nsys.setrecursionlimit(10**9)\nf = lambda n: f(n + 1)\nf(0)", "It |Its cell stops"),
    "delete": ("import shutil\nshutil.rmtree({victim!r})", "Its cell stops with PermissionError"),
    "delete quietly": ("import os\ntry: os.remove({secret!r})\nexcept OSError: pass" + NEVER_RIGHT, ""),
    "overwrite": ("open({secret!r}, 'w').write('gone')", "Its cell stops with PermissionError"),
    "read": ("raise ValueError(open({secret!r}).read())", "Its cell stops with PermissionError"),
    "list": ("import os\nraise ValueError(os.listdir({victim!r}))", "Its cell stops with PermissionError"),
    "link": ("import os\nos.symlink({secret!r}, 'here')\nraise ValueError(open('here').read())", "Its cell stops with Perm"),
    "keys": ("import os\nraise ValueError(dict(os.environ))", "Its cell stops with ValueError"),
    "parent's keys": ("raise ValueError(open('/proc/{pid}/environ').read())", "Its cell stops with "),
    "process": ("import subprocess\nsubprocess.run(['touch', {victim!r} + '/touched'])", "Its cell stops with Perm"),
    "system": ("import os\nos.system('touch ' + {victim!r} + '/touched')", "Its cell stops with PermissionError"),
    "fork bomb": ("import os\nwhile True: os.fork()", "Its cell stops with "),
    "limits": (LIMITS, "Its cell stops with PermissionError"),
    "priority": ("import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)", "Its cell stops with PermissionError"),
    "affinity": ("import os\nos.sched_setaffinity(os.getppid(), {{0}})", "Its cell stops with PermissionError"),
    "psutil": ("import psutil\npsutil.Process(os.getppid()).nice(19)", "Its cell stops with PermissionError"),
    "kill": ("import os\nos.kill({bystander}, 9)", "Its cell stops with PermissionError"),
    "network": ("import socket\nsocket.create_connection(('127.0.0.1', {port}))", "Its cell stops with PermissionError"),
    "disk": ("for k in range(3): open(str(k), 'wb').write(bytes(10**8))", "Its cell stops with OSError|It was stopped|It ended|There is nothing"),
    "noise": ("for k in range(10**6): print('x' * 100)" + NEVER_RIGHT, ""),
    "threads": ("import threading\nwhile True: threading.Thread(target=input).start()", "Its cell stops with |It "),
    "own award": ("from helpers import checks\nchecks.EXERCISES['softmax'] = checks.collect = lambda *x: ('right', '✓')" + NEVER_RIGHT, ""),
    "own judge": ("from helpers.checks import engine\nengine._praise = lambda *x: 'Right'\nengine.same = lambda *x: True" + NEVER_RIGHT,
                  "These numbers are not right|softmax"),
    "own record": (RECORD, "These numbers are not right"),
    "own zeros": (RECORD.replace("✓'", "✓', **{{f'result {{k}}': np.zeros(4) for k in range(8)}}"), "These numbers are not right"),
    "long record": (RECORD.replace("✓'", "✓', **{{f'result {{k}}': np.zeros(4) for k in range(99)}}"), "It ended the process|These numbers"),
    "pickled record": (RECORD.replace("✓'", "✓', **{{'result 0': np.array([np], object)}}").replace("[np]", "[1]"), "It ended the process"),
    "vast record": ("import os, zipfile\nwith zipfile.ZipFile('record.npz', 'w', zipfile.ZIP_DEFLATED) as file:\n"
                    "    for k in range(9): file.writestr(f'result {{k}}.npy', bytes(10**6))\nos._exit(0)", "It ended the process"),
    "half a letter": ("x = '\\ud800'\nraise ValueError(x)", "Its cell stops with |It "),
    "no record": ("import os\nopen('record.npz', 'w').write('PK')\nos._exit(0)", "It ended the process"),
    "linked record": ("import os\nos.symlink({secret!r}, 'record.npz')\nos._exit(0)", "It ended the process|Its cell stops with PermissionError"),
    "record that waits": ("import os\nos.mkfifo('record.npz')\nos._exit(0)", "It ended the process|Its cell stops with AttributeError"),
    "code for a terminal": ("raise ValueError('\\x1b[2J\\u202e')", r"Its cell stops with ValueError: ·\[2J·"),
    "undeletable": ("import os\nos.makedirs('a/b')\nos.chmod('a', 0)" + NEVER_RIGHT, ""),
}  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [FEW, pytest.param([name for name in HOSTILE if name not in FEW], marks=pytest.mark.everything)],
    ids=["few", "rest"],
)
def test_hostile_answers_are_contained_and_told_and_an_honest_one_is_judged(names, tmp_path, monkeypatch):
    folder, victim = tmp_path / "handed in", tmp_path / "teacher's own"
    victim.mkdir()
    secret = victim / "secret.txt"
    secret.write_text("the-teachers-secret")
    monkeypatch.setenv("TEACHERS_KEY", "the-teachers-key")
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with socket.socket() as service:
        service.bind(("127.0.0.1", 0))
        service.listen()
        service.setblocking(False)
        facts = {"victim": str(victim), "secret": str(secret), "bystander": bystander.pid, "pid": os.getpid()}
        facts["port"] = service.getsockname()[1]
        for name in names:
            hand_in(folder / f"{name}_01_ask.ipynb", "01", {"softmax": HOSTILE[name][0].format(**facts)})
        hand_in(folder / "zoe_01_ask.ipynb", "01", {"softmax": RIGHT})
        before = own_limits()
        found = {one.answer.learner: one for one in judged(folder, seconds=2) if one.answer.exercise == "softmax"}
        assert bystander.poll() is None and own_limits() == before
        bystander.communicate(b"\n")
        with pytest.raises(BlockingIOError):
            service.accept()
    assert found.pop("zoe").status == "right" and found.keys() == set(names)
    for name, one in found.items():
        assert one.status == "wrong" and re.match(HOSTILE[name][1], one.message), (name, one.message)
        assert "the-teachers" not in one.message
    assert [path.name for path in victim.iterdir()] == ["secret.txt"] and secret.read_text() == "the-teachers-secret"
    kept = [one.kept for one in found.values()]
    assert kept == kept[:1] * len(kept), "an answer forged what it was kept from"


def own_limits():
    """What an answer could take from the process that judges."""
    if os.name != "posix":
        return None
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE), os.getpriority(os.PRIO_PROCESS, 0)


TRY = """
import os, resource, socket, sys
parent = os.getppid()
from helpers.classroom import confinement
folder, secret, port, alone = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
if alone == "system":
    confinement._guard = lambda *names: lambda event, arguments: None
    kept = confinement.shut_in(folder, 5, 2000)
else:
    sys.addaudithook(confinement._guard(os.path.realpath(folder), confinement.readable()))
    kept = ["files", "network"]
def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
    return False
open(os.path.join(folder, "own"), "w").close()
import numpy.linalg, wave  # reading the library goes on
files = [lambda: open(secret), lambda: open(secret, "a"), lambda: os.remove(secret), lambda: os.listdir(os.path.dirname(secret))]
network = [lambda: socket.create_connection(("127.0.0.1", port)), lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE)]
print("files" not in kept or all(map(refused, files)), "network" not in kept or all(map(refused, network)))
"""


@pytest.mark.parametrize("alone", ["system", "python"])
def test_each_of_the_two_walls_stands_alone(alone, tmp_path):
    """What the operating system says that it keeps, it keeps without Python's help; and the other way round."""
    secret = tmp_path / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("the-teachers-secret")
    (tmp_path / "inside").mkdir()
    with socket.socket() as service:
        service.bind(("127.0.0.1", 0))
        service.listen()
        arguments = [tmp_path / "inside", secret, service.getsockname()[1], alone]
        done = subprocess.run(
            [sys.executable, "-c", TRY, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
        )
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert secret.read_text() == "the-teachers-secret"


@pytest.mark.parametrize(
    ("source", "message"),
    [("while True: pass", "its time"), ("x = []\nwhile True: x.append(bytearray(b'x' * 10**7))", "its memory")],
)
def test_time_and_memory_are_watched_where_the_operating_system_does_not_limit_them(source, message, monkeypatch):
    without = "from helpers.classroom import confinement; confinement._limit = lambda *limits: []; worker.main()"
    monkeypatch.setattr(judging, "START", judging.START.replace("worker.main()", without))
    monkeypatch.setattr(judging, "STARTING", 1)
    monkeypatch.setattr(judging, "PATIENCE", 60)
    one = judging.judge(answer(source), seconds=2, megabytes=500)
    assert one.message == f"It was stopped: {message} was used up."


def test_confinement_reads_only_python_and_the_course():
    places = confinement.readable()
    assert str(ROOT / "helpers") in places and str(ROOT) not in places and str(Path.home()) not in places
