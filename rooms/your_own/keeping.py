"""A right answer goes into the learner's own file, with all that it takes from elsewhere in the notebook."""

import ast
import builtins
import inspect
import linecache
import math
import os
import re
import sys
import textwrap
from pathlib import Path

import numpy as np

from helpers import parts, yours
from helpers.support import own_file
from rooms.shared.strip import LESSONS, WRITES
from rooms.your_own.standing import model_at
from workbench.judging import display as display_of_a_notebook

LEANS = "it is right beside what this notebook defines, and not beside the parts that are kept."
BLOCKED = "a score of −∞ gives NaN, and a mask gives softmax such scores. Subtract the largest score of each row first."
OVERWRITES = "it writes into {}, where the next result overwrites it. Make the array inside."
ROUNDS = "it rounds to 16 bits, and the parts after it compute with its numbers."
AGAIN = "Delete it there and check again to have this one."
PLAIN = (int, float, complex, str, type(None))
MOST_NUMBERS = 64  # of an array, or a list, that goes along with a part
_told = set()


def keep(name, answer, judge):
    """Keep a right answer where it is a part of the learner's model.

    Parameters
    ----------
    name : of the exercise
    answer : the learner's function
    judge : function(answer) -> Feedback

    Returns
    -------
    sentence : what became of it, "" where there is nothing to say
    """
    if name not in parts.LESSONS or not keeps():
        return ""
    try:
        source = gathered(name, answer)
        part = yours.alone(name, source)
        arrays = {key: each for key, each in inspect.unwrap(part).__globals__.items() if isinstance(each, np.ndarray)}
        before = {key: each.tobytes() for key, each in arrays.items()}
        if judge(part).status != "right":
            rounds = judge(part.__wrapped__).status == "right"
            raise ValueError(ROUNDS if rounds else LEANS)
        if written := [key for key, each in arrays.items() if each.tobytes() != before[key]]:
            raise ValueError(OVERWRITES.format(" and ".join(written)))
        if name == "softmax" and not _gives_nothing_to_the_blocked(part):
            raise ValueError(BLOCKED)
        old, file, mine = own_file.read(yours.path()), yours.path().name, yours.model()
        yours.keep(name, source)
        now = own_file.read(yours.path())
        told = ""
        if name in mine.own and now != old:
            told = f"It replaces your older {name}, which is in {yours.path().stem}.before.py. "
        elif textwrap.dedent(source).strip() not in now:  # as it is kept
            told = f"Your {name} in {file} was changed by hand, and stays so"
            if name not in yours.model().own:
                return f"{told}; it cannot be loaded. {AGAIN} {yours.summary()}"
            is_right = judge(inspect.unwrap(mine.space[name])).status == "right"
            told += ". " if is_right else f"; it is no longer right. {AGAIN} "
    except OSError as error:
        sentence = f"{yours.path()} cannot be written, so your answers stay in the notebooks alone: {error.strerror}."
        is_new = sentence not in _told
        _told.add(sentence)
        return sentence * is_new
    except Exception as error:  # a check never stops a lesson
        return f"It was not kept in {yours.path().name}: {error}"
    return f"{told}Kept in {file}{elsewhere()}: {yours.summary()}"


def _gives_nothing_to_the_blocked(softmax):
    with np.errstate(all="ignore"):
        return np.array_equal(softmax(np.array([[0.0, -np.inf], [-np.inf, 1000.0]])), np.eye(2))


def at_fault(name, answer, judge):
    """Which of the learner's own parts makes a wrong answer wrong that is right with the course's; "" where none does.

    Takes what `keep` takes.
    """
    model, course = yours.model(), yours.of_the_course().space
    try:
        called = own_file.needs(textwrap.dedent(inspect.getsource(inspect.unwrap(answer))))
    except Exception:  # whatever was handed in: no source, or no function
        return ""
    if not model.own or not called & {"yours", *model.own}:
        return ""
    own = [each for each in parts.LESSONS if each in model.own]

    def is_right_with_the_course_s(names):
        with yours.replaced({each: course[each] for each in names}, model):
            return judge(answer).status == "right"

    if not is_right_with_the_course_s(own):
        return ""
    names = next(filter(is_right_with_the_course_s, ([each] for each in own)), own)
    told, where = ", ".join(names), ", ".join(dict.fromkeys(parts.LESSONS[each][:2] for each in names))
    return f"With the course's {told} in place of yours, {name} is right: go back to your {told}, lesson {where}."


def elsewhere():
    """Where the learner's file is, if not in the folder of the lesson that runs: two copies of the course may share an environment."""
    folder = yours.path().parent.resolve()
    is_near = "MY_MODEL" in os.environ or Path.cwd().is_relative_to(folder)
    return "" if is_near else f" of {folder}, the copy of the course that this Python belongs to"


def keeps():
    """Whether answers are kept: those of a notebook, and all where MY_MODEL names a file."""
    if "MY_MODEL" in os.environ:
        return bool(os.environ["MY_MODEL"])
    return display_of_a_notebook() is not None


def picture(name):
    """Where a part that was just kept stands in the learner's model."""
    lesson = parts.LESSONS[name].partition("_")[2]
    return model_at(lesson if lesson in {*LESSONS, WRITES} else None)


def gathered(name, answer):
    """The source of an answer, and before it what it takes from the notebook.

    Raises
    ------
    ValueError
        If its source is not known, or if it takes what cannot go along.
    """
    if not _is_plain(answer):
        raise ValueError("only a function that a cell defines by itself can be kept.")
    wanted = inspect.signature(getattr(parts, name)).parameters
    try:
        inspect.signature(answer).bind(*wanted)
    except TypeError:
        raise ValueError(f"as a part of the model it is called with {', '.join(wanted)}.") from None
    space, cell = inspect.unwrap(answer).__globals__, inspect.unwrap(answer).__code__.co_filename
    texts = _brought(_by_name(_defining(name, answer), space), space, {name}, cell)
    short = [text for text in texts if "\n" not in text]
    return "\n\n\n".join(["\n".join(short)] * bool(short) + [text for text in texts if "\n" in text])


def _brought(text, space, known, cell):
    """A text after those that it needs and that are not known yet."""
    texts = []
    for name in sorted(own_file.needs(text) - parts.LESSONS.keys() - {"np", "math"}):
        if name not in known and (name in space or not hasattr(builtins, name)):
            known.add(name)
            texts += _brought(_by_name(_text(name, space, cell), space), space, known, cell)
    return [*texts, text]


def _text(name, space, cell):
    """The code that gives a name of the notebook what it stands for; `cell` is that of the answer."""
    if name not in space:
        raise ValueError(f"it needs {name}, which is not there.")
    value = space[name]
    if inspect.ismodule(value):
        package, _, own_name = value.__name__.rpartition(".")
        return _imported(package, own_name, name)
    for module in (getattr(value, "__module__", None), "numpy"):
        if module != "__main__" and _holds(sys.modules.get(module), value):
            return _imported(module, value.__name__, name)
    if said := _constant(value):
        return f"{name} = {said}"
    if _is_plain(value):
        return _defining(name, value)
    if found := _made_in(cell, name, value):
        return _defining(name, value, found)
    raise ValueError(f"it needs {name} from elsewhere in the notebook. Give it to the function, or make it inside.")


def _constant(value):
    """Python that gives a number, a word, None, few of such in a tuple, list or dict, or an array of few numbers; "" for all else."""
    if type(value) in (tuple, list, dict) and len(value) <= MOST_NUMBERS:
        pieces = [_constant(each) for each in value]
        if type(value) is dict:
            of_keys = [_constant(each) for each in value.values()]
            pieces = [key and said and f"{key}: {said}" for key, said in zip(pieces, of_keys)]
        start, end = {tuple: "()", list: "[]", dict: "{}"}[type(value)]
        comma = "," * (type(value) is tuple and len(pieces) == 1)
        return f"{start}{', '.join(pieces)}{comma}{end}" if all(pieces) else ""
    if isinstance(value, np.ndarray) and value.size <= MOST_NUMBERS and value.dtype.kind in "biuf":
        said = _listed(value.tolist())
        return f"np.array({said}, dtype=np.{value.dtype.name})"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value) if isinstance(value, PLAIN) else ""


def _listed(value):
    return f"[{', '.join(map(_listed, value))}]" if isinstance(value, list) else _constant(value)


def _imported(package, own_name, name):
    renamed = f" as {name}" if name != own_name else ""
    return f"from {package} import {own_name}{renamed}" if package else f"import {own_name}{renamed}"


def _is_plain(value):
    """Whether its source says all of a function: it was not made by another one."""
    value = inspect.unwrap(value) if callable(value) else value
    return inspect.isfunction(value) and not value.__closure__


def _holds(module, value):
    """Whether a module has a value under its own name."""
    name = getattr(value, "__name__", None)
    return name is not None and getattr(module, name, None) is value


def _defining(name, value, found=None):
    """A text that defines a function, or what was found in lines of a cell, under this name."""
    text = _statement(value, found)
    if name in own_file.defined(text):
        return text
    if value.__name__ != "<lambda>":
        return f"{text}\n\n\n{name} = {value.__name__}"
    (found,) = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda)][:1]
    return f"{name} = {ast.get_source_segment(text, found)}"


def _made_in(cell, name, value):
    """The lines of the cell that makes a class, or in a line anything else, and where that begins; None where it is not found.

    The functions of a class tell its cell. All else is looked for in `cell`, that of the answer.
    """
    inside = vars(value).values() if inspect.isclass(value) else ()
    for lines in map(
        linecache.getlines, [*(each.__code__.co_filename for each in inside if inspect.isfunction(each)), cell]
    ):
        for node in reversed(ast.parse("".join(lines)).body):
            if isinstance(node, ast.ClassDef) and inspect.isclass(value) and node.name == value.__name__:
                return lines, _first(node)
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and [getattr(each, "id", "") for each in targets] == [
                name
            ]:
                return lines, node.lineno
    return None


def _statement(function, found=None):
    """The statement of a cell that defines a function, or what was found there, with the comments above it, as they were typed."""
    try:
        inside = inspect.unwrap(function)
        lines, line = found or (inspect.findsource(inside)[0], inside.__code__.co_firstlineno)
        nodes = [node for node in ast.parse("".join(lines)).body if _first(node) <= line <= node.end_lineno]
        start, end = _first(nodes[0]) - 1, nodes[0].end_lineno
    except (OSError, SyntaxError, IndexError):
        raise ValueError(f"the source of {function.__name__} is not known.") from None
    while start and lines[start - 1].startswith("#"):
        start -= 1
    while end < len(lines) and not lines[end][:1].strip():  # comments at the end of a function
        end += 1
    return "".join(lines[start:end]).rstrip()


def _first(node):
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


def _by_name(text, space):
    """The text with `softmax` for yours.softmax, and for attention.softmax where it is called as the part is."""
    nodes = list(ast.walk(ast.parse(text)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    local = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    named = parts.LESSONS.keys() - local
    for place in [node for node in nodes if isinstance(node, ast.Attribute) and node.attr in named]:
        module, written = space.get(getattr(place.value, "id", "")), ast.unparse(place)
        fit = [_fits(call, place.attr) for call in calls if ast.unparse(call.func) == written]
        of_course = inspect.ismodule(module) and module.__name__.startswith("helpers.") and fit and all(fit)
        if module is yours or of_course:
            text = re.sub(rf"\b{re.escape(written)}\b", place.attr, text)
    return text


def _fits(call, name):
    """Whether a call gives a part what it takes."""
    try:
        inspect.signature(getattr(parts, name)).bind(*call.args, **{each.arg or "": 0 for each in call.keywords})
    except TypeError:
        return False
    return not any(isinstance(each, ast.Starred) for each in call.args)
