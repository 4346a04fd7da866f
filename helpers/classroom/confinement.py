"""Shut a process in, before it runs a stranger's program: it may compute, and write into one folder.

What the operating system offers is used: limits on time, memory and files (Linux and macOS), rules for files and an
empty network, without other processes (Linux: Landlock, since 5.13, and namespaces). Everywhere Python itself refuses, too, by an audit hook;
that keeps accidents and plain mischief away, but no attacker who knows Python's insides.
"""

import contextlib
import ctypes
import os
import signal
import struct
import sys
import sysconfig
from pathlib import Path

from helpers.support import data_files

FILE_BYTES = 4_000_000
FILES = 64  # open at once
OTHERS = ("setpriority", "sched_setaffinity", "sched_setscheduler", "sched_setparam")  # Python calls no hook for these
NEVER = {f"os.{name}" for name in OTHERS} | set(
    "os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.startfile/2 os.kill os.killpg os.chown "
    "os.setxattr os.removexattr gc.get_objects gc.get_referrers gc.get_referents sys.remote_exec pty.spawn sqlite3.connect "
    "mmap.__new__".split()
)
FAMILIES = tuple("socket. subprocess. ctypes. winreg. _winapi. syslog. msvcrt. fcntl. resource.".split())
CHANGES = set(
    "os.remove os.rename os.rmdir os.mkdir os.link os.symlink os.truncate os.chmod os.utime os.chflags os.lchflags "
    "os.lockf".split()
)
LISTS = set("os.listdir os.scandir os.chdir os.walk os.fwalk glob.glob os.listxattr os.getxattr".split())


def readable():
    """Folders that Python itself and the course are read from."""
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {
        place for place in sys.path if Path(place).name in {"site-packages", "dist-packages", "lib-dynload", "DLLs"}
    }
    places |= {str(Path(data_files.__file__).parents[1]), str(data_files.FOLDER)}
    return sorted({os.path.realpath(place) for place in places if place and os.path.isdir(place)})


def shut_in(folder, seconds, megabytes):
    """Close all doors but one folder, for good.

    Parameters
    ----------
    folder : where the process may write
    seconds : of computing from now on
    megabytes : of memory

    Returns
    -------
    kept : list of what the operating system itself keeps: "time", "memory", "files", "network"
    """
    folder, places = os.path.realpath(folder), readable()
    os.chdir(folder)
    kept = []
    if os.name == "posix":
        os.closerange(3, 1024)  # what the parent left open
        if sys.platform == "linux":
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.unshare(0x10000000 | 0x20000000 | 0x40000000) == 0:  # a user, processes and a network of its own
                _go_on_alone(libc)
                kept += ["network"]
            kept += ["files"] if _landlock(libc, folder, places) else []
        kept += _limit(seconds, megabytes)
    guard = _guard(folder, places)
    sys.addaudithook(guard)
    for name in OTHERS:
        for module in (os, sys.modules[os.name if os.name == "nt" else "posix"]):
            setattr(module, name, lambda *_, name=name: guard(f"os.{name}", ()))
    return kept


def _go_on_alone(libc):
    """Go on as the only process in sight; the one before waits for its end, and ends in the same way."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
    libc.prctl(1, signal.SIGKILL)  # comes when the one before is gone


def _limit(seconds, megabytes):
    import resource

    times = resource.getrusage(resource.RUSAGE_SELF)
    limits = {
        "CPU": int(times.ru_utime + times.ru_stime + seconds) + 1, "AS": megabytes << 20, "FSIZE": FILE_BYTES,
        "NOFILE": FILES, "NPROC": 0, "CORE": 0,
    }  # fmt: skip
    held = {name: _limited(resource, getattr(resource, f"RLIMIT_{name}", None), most) for name, most in limits.items()}
    memory = held["AS"] and sys.platform != "darwin"  # macOS takes the number, and does not keep it
    return ["time"] * held["CPU"] + ["memory"] * memory


def _limited(resource, limit, most):
    if limit is None:
        return False
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(limit, (most, most))
        return True
    return False


def _landlock(libc, folder, places):
    """Whether the kernel lets this process read `places` and write into `folder`, and nothing else, from now on.

    linux/landlock.h: rights of files, of TCP (version 4 on), and who may be signalled (version 6 on).
    """
    create, add, restrict = 444, 445, 446  # the same on all architectures
    version = libc.syscall(create, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    rules = struct.pack("QQQ", rights, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(create, rules, ctypes.c_size_t(len(rules)), 0)
    if ruleset < 0:
        return False
    system = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/dev/null", "/dev/urandom", "/etc/ld.so.cache")
    for place, wanted in [*((place, 0b1101) for place in (*places, *system)), (folder, rights)]:
        with contextlib.suppress(OSError):
            handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
            wanted = wanted if os.path.isdir(place) else 0b0101  # a file can be read and executed, and not listed
            libc.syscall(add, ruleset, 1, struct.pack("=Qi", wanted, handle), 0)
            os.close(handle)
    return libc.prctl(38, 1, 0, 0, 0) == 0 and libc.syscall(restrict, ruleset, 0) == 0


def _guard(folder, places):
    """The audit hook; what it needs are its own names, which a program that changes modules does not reach."""
    real, case, decode = os.path.realpath, os.path.normcase, os.fsdecode
    home, *inside = (case(os.path.join(place, "")) for place in (folder, *places))
    inside, writing = tuple(inside), os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    text, never, families, changes, lists = (
        (str, bytes),
        frozenset(NEVER),
        FAMILIES,
        frozenset(CHANGES),
        frozenset(LISTS),
    )

    def refuse(what):
        raise PermissionError(f"an answer may not use {what} here")

    def beneath(path, allowed):
        if not isinstance(path, text) and not hasattr(path, "__fspath__"):
            return False
        return case(real(decode(path)) + os.sep).startswith(allowed)

    def guard(event, arguments):
        if event in never or event.startswith(families):
            refuse(event)
        elif event == "import" and arguments[0].startswith("psutil"):
            refuse("psutil")
        elif event == "open":
            path, _, flags = arguments
            if not isinstance(path, int) and not beneath(path, home if flags & writing else (home, *inside)):
                refuse(f"the file {path!r}")
        elif event in changes or event.startswith("shutil."):
            if not all(beneath(path, home) for path in arguments if isinstance(path, text)):
                refuse(event)
        elif event in lists and not beneath(arguments[0] or ".", (home, *inside)):
            refuse(event)

    return guard
