"""A Python file to which parts are added one by one, beside whatever else its owner writes into it."""

import ast
import contextlib
import hashlib
import os
import re
import symtable
import time

_START = re.compile(r"^(?=# --- )", re.MULTILINE)
_MARK = re.compile(r"# --- (\w+) · \w+ · ([0-9a-f]{6})\n+")
_BORROWED = re.compile(r"\nfrom \S+ import .*  # the course's, until you write them\n")
CHANGED = "# Before, and changed by hand:"
_AFTER = "import numpy as np\n"  # the line below which borrowed parts are imported


def pieces(text):
    """The text, cut where a part begins: what stands before the first, then each with all that follows it."""
    return _START.split(text)


def name_of(piece):
    """The part that a piece begins with, or ""."""
    mark = _MARK.match(piece)
    return mark[1] if mark else ""


def dated(piece):
    """A piece of a file, to be kept beside it, with the time at which it was replaced."""
    return f"# === replaced on {time.strftime('%Y-%m-%d at %H:%M')}\n{piece.rstrip()}\n\n\n"


def with_part(text, name, source, lessons, module):
    """The text with a part in it, in place of an older one. All else stays.

    Parameters
    ----------
    text, name, source : str
    lessons : dict part -> lesson, in the order of the file
    module : the one that has all parts, from which those are imported that others need and the file lacks
    """
    parts, checksum = pieces(text), _checksum(source)
    new, order = f"# --- {name} · {lessons[name]} · {checksum}\n\n\n{source}\n\n", list(lessons)
    same = [k for k, piece in enumerate(parts) if name_of(piece) == name]
    if same:
        mark = _MARK.match(parts[same[0]])
        if mark[2] == checksum:
            return text  # no newer one; what was changed in the file by hand stays
        parts[same[0]] = new + _rest(parts[same[0]][mark.end() :], mark[2])
    else:
        later = {*order[order.index(name) + 1 :], ""}
        places = [k for k, piece in enumerate(parts) if k and name_of(piece) in later]
        parts.insert(places[0] if places else len(parts), new)
    text = _BORROWED.sub("", "".join(parts))
    lacking = set().union(*map(needs, pieces(text))) & lessons.keys() - defined(text).keys()
    borrowed = (
        f"\nfrom {module} import {', '.join(sorted(lacking, key=order.index))}  # the course's, until you write them\n"
    )
    return text.replace(_AFTER, _AFTER + borrowed, 1) if lacking else text


def _rest(body, checksum):
    """What follows a part in its piece; all of it, as comments, where the part was changed by hand."""
    lines = body.splitlines(keepends=True)
    for k in range(len(lines), 0, -1):
        if _checksum("".join(lines[:k])) == checksum:
            return "".join(lines[k:])
    return "".join([f"{CHANGED}\n", *(f"# {line}" for line in lines)])


def _checksum(source):
    lines = [line.rstrip() for line in source.strip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:6]


def needs(source):
    """The names that a text reads and does not define; none where it is not Python."""

    def read(table):
        free = [each for each in table.get_symbols() if each.is_referenced() and each.is_global()]
        outside = {each.get_name() for each in free if each.is_declared_global() or not each.is_local()}
        return outside.union(*map(read, table.get_children()))  # in a function named top Python calls all names global

    with contextlib.suppress(SyntaxError):
        top = symtable.symtable(source, "<text>", "exec")
        names = read(top) | {each.get_name() for each in top.get_symbols() if each.is_referenced()}
        return names - {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}
    return set()


def defined(text):
    """dict name -> code, of all that a text defines and does not import; none where it is not Python."""
    with contextlib.suppress(SyntaxError):
        nodes = [node for node in ast.parse(text).body if not isinstance(node, (ast.Import, ast.ImportFrom))]
        tables = {code: symtable.symtable(code, "<text>", "exec") for code in map(ast.unparse, nodes)}
        return {s.get_name(): code for code, top in tables.items() for s in top.get_symbols() if s.is_assigned()}
    return {}


def read(path):
    """What a file says, "" where there is none; ValueError where it is no text."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_text("utf-8-sig") if path.name else ""
    return ""


def replace(path, text):
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path):
    """Let one process after the other change a file; whoever has held the lock for five seconds is gone."""
    lock, until = path.with_name(f".{path.name}.lock"), time.monotonic() + 5
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            if time.monotonic() > until:
                break
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
