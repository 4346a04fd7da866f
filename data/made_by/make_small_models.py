"""Train the models of lessons 14 and 16 from zero, and write letter_model.npz, copying_model.npz and small_trainings.npz:

python data/made_by/make_small_models.py [--prose]

About a minute on one quiet core. With --prose it reads the notebooks anew first, and writes course_prose.npz. Machines
differ in the last digits, and a training carries them on, so the files come out a little different elsewhere, and as good.
"""

import sys
import time
from pathlib import Path

import numpy as np

from helpers import decoder
from helpers.learning import small_models
from helpers.learning.parameters import save, tree_map


def main():
    if "--prose" in sys.argv:
        text = small_models.read_prose(Path(__file__).parents[2] / "notebooks")
        letters = small_models.to_numbers(text, small_models.LETTERS)
        np.savez_compressed(small_models.PROSE_PATH, letters=np.array(letters, np.uint8))
    start = time.process_time()
    letters, symbols = (
        small_models.train(kind, num_steps=small_models.NUM_STEPS[kind], keep_every=keep)
        for kind, keep in (("letters", None), ("symbols", 20))
    )
    if letters.interrupted or symbols.interrupted:
        sys.exit("Interrupted: nothing was written.")
    story = symbol_story(symbols)
    print(f"{time.process_time() - start:.0f} CPU-seconds; {story['accuracy'][-1]:.1%} are copied.")
    if story["accuracy"][-1] < 0.99:
        sys.exit("That is less than 99 %: nothing was written.")
    for kind, history in {"letters": letters, "symbols": symbols}.items():
        save(small_models.PATHS[kind], tree_map(np.float16, history.parameters))
    np.savez_compressed(small_models.TRAININGS_PATH, **story)


def symbol_story(history):
    """The losses, how much is copied, and the scores of all heads on the way."""
    strings, steps = small_models.fresh_runs(), sorted(history.snapshots)
    period, induction, previous, accuracy = strings.shape[1] // 2, [], [], []
    for step in steps:
        attention = decoder.decode(strings, history.snapshots[step], num_heads=4).attention
        weights = np.stack([each.weights for each in attention]).mean(axis=1)  # (layers, heads, n, n), over all strings
        induction.append(decoder.induction_score(weights, period))
        previous.append(np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(axis=-1))
        accuracy.append(small_models.share_copied(history.snapshots[step], strings))
    return {
        "symbol_losses": history.losses.astype(np.float32),
        "symbol_steps": np.array(steps),
        "accuracy": np.array(accuracy, np.float32),
        "induction": np.array(induction, np.float32),
        "previous": np.array(previous, np.float32),
    }


if __name__ == "__main__":
    main()
