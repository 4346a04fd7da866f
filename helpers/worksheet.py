"""The door of an earlier edition to `attention-lessons sheets`: `python -m helpers.worksheet …` goes on, and says so."""

import sys

from rooms.commands import course

if __name__ == "__main__":
    print(
        "This command is called attention-lessons sheets now; helpers.worksheet goes with the next edition.",
        file=sys.stderr,
    )
    sys.exit(course.main(["sheets", *sys.argv[1:]]))
