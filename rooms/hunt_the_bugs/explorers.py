"""The hunt: ten attentions with a mistake each, held beside the rules, examples that hide mistakes, and eleven models that are served."""

import functools

import numpy as np

from rooms.hunt_the_bugs import board, model_specimens, specimens
from rooms.shared import verdicts
from rooms.shared.examples import get
from workbench import Rule, Touch, by_width, choose, explorer, matrices, slider, switch

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
        [Rule("every rule is kept", _broken)],
        touch={
            "rules": Touch(
                lambda now, i, j: {"number": j + 1, "rule": i + 1},
                lambda now, i, j: f"click: specimen {j + 1}, rule {i + 1}: {_kept(now.gaps[j, i])}",
            ),
            "verdicts": Touch(
                lambda now, i: verdicts.name(now, MISTAKES[i]),
                lambda now, i: f"click: specimen {now.number} makes this mistake",
            ),
        },
        sums={
            "weights": lambda now, h, i, j: f"head {h}: what token {i + 1} gives to token {j + 1}, {_YOURS}",
            "output": lambda now, i, j: f"output of token {i + 1}, number {j + 1}, {_YOURS}",
        },
        folded=["number", "rule", *yours],
        number=slider("specimen", 1, 1, NUMBERS[-1], 1),
        rule=slider("rule", 6, 1, len(RULES), 1),
        **yours,
    )


@functools.cache
def _gaps(suspects, made_of, mistake):
    steps = suspects.RIGHT if mistake == verdicts.NO_VERDICT else suspects.MISTAKES[mistake]
    return tuple(suspects.gaps(made_of(steps)).tolist())


def _held(suspects, made_of, number, yours):
    """What every suspect breaks, what the mistake would that is named of this one, and which are named rightly."""
    named = [yours[verdicts.of(k)] for k in range(1, len(suspects.ORDER) + 1)]
    mistakes = [suspects.mistake_of(k + 1) for k in range(len(named))]
    return {
        "gaps": np.array([_gaps(suspects, made_of, mistake) for mistake in mistakes]),
        "verdict_gaps": np.array(_gaps(suspects, made_of, named[number - 1])),
        "right": np.array([one == other for one, other in zip(named, mistakes)]),
    }


def _examine(number, rule, **yours):
    output, weights = specimens.ask(specimens.specimen(number), mask=specimens.CAUSAL)
    return {"weights": weights, "output": output, **_held(specimens, specimens.attention_of, number, yours)}


SHORT = [
    "rows sum to 1", "blocked keys get 0", "no look ahead", "first: no look ahead", "shuffled in, out",
    "only its own output", "double the values", "double the width", "large tokens", "ask twice",
]  # fmt: skip


def _draw_specimen(now):
    same = {"kind": "weights", "blocked": ~specimens.CAUSAL, "corner": "query ↓ key →", "decimals": 2}
    heads = [
        matrices.matrix(w, f"specimen {now.number}: weights, head {h}", places=now.places("weights", h), **same)
        for h, w in enumerate(now.weights)
    ]
    wide = board.Layout(left=158, step=38, line=34, chip=34, beside=True)
    hunt = board.Board("specimen", SHORT, MISTAKES)
    return [
        by_width(hunt.draw(now, wide), hunt.draw(now, board.Layout(left=98, step=24, line=26, size=11))),
        [*heads, now.table("output", decimals=2)],
    ]


def _broken(now):
    many = np.count_nonzero(now.gaps[now.number - 1])
    return not many, "1 rule is broken" if many == 1 else f"{many} rules are broken"


def _kept(gap):
    return f"the gap is {gap:.3f}" if gap else "kept"


def _describe_specimen(now):
    gaps = now.gaps[now.number - 1]
    words = RULES[now.rule - 1]
    return (
        f"Specimen {now.number} breaks {(gaps > 0).sum()} of {len(RULES)} rules. Rule {now.rule}, “{words}”: "
        f"{_kept(gaps[now.rule - 1])}. {verdicts.reply(now, RULES, 'Which mistake is it?')} "
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
        [Rule("no mistake stays hidden", _hidden)],
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


def _hidden(now):
    many = (~_caught(now.differences)).sum()
    return not many, "1 mistake stays hidden" if many == 1 else f"{many} mistakes stay hidden"


def _draw_differences(now):
    lines = [
        [mistake, "NaN" if np.isnan(gap) else f"{gap:.3f}", "caught" if caught else "hidden"]
        for mistake, gap, caught in zip(MISTAKES, now.differences, _caught(now.differences), strict=True)
    ]
    columns = ["output off by", "by this example"]
    return matrices.table(lines, "this example beside ten mistakes", columns, corner="mistake")


# --- models that are served ------------------------------------------------------------------------------------------------------

MODEL_RULES, MODEL_MISTAKES = list(model_specimens.RULES), list(model_specimens.MISTAKES)
MODELS = range(1, len(model_specimens.ORDER) + 1)


def explore_model_hunt():
    """Open any of eleven models at any of twelve rules, and say which bug it has; all verdicts are kept.

    Shown: gaps (11, 12), by how much each model breaks each rule; verdict_gaps (12,), the same for the mistake that is named, 0 while
    there is none; right (11,), the models whose bug is named
    """
    yours = verdicts.controls("model", MODELS, MODEL_MISTAKES)
    return explorer(
        lambda number, rule, **yours: _held(model_specimens, model_specimens.model_of, number, yours),
        _draw_hunt,
        _describe_model,
        touch={
            "rules": Touch(
                lambda now, i, j: {"rule": i + 1, "number": j + 1},
                lambda now, i, j: f"model {j + 1}, rule {i + 1}: {_moved(now.gaps[j, i], i)}",
            ),
            "verdicts": Touch(
                lambda now, i: verdicts.name(now, MODEL_MISTAKES[i]), lambda now, i: f"model {now.number} has this bug"
            ),
        },
        folded=["number", "rule", *yours],
        number=slider("model", 1, 1, MODELS[-1], 1),
        rule=slider("rule", 4, 1, len(MODEL_RULES), 1),
        **yours,
    )


def _moved(gap, rule):
    if gap and MODEL_RULES[rule] == model_specimens.HEARD:
        return "one of them moves nothing"
    return f"outputs move by {gap:.3f}" if gap else "kept"


def _draw_hunt(now):
    hunt = board.Board("model", MODEL_RULES, MODEL_MISTAKES)
    wide, narrow = board.Layout(left=388, step=44, line=25), board.Layout(left=126, step=20, line=50, size=11, chip=44)
    return by_width(hunt.draw(now, wide), hunt.draw(now, narrow))


def _describe_model(now):
    gap = now.gaps[now.number - 1, now.rule - 1]
    return (
        f"Model {now.number}, rule {now.rule}, “{MODEL_RULES[now.rule - 1]}”: {_moved(gap, now.rule - 1)}. "
        f"{verdicts.reply(now, MODEL_RULES, 'Which bug is it?')} "
        f"Found so far: {now.right.sum()} of {len(now.right)}."
    )
