"""python -m helpers.classroom FOLDER [overview.html], in the folder of the course."""

import argparse
import csv
import sys
import time
from pathlib import Path

from tqdm import tqdm

from helpers.classroom import judging, notebooks, overview


def main(arguments=None):
    """Read, judge, tell; returns what the process exits with."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.classroom",
        description="How far a class is: how many make which mistake, and who has not begun yet. On your own notebooks: where you are.",
        epilog="Answers run one by one in processes of their own, with limits. Run this in the folder of the course.",
    )
    parser.add_argument("folder", help="holds notebooks, ada_01_ask_for_a_b.ipynb or ada/01_ask_for_a_b.ipynb")
    parser.add_argument("page", nargs="?", type=Path, help="an HTML file to write the overview to")
    parser.add_argument("--csv", type=Path, help="a table for a gradebook: learner, lesson, exercise, status, message")
    parser.add_argument(
        "--seconds", type=int, default=judging.SECONDS, help="of computing for each answer (%(default)s)"
    )
    parser.add_argument("--megabytes", type=int, default=judging.MEGABYTES, help="of memory for each (%(default)s)")
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a terminal that knows no ✓
    for path in (options.page, options.csv):
        try:
            if path:
                path.open("a").close()
        except OSError as error:
            parser.error(f"{path} cannot be written: {error.strerror}")
    start = time.perf_counter()
    try:
        answers, unread = notebooks.read(options.folder)
    except NotADirectoryError as error:
        parser.error(str(error))
    if not answers and not unread:
        print(f"There are no notebooks with exercises of this course in {notebooks.plain(options.folder)}.")
        return 1
    with tqdm(total=len(answers), unit="answer", leave=False, disable=not sys.stderr.isatty()) as progress:
        judged = judging.judge_all(
            answers, seconds=options.seconds, megabytes=options.megabytes, tell=lambda _: progress.update()
        )
    names = overview.everybody(judged, unread)
    how = how_they_ran(judged, options.seconds, options.megabytes)
    if names == [""] and options.page is None and options.csv is None:
        print(overview.as_own(judged, unread))
        return 0
    print(overview.as_text(judged, unread))
    print(
        f"\n{overview.count(names, 'learner')}, {overview.count(judged, 'answer')}, {time.perf_counter() - start:.0f} s. {how}"
    )
    if options.page:
        options.page.write_text(overview.as_page(judged, unread, how), encoding="utf-8", errors="replace")
        print(f"The page: {options.page}")
    if options.csv:
        write_csv(options.csv, judged)
    return 0


def how_they_ran(judged, seconds, megabytes):
    """One sentence on what kept the answers in their places."""
    kept = [one.kept for one in judged if one.kept]
    held = [what for what in ("files", "network") if kept and all(what in one for one in kept)]
    free = [what for what in ("files", "network") if what not in held]
    memory = f" and {megabytes} MB" if kept and all("memory" in one for one in kept) else ", its memory without a limit"
    told = f"Each ran alone, for at most {seconds} s of computing{memory}"
    told += f"; the operating system kept it from {' and '.join(held)}" if held else ""
    told += f"; Python alone kept it from {' and '.join(free)}, which stops accidents and no attacker" if free else ""
    return f"{told}."


def write_csv(path, judged):
    """One row for each learner and exercise. A cell that a spreadsheet would compute gets a ' in front."""
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["learner", "lesson", "exercise", "status", "message"])
        for exercise, learners in overview.best_of_each(judged).items():
            for learner, one in learners.items():
                cells = [learner, overview.lesson_of(one), exercise, one.status, one.message]
                rows.writerow([f"'{cell}" if cell[:1] in "=+-@" and cell else cell for cell in cells])


if __name__ == "__main__":
    sys.exit(main())
