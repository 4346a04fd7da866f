"""Answers to the exercise on leaks, right and wrong; tests/test_checks.py tries them all."""

import numpy as np


def change(tokens, place):
    changed = tokens.copy()
    changed[place] = (changed[place] + 1) % 4
    return changed


def in_turn(model, tokens):
    before, furthest = model(tokens), 0
    for place in range(len(tokens)):
        moved = np.abs(model(change(tokens, place)) - before).max(axis=1) > 1e-9
        if moved[:place].any():
            furthest = max(furthest, place - int(np.flatnonzero(moved)[0]))
    return furthest


def by_pairs(model, tokens):
    found = [0]
    for late in range(len(tokens)):
        after = model(change(tokens, late))
        found += [late - early for early in range(late) if not np.allclose(after[early], model(tokens)[early])]
    return max(found)


def by_a_matrix(model, tokens):
    n = len(tokens)
    moved = np.array([(model(change(tokens, k)) != model(tokens)).any(axis=1) for k in range(n)])
    ahead = np.arange(n)[:, None] - np.arange(n)
    return (moved * ahead).max()


def from_far_to_near(model, tokens):
    for steps in range(len(tokens) - 1, 0, -1):
        for place in range(steps, len(tokens)):
            if not np.allclose(model(change(tokens, place))[place - steps], model(tokens)[place - steps]):
                return steps
    return 0


def with_every_other_token(model, tokens):
    furthest = 0
    for place in range(len(tokens)):
        for token in range(4):
            other = np.where(np.arange(len(tokens)) == place, token, tokens)
            rows = np.flatnonzero(np.abs(model(other) - model(tokens)).sum(axis=1) > 1e-12)
            furthest = max([furthest, *(place - rows)])
    return furthest


def distances(model, tokens):
    before = model(tokens)
    moved = [np.abs(model(change(tokens, k)) - before).max(axis=1) > 1e-9 for k in range(len(tokens))]
    return [k - i for k, rows in enumerate(moved) for i in np.flatnonzero(rows)]


def changes_add_up(model, tokens):
    before, furthest, changed = model(tokens), 0, tokens.copy()
    for place in range(len(tokens)):
        changed[place] = (changed[place] + 1) % 4
        moved = np.abs(model(changed) - before).max(axis=1) > 1e-9
        if moved[:place].any():
            furthest = max(furthest, place - int(np.flatnonzero(moved)[0]))
    return furthest


def in_place(model, tokens):
    answer = in_turn(model, tokens)
    tokens[0] = (tokens[0] + 1) % 4
    return answer


def last_only(model, tokens):
    moved = np.flatnonzero(np.abs(model(change(tokens, len(tokens) - 1)) - model(tokens)).max(axis=1) > 1e-9)
    return max([0, *(len(tokens) - 1 - moved)])


def third_only(model, tokens):
    place = min(2, len(tokens) - 1)
    moved = np.flatnonzero(np.abs(model(change(tokens, place)) - model(tokens)).max(axis=1) > 1e-9)
    return max([0, *(place - moved)])


RIGHT = {
    "looks_ahead": {
        "in turn": in_turn,
        "by pairs": by_pairs,
        "a matrix": by_a_matrix,
        "from far to near": from_far_to_near,
        "every other token": with_every_other_token,
    }
}
WRONG = {
    "looks_ahead": {
        "leaks or not": (
            lambda model, tokens: max(distances(model, tokens), default=0) > 0,
            r"number of steps is asked for",
        ),
        "how many": (lambda model, tokens: sum(d > 0 for d in distances(model, tokens)), r"how many answers move"),
        "shortest": (
            lambda model, tokens: min((d for d in distances(model, tokens) if d > 0), default=0),
            r"takes min, where max is needed|shorter look ahead",
        ),
        "last only": (last_only, r"Only the last token was changed"),
        "one in the middle": (third_only, r"Only one token in the middle"),
        "later ones": (lambda model, tokens: max(-d for d in [*distances(model, tokens), 0]), r"sign|later answers"),
        "both ways": (
            lambda model, tokens: max(abs(d) for d in [*distances(model, tokens), 0]),
            r"one step too many|looking back",
        ),
        "always 0": (lambda model, tokens: 0, r"0 for every model"),
        "nothing moves": (lambda model, tokens: max(d for d in distances(model, tokens) if d >= 0), r"begin with 0"),
        "changes add up": (changes_add_up, r"For \d tokens .* looks \d steps? ahead; you say \d"),
        "one too many": (lambda model, tokens: in_turn(model, tokens) + 1, r"the number 1 must be 0|is too much"),
        "the number of tokens": (
            lambda model, tokens: len(tokens),
            r"For 5 tokens causal looks 0 steps ahead; you say 5",
        ),
        "overwritten": (in_place, r"tokens is overwritten"),
    }
}
