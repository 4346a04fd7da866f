"""Make depth_of_stacks.npz: what 1 to 48 layers do to signal, gradient and tokens, in 20 stacks drawn at random; and what
48 post-norm layers of width 64 do, in 20 others.

python data/made_by/make_depth_of_stacks.py
"""

import sys
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from rooms.build_a_layer import depth  # noqa: E402

WIDE = 64


def main():
    found = np.empty((len(depth.designs()), depth.NUM_STACKS, len(depth.QUANTITIES), depth.DEEPEST + 1))
    for k in range(depth.NUM_STACKS):
        tokens, stack = depth.random_stack(k)
        for d, design in enumerate(depth.designs()):
            found[d, k] = depth.passes(tokens, stack, design)
    quartiles = np.moveaxis(np.quantile(found, [0.25, 0.5, 0.75], axis=1), 0, 2)
    wide = [depth.passes(*depth.random_stack(k, WIDE), (True, "post", True))[:, -1] for k in range(depth.NUM_STACKS)]
    np.savez_compressed(
        DATA / "depth_of_stacks.npz", quartiles=quartiles.astype(np.float32), wide=np.array(wide, np.float32)
    )


if __name__ == "__main__":
    main()
