"""Judge answers, each in a process of its own that may compute and nothing else."""

import contextlib
import functools
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from helpers import checks
from helpers.classroom.notebooks import Answer, plain
from helpers.classroom.worker import RECORD

try:
    import psutil
except ImportError:  # it comes with JupyterLab; without it the limits are those of the operating system
    psutil = None

SECONDS = 10  # of computing; a right answer takes a few hundredths
PATIENCE = 10  # times as long by the clock, since a machine has more to do
STARTING = 5  # seconds of computing, at most, before the answer begins
GLANCE = 0.5  # seconds between two looks at what an answer uses
MEGABYTES = 2_000  # of address space, of which Python and NumPy take 300
LARGEST = 4_000_000  # bytes of a record
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from helpers.classroom import worker; worker.main()"
BLANK_MEANS = {"Not attempted yet": "blank", "Not finished yet": "begun"}


class Judged(NamedTuple):
    """What is said of an answer.

    status : "right", "wrong", "begun", "blank", "gone" where its cell is missing, "unjudged" where our own side failed
    message : one line
    kept : list of what the operating system kept from the answer, None where it was not run
    """

    answer: Answer
    status: str
    message: str
    kept: list | None


def judge_all(answers, *, seconds=SECONDS, megabytes=MEGABYTES, workers=None, tell=lambda judged: None):
    """Judge each answer, several at a time.

    Parameters
    ----------
    answers : list of Answer
    seconds : of computing that each may take; by the clock, ten times as many
    megabytes : of memory that each may take, where the operating system keeps count
    workers : how many run at once; None = one for each core
    tell : function(judged), called after each

    Returns
    -------
    list of Judged, in the order of the answers
    """

    def one(answer):
        try:
            judged = judge(answer, seconds=seconds, megabytes=megabytes)
        except Exception as error:  # whatever an answer did to this process or machine, the others are judged
            judged = Judged(answer, "unjudged", plain(f"{type(error).__name__}: {error}"), None)
        tell(judged)
        return judged

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        return list(pool.map(one, answers))


def judge(answer, *, seconds=SECONDS, megabytes=MEGABYTES):
    """Run an answer in a process of its own, and judge what comes back."""
    if answer.place is None:
        return Judged(answer, "gone", "Its cell is gone.", None)
    with tempfile.TemporaryDirectory(prefix="answer-", ignore_cleanup_errors=True) as folder:
        job = {"folder": folder, "exercise": answer.exercise, "cells": answer.cells, "place": answer.place}
        kept, ending = _run(job | {"seconds": seconds, "megabytes": megabytes}, folder, PATIENCE * seconds)
        try:
            record = _unpacked(_read(os.path.join(folder, RECORD)))
            feedback = checks.judge(answer.exercise, record)
        except Exception:  # there is none, or it is no record: whatever an answer wrote there, the class is judged
            ending = ending or "It ended the process that it ran in, or spoilt what came back."
            return Judged(answer, "wrong", ending, kept)
    status = feedback.status
    if status == "blank":
        status = next((means for words, means in BLANK_MEANS.items() if feedback.message.startswith(words)), "begun")
    return Judged(answer, status, plain(feedback.message), kept)


def _run(job, folder, patience):
    """Run the worker to its end, or end it; returns what it said that it is kept from, and how it ended, "" where all is well."""
    session = {"start_new_session": True} if os.name == "posix" else {}
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", START, _path()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
        env=_environment(folder), **session,
    )  # fmt: skip
    try:
        with contextlib.suppress(OSError), process.stdin:  # our own lines read it, before the answer's begin
            process.stdin.write(json.dumps(job).encode())
        ending = _watched(process, job, time.monotonic() + patience) or _ending(process.returncode)
    finally:
        _end(process)
    with process.stdout, contextlib.suppress(ValueError):  # nothing, where it ended too early
        return json.loads(process.stdout.read()) + ["time", "memory"] * bool(psutil), ending
    return [], ending


def _watched(process, job, end):
    """Wait for the process, and look at what it uses: not every operating system keeps it within limits by itself."""
    while True:
        try:
            process.wait(GLANCE)
            return ""
        except subprocess.TimeoutExpired:
            seconds, megabytes = _usage(process.pid)
        if time.monotonic() > end:
            return f"It was stopped: no end after {PATIENCE * job['seconds']} seconds."
        if seconds > job["seconds"] + STARTING:
            return "It was stopped: its time was used up."
        if megabytes > job["megabytes"]:
            return "It was stopped: its memory was used up."


def _usage(pid):
    """Seconds of computing and megabytes of a process so far; zeros where they cannot be told."""
    if psutil is None:
        return 0, 0
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        seconds = sum(sum(one.cpu_times()[:2]) for one in family)
        return seconds, sum(one.memory_info().rss for one in family) / 2**20
    except psutil.Error:  # it has just ended
        return 0, 0


def _end(process):
    """End the process, and what it may have started."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _ending(code):
    if code == 0:
        return ""
    if -code in {getattr(signal, "SIGXCPU", None), signal.SIGKILL if os.name == "posix" else None}:
        return "It was stopped: its time or its memory was used up."
    return (
        f"It ended the process that it ran in, with code {code}." if code > 0 else f"It crashed Python, signal {-code}."
    )


@functools.cache
def _path():
    return json.dumps([place for place in sys.path if place] or [os.getcwd()])


def _environment(folder):
    """Nothing of the teacher's: no names, no keys, another home; one thread for NumPy."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR", "IPYTHONDIR"), folder)
    threads = dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
    )
    return kept | homes | threads | {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}


def _read(path):
    """The bytes of an ordinary file of an ordinary size: the answer may have put anything else there."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            raise ValueError("this is no record")
        return file.read(LARGEST)


def _unpacked(data):
    """The record as `checks.judge` takes it, from bytes that anybody may have written."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if sum(part.file_size for part in parts.infolist()) > LARGEST:
            raise ValueError("this is no record")
    record = dict(np.load(io.BytesIO(data), allow_pickle=False))
    results = {name: array for name, array in record.items() if name.startswith("result ")}
    if str(record["status"]) not in {"right", "wrong", "blank"} or {x.dtype.kind for x in results.values()} - set(
        "fiub"
    ):
        raise ValueError("this is no record")
    message, count = str(record["message"])[:1000], int(record.get("arguments", 0))
    return {"status": str(record["status"]), "message": message, "arguments": count} | results
