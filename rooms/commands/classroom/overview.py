"""Say how far a class is, or a learner: a page, a table, a few lines."""

import html
import unicodedata
from collections import Counter

from rooms.commands.classroom.notebooks import NO_EXERCISE, STATES

SIGNS = {"wrong": "✗", "blank": "○", "unrun": "○", "gone": "–", "none": "–", "right": "✓"}  # as a page lists them
WORDS = {"wrong": "wrong", "blank": "not finished", "unrun": "not checked", "gone": "without its check"}
WORDS |= {"none": "not handed in", "right": "right"}
TRUST = (
    "This is what the notebooks say. Nothing in them was run, and a ✓ can be typed into the file: to grade, use nbgrader or "
    "otter-grader with checks.require."
)
# as in the first edition: a page of those days is replaced
START = '<!DOCTYPE html><html lang="en"><head><meta name="generator" content="helpers.classroom">'
STYLE = """
:root { color-scheme: light dark; --line: #8886; --right: #1a7f37; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --right: #56d364; --wrong: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
td.sign { text-align: center; } .right { color: var(--right); } .wrong { color: var(--wrong); }
td.count { text-align: right; } tr > :first-child { white-space: nowrap; }
.all th[scope=col] { writing-mode: vertical-rl; vertical-align: bottom; padding: .5rem .2rem; }
.all th[scope=row] { position: sticky; left: 0; background: Canvas; } pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; }
"""


def name_of(file):
    return file.learner or f"({file.path})"


def everybody(files):
    """Names of all who handed something in, in the order of the alphabet."""
    return sorted(
        {name_of(file) for file in files if file.learner or file.exercises},
        key=lambda name: unicodedata.normalize("NFD", name).casefold(),
    )


def by_exercise(files, name_of=name_of):
    """dict (lesson, exercise) -> dict learner -> Exercise, the best of several copies; lessons in order."""
    found, lessons, places = {}, {}, {}
    for file in files:
        for k, one in enumerate(file.exercises):
            lessons.setdefault(one.name, []).append(file.lesson)
            places[one.name] = min(k, places.get(one.name, k))
            before = found.setdefault(one.name, {}).setdefault(name_of(file), one)
            if STATES.index(one.state) > STATES.index(before.state):
                found[one.name][name_of(file)] = one
    titles = {name: Counter(said).most_common(1)[0][0] or "No lesson named" for name, said in lessons.items()}
    return {(titles[name], name): found[name] for name in sorted(found, key=lambda name: (titles[name], places[name]))}


def as_own(files):
    """Where one learner is: what is done, and what comes next."""
    own = {key: learners[""] for key, learners in by_exercise(files, lambda file: "").items()}
    lines = [f"{SIGNS[one.state]} {lesson}: {name}" for (lesson, name), one in own.items()]
    lines.append(f"\n{sum(one.state == 'right' for one in own.values())} of {len(own)} done.")
    after = [f"Next: {lesson}, {name}. {one.message}" for (lesson, name), one in own.items() if one.state != "right"]
    return "\n".join(lines + after[:1])


def unread(files):
    """Sentences on the notebooks that could not be read."""
    files = [file for file in files if file.reason not in ("", NO_EXERCISE) and ".ipynb" in file.path]
    return [f"{file.path} {file.reason}." for file in files]


def as_table(files):
    """Rows for a gradebook. A cell that a spreadsheet would compute gets a ' in front."""
    rows = [("learner", "lesson", "exercise", "status", "message")]
    for (lesson, exercise), learners in by_exercise(files).items():
        rows += [(who, lesson, exercise, WORDS[one.state], one.message) for who, one in learners.items()]
    rows += [(file.learner, "", "", "no answer", f"{file.path} {file.reason}.") for file in files if file.reason]
    return [[f"'{cell}" if cell[:1] in (*"=+-@\t\r\n＝＋－＠",) else cell for cell in row] for row in rows]


def as_page(files):
    """The overview of a class as one HTML file without scripts."""
    e, names, found = html.escape, everybody(files), by_exercise(files)
    head = "".join(f'<th scope="col">{e(lesson[:2])} {e(exercise)}</th>' for lesson, exercise in found)
    rows = "".join(
        f'<tr><th scope="row">{e(name)}</th>{"".join(_cell(who.get(name)) for who in found.values())}</tr>'
        for name in names
    )
    told = {sign: [WORDS[state] for state in SIGNS if SIGNS[state] == sign] for sign in SIGNS.values()}
    legend = ", ".join(f"{sign} {' or '.join(words)}" for sign, words in told.items())
    rest = sorted((file for file in files if file.reason), key=lambda file: file.reason == NO_EXERCISE)
    rest = "".join(f"<li>{e(file.path)} {e(file.reason)}.</li>" for file in rest)
    return f"""{START}<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>How far the class is</title><style>{STYLE}</style></head><body>
<h1>How far the class is</h1>
<p>Learners: {len(names)}. Files: {len(files)}. {e(TRUST)}</p>
{"".join(_section(*key, learners, names) for key, learners in found.items())}
<h2>Everybody</h2>
<p>{legend}</p>
<div class="wide all"><table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>
{f"<h2>Files without an answer</h2><ul>{rest}</ul>" if rest else ""}
</body></html>
"""


def _cell(one):
    state = one.state if one else "none"
    words = html.escape(f"{WORDS[state]}: {one.message}" if state == "wrong" else WORDS[state])
    return f'<td class="sign {state}" title="{words}"><span role="img" aria-label="{WORDS[state]}">{SIGNS[state]}</span></td>'


def _section(lesson, exercise, learners, names):
    """How many are told what; mistakes first, the most frequent one first."""
    e, told = html.escape, {}
    for name in names:
        one = learners.get(name)
        state = one.state if one else "none"
        told.setdefault((state, one.message if state == "wrong" else WORDS[state]), []).append(name)
    order = sorted(told, key=lambda key: (list(SIGNS).index(key[0]), -len(told[key])))
    rows = "".join(
        f'<tr><td class="count">{len(told[key])}</td><td class="{key[0]}">{SIGNS[key[0]]}</td><td>{e(key[1])}</td>'
        f"<td>{e(', '.join(told[key]))}{_sources(told[key], learners) if key[0] == 'wrong' else ''}</td></tr>"
        for key in order
    )
    return f"""<h2>{e(lesson)}: <code>{e(exercise)}</code></h2>
<div class="wide"><table><thead><tr><th scope="col">how many</th><td></td><th scope="col">what they are told</th>
<th scope="col">who</th></tr></thead><tbody>{rows}</tbody></table></div>"""


def _sources(names, learners):
    """What they wrote, folded away."""
    parts = (f"<p>{html.escape(name)}</p><pre>{html.escape(learners[name].source[:4000])}</pre>" for name in names)
    return f"<details><summary>what they wrote</summary>{''.join(parts)}</details>"
