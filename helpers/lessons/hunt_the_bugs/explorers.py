"""The hunt: ten attentions with a mistake each, held beside the rules, examples that hide mistakes, and eight models of today."""

import functools

import numpy as np

from helpers import matrices
from helpers.explorers import verdicts
from helpers.explorers.controls import choose, slider, switch
from helpers.explorers.engine import Rule, explorer
from helpers.explorers.touch import Touch
from helpers.lessons.hunt_the_bugs import model_specimens, specimens
from helpers.pictures import colours
from helpers.pictures.html import by_width
from helpers.pictures.svg import Drawing
from helpers.sources.examples import get

RULES, MISTAKES = list(specimens.RULES), list(specimens.MISTAKES)
_YOURS = "made in the specimen's own way"  # which is what the learner is to find out
NUMBERS = range(1, len(specimens.ORDER) + 1)


def explore_hunt():
    """Open any of ten attentions at any of ten rules, and say which mistake it makes; all verdicts are kept.

    Shown: weights (2, 4, 4) of two heads under the causal mask, output (4, 4), gaps (10, 10), by how much each specimen
    breaks each rule, verdict_gaps (10,), the same for the mistake that is named, all 0 while there is none, and right (10,),
    the specimens that are named rightly
    """
    yours = verdicts.controls("specimen", NUMBERS, MISTAKES)
    return explorer(
        _examine,
        _draw_specimen,
        _describe_specimen,
        [Rule("every rule is kept", lambda now: np.count_nonzero(now.gaps[now.number - 1]), "{} broken")],
        touch={
            "rules": Touch(
                lambda now, i, j: {"number": j + 1, "rule": i + 1},
                lambda now, i, j: f"click: specimen {j + 1}, rule {i + 1}: {_kept(now.gaps[j, i])}",
            ),
            "verdicts": Touch(
                lambda now, i, j: verdicts.name(now, MISTAKES[i]),
                lambda now, i, j: f"click: specimen {now.number} makes this mistake",
            ),
        },
        sums={
            "weights": lambda now, h, i, j: f"head {h + 1}: what token {i + 1} gives to token {j + 1}, {_YOURS}",
            "output": lambda now, i, j: f"output of token {i + 1}, number {j + 1}, {_YOURS}",
        },
        folded=["number", "rule", *yours],
        number=slider("specimen", 1, 1, NUMBERS[-1], 1),
        rule=slider("rule", 6, 1, len(RULES), 1),
        **yours,
    )


@functools.cache
def _gaps(mistake):
    steps = specimens.RIGHT if mistake == verdicts.NO_VERDICT else specimens.MISTAKES[mistake]
    return tuple(specimens.gaps(specimens.attention_of(steps)).tolist())


def _examine(number, rule, **yours):
    output, weights = specimens.ask(specimens.specimen(number), mask=specimens.CAUSAL)
    return {
        "weights": weights,
        "output": output,
        "gaps": np.array([_gaps(specimens.mistake_of(k)) for k in NUMBERS]),
        "verdict_gaps": np.array(_gaps(yours[verdicts.of(number)])),
        "right": np.array([yours[verdicts.of(k)] == specimens.mistake_of(k) for k in NUMBERS]),
    }


def _draw_specimen(now):
    same = {"kind": "weights", "blocked": ~specimens.CAUSAL, "corner": "query ↓ key →", "decimals": 2}
    heads = [
        matrices.matrix(w, f"specimen {now.number}: weights, head {h + 1}", places=now.places("weights", h), **same)
        for h, w in enumerate(now.weights)
    ]
    return [[*heads, now.table("output", decimals=2)], [_table_of_rules(now), _table_of_verdicts(now)]]


SHORT = (
    "rows sum to 1", "blocked keys get 0", "no look ahead", "first: no look ahead", "shuffled in, out",
    "only its own output", "double the values", "double the width", "large tokens", "ask twice",
)  # fmt: skip
BROKEN = matrices.Html(f'<b style="color:{colours.css("wrong")};">✗</b>', "✗")


def _table_of_rules(now):
    lines = [
        [f"{k} {words}", *(BROKEN if gap else "✓" for gap in column)]
        for k, (words, column) in enumerate(zip(SHORT, now.gaps.T, strict=True), 1)
    ]
    open_one = {(now.rule - 1, now.number - 1): "result"}
    how = {"corner": "specimen →", "marks": open_one, "places": now.places("rules")}
    return matrices.table(lines, "rules kept ✓ and broken ✗", NUMBERS, **how)


def _table_of_verdicts(now):
    given = {mistake: [k for k in NUMBERS if now[verdicts.of(k)] == mistake] for mistake in MISTAKES}
    lines = [
        [letter, mistake, ", ".join(f"{k} {'✓' if now.right[k - 1] else '✗'}" for k in given[mistake])]
        for letter, mistake in zip("abcdefghij", MISTAKES, strict=True)
    ]
    named = now[verdicts.of(now.number)]
    marks = {} if named == verdicts.NO_VERDICT else {(MISTAKES.index(named), 0): "result"}
    return matrices.table(lines, "your verdicts", ["mistake", "specimen"], marks=marks, places=now.places("verdicts"))


def _kept(gap):
    return f"the gap is {gap:.3f}" if gap else "kept"


def _describe_specimen(now):
    gaps = now.gaps[now.number - 1]
    words = RULES[now.rule - 1]
    return (
        f"Specimen {now.number} breaks {(gaps > 0).sum()} of {len(RULES)} rules. Rule {now.rule}, “{words}”: "
        f"{_kept(gaps[now.rule - 1])}. {verdicts.reply(now, RULES, 'Which mistake does that?')} "
        f"Named correctly so far: {now.right.sum()} of {len(now.right)}."
    )


# --- examples that hide ----------------------------------------------------------------------------------------------

EXAMPLES = {
    "three tokens, identity": (get("three tokens: scores").given["X"], np.eye(2), np.eye(2), np.eye(2)),
    "AABA, booster": (
        get("whole string: E").right,
        *(get("whole string: scores").given[f"W_{role}"] for role in ("query", "key")),
        np.eye(2),
    ),
    "four tokens, whole numbers": (specimens.X, specimens.W_QUERY, specimens.W_KEY, specimens.W_VALUE),
}


def explore_hiding_examples():
    """Choose the example on which ten wrong attentions are held beside the right one, and see which of them it catches.

    Shown: differences (10,), how far the output of each mistake lies from the right one
    """
    return explorer(
        _compare,
        _draw_differences,
        lambda now: f"This example catches {_caught(now.differences).sum()} of {len(now.differences)} mistakes.",
        [Rule("no mistake stays hidden", lambda now: (~_caught(now.differences)).sum(), "{} hidden")],
        example=choose("example", list(EXAMPLES), next(iter(EXAMPLES))),
        causal=switch("with the causal mask"),
        two_heads=switch("with two heads"),
        thousands=switch("tokens a thousand times as large"),
        again=switch("ask twice, compare the second answer"),
    )


def _compare(example, causal, two_heads, thousands, again):
    X, *matrices_now = EXAMPLES[example]
    X = X * (1000 if thousands else 1)
    mask = np.tri(len(X), dtype=bool) if causal else None

    def answer(steps):
        given = [np.array(x, dtype=float) for x in matrices_now]
        attend = specimens.attention_of(steps)
        for _ in range(1 + again):
            output, _ = attend(X.copy(), *given, 1 + two_heads, mask)
        return output

    right = answer(specimens.RIGHT)
    return {"differences": np.array([np.abs(answer(wrong) - right).max() for wrong in specimens.MISTAKES.values()])}


def _caught(differences):
    return ~(differences < specimens.SMALLEST_GAP)  # NaN is caught, too


def _draw_differences(now):
    lines = [
        [mistake, "NaN" if np.isnan(gap) else f"{gap:.3f}", "caught" if caught else "hidden"]
        for mistake, gap, caught in zip(MISTAKES, now.differences, _caught(now.differences), strict=True)
    ]
    return matrices.table(
        lines, "this example beside ten mistakes", ["output off by", "by this example"], corner="mistake"
    )


# --- models of today ------------------------------------------------------------------------------------------------------

MODEL_RULES, MODEL_MISTAKES = list(model_specimens.RULES), list(model_specimens.MISTAKES)
MODELS = range(1, len(model_specimens.ORDER) + 1)


def explore_model_hunt():
    """Open any of eight models at any of nine rules, and say which bug it has; all verdicts are kept.

    Shown: gaps (8, 9), by how much each model breaks each rule; verdict_gaps (9,), the same for the mistake that is named, 0 while
    there is none; right (8,), the models whose bug is named
    """
    yours = verdicts.controls("model", MODELS, MODEL_MISTAKES)
    return explorer(
        _examine_model,
        _draw_hunt,
        _describe_model,
        touch={
            "rules": Touch(
                lambda now, i, j: {"rule": i + 1, "number": j + 1},
                lambda now, i, j: f"model {j + 1}, rule {i + 1}: {_moved(now.gaps[j, i], i)}",
            ),
            "mistakes": Touch(
                lambda now, i: verdicts.name(now, MODEL_MISTAKES[i]), lambda now, i: f"model {now.number} has this bug"
            ),
        },
        folded=["number", "rule", *yours],
        number=slider("model", 1, 1, MODELS[-1], 1),
        rule=slider("rule", 4, 1, len(MODEL_RULES), 1),
        **yours,
    )


@functools.cache
def _model_gaps(mistake):
    parts = model_specimens.RIGHT if mistake == verdicts.NO_VERDICT else model_specimens.MISTAKES[mistake]
    return tuple(model_specimens.gaps(model_specimens.model_of(parts)).tolist())


def _examine_model(number, rule, **yours):
    return {
        "gaps": np.array([_model_gaps(model_specimens.mistake_of(k)) for k in MODELS]),
        "verdict_gaps": np.array(_model_gaps(yours[verdicts.of(number)])),
        "right": np.array([yours[verdicts.of(k)] == model_specimens.mistake_of(k) for k in MODELS]),
    }


def _moved(gap, rule):
    if gap and MODEL_RULES[rule] == model_specimens.HEARD:
        return "one of them moves nothing"
    return f"outputs move by {gap:.3f}" if gap else "kept"


def _draw_hunt(now):
    """Above, a line for each rule and a column for each model; below, the bugs, with the models on which they were blamed."""
    return by_width(_lines_and_columns(now, 462, 50, 26), _lines_and_columns(now, 16, 39, 44, lower=19))


def _lines_and_columns(now, left, step, line, lower=0):
    """The columns begin at `left`; on a phone they stand `lower` pixels below the words that head their line."""
    picture = Drawing(left + step * len(MODELS) + 12, 52 + line * (len(MODEL_RULES) + len(MODEL_MISTAKES) + 1))
    low, start, size = 50 + line * len(MODEL_RULES), 2 if lower else 12, 12 if lower else 14

    def head(y, words, chosen):
        """What heads a line; its words are bold where they have room."""
        look = {"bold": chosen} if not lower else {"colour": "chosen" if chosen else "ink"}
        picture.words(start, y, words, size=size, anchor="start", **look)

    rules, mistakes = now.places("rules"), now.places("mistakes")
    picture.box(left + step * (now.number - 1), 4, step, low - 16, rx=5, fill="chosen", fill_opacity=0.12)
    if not lower:
        picture.words(left - 14, 22, "model", size=13, anchor="end", colour="muted")
        picture.words(start, 22, "rule", size=13, anchor="start", colour="muted")
    for k in MODELS:
        picture.words(left + step * (k - 0.5), 22, str(k), size=14, colour="chosen" if k == now.number else "muted")
    for i, words in enumerate(MODEL_RULES):
        y = 48 + line * i
        head(y, f"{i + 1}  {words}", i == now.rule - 1)
        for j, gap in enumerate(now.gaps[:, i]):
            at = left + step * (j + 0.5)
            picture.words(at, y + lower, "✗" if gap else "✓", size=16, colour="wrong" if gap else "muted", bold=gap)
            picture.box(at - step / 2, y - 19 + lower, step, line - lower, fill="transparent", place=(rules, i, j))
    picture.words(start, low + 12, "bug", size=13, anchor="start", colour="muted")
    for i, words in enumerate(MODEL_MISTAKES):
        y, named = low + 12 + line * (i + 1), [k for k in MODELS if now[verdicts.of(k)] == MODEL_MISTAKES[i]]
        here = now.number in named
        head(y, f"{'abcdefghi'[i]}  {words}", here)
        for k in named:
            right = bool(now.right[k - 1])
            mark, colour = ("✓", "ink") if right else ("✗", "wrong")
            picture.words(left + step * (k - 0.5), y + lower, f"{k} {mark}", size=15, colour=colour, bold=True)
        picture.box(4, y - 19, left + step * len(MODELS), line, fill="transparent", place=(mistakes, i))
    broken = "; ".join(
        f"model {k} breaks {' and '.join(f'rule {i + 1}' for i in np.flatnonzero(row))}"
        for k, row in zip(MODELS, now.gaps)
    )
    return picture.html(f"{broken[0].upper()}{broken[1:]}.")


def _describe_model(now):
    gap = now.gaps[now.number - 1, now.rule - 1]
    return (
        f"Model {now.number}, rule {now.rule}, “{MODEL_RULES[now.rule - 1]}”: {_moved(gap, now.rule - 1)}. "
        f"{verdicts.reply(now, MODEL_RULES, 'Which bug does that?')} "
        f"Found so far: {now.right.sum()} of {len(now.right)}."
    )
