"""Pages of the notes and a planted slip: what is shown, from the file and from plain loops; see tests/test_explorers.py."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import notes
from helpers.sources import examples
from tests import driving
from tests.test_examples import AGAIN, THREE, soft, times, turned

ENTRIES = {entry["id"]: entry for entry in json.loads(examples.PATH.read_text(encoding="utf-8"))["examples"]}
SOUND = {"whole string: scores", "three tokens: weights, row 1", "A/B query: weights", "cost: additions"}
SUSPECTS = {  # page -> the numbers that are off, row and column counted from 1
    "three tokens: scores": [(3, 1)],
    "similarity matrix": [(3, 3)],
    "three tokens: identity": [(2, 1)],
    "booster: scores": [(1, 3)],
    "three tokens: y1": [(1, 1)],
    "three tokens: K transposed": [(3, 1), (3, 2), (3, 3)],
    "cost: last additions": [(1, 1)],
}

# --- a page is judged ------------------------------------------------------------------------------------------------


def rows_of(values):
    """A number, a row or rows, as rows of floats."""
    values = values if isinstance(values, list) else [values]
    values = values if isinstance(values[0], list) else [values]
    return [[float(Fraction(x)) for x in row] for row in values]


def page_of(page, number, sound, who):
    printed = rows_of(ENTRIES[page]["printed"])
    off = [[(i + 1, j + 1) in SUSPECTS.get(page, []) for j in range(len(row))] for i, row in enumerate(printed)]
    on_page = number != "none yet" and number[0] < len(printed) and number[1] < len(printed[0])
    if sound:
        found = 1 if page in SOUND else -1
    else:
        found = 0 if not on_page else 1 if off[number[0]][number[1]] else -1
    computed = rows_of(np.array(AGAIN[page], dtype=float).tolist()) if found == 1 else np.empty((0, 0))
    return {"printed": printed, "differs": off, "computed": computed, "found": found}


def as_shown(rows):
    """Fractions as words, where one of them has no end."""
    sixths = all(abs(6 * x - round(6 * x)) < 1e-9 for row in rows for x in row)
    if sixths and any(abs(1000 * x - round(1000 * x)) > 1e-6 for row in rows for x in row):
        return [[str(Fraction(x).limit_denominator(6)) for x in row] for row in rows]
    return rows


def page_tables(shown, values):
    found = {"in our text": as_shown(shown["printed"])}
    return found | ({"computed": as_shown(shown["computed"])} if shown["found"] == 1 else {})


def page_sentence(shown, values):
    rule = driving.numbers(notes.PAGES[values["page"]].rule)
    if shown["found"] == 0 or (shown["found"] == -1 and values["sound"]):
        return []
    if shown["found"] == -1:
        i, j = values["number"]
        if (values["page"], i) in {("similarity matrix", 2), ("three tokens: K transposed", 1)}:
            return driving.numbers(notes.PAGES[values["page"]].beside)  # of such a row nobody can tell
        number = shown["printed"][i][j]
        return [*(["1", "6"] if math.isclose(number, 1 / 6) else [number]), *rule]
    said = not values["sound"] and values["who"]
    return rule + (driving.numbers(ENTRIES[values["page"]]["evidence"]) if said else [])


# --- a slip is planted -----------------------------------------------------------------------------------------------

CHANGES = {
    "none": lambda x: x,
    "one more": lambda x: x + 1,
    "made 0": lambda x: 0,
    "three times": lambda x: 3 * x,
    "minus": lambda x: -x,
}


def computed(place=None, slip="none"):
    def planted(name, rows):
        if place and place[0] == name:
            rows[place[1]][place[2]] = CHANGES[slip](rows[place[1]][place[2]])
        return rows

    products = planted("dot products", times(THREE, turned(THREE)))
    scores = planted("scaled scores", [[x / math.sqrt(2) for x in row] for row in products])
    weights = planted("weights", [soft(row) for row in scores])
    outputs = planted("outputs", times(weights, THREE))
    return {"dot products": products, "scaled scores": scores, "weights": weights, "outputs": outputs}


def slip_of(place, slip):
    made, right = computed(place, slip), computed()
    moved = [
        sum(abs(a - b) > 1e-9 for row, want in zip(made[name], right[name]) for a, b in zip(row, want)) for name in made
    ]
    return {**made, "moved": moved}


def slip_tables(shown, values):
    found = {name: shown[name] for name in ("dot products", "scaled scores", "outputs")}
    return found | {"weights": [[*row, sum(row)] for row in shown["weights"]]}


def slip_sentence(shown, values):
    name, i, j = values["place"]
    if not any(shown["moved"]):
        return [i + 1, j + 1, shown[name][i][j]]
    caught = sum(gap != 0 for _, gap in slip_lights(shown, values))
    rules = [caught, 3] if caught else []
    return [i + 1, j + 1, shown[name][i][j], computed()[name][i][j], *filter(None, shown["moved"]), *rules]


def slip_lights(shown, values):
    mirror = max(
        abs(rows[i][j] - rows[j][i])
        for rows in (shown["dot products"], shown["scaled scores"])
        for i in range(3)
        for j in range(3)
    )
    below = min(x for row in shown["weights"] for x in row)
    sums = below if below < 0 else max(abs(sum(row) - 1) for row in shown["weights"])
    outside = max(0, max(max(x - 1, -x) for row in shown["outputs"] for x in row))
    gaps = [gap if abs(gap) > 1e-9 else 0 for gap in (mirror, sums, outside)]
    return list(zip(["dot products and scores are", "every row sums to 1", "every output lies"], gaps))


REFERENCES = {"explore_notes": page_of, "explore_wrong_number": slip_of}
TABLES = {"explore_notes": page_tables, "explore_wrong_number": slip_tables}
SENTENCES = {"explore_notes": page_sentence, "explore_wrong_number": slip_sentence}
LIGHTS = {"explore_notes": lambda shown, values: [], "explore_wrong_number": slip_lights}

# --- known answers ---------------------------------------------------------------------------------------------------


def outlined(markup):
    """The words in outlined cells, table after table."""
    return [cell.split("</td>")[0].split(">", 1)[1] for cell in markup.split("<td ")[1:] if "outline:" in cell[:200]]


def at(page, **values):
    explorer = explorers.explore_notes()
    explorer.controls["page"].value = page
    explorer.set(**values)
    return explorer


def click(explorer, name, i, j):
    explorer._touched({"type": "click", "target": {"className": f"touch at-{name} r{i} c{j}"}})


def test_pages_are_those_with_a_suspect_and_those_without():
    assert set(notes.PAGES) == SOUND | set(SUSPECTS)
    assert {page for page in notes.PAGES if ENTRIES[page]["verdict"] == "match"} == SOUND


@pytest.mark.parametrize("page", SUSPECTS)
def test_a_click_on_a_suspect_finds_it_and_outlines_it_beside_the_computed_number(page):
    explorer = at(page)
    assert not outlined(explorer.html)
    row, column = SUSPECTS[page][0]
    click(explorer, "printed", row - 1, column - 1)
    assert explorer.shown["found"] == 1 and explorer.text.startswith("Found. ")
    assert len(outlined(explorer.html)) == len(SUSPECTS[page])
    assert "computed" in {table.caption for table in driving.tables(explorer.html)}


@pytest.mark.parametrize("page", SUSPECTS)
def test_who_erred_is_answered_with_the_evidence(page):
    row, column = SUSPECTS[page][0]
    explorer = at(page, number=(row - 1, column - 1))
    agreed = []
    for who in notes.WHO.values():
        explorer.controls["who"].value = who
        if who:
            assert ENTRIES[page]["evidence"] in explorer.text
            agreed += [who] * ("That is how we read it, too" in explorer.text)
            assert ("We read it differently" in explorer.text) == (who not in agreed)
    assert len(agreed) == 1 and ENTRIES[page]["reading"] in agreed[0]


@pytest.mark.parametrize("page", notes.PAGES)
def test_a_page_is_sound_or_not(page):
    explorer = at(page, sound=True)
    calm = notes.PAGES[page].calm or "Something is off"
    assert explorer.text.startswith("Right, nothing is off." if page in SOUND else calm)


@pytest.mark.parametrize("page", sorted(SOUND))
def test_only_who_blames_somebody_on_a_sound_page_blames_the_innocent(page):
    explorer = at(page, sound=True)
    for words, who in notes.WHO.items():
        explorer.controls["who"].value = who
        blames = words in {"the author", "the reading of the sheet"}
        assert explorer.text.endswith("blames the innocent.") == blames, words


@pytest.mark.parametrize("page", notes.PAGES)
def test_who_erred_waits_for_a_verdict_and_supposes_no_wrong_number(page):
    explorer = at(page, who=notes.WHO["nobody"])
    assert explorer.text == "Who erred? First judge the page: click a number, or say that nothing is off."


def test_a_healthy_number_is_acquitted():
    explorer = at("three tokens: weights, row 1")
    click(explorer, "printed", 0, 1)
    assert explorer.text.startswith("0.198 is what the computation gives, too.")
    assert outlined(explorer.html) == ["0.198"]


def test_a_new_page_starts_without_a_verdict():
    explorer = at("three tokens: scores", number=(2, 0), who=("open",))
    explorer.controls["page"].value = "similarity matrix"
    assert driving.state(explorer) == {"page": "similarity matrix", "number": "none yet", "sound": False, "who": ()}
    assert explorer.text.startswith("Click the number that you distrust.")


def test_a_click_takes_the_word_back_that_nothing_is_off():
    explorer = at("three tokens: scores", sound=True)
    click(explorer, "printed", 2, 0)
    assert explorer.shown["found"] == 1


def test_a_place_beside_the_page_is_no_verdict():
    explorer = at("similarity matrix", number=(3, 0))
    assert explorer.shown["found"] == 0 and not outlined(explorer.html)


def test_a_slip_is_planted_by_a_click():
    explorer = explorers.explore_wrong_number()
    click(explorer, "weights", 1, 2)
    assert explorer.controls["place"].value == ("weights", 1, 2)
    assert explorer.shown["weights"][1].sum() == pytest.approx(2)


def test_the_zero_of_our_text_is_seen_by_the_mirror_alone():
    explorer = explorers.explore_wrong_number()
    driving.buttons(explorer)["the 0 of our text"].click()
    printed = np.array(ENTRIES["three tokens: scores"]["printed"])
    assert explorer.shown["dot products"].tolist() == printed.tolist()
    assert [holds for holds, _ in driving.lights(explorer.html)] == [False, True, True]
    assert explorer.shown["moved"].tolist() == [1, 1, 3, 2]


def test_a_slip_in_a_score_with_itself_is_seen_by_no_rule():
    explorer = explorers.explore_wrong_number()
    explorer.set(place=("dot products", 0, 0), slip="three times")
    assert explorer.text.endswith("No rule notices.")


def test_a_number_beside_the_one_that_is_off_is_not_called_right_where_the_sum_alone_speaks():
    for place in ((2, 0), (2, 1)):
        explorer = at("similarity matrix", number=place)
        assert "the sum cannot tell" in explorer.text and "computation gives, too" not in explorer.text
    assert "computation gives, too" in at("similarity matrix", number=(0, 0)).text


def test_a_row_without_a_name_may_be_read_as_weights():
    explorer = explorers.explore_notes()
    explorer.set(page="booster: scores", sound=True)
    assert explorer.text.startswith("Read as weights, the row is right")


def test_a_minus_before_0_changes_nothing_and_says_so():
    explorer = explorers.explore_wrong_number()
    explorer.set(place=("dot products", 0, 1), slip="minus")
    assert explorer.text == "dot products [1, 2] is 0, as it should be."


def test_the_other_of_two_like_rows_is_not_called_sound():
    """Which of rows 2 and 3 is one too many, the page does not say."""
    explorer = explorers.explore_notes()
    for column in range(3):
        explorer.set(page="three tokens: K transposed", number=(1, column))
        assert "rows 2 and 3 are the same" in explorer.text and "computation gives" not in explorer.text
        explorer.set(number=(0, column))
        assert "is what the computation gives, too" in explorer.text
