"""A notebook without a kernel: cells that run one after the other, and functions whose source is known."""

import contextlib
import io
import linecache
import math

import numpy as np

from helpers import attention, checks, layers, positions, yours


class Notebook:
    """Cells in one namespace, with what lessons import."""

    def __init__(self):
        self.space = {"np": np, "math": math, "attention": attention, "layers": layers, "positions": positions}
        self.space |= {"yours": yours, "__name__": "__main__"}
        self.count = 0

    def run(self, text):
        text, self.count = text.strip("\n") + "\n", self.count + 1
        name = f"<cell {id(self)} {self.count}>"
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        exec(compile(text, name, "exec"), self.space)
        return self

    def check(self, name, answer=None):
        """The lines that a check prints of the function of this name."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            checks.check(name, answer or self.space[name])
        return printed.getvalue().splitlines()
