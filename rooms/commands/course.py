"""The course in a folder of one's own, without a clone: `attention-lessons` lays the lessons out and opens the first one.

attention-lessons [folder]           the lessons go to a folder, attention-lessons if none is named, and JupyterLab opens
attention-lessons update [folder]    newer lessons replace those that were not changed, and lie beside those that were
attention-lessons class …            where you are, or how many of a class make which mistake
attention-lessons sheets …           tasks to print, each with numbers of its own; questions for Moodle and Anki
"""

import argparse
import hashlib
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = "attention-lessons"
COMMANDS = {"class": "rooms.commands.classroom.command", "sheets": "rooms.commands.worksheet"}
LAID_OUT = ".lessons.json"  # file -> SHA-256 of the lesson as it was laid out
HERE = Path(__file__).parents[2] / "helpers"


def main(arguments=None):
    """Run the command; returns what the process ends with."""
    first, *others = (sys.argv[1:] if arguments is None else list(arguments)) or [""]
    if first in COMMANDS:
        return importlib.import_module(COMMANDS[first]).main(others)
    parser = argparse.ArgumentParser(
        prog="attention-lessons", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="[update] [folder]")
    parser.add_argument("--no-browser", action="store_true", help="only lay the lessons out")
    options = parser.parse_args(arguments)
    updating, words = options.words[:1] == ["update"], options.words[options.words[:1] == ["update"] :]
    if len(words) > 1:
        parser.error(f"one folder must be named at most, got {' '.join(words)}")
    folder = Path(words[0] if words else FOLDER)
    if updating and not (folder / LAID_OUT).is_file():
        parser.error(f"{folder} holds no lessons that this command has laid out; run attention-lessons {folder} first")
    for line in lay_out(folder):
        print(line)
    if updating or options.no_browser:
        return 0
    if subprocess.run([sys.executable, "-m", "jupyterlab", "--version"], capture_output=True).returncode:
        print(
            "JupyterLab is not installed here: python -m pip install jupyterlab, then open the folder notebooks with it."
        )
        return 1
    first = min((folder / "notebooks").glob("00_*.ipynb"))
    return subprocess.call(
        [sys.executable, "-m", "jupyterlab", "--ServerApp.root_dir=.", first.relative_to(folder)], cwd=folder
    )


def lay_out(folder):
    """Write the lessons into a folder, and nothing over what somebody has changed; returns what was done, in lines.

    Parameters
    ----------
    folder : Path, made if it is not there

    Returns
    -------
    list of str
    """
    lessons = folder / "notebooks"
    lessons.mkdir(parents=True, exist_ok=True)
    known = _read(folder / LAID_OUT)
    new, newer, beside, numbered, both = [], [], [], [], []
    for source in sorted(_lessons().glob("[0-9][0-9]_*.ipynb")):
        content, target = source.read_bytes(), lessons / source.name
        now = hashlib.sha256(content).hexdigest()
        for old in sorted(lessons.glob(f"[0-9][0-9]{source.name[2:]}")):  # of an edition with other numbers
            if old != target and not target.exists():
                if _hash(old) == known.get(old.name):
                    numbered.append(target)
                    known[source.name] = known.pop(old.name)
                    old.rename(target)
                else:
                    both.append((old.name, target.name))
        if not target.exists():
            new.append(target)
        elif _hash(target) == now or known.get(source.name) == now:
            continue  # it is this lesson, or was, and has been worked in since
        elif _hash(target) == known.get(source.name):
            newer.append(target)
        else:
            target = target.with_name(f"{target.stem}-newer.ipynb")
            beside.append(target)
        target.write_bytes(content)
        known[source.name] = now
    (folder / LAID_OUT).write_text(json.dumps(known, indent=1), encoding="utf-8")
    _notes(folder)
    done = [f"{len(numbered)} were given their new number."] * bool(numbered)
    done += [f"{len(new)} lessons are in {lessons}."] * bool(new) + [
        f"{len(newer)} were replaced by newer ones."
    ] * bool(newer)
    done += [
        f"You had changed {old}, which is {now} now: both are there, and yours is as you left it." for old, now in both
    ]
    done += [
        f"You had changed {path.name.replace('-newer', '')}, so the newer one lies beside it: {path.name}."
        for path in beside
    ]
    return done or [f"The lessons in {lessons} are the newest ones."]


def _lessons():
    """The lessons: beside helpers/ in a clone, inside it once it is installed."""
    inside = HERE / "notebooks"
    return inside if inside.is_dir() else HERE.parent / "notebooks"


def _notes(folder):
    """The page on the sources, to which lessons link."""
    source = next(
        (place / "data" / "README.md" for place in (HERE, HERE.parent) if (place / "data" / "README.md").is_file()),
        None,
    )
    target = folder / "data" / "README.md"
    if source and not target.exists():
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)


def _read(path):
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none yet, or damaged: then every lesson that differs counts as changed
        return {}
    return found if isinstance(found, dict) else {}


def _hash(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
