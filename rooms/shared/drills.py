"""Pencil practice: one number of a small fresh example is missing; type it, and be told at once what went wrong."""

import functools
import re
import zlib
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from rooms.shared import softmax_sums
from workbench.moving import sums
from workbench.moving.controls import WholeNumberField, choose, stops, switch, text_field
from workbench.moving.engine import Explorer
from workbench.moving.touch import Sum, Touch, sources_of

EVERYTHING = "all"
MOST_TASKS = 999


class Stage(NamedTuple):
    """One matrix of an example, any of whose numbers may be asked for.

    caption : str, the formula
    made : Sum, how its numbers are made
    slips : function(now, i, j) -> pairs (number, words), what comes out when a known slip is made
    hint : what is said to any wrong number
    """

    caption: str
    made: Sum
    slips: Callable
    hint: str


class Practice(NamedTuple):
    """Examples of one kind.

    draw : function(rng) -> dict name -> matrix, or None where the numbers are not small enough
    stages : dict name -> Stage, in the order in which they are computed; all other matrices are given
    """

    draw: Callable
    stages: dict


def drill(name):
    """Practise with a pencil: one number is missing. Type it, and it is judged.

    Parameters
    ----------
    name : "one query", "similar tokens", "three tokens" or "queries, keys and values", for lessons 01 to 03

    Returns
    -------
    Drill
        shown: all matrices of the example by their names, and answer (), the missing number
    """
    if not isinstance(name, str) or name not in PRACTICES:
        raise ValueError(f"name must be one of {list(PRACTICES)}, got {name!r}.")
    return Drill(name, PRACTICES[name])


def example(name, task):
    """The numbers of a task, dict name of a matrix -> matrix: the same for all who draw them.

    Parameters
    ----------
    name : as in `drill`
    task : 1 to 999
    """
    rng = np.random.default_rng([zlib.crc32(name.encode()), task])
    while True:
        drawn = PRACTICES[name].draw(rng)
        if drawn is not None:
            return drawn


class Drill(Explorer):
    """An explorer in which a number is missing. Enter judges what is typed; once that is right, Enter goes on. A click asks for
    another number of the same matrix.

    Parameters
    ----------
    name : seeds the examples
    practice : Practice
    """

    def __init__(self, name, practice):
        self._practice = practice
        self._example = functools.lru_cache(maxsize=4)(partial(example, name))
        first = self._example(1)
        cells = sums.cells({stage: first[stage].shape for stage in practice.stages})
        typed = text_field("the missing number", "")
        typed.placeholder, typed.continuous_update, typed.layout.flex = "3/7", False, "1 1 180px"
        typed.on_msg(self._entered)
        super().__init__(
            self._solve,
            self._draw,
            self._judge,
            touch={
                stage: Touch(partial(_asked, stage), lambda now, i, j: "ask for this one") for stage in practice.stages
            },
            folded=["task", "cell"],
            practise=choose("practise", [EVERYTHING, *practice.stages], EVERYTHING),
            typed=typed,
            told=switch("show the sum"),
            task=WholeNumberField(1, min=1, max=MOST_TASKS, description="task", layout=typed.layout),
            cell=stops("cell", cells, self._blank(1, EVERYTHING)),
        )
        self._fields["practise"].observe(lambda change: self._go_to(self.values["task"]), "value")

    def go_on(self, _button=None):
        """Fresh numbers, and another one missing."""
        self._go_to(self.values["task"] % MOST_TASKS + 1)
        self._fields["typed"].focus()

    def worth_typing(self):
        """dict control -> texts that are told apart here: the missing number, and what comes out of each known slip."""
        stage, i, j = self._now.cell
        numbers = [self._now.answer, *(value for value, _ in self._slips(self._now, stage, i, j))]
        return {"typed": list(dict.fromkeys(sums.exact(number) for number in numbers))}

    def _go_to(self, task):
        self.set(task=task, cell=self._blank(task, self._fields["practise"].value), typed="", told=False)

    def _entered(self, _field, content, _buffers):
        if content.get("event") == "submit" and self._verdict(self._now).right:
            self.go_on()

    def _own_buttons(self):
        following = widgets.Button(description="next", layout=widgets.Layout(width="auto"))
        following.add_class("explorer-command")
        following.on_click(self.go_on)
        return [following]

    # --- examples ----------------------------------------------------------------------------------------------------

    def _blank(self, task, practise):
        """What a task asks for: one matrix after the other, any number of it."""
        stages = list(self._practice.stages)
        stage = stages[(task - 1) % len(stages)] if practise == EVERYTHING else practise
        rows, columns = self._example(task)[stage].shape
        return stage, *divmod(int(np.random.default_rng(task).integers(rows * columns)), columns)

    def _solve(self, practise, typed, told, task, cell):
        stage, i, j = cell
        drawn = self._example(task)
        return {**drawn, "answer": drawn[stage][i, j]}

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _draw(self, now):
        """What goes into the missing number, and its own matrix with a row left open."""
        stage, *place = now.cell
        made = {name: each.made for name, each in self._practice.stages.items()}
        shapes = {name: array.shape for name, array in self.shown.items() if np.ndim(array)}
        needed = sources_of(made, stage, place, shapes)
        solved = self._verdict(now).right or now.told
        marks = {name: dict.fromkeys(cells, "factor") for name, cells in reversed(needed) if solved}
        marks[stage] = marks.get(stage, {}) | {tuple(place): "result"}
        instead = {} if solved else {cell: "·" for cell in _hidden(now[stage], place[0])} | {tuple(place): "?"}
        names = dict.fromkeys([name for name, _ in needed] + [stage])
        captions = {name: each.caption for name, each in self._practice.stages.items()}
        open_ones = {stage: instead}
        return [[_table(now, name, captions.get(name), marks.get(name), open_ones.get(name)) for name in names]]

    def _judge(self, now):
        stage, *place = now.cell
        verdict = self._verdict(now)
        told = f" {self._practice.stages[stage].made.words(now, *place)}." if verdict.right or now.told else ""
        only = "" if now.practise == EVERYTHING else f" You practise {now.practise}."
        return f"{verdict.words}{told}{' Enter or “next” brings fresh numbers.' if verdict.right else ''}{only}"

    def _verdict(self, now):
        stage, i, j = now.cell
        if not now.typed.strip():
            missing = f"{sums.cell(*now.cell)} is missing."
            return Verdict(False, f"Task {now.task}: {missing} Type a number, such as 2, 3/7 or 0.429, then Enter.")
        return judge(now.typed, now.answer, self._slips(now, stage, i, j), self._practice.stages[stage].hint)

    def _slips(self, now, stage, i, j):
        values = now[stage]
        yield from self._practice.stages[stage].slips(now, i, j)
        if max(i, j) < min(values.shape):
            yield values[j, i], "row and column change places"
        for k, m in [*((i, m) for m in range(values.shape[1])), *((k, j) for k in range(values.shape[0]))]:
            if values[k, m] % 1:  # small whole numbers come twice too often
                yield values[k, m], f"[{k + 1}, {m + 1}] is worked out"


class Verdict(NamedTuple):
    """right : bool; words : what is said."""

    right: bool
    words: str


def _as_one_fraction(found):
    """3 5/11 as 38/11."""
    whole, above, below = map(int, found.groups()[1:])
    return f"{found[1]}{whole * below + above}/{below}"


def judge(typed, answer, slips=(), hint=""):
    """Judge a number that was typed.

    Parameters
    ----------
    typed : str, a whole number, a fraction (also 3 5/11), or a decimal number with two decimals or more, which may be rounded
    answer : number
    slips : pairs (number, words), tried in turn
    hint : what is said to any wrong number

    Returns
    -------
    Verdict
    """
    plain = re.sub(r"^([+\-−]?)(\d+) +(\d+) */ *(\d+)$", _as_one_fraction, typed.strip())  # 3 5/11
    plain = re.sub(r"(?<!\d) +| +(?!\d)", "", plain.replace("−", "-").replace(",", "."))  # 3 5 is no 35
    if not re.fullmatch(r"[+-]?(\d{1,6}(/\d{1,6})?|\d{0,6}\.\d{1,20})", plain, re.ASCII):
        return Verdict(False, f"“{typed.strip()}” cannot be read as a number. Type one such as 2, 3/7 or 0.429.")
    if re.search("/0+$", plain):
        return Verdict(False, "Nothing can be divided by 0.")
    given, places = float(Fraction(plain)), len(plain.partition(".")[2])

    def meant(value):
        return abs(given - value) < 1e-9 or (places >= 2 and abs(given - value) <= 0.5 * 10.0**-places + 1e-9)

    if meant(answer):
        return Verdict(True, "✓ Right.")
    if places == 1 and abs(given - answer) <= 0.05 + 1e-9:
        return Verdict(False, "Close: give a fraction, or two decimals.")
    slip = next((f"{typed.strip()} comes out when {words}." for value, words in slips if meant(value)), "Not this one.")
    return Verdict(False, f"✗ {slip} {hint}")


def _asked(stage, now, i, j):
    return {"cell": (stage, i, j), "typed": "", "told": False}


def _hidden(values, i):
    """The row that is left open, and where the matrix is its own mirror image, the column as well."""
    row = [(i, k) for k in range(values.shape[1])]
    mirrored = values.shape[0] == values.shape[1] and np.array_equal(values, values.T)
    return row + [(k, i) for k in range(len(values)) if mirrored]


def _table(now, name, caption, marks, instead):
    exact = {"fractions": True, "decimals": 3 if np.mod(now[name], 1).any() else 0}
    return now.table(name, caption, marks=marks, instead=instead, **exact)


# --- slips -----------------------------------------------------------------------------------------------------------


def _products(first, second):
    """Slips with a sum of products of two vectors."""
    products = first * second
    yield (first + second).sum(), "partners are added instead of multiplied"
    for k in np.flatnonzero(products):
        yield products.sum() - products[k], f"product {k + 1} is left out"
    yield np.abs(products).sum(), "a sign is lost"
    yield -products.sum(), "a sign is lost"


def _dot(left, right, d_k, now, i, j):
    if d_k > 1:
        yield now[left][i] @ now[right][j], "nothing is divided"
        yield now[left][i] @ now[right][j] / d_k, "d_k divides, and not its root"
    for value, words in _products(now[left][i], now[right][j]):
        yield value / np.sqrt(d_k), words
    if now[right].shape[0] == now[right].shape[1]:
        yield now[left][i] @ now[right][:, j], f"column {j + 1} of {right} is taken instead of its row {j + 1}"


def _times(left, right, now, i, j):
    yield from _products(now[left][i], now[right][:, j])
    if now[right].shape[0] == now[right].shape[1]:
        yield now[left][i] @ now[right][j], f"row {j + 1} of {right} is taken instead of its column {j + 1}"


def _scaled(source, d_k, now, i, j):
    yield now[source][i, j], "nothing is divided"
    yield now[source][i, j] / d_k, "d_k divides, and not its root"


def _share(scores, now, i, j):
    row, powers = now[scores][i], 3.0 ** now[scores]
    above_0 = np.where(row, powers[i], 0)
    yield powers[i, j], "the power is not divided by the sum of the row's powers"
    if row.sum():
        yield row[j] / row.sum(), "the scores themselves are shared out, not the powers of 3"
    yield above_0[j] / above_0.sum(), "3^0 counts as 0, and not as 1"
    yield 3 * row[j], "3 is multiplied by the score"
    yield powers[i, j] / powers[:, j].sum(), "a column is shared out, and not a row"
    yield 1 / len(row), "all keys get the same share"
    yield softmax(row)[j], "the base is e, and not 3"


def _mixture(weights, values, scores, now, i, j):
    shares, column = now[weights][i], now[values][:, j]
    yield column.sum(), "the values are added without weights"
    yield column.mean(), "all values count alike"
    yield 3.0 ** now[scores][i] @ column, "the powers are not divided by their sum"
    yield now[scores][i] @ column, "scores stand where weights should"
    yield column[shares.argmax()], "the largest weight takes all"
    for k in np.flatnonzero(column):
        yield shares @ column - shares[k] * column[k], f"value {k + 1} is left out"
    if len(now[weights]) == len(column):
        yield now[weights][:, i] @ column, f"column {i + 1} of the weights is taken instead of row {i + 1}"


DOT_HINT = "Multiply the two rows number by number, and add the products."
SHARE_HINT = "Raise 3 to each score of the row; a share is its own power over the sum of all of them."
MIX_HINT = "Multiply each weight of the row by the value in its line, and add the products."


def _attention(query, key, value, words=("query", "key"), d_k=1):
    """The stages scores, weights and output, in base 3; a d_k above 1 divides the scores by its root."""
    divided = f" / √{d_k}" if d_k > 1 else ""
    scale = (lambda now: f"√{d_k}") if divided else None
    made = sums.dot_product("scores", query, key, words, scale, sums.exact)
    hint = f"{DOT_HINT} Then divide by √d_k; d_k is {d_k}." if divided else DOT_HINT
    scores = Stage(f"scores = {words[0]} · {words[1]}{divided}", made, partial(_dot, query, key, d_k), hint)
    return {"scores": scores, **_softmax_and_mix("scores", value, "output")}


def _softmax_and_mix(scores, value, output):
    shares = softmax_sums.share("weights", scores, lambda now: "3", sums.exact)
    mixed = sums.mixture(output, "weights", value, sums.exact)
    return {
        "weights": Stage("weights = softmax in base 3", shares, partial(_share, scores), SHARE_HINT),
        output: Stage(f"{output} = weights · {value}", mixed, partial(_mixture, "weights", value, scores), MIX_HINT),
    }


def _projection(name):
    W = f"W_{name}"
    hint = f"Multiply a row of X by a column of {W} number by number, and add the products."
    return Stage(f"{name} = X · {W}", sums.product(name, "X", W), partial(_times, "X", W), hint)


def _two_stages_of_scores():
    products = sums.dot_product("dot products", "X", "X", ("token", "token"), written=sums.exact)
    divided = sums.quotient("scaled scores", "dot products", lambda now: "√4", sums.exact)
    hint = "Divide the dot product by √d_k; d_k is 4, the number of features."
    return {
        "dot products": Stage("dot products = token · token", products, partial(_dot, "X", "X", 1), DOT_HINT),
        "scaled scores": Stage("scaled scores = dot products / √4", divided, partial(_scaled, "dot products", 4), hint),
    }


# --- examples --------------------------------------------------------------------------------------------------------


def _simple(scores, *different):
    """Whether scores are small and differ within each row, and all rows of the other matrices differ from one another."""
    small = -1 <= scores.min() and scores.max() <= 2 and all(np.ptp(row) for row in scores)
    return small and all(len(np.unique(rows, axis=0)) == len(rows) for rows in different)


def _in_base_3(query, key, value, scale=1):
    return scaled_dot_product_attention(query, key, value, scale=scale, base=3)._asdict()


def _one_query(rng):
    query, keys, values = rng.integers(1, 3, (1, 2)), rng.integers(-1, 3, (4, 2)), rng.integers(0, 10, (4, 1))
    if not _simple(query @ keys.T, keys, values):
        return None
    return {"query": query, "keys": keys, "values": values, **_in_base_3(query, keys, values)}


def _similar_tokens(rng):
    X = rng.integers(0, 2, (3, 3))
    return {"X": X, **_in_base_3(X, X, X)} if _simple(X @ X.T, X) else None


def _three_tokens(rng):
    X = rng.integers(-1, 3, (3, 4))
    dot_products = X @ X.T
    if (dot_products % 2).any() or not _simple(dot_products / 2, X):
        return None
    answer = _in_base_3(X, X, X, scale=1 / 2)
    mixed = {"scaled scores": answer["scores"], "weights": answer["weights"], "outputs": answer["output"]}
    return {"X": X, "dot products": dot_products, **mixed}


def _projected(rng):
    X, W_Q, W_V = rng.integers(0, 3, (3, 2)), rng.integers(-1, 2, (2, 4)), rng.integers(-1, 3, (2, 2))
    W_K = 2 * rng.integers(-1, 2, (2, 4))  # even, so that half a dot product is a whole number
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    alike = np.array_equal(W_V, W_V.T)  # rows like columns: a slip would not show
    if alike or max(np.abs(each).max() for each in (Q, K, V)) > 5 or not _simple(Q @ K.T / 2, X, V):
        return None
    return {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V, **_in_base_3(Q, K, V, scale=1 / 2)}


_THREE = _two_stages_of_scores() | _softmax_and_mix("scaled scores", "X", "outputs")
_PROJECTED = {name: _projection(name) for name in "QKV"} | _attention("Q", "K", "V", d_k=4)
PRACTICES = {
    "one query": Practice(_one_query, _attention("query", "keys", "values")),
    "similar tokens": Practice(_similar_tokens, _attention("X", "X", "X", ("token", "token"))),
    "three tokens": Practice(_three_tokens, _THREE),
    "queries, keys and values": Practice(_projected, _PROJECTED),
}
