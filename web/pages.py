"""The pages beside the lessons, cut from README: the front page, and how to run the course."""

import re

NOTE = "```{{container}} run-it\n{what}\n```\n"
FRONT = "Read and play here, nothing to install. To write code and have it checked, {live}[get the course](run_it_yourself.md)."
LESSON = "The pictures are recordings that respond to your hand. To write code and have it checked, {live}[get the course](../run_it_yourself.md)."
OPEN = '<a href="../{address}" target="_blank" rel="noopener">open this lesson live</a> in your browser (40 MB the first time, then some seconds; what you write stays in this browser), or '
ON_A_PAGE = {  # what a lesson says to whoever runs it: what is true where no kernel is
    "To wake the pictures, choose *Run > Run All Cells* in the menu. **Then click": "**Click",
    "<summary>How to work here": "<summary>How to work in JupyterLab",
}
TOC = "```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n"


def lesson_note(address=""):
    """What stands under the title of a lesson; `address` is that of the lesson live, from the site's root."""
    return NOTE.format(what=LESSON.format(live=OPEN.format(address=address) if address else ""))


def how_to_get(address=""):
    """Where what a recording cannot do is done: behind a sentence under a picture, in HTML."""
    live = f'<a href="../{address}" target="_blank" rel="noopener">open this lesson live</a>, or ' if address else ""
    return f': {live}<a href="../run_it_yourself.html">get the course</a>'


NOT_FOUND = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found · Attention, by hand and in motion</title>
<style>
:root {{ color-scheme: light dark; background: Canvas; }}
body {{ margin: 15vh auto; padding: 0 20px; max-width: 36rem; font: 18px/1.6 system-ui, sans-serif; }}
</style>
<h1>There is no page here</h1>
<p>The lesson may have moved. <a href="{address}">All lessons</a> stand on the front page, and <a href="{address}search.html">the search</a>
finds words in them.</p>
</html>
"""


def not_found(address):
    """The page that a server shows where there is none; `address` is that of the site, since it is shown at any depth."""
    return NOT_FOUND.format(address=address)


def front_page(readme, opening, is_live=False):
    """README's title, what there is to touch, README's lines, then the lessons; on the left, all pages."""
    head = linked_routes(before(readme, "## Start"), readme)
    head = re.sub(r"(?<=\n\n)!\[[^]]*\]\([^)]*\)\n", lambda found: opening, head, count=1)
    head = re.sub(r"\]\(#(?:start|other-ways-to-run-it)\)", "](run_it_yourself.md)", head)
    lessons = table(section(readme, "The lessons"))
    more = "Run it yourself <run_it_yourself>\nSources <data/README>\nA hub for a class <hub/README>\nContribute <CONTRIBUTING>"
    return "\n".join(
        [
            head,
            NOTE.format(what=FRONT.format(live="open a lesson live by the link at its top, or " if is_live else "")),
            f"## The lessons\n\n{lessons}\n",
            f"## Licence and sources\n\n{section(readme, 'Licence and sources')}\n",
            TOC.format(caption="The lessons", entries="\n".join(f"{title} <{page}>" for title, page in titles(readme))),
            TOC.format(caption="More", entries=more),
        ]
    )


def how_to_run(readme):
    """How to get the course, start it, and lead a class through it."""
    start = section(readme, "Start").replace(
        "Clone this repository, or download and unpack it.", "Download [the course](course.zip) and unpack it."
    )
    start = re.sub(r"^###", "##", start, flags=re.M)  # the page's own title stands over it
    model = section(readme, "The lessons").removeprefix(table(section(readme, "The lessons"))).strip()
    model = model[: model.rindex("```") + 3]  # what follows the last command is for readers of the repository
    rest = [f"## {name}\n\n{section(readme, name)}\n" for name in ("Other ways to run it", CLASS)]
    return "\n".join(["# Run it yourself\n", start, "\n## A real model\n", model, "", *rest])


CLASS = "For a class, and to see where you are"


def told_on_a_page(text):
    """The text of a lesson, true where no kernel is."""
    for here, there in ON_A_PAGE.items():
        text = text.replace(here, there)
    return text


def titles(readme):
    """The lessons in order, as ("04 Attend by hand", "notebooks/02_attend_by_hand")."""
    return re.findall(r"^\| \[(\d\d [^]]+)\]\((notebooks/\w+)\.ipynb\)", readme, re.M)


def linked_routes(text, readme):
    """The numbers in the table of routes, each a link to its lesson."""
    pages = {title[:2]: page for title, page in titles(readme)}
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if line.startswith("|") and "·" in line:
            route, _, minutes = line.rpartition(" | ")
            lines[k] = (
                re.sub(r"\b\d\d\b", lambda found: f"[{found[0]}]({pages[found[0]]}.ipynb)", route) + f" | {minutes}"
            )
    return "\n".join(lines)


def before(text, heading):
    return text.partition(f"\n{heading}\n")[0]


def section(text, heading):
    """What stands under a heading, up to the next one."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    if not found:
        raise SystemExit(f"README.md must have a section ## {heading}: the site shows it.")
    return found[1].strip()


def table(text):
    """The lines of the first table."""
    return re.search(r"(?:^\|.*\n?)+", text, re.M)[0].strip()
