"""The notes, browsed: what is chosen, compared and outlined, read from the file once more; see tests/test_explorers.py."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from helpers import examples, explorers
from tests import driving
from tests.test_examples import AGAIN

ENTRIES = json.loads(examples.PATH.read_text(encoding="utf-8"))["examples"]
WORDS = {
    "match": "agrees",
    "differs": "differs",
    "formula": "formula",
    "computed": "not in our text",
}


def as_floats(value):
    return [as_floats(each) for each in value] if isinstance(value, list) else float(Fraction(value))


def depth(value):
    return 1 + (depth(value[0]) if value else 0) if isinstance(value, list) else 0


def flat(values):
    return [x for each in values for x in flat(each)] if isinstance(values, list) else [values]


def off(printed, computed, allowed):
    """Which printed numbers have no counterpart that is near enough."""
    if depth(printed) != depth(computed):
        return [off(each, math.inf, allowed) for each in printed] if isinstance(printed, list) else True
    if not isinstance(printed, list):
        return abs(printed - computed) > allowed
    missing = [off(each, math.inf, allowed) for each in printed[len(computed) :]]
    return [off(a, b, allowed) for a, b in zip(printed, computed)] + missing


def chosen(notes, verdict, lesson, item, given):
    """The entry, its number and how many there are."""
    found = [
        entry
        for entry in ENTRIES
        if (notes == "all" or entry["source"] == notes)
        and (verdict == "all" or entry["verdict"] == verdict)
        and (lesson == "all" or entry["lesson"] == lesson)
    ]
    item = min(item, len(found))
    return (found[item - 1] if found else None), item, len(found)


def reference(**values):
    entry, item, count = chosen(**values)
    shown = {"place": [item, count], "printed": [], "computed": [], "differs": []}
    if entry is None or entry["verdict"] == "formula":
        return shown
    shown["computed"] = as_floats(np.array(AGAIN[entry["id"]], dtype=float).tolist())
    if entry["printed"] is not None:
        allowed = 1e-9 if entry["decimals"] is None else 0.5 * 10.0 ** -entry["decimals"] + 1e-9
        shown["printed"] = as_floats(entry["printed"])
        shown["differs"] = off(shown["printed"], shown["computed"], allowed)
    return shown


REFERENCES = {"explore_notes": reference}


def as_rows(value):
    """A number, a vector or a matrix as the rows of a table; fractions as words where one of them has no end."""
    rows = [value] if depth(value) == 1 else [[value]] if depth(value) == 0 else value
    numbers = [x for row in rows for x in row]
    near = {x: Fraction(x).limit_denominator(99) for x in numbers}
    exact = all(abs(float(near[x]) - x) < 1e-9 for x in numbers)
    if exact and any(abs(1000 * x - round(1000 * x)) > 1e-6 for x in numbers):
        return [[str(near[x]) for x in row] for row in rows]
    return rows


def tables(shown, values):
    entry, _, _ = chosen(**values)
    if entry is None:
        return {"chosen": [["–", "–"]]}
    cells = {entry["source"]: [[entry["what"], f"{entry['lesson']:02d}", WORDS[entry["verdict"]]]]}
    if entry["verdict"] == "formula":
        cells["formula"] = [[entry["printed"]], [entry["right"]]]
    else:
        cells["computed"] = as_rows(shown["computed"])
    if depth(shown["printed"]) == 3:
        cells |= {f"printed, {k}": as_rows(block) for k, block in enumerate(shown["printed"], start=1)}
    elif shown["printed"] != []:
        cells["printed"] = as_rows(shown["printed"])
    for name, value in entry["given"].items() if values["given"] else ():
        if isinstance(value, list) and not isinstance(flat(value)[0], str):
            cells[name] = as_rows(as_floats(value))
        elif isinstance(value, list) and "/" in str(value):
            cells[name] = as_rows(as_floats(value))
        else:
            words = " / ".join(value) if isinstance(value, list) else str(value)
            cells["starts from"] = [[words]]
    return cells


TABLES = {"explore_notes": tables}


def sentence(shown, values):
    entry, item, count = chosen(**values)
    if entry is None:
        return driving.numbers(values["notes"]) + ([] if values["lesson"] == "all" else [f"{values['lesson']:02d}"])
    why, many = driving.numbers(entry["evidence"]), len(flat(shown["printed"]))
    wrong = sum(flat(shown["differs"]))
    if not wrong:
        return [item, count, *([many] if many else []), *why]
    return [item, count, *([wrong, many] if many > 1 else []), *why]


SENTENCES = {"explore_notes": sentence}


def lights(shown, values):
    wrong = sum(flat(shown["differs"]))
    return [("the notes agree with the computation", wrong)] if shown["printed"] != [] else []


LIGHTS = {"explore_notes": lights}

# --- known answers ---------------------------------------------------------------------------------------------------


def outlined(markup):
    """The words in outlined cells, table after table."""
    return [cell.split("</td>")[0].split(">", 1)[1] for cell in markup.split("<td ")[1:] if "outline:3px" in cell[:150]]


def at(**values):
    explorer = explorers.explore_notes()
    explorer.set(**{"notes": "all", "verdict": "all", "lesson": "all", "item": 1, "given": False, **values})
    return explorer


def test_an_impossible_output_is_outlined_beside_the_computed_one():
    explorer = explorers.explore_notes()
    driving.buttons(explorer)["an impossible output"].click()
    assert outlined(explorer.html) == ["1.203", "0.802"]
    assert explorer.shown["differs"].tolist() == [True, False]


def test_the_cell_of_the_similarity_matrix_is_outlined():
    explorer = explorers.explore_notes()
    driving.buttons(explorer)["a similarity matrix"].click()
    assert outlined(explorer.html) == ["0.50", "0.05"]


@pytest.mark.parametrize(("verdict", "count"), [("match", 12), ("differs", 11), ("formula", 21), ("computed", 39)])
def test_every_verdict_lists_its_entries(verdict, count):
    explorer = at(verdict=verdict)
    assert explorer.shown["place"].tolist() == [1, count]
    assert explorer.controls["item"].max == count


def test_every_entry_can_be_reached_and_drawn():
    explorer, seen = at(), []
    for item in range(1, len(ENTRIES) + 1):
        explorer.controls["item"].value = item
        seen += [entry["id"] for entry in ENTRIES if f">{entry['id']}</th>" in explorer.html]
    assert seen == [entry["id"] for entry in ENTRIES]


def test_slider_ends_where_the_list_ends():
    explorer = at(item=83)
    explorer.controls["notes"].value = "lecture-sal"
    assert explorer.controls["item"].value == explorer.controls["item"].max == 7
    assert explorer.shown["place"].tolist() == [7, 7]


def test_a_choice_that_holds_nothing_says_so():
    explorer = at(notes="part4", verdict="match")
    assert explorer.shown["place"].tolist() == [0, 0]
    assert explorer.text == "There is nothing to show: no entry from part4 is marked 'agrees'."
    explorer.set(lesson=7, verdict="all", notes="notes-ab")
    assert explorer.text == "There is nothing to show: no entry from notes-ab in lesson 07 is here."


def test_what_it_starts_from_can_be_shown():
    explorer = at(notes="notes-bishop", verdict="differs", given=True)
    explorer.controls["item"].value = 6
    assert {"X", "W_value"} <= {table.caption for table in driving.tables(explorer.html)}
