"""Pencil tasks to print, each sheet with fresh numbers, and their key; the course's questions for Moodle and for cards.

attention-lessons sheets attend_by_hand --students 30 --out folder     sheets 1 to 30, and the key
attention-lessons sheets attend_by_hand --seed 31 --out folder         the next thirty; sheet 31 always has the same numbers
attention-lessons sheets --format gift --out folder                    the questions for Moodle; anki: as cards
"""

import argparse
import html
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.support import data_files
from rooms.shared import drills
from rooms.shared.questions import PATH
from workbench.moving import sums


class Task(NamedTuple):
    """What a sheet of one lesson asks: the lesson's number and title, the drill whose numbers it has, what stands above them."""

    number: str
    title: str
    drill: str
    words: str


TASKS = {
    "ask_for_a_b": Task(
        "01",
        "Three A's outvote one B",
        "one query",
        "One query asks four keys, and gets back a mixture of their values.",
    ),
    "attend_by_hand": Task(
        "02",
        "Three tokens look at each other",
        "three tokens",
        "Each row of X is a token with four features. Each token asks all three, and gets back a mixture of them.",
    ),
    "ask_with_queries_keys_values": Task(
        "03",
        "She asks, and Sarah answers",
        "queries, keys and values",
        "Each row of X is a token. The three matrices W make its query, its key and its value.",
    ),
}
PENCIL = "Powers are of 3 here, so that every number is a fraction, and 3/7 may stay as it is."
CHECK = "Do the weights of each row sum to 1? Each output lies between the smallest and the largest number that it is mixed of."
DRILL = (
    "Lesson {number} has these numbers, too: choose task {task} of its drill, type what you found, and it is judged."
)
STYLE = """
@page { margin: 13mm 14mm; }
body { font: 11pt/1.35 system-ui, sans-serif; color: #000; background: #fff; max-width: 182mm; margin: 0 auto; padding: 3mm; }
h1 { font-size: 15pt; margin: 0; } h2 { font-size: 11pt; margin: 0; } p { margin: 1.5mm 0; }
header { display: flex; justify-content: space-between; align-items: baseline; flex-wrap: wrap; gap: 3mm; }
.line { display: inline-block; width: 42mm; border-bottom: .3mm solid #000; }
.sheet { break-after: page; } .sheet:last-child { break-after: auto; }
.row { display: flex; flex-wrap: wrap; gap: 4mm 9mm; margin: 3mm 0; } .step { width: 82mm; break-inside: avoid; }
.hint { font-size: 9.5pt; margin: .5mm 0 1mm; color: #333; } figure { margin: 0; } figcaption { font-weight: 600; } sub { line-height: 0; }
table { border-collapse: collapse; } th { font-weight: 400; font-size: 8.5pt; color: #444; padding: 0 1.2mm; }
td { border: .25mm solid #000; min-width: 9mm; height: 6.5mm; padding: 0 1mm; text-align: center; }
td.open { min-width: 15mm; height: 9.5mm; } .roomy td.open { min-width: 16mm; height: 14mm; } .key { break-inside: avoid; border-top: .3mm solid #000; padding: 2mm 0; }
.key td { font-size: 9pt; height: 5mm; min-width: 5.5mm; padding: 0 .8mm; } .key .row { gap: 2mm 3mm; margin: 1mm 0; }
.key figcaption { font-size: 9pt; } details p { font-size: 9pt; margin: 0; }
@media screen { .sheet { border-bottom: .3mm dashed #888; padding: 8mm 0; } }
@media print { body { padding: 0; max-width: none; } details:not([open]) { display: none; } }
"""


def sheet(lesson, task):
    """A page with a task: what is given, and boxes for all that is to be found."""
    asked, numbers = TASKS[lesson], drills.example(TASKS[lesson].drill, task)
    stages = drills.PRACTICES[asked.drill].stages
    given = "".join(_matrix(name, values) for name, values in numbers.items() if name not in stages)
    steps = "".join(
        f'<div class="step"><h2>{k}. {_set(stage.caption)}</h2><p class="hint">{_set(stage.hint)}</p>'
        f"{_matrix('', numbers[name], is_open=True)}</div>"
        for k, (name, stage) in enumerate(stages.items(), 1)
    )
    roomy = " roomy" if len(stages) <= 4 else ""  # six fill a page
    return f"""<section class="sheet"><header><h1>{asked.number} {asked.title}</h1>
<p>Name <span class="line"></span> Sheet {task}</p></header>
<p>{asked.words} {PENCIL}</p><div class="row">{given}</div><div class="row{roomy}">{steps}</div>
<p><b>Check.</b> {CHECK} {DRILL.format(number=asked.number, task=task)}</p></section>
"""


def key(lesson, task):
    """All numbers of a sheet, and folded away on the screen, how each is made."""
    asked, numbers = TASKS[lesson], drills.example(TASKS[lesson].drill, task)
    stages = drills.PRACTICES[asked.drill].stages
    found = "".join(_matrix(name, numbers[name]) for name in stages)
    made = "".join(
        f"<p>{html.escape(stage.made.words(numbers, i, j))}</p>"
        for name, stage in stages.items()
        for i, j in np.ndindex(numbers[name].shape)
    )
    return f"""<section class="key"><h2>Sheet {task}</h2><div class="row">{found}</div>
<details><summary>how each number is made</summary>{made}</details></section>
"""


def _matrix(name, values, is_open=False):
    """A table with numbered rows and columns; `is_open` leaves its boxes empty."""
    head = "".join(f"<th>{j}</th>" for j in range(1, values.shape[1] + 1))
    rows = "".join(
        f"<tr><th>{i}</th>{''.join(_box(number, is_open) for number in row)}</tr>" for i, row in enumerate(values, 1)
    )
    caption = f"<figcaption>{_set(name)}</figcaption>" if name else ""
    return f"<figure>{caption}<table><tr><th></th>{head}</tr>{rows}</table></figure>"


def _set(text):
    """Text as HTML; W_Q and d_k get their small letters."""
    return re.sub(r"\b([A-Za-z])_(\w+)", r"\1<sub>\2</sub>", html.escape(text))


def _box(number, is_open):
    return '<td class="open"></td>' if is_open else f"<td>{html.escape(sums.exact(number)).replace('-', '−')}</td>"


def page(title, body):
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>
{body}</body></html>
"""


def questions():
    """List of (name, question), by lesson. A question is a dict: lesson, given or not, question, replies, right."""
    return sorted(data_files.json_file(PATH).items(), key=lambda item: item[1]["lesson"])


def _asked(question):
    return f"{question.get('given', '')} {question['question']}".strip()


def gift(asked):
    """Questions in GIFT, the format that Moodle imports (docs.moodle.org/en/GIFT_format); each answer has its reply."""
    escape = str.maketrans({letter: f"\\{letter}" for letter in "\\~=#{}:"})
    lines, category = [], None
    for name, question in asked:
        if question["lesson"] != category:
            category = question["lesson"]
            lines += [f"$CATEGORY: Attention/Lesson {category:02d}", ""]
        answers = [
            f"{'=' if answer == question['right'] else '~'}{answer.translate(escape)}#{reply.translate(escape)}"
            for answer, reply in question["replies"].items()
        ]
        start = f"::{name.translate(escape)}::[plain]{_asked(question).translate(escape)} {{"
        lines += [start, *answers, "}", ""]
    return "\n".join(lines)


def anki(asked):
    """Questions as cards, one a line: front, back, tags (docs.ankiweb.net/importing/text-files.html)."""
    lines = ["#separator:tab", "#html:true", "#notetype:Basic", "#deck:Attention", "#tags column:3"]
    for _, question in asked:
        front = [html.escape(_asked(question)), "", *(f"• {html.escape(answer)}" for answer in question["replies"])]
        order = sorted(question["replies"].items(), key=lambda item: item[0] != question["right"])
        (right, reply), *others = ((html.escape(answer), html.escape(reply)) for answer, reply in order)
        back = [f"<b>{right}</b>", reply, "", *(f"<i>{answer}</i>: {reply}" for answer, reply in others)]
        lines.append("\t".join(["<br>".join(front), "<br>".join(back), f"attention lesson_{question['lesson']:02d}"]))
    return "\n".join(lines) + "\n"


FORMATS = {"gift": ("attention_questions.gift", gift), "anki": ("attention_questions.tsv", anki)}


def files(lesson, first, last, one_each):
    """dict name -> text of the sheets and their key."""
    title, tasks = TASKS[lesson].title, range(first, last + 1)
    sheets = {task: sheet(lesson, task) for task in tasks}
    name = f"{lesson}_{first}_to_{last}"
    together = {f"{lesson}_{task:03d}.html": page(f"{title}, sheet {task}", sheets[task]) for task in tasks}
    if not one_each:
        together = {f"{name}.html": page(title, "".join(sheets.values()))}
    keys = "".join(key(lesson, task) for task in tasks)
    return together | {f"{name}_key.html": page(f"{title}, key", f"<h1>{title}: the key</h1>{keys}")}


def main(arguments=None):
    """Write the files; returns what the process exits with."""
    parser = argparse.ArgumentParser(prog="attention-lessons sheets", description=__doc__.split("\n")[0])
    parser.add_argument("lesson", nargs="?", choices=TASKS, help="whose task is printed")
    parser.add_argument("--students", type=int, default=30, help="how many sheets (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=1, help="number of the first sheet, which says its numbers (%(default)s)"
    )
    parser.add_argument("--each", action="store_true", help="a file for each sheet, not one for all")
    parser.add_argument("--format", choices=["html", *FORMATS], default="html", help="gift or anki: the questions")
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder that is written to")
    options = parser.parse_args(arguments)
    first, last = options.seed, options.seed + options.students - 1
    if options.format == "html" and options.lesson is None:
        parser.error(f"lesson must be one of {', '.join(TASKS)}, got none.")
    if not 1 <= first <= last <= drills.MOST_TASKS:
        parser.error(f"sheets must be some of 1 to {drills.MOST_TASKS}, got {first} to {last}.")
    if options.format == "html":
        written = files(options.lesson, first, last, options.each)
    else:
        name, form = FORMATS[options.format]
        written = {name: form(questions())}
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            place = options.out / name
            if place.exists() and place.read_bytes() != text.encode():
                parser.error(f"{place} must be new, got a file with other words in it; choose another folder by --out.")
            place.write_bytes(text.encode())
            print(place)
    except OSError as error:
        parser.error(f"--out must be a folder that can be written to, got {error.filename}: {error.strerror}.")
    return 0
