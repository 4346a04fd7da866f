"""The first screen of the site: two things to be touched, *she* and a line on which a model writes on."""

import base64
import json

import numpy as np

from helpers.learning import small_models

TRIES = range(1, 21)  # what the slider “another try” of lesson 14 sets: seeds
SHE = """\
Free lessons on attention, in plain NumPy, from one query to a trained model. Read and play here; there is nothing to install.

Who is *she*? One head of a trained model reads two sentences. **Click any word** to see where it looks from there.

```{raw} html
"""
WRITER = """
<div class="writer player explorer" data-letters="_static/letters.js">
<label for="writer-line">Now type, and a model writes on.</label>
<div class="writer-row"><input id="writer-line" type="text" maxlength="60" autocomplete="off" spellcheck="false"
value="attention is a " disabled><button type="button" disabled>Another try</button></div>
<p class="writer-text" aria-hidden="true">attention is a …</p>
<p class="writer-small">It runs in this page: a GPT of 71,200 numbers that has read nothing but this course. You train it yourself in
<a href="notebooks/14_let_it_write.html">lesson 14</a>. The stronger the shade behind a letter, the more it was looked at for the last one.</p>
<div class="player-said" aria-live="polite"></div>
</div>
<script defer src="_static/writer.js"></script>
"""


def opening(she):
    """What stands under the title: the card of *she*, as lesson 00 shows it, and the writer."""
    return f"{SHE}{she.replace('../_static/', '_static/')}\n{WRITER}```\n"


def letters():
    """The script that hands the trained model of letters to writer.js, its numbers as 16-bit floats."""
    with np.load(small_models.PATHS["letters"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    numbers = b"".join(array.astype("<f2").tobytes() for array in arrays.values())
    model = {
        "letters": small_models.LETTERS,
        "context": small_models.CONTEXT,
        "heads": small_models.NUM_HEADS,
        "layers": small_models.SIZES["num_layers"],
        "generators": {seed: _generator(seed) for seed in TRIES},
        "names": [[name, *array.shape] for name, array in arrays.items()],
        "numbers": base64.b64encode(numbers).decode("ascii"),
    }
    return f"readLetters({json.dumps(model)});\n"


def _generator(seed):
    """Where NumPy's generator of a seed stands at first, and its increment: two whole numbers of 128 bits."""
    state = np.random.default_rng(seed).bit_generator.state["state"]
    return [hex(state[name]) for name in ("state", "inc")]
