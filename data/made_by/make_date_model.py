"""Train the model of lesson 13 from zero and write data/date_model.npz: python data/made_by/make_date_model.py

About a minute on two quiet cores. The seed is dates.SEED; machines differ in the last digits, and a training carries
them on, so the files come out a little different elsewhere, and as good.
"""

import sys
import time

from helpers.learning.parameters import save
from rooms.shared import date_model, dates


def main():
    start = time.perf_counter()
    history = date_model.train(date_model.random_model())
    if history.interrupted:
        sys.exit("Interrupted: nothing was written.")
    share = date_model.accuracy(history.parameters, dates.held_out())
    print(f"{time.perf_counter() - start:.0f} s, {share:.1%} of the held-out dates are right.")
    if share < 0.99:
        sys.exit("That is less than 99 %: nothing was written.")
    save(date_model.PATH, history.parameters)


if __name__ == "__main__":
    main()
