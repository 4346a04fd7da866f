"""Train the model of the lesson ask_another_text from zero and write data/french_model.npz: python data/made_by/make_french_model.py

Half a minute on two quiet cores. The seed is french.SEED; machines differ in the last digits, and a training carries them on,
so the file comes out a little different elsewhere, and as good.
"""

import sys

from helpers.learning.parameters import save
from rooms.shared import french


def main():
    history = french.train(french.random_model())
    if history.interrupted:
        sys.exit("Interrupted: nothing was written.")
    unseen = french.sentences(unseen=True)
    right = sum(french.translate(history.parameters, each.english).words == each.french for each in unseen)
    print(f"{right} of {len(unseen)} sentences with pairs that were never read are right.")
    if right < 0.95 * len(unseen):
        sys.exit("That is less than 95 %: nothing was written.")
    save(french.PATH, history.parameters)


if __name__ == "__main__":
    main()
