"""Say how far a class is, in a terminal and as a page, in the words of the course."""

import html
import textwrap
from collections import Counter

from helpers import checks

SIGNS = {"right": "✓", "wrong": "✗", "unjudged": "?", "begun": "…", "blank": "○", "gone": "–", "none": "–"}
TELLING = ("wrong", "unjudged")  # where the message is shown
WORDS = {
    "right": "right", "wrong": "wrong", "begun": "begun", "blank": "not begun", "gone": "without its cell",
    "unjudged": "not judged", "none": "not handed in",
}  # fmt: skip
NOBODY = "(no name)"
STYLE = """
:root { color-scheme: light dark; --line: #8886; --right: #1a7f37; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --right: #56d364; --wrong: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
td.sign { text-align: center; } .right { color: var(--right); } .wrong { color: var(--wrong); }
td.count { text-align: right; } pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; }
"""


def best_of_each(judged):
    """dict exercise -> dict learner -> Judged, the best where somebody handed in several copies; lessons in order."""
    order = list(checks.EXERCISES)
    found = {}
    for one in sorted(judged, key=lambda one: (lesson_of(one), order.index(one.answer.exercise))):
        learners = found.setdefault(one.answer.exercise, {})
        before = learners.get(one.answer.learner)
        if before is None or _rank(one) >= _rank(before):
            learners[one.answer.learner] = one
    return found


def lesson_of(one):
    return one.answer.lesson or "No lesson named"


def _rank(one):
    return ["gone", "blank", "unjudged", "begun", "wrong", "right"].index(one.status)


def _lesson(learners):
    """The lesson as most of its notebooks name it: titles can be changed, too."""
    return Counter(lesson_of(one) for one in learners.values()).most_common(1)[0][0]


def _groups(learners, everybody):
    """dict status -> dict message -> names, the most frequent first; those who handed nothing in are "none"."""
    groups = {status: {} for status in SIGNS}
    for learner in everybody:
        one = learners.get(learner)
        status, message = (one.status, one.message) if one else ("none", "")
        groups[status].setdefault(message, []).append(learner)
    return {
        status: dict(sorted(messages.items(), key=lambda item: -len(item[1])))
        for status, messages in groups.items()
        if messages
    }


def _names(learners):
    return ", ".join(name or NOBODY for name in learners)


def everybody(judged, unread):
    """Names of all who handed something in, in the order of the alphabet."""
    return sorted({one.answer.learner for one in judged} | {file.learner for file in unread}, key=str.casefold)


def as_text(judged, unread, width=110):
    """The overview of a class, for a terminal."""
    names, lines = everybody(judged, unread), []
    for exercise, learners in best_of_each(judged).items():
        lines += ["", f"{_lesson(learners)}: {exercise}"]
        for status, messages in _groups(learners, names).items():
            count = sum(map(len, messages.values()))
            lines.append(f"  {SIGNS[status]} {count:3d} {WORDS[status]}")
            for message, who in messages.items():
                said = f"{len(who):3d} {message}  " if status in TELLING else "    "
                text = said + ("" if status == "right" else _names(who))
                lines += textwrap.wrap(text.strip(), width, initial_indent=" " * 8, subsequent_indent=" " * 12)
    lines += [f"{file.name} {file.reason}." for file in unread]
    return "\n".join(lines).strip("\n")


def count(things, name):
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


def as_own(judged, unread):
    """Where one learner is: what is done, and what comes next."""
    own = [one for learners in best_of_each(judged).values() for one in learners.values()]
    lines = [f"{SIGNS[one.status]} {one.answer.lesson}: {one.answer.exercise}" for one in own]
    done = sum(one.status == "right" for one in own)
    lines.append(f"\n{done} of {len(own)} done.")
    after = next((one for one in own if one.status != "right"), None)
    if after:
        lines.append(f"Next: {after.answer.lesson}, {after.answer.exercise}. {after.message}")
    lines += [f"{file.name} {file.reason}." for file in unread]
    return "\n".join(lines)


def as_page(judged, unread, how):
    """The overview of a class as one HTML file without scripts. `how` says how the answers were run."""
    e = html.escape
    names, found = everybody(judged, unread), best_of_each(judged)
    head = "".join(f'<th scope="col">{e(_lesson(who)[:2])} {e(exercise)}</th>' for exercise, who in found.items())
    rows = "".join(
        f'<tr><th scope="row">{e(name or NOBODY)}</th>' + "".join(_cell(found[x].get(name)) for x in found) + "</tr>"
        for name in names
    )
    legend = ", ".join(f"{SIGNS[status]} {WORDS[status]}" for status in ("right", "wrong", "begun", "blank", "none"))
    sections = "".join(_section(exercise, learners, names) for exercise, learners in found.items())
    files = "".join(f"<li>{e(file.name)} {e(file.reason)}.</li>" for file in unread)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>How far the class is</title><style>{STYLE}</style></head><body>
<h1>How far the class is</h1>
<p>{count(names, "learner")}, {count(judged, "answer")}. {e(how)}</p>
{sections}
<h2>Everybody</h2>
<p>{legend}</p>
<div class="wide"><table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>
{f"<h2>Files that were not read</h2><ul>{files}</ul>" if files else ""}
</body></html>
"""


def _cell(one):
    status = one.status if one else "none"
    words = html.escape(f"{WORDS[status]}: {one.message}" if status in TELLING else WORDS[status])
    return f'<td class="sign {status}" title="{words}"><span aria-label="{WORDS[status]}">{SIGNS[status]}</span></td>'


def _section(exercise, learners, names):
    e = html.escape
    rows = ""
    for status, messages in _groups(learners, names).items():
        for message, who in messages.items():
            told = e(message) if status in TELLING else WORDS[status]
            people = e(_names(who)) + _codes([learners[name] for name in who] if status == "wrong" else [])
            rows += f'<tr><td class="count">{len(who)}</td><td class="{status}">{SIGNS[status]}</td><td>{told}</td><td>{people}</td></tr>'
    return f"""
<h2>{e(_lesson(learners))}: <code>{e(exercise)}</code></h2>
<div class="wide"><table><thead><tr><th scope="col">how many</th><td></td><th scope="col">what they are told</th>
<th scope="col">who</th></tr></thead><tbody>{rows}</tbody></table></div>"""


def _codes(ones):
    """What they wrote, folded away."""
    if not ones:
        return ""
    e = html.escape
    parts = (
        f"<p>{e(one.answer.learner or NOBODY)}</p><pre>{e(one.answer.cells[one.answer.place])}</pre>" for one in ones
    )
    return f"<details><summary>what they wrote</summary>{''.join(parts)}</details>"
