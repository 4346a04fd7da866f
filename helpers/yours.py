"""What you have written: a right answer stays in my_model.py, and `yours.softmax` is your own from then on.

A part that is not there yet, or that cannot be loaded, is the course's (`helpers.parts`). The file is yours, to be read, changed and
run. `keep` writes it, when a check has called an answer right; every part that a newer one replaces stays, in my_model.before.py.
"""

import builtins
import contextlib
import functools
import inspect
import os
import sys
import textwrap
import time
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers import parts as course
from helpers.learning.parameters import tree_map
from helpers.support import own_file

_EMPTY = '''"""My model, part by part, as I wrote them.

    python my_model.py                                lists the parts
    python my_model.py "The capital of France is"     writes with them
"""

import math

import numpy as np


# --- what runs it

if __name__ == "__main__":
    from helpers import your_program

    your_program.main(__file__)
'''
CUTS = "no derivatives come out of it, perhaps because of np.asarray"
LONGEST = 5  # seconds of processor that a piece of the file may take to define its parts
_COURSE = Path(__file__).parents[1]
_told, _line_goes_on = set(), False


class Endless(BaseException):
    """A loop that does not end; no `except Exception` of the file's stops it."""


class Part(NamedTuple):
    """name : of the function; lesson : the notebook that asks for it; by : "you" or "the course"."""

    name: str
    lesson: str
    by: str


def path():
    """Where my_model.py is, or will be: in the course's folder, or in the notebook's where the course is an installed package.

    In a browser, what was written in an older edition's folder is copied beside the notebook of a newer one.

    The environment variable MY_MODEL names another file. If it is empty, nothing is kept, and all parts are the course's.
    """
    if "MY_MODEL" in os.environ:
        return Path(os.environ["MY_MODEL"])
    is_a_clone = (_COURSE / "notebooks").is_dir() and (_COURSE / "pyproject.toml").is_file()
    file = (_COURSE if is_a_clone else Path.cwd()) / "my_model.py"
    if sys.platform == "emscripten" and not file.exists():
        _bring_along(file)
    return file


def _bring_along(file):
    """In a browser each edition of the course has a folder of its own: what was written in another one comes along, as a copy."""
    others = file.parent.parent.glob(f"*/{file.name}")
    try:
        newest = max(others, key=lambda other: other.stat().st_mtime, default=Path())
        if text := own_file.read(newest):
            own_file.replace(file, text)
    except (OSError, UnicodeError) as error:
        _tell(f"What you wrote in another edition cannot be copied to {file}: {error}.")


def parts():
    """list of Part, in the order of the lessons."""
    own = model().own
    return [Part(name, lesson, "you" if name in own else "the course") for name, lesson in course.LESSONS.items()]


def __getattr__(name):
    if name not in course.LESSONS:
        raise AttributeError(f"There is no part {name!r}; there are {', '.join(course.LESSONS)}.")
    return model().space[name]


def __dir__():
    return ["keep", "parts", "path", *course.LESSONS]


def summary():
    """How many parts are whose, in a sentence."""
    own = len(model().own)
    return f"{own} of the {len(course.LESSONS)} parts of your model {'is' if own == 1 else 'are'} yours."


# --- from the file ---------------------------------------------------------------------------------------------------


class Model(NamedTuple):
    """space : what the file defines, on top of the course's parts; own : the parts that are the learner's;
    shared : where the course's parts find one another, and the learner's."""

    space: dict
    own: set
    shared: dict


def model():
    """The file as it is now, a Model."""
    file = path()
    try:
        return _loaded(own_file.read(file), str(file))
    except (OSError, UnicodeError) as error:
        _tell(f"{file} cannot be read, so all parts are the course's: {error}.")
        return _loaded("", str(file))


@contextlib.contextmanager
def replaced(functions, of=None):
    """For a while these functions (dict name of a part -> function) are the model's parts, for itself as for who asks.

    Parameters
    ----------
    functions : dict
    of : Model; None = the learner's
    """
    spaces = (of or model())[::2]
    before = [{name: space[name] for name in functions} for space in spaces]
    for space in spaces:
        space.update(functions)
    try:
        yield
    finally:
        for space, functions_before in zip(spaces, before):
            space.update(functions_before)


def of_the_course():
    """The Model of the course's parts alone, which gives floats of the kind that it is given, as a learner's does."""
    return _loaded("", "")


@functools.lru_cache(maxsize=2)
def _loaded(text, file):
    shared = {name: value for name, value in vars(course).items() if name[:2] != "__"}
    shared |= {"__name__": "my_model", "__builtins__": builtins}
    copies = {n: types.FunctionType(shared[n].__code__, shared, n, shared[n].__defaults__) for n in course.LESSONS}
    for name, copy in copies.items():
        copy.__doc__ = course.SAYS[name]
    theirs = {name: _part(name, copies[name], None, file) for name in copies}  # which find one another in `shared`
    shared |= theirs
    space, line, own = dict(shared), 0, set()
    for piece in own_file.pieces(text):
        try:
            _run(compile("\n" * line + piece, file, "exec"), space)
        except (Exception, SystemExit, Endless) as error:
            where = _place(error, file, getattr(error, "lineno", 1))
            _tell(f"{where}: {_said(error)}. What cannot be loaded is the course's until you mend it.")
        line += piece.count("\n")
        for name in course.LESSONS:
            if space.get(name) is getattr(course, name) or not callable(space.get(name)):
                space[name] = shared[name]
            elif space[name] is not shared[name]:
                space[name] = shared[name] = _part(name, space[name], theirs[name], file)
                own.add(name)
    return Model(space, own, shared)


def _run(code, space):
    """Run a piece of the file; where it loops without end, it is stopped by its own time."""
    clock = getattr(time, "thread_time", time.process_time)  # a browser has no threads
    until, before = clock() + LONGEST, sys.gettrace()

    def watch(frame, event, argument):
        if clock() > until:
            raise Endless(f"this did not end within {LONGEST} seconds")
        return watch if frame.f_code.co_filename == code.co_filename else None

    sys.settrace(watch)
    try:
        exec(code, space)
    finally:
        sys.settrace(before)


def _part(name, function, theirs, file):
    """A function that returns floats of the kind that it is given; a learner's gives way to `theirs` where it stops.

    One array of 64 bits in a model of 32 makes every product after it convert all weights: it writes ten times as slowly.
    What has once lost the derivatives, by loops over numbers, say, is not asked for them again: each training step would wait for it.
    """
    cuts = False

    @functools.wraps(function)
    def part(*given, **named):
        nonlocal cuts
        if named:
            given = inspect.signature(theirs or function).bind(*given, **named).args
        like = next(_floats(given), None)
        learns = hasattr(like, "backward")
        if cuts and learns:
            return theirs(*given)
        try:
            result = function(*given)
            if learns and not any(hasattr(each, "backward") for each in _floats(result)):
                raise TypeError(CUTS)
        except Exception as error:
            try:
                result = theirs(*given)
            except Exception:  # what it was given is to blame; or it is the course's own
                raise error from None
            if learns and str(error) != CUTS and _runs(function, given):  # the library says it in many ways
                error = TypeError(CUTS).with_traceback(error.__traceback__)
            cuts = cuts or learns
            line = getattr(getattr(function, "__code__", None), "co_firstlineno", 1)
            _tell(f"{_place(error, file, line)}: {name} stopped with {_said(error)}. The course's goes on.")
        return _in(getattr(like, "dtype", None), result if learns else _as_wanted(name, result))

    part.__doc__ = part.__doc__ or getattr(theirs, "__doc__", None)
    return part


def _floats(given):
    """The arrays and tensors of floats in what is given, one after the other."""
    if isinstance(given, (tuple, list, dict)):
        for each in given.values() if isinstance(given, dict) else given:
            yield from _floats(each)
    elif getattr(getattr(given, "dtype", None), "kind", "") == "f":
        yield given


def _as_wanted(name, result):
    """What a part gives, as those after it need it: arrays in the place of lists of numbers and of masked arrays, a text as a list."""
    if name == "write":
        return result if type(result) is list else [int(token) for token in result]
    if name == "next_token":
        return int(result) if isinstance(result, (np.ndarray, np.integer)) and np.ndim(result) == 0 else result
    if name in ("read", "model_layer"):
        if type(result) not in (tuple, list) or len(result) != 2:
            return result
        first, rest = result
        cache = type(rest)(map(_array, rest)) if name == "model_layer" and type(rest) in (tuple, list) else rest
        return _array(first), cache
    if name == "merge_pairs":
        return result.tolist() if isinstance(result, np.ndarray) else result
    return _array(result)


def _runs(function, given):
    """Whether a function runs on the same numbers where no derivatives are wanted of them."""

    def plain(each):
        return np.array(each.data) if hasattr(each, "backward") else each

    try:
        function(*tree_map(plain, list(given)))
    except Exception:
        return False
    return True


def _array(value):
    return np.asarray(value) if isinstance(value, (list, tuple, np.ndarray)) else value


def _in(dtype, result):
    if type(result) in (tuple, list):
        return type(result)(_in(dtype, each) for each in result)
    is_plain = isinstance(result, np.ndarray) and result.dtype.kind == "f" and dtype is not None
    return result.astype(dtype, copy=False) if is_plain else result


def _place(error, file, line):
    """The file and the line in it that an error comes from."""
    trace = error.__traceback__
    while trace:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
        trace = trace.tb_next
    return f"{Path(file).name}, line {line}"


def _said(error):
    if isinstance(error, Endless):
        return str(error)
    words = str(getattr(error, "msg", error)).partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}, {words}" if words else type(error).__name__


def show(words, end=""):
    """Print words, of a line that goes on unless `end` ends it. What is told of a part meanwhile begins a line of its own."""
    global _line_goes_on
    print(words, end=end, flush=True)
    _line_goes_on = not end


def _tell(sentence):
    if sentence not in _told:
        _told.add(sentence)
        show("\n" * _line_goes_on + sentence, "\n")


# --- into the file ---------------------------------------------------------------------------------------------------


def keep(name, source):
    """Put a part into the learner's file, in place of an older one. All other text in the file stays.

    Parameters
    ----------
    name : str, of a part
    source : str, Python that defines it with np, math and the other parts alone

    Returns
    -------
    Part

    Raises
    ------
    ValueError
        If there is no such part, its source does not stand alone, or MY_MODEL is empty.
    OSError
        If the file cannot be written; it is then as it was.
    """
    source = textwrap.dedent(source).strip("\n") + "\n"
    alone(name, source)
    if not path().name:
        raise ValueError("MY_MODEL must name a file, but it is empty, so that nothing is kept.")
    with own_file.locked(path()):
        before = own_file.read(path())
        after = own_file.with_part(before or _EMPTY, name, source, course.LESSONS, course.__name__)
        if before != after:
            older = [piece for piece in own_file.pieces(before) if own_file.name_of(piece) == name]
            if older:  # each of them stays, the newest last
                place = path().with_name(f"{path().stem}.before.py")
                own_file.replace(place, own_file.read(place) + "".join(own_file.dated(each) for each in older))
            own_file.replace(path(), after)
    return Part(name, course.LESSONS[name], "you")


def alone(name, source):
    """The part that a source defines with np, math and the other parts alone; ValueError says why it does not."""
    if name not in course.LESSONS:
        raise ValueError(f"name must be that of a part, got {name!r}; there are {', '.join(course.LESSONS)}.")
    known = model().space
    space = {key: known[key] for key in {"np", "math", *course.LESSONS} - {name}}
    missing = sorted(own_file.needs(source) - vars(builtins).keys() - space.keys() - {name})
    if missing:
        raise ValueError(f"{name} must stand alone, but it needs {' and '.join(missing)} from elsewhere.")
    try:
        exec(compile(source, "<kept>", "exec"), space)
    except Exception as error:
        raise ValueError(f"{name} must stand alone, but it stops with {_said(error)}.") from None
    if not callable(space.get(name)):
        raise ValueError(f"{name} must be a function that its source defines.")
    others = own_file.defined(
        "".join(each for each in own_file.pieces(own_file.read(path())) if own_file.name_of(each) != name)
    )
    others |= dict.fromkeys(course.LESSONS)
    taken = [key for key, code in own_file.defined(source).items() if key != name and others.get(key, code) != code]
    if taken:
        raise ValueError(f"{' and '.join(taken)} must have another name in {name}: my_model.py has one of that name.")
    return _part(name, space[name], None, "<kept>")
