"""Train the small model of lesson 13, keep what it writes on the way, and write data/date_training.npz:
python data/made_by/make_date_training.py

Half a minute on two quiet cores. It is the training of the page, by the course's own loop; machines differ in the last digits.
"""

import sys

import numpy as np

from helpers import parts
from helpers.learning import optimizers, training
from helpers.learning.parameters import from_vector, to_vector
from rooms.shared import date_model, dates
from rooms.train_a_transformer import growing


def main():
    training_days, held_out_days = dates.split()
    tried = held_out_days[: growing.NUM_DATES]
    tried = dates.batch_of([dates.write(day, growing.STYLE) for day in tried], tried)
    start, rng = date_model.random_model(d_model=32, d_ff=64), np.random.default_rng(1)
    written = []

    def keep(vector):
        parameters = from_vector(vector, start)
        written.append(date_model.translate(parameters, tried.sources, tried.lengths).numbers)

    def gradient_of(vector, step):
        if step in growing.STEPS:
            keep(vector)
        days = [training_days[k] for k in rng.integers(len(training_days), size=64)]
        batch = dates.batch_of([dates.write(day, growing.STYLE) for day in days], days)
        _, gradient = training.loss_and_gradient(date_model.loss_of, from_vector(vector, start), *batch)
        return to_vector(gradient)

    rate = optimizers.warm_up_and_decay(1.0, growing.STEPS[-1], 30)
    keep(parts.training_loop(to_vector(start), gradient_of, growing.STEPS[-1], rate, 1.0))
    right = np.all(written[-1] == tried.targets, axis=-1).mean()
    print(f"{right:.0%} of {growing.NUM_DATES} dates are right.")
    if right < 0.9:
        sys.exit("That is less than 90%: nothing was written.")
    np.savez_compressed(growing.PATH, written=np.array(written, np.uint8))


if __name__ == "__main__":
    main()
