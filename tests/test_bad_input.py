"""Whatever is handed to the course comes back as an answer or as a sentence that names it: mathematics, data, matrices, explorers.

Every public function × every parameter × every bad value below: nothing else may happen, and nothing may hang.
"""

import contextlib
import importlib
import inspect
import itertools
import re
import signal
import warnings
from pathlib import Path

import numpy as np
import pytest

from helpers import checks, explorers, variants
from helpers.support import documented
from tests.good_calls import CALLS, Made
from tests.notebooks import dotted
from workbench import matrices

MODULES = """
    attention streaming positions layers transformer decoder patches parameters optimizers training
    softmax_variants variants experts gates sparse yarn recall letters dates date_model small_models costs measuring
    specimens tokens bytes_pairs words attention_maps bert
""".split()
LATER = ("depth", "examples", "notes")
METHODS = {
    "variants.KeyValueCache.append": lambda: variants.KeyValueCache().append,
}
LEFT_OUT = {  # with the reason
    "parameters.save": "writes files",
    "specimens.ask": "hands its arguments to an attention that believes what it is given",
    "bert.read": "needs the tokenizer of the real model",
    "bert.installed_model": "needs the real model",
}
BAD = {
    "None": None, "True": True, "nothing written": "", "a word": "word", "bytes": b"AB", "an object": object(),
    "a function": lambda *given, **named: None, "a class": dict, "0": 0, "-1": -1, "7": 7, "0.5": 0.5, "-0.5": -0.5,
    "NaN": np.nan, "infinity": np.inf, "1e308": 1e308, "2**31": 2**31, "2**63": 2**63, "10**400": 10**400, "1j": 1j,
    "an empty list": [], "an empty dict": {}, "an empty tuple": (), "a set": {1, 2}, "a dict of None": {"x": None},
    "a list of None": [None, None], "a ragged list": [[1.0], [1.0, 2.0]], "a list of words": ["A", "word"],
    "an array of nothing": np.empty((0, 3)), "a NaN in an array": np.full((3, 4), np.nan),
    "an infinity in an array": np.full((3, 4), -np.inf), "huge numbers": np.full((3, 4), 1e308),
    "float16": np.ones((3, 4), np.float16), "uint64": np.ones(3, np.uint64), "another shape": np.ones((2, 3, 5, 7)),
    "complex numbers": np.ones((3, 4), complex), "objects in an array": np.array([None, {}], dtype=object),
    "a time": np.datetime64("2026-11-21"), "a masked array": np.ma.masked_equal(np.ones((3, 4)), 1),
}  # fmt: skip
OTHER_WORDS = {  # what else a message may call a parameter
    "parameters": r"gain|bias|embedding|encoder|decoder|[Wb]_\w+|x|loss_of|the loss",
    "attend": "output|weights|attention", "x": "gain|query_tokens", "memory": "context", "path": "missing|file",
    "folder": "missing|weights", "text": "date", "texts": "date", "vocabulary": "tokens", "step": "the loss",
    "learning_rate": "learning rate", "peak": "learning_rate", "like": "arrays of this model|bytes", "days": "day",
    "nested": "parameters|model",
    "values": "X",  # what the picture calls them
    "marked": "values", "kind": "word",
    "recipes": "x",  # what the test's own compute makes of it
    "columns": "entries",
}  # fmt: skip
TOO_LARGE = "too large for float|must be small enough"  # it took more than one of the arguments to overflow
SLOW_ON_PURPOSE = {
    ("measuring.quickest_seconds", "at_least", "7"),
    ("measuring.measure_attention", "at_least", "7"),
    ("explorers.explore_ablation", "parameters", "None"),  # the course's own model reads 1,600 dates
}
OWN_ERRORS = {("parameters.tree_map", "function", "a class")}  # dict(array) has its own opinion of arrays
NoExercise = KeyError  # a lookup by the name of an exercise, which its message must say
SECONDS = 5


class TookTooLong(BaseException):
    """Not an Exception, so that nothing on the way catches it."""


@contextlib.contextmanager
def little_memory(extra=2**30):
    """Whoever asks for more gets a MemoryError, and the machine stays alive."""
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    pages = Path("/proc/self/statm")
    now = int(pages.read_text().split()[0]) * resource.getpagesize() if pages.exists() else 2**32
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + extra, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def function_of(name):
    module, _, function = name.partition(".")
    if name in METHODS:
        return METHODS[name]()
    return getattr(importlib.import_module(dotted(module)), function)


def is_declared(name):
    """Whether the docstring of a function is its guard: test_documented breaks all that it asks for."""
    return getattr(function_of(name), "is_declared", False)


def undeclared(name):
    """The arguments of which the docstring asks for nothing, so that the function itself has to."""
    asked = dict(documented.declared(function_of(name)).asks) if is_declared(name) else {}
    return [parameter for parameter in CALLS[name] if parameter not in asked]


def call_of(name, changes):
    module, _, function = name.partition(".")
    given = {key: value.make() if isinstance(value, Made) else value for key, value in (CALLS[name] | changes).items()}
    if name in METHODS:
        return lambda: METHODS[name]()(**given)
    if "parts" in given and module == "matrices":
        parts = given.pop("parts")
        parts = parts if isinstance(parts, tuple) else [parts]
        return lambda: getattr(matrices, function)(*parts, **given)
    variadic = given.pop("arrays_of_data", None) if "arrays_of_data" in given else ()
    function = getattr(importlib.import_module(dotted(module)), function)
    if name == "training.random_batches":
        return lambda: next(
            function(given["rng"], *(variadic if isinstance(variadic, tuple) else [variadic]), size=given["size"])
        )
    if name == "dates.random_batches":
        return lambda: next(function(**given))
    return lambda: function(**given)


def verdict(name, parameter, value):
    """`answer`, `clear`, or what else came."""

    def ring(*_):
        raise TookTooLong

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, ring)
        signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call_of(name, {parameter: value})()
    except AssertionError as error:  # what `require` raises of an answer that is not right
        return "clear" if name == "checks.require" and parameter == "answer" else f"other AssertionError: {error}"
    except (ValueError, TypeError, FileNotFoundError, NoExercise) as error:
        words = rf"\b({re.escape(parameter)}|{OTHER_WORDS.get(parameter, parameter)})\b|{TOO_LARGE}"
        return "clear" if re.search(words, str(error)) else f"cryptic {type(error).__name__}: {error}"
    except (Exception, TookTooLong) as error:
        return f"other {type(error).__name__}: {error}"
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
    return "answer"


def sweep(name):
    """List of (parameter, what it was given, verdict)."""
    with little_memory():
        return [
            (parameter, what, verdict(name, parameter, value))
            for parameter, (what, value) in itertools.product(undeclared(name), BAD.items())
            if (name, parameter, what) not in SLOW_ON_PURPOSE | OWN_ERRORS
        ]


def functions_of(name):
    """The public functions that a module defines, with its name before them."""
    module = importlib.import_module(dotted(name))
    return {
        f"{name}.{function}"
        for function, value in vars(module).items()
        if not function.startswith("_") and inspect.isfunction(inspect.unwrap(value))
        if inspect.unwrap(value).__module__ == module.__name__
    }


def offered_by(package):
    """The functions that a package offers by name and that take arguments."""
    found = {name: getattr(package, name) for name in package.__all__}
    return {
        f"{package.__name__.removeprefix('helpers.')}.{name}"
        for name, value in found.items()
        if inspect.isfunction(value) and inspect.signature(value).parameters
    }


def test_every_public_function_is_swept():
    public = set().union(*map(functions_of, [*MODULES, *LATER]), offered_by(explorers), offered_by(checks))
    assert public - set(CALLS) == LEFT_OUT.keys()


@pytest.mark.parametrize("name", CALLS)
def test_good_arguments_are_answered(name):
    if name == "bert.load_model":
        pytest.skip("has no good argument without the extra model")
    call_of(name, {})()


@pytest.mark.everything
@pytest.mark.parametrize("name", [name for name in CALLS if undeclared(name)])
def test_bad_arguments_are_answered_or_named(name):
    faults = [
        f"{parameter} = {what}: {told}" for parameter, what, told in sweep(name) if told not in ("answer", "clear")
    ]
    assert not faults, "\n".join(faults)
