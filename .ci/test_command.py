"""Print the README's test command as it stands there: python .ci/test_command.py sh|powershell"""

import re
import sys
from pathlib import Path


def command(shell):
    """The first block in that language after the comment that names this folder."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    marked = re.search(rf"<!--[^>]*\.ci/.*?-->.*?^```{shell}\n(.*?)\n```$", readme, re.S | re.M)
    if not marked or "-m venv .venv" not in marked[1] or "-m pytest" not in marked[1]:
        raise SystemExit(f"README.md must have its test command in a block ```{shell} after a comment that names .ci/.")
    return marked[1]


if __name__ == "__main__":
    print(command(sys.argv[1]))
