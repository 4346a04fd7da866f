"""The lessons as pages that need no Python: what an explorer shows is recorded here, and played by one small script."""

import os

os.environ["MY_MODEL"] = ""  # the pages show no learner's model
