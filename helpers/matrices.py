"""A door for readers: what a lesson shows its matrices with lies in workbench/matrices.py."""

import rooms  # noqa: F401  (gives queries, keys, values and outputs their colours)
from workbench.matrices import *  # noqa: F403
