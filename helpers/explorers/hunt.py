"""The hunt: ten attentions with a mistake each, held beside the rules, and examples that hide mistakes."""

import numpy as np

from helpers import matrices, specimens
from helpers.examples import get
from helpers.explorers.controls import choose, slider, switch
from helpers.explorers.engine import Light
from helpers.explorers.legacy import Explorer

NO_VERDICT = "none yet"


def explore_hunt():
    """Hold one of the ten attentions beside ten rules, and say which mistake it makes.

    Returns
    -------
    Explorer
        shown: weights (2, 4, 4) of two heads under the causal mask, output (4, 4), gaps (10,), by how much each rule is
        broken, and verdict_gaps (10,), the same for the mistake that is named; all 0 while there is none
    """
    return Explorer(
        {
            "number": slider("specimen", 1, 1, len(specimens.ORDER), 1),
            "verdict": choose("your verdict", [NO_VERDICT, *specimens.MISTAKES], NO_VERDICT),
        },
        _examine,
        _draw_specimen,
        _describe_specimen,
        lights=lambda shown, values: [_all_kept(shown["gaps"])],
    )


def _examine(number, verdict):
    attend = specimens.specimen(number)
    output, weights = specimens.ask(attend, mask=specimens.CAUSAL)
    named = specimens.RIGHT if verdict == NO_VERDICT else specimens.MISTAKES[verdict]
    verdict_gaps = specimens.gaps(specimens.attention_of(named))
    return {"weights": weights, "output": output, "gaps": specimens.gaps(attend), "verdict_gaps": verdict_gaps}


def _draw_specimen(shown, values):
    same = {"kind": "weights", "blocked": ~specimens.CAUSAL, "corner": "query ↓ key →", "decimals": 2}
    rules = [
        [f"{k}. {rule}", f"✗ {gap:.3f}" if gap else "✓"]
        for k, (rule, gap) in enumerate(zip(specimens.RULES, shown["gaps"]), start=1)
    ]
    return matrices.under(
        matrices.beside(
            *(matrices.matrix(w, f"weights, head {h}", **same) for h, w in enumerate(shown["weights"], start=1)),
            matrices.matrix(shown["output"], "output", decimals=2),
        ),
        matrices.table(rules, "ten rules", ["kept, or the gap"], corner="rule"),
    )


def _all_kept(gaps):
    return Light("every rule is kept", not gaps.any(), f"{np.count_nonzero(gaps)} broken")


def _describe_specimen(shown, values):
    broken, count = shown["gaps"] > 0, len(specimens.RULES)
    told = f"Specimen {values['number']} breaks {broken.sum()} of {count} rules."
    if values["verdict"] == NO_VERDICT:
        return f"{told} Which mistake does that?"
    if values["verdict"] == specimens.mistake_of(values["number"]):
        return f"{told} Yes: {values['verdict']}."
    expected = shown["verdict_gaps"] > 0
    place = int(np.argmax(broken != expected))  # no two mistakes break the same rules
    rule = list(specimens.RULES)[place]
    if expected[place]:
        return f"{told} Not that one: it would break “{rule}”, which is kept here."
    return f"{told} Not that one: it would keep “{rule}”, which is broken here."


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

    Returns
    -------
    Explorer
        shown: differences (10,), how far the output of each mistake lies from the right one
    """
    return Explorer(
        {
            "example": choose("example", list(EXAMPLES), next(iter(EXAMPLES))),
            "causal": switch("with the causal mask"),
            "two_heads": switch("with two heads"),
            "thousands": switch("tokens a thousand times as large"),
            "again": switch("ask twice, compare the second answer"),
        },
        _compare,
        _draw_differences,
        _describe_differences,
        lights=lambda shown, values: [_nothing_hides(shown["differences"])],
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


def _draw_differences(shown, values):
    lines = [
        [mistake, f"{gap:.3f}", "caught" if caught else "hidden"]
        for mistake, gap, caught in zip(specimens.MISTAKES, shown["differences"], _caught(shown["differences"]))
    ]
    return matrices.table(
        lines, "this example beside ten mistakes", ["output off by", "by this example"], corner="mistake"
    )


def _describe_differences(shown, values):
    caught = _caught(shown["differences"])
    return f"This example catches {caught.sum()} of {len(caught)} mistakes."


def _nothing_hides(differences):
    hidden = int((~_caught(differences)).sum())
    return Light("no mistake stays hidden", hidden == 0, f"{hidden} of them do")
