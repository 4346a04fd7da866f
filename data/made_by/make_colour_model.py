"""Train the model of lesson let_it_write by that lesson's own cells, and write colour_model.npz and colour_training.txt:

python data/made_by/make_colour_model.py [--names]

Less than a minute on one quiet core. With --names it takes the names from matplotlib first, and writes colour_names.txt. Machines
differ in the last digits, and a training carries them on, so the model comes out a little different elsewhere, and as good.
"""

import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

import numpy as np

os.environ["MY_MODEL"] = ""  # all parts are the course's

from helpers import yours
from helpers.learning import optimizers, training
from helpers.learning.parameters import from_vector, save, to_vector, tree_map
from rooms.let_it_write import colour_names

LONGEST = 22  # letters of a line
RUDE = re.compile("shit|piss")
NUM_STEPS = 800
(LESSON,) = (Path(__file__).parents[2] / "notebooks").glob("*_let_it_write.ipynb")


def main():
    if "--names" in sys.argv:
        colour_names.NAMES_PATH.write_text("\n".join(names()) + "\n", encoding="utf-8")
    space = {each.__name__: each for each in (to_vector, from_vector)}
    space |= {"np": np, "colour_names": colour_names, "training": training, "optimizers": optimizers, "yours": yours}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for source in cells():
            exec(re.sub(r"^num_steps = \d+", f"num_steps = {NUM_STEPS}", source, flags=re.MULTILINE), space)
    save(colour_names.MODEL_PATH, tree_map(np.float16, space["trained"]))
    steps = [line for line in printed.getvalue().splitlines() if line.startswith("step ")]
    steps.append(f"step {NUM_STEPS}, loss {space['losses'][-1]:.1f}: {colour_names.goes_on('fo')}")
    colour_names.TRAINING_PATH.write_text("\n".join(steps) + "\n", encoding="utf-8")


def names():
    """All lines, as matplotlib has the names."""
    from matplotlib.colors import XKCD_COLORS

    found = [f"{name.removeprefix('xkcd:')} {short(colour)}" for name, colour in XKCD_COLORS.items()]
    return [line for line in found if len(line) <= LONGEST and not RUDE.search(line)]


def short(colour):
    """#acc2d9 as #acd."""
    return "#" + "".join(f"{round(int(colour[k : k + 2], 16) / 17):x}" for k in (1, 3, 5))


def cells():
    """The sources of the lesson's cells that are tagged as part of the page."""
    found = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in found if cell["cell_type"] == "code"]
    page = [cell for cell in code if "page" in cell["metadata"].get("tags", [])]
    yield from ("".join(cell["source"]) for cell in page)


if __name__ == "__main__":
    main()
