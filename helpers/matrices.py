"""A door for readers: what a lesson shows its matrices with lies in workbench/matrices.py."""

from workbench.matrices import *  # noqa: F403
