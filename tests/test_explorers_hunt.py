"""What the explorers of the hunt must show, in plain lists and loops; tests/test_explorers.py holds them beside it."""

import functools
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import explorers
from helpers.sources import specimens
from tests import driving
from tests.references import dot, exp_or_infinity, mix

KEY = {  # the answers: number of the specimen -> mistake
    1: "queries and keys are exchanged",
    2: "weights are masked after softmax",
    3: "softmax runs over the queries",
    4: "heads are cut by reshape alone",
    5: "the largest score is not subtracted",
    6: "the mask opens one step too many",
    7: "the scores are not divided by √d_k",
    8: "a matrix is changed along the way",
    9: "keys are mixed, not values",
    10: "blocked scores are set to 0",
}
NAN_ON_PURPOSE = {"explore_hiding_examples"}  # what overflow leaves
OTHER_SUMS_ON_PURPOSE = {"explore_hunt"}
X = [[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 2.0, 1.0, 1.0]]
W_Q = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0]]
W_K = [[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]]
W_V = [[1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 1.0, 0.0], [2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]


def times(tokens, W):
    return [mix(token, W) for token in tokens]


def cut(rows, num_heads, mistake):
    size = len(rows[0]) // num_heads
    if mistake == KEY[4]:
        flat = [x for row in rows for x in row]
        heads = [flat[h * len(rows) * size : (h + 1) * len(rows) * size] for h in range(num_heads)]
        return [[head[i * size : (i + 1) * size] for i in range(len(rows))] for head in heads]
    return [[row[h * size : (h + 1) * size] for row in rows] for h in range(num_heads)]


def shares(scores, largest=None):
    largest = max(scores) if largest is None else largest
    powers = [exp_or_infinity(score - largest) for score in scores]
    total = math.fsum(powers)
    return [math.nan if power == total == math.inf else power / total for power in powers]


def weigh(scores, may, mistake):
    """scores : rows of numbers; may : rows of True and False"""
    blocked = 0.0 if mistake == KEY[10] else -math.inf
    if mistake == KEY[6]:
        may = [[allowed or row[j - 1] for j, allowed in enumerate(row)] for row in may]
    if mistake == KEY[2]:
        return [[w if ok else 0.0 for w, ok in zip(shares(row), line)] for row, line in zip(scores, may)]
    masked = [[s if ok else blocked for s, ok in zip(row, line)] for row, line in zip(scores, may)]
    if mistake == KEY[3]:
        return [list(row) for row in zip(*(shares(column) for column in zip(*masked)))]
    return [shares(row, 0.0 if mistake == KEY[5] else None) for row in masked]


def attend(mistake, X, W_Q, W_K, W_V, num_heads=1, may=None):
    query, key, value = times(X, W_Q), times(X, W_K), times(X, W_V)
    if mistake == KEY[1]:
        query, key = key, query
    if mistake == KEY[8]:
        W_Q[:] = [[w / 2 for w in row] for row in W_Q]
    may = may or [[True] * len(X) for _ in X]
    outputs, all_weights = [[] for _ in X], []
    for q, k, v in zip(*(cut(rows, num_heads, mistake) for rows in (query, key, value))):
        divisor = 1.0 if mistake == KEY[7] else math.sqrt(len(q[0]))
        weights = weigh([[dot(asks, asked) / divisor for asked in k] for asks in q], may, mistake)
        for output, row in zip(outputs, weights):
            output += mix(row, k if mistake == KEY[9] else v)
        all_weights.append(weights)
    return outputs, all_weights


def ask(mistake, X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, num_heads=2, causal=False):
    may = [[j <= i for j in range(len(X))] for i in range(len(X))] if causal else None
    return attend(mistake, *([list(row) for row in rows] for rows in (X, W_Q, W_K, W_V)), num_heads, may)


def furthest(rows, others):
    return max(abs(a - b) for row, other in zip(rows, others, strict=True) for a, b in zip(row, other, strict=True))


@functools.cache
def gaps(mistake):
    """The ten rules, one after the other."""
    output, weights = ask(mistake, causal=True)
    plain = ask(mistake)[0]
    moved = [*X[:3], [x + d for x, d in zip(X[3], [1.0, -1.0, 2.0, 0.5])]]
    by_last = ask(mistake, moved, causal=True)[0]
    order = [2, 0, 3, 1]
    deaf_key, deaf_value = [*W_K[:3], [0.0] * 4], [*W_V[:3], [0.0] * 4]
    asks_more = [X[0], [*X[1][:3], X[1][3] + 3], *X[2:]]
    quiet, loud = (ask(mistake, tokens, W_K=deaf_key, W_V=deaf_value)[0] for tokens in (X, asks_more))
    wide = [[[w / math.sqrt(2) for w in row * 2] for row in W_Q], *([row * 2 for row in W] for W in (W_K, W_V))]
    large = [x for row in ask(mistake, [[1000 * x for x in row] for row in X])[0] for x in row]
    W = [[list(row) for row in rows] for rows in (W_Q, W_K, W_V)]
    first, second = attend(mistake, X, *W)[0], attend(mistake, X, *W)[0]
    found = [
        max(abs(math.fsum(row) - 1) for head in weights for row in head),
        max(head[i][j] for head in weights for i in range(4) for j in range(i + 1, 4)),
        furthest(output[:3], by_last[:3]),
        furthest(output[:1], by_last[:1]),
        furthest([plain[i] for i in order], ask(mistake, [X[i] for i in order])[0]),
        furthest([quiet[i] for i in (0, 2, 3)], [loud[i] for i in (0, 2, 3)]),
        furthest(ask(mistake, W_V=[[2 * w for w in row] for row in W_V])[0], [[2 * y for y in row] for row in plain]),
        furthest(ask(mistake, X, *wide, num_heads=1)[1][0], ask(mistake, num_heads=1)[1][0]),
        sum(x != x for x in large) / len(large),
        furthest(first, second),
    ]
    return [0.0 if gap < 1e-9 else gap for gap in found]


def hunt(number, rule, **verdicts):
    output, weights = ask(KEY[number], causal=True)
    return {
        "weights": weights,
        "output": output,
        "gaps": [gaps(mistake) for mistake in KEY.values()],
        "verdict_gaps": gaps(verdicts[f"verdict_{number}"]),
        "right": [verdicts[f"verdict_{k}"] == mistake for k, mistake in KEY.items()],
    }


EXAMPLES = {
    "three tokens, identity": ([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], *[[[1.0, 0.0], [0.0, 1.0]]] * 3),
    "AABA, booster": (
        [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
        [[0.0, 1.0], [0.0, 1.0]], [[10.0, 0.0], [0.0, 10.0]], [[1.0, 0.0], [0.0, 1.0]],
    ),
    "four tokens, whole numbers": (X, W_Q, W_K, W_V),
}  # fmt: skip


def outputs(mistake, example, causal, two_heads, thousands, again):
    tokens, *W = [[list(row) for row in rows] for rows in EXAMPLES[example]]
    tokens = [[1000 * x if thousands else x for x in row] for row in tokens]
    may = [[j <= i for j in range(len(tokens))] for i in range(len(tokens))] if causal else None
    first = attend(mistake, tokens, *W, 2 if two_heads else 1, may)[0]
    return attend(mistake, tokens, *W, 2 if two_heads else 1, may)[0] if again else first


def hiding(**values):
    right = [y for row in outputs(None, **values) for y in row]
    differences = []
    for mistake in specimens.MISTAKES:
        apart = [abs(y - z) for y, z in zip([y for row in outputs(mistake, **values) for y in row], right, strict=True)]
        differences.append(math.nan if any(d != d for d in apart) else max(apart))
    return {"differences": differences}


REFERENCES = {"explore_hunt": hunt, "explore_hiding_examples": hiding}


def verdict_lines(shown, values):
    """mistake, and the specimens to which it was given; the mistakes in the order of the helper."""
    given = {mistake: [] for mistake in specimens.MISTAKES}
    for k, right in zip(KEY, shown["right"], strict=True):
        if values[f"verdict_{k}"] in given:
            given[values[f"verdict_{k}"]].append(f"{k} {'✓' if right else '✗'}")
    return [[mistake, ", ".join(named)] for mistake, named in given.items()]


def hidden(differences):
    return sum(gap < 1e-9 for gap in differences)


TABLES = {
    "explore_hunt": lambda shown, values: {
        f"specimen {values['number']}: weights, head 1": shown["weights"][0],
        f"specimen {values['number']}: weights, head 2": shown["weights"][1],
        "output": shown["output"],
        "rules kept ✓ and broken ✗": [["✗" if gap else "✓" for gap in rule] for rule in zip(*shown["gaps"])],
        "your verdicts": verdict_lines(shown, values),
    },
    "explore_hiding_examples": lambda shown, values: {
        "this example beside ten mistakes": [
            [gap, "hidden" if gap < 1e-9 else "caught"] for gap in shown["differences"]
        ],
    },
}


def hunt_sentence(shown, values):
    number, rule, rules = values["number"], values["rule"], list(specimens.RULES)
    own, verdict = shown["gaps"][number - 1], values[f"verdict_{number}"]
    named = re.findall(r"\d+", verdict) if verdict == KEY[number] else []  # numbers in the words of the reply
    if verdict in specimens.MISTAKES and verdict != KEY[number]:
        other = next(k for k in range(10) if (own[k] > 0) != (shown["verdict_gaps"][k] > 0))
        named = re.findall(r"\d+", rules[other])
    words, gap = re.findall(r"\d+", rules[rule - 1]), own[rule - 1]
    told = [number, sum(gap > 0 for gap in own), 10, rule, *words, *([gap] if gap else []), *named]
    return [*told, sum(shown["right"]), 10]


SENTENCES = {
    "explore_hunt": hunt_sentence,
    "explore_hiding_examples": lambda shown, values: [10 - hidden(shown["differences"]), 10],
}
LIGHTS = {
    "explore_hunt": lambda shown, values: [
        ("every rule is kept", sum(gap > 0 for gap in shown["gaps"][values["number"] - 1]))
    ],
    "explore_hiding_examples": lambda shown, values: [("no mistake stays hidden", hidden(shown["differences"]))],
}

# --- known answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", KEY)
def test_explore_hunt_confirms_the_right_verdict_and_answers_wrong_ones_with_a_rule(number):
    explorer = explorers.explore_hunt()
    explorer.set(number=number, **{f"verdict_{number}": KEY[number]})
    assert f" Yes: {KEY[number]}. Named correctly so far: 1 of 10." in explorer.text
    for mistake in sorted(set(KEY.values()) - {KEY[number]}):
        explorer.set(**{f"verdict_{number}": mistake})
        assert explorer.text.endswith("Named correctly so far: 0 of 10.")
        kind, rule, state = re.search(
            r"it would (break|keep) “(.*)”, which is (kept|broken) here\. Named", explorer.text
        ).groups()
        place = list(specimens.RULES).index(rule)
        assert (gaps(mistake)[place] > 0) == (kind == "break") and (gaps(KEY[number])[place] > 0) == (state == "broken")
        assert (kind == "break") == (state == "kept")


def test_a_click_on_the_table_opens_specimen_and_rule_and_says_the_gap():
    explorer = explorers.explore_hunt()
    for number, rule in [(3, 1), (9, 7), (2, 3), (1, 1)]:
        gap = gaps(KEY[number])[rule - 1]
        told = f"the gap is {gap:.3f}" if gap else "kept"
        assert driving.titles(explorer)["rules", (rule - 1, number - 1)].startswith(
            f"click: specimen {number}, rule {rule}: {told}"
        )
        driving.click(explorer, "rules", rule - 1, number - 1)
        assert (explorer.controls["number"].value, explorer.controls["rule"].value) == (number, rule)
        assert f"Rule {rule}, “{list(specimens.RULES)[rule - 1]}”: {told}." in explorer.text
        assert driving.titles(explorer)["rules", (rule - 1, number - 1)].endswith(", chosen")


def test_verdicts_are_kept_while_others_are_given_and_can_be_taken_back():
    explorer, mistakes = explorers.explore_hunt(), list(specimens.MISTAKES)
    for solved, number in enumerate(KEY, start=1):
        driving.click(explorer, "rules", 0, number - 1)
        driving.click(explorer, "verdicts", mistakes.index(KEY[number]), 0)
        assert explorer.text.endswith(f"Named correctly so far: {solved} of 10.")
    driving.click(explorer, "verdicts", mistakes.index(KEY[10]), 1)
    assert explorer.controls["verdict_10"].value == "none yet" and explorer.text.endswith("9 of 10.")
    driving.click(explorer, "verdicts", mistakes.index(KEY[4]), 1)
    assert "would" in explorer.text and explorer.shown["right"].sum() == 9
    driving.buttons(explorer)["Reset"].click()
    assert not explorer.shown["right"].any()


def test_specimens_are_those_of_the_key_in_the_lesson():
    assert [specimens.mistake_of(number) for number in KEY] == list(KEY.values())
    path = Path(__file__).parents[1] / "notebooks" / "23_hunt_the_bugs.ipynb"
    lesson = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    assert dict(re.findall(r"^\| (\d+) \| (.*) \|$", lesson, re.M)) == {str(k): v for k, v in KEY.items()}
    assert all(f"| {rule}" in lesson for rule in specimens.RULES)


def test_what_stays_hidden_is_counted_in_words_that_fit_one():
    explorer = explorers.explore_hiding_examples()
    assert (False, "no mistake stays hidden: 8 hidden") in driving.lights(explorer.html)
    explorer.set(example="four tokens, whole numbers", causal=True, two_heads=True, again=True)
    assert driving.lights(explorer.html) == [(False, "no mistake stays hidden: 1 hidden")]


def test_a_gap_that_is_no_number_is_written_as_everywhere():
    explorer = explorers.explore_hiding_examples()
    explorer.set(thousands=True)
    (table,) = driving.tables(explorer.html)
    assert np.isnan(explorer.shown["differences"]).sum() == 1
    assert table.rows["the largest score is not subtracted"] == ["NaN", "caught"]


def test_no_single_example_catches_all_ten_mistakes():
    explorer, caught = explorers.explore_hiding_examples(), []
    switches = [name for name in explorer.controls if name != "example"]
    for example in explorer.controls["example"].options:
        for state in range(16):
            explorer.set(example=example, **{name: bool(state >> k & 1) for k, name in enumerate(switches)})
            caught.append(~(explorer.shown["differences"] < 1e-9))
    assert max(c.sum() for c in caught) == 9 and np.any(caught, axis=0).all()
