"""The door of an earlier edition to `attention-lessons class`: `python -m helpers.classroom …` goes on, and says so."""

import sys

from rooms.commands import course

if __name__ == "__main__":
    print(
        "This command is called attention-lessons class now; helpers.classroom goes with the next edition.",
        file=sys.stderr,
    )
    sys.exit(course.main(["class", *sys.argv[1:]]))
