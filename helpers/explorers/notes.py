"""What the notes print, beside what this course computes."""

import numpy as np

from helpers import examples, matrices
from helpers.explorers.controls import choose, slider, stops, switch
from helpers.explorers.engine import Light
from helpers.explorers.legacy import Explorer

ALL = "all"
VERDICTS = {
    ALL: ALL,
    "agrees": "match",
    "differs": "differs",
    "formula": "formula",
    "not in our text": "computed",
}
WORDS = {verdict: words for words, verdict in VERDICTS.items()}
NOTHING = np.empty(0)


def explore_notes():
    """Browse everything that the notes print, each beside what is computed here, filtered by notes, verdict and lesson.

    Returns
    -------
    Explorer
        shown: place (2,), which one of how many; printed, computed and differs (True where they differ), of the shapes
        that the notes print and the course computes; empty where there is no number
    """
    everything = list(examples.load().values())
    lessons = sorted({example.lesson for example in everything})
    explorer = Explorer(
        {
            "notes": choose("notes", [ALL, *examples.sources()], ALL),
            "verdict": choose("verdict", VERDICTS, "differs"),
            "lesson": stops("lesson", [(ALL, ALL), *((f"{lesson:02d}", lesson) for lesson in lessons)], ALL),
            "item": slider("which of them", 1, 1, len(_chosen(ALL, "differs", ALL)), 1),
            "given": switch("show what it starts from"),
        },
        _look_up,
        _draw,
        _describe,
        lights=_lights,
        presets={
            "an impossible output": _place("three tokens: y1", "differs"),
            "a similarity matrix": _place("similarity matrix", "differs"),
        },
    )
    _keep_slider_within(explorer.controls)
    return explorer


def _place(id, verdict):
    """Values of the controls that lead to one example."""
    found = _chosen(ALL, verdict, ALL)
    item = 1 + [example.id for example in found].index(id)
    return {"notes": ALL, "verdict": verdict, "lesson": ALL, "item": item}


def _keep_slider_within(controls):
    """Let the last slider end where the list ends."""

    def follow(_change):
        found = _chosen(*(controls[name].value for name in ("notes", "verdict", "lesson")))
        controls["item"].max = max(len(found), 1)

    for name in ("notes", "verdict", "lesson"):
        controls[name].observe(follow, "value")


def _chosen(notes, verdict, lesson):
    return [
        example
        for example in examples.load().values()
        if notes in (ALL, example.source) and verdict in (ALL, example.verdict) and lesson in (ALL, example.lesson)
    ]


def _example(values):
    found = _chosen(values["notes"], values["verdict"], values["lesson"])
    return found[min(values["item"], len(found)) - 1] if found else None


def _look_up(notes, verdict, lesson, item, given):
    found = _chosen(notes, verdict, lesson)
    empty = {"printed": NOTHING, "computed": NOTHING, "differs": NOTHING}
    place = {"place": np.array([min(item, len(found)), len(found)])}
    if not found:
        return {**place, **empty}
    example = found[place["place"][0] - 1]
    if example.verdict == "formula":
        return {**place, **empty}
    computed = examples.compute(example)
    if example.printed is None:
        return {**place, **empty, "computed": computed}
    return {
        **place,
        "printed": example.printed.copy(),
        "computed": computed,
        "differs": examples.differs(example, computed),
    }


def _draw(shown, values):
    example = _example(values)
    if example is None:
        return matrices.table([["nothing", "–", "–"]], "chosen", ["what", "lesson"], corner="entry")
    about = [example.id, example.what, f"{example.lesson:02d}", WORDS[example.verdict]]
    head = matrices.table([about], example.source, ["what", "lesson", "verdict"], corner="entry")
    start = [_given(name, value) for name, value in example.given.items()] if values["given"] else []
    if example.verdict == "formula":
        lines = [["printed", example.printed], ["right", example.right]]
        numbers = matrices.table(lines, "formula", ["words or formula"])
    else:
        numbers = _side_by_side(shown, example)
    return matrices.under(head, numbers, *([matrices.beside(*start)] if start else []))


def _side_by_side(shown, example):
    """The printed matrix and the computed one; where they differ, both are outlined."""
    parts = []
    if example.printed is not None:
        stack = shown["printed"] if shown["printed"].ndim == 3 else shown["printed"][None]
        marks = shown["differs"] if shown["printed"].ndim == 3 else shown["differs"][None]
        for k, (values, outlined) in enumerate(zip(stack, marks), start=1):
            name = f"printed, {k}" if len(stack) > 1 else "printed"
            parts.append(_numbers(values, name, outlined, "factor", example.decimals))
    outlined = np.zeros(shown["computed"].shape, bool)
    if shown["differs"].ndim == outlined.ndim:
        shared = tuple(slice(min(sizes)) for sizes in zip(outlined.shape, shown["differs"].shape))
        outlined[shared] = shown["differs"][shared] if example.printed is not None else False
    return matrices.beside(*parts, _numbers(shown["computed"], "computed", outlined, "result", example.decimals))


def _numbers(values, name, outlined, mark, decimals):
    places = np.argwhere(np.atleast_2d(outlined))
    return matrices.matrix(
        values,
        name,
        decimals=matrices.fewest_decimals(values, decimals or 4),
        fractions=matrices.exact_fractions(values),
        marks={(int(i), int(j)): mark for i, j in places},
    )


def _given(name, value):
    if isinstance(value, np.ndarray):
        return _numbers(value, name, np.zeros(value.shape, bool), "", None)
    words = " / ".join(value) if isinstance(value, tuple) else str(value)
    return matrices.table([[name, words]], "starts from", ["value"])


def _describe(shown, values):
    example, (item, count) = _example(values), shown["place"]
    if example is None:
        kind = "" if values["verdict"] == ALL else f" marked '{WORDS[values['verdict']]}'"
        lesson = "" if values["lesson"] == ALL else f" in lesson {values['lesson']:02d}"
        where = "" if values["notes"] == ALL else f" from {values['notes']}"
        return f"There is nothing to show: no entry{where}{lesson} is{kind or ' here'}."
    here = f"{item} of {count}"
    if example.verdict == "formula":
        return f"{here}: another formula or word than usual; {example.evidence}."
    if example.printed is None:
        return f"{here}: our text has no number here; the computed one follows from what they give."
    many, wrong = shown["printed"].size, int(shown["differs"].sum())
    if not wrong:
        return f"{here}: {many} printed number{'s' * (many > 1)}, computed the same."
    how_many = "the printed number differs" if many == 1 else f"{wrong} of {many} printed numbers differ"
    return f"{here}: {how_many}; {example.evidence}."


def _lights(shown, values):
    if not shown["printed"].size:
        return []
    wrong = int(shown["differs"].sum())
    return [Light("the notes agree with the computation", not wrong, f"{wrong} off")]
