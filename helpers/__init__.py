"""Attention in plain NumPy, to be read; `explorers`, `checks` and `matrices` alone are doors, to what lies in rooms/ and workbench/.

In the order in which one builds on the other: `tokens`, `attention`, `streaming`, `positions`, `layers`, `transformer`, `decoder`,
`patches`, `variants`, `costs`, `language_model`. `parts` are what the lessons ask for, and `yours` is what a learner has written of
them, in a file that `your_program` runs. `learning` trains it; `since_2017` has what came later; `models` reads trained models;
`support` says what is wrong with an input and where the files of data/ lie.

A function asks of its arguments what the `Parameters` of its docstring say, and refuses what does not do in one sentence: a
TypeError where it is no number, no text, no mask, a ValueError where it has another shape or size or is not finite; where a file
is not there, a FileNotFoundError says how to get it. Without docstrings (`python -OO`) nothing is looked at: arrays give the same
numbers, and lists must be made arrays first.
"""

from helpers import moved

moved.hand_on()
