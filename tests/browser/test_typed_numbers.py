"""A number that is typed on a page without Python is read as the drills read it."""

import json
from fractions import Fraction

from rooms.shared.drills import judge
from workbench.recording import record

NUMBERS = [  # what is typed, what is recorded, whether it is the same
    ("3 5/11", "38/11", True), ("3 5/11", "35/11", False), ("-3 5/11", "-38/11", True), ("3 5", "35", False), ("0.614", "0.61", False),
    ("0.61", "0.61", True), ("0.43", "3/7", True), ("0.4", "3/7", False), ("−2", "-2", True), ("+ 38 / 11", "38/11", True), ("abc", "3", False),
]  # fmt: skip


def test_page_reads_numbers_as_the_drill_does(chromium):
    script = next(path for path in record.PLAYER_FILES if path.suffix == ".js").read_text(encoding="utf-8")
    lines = script[script.index("  const number =") : script.index("  class Player")]
    page = chromium.new_page()
    found = page.evaluate(
        f"() => {{ {lines} return {json.dumps(NUMBERS)}.map(([typed, recorded]) => same(typed, recorded)); }}"
    )
    page.close()
    assert found == [same for *_, same in NUMBERS]
    for typed, recorded, same in NUMBERS:
        assert judge(typed, float(Fraction(recorded))).right is same, typed
