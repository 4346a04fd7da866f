"""What this course adds to the workbench: how weights and scores are shown, whose lines are no lines of an answer, PyTorch's softmax."""

from workbench.judging import run

OURS = {"helpers", "rooms"}
run.OURS |= OURS
run.HINTS[run.NO_METHOD.format("softmax")] = "That is PyTorch's; in NumPy it is attention.softmax(x)."
