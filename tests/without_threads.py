"""Take threads and processes away from Python, as a page without a server (Pyodide) or a small container does."""

import _thread
import os
import sys
import threading

PROCESSES = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}


def refuse_processes(event, _):
    if event in PROCESSES:
        raise OSError("processes are not supported")


def refuse_threads(*_, **__):
    raise RuntimeError("can't start new thread")


def refuse_both():
    """From here on Python starts no thread (BLAS has its own) and no process, and there is one core."""
    for module in (_thread, threading):
        for name in ("start_new_thread", "start_joinable_thread", "_start_new_thread", "_start_joinable_thread"):
            if hasattr(module, name):
                setattr(module, name, refuse_threads)
    sys.addaudithook(refuse_processes)
    os.cpu_count = lambda: 1
