"""Train the translator of the lesson stack_a_transformer five times and keep the best: python data/made_by/make_french_shared_model.py

Three minutes on two quiet cores. The five differ by their seed, translator.SEEDS; the file says how many sentences each of them
translates rightly that it has never read, and whether it writes French where its memory is cut. Machines differ in the last digits, and a training carries them on, so the file comes
out a little different elsewhere, and another seed may win.
"""

import sys

import numpy as np

from helpers.learning.parameters import save
from rooms.shared import french
from rooms.stack_a_transformer import translator


def main():
    unseen, models, right, speaks = french.sentences(unseen=True), [], [], []
    for seed in translator.SEEDS:
        history = translator.train(seed)
        if history.interrupted:
            sys.exit("Interrupted: nothing was written.")
        model = translator.shared(history.parameters)
        written = french.translate_all(model, [each.english for each in unseen])
        speaks.append(translator.speaks_alone(model))
        models.append(history.parameters)
        right.append(sum(made.words == each.french for made, each in zip(written, unseen)))
        print(f"seed {seed}: {right[-1]} of {len(unseen)} sentences with pairs that were never read are right.")
    if max(right) < len(unseen):
        sys.exit("None of them gets all right: nothing was written.")
    counts = {"right": np.array(right, np.float32), "speaks": np.array(speaks, np.float32)}
    save(translator.PATH, {"model": models[np.argmax(right)], **counts})


if __name__ == "__main__":
    main()
