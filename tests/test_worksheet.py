"""What is printed: fresh numbers that are right, a key that says how each is made, and questions that Moodle and Anki read."""

import json
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from helpers import explorers
from helpers.attention import scaled_dot_product_attention
from rooms.commands import worksheet
from rooms.shared import drills
from tests.notebooks import ROOT, lessons


def tables(page, row):
    """The matrices in a row of a page, as lists of rows of fractions; None in a box that is open."""
    found = []
    for table in re.findall(r"<table>(.*?)</table>", re.split(r'<div class="row[^"]*">', page)[row], re.S):
        rows = [re.findall(r"<td( class=\"open\")?>(.*?)</td>", line) for line in table.split("<tr>")[2:]]
        found.append(
            [[Fraction(text.replace("−", "-")) if not is_open else None for is_open, text in line] for line in rows]
        )
    return found


# --- sheets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [1, 17, 999])
def test_three_tokens_by_hand(task):
    """Loops and fractions, beside what the key says."""
    (X,) = tables(worksheet.sheet("attend_by_hand", task), 1)
    products = [[sum(a * b for a, b in zip(x, y)) for y in X] for x in X]
    scores = [[a / 2 for a in row] for row in products]
    powers = [[Fraction(3) ** int(a) for a in row] for row in scores]
    weights = [[a / sum(row) for a in row] for row in powers]
    outputs = [[sum(w * x[j] for w, x in zip(row, X)) for j in range(4)] for row in weights]
    assert tables(worksheet.key("attend_by_hand", task), 1) == [products, scores, weights, outputs]


@pytest.mark.parametrize("task", [2, 500])
def test_queries_keys_and_values_by_the_function_of_the_course(task):
    X, W_Q, W_K, W_V = (
        np.array(one, float) for one in tables(worksheet.sheet("ask_with_queries_keys_values", task), 1)
    )
    *projected, scores, weights, output = tables(worksheet.key("ask_with_queries_keys_values", task), 1)
    right = scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V, base=3)
    np.testing.assert_allclose(np.array(output, float), right.output, atol=5e-4)
    np.testing.assert_allclose(np.array(weights, float), right.weights, atol=5e-4)
    assert all(np.array_equal(np.array(made, float), X @ W) for made, W in zip(projected, (W_Q, W_K, W_V), strict=True))
    assert np.array_equal(np.array(scores, float), right.scores)


@pytest.mark.parametrize("lesson", worksheet.TASKS)
def test_sheet_leaves_open_what_the_key_says_and_nothing_else(lesson):
    asked = worksheet.TASKS[lesson]
    page, solved = worksheet.sheet(lesson, 7), worksheet.key(lesson, 7)
    shapes = [np.shape(table) for table in tables(solved, 1)]
    assert [np.shape(table) for table in tables(page, 2)] == shapes and len(shapes) == page.count('<div class="step">')
    assert page.count('class="open"') == sum(rows * columns for rows, columns in shapes)
    assert solved.count("<p>") == page.count('class="open"')  # each number has its sum
    assert all(" = " in words for words in re.findall(r"<p>(.*?)</p>", solved))
    assert "Sheet 7</p>" in page and "task 7 of its drill" in page and f"Lesson {asked.number}" in page


@pytest.mark.parametrize("lesson", worksheet.TASKS)
def test_sheet_is_of_the_lesson_that_has_this_drill(lesson):
    asked = worksheet.TASKS[lesson]
    (path,) = [path for path in lessons() if path.stem == f"{asked.number}_{lesson}"]
    text = path.read_text(encoding="utf-8")
    assert f"# {asked.title}" in text and f'explorers.drill(\\"{asked.drill}\\")' in text
    drill = explorers.drill(asked.drill)
    drill.set(task=17)
    for name, values in drills.example(asked.drill, 17).items():
        assert np.array_equal(drill.shown[name], values)
    drill.close()


def test_same_seed_prints_the_same_sheet_and_another_one_another(tmp_path, capsys):
    for seed, out in [("17", "a"), ("17", "b"), ("18", "c")]:
        arguments = ["attend_by_hand", "--students", "2", "--seed", seed, "--out", str(tmp_path / out)]
        assert worksheet.main(arguments) == 0
    names = ["attend_by_hand_17_to_18.html", "attend_by_hand_17_to_18_key.html"]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == names
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in names)
    second, first = ((tmp_path / out).glob("*[0-9].html") for out in "ac")
    second, first = (
        next(found).read_text(encoding="utf-8").split("<section")[k] for found, k in ((second, 2), (first, 1))
    )
    assert second.split("</section>")[0] == first.split("</section>")[0]  # sheet 18, whoever prints it
    assert worksheet.sheet("attend_by_hand", 17) != worksheet.sheet("attend_by_hand", 18)
    assert (
        worksheet.main(["attend_by_hand", "--students", "2", "--seed", "17", "--each", "--out", str(tmp_path / "d")])
        == 0
    )
    assert sorted(path.name for path in (tmp_path / "d").iterdir()) == [
        "attend_by_hand_017.html", "attend_by_hand_018.html", names[1],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "lesson must be one of ask_for_a_b, attend_by_hand, ask_with_queries_keys_values, got none"),
        (["attend"], "invalid choice: 'attend'"),
        (["attend_by_hand", "--students", "0"], "sheets must be some of 1 to 999, got 1 to 0"),
        (["attend_by_hand", "--seed", "0"], "got 0 to 29"),
        (["attend_by_hand", "--seed", "990"], "got 990 to 1019"),
        (["attend_by_hand", "--out", __file__], "--out must be a folder that can be written to"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        worksheet.main(arguments)
    assert message in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_file_that_was_changed_stays(tmp_path, capsys):
    arguments = ["ask_for_a_b", "--students", "1", "--out", str(tmp_path)]
    assert worksheet.main(arguments) == worksheet.main(arguments) == 0
    path = tmp_path / "ask_for_a_b_1_to_1.html"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit):
        worksheet.main(arguments)
    assert "must be new" in capsys.readouterr().err and path.read_text(encoding="utf-8") == "mine"


def test_the_earlier_name_of_the_command_goes_on_and_says_so(tmp_path):
    command = [sys.executable, "-m", "helpers.worksheet", "ask_for_a_b", "--students", "1", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "attention-lessons sheets now" in done.stderr and len(list(tmp_path.iterdir())) == 2


def test_readme_names_the_command_and_the_lessons():
    said = " ".join((ROOT / "README.md").read_text(encoding="utf-8").partition("**On paper**")[2].split())
    assert "`attention-lessons sheets attend_by_hand --students 30 --out sheets`" in said
    assert all(f"`{name}`" in said for name in worksheet.TASKS if name != "attend_by_hand")
    assert all(f"`--format {name}`" in said for name in worksheet.FORMATS)


# --- questions -------------------------------------------------------------------------------------------------------

QUESTIONS = json.loads((ROOT / "data" / "questions.json").read_text(encoding="utf-8"))
TEXT = r"(?:\\[\\~=#{}:]|[^\\~=#{}:\n])+"  # of GIFT: what means something has a \ before it
ANSWER = rf"(?P<sign>[=~])(?P<answer>{TEXT})#(?P<reply>{TEXT})\n"
QUESTION = rf"::(?P<name>{TEXT})::\[plain\](?P<asked>{TEXT}) \{{\n(?P<answers>(?:{ANSWER.replace('?P<', '?P<_')})+)\}}"


def without_escapes(text):
    return re.sub(r"\\(.)", r"\1", text)


def test_gift_is_read_back_as_what_was_asked():
    """By the grammar of docs.moodle.org/en/GIFT_format: blank lines part the questions; one answer is right."""
    lesson, found = None, {}
    for block in filter(str.strip, worksheet.gift(worksheet.questions()).split("\n\n")):
        if category := re.fullmatch(r"\$CATEGORY: Attention/Lesson (\d\d)", block):
            lesson = int(category[1])
            continue
        parts = re.fullmatch(QUESTION, block.strip())
        assert parts, block
        answers = [
            {key: without_escapes(text) for key, text in one.groupdict().items()}
            for one in re.finditer(ANSWER, parts["answers"])
        ]
        (right,) = [one["answer"] for one in answers if one["sign"] == "="]
        replies = {one["answer"]: one["reply"] for one in answers}
        found[without_escapes(parts["name"])] = (lesson, without_escapes(parts["asked"]), replies, right)
    assert found == {
        name: (
            asked["lesson"],
            f"{asked.get('given', '')} {asked['question']}".strip(),
            asked["replies"],
            asked["right"],
        )
        for name, asked in QUESTIONS.items()
    }


def test_gift_escapes_what_means_something_and_has_nothing_that_cannot_be():
    told = worksheet.gift(
        [("a:b", {"lesson": 7, "question": "{x} = ~1#\\?", "replies": {"=1": "~", "2": "}"}, "right": "2"})]
    )
    assert told.splitlines()[2:5] == ["::a\\:b::[plain]\\{x\\} \\= \\~1\\#\\\\? {", "~\\=1#\\~", "=2#\\}"]
    texts = [text for asked in QUESTIONS.values() for text in (asked["question"], *asked["replies"])]
    assert not [
        text for text in texts if "->" in text or "\n" in text or re.match("%.*%|//", text)
    ]  # Moodle has no escape


def test_cards_are_one_a_line_and_have_three_columns():
    head, cards = [], []
    for line in worksheet.anki(worksheet.questions()).splitlines():
        (head if line.startswith("#") else cards).append(line.split("\t"))
    assert [line[0] for line in head] == [
        "#separator:tab",
        "#html:true",
        "#notetype:Basic",
        "#deck:Attention",
        "#tags column:3",
    ]
    assert len(cards) == len(QUESTIONS) and {len(card) for card in cards} == {3}
    text = "".join(map("".join, cards))
    assert set(re.findall(r"<[^>]*>", text)) <= {"<br>", "<b>", "</b>", "<i>", "</i>"} and '"' not in text
    replies = {
        "<s>": "It begins.",
        "J’": "It is written.",
        "nothing": "It starts somewhere.",
        "all": "That would be much.",
    }
    own = {"question": "What is read first?", "replies": replies, "right": "J’", "lesson": 7}
    front, back, tags = worksheet.anki([("first", own)]).splitlines()[-1].split("\t")
    assert back.startswith("<b>J’</b><br>It is written.") and tags == "attention lesson_07" and "&lt;s&gt;" in front
    assert front.count("•") == back.count("<i>") + 1 == 4


@pytest.mark.parametrize("name", ["gift", "anki"])
def test_questions_are_written(name, tmp_path):
    assert worksheet.main(["--format", name, "--out", str(tmp_path / "new" / "folder")]) == 0
    (path,) = (tmp_path / "new" / "folder").iterdir()
    assert path.name == worksheet.FORMATS[name][0]
    assert path.read_bytes().decode("utf-8") == worksheet.FORMATS[name][1](worksheet.questions())


def test_a_question_away_from_its_page_says_what_the_page_shows():
    """A question that speaks of tokens by number, or of a lesson, says which they are."""
    told = {name: f"{asked.get('given', '')} {asked['question']}" for name, asked in QUESTIONS.items()}
    of_a_page = [
        name for name, text in told.items() if re.search(r"[Tt]oken \d|[Ll]esson \d", text) and "[" not in text
    ]
    assert of_a_page == []
