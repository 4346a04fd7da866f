"""attention-lessons class FOLDER [overview.html] [--csv FILE]"""

import argparse
import csv
import io
import os
import sys
from pathlib import Path

from rooms.commands.classroom import notebooks, overview


def main(arguments=None):
    """Read and tell; returns what the process exits with."""
    parser = argparse.ArgumentParser(
        prog="attention-lessons class",
        description="On your own notebooks: where you are. On those of a class: how many make which mistake.",
        epilog=overview.TRUST.replace("%", "%%"),
    )
    parser.add_argument("folder", help="holds notebooks, ada_01_ask_for_a_b.ipynb or ada/01_ask_for_a_b.ipynb")
    parser.add_argument("page", nargs="?", type=Path, help="an HTML file to write the overview of a class to")
    parser.add_argument("--csv", type=Path, help="a table for a gradebook: learner, lesson, exercise, status, message")
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a terminal that knows no ✓
    places = [path for path in (options.page, options.csv) if path]
    try:
        files = notebooks.read(options.folder, leave=places)
        answered = [file for file in files if file.exercises]
        if not places and not any(file.learner for file in answered):
            nothing = f"There are no notebooks with exercises of this course in {notebooks.plain(options.folder)}."
            print("\n".join([overview.as_own(files) if answered else nothing, *overview.unread(files)]))
            return 0 if answered else 1
        print(f"Learners: {len(overview.everybody(files))}. Files: {len(files)}, with an answer: {len(answered)}.")
        if options.page:
            write(options.page, overview.as_page(files), overview.START, options.folder)
        if options.csv:
            table = io.StringIO()
            csv.writer(table).writerows(overview.as_table(files))
            write(options.csv, "\ufeff" + table.getvalue(), "\ufefflearner,lesson,", options.folder)
        if not places:
            print("This is a class: name a page to write, attention-lessons class FOLDER overview.html")
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return 0


def write(path, text, start, folder):
    """Write a file anew. It replaces an older one of the same kind alone, and goes through no link in the learners' folder.

    Raises
    ------
    ValueError
        If something else is there.
    OSError
        If it cannot be written.
    """
    folder = os.path.abspath(folder)
    place = Path(os.path.abspath(path))
    inside = [above for above in place.parents if above.is_relative_to(folder) and str(above) != folder]
    if any(above.is_symlink() for above in (place, *inside)):
        raise ValueError(f"path must not lead through a link, got {path}.")
    if os.path.lexists(place):
        if not place.is_file() or not place.read_bytes().startswith(start.encode()):
            raise ValueError(f"path must be new, or that of an earlier overview, got {path}: another file is there.")
        place.unlink()
    with place.open("x", encoding="utf-8", newline="", errors="replace") as file:
        file.write(text)
    print(f"Written: {path}")
