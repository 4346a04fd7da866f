"""Verdicts on planted bugs: one control for each specimen, a click that names a bug or takes it back, and the reply."""

import numpy as np

from workbench.moving.controls import choose

NO_VERDICT = "none yet"


def of(number):
    """The name of the control that holds the verdict on a specimen, counted from 1."""
    return f"verdict_{number}"


def controls(what, numbers, mistakes):
    """A choice for each specimen; `what` it is called."""
    return {
        of(k): choose(f"your verdict on {what} {k:\u2007>{len(str(numbers[-1]))}}", [NO_VERDICT, *mistakes], NO_VERDICT)
        for k in numbers
    }


def name(now, mistake):
    """What a click on a mistake sets; a second one takes that back."""
    control = of(now.number)
    return {control: NO_VERDICT if now[control] == mistake else mistake}


def reply(now, rules, question):
    """What is said of the verdict on the open specimen: yes, or a rule that speaks against it."""
    verdict, broken, expected = now[of(now.number)], now.gaps[now.number - 1] > 0, now.verdict_gaps > 0
    if verdict == NO_VERDICT:
        return question
    if now.right[now.number - 1]:
        return f"Yes: {verdict}."
    place = int(np.argmax(broken != expected))  # no two mistakes break the same rules
    if expected[place]:
        return f"Not that one: it would break “{rules[place]}”, which is kept here."
    return f"Not that one: it would keep “{rules[place]}”, which is broken here."
